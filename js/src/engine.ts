import { flagFixed, flagJSONText, flagScan, flagSettled, flagUnknown, Instance, nowhere, shapeArray, shapeLines, shapeObjects, type ModuleExports } from './instance.js'
import { compile, initialize, instantiate, type WasmLoader, type WasmSource } from './loader.js'
import { Collector, headRoom, maxCollected, Pieces } from './output.js'
import { Result, type ResultParts } from './result.js'
import { mayChange, type Dialect, type ResultSet, type ResultStream } from './types.js'

/** Options of {@link createEngine}. */
export interface EngineOptions {
  /**
   * The longest document that `serialize` may make, in bytes; beyond it, it raises RESULT_TOO_LARGE. It also
   * bounds what one cell may take. Default: no limit but what one Uint8Array can hold, and 1 GiB for one cell.
   */
  maxBytes?: number
  /**
   * An instance of the module whose memory has grown past this many bytes is dropped after use, since
   * WebAssembly memory never shrinks. Default: 32 MiB.
   */
  memoryLimit?: number
}

/** The forms that a stream can have: `array` is the document of `bytes()`, `objects` that of `objects()`, `ndjson` one object per line. */
export type StreamShape = 'array' | 'objects' | 'ndjson'

/** Options of {@link Engine.stream}. */
export interface StreamOptions {
  /** Default: `array`. */
  shape?: StreamShape
  /**
   * Some types are known only from the rows (numbers of unknown type, most of SQLite, times with an offset),
   * but a stream sends the types first. Where they come from:
   * - `scan`: all rows are read twice. The default for rows in an array; other iterables must give a new iterator
   *   each time, or else it is `buffer`.
   * - `declared`: from `columnTypes`; a cell that does not fit is the error LABEL_UNSETTLED, and numbers of
   *   unknown type are labelled `unknown`. The default otherwise: nothing is kept, the first bytes go out at once.
   * - `buffer`: rows are read once and kept, encoded, until the last has come.
   * - `unknown`: SQLite: all columns are labelled `unknown`, and any cell goes.
   */
  settle?: 'declared' | 'scan' | 'buffer' | 'unknown'
  /** Ends the stream with the signal's reason. */
  signal?: AbortSignal
}

/** @internal The numbers of the shapes. */
export const shapes: Record<StreamShape, number> = { array: shapeArray, objects: shapeObjects, ndjson: shapeLines }

/** A result set that has been looked at: `rows` is an array, so that it can be read twice. */
export interface Source {
  readonly names: readonly string[]
  readonly types: readonly number[]
  readonly rows: readonly unknown[]
  /** If set, the rows are these messages, and `types` and `rows` are empty: the module knows types by their OIDs. */
  readonly messages?: MessageSource
  /** If set, it finds the labels with less work than making the document would be. */
  readonly labels?: (engine: Engine, source: Source) => readonly number[]
  /** If set, it may make the default row objects, if that takes no more than a look at each cell. */
  readonly quick?: ((source: Source) => Record<string, unknown>[] | undefined) | undefined
  /** If set, it is told what a result is asked for. */
  readonly asked?: ((what: 'rows' | 'document') => void) | undefined
}

/** The forms of typed rows, by the methods of {@link Result} that give them. */
export type RowForm = 'rows' | 'arrays'

/** A result set as messages of the database's wire protocol. */
export interface MessageSource {
  /** Starts a result in an instance and pushes all messages. The end is left to the caller. */
  push(instance: Instance, shape: number, flags: number): void
  /** Tells that typed rows are asked for, with options if `form` is undefined. Gives the rows, which are then the caller's, if they are made already. */
  takeRows?(form: RowForm | undefined): unknown[] | undefined
  /** See {@link Result.stream}. */
  stream(engine: Engine, options: { shape?: StreamShape; signal?: AbortSignal }): ReadableStream<Uint8Array<ArrayBuffer>>
}

const defaultMemoryLimit = 32 * 2 ** 20

/** No buffer of an instance may pass this, unless maxBytes says otherwise: the module's own default. */
const defaultBufferLimit = 2 ** 30
/** How many idle instances are kept. There are more than one only after streams, or serializing inside of serializing. */
const mostFree = 8
/** What an instance needs in any case, in bytes. */
const leastBufferLimit = 2 ** 20

/**
 * Serializes result sets of one dialect. All calls may be used at any time, also from getters and iterators of
 * a result set that is being serialized: instances of the module are pooled, and each result has its own.
 */
export class Engine {
  readonly dialect: Dialect
  readonly #instantiate: () => ModuleExports
  readonly #maxBytes: number
  readonly #strict: boolean
  readonly #memoryLimit: number
  readonly #bufferLimit: number
  readonly #free: Slot[] = []

  /** For {@link createEngine} and its like. `instantiate` gives the exports of a fresh instance each time. */
  constructor(instantiate: () => ModuleExports, expected: Dialect | undefined, options: EngineOptions = {}) {
    this.#instantiate = instantiate
    this.#strict = options.maxBytes !== undefined
    this.#maxBytes = sizeOption('maxBytes', options.maxBytes, maxCollected)
    this.#memoryLimit = sizeOption('memoryLimit', options.memoryLimit, defaultMemoryLimit)
    this.#bufferLimit = this.#strict ? Math.min(Math.max(this.#maxBytes, leastBufferLimit), maxCollected) : defaultBufferLimit
    const exports = instantiate()
    this.dialect = initialize(exports, expected)
    this.#free.push(new Slot(new Instance(exports, this.#bufferLimit)))
  }

  /**
   * Makes the document of a result set. The work is done when it returns: an error in a cell is raised here,
   * not by the result's methods.
   *
   * @throws RowjetError for input that has no meaning, with the row and column; whatever the input's own
   * getters and iterators throw.
   */
  serialize<Row extends object = Record<string, unknown>>(resultSet: ResultSet): Result<Row> {
    const source = sourceOf(resultSet)
    return new Result<Row>(this, source, undefined, this.again(source, undefined, 'array', false))
  }

  /**
   * Gives a document as a stream of bytes, in memory that does not depend on its length: rows are read as the
   * stream is. An error errors the stream; it never just ends, so that what came is not taken for the whole.
   */
  stream(resultSet: ResultStream | ResultSet, options: StreamOptions = {}): ReadableStream<Uint8Array<ArrayBuffer>> {
    return streamOf(this, resultSet, options)
  }

  /**
   * Serializes a result set in batches of `size` rows (the last may have fewer; no rows make one empty batch).
   * The types of each are those that all rows have together.
   */
  *batches<Row extends object = Record<string, unknown>>(resultSet: ResultSet, size: number): Generator<Result<Row>, void, undefined> {
    if (!(size >= 1)) throw new TypeError(`a batch has at least one row, not ${String(size)}`)
    const all = sourceOf(resultSet)
    const { names, types, rows } = all
    const slot = this.acquire()
    try {
      // The instance knows the labels of its last result, until it is given back.
      const settled = this.unsettled(types)
      if (settled) scan(slot.instance, all)
      for (let from = 0; from === 0 || from < rows.length; from += size) {
        const source: Source = { names, types, rows: rows.slice(from, from + size) }
        yield new Result<Row>(this, source, all, this.#collect(slot, source, settled, shapeArray, 0))
      }
    } finally {
      this.release(slot)
    }
  }

  /** @internal Makes a document. Its types are those that all of `context`'s rows have together, or else its own. */
  again(source: Source, context: Source | undefined, shape: StreamShape, jsonText: boolean): ResultParts {
    const slot = this.acquire()
    try {
      const settled = context !== undefined && this.unsettled(context.types)
      if (settled) scan(slot.instance, context)
      return this.#collect(slot, source, settled, shapes[shape], jsonText ? flagJSONText : 0)
    } finally {
      this.release(slot)
    }
  }

  /** `settled`: the instance has the labels. */
  #collect(slot: Slot, source: Source, settled: boolean, shape: number, flags: number): ResultParts {
    const { instance, collector } = slot
    const { names, types, rows } = source
    const room = shape === shapeArray ? headRoom(names) : 1
    try {
      for (;;) {
        collector.reset(room, source.messages === undefined ? rows.length : Infinity, this.#maxBytes, this.#strict)
        instance.sink = collector
        if (source.messages === undefined) {
          instance.begin(shape, settled ? flags | flagSettled : flags, names, types)
          instance.writer.rows(rows, 0, rows.length)
        } else {
          source.messages.push(instance, shape, flags)
        }
        if (!instance.end()) break
        settled = true
      }
      if (shape !== shapeLines) {
        collector.headNext()
        instance.head()
      }
      const bytes = collector.finish()
      return { bytes, ascii: instance.ascii, labels: instance.labels(), rowCount: instance.rows }
    } catch (error) {
      collector.clear()
      throw error
    }
  }

  /** @internal Finds the labels that rows have together. */
  labels(source: Source): readonly number[] {
    const slot = this.acquire()
    try {
      scan(slot.instance, source)
      return slot.instance.labels()
    } finally {
      this.release(slot)
    }
  }

  /** @internal Tells whether columns of these codes may be labelled otherwise. */
  unsettled(types: readonly number[]): boolean {
    return this.dialect === 'sqlite' || types.some(mayChange)
  }

  /** @internal The longest document in bytes, and whether the caller said so. */
  get documentLimit(): { bytes: number; strict: boolean } {
    return { bytes: this.#maxBytes, strict: this.#strict }
  }

  /** @internal Takes an instance out of the pool, or makes one. */
  acquire(): Slot {
    const slot = this.#free.pop()
    if (slot !== undefined) return slot
    const exports = this.#instantiate()
    initialize(exports, this.dialect)
    return new Slot(new Instance(exports, this.#bufferLimit))
  }

  /** @internal Puts an instance back, unless it is better dropped. */
  release(slot: Slot): void {
    const { instance } = slot
    instance.sink = nowhere
    instance.kept = undefined
    if (this.#free.length === mostFree || instance.dead || instance.memorySize > this.#memoryLimit) return
    this.#free.push(slot)
  }
}

/** An instance with what belongs to it. */
class Slot {
  readonly instance: Instance
  readonly collector = new Collector()

  constructor(instance: Instance) {
    this.instance = instance
  }
}
export type { Slot }

function sizeOption(name: string, value: number | undefined, otherwise: number): number {
  if (value === undefined) return otherwise
  if (!(value > 0)) throw new TypeError(`${name} is a number of bytes above 0, not ${String(value)}`)
  return value
}

/** Finds the labels that rows have together; the instance then has them for a settled pass. */
function scan(instance: Instance, source: Source): void {
  instance.begin(shapeArray, flagScan, source.names, source.types)
  instance.writer.rows(source.rows, 0, source.rows.length)
  instance.end()
}

/** Checks the shape of a result set. Everything about cells is left to the module. */
function columnsOf(resultSet: ResultStream | ResultSet): { names: readonly string[]; types: readonly number[] } {
  if (typeof resultSet !== 'object' || resultSet === null) throw new TypeError(`a result set is an object with columnNames, columnTypes and rows, not ${resultSet === null ? 'null' : typeof resultSet}`)
  const { columnNames, columnTypes } = resultSet
  // Array.from: holes are no names either.
  if (!Array.isArray(columnNames) || !Array.from(columnNames).every((name) => typeof name === 'string')) {
    throw new TypeError('resultSet.columnNames is not an array of strings')
  }
  if (!Array.isArray(columnTypes)) throw new TypeError('resultSet.columnTypes is not an array of ColumnType codes')
  // Numbers are left to the module, which refuses those that are no code.
  const bad = Array.from(columnTypes).findIndex((type) => typeof type !== 'number')
  if (bad !== -1) throw new TypeError(`resultSet.columnTypes[${bad}] is a ${typeof columnTypes[bad]}, not a ColumnType code, a number as of @prisma/driver-adapter-utils`)
  return { names: columnNames, types: columnTypes }
}

/** @internal Looks at a result set, and reads its rows if they are no array. */
export function sourceOf(resultSet: ResultSet): Source {
  const { names, types } = columnsOf(resultSet)
  const { rows } = resultSet
  // Copies, since the result reads them again: a row that is added meanwhile is none of it.
  if (Array.isArray(rows)) return { names: names.slice(), types: types.slice(), rows: rows.slice() }
  if (!isIterable(rows)) throw new TypeError('resultSet.rows is not an array or another iterable')
  return { names, types, rows: Array.from(rows) }
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as Iterable<unknown>)[Symbol.iterator] === 'function'
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as AsyncIterable<unknown>)[Symbol.asyncIterator] === 'function'
}

/** Tells whether an iterable can be read twice: iterators give themselves. Calling a generator method runs none of its code. */
function isRereadable(rows: unknown): boolean {
  return isIterable(rows) && (rows[Symbol.iterator]() as unknown) !== rows
}

/** How many rows are encoded between two looks at the output. */
const rowsPerStep = 256

/** Rows of a stream, read once: an array, or an iterator of either kind. */
class RowReader {
  readonly #array: readonly unknown[] | undefined
  readonly #iterator: Iterator<unknown> | AsyncIterator<unknown> | undefined
  readonly #async: boolean
  #next = 0
  #over = false

  constructor(rows: unknown) {
    this.#array = Array.isArray(rows) ? rows : undefined
    this.#async = this.#array === undefined && isAsyncIterable(rows)
    if (this.#array === undefined) {
      if (isAsyncIterable(rows)) this.#iterator = rows[Symbol.asyncIterator]()
      else if (isIterable(rows)) this.#iterator = rows[Symbol.iterator]()
      else throw new TypeError('resultSet.rows is not an array or another iterable')
    }
  }

  /** Encodes some rows. Returns true at the end, and a promise if rows have to be waited for. */
  step(instance: Instance): boolean | Promise<boolean> {
    if (this.#array !== undefined) {
      const from = this.#next
      this.#next = Math.min(from + rowsPerStep, this.#array.length)
      instance.writer.rows(this.#array, from, this.#next)
      return this.#next === this.#array.length
    }
    if (this.#async) return this.#stepAsync(instance)
    for (let i = 0; i < rowsPerStep; i++) {
      const item = (this.#iterator as Iterator<unknown>).next()
      if (item.done === true) return (this.#over = true)
      instance.writer.row(item.value)
    }
    return false
  }

  async #stepAsync(instance: Instance): Promise<boolean> {
    for (let i = 0; i < rowsPerStep; i++) {
      const item = await (this.#iterator as AsyncIterator<unknown>).next()
      if (item.done === true) return (this.#over = true)
      instance.writer.row(item.value)
    }
    return false
  }

  /** Lets the iterator clean up, if it has not come to its end. */
  close(): unknown {
    if (this.#iterator === undefined || this.#over) return undefined
    this.#over = true
    return this.#iterator.return?.()
  }
}

/** The smallest piece that a stream gives, in bytes, but for the last. */
const leastPiece = 16 * 1024

/** @internal See {@link Engine.stream}. */
export function streamOf(engine: Engine, resultSet: ResultStream | ResultSet, options: StreamOptions, context?: Source): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { names, types } = columnsOf(resultSet)
  const name = options.shape ?? 'array'
  const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined
  if (shape === undefined) throw new TypeError(`the shape of a stream is 'array', 'objects' or 'ndjson', not ${String(options.shape)}`)
  const isArray = Array.isArray(resultSet.rows)
  let settle = options.settle ?? (isArray ? 'scan' : 'declared')
  if (settle !== 'declared' && settle !== 'scan' && settle !== 'buffer' && settle !== 'unknown') {
    throw new TypeError(`settle is 'declared', 'scan', 'buffer' or 'unknown', not ${String(settle)}`)
  }
  if (settle === 'scan' && !isArray && !isRereadable(resultSet.rows)) settle = 'buffer'
  // Where no type can change, there is nothing to find out.
  if ((settle === 'scan' || settle === 'buffer') && !engine.unsettled(types)) settle = 'declared'

  const { signal } = options
  const run = new StreamRun(engine, names, types, resultSet.rows, shape, settle, context)
  let onAbort: (() => void) | undefined
  const over = (): void => {
    if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort)
  }
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        if (signal === undefined) return
        if (signal.aborted) {
          controller.error(signal.reason)
          return
        }
        onAbort = () => {
          controller.error(signal.reason)
          void run.cancel().catch(() => undefined) // what the source says about its end no longer matters
        }
        signal.addEventListener('abort', onAbort, { once: true })
      },
      async pull(controller) {
        let piece: Uint8Array<ArrayBuffer> | undefined
        try {
          piece = await run.next()
        } catch (error) {
          over()
          throw error
        }
        if (run.cancelled) return
        if (piece === undefined) {
          over()
          controller.close()
        } else {
          controller.enqueue(piece)
        }
      },
      async cancel() {
        over()
        await run.cancel()
      },
    },
    { highWaterMark: 0 },
  )
}

/** The work of one stream. It holds an instance from the first read to the end. */
class StreamRun {
  readonly #engine: Engine
  readonly #names: readonly string[]
  readonly #types: readonly number[]
  readonly #rows: unknown
  readonly #shape: number
  readonly #settle: 'declared' | 'scan' | 'buffer' | 'unknown'
  readonly #context: Source | undefined

  cancelled = false
  readonly #pieces = new Pieces()
  #slot: Slot | undefined
  #reader: RowReader | undefined
  #replay: Uint8Array[] | undefined
  #busy = false
  #state: 'new' | 'rows' | 'over' = 'new'

  constructor(
    engine: Engine, names: readonly string[], types: readonly number[], rows: unknown, shape: number,
    settle: 'declared' | 'scan' | 'buffer' | 'unknown', context: Source | undefined,
  ) {
    this.#engine = engine
    this.#names = names
    this.#types = types
    this.#rows = rows
    this.#shape = shape
    this.#settle = settle
    this.#context = context
  }

  /** The next piece of the document, undefined at its end. */
  async next(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    this.#busy = true
    try {
      if (this.#state === 'new') await this.#start()
      while (this.#state === 'rows' && this.#pieces.size < leastPiece) await this.#step()
      if (this.#pieces.size === 0) return undefined
      return joined(this.#pieces.drain())
    } catch (error) {
      this.#busy = false
      await this.cancel().catch(() => undefined) // the first error is the one to tell
      throw error
    } finally {
      this.#busy = false
      if (this.#state === 'over') this.#release()
    }
  }

  /** Gives up: nothing more will come. */
  async cancel(): Promise<void> {
    this.cancelled = true
    this.#state = 'over'
    if (!this.#busy) this.#release()
    await this.#reader?.close()
  }

  #release(): void {
    if (this.#slot !== undefined) this.#engine.release(this.#slot)
    this.#slot = undefined
    this.#replay = undefined
  }

  async #start(): Promise<void> {
    this.#state = 'rows'
    this.#slot = this.#engine.acquire()
    const { instance } = this.#slot
    instance.sink = this.#pieces
    let flags = flagFixed
    if (this.#settle === 'unknown') {
      flags = flagFixed | flagUnknown
    } else if (this.#settle === 'scan' || this.#settle === 'buffer') {
      flags = flagSettled
      if (this.#settle === 'buffer') this.#replay = instance.kept = []
      instance.begin(this.#shape, flagScan, this.#names, this.#types)
      instance.writer.flush() // so that the columns are the first block that is kept
      await this.#all(new RowReader(this.#context?.rows ?? this.#rows))
      if (this.#ended()) return
      instance.end()
      instance.kept = undefined
    }
    if (this.#replay === undefined) {
      this.#reader = new RowReader(this.#rows)
      instance.begin(this.#shape, flags, this.#names, this.#types)
      instance.writer.flush() // the head needs the columns
    } else {
      instance.restart(this.#shape, flags, this.#names)
      instance.replay(this.#replay[0])
    }
    if (this.#shape !== shapeLines) instance.head()
  }

  /** Cancelled while rows were waited for? (A method, lest the compiler take the state for unchanged.) */
  #ended(): boolean {
    return this.#state === 'over'
  }

  async #all(reader: RowReader): Promise<void> {
    this.#reader = reader
    for (;;) {
      const over = reader.step(this.#slot!.instance)
      if (over === true || (over !== false && (await over)) || this.#ended()) return
    }
  }

  async #step(): Promise<void> {
    const { instance } = this.#slot!
    let over: boolean
    if (this.#replay === undefined) {
      const stepped = this.#reader!.step(instance)
      over = typeof stepped === 'boolean' ? stepped : await stepped
    } else {
      this.#replay.shift()
      over = this.#replay.length === 0
      if (!over) instance.replay(this.#replay[0])
    }
    if (this.#ended()) {
      this.#pieces.drain()
    } else if (over) {
      this.#state = 'over'
      instance.end()
    }
  }
}

function joined(pieces: Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  if (pieces.length === 1) return pieces[0]
  let size = 0
  for (const piece of pieces) size += piece.length
  const whole = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/**
 * Makes an engine of a module.
 *
 * @param source the module, compiled or not; see {@link WasmSource}
 * @throws RowjetError with the code WASM_NOT_FOUND, WASM_NOT_BINARY, WASM_BLOCKED or ABI_MISMATCH
 */
export async function createEngine(source: WasmSource | Promise<WasmSource>, options?: EngineOptions): Promise<Engine> {
  return createEngineSync(await compile(source), options)
}

/** Makes an engine of a module that is compiled already. */
export function createEngineSync(module: WebAssembly.Module, options?: EngineOptions): Engine {
  return new Engine(() => instantiate(module), undefined, options)
}

/**
 * Makes the `createEngine` of an entry that has a module of its own. It is compiled once, when first needed.
 * @internal
 */
export function entry(dialect: Dialect, load: WasmLoader): (source?: WasmSource | Promise<WasmSource>, options?: EngineOptions) => Promise<Engine> {
  let own: Promise<WebAssembly.Module> | undefined
  return async (source, options) => {
    let module: WebAssembly.Module
    if (source !== undefined) {
      module = await compile(source)
    } else {
      own ??= (async () => compile(await load()))()
      try {
        module = await own
      } catch (error) {
        own = undefined // the next call may have more luck
        throw error
      }
    }
    return new Engine(() => instantiate(module), dialect, options)
  }
}
