// What the drivers have in common that run statements at once, in this thread: better-sqlite3, node:sqlite, libsql, and
// those that are WebAssembly.

import type { Bindable } from './sqlite-params.js'
import type { Answer, SQLiteDriver, SQLiteStatement, SQLiteTransactionSession, TransactionMode } from './sqlite-database.js'
import { Columns, type SQLiteColumn } from './sqlite-types.js'

type Bound = Bindable[] | Record<string, Bindable>

/** A statement of a driver: rows are arrays, integers are bigints. */
export interface SyncStatement {
  /** It gives rows. */
  readonly reader: boolean
  /** Undefined if the driver does not tell. */
  readonly readonly: boolean | undefined
  columns(): SQLiteColumn[]
  all(params: Bound): unknown[][]
  /** Gives the number of rows that were changed by the last INSERT, UPDATE or DELETE. */
  run(params: Bound): number
  /** Only one iterator at a time is read. */
  iterate(params: Bound): Iterator<unknown[]>
  /** Ends it, if it takes memory that the collector knows nothing of. */
  free?(): void
}

/** A connection of a driver. */
export interface SyncHandle {
  /** What the user has, or would have. */
  readonly database: object
  prepare(sql: string): SyncStatement
  /** Ends what it made for itself. */
  release?(): void
  close(): void
}

/** What differs between the drivers. */
export interface SyncTraits {
  readonly adapterName: string
  /** `connect` opened it, so that nobody else has its handle. */
  readonly own: boolean
  /** A statement goes on telling the columns that it had when it was prepared, after SQLite has compiled it anew. */
  readonly stale: boolean
}

/**
 * From so many columns on, reading row by row is faster where the values are not kept: a call for each row costs less than
 * garbage that gets old. The two were seen to be even at about eight columns.
 */
const manyColumns = 8

/** So many prepared statements are kept. */
const mostStatements = 100

const none = new Columns([])

/**
 * Other connections may change the schema at any time, and SQLite then compiles statements anew by itself. So what is
 * known of a statement's columns has to be looked at again; but that takes as long as reading a row, and is done at most
 * once in each turn of the event loop.
 */
let turn = 0
let counting = false

function currentTurn(): number {
  if (!counting) {
    counting = true
    const next = (): void => {
      counting = false
      turn++
    }
    if (typeof setImmediate === 'function') setImmediate(next)
    else setTimeout(next, 0) // pages have no setImmediate
  }
  return turn
}

/** Runs statements of one connection. */
export class SyncDriver implements SQLiteDriver {
  readonly adapterName: string
  readonly exact = true
  readonly handle: object
  readonly traits: SyncTraits
  readonly #handle: SyncHandle
  readonly #statements = new Map<string, Statement>()

  constructor(handle: SyncHandle, traits: SyncTraits) {
    this.#handle = handle
    this.handle = handle.database
    this.traits = traits
    this.adapterName = traits.adapterName
  }

  prepare(sql: string, fresh: boolean): SQLiteStatement {
    if (fresh) return new Statement(this.#handle, sql, this.traits)
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = new Statement(this.#handle, sql, this.traits)
      if (this.#statements.size === mostStatements) {
        const [[oldest, ending]] = this.#statements
        ending.free()
        this.#statements.delete(oldest)
      }
      this.#statements.set(sql, statement)
    }
    return statement
  }

  begin(mode: TransactionMode): SQLiteTransactionSession {
    this.#run(`BEGIN ${mode.toUpperCase()}`)
    return {
      prepare: (sql, fresh) => this.prepare(sql, fresh),
      commit: () => this.#run('COMMIT'),
      rollback: () => this.#run('ROLLBACK'),
    }
  }

  close(): void {
    for (const statement of this.#statements.values()) statement.free()
    this.#statements.clear()
    this.#handle.release?.()
    if (this.traits.own) this.#handle.close()
  }

  #run(sql: string): void {
    this.prepare(sql, false).run([])
  }
}

class Statement implements SQLiteStatement {
  readonly readonly: boolean
  asked: 'rows' | 'document' = 'document'
  readonly #handle: SyncHandle
  readonly #sql: string
  readonly #traits: SyncTraits
  readonly #keyword: string
  /** The columns may change from run to run without anything that is seen here. */
  readonly #open: boolean
  #statement: SyncStatement
  #columns: Columns
  #turn = -1

  constructor(handle: SyncHandle, sql: string, traits: SyncTraits) {
    this.#handle = handle
    this.#sql = sql
    this.#traits = traits
    this.#statement = handle.prepare(sql)
    this.#keyword = keywordOf(sql)
    this.readonly = this.#statement.readonly ?? onlyReads(this.#keyword, sql)
    this.#columns = this.#statement.reader ? new Columns(this.#statement.columns()) : none
    // Names of columns that are not written out are those of the table.
    this.#open = !traits.own && sql.includes('*')
  }

  get wide(): boolean {
    return this.#columns.names.length >= manyColumns && (this.readonly || !this.#traits.stale)
  }

  all(params: Bound): Answer {
    if (!this.#statement.reader) {
      this.run(params)
      return { columns: none, rows: [] }
    }
    let rows = this.#statement.all(params)
    const columns = this.#columns
    if (this.#open || this.#turn !== currentTurn() || this.#isOther(rows[0])) {
      this.#look()
      if (this.#isOther(rows[0])) {
        // node:sqlite counts columns before it runs a statement, and so misses new ones.
        if (!this.readonly) return { columns, rows }
        rows = this.#statement.all(params)
      }
    }
    return { columns: this.#columns, rows }
  }

  /** Whether a row has not as many cells as there are columns. */
  #isOther(row: unknown[] | undefined): boolean {
    return row !== undefined && row.length !== this.#columns.names.length
  }

  run(params: Bound): number {
    const statement = this.#statement
    const changes = this.#keyword === 'INSERT' || this.#keyword === 'UPDATE' || this.#keyword === 'DELETE' || this.#keyword === 'REPLACE' || this.#keyword === 'WITH'
    if (statement.reader) {
      const count = statement.all(params).length
      return changes && !this.readonly ? count : 0
    }
    const changed = statement.run(params)
    if (changes) return changed
    if (!leavesSchema.has(this.#keyword)) turn++ // whatever it was, it may have changed the schema
    return 0
  }

  iterate(params: Bound): { columns: Columns; rows: Iterator<unknown[]> } | undefined {
    if (!this.#statement.reader || (this.#traits.stale && !this.readonly)) return undefined
    let rows = this.#statement.iterate(params)
    let first: IteratorResult<unknown[]> | undefined = rows.next()
    let columns = this.#columns
    this.#look()
    if (first.done !== true && this.readonly && this.#isOther(first.value)) {
      rows.return!()
      rows = this.#statement.iterate(params)
      first = rows.next()
    }
    if (first.done === true || !this.#isOther(first.value)) columns = this.#columns
    return {
      columns,
      rows: {
        next() {
          if (first === undefined) return rows.next()
          const row = first
          first = undefined
          return row
        },
        return: () => rows.return!(),
      },
    }
  }

  free(): void {
    this.#statement.free?.()
  }

  /** Looks at the columns. The statement has just run: only then has SQLite looked whether the schema is another. */
  #look(): void {
    this.#turn = currentTurn()
    if (this.#traits.stale) this.#statement = this.#handle.prepare(this.#sql)
    const list = this.#statement.columns()
    if (!this.#columns.equals(list)) this.#columns = new Columns(list)
  }
}

const leavesSchema: ReadonlySet<string> = new Set(['BEGIN', 'COMMIT', 'END', 'SAVEPOINT', 'RELEASE'])

/** The first word of a statement, in capitals. */
export function keywordOf(sql: string): string {
  return (/^(?:\s|;|--[^\n]*(?:\n|$)|\/\*[^]*?\*\/)*([a-z]*)/i.exec(sql)![1] ?? '').toUpperCase()
}

/** Whether a statement changes nothing, for drivers that don't tell; false in doubt. */
export function onlyReads(keyword: string, sql: string): boolean {
  if (keyword === 'SELECT' || keyword === 'VALUES' || keyword === 'EXPLAIN') return true
  return keyword === 'WITH' && !/\b(INSERT|UPDATE|DELETE|REPLACE)\b/i.test(sql)
}

/** The path that a database is opened by: a path as it is, or one of a file: URL as Prisma writes them. */
export function pathOf(location: string): string {
  return location.startsWith('file:') ? decodeURIComponent(location.slice(location.startsWith('file://') ? 7 : 5).replace(/\?.*$/, '')) : location
}
