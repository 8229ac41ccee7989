// MariaDB Connector/Node.js: https://mariadb.com/docs/connectors/mariadb-connector-nodejs
//
// The connector stays what it is: it connects, logs in, sends commands and reads the answers. Only the rows of our own
// commands never get to it; they go to the module as they are: a PacketSplitter stands in front of the stream that it
// reads packets from. It hides its connections well, but listeners of their events are called with them.

import { RowjetError } from './errors.js'
import {
  checkOptions, connectMySQL, ConnectionDriver, PoolDriver, Tap, type Command, type DriverOptions, type Link, type MySQLDatabase, type MySQLOptions, type PoolSource, type Taken,
} from './mysql-database.js'
import { textEncoder } from './text.js'

export type { CallOptions, ConnectOptions, Database, IsolationLevel, Queryable, TransactionOptions } from './database.js'
export type { MySQLDatabase, MySQLOptions, MySQLQueryable, MySQLStatement, MySQLTransaction } from './mysql-database.js'
export * from './common.js'

/** What is used of a pool, or of a filtered pool cluster, with callbacks or with promises. */
export interface MariadbPoolLike {
  getConnection(...args: any[]): any
}

/** What is used of a connection, with callbacks or with promises. */
export interface MariadbConnectionLike {
  query(...args: any[]): any
  on(...args: any[]): any
}

/** What `createPool` takes: host, port, user, password, database, ssl, connectionLimit … */
export type MariadbConfig = (Readonly<Record<string, unknown>> | object) & { readonly query?: never; readonly getConnection?: never }

/**
 * Connects by a pool, a pool cluster (or what its `of` gives), a connection, a URL, or what `createPool` can be
 * configured with. Of both flavours of the connector, with callbacks and with promises.
 *
 * `close()` ends the pool that was made here; what was passed in stays open. Errors of the database and of the connector
 * come through as they are.
 *
 * @throws RowjetError DRIVER_MISSING if mariadb is not installed
 */
export async function connect(handle: MariadbPoolLike | MariadbConnectionLike | string | MariadbConfig, options: MySQLOptions = {}): Promise<MySQLDatabase> {
  checkOptions(options)
  if (typeof handle !== 'string' && (typeof handle !== 'object' || handle === null)) {
    throw new TypeError('connect takes a pool, a pool cluster, a connection, a URL or a configuration')
  }
  const { prepare, session } = options
  const driverOptions: DriverOptions = { prepare, inUTC: session === 'utc' }
  if (typeof handle !== 'string') {
    if ('getConnection' in handle) return connectMySQL(new PoolDriver(new Pool(handle as unknown as Pooled, false), driverOptions), options)
    if ('query' in handle) {
      const core = coreOf(handle as unknown as Facade)
      await ready(core)
      return connectMySQL(new ConnectionDriver('mariadb', tapOf(core), driverOptions, async () => undefined), options)
    }
  }
  const pool = await openPool(handle as string | MariadbConfig, session !== 'keep')
  return connectMySQL(new PoolDriver(new Pool(pool, true), driverOptions), options)
}

// What is used of the connector, beyond what its documentation promises. The tests run with several of its versions.

interface Reader {
  onData(chunk: Uint8Array): void
  readonly remainingLen: number | null
  readonly headerLen: number
  readonly parts: unknown
}

interface Parameters {
  sql: string
  values: unknown
  opts: object
}

interface ColumnDefinition {
  name(): string
  readonly collation?: { readonly index: number }
  readonly columnLength: number
  readonly columnType: number
  readonly flags: number
  readonly scale: number
  // The first two are those of 3.5.
  readonly _dataTypeName?: Uint8Array
  readonly _dataTypeFormat?: Uint8Array
  readonly dataTypeName?: string
  readonly dataTypeFormat?: string
}

interface CoreCommand {
  onPacketReceive?: unknown
  readonly readResponsePacket?: unknown
  readonly cmdParam?: Parameters
  readonly prepare?: { readonly columns?: readonly ColumnDefinition[] } | null
  /** Only commands that prepare a statement have it. */
  readonly readPrepareResultPacket?: unknown
}

interface Socket {
  readonly destroyed: boolean
  destroy(error: Error): unknown
  pause(): unknown
  resume(): unknown
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown
  once(event: string, listener: () => void): unknown
  removeListener(event: 'data', listener: (chunk: Uint8Array) => void): unknown
  listeners(event: 'data'): ((chunk: Uint8Array) => void)[]
}

type Settle = (value: any) => void

/** The connector's own connection, behind those that it gives. */
interface CoreConnection {
  readonly socket: Socket | undefined
  readonly streamIn: Reader & { readonly reader?: Reader }
  readonly receiveQueue: { peekAt(index: number): CoreCommand | undefined }
  readonly info: { readonly threadId: number; readonly clientCapabilities: bigint; readonly eofDeprecated: boolean; readonly status: number }
  readonly opts: Readonly<Record<string, unknown>>
  connect(): Promise<unknown>
  query(parameters: Parameters, resolve: Settle, reject: Settle): void
  prepareExecute(parameters: Parameters, resolve: Settle, reject: Settle): Promise<unknown> | undefined
  ping(parameters: object, resolve: Settle, reject: Settle): void
  destroy(): void
  on(event: 'error', listener: () => void): unknown
}

/** What it gives. */
interface Facade {
  on(event: string, listener: (...args: any[]) => void): unknown
  removeListener(event: string, listener: (...args: any[]) => void): unknown
  release?(): unknown
  destroy(): unknown
}

interface Pooled {
  getConnection(callback: (error: unknown, connection?: Facade) => void): Promise<Facade> | undefined
  end(): Promise<unknown>
}

const ignore = (): void => undefined

async function openPool(config: string | MariadbConfig, inUTC: boolean): Promise<Pooled> {
  let mariadb: { createPool: (config: object) => Pooled; defaultOptions: (config: string) => object }
  try {
    mariadb = ((await import('mariadb')) as unknown as { default: typeof mariadb }).default
  } catch (cause) {
    throw new RowjetError('DRIVER_MISSING', 'the package mariadb is not there: npm install mariadb, or pass a pool or connection', { cause })
  }
  // The connector sets the session's time zone to this, too.
  const zone = inUTC ? { timezone: 'Z' } : {}
  return mariadb.createPool(typeof config === 'string' ? { ...configOf(config), ...zone } : { ...zone, ...config })
}

/** A URL as a configuration. */
function configOf(url: string): Record<string, unknown> {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    throw new TypeError('this is no URL such as mariadb://user:password@host:3306/database') // without the URL: it may have a password in it
  }
  const { hostname, port, username, password, pathname, searchParams } = parsed
  const config: Record<string, unknown> = { host: decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1') || 'localhost' }
  if (port !== '') config['port'] = Number(port)
  if (username !== '') config['user'] = decodeURIComponent(username)
  if (password !== '') config['password'] = decodeURIComponent(password)
  if (pathname.length > 1) config['database'] = decodeURIComponent(pathname.slice(1))
  for (const [name, value] of searchParams) config[name] = optionOf(value)
  return config
}

function optionOf(value: string): unknown {
  try {
    return JSON.parse(value) as unknown // true, 5, {"rejectUnauthorized":false}
  } catch {
    return value
  }
}

/** The connection behind what the connector gives. */
function coreOf(facade: Facade): CoreConnection {
  let core: unknown
  const find = function (this: unknown): void {
    core = this
  }
  facade.on('newListener', find)
  facade.on('removeListener', ignore)
  facade.removeListener('newListener', find)
  facade.removeListener('removeListener', ignore)
  const found = core as Partial<CoreConnection> | undefined
  if (typeof found?.prepareExecute !== 'function' || typeof found.receiveQueue?.peekAt !== 'function' || typeof found.streamIn?.onData !== 'function') {
    throw new RowjetError('DRIVER_UNSUPPORTED', 'this connection hides its packets: Rowjet works with mariadb 3.3 and later')
  }
  return found as CoreConnection
}

/** A connection with callbacks is given before it is connected. */
function ready(core: CoreConnection): Promise<void> {
  return new Promise((resolve, reject) => core.ping({}, () => resolve(), reject))
}

function tapOf(core: CoreConnection): Tap {
  return Tap.of(core, () => new MariadbLink(core))
}

/** MARIADB_CLIENT_EXTENDED_METADATA */
const extendedMetadata = 1n << 35n
/** ER_QUERY_INTERRUPTED */
const queryInterrupted = 1317
/** So long is waited for a connection that stops a query, in milliseconds. */
const killPatience = 10_000

class MariadbLink implements Link {
  readonly agreement: { extended: boolean; eofDeprecated: boolean }
  readonly #core: CoreConnection
  readonly #commands = new WeakMap<object, Command>()
  readonly #socket: Socket | undefined
  #listener: ((chunk: Uint8Array) => void) | undefined

  constructor(core: CoreConnection) {
    this.#core = core
    this.#socket = core.socket
    const { clientCapabilities, eofDeprecated } = core.info
    this.agreement = { extended: (BigInt(clientCapabilities) & extendedMetadata) !== 0n, eofDeprecated }
  }

  get lost(): boolean {
    return this.#core.socket === undefined || this.#core.socket.destroyed
  }

  async install(push: (chunk: Uint8Array) => void): Promise<void> {
    await undefined // whoever called may have been called by the driver's parser
    const { streamIn } = this.#core
    const socket = this.#socket
    if (socket === undefined) return // it was closed; the driver will say so
    const reader = streamIn.reader ?? streamIn
    while (!this.lost && (reader.remainingLen || reader.headerLen > 0 || reader.parts)) {
      await new Promise<void>((resolve) => {
        socket.once('data', resolve)
        socket.once('close', resolve)
      })
    }
    if (streamIn.reader !== undefined) {
      // What it gets was compressed.
      const { onData } = reader
      this.#listener = (chunk) => onData.call(reader, chunk)
      reader.onData = push
      return
    }
    const listener = socket.listeners('data')[0]
    if (listener === undefined) throw new RowjetError('DRIVER_UNSUPPORTED', 'this connection does not listen for the data of its socket: Rowjet works with mariadb 3.3 and later')
    this.#listener = (chunk) => listener.call(socket, chunk)
    socket.on('data', push)
    socket.removeListener('data', listener)
  }

  pass(bytes: Uint8Array): void {
    this.#listener!(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  }

  sequence(): void {} // the connector takes any

  #current(): CoreCommand | undefined {
    const { receiveQueue } = this.#core
    for (let i = 0; ; i++) {
      const command = receiveQueue.peekAt(i)
      if (command === undefined || command.onPacketReceive) return command
    }
  }

  current(): Command | undefined {
    const command = this.#current()
    if (command?.cmdParam === undefined || command.readPrepareResultPacket !== undefined) return undefined
    return this.#commands.get(command.cmdParam)
  }

  keptDefinitions(): Uint8Array {
    return definitionsOf(this.#current()?.prepare?.columns ?? [], this.agreement.extended)
  }

  /** Among column definitions it would take an error for one of them. */
  failing(): void {
    const command = this.#current()
    if (command?.readResponsePacket !== undefined) command.onPacketReceive = command.readResponsePacket
  }

  send(command: Command): void {
    const core = this.#core
    // Rows as arrays, lest it refuse columns of the same name.
    const parameters = { sql: command.sql, values: command.values, opts: { ...command.options, rowsAsArray: true, nestTables: false } }
    this.#commands.set(parameters, command)
    const resolve = (): void => command.over(undefined, !this.lost)
    // To the connector an interrupted query is the end of the connection, which it is not.
    const reject = (error: unknown): void => {
      const { fatal, errno } = (error ?? {}) as { fatal?: unknown; errno?: unknown }
      if (errno === undefined) this.#stuck(error)
      command.over(error, !this.lost && (fatal !== true || errno === queryInterrupted))
    }
    try {
      if (command.prepare) core.prepareExecute(parameters, resolve, reject)?.then(resolve, reject)
      else core.query(parameters, resolve, reject)
    } catch (error) {
      reject(error)
    }
  }

  /**
   * All that the connector reports has a number. What has none is an error that it did not expect, while it wrote a
   * parameter: it waits for an answer to what it never sent, and the next query would wait as well, for ever.
   */
  #stuck(error: unknown): void {
    if (!this.lost) this.destroy(error as Error)
  }

  run(sql: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#core.query({ sql, values: undefined, opts: {} }, () => resolve(this.#core.info.status), reject)
    })
  }

  pause(): void {
    this.#core.socket?.pause()
  }

  resume(): void {
    this.#core.socket?.resume()
  }

  destroy(error: Error): void {
    this.#core.socket?.destroy(error)
  }

  kill(): Promise<void> {
    const { opts, info } = this.#core
    // The options are an event emitter, too, whose listeners are those of this connection.
    const { _events, _eventsCount, _maxListeners, ...options } = opts
    return new Promise((resolve) => {
      const other = new (this.#core.constructor as new (options: object) => CoreConnection)(options)
      const timer = setTimeout(() => over(), killPatience)
      const over = (): void => {
        clearTimeout(timer)
        other.destroy()
        resolve()
      }
      other.on('error', ignore)
      other.connect().then(() => other.query({ sql: `KILL QUERY ${info.threadId}`, values: undefined, opts: {} }, over, over), over)
    })
  }
}

/** Column definitions as packets. */
function definitionsOf(columns: readonly ColumnDefinition[], extended: boolean): Uint8Array {
  const bytes: number[] = []
  for (const column of columns) {
    const payload: number[] = [0, 0, 0, 0]
    putText(payload, textEncoder.encode(column.name()))
    payload.push(0)
    if (extended) {
      const entries: number[] = []
      const name = column._dataTypeName ?? textEncoder.encode(column.dataTypeName ?? '')
      const format = column._dataTypeFormat ?? textEncoder.encode(column.dataTypeFormat ?? '')
      for (const [id, value] of [name, format].entries()) {
        if (value.length === 0) continue
        entries.push(id)
        putText(entries, value)
      }
      putText(payload, entries)
    }
    const { columnLength, columnType, flags, scale } = column
    const collation = column.collation?.index ?? 45 // it knows all but the newest, which are of utf8mb4
    payload.push(12, collation, collation >> 8, columnLength, columnLength >> 8, columnLength >> 16, columnLength >> 24, columnType, flags, flags >> 8, scale, 0, 0)
    bytes.push(payload.length, payload.length >> 8, payload.length >> 16, 0)
    for (const byte of payload) bytes.push(byte)
  }
  return Uint8Array.from(bytes)
}

/** A text with its length in front; names have at most 256 characters. */
function putText(bytes: number[], text: ArrayLike<number>): void {
  const { length } = text
  if (length < 0xfb) bytes.push(length)
  else bytes.push(0xfc, length, length >> 8)
  for (let i = 0; i < length; i++) bytes.push(text[i])
}

class Pool implements PoolSource {
  readonly adapterName = 'mariadb'
  readonly #pool: Pooled
  readonly #own: boolean

  constructor(pool: Pooled, own: boolean) {
    this.#pool = pool
    this.#own = own
  }

  take(callback: TakeCallback): void {
    const taken = (facade: Facade): void => {
      let tap: Tap
      try {
        tap = tapOf(coreOf(facade))
      } catch (error) {
        facade.release!()
        callback(error, undefined)
        return
      }
      callback(undefined, {
        tap,
        giveBack: (reason) => {
          if (reason !== undefined && !tap.link.lost) facade.destroy()
          else release(facade)
        },
      })
    }
    const failed = (error: unknown): void => callback(error, undefined)
    // The flavour with callbacks calls, the other one gives a promise.
    this.#pool.getConnection((error, facade) => (facade === undefined ? failed(error) : taken(facade)))?.then(taken, failed)
  }

  async close(): Promise<void> {
    if (this.#own) await this.#pool.end()
  }
}

type TakeCallback = (error: unknown, taken: Taken | undefined) => void

/** Never fails: the pool sees to connections that are lost. */
function release(facade: Facade): void {
  const released = facade.release!() as Promise<unknown> | undefined
  released?.then(ignore, ignore)
}
