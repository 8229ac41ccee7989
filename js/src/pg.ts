// node-postgres: https://node-postgres.com
//
// pg stays what it is: it connects, logs in, sends queries and reads the answers. Only the DataRow messages of our own
// queries never get to its parser; they go to the module as they are. Two places of pg make that possible: its one
// listener for the socket's data, which a Splitter stands in front of; and its Query class, of which ours is a subclass,
// so that it learns in pg's own order when rows begin and end. Both are the same in pg 8.0 to 8.23, also in the copy of
// pg that @neondatabase/serverless has.

import { RowjetError } from './errors.js'
import { Gate } from './gate.js'
import { protocolError, Splitter, statusIdle, type RowSink, type SplitterHost } from './messages.js'
import {
  connectWire, isScript, type ReservedSession, type Running, type Statement, type WireDatabase, type WireDriver, type WireOptions, type WireQuery,
} from './wire-database.js'
import { RowCounter, type ResultBuilder } from './wire.js'

export type { CallOptions, ConnectOptions, Database, IsolationLevel, Queryable, TransactionOptions } from './database.js'
export type { Statement, WireDatabase, WireOptions, WireQueryable, WireTransaction } from './wire-database.js'
export * from './common.js'

/** Options of {@link connect}. */
export interface PgOptions extends WireOptions {
  /**
   * - `set` (default): ahead of the first query on each connection, without a round trip of its own, the settings that
   *   the text of values depends on become those that PostgreSQL has by default: DateStyle ISO, IntervalStyle
   *   postgres, bytea_output hex, and extra_float_digits 3 (all digits, also before PostgreSQL 12).
   * - `keep`: the session's settings stay. Values are then as they say; dates that are not in ISO style are the error DATE_STYLE.
   */
  session?: 'set' | 'keep'
}

/** What is used of a pg.Pool. */
export interface PgPoolLike {
  readonly totalCount: number
  connect(...args: any[]): any
  query(...args: any[]): any
  end(...args: any[]): any
}

/** What is used of a pg.Client. */
export interface PgClientLike {
  connect(...args: any[]): any
  query(...args: any[]): any
  end(...args: any[]): any
}

/** What `new pg.Pool` takes: host, port, user, password, database, connectionString, ssl, max … */
export type PgConfig = (Readonly<Record<string, unknown>> | object) & { readonly query?: never }

/**
 * Connects by a pg.Pool, a pg.Client (connected or not), a connection string, or what pg.Pool can be configured with.
 *
 * `close()` ends the pool that was made here, or the client that was connected here; what was open before stays open.
 * Errors of the database and of pg come through as they are.
 *
 * @throws RowjetError DRIVER_MISSING if pg is not installed, DRIVER_UNSUPPORTED for pg's native bindings
 */
export async function connect(handle: PgPoolLike | PgClientLike | string | PgConfig, options: PgOptions = {}): Promise<WireDatabase> {
  const { session } = options
  if (session !== undefined && session !== 'set' && session !== 'keep') throw new TypeError(`session is 'set' or 'keep', not ${String(session)}`)
  const styled = session !== 'keep'
  if (typeof handle !== 'string' && (typeof handle !== 'object' || handle === null)) {
    throw new TypeError('connect takes a pg.Pool, a pg.Client, a connection string or a configuration')
  }
  if (typeof handle !== 'string' && typeof handle.query === 'function') {
    if ('totalCount' in handle) return connectWire(new PoolDriver(poolOf(handle as PgPoolLike), false, styled), options)
    return connectWire(await clientDriver(handle as unknown as Client, styled), options)
  }
  const pool = await openPool(typeof handle === 'string' ? { connectionString: handle } : handle)
  return connectWire(new PoolDriver(pool, true, styled), options)
}

// What is used of pg, beyond what its documentation promises. The tests run with several of its versions.

interface Stream {
  on(event: 'data', listener: (chunk: Buffer) => void): unknown
  once(event: string, listener: () => void): unknown
  removeListener(event: string, listener: (...args: any[]) => void): unknown
  listeners(event: 'data'): ((chunk: Buffer) => void)[]
  destroy?(error?: Error): unknown
  pause?(): unknown
  resume?(): unknown
  cork?(): void
  uncork?(): void
  readonly destroyed?: boolean
  readonly readableEnded?: boolean
}

interface Connection {
  readonly stream: Stream
  query(text: string): void
  sync(): void
  close(message: { type: 'P'; name: string }): void
  emit(event: string, ...args: unknown[]): unknown
  on(event: string, listener: (...args: any[]) => void): unknown
  removeListener(event: string, listener: (...args: any[]) => void): unknown
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processID: number, secretKey: number): void
}

interface Client {
  readonly connection: Connection
  readonly native?: unknown
  readonly host?: string
  readonly port: number
  readonly ssl: unknown
  readonly sslNegotiation?: string
  readonly processID: number
  readonly secretKey: number
  readonly pipeline?: boolean
  readonly readyForQuery?: boolean
  readonly _sentQueryQueue?: readonly unknown[]
  readonly _activeQuery?: unknown
  readonly _txStatus?: string | null
  readonly _connected?: boolean
  readonly _connecting?: boolean
  connect(): Promise<unknown>
  query(query: unknown): unknown
  end(): Promise<void>
  on(event: string, listener: (...args: any[]) => void): unknown
  once(event: string, listener: (...args: any[]) => void): unknown
  listenerCount(event: string): number
  removeListener(event: string, listener: (...args: any[]) => void): unknown
}

type Release = (error?: unknown) => void

interface Pool {
  readonly options: { readonly stream?: unknown; readonly max?: number }
  readonly Client?: unknown
  connect(callback: (error: unknown, client: Client | undefined, release: Release) => void): void
  end(): Promise<void>
  on(event: 'error', listener: (error: unknown) => void): unknown
}

interface BaseQuery {
  text: string | undefined
  rows: number | undefined
  portal: string
  callback: ((error: unknown) => void) | undefined
  query_timeout?: unknown
  submit(connection: Connection): Error | null
  handleCommandComplete(message: { text: string }, connection: Connection): void
  handleEmptyQuery(connection: Connection): void
  handlePortalSuspended(connection: Connection): void
  handleReadyForQuery(connection: Connection): void
}
type QueryClass = new (config: string | object, values: readonly unknown[]) => BaseQuery

const ignore = (): void => undefined

async function openPool(config: object): Promise<Pool> {
  let pg: { Pool: new (config: object) => Pool }
  try {
    pg = ((await import('pg')) as unknown as { default: typeof pg }).default
  } catch (cause) {
    throw new RowjetError('DRIVER_MISSING', 'the package pg is not there: npm install pg, or pass a pool or client', { cause })
  }
  const pool = new pg.Pool(config)
  pool.on('error', ignore) // the loss of an idle connection: the pool makes a new one when it is needed
  return pool
}

function unsupported(): RowjetError {
  return new RowjetError('DRIVER_UNSUPPORTED', "pg's native bindings (pg-native) hide the server's messages: use pg.Pool or pg.Client of pg itself, not of pg.native")
}

/** Refuses a pool of native clients, as far as it can be told before the first connection. */
function poolOf(handle: PgPoolLike): Pool {
  const pool = handle as unknown as Pool
  const query = (pool.Client as { Query?: { prototype?: object } } | undefined)?.Query?.prototype
  if (query !== undefined && !('handleRowDescription' in query)) throw unsupported()
  return pool
}

async function clientDriver(client: Client, styled: boolean): Promise<ClientDriver> {
  if (client.native !== undefined || client.connection === undefined) throw unsupported()
  let own = false
  if (client._connecting === true) {
    await new Promise<void>((resolve, reject) => {
      const { connection } = client
      const connected = (): void => over(resolve)
      const failed = (error: unknown): void => over(() => reject(error as Error))
      const closed = (): void => failed(new Error('Connection terminated'))
      const over = (settle: () => void): void => {
        client.removeListener('connect', connected)
        connection.removeListener('error', failed)
        connection.removeListener('errorMessage', failed)
        connection.removeListener('end', closed)
        settle()
      }
      client.once('connect', connected)
      // The client itself tells only the caller of its connect().
      connection.on('error', failed)
      connection.on('errorMessage', failed)
      connection.on('end', closed)
    })
  } else if (client._connected !== true) {
    await client.connect()
    own = true
  }
  return new ClientDriver(client, own, styled)
}

/** What PostgreSQL has by default; extra_float_digits matters before version 12, and where it was set below 1. */
const styles = 'SET DateStyle TO ISO; SET IntervalStyle TO postgres; SET bytea_output TO hex; SET extra_float_digits TO 3'

/** A page of rows, where rows come in pages: at first, at least and at most; then as many as take so many bytes. */
const firstPage = 500
const leastPage = 50
const mostPage = 100_000
const pageBytes = 1024 * 1024

/** So long is waited for a CancelRequest, in milliseconds. */
const cancelPatience = 10_000
/** And so long, at first and at most, before the next one. */
const firstCancelDelay = 100
const lastCancelDelay = 5_000

/** A client that a Splitter listens for. There is one for each client, whoever uses it. */
class Tap implements SplitterHost {
  readonly client: Client
  readonly splitter = new Splitter(this)
  /** The RowDescription that pg is being told of. */
  rowDescription: Uint8Array | undefined
  /** Whether pg is reading what the server sent: what happens then comes from the server, not from a timer or the socket. */
  passing = false
  /** What the server did wrong. pg may still read what it was given before. */
  failure: RowjetError | undefined
  readonly #stream: Stream
  readonly #streamFactory: unknown
  #listener: ((chunk: Buffer) => void) | undefined
  #installing: Promise<void> | undefined
  #styled: 'no' | 'sent' | 'yes' | 'refused' = 'no'
  #styledInTransaction = false
  #afterReady: ((clean: boolean) => void)[] = []
  #inFlight = 0
  #cancelling = false
  /** Who of us uses the client, and so learns of its errors. */
  users = 0
  readonly #waiting: Run[] = []
  #running = 0

  static readonly #taps = new WeakMap<Client, Tap>()

  /** `streamFactory`: how the client's owner makes streams, if not as usual. */
  static of(client: Client, streamFactory?: unknown): Tap {
    let tap = Tap.#taps.get(client)
    if (tap === undefined) Tap.#taps.set(client, (tap = new Tap(client, streamFactory)))
    return tap
  }

  private constructor(client: Client, streamFactory: unknown) {
    this.client = client
    this.#stream = client.connection.stream
    this.#streamFactory = streamFactory
    // While we use a client, whoever waits for us is told of its errors. They must not end the process, as an error
    // does that no one listens for; otherwise everything is as if this listener was not there.
    client.on('error', (error) => {
      if (this.users === 0 && client.listenerCount('error') === 1) throw error
    })
  }

  get lost(): boolean {
    return this.#stream.destroyed === true || this.#stream.readableEnded === true
  }

  /** Whether the socket can be told to wait. Those of Cloudflare and Neon can't. */
  get canPause(): boolean {
    return typeof this.#stream.pause === 'function' && typeof this.#stream.resume === 'function'
  }

  pause(): void {
    this.#stream.pause!()
  }

  resume(): void {
    this.#stream.resume!()
  }

  /** Whether an error now would spoil a transaction. */
  get inTransaction(): boolean {
    const { status } = this.splitter
    if (status !== 0) return status !== statusIdle
    const { _txStatus } = this.client
    return _txStatus === 'T' || _txStatus === 'E'
  }

  /** Runs a query when those before it are over. */
  add(run: Run): void {
    this.#waiting.push(run)
    if (this.#listener !== undefined) {
      this.#next()
      return
    }
    this.#installing ??= this.#install()
    this.#installing.then(
      () => this.#next(),
      (error: unknown) => {
        for (const waiting of this.#waiting.splice(0)) waiting.over(error, false)
      },
    )
  }

  /** A run that was sent is over. */
  finished(): void {
    this.#running--
    this.#next()
  }

  #next(): void {
    // One at a time, unless pg itself sends several: it warns when it has to queue them.
    while (this.#waiting.length > 0 && (this.#running === 0 || this.client.pipeline === true)) {
      this.#running++
      this.#waiting.shift()!.send(this)
    }
  }

  /** Steps in between the socket and pg, at a moment when pg's parser is at the border of two messages. */
  async #install(): Promise<void> {
    await undefined // whoever called may have been called by pg's parser
    const stream = this.#stream
    const listener = stream.listeners('data')[0]
    if (listener === undefined) throw new RowjetError('DRIVER_UNSUPPORTED', 'this client does not listen for the data of its stream: Rowjet works with pg 8.0 and later')
    while (!this.lost && holdsPart(listener)) {
      await new Promise<void>((resolve) => {
        stream.once('data', resolve)
        stream.once('close', resolve)
      })
    }
    stream.on('data', (chunk) => this.splitter.push(chunk))
    stream.removeListener('data', listener)
    stream.once('close', () => this.#settle(false))
    this.#listener = listener
  }

  // What the splitter calls.

  pass(bytes: Uint8Array): void {
    this.passing = true
    try {
      this.#listener!.call(this.#stream, Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    } finally {
      this.passing = false
      this.rowDescription = undefined
    }
  }

  description(message: Uint8Array): void {
    this.rowDescription = message
  }

  parameter(name: string, value: string): void {
    if ((name === 'DateStyle' && !value.startsWith('ISO')) || (name === 'IntervalStyle' && value !== 'postgres')) this.reset()
  }

  reset(): void {
    if (this.#styled === 'yes') this.#styled = 'no'
  }

  ready(): void {
    // What was set in a transaction may be gone with it.
    if (this.#styledInTransaction && this.splitter.status === statusIdle) this.reset()
    this.#settle(true)
  }

  ownReady(ok: boolean): void {
    this.#styledInTransaction = this.splitter.status !== statusIdle
    // In a transaction that has failed, everything is refused. Elsewhere the server does not know a setting, and never will.
    this.#styled = ok ? 'yes' : this.#styledInTransaction ? 'no' : 'refused'
  }

  broken(error: RowjetError): void {
    this.failure ??= error
    this.splitter.kill()
    if (typeof this.#stream.destroy === 'function') this.#stream.destroy(error)
    else this.client.connection.emit('error', error)
  }

  // What runs call.

  /** Sends the settings ahead of a query, unless they are as they should be. */
  style(connection: Connection): void {
    if (this.#styled !== 'no') return
    const { _sentQueryQueue = [], pipeline, readyForQuery } = this.client
    // Outside of pipeline mode pg sends a query when the answers to all before it are complete.
    this.splitter.expectOwn(pipeline === true ? _sentQueryQueue.length + (readyForQuery === true ? 0 : 1) : 0)
    this.#styled = 'sent'
    connection.query(styles)
  }

  /** A query of ours was sent, or its answer is complete. */
  watch(change: 1 | -1): void {
    this.#inFlight += change
    // In a pipeline there may be answers to queries of others in between.
    this.splitter.watching = this.#inFlight === 0 ? 'none' : this.client.pipeline === true ? 'some' : 'all'
  }

  /** Calls back once the server is ready for the next query (`clean`), or never will be. */
  afterReady(callback: (clean: boolean) => void): void {
    if (this.lost) callback(false)
    else this.#afterReady.push(callback)
  }

  #settle(clean: boolean): void {
    const callbacks = this.#afterReady
    if (callbacks.length === 0) return
    this.#afterReady = []
    for (const callback of callbacks) callback(clean)
  }

  /**
   * Asks the server, on a connection of its own, to cancel a query. pg gets no ReadyForQuery before the request was
   * dealt with, and so sends no other query that it could hit.
   */
  async cancel(query: unknown): Promise<void> {
    const { pipeline, _activeQuery } = this.client
    if (this.#cancelling || (pipeline === true && _activeQuery !== query)) return
    this.#cancelling = true
    this.splitter.hold()
    await cancelRequest(this.client, this.#streamFactory)
    this.#cancelling = false
    this.splitter.release()
  }
}

/** Tells whether pg's parser waits for the rest of a message: it would copy what comes next behind the part that it has. */
function holdsPart(listener: (chunk: Buffer) => void): boolean {
  let copied = false
  const probe = Buffer.alloc(0)
  Object.defineProperty(probe, 'copy', {
    value: () => {
      copied = true
      return 0
    },
  })
  listener(probe)
  return copied
}

/**
 * Sends a CancelRequest (manual, 55.2.8 "Canceling Requests in Progress") by pg's own means, which know about TLS.
 * Never fails: a query that can't be cancelled comes to its end.
 */
function cancelRequest(client: Client, streamFactory: unknown): Promise<void> {
  return new Promise((resolve) => {
    try {
      const { ssl, sslNegotiation, host, port } = client
      const ConnectionClass = client.connection.constructor as new (config: object) => Connection
      const connection = new ConnectionClass({
        ssl,
        ...(sslNegotiation !== undefined && { sslNegotiation }),
        ...(typeof streamFactory === 'function' && { stream: streamFactory }),
      })
      const timer = setTimeout(() => connection.stream.destroy?.(), cancelPatience)
      const send = (): void => connection.cancel(client.processID, client.secretKey)
      const over = (): void => {
        clearTimeout(timer)
        resolve()
      }
      connection.on('connect', () => {
        if (!ssl) send()
        else if (sslNegotiation !== 'direct') connection.requestSsl()
      })
      connection.on('sslconnect', send)
      connection.on('error', over)
      connection.on('end', over) // the server closes the connection once it has passed the request on
      if (host?.startsWith('/') === true) connection.connect(`${host}/.s.PGSQL.${port}`)
      else connection.connect(port, host)
    } catch {
      resolve()
    }
  })
}

/** One query, until the moment when its connection is free again. */
class Run implements Running, RowSink {
  readonly done: Promise<void>
  /** Is called when the connection is free. Not `clean`: it must not be used again. */
  onOver: (error: unknown, clean: boolean) => void = ignore
  readonly #query: WireQuery
  readonly #styled: boolean
  #resolve!: () => void
  #reject!: (error: unknown) => void
  #settled = false
  /** waiting: for a connection or its turn; sent: pg has it; active: the server has it; over: nobody has. */
  #phase: 'waiting' | 'sent' | 'active' | 'over' = 'waiting'
  #tap!: Tap // from `sent` on
  #raw!: BaseQuery // likewise
  #unanswered = false
  #clean = false
  /** No more rows are wanted; what comes is dropped. */
  #leaving = false
  #stopped = false
  #failure: { error: unknown } | undefined
  #paused = false
  #inTransaction = false
  #paged = false
  #goOn: (() => void) | undefined // asks for the next page
  #again: ReturnType<typeof setTimeout> | undefined
  #rows = 0 // of the page
  #bytes = 0 // likewise
  readonly #abort = (): void => this.#fail(this.#query.signal!.reason, true)

  constructor(query: WireQuery, styled: boolean) {
    this.#query = query
    this.#styled = styled
    this.done = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    query.signal?.addEventListener('abort', this.#abort, { once: true })
  }

  /** Hands the query to pg. */
  send(tap: Tap): void {
    this.#tap = tap
    this.#phase = 'sent'
    if (this.#leaving) {
      this.over(undefined, true)
      return
    }
    try {
      this.#raw = new (rawQueryClass(tap.client))(this.#query.statement, this.#query.params, this)
      tap.client.query(this.#raw)
    } catch (error) {
      this.over(error, !tap.lost)
    }
  }

  // What pg calls, by way of the query.

  /** pg is about to send the query. Returns false if there is no need any more. */
  submitting(connection: Connection): boolean {
    if (this.#leaving) return false
    const { client, canPause, inTransaction } = this.#tap
    this.#phase = 'active'
    this.#unanswered = true
    this.#tap.watch(1)
    if (this.#styled) this.#tap.style(connection)
    this.#inTransaction = inTransaction
    if (this.#query.paced && client.pipeline !== true && (!canPause || inTransaction) && !isScript(this.#query)) {
      // In pages, a query can be left without an error that would spoil the transaction; but each page costs a round trip.
      this.#paged = true
      this.#raw.rows = firstPage
    }
    return true
  }

  /** pg could not send it. */
  unsent(): void {
    this.#phase = 'sent'
    this.#answered()
  }

  described(): void {
    const { splitter, rowDescription } = this.#tap
    if (splitter.sink !== undefined || rowDescription === undefined) {
      this.#tap.broken(protocolError('RowDescription before the end of the result set'))
      return
    }
    splitter.sink = this
    this.#try(() => this.#query.sink.columns(rowDescription))
  }

  undescribed(): void {
    this.#tap.broken(protocolError('DataRow without a RowDescription'))
  }

  get room(): number {
    return this.#leaving ? Infinity : this.#query.sink.room
  }

  rows(chunk: Uint8Array, start: number, end: number, completed: number): void {
    if (this.#leaving) return
    this.#rows += completed
    this.#bytes += end - start
    try {
      this.#query.sink.rows(chunk, start, end, completed)
    } catch (error) {
      this.#fail(error, false)
    }
  }

  completed(tag: string): void {
    this.#tap.splitter.sink = undefined
    this.#try(() => this.#query.sink.complete(tag))
  }

  /** A page is complete. */
  suspended(goOn: () => void): void {
    if (!this.#raw.rows) {
      this.#tap.broken(protocolError('PortalSuspended, but all rows were asked for'))
      return
    }
    this.#goOn = goOn
    if (this.#leaving) {
      this.#closePortal()
      return
    }
    if (this.#paged && this.#rows > 0) {
      this.#raw.rows = Math.min(Math.max(Math.round((pageBytes * this.#rows) / this.#bytes), leastPage), mostPage)
      this.#rows = this.#bytes = 0
    }
    if (!this.#paused) this.resume()
  }

  /** The answer is complete. pg goes on to `called`. */
  readied(): void {
    this.#clean = true
    if (this.#tap.splitter.sink === this && !this.#leaving) {
      this.#fail(protocolError('ReadyForQuery before the end of the result set'), false)
    }
    this.#answered()
  }

  /** The query has failed, or the connection. */
  errored(error: unknown): void {
    const tap = this.#tap
    const finish = (clean: boolean): void => {
      this.#answered()
      this.#clean = clean
      this.#raw.callback!(error) // it may be pg's, which clears a timer before it calls ours
    }
    if (tap.passing && !isFatal(error)) {
      // Not before ReadyForQuery, lest the next query be sent on a connection that still says something about this one.
      tap.splitter.sink = undefined
      // Pages are asked for with Flush, and after an error the server reads on from the next Sync only.
      if (this.#raw.rows) tap.client.connection.sync()
      tap.afterReady(finish)
    } else if (this.#phase === 'sent') {
      finish(!tap.lost)
    } else if (this.#phase === 'active') {
      const { unfinished } = tap.splitter
      if (unfinished !== undefined && (error as { code?: unknown } | null)?.code === undefined) {
        error = new RowjetError('INPUT_UNFINISHED', `the connection ended inside of ${unfinished}`, { cause: error })
      }
      finish(false)
    }
    // Else pg's query_timeout was told already; the answer is still to come, and is dropped.
  }

  /** Is what pg calls at last. */
  called(error: unknown): void {
    this.over(error ?? undefined, this.#clean)
  }

  over(error: unknown, clean: boolean): void {
    if (this.#phase === 'over') return
    const wasSent = this.#phase !== 'waiting'
    if (wasSent && this.#tap.failure !== undefined) {
      this.#failure ??= { error: this.#tap.failure }
      clean = false
    }
    this.#phase = 'over'
    this.#unpause()
    this.#leaving = true
    this.#settle(error)
    this.onOver(error, clean)
    if (wasSent) this.#tap.finished()
  }

  // What the reader calls.

  pause(): void {
    if (this.#leaving || this.#phase !== 'active') return
    this.#paused = true
    if (!this.#paged) this.#tap.pause()
  }

  resume(): void {
    this.#unpause()
    const goOn = this.#goOn
    this.#goOn = undefined
    goOn?.()
  }

  stop(): void {
    if (this.#leaving) return
    this.#stopped = true
    this.#leave(false)
  }

  #unpause(): void {
    if (this.#paused && !this.#paged) this.#tap.resume()
    this.#paused = false
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
    if (this.#phase === 'over') return
    this.#failure ??= { error }
    if (error instanceof RowjetError && error.code === 'WIRE_INVALID') {
      this.#leaving = true
      this.#tap.broken(error)
    } else {
      this.#leave(aborted)
    }
  }

  /** Gets out of the query before its end. */
  #leave(aborted: boolean): void {
    this.#leaving = true
    if (this.#phase !== 'active') {
      // The server knows nothing of it. When its turn comes, it is passed over.
      this.#settle(undefined)
      return
    }
    if (this.#goOn !== undefined) {
      this.#closePortal()
    } else if (aborted || !this.#inTransaction) {
      void this.#cancel(firstCancelDelay)
    }
    // Else the end of the page, or of all rows, is waited for.
    this.#unpause()
  }

  /** Cancels until the query is over: a request that comes before the server has begun with the query has no effect. */
  async #cancel(delay: number): Promise<void> {
    await this.#tap.cancel(this.#raw)
    if (!this.#unanswered || this.#tap.lost) return
    this.#again = setTimeout(() => void this.#cancel(Math.min(2 * delay, lastCancelDelay)), delay)
  }

  #closePortal(): void {
    this.#goOn = undefined
    const { connection } = this.#tap.client
    this.#tap.splitter.sink = undefined
    connection.close({ type: 'P', name: this.#raw.portal })
    connection.sync()
  }

  #answered(): void {
    if (!this.#unanswered) return
    this.#unanswered = false
    clearTimeout(this.#again)
    if (this.#tap.splitter.sink === this) this.#tap.splitter.sink = undefined
    this.#tap.watch(-1)
  }

  #settle(error: unknown): void {
    if (this.#settled) return
    this.#settled = true
    this.#query.signal?.removeEventListener('abort', this.#abort)
    if (this.#failure !== undefined) this.#reject(this.#failure.error)
    else if (error === undefined || this.#stopped) this.#resolve()
    else this.#reject(error)
  }
}

function isFatal(error: unknown): boolean {
  const severity = (error as { severity?: unknown } | null)?.severity
  return severity === 'FATAL' || severity === 'PANIC'
}

type RawQueryClass = new (statement: Statement, params: readonly unknown[], run: Run) => BaseQuery

/** With each class a run and a query of it. They are only kept, see {@link ResultBuilder.samples}. */
const rawQueryClasses = new WeakMap<object, { readonly made: RawQueryClass; readonly samples: unknown }>()

/** The query class of a client's own copy of pg, made to leave the rows to a Run. */
function rawQueryClass(client: Client): RawQueryClass {
  const Query = (client.constructor as { Query?: QueryClass }).Query
  if (Query === undefined) throw new RowjetError('DRIVER_UNSUPPORTED', 'this client has no Query class: Rowjet works with pg 8.0 and later')
  let known = rawQueryClasses.get(Query)
  if (known === undefined) {
    const made = subclass(Query)
    const run = new Run({ statement: '', params: [], sink: new RowCounter(), paced: false, signal: undefined }, false)
    rawQueryClasses.set(Query, (known = { made, samples: [run, new made('', [], run)] }))
  }
  return known.made
}

function subclass(Query: QueryClass): RawQueryClass {
  return class RawQuery extends Query {
    readonly #run: Run

    constructor(statement: Statement, params: readonly unknown[], run: Run) {
      // A copy: older versions write the values into what they are given.
      super(typeof statement === 'string' ? statement : { ...statement }, params)
      this.#run = run
      this.callback = (error) => run.called(error)
      // pg looks for it on what it is given.
      if (typeof statement !== 'string') this.query_timeout = (statement as { query_timeout?: unknown }).query_timeout
    }

    override submit(connection: Connection): Error | null {
      const { stream } = connection
      stream.cork?.() // one write for all
      try {
        if (!this.#run.submitting(connection)) return new Error('the query was stopped before it was sent')
        const error = super.submit(connection)
        if (error) this.#run.unsent()
        return error
      } finally {
        stream.uncork?.()
      }
    }

    // The fields are not looked at: pg would choose a parser for each.
    handleRowDescription(): void {
      this.#run.described()
    }

    handleDataRow(): void {
      this.#run.undescribed()
    }

    override handleCommandComplete(message: { text: string }, connection: Connection): void {
      super.handleCommandComplete(message, connection)
      this.#run.completed(message.text)
    }

    override handleEmptyQuery(connection: Connection): void {
      super.handleEmptyQuery(connection)
      this.#run.completed('')
    }

    override handlePortalSuspended(connection: Connection): void {
      this.#run.suspended(() => super.handlePortalSuspended(connection))
    }

    handleError(error: unknown): void {
      this.#run.errored(error)
    }

    override handleReadyForQuery(connection: Connection): void {
      this.#run.readied()
      super.handleReadyForQuery(connection)
    }
  }
}

/** Takes a client out of a pool. */
function acquire(pool: Pool, callback: (error: unknown, tap: Tap | undefined, giveBack: (error?: unknown) => void) => void): void {
  pool.connect((error, client, release) => {
    if (error || client === undefined) {
      callback(error ?? new Error('the pool gave no client'), undefined, ignore)
      return
    }
    if (client.connection === undefined) {
      release()
      callback(unsupported(), undefined, ignore)
      return
    }
    const tap = Tap.of(client, pool.options.stream)
    tap.users++
    callback(undefined, tap, (error) => {
      tap.users--
      release(error)
    })
  })
}

class PoolDriver implements WireDriver {
  readonly adapterName = 'pg'
  readonly #pool: Pool
  readonly #own: boolean
  readonly #styled: boolean

  constructor(pool: Pool, own: boolean, styled: boolean) {
    this.#pool = pool
    this.#own = own
    this.#styled = styled
  }

  /** A pool of one connection is as good as that. */
  get handle(): object | undefined {
    return this.#pool.options.max === 1 ? this.#pool : undefined
  }

  start(query: WireQuery): Running {
    const run = new Run(query, this.#styled)
    acquire(this.#pool, (error, tap, giveBack) => {
      if (tap === undefined) {
        run.over(error, false)
        return
      }
      run.onOver = (error, clean) => giveBack(clean ? undefined : (error ?? true))
      tap.add(run)
    })
    return run
  }

  reserve(signal: AbortSignal | undefined): Promise<ReservedSession> {
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(signal!.reason as Error)
      signal?.addEventListener('abort', abort, { once: true })
      acquire(this.#pool, (error, tap, giveBack) => {
        signal?.removeEventListener('abort', abort)
        if (tap === undefined) reject(error as Error)
        else if (signal?.aborted === true) giveBack()
        else resolve(new Reserved(tap, this.#styled, giveBack))
      })
    })
  }

  async close(): Promise<void> {
    if (this.#own) await this.#pool.end()
  }
}

class Reserved implements ReservedSession {
  readonly #tap: Tap
  readonly #styled: boolean
  readonly #giveBack: (error?: unknown) => void
  #lost: { error: unknown } | undefined

  constructor(tap: Tap, styled: boolean, giveBack: (error?: unknown) => void) {
    this.#tap = tap
    this.#styled = styled
    this.#giveBack = giveBack
  }

  start(query: WireQuery): Running {
    const run = new Run(query, this.#styled)
    run.onOver = (error, clean) => {
      if (!clean) this.#lost ??= { error: error ?? true }
    }
    this.#tap.add(run)
    return run
  }

  release(): void {
    this.#giveBack(this.#lost?.error)
  }
}

/** A single client, which transactions share with other queries by taking turns. */
class ClientDriver implements WireDriver {
  readonly adapterName = 'pg'
  readonly handle: Client
  readonly #tap: Tap
  readonly #own: boolean
  readonly #styled: boolean
  readonly #gate: Gate

  constructor(client: Client, own: boolean, styled: boolean) {
    this.handle = client
    this.#gate = Gate.of(client)
    this.#tap = Tap.of(client)
    this.#own = own
    this.#styled = styled
  }

  start(query: WireQuery): Running {
    return this.#start(query, false)
  }

  reserve(signal: AbortSignal | undefined): Promise<ReservedSession> {
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(signal!.reason as Error)
      signal?.addEventListener('abort', abort, { once: true })
      this.#gate.enter(() => {
        signal?.removeEventListener('abort', abort)
        if (signal?.aborted === true) return
        this.#gate.hold()
        resolve({ start: (query) => this.#start(query, true), release: () => this.#gate.release() })
      })
    })
  }

  async close(): Promise<void> {
    if (this.#own) await this.handle.end()
  }

  #start(query: WireQuery, inside: boolean): Running {
    const run = new Run(query, this.#styled)
    this.#tap.users++
    run.onOver = () => {
      this.#tap.users--
    }
    if (inside) this.#tap.add(run)
    else this.#gate.enter(() => this.#tap.add(run))
    return run
  }
}
