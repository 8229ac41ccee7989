// sql.js, SQLite as WebAssembly, in memory: https://sql.js.org/documentation/

import { RowjetError } from './errors.js'
import { connectSQLite, type SQLiteDatabase, type SQLiteOptions } from './sqlite-database.js'
import { inOrder, parametersOf, refuseMore, withoutParameters, type Bindable } from './sqlite-params.js'
import { keywordOf, onlyReads, SyncDriver, type SyncHandle, type SyncStatement } from './sqlite-sync.js'
import type { SQLiteColumn } from './sqlite-types.js'

export type { CallOptions, ConnectOptions, Database, Queryable } from './database.js'
export type {
  DatetimeUnit, SQLiteBatchOptions, SQLiteDatabase, SQLiteOptions, SQLiteParams, SQLiteQueryable, SQLiteStreamOptions, SQLiteTransaction, SQLiteTransactionOptions, TransactionMode,
} from './sqlite-database.js'
export * from './common.js'

/** What is used of a sql.js database. */
export interface SqlJsLike {
  prepare(sql: string): any
  run(sql: string): unknown
  getRowsModified(): number
  close(): void
}

/** Options of {@link connect}. */
export interface SqlJsOptions extends SQLiteOptions {
  /** For opening: options of initSqlJs, such as `{ locateFile: (name) => '/assets/' + name }`. */
  open?: Readonly<Record<string, unknown>>
}

/**
 * Connects to a database of sql.js, or opens one: the bytes of a database file, or `:memory:`.
 *
 * `close()` closes a database that was opened here; one that was passed in stays open. To keep the data, pass in a database,
 * and write what its `export()` gives to where you like. The driver's errors come through as they are.
 *
 * @throws RowjetError DRIVER_UNSUPPORTED for sql.js before 1.17, which binds bigints as text
 */
export async function connect(database: SqlJsLike | Uint8Array | ':memory:', options: SqlJsOptions = {}): Promise<SQLiteDatabase> {
  const own = database === ':memory:' || ArrayBuffer.isView(database)
  if (!own && typeof database?.prepare !== 'function') {
    throw new TypeError("connect takes a database of sql.js, the bytes of a database file, or ':memory:': sql.js can't open files")
  }
  const opened = own ? await open(database === ':memory:' ? undefined : database, options.open) : database
  try {
    checkVersion(opened)
  } catch (error) {
    if (own) opened.close()
    throw error
  }
  return connectSQLite(new SyncDriver(new Handle(opened), { adapterName: 'sql.js', own, stale: false }), options)
}

async function open(data: Uint8Array | undefined, options: object | undefined): Promise<SqlJsLike> {
  let driver: { default: (options?: object) => Promise<{ Database: new (data?: Uint8Array) => SqlJsLike }> }
  try {
    driver = (await import('sql.js' as string)) as typeof driver
  } catch (cause) {
    throw new RowjetError('DRIVER_MISSING', 'the package sql.js is not there: npm install sql.js, or pass a database', { cause })
  }
  const { Database } = await driver.default(options)
  return new Database(data)
}

interface SqlJsStatement {
  bind(params: Bindable[]): unknown
  step(): boolean
  get(params: null, options: object): unknown[]
  getColumnNames(): string[]
  getSQL(): string
  reset(): unknown
  free(): unknown
}

function checkVersion(database: SqlJsLike): void {
  const statement = database.prepare('SELECT typeof(?)') as SqlJsStatement
  try {
    statement.bind([1n])
    statement.step()
    if (statement.get(null, exact)[0] === 'integer') return
  } finally {
    statement.free()
  }
  throw new RowjetError('DRIVER_UNSUPPORTED', 'this sql.js binds bigints as text: use sql.js 1.17 or newer')
}

const exact = { useBigInt: true }

type Bound = Bindable[] | Record<string, Bindable>

/** The name of the view that tells declared types. */
const view = 'rowjet_columns'

class Handle implements SyncHandle {
  readonly database: SqlJsLike
  #schema: SqlJsStatement | undefined
  /** The version of the schema that the types below are for. */
  #version: unknown
  readonly #types = new Map<string, readonly (string | null)[]>()

  constructor(database: SqlJsLike) {
    this.database = database
  }

  prepare(sql: string): SyncStatement {
    const { database } = this
    const statement = attempt(() => database.prepare(sql) as SqlJsStatement)
    try {
      refuseMore(sql, statement.getSQL().length)
    } catch (error) {
      statement.free()
      throw error
    }
    const parameters = parametersOf(sql)
    const keyword = keywordOf(sql)
    const ran = (): void => {
      if (!keepsTypes.has(keyword)) this.#types.clear()
    }
    const read = <T>(params: Bound, work: () => T): T => attempt(() => {
      try {
        statement.bind(inOrder(params, parameters))
        return work()
      } finally {
        statement.reset()
        ran()
      }
    })
    return {
      reader: statement.getColumnNames().length > 0,
      readonly: undefined,
      columns: () => this.#columns(sql, statement.getColumnNames()),
      all: (params) => read(params, () => {
        const rows: unknown[][] = []
        while (statement.step()) rows.push(statement.get(null, exact))
        return rows
      }),
      run: (params) => read(params, () => {
        statement.step()
        return database.getRowsModified()
      }),
      iterate: (params) => {
        attempt(() => statement.bind(inOrder(params, parameters)))
        let done = false
        const end = (): IteratorResult<unknown[]> => {
          if (!done) {
            statement.reset()
            ran()
          }
          done = true
          return { done: true, value: undefined }
        }
        return {
          next: () => {
            if (done) return end()
            try {
              if (statement.step()) return { done: false, value: statement.get(null, exact) }
            } catch (error) {
              end()
              throw thrown(error)
            }
            return end()
          },
          return: end,
        }
      },
      free: () => {
        statement.free()
      },
    }
  }

  release(): void {
    this.#schema?.free()
    this.#schema = undefined
  }

  close(): void {
    this.database.close()
  }

  /**
   * sql.js leaves out sqlite3_column_decltype. But a view has columns with the declared types of its query's, and
   * `PRAGMA table_info` tells them. It calls what has no type BLOB, too, so that this says nothing here.
   */
  #columns(sql: string, names: string[]): SQLiteColumn[] {
    const version = this.#schemaVersion()
    if (this.#version !== version) this.#types.clear()
    this.#version = version
    let types = this.#types.get(sql)
    if (types === undefined || types.length !== names.length) {
      const told = names.length > 0 && onlyReads(keywordOf(sql), sql) ? this.#declared(sql) : []
      types = names.map((_, i) => (told.length === names.length && told[i] !== 'BLOB' && told[i] !== '' ? told[i] : null))
      if (this.#types.size === mostTypes) this.#types.delete(this.#types.keys().next().value!)
      this.#types.set(sql, types)
    }
    return names.map((name, i) => ({ name, type: types[i] }))
  }

  #schemaVersion(): unknown {
    this.#schema ??= this.database.prepare('PRAGMA main.schema_version') as SqlJsStatement
    this.#schema.step()
    const [version] = this.#schema.get(null, {})
    this.#schema.reset()
    return version
  }

  #declared(sql: string): string[] {
    try {
      this.database.run(`CREATE TEMP VIEW ${view} AS ${withoutParameters(sql)}`)
    } catch {
      return [] // not every statement can be a view's, and a connection may be read-only: then the values tell all
    }
    let info: SqlJsStatement | undefined
    try {
      info = this.database.prepare(`PRAGMA temp.table_info(${view})`) as SqlJsStatement
      const types: string[] = []
      while (info.step()) types.push(info.get(null, {})[2] as string)
      return types
    } catch {
      return []
    } finally {
      info?.free()
      this.database.run(`DROP VIEW temp.${view}`)
    }
  }
}

/**
 * The first words of statements that leave the types of others' columns as they are. All others may change a schema whose
 * version says nothing: those of temporary tables and attached databases are not looked at, and a rollback takes the
 * version back, so that the next change gives the same one again.
 */
const keepsTypes: ReadonlySet<string> = new Set(['SELECT', 'VALUES', 'WITH', 'EXPLAIN', 'INSERT', 'UPDATE', 'DELETE', 'REPLACE', 'BEGIN', 'COMMIT', 'END', 'SAVEPOINT', 'RELEASE'])

/** So many statements' types are kept. */
const mostTypes = 200

/** sql.js throws strings, too. */
function thrown(error: unknown): unknown {
  return typeof error === 'string' ? new Error(error) : error
}

function attempt<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw thrown(error)
  }
}
