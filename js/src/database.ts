// What `connect` gives, whatever the driver: this file has all but the driver.

import type { Engine, EngineOptions, StreamOptions } from './engine.js'
import { RowjetError } from './errors.js'
import { checkBatchSize } from './output.js'
import type { Result } from './result.js'
import { refuseToClose, runInside } from './scope.js'
import { streamOf } from './stream.js'
import type { Dialect, ResultSet } from './types.js'

/** Options of `connect`. */
export interface ConnectOptions extends EngineOptions {
  /** The engine to use. Default: one made for the database's dialect, with `maxBytes` and `memoryLimit`. */
  engine?: Engine
  /** Aborts every call on this connection. */
  signal?: AbortSignal
}

/** Options of a single call. */
export interface CallOptions {
  /** Rejects the call with the signal's reason. What runs in the database already may go on there. */
  signal?: AbortSignal
}

/** The isolation levels of SQL, and SQL Server's. Not every database knows each. */
export type IsolationLevel = 'READ UNCOMMITTED' | 'READ COMMITTED' | 'REPEATABLE READ' | 'SNAPSHOT' | 'SERIALIZABLE'

const isolationLevels: readonly unknown[] = ['READ UNCOMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SNAPSHOT', 'SERIALIZABLE'] satisfies IsolationLevel[]

/** Options of {@link Database.transaction}. */
export interface TransactionOptions extends CallOptions {
  /** Default: the database's own. */
  isolationLevel?: IsolationLevel
}

/** What can be done on a connection and in a transaction. Errors of the database come through unchanged. */
export interface Queryable {
  /** Runs a query and serializes its rows. `Row` is for the types of `rows()` and is not checked. */
  queryRaw<Row extends object = Record<string, unknown>>(sql: string, params?: readonly unknown[], options?: CallOptions): Promise<Result<Row>>
  /** Runs a statement and gives the number of rows that it changed. */
  executeRaw(sql: string, params?: readonly unknown[], options?: CallOptions): Promise<number>
  /** Runs a query when first read, and gives its document as a stream of bytes. */
  stream(sql: string, params?: readonly unknown[], options?: StreamOptions): ReadableStream<Uint8Array<ArrayBuffer>>
  /** Runs a query and gives its rows in batches, by default of 1,000 rows. The types are those that all rows have together. */
  batches<Row extends object = Record<string, unknown>>(sql: string, params?: readonly unknown[], options?: CallOptions & { size?: number }): AsyncGenerator<Result<Row>, void, undefined>
}

/** A connection. */
export interface Database extends Queryable {
  readonly dialect: Dialect
  /** The driver's name: that of the adapter, or `pglite`. */
  readonly adapterName: string
  /** Runs `work` in a transaction: commits when its promise is fulfilled, rolls back and passes the error on when not. */
  transaction<T>(work: (tx: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Ends what `connect` opened. A handle that was passed in stays open. Inside of a transaction it is the error TRANSACTION_OPEN. */
  close(): Promise<void>
}

/** What a driver does for a connection or transaction. */
export interface DriverQueryable {
  query(sql: string, params: readonly unknown[]): Promise<ResultSet>
  execute(sql: string, params: readonly unknown[]): Promise<number>
}

/** What a driver does for a connection. */
export interface Driver extends DriverQueryable {
  readonly dialect: Dialect
  readonly adapterName: string
  transaction<T>(work: (tx: DriverQueryable) => Promise<T>, isolationLevel: IsolationLevel | undefined): Promise<T>
  close(): Promise<void>
}

/** Makes the engine for a dialect. Each is imported only when it is needed. */
async function engineFor(dialect: Dialect, options: EngineOptions): Promise<Engine> {
  // By the package's own name, so that each runtime and bundler takes its entry.
  switch (dialect) {
    case 'postgres':
      return (await import('rowjet/postgres')).createEngine(undefined, options)
    case 'mysql':
      return (await import('rowjet/mysql')).createEngine(undefined, options)
    case 'sqlite':
      return (await import('rowjet/sqlite')).createEngine(undefined, options)
  }
}

/** The engine that the options ask for. */
export async function engineOf(dialect: Dialect, options: ConnectOptions): Promise<Engine> {
  const { engine, maxBytes, memoryLimit } = options
  if (engine === undefined) {
    return engineFor(dialect, { ...(maxBytes !== undefined && { maxBytes }), ...(memoryLimit !== undefined && { memoryLimit }) })
  }
  if (engine.dialect !== dialect) throw new TypeError(`options.engine is for ${engine.dialect}, but the database is ${dialect}`)
  if (maxBytes !== undefined || memoryLimit !== undefined) {
    throw new TypeError('maxBytes and memoryLimit belong to the engine: give them to createEngine, or leave options.engine out')
  }
  return engine
}

/** Makes a connection of a driver. */
export async function connectDriver(driver: Driver, options: ConnectOptions): Promise<Database> {
  let engine: Engine
  try {
    engine = await engineOf(driver.dialect, options)
  } catch (error) {
    await driver.close().catch(() => undefined) // the first error is the one to tell
    throw error
  }
  return new Connection(driver, engine, options.signal)
}

/** Runs queries on one driver queryable until it is ended. */
class Session implements Queryable {
  readonly #driver: DriverQueryable
  readonly #engine: Engine
  readonly #signal: AbortSignal | undefined
  readonly #what: string
  #open = true

  constructor(driver: DriverQueryable, engine: Engine, signal: AbortSignal | undefined, what: string) {
    this.#driver = driver
    this.#engine = engine
    this.#signal = signal
    this.#what = what
  }

  /** From now on every call is an error. */
  end(): void {
    this.#open = false
  }

  async queryRaw<Row extends object>(sql: string, params: readonly unknown[] = [], options: CallOptions = {}): Promise<Result<Row>> {
    return this.#engine.serialize<Row>(await this.#query(sql, params, options.signal))
  }

  async executeRaw(sql: string, params: readonly unknown[] = [], options: CallOptions = {}): Promise<number> {
    return this.run(() => this.#driver.execute(sql, params), options.signal)
  }

  stream(sql: string, params: readonly unknown[] = [], options: StreamOptions = {}): ReadableStream<Uint8Array<ArrayBuffer>> {
    const signal = joined(this.#signal, options.signal)
    let reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: async (controller) => {
          reader ??= streamOf(this.#engine, await this.#query(sql, params, options.signal), signal === undefined ? options : { ...options, signal }).getReader()
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        },
        cancel: async (reason) => reader?.cancel(reason),
      },
      { highWaterMark: 0 },
    )
  }

  async *batches<Row extends object>(
    sql: string, params: readonly unknown[] = [], options: CallOptions & { size?: number } = {},
  ): AsyncGenerator<Result<Row>, void, undefined> {
    const { size = 1000 } = options
    checkBatchSize(size) // before anything runs
    const resultSet = await this.#query(sql, params, options.signal)
    for (const batch of this.#engine.batches<Row>(resultSet, size)) {
      this.#signal?.throwIfAborted()
      options.signal?.throwIfAborted()
      yield batch
    }
  }

  #query(sql: string, params: readonly unknown[], signal: AbortSignal | undefined): Promise<ResultSet> {
    return this.run(() => this.#driver.query(sql, params), signal)
  }

  /** Does some work unless the session has ended or is aborted, and no longer waits for it once it is. */
  async run<T>(work: () => Promise<T>, own: AbortSignal | undefined): Promise<T> {
    if (!this.#open) throw new RowjetError('CONNECTION_CLOSED', `the ${this.#what} has ended: make a new one`)
    const signal = joined(this.#signal, own)
    if (signal === undefined) return work()
    signal.throwIfAborted()
    return new Promise<T>((resolve, reject) => {
      const abort = (): void => reject(signal.reason as Error)
      signal.addEventListener('abort', abort, { once: true })
      work()
        .then(resolve, reject)
        .finally(() => signal.removeEventListener('abort', abort))
    })
  }
}

/** One signal for two; not AbortSignal.any where there is only one to wait for. */
export function joined(a: AbortSignal | undefined, b: AbortSignal | undefined): AbortSignal | undefined {
  return a === undefined || b === undefined ? (a ?? b) : AbortSignal.any([a, b])
}

class Connection extends Session implements Database {
  readonly dialect: Dialect
  readonly adapterName: string
  readonly #connection: Driver
  readonly #uses: Engine
  readonly #abort: AbortSignal | undefined

  constructor(driver: Driver, engine: Engine, signal: AbortSignal | undefined) {
    super(driver, engine, signal, 'connection')
    this.dialect = driver.dialect
    this.adapterName = driver.adapterName
    this.#connection = driver
    this.#uses = engine
    this.#abort = signal
  }

  async transaction<T>(work: (tx: Queryable) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const { isolationLevel } = options
    // It goes into SQL text as it is.
    if (isolationLevel !== undefined && !isolationLevels.includes(isolationLevel)) {
      throw new TypeError(`the isolation level is one of ${isolationLevels.join(', ')}, not ${String(isolationLevel)}`)
    }
    const signal = joined(this.#abort, options.signal)
    // Not run(): an abort has to end the transaction, not only the wait for it.
    return this.run(async () => this.#connection.transaction(async (driver) => {
      const tx = new Session(driver, this.#uses, signal, 'transaction')
      try {
        const value = await tx.run(() => runInside([this], async () => work(tx)), undefined)
        signal?.throwIfAborted()
        return value
      } finally {
        tx.end()
      }
    }, isolationLevel), undefined)
  }

  async close(): Promise<void> {
    refuseToClose(this)
    this.end()
    await this.#connection.close()
  }
}
