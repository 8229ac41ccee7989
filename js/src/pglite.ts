// PGlite, an embedded PostgreSQL: https://pglite.dev/docs/api

import { connectDriver, type ConnectOptions, type Database, type Driver, type DriverQueryable, type IsolationLevel } from './database.js'
import { RowjetError } from './errors.js'
import { boxArray, codeOfType, parseBoxArray, PgTypes } from './pgtypes.js'
import type { ResultSet } from './types.js'

export type { CallOptions, ConnectOptions, Database, IsolationLevel, Queryable, TransactionOptions } from './database.js'
export * from './common.js'

interface PGliteResults {
  rows: unknown[]
  fields: readonly { name: string; dataTypeID: number }[]
  affectedRows?: number
}

type Parsers = Record<number, (text: string) => unknown>

/** What is used of a PGlite transaction. */
export interface PGliteTransactionLike {
  query(sql: string, params?: any[], options?: any): Promise<any>
}

/** What is used of a PGlite instance; PGliteWorker has it too. */
export interface PGliteLike extends PGliteTransactionLike {
  transaction<T>(work: (tx: any) => Promise<T>): Promise<T | undefined>
  close(): Promise<void>
}

/**
 * Connects to a PGlite instance, or opens one: on a data directory, or in memory if there is none.
 *
 * `close()` closes an instance that was opened here; one that was passed in stays open. The database's errors
 * come through as they are.
 */
export async function connect(instanceOrDataDir?: PGliteLike | string, options: ConnectOptions = {}): Promise<Database> {
  const own = instanceOrDataDir === undefined || typeof instanceOrDataDir === 'string'
  const instance = own ? await open(instanceOrDataDir) : instanceOrDataDir
  return connectDriver(new PGliteDriver(instance, own), options)
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

const same = (text: string): string => text

/** Runs queries on an instance or a transaction. */
class PGliteSession implements DriverQueryable {
  readonly #target: PGliteTransactionLike
  readonly #parsers: Parsers
  readonly #types: PgTypes

  constructor(target: PGliteTransactionLike, parsers: Parsers, types: PgTypes) {
    this.#target = target
    this.#parsers = parsers
    this.#types = types
  }

  async query(sql: string, params: readonly unknown[]): Promise<ResultSet> {
    const { rows, fields } = await this.#run(sql, params)
    const lookUp = async (query: string): Promise<unknown[][]> => (await this.#run(query, [])).rows as unknown[][]
    await this.#types.learn(fields.map((field) => field.dataTypeID), lookUp)
    const columnTypes = fields.map((field) => this.#types.code(field.dataTypeID))
    return { columnNames: fields.map((field) => field.name), columnTypes, rows }
  }

  async execute(sql: string, params: readonly unknown[]): Promise<number> {
    return (await this.#run(sql, params)).affectedRows ?? 0
  }

  async #run(sql: string, params: readonly unknown[]): Promise<PGliteResults> {
    return (await this.#target.query(sql, [...params], { rowMode: 'array', parsers: this.#parsers })) as PGliteResults
  }
}

class PGliteDriver implements Driver {
  readonly dialect = 'postgres'
  readonly adapterName = 'pglite'
  readonly #instance: PGliteLike
  readonly #own: boolean
  readonly #types = new PgTypes()
  readonly #parsers: Parsers

  constructor(instance: PGliteLike, own: boolean) {
    this.#instance = instance
    this.#own = own
    this.#parsers = {}
    // PGlite would make JavaScript values of the texts, and lose digits. Only bytes are better left to it.
    const parsers = (instance as { parsers?: Parsers }).parsers ?? {}
    for (const key of Object.keys(parsers)) {
      const code = codeOfType(Number(key))
      if (code !== 13 && code !== 77) this.#parsers[Number(key)] = same
    }
    this.#parsers[boxArray] = parseBoxArray
  }

  query(sql: string, params: readonly unknown[]): Promise<ResultSet> {
    return this.#session(this.#instance).query(sql, params)
  }

  execute(sql: string, params: readonly unknown[]): Promise<number> {
    return this.#session(this.#instance).execute(sql, params)
  }

  async transaction<T>(work: (tx: DriverQueryable) => Promise<T>, isolationLevel: IsolationLevel | undefined): Promise<T> {
    return (await this.#instance.transaction(async (tx: PGliteTransactionLike) => {
      if (isolationLevel !== undefined) await tx.query(`SET TRANSACTION ISOLATION LEVEL ${isolationLevel}`)
      return work(this.#session(tx))
    })) as T
  }

  async close(): Promise<void> {
    if (this.#own) await this.#instance.close()
  }

  #session(target: PGliteTransactionLike): PGliteSession {
    return new PGliteSession(target, this.#parsers, this.#types)
  }
}
