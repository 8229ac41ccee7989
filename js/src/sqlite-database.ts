// What `connect` gives for SQLite, whatever the driver: this file has all but the driver.

import { engineOf, joined, type CallOptions, type ConnectOptions, type Database, type Queryable, type TransactionOptions } from './database.js'
import type { Engine, StreamOptions } from './engine.js'
import { RowjetError } from './errors.js'
import { Gate } from './gate.js'
import { checkBatchSize, headRoom } from './output.js'
import { Result } from './result.js'
import { PlainRows } from './sqlite-plain.js'
import { refuseInside, refuseToClose, runInside } from './scope.js'
import { bindable, type Bindable, type SQLiteParams } from './sqlite-params.js'
import { FrameKeeper, shapeOf } from './sqlite-frames.js'
import { RowsSource } from './sqlite-labels.js'
import { batchesOf, chunkRows, Cursor, documentOf, type RowSource } from './sqlite-stream.js'
import { Seen, type Columns, type DatetimeUnit } from './sqlite-types.js'

export type { SQLiteParams } from './sqlite-params.js'
export type { DatetimeUnit } from './sqlite-types.js'

/** Options of `connect`. */
export interface SQLiteOptions extends ConnectOptions {
  /**
   * What the numbers in DATE, DATETIME and TIMESTAMP columns are: seconds (`unixepoch`) or milliseconds (`ms`) since 1970,
   * or Julian days. They become dates then, and Date parameters become such numbers. Default: numbers stay numbers, and a
   * Date parameter is text such as `2024-02-29T12:34:56.789+00:00`.
   */
  datetime?: DatetimeUnit
}

/** Options of a call that gives rows bit by bit. */
export interface SQLiteStreamOptions extends StreamOptions {
  /**
   * SQLite knows the types of columns only when it has seen the last row, but the types come first. Where they are from:
   * - `scan`: the query is run twice, in one snapshot, the first time for the types only. The default; statements that
   *   change something can't be run twice and are like `buffer`.
   * - `buffer`: rows are read once, and kept, encoded, until the last has come. Lets go of the database at once.
   * - `declared`: from the declared types, and for expressions from the first 256 rows. A later value that does not fit is
   *   the error LABEL_UNSETTLED.
   * - `unknown`: all columns are labelled `unknown`, and any value goes.
   */
  settle?: 'scan' | 'buffer' | 'declared' | 'unknown'
}

/** Options of {@link SQLiteQueryable.batches}. */
export interface SQLiteBatchOptions extends CallOptions {
  /** Rows in a batch; the last may have fewer. Default: 1,000. */
  size?: number
  /** See {@link SQLiteStreamOptions}. */
  settle?: SQLiteStreamOptions['settle']
}

/** Options of {@link SQLiteDatabase.transaction}. */
export interface SQLiteTransactionOptions extends TransactionOptions {
  /**
   * When the database is locked: `deferred` (default): at the first read or write; `immediate`: at once, for writing;
   * `exclusive`: at once, also for readers, but in WAL mode like `immediate`. https://sqlite.org/lang_transaction.html
   */
  mode?: TransactionMode
}

export type TransactionMode = 'deferred' | 'immediate' | 'exclusive'

/** {@link Queryable} with parameters by name, and more to choose. */
export interface SQLiteQueryable extends Queryable {
  queryRaw<Row extends object = Record<string, unknown>>(sql: string, params?: SQLiteParams, options?: CallOptions): Promise<Result<Row>>
  executeRaw(sql: string, params?: SQLiteParams, options?: CallOptions): Promise<number>
  stream(sql: string, params?: SQLiteParams, options?: SQLiteStreamOptions): ReadableStream<Uint8Array<ArrayBuffer>>
  batches<Row extends object = Record<string, unknown>>(sql: string, params?: SQLiteParams, options?: SQLiteBatchOptions): AsyncGenerator<Result<Row>, void, undefined>
}

/** A transaction. */
export interface SQLiteTransaction extends SQLiteQueryable {
  /** A part of the transaction that can fail on its own: a savepoint. */
  transaction<T>(work: (tx: SQLiteTransaction) => Promise<T>, options?: CallOptions): Promise<T>
}

/** A connection: a {@link Database} that can do more. */
export interface SQLiteDatabase extends SQLiteQueryable {
  readonly dialect: 'sqlite'
  /** The driver's name. */
  readonly adapterName: string
  /**
   * Runs `work` in a transaction: commits when its promise is fulfilled, rolls back and passes the error on when not.
   * There is one connection, so that other calls, and other transactions, wait until this one is over; calls on the
   * connection from inside of `work` would wait forever, and are the error TRANSACTION_OPEN: use `tx` there.
   */
  transaction<T>(work: (tx: SQLiteTransaction) => Promise<T>, options?: SQLiteTransactionOptions): Promise<T>
  /** Ends what `connect` opened. A handle that was passed in stays open. Inside of a transaction it is the error TRANSACTION_OPEN. */
  close(): Promise<void>
}

/** The rows of a statement, all at once. They may be changed. */
export interface Answer {
  readonly columns: Columns
  readonly rows: unknown[][]
}

/** A prepared statement. */
export interface SQLiteStatement {
  /** It changes nothing, so that it can be run twice. False also where nobody knows. */
  readonly readonly: boolean
  /** Its rows are so wide that for a document it is faster to read them one by one than all at once. */
  readonly wide?: boolean
  /** What the last result was asked for: the next one will likely be asked for the same. */
  asked?: 'rows' | 'document'
  all(params: Bindable[] | Record<string, Bindable>): Answer | Promise<Answer>
  /** Gives the number of rows that were changed. */
  run(params: Bindable[] | Record<string, Bindable>): number | Promise<number>
  /** Reads rows one by one. Undefined if the driver can't, or if the statement has no rows to read. */
  iterate?(params: Bindable[] | Record<string, Bindable>): { readonly columns: Columns; readonly rows: Iterator<unknown[]> } | undefined
  /** Ends it. May be called more than once. */
  free?(): void
}

/** Runs statements. */
export interface SQLiteSession {
  /**
   * Prepares a statement, or gives one that is prepared already. `fresh`: one of its own, since it will be kept open.
   */
  prepare(sql: string, fresh: boolean): SQLiteStatement
}

/** A session that is in a transaction. */
export interface SQLiteTransactionSession extends SQLiteSession {
  commit(): void | Promise<void>
  rollback(): void | Promise<void>
}

/** What a driver does. */
export interface SQLiteDriver extends SQLiteSession {
  readonly adapterName: string
  /** Integers come as bigints, so that a number is a REAL. */
  readonly exact: boolean
  /** The driver's connection, if transactions are on the one that everything else is on too. */
  readonly handle: object | undefined
  begin(mode: TransactionMode): SQLiteTransactionSession | Promise<SQLiteTransactionSession>
  close(): void | Promise<void>
}

/** Makes a connection of a driver. */
export async function connectSQLite(driver: SQLiteDriver, options: SQLiteOptions): Promise<SQLiteDatabase> {
  try {
    const { datetime } = options
    if (datetime !== undefined && datetime !== 'unixepoch' && datetime !== 'ms' && datetime !== 'julianday') {
      throw new TypeError(`datetime is 'unixepoch', 'ms' or 'julianday', not ${String(datetime)}`)
    }
    const engine = await engineOf('sqlite', options)
    return new Connection({ engine, driver, datetime }, options.signal) satisfies Database
  } catch (error) {
    try {
      await driver.close()
    } catch {
      // the first error is the one to tell
    }
    throw error
  }
}

/** What all sessions of a connection share. */
interface Context {
  readonly engine: Engine
  readonly driver: SQLiteDriver
  readonly datetime: DatetimeUnit | undefined
}

const noParams: SQLiteParams = []

class Session implements SQLiteQueryable {
  protected readonly context: Context
  protected readonly signal: AbortSignal | undefined
  protected readonly session: SQLiteSession
  readonly #what: string
  readonly #outer: Session | undefined
  /** What is still being read. */
  readonly #open = new Set<Cursor>()
  #ended = false
  /** Is held by the transaction that is open on the same connection. */
  readonly #gate: Gate

  constructor(session: SQLiteSession, context: Context, signal: AbortSignal | undefined, what: string, outer: Session | undefined, gate: Gate) {
    this.#gate = gate
    this.#outer = outer
    this.session = session
    this.context = context
    this.signal = signal
    this.#what = what
  }

  /** From now on every call is an error. What is still being read is closed. */
  end(): void {
    this.#ended = true
    for (const cursor of this.#open) cursor.fail(this.#closed())
    this.#open.clear()
  }

  /** Whether this, or what it is a part of, has ended. */
  get ended(): boolean {
    return this.#ended || this.#outer?.ended === true
  }

  /** Whether a transaction on this is open. */
  get busy(): boolean {
    return this.#gate.held
  }

  #closed(): RowjetError {
    return new RowjetError('CONNECTION_CLOSED', `the ${this.#what} has ended: make a new one`)
  }

  async queryRaw<Row extends object>(sql: string, params: SQLiteParams = noParams, options?: CallOptions): Promise<Result<Row>> {
    const signal = this.#check(options?.signal)
    if (this.#gate.held) await this.#turn(signal)
    const { engine, datetime, driver } = this.context
    const statement = this.session.prepare(sql, false)
    const bound = bindable(params, datetime)
    const answered = statement.wide !== true ? statement.all(bound) : statement.asked === 'rows' ? this.#readPlain(statement, bound) : this.#readWide(statement, bound)
    if (answered instanceof Result) return answered as Result<Row>
    const { columns, rows } = answered instanceof Promise ? await unlessAborted(answered, signal) : answered
    if (datetime !== undefined) columns.convertDates(rows, datetime)
    const source = new RowsSource(columns, rows, driver.exact, askedOf(statement))
    // The document is made when it is asked for: not at all if only typed rows are wanted. But a limit holds from the start.
    const parts = engine.strict
      ? engine.again(source, undefined, 'array', false)
      : { bytes: null, ascii: false, labels: null, rowCount: rows.length }
    return new Result<Row>(engine, source, undefined, parts)
  }

  /** Reads a result row by row, and keeps it as columns if it is not a small one and its cells are plain. */
  #readPlain(statement: SQLiteStatement, bound: Bindable[] | Record<string, Bindable>): Result | Answer {
    const { engine, datetime, driver } = this.context
    if (engine.documentLimit.strict || !driver.exact) return statement.all(bound) as Answer
    const { columns, rows } = statement.iterate!(bound)!
    let open = true
    try {
      let chunk = nextChunk(rows)
      open = chunk.length === chunkRows
      if (!open) return { columns, rows: chunk }
      if (datetime !== undefined) columns.convertDates(chunk, datetime)
      const seen = new Seen(columns, true)
      seen.add(chunk)
      const plain = PlainRows.of(columns.codes(seen))
      while (plain?.add(chunk) === true) {
        if (!open) {
          const source = plain.source(columns.names, askedOf(statement)!)
          return new Result(engine, source, undefined, { bytes: null, ascii: false, labels: plain.labels, rowCount: plain.rowCount })
        }
        chunk = nextChunk(rows)
        open = chunk.length === chunkRows
        if (datetime !== undefined) columns.convertDates(chunk, datetime)
      }
      const all = plain?.restore() ?? []
      for (;;) {
        for (const row of chunk) all.push(row)
        if (!open) return { columns, rows: all }
        chunk = nextChunk(rows)
        open = chunk.length === chunkRows
      }
    } finally {
      if (open) rows.return?.()
    }
  }

  /** Reads a result row by row, and keeps it encoded if it is not a small one. */
  #readWide(statement: SQLiteStatement, bound: Bindable[] | Record<string, Bindable>): Result | Answer {
    const { engine, datetime, driver } = this.context
    const { columns, rows } = statement.iterate!(bound)!
    const next = (): unknown[][] => nextChunk(rows)
    let open = true
    try {
      let chunk = next()
      open = chunk.length === chunkRows
      if (!open) return { columns, rows: chunk }
      const slot = engine.acquire()
      const { instance, collector } = slot
      try {
        const limit = engine.documentLimit
        collector.reset(headRoom(columns.names), Infinity, limit.bytes, limit.strict)
        instance.sink = collector
        if (datetime !== undefined) columns.convertDates(chunk, datetime)
        const keeper = new FrameKeeper(instance, columns, new Seen(columns, driver.exact), chunk, 0)
        while (open) {
          chunk = next()
          open = chunk.length === chunkRows
          if (datetime !== undefined) columns.convertDates(chunk, datetime)
          keeper.add(chunk)
        }
        const messages = keeper.finish()
        const source = { names: columns.names, types: [], rows: [], messages, asked: askedOf(statement) }
        const { labels } = messages
        if (keeper.changed) {
          const parts = limit.strict ? engine.again(source, undefined, 'array', false) : { bytes: null, ascii: false }
          return new Result(engine, source, undefined, { ...parts, labels, rowCount: keeper.rowCount })
        }
        collector.headNext()
        instance.head()
        return new Result(engine, source, undefined, { bytes: collector.finish(), ascii: instance.ascii, labels, rowCount: keeper.rowCount })
      } finally {
        collector.clear()
        engine.release(slot)
      }
    } finally {
      if (open) rows.return?.()
    }
  }

  async executeRaw(sql: string, params: SQLiteParams = noParams, options?: CallOptions): Promise<number> {
    const signal = this.#check(options?.signal)
    if (this.#gate.held) await this.#turn(signal)
    const changed = this.session.prepare(sql, false).run(bindable(params, this.context.datetime))
    return changed instanceof Promise ? unlessAborted(changed, signal) : changed
  }

  stream(sql: string, params: SQLiteParams = noParams, options: SQLiteStreamOptions = {}): ReadableStream<Uint8Array<ArrayBuffer>> {
    const signal = joined(this.signal, options.signal)
    checkSettle(options.settle)
    const pieces = documentOf(this.context.engine, () => this.#rows(sql, params, options.signal), shapeOf(options.shape), options.settle)
    let abort: (() => void) | undefined
    const over = (): void => {
      if (abort !== undefined) signal?.removeEventListener('abort', abort)
    }
    let aborted = false
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start(controller) {
          if (signal === undefined) return
          abort = () => {
            aborted = true
            controller.error(signal.reason)
            pieces.return().catch(() => undefined) // nobody waits for what it says about its end
          }
          if (signal.aborted) abort()
          else signal.addEventListener('abort', abort, { once: true })
        },
        async pull(controller) {
          try {
            const { done, value } = await pieces.next()
            if (aborted) return
            if (done !== true) {
              controller.enqueue(value)
              return
            }
            controller.close()
          } catch (error) {
            over()
            throw error
          }
          over()
        },
        async cancel() {
          over()
          await pieces.return()
        },
      },
      { highWaterMark: 0 },
    )
  }

  async *batches<Row extends object>(sql: string, params: SQLiteParams = noParams, options: SQLiteBatchOptions = {}): AsyncGenerator<Result<Row>, void, undefined> {
    checkSettle(options.settle)
    const size = options.size ?? 1000
    checkBatchSize(size)
    yield* batchesOf<Row>(this.context.engine, await this.#rows(sql, params, options.signal), options.settle, size)
  }

  /** Prepares a query to be read bit by bit, and maybe twice. */
  async #rows(sql: string, params: SQLiteParams, own: AbortSignal | undefined): Promise<RowSource> {
    const signal = this.#check(own)
    if (this.#gate.held) await this.#turn(signal)
    const { driver, datetime } = this.context
    const bound = bindable(params, datetime)
    const open = this.#open
    const make = (columns: Columns, rows: Iterator<unknown[]>, statement: SQLiteStatement | undefined): Cursor => {
      const cursor: Cursor = new Cursor(columns, rows, driver.exact, datetime, signal, () => {
        open.delete(cursor)
        statement?.free?.()
      })
      open.add(cursor)
      if (this.ended) cursor.fail(this.#closed())
      return cursor
    }
    const first = this.session.prepare(sql, true)
    try {
      const reading = first.iterate?.(bound)
      if (reading !== undefined) {
        const again = (): Cursor => {
          const second = this.session.prepare(sql, true)
          try {
            const { columns, rows } = second.iterate!(bound)!
            return make(columns, rows, second)
          } catch (error) {
            second.free?.()
            throw error
          }
        }
        return { first: make(reading.columns, reading.rows, first), again: first.readonly ? again : undefined }
      }
      const answered = first.all(bound)
      const { columns, rows } = answered instanceof Promise ? await unlessAborted(answered, signal) : answered
      first.free?.()
      // The rows are read twice, and converting dates once is enough: the second time there are none.
      return { first: make(columns, rows.values(), undefined), again: () => make(columns, rows.values(), undefined) }
    } catch (error) {
      first.free?.()
      throw error
    }
  }

  /** The signal of a call, unless it can't be made. */
  #check(own: AbortSignal | undefined): AbortSignal | undefined {
    if (this.ended) throw this.#closed()
    const signal = own === undefined ? this.signal : joined(this.signal, own)
    signal?.throwIfAborted()
    return signal
  }

  /** Waits until no transaction is open on the connection. */
  async #turn(signal: AbortSignal | undefined): Promise<void> {
    const gate = this.#gate
    while (gate.held) {
      refuseInside(gate)
      const free = new Promise<void>((resolve) => gate.enter(resolve))
      await (signal === undefined ? free : unlessAborted(free, signal))
    }
    this.#check(signal)
  }

  /**
   * Begins, works, and commits; or rolls back and passes the error on. Meanwhile other calls wait, if they would be on the
   * same connection.
   */
  protected async within<T>(
    begin: () => SQLiteTransactionSession | Promise<SQLiteTransactionSession>, depth: number, own: AbortSignal | undefined, work: (tx: SQLiteTransaction) => Promise<T>,
  ): Promise<T> {
    const signal = this.#check(own)
    const gate = this.#gate
    if (gate.held) await this.#turn(signal)
    const shared = this.context.driver.handle !== undefined
    if (shared) gate.hold()
    try {
      const session = await begin()
      const tx = new Transaction(session, this.context, signal, depth, this)
      let value: T
      try {
        value = await unlessAborted(runInside(shared ? [gate, this] : [this], async () => work(tx)), signal)
        signal?.throwIfAborted()
        if (tx.busy) throw new RowjetError('TRANSACTION_OPEN', 'a transaction inside of this one has not ended: await it')
        tx.end()
        await session.commit()
      } catch (error) {
        tx.end()
        try {
          await session.rollback()
        } catch {
          // Some errors have ended the transaction already: https://sqlite.org/lang_transaction.html section 3.1.
        }
        throw error
      }
      return value
    } finally {
      if (shared) gate.release()
    }
  }
}

function nextChunk(rows: Iterator<unknown[]>): unknown[][] {
  const chunk: unknown[][] = []
  for (let item = rows.next(); item.done !== true; item = rows.next()) if (chunk.push(item.value) === chunkRows) break
  return chunk
}

/** Remembers what a result of a statement is asked for, if that matters. */
function askedOf(statement: SQLiteStatement): ((what: 'rows' | 'document') => void) | undefined {
  return statement.wide === true ? (what) => (statement.asked = what) : undefined
}

function checkSettle(settle: string | undefined): void {
  if (settle !== undefined && !['scan', 'buffer', 'declared', 'unknown'].includes(settle)) {
    throw new TypeError(`settle is 'scan', 'buffer', 'declared' or 'unknown', not ${settle}`)
  }
}

/** No longer waits once the signal says so. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  let abort: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abort!)
  }
}

class Transaction extends Session implements SQLiteTransaction {
  readonly #depth: number

  constructor(session: SQLiteSession, context: Context, signal: AbortSignal | undefined, depth: number, outer: Session) {
    super(session, context, signal, 'transaction', outer, new Gate())
    this.#depth = depth
  }

  async transaction<T>(work: (tx: SQLiteTransaction) => Promise<T>, options: SQLiteTransactionOptions = {}): Promise<T> {
    if (options.mode !== undefined || options.isolationLevel !== undefined) {
      throw new TypeError('a transaction inside of a transaction has the mode and isolation level of the outer one')
    }
    const name = `rowjet_${this.#depth}`
    const { session } = this
    const run = async (sql: string): Promise<void> => {
      // Afterwards the savepoint is gone, and its name may be another's.
      if (this.ended) throw new RowjetError('CONNECTION_CLOSED', 'the transaction has ended: make a new one')
      await session.prepare(sql, false).run([])
    }
    const begin = async (): Promise<SQLiteTransactionSession> => {
      await run(`SAVEPOINT ${name}`)
      return {
        prepare: (sql, fresh) => session.prepare(sql, fresh),
        commit: () => run(`RELEASE ${name}`),
        rollback: async () => {
          await run(`ROLLBACK TO ${name}`)
          await run(`RELEASE ${name}`)
        },
      }
    }
    return this.within(begin, this.#depth + 1, options.signal, work)
  }
}

class Connection extends Session implements SQLiteDatabase {
  readonly dialect = 'sqlite'
  readonly adapterName: string
  /** Is only kept. */
  readonly samples: unknown
  #closing: Promise<void> | undefined

  constructor(context: Context, signal: AbortSignal | undefined) {
    const { driver } = context
    super(driver, context, signal, 'connection', undefined, driver.handle === undefined ? new Gate() : Gate.of(driver.handle))
    this.adapterName = driver.adapterName
    this.samples = RowsSource.samples(context.engine)
  }

  async transaction<T>(work: (tx: SQLiteTransaction) => Promise<T>, options: SQLiteTransactionOptions = {}): Promise<T> {
    const { mode = 'deferred', isolationLevel } = options
    // It goes into SQL text as it is.
    if (mode !== 'deferred' && mode !== 'immediate' && mode !== 'exclusive') {
      throw new TypeError(`the mode is 'deferred', 'immediate' or 'exclusive', not ${String(mode)}`)
    }
    if (isolationLevel !== undefined && isolationLevel !== 'SERIALIZABLE') {
      throw new TypeError(`transactions of SQLite are SERIALIZABLE, not ${String(isolationLevel)}`)
    }
    return this.within(() => this.context.driver.begin(mode), 1, options.signal, work)
  }

  async close(): Promise<void> {
    refuseToClose(this)
    this.end()
    await (this.#closing ??= (async () => this.context.driver.close())())
  }
}
