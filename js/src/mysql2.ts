// mysql2: https://sidorares.github.io/node-mysql2
//
// mysql2 stays what it is: it connects, logs in, sends commands and reads the answers. Only the rows of our own commands
// never get to it; they go to the module as they are. The place that makes that possible is the parser that a
// connection hands the socket's chunks to, or, if they are compressed, what came of them: a PacketSplitter takes its place.

import { RowjetError } from './errors.js'
import {
  checkOptions, connectMySQL, ConnectionDriver, PoolDriver, Tap, type Command, type DriverOptions, type Link, type MySQLDatabase, type MySQLOptions, type PoolSource,
} from './mysql-database.js'

export type { CallOptions, ConnectOptions, Database, IsolationLevel, Queryable, TransactionOptions } from './database.js'
export type { MySQLDatabase, MySQLOptions, MySQLQueryable, MySQLStatement, MySQLTransaction } from './mysql-database.js'
export * from './common.js'

/** What is used of a pool, a pool cluster, or the namespace of one, with callbacks or with promises. */
export interface Mysql2PoolLike {
  getConnection(...args: any[]): any
}

/** What is used of a connection, with callbacks or with promises. */
export interface Mysql2ConnectionLike {
  query(...args: any[]): any
  execute(...args: any[]): any
  end(...args: any[]): any
}

/** What `createPool` takes: host, port, user, password, database, uri, ssl, connectionLimit … */
export type Mysql2Config = (Readonly<Record<string, unknown>> | object) & { readonly query?: never; readonly getConnection?: never }

/**
 * Connects by a pool, a pool cluster (or what its `of` gives), a connection, a URL, or what `createPool` can be
 * configured with. Of both flavours of mysql2, with callbacks and with promises.
 *
 * `close()` ends the pool that was made here; what was passed in stays open. Errors of the database and of mysql2 come
 * through as they are.
 *
 * @throws RowjetError DRIVER_MISSING if mysql2 is not installed
 */
export async function connect(handle: Mysql2PoolLike | Mysql2ConnectionLike | string | Mysql2Config, options: MySQLOptions = {}): Promise<MySQLDatabase> {
  checkOptions(options)
  if (typeof handle !== 'string' && (typeof handle !== 'object' || handle === null)) {
    throw new TypeError('connect takes a pool, a pool cluster, a connection, a URL or a configuration')
  }
  const driverOptions = (own: boolean): DriverOptions => ({ prepare: options.prepare, inUTC: (options.session ?? (own ? 'utc' : 'keep')) === 'utc' })
  if (typeof handle !== 'string') {
    const core = coreOf(handle)
    if (typeof core.getConnection === 'function') return connectMySQL(new PoolDriver(new Pool(core as CorePool, false), driverOptions(false)), options)
    if (typeof core.query === 'function') {
      const connection = core as CoreConnection
      await ready(connection)
      return connectMySQL(new ConnectionDriver('mysql2', tapOf(connection), driverOptions(false), async () => undefined), options)
    }
  }
  const pool = await openPool(typeof handle === 'string' ? { uri: handle } : handle)
  return connectMySQL(new PoolDriver(new Pool(pool, true), driverOptions(true)), options)
}

// What is used of mysql2, beyond what its documentation promises. The tests run with several of its versions.

interface Parser {
  execute(chunk: Uint8Array): unknown
  /** What `execute` is between two packets. */
  executeStart(chunk: Uint8Array): unknown
  readonly largePacketParts: readonly unknown[]
}

interface CoreCommand {
  start: (packet: unknown, connection: CoreConnection) => unknown
  readField?: unknown
  row?: unknown
  fieldsEOF?: unknown
  once(event: 'end', listener: () => void): unknown
}

interface Stream {
  destroy(error: Error): unknown
  pause?(): unknown
  resume?(): unknown
  once(event: string, listener: () => void): unknown
  readonly destroyed?: boolean
  readonly readableEnded?: boolean
}

type Callback = (error: unknown, result?: unknown) => void

interface CoreConnection {
  readonly stream: Stream
  readonly config: { readonly stream?: unknown }
  readonly threadId: number
  packetParser: Parser
  _inflatedPacketsParser?: Parser
  readonly _command: unknown
  readonly _closing?: boolean
  readonly _fatalError: unknown
  readonly _protocolError: unknown
  readonly _mariadbExtendedMetadata?: boolean
  sequenceId: number
  connect(callback: (error: unknown) => void): void
  query(options: object, callback: Callback): CoreCommand
  query(sql: string, values: unknown, callback: Callback): CoreCommand
  execute(options: object, callback: Callback): CoreCommand
  execute(sql: string, values: unknown, callback: Callback): CoreCommand
  release?(): void
  destroy(): void
  on(event: 'error', listener: () => void): unknown
}

interface CorePool {
  getConnection(callback: (error: unknown, connection: CoreConnection) => void): void
  end(callback: (error: unknown) => void): void
  query?: unknown
}

/** What is behind the flavour with promises. */
function coreOf(handle: object): Partial<CorePool & CoreConnection> {
  const { pool, connection, poolCluster, poolNamespace } = handle as Record<string, unknown>
  for (const core of [pool, connection, poolCluster, poolNamespace]) {
    if (typeof core === 'object' && core !== null && ('getConnection' in core || 'query' in core)) return core as Partial<CorePool & CoreConnection>
  }
  return handle
}

async function openPool(config: object): Promise<CorePool> {
  let mysql2: { createPool: (config: object) => CorePool }
  try {
    mysql2 = ((await import('mysql2')) as unknown as { default: typeof mysql2 }).default
  } catch (cause) {
    throw new RowjetError('DRIVER_MISSING', 'the package mysql2 is not there: npm install mysql2, or pass a pool or connection', { cause })
  }
  // Parameters that are Dates are then meant as results are.
  return mysql2.createPool({ timezone: 'Z', ...config })
}

function ready(connection: CoreConnection): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.connect((error) => (error ? reject(error as Error) : resolve()))
  })
}

function tapOf(connection: CoreConnection): Tap {
  return Tap.of(connection, () => new Mysql2Link(connection))
}

/** So long is waited for a connection that stops a query, in milliseconds. */
const killPatience = 10_000

class Mysql2Link implements Link {
  readonly #connection: CoreConnection
  readonly #commands = new WeakMap<object, Command>()
  #parser: Parser | undefined

  constructor(connection: CoreConnection) {
    this.#connection = connection
  }

  get agreement(): { extended: boolean; eofDeprecated: boolean } {
    return { extended: this.#connection._mariadbExtendedMetadata === true, eofDeprecated: false }
  }

  get lost(): boolean {
    const { stream, _closing, _fatalError, _protocolError } = this.#connection
    return _closing === true || Boolean(_fatalError) || Boolean(_protocolError) || stream.destroyed === true || stream.readableEnded === true
  }

  async install(push: (chunk: Uint8Array) => void): Promise<void> {
    await undefined // whoever called may have been called by the driver's parser
    const connection = this.#connection
    const key = connection._inflatedPacketsParser === undefined ? 'packetParser' : '_inflatedPacketsParser'
    const parser = connection[key]
    if (typeof parser?.executeStart !== 'function') throw new RowjetError('DRIVER_UNSUPPORTED', 'this connection does not read packets as Rowjet expects: it works with mysql2 3.9 and later')
    while (!this.lost && (parser.execute !== parser.executeStart || parser.largePacketParts.length > 0)) {
      await new Promise<void>((resolve) => {
        connection.stream.once('data', resolve)
        connection.stream.once('close', resolve)
      })
    }
    this.#parser = parser
    connection[key] = Object.assign(Object.create(parser) as Parser, { execute: push })
  }

  pass(bytes: Uint8Array): void {
    this.#parser!.execute(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  }

  sequence(id: number): void {
    this.#connection.sequenceId = id
  }

  current(): Command | undefined {
    const { _command } = this.#connection
    return typeof _command === 'object' && _command !== null ? this.#commands.get(_command) : undefined
  }

  send(command: Command): void {
    const connection = this.#connection
    let error: unknown
    const called = (reason: unknown): void => {
      if (!reason) return
      error ??= reason
      if (this.lost || (reason as { fatal?: unknown }).fatal === true) command.over(reason, false)
      else if ((reason as { code?: unknown }).code === 'PROTOCOL_SEQUENCE_TIMEOUT') command.late(reason)
    }
    const { sql, values, options } = command
    let raw: CoreCommand
    if (options === undefined) raw = command.prepare ? connection.execute(sql, values, called) : connection.query(sql, values, called)
    else raw = command.prepare ? connection.execute({ ...options, sql, values }, called) : connection.query({ ...options, sql, values }, called)
    if (error !== undefined) {
      // It could not be written, and has said so already. Old versions wait for an answer all the same.
      if (connection._command === raw) this.destroy(error as Error)
      command.over(error, !this.lost)
      return
    }
    if (typeof raw?.once !== 'function' || typeof raw.readField !== 'function') throw new RowjetError('DRIVER_UNSUPPORTED', 'this connection gives no command: Rowjet works with mysql2 3.9 and later')
    this.#commands.set(raw, command)
    raw.once('end', () => command.over(error, !this.lost))
    skipFields(raw)
    if (connection._command !== raw) {
      // It waits for its turn.
      const { start } = raw
      raw.start = (packet, on) => {
        if (!command.wanted) return null
        const next = start.call(raw, packet, on)
        return error === undefined ? next : null // as above
      }
    }
  }

  run(sql: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#connection.query({ sql }, (error, result) => (error ? reject(error as Error) : resolve((result as { serverStatus: number }).serverStatus)))
    })
  }

  pause(): void {
    this.#connection.stream.pause?.()
  }

  resume(): void {
    this.#connection.stream.resume?.()
  }

  destroy(error: Error): void {
    this.#connection.stream.destroy(error)
  }

  kill(): Promise<void> {
    const { config, threadId } = this.#connection
    return new Promise((resolve) => {
      // A stream can't be used twice, and only who made it knows how to make another.
      if (config.stream !== undefined && typeof config.stream !== 'function') {
        resolve()
        return
      }
      const other = new (connectionClass(this.#connection))({ config: Object.create(Object.getPrototypeOf(config) as object, Object.getOwnPropertyDescriptors(config)) as object })
      const timer = setTimeout(() => over(), killPatience)
      const over = (): void => {
        clearTimeout(timer)
        other.destroy()
        resolve()
      }
      other.on('error', over)
      other.query({ sql: `KILL QUERY ${threadId}` }, over)
    })
  }
}

/** The class of plain connections: those of a pool are of a class of their own. */
function connectionClass(connection: CoreConnection): new (options: { config: object }) => CoreConnection {
  let prototype = Object.getPrototypeOf(connection) as object
  while (!Object.hasOwn(prototype, 'query')) prototype = Object.getPrototypeOf(prototype) as object
  return prototype.constructor as new (options: { config: object }) => CoreConnection
}

/** Spares mysql2 the reading of column definitions, and the making of a parser for rows that it will not see. */
function skipFields(raw: CoreCommand): void {
  const { row } = raw
  if (typeof row !== 'function') return
  const state = raw as unknown as { _receivedFieldsCount: number; _fieldCount: number }
  const eof = (): unknown => row
  const field = (): unknown => (++state._receivedFieldsCount === state._fieldCount ? eof : field)
  raw.readField = field
}

class Pool implements PoolSource {
  readonly adapterName = 'mysql2'
  readonly #pool: CorePool
  readonly #own: boolean

  constructor(pool: CorePool, own: boolean) {
    this.#pool = pool
    this.#own = own
  }

  take(callback: Parameters<PoolSource['take']>[0]): void {
    this.#pool.getConnection((error, connection) => {
      if (error) {
        callback(error, undefined)
        return
      }
      callback(undefined, {
        tap: tapOf(connection),
        giveBack: (reason) => {
          if (reason === undefined) connection.release!()
          else connection.destroy()
        },
      })
    })
  }

  close(): Promise<void> {
    if (!this.#own) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.#pool.end((error) => (error ? reject(error as Error) : resolve()))
    })
  }
}
