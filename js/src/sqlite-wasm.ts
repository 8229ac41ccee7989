// @sqlite.org/sqlite-wasm, SQLite's own WebAssembly build, by its object-oriented API: https://sqlite.org/wasm/doc/trunk/api-oo1.md

import { RowjetError } from './errors.js'
import { connectSQLite, type SQLiteDatabase, type SQLiteOptions } from './sqlite-database.js'
import { inOrder, refuseMore, type Bindable } from './sqlite-params.js'
import { SyncDriver, type SyncHandle, type SyncStatement } from './sqlite-sync.js'
import type { SQLiteColumn } from './sqlite-types.js'
import { decodeCell } from './text.js'

export type { CallOptions, ConnectOptions, Database, Queryable } from './database.js'
export type {
  DatetimeUnit, SQLiteBatchOptions, SQLiteDatabase, SQLiteOptions, SQLiteParams, SQLiteQueryable, SQLiteStreamOptions, SQLiteTransaction, SQLiteTransactionOptions, TransactionMode,
} from './sqlite-database.js'
export * from './common.js'

/** What is used of a database of the object-oriented API: an `oo1.DB`, or one of its kinds such as OpfsDb. */
export interface SqliteWasmLike {
  /** Undefined once it is closed. */
  readonly pointer?: any
  prepare(sql: string): any
  checkRc(code: number): unknown
  close(): void
}

/** What is used of what `sqlite3InitModule()` gives. */
export interface SqliteWasmModule {
  readonly capi: any
  readonly wasm: any
  readonly oo1: any
}

/** Options of {@link connect}. */
export interface SqliteWasmOptions extends SQLiteOptions {
  /** What `sqlite3InitModule()` gave: the one that a database was made with. For opening, by default a new one. */
  sqlite3?: SqliteWasmModule
  /** For opening: options of `oo1.DB`, such as `{ vfs: 'opfs' }`. */
  open?: Readonly<Record<string, unknown>>
}

/**
 * Connects to a database of the object-oriented API, with the option `sqlite3`; or opens one: `:memory:`, or a name for the
 * VFS, such as that of a file in OPFS with `{ open: { vfs: 'opfs' } }`.
 *
 * Values are read where SQLite has them, in the memory of its module. `close()` closes a database that was opened here; one
 * that was passed in stays open. The driver's errors come through as they are.
 *
 * @throws RowjetError DRIVER_UNSUPPORTED for a build without BigInt
 */
export async function connect(databaseOrName: SqliteWasmLike | string, options: SqliteWasmOptions = {}): Promise<SQLiteDatabase> {
  const own = typeof databaseOrName === 'string'
  if (!own && (typeof databaseOrName?.prepare !== 'function' || databaseOrName.pointer === undefined)) {
    throw new TypeError('connect takes an open database of @sqlite.org/sqlite-wasm, or the name of one')
  }
  if (!own && options.sqlite3 === undefined) throw new TypeError('a database of @sqlite.org/sqlite-wasm has no way to the module that it was made with: pass that in the option sqlite3')
  const sqlite3 = options.sqlite3 ?? (await load())
  if (sqlite3.wasm?.bigIntEnabled !== true) throw new RowjetError('DRIVER_UNSUPPORTED', 'this build of SQLite has no BigInt, and so no 64-bit integers: use one that has')
  const database = own ? (new sqlite3.oo1.DB({ filename: databaseOrName, flags: 'c', ...options.open }) as SqliteWasmLike) : databaseOrName
  return connectSQLite(new SyncDriver(new Handle(database, sqlite3), { adapterName: 'sqlite-wasm', own, stale: false }), options)
}

async function load(): Promise<SqliteWasmModule> {
  let driver: { default: () => Promise<SqliteWasmModule> }
  try {
    driver = (await import('@sqlite.org/sqlite-wasm' as string)) as typeof driver
  } catch (cause) {
    throw new RowjetError('DRIVER_MISSING', 'the package @sqlite.org/sqlite-wasm is not there: npm install @sqlite.org/sqlite-wasm, or pass a database', { cause })
  }
  return driver.default()
}

interface OO1Statement {
  /** Undefined once it has been finalized, which the end of the database does, too. */
  readonly pointer: number | bigint | undefined
  bind(index: number, value: string | Uint8Array): unknown
  getParamName(index: number): string | undefined
  readonly parameterCount: number
  finalize(): unknown
}

type Bound = Bindable[] | Record<string, Bindable>

// https://sqlite.org/c3ref/c_blob.html, https://sqlite.org/rescode.html
const integer = 1
const float = 2
const text = 3
const blob = 4
const row = 100
const done = 101

class Handle implements SyncHandle {
  readonly database: SqliteWasmLike
  readonly #sqlite3: SqliteWasmModule

  constructor(database: SqliteWasmLike, sqlite3: SqliteWasmModule) {
    this.database = database
    this.#sqlite3 = sqlite3
  }

  prepare(sql: string): SyncStatement {
    const { database } = this
    const { capi, wasm } = this.#sqlite3
    const c = wasm.exports as Record<string, (...args: unknown[]) => any>
    const statement = database.prepare(sql) as OO1Statement
    const pointer = statement.pointer!
    try {
      refuseMore(sql, (capi.sqlite3_sql(pointer) as string).length)
    } catch (error) {
      statement.finalize()
      throw error
    }
    const names = Array.from({ length: statement.parameterCount }, (_, i) => {
      const name = statement.getParamName(i + 1)
      return name == null || name.startsWith('?') ? undefined : name
    })
    /** Its memory may be another's after its end. */
    const check = (): void => {
      if (statement.pointer === undefined) throw new RowjetError('CONNECTION_CLOSED', 'the database was closed: open it anew')
    }
    const bind = (params: Bound): void => {
      check()
      const values = inOrder(params, names)
      for (let i = 0; i < values.length; i++) {
        const value = values[i]
        let code = 0
        if (typeof value === 'bigint') {
          // The engine would cut off what is beyond 64 bits.
          if (BigInt.asIntN(64, value) !== value) throw new RangeError(`parameter ${names[i] ?? i + 1} is an integer beyond 64 bits: ${value}`)
          code = c['sqlite3_bind_int64'](pointer, i + 1, value)
        } else if (typeof value === 'number') {
          code = c['sqlite3_bind_double'](pointer, i + 1, value)
        } else if (value === null) {
          code = c['sqlite3_bind_null'](pointer, i + 1)
        } else {
          statement.bind(i + 1, value)
        }
        if (code !== 0) database.checkRc(code)
      }
    }
    const step = (): boolean => {
      const code = c['sqlite3_step'](pointer) as number
      if (code === row) return true
      if (code !== done) database.checkRc(code)
      return false
    }
    const reset = (): void => {
      if (statement.pointer === undefined) return
      c['sqlite3_reset'](pointer)
      c['sqlite3_clear_bindings'](pointer)
    }
    const count = (): number => c['sqlite3_column_count'](pointer) as number
    const { sqlite3_column_type: typeOf, sqlite3_column_int64: int64Of, sqlite3_column_double: doubleOf, sqlite3_column_text: textOf, sqlite3_column_blob: blobOf, sqlite3_column_bytes: bytesOf } = c
    const cells = (width: number): unknown[] => {
      const values = new Array<unknown>(width)
      for (let i = 0; i < width; i++) {
        switch (typeOf(pointer, i)) {
          case integer:
            values[i] = int64Of(pointer, i)
            break
          case float:
            values[i] = doubleOf(pointer, i)
            break
          case text: {
            // This order: the first call may move the bytes, and the memory.
            const at = Number(textOf(pointer, i))
            const end = at + (bytesOf(pointer, i) as number)
            values[i] = decodeCell(wasm.heap8u() as Uint8Array, at, end)
            break
          }
          case blob: {
            const at = Number(blobOf(pointer, i))
            values[i] = (wasm.heap8u() as Uint8Array).slice(at, at + (bytesOf(pointer, i) as number))
            break
          }
          default:
            values[i] = null
        }
      }
      return values
    }
    return {
      reader: count() > 0,
      readonly: c['sqlite3_stmt_readonly'](pointer) !== 0,
      columns: () => {
        check()
        return Array.from({ length: count() }, (_, i): SQLiteColumn => ({ name: capi.sqlite3_column_name(pointer, i) as string, type: capi.sqlite3_column_decltype(pointer, i) as string | null }))
      },
      all: (params) => {
        try {
          bind(params)
          const rows: unknown[][] = []
          if (step()) {
            const width = count() // a step may have compiled the statement anew
            do rows.push(cells(width))
            while (step())
          }
          return rows
        } finally {
          reset()
        }
      },
      run: (params) => {
        try {
          bind(params)
          step()
          return c['sqlite3_changes'](database.pointer) as number
        } finally {
          reset()
        }
      },
      iterate: (params) => {
        bind(params)
        let width = -1
        let over = false
        const end = (): IteratorResult<unknown[]> => {
          if (!over) reset()
          over = true
          return { done: true, value: undefined }
        }
        return {
          next: () => {
            if (over) return end()
            check()
            try {
              if (step()) {
                if (width === -1) width = count()
                return { done: false, value: cells(width) }
              }
            } catch (error) {
              end()
              throw error
            }
            return end()
          },
          return: end,
        }
      },
      free: () => {
        statement.finalize()
      },
    }
  }

  close(): void {
    this.database.close()
  }
}
