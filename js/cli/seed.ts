import { parseArgs } from 'node:util'
import { UserError } from './errors.js'
import { tables, type Cells, type Table } from './movies.js'
import { open, type Connected, type Queries } from './open.js'
import { Progress } from './progress.js'

/** The command `rowjet seed`. */
export async function seed(args: string[]): Promise<void> {
  const { url, rows, replace } = options(args)
  const { database, close } = await open(url, true)
  const progress = new Progress()
  try {
    const told = (table: string, count: number, all: number): void => {
      if (count < all) return progress.show(() => `${table}: ${count.toLocaleString('en')} of ${all.toLocaleString('en')} rows`)
      progress.end()
      process.stdout.write(`${table}: ${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}\n`)
    }
    await fill(database, rows, { replace, told })
  } finally {
    progress.end()
    await close()
  }
}

function options(args: string[]): { url: string; rows: number; replace: boolean } {
  let parsed
  try {
    parsed = parseArgs({ args, options: { url: { type: 'string' }, rows: { type: 'string' }, replace: { type: 'boolean', default: false } } })
  } catch (error) {
    throw new UserError((error as Error).message)
  }
  const { url, rows, replace } = parsed.values
  if (url === undefined) throw new UserError('which database? Give --url, such as --url sqlite:movies.db')
  return { url, rows: count(rows), replace }
}

/** What --rows says. Three times as many is the largest id. */
export function count(text = '50000', most = 700_000_000): number {
  if (!/^[1-9]\d{0,8}$/.test(text) || Number(text) > most) throw new UserError(`--rows is a number of movies from 1 to ${most.toLocaleString('en')}, not ${JSON.stringify(text)}`)
  return Number(text)
}

const types: Record<Connected['dialect'], Record<string, string>> = {
  postgres: { int: 'int', text: 'text', date: 'date', time: 'timestamp', bool: 'boolean', json: 'jsonb', decimal: 'numeric(10,2)' },
  mysql: { int: 'int', text: 'text', date: 'date', time: 'datetime', bool: 'boolean', json: 'json', decimal: 'decimal(10,2)' },
  sqlite: { int: 'INTEGER', text: 'TEXT', date: 'DATE', time: 'DATETIME', bool: 'BOOLEAN', json: 'JSON', decimal: 'DECIMAL(10,2)' },
}

/**
 * Makes the tables and fills them, all or none; only if the process is ended meanwhile, MySQL keeps the empty tables. `told`
 * is called while a table is filled, and when it is full. `only`: no other tables.
 */
export async function fill(
  database: Connected, movies: number, { replace = false, told, only }: { replace?: boolean; told?: (table: string, count: number, all: number) => void; only?: string } = {},
): Promise<void> {
  const { dialect } = database
  const quote = dialect === 'mysql' ? '`' : '"'
  const quoted = (name: string): string => quote + name + quote
  const all = Object.entries(tables(movies)).filter(([name]) => only === undefined || name === only)

  const there: string[] = []
  for (const [name, { columns }] of all) {
    const found = await columnsOf(database, quoted(name))
    if (found === undefined) continue
    there.push(quoted(name))
    // A table of this name may be anybody's: what looks different is not ours to drop.
    if (replace && found.join() !== Object.keys(columns).join()) throw new UserError(`there is a table ${quoted(name)} that seed did not make: it has the columns ${found.join(', ')}`)
  }
  if (there.length > 0 && !replace) throw new UserError(`there are tables already: ${there.join(', ')}; --replace drops them first`)

  const drop = async (on: Queries): Promise<void> => {
    for (const [name] of [...all].reverse()) await on.executeRaw(`DROP TABLE IF EXISTS ${quoted(name)}`)
  }
  const make = async (on: Queries): Promise<void> => {
    if (replace) await drop(on)
    for (const [name, { columns }] of all) await on.executeRaw(`CREATE TABLE ${quoted(name)} (${definitions(columns, types[dialect], quoted)})${dialect === 'mysql' ? ' CHARACTER SET utf8mb4' : ''}`)
  }
  // In MySQL each statement that makes or drops a table is a transaction of its own.
  const apart = dialect === 'mysql'
  try {
    if (apart) await make(database)
    await database.transaction(async (tx) => {
      if (!apart) await make(tx)
      for (const [name, table] of all) await (dialect === 'sqlite' ? insertEach : insertMany)(tx, quoted(name), table, (count) => told?.(name, count, table.count))
    })
  } catch (error) {
    if (apart) await drop(database).catch(() => undefined) // the first error is the one to tell
    throw error
  }
}

/** The columns of a table, or undefined if there is none of the name. */
export async function columnsOf(database: Connected, name: string): Promise<readonly string[] | undefined> {
  try {
    return (await database.queryRaw(`SELECT * FROM ${name} WHERE 1 = 0`)).columns
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code === '42P01' || code === 'ER_NO_SUCH_TABLE' || message.startsWith('no such table')) return undefined
    throw error
  }
}

function definitions(columns: Table['columns'], types: Record<string, string>, quoted: (name: string) => string): string {
  const lines: string[] = []
  const keys: string[] = [] // SQLite wants them last
  for (const [name, type] of Object.entries(columns)) {
    const [base, parent] = type.replace('?', '').split(' → ')
    lines.push(`${quoted(name)} ${types[base]}${type.endsWith('?') ? '' : ' NOT NULL'}${name === 'id' ? ' PRIMARY KEY' : ''}`)
    if (parent !== undefined) keys.push(`FOREIGN KEY (${quoted(name)}) REFERENCES ${quoted(parent)} (${quoted('id')})`)
  }
  return [...lines, ...keys].join(', ')
}

/** About so many characters make a statement: less than any server refuses. */
const statementLength = 200_000

/** Servers want few statements: the values of many rows are their text. */
async function insertMany(on: Queries, name: string, { count, rows }: Table, told: (count: number) => void): Promise<void> {
  let sql = ''
  let done = 0
  for (const row of rows) {
    sql += `${sql === '' ? `INSERT INTO ${name} VALUES ` : ','}(${row.map(literal).join()})`
    done++
    if (sql.length < statementLength && done < count) continue
    await on.executeRaw(sql)
    told(done)
    sql = ''
  }
}

/** No text that is made has a backslash, which would mean something to MySQL. */
function literal(cell: Cells[number]): string {
  return typeof cell === 'string' ? `'${cell.replaceAll("'", "''")}'` : String(cell)
}

/** SQLite is in this process: one statement, which stays prepared, is faster. */
async function insertEach(on: Queries, name: string, { columns, rows }: Table, told: (count: number) => void): Promise<void> {
  const sql = `INSERT INTO ${name} VALUES (${Object.keys(columns).map(() => '?').join()})`
  let done = 0
  for (const row of rows) {
    await on.executeRaw(sql, row)
    told(++done)
  }
}
