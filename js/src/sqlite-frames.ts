// The rows of a SQLite result, kept as the frames that the module takes. For wide rows that is faster than keeping the
// driver's values: every value that lives on past the next garbage collection costs more than to encode it at once.

import type { Engine, MessageSource, Slot, StreamShape } from './engine.js'
import { flagScan, flagSettled, shapeArray, shapeLines, type Instance } from './instance.js'
import { Pieces } from './output.js'
import type { Columns, Seen } from './sqlite-types.js'
import { shapes } from './stream.js'

const unknown = 255
const text = 7

/** Encodes rows as they come, and finds the labels. */
export class FrameKeeper {
  rowCount = 0
  /** The labels turned out to be others than those that the first rows told: what the module has put out is void. */
  changed = false
  readonly #instance: Instance
  readonly #columns: Columns
  readonly #seen: Seen
  readonly #guess: readonly number[]
  readonly #blocks: Uint8Array[] = []

  /**
   * `rows` are the first ones. Another result must not be begun in the instance before {@link finish}. The module writes the
   * document meanwhile, unless flagScan is set.
   */
  constructor(instance: Instance, columns: Columns, seen: Seen, rows: readonly unknown[][], flags: number) {
    this.#instance = instance
    this.#columns = columns
    this.#seen = seen
    seen.add(rows)
    this.#guess = columns.codes(seen)
    instance.begin(shapeArray, flags, columns.names, this.#guess)
    instance.writer.flush() // the columns are not to be kept: they may be others in the end
    instance.kept = this.#blocks
    this.#write(rows)
  }

  add(rows: readonly unknown[][]): void {
    this.#seen.add(rows)
    this.#write(rows)
  }

  #write(rows: readonly unknown[][]): void {
    this.#instance.writer.rows(rows, 0, rows.length)
    this.rowCount += rows.length
  }

  /** The rows, complete. The instance has their labels then. */
  finish(): Frames {
    const instance = this.#instance
    const { names } = this.#columns
    this.changed = instance.end()
    instance.kept = undefined
    const types = this.#columns.codes(this.#seen)
    if (types.some((code, i) => code !== this.#guess[i])) {
      this.changed = true
      instance.begin(shapeArray, flagScan, names, types)
      instance.writer.flush()
      for (const block of this.#blocks) instance.replay(block)
      instance.end()
    }
    return new Frames(names, instance.labels(), this.#blocks)
  }
}

/**
 * The types under which a part of a result has the labels of the whole, and the context that makes it so: as declared
 * types, the labels hold for all rows; what is labelled unknown gets there by a value that does not fit.
 */
export function settledTypes(labels: readonly number[]): { types: number[]; witness: unknown[] } {
  return {
    types: labels.map((label) => (label === unknown ? text : label)),
    witness: labels.map((label) => (label === unknown ? new Uint8Array(0) : null)),
  }
}

/** The rows of a result, encoded. */
export class Frames implements MessageSource {
  readonly names: readonly string[]
  readonly labels: readonly number[]
  readonly blocks: readonly Uint8Array[]

  constructor(names: readonly string[], labels: readonly number[], blocks: readonly Uint8Array[]) {
    this.names = names
    this.labels = labels
    this.blocks = blocks
  }

  /** Starts a result whose labels are known from the start. */
  begin(instance: Instance, shape: number, flags: number): void {
    const { names } = this
    const { types, witness } = settledTypes(this.labels)
    instance.begin(shapeArray, flagScan, names, types)
    instance.writer.row(witness)
    instance.end()
    instance.begin(shape, flags | flagSettled, names, types)
    instance.writer.flush() // the head needs the columns
  }

  push(instance: Instance, shape: number, flags: number): void {
    this.begin(instance, shape, flags)
    for (const block of this.blocks) instance.replay(block)
  }

  stream(engine: Engine, options: { shape?: StreamShape; signal?: AbortSignal }): ReadableStream<Uint8Array<ArrayBuffer>> {
    const shape = shapeOf(options.shape)
    const { signal } = options
    let slot: Slot | undefined
    let pieces: Generator<Uint8Array<ArrayBuffer>, void, undefined> | undefined
    const release = (): void => {
      if (slot !== undefined) engine.release(slot)
      slot = undefined
    }
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: (controller) => {
          try {
            signal?.throwIfAborted()
            slot ??= engine.acquire()
            pieces ??= this.pieces(slot.instance, shape)
            const { done, value } = pieces.next()
            if (done !== true) {
              controller.enqueue(value)
              return
            }
          } catch (error) {
            release()
            throw error
          }
          release()
          controller.close()
        },
        cancel: release,
      },
      { highWaterMark: 0 },
    )
  }

  /** Makes the document in pieces. */
  *pieces(instance: Instance, shape: number): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
    const pieces = new Pieces()
    instance.sink = pieces
    this.begin(instance, shape, 0)
    if (shape !== shapeLines) instance.head()
    for (const block of this.blocks) {
      instance.replay(block)
      if (pieces.size >= leastPiece) yield pieces.joined()
    }
    instance.end()
    if (pieces.size > 0) yield pieces.joined()
  }
}

/** A stream's pieces have at least so many bytes, but for the last. */
export const leastPiece = 16 * 1024

/** The number of a shape. */
export function shapeOf(name: StreamShape = 'array'): number {
  const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined
  if (shape === undefined) throw new TypeError(`the shape of a stream is 'array', 'objects' or 'ndjson', not ${String(name)}`)
  return shape
}
