// Cloudflare D1: https://developers.cloudflare.com/d1/worker-api/

import { RowjetError } from './errors.js'
import { connectSQLite, type Answer, type SQLiteDatabase, type SQLiteDriver, type SQLiteOptions, type SQLiteStatement } from './sqlite-database.js'
import { refuseMore, type Bindable } from './sqlite-params.js'
import { Columns } from './sqlite-types.js'

export type { CallOptions, ConnectOptions, Database, Queryable } from './database.js'
export type {
  DatetimeUnit, SQLiteBatchOptions, SQLiteDatabase, SQLiteOptions, SQLiteParams, SQLiteQueryable, SQLiteStreamOptions, SQLiteTransaction, SQLiteTransactionOptions, TransactionMode,
} from './sqlite-database.js'
export * from './common.js'

/** What is used of a D1 binding. */
export interface D1Like {
  prepare(sql: string): any
}

type Bound = Bindable[] | Record<string, Bindable>

/**
 * Connects to a D1 binding, such as `env.DB`.
 *
 * D1 gives JavaScript numbers for all of SQLite's numbers. An integer beyond 2^53 − 1 has lost its digits before it gets
 * here, so a column with one is labelled `double`, never `bigint`; an infinity is null. Nor does D1 tell declared types: the
 * values decide. It has all rows before it gives the first, and no transactions: `transaction` is the error
 * DRIVER_UNSUPPORTED.
 */
export async function connect(binding: D1Like, options: SQLiteOptions = {}): Promise<SQLiteDatabase> {
  if (typeof binding?.prepare !== 'function') throw new TypeError('connect takes a D1 binding, such as env.DB')
  return connectSQLite(new D1Driver(binding), options)
}

interface D1Statement {
  bind(...params: unknown[]): D1Statement
  raw(options: { columnNames: true }): Promise<[string[], ...unknown[][]]>
  run(): Promise<{ meta: { changes?: number } }>
}

class D1Driver implements SQLiteDriver {
  readonly adapterName = 'd1'
  readonly exact = false
  readonly handle = undefined
  readonly #binding: D1Like

  constructor(binding: D1Like) {
    this.#binding = binding
  }

  prepare(sql: string): SQLiteStatement {
    refuseMore(sql)
    const bound = (params: Bound): D1Statement => {
      const statement = this.#binding.prepare(sql) as D1Statement
      return statement.bind(...paramsOf(params))
    }
    return {
      readonly: false,
      all: async (params): Promise<Answer> => {
        const [names, ...rows] = await bound(params).raw({ columnNames: true })
        // Blobs are lists of numbers.
        for (const row of rows) for (let c = 0; c < row.length; c++) if (typeof row[c] === 'object' && row[c] !== null) row[c] = bytesOf(row[c] as object)
        return { columns: new Columns((names ?? []).map((name) => ({ name, type: null }))), rows }
      },
      run: async (params) => (await bound(params).run()).meta.changes ?? 0,
    }
  }

  begin(): never {
    throw new RowjetError('DRIVER_UNSUPPORTED', "D1 has no transactions that stay open between statements: use the binding's batch(), which runs its statements in one")
  }

  close(): void {}
}

function bytesOf(value: object): Uint8Array {
  return Array.isArray(value) ? Uint8Array.from(value as number[]) : new Uint8Array(value as ArrayBuffer)
}

function paramsOf(params: Bound): unknown[] {
  if (!Array.isArray(params)) throw new TypeError('D1 has no parameters by name: use ?1, ?2 … and an array')
  return params.map((param, i) => {
    if (typeof param === 'number' && !Number.isFinite(param)) throw new TypeError(`parameter ${i + 1} is ${param}, which D1 would turn into NULL`)
    if (typeof param !== 'bigint') return param
    const number = Number(param)
    if (!Number.isSafeInteger(number)) throw new TypeError(`parameter ${i + 1} is an integer beyond 2^53 − 1, which D1 can't take: pass its digits as a string, and CAST(? AS INTEGER) in SQL`)
    return number
  })
}
