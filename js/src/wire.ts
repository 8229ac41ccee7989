// From the bytes of DataRow messages to results, streams and batches. No JavaScript value is made of a cell before one
// is asked for.

import { BatchReader } from './columns.js'
import type { Engine, MessageSource, RowForm, Slot, Source, StreamShape } from './engine.js'
import { isRowjetError } from './errors.js'
import { shapeArray, shapeBatch, shapeLines, type Instance, type OutputSink } from './instance.js'
import { areRows, columnNames, hasBinary, type RowSink } from './messages.js'
import { ArrayMaker, ObjectMaker, type RowMaker } from './objects.js'
import { checkBatchSize, headRoom, Pieces, tooLarge } from './output.js'
import { quickColumns, quickRows } from './quick.js'
import { Result } from './result.js'
import { rowDecoder } from './rows.js'
import { shapes } from './stream.js'
import { codeOfName, labelName, type TypeName } from './types.js'

/** Takes what a query gives. What its methods throw fails the query. */
export interface WireSink extends RowSink {
  /** A result set begins. The message is RowDescription, or what takes its place, see {@link WireProtocol}. */
  columns(description: Uint8Array): void
  /**
   * A result set, or a statement that has none, is complete. `tag` is that of CommandComplete, such as `SELECT 5`; empty
   * for an empty query. With MySQL it is empty after rows, and `OK 5` if 5 rows were affected.
   */
  complete(tag: string): void
}

/** What a sink can do about the query that feeds it. */
export interface Flow {
  /** No rows for now: a few more may come. */
  pause(): void
  resume(): void
}

const nothing = new Uint8Array(0)

/** What is particular to a database's wire protocol. A description is what the module has to know before the first row. */
export interface WireProtocol {
  /** The end of a result set, for the module. */
  readonly end: Uint8Array
  /** All that the module gets of a statement without a result set. */
  readonly empty: Uint8Array
  /** The column names of a description. */
  names(description: Uint8Array): string[]
  /** Tells whether only the module knows if rows are what the description promises. */
  moduleOnly(description: Uint8Array): boolean
  /** Tells whether some whole rows are what the description promises, as far as that can be told without reading cells. */
  areRows(bytes: Uint8Array, description: Uint8Array, columns: number): boolean
  /** Prepares {@link WireProtocol.quickRows}, if there is a quick way to read the rows. */
  quickColumns(description: Uint8Array, names: readonly string[]): unknown
  /** The rows as objects; undefined if there is a cell that is not as expected. */
  quickRows(bytes: Uint8Array, columns: any): Record<string, unknown>[] | undefined
}

/** A CommandComplete without a tag. */
const commandComplete = Uint8Array.of(0x43, 0, 0, 0, 5, 0)

/** PostgreSQL's: a description is a RowDescription. */
export const postgresProtocol: WireProtocol = {
  end: commandComplete,
  empty: commandComplete,
  names: columnNames,
  moduleOnly: hasBinary,
  areRows: (bytes, _, columns) => areRows(bytes, columns),
  quickColumns,
  quickRows,
}

/** The types that a caller told by OID, as ColumnType codes. */
export function typeCodes(types: Readonly<Record<number, TypeName | 'enum-array'>> = {}): Map<number, number> {
  const codes = new Map<number, number>()
  for (const key of Object.keys(types)) {
    const oid = Number(key)
    const code = codeOfName(types[oid])
    if (!(oid > 0 && oid <= 0xffffffff) || code === undefined) {
      throw new TypeError(`types gives type names by OID, such as { 16385: 'enum' }, not ${JSON.stringify(key)}: ${JSON.stringify(types[oid])}`)
    }
    codes.set(oid, code)
  }
  return codes
}

/** ColumnType codes by OID, as the message that the module takes ahead of all others (wasm/ABI.md, "Messages"). */
export function typeMap(codes: ReadonlyMap<number, number>): Uint8Array {
  if (codes.size === 0) return nothing
  const map = new Uint8Array(5 + 8 * codes.size)
  const view = new DataView(map.buffer)
  view.setUint32(1, 4 + 8 * codes.size)
  let at = 5
  for (const [oid, code] of codes) {
    view.setUint32(at, oid)
    view.setUint32(at + 4, code)
    at += 8
  }
  return map
}

/** Throws a TypeError for a type map that the module refuses: it knows best which types are built in. */
export function checkTypeMap(engine: Engine, types: Uint8Array): void {
  try {
    new Messages(postgresProtocol, types, nothing, []).labels(engine)
  } catch (cause) {
    throw new TypeError(`types is for types that are not built in: ${isRowjetError(cause) ? cause.found : String(cause)}`, { cause })
  }
}

/** Pieces below this many bytes are put together. */
const smallPiece = 4096
const arenaSize = 64 * 1024
/** Up to so many bytes share memory with other results, in so many pieces. */
const slabPiece = 2048
const slabPieces = 4
const slabSize = 16 * 1024
/** Beyond so many bytes the module is faster. */
const quickSize = 2048
let slab = new Uint8Array(slabSize)
let slabUsed = 0

/** The messages of one result set. */
export class Messages implements MessageSource {
  readonly names: readonly string[]
  /** In bytes, without the RowDescription. */
  size = 0
  rowCount = 0
  /** Rows that were made while they arrived. */
  ready: { readonly form: RowForm; readonly rows: unknown[] } | undefined
  readonly #protocol: WireProtocol
  readonly #types: Uint8Array
  readonly #description: Uint8Array
  readonly #pieces: Uint8Array[] = []
  /** What is known about results with these columns. */
  readonly #known: Known | undefined
  #arena = nothing
  #used = 0
  #begun = 0 // where the arena's part begins that is not in #pieces yet

  /** `description` is empty for a statement without a result set. */
  constructor(protocol: WireProtocol, types: Uint8Array, description: Uint8Array, names: readonly string[], known?: Known) {
    this.#protocol = protocol
    this.#types = types
    this.#description = description
    this.names = names
    this.#known = known
  }

  /** Another result set with the same columns. */
  next(): Messages {
    return new Messages(this.#protocol, this.#types, this.#description, this.names)
  }

  /**
   * Keeps bytes of DataRow messages. Not a copy of them if that saves something: a chunk of a socket is memory of its
   * own, and nobody writes to this part of it (see {@link RowSink.rows}).
   */
  keep(chunk: Uint8Array, start: number, end: number, completed: number): void {
    const size = end - start
    this.size += size
    this.rowCount += completed
    if (size >= smallPiece && size >= chunk.buffer.byteLength >> 1) {
      this.#flush()
      this.#pieces.push(chunk.subarray(start, end))
      return
    }
    if (size <= slabPiece && this.#pieces.length < slabPieces && this.#used === this.#begun) {
      // Most results are small. Memory of their own would cost them more than all else.
      if (slabUsed + size > slab.length) {
        slab = new Uint8Array(slabSize)
        slabUsed = 0
      }
      const piece = slab.subarray(slabUsed, slabUsed + size)
      piece.set(chunk.subarray(start, end))
      slabUsed += size
      this.#pieces.push(piece)
      return
    }
    if (this.#used + size > this.#arena.length) {
      this.#flush()
      this.#arena = new Uint8Array(Math.max(arenaSize, size))
      this.#used = this.#begun = 0
    }
    this.#arena.set(chunk.subarray(start, end), this.#used)
    this.#used += size
  }

  begin(instance: Instance, shape: number, flags: number): void {
    instance.beginMessages(shape, flags, this.names)
    if (this.#types.length > 0) instance.messages(this.#types, 0, this.#types.length)
    if (this.#description.length > 0) instance.messages(this.#description, 0, this.#description.length)
  }

  /** The rows, in pieces. */
  pieces(): readonly Uint8Array[] {
    this.#flush()
    return this.#pieces
  }

  push(instance: Instance, shape: number, flags: number): void {
    if (this.#known !== undefined && shape === shapeArray) this.#known.use = 'document'
    this.begin(instance, shape, flags)
    for (const piece of this.pieces()) instance.messages(piece, 0, piece.length)
    this.pushEnd(instance)
  }

  /** Tells the module that all rows are in. */
  pushEnd(instance: Instance): void {
    const end = this.#description.length > 0 ? this.#protocol.end : this.#protocol.empty
    instance.messages(end, 0, end.length)
  }

  takeRows(form: RowForm | undefined): unknown[] | undefined {
    if (this.#known !== undefined) this.#known.use = form ?? 'other'
    const { ready } = this
    if (ready === undefined || ready.form !== form) return undefined
    // They are the caller's then.
    this.ready = undefined
    return ready.rows
  }

  /** The rows, if they are few and plain; see quick.ts. */
  quick(): Record<string, unknown>[] | undefined {
    const pieces = this.pieces()
    const columns = this.#known?.quick
    return pieces.length === 1 && pieces[0].length <= quickSize && columns !== undefined ? this.#protocol.quickRows(pieces[0], columns) : undefined
  }

  /** Tells whether the rows are what the description promises, as far as that can be told without reading cells. */
  areSound(): boolean {
    const pieces = this.pieces()
    if (pieces.length === 1) return this.#protocol.areRows(pieces[0], this.#description, this.names.length)
    const whole = new Uint8Array(this.size)
    let at = 0
    for (const piece of pieces) {
      whole.set(piece, at)
      at += piece.length
    }
    return this.#protocol.areRows(whole, this.#description, this.names.length)
  }

  /** The column types, as the module labels them. */
  labels(engine: Engine): number[] {
    const slot = engine.acquire()
    try {
      this.begin(slot.instance, shapeArray, 0)
      return this.#description.length > 0 ? slot.instance.labels() : []
    } finally {
      engine.release(slot)
    }
  }

  stream(engine: Engine, options: { shape?: StreamShape; signal?: AbortSignal }): ReadableStream<Uint8Array<ArrayBuffer>> {
    const shape = shapeOf(options.shape)
    const { signal } = options
    const parts = this.pieces()
    let slot: Slot | undefined
    let output: Pieces | undefined
    let next = 0
    const release = (): void => {
      if (slot !== undefined) engine.release(slot)
      slot = undefined
    }
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: (controller) => {
          try {
            signal?.throwIfAborted()
            if (output === undefined) {
              slot = engine.acquire()
              output = slot.instance.sink = new Pieces()
              this.begin(slot.instance, shape, 0)
              if (shape !== shapeLines && this.#description.length > 0) slot.instance.head()
            }
            while (output.size < leastPiece && next < parts.length) {
              const part = parts[next++]
              slot!.instance.messages(part, 0, part.length)
            }
            if (next === parts.length && slot !== undefined) {
              next++
              this.finish(slot.instance, shape)
              release()
            }
          } catch (error) {
            release()
            throw error
          }
          const pieces = output.drain()
          for (const piece of pieces) controller.enqueue(piece)
          if (slot === undefined) controller.close()
        },
        cancel: release,
      },
      { highWaterMark: 0 },
    )
  }

  /** The rest of a document, once all rows are in. Its head is out, if there is a result set. */
  finish(instance: Instance, shape: number): void {
    this.pushEnd(instance)
    if (this.#description.length === 0 && shape !== shapeLines) {
      // The module takes the end for what tells that there are no columns.
      const { sink } = instance
      const tail = new Pieces()
      instance.sink = tail
      instance.end()
      instance.sink = sink
      instance.head()
      for (const piece of tail.drain()) sink.take(piece, 0, piece.length, 0)
    } else {
      instance.end()
    }
  }

  #flush(): void {
    if (this.#used > this.#begun) this.#pieces.push(this.#arena.subarray(this.#begun, this.#used))
    this.#begun = this.#used
  }
}

function shapeOf(name: StreamShape = 'array'): number {
  const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined
  if (shape === undefined) throw new TypeError(`the shape of a stream is 'array', 'objects' or 'ndjson', not ${String(name)}`)
  return shape
}

/** What all sinks of a connection share. */
export class WireContext {
  readonly engine: Engine
  readonly protocol: WireProtocol
  /** See {@link typeMap}. May grow, by types that no result had yet. */
  types: Uint8Array
  readonly #known = new WeakMap<Uint8Array, Known>()

  constructor(engine: Engine, types: Uint8Array, protocol: WireProtocol = postgresProtocol) {
    this.engine = engine
    this.protocol = protocol
    this.types = types
  }

  /** The messages of a result set, or of a statement that has none. */
  messages(description: Uint8Array = nothing, names: readonly string[] = [], known?: Known): Messages {
    return new Messages(this.protocol, this.types, description, names, known)
  }

  /** What a description tells. Drivers give the same object for the same message, so it is often known already. */
  known(description: Uint8Array): Known {
    let known = this.#known.get(description)
    if (known === undefined) {
      const { protocol } = this
      const names = protocol.names(description)
      const labels = this.messages(description, names).labels(this.engine)
      const quick = protocol.quickColumns(description, names)
      const sample: Record<string, unknown> = {}
      if (quick !== undefined) for (const name of names) sample[name] = null
      this.#known.set(description, (known = { names, labels, moduleOnly: protocol.moduleOnly(description), expected: 0, rowCount: 0, use: 'document', quick, sample }))
    }
    return known
  }
}

interface Known {
  readonly names: readonly string[]
  readonly labels: readonly number[]
  readonly moduleOnly: boolean
  /** The length of the last large document with these columns. */
  expected: number
  /** How many rows the last large result with these columns had. */
  rowCount: number
  /** How the last result was read: as a document, as rows of this form, or as rows with options. */
  use: 'document' | RowForm | 'other'
  /** Undefined if there is no quick way. */
  readonly quick: unknown
  /** What a row is made like in the quick way. It is only kept, see {@link ResultBuilder.samples}. */
  readonly sample: unknown
}

/** Errors that are not about a cell: the query can't give a result. */
const failing = new Set(['WIRE_INVALID', 'RESULT_TOO_LARGE', 'ENGINE_FAILED', 'INPUT_UNFINISHED', 'CALL_ORDER', 'ABI_MISMATCH'])

function readQuickly({ messages }: Source): Record<string, unknown>[] | undefined {
  return (messages as Messages).quick()
}

/** Results of up to so many bytes are read when they are asked for. */
const smallResult = 16 * 1024
/** What the document of a small result has at most: each byte as a `\\u` escape, and some more. */
const smallDocument = 2 ** 20

/**
 * Makes results: of the first result set, or of every statement.
 *
 * The document of a large result is made while its rows arrive. Made at the first call of `bytes()` instead, its time
 * would come on top of the time that the server takes; so most of it is hidden by waiting for the next bytes. The
 * messages are kept as well, for the other shapes; that costs no copying, see {@link Messages.keep}.
 *
 * If the last result of a query was not read as a document but by `rows()` or `arrays()`, the next one's document is not
 * made before it is asked for: the time would be lost. Its rows are made while they arrive instead, unless that takes
 * options.
 */
export class ResultBuilder implements WireSink {
  readonly room = Infinity
  readonly results: Result<any>[] = []
  readonly #context: WireContext
  readonly #all: boolean
  readonly #limit: number
  #messages: Messages | undefined
  #known: Known | undefined
  #slot: Slot | undefined
  /** The rows that #slot makes; undefined if it makes a document. */
  #rows: { readonly form: RowForm; readonly maker: RowMaker } | undefined
  #fate: 'ignored' | 'small' | 'large' | 'unread' = 'ignored'

  /**
   * Something of each kind that a small result is made of, to be kept for as long as there may be another: V8 forgets what
   * it has learned about a kind of object when a garbage collection finds none of it alive.
   */
  static samples(context: WireContext): unknown {
    const builder = new ResultBuilder(context, false)
    return [builder, builder.first()]
  }

  constructor(context: WireContext, all: boolean) {
    this.#context = context
    this.#all = all
    this.#limit = context.engine.documentLimit.bytes
  }

  /** The first result set; an empty one if no statement gave any. */
  first(): Result<any> {
    return this.results[0] ?? this.#result(this.#context.messages(), null)
  }

  columns(description: Uint8Array): void {
    if (!this.#all && this.results.length > 0) return
    const known = this.#context.known(description)
    this.#messages = this.#context.messages(description, known.names, known)
    this.#known = known
    this.#fate = 'small'
    if (known.moduleOnly || this.#limit < smallDocument) this.#begin(this.#messages)
  }

  rows(chunk: Uint8Array, start: number, end: number, completed: number): void {
    const messages = this.#messages
    if (messages === undefined) return
    if (messages.size + end - start > this.#limit) {
      throw tooLarge(`the rows are larger than ${this.#limit.toLocaleString('en')} bytes`)
    }
    if (this.#fate === 'small' && messages.size + end - start > smallResult) {
      if (this.#known!.use !== 'other') this.#begin(messages)
      else this.#fate = 'unread'
    }
    messages.keep(chunk, start, end, completed)
    if (this.#slot !== undefined) this.#feed(this.#slot, chunk, start, end)
  }

  complete(): void {
    const messages = this.#messages
    this.#messages = undefined
    if (messages === undefined) {
      if (this.#all) this.results.push(this.#result(this.#context.messages(), null))
      return
    }
    if (this.#fate === 'small' && !messages.areSound()) this.#begin(messages) // the module says what is wrong
    const slot = this.#slot
    if (slot === undefined) {
      this.results.push(this.#result(messages, null))
      return
    }
    const { instance, collector } = slot
    messages.pushEnd(instance)
    instance.end()
    this.#known!.rowCount = messages.rowCount
    if (this.#rows !== undefined) {
      messages.ready = { form: this.#rows.form, rows: this.#rows.maker.rows }
      this.#release()
      this.results.push(this.#result(messages, null))
      return
    }
    collector.headNext()
    instance.head()
    const bytes = collector.finish()
    if (this.#known !== undefined) this.#known.expected = bytes?.length ?? 0
    const result = this.#result(messages, bytes, instance.ascii)
    this.#release()
    this.results.push(result)
  }

  /** Lets go of what a query that failed leaves behind. */
  dispose(): void {
    this.#release()
    this.#messages = undefined
  }

  /** Begins to make the document, or the rows. */
  #begin(messages: Messages): void {
    this.#fate = 'large'
    const { engine } = this.#context
    const known = this.#known!
    const slot = engine.acquire()
    this.#slot = slot
    const { bytes, strict } = engine.documentLimit
    const form = strict || known.use === 'other' || known.use === 'document' ? undefined : known.use
    if (form === undefined) {
      slot.collector.reset(headRoom(messages.names), Infinity, bytes, strict, known.expected)
      slot.instance.sink = slot.collector
      messages.begin(slot.instance, shapeArray, 0)
    } else {
      const maker = form === 'arrays' ? new ArrayMaker(known.names.length) : new ObjectMaker(known.names, known.rowCount)
      this.#rows = { form, maker }
      slot.instance.sink = new BatchReader(rowDecoder(known.names, known.labels.map(labelName)).decoders, maker)
      messages.begin(slot.instance, shapeBatch, 0)
    }
    for (const piece of messages.pieces()) if (this.#slot !== undefined) this.#feed(slot, piece, 0, piece.length)
  }

  #feed(slot: Slot, bytes: Uint8Array, start: number, end: number): void {
    try {
      slot.instance.messages(bytes, start, end)
    } catch (error) {
      if (!isRowjetError(error) || failing.has(error.code)) throw error
      // A cell that can't be understood: whoever asks for the cells is told. The query itself went well.
      this.#release()
    }
  }

  #result(messages: Messages, bytes: Uint8Array<ArrayBuffer> | undefined | null, ascii = false): Result<any> {
    const source: Source = { names: messages.names, types: [], rows: [], messages, quick: readQuickly }
    return new Result(this.#context.engine, source, undefined, { bytes, ascii, labels: messages.names.length > 0 ? this.#known!.labels : [], rowCount: messages.rowCount })
  }

  #release(): void {
    const slot = this.#slot
    if (slot === undefined) return
    this.#slot = undefined
    this.#rows = undefined
    slot.collector.clear()
    this.#context.engine.release(slot)
  }
}

/** For `executeRaw`: rows, if there are any, are not looked at. */
export class RowCounter implements WireSink {
  readonly room = Infinity
  affected = 0
  columns(): void {}
  rows(): void {}
  complete(tag: string): void {
    const count = / ([0-9]+)$/.exec(tag)
    if (count !== null) this.affected += Number(count[1])
  }
}

/** A stream gives pieces of at least so many bytes, unless the reader would have to wait for long. */
const leastPiece = 16 * 1024
/** For so many milliseconds. */
const patience = 20
/** With so many bytes waiting for the reader, the database is told to wait; with so few, to go on. */
const highWater = 512 * 1024
const lowWater = 128 * 1024

/** Lets one side of a stream wait for the other. */
class Bell {
  #ring: (() => void) | undefined

  ring(): void {
    const ring = this.#ring
    this.#ring = undefined
    ring?.()
  }

  wait(): Promise<void> {
    return new Promise((resolve) => (this.#ring = resolve))
  }
}

/** What {@link StreamSink} and {@link BatchSink} have in common: rows come in at their own pace, and are taken out at another. */
abstract class Queue<T> {
  flow: Flow | undefined
  readonly #bell = new Bell()
  #paused = false
  #over = false
  #failed = false
  #error: unknown

  /** Nothing more will come. */
  end(): void {
    this.#over = true
    this.#bell.ring()
  }

  fail(error: unknown): void {
    if (this.#over) return
    this.#over = this.#failed = true
    this.#error = error
    this.#bell.ring()
  }

  /** The next item, undefined after the last. */
  async next(): Promise<T | undefined> {
    for (;;) {
      if (this.#failed) throw this.#error
      const item = this.pop(this.#over)
      if (item !== undefined) {
        this.#pace()
        return item
      }
      if (this.#over) return undefined
      this.#pace()
      await this.#bell.wait()
    }
  }

  /** Takes an item out if there is one that is ready. `over`: no more will be put in. */
  protected abstract pop(over: boolean): T | undefined
  protected abstract get waiting(): 'little' | 'some' | 'much'

  /** Something was put in. */
  protected came(): void {
    this.#pace()
    this.#bell.ring()
  }

  #pace(): void {
    const { waiting } = this
    if (this.#paused ? waiting === 'little' : waiting === 'much') {
      this.#paused = !this.#paused
      if (this.#paused) this.flow?.pause()
      else this.flow?.resume()
    }
  }
}

/** Makes the document of the first result set in pieces. */
export class StreamSink extends Queue<Uint8Array<ArrayBuffer>> implements WireSink, OutputSink {
  readonly room = Infinity
  readonly #context: WireContext
  readonly #shape: number
  #pieces: Uint8Array<ArrayBuffer>[] = []
  #open: Uint8Array<ArrayBuffer> | undefined // the last piece, while it has room
  #used = 0 // of that
  #size = 0
  #slot: Slot | undefined
  #messages: Messages | undefined
  #state: 'new' | 'rows' | 'over' = 'new'
  #timer: ReturnType<typeof setTimeout> | undefined
  #hurry = false

  constructor(context: WireContext, shape: StreamShape | undefined) {
    super()
    this.#context = context
    this.#shape = shapeOf(shape)
  }

  columns(description: Uint8Array): void {
    if (this.#state === 'over') return
    const messages = (this.#messages = this.#context.messages(description, this.#context.protocol.names(description)))
    const slot = this.#context.engine.acquire()
    this.#slot = slot
    slot.instance.sink = this
    messages.begin(slot.instance, this.#shape, 0)
    if (this.#shape !== shapeLines) slot.instance.head()
    this.#state = 'rows'
    this.#hurry = true // the first bytes are worth the most
    this.came()
  }

  rows(chunk: Uint8Array, start: number, end: number): void {
    if (this.#slot === undefined) return
    try {
      this.#slot.instance.messages(chunk, start, end)
    } catch (error) {
      this.fail(error) // the reader need not wait for the end of the query
      throw error
    }
    this.came()
  }

  complete(): void {
    if (this.#slot !== undefined) this.#finish()
  }

  /** The query is over. */
  override end(): void {
    if (this.#state === 'new') {
      const slot = this.#context.engine.acquire()
      this.#slot = slot
      slot.instance.sink = this
      this.#messages = this.#context.messages()
      this.#messages.begin(slot.instance, this.#shape, 0)
      this.#finish()
    }
    this.dispose()
    super.end()
  }

  override fail(error: unknown): void {
    this.dispose()
    super.fail(error)
  }

  /** Lets go of the instance. */
  dispose(): void {
    this.#state = 'over'
    clearTimeout(this.#timer)
    const slot = this.#slot
    this.#slot = undefined
    if (slot !== undefined) this.#context.engine.release(slot)
  }

  take(bytes: Uint8Array, start: number, end: number): void {
    const part = bytes.subarray(start, end)
    const size = end - start
    this.#size += size
    if (this.#open !== undefined && this.#used + size > this.#open.length) this.#close()
    if (this.#open === undefined) {
      if (size >= leastPiece) {
        this.#pieces.push(new Uint8Array(part))
        return
      }
      this.#open = new Uint8Array(2 * leastPiece)
      this.#used = 0
    }
    this.#open.set(part, this.#used)
    this.#used += size
    if (this.#used >= leastPiece) this.#close()
  }

  #close(): void {
    if (this.#open !== undefined) this.#pieces.push(this.#open.subarray(0, this.#used))
    this.#open = undefined
  }

  protected pop(over: boolean): Uint8Array<ArrayBuffer> | undefined {
    if (this.#size === 0) return undefined
    if (this.#pieces.length === 0 && !over && !this.#hurry) {
      // A reader that is faster than the database would get it in crumbs; a slow database should not keep it waiting.
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined
        this.#hurry = true
        this.came()
      }, patience)
      return undefined
    }
    this.#hurry = false
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#pieces.length === 0) this.#close()
    const piece = this.#pieces.shift()!
    this.#size -= piece.length
    return piece
  }

  protected get waiting(): 'little' | 'some' | 'much' {
    return this.#size < lowWater ? 'little' : this.#size < highWater ? 'some' : 'much'
  }

  #finish(): void {
    this.#messages!.finish(this.#slot!.instance, this.#shape)
    this.dispose()
    this.came()
  }
}

/** Cuts the first result set into results of so many rows. */
export class BatchSink extends Queue<Result<any>> implements WireSink {
  readonly #context: WireContext
  readonly #size: number
  #labels: readonly number[] = []
  #messages: Messages | undefined
  #batches: Result<any>[] = []
  #state: 'new' | 'rows' | 'over' = 'new'

  constructor(context: WireContext, size: number) {
    super()
    checkBatchSize(size)
    this.#context = context
    this.#size = size
  }

  get room(): number {
    return this.#size - (this.#messages?.rowCount ?? 0)
  }

  columns(description: Uint8Array): void {
    if (this.#state !== 'new') return
    this.#state = 'rows'
    const { names, labels } = this.#context.known(description)
    this.#messages = this.#context.messages(description, names)
    this.#labels = labels
  }

  rows(chunk: Uint8Array, start: number, end: number, completed: number): void {
    const messages = this.#messages
    if (messages === undefined) return
    messages.keep(chunk, start, end, completed)
    if (messages.rowCount < this.#size) return
    this.#put(messages)
    this.#messages = messages.next()
    this.came()
  }

  complete(): void {
    const messages = this.#messages
    if (messages === undefined) return
    this.#messages = undefined
    if (messages.rowCount > 0 || this.#state === 'rows') this.#put(messages)
    this.#state = 'over'
    this.came()
  }

  override end(): void {
    if (this.#state === 'new') this.#put(this.#context.messages())
    super.end()
  }

  protected pop(): Result<any> | undefined {
    return this.#batches.shift()
  }

  protected get waiting(): 'little' | 'some' | 'much' {
    return this.#batches.length < 2 ? 'little' : 'much'
  }

  #put(messages: Messages): void {
    this.#state = 'over'
    const source: Source = { names: messages.names, types: [], rows: [], messages }
    this.#batches.push(new Result(this.#context.engine, source, undefined, { bytes: null, ascii: false, labels: this.#labels, rowCount: messages.rowCount }))
  }
}
