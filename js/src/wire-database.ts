// What `connect` gives for drivers whose PostgreSQL messages go to the module as they come.

import {
  engineOf, joined, type CallOptions, type ConnectOptions, type Database, type IsolationLevel, type Queryable, type TransactionOptions,
} from './database.js'
import type { StreamOptions } from './engine.js'
import { RowjetError } from './errors.js'
import type { Result } from './result.js'
import type { TypeName } from './types.js'
import { BatchSink, checkTypeMap, ResultBuilder, RowCounter, StreamSink, typeCodes, typeMap, WireContext, type Flow, type WireSink } from './wire.js'

/** Options of `connect`. */
export interface WireOptions extends ConnectOptions {
  /**
   * Types that are not built in, by OID. Enums, composites, ranges and types of extensions are `string` otherwise, and
   * so are arrays of them: `{ 16385: 'enum', 16384: 'enum-array' }`.
   */
  types?: Readonly<Record<number, TypeName | 'enum-array'>>
}

/** A statement: SQL with parameters $1, $2 …; or an object, for what the driver knows beyond that, such as a name for a prepared statement. */
export type Statement = string | { readonly text: string; readonly name?: string; readonly values?: readonly unknown[] }

/** {@link Queryable}, and what only these drivers can do. */
export interface WireQueryable extends Queryable {
  queryRaw<Row extends object = Record<string, unknown>>(sql: Statement, params?: readonly unknown[], options?: CallOptions): Promise<Result<Row>>
  /** Runs several statements, separated by semicolons, and gives a result for each; those without rows have no columns. */
  queryRawAll(sql: Statement, params?: readonly unknown[], options?: CallOptions): Promise<Result[]>
  executeRaw(sql: Statement, params?: readonly unknown[], options?: CallOptions): Promise<number>
  stream(sql: Statement, params?: readonly unknown[], options?: StreamOptions): ReadableStream<Uint8Array<ArrayBuffer>>
  batches<Row extends object = Record<string, unknown>>(sql: Statement, params?: readonly unknown[], options?: CallOptions & { size?: number }): AsyncGenerator<Result<Row>, void, undefined>
}

/** A transaction. */
export interface WireTransaction extends WireQueryable {
  /** A part of the transaction that can fail on its own: a savepoint. */
  transaction<T>(work: (tx: WireTransaction) => Promise<T>, options?: CallOptions): Promise<T>
}

/** A connection: a {@link Database} that can do more. */
export interface WireDatabase extends WireQueryable {
  readonly dialect: 'postgres'
  /** The driver's name. */
  readonly adapterName: string
  /**
   * Runs `work` in a transaction: commits when its promise is fulfilled, rolls back and passes the error on when not.
   *
   * @throws RowjetError TRANSACTION_ROLLED_BACK if there is nothing to commit, since a statement has failed.
   */
  transaction<T>(work: (tx: WireTransaction) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Ends what `connect` opened. A handle that was passed in stays open. */
  close(): Promise<void>
}

/** A query for a driver to run. */
export interface WireQuery {
  readonly statement: Statement
  readonly params: readonly unknown[]
  readonly sink: WireSink
  /** Its rows may be read slowly, and not to the end. */
  readonly paced: boolean
  /** Stops the query in the database; it fails with the signal's reason. */
  readonly signal: AbortSignal | undefined
}

/** A query that runs. */
export interface Running extends Flow {
  /** Settles when the connection can be used for the next query. */
  readonly done: Promise<void>
  /** No more rows are wanted: `done` is fulfilled as soon as it can be. */
  stop(): void
}

/** Runs queries. */
export interface WireSession {
  start(query: WireQuery): Running
}

/** A connection for one transaction. */
export interface ReservedSession extends WireSession {
  /** Gives the connection back; with an error it must not be used again. */
  release(error?: unknown): void
}

/** What a driver does. */
export interface WireDriver extends WireSession {
  readonly adapterName: string
  /** Is called once, before anything runs. */
  attach?(context: WireContext): void
  /** Takes a connection that no one else uses until it is given back. */
  reserve(signal: AbortSignal | undefined): Promise<ReservedSession>
  close(): Promise<void>
}

/** What a semicolon means nothing in: strings, quoted names, dollar-quoted strings, comments. */
const opaque = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[^]*?\$\1\$|--[^\n]*|\/\*[^]*?\*\//g

/**
 * Tells whether a query is several statements, which only the simple protocol takes. It may say so of one statement, in
 * rare cases.
 */
export function isScript({ statement, params }: WireQuery): boolean {
  const text = typeof statement === 'string' ? statement : statement.text
  return params.length === 0 && text.includes(';') && /;\s*\S/.test(text.replace(opaque, ' '))
}

/** Makes a connection of a driver. */
export async function connectWire(driver: WireDriver, options: WireOptions): Promise<WireDatabase> {
  try {
    const types = typeMap(typeCodes(options.types))
    const engine = await engineOf('postgres', options)
    checkTypeMap(engine, types)
    const context = new WireContext(engine, types)
    driver.attach?.(context)
    return new Connection(driver, context, options.signal) satisfies Database
  } catch (error) {
    await driver.close().catch(() => undefined) // the first error is the one to tell
    throw error
  }
}

const ignore = (): void => undefined

class Session implements WireQueryable {
  protected readonly context: WireContext
  protected readonly signal: AbortSignal | undefined
  readonly #driver: WireSession
  readonly #what: string
  /** Streams and batches that have not come to their end. */
  readonly #open = new Set<{ running: Running; fail(error: unknown): void }>()
  #ended: RowjetError | undefined

  constructor(driver: WireSession, context: WireContext, signal: AbortSignal | undefined, what: string) {
    this.#driver = driver
    this.context = context
    this.signal = signal
    this.#what = what
  }

  /** From now on every call is an error. What is still being read is stopped. */
  async end(): Promise<void> {
    this.#ended ??= new RowjetError('CONNECTION_CLOSED', `the ${this.#what} has ended: make a new one`)
    const open = [...this.#open]
    for (const { running, fail } of open) {
      fail(this.#ended)
      running.stop()
    }
    await Promise.allSettled(open.map(({ running }) => running.done))
  }

  async queryRaw<Row extends object>(statement: Statement, params?: readonly unknown[], options?: CallOptions): Promise<Result<Row>> {
    return (await this.#build(statement, params, options, false)).first() as Result<Row>
  }

  async queryRawAll(statement: Statement, params?: readonly unknown[], options?: CallOptions): Promise<Result[]> {
    return (await this.#build(statement, params, options, true)).results
  }

  async executeRaw(statement: Statement, params?: readonly unknown[], options?: CallOptions): Promise<number> {
    const counter = new RowCounter()
    try {
      await this.#start(statement, params, counter, false, options?.signal).done
    } catch (error) {
      throw restacked(error)
    }
    return counter.affected
  }

  stream(statement: Statement, params?: readonly unknown[], options: StreamOptions = {}): ReadableStream<Uint8Array<ArrayBuffer>> {
    const sink = new StreamSink(this.context, options.shape)
    const { settle } = options
    // All types are known from their OIDs before the first row, so that there is nothing to settle.
    if (settle !== undefined && !['declared', 'scan', 'buffer', 'unknown'].includes(settle)) {
      throw new TypeError(`settle is 'declared', 'scan', 'buffer' or 'unknown', not ${String(settle)}`)
    }
    let running: Running | undefined
    let cancelled = false
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: async (controller) => {
          running ??= this.#feed(statement, params, sink, options.signal)
          const piece = await sink.next()
          if (cancelled) return
          if (piece === undefined) controller.close()
          else controller.enqueue(piece)
        },
        cancel: async () => {
          cancelled = true
          sink.dispose()
          running?.stop()
          await running?.done.catch(ignore)
        },
      },
      { highWaterMark: 0 },
    )
  }

  async *batches<Row extends object>(
    statement: Statement, params?: readonly unknown[], options: CallOptions & { size?: number } = {},
  ): AsyncGenerator<Result<Row>, void, undefined> {
    const sink = new BatchSink(this.context, options.size ?? 1000)
    const running = this.#feed(statement, params, sink, options.signal)
    try {
      for (;;) {
        const batch = await sink.next()
        if (batch === undefined) return
        yield batch as Result<Row>
      }
    } finally {
      running.stop()
      await running.done.catch(ignore)
    }
  }

  /** Runs SQL of our own; gives the tag of the last statement. */
  protected async command(sql: string): Promise<string> {
    let last = ''
    const sink: WireSink = {
      room: Infinity,
      columns: ignore,
      rows: ignore,
      complete(tag) {
        last = tag
      },
    }
    await this.#driver.start({ statement: sql, params: [], sink, paced: false, signal: undefined }).done
    return last
  }

  async #build(statement: Statement, params: readonly unknown[] | undefined, options: CallOptions | undefined, all: boolean): Promise<ResultBuilder> {
    const builder = new ResultBuilder(this.context, all)
    try {
      await this.#start(statement, params, builder, false, options?.signal).done
    } catch (error) {
      throw restacked(error)
    } finally {
      builder.dispose()
    }
    return builder
  }

  /** Runs a query for a sink that is read at its own pace. */
  #feed(statement: Statement, params: readonly unknown[] | undefined, sink: StreamSink | BatchSink, own: AbortSignal | undefined): Running {
    const running = this.#start(statement, params, sink, true, own)
    sink.flow = running
    const open = { running, fail: (error: unknown) => sink.fail(error) }
    this.#open.add(open)
    const signal = joined(this.signal, own)
    const abort = (): void => sink.fail(signal?.reason) // the reader need not wait for the database
    signal?.addEventListener('abort', abort, { once: true })
    running.done
      .then(() => sink.end())
      .catch((error: unknown) => sink.fail(error))
      .finally(() => {
        this.#open.delete(open)
        signal?.removeEventListener('abort', abort)
      })
    return running
  }

  #start(statement: Statement, params: readonly unknown[] | undefined, sink: WireSink, paced: boolean, own: AbortSignal | undefined): Running {
    if (this.#ended !== undefined) throw new RowjetError('CONNECTION_CLOSED', `the ${this.#what} has ended: make a new one`)
    if (params !== undefined && !Array.isArray(params)) throw new TypeError('the parameters are an array')
    const signal = joined(this.signal, own)
    signal?.throwIfAborted()
    const values = params ?? (typeof statement === 'object' ? statement.values : undefined) ?? []
    return this.#driver.start({ statement, params: values, sink, paced, signal })
  }
}

/** A database's error comes out of a socket's event; it is of more use with the way back to its query. */
function restacked(error: unknown): unknown {
  if (error instanceof Error && 'severity' in error) (Error as { captureStackTrace?: (error: Error) => void }).captureStackTrace?.(error)
  return error
}

/** The isolation levels of PostgreSQL. */
const isolationLevels: readonly IsolationLevel[] = ['READ UNCOMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE']

/** Runs the work of a transaction, and no longer waits for it once the signal says so. */
async function whileNotAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  signal.throwIfAborted()
  let abort: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abort!)
  }
}

class Transaction extends Session implements WireTransaction {
  readonly #driver: WireSession
  readonly #depth: number
  #last: Promise<unknown> = Promise.resolve()

  constructor(driver: WireSession, context: WireContext, signal: AbortSignal | undefined, depth: number) {
    super(driver, context, signal, 'transaction')
    this.#driver = driver
    this.#depth = depth
  }

  /** Begins, works, and commits; or rolls back and passes the error on. */
  async run<T>(work: (tx: WireTransaction) => Promise<T>, begin: string, commit: string, rollBack: string): Promise<T> {
    await this.command(begin)
    let value: T
    try {
      value = await whileNotAborted((async () => work(this))(), this.signal)
      await this.end()
    } catch (error) {
      await this.end()
      await this.command(rollBack).catch(ignore) // a connection that can't do that is lost, and the transaction with it
      throw error
    }
    // Of a transaction in which a statement has failed, COMMIT is ROLLBACK, and no error.
    if ((await this.command(commit)) === 'ROLLBACK') {
      throw new RowjetError('TRANSACTION_ROLLED_BACK', 'a statement in the transaction had failed, so the database rolled it back: pass the error on, or run what may fail in a transaction inside of it')
    }
    return value
  }

  async transaction<T>(work: (tx: WireTransaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    if (options.isolationLevel !== undefined) throw new TypeError('a transaction inside of a transaction has the isolation level of the outer one')
    const name = `rowjet_${this.#depth}`
    const inner = new Transaction(this.#driver, this.context, joined(this.signal, options.signal), this.#depth + 1)
    // Savepoints are a stack: two at a time would end each other.
    const before = this.#last
    const run = (async () => {
      await before.catch(ignore)
      return inner.run(work, `SAVEPOINT ${name}`, `RELEASE SAVEPOINT ${name}`, `ROLLBACK TO SAVEPOINT ${name}; RELEASE SAVEPOINT ${name}`)
    })()
    this.#last = run.catch(ignore)
    return run
  }
}

class Connection extends Session implements WireDatabase {
  readonly dialect = 'postgres'
  readonly adapterName: string
  readonly #connection: WireDriver
  #closed = false

  constructor(driver: WireDriver, context: WireContext, signal: AbortSignal | undefined) {
    super(driver, context, signal, 'connection')
    this.adapterName = driver.adapterName
    this.#connection = driver
  }

  async transaction<T>(work: (tx: WireTransaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const { isolationLevel } = options
    // It goes into SQL text as it is.
    if (isolationLevel !== undefined && !isolationLevels.includes(isolationLevel)) {
      throw new TypeError(`the isolation level is one of ${isolationLevels.join(', ')}, not ${String(isolationLevel)}`)
    }
    if (this.#closed) throw new RowjetError('CONNECTION_CLOSED', 'the connection has ended: make a new one')
    const signal = joined(this.signal, options.signal)
    signal?.throwIfAborted()
    const session = await this.#connection.reserve(signal)
    try {
      const tx = new Transaction(session, this.context, signal, 1)
      return await tx.run(work, isolationLevel === undefined ? 'BEGIN' : `BEGIN ISOLATION LEVEL ${isolationLevel}`, 'COMMIT', 'ROLLBACK')
    } finally {
      session.release()
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.end()
    await this.#connection.close()
  }
}
