// postgres.js: https://github.com/porsager/postgres
//
// Where its own option `socket` can be used, connections get a socket that takes the rows of our queries out of the
// server's messages before postgres.js sees them. On connections that were open before, and over TLS, which postgres.js
// puts on top of the socket, rows come from postgres.js: as views of the bytes that it received, from which the messages
// are taken again. That costs more, but still makes no value of a cell.

import type net from 'node:net'
import { RowjetError } from './errors.js'
import { query as simpleQuery } from './frontend.js'
import { header, Splitter, types, u32, type RowSink, type SplitterHost } from './messages.js'
import { decodeText, textEncoder } from './text.js'
import {
  connectWire, isScript, type ReservedSession, type Running, type WireDatabase, type WireDriver, type WireOptions, type WireQuery,
} from './wire-database.js'

export type { CallOptions, ConnectOptions, Database, IsolationLevel, Queryable, TransactionOptions } from './database.js'
export type { Statement, WireDatabase, WireOptions, WireQueryable, WireTransaction } from './wire-database.js'
export * from './common.js'

/** Options of {@link connect}. */
export interface PostgresJsOptions extends WireOptions {
  /**
   * - `set` (default): connections that are made from now on begin with the settings that PostgreSQL has by default and
   *   that the text of values depends on: DateStyle ISO, IntervalStyle postgres, bytea_output hex, extra_float_digits 3.
   *   Not over TLS: there the option `connection` of postgres.js can set them.
   * - `keep`: the session's settings stay. Dates that are not in ISO style are then the error DATE_STYLE.
   */
  session?: 'set' | 'keep'
}

/** What is used of what `postgres(…)` gives. */
export interface PostgresJsLike {
  readonly options: any
  readonly CLOSE: {}
  unsafe(query: string, parameters?: any[], options?: any): any
  reserve(): Promise<any>
  end(options?: any): Promise<void>
}

/** What `postgres(…)` takes. */
export type PostgresJsConfig = (Readonly<Record<string, unknown>> | object) & { readonly unsafe?: never }

/**
 * Connects by what `postgres(…)` gave, or by a connection string or options for it.
 *
 * `close()` ends what was made here; what was passed in stays open. Errors of the database and of postgres.js come
 * through as they are.
 *
 * @throws RowjetError DRIVER_MISSING if postgres is not installed
 */
export async function connect(handle: PostgresJsLike | string | PostgresJsConfig, options: PostgresJsOptions = {}): Promise<WireDatabase> {
  const { session } = options
  if (session !== undefined && session !== 'set' && session !== 'keep') throw new TypeError(`session is 'set' or 'keep', not ${String(session)}`)
  if (typeof handle !== 'string' && typeof handle !== 'function' && (typeof handle !== 'object' || handle === null)) {
    throw new TypeError('connect takes what postgres(…) gave, a connection string or options')
  }
  const own = typeof handle === 'string' || typeof handle.unsafe !== 'function'
  if (!own && (handle as PostgresJsLike).options === undefined) {
    throw new TypeError('connect takes what postgres(…) gave, not the sql of a transaction or of reserve(): for those there is transaction()')
  }
  const sql = (own ? await open(handle) : handle) as Sql
  const taps = await Taps.of(sql.options, session !== 'keep')
  return connectWire(new PostgresJsDriver(sql, taps, own), options)
}

// What is used of postgres.js, beyond what its documentation promises. The tests run with the version that
// package-lock.json names.

interface Column {
  readonly name: string
  readonly table: number
  readonly number: number
  readonly type: number
}

interface Statement {
  readonly columns: readonly Column[] | null
}

/** The rows of a statement, with what else is known. */
interface QueryResult {
  readonly command?: string
  readonly count?: number | null
  readonly columns?: readonly Column[]
}

/** A query is a promise, and more. */
interface Query extends Promise<QueryResult | readonly QueryResult[]> {
  active: boolean
  isRaw: boolean
  forEachFn: (row: readonly (Uint8Array | null)[], result: QueryResult) => void
  cursorRows: number
  cursorFn: (() => Promise<unknown>) | undefined
  /** Of the connection that runs it. */
  readonly state: { readonly pid: number | null } | null
  readonly statement: Statement | null
  readonly options: { simple?: boolean }
  readonly canceller: ((query: Query) => Promise<void>) | null
  execute(): Query
}

interface SqlOptions {
  socket?: (options: SqlOptions) => unknown
  readonly ssl: unknown
  readonly host: readonly string[]
  readonly port: readonly number[]
  readonly path: string | false
  readonly max: number
  readonly prepare: boolean
  readonly transform: { row: { from?: unknown } }
}

interface Runner {
  readonly options: SqlOptions
  readonly CLOSE: object
  unsafe(text: string, params: readonly unknown[], options: object): Query
}

interface Sql extends Runner {
  reserve(): Promise<Sql & { release(): void }>
  end(): Promise<void>
}

async function open(config: unknown): Promise<Sql> {
  let postgres: (config: unknown) => Sql
  try {
    postgres = ((await import('postgres')) as unknown as { default: typeof postgres }).default
  } catch (cause) {
    throw new RowjetError('DRIVER_MISSING', 'the package postgres is not there: npm install postgres, or pass what postgres(…) gave', { cause })
  }
  return postgres(config)
}

const ignore = (): void => undefined

/** What PostgreSQL has by default; see pg.ts. */
const styles = 'SET DateStyle TO ISO; SET IntervalStyle TO postgres; SET bytea_output TO hex; SET extra_float_digits TO 3'

/** See pg.ts. */
const firstPage = 500
const leastPage = 50
const mostPage = 100_000
const pageBytes = 1024 * 1024
const firstCancelDelay = 100
const lastCancelDelay = 5_000

/** The sockets of one pool that rows are taken from, by the process ID of the server's side. */
class Taps {
  readonly #sockets = new Map<number, Tap>()

  static readonly #all = new WeakMap<SqlOptions, Taps>()

  /** From now on the pool's new connections have such sockets, if that is possible. */
  static async of(options: SqlOptions, styled: boolean): Promise<Taps> {
    const known = Taps.#all.get(options)
    if (known !== undefined) return known
    const taps = new Taps()
    Taps.#all.set(options, taps)
    // postgres.js itself goes from host to host, and puts TLS between itself and the socket.
    if (options.socket !== undefined || options.ssl !== false || options.host.length !== 1) return taps
    let Socket: typeof net.Socket
    try {
      ({ Socket } = await import('node:net'))
    } catch {
      return taps // a runtime that has no sockets of this kind
    }
    options.socket = () => {
      const socket = new Socket()
      new Tap(socket, taps, styled)
      if (options.path !== false) socket.connect(options.path)
      else socket.connect(options.port[0], options.host[0])
      return socket
    }
    return taps
  }

  get(pid: number | null | undefined): Tap | undefined {
    return pid === null || pid === undefined ? undefined : this.#sockets.get(pid)
  }

  set(pid: number, tap: Tap): void {
    this.#sockets.set(pid, tap)
  }

  delete(pid: number): void {
    this.#sockets.delete(pid)
  }
}

/** A socket that rows are taken from. */
class Tap implements SplitterHost {
  readonly splitter = new Splitter(this)
  readonly socket: net.Socket
  /** The query that the server answers. */
  current: Run | undefined
  readonly #taps: Taps
  #styled: boolean
  #pid = 0
  #listener: ((bytes: Uint8Array) => void) | undefined

  constructor(socket: net.Socket, taps: Taps, styled: boolean) {
    this.socket = socket
    this.#taps = taps
    this.#styled = !styled
    this.splitter.watching = 'some' // postgres.js may send other queries in between, in a pipeline
    const data = (chunk: Uint8Array): void => this.splitter.push(chunk)
    socket.on('close', () => taps.delete(this.#pid))
    // Whoever listens for data listens to us.
    const events = socket as Pick<NodeJS.EventEmitter, 'on' | 'removeListener'>
    const on = events.on.bind(socket)
    const removeListener = events.removeListener.bind(socket)
    events.on = (event, listener) => {
      if (event === 'data') this.#listener = listener
      return on(event, event === 'data' ? data : listener) as NodeJS.EventEmitter
    }
    events.removeListener = (event, listener) => removeListener(event, event === 'data' ? data : listener) as NodeJS.EventEmitter
  }

  pass(bytes: Uint8Array): void {
    this.#listener!(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  }

  observe(type: number, bytes: Uint8Array, start: number, stop: number): void {
    switch (type) {
      case types.backendKeyData:
        this.#pid = u32(bytes, start + header)
        this.#taps.set(this.#pid, this)
        break
      case types.readyForQuery:
        if (this.#styled) break
        // The first one: postgres.js has not sent a query yet, and gets this one before our own.
        this.#styled = true
        this.splitter.expectOwn(1)
        this.socket.write(simpleQuery(styles))
        break
      case types.commandComplete:
        this.current?.completed(decodeText(bytes, start + header, stop - 1, false))
        break
      case types.emptyQuery:
        this.current?.completed('')
    }
  }

  description(message: Uint8Array): void {
    this.current?.described(message)
  }

  broken(error: RowjetError): void {
    this.splitter.kill()
    this.socket.destroy(error)
  }

  parameter(): void {}
  reset(): void {}
  ready(): void {}
  ownReady(): void {}
}

/** The RowDescriptions of prepared statements: the server sends them only once. */
const descriptions = new WeakMap<Statement, Uint8Array>()

/** One query. */
class Run implements Running, RowSink {
  readonly done: Promise<void>
  readonly #sql: Runner
  readonly #query: WireQuery
  readonly #inTransaction: boolean
  readonly #raw: Query
  readonly #canceller: Query['canceller']
  #resolve!: () => void
  #reject!: (error: unknown) => void
  #tap: Tap | undefined
  #over = false
  #begun = false // a result set
  #stopped = false
  #failure: { error: unknown } | undefined
  #paused = false
  #goOn: (() => void) | undefined
  #rows = 0 // of the page
  #bytes = 0 // likewise
  #again: ReturnType<typeof setTimeout> | undefined
  // Rows that postgres.js gave and that follow each other in its memory.
  #buffer: ArrayBufferLike | undefined
  #start = 0
  #end = 0
  #count = 0
  #result: QueryResult | undefined
  readonly #abort = (): void => this.#fail(this.#query.signal!.reason, true)

  constructor(sql: Runner, taps: Taps, query: WireQuery, inTransaction: boolean) {
    this.#sql = sql
    this.#query = query
    this.#inTransaction = inTransaction
    const { statement, params, paced, signal } = query
    const text = typeof statement === 'string' ? statement : statement.text
    const args = params.map((param) => (param === undefined ? null : param))
    const raw = sql.unsafe(text, args, { prepare: sql.options.prepare && args.length > 0 })
    this.#raw = raw
    this.#canceller = raw.canceller
    raw.isRaw = true
    raw.forEachFn = (row, result) => this.#row(row, result)
    if (paced && !isScript(query)) {
      raw.options.simple = false
      raw.cursorRows = firstPage
      raw.cursorFn = () => this.#page()
    }
    let active = false
    Object.defineProperty(raw, 'active', {
      get: () => active,
      set: (value: boolean) => {
        active = value
        if (value) this.#begin(taps)
        else this.#leave()
      },
    })
    signal?.addEventListener('abort', this.#abort, { once: true })
    this.done = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    raw.execute().then(
      (results) => this.#finish(results),
      (error: unknown) => this.#finish(undefined, { error }),
    )
  }

  /** postgres.js waits for the answer now. */
  #begin(taps: Taps): void {
    if (this.#leaving) this.#cancel(firstCancelDelay)
    this.#tap = taps.get(this.#raw.state?.pid)
    if (this.#tap === undefined) {
      // Rows will come from postgres.js, after what the caller does to them.
      if (this.#sql.options.transform.row.from !== undefined) {
        this.#fail(new RowjetError('DRIVER_UNSUPPORTED', 'the option transform.row of postgres.js changes the rows of this connection before they can be read: leave it out, or make connections after connect(), without TLS'), false)
      }
      return
    }
    this.#tap.current = this
    this.#tap.splitter.sink = this
  }

  /** It no longer does. */
  #leave(): void {
    const tap = this.#tap
    if (tap === undefined || tap.current !== this) return
    tap.current = undefined
    tap.splitter.sink = undefined
    if (this.#paused) tap.socket.resume()
  }

  // What the socket calls.

  described(description: Uint8Array): void {
    const { statement } = this.#raw
    if (statement !== null) descriptions.set(statement, description)
    this.#columns(description)
  }

  get room(): number {
    return this.#leaving ? Infinity : this.#query.sink.room
  }

  rows(chunk: Uint8Array, start: number, end: number, completed: number): void {
    if (!this.#begun) this.#columns(this.#known())
    this.#rows += completed
    this.#bytes += end - start
    this.#try(() => this.#query.sink.rows(chunk, start, end, completed))
  }

  completed(tag: string): void {
    if (!this.#begun) {
      const columns = this.#raw.statement?.columns ?? []
      if (columns.length > 0) this.#columns(this.#known())
    }
    this.#begun = false
    this.#try(() => this.#query.sink.complete(tag))
  }

  /** The RowDescription of a statement that was described before. */
  #known(): Uint8Array {
    const { statement } = this.#raw
    return (statement === null ? undefined : descriptions.get(statement)) ?? descriptionOf(statement?.columns ?? [])
  }

  #columns(description: Uint8Array): void {
    this.#begun = true
    this.#try(() => this.#query.sink.columns(description))
  }

  // What postgres.js calls, if it is not the socket.

  #row(row: readonly (Uint8Array | null)[], result: QueryResult): void {
    if (this.#leaving) return
    // In pages, each page is a result of its own for postgres.js.
    if (result !== this.#result && this.#raw.cursorFn === undefined) this.#next(result)
    if (!this.#begun) this.#columns(descriptionOf(this.#raw.statement?.columns ?? []))
    let first = 0
    while (first < row.length && row[first] === null) first++
    if (first === row.length) {
      this.#flush()
      const message = nullRow(row.length)
      this.rows(message, 0, message.length, 1)
      return
    }
    const cell = row[first]!
    const start = cell.byteOffset - 4 * (first + 1) - 2 - header
    const bytes = new Uint8Array(cell.buffer)
    const end = start + 1 + u32(bytes, start + 1)
    if (cell.buffer !== this.#buffer || start !== this.#end || this.#count >= this.room) this.#flush()
    if (this.#count === 0) {
      this.#buffer = cell.buffer
      this.#start = start
    }
    this.#end = end
    this.#count++
  }

  /** Hands over the rows that were found. */
  #flush(): void {
    if (this.#count === 0) return
    const count = this.#count
    this.#count = 0
    this.rows(new Uint8Array(this.#buffer!), this.#start, this.#end, count)
    this.#buffer = undefined
  }

  /** The rows of a result are complete; those of another begin. */
  #next(result: QueryResult | undefined): void {
    const before = this.#result
    this.#result = result
    if (before === undefined) return
    this.#flush()
    this.#begun = false
    this.#try(() => this.#query.sink.complete(tagOf(before)))
  }

  /** A page is complete. Gives CLOSE if that was the last that is wanted. */
  async #page(): Promise<unknown> {
    this.#flush()
    if (this.#rows > 0) this.#raw.cursorRows = Math.min(Math.max(Math.round((pageBytes * this.#rows) / this.#bytes), leastPage), mostPage)
    this.#rows = this.#bytes = 0
    if (this.#paused && !this.#leaving) await new Promise<void>((resolve) => (this.#goOn = resolve))
    return this.#leaving ? this.#sql.CLOSE : undefined
  }

  #finish(results: QueryResult | readonly QueryResult[] | undefined, failure?: { error: unknown }): void {
    this.#over = true
    clearTimeout(this.#again)
    this.#query.signal?.removeEventListener('abort', this.#abort)
    if (failure === undefined && this.#tap === undefined) this.#complete(results!)
    const socket = this.#tap?.socket
    if (socket?.destroyed !== true) {
      this.#settle(failure)
      return
    }
    // Until it has heard that its socket is closed, postgres.js sends the next query on it, which then is lost.
    const settle = (): void => void setTimeout(() => this.#settle(failure))
    if (socket.closed) settle()
    else socket.once('close', settle)
  }

  #settle(failure: { error: unknown } | undefined): void {
    const told = this.#failure ?? (this.#stopped ? undefined : failure)
    if (told === undefined) this.#resolve()
    else this.#reject(told.error)
  }

  /** All rows came from postgres.js: results without rows have not been told yet. */
  #complete(results: QueryResult | readonly QueryResult[]): void {
    if (this.#raw.cursorFn !== undefined) {
      this.#flush()
      this.completed('')
      return
    }
    // A single result is an array too, of rows; but it has a command.
    const all = 'command' in results ? [results as QueryResult] : (results as readonly QueryResult[])
    let told = this.#result === undefined ? -1 : all.indexOf(this.#result)
    this.#next(undefined)
    for (told++; told < all.length; told++) {
      const result = all[told]
      const columns = result.columns ?? []
      if (columns.length > 0) this.#columns(descriptionOf(columns))
      this.#begun = false
      this.#try(() => this.#query.sink.complete(tagOf(result)))
    }
  }

  // What the reader calls.

  pause(): void {
    if (this.#leaving || this.#over) return
    this.#paused = true
    if (this.#raw.cursorFn === undefined) this.#tap?.socket.pause()
  }

  resume(): void {
    if (this.#paused && this.#raw.cursorFn === undefined) this.#tap?.socket.resume()
    this.#paused = false
    const goOn = this.#goOn
    this.#goOn = undefined
    goOn?.()
  }

  stop(): void {
    if (this.#leaving || this.#over) return
    this.#stopped = true
    this.#quit(false)
  }

  get #leaving(): boolean {
    return this.#stopped || this.#failure !== undefined
  }

  #try(work: () => void): void {
    if (this.#leaving) return
    try {
      work()
    } catch (error) {
      this.#fail(error, false)
    }
  }

  #fail(error: unknown, aborted: boolean): void {
    if (this.#over) return
    this.#failure ??= { error }
    if (error instanceof RowjetError && error.code === 'WIRE_INVALID' && this.#tap !== undefined) this.#tap.broken(error)
    else this.#quit(aborted)
  }

  /** Gets out of the query before its end. */
  #quit(aborted: boolean): void {
    if (!this.#raw.active) {
      // Not sent, or not answered yet. postgres.js can't leave such a query out without losing count of its connections:
      // it is cancelled when its turn comes. Nobody need wait for that.
      this.#settle(undefined)
      return
    }
    // Without a socket of ours, a cancel request may hit the next query, as it may in postgres.js itself: only if asked for.
    if (aborted || (this.#goOn === undefined && !this.#inTransaction && this.#tap !== undefined)) this.#cancel(firstCancelDelay)
    this.resume() // the page's end is followed by CLOSE
  }

  /** Cancels until the query is over: a request that comes before the server has begun with the query has no effect. */
  #cancel(delay: number): void {
    if (this.#over || this.#canceller === null || !this.#raw.active) return
    const tap = this.#tap
    // postgres.js learns of the query's end when the request has been dealt with, and sends no other query before.
    tap?.splitter.hold()
    const over = (): void => {
      tap?.splitter.release()
      if (!this.#over) this.#again = setTimeout(() => this.#cancel(Math.min(2 * delay, lastCancelDelay)), delay)
    }
    this.#canceller(this.#raw).then(over, over)
  }
}

function tagOf({ command, count }: QueryResult): string {
  return count === undefined || count === null ? (command ?? '') : `${command ?? ''} ${count}`
}

/** The RowDescription that has these columns. */
function descriptionOf(columns: readonly Column[]): Uint8Array {
  const names = columns.map(({ name }) => textEncoder.encode(name))
  const message = new Uint8Array(header + 2 + names.reduce((size, name) => size + name.length + 19, 0))
  const view = new DataView(message.buffer)
  message[0] = types.rowDescription
  view.setUint32(1, message.length - 1)
  view.setUint16(header, columns.length)
  let at = header + 2
  columns.forEach(({ table, number, type }, i) => {
    message.set(names[i], at)
    at += names[i].length + 1
    view.setUint32(at, table)
    view.setUint16(at + 4, number)
    view.setUint32(at + 6, type)
    at += 18
  })
  return message
}

/** A DataRow in which all cells are null. */
function nullRow(columns: number): Uint8Array {
  const message = new Uint8Array(header + 2 + 4 * columns).fill(0xff, header + 2)
  const view = new DataView(message.buffer)
  message[0] = types.dataRow
  view.setUint32(1, message.length - 1)
  view.setUint16(header, columns)
  return message
}

class PostgresJsDriver implements WireDriver {
  readonly adapterName = 'postgres-js'
  readonly #sql: Sql
  readonly #taps: Taps
  readonly #own: boolean

  constructor(sql: Sql, taps: Taps, own: boolean) {
    this.#sql = sql
    this.#taps = taps
    this.#own = own
  }

  /** A pool of one connection is as good as that. */
  get handle(): object | undefined {
    return this.#sql.options.max === 1 ? this.#sql : undefined
  }

  start(query: WireQuery): Running {
    return new Run(this.#sql, this.#taps, query, false)
  }

  async reserve(signal: AbortSignal | undefined): Promise<ReservedSession> {
    const reserving = this.#sql.reserve()
    if (signal !== undefined) {
      let abort: (() => void) | undefined
      const aborted = new Promise<never>((_, reject) => {
        abort = () => reject(signal.reason as Error)
        signal.addEventListener('abort', abort, { once: true })
      })
      try {
        await Promise.race([reserving, aborted])
      } catch (error) {
        if (signal.aborted) reserving.then((sql) => sql.release(), ignore)
        throw error
      } finally {
        signal.removeEventListener('abort', abort!)
      }
    }
    const sql = await reserving
    const { options, CLOSE } = this.#sql // the reserved one has none of its own
    const inner = { options, CLOSE, unsafe: sql.unsafe.bind(sql) }
    return { start: (query) => new Run(inner, this.#taps, query, true), release: () => sql.release() }
  }

  async close(): Promise<void> {
    if (this.#own) await this.#sql.end()
  }
}
