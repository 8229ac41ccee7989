// D1, as Cloudflare's own runtime has it, on this machine.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connect, type SQLiteDatabase } from 'rowjet/d1'
import { numbers, read } from './sqlite-suite.js'
import { workerWithD1 } from './worker.js'

const miniflare = workerWithD1(`
  import { connect } from 'rowjet/d1'
  export default {
    async fetch(request, env) {
      const db = await connect(env.DB)
      const sql = new URL(request.url).searchParams.get('sql')
      return new Response(db.stream(sql), { headers: { 'content-type': 'application/json' } })
    },
  }`)
let db: SQLiteDatabase
before(async () => {
  db = await connect(await miniflare.getD1Database('DB'))
  await db.executeRaw('CREATE TABLE t (a INTEGER PRIMARY KEY, b VARCHAR(191), c DATETIME, d BLOB, e REAL)')
})
after(() => miniflare.dispose())

test('the values decide on the types', async () => {
  assert.deepEqual([db.dialect, db.adapterName], ['sqlite', 'd1'])
  assert.equal(await db.executeRaw('INSERT INTO t VALUES (?, ?, ?, ?, ?), (2, NULL, NULL, NULL, NULL)', [1, 'x', new Date('2024-02-29T12:34:56.789Z'), new Uint8Array([0, 255]), 0.5]), 2)
  const result = await db.queryRaw('SELECT * FROM t')
  assert.equal(result.text(), '{"columns":["a","b","c","d","e"],"types":["int","string","string","bytes","double"],"rows":[[1,"x","2024-02-29T12:34:56.789+00:00","AP8=",0.5],[2,null,null,null,null]]}')
  assert.deepEqual(result.rows()[0], { a: 1, b: 'x', c: '2024-02-29T12:34:56.789+00:00', d: new Uint8Array([0, 255]), e: 0.5 })
  assert.deepEqual(result.arrays({}), result.arrays())
  // Names are there without rows, and twice if they are there twice.
  assert.equal((await db.queryRaw('SELECT *, 1 AS a FROM t WHERE 0')).text(), '{"columns":["a","b","c","d","e","a"],"types":["unknown","unknown","unknown","unknown","unknown","unknown"],"rows":[]}')
  assert.equal((await db.queryRaw("SELECT 1 AS id, 'x' AS id")).text(), '{"columns":["id","id"],"types":["int","string"],"rows":[[1,"x"]]}')
  assert.equal((await db.queryRaw("SELECT 'a' || char(0) || 'b' AS z, zeroblob(0) AS e, CAST(x'41ff42' AS TEXT) AS i")).text(), '{"columns":["z","e","i"],"types":["string","bytes","string"],"rows":[["a\\u0000b","","A\ufffdB"]]}')
})

test('what it has rounded is not called exact', async () => {
  const column = async (sql: string): Promise<string> => {
    const { types, rows } = (await db.queryRaw(sql)).json()
    return `${types[0]}: ${rows.map((row) => JSON.stringify(row[0])).join(' ')}`
  }
  assert.equal(await column('SELECT 9007199254740993 AS c'), 'double: 9007199254740992')
  assert.equal(await column('SELECT 9223372036854775807 AS c UNION ALL SELECT 1'), 'double: 9223372036854776000 1')
  assert.equal(await column('SELECT 9007199254740991 AS c'), 'bigint: "9007199254740991"')
  assert.equal(await column('SELECT 3000000000 AS c'), 'bigint: "3000000000"')
  assert.equal(await column('SELECT 1 AS c UNION ALL SELECT 2.5'), 'double: 1 2.5')
  assert.equal(await column("SELECT 1 AS c UNION ALL SELECT 'x'"), 'unknown: 1 "x"')
  assert.equal(await column("SELECT NULL AS c UNION ALL SELECT 'x'"), 'string: null "x"')
  assert.equal(await column("SELECT 'x' AS c UNION ALL SELECT x'01'"), 'unknown: "x" "AQ=="')
  // Infinity is null before it gets here.
  assert.equal(await column('SELECT 1e999 AS c'), 'int: null')
})

test('parameters, streams and batches', async () => {
  const one = async (value: unknown): Promise<unknown[]> => (await db.queryRaw('SELECT typeof(?1) AS t, ?1 AS v', [value])).arrays()[0]
  assert.deepEqual(await one(true), ['real', 1]) // D1 binds every number as REAL
  assert.deepEqual(await one(5n), ['real', 5])
  assert.deepEqual(await one(undefined), ['null', null])
  assert.deepEqual(await one(new Uint8Array([1, 2, 3]).subarray(1)), ['blob', new Uint8Array([2, 3])])
  await assert.rejects(one(2n ** 53n), { name: 'TypeError', message: "parameter 1 is an integer beyond 2^53 − 1, which D1 can't take: pass its digits as a string, and CAST(? AS INTEGER) in SQL" })
  await assert.rejects(one(Infinity), { name: 'TypeError', message: 'parameter 1 is Infinity, which D1 would turn into NULL' })
  await assert.rejects(db.queryRaw('SELECT :a', { a: 1 }), { name: 'TypeError', message: 'D1 has no parameters by name: use ?1, ?2 … and an array' })
  const sql = numbers(3, "n, 'row ' || n AS t")
  assert.equal(await read(db.stream(sql)), '{"columns":["n","t"],"types":["int","string"],"rows":[[1,"row 1"],[2,"row 2"],[3,"row 3"]]}')
  assert.equal(await read(db.stream(sql, [], { shape: 'ndjson', settle: 'declared' })), '{"n":1,"t":"row 1"}\n{"n":2,"t":"row 2"}\n{"n":3,"t":"row 3"}\n')
  const rows: unknown[] = []
  for await (const batch of db.batches(sql, [], { size: 2 })) rows.push(batch.arrays())
  assert.deepEqual(rows, [[[1, 'row 1'], [2, 'row 2']], [[3, 'row 3']]])
  assert.equal(await db.executeRaw('UPDATE t SET b = NULL'), 2)
  assert.equal((await db.queryRaw('UPDATE t SET b = NULL')).text(), '{"columns":[],"types":[],"rows":[]}')
  assert.deepEqual((await db.queryRaw('DELETE FROM t RETURNING a')).arrays(), [[1], [2]])
  await assert.rejects(db.queryRaw('SELECT 1 AS a; SELECT 2 AS b'), { name: 'RangeError', message: 'The supplied SQL string contains more than one statement' })
  await assert.rejects(db.queryRaw('SELEC'), /D1_ERROR: near "SELEC": syntax error/)
  await assert.rejects(db.transaction(async () => 1), { code: 'DRIVER_UNSUPPORTED' })
  await assert.rejects(connect({} as never), { name: 'TypeError', message: 'connect takes a D1 binding, such as env.DB' })
})

test('inside of a Worker', async () => {
  const answer = await miniflare.dispatchFetch(`http://localhost/?sql=${encodeURIComponent(numbers(2000, "n, 'row ' || n AS t, n / 2.0 AS h"))}`)
  assert.equal(answer.status, 200)
  const text = await answer.text()
  assert.equal(text, (await db.queryRaw(numbers(2000, "n, 'row ' || n AS t, n / 2.0 AS h"))).text())
  assert.match(text, /^\{"columns":\["n","t","h"\],"types":\["int","string","double"\],"rows":\[\[1,"row 1",0.5\],.*\[2000,"row 2000",1000\]\]\}$/)
})
