/** A line on the terminal that tells how far it is; silent where standard error is no terminal. */
export class Progress {
  readonly #start = Date.now()
  #shown = 0
  readonly #on = process.stderr.isTTY

  /** Shows what was done so far, but not more often than can be read. */
  show(done: () => string): void {
    const now = Date.now()
    if (!this.#on || now - this.#shown < 100) return
    this.#shown = now
    process.stderr.write(`\r\u001b[K${done()} in ${((now - this.#start) / 1000).toFixed(1)} s`)
  }

  /** Takes the line away. */
  end(): void {
    if (this.#shown > 0) process.stderr.write('\r\u001b[K')
    this.#shown = 0
  }
}
