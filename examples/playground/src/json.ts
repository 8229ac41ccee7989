// Finding rows and cells in array-shape JSON without parsing it: what is shown are its own bytes.

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c

const opens = (unit: number): boolean => unit === 0x5b || unit === 0x7b
const closes = (unit: number): boolean => unit === 0x5d || unit === 0x7d

const decoder = new TextDecoder()

/** Finds the rows of a document; it looks no further than it is asked for. */
export class RowIndex {
  readonly #bytes: Uint8Array
  /** Where the head's parts begin, and after them the first row. */
  readonly #head: number[] = [0]
  /** Where each row begins, and where it ends. */
  readonly #rows: number[] = []
  #at = 0
  #depth = 0
  #complete = false

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    // The third array at depth 1 has the rows; keys are strings without escapes, so that brackets in names are all to beware of.
    let arrays = 0
    while (arrays < 3) {
      const unit = this.#step()
      if (unit === 0x5b && this.#depth === 2) arrays++
      if (unit === comma && this.#depth === 1) this.#head.push(this.#at)
    }
    this.#head.push(this.#at)
  }

  /** Goes on by one unit outside of strings, or over a whole string. */
  #step(): number {
    const unit = this.#bytes[this.#at++]
    if (unit === quote) {
      for (;;) {
        const next = this.#bytes[this.#at++]
        if (next === backslash) this.#at++
        else if (next === quote) return unit
      }
    }
    if (opens(unit)) this.#depth++
    else if (closes(unit)) this.#depth--
    return unit
  }

  head(): string[] {
    return this.#head.slice(0, -1).map((start, i) => decoder.decode(this.#bytes.subarray(start, this.#head[i + 1])))
  }

  /** The texts of rows. */
  slice(from: number, to: number): string[] {
    while (this.#rows.length < 2 * to && !this.#complete) {
      const start = this.#at
      const unit = this.#step()
      if (closes(unit)) this.#complete = true
      if (this.#complete || unit === comma) continue
      while (this.#depth > 2) this.#step()
      this.#rows.push(start, this.#at)
    }
    const texts: string[] = []
    for (let row = from; row < to && 2 * row < this.#rows.length; row++) {
      texts.push(decoder.decode(this.#bytes.subarray(this.#rows[2 * row], this.#rows[2 * row + 1])))
    }
    return texts
  }
}

/** The texts of a row's cells, or of an array's elements. */
export function elements(text: string): string[] {
  const cells: string[] = []
  let start = 1
  let depth = 0
  let at = 1
  const end = text.length - 1
  while (at < end) {
    const unit = text.charCodeAt(at++)
    if (unit === quote) {
      for (;;) {
        const next = text.charCodeAt(at++)
        if (next === backslash) at++
        else if (next === quote) break
      }
    } else if (opens(unit)) depth++
    else if (closes(unit)) depth--
    else if (unit === comma && depth === 0) {
      cells.push(text.slice(start, at - 1))
      start = at
    }
  }
  if (end > start) cells.push(text.slice(start, end))
  return cells
}

/** JSON text without the white space between its tokens. */
export function compact(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')
}
