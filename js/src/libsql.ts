// libSQL, by its two packages: libsql, a driver like better-sqlite3, and @libsql/client, which also speaks to servers.
// https://github.com/tursodatabase/libsql-js, https://github.com/tursodatabase/libsql-client-ts

import { RowjetError } from './errors.js'
import { connectSQLite, type Answer, type SQLiteDatabase, type SQLiteDriver, type SQLiteOptions, type SQLiteSession, type SQLiteStatement, type SQLiteTransactionSession, type TransactionMode } from './sqlite-database.js'
import { refuseMore, type Bindable } from './sqlite-params.js'
import { pathOf, SyncDriver, type SyncHandle, type SyncStatement } from './sqlite-sync.js'
import { Columns, type SQLiteColumn } from './sqlite-types.js'

export type { CallOptions, ConnectOptions, Database, Queryable } from './database.js'
export type {
  DatetimeUnit, SQLiteBatchOptions, SQLiteDatabase, SQLiteOptions, SQLiteParams, SQLiteQueryable, SQLiteStreamOptions, SQLiteTransaction, SQLiteTransactionOptions, TransactionMode,
} from './sqlite-database.js'
export * from './common.js'

/** What is used of a database of the package libsql. */
export interface LibSQLDatabaseLike {
  prepare(sql: string): any
  close(): unknown
}

/** What is used of a client of the package @libsql/client. */
export interface LibSQLClientLike {
  execute(statement: any): Promise<any>
  transaction(mode?: any): Promise<any>
  close(): void
}

/** Options of {@link connect}. */
export interface LibSQLOptions extends SQLiteOptions {
  /** For opening: the options of the package libsql, or for the URL of a server the configuration of createClient, such as `{ authToken }`. */
  open?: Readonly<Record<string, unknown>>
}

/**
 * Connects to a database of the package libsql, or to a client of @libsql/client; or opens one: a path, `:memory:`, or
 * `file:` and a path by libsql; the URL of a server (`libsql:`, `http:`, `https:`, `ws:`, `wss:`) by @libsql/client.
 *
 * A client that is passed in should have been made with `intMode: 'bigint'`. By default it throws a RangeError for
 * integers beyond 2^53, and gives others as numbers, so that INTEGER and REAL can't be told apart.
 *
 * `close()` closes what was opened here; a database or client that was passed in stays open. The driver's errors come
 * through as they are. libSQL's drivers end texts at their first NUL character, and the process at a text that is not
 * UTF-8; nothing can be done about that from outside.
 */
export async function connect(handle: LibSQLDatabaseLike | LibSQLClientLike | string, options: LibSQLOptions = {}): Promise<SQLiteDatabase> {
  const own = typeof handle === 'string'
  const opened = own ? await open(handle, options.open) : handle
  if (typeof (opened as Partial<LibSQLClientLike>)?.execute === 'function') return connectSQLite(new ClientDriver(opened as LibSQLClientLike, own), options)
  if (typeof (opened as Partial<LibSQLDatabaseLike>)?.prepare !== 'function') throw new TypeError('connect takes a database of libsql, a client of @libsql/client, a path or a URL')
  return connectSQLite(new SyncDriver(new Handle(opened as LibSQLDatabaseLike), { adapterName: 'libsql', own, stale: true }), options)
}

async function open(location: string, options: Readonly<Record<string, unknown>> | undefined): Promise<LibSQLDatabaseLike | LibSQLClientLike> {
  const server = /^(libsql|https?|wss?):/i.test(location)
  const name = server ? '@libsql/client' : 'libsql'
  let driver: { default: new (path: string, options?: object) => LibSQLDatabaseLike; createClient(config: object): LibSQLClientLike }
  try {
    driver = (await import(name)) as typeof driver
  } catch (cause) {
    throw new RowjetError('DRIVER_MISSING', `the package ${name} is not there: npm install ${name}, or pass a database or client`, { cause })
  }
  return server ? driver.createClient({ ...options, url: location, intMode: 'bigint' }) : new driver.default(pathOf(location), options)
}

type Bound = Bindable[] | Record<string, Bindable>

interface LibSQLStatement {
  readonly reader: boolean
  raw(): LibSQLStatement
  safeIntegers(): LibSQLStatement
  columns(): SQLiteColumn[]
  all(params: Bound): unknown[][]
  get(params: Bound): unknown
  run(params: Bound): { changes: number }
  iterate(params: Bound): Iterator<unknown[]>
}

class Handle implements SyncHandle {
  readonly database: LibSQLDatabaseLike

  constructor(database: LibSQLDatabaseLike) {
    this.database = database
  }

  prepare(sql: string): SyncStatement {
    const statement = this.database.prepare(sql) as LibSQLStatement
    refuseMore(sql)
    statement.safeIntegers()
    const { reader } = statement
    if (reader) statement.raw()
    return {
      reader,
      readonly: undefined,
      columns: () => statement.columns(),
      all: (params) => statement.all(params),
      run: (params) => statement.run(params).changes,
      iterate: (params) => {
        const rows = statement.iterate(params)
        return {
          next: () => rows.next(),
          // Its iterators have no end but their last row, and tables stay locked until then. Reading one row anew resets the statement.
          return: () => {
            statement.get(params)
            return { done: true, value: undefined }
          },
        }
      },
    }
  }

  close(): void {
    this.database.close()
  }
}

/** What is used of a client and of its transactions. */
interface Executor {
  execute(statement: { sql: string; args: Bound }): Promise<LibSQLResultSet>
}

interface LibSQLResultSet {
  readonly columns: readonly string[]
  readonly columnTypes: readonly (string | undefined)[]
  readonly rows: readonly ArrayLike<unknown>[]
  readonly rowsAffected: number
}

interface LibSQLTransaction extends Executor {
  commit(): Promise<void>
  rollback(): Promise<void>
  close(): void
}

/** Runs statements by a client. They can't be read bit by bit: it has all rows before it gives the first. */
class ClientSession implements SQLiteSession {
  readonly #executor: Executor

  constructor(executor: Executor) {
    this.#executor = executor
  }

  prepare(sql: string): SQLiteStatement {
    refuseMore(sql)
    const execute = (params: Bound): Promise<LibSQLResultSet> => this.#executor.execute({ sql, args: params })
    return {
      readonly: false,
      all: async (params): Promise<Answer> => {
        const set = await execute(params)
        const width = set.columns.length
        // columnTypes has '' for expressions.
        const columns = new Columns(set.columns.map((name, i) => ({ name, type: set.columnTypes[i] || null })))
        const rows = set.rows.map((row) => {
          const cells = new Array<unknown>(width)
          for (let c = 0; c < width; c++) {
            const cell = row[c]
            cells[c] = typeof cell === 'object' && Object.prototype.toString.call(cell) === '[object ArrayBuffer]' ? new Uint8Array(cell as ArrayBuffer) : cell
          }
          return cells
        })
        return { columns, rows }
      },
      run: async (params) => (await execute(params)).rowsAffected,
    }
  }
}

const modes = { deferred: 'deferred', immediate: 'write', exclusive: undefined } as const

class ClientDriver extends ClientSession implements SQLiteDriver {
  readonly adapterName = '@libsql/client'
  /** A client that was passed in may give numbers for integers. */
  readonly exact: boolean
  readonly handle = undefined
  readonly #client: LibSQLClientLike
  readonly #own: boolean

  constructor(client: LibSQLClientLike, own: boolean) {
    super(client)
    this.#client = client
    this.#own = own
    this.exact = own
  }

  async begin(mode: TransactionMode): Promise<SQLiteTransactionSession> {
    const name = modes[mode]
    if (name === undefined) throw new TypeError("a transaction of @libsql/client is 'deferred' or 'immediate', not 'exclusive'")
    const transaction = (await this.#client.transaction(name)) as LibSQLTransaction
    const session = new ClientSession(transaction)
    return {
      prepare: (sql) => session.prepare(sql),
      commit: () => transaction.commit(),
      rollback: async () => {
        try {
          await transaction.rollback()
        } finally {
          transaction.close()
        }
      },
    }
  }

  close(): void {
    if (this.#own) this.#client.close()
  }
}
