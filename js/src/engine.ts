import type { FrameWriter } from './frame.js'
import { flagJSONText, flagScan, flagSettled, Instance, nowhere, shapeArray, shapeLines, type ModuleExports } from './instance.js'
import { compile, initialize, instantiate, type WasmLoader, type WasmSource } from './loader.js'
import { checkBatchSize, Collector, headRoom, maxCollected } from './output.js'
import { plainSource } from './plain.js'
import { Result, type ResultParts } from './result.js'
import { columnsOf, shapes, sourceOf, streamOf } from './stream.js'
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

/** A result set that has been looked at: `rows` is an array, so that it can be read twice. */
export interface Source {
  readonly names: readonly string[]
  readonly types: readonly number[]
  readonly rows: readonly unknown[]
  /** If set, the number of rows. */
  readonly rowCount?: number
  /** If set, it writes the rows with less work than making `rows` would be. */
  write?(writer: FrameWriter): void
  /** If set, the rows are these messages, and `types` and `rows` are empty: the module knows types by their OIDs. */
  readonly messages?: MessageSource
  /** If set, it finds the labels with less work than making the document would be. */
  readonly labels?: ((engine: Engine, source: Source) => readonly number[]) | undefined
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
  /**
   * What the last results of each kind were asked for, see {@link hashOf}, and the last of any: the next one will likely
   * be asked for the same. 0: there was none.
   */
  readonly #uses = new Uint8Array(kindCount + 1)

  /** For {@link createEngine} and its like. `instantiate` gives the exports of a fresh instance each time. */
  constructor(instantiate: () => ModuleExports, expected: Dialect | undefined, options: EngineOptions = {}) {
    this.#instantiate = instantiate
    this.#strict = options.maxBytes !== undefined
    this.#maxBytes = sizeOption('maxBytes', options.maxBytes, maxCollected)
    this.#memoryLimit = sizeOption('memoryLimit', options.memoryLimit, defaultMemoryLimit)
    this.#bufferLimit = this.#strict ? Math.min(Math.max(this.#maxBytes, leastBufferLimit), maxCollected) : defaultBufferLimit
    const exports = instantiate()
    this.dialect = initialize(exports, expected)
    this.#free.push(this.#slot(exports))
  }

  #slot(exports: ModuleExports): Slot {
    return { instance: new Instance(exports, this.#bufferLimit), collector: new Collector() }
  }

  /**
   * Takes a result set. When it returns, all cells have been looked at: an error in a cell is raised here, not by the
   * result's methods. Its document is made here, too, unless one of the last results with such columns was read as typed
   * rows, and all cells are plain; then `bytes()`, `text()` or `json()` make it (plain.ts).
   *
   * @throws RowjetError for input that has no meaning, with the row and column; whatever the input's own
   * getters and iterators throw.
   */
  serialize<Row extends object = Record<string, unknown>>(resultSet: ResultSet): Result<Row> {
    const { names, types } = columnsOf(resultSet)
    const uses = this.#uses
    const kind = hashOf(names, types)
    const asked = (what: 'rows' | 'document'): void => {
      uses[kind] = uses[anyKind] = what === 'rows' ? usedAsRows : Math.max((uses[kind] || uses[anyKind]) - 1, usedAsDocuments)
    }
    const { rows } = resultSet
    // A limit holds from the start.
    if (!this.#strict && (uses[kind] || uses[anyKind]) > usedAsDocuments && Array.isArray(rows)) {
      const plain = plainSource(names, types, rows, this.dialect, asked)
      if (plain !== undefined) return new Result<Row>(this, plain, undefined, { bytes: null, ascii: false, labels: types, rowCount: plain.rowCount })
    }
    const source = sourceOf(names, types, rows, asked)
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
    checkBatchSize(size)
    const columns = columnsOf(resultSet)
    const all = sourceOf(columns.names, columns.types, resultSet.rows)
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
    const { names, types } = source
    const rowCount = source.rowCount ?? source.rows.length
    const room = shape === shapeArray ? headRoom(names) : 1
    try {
      for (;;) {
        collector.reset(room, source.messages === undefined ? rowCount : Infinity, this.#maxBytes, this.#strict)
        instance.sink = collector
        if (source.messages === undefined) {
          instance.begin(shape, settled ? flags | flagSettled : flags, names, types)
          if (source.write !== undefined) source.write(instance.writer)
          else instance.writer.rows(source.rows, 0, rowCount)
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

  /** @internal Whether the caller said how long a document may be. */
  get strict(): boolean {
    return this.#strict
  }

  /** @internal Takes an instance out of the pool, or makes one. */
  acquire(): Slot {
    const slot = this.#free.pop()
    if (slot !== undefined) return slot
    const exports = this.#instantiate()
    initialize(exports, this.dialect)
    return this.#slot(exports)
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
export interface Slot {
  readonly instance: Instance
  readonly collector: Collector
}

function sizeOption(name: string, value: number | undefined, otherwise: number): number {
  if (value === undefined) return otherwise
  if (typeof value !== 'number' || !(value > 0)) throw new TypeError(`${name} is a number of bytes above 0, not ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`)
  return value
}

/** How many kinds of columns are told apart, by a hash: to mistake one for another costs some time, no more. */
const kindCount = 1024
const anyKind = kindCount
// Between these, documents were asked for since rows were: to make one in vain costs more than to look at cells in vain.
const usedAsDocuments = 1
const usedAsRows = 4

function hashOf(names: readonly string[], types: readonly number[]): number {
  let hash = types.length
  for (let i = 0; i < names.length; i++) {
    const name = names[i]
    hash = Math.imul(hash ^ ((types[i] << 16) + (name.length << 8) + (name.charCodeAt(0) | 0)), 0x9e3779b1)
  }
  return hash >>> 22
}

/** Finds the labels that rows have together; the instance then has them for a settled pass. */
function scan(instance: Instance, source: Source): void {
  instance.begin(shapeArray, flagScan, source.names, source.types)
  instance.writer.rows(source.rows, 0, source.rows.length)
  instance.end()
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
