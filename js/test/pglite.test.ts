import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { PGlite } from '@electric-sql/pglite'
import { connect } from 'rowjet/pglite'
import { parseBoxArray } from '../dist/pgtypes.js'

const instance = await PGlite.create()
const db = await connect(instance)
after(() => instance.close())

const read = (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> => new Response(stream).text()

/** One expression: the JSON of its type and its cell. */
async function cell(expression: string): Promise<string> {
  const text = (await db.queryRaw(`SELECT ${expression} AS c`)).text()
  const [, type, value] = /^\{"columns":\["c"\],"types":\["(.*?)"\],"rows":\[\[(.*)\]\]\}$/s.exec(text) ?? assert.fail(text)
  return `${type} ${value}`
}

test('types', async () => {
  await db.executeRaw("CREATE TYPE mood AS ENUM ('sad', 'so,so', 'ok')")
  await db.executeRaw('CREATE DOMAIN positive AS int8 CHECK (VALUE > 0)')
  await db.executeRaw('CREATE TYPE pair AS (a int, b text)')
  const cases: [string, string][] = [
    ['1::int2', 'int 1'],
    ['9007199254740993::int8', 'bigint "9007199254740993"'],
    ['4294967295::oid', 'bigint "4294967295"'],
    ['0.1::float4', 'float 0.1'],
    ["'-Infinity'::float8", 'double "-Infinity"'],
    ["'-0'::float8", 'double -0'],
    ['1.1000::numeric', 'decimal "1.1000"'],
    ["'NaN'::numeric", 'decimal "NaN"'],
    ['true', 'bool true'],
    ["'x'::\"char\"", 'char "x"'],
    ["'x  '::char(3)", 'string "x  "'],
    ["'a\"b'::text", 'string "a\\"b"'],
    ["'\\x00ff'::bytea", 'bytes "AP8="'],
    ["'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid", 'uuid "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"'],
    ["'{ \"a\" : 1.50 }'::json", 'json { "a" : 1.50 }'],
    ["'null'::jsonb", 'json null'],
    ["'2024-02-29'::date", 'date "2024-02-29"'],
    ["'0044-03-15 BC'::date", 'date "-000043-03-15"'],
    ["'infinity'::timestamptz", 'datetime "infinity"'],
    ["'24:00'::time", 'time "24:00:00"'],
    ["'12:34:56+05:30'::timetz", 'string "12:34:56+05:30"'],
    ["'1 day 02:00'::interval", 'string "1 day 02:00:00"'],
    ["'12.34'::money", 'string "$12.34"'],
    ["'[1,5)'::int4range", 'string "[1,5)"'],
    ["'192.168.0.1/24'::inet", 'string "192.168.0.1/24"'],
    ["B'101'", 'string "101"'],
    ['NULL', 'string null'],
    ["'ok'::mood", 'enum "ok"'],
    ["'{sad,\"so,so\",NULL}'::mood[]", 'string-array ["sad","so,so",null]'],
    ['5::positive', 'bigint "5"'],
    ['ARRAY[5]::positive[]', 'bigint-array ["5"]'],
    ["ROW(1,'x')::pair", 'string "(1,x)"'],
    ["ARRAY[ROW(1,'x')::pair]", 'string-array ["(1,x)"]'],
    ['ARRAY[[1,2],[3,NULL]]', 'int-array [[1,2],[3,null]]'],
    ["'[0:1]={1,2}'::int8[]", 'bigint-array ["1","2"]'],
    ["ARRAY['NULL', NULL, '']", 'string-array ["NULL",null,""]'],
    ["ARRAY['\\x01'::bytea, NULL]", 'bytes-array ["AQ==",null]'],
    ["ARRAY['{\"a\":[1]}'::jsonb]", 'json-array [{"a": [1]}]'],
    ["ARRAY['2024-02-29 12:00+02'::timestamptz]", 'datetime-array ["2024-02-29T10:00:00+00:00"]'],
    ["ARRAY['12:00+02'::timetz]", 'string-array ["12:00:00+02"]'],
    ["'{(1,1),(0,0);(2,2),(1,1)}'::box[]", 'string-array ["(1,1),(0,0)","(2,2),(1,1)"]'],
    ["ARRAY['1 day'::interval]", 'string-array ["1 day"]'],
    ["ARRAY['ok'::name]", 'string-array ["ok"]'],
  ]
  for (const [expression, expected] of cases) assert.equal(await cell(expression), expected, expression)
  await db.executeRaw("SET TIME ZONE 'Asia/Kolkata'")
  assert.equal(await cell("'2024-02-29 12:34:56+00'::timestamptz"), 'datetime "2024-02-29T12:34:56+00:00"')
  assert.equal(await cell("'1850-01-01 00:00:00+00'::timestamptz"), 'datetime "1850-01-01T00:00:00+00:00"')
  await db.executeRaw("SET TIME ZONE 'UTC'")
})

test('arrays of boxes', () => {
  assert.deepEqual(parseBoxArray('{}'), [])
  assert.deepEqual(parseBoxArray('{(1,1),(0,0);NULL}'), ['(1,1),(0,0)', null])
  assert.deepEqual(parseBoxArray('[0:0][1:2]={{(1,1),(0,0);(3,3),(2,2)}}'), [['(1,1),(0,0)', '(3,3),(2,2)']])
})

test('queries, parameters and changes', async () => {
  await db.executeRaw('CREATE TABLE movies (id int PRIMARY KEY, title text, tags text[], about jsonb)')
  assert.equal(await db.executeRaw('INSERT INTO movies VALUES ($1, $2, $3, $4), (2, $5, NULL, NULL)', [1, 'Häxan', ['a', 'b"c'], { x: [1] }, null]), 2)
  const result = await db.queryRaw('SELECT * FROM movies ORDER BY id')
  assert.equal(result.text(), '{"columns":["id","title","tags","about"],"types":["int","string","string-array","json"],"rows":[[1,"Häxan",["a","b\\"c"],{"x": [1]}],[2,null,null,null]]}')
  assert.equal((await db.queryRaw('SELECT')).text(), '{"columns":[],"types":[],"rows":[[]]}')
  assert.equal((await db.queryRaw('SELECT * FROM movies WHERE false')).text(), '{"columns":["id","title","tags","about"],"types":["int","string","string-array","json"],"rows":[]}')
  assert.equal(await read(db.stream('SELECT id, title FROM movies ORDER BY id', [], { shape: 'objects' })), '[{"id":1,"title":"Häxan"},{"id":2,"title":null}]')
  const ids: unknown[] = []
  for await (const batch of db.batches('SELECT n FROM generate_series(1, 2500) n')) ids.push([batch.rowCount, batch.rows()[0]['n']])
  assert.deepEqual(ids, [[1000, 1], [1000, 1001], [500, 2001]])
  assert.equal(await db.executeRaw('UPDATE movies SET title = id::text'), 2)
})

test('transactions', async () => {
  const count = async (): Promise<unknown> => (await db.queryRaw('SELECT count(*)::int n FROM movies')).rows()[0]['n']
  assert.equal(await db.transaction(async (tx) => {
    await tx.executeRaw("INSERT INTO movies VALUES (3, 'M')")
    return (await tx.queryRaw("SELECT current_setting('transaction_isolation') l")).rows()[0]['l']
  }, { isolationLevel: 'REPEATABLE READ' }), 'repeatable read')
  assert.equal(await count(), 3)
  const own = new Error('mine')
  await assert.rejects(db.transaction(async (tx) => {
    await tx.executeRaw('DELETE FROM movies')
    throw own
  }), own)
  assert.equal(await count(), 3)
})

test("the database's own errors", async () => {
  await assert.rejects(db.queryRaw('SELECT * FROM nothing'), (error: Error & { code?: string }) => error.code === '42P01' && error.message === 'relation "nothing" does not exist')
  await assert.rejects(db.transaction((tx) => tx.queryRaw('SELECT 1/0')), { code: '22012' })
  assert.equal(await cell('1'), 'int 1')
})

test('who closes the instance', async () => {
  const other = await connect(instance)
  await other.close()
  await assert.rejects(other.queryRaw('SELECT 1'), { code: 'CONNECTION_CLOSED' })
  assert.equal(await cell('1'), 'int 1')

  const folder = await mkdtemp(path.join(tmpdir(), 'rowjet-'))
  try {
    const first = await connect(path.join(folder, 'data'))
    assert.deepEqual([first.dialect, first.adapterName], ['postgres', 'pglite'])
    await first.executeRaw('CREATE TABLE kept (a int)')
    await first.close()
    const second = await connect(path.join(folder, 'data'))
    assert.deepEqual((await second.queryRaw('SELECT * FROM kept')).types, ['int'])
    await second.close()
  } finally {
    await rm(folder, { recursive: true })
  }
})
