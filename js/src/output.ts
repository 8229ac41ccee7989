import { RowjetError } from './errors.js'
import type { OutputSink } from './instance.js'
import { NodeBuffer } from './text.js'

/**
 * The longest output that is collected into one Uint8Array, in bytes. Some runtimes can hold more; this much
 * all of them can.
 */
export const maxCollected = 2 ** 31 - 1

/** Outputs up to this length are collected in a scratch buffer and copied once to a result of exactly their size. */
const scratchSize = 16 * 1024

/** A buffer up to this length is kept for the next output. */
const keptSize = 2 ** 20

/** Memory with anything in it, where that can be had: zeros are half the cost of a large document's memory. */
function allocate(size: number): Uint8Array<ArrayBuffer> {
  const buffer = NodeBuffer?.allocUnsafeSlow(size).buffer
  return buffer?.byteLength === size ? new Uint8Array(buffer) : new Uint8Array(size)
}

/**
 * Collects a document into one Uint8Array. Room for the head, which is known last, is left in front; the
 * size is estimated from the first piece, so that large outputs are copied out of the module just once.
 */
export class Collector implements OutputSink {
  readonly #scratch = new Uint8Array(scratchSize)
  #target: Uint8Array<ArrayBuffer> = this.#scratch
  #start = 0
  #end = 0
  #body = 0 // where the room for the head ends
  #rowCount = 0
  #limit = maxCollected
  #strict = false
  #inHead = false
  #expected = 0

  /** The output outgrew what can be collected; it was dropped. */
  overflow = false

  /**
   * Starts a document: `headRoom` bytes are kept for the head, `rowCount` rows will come (Infinity: nobody knows, but
   * `expected` is how many bytes the like of it had, 0 if that is not known either). Past `limit` bytes, `strict` raises
   * RESULT_TOO_LARGE; otherwise the output is dropped and `overflow` set.
   */
  reset(headRoom: number, rowCount: number, limit: number, strict: boolean, expected = 0): void {
    this.#expected = expected
    this.#body = headRoom
    this.#start = headRoom
    this.#end = headRoom
    this.#rowCount = rowCount
    this.#limit = Math.min(limit, maxCollected)
    this.#strict = strict && limit <= maxCollected
    this.#inHead = false
    this.overflow = false
    if (this.#target.length < headRoom) this.#target = new Uint8Array(headRoom + scratchSize)
  }

  /** What comes now is the head. */
  headNext(): void {
    this.#inHead = true
  }

  take(bytes: Uint8Array, start: number, end: number, rows: number): void {
    if (this.overflow) return
    const length = end - start
    if (this.#inHead) {
      // The head is one piece; its room was reckoned with every character escaped.
      this.#start = this.#body - length
      this.#target.set(bytes.subarray(start, end), this.#start)
      return
    }
    const size = this.#end + length
    if (size - this.#body > this.#limit) {
      this.#tooLarge()
      return
    }
    if (size > this.#target.length && !this.#grow(size, rows)) return
    this.#target.set(bytes.subarray(start, end), this.#end)
    this.#end = size
  }

  /** The document, and forgets it. Undefined after an overflow. */
  finish(): Uint8Array<ArrayBuffer> | undefined {
    const size = this.#end - this.#start
    if (size > this.#limit) this.#tooLarge()
    if (this.overflow) return undefined
    const target = this.#target
    // What is handed out is not written to again, and does not hold on to much more memory than it needs.
    if (target === this.#scratch || target.length - size > size >> 3) {
      if (target.length > keptSize) this.#target = this.#scratch
      return target.slice(this.#start, this.#end)
    }
    this.#target = this.#scratch
    target.fill(0, 0, this.#start).fill(0, this.#end)
    return target.subarray(this.#start, this.#end)
  }

  /** Lets go of large memory. */
  clear(): void {
    this.#target = this.#scratch
  }

  #grow(size: number, rows: number): boolean {
    let wanted = size + (size >> 1)
    if (this.#rowCount === Infinity) {
      // Growing costs more than all else. But what was large once need not be large again.
      const expected = this.#expected + (this.#expected >> 4)
      wanted = size < expected && size > expected >> 4 ? expected : (size < expected ? 4 : 2) * size
    } else if (rows > 0 && rows < this.#rowCount) {
      const estimate = Math.ceil((size - this.#body) * (this.#rowCount / rows) * 1.02) + this.#body + 4096
      // Later pieces correct an estimate from few rows, in steps that don't get small.
      if (estimate > size + (size >> 3)) wanted = estimate
    } else if (rows >= this.#rowCount) {
      wanted = size + 64
    }
    wanted = Math.min(wanted, this.#limit + this.#body)
    let larger: Uint8Array<ArrayBuffer>
    try {
      larger = allocate(wanted)
    } catch {
      return this.#tooLarge()
    }
    larger.set(this.#target.subarray(this.#body, this.#end), this.#body)
    this.#target = larger
    return true
  }

  #tooLarge(): false {
    this.clear()
    if (this.#strict) throw tooLarge(`the result is larger than maxBytes (${this.#limit.toLocaleString('en')} bytes)`)
    this.overflow = true
    return false
  }
}

/** RESULT_TOO_LARGE, with the way out. */
export function tooLarge(what: string): RowjetError {
  return new RowjetError('RESULT_TOO_LARGE', `${what}: use stream(), or fetch fewer rows`)
}

/** The longest head that these columns can have, in bytes: every UTF-16 unit as a `\u` escape, every type as the longest. */
export function headRoom(names: readonly string[]): number {
  let room = 48
  for (let i = 0; i < names.length; i++) room += 6 * names[i].length + 3 + 17
  return room
}

/** Collects output as a list of pieces, for streams. */
export class Pieces implements OutputSink {
  /** Bytes in all pieces. */
  size = 0
  #pieces: Uint8Array<ArrayBuffer>[] = []

  take(bytes: Uint8Array, start: number, end: number): void {
    this.#pieces.push(new Uint8Array(bytes.subarray(start, end)))
    this.size += end - start
  }

  /** Gives the pieces and forgets them. */
  drain(): Uint8Array<ArrayBuffer>[] {
    const pieces = this.#pieces
    this.#pieces = []
    this.size = 0
    return pieces
  }

  /** The same as one array. */
  joined(): Uint8Array<ArrayBuffer> {
    const { size } = this
    const pieces = this.drain()
    if (pieces.length === 1) return pieces[0]
    const whole = new Uint8Array(size)
    let at = 0
    for (const piece of pieces) {
      whole.set(piece, at)
      at += piece.length
    }
    return whole
  }
}

/** Throws if this is not a number of rows that a batch can have. */
export function checkBatchSize(size: unknown): void {
  if (!Number.isSafeInteger(size) || (size as number) < 1) throw new TypeError(`the size of a batch is a whole number of rows above 0, not ${typeof size === 'string' ? JSON.stringify(size) : String(size)}`)
}
