// Prisma's adapters for SQLite, through rowjet/adapter: what they hand over is never refused. What they lose before that is
// written down here, as docs/drivers/sqlite.md tells it, so that it is seen when it changes.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3'
import { PrismaD1 } from '@prisma/adapter-d1'
import { PrismaLibSql } from '@prisma/adapter-libsql'
import fc from './fast-check.js'
import { Miniflare } from 'miniflare'
import { connect, isRowjetError, type Database } from 'rowjet/adapter'

const miniflare = new Miniflare({ modules: true, script: 'export default { fetch() { return new Response() } }', d1Databases: { DB: 'rowjet' } })
const databases: Record<string, Database> = {
  'better-sqlite3': await connect(new PrismaBetterSqlite3({ url: ':memory:' })),
  libsql: await connect(new PrismaLibSql({ url: ':memory:' })),
  'libsql, bigint': await connect(new PrismaLibSql({ url: ':memory:', intMode: 'bigint' })),
  d1: await connect(new PrismaD1((await miniflare.getD1Database('DB')) as never)),
}
after(async () => {
  for (const name of ['better-sqlite3', 'libsql', 'libsql, bigint']) await databases[name].close()
  await miniflare.dispose()
})

let tables = 0
/** The document of a table with one column: its type and cells; or the adapter's error. */
async function stored(db: Database, type: string, values: string): Promise<string> {
  const table = `t${++tables}`
  await db.executeRaw(`CREATE TABLE ${table} (c ${type})`)
  await db.executeRaw(`INSERT INTO ${table} VALUES ${values}`)
  return outcome(db, `SELECT c FROM ${table}`)
}

async function outcome(db: Database, sql: string): Promise<string> {
  try {
    const { types, rows } = (await db.queryRaw(sql)).json()
    return `${types.join(' ')}: ${rows.map((row) => JSON.stringify(row).slice(1, -1)).join(' ')}`
  } catch (error) {
    assert.ok(!isRowjetError(error), String(error))
    return (error as Error).name
  }
}

/** Declared type and values, or a query; then what comes out, by adapter in the order of `databases`. */
const losses: [string, string, [string, string, string, string]][] = [
  // The same in all.
  ['INTEGER', '(1), (NULL)', ['int: 1 null', 'int: 1 null', 'int: 1 null', 'int: 1 null']],
  ['REAL', '(0.5)', ['double: 0.5', 'double: 0.5', 'double: 0.5', 'double: 0.5']],
  ['VARCHAR(191)', "('x')", ['string: "x"', 'string: "x"', 'string: "x"', 'string: "x"']],
  ['BLOB', "(x'0102')", ['bytes: "AQI="', 'bytes: "AQI="', 'bytes: "AQI="', 'bytes: "AQI="']],
  // Fractions in an INTEGER column are cut off.
  ['INTEGER', '(1), (2.5)', ['int: 1 2', 'int: 1 2', 'int: 1 2', 'double: 1 2.5']],
  // Beyond 2^53.
  ['BIGINT', '(9007199254740993), (1)', ['bigint: "9007199254740993" "1"', 'RangeError', 'bigint: "9007199254740993" "1"', 'double: 9007199254740992 1']],
  // Infinity.
  ['REAL', '(1e999)', ['double: "Infinity"', 'double: "Infinity"', 'double: "Infinity"', 'int: null']],
  // Declared types are known by their exact names only.
  ['DECIMAL(10,2)', '(12.1)', ['double: 12.1', 'double: 12.1', 'double: 12.1', 'double: 12.1']],
  ['DECIMAL', '(12.1)', ['decimal: "12.1"', 'decimal: "12.1"', 'decimal: "12.1"', 'double: 12.1']],
  ['BOOL', '(1), (0)', ['bigint: "1" "0"', 'int: 1 0', 'bigint: "1" "0"', 'int: 1 0']],
  ['BOOLEAN', '(1), (0)', ['bool: true false', 'bool: true false', 'bool: true false', 'int: 1 0']],
  ['JSON', `('{"a":1}')`, ['string: "{\\"a\\":1}"', 'string: "{\\"a\\":1}"', 'string: "{\\"a\\":1}"', 'string: "{\\"a\\":1}"']],
  // A number in a DATETIME column is taken for milliseconds.
  ['DATETIME', '(1709210096)', ['datetime: "1970-01-20T18:46:50.096+00:00"', 'datetime: "1970-01-20T18:46:50.096+00:00"', 'datetime: "1970-01-20T18:46:50.096+00:00"', 'int: 1709210096']],
  // Text in a BLOB column becomes bytes; text that looks like a date becomes one.
  ['BLOB', "('x')", ['bytes: "eA=="', 'bytes: "eA=="', 'bytes: "eA=="', 'string: "x"']],
  ['TEXT', "('2024-02-29 12:34:56')", ['string: "2024-02-29 12:34:56"', 'string: "2024-02-29 12:34:56"', 'string: "2024-02-29 12:34:56"', 'datetime: "2024-02-29T12:34:56+00:00"']],
  // Mixed columns keep their classes, or become text.
  ['', "(1), ('x')", ['unknown: 1 "x"', 'unknown: 1 "x"', 'unknown: "1" "x"', 'string: "1" "x"']],
  ['BOOLEAN', "(1), ('true')", ['bool: true true', 'bool: true true', 'bool: true true', 'string: "1" "true"']],
  // Blobs that no column declares.
  ['', "(x'01')", ['UnexpectedTypeError', 'bytes: "AQ=="', 'bytes: "AQ=="', 'bytes: "AQ=="']],
  // Expressions.
  ['=', 'SELECT 1 AS c UNION ALL SELECT 2.5', ['bigint: "1" "2"', 'double: 1 2.5', 'bigint: "1" "2"', 'double: 1 2.5']],
  ['=', "SELECT 'a' || char(0) || 'b' AS c", ['string: "a\\u0000b"', 'string: "a"', 'string: "a"', 'string: "a\\u0000b"']],
  ['=', 'SELECT 1 AS c WHERE 0', ['int: ', 'int: ', 'int: ', ': ']],
]

test('what the adapters hand over', async () => {
  for (const [type, sql, expected] of losses) {
    for (const [i, [name, db]] of Object.entries(databases).entries()) {
      assert.equal(type === '=' ? await outcome(db, sql) : await stored(db, type, sql), expected[i], `${name}: ${type} ${sql}`)
    }
  }
})

const types = ['INTEGER', 'BIGINT', 'TEXT', 'VARCHAR(191)', 'REAL', 'FLOAT', 'NUMERIC', 'DECIMAL', 'DECIMAL(10,2)', 'BLOB', '', 'BOOLEAN', 'DATETIME', 'DATE', 'TIME', 'JSONB', 'JSON']
const literals = fc.oneof(
  fc.constantFrom('NULL', '0', '1', '-1', '2.5', '3000000000', '9007199254740991', '1e300', '-0.0', "''", "'x'", "'12'", "'true'", "'2024-02-29'", "'2024-02-29 12:34:56'", "'2024-19-39T29:59:59Z'", "'12:34:56'", "'{\"a\":1}'", "'[1'", "x''", "x'01ff'", '1709210096789', "'1,234'", "'infinity'"),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
)

test('it is never refused', async () => {
  for (const name of ['better-sqlite3', 'libsql', 'libsql, bigint']) {
    await fc.assert(fc.asyncProperty(fc.constantFrom(...types), fc.array(literals, { minLength: 1, maxLength: 6 }), async (type, values) => {
      await stored(databases[name], type, values.map((value) => `(${value})`).join(', '))
    }), { numRuns: 60 })
  }
  await fc.assert(fc.asyncProperty(fc.constantFrom(...types), fc.array(literals, { minLength: 1, maxLength: 6 }), async (type, values) => {
    await stored(databases['d1'], type, values.map((value) => `(${value})`).join(', '))
  }), { numRuns: 15 })
})
