// Connections have one transaction at a time. Whatever else is to run on the same one waits for its end.

/** Lets work onto a connection, unless a transaction is open on it. */
export class Gate {
  static readonly #gates = new WeakMap<object, Gate>()

  /** The gate of a driver's connection: the same one for everybody who was given that connection. */
  static of(handle: object): Gate {
    let gate = Gate.#gates.get(handle)
    if (gate === undefined) Gate.#gates.set(handle, (gate = new Gate()))
    return gate
  }

  #held = false
  #waiting: (() => void)[] = []

  /** A transaction is open. */
  get held(): boolean {
    return this.#held
  }

  /** Does something as soon as no transaction is open: at once if none is. It may hold the gate. */
  enter(work: () => void): void {
    if (this.#held) this.#waiting.push(work)
    else work()
  }

  /** A transaction has begun. Only while none is open. */
  hold(): void {
    this.#held = true
  }

  /** It has ended. */
  release(): void {
    this.#held = false
    while (this.#waiting.length > 0 && !this.#held) this.#waiting.shift()!()
  }
}
