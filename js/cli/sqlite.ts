import { createEngine, type Engine } from 'rowjet/sqlite'
import { existsSync } from 'node:fs'
import { importDriver } from './drivers.js'
import { UserError } from './errors.js'
import type { Opened, Shape } from './query.js'

/** A prepared statement, whichever driver made it. */
interface Statement {
  /** None for statements that give no rows. */
  columns: { name: string; type: string | null }[]
  /** It changes nothing, so it can be run twice. */
  readonly: boolean
  /** Runs it. Rows are arrays, integers are bigints. */
  iterate(): Iterable<unknown[]>
}

interface Connection {
  prepare(sql: string): Statement
  exec(sql: string): void
  close(): void
}

/** Opens a SQLite file, which must exist, or a database in memory for `:memory:`. */
export async function openSQLite(file: string): Promise<Opened> {
  if (file !== ':memory:' && !existsSync(file)) throw new UserError(`there is no file ${JSON.stringify(file)}`)
  const connection = await connectBetterSQLite(file)
  const engine = await createEngine()
  return {
    stream: async (sql, shape) => streamOf(engine, connection, sql, shape),
    close: async () => connection.close(),
  }
}

/** better-sqlite3 if it is there, else Node's own driver (from Node 22.16 on). */
async function connectBetterSQLite(file: string): Promise<Connection> {
  let missing: unknown
  try {
    const { default: Database } = await importDriver<{ default: new (file: string) => BetterDatabase }>('better-sqlite3')
    const database = new Database(file)
    database.defaultSafeIntegers(true)
    return {
      prepare(sql) {
        const statement = database.prepare(sql)
        if (!statement.reader) {
          return { columns: [], readonly: statement.readonly, iterate: () => (statement.run(), []) }
        }
        return { columns: statement.columns(), readonly: statement.readonly, iterate: () => statement.raw().iterate() }
      },
      exec: (sql) => database.exec(sql),
      close: () => database.close(),
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    missing = error
  }
  const node = await import('node:sqlite' as string).catch(() => undefined) as { DatabaseSync: new (file: string) => NodeDatabase } | undefined
  if (node === undefined || !('setReturnArrays' in Object(node).StatementSync.prototype)) throw missing
  const database = new node.DatabaseSync(file)
  return {
    prepare(sql) {
      const statement = database.prepare(sql)
      statement.setReadBigInts(true)
      statement.setReturnArrays(true)
      // Node does not tell whether a statement changes anything.
      return { columns: statement.columns(), readonly: false, iterate: () => statement.iterate() }
    },
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
  }
}

interface BetterDatabase {
  defaultSafeIntegers(on: boolean): void
  prepare(sql: string): BetterStatement
  exec(sql: string): void
  close(): void
}
interface BetterStatement {
  reader: boolean
  readonly: boolean
  run(): unknown
  raw(): { iterate(): Iterable<unknown[]> }
  columns(): { name: string; type: string | null }[]
}
interface NodeDatabase {
  prepare(sql: string): NodeStatement
  exec(sql: string): void
  close(): void
}
interface NodeStatement {
  setReadBigInts(on: boolean): void
  setReturnArrays(on: boolean): void
  columns(): { name: string; type: string | null }[]
  iterate(): Iterable<unknown[]>
}

/** How many rows are looked at for the types of expressions. */
const peekRows = 1000

function streamOf(engine: Engine, connection: Connection, sql: string, shape: Shape): ReadableStream<Uint8Array> {
  const statement = connection.prepare(sql)
  const columnNames = statement.columns.map((column) => column.name)
  const columnTypes = statement.columns.map((column) => codeOfDeclaration(column.type))
  if (statement.readonly && columnTypes.length > 0 && columnTypes.every((code) => code !== undefined)) {
    // Read twice, first for the types: memory stays flat. The transaction makes both see the same rows.
    connection.exec('BEGIN')
    const rows = {
      *[Symbol.iterator]() {
        yield* statement.iterate()
      },
    }
    return engine.stream({ columnNames, columnTypes: columnTypes as number[], rows }, { shape, settle: 'scan' })
  }
  const iterator = statement.iterate()[Symbol.iterator]()
  const first: unknown[][] = []
  while (columnTypes.includes(undefined) && first.length < peekRows) {
    const item = iterator.next()
    if (item.done === true) break
    first.push(item.value)
    item.value.forEach((cell, c) => (columnTypes[c] ??= codeOfValue(cell)))
  }
  const types = columnTypes.map((code) => code ?? 0)
  return engine.stream({ columnNames, columnTypes: types, rows: chained(first, iterator) }, { shape, settle: 'buffer' })
}

function* chained(first: unknown[][], rest: Iterator<unknown[]>): Generator<unknown[], void, undefined> {
  try {
    yield* first
    for (let item = rest.next(); item.done !== true; item = rest.next()) yield item.value
  } finally {
    rest.return?.()
  }
}

/**
 * The ColumnType code for a column's declared type: names that say more than SQLite makes of them, then its rules
 * for affinity, https://www.sqlite.org/datatype3.html section 3.1. The engine widens a type that the cells do not fit.
 */
export function codeOfDeclaration(declared: string | null): number | undefined {
  if (declared === null) return undefined
  const name = declared.toUpperCase().replace(/\(.*$/s, '').trim()
  if (/^BOOL/.test(name)) return 5
  if (name === 'DATE') return 8
  if (name === 'TIME') return 9
  if (/^(DATETIME|TIMESTAMP)/.test(name)) return 10
  if (/^JSON/.test(name)) return 11
  if (/^DECIMAL/.test(name)) return 4
  if (/INT/.test(name)) return /BIG|INT8/.test(name) ? 1 : 0
  if (/CHAR|CLOB|TEXT/.test(name)) return 7
  if (name === '' || /BLOB/.test(name)) return name === '' ? undefined : 13
  if (/REAL|FLOA|DOUB/.test(name)) return 3
  return name === 'NUMERIC' ? 3 : undefined
}

/** The ColumnType code for a column without a declared type, by its first value. */
function codeOfValue(cell: unknown): number | undefined {
  switch (typeof cell) {
    case 'bigint':
      return 0
    case 'number':
      return 3
    case 'string':
      return 7
    default:
      return cell === null ? undefined : 13
  }
}
