import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { PGlite } from '@electric-sql/pglite'
import { connect } from 'rowjet/pglite'

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
  await db.transaction(async () => {
    // These would wait for their own end.
    await assert.rejects(db.queryRaw('SELECT 1'), { code: 'TRANSACTION_OPEN' })
    await assert.rejects(db.transaction(async () => 1), { code: 'TRANSACTION_OPEN' })
    await assert.rejects(db.batches('SELECT 1').next(), { code: 'TRANSACTION_OPEN' })
  })
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

test('parameters as PGlite takes them', async () => {
  const values = [true, 5, 6n, 1.5, 'x', new Date(0), Uint8Array.of(0, 255), { a: 1 }, [1, null], ['q"', 'NULL'], null, undefined]
  const result = await db.queryRaw(
    'SELECT $1::bool AS a, $2::int AS b, $3::int8 AS c, $4::float8 AS d, $5::text AS e, $6::timestamptz AS f, $7::bytea AS g, $8::jsonb AS h, $9::int[] AS i, $10::text[] AS j, $11::int AS k, $12::int AS l', values)
  assert.equal(result.text().replace(/^.*"rows":/, ''), '[[true,5,"6",1.5,"x","1970-01-01T00:00:00+00:00","AP8=",{"a": 1},[1,null],["q\\"","NULL"],null,null]]}')
  // Bytes of another realm are bytes, and so is any view.
  const bytes = [runInNewContext('new Uint8Array([0, 255])'), new DataView(Uint8Array.of(7, 0, 255).buffer, 1)]
  assert.equal((await db.queryRaw('SELECT $1::bytea AS a, $2::bytea AS b', bytes)).text(), '{"columns":["a","b"],"types":["bytes","bytes"],"rows":[["AP8=","AP8="]]}')
  await assert.rejects(db.queryRaw('SELECT $1::int', []), { code: '08P01' })
  await assert.rejects(db.queryRaw('SELECT $1::bool', [2]), /Invalid input for boolean type/)
  await assert.rejects(db.queryRaw('SELECT $1::text[]', [1969]), { code: '22P02', message: 'malformed array literal: "1969"' })
  assert.equal(await cell('1'), 'int 1')
})

test('several statements', async () => {
  const all = await db.queryRawAll("SELECT 1 AS a; CREATE TEMP TABLE s (x int); INSERT INTO s VALUES (1), (2); SELECT x, 'ok'::mood AS m FROM s; SELECT 3 WHERE false")
  assert.deepEqual(all.map((r) => r.text()), [
    '{"columns":["a"],"types":["int"],"rows":[[1]]}',
    '{"columns":[],"types":[],"rows":[]}',
    '{"columns":[],"types":[],"rows":[]}',
    '{"columns":["x","m"],"types":["int","enum"],"rows":[[1,"ok"],[2,"ok"]]}',
    '{"columns":["?column?"],"types":["int"],"rows":[]}',
  ])
  assert.equal(await db.executeRaw('UPDATE s SET x = 5; DELETE FROM s'), 4)
  await assert.rejects(db.queryRawAll('SELECT 1; SELECT 1/0; SELECT 2'), { code: '22012' })
  assert.equal((await db.queryRaw('')).text(), '{"columns":[],"types":[],"rows":[]}')
})

test('streams and batches at the reader’s pace', async () => {
  const rows = (n: number): string => `SELECT i AS id, repeat('é', 20) AS x FROM generate_series(1, ${n}) i`
  for (const n of [0, 1, 499, 500, 501, 20_000]) assert.ok((await read(db.stream(rows(n)))) === (await db.queryRaw(rows(n))).text(), `${n} rows`)
  const endless = 'SELECT a, b FROM generate_series(1, 10000) a, generate_series(1, 10000) b'
  const reader = db.stream(endless, [], { shape: 'ndjson' }).getReader()
  assert.match(new TextDecoder().decode((await reader.read()).value), /^\{"a":1,"b":1\}\n/)
  await reader.cancel()
  let batches = 0
  for await (const batch of db.batches(endless, [], { size: 10 })) {
    assert.equal(batch.rowCount, 10)
    if (++batches === 5) break
  }
  await assert.rejects(read(db.stream('SELECT 1 / (5000 - i) AS x FROM generate_series(1, 10000) i')), { code: '22012' })
  const controller = new AbortController()
  const reason = new Error('enough')
  await assert.rejects(async () => {
    for await (const batch of db.batches(endless, [], { signal: controller.signal })) {
      assert.equal(batch.rowCount, 1000)
      controller.abort(reason)
    }
  }, reason)
  await assert.rejects(db.queryRaw('SELECT 1', [], { signal: AbortSignal.abort(reason) }), reason)
  // In a transaction, which goes on.
  assert.equal(await db.transaction(async (tx) => {
    for await (const batch of tx.batches(endless)) {
      assert.equal(batch.rowCount, 1000)
      break
    }
    await assert.rejects(tx.transaction(async (inner) => inner.queryRaw('SELECT 1/0')), { code: '22012' })
    return (await tx.queryRaw('SELECT 1 AS a')).rowCount
  }), 1)
  await assert.rejects(db.transaction(async (tx) => tx.queryRaw('SELECT 1/0').catch(() => undefined)), { code: 'TRANSACTION_ROLLED_BACK' })
})

test('beside PGlite’s own queries, transactions and listeners', async () => {
  const heard: string[] = []
  const unlisten = await instance.listen('news', (payload) => heard.push(payload))
  await db.queryRaw("SELECT pg_notify('news', $1)", ['one'])
  await db.executeRaw("SELECT pg_notify('news', 'two'); SELECT 1")
  await db.transaction(async (tx) => tx.executeRaw("NOTIFY news, 'three'"))
  await instance.query("NOTIFY news, 'four'")
  await new Promise((resolve) => setTimeout(resolve, 10))
  assert.deepEqual(heard, ['one', 'two', 'three', 'four'])
  await unlisten()

  await db.executeRaw('CREATE TEMP TABLE shared (a int)')
  const theirs = instance.transaction(async (tx) => {
    await tx.query('INSERT INTO shared VALUES (1)')
    await new Promise((resolve) => setTimeout(resolve, 30))
    await tx.rollback()
  })
  await new Promise((resolve) => setTimeout(resolve, 5))
  const [ours] = await Promise.all([db.executeRaw('INSERT INTO shared VALUES (2)'), theirs])
  assert.equal(ours, 1)
  assert.deepEqual((await instance.query('SELECT a FROM shared')).rows, [{ a: 2 }])
  const many = await Promise.all(Array.from({ length: 20 }, async (_, i) => (i % 2 === 0 ? (await db.queryRaw('SELECT $1::int AS i', [i])).arrays()[0][0] : (await instance.query<{ i: number }>('SELECT $1::int AS i', [i])).rows[0].i)))
  assert.deepEqual(many, Array.from({ length: 20 }, (_, i) => i))
})

test('errors are those of PGlite', async () => {
  for (const [sql, params] of [['SELECT $1::int / 0 AS x', [1]], ['SELEC', []]] as const) {
    const own = await instance.query(sql, [...params]).catch((error: unknown) => error as Error)
    const ours = await db.queryRaw(sql, params).catch((error: unknown) => error as Error)
    assert.equal((ours as Error).constructor, (own as Error).constructor)
    assert.equal((ours as Error).message, (own as Error).message)
    const fields = (error: object): object => ({ ...error, queryOptions: undefined, length: undefined })
    assert.deepEqual(fields(ours as Error), fields(own as Error))
  }
  // One that comes only with the commit.
  await db.executeRaw('CREATE TEMP TABLE late (a int UNIQUE DEFERRABLE INITIALLY DEFERRED)')
  await assert.rejects(db.executeRaw('INSERT INTO late VALUES (1), (1)'), { code: '23505' })
  assert.equal(await cell('1'), 'int 1')
})

test('types that the caller tells', async () => {
  const { rows } = await instance.query<{ oid: number }>("SELECT 'pair'::regtype::oid::int AS oid")
  const other = await connect(instance, { types: { [rows[0].oid]: 'string' } })
  assert.equal((await other.queryRaw("SELECT ROW(1,'x')::pair AS p, 'ok'::mood AS m")).text(), '{"columns":["p","m"],"types":["string","enum"],"rows":[["(1,x)","ok"]]}')
  await assert.rejects(connect(instance, { types: { 23: 'string' } }), TypeError)
})

test('an instance that can not call back, as a PGliteWorker', async () => {
  const remote = {
    isLeader: true,
    serializers: instance.serializers,
    execProtocolRawStream: () => assert.fail('not to be called'),
    execProtocolRaw: (message: Uint8Array) => instance.execProtocolRaw(message, { syncToFs: false }),
    execProtocol: (message: Uint8Array) => instance.execProtocol(message, { syncToFs: false }),
    runExclusive: <T>(work: () => Promise<T>) => instance.runExclusive(work),
    _runExclusiveTransaction: <T>(work: () => Promise<T>) => instance._runExclusiveTransaction(work),
    syncToFs: () => instance.syncToFs(),
    close: () => assert.fail('not to be closed'),
  }
  const other = await connect(remote)
  const sql = "SELECT i, repeat('x', 100) AS x, 'ok'::mood AS m FROM generate_series(1, 3000) i"
  assert.equal((await other.queryRaw(sql)).text(), (await db.queryRaw(sql)).text())
  assert.equal(await read(other.stream(sql)), await read(db.stream(sql)))
  assert.equal((await other.queryRaw('SELECT $1::int[] AS a', [[1, 2]])).text(), '{"columns":["a"],"types":["int-array"],"rows":[[[1,2]]]}')
  await assert.rejects(other.queryRaw('SELECT $1::int / 0', [1]), { code: '22012' })
  await assert.rejects(other.queryRaw('SELEC'), { code: '42601' })
  assert.equal(await other.transaction(async (tx) => tx.executeRaw('CREATE TEMP TABLE remote (a int); INSERT INTO remote VALUES (1), (2)')), 2)
  await other.close()
})
