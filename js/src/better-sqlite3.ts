// better-sqlite3: https://github.com/WiseLibs/better-sqlite3/blob/master/docs/api.md

import { RowjetError } from './errors.js'
import { connectSQLite, type SQLiteDatabase, type SQLiteOptions } from './sqlite-database.js'
import type { Bindable } from './sqlite-params.js'
import { pathOf, SyncDriver, type SyncHandle, type SyncStatement } from './sqlite-sync.js'
import type { SQLiteColumn } from './sqlite-types.js'

export type { CallOptions, ConnectOptions, Database, Queryable } from './database.js'
export type {
  DatetimeUnit, SQLiteBatchOptions, SQLiteDatabase, SQLiteOptions, SQLiteParams, SQLiteQueryable, SQLiteStreamOptions, SQLiteTransaction, SQLiteTransactionOptions, TransactionMode,
} from './sqlite-database.js'
export * from './common.js'

/** What is used of a better-sqlite3 database. */
export interface BetterSQLiteLike {
  prepare(sql: string): any
  close(): unknown
}

/** Options of {@link connect}. */
export interface BetterSQLiteOptions extends SQLiteOptions {
  /** For opening a path: better-sqlite3's own options, such as `{ readonly: true, fileMustExist: true, timeout: 5000 }`. */
  open?: Readonly<Record<string, unknown>>
}

/**
 * Connects to a better-sqlite3 database, or opens one: a path, `:memory:`, or `file:` and a path.
 *
 * `close()` closes a database that was opened here; one that was passed in stays open. The driver's errors come through
 * as they are. While a stream or batches are being read, better-sqlite3 refuses to write on the same connection.
 */
export async function connect(databaseOrPath: BetterSQLiteLike | string, options: BetterSQLiteOptions = {}): Promise<SQLiteDatabase> {
  const own = typeof databaseOrPath === 'string'
  const database = own ? await open(databaseOrPath, options.open) : databaseOrPath
  if (typeof database?.prepare !== 'function') throw new TypeError('connect takes a better-sqlite3 database, or the path of one')
  return connectSQLite(new SyncDriver(new Handle(database), { adapterName: 'better-sqlite3', own, stale: false }), options)
}

async function open(path: string, options: object | undefined): Promise<BetterSQLiteLike> {
  let driver: { default: new (path: string, options?: object) => BetterSQLiteLike }
  try {
    driver = (await import('better-sqlite3' as string)) as typeof driver
  } catch (cause) {
    throw new RowjetError('DRIVER_MISSING', 'the package better-sqlite3 is not there: npm install better-sqlite3, or pass a database', { cause })
  }
  return new driver.default(pathOf(path), options)
}

type Bound = Bindable[] | Record<string, Bindable>

interface BetterStatement {
  readonly reader: boolean
  readonly readonly: boolean
  raw(): BetterStatement
  safeIntegers(): BetterStatement
  columns(): SQLiteColumn[]
  all(params: Bound): unknown[][]
  run(params: Bound): { changes: number }
  iterate(params: Bound): IterableIterator<unknown[]>
}

/** A parameter such as ?1, outside of strings, quoted names and comments. */
const numbered = /^(?:[^'"`[?/-]|'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*(?:\n|$)|-(?!-)|\/\*[^]*?\*\/|\/(?!\*)|\?(?![0-9]))*\?[0-9]/

const same = (params: Bound): Bound => params

/** The driver takes ?1 for a parameter with the name 1. */
function byNumber(params: Bound): Bound {
  return Array.isArray(params) ? Object.fromEntries(params.map((param, i) => [i + 1, param])) : params
}

class Handle implements SyncHandle {
  readonly database: BetterSQLiteLike

  constructor(database: BetterSQLiteLike) {
    this.database = database
  }

  prepare(sql: string): SyncStatement {
    const statement = this.database.prepare(sql) as BetterStatement
    statement.safeIntegers()
    if (statement.reader) statement.raw()
    const bound = numbered.test(sql) ? byNumber : same
    return {
      reader: statement.reader,
      readonly: statement.readonly,
      columns: () => statement.columns(),
      all: (params) => statement.all(bound(params)),
      run: (params) => statement.run(bound(params)).changes,
      iterate: (params) => statement.iterate(bound(params)),
    }
  }

  close(): void {
    this.database.close()
  }
}
