// What `connect` gives for drivers whose messages go to the module as they come.

import {
  engineOf, joined, type CallOptions, type ConnectOptions, type Database, type IsolationLevel, type Queryable, type TransactionOptions,
} from './database.js'
import type { StreamOptions } from './engine.js'
import { RowjetError } from './errors.js'
import type { Result } from './result.js'
import { refuseInside, refuseToClose, runInside } from './scope.js'
import type { TypeName } from './types.js'
import {
  BatchSink, checkTypeMap, postgresProtocol, ResultBuilder, RowCounter, StreamSink, typeCodes, typeMap, WireContext, type Flow, type WireProtocol, type WireSink,
} from './wire.js'

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

/** {@link Queryable}, and what only these drivers can do. `S` is what they take for a statement. */
export interface WireQueryable<S = Statement> extends Queryable {
  queryRaw<Row extends object = Record<string, unknown>>(sql: string | S, params?: readonly unknown[], options?: CallOptions): Promise<Result<Row>>
  /** Runs several statements, separated by semicolons, and gives a result for each; those without rows have no columns. */
  queryRawAll(sql: string | S, params?: readonly unknown[], options?: CallOptions): Promise<Result[]>
  executeRaw(sql: string | S, params?: readonly unknown[], options?: CallOptions): Promise<number>
  stream(sql: string | S, params?: readonly unknown[], options?: StreamOptions): ReadableStream<Uint8Array<ArrayBuffer>>
  batches<Row extends object = Record<string, unknown>>(sql: string | S, params?: readonly unknown[], options?: CallOptions & { size?: number }): AsyncGenerator<Result<Row>, void, undefined>
}

/** A transaction. */
export interface WireTransaction<S = Statement> extends WireQueryable<S> {
  /** A part of the transaction that can fail on its own: a savepoint. */
  transaction<T>(work: (tx: WireTransaction<S>) => Promise<T>, options?: CallOptions): Promise<T>
}

/** A connection: a {@link Database} that can do more. */
export interface WireDatabase<S = Statement, D extends 'postgres' | 'mysql' = 'postgres'> extends WireQueryable<S> {
  readonly dialect: D
  /** The driver's name. */
  readonly adapterName: string
  /**
   * Runs `work` in a transaction: commits when its promise is fulfilled, rolls back and passes the error on when not.
   *
   * @throws RowjetError TRANSACTION_ROLLED_BACK if there is nothing to commit, since a statement has failed.
   */
  transaction<T>(work: (tx: WireTransaction<S>) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Ends what `connect` opened. A handle that was passed in stays open. Inside of a transaction it is the error TRANSACTION_OPEN. */
  close(): Promise<void>
}

/** A query for a driver to run. */
export interface WireQuery<S = Statement> {
  readonly statement: string | S
  readonly params: readonly unknown[]
  readonly sink: WireSink
  /** Its rows may be read slowly, and not to the end. */
  readonly paced: boolean
  /** Stops the query in the database; it fails with the signal's reason. */
  readonly signal: AbortSignal | undefined
  /** It begins or ends a transaction, or a part of one. */
  readonly control?: boolean
}

/** A query that runs. */
export interface Running extends Flow {
  /** Settles when the connection can be used for the next query. */
  readonly done: Promise<void>
  /** No more rows are wanted: `done` is fulfilled as soon as it can be. */
  stop(): void
}

/** Runs queries. */
export interface WireSession<S = Statement> {
  start(query: WireQuery<S>): Running
}

/** A connection for one transaction. */
export interface ReservedSession<S = Statement> extends WireSession<S> {
  /** Gives the connection back; with an error it must not be used again. */
  release(error?: unknown): void
}

/** What a driver does. */
export interface WireDriver<S = Statement> extends WireSession<S> {
  readonly adapterName: string
  /** Is called once, before anything runs. */
  attach?(context: WireContext): void
  /** The driver's connection, if transactions are on the one that everything else is on too. */
  readonly handle?: object | undefined
  /** Takes a connection that no one else uses until it is given back. */
  reserve(signal: AbortSignal | undefined): Promise<ReservedSession<S>>
  close(): Promise<void>
}

/** What is particular to a database. */
export interface WireDialect<D extends 'postgres' | 'mysql'> {
  readonly name: D
  readonly protocol: WireProtocol
  readonly isolationLevels: readonly IsolationLevel[]
  /** The statements that begin a transaction. */
  begin(isolationLevel: IsolationLevel | undefined): readonly string[]
  /** The statements that undo what came after a savepoint, and forget it. */
  rollBackTo(savepoint: string): readonly string[]
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

const postgres: WireDialect<'postgres'> = {
  name: 'postgres',
  protocol: postgresProtocol,
  isolationLevels: ['READ UNCOMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'],
  begin: (isolationLevel) => [isolationLevel === undefined ? 'BEGIN' : `BEGIN ISOLATION LEVEL ${isolationLevel}`],
  rollBackTo: (savepoint) => [`ROLLBACK TO SAVEPOINT ${savepoint}; RELEASE SAVEPOINT ${savepoint}`],
}

/** Makes a connection of a PostgreSQL driver. */
export async function connectWire(driver: WireDriver, options: WireOptions): Promise<WireDatabase> {
  let types: Uint8Array
  try {
    types = typeMap(typeCodes(options.types))
  } catch (error) {
    await driver.close().catch(() => undefined) // the first error is the one to tell
    throw error
  }
  return connectDialect<Statement, 'postgres'>(driver, options, postgres, types)
}

/** Makes a connection of a driver. `types` is a type map, see {@link typeMap}. */
export async function connectDialect<S, D extends 'postgres' | 'mysql'>(driver: WireDriver<S>, options: ConnectOptions, dialect: WireDialect<D>, types: Uint8Array): Promise<WireDatabase<S, D>> {
  try {
    const engine = await engineOf(dialect.name, options)
    if (dialect.name === 'postgres') checkTypeMap(engine, types)
    const context = new WireContext(engine, types, dialect.protocol)
    driver.attach?.(context)
    return new Connection<S, D>(driver, context, options.signal, dialect) satisfies Database
  } catch (error) {
    await driver.close().catch(() => undefined)
    throw error
  }
}

const ignore = (): void => undefined

class Session<S> implements WireQueryable<S> {
  protected readonly context: WireContext
  protected readonly signal: AbortSignal | undefined
  readonly #driver: WireSession<S>
  readonly #what: string
  /** Streams and batches that have not come to their end. */
  readonly #open = new Set<{ running: Running; fail(error: unknown): void }>()
  #ended: RowjetError | undefined

  constructor(driver: WireSession<S>, context: WireContext, signal: AbortSignal | undefined, what: string) {
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

  async queryRaw<Row extends object>(statement: string | S, params?: readonly unknown[], options?: CallOptions): Promise<Result<Row>> {
    return (await this.#build(statement, params, options, false)).first() as Result<Row>
  }

  async queryRawAll(statement: string | S, params?: readonly unknown[], options?: CallOptions): Promise<Result[]> {
    return (await this.#build(statement, params, options, true)).results
  }

  async executeRaw(statement: string | S, params?: readonly unknown[], options?: CallOptions): Promise<number> {
    const counter = new RowCounter()
    try {
      await this.#start(statement, params, counter, false, options?.signal).done
    } catch (error) {
      throw restacked(error)
    }
    return counter.affected
  }

  stream(statement: string | S, params?: readonly unknown[], options: StreamOptions = {}): ReadableStream<Uint8Array<ArrayBuffer>> {
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
    statement: string | S, params?: readonly unknown[], options: CallOptions & { size?: number } = {},
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

  /** Throws if nothing can be run here now. */
  protected guard(): void {}

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
    await this.#driver.start({ statement: sql, params: [], sink, paced: false, signal: undefined, control: true }).done
    return last
  }

  async #build(statement: string | S, params: readonly unknown[] | undefined, options: CallOptions | undefined, all: boolean): Promise<ResultBuilder> {
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
  #feed(statement: string | S, params: readonly unknown[] | undefined, sink: StreamSink | BatchSink, own: AbortSignal | undefined): Running {
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

  #start(statement: string | S, params: readonly unknown[] | undefined, sink: WireSink, paced: boolean, own: AbortSignal | undefined): Running {
    if (this.#ended !== undefined) throw new RowjetError('CONNECTION_CLOSED', `the ${this.#what} has ended: make a new one`)
    if (params !== undefined && !Array.isArray(params)) throw new TypeError('the parameters are an array')
    this.guard()
    const signal = joined(this.signal, own)
    signal?.throwIfAborted()
    const values = params ?? (typeof statement === 'object' && statement !== null ? (statement as { values?: readonly unknown[] }).values : undefined) ?? []
    return this.#driver.start({ statement, params: values, sink, paced, signal })
  }
}

/** A database's error comes out of a socket's event; it is of more use with the way back to its query. */
function restacked(error: unknown): unknown {
  if (error instanceof Error && ('severity' in error || 'sqlState' in error)) (Error as { captureStackTrace?: (error: Error) => void }).captureStackTrace?.(error)
  return error
}

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

class Transaction<S> extends Session<S> implements WireTransaction<S> {
  readonly #driver: WireSession<S>
  readonly #dialect: WireDialect<any>
  readonly #depth: number
  #last: Promise<unknown> = Promise.resolve()

  constructor(driver: WireSession<S>, context: WireContext, signal: AbortSignal | undefined, dialect: WireDialect<any>, depth: number) {
    super(driver, context, signal, 'transaction')
    this.#driver = driver
    this.#dialect = dialect
    this.#depth = depth
  }

  /** Begins, works, and commits; or rolls back and passes the error on. */
  async run<T>(work: (tx: WireTransaction<S>) => Promise<T>, begin: readonly string[], commit: string, rollBack: readonly string[]): Promise<T> {
    for (const sql of begin) await this.command(sql)
    let value: T
    try {
      value = await whileNotAborted((async () => work(this))(), this.signal)
      await this.end()
    } catch (error) {
      await this.end()
      // A connection that can't do that is lost, and the transaction with it.
      for (const sql of rollBack) await this.command(sql).catch(ignore)
      throw error
    }
    // Of a transaction in which a statement has failed, PostgreSQL's COMMIT is ROLLBACK, and no error.
    if ((await this.command(commit)) === 'ROLLBACK') throw rolledBack()
    return value
  }

  async transaction<T>(work: (tx: WireTransaction<S>) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    if (options.isolationLevel !== undefined) throw new TypeError('a transaction inside of a transaction has the isolation level of the outer one')
    // It would wait for the one that it is inside of.
    refuseInside(this)
    const name = `rowjet_${this.#depth}`
    const inner = new Transaction<S>(this.#driver, this.context, joined(this.signal, options.signal), this.#dialect, this.#depth + 1)
    // Savepoints are a stack: two at a time would end each other.
    const before = this.#last
    const run = (async () => {
      await before.catch(ignore)
      return inner.run((tx) => runInside([this], async () => work(tx)), [`SAVEPOINT ${name}`], `RELEASE SAVEPOINT ${name}`, this.#dialect.rollBackTo(name))
    })()
    this.#last = run.catch(ignore)
    return run
  }
}

/** The error of a transaction that there is nothing to commit of. */
export function rolledBack(): RowjetError {
  return new RowjetError('TRANSACTION_ROLLED_BACK', 'a statement in the transaction had failed, so the database rolled it back: pass the error on, or run what may fail in a transaction inside of it')
}

class Connection<S, D extends 'postgres' | 'mysql'> extends Session<S> implements WireDatabase<S, D> {
  readonly dialect: D
  readonly adapterName: string
  /** Is only kept. */
  readonly samples: unknown
  readonly #connection: WireDriver<S>
  readonly #dialect: WireDialect<D>
  #closing: Promise<void> | undefined

  constructor(driver: WireDriver<S>, context: WireContext, signal: AbortSignal | undefined, dialect: WireDialect<D>) {
    super(driver, context, signal, 'connection')
    this.dialect = dialect.name
    this.adapterName = driver.adapterName
    this.samples = ResultBuilder.samples(context)
    this.#connection = driver
    this.#dialect = dialect
  }

  async transaction<T>(work: (tx: WireTransaction<S>) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const { isolationLevel } = options
    const { isolationLevels } = this.#dialect
    // It goes into SQL text as it is.
    if (isolationLevel !== undefined && !isolationLevels.includes(isolationLevel)) {
      throw new TypeError(`the isolation level is one of ${isolationLevels.join(', ')}, not ${String(isolationLevel)}`)
    }
    if (this.#closing !== undefined) throw new RowjetError('CONNECTION_CLOSED', 'the connection has ended: make a new one')
    this.guard()
    const signal = joined(this.signal, options.signal)
    signal?.throwIfAborted()
    const session = await this.#connection.reserve(signal)
    try {
      const tx = new Transaction<S>(session, this.context, signal, this.#dialect, 1)
      const { handle } = this.#connection
      const keys = handle === undefined ? [this] : [handle, this]
      return await tx.run((tx) => runInside(keys, async () => work(tx)), this.#dialect.begin(isolationLevel), 'COMMIT', ['ROLLBACK'])
    } finally {
      session.release()
    }
  }

  protected override guard(): void {
    const { handle } = this.#connection
    if (handle !== undefined) refuseInside(handle)
  }

  async close(): Promise<void> {
    refuseToClose(this)
    // Drivers refuse to be closed twice, or wait forever.
    await (this.#closing ??= (async () => {
      await this.end()
      await this.#connection.close()
    })())
  }
}
