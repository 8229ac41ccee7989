// Result sets as streams of bytes, encoded as they are read; and the look at a result set that all calls begin with.

import type { Engine, Slot, Source, StreamOptions, StreamShape } from './engine.js'
import type { FrameWriter } from './frame.js'
import { flagFixed, flagScan, flagSettled, flagUnknown, shapeArray, shapeLines, shapeObjects } from './instance.js'
import { Pieces } from './output.js'
import type { ResultSet, ResultStream } from './types.js'

/** The numbers of the shapes. */
export const shapes: Record<StreamShape, number> = { array: shapeArray, objects: shapeObjects, ndjson: shapeLines }

/** Checks the shape of a result set. Everything about cells is left to the module. */
export function columnsOf(resultSet: ResultStream | ResultSet): { names: readonly string[]; types: readonly number[] } {
  if (typeof resultSet !== 'object' || resultSet === null) throw new TypeError(`a result set is an object with columnNames, columnTypes and rows, not ${resultSet === null ? 'null' : typeof resultSet}`)
  const { columnNames, columnTypes } = resultSet
  if (!areAll(columnNames, 'string')) throw new TypeError('resultSet.columnNames is not an array of strings')
  if (!Array.isArray(columnTypes)) throw new TypeError('resultSet.columnTypes is not an array of ColumnType codes')
  // Numbers are left to the module, which refuses those that are no code.
  if (!areAll(columnTypes, 'number')) {
    const bad = Array.from(columnTypes).findIndex((type) => typeof type !== 'number')
    throw new TypeError(`resultSet.columnTypes[${bad}] is a ${typeof columnTypes[bad]}, not a ColumnType code, a number as of @prisma/driver-adapter-utils`)
  }
  return { names: columnNames, types: columnTypes }
}

/** Tells whether something is an array of such values; holes are none. */
function areAll(list: unknown, type: 'string' | 'number'): boolean {
  if (!Array.isArray(list)) return false
  for (let i = 0; i < list.length; i++) if (typeof list[i] !== type) return false
  return true
}

/** Looks at the rows of a result set, and reads them if they are no array. */
export function sourceOf(names: readonly string[], types: readonly number[], rows: ResultSet['rows'], asked?: Source['asked']): Source {
  // Copies, since the result reads them again: a row that is added meanwhile is none of it.
  if (Array.isArray(rows)) return { names: names.slice(), types: types.slice(), rows: rows.slice(), asked }
  if (!has(rows, Symbol.iterator)) throw noRows()
  return { names, types, rows: Array.from(rows), asked }
}

function has(value: unknown, method: symbol): boolean {
  return typeof value === 'object' && value !== null && typeof (value as Record<symbol, unknown>)[method] === 'function'
}

function noRows(): TypeError {
  return new TypeError('resultSet.rows is not an array or another iterable')
}

/** How many rows are encoded between two looks at the output. */
const rowsPerStep = 256

/** Rows of a stream, read once. */
interface RowReader {
  /** Encodes some rows. True at the end. */
  step(writer: FrameWriter): Promise<boolean>
  /** Lets an iterator clean up, if it has not come to its end. */
  close(): unknown
}

function readerOf(rows: ResultStream['rows']): RowReader {
  if (Array.isArray(rows)) {
    let next = 0
    return {
      async step(writer) {
        const from = next
        next = Math.min(from + rowsPerStep, rows.length)
        writer.rows(rows, from, next)
        return next === rows.length
      },
      close() {},
    }
  }
  const waits = has(rows, Symbol.asyncIterator)
  if (!waits && !has(rows, Symbol.iterator)) throw noRows()
  const iterator = waits ? (rows as AsyncIterable<unknown>)[Symbol.asyncIterator]() : (rows as Iterable<unknown>)[Symbol.iterator]()
  let over = false
  return {
    async step(writer) {
      for (let i = 0; i < rowsPerStep; i++) {
        const next = iterator.next()
        const { done, value } = (waits ? await next : next) as IteratorResult<unknown>
        if (done === true) return (over = true)
        writer.row(value)
      }
      return false
    },
    close() {
      if (over) return
      over = true
      return iterator.return?.()
    },
  }
}

/** The smallest piece that a stream gives, in bytes, but for the last. */
const leastPiece = 16 * 1024

/** See {@link Engine.stream}. It holds an instance from the first read to the end. */
export function streamOf(engine: Engine, resultSet: ResultStream | ResultSet, options: StreamOptions, context?: Source): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { names, types } = columnsOf(resultSet)
  const { rows } = resultSet
  const name = options.shape ?? 'array'
  if (!Object.hasOwn(shapes, name)) throw new TypeError(`the shape of a stream is 'array', 'objects' or 'ndjson', not ${String(options.shape)}`)
  const shape = shapes[name]
  const isArray = Array.isArray(rows)
  let settle = options.settle ?? (isArray ? 'scan' : 'declared')
  if (!['declared', 'scan', 'buffer', 'unknown'].includes(settle)) throw new TypeError(`settle is 'declared', 'scan', 'buffer' or 'unknown', not ${String(settle)}`)
  // Iterators give themselves, and can't be read twice. Calling a generator method runs none of its code.
  if (settle === 'scan' && !isArray && !(has(rows, Symbol.iterator) && ((rows as Iterable<unknown>)[Symbol.iterator]() as unknown) !== rows)) settle = 'buffer'
  // Where no type can change, there is nothing to find out.
  if ((settle === 'scan' || settle === 'buffer') && !engine.unsettled(types)) settle = 'declared'

  const { signal } = options
  const pieces = new Pieces()
  let slot: Slot | undefined
  let reader: RowReader | undefined
  let replay: Uint8Array[] | undefined
  let started = false
  let over = false
  let busy = false
  let cancelled = false

  async function start(): Promise<void> {
    started = true
    slot = engine.acquire()
    const { instance } = slot
    instance.sink = pieces
    let flags = settle === 'unknown' ? flagFixed | flagUnknown : flagFixed
    if (settle === 'scan' || settle === 'buffer') {
      flags = flagSettled
      if (settle === 'buffer') replay = instance.kept = []
      instance.begin(shape, flagScan, names, types)
      instance.writer.flush() // so that the columns are the first block that is kept
      reader = readerOf(context?.rows ?? rows)
      while (!(await reader.step(instance.writer)) && !over);
      if (over) return
      instance.end()
      instance.kept = undefined
    }
    if (replay === undefined) {
      reader = readerOf(rows)
      instance.begin(shape, flags, names, types)
      instance.writer.flush() // the head needs the columns
    } else {
      instance.restart(shape, flags, names)
      instance.replay(replay[0])
    }
    if (shape !== shapeLines) instance.head()
  }

  async function step(): Promise<void> {
    const { instance } = slot!
    let last: boolean
    if (replay === undefined) {
      last = await reader!.step(instance.writer)
    } else {
      replay.shift()
      last = replay.length === 0
      if (!last) instance.replay(replay[0])
    }
    if (over) {
      pieces.drain() // cancelled meanwhile
    } else if (last) {
      over = true
      instance.end()
    }
  }

  /** The next piece of the document, undefined at its end. */
  async function next(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    busy = true
    try {
      if (!started) await start()
      while (!over && pieces.size < leastPiece) await step()
      return pieces.size === 0 ? undefined : pieces.joined()
    } catch (error) {
      busy = false
      await cancel().catch(() => undefined) // the first error is the one to tell
      throw error
    } finally {
      busy = false
      if (over) release()
    }
  }

  /** Gives up: nothing more will come. */
  async function cancel(): Promise<void> {
    cancelled = over = true
    if (!busy) release()
    await reader?.close()
  }

  function release(): void {
    if (slot !== undefined) engine.release(slot)
    slot = replay = undefined
  }

  let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>
  const onAbort = (): void => {
    controller.error(signal!.reason)
    void cancel().catch(() => undefined) // what the source says about its end no longer matters
  }
  const unlisten = (): void => signal?.removeEventListener('abort', onAbort)
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(its) {
        controller = its
        if (signal?.aborted) controller.error(signal.reason)
        else signal?.addEventListener('abort', onAbort, { once: true })
      },
      async pull() {
        let piece: Uint8Array<ArrayBuffer> | undefined
        try {
          piece = await next()
        } catch (error) {
          unlisten()
          throw error
        }
        if (cancelled) return
        if (piece === undefined) {
          unlisten()
          controller.close()
        } else {
          controller.enqueue(piece)
        }
      },
      cancel() {
        unlisten()
        return cancel()
      },
    },
    { highWaterMark: 0 },
  )
}
