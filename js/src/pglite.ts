// PGlite, an embedded PostgreSQL: https://pglite.dev/docs/api
//
// PGlite's own query() parses every row into JavaScript values. Its raw interface takes a client's messages and gives the
// server's, and of these the rows go to the module as they are. What PGlite itself wants to know of comes with Sync:
// that goes by its parsing interface, so that listeners get their notifications.

import type { WireContext } from './wire.js'
import {
  connectWire, isScript, type ReservedSession, type Running, type WireDatabase, type WireDriver, type WireOptions, type WireQuery, type WireSession,
} from './wire-database.js'
import { RowjetError } from './errors.js'
import { bind, describe, execute, flush, parse, query as simpleQuery, sync, together } from './frontend.js'
import { header, protocolError, Splitter, types, u16, u32, type SplitterHost } from './messages.js'
import { PgTypes } from './pgtypes.js'
import { decodeText } from './text.js'
import { typeCodes, typeMap } from './wire.js'

export type { CallOptions, ConnectOptions, Database, IsolationLevel, Queryable, TransactionOptions } from './database.js'
export type { Statement, WireDatabase, WireOptions, WireQueryable, WireTransaction } from './wire-database.js'
export * from './common.js'

/** What is used of a PGlite instance; PGliteWorker has it too. */
export interface PGliteLike {
  execProtocolRaw(message: Uint8Array, options?: any): Promise<any>
  execProtocol(message: Uint8Array, options?: any): Promise<any>
  runExclusive<T>(work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** What is used beyond that, where there is such a thing. */
interface PGliteInside extends PGliteLike {
  readonly waitReady?: Promise<void>
  readonly serializers?: Readonly<Record<number, (value: unknown) => string>>
  execProtocolRawStream?(message: Uint8Array, options: { syncToFs: boolean; onRawData(bytes: Uint8Array): void }): Promise<void>
  syncToFs?(): Promise<void>
  _runExclusiveTransaction?<T>(work: () => Promise<T>): Promise<T>
}

/**
 * Connects to a PGlite instance, or opens one: on a data directory, or in memory if there is none.
 *
 * `close()` closes an instance that was opened here; one that was passed in stays open. The database's errors
 * come through as they are. Enums, and arrays of types that are not built in, are told from the catalog.
 */
export async function connect(instanceOrDataDir?: PGliteLike | string, options: WireOptions = {}): Promise<WireDatabase> {
  const own = instanceOrDataDir === undefined || typeof instanceOrDataDir === 'string'
  const instance = own ? await open(instanceOrDataDir) : instanceOrDataDir
  if (typeof (instance as PGliteLike | null)?.execProtocolRaw !== 'function') throw new TypeError('connect takes a PGlite instance, or a data directory')
  return connectWire(new PGliteDriver(instance as PGliteInside, own, typeCodes(options.types)), options)
}

async function open(dataDir: string | undefined): Promise<PGliteLike> {
  let driver: { PGlite: { create(dataDir?: string): Promise<PGliteLike> } }
  try {
    driver = (await import('@electric-sql/pglite')) as unknown as typeof driver
  } catch (cause) {
    throw new RowjetError('DRIVER_MISSING', 'the package @electric-sql/pglite is not there: npm install @electric-sql/pglite, or pass a PGlite instance', { cause })
  }
  return driver.PGlite.create(dataDir)
}

/** The OIDs below are the same in every database (src/include/access/transam.h, FirstGenbkiObjectId). */
const firstOwnOid = 10_000
const byteaOid = 17

/** See pg.ts. */
const firstPage = 500
const leastPage = 50
const mostPage = 100_000
const pageBytes = 1024 * 1024

/** Calls back for each of some whole messages, with its type and where it and its end are. */
function eachMessage(bytes: Uint8Array, visit: (type: number, start: number, end: number) => void): void {
  let at = 0
  while (at < bytes.length) {
    const end = at + 1 + u32(bytes, at + 1)
    if (!(end > at + 4 && end <= bytes.length)) throw protocolError(`message at byte ${at} of the answer has the length ${end - at - 1}`)
    visit(bytes[at], at, end)
    at = end
  }
}

/** The texts of a DataRow. */
function textsOf(bytes: Uint8Array, start: number): (string | null)[] {
  const texts: (string | null)[] = []
  let at = start + header + 2
  for (let count = u16(bytes, start + header); count > 0; count--) {
    const size = u32(bytes, at)
    at += 4
    if (size === 0xffffffff) {
      texts.push(null)
    } else {
      texts.push(decodeText(bytes, at, at + size, false))
      at += size
    }
  }
  return texts
}

class PGliteDriver implements WireDriver {
  readonly adapterName = 'pglite'
  /** Also the handle. */
  readonly instance: PGliteInside
  readonly #own: boolean
  readonly #catalog = new PgTypes()
  readonly #codes: Map<number, number>
  #context: WireContext | undefined
  #description = new Uint8Array(0)

  constructor(instance: PGliteInside, own: boolean, codes: Map<number, number>) {
    this.instance = instance
    this.#own = own
    this.#codes = codes
  }

  get handle(): object {
    return this.instance
  }

  attach(context: WireContext): void {
    this.#context = context
  }

  start(query: WireQuery): Running {
    return new Run(this, query, (work) => this.#lock(work), false)
  }

  async reserve(signal: AbortSignal | undefined): Promise<ReservedSession> {
    return new Promise((resolve, reject) => {
      this.#lock(() => new Promise<void>((release) => {
        if (signal?.aborted === true) {
          release()
          reject(signal.reason as Error)
          return
        }
        const session: WireSession = { start: (query) => new Run(this, query, (work) => work(), true) }
        resolve({ ...session, release: () => release() })
      })).catch(reject)
    })
  }

  async close(): Promise<void> {
    if (this.#own) await this.instance.close()
  }

  /** Keeps others out, transactions too. PGlite's own queries and transactions hold the same lock. */
  async #lock<T>(work: () => Promise<T>): Promise<T> {
    await this.instance.waitReady
    return this.instance._runExclusiveTransaction === undefined ? work() : this.instance._runExclusiveTransaction(work)
  }

  /** A RowDescription; the same object if it is the same as the last. */
  remember(description: Uint8Array): Uint8Array {
    const last = this.#description
    if (description.length !== last.length || description.some((byte, i) => byte !== last[i])) this.#description = new Uint8Array(description)
    return this.#description
  }

  /** The types of a RowDescription that nobody told of yet. */
  unknownTypes(description: Uint8Array): number[] {
    const unknown: number[] = []
    let at = header + 2
    for (let count = u16(description, header); count > 0; count--) {
      at = description.indexOf(0, at) + 1 + 18
      const oid = u32(description, at - 12)
      if (oid >= firstOwnOid && !this.#codes.has(oid)) unknown.push(oid)
    }
    return unknown
  }

  /** Looks types up. */
  async learn(oids: readonly number[], query: (sql: string) => Promise<(string | null)[][]>): Promise<void> {
    await this.#catalog.learn(oids, query)
    for (const oid of oids) this.#codes.set(oid, this.#catalog.code(oid))
    this.#context!.types = typeMap(this.#codes)
  }
}

/** One query. */
class Run implements Running, SplitterHost {
  readonly done: Promise<void>
  readonly #driver: PGliteDriver
  readonly #query: WireQuery
  readonly #inTransaction: boolean
  #splitter = new Splitter(this)
  #parts: Uint8Array[] = []
  #failure: { error: unknown } | undefined
  #stopped = false
  #paused = false
  #wake: (() => void) | undefined
  #rows = 0 // of the page
  #bytes = 0 // likewise
  readonly #abort = (): void => this.resume()

  constructor(driver: PGliteDriver, query: WireQuery, lock: (work: () => Promise<void>) => Promise<void>, inTransaction: boolean) {
    this.#driver = driver
    this.#query = query
    this.#inTransaction = inTransaction
    query.signal?.addEventListener('abort', this.#abort, { once: true })
    this.done = lock(() => (this.#stopped ? Promise.resolve() : driver.instance.runExclusive(() => this.#run()))).finally(() => {
      query.signal?.removeEventListener('abort', this.#abort)
    })
    this.done.catch(() => undefined) // whoever waits for it is told
  }

  pause(): void {
    this.#paused = true
  }

  resume(): void {
    this.#paused = false
    this.#wake?.()
  }

  stop(): void {
    this.#stopped = true
    this.resume()
  }

  get #over(): boolean {
    return this.#stopped || this.#failure !== undefined || this.#query.signal?.aborted === true
  }

  async #run(): Promise<void> {
    const { signal } = this.#query
    signal?.throwIfAborted()
    const sql = typeof this.#query.statement === 'string' ? this.#query.statement : this.#query.statement.text
    try {
      if (isScript(this.#query)) await this.#script(sql)
      else await this.#extended(sql)
    } catch (error) {
      if (!this.#stopped) throw await databaseError(error, sql, this.#query.params)
    } finally {
      if (!this.#inTransaction) await this.#driver.instance.syncToFs?.()
    }
    if (this.#failure !== undefined) throw this.#failure.error
    if (!this.#stopped) signal?.throwIfAborted() // it had to come to its end, but nobody waits for it any more
  }

  /** Several statements. PGlite gives their whole answer at once. */
  async #script(sql: string): Promise<void> {
    const { sink } = this.#query
    const { data } = (await this.#driver.instance.execProtocol(simpleQuery(sql), { syncToFs: false })) as { data: Uint8Array }
    const unknown: number[] = []
    eachMessage(data, (type, start, end) => {
      if (type === types.rowDescription) unknown.push(...this.#driver.unknownTypes(data.subarray(start, end)))
    })
    if (unknown.length > 0) await this.#driver.learn(unknown, (text) => this.#texts(text))
    let open = false
    eachMessage(data, (type, start, end) => {
      if (type === types.rowDescription) {
        open = true
        this.#try(() => sink.columns(new Uint8Array(data.subarray(start, end))))
      } else if (type === types.dataRow && open) {
        this.#try(() => sink.rows(data, start, end, 1))
      } else if (type === types.commandComplete || type === types.emptyQuery) {
        open = false
        this.#try(() => sink.complete(type === types.emptyQuery ? '' : decodeText(data, start + header, end - 1, false)))
      }
    })
  }

  /** One statement, with parameters as the database wants them, in pages if the reader may be slow. */
  async #extended(sql: string): Promise<void> {
    const { params, paced, sink } = this.#query
    try {
      const parameters: number[] = []
      let description: Uint8Array | undefined
      const first = await this.#exchange(parse(sql), describe(), flush())
      eachMessage(first, (type, start, end) => {
        if (type === types.parameterDescription) for (let at = start + header + 2; at < end; at += 4) parameters.push(u32(first, at))
        if (type === types.rowDescription) description = this.#driver.remember(first.subarray(start, end))
      })
      const next: Uint8Array[] = []
      if (description !== undefined) {
        const unknown = this.#driver.unknownTypes(description)
        if (unknown.length > 0) {
          await this.#driver.learn(unknown, (text) => this.#texts(text))
          next.push(parse(sql)) // the look-up took its place
        }
        this.#try(() => sink.columns(description!))
      }
      let page = paced ? firstPage : 0
      next.push(bind(this.#values(parameters, params)))
      let suspended = true
      while (suspended && !this.#over) {
        suspended = false
        this.#splitter.watching = 'all'
        this.#splitter.sink = description === undefined ? undefined : this
        const rest = await this.#exchange(...next.splice(0), execute(page), flush())
        eachMessage(rest, (type, start, end) => {
          if (type === types.portalSuspended) suspended = true
          else if (type === types.commandComplete) this.#try(() => sink.complete(decodeText(rest, start + header, end - 1, false)))
          else if (type === types.emptyQuery) this.#try(() => sink.complete(''))
        })
        if (!suspended) break
        if (this.#rows > 0) page = Math.min(Math.max(Math.round((pageBytes * this.#rows) / this.#bytes), leastPage), mostPage)
        this.#rows = this.#bytes = 0
        if (this.#paused && !this.#over) await new Promise<void>((resolve) => (this.#wake = resolve))
      }
    } finally {
      this.#splitter.sink = undefined
      // By the parsing interface: what is committed here may notify listeners, or fail.
      await this.#driver.instance.execProtocol(sync(), { syncToFs: false, throwOnError: true })
    }
  }

  #values(oids: readonly number[], params: readonly unknown[]): (string | Uint8Array | null)[] {
    const { serializers } = this.#driver.instance
    return params.map((param, i) => {
      if (param === null || param === undefined) return null
      if (oids[i] === byteaOid && ArrayBuffer.isView(param)) return new Uint8Array(param.buffer, param.byteOffset, param.byteLength)
      const serializer = serializers?.[oids[i]]
      // PGlite's serializer of arrays gives back what is none.
      return String(serializer === undefined ? param : serializer(param))
    })
  }

  /** Runs a query whose cells are texts. */
  async #texts(sql: string): Promise<(string | null)[][]> {
    const rows: (string | null)[][] = []
    const answer = await this.#exchange(parse(sql), bind([]), execute(0), flush())
    eachMessage(answer, (type, start) => {
      if (type === types.dataRow) rows.push(textsOf(answer, start))
    })
    return rows
  }

  /** Sends some messages, and gives what comes back, without the rows that went to the sink. */
  async #exchange(...messages: readonly Uint8Array[]): Promise<Uint8Array> {
    const { instance } = this.#driver
    this.#parts = []
    // A PGliteWorker has the method, but its worker can't call back.
    if (instance.execProtocolRawStream === undefined || 'isLeader' in instance) {
      // Versions without it can not go on to the next message after an error.
      for (const message of messages) {
        // The answer is PGlite's own memory there too, see below.
        this.#splitter.push(new Uint8Array((await instance.execProtocolRaw(message, { syncToFs: false })) as Uint8Array))
        if (this.#parts.some((part) => part[0] === types.errorResponse)) break
      }
    } else {
      // What is given is PGlite's own memory, which it writes to again. It can't bear errors.
      await instance.execProtocolRawStream(together(...messages), { syncToFs: false, onRawData: (bytes) => this.#splitter.push(new Uint8Array(bytes)) })
    }
    const answer = this.#parts.length === 1 ? this.#parts[0] : together(...this.#parts)
    this.#parts = []
    if (this.#failure !== undefined && isProtocolError(this.#failure.error)) throw this.#failure.error
    eachMessage(answer, (type, start, end) => {
      if (type === types.errorResponse) throw new ServerError(answer.slice(start, end))
    })
    return answer
  }

  #try(work: () => void): void {
    if (this.#over) return
    try {
      work()
    } catch (error) {
      this.#failure ??= { error }
    }
  }

  // What the splitter calls.

  get room(): number {
    return this.#over ? Infinity : this.#query.sink.room
  }

  rows(chunk: Uint8Array, start: number, end: number, completed: number): void {
    this.#rows += completed
    this.#bytes += end - start
    this.#try(() => this.#query.sink.rows(chunk, start, end, completed))
  }

  pass(bytes: Uint8Array): void {
    this.#parts.push(bytes)
  }

  broken(error: RowjetError): void {
    this.#failure ??= { error }
  }

  description(): void {}
  parameter(): void {}
  reset(): void {}
  ready(): void {}
  ownReady(): void {}
}

function isProtocolError(error: unknown): boolean {
  return error instanceof RowjetError && error.code === 'WIRE_INVALID'
}

/** An ErrorResponse that was not read yet. */
class ServerError {
  readonly message: Uint8Array

  constructor(message: Uint8Array) {
    this.message = message
  }
}

interface Protocol {
  protocol: { Parser: new () => { parse(bytes: Uint8Array, callback: (message: unknown) => void): void } }
}

/** The error that PGlite itself would throw. */
async function databaseError(error: unknown, query: string, params: readonly unknown[]): Promise<unknown> {
  let told = error
  if (error instanceof ServerError) {
    const { Parser } = ((await import('@electric-sql/pglite')) as unknown as Protocol).protocol
    new Parser().parse(error.message, (message) => (told = message))
  }
  if (told instanceof Error && 'severity' in told) Object.assign(told, { query, params: [...params] })
  return told
}
