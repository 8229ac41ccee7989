// node:sqlite, Node's own driver: https://nodejs.org/api/sqlite.html

import { RowjetError } from './errors.js'
import { connectSQLite, type SQLiteDatabase, type SQLiteOptions } from './sqlite-database.js'
import { refuseMore, type Bindable } from './sqlite-params.js'
import { pathOf, SyncDriver, type SyncHandle, type SyncStatement } from './sqlite-sync.js'
import type { SQLiteColumn } from './sqlite-types.js'

export type { CallOptions, ConnectOptions, Database, Queryable } from './database.js'
export type {
  DatetimeUnit, SQLiteBatchOptions, SQLiteDatabase, SQLiteOptions, SQLiteParams, SQLiteQueryable, SQLiteStreamOptions, SQLiteTransaction, SQLiteTransactionOptions, TransactionMode,
} from './sqlite-database.js'
export * from './common.js'

/** What is used of a DatabaseSync. */
export interface NodeSQLiteLike {
  prepare(sql: string): any
  close(): void
}

/** Options of {@link connect}. */
export interface NodeSQLiteOptions extends SQLiteOptions {
  /** For opening a path: DatabaseSync's own options, such as `{ readOnly: true }`. */
  open?: Readonly<Record<string, unknown>>
}

/**
 * Connects to a DatabaseSync, or opens one: a path, `:memory:`, or `file:` and a path.
 *
 * `close()` closes a database that was opened here; one that was passed in stays open. The driver's errors come through
 * as they are. Node ends texts at their first NUL character; nothing after it can be had by this driver.
 *
 * @throws RowjetError DRIVER_MISSING where there is no node:sqlite, DRIVER_UNSUPPORTED where it gives no rows as arrays:
 * both are there from Node 22.16 on
 */
export async function connect(databaseOrPath: NodeSQLiteLike | string, options: NodeSQLiteOptions = {}): Promise<SQLiteDatabase> {
  const own = typeof databaseOrPath === 'string'
  if (!own && typeof databaseOrPath?.prepare !== 'function') throw new TypeError('connect takes a DatabaseSync of node:sqlite, or the path of a database')
  const sqlite = await load()
  const database = own ? new sqlite.DatabaseSync(pathOf(databaseOrPath), { ...options.open }) : databaseOrPath
  return connectSQLite(new SyncDriver(new Handle(database), { adapterName: 'node:sqlite', own, stale: false }), options)
}

interface NodeSQLite {
  readonly DatabaseSync: new (path: string, options: object) => NodeSQLiteLike
  readonly StatementSync: { readonly prototype: object }
}

async function load(): Promise<NodeSQLite> {
  let sqlite: NodeSQLite
  try {
    sqlite = (await import('node:sqlite' as string)) as NodeSQLite
  } catch (cause) {
    throw new RowjetError('DRIVER_MISSING', `this runtime has no node:sqlite (it says it is Node ${runtime()}): use Node 22.16 or newer, or rowjet/better-sqlite3`, { cause })
  }
  if (!('setReturnArrays' in sqlite.StatementSync.prototype)) {
    throw new RowjetError('DRIVER_UNSUPPORTED', `the node:sqlite of this runtime (it says it is Node ${runtime()}) does not give rows as arrays: use Node 22.16 or newer, or rowjet/better-sqlite3`)
  }
  return sqlite
}

function runtime(): string {
  return process.versions.node
}

type Bound = Bindable[] | Record<string, Bindable>

interface NodeStatement {
  setReadBigInts(on: boolean): void
  setReturnArrays(on: boolean): void
  columns(): SQLiteColumn[]
  all(...params: unknown[]): unknown[][]
  run(...params: unknown[]): { changes: number | bigint }
  iterate(...params: unknown[]): Iterator<unknown[]>
}

const list = (params: Bound): unknown[] => (Array.isArray(params) ? params : [params])

class Handle implements SyncHandle {
  readonly database: NodeSQLiteLike

  constructor(database: NodeSQLiteLike) {
    this.database = database
  }

  prepare(sql: string): SyncStatement {
    const statement = this.database.prepare(sql) as NodeStatement
    refuseMore(sql)
    statement.setReadBigInts(true)
    statement.setReturnArrays(true)
    return {
      reader: statement.columns().length > 0,
      readonly: undefined,
      columns: () => statement.columns(),
      all: (params) => statement.all(...list(params)),
      run: (params) => Number(statement.run(...list(params)).changes),
      iterate: (params) => statement.iterate(...list(params)),
    }
  }

  close(): void {
    this.database.close()
  }
}
