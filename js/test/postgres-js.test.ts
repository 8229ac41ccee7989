// postgres.js against a real server: with its rows taken from the socket, and from postgres.js itself.
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import tls from 'node:tls'
import { after, test } from 'node:test'
import postgres from 'postgres'
import { connect, isRowjetError, type RowjetErrorCode } from 'rowjet/postgres-js'
import { answer, commandComplete, dataRow, FakeServer, postgresURL, read, readyForQuery, rowDescription } from './postgres.js'

const code = (wanted: RowjetErrorCode) => (error: unknown): boolean => isRowjetError(error) && error.code === wanted
const rows = (n: number): string => `SELECT i AS id, CASE WHEN i % 7 = 0 THEN NULL ELSE repeat('é', 20) END AS x, i / 7.0 AS f, ARRAY[i, NULL] AS a FROM generate_series(1, ${n}) i`
const endless = "SELECT a, b, repeat('x', 100) AS x FROM generate_series(1, 10000) a, generate_series(1, 10000) b"

// A proxy that ends TLS.
const file = (name: string): Buffer => readFileSync(new URL(`../test/${name}`, import.meta.url))
const server = new URL(postgresURL)
const proxy = net.createServer((socket) => {
  socket.on('error', () => undefined).once('data', () => {
    socket.write('S')
    const inner = new tls.TLSSocket(socket, { isServer: true, cert: file('localhost-cert.pem'), key: file('localhost-key.pem') })
    const to = net.connect(Number(server.port), server.hostname)
    inner.on('error', () => undefined).pipe(to).on('error', () => undefined).pipe(inner)
  })
})
await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))

const opened: postgres.Sql[] = []
after(async () => {
  for (const sql of opened) await sql.end({ timeout: 5 })
  proxy.close()
})
function open(options: postgres.Options<{}> = {}): postgres.Sql {
  const sql = postgres(postgresURL, { onnotice: () => undefined, ...options })
  opened.push(sql)
  return sql
}

const kinds: [string, () => Promise<postgres.Sql>][] = [
  ['rows from the socket', async () => open({ max: 2 })],
  ['rows from postgres.js, over TLS', async () => open({ max: 2, host: 'localhost', port: (proxy.address() as net.AddressInfo).port, ssl: { ca: file('localhost-cert.pem') } } as postgres.Options<{}>)],
  ['rows from postgres.js, on connections that were open', async () => {
    const sql = open({ max: 2 })
    await Promise.all([sql`SELECT pg_sleep(0.1)`, sql`SELECT pg_sleep(0.1)`])
    return sql
  }],
]

for (const [kind, make] of kinds) {
  test(`${kind}: queries`, async () => {
    const sql = await make()
    const db = await connect(sql)
    assert.deepEqual([db.dialect, db.adapterName], ['postgres', 'postgres-js'])
    for (let i = 0; i < 3; i++) {
      assert.equal((await db.queryRaw('SELECT $1::int AS a, $2::text AS "b c", NULL::bool AS d', [i, 'é'])).text(), `{"columns":["a","b c","d"],"types":["int","string","bool"],"rows":[[${i},"é",null]]}`)
      assert.equal((await db.queryRaw('SELECT $1::int AS a WHERE false', [i])).text(), '{"columns":["a"],"types":["int"],"rows":[]}')
      assert.equal((await db.queryRaw('SELECT 1 AS a WHERE false')).text(), '{"columns":["a"],"types":["int"],"rows":[]}')
      assert.equal((await db.queryRaw('SELECT NULL AS a, NULL AS b FROM generate_series(1, 2)')).text(), '{"columns":["a","b"],"types":["string","string"],"rows":[[null,null],[null,null]]}')
      assert.equal((await db.queryRaw('SELECT FROM generate_series(1, 2)')).text(), '{"columns":[],"types":[],"rows":[[],[]]}')
      // postgres.js' own queries, in between.
      assert.deepEqual([...(await sql`SELECT ${i}::int AS a, ARRAY[1, 2] AS b`)], [{ a: i, b: [1, 2] }])
    }
    const plain = await connect(postgresURL)
    for (const n of [0, 1, 20_000]) {
      assert.ok((await db.queryRaw(rows(n))).text() === (await plain.queryRaw(rows(n))).text(), `${n} rows`)
      assert.equal((await db.queryRaw(`${rows(n)} WHERE i > $1`, [0])).rowCount, n)
    }
    await plain.close()
    const many = await Promise.all(Array.from({ length: 40 }, async (_, i) => (i % 2 === 0 ? (await db.queryRaw('SELECT $1::int AS i', [i])).arrays()[0][0] : (await sql`SELECT ${i}::int AS i`)[0]['i'])))
    assert.deepEqual(many, Array.from({ length: 40 }, (_, i) => i))
    assert.equal(await db.executeRaw('CREATE TEMP TABLE IF NOT EXISTS nothing (a int)'), 0)
    assert.equal((await db.queryRaw('SELECT $1::jsonb AS j, $2::int[] AS a, $3::timestamptz AS t, $4::bytea AS b, $5::text AS n', [{ x: 1 }, [1, 2], new Date(0), Buffer.of(1, 255), undefined])).text(), '{"columns":["j","a","t","b","n"],"types":["json","int-array","datetime","bytes","string"],"rows":[[{"x": 1},[1,2],"1970-01-01T00:00:00+00:00","Af8=",null]]}')
    await db.close()
    assert.equal((await sql`SELECT 1 AS a`)[0]['a'], 1)
    await assert.rejects(db.queryRaw('SELECT 1'), code('CONNECTION_CLOSED'))
  })

  test(`${kind}: statements, errors and transactions`, async () => {
    const sql = await make()
    const db = await connect(sql)
    const script = await db.queryRawAll("SELECT 1 AS a; SELECT 2 AS b, 'x' AS c; SELECT 3 WHERE false")
    assert.deepEqual(script.map((r) => r.text()), ['{"columns":["a"],"types":["int"],"rows":[[1]]}', '{"columns":["b","c"],"types":["int","string"],"rows":[[2,"x"]]}', '{"columns":["?column?"],"types":["int"],"rows":[]}'])
    assert.equal((await db.queryRaw('SELECT 1 AS a; SELECT 2 AS b')).text(), '{"columns":["a"],"types":["int"],"rows":[[1]]}')
    const own = await sql`SELECT 1/0`.catch((error: unknown) => error as Error)
    const ours = await db.queryRaw('SELECT 1/0').catch((error: unknown) => error as Error)
    assert.equal((ours as Error).constructor, (own as Error).constructor)
    assert.equal((ours as { code?: string }).code, '22012')
    await assert.rejects(db.queryRaw('SELEC'), { code: '42601' })
    await assert.rejects(db.queryRaw('SELECT $1::int', ['x']), { code: '22P02' })
    await assert.rejects(db.queryRaw('SELECT 1/(5000 - i) FROM generate_series(1, 10000) i'), { code: '22012' })
    await assert.rejects(read(db.stream('SELECT 1/(5000 - i) FROM generate_series(1, 10000) i')), { code: '22012' })

    const table = `pj_${Math.random().toString(36).slice(2)}`
    await db.executeRaw(`CREATE TABLE ${table} (a int)`)
    const stop = new Error('stop')
    assert.equal(await db.transaction(async (tx) => {
      assert.equal(await tx.executeRaw(`INSERT INTO ${table} SELECT generate_series(1, 3)`), 3)
      await assert.rejects(tx.transaction(async (inner) => {
        await inner.executeRaw(`INSERT INTO ${table} VALUES ($1)`, [4])
        throw stop
      }), stop)
      for await (const batch of tx.batches(endless)) {
        assert.equal(batch.rowCount, 1000)
        break
      }
      const reader = tx.stream(endless).getReader()
      await reader.read()
      await reader.cancel()
      return (await tx.queryRaw('SHOW transaction_isolation')).arrays()[0][0]
    }, { isolationLevel: 'REPEATABLE READ' }), 'repeatable read')
    await assert.rejects(db.transaction(async (tx) => {
      await tx.executeRaw(`DELETE FROM ${table}`)
      throw stop
    }), stop)
    await assert.rejects(db.transaction(async (tx) => tx.queryRaw('SELECT 1/0').catch(() => undefined)), code('TRANSACTION_ROLLED_BACK'))
    assert.equal((await db.queryRaw(`SELECT * FROM ${table}`)).rowCount, 3)
    assert.equal(await db.executeRaw(`DROP TABLE ${table}`), 0)
  })

  test(`${kind}: streams and batches`, async () => {
    const db = await connect(await make())
    for (const n of [0, 1, 499, 500, 501, 20_000]) assert.ok((await read(db.stream(rows(n)))) === (await db.queryRaw(rows(n))).text(), `${n} rows`)
    assert.equal(await read(db.stream('SELECT 1 AS a; SELECT 2 AS b')), '{"columns":["a"],"types":["int"],"rows":[[1]]}')
    assert.equal(await read(db.stream('SELECT $1::int AS a', [1], { shape: 'ndjson' })), '{"a":1}\n')
    const sizes = []
    for await (const batch of db.batches(rows(25), [], { size: 10 })) sizes.push(batch.rowCount)
    assert.deepEqual(sizes, [10, 10, 5])
    const start = performance.now()
    for (let i = 0; i < 3; i++) {
      const reader = db.stream(endless).getReader()
      await reader.read()
      await reader.cancel()
      for await (const batch of db.batches(endless, [], { size: 10 })) {
        assert.equal(batch.rowCount, 10)
        break
      }
    }
    const reason = new Error('enough')
    const soon = (): AbortSignal => {
      const controller = new AbortController()
      setTimeout(() => controller.abort(reason), 50)
      return controller.signal
    }
    await assert.rejects(db.queryRaw('SELECT pg_sleep(20)', [], { signal: soon() }), reason)
    await assert.rejects(db.queryRaw('SELECT pg_sleep($1)', [20], { signal: soon() }), reason)
    await assert.rejects(read(db.stream('SELECT pg_sleep(20)', [], { signal: soon() })), reason)
    await assert.rejects(db.transaction(async (tx) => tx.queryRaw('SELECT pg_sleep(20)'), { signal: soon() }), reason)
    await assert.rejects(db.queryRaw('SELECT 1', [], { signal: AbortSignal.abort(reason) }), reason)
    // More than there are connections: those that wait are let go of at once.
    const busy = [db.queryRaw('SELECT pg_sleep(0.3)'), db.queryRaw('SELECT pg_sleep(0.3)')]
    await Promise.all([1, 2, 3].map(() => assert.rejects(db.queryRaw('SELECT pg_sleep(20)', [], { signal: soon() }), reason)))
    await Promise.all(busy)
    assert.equal((await Promise.all([1, 2, 3].map(async (i) => (await db.queryRaw('SELECT $1::int AS a', [i])).rowCount))).length, 3)
    assert.ok(performance.now() - start < 15_000)
  })
}

test('a connection string; settings of the session', async () => {
  const options = { connection: { DateStyle: 'German', IntervalStyle: 'iso_8601', bytea_output: 'escape', extra_float_digits: '-3' } as object }
  const sql = "SELECT '2024-02-01'::date AS d, interval '1 day' AS iv, '\\x00ff'::bytea AS b, 0.1::float8 + 0.2::float8 AS f"
  const wanted = '{"columns":["d","iv","b","f"],"types":["date","string","bytes","double"],"rows":[["2024-02-01","1 day","AP8=",0.30000000000000004]]}'
  const db = await connect(postgresURL)
  assert.equal((await db.queryRaw(sql)).text(), wanted)
  await db.close()
  const odd = await connect(open(options))
  assert.equal((await odd.queryRaw(sql)).text(), wanted)
  assert.equal((await odd.queryRaw(`${sql} WHERE $1`, [true])).text(), wanted)
  const kept = await connect(open(options), { session: 'keep' })
  assert.equal((await kept.queryRaw("SELECT interval '1 day' AS iv")).text(), '{"columns":["iv"],"types":["string"],"rows":[["P1D"]]}')
  const dates = await kept.queryRaw(sql)
  assert.throws(() => dates.bytes(), code('DATE_STYLE'))
})

test('what can not be connected to', async () => {
  for (const handle of [undefined, null, 5]) await assert.rejects(connect(handle as unknown as string), TypeError)
  await assert.rejects(connect(open(), { session: 'odd' as 'keep' }), TypeError)
  const nowhere = await connect('postgres://nobody:not-to-be-told@127.0.0.1:1/none?connect_timeout=5')
  const error = await nowhere.queryRaw('SELECT 1').catch((reason: unknown) => reason as Error)
  assert.equal((error as { code?: string }).code, 'ECONNREFUSED')
  assert.ok(!String((error as Error).stack).includes('not-to-be-told'))
  await nowhere.close()
  // Rows that are changed before we see them.
  const changed = open({ max: 1, transform: { row: (row: object) => ({ ...row, more: 1 }) } })
  await changed`SELECT 1`
  await assert.rejects((await connect(changed)).queryRaw('SELECT 1 AS a'), code('DRIVER_UNSUPPORTED'))
  const fresh = await connect(open({ max: 1, transform: { row: (row: object) => ({ ...row, more: 1 }) } }))
  assert.equal((await fresh.queryRaw('SELECT 1 AS a')).text(), '{"columns":["a"],"types":["int"],"rows":[[1]]}')
})

test('a server that lies', async () => {
  const liar = new FakeServer()
  const sql = postgres(await liar.listen(), { max: 1, fetch_types: false, onnotice: () => undefined, backoff: false })
  const db = await connect(sql, { session: 'keep' })
  const description = rowDescription([['a', 23], ['b', 25]])
  const tail = Buffer.concat([commandComplete('SELECT 1'), readyForQuery()])
  const lies: [Buffer, RowjetErrorCode][] = [
    [Buffer.concat([description, dataRow(['1', 'x', 'y']), tail]), 'WIRE_INVALID'],
    [Buffer.concat([description, Buffer.of(0x44, 0, 0, 0, 3)]), 'WIRE_INVALID'],
    [Buffer.concat([description, Buffer.of(0x07)]), 'WIRE_INVALID'],
    [Buffer.concat([description.subarray(0, 6), Buffer.of(9), description.subarray(7), tail]), 'WIRE_INVALID'],
  ]
  for (const [bytes, wanted] of lies) {
    liar.reply = (query) => ({ bytes: query === 'good' ? answer(['a'], [['1']]) : bytes })
    const before = liar.connections
    await assert.rejects(db.queryRaw('bad'), code(wanted))
    assert.equal((await db.queryRaw('good')).text(), '{"columns":["a"],"types":["int"],"rows":[[1]]}')
    assert.ok(liar.connections > before || before === 0)
  }
  await sql.end({ timeout: 1 })
  await liar.close()
})

test('a pool of one: what would wait for its own transaction is an error; connections can be closed twice', async () => {
  const config = { host: server.hostname, port: Number(server.port), user: server.username, password: server.password, database: server.pathname.slice(1), max: 1 }
  const { signal } = new AbortController()
  const db = await connect(config, { signal })
  await db.transaction(async (tx) => {
    await assert.rejects(db.queryRaw('SELECT 1'), code('TRANSACTION_OPEN'))
    await assert.rejects(db.transaction(async () => 1), code('TRANSACTION_OPEN'))
    await tx.transaction(async () => assert.rejects(tx.transaction(async () => 1), code('TRANSACTION_OPEN')))
    assert.deepEqual((await tx.queryRaw('SELECT 1 AS a')).rows(), [{ a: 1 }])
  })
  const later = db.transaction(async (tx) => tx.queryRaw('SELECT 1'))
  assert.deepEqual((await db.queryRaw('SELECT 2 AS a')).rows(), [{ a: 2 }])
  await later
  assert.equal(getEventListeners(signal, 'abort').length, 0)
  await Promise.all([db.close(), db.close()])
  await db.close()
})

test('the sql of a transaction, or a reserved one, is refused', async () => {
  const sql = open({ max: 1 })
  await sql.begin(async (inner) => assert.rejects(connect(inner as unknown as postgres.Sql), { name: 'TypeError', message: /not the sql of a transaction/ }))
  const reserved = await sql.reserve()
  await assert.rejects(connect(reserved), { name: 'TypeError', message: /or of reserve\(\)/ })
  reserved.release()
})
