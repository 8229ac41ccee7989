// What the drivers for MySQL and MariaDB have in common: everything but the driver.

import { RowjetError } from './errors.js'
import type { ConnectOptions } from './database.js'
import { Gate } from './gate.js'
import { Answer, Descriptions, PacketSplitter, Scratch, statusInTransaction, type Agreement, type AnswerSink, type PacketHost } from './packets.js'
import { mysqlProtocol } from './mysql-protocol.js'
import { NodeBuffer } from './text.js'
import {
  connectDialect, rolledBack, type ReservedSession, type Running, type WireDatabase, type WireDialect, type WireDriver, type WireQuery, type WireQueryable, type WireTransaction,
} from './wire-database.js'

/** Options of `connect`. */
export interface MySQLOptions extends ConnectOptions {
  /**
   * How statements are sent: as prepared statements, by the driver's `execute` (true), or as text that has the
   * parameters in it, by its `query` (false). Default: prepared if there are parameters.
   */
  prepare?: boolean
  /**
   * - `keep` (default for what was passed in): the session's settings stay. A TIMESTAMP is then labelled as if the
   *   session's time zone was UTC.
   * - `utc` (default for connections that are made here): `time_zone` is set to UTC ahead of the first query on each connection.
   */
  session?: 'keep' | 'utc'
}

/**
 * A statement: SQL with parameters `?`; or an object with what the driver knows beyond that, such as `timeout` or
 * `infileStreamFactory`. `prepare` is as in {@link MySQLOptions}.
 */
export interface MySQLStatement {
  readonly sql: string
  readonly values?: readonly unknown[]
  readonly prepare?: boolean
  readonly [option: string]: unknown
}

/** A connection. */
export type MySQLDatabase = WireDatabase<MySQLStatement, 'mysql'>
/** A transaction. */
export type MySQLTransaction = WireTransaction<MySQLStatement>
/** What both can do. */
export type MySQLQueryable = WireQueryable<MySQLStatement>

const dialect: WireDialect<'mysql'> = {
  name: 'mysql',
  protocol: mysqlProtocol,
  isolationLevels: ['READ UNCOMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'],
  begin: (isolationLevel) => [...(isolationLevel === undefined ? [] : [`SET TRANSACTION ISOLATION LEVEL ${isolationLevel}`]), 'START TRANSACTION'],
  rollBackTo: (savepoint) => [`ROLLBACK TO SAVEPOINT ${savepoint}`, `RELEASE SAVEPOINT ${savepoint}`],
}

/** Sets what the meaning of values depends on. */
export const utc = "SET time_zone = '+00:00'"

/** Throws for options that mean nothing. */
export function checkOptions({ session, prepare }: MySQLOptions): void {
  if (session !== undefined && session !== 'keep' && session !== 'utc') throw new TypeError(`session is 'keep' or 'utc', not ${String(session)}`)
  if (prepare !== undefined && typeof prepare !== 'boolean') throw new TypeError(`prepare is true or false, not ${String(prepare)}`)
}

/** Makes a connection of a driver. */
export function connectMySQL(driver: WireDriver<MySQLStatement>, options: MySQLOptions): Promise<MySQLDatabase> {
  return connectDialect(driver, options, dialect, new Uint8Array(0))
}

/** A command of ours, for a driver to send. */
export interface Command {
  readonly sql: string
  readonly values: readonly unknown[]
  readonly prepare: boolean
  /** All that the statement has beside these, if it has more. */
  readonly options: Readonly<Record<string, unknown>> | undefined
  /** Whether it is still to be sent. */
  readonly wanted: boolean
  /** Its answer is complete, or never will be. Not `clean`: the connection must not be used again. */
  over(error: unknown, clean: boolean): void
  /** The driver no longer waits, but the answer is still to come. */
  late(error: unknown): void
}

/** One connection of a driver. */
export interface Link {
  readonly agreement: Agreement
  readonly lost: boolean
  /** Has the server's bytes go to `push`, from the next border of two packets on. */
  install(push: (chunk: Uint8Array) => void): Promise<void>
  /** Gives bytes to the driver. */
  pass(bytes: Uint8Array): void
  /** The driver expects this sequence id next. */
  sequence(id: number): void
  send(command: Command): void
  /** The command that the server's next packet is an answer to, if it is one of ours. */
  current(): Command | undefined
  /** The definitions of the columns of the prepared statement that runs, as packets. */
  keptDefinitions?(): Uint8Array
  /** The next packet that is passed is an error. */
  failing?(): void
  /** Runs a statement ahead of all that is sent later. */
  run(sql: string): Promise<unknown>
  pause(): void
  resume(): void
  destroy(error: Error): void
  /** Has the server stop the running query, on a connection of its own. Never fails. */
  kill(): Promise<void>
}

const ignore = (): void => undefined

/** So long is waited, at first and at most, before the next attempt to stop a query, in milliseconds. */
const firstKillDelay = 100
const lastKillDelay = 5_000

/** All connections of a driver see the same descriptions. */
const descriptions = new Descriptions()

/** Calls back whenever a session's settings are lost: by these methods of the driver, which its pools call as well. */
function onReset(connection: object, callback: () => void): void {
  const methods = connection as Record<string, unknown>
  for (const name of ['reset', 'changeUser']) {
    const method = methods[name]
    if (typeof method !== 'function') continue
    methods[name] = function (this: unknown, ...args: unknown[]): unknown {
      callback()
      return Reflect.apply(method, this, args)
    }
  }
}

/** A connection that a splitter listens for. There is one for each connection, whoever uses it. */
export class Tap implements PacketHost {
  readonly link: Link
  readonly splitter = new PacketSplitter(this)
  readonly scratch = new Scratch()
  /** What the server did wrong. */
  failure: RowjetError | undefined
  /** The server's status, as of the last of our answers; -1 if there was none. */
  status = -1
  readonly #waiting: Run[] = []
  #running: Run | undefined
  #installed = false
  #installing: Promise<void> | undefined
  #inUTC: Promise<unknown> | undefined
  #killing = false

  static readonly #taps = new WeakMap<object, Tap>()

  /** `connection` is the driver's. */
  static of(connection: object, link: () => Link): Tap {
    let tap = Tap.#taps.get(connection)
    if (tap === undefined) {
      const made = (tap = new Tap(link()))
      Tap.#taps.set(connection, made)
      onReset(connection, () => (made.#inUTC = undefined))
    }
    return tap
  }

  private constructor(link: Link) {
    this.link = link
  }

  /** Runs a query when those before it are over. */
  add(run: Run): void {
    this.#waiting.push(run)
    if (this.#installed && !(run.inUTC && this.#inUTC === undefined)) {
      this.#next()
      return
    }
    this.#installing ??= this.link.install((chunk) => this.splitter.push(chunk)).then(() => {
      this.#installed = true
    })
    const ready = run.inUTC ? this.#installing.then(() => (this.#inUTC ??= this.link.run(utc))) : this.#installing
    ready.then(
      () => this.#next(),
      (error: unknown) => {
        this.#inUTC = undefined
        const at = this.#waiting.indexOf(run)
        if (at !== -1) this.#waiting.splice(at, 1)
        run.over(error, !this.link.lost)
        this.#next()
      },
    )
  }

  /** A run that was sent is over. */
  finished(): void {
    this.#running = undefined
    this.splitter.watching = false
    this.#next()
  }

  #next(): void {
    if (!this.#installed || this.#running !== undefined) return
    const run = this.#waiting.shift()
    if (run === undefined) return
    this.#running = run
    this.splitter.watching = true
    run.send(this)
  }

  /** Stops the query of a run, unless it is not the one that the server answers. */
  async kill(run: Run): Promise<void> {
    if (this.#killing || this.link.lost || this.link.current() !== run) return
    this.#killing = true
    // The driver gets no end of the answer before that was dealt with, and so sends no other query that it could hit.
    this.splitter.hold()
    await this.link.kill()
    this.#killing = false
    this.splitter.release()
  }

  // What the splitter calls.

  pass(bytes: Uint8Array): void {
    try {
      this.link.pass(bytes)
    } catch (error) {
      // A driver that stumbles over what the server sends must not take the process with it.
      this.splitter.kill()
      this.link.destroy(error as Error)
    }
  }

  answer(): Answer | undefined {
    const run = this.#running
    if (run === undefined || this.link.current() !== run) return undefined
    const { answer } = run
    return answer.state === 'over' ? undefined : answer
  }

  sequence(id: number): void {
    this.link.sequence(id)
  }

  broken(error: RowjetError): void {
    this.failure ??= error
    this.splitter.kill()
    this.link.destroy(error)
  }
}

/** Says whether the database gave up the transaction that a run belongs to. */
export interface Guard {
  /** A statement has failed since the last that told. */
  suspect: boolean
}

/** One query, until the moment when its connection is free again. */
export class Run implements Running, AnswerSink, Command {
  readonly done: Promise<void>
  readonly inUTC: boolean
  /** Is called when the connection is free. Not `clean`: it must not be used again. */
  onOver: (error: unknown, clean: boolean) => void = ignore
  readonly sql: string
  readonly values: readonly unknown[]
  readonly prepare: boolean
  readonly options: Readonly<Record<string, unknown>> | undefined
  readonly #query: WireQuery<MySQLStatement>
  readonly #guard: Guard | undefined
  #resolve!: () => void
  #reject!: (error: unknown) => void
  #settled = false
  /** waiting: for a connection or its turn; sent: the driver has it; over: nobody has. */
  #phase: 'waiting' | 'sent' | 'over' = 'waiting'
  #tap!: Tap // from `sent` on
  #answer: Answer | undefined
  /** No more rows are wanted; what comes is dropped. */
  #leaving = false
  #stopped = false
  #failure: { error: unknown } | undefined
  #paused = false
  #again: ReturnType<typeof setTimeout> | undefined
  #results = 0
  readonly #abort = (): void => this.#fail(this.#query.signal!.reason)

  constructor(query: WireQuery<MySQLStatement>, { prepare, inUTC }: DriverOptions, guard: Guard | undefined) {
    this.#query = query
    this.#guard = guard
    this.inUTC = inUTC
    const { statement, params, signal } = query
    // What a driver meets only when it writes the packet leaves it waiting for an answer, or costs the connection.
    if (typeof ((statement as MySQLStatement | null | undefined)?.sql ?? statement) !== 'string') throw new TypeError('the SQL is a string, or an object with a string as its sql')
    if (typeof statement === 'string') {
      this.sql = statement
      this.options = undefined
      this.prepare = prepare ?? params.length > 0
    } else {
      const { sql, values: _, prepare: own, ...options } = statement
      this.sql = sql
      this.options = options
      this.prepare = own ?? prepare ?? (Array.isArray(params) ? params.length > 0 : true)
    }
    if (query.control === true) this.prepare = false
    this.values = Array.isArray(params) ? params.map(parameter) : params
    this.done = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    signal?.addEventListener('abort', this.#abort, { once: true })
  }

  get wanted(): boolean {
    return !this.#leaving
  }

  get answer(): Answer {
    const { link, scratch } = this.#tap
    return (this.#answer ??= new Answer(this, link.agreement, descriptions, this.prepare, link.keptDefinitions && (() => link.keptDefinitions!()), scratch))
  }

  /** Hands the query to the driver. */
  send(tap: Tap): void {
    this.#tap = tap
    this.#phase = 'sent'
    if (this.#leaving) {
      this.over(undefined, true)
      return
    }
    if (this.#guard?.suspect === true && this.#query.control !== true) {
      void this.#sendIfInTransaction(this.#guard)
      return
    }
    this.#send()
  }

  #send(): void {
    try {
      this.#tap.link.send(this)
    } catch (error) {
      this.over(error, !this.#tap.link.lost)
    }
  }

  /**
   * Some errors (a deadlock) end the transaction, and what came next would be committed on its own. Only the next
   * answer tells, so it is one to a statement that does nothing.
   */
  async #sendIfInTransaction(guard: Guard): Promise<void> {
    try {
      const status = await this.#probe()
      if ((status & statusInTransaction) === 0) throw rolledBack()
      guard.suspect = false
    } catch (error) {
      this.over(error, !this.#tap.link.lost)
      return
    }
    if (this.#leaving) this.over(undefined, true)
    else this.#send()
  }

  #probe(): Promise<number> {
    return this.#tap.link.run('DO 0').then((status) => status as number)
  }

  // What the splitter finds in the answer.

  get room(): number {
    return this.#leaving ? Infinity : this.#query.sink.room
  }

  columns(description: Uint8Array): void {
    this.#try(() => this.#query.sink.columns(description))
  }

  rows(chunk: Uint8Array, start: number, end: number, completed: number): void {
    if (this.#leaving) return
    try {
      this.#query.sink.rows(chunk, start, end, completed)
    } catch (error) {
      this.#fail(error)
    }
  }

  complete(tag: string): void {
    const { state, status } = this.answer
    this.#tap.status = status
    // The OK that ends a CALL is no result of its own.
    if (tag !== '' && state === 'over' && this.#results > 0 && !isScript(this.sql)) return
    this.#results++
    this.#try(() => this.#query.sink.complete(tag))
  }

  failed(): void {
    this.#tap.link.failing?.()
    if (this.#guard !== undefined) this.#guard.suspect = true
  }

  // What the driver calls.

  late(error: unknown): void {
    this.#fail(error)
  }

  over(error: unknown, clean: boolean): void {
    if (this.#phase === 'over') return
    const wasSent = this.#phase === 'sent'
    if (wasSent) {
      const { failure, splitter } = this.#tap
      if (failure !== undefined) {
        this.#failure ??= { error: failure }
        clean = false
      } else if (!clean && splitter.unfinished !== undefined) {
        error = new RowjetError('INPUT_UNFINISHED', `the connection ended inside of ${splitter.unfinished}`, { cause: error })
      } else if (error === undefined && !this.#leaving && this.#answer !== undefined && this.#answer.state !== 'over') {
        error = new RowjetError('INPUT_UNFINISHED', 'the driver gave up the query before its answer was complete')
        clean = false
      }
    }
    this.#phase = 'over'
    clearTimeout(this.#again)
    this.#unpause()
    this.#leaving = true
    this.#settle(error)
    this.onOver(error, clean)
    if (wasSent) this.#tap.finished()
  }

  // What the reader calls.

  pause(): void {
    if (this.#leaving || this.#phase !== 'sent') return
    this.#paused = true
    this.#tap.link.pause()
  }

  resume(): void {
    this.#unpause()
  }

  stop(): void {
    if (this.#leaving) return
    this.#stopped = true
    this.#leave()
  }

  #unpause(): void {
    if (this.#paused) this.#tap.link.resume()
    this.#paused = false
  }

  #try(work: () => void): void {
    if (this.#leaving) return
    try {
      work()
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    if (this.#phase === 'over') return
    this.#failure ??= { error }
    if (error instanceof RowjetError && error.code === 'WIRE_INVALID') {
      this.#leaving = true
      this.#tap.broken(error)
    } else if (!this.#leaving) {
      this.#leave()
    }
  }

  /** Gets out of the query before its end. */
  #leave(): void {
    this.#leaving = true
    if (this.#phase !== 'sent') {
      // The server knows nothing of it. When its turn comes, it is passed over.
      this.#settle(undefined)
      return
    }
    void this.#kill(firstKillDelay)
    this.#unpause()
  }

  /** Stops the query, again and again until it is over: what comes before the server has begun with it has no effect. */
  async #kill(delay: number): Promise<void> {
    await this.#tap.kill(this)
    if (this.#over || this.#tap.link.lost) return
    this.#again = setTimeout(() => void this.#kill(Math.min(2 * delay, lastKillDelay)), delay)
  }

  get #over(): boolean {
    return this.#phase === 'over'
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

/** What a semicolon means nothing in: strings, quoted names, comments. */
const opaque = /'(?:[^'\\]|''|\\[^])*'|"(?:[^"\\]|""|\\[^])*"|`[^`]*`|#[^\n]*|--\s[^\n]*|\/\*[^]*?\*\//g

/** Tells whether SQL is several statements. */
export function isScript(sql: string): boolean {
  return sql.includes(';') && /;\s*\S/.test(sql.replace(opaque, ' '))
}

/** Drivers know no bytes but Buffers, and refuse undefined. */
function parameter(value: unknown): unknown {
  if (value === undefined) return null
  if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError(`a parameter is a value, not a ${typeof value}`)
  if (typeof value !== 'object' || value === null || value.constructor === (NodeBuffer as unknown)) return value
  if (ArrayBuffer.isView(value)) return NodeBuffer!.from(value.buffer, value.byteOffset, value.byteLength)
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]' ? NodeBuffer!.from(value as ArrayBuffer) : value
}

/** What all queries of a driver have in common. */
export interface DriverOptions {
  readonly prepare: boolean | undefined
  readonly inUTC: boolean
}

/** A connection that was taken out of a pool. */
export interface Taken {
  readonly tap: Tap
  /** With an error it must not be used again. */
  giveBack(error: unknown): void
}

/** A pool of a driver's. */
export interface PoolSource {
  readonly adapterName: string
  take(callback: (error: unknown, taken: Taken | undefined) => void): void
  close(): Promise<void>
}

/** Runs each query on a connection of a pool. */
export class PoolDriver implements WireDriver<MySQLStatement> {
  readonly adapterName: string
  readonly #pool: PoolSource
  readonly #options: DriverOptions

  constructor(pool: PoolSource, options: DriverOptions) {
    this.adapterName = pool.adapterName
    this.#pool = pool
    this.#options = options
  }

  start(query: WireQuery<MySQLStatement>): Running {
    const run = new Run(query, this.#options, undefined)
    this.#pool.take((error, taken) => {
      if (taken === undefined) {
        run.over(error, false)
        return
      }
      run.onOver = (reason, clean) => taken.giveBack(clean ? undefined : (reason ?? true))
      taken.tap.add(run)
    })
    return run
  }

  reserve(signal: AbortSignal | undefined): Promise<ReservedSession<MySQLStatement>> {
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(signal!.reason as Error)
      signal?.addEventListener('abort', abort, { once: true })
      this.#pool.take((error, taken) => {
        signal?.removeEventListener('abort', abort)
        if (taken === undefined) reject(error as Error)
        else if (signal?.aborted === true) taken.giveBack(undefined)
        else resolve(new Reserved(taken, this.#options))
      })
    })
  }

  close(): Promise<void> {
    return this.#pool.close()
  }
}

class Reserved implements ReservedSession<MySQLStatement> {
  readonly #taken: Taken
  readonly #options: DriverOptions
  readonly #guard: Guard = { suspect: false }
  #lost: { error: unknown } | undefined

  constructor(taken: Taken, options: DriverOptions) {
    this.#taken = taken
    this.#options = options
  }

  start(query: WireQuery<MySQLStatement>): Running {
    const run = new Run(query, this.#options, this.#guard)
    run.onOver = (error, clean) => {
      if (!clean) this.#lost ??= { error: error ?? true }
    }
    this.#taken.tap.add(run)
    return run
  }

  release(): void {
    this.#taken.giveBack(this.#lost?.error)
  }
}

/** A single connection, which transactions share with other queries by taking turns. */
export class ConnectionDriver implements WireDriver<MySQLStatement> {
  readonly adapterName: string
  /** There is one for each connection of the driver. */
  get handle(): object {
    return this.#tap
  }

  readonly #tap: Tap
  readonly #options: DriverOptions
  readonly #close: () => Promise<void>
  readonly #gate: Gate

  constructor(adapterName: string, tap: Tap, options: DriverOptions, close: () => Promise<void>) {
    this.adapterName = adapterName
    this.#tap = tap
    this.#gate = Gate.of(tap)
    this.#options = options
    this.#close = close
  }

  start(query: WireQuery<MySQLStatement>): Running {
    const run = new Run(query, this.#options, undefined)
    this.#gate.enter(() => this.#tap.add(run))
    return run
  }

  reserve(signal: AbortSignal | undefined): Promise<ReservedSession<MySQLStatement>> {
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(signal!.reason as Error)
      signal?.addEventListener('abort', abort, { once: true })
      this.#gate.enter(() => {
        signal?.removeEventListener('abort', abort)
        if (signal?.aborted === true) return
        this.#gate.hold()
        resolve(new Reserved({ tap: this.#tap, giveBack: () => this.#gate.release() }, this.#options))
      })
    })
  }

  close(): Promise<void> {
    return this.#close()
  }
}
