// Any driver adapter of Prisma's, see SqlDriverAdapter and its factories in @prisma/driver-adapter-utils.

import { connectDriver, type ConnectOptions, type Database, type Driver, type DriverQueryable, type IsolationLevel } from './database.js'
import { RowjetError } from './errors.js'
import type { Dialect, ResultSet } from './types.js'

export type { CallOptions, ConnectOptions, Database, IsolationLevel, Queryable, TransactionOptions } from './database.js'
export * from './common.js'

/** A value, or what adapters before Prisma 6.6, and bound ones, give in its place. */
type Outcome<T> = T | { ok: true; value: T } | { ok: false; error: { kind?: string; id?: number; message?: string; originalMessage?: string } }

/** A query as adapters take it. */
export interface AdapterQuery {
  sql: string
  args: unknown[]
  argTypes: never[]
}

/** What is used of an adapter's connection or transaction. */
export interface AdapterQueryable {
  readonly provider?: string
  readonly adapterName?: string
  queryRaw(query: AdapterQuery): Promise<unknown>
  executeRaw(query: AdapterQuery): Promise<unknown>
}

/** What is used of an adapter: a subset of SqlDriverAdapter. */
export interface AdapterLike extends AdapterQueryable {
  startTransaction?(isolationLevel?: IsolationLevel): Promise<unknown>
  dispose?(): Promise<unknown>
}

/** What is used of a factory of adapters: a subset of SqlDriverAdapterFactory. */
export interface AdapterFactoryLike {
  readonly provider?: string
  readonly adapterName?: string
  connect(): Promise<unknown>
}

interface AdapterTransaction extends AdapterQueryable {
  /** `usePhantomQuery`: commit and rollback send their statement themselves. */
  readonly options: { readonly usePhantomQuery?: boolean }
  commit(): Promise<unknown>
  rollback(): Promise<unknown>
}

interface WithErrors {
  errorRegistry?: { consumeError(id: number): { error: unknown } | undefined }
}

const dialects: Record<string, Dialect> = { postgres: 'postgres', mysql: 'mysql', sqlite: 'sqlite' }

/**
 * Connects by a driver adapter, or by a factory of them such as `new PrismaPg(…)`.
 *
 * `close()` disposes of an adapter that a factory made here; an adapter that was passed in stays open.
 * The adapter's errors come through as they are.
 *
 * @throws RowjetError DIALECT_UNSUPPORTED for a database that there is no module for.
 */
export async function connect(adapterOrFactory: AdapterLike | AdapterFactoryLike, options: ConnectOptions = {}): Promise<Database> {
  const given: Partial<AdapterLike & AdapterFactoryLike> = adapterOrFactory
  const isAdapter = typeof given.queryRaw === 'function'
  if (!isAdapter && typeof given.connect !== 'function') {
    throw new TypeError('connect takes a driver adapter (with queryRaw) or a factory of driver adapters (with connect)')
  }
  // Before connecting, where that is known: no connection is opened for nothing.
  const dialect = dialectOf(given.provider)
  const adapter = isAdapter ? (given as AdapterLike) : unwrap(await (given as AdapterFactoryLike).connect(), given) as AdapterLike
  return connectDriver(new AdapterDriver(adapter, dialect, !isAdapter), options)
}

function dialectOf(provider: string | undefined): Dialect {
  const name = provider ?? ''
  if (Object.hasOwn(dialects, name)) return dialects[name]
  throw new RowjetError('DIALECT_UNSUPPORTED', `there is no module for ${provider === undefined ? 'an adapter that names no provider' : `the provider ${JSON.stringify(provider)}`}: Rowjet knows postgres, mysql and sqlite`)
}

/** Takes a value out of an outcome, or throws its error: the original one if the adapter has kept it. */
function unwrap(outcome: unknown, adapter: unknown): unknown {
  if (typeof outcome !== 'object' || outcome === null || typeof (outcome as { ok?: unknown }).ok !== 'boolean') return outcome
  const told = outcome as Exclude<Outcome<unknown>, unknown[]> & { ok: boolean; value?: unknown; error?: { kind?: string; id?: number; message?: string; originalMessage?: string } }
  if (told.ok) return told.value
  const error = told.error ?? {}
  if (error.id !== undefined) {
    const kept = (adapter as WithErrors).errorRegistry?.consumeError(error.id)
    if (kept !== undefined) throw kept.error
  }
  throw Object.assign(new Error(error.originalMessage ?? error.message ?? error.kind ?? 'the adapter failed'), { name: 'DriverAdapterError', cause: error })
}

class AdapterSession implements DriverQueryable {
  protected readonly target: AdapterQueryable

  constructor(target: AdapterQueryable) {
    this.target = target
  }

  async query(sql: string, params: readonly unknown[]): Promise<ResultSet> {
    return unwrap(await this.target.queryRaw(queryOf(sql, params)), this.target) as ResultSet
  }

  async execute(sql: string, params: readonly unknown[]): Promise<number> {
    return unwrap(await this.target.executeRaw(queryOf(sql, params)), this.target) as number
  }
}

class AdapterDriver extends AdapterSession implements Driver {
  readonly dialect: Dialect
  readonly adapterName: string
  readonly #adapter: AdapterLike
  readonly #own: boolean

  constructor(adapter: AdapterLike, dialect: Dialect, own: boolean) {
    super(adapter)
    this.dialect = dialect
    this.adapterName = adapter.adapterName ?? 'unknown'
    this.#adapter = adapter
    this.#own = own
  }

  async transaction<T>(work: (tx: DriverQueryable) => Promise<T>, isolationLevel: IsolationLevel | undefined): Promise<T> {
    const adapter = await this.#transactionContext()
    if (adapter.startTransaction === undefined) throw new TypeError(`the adapter ${this.adapterName} has no transactions`)
    const transaction = unwrap(await adapter.startTransaction(isolationLevel), adapter) as AdapterTransaction
    const { usePhantomQuery } = transaction.options
    const send = async (sql: string): Promise<void> => {
      if (usePhantomQuery !== true) unwrap(await transaction.executeRaw(queryOf(sql, [])), transaction)
    }
    const rollBack = async (): Promise<void> => {
      try {
        await send('ROLLBACK')
      } finally {
        unwrap(await transaction.rollback(), transaction) // gives the connection back
      }
    }
    let value: T
    try {
      value = await work(new AdapterSession(transaction))
      await send('COMMIT')
    } catch (error) {
      await rollBack().catch(() => undefined) // the first error is the one to tell
      throw error
    }
    unwrap(await transaction.commit(), transaction)
    return value
  }

  /** Adapters before Prisma 6.6 start transactions on an object of their own. */
  async #transactionContext(): Promise<AdapterLike> {
    const old = this.#adapter as { transactionContext?(): Promise<unknown> }
    if (this.#adapter.startTransaction !== undefined || typeof old.transactionContext !== 'function') return this.#adapter
    return unwrap(await old.transactionContext(), this.#adapter) as AdapterLike
  }

  async close(): Promise<void> {
    if (this.#own) await this.#adapter.dispose?.()
  }
}

function queryOf(sql: string, params: readonly unknown[]): AdapterQuery {
  return { sql, args: params.map((param) => param ?? null), argTypes: params.map(argTypeOf) as never[] }
}

/**
 * What a parameter is, for adapters. They use it to convert strings that stand for other values, so a string is
 * called a string: it goes to the database as it is.
 */
function argTypeOf(param: unknown): { scalarType: string; arity: 'scalar' | 'list' } {
  if (Array.isArray(param)) {
    const item: unknown = param.find((element) => element !== null && element !== undefined)
    return { scalarType: Array.isArray(item) ? 'unknown' : argTypeOf(item).scalarType, arity: 'list' }
  }
  let scalarType = 'unknown'
  switch (typeof param) {
    case 'string':
      scalarType = 'string'
      break
    case 'number':
      scalarType = Number.isInteger(param) ? 'int' : 'float'
      break
    case 'bigint':
      scalarType = 'bigint'
      break
    case 'boolean':
      scalarType = 'boolean'
      break
    case 'object':
      if (ArrayBuffer.isView(param)) scalarType = 'bytes'
      else if (Object.prototype.toString.call(param) === '[object Date]') scalarType = 'datetime'
  }
  return { scalarType, arity: 'scalar' }
}
