// Prisma's adapters for MySQL, through rowjet/adapter: what they hand over is never refused, unless it is no table at all.
// What they lose before that is written down here, so that it is seen when it changes. PlanetScale's server is played by
// a function that answers as its HTTP interface does.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { PrismaMariaDb } from '@prisma/adapter-mariadb'
import { PrismaPlanetScale } from '@prisma/adapter-planetscale'
import { connect, isRowjetError, type Database } from 'rowjet/adapter'
import { createEngine } from 'rowjet/mysql'
import { mariadbURL } from './mysql.js'

const mariadb = await connect(new PrismaMariaDb(mariadbURL))
after(() => mariadb.close())

async function outcome(db: Database, sql: string): Promise<string> {
  try {
    const { types, rows } = (await db.queryRaw(sql)).json()
    return `${types.join(' ')}: ${rows.map((row) => JSON.stringify(row).slice(1, -1)).join(' ')}`
  } catch (error) {
    assert.ok(!isRowjetError(error), String(error))
    return (error as Error).name
  }
}

test('@prisma/adapter-mariadb', async () => {
  const columns: [type: string, values: string, expected: string][] = [
    ['TINYINT(1)', '(-1), (0), (2), (NULL)', 'int: -1 0 2 null'],
    ['INT UNSIGNED', '(0), (4294967295)', 'bigint: "0" "4294967295"'],
    ['BIGINT', '(-9223372036854775808), (1)', 'bigint: "-9223372036854775808" "1"'],
    ['BIGINT UNSIGNED', '(18446744073709551615), (1)', 'bigint: "18446744073709551615" "1"'],
    ['DECIMAL(30,4)', "(1.1), ('99999999999999999999.0001')", 'decimal: "1.1000" "99999999999999999999.0001"'],
    ['FLOAT', '(0.1), (1e30)', 'float: 0.1 1e+30'],
    ['DATE', "('2024-02-29'), ('0000-00-00')", 'date: "2024-02-29" "0000-00-00"'],
    ['TIME(6)', "('-838:59:59'), ('12:00:00.5')", 'time: "-838:59:59" "12:00:00.500"'],
    ['YEAR', '(0), (2155)', 'int: 0 2155'],
    // A list of members under the code of text.
    ["SET('x','y','z')", "('x,z'), (''), (NULL)", 'string: "x,z" "" null'],
    ["ENUM('b,c','')", "('b,c'), ('')", 'string: "b,c" ""'],
    ['BIT(64)', '(~0)', 'bytes: "//////////8="'],
    ['CHAR(3) COLLATE utf8mb4_bin', "('a')", 'string: "a"'],
    ['VARBINARY(9)', "(x'00ff')", 'bytes: "AP8="'],
    ['POINT', "(ST_GeomFromText('POINT(1 2)'))", 'bytes: "AAAAAAEBAAAAAAAAAAAA8D8AAAAAAAAAQA=="'],
    ['UUID', "('8108b7ba-ed03-11f1-81d4-02fc00000001')", 'string: "8108b7ba-ed03-11f1-81d4-02fc00000001"'],
    ['JSON', `('{"v":"açaí","n":1.0}'), ('null'), (NULL)`, 'json: {"v":"açaí","n":1} null null'],
    // Lost in the adapter or below it: microseconds, zero dates, centuries, the sign of zero.
    ['DATETIME(6)', "('2024-02-29 12:34:56.123456')", 'datetime: "2024-02-29T12:34:56.123+00:00"'],
    ['DATETIME', "('0000-00-00 00:00:00')", 'RangeError'],
    ['DATETIME', "('0001-01-01 00:00:00')", 'datetime: "2001-01-01T00:00:00+00:00"'],
    ['DOUBLE', '(0.1), (-0e0)', 'double: 0.1 0'],
  ]
  for (const [type, values, expected] of columns) {
    await mariadb.executeRaw("SET sql_mode = ''")
    await mariadb.executeRaw(`CREATE OR REPLACE TABLE rowjet_adapter (c ${type})`)
    await mariadb.executeRaw(`INSERT INTO rowjet_adapter VALUES ${values}`)
    assert.equal(await outcome(mariadb, 'SELECT c FROM rowjet_adapter'), expected, `${type} ${values}`)
  }
  await mariadb.executeRaw('DROP TABLE rowjet_adapter')
  // Integers of the same value under a label of their own.
  assert.equal(await outcome(mariadb, 'SELECT 1 AS a, 9007199254740993 AS b, SUM(1) AS s, NULL AS n'), 'int bigint decimal int: 1,"9007199254740993","1",null')
  // Of a CALL it hands over rows of result sets, and no columns.
  await mariadb.executeRaw('CREATE OR REPLACE PROCEDURE rowjet_adapter() BEGIN SELECT 1 AS a; SELECT 2 AS b; END')
  await assert.rejects(mariadb.queryRaw('CALL rowjet_adapter()'), { code: 'ROW_LENGTH', row: 0 })
  await mariadb.executeRaw('DROP PROCEDURE rowjet_adapter')
})

test('@prisma/adapter-planetscale', async () => {
  let fields: { name: string; type?: string; charset?: number }[] = []
  let cells: (Buffer | null)[] = []
  const fetch = async (input: unknown): Promise<Response> => {
    const session = { session: 'none' }
    if (String(input).endsWith('/CreateSession')) return Response.json({ session })
    return Response.json({
      session,
      result: { fields, rows: [{ lengths: cells.map((cell) => String(cell === null ? -1 : cell.length)), values: Buffer.concat(cells.filter((cell) => cell !== null)).toString('base64') }] },
    })
  }
  const db = await connect(new PrismaPlanetScale({ url: 'https://user:password@localhost', fetch: fetch as never }))
  assert.deepEqual([db.dialect, db.adapterName], ['mysql', '@prisma/adapter-planetscale'])
  const columns: [type: string, charset: number | undefined, cell: string | Buffer | null, expected: string][] = [
    ['INT8', 63, '-1', 'int: -1'],
    ['UINT32', 63, '4294967295', 'bigint: "4294967295"'],
    ['INT64', 63, '-9223372036854775808', 'bigint: "-9223372036854775808"'],
    ['UINT64', 63, '18446744073709551615', 'bigint: "18446744073709551615"'],
    ['FLOAT32', 63, '0.1', 'float: 0.1'],
    ['FLOAT64', 63, '1e20', 'double: 100000000000000000000'],
    ['DECIMAL', 63, '1.1000', 'decimal: "1.1000"'],
    ['DATE', 63, '0000-00-00', 'date: "0000-00-00"'],
    ['TIME', 63, '-838:59:59.000000', 'time: "-838:59:59.000000"'],
    ['DATETIME', 63, '2024-02-29 12:34:56.123456', 'datetime: "2024-02-29T12:34:56.123456+00:00"'],
    ['TIMESTAMP', 63, '0000-00-00 00:00:00', 'datetime: "0000-00-00 00:00:00"'],
    ['YEAR', 63, '2155', 'int: 2155'],
    ['VARCHAR', 255, '日本😀', 'string: "日本😀"'],
    ['ENUM', 255, 'b,c', 'enum: "b,c"'],
    ['JSON', 63, '{"n": 1.0, "v": "açaí"}', 'json: {"n":1,"v":"açaí"}'],
    ['BLOB', 63, Buffer.of(0, 255), 'bytes: "AP8="'],
    ['BLOB', 255, 'text', 'string: "text"'],
    ['GEOMETRY', 63, Buffer.of(0, 0, 0, 0, 1), 'bytes: "AAAAAAE="'],
    ['NULL', 63, null, 'int: null'],
    // Bytes under the code of text, for what a binary collation makes of CHAR.
    ['CHAR', 63, 'abc', 'string: "abc"'],
  ]
  for (const [type, charset, cell, expected] of columns) {
    fields = [{ name: 'c', type, ...(charset !== undefined && { charset }) }]
    cells = [cell === null ? null : Buffer.from(cell as string)]
    assert.equal(await outcome(db, 'SELECT c'), expected, `${type} ${String(charset)}`)
  }
  await db.close()
})

test('what drivers mix under one label', async () => {
  const engine = await createEngine()
  const text = (code: number, cells: unknown[]): string => engine.serialize({ columnNames: ['c'], columnTypes: [code], rows: cells.map((cell) => [cell]) }).text()
  const document = (type: string, cells: string): string => `{"columns":["c"],"types":["${type}"],"rows":[${cells}]}`
  assert.equal(text(1, ['18446744073709551615', 1, 2n, 2n ** 64n, '-5', null]), document('bigint', '["18446744073709551615"],["1"],["2"],["18446744073709551616"],["-5"],[null]'))
  assert.equal(text(0, [1, '2', 3n]), document('int', '[1],[2],[3]'))
  assert.equal(text(4, ['1.10', 2, 3n, 0.5]), document('decimal', '["1.10"],["2"],["3"],["0.5"]'))
  assert.equal(text(7, [['x', 'z'], [], 'plain', 5, null]), document('string', '["x,z"],[""],["plain"],["5"],[null]'))
  assert.equal(text(14, [['x', 'z'], 'x,z']), document('string', '["x,z"],["x,z"]'))
  assert.equal(text(5, [1, 0, true, '1', null]), document('bool', '[true],[false],[true],[true],[null]'))
  assert.equal(text(11, ['{"a": 1.0}', 'null', null]), document('json', '[{"a": 1.0}],[null],[null]'))
})
