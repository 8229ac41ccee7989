// node-postgres, oldest and newest, against a real server.
import assert from 'node:assert/strict'
import net from 'node:net'
import { once } from 'node:events'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import pgNew, { type PoolConfig } from 'pg'
// @ts-expect-error: an alias, which has no types of its own
import pgOldUntyped from 'pg-8.11'
// @ts-expect-error: it has no types
import Cursor from 'pg-cursor'
// @ts-expect-error: it has no types
import copyStreams from 'pg-copy-streams'
import { connect, isRowjetError, type RowjetErrorCode, type WireDatabase } from 'rowjet/pg'
import { createEngine } from 'rowjet/postgres'
import { ChunkSocket, postgresURL, random, read } from './postgres.js'

const pgOld = pgOldUntyped as typeof pgNew
const versions: [string, typeof pgNew][] = [['pg 8.11', pgOld], ['pg 8.23', pgNew]]

const closers: (() => Promise<unknown>)[] = []
after(async () => {
  for (const close of closers.reverse()) await close()
})
function pool(pg: typeof pgNew, config: object = {}): InstanceType<typeof pgNew.Pool> {
  const made = new pg.Pool({ connectionString: postgresURL, ...config })
  closers.push(() => made.end())
  return made
}
async function client(pg: typeof pgNew, config: object = {}): Promise<InstanceType<typeof pgNew.Client>> {
  const made = new pg.Client({ connectionString: postgresURL, ...config })
  await made.connect()
  closers.push(() => made.end())
  return made
}

const code = (wanted: RowjetErrorCode) => (error: unknown): boolean => isRowjetError(error) && error.code === wanted
const state = (wanted: string) => (error: { code?: string }): boolean => error.code === wanted

/** Every kind of value, with nulls; `n` rows. */
const wide = (n: number): string => `
  SELECT i AS id, CASE WHEN i % 7 = 0 THEN NULL ELSE 'title ' || i || repeat('é', i % 5) END AS title, i::int8 * 10000000000 AS big,
    (i / 7.0)::float8 AS f8, (i / 3.0)::float4 AS f4, (i * 1.10)::numeric(20,6) AS num, i % 2 = 0 AS flag, i::int2 AS small,
    '2024-02-29 23:59:59.123456+00'::timestamptz + i * interval '1 hour' AS tz, '2024-02-29 12:00:00'::timestamp AS ts, '2024-02-29'::date + i AS d,
    '12:34:56.5'::time AS t, ('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid AS u, jsonb_build_object('i', i, 'x', NULL) AS j,
    ARRAY['a', NULL, 'NULL', 'q"' || i] AS ta, ARRAY[i, NULL] AS ia, decode(lpad(to_hex(i), 8, '0'), 'hex') AS b, interval '1 day' * i AS iv
  FROM generate_series(1, ${n}) i`

for (const [version, pg] of versions) {
  test(`${version}: a pool`, async () => {
    const db = await connect(pool(pg, { max: 3 }))
    assert.equal(db.dialect, 'postgres')
    assert.equal(db.adapterName, 'pg')
    const result = await db.queryRaw('SELECT $1::int AS a, $2::text AS "b c", NULL::bool AS d', [1, 'x'])
    assert.equal(result.text(), '{"columns":["a","b c","d"],"types":["int","string","bool"],"rows":[[1,"x",null]]}')
    assert.deepEqual(result.columns, ['a', 'b c', 'd'])
    assert.deepEqual(result.types, ['int', 'string', 'bool'])
    assert.equal(result.rowCount, 1)
    assert.deepEqual(result.json(), { columns: ['a', 'b c', 'd'], types: ['int', 'string', 'bool'], rows: [[1, 'x', null]] })
    assert.deepEqual(result.arrays(), [[1, 'x', null]])
    assert.deepEqual(result.rows(), [{ a: 1, 'b c': 'x', d: null }])
    assert.equal(new TextDecoder().decode(result.objects()), '[{"a":1,"b c":"x","d":null}]')
    assert.equal(await read(result.stream()), result.text())
    assert.equal(await read(result.stream({ shape: 'ndjson' })), '{"a":1,"b c":"x","d":null}\n')
    const many = await Promise.all(Array.from({ length: 50 }, (_, i) => db.queryRaw('SELECT $1::int AS i', [i])))
    assert.deepEqual(many.map((r) => r.arrays()[0][0]), Array.from({ length: 50 }, (_, i) => i))
    await db.close() // leaves the pool, which is the test's
    assert.equal((await pool(pg).query('SELECT 1 AS one')).rows[0].one, 1)
    await assert.rejects(db.queryRaw('SELECT 1'), code('CONNECTION_CLOSED'))
    await assert.rejects(db.transaction(async () => undefined), code('CONNECTION_CLOSED'))
  })

  test(`${version}: rows by the socket's chunks, whatever their size`, async () => {
    const whole = (await (await connect(pool(pg))).queryRaw(wide(300))).text()
    assert.match(whole, /^\{"columns":\["id","title","big","f8","f4","num","flag","small","tz","ts","d","t","u","j","ta","ia","b","iv"\],"types":\["int","string","bigint","double","float","decimal","bool","int","datetime","datetime","date","time","uuid","json","string-array","int-array","bytes","string"\],"rows":\[\[1,"title 1é","10000000000",0.14285714285714285,0.33333334,"1.100000",false,1,"2024-03-01T00:59:59\.123456\+00:00","2024-02-29T12:00:00\+00:00","2024-03-01","12:34:56\.500","00000000-0000-4000-8000-000000000001",\{"i": 1, "x": null\},\["a",null,"NULL","q\\"1"\],\[1,null\],"AAAAAQ==","1 day"\],/)
    const seed = (Math.random() * 2 ** 32) | 0
    const next = random(seed)
    const sizes: [string, () => number][] = [
      ['1', () => 1],
      ['1 to 40', () => 1 + Math.floor(next() * 40)],
      ['1 to 3000', () => 1 + Math.floor(next() * 3000)],
    ]
    for (const [name, size] of sizes) {
      const p = pool(pg, { stream: () => new ChunkSocket(size), max: 1 })
      const db = await connect(p)
      const about = `chunks of ${name}, seed ${seed}`
      assert.equal((await db.queryRaw(wide(300))).text(), whole, about)
      assert.equal((await db.queryRaw(`${wide(300)} WHERE i <> $1`, [0])).text(), whole, about)
      assert.equal(await read(db.stream(wide(300))), whole, about)
      const rows = []
      for await (const batch of db.batches(wide(300), [], { size: 7 })) {
        assert.ok(batch.rowCount === 7 || rows.length === 294)
        rows.push(...batch.json().rows)
      }
      assert.deepEqual(rows, JSON.parse(whole).rows, about)
      // pg's own queries on the same connection.
      const own = await p.query(wide(50))
      assert.equal(own.rows.length, 50)
      assert.equal(own.rows[41].title, null)
      assert.equal(own.rows[42].ta[3], 'q"43')
    }
  })

  test(`${version}: text and binary format give the same bytes`, async () => {
    const db = await connect(pool(pg))
    const text = (await db.queryRaw({ text: wide(100), values: [] })).text()
    const binary = (await db.queryRaw({ text: `${wide(100)} WHERE $1`, binary: true } as { text: string }, [true])).text()
    assert.equal(binary, text)
  })

  test(`${version}: a client, connected or not`, async () => {
    const connected = await client(pg)
    const db = await connect(connected)
    assert.equal((await db.queryRaw('SELECT 1 AS a')).text(), '{"columns":["a"],"types":["int"],"rows":[[1]]}')
    await db.close()
    assert.equal((await connected.query('SELECT 1 AS a')).rows[0].a, 1)

    const fresh = new pg.Client(postgresURL)
    const db2 = await connect(fresh)
    assert.equal((await db2.queryRaw('SELECT 2 AS a')).text(), '{"columns":["a"],"types":["int"],"rows":[[2]]}')
    await db2.close()
    await assert.rejects(fresh.query('SELECT 1'))

    const connecting = new pg.Client(postgresURL)
    const waiting = connecting.connect()
    const db3 = await connect(connecting)
    assert.equal((await db3.queryRaw('SELECT 3 AS a')).text(), '{"columns":["a"],"types":["int"],"rows":[[3]]}')
    await waiting
    await db3.close()
    assert.equal((await connecting.query('SELECT 1 AS a')).rows[0].a, 1)
    await connecting.end()

    const nowhere = new pg.Client({ host: '127.0.0.1', port: 1 })
    await assert.rejects(connect(nowhere), { code: 'ECONNREFUSED' })
    const refused = new pg.Client({ host: '127.0.0.1', port: 1 })
    refused.connect().catch(() => undefined)
    await assert.rejects(connect(refused), { code: 'ECONNREFUSED' })
  })

  test(`${version}: a client that is busy when it is handed over`, async () => {
    const busy = await client(pg, { stream: () => new ChunkSocket(() => 11) })
    const before = busy.query("SELECT i, repeat('x', 50) AS x FROM generate_series(1, 3000) i")
    const db = await connect(busy)
    const [a, own, b] = await Promise.all([db.queryRaw('SELECT 1 AS a'), busy.query('SELECT 5 AS five'), db.queryRaw("SELECT repeat('y', 100) AS y FROM generate_series(1, 100)")])
    assert.equal((await before).rows.length, 3000)
    assert.equal(own.rows[0].five, 5)
    assert.equal(a.text(), '{"columns":["a"],"types":["int"],"rows":[[1]]}')
    assert.equal(b.rowCount, 100)
  })

  test(`${version}: named prepared statements`, async () => {
    const c = await client(pg)
    const db = await connect(c)
    for (const n of [1, 2, 3]) {
      assert.equal((await db.queryRaw({ name: 'twice', text: 'SELECT $1::int * 2 AS a' }, [n])).text(), `{"columns":["a"],"types":["int"],"rows":[[${n * 2}]]}`)
      assert.equal((await c.query({ name: 'twice', text: 'SELECT $1::int * 2 AS a', values: [n] })).rows[0].a, n * 2)
    }
    assert.equal((await db.queryRaw({ name: 'twice', text: 'SELECT $1::int * 2 AS a', values: [7] })).arrays()[0][0], 14)
    assert.deepEqual((await db.queryRaw("SELECT name, calls FROM (SELECT name, generic_plans + custom_plans AS calls FROM pg_prepared_statements) x")).arrays(), [['twice', 7n]])
    await assert.rejects(db.queryRaw({ name: 'twice', text: 'SELECT 1' }), /Prepared statements must be unique/)
    assert.equal((await db.queryRaw('SELECT 1 AS a')).rowCount, 1)
  })

  test(`${version}: several statements, and statements without rows`, async () => {
    const db = await connect(pool(pg, { max: 1 }))
    const script = "SELECT 1 AS a; CREATE TEMP TABLE t (x int); INSERT INTO t VALUES (1), (2); SELECT x, 'é' AS y FROM t ORDER BY x; SELECT 3 WHERE false"
    const all = await db.queryRawAll(script)
    assert.deepEqual(all.map((r) => r.text()), [
      '{"columns":["a"],"types":["int"],"rows":[[1]]}',
      '{"columns":[],"types":[],"rows":[]}',
      '{"columns":[],"types":[],"rows":[]}',
      '{"columns":["x","y"],"types":["int","string"],"rows":[[1,"é"],[2,"é"]]}',
      '{"columns":["?column?"],"types":["int"],"rows":[]}',
    ])
    assert.equal((await db.queryRaw('UPDATE t SET x = 5; SELECT 2 AS b; SELECT 3 AS c')).text(), '{"columns":["b"],"types":["int"],"rows":[[2]]}')
    assert.equal(await read(db.stream('UPDATE t SET x = 6; SELECT 2 AS b; SELECT 3 AS c')), '{"columns":["b"],"types":["int"],"rows":[[2]]}')
    assert.equal((await db.queryRaw('INSERT INTO t VALUES (3)')).text(), '{"columns":[],"types":[],"rows":[]}')
    assert.deepEqual((await db.queryRaw('INSERT INTO t VALUES (3)')).rows(), [])
    assert.equal((await db.queryRaw('')).text(), '{"columns":[],"types":[],"rows":[]}')
    assert.equal(await read(db.stream('INSERT INTO t VALUES (3)')), '{"columns":[],"types":[],"rows":[]}')
    assert.equal(await read(db.stream('INSERT INTO t VALUES (3)', [], { shape: 'objects' })), '[]')
    assert.equal(await read(db.stream('INSERT INTO t VALUES (3)', [], { shape: 'ndjson' })), '')
    assert.equal((await db.queryRaw('SELECT')).text(), '{"columns":[],"types":[],"rows":[[]]}')
    assert.equal((await db.queryRaw('SELECT FROM generate_series(1, 3)')).text(), '{"columns":[],"types":[],"rows":[[],[],[]]}')
    assert.equal(await db.executeRaw('UPDATE t SET x = $1 WHERE x = 6', [7]), 2)
    assert.equal(await db.executeRaw('DELETE FROM t; DROP TABLE t'), 7)
    const batches = []
    for await (const batch of db.batches('SELECT 1 AS a WHERE false')) batches.push(batch.text())
    assert.deepEqual(batches, ['{"columns":["a"],"types":["int"],"rows":[]}'])
  })

  test(`${version}: errors come through, and the connection goes on`, async () => {
    const p = pool(pg, { max: 1 })
    const db = await connect(p)
    const pid = async (): Promise<unknown> => (await db.queryRaw('SELECT pg_backend_pid() AS pid')).arrays()[0][0]
    const first = await pid()
    const own = await p.query('SELECT 1/0').catch((error: unknown) => error as Error)
    const second = await pid() // pg's pool drops the client of a query that failed
    assert.notEqual(first, second)
    const error = await db.queryRaw('SELECT 1/0').catch((reason: unknown) => reason as Error & { severity: string; code: string; position: string })
    assert.equal((error as Error).constructor.name, 'DatabaseError')
    assert.deepEqual({ ...(error as object) }, { ...(own as object) })
    assert.match((error as Error).stack!, /pg\.test\.js/)
    await assert.rejects(db.queryRaw('SELEC'), state('42601'))
    await assert.rejects(db.queryRaw('SELECT $1::int', ['x']), state('22P02'))
    await assert.rejects(db.queryRaw('SELECT 1/(500 - i) AS x FROM generate_series(1, 1000) i'), state('22012'))
    await assert.rejects(db.queryRawAll('SELECT 1; SELECT 2; SELECT 1/0; SELECT 3'), state('22012'))
    await assert.rejects(read(db.stream("SELECT repeat('x', 100), 1/(5000 - i) AS x FROM generate_series(1, 10000) i")), state('22012'))
    await assert.rejects(db.executeRaw('INSERT INTO nothing VALUES (1)'), state('42P01'))
    await assert.rejects(db.queryRaw('SELECT 1', 5 as unknown as unknown[]), TypeError)
    await assert.rejects(db.queryRaw('SET statement_timeout TO 50; SELECT pg_sleep(5)'), state('57014'))
    assert.equal(await pid(), second)
    assert.deepEqual([p.totalCount, p.idleCount, p.waitingCount], [1, 1, 0])
  })

  test(`${version}: pg's own timeouts`, async () => {
    const p = pool(pg, { max: 1, query_timeout: 100 })
    const db = await connect(p)
    await assert.rejects(db.queryRaw("SELECT pg_sleep(i / 20.0), repeat('x', 1000) FROM generate_series(1, 10) i"), /Query read timeout/)
    assert.equal((await db.queryRaw('SELECT 1 AS a')).rowCount, 1)
    const c = await client(pg)
    const db2 = await connect(c)
    await assert.rejects(db2.queryRaw({ text: "SELECT pg_sleep(0.1), repeat('x', 1000) FROM generate_series(1, 4) i", query_timeout: 100 } as { text: string }), /Query read timeout/)
    assert.equal((await db2.queryRaw('SELECT 1 AS a')).text(), '{"columns":["a"],"types":["int"],"rows":[[1]]}')
    assert.equal((await c.query('SELECT 2 AS b')).rows[0].b, 2)
  })

  test(`${version}: everything else on the same connection`, async () => {
    const c = await client(pg)
    const db = await connect(c)
    const notifications: unknown[] = []
    const notices: unknown[] = []
    c.on('notification', (n) => notifications.push(n.payload))
    c.on('notice', (n) => notices.push(n.message))
    await db.executeRaw('LISTEN news')
    for (let i = 0; i < 3; i++) {
      await db.queryRaw("SELECT pg_notify('news', $1)", [`n${i}`])
      await db.executeRaw(`DO $$ BEGIN RAISE NOTICE 'careful ${i}'; END $$`)
      const cursor = c.query(new Cursor('SELECT i FROM generate_series(1, 10) i'))
      assert.equal((await cursor.read(4)).length, 4)
      await cursor.close()
      assert.equal((await db.queryRaw('SELECT i FROM generate_series(1, 10) i')).rowCount, 10)
      assert.equal((await c.query({ text: 'SELECT $1::int AS a', values: [i], rowMode: 'array' })).rows[0][0], i)
    }
    assert.deepEqual(notifications, ['n0', 'n1', 'n2'])
    assert.deepEqual(notices.filter((m) => String(m).startsWith('careful')), ['careful 0', 'careful 1', 'careful 2'])

    await db.executeRaw('CREATE TEMP TABLE copied (a int, b text)')
    await pipeline(Readable.from(['1\tone\n', '2\tt', 'wo\n']), c.query(copyStreams.from('COPY copied FROM STDIN')))
    assert.equal((await db.queryRaw('SELECT * FROM copied ORDER BY a')).text(), '{"columns":["a","b"],"types":["int","string"],"rows":[[1,"one"],[2,"two"]]}')
    let out = ''
    for await (const chunk of c.query(copyStreams.to("COPY (SELECT i, repeat('x', 20) FROM generate_series(1, 5000) i) TO STDOUT"))) out += String(chunk)
    assert.equal(out.split('\n').length, 5001)
    assert.equal((await db.queryRaw('SELECT count(*) AS n FROM copied')).arrays()[0][0], 2n)
    // COPY without anyone to feed it.
    assert.equal(await db.executeRaw('COPY copied TO STDOUT'), 2)
    await assert.rejects(db.executeRaw('COPY copied FROM STDIN'), state('57014'))
    assert.equal((await db.queryRaw('SELECT 1 AS a')).rowCount, 1)
  })

  test(`${version}: transactions`, async () => {
    const table = `tx_${version.replace(/\W/g, '_')}`
    for (const handle of [pool(pg), await client(pg)]) {
      const db = await connect(handle)
      await db.executeRaw(`DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table} (a int UNIQUE DEFERRABLE INITIALLY DEFERRED)`)
      const all = async (from: Pick<WireDatabase, 'queryRaw'> = db): Promise<unknown[]> => (await from.queryRaw(`SELECT a FROM ${table} ORDER BY a`)).arrays().flat()

      assert.equal(await db.transaction(async (tx) => {
        await tx.executeRaw(`INSERT INTO ${table} VALUES (1)`)
        return (await tx.queryRaw('SHOW transaction_isolation')).arrays()[0][0]
      }), 'read committed')
      assert.equal(await db.transaction(async (tx) => (await tx.queryRaw('SHOW transaction_isolation')).arrays()[0][0], { isolationLevel: 'SERIALIZABLE' }), 'serializable')
      await assert.rejects(db.transaction(async () => undefined, { isolationLevel: 'SERIALIZABLE; DROP' as 'SERIALIZABLE' }), TypeError)

      const stop = new Error('stop')
      await assert.rejects(db.transaction(async (tx) => {
        await tx.executeRaw(`INSERT INTO ${table} VALUES (2)`)
        assert.deepEqual(await all(tx), [1, 2])
        throw stop
      }), stop)
      assert.deepEqual(await all(), [1])

      // Inside of each other.
      let late: Pick<WireDatabase, 'queryRaw'> | undefined
      await db.transaction(async (tx) => {
        late = tx
        await tx.executeRaw(`INSERT INTO ${table} VALUES (3)`)
        await assert.rejects(tx.transaction(async (inner) => {
          await inner.executeRaw(`INSERT INTO ${table} VALUES (4)`)
          await inner.transaction(async (innermost) => innermost.executeRaw(`INSERT INTO ${table} VALUES (5)`))
          await inner.queryRaw('SELECT 1/0')
        }), state('22012'))
        await Promise.all([6, 7, 8].map((n) => tx.transaction(async (inner) => {
          await inner.executeRaw(`INSERT INTO ${table} VALUES (${n})`)
          if (n === 7) throw stop
        }).catch((error: unknown) => assert.equal(error, stop))))
        await assert.rejects(tx.transaction(async () => undefined, { isolationLevel: 'SERIALIZABLE' } as object), TypeError)
      })
      assert.deepEqual(await all(), [1, 3, 6, 8])
      await assert.rejects(late!.queryRaw('SELECT 1'), code('CONNECTION_CLOSED'))

      // A failure that is hushed up, and one that only COMMIT brings.
      await assert.rejects(db.transaction(async (tx) => {
        await tx.executeRaw(`INSERT INTO ${table} VALUES (9)`)
        await tx.queryRaw('SELECT 1/0').catch(() => undefined)
      }), code('TRANSACTION_ROLLED_BACK'))
      await assert.rejects(db.transaction(async (tx) => tx.executeRaw(`INSERT INTO ${table} VALUES (1)`)), state('23505'))
      assert.deepEqual(await all(), [1, 3, 6, 8])

      // Other queries go past a transaction, or wait for it.
      const order: string[] = []
      let inside!: () => void
      const begun = new Promise<void>((resolve) => (inside = resolve))
      const single = handle instanceof pg.Client
      let done!: () => void
      const otherDone = new Promise<void>((resolve) => (done = resolve))
      const long = db.transaction(async (tx) => {
        await tx.executeRaw(`INSERT INTO ${table} VALUES (10)`)
        inside()
        if (single) await tx.queryRaw('SELECT pg_sleep(0.05)')
        else await otherDone
        order.push('transaction')
        throw stop
      }).catch(() => undefined)
      await begun
      const other = all().then((rows) => {
        order.push('query')
        done()
        assert.deepEqual(rows, [1, 3, 6, 8])
      })
      await Promise.all([long, other])
      assert.deepEqual(order, single ? ['transaction', 'query'] : ['query', 'transaction'])

      // What would wait for its own end.
      if (single) {
        await db.transaction(async (tx) => {
          for (const call of [() => db.queryRaw('SELECT 1'), () => db.executeRaw('SELECT 1'), () => db.transaction(async () => 1), () => read(db.stream('SELECT 1')), () => db.batches('SELECT 1').next()]) {
            await assert.rejects(tx.transaction(async () => call()), code('TRANSACTION_OPEN'))
          }
        })
      }

      await db.transaction(async (tx) => {
        await tx.transaction(async (inner) => {
          await assert.rejects(tx.transaction(async () => 1), code('TRANSACTION_OPEN'))
          assert.equal(await inner.transaction(async () => 2), 2)
          await assert.rejects(inner.transaction(async () => tx.transaction(async () => 1)), code('TRANSACTION_OPEN'))
        })
        assert.equal(await tx.transaction(async () => 3), 3)
      })

      // Streams in a transaction, left early, leave it sound; those left open are closed.
      const rows = 'SELECT i, repeat(\'x\', 100) AS x FROM generate_series(1, 20000) i'
      let open: ReadableStreamDefaultReader<Uint8Array> | undefined
      await db.transaction(async (tx) => {
        for await (const batch of tx.batches(rows, [], { size: 10 })) {
          assert.equal(batch.rowCount, 10)
          break
        }
        const reader = tx.stream(rows).getReader()
        await reader.read()
        await reader.cancel()
        assert.equal(JSON.parse(await read(tx.stream(rows))).rows.length, 20000)
        await tx.executeRaw(`INSERT INTO ${table} VALUES (11)`)
        open = tx.stream(rows).getReader()
        await open.read()
      })
      assert.deepEqual(await all(), [1, 3, 6, 8, 11])
      await assert.rejects((async () => {
        while (!(await open!.read()).done);
      })(), code('CONNECTION_CLOSED'))
    }
  })

  test(`${version}: AbortSignal`, async () => {
    for (const handle of [pool(pg, { max: 1 }), await client(pg)]) {
      const db = await connect(handle)
      const pid = async (): Promise<unknown> => (await db.queryRaw('SELECT pg_backend_pid() AS pid')).arrays()[0][0]
      const before = await pid()
      const reason = new Error('enough')
      const soon = (ms = 50): AbortSignal => {
        const controller = new AbortController()
        setTimeout(() => controller.abort(reason), ms)
        return controller.signal
      }
      const aborted = AbortSignal.abort(reason)
      await assert.rejects(db.queryRaw('SELECT 1', [], { signal: aborted }), reason)
      await assert.rejects(db.transaction(async () => undefined, { signal: aborted }), reason)
      const start = performance.now()
      await assert.rejects(db.queryRaw('SELECT pg_sleep(20)', [], { signal: soon() }), reason)
      await assert.rejects(db.executeRaw('SELECT pg_sleep($1)', [20], { signal: soon() }), reason)
      await assert.rejects(read(db.stream('SELECT pg_sleep(20)', [], { signal: soon() })), reason)
      await assert.rejects((async () => {
        for await (const batch of db.batches("SELECT repeat('x', 100) FROM generate_series(1, 10000) a, generate_series(1, 10000) b", [], { signal: soon() })) assert.ok(batch.rowCount > 0)
      })(), reason)
      // One that waits for its turn never gets to the server.
      const running = db.queryRaw('SELECT pg_sleep(0.2)')
      await Promise.all([soon(20), soon(20), soon(20)].map((signal) => assert.rejects(db.queryRaw('SELECT pg_sleep(20)', [], { signal }), reason)))
      await running
      // Of a transaction.
      await assert.rejects(db.transaction(async (tx) => tx.queryRaw('SELECT pg_sleep(20)'), { signal: soon() }), reason)
      await assert.rejects(db.transaction(async () => new Promise(() => undefined), { signal: soon() }), reason)
      await assert.rejects(db.transaction(async (tx) => {
        await assert.rejects(tx.queryRaw('SELECT pg_sleep(20)', [], { signal: soon() }), reason)
        await tx.queryRaw('SELECT 1')
      }), state('25P02'))
      assert.ok(performance.now() - start < 10_000)
      assert.equal(await pid(), before)
      assert.equal((await db.queryRaw('SELECT txid_current_if_assigned() IS NULL AS idle')).arrays()[0][0], true)
    }
    const db = await connect(pool(pg), { signal: AbortSignal.timeout(100) })
    await assert.rejects(db.queryRaw('SELECT pg_sleep(20)'), { name: 'TimeoutError' })
    await assert.rejects(db.queryRaw('SELECT 1'), { name: 'TimeoutError' })
  })

  test(`${version}: results do not depend on the session's settings`, async () => {
    const sql = `SELECT '2024-02-01 10:00:00.5+03'::timestamptz AS tz, '2024-02-01'::date AS d, '2024-02-01 10:00'::timestamp AS ts, interval '1 mon 2 days -03:04:05.6' AS iv,
      '\\x0001ff'::bytea AS b, 0.1::float8 + 0.2::float8 AS f8, 0.3::float4 AS f4, ARRAY['\\x00ff'::bytea] AS ba, ARRAY['2024-02-01 10:00+00'::timestamptz] AS ta`
    const wanted = '{"columns":["tz","d","ts","iv","b","f8","f4","ba","ta"],"types":["datetime","date","datetime","string","bytes","double","float","bytes-array","datetime-array"],"rows":[["2024-02-01T07:00:00.500+00:00","2024-02-01","2024-02-01T10:00:00+00:00","1 mon 2 days -03:04:05.6","AAH/",0.30000000000000004,0.3,["AP8="],["2024-02-01T10:00:00+00:00"]]]}'
    const odd = "SET DateStyle TO German, YMD; SET IntervalStyle TO iso_8601; SET bytea_output TO escape; SET extra_float_digits TO -5; SET TimeZone TO 'Asia/Kolkata'"
    const options = '-c datestyle=SQL -c intervalstyle=sql_standard -c bytea_output=escape -c extra_float_digits=0 -c timezone=America/New_York'
    // From the first query on, by both protocols, alone and after changes; the order of day and month stays.
    for (const params of [[], [1]]) {
      const text = params.length === 0 ? sql : `${sql} WHERE $1 = 1`
      const db = await connect(await client(pg, { options }))
      assert.equal((await db.queryRaw(text, params)).text(), wanted)
      const c = await client(pg)
      await c.query(odd)
      const db2 = await connect(c)
      assert.equal((await db2.queryRaw(text, params)).text(), wanted)
      assert.equal((await c.query('SHOW DateStyle')).rows[0].DateStyle, 'ISO, YMD')
      await c.query("SET IntervalStyle TO postgres_verbose")
      assert.equal((await db2.queryRaw(text, params)).text(), wanted)
      await c.query('RESET ALL')
      assert.equal((await db2.queryRaw(text, params)).text(), wanted)
      // Set in a transaction that comes to nothing.
      const c2 = await client(pg)
      await c2.query(odd)
      await c2.query('BEGIN')
      const db3 = await connect(c2)
      assert.equal((await db3.queryRaw(text, params)).text(), wanted)
      await c2.query('ROLLBACK')
      assert.equal((await c2.query('SHOW IntervalStyle')).rows[0].IntervalStyle, 'iso_8601')
      assert.equal((await db3.queryRaw(text, params)).text(), wanted)
      // In a transaction that has failed, where nothing can be set.
      await c2.query('BEGIN')
      await c2.query('SELECT 1/0').catch(() => undefined)
      await assert.rejects(db3.queryRaw(text, params), state('25P02'))
      await c2.query('ROLLBACK')
      assert.equal((await db3.queryRaw(text, params)).text(), wanted)
    }
    // The session's own settings, if that is what is asked for.
    const c = await client(pg)
    await c.query(odd)
    const kept = await connect(c, { session: 'keep' })
    assert.equal((await kept.queryRaw("SELECT interval '1 day' AS iv")).text(), '{"columns":["iv"],"types":["string"],"rows":[["P1D"]]}')
    const dates = await kept.queryRaw("SELECT '2024-02-01'::date AS d")
    assert.equal(dates.rowCount, 1)
    assert.throws(() => dates.bytes(), code('DATE_STYLE'))
    assert.throws(() => dates.rows(), code('DATE_STYLE'))
    await assert.rejects(read(kept.stream("SELECT '2024-02-01'::date AS d FROM generate_series(1, 100000)")), code('DATE_STYLE'))
    assert.equal((await kept.queryRaw('SELECT 1 AS a')).rowCount, 1)
    await assert.rejects(connect(c, { session: 'odd' as 'keep' }), TypeError)
  })

  test(`${version}: types that are not built in`, async () => {
    const p = pool(pg)
    const name = `mood_${version.replace(/\W/g, '_')}`
    await p.query(`DROP TYPE IF EXISTS ${name}; CREATE TYPE ${name} AS ENUM ('sad', 'so,so')`)
    const { rows } = await p.query(`SELECT '${name}'::regtype::oid::int8 AS e, '_${name}'::regtype::oid::int8 AS a`)
    const sql = `SELECT 'sad'::${name} AS e, ARRAY['so,so', NULL]::${name}[] AS a`
    assert.equal((await (await connect(p)).queryRaw(sql)).text(), '{"columns":["e","a"],"types":["string","string"],"rows":[["sad","{\\"so,so\\",NULL}"]]}')
    const db = await connect(p, { types: { [Number(rows[0].e)]: 'enum', [Number(rows[0].a)]: 'enum-array' } })
    assert.equal((await db.queryRaw(sql)).text(), '{"columns":["e","a"],"types":["enum","string-array"],"rows":[["sad",["so,so",null]]]}')
    assert.equal(await read(db.stream(sql, [], { shape: 'objects' })), '[{"e":"sad","a":["so,so",null]}]')
    await assert.rejects(db.queryRaw({ text: "SELECT 'now'::regproc AS f WHERE $1", binary: true } as { text: string }, [true]), code('WIRE_BINARY'))
    assert.equal((await db.queryRaw(sql)).rowCount, 1)
    await assert.rejects(connect(p, { types: { 23: 'string' } }), /type map.*OID 23 is built in/)
    await assert.rejects(connect(p, { types: { 99999: 'mood' as 'enum' } }), TypeError)
    await assert.rejects(connect(p, { types: { [-1]: 'enum' } }), TypeError)
  })

  test(`${version}: limits`, async () => {
    const p = pool(pg, { max: 1 })
    const db = await connect(p, { maxBytes: 100_000 })
    const rows = (n: number): string => `SELECT repeat('x', 1000) AS x FROM generate_series(1, ${n})`
    assert.equal((await db.queryRaw(rows(90))).rowCount, 90)
    await assert.rejects(db.queryRaw(rows(110)), code('RESULT_TOO_LARGE'))
    await assert.rejects(db.queryRaw("SELECT repeat('x', 1000) FROM generate_series(1, 10000) a, generate_series(1, 10000) b"), code('RESULT_TOO_LARGE'))
    // Small messages, large document.
    await assert.rejects(db.queryRaw("SELECT repeat(E'\\x01', 30000) AS x"), code('RESULT_TOO_LARGE'))
    assert.equal(JSON.parse(await read(db.stream(rows(500)))).rows.length, 500)
    assert.equal((await db.queryRaw(rows(1))).rowCount, 1)
    assert.deepEqual([p.totalCount, p.idleCount], [1, 1])
  })
}

test('a connection string, a configuration', async () => {
  const typed: PoolConfig = { connectionString: postgresURL }
  for (const opening of [connect(postgresURL), connect({ connectionString: postgresURL, max: 2 }), connect(typed)]) {
    const db = await opening
    assert.equal((await db.queryRaw('SELECT 1 AS a')).text(), '{"columns":["a"],"types":["int"],"rows":[[1]]}')
    await db.close()
    await assert.rejects(db.queryRaw('SELECT 1'), code('CONNECTION_CLOSED'))
  }
  const secret = 'not-to-be-told'
  const db = await connect(`postgres://nobody:${secret}@127.0.0.1:1/none`)
  const error = await db.queryRaw('SELECT 1').catch((reason: unknown) => reason as Error)
  assert.equal((error as { code?: string }).code, 'ECONNREFUSED')
  assert.ok(!String((error as Error).stack).includes(secret) && !JSON.stringify(error).includes(secret))
  await db.close()
})

test('an engine of one’s own, and its limits', async () => {
  const engine = await createEngine(undefined, { maxBytes: 1000 })
  const db = await connect(pool(pgNew), { engine })
  await assert.rejects(db.queryRaw("SELECT repeat('x', 2000)"), code('RESULT_TOO_LARGE'))
  await assert.rejects(connect(pool(pgNew), { engine, maxBytes: 5 }), TypeError)
})

test('what can not be connected to', async () => {
  for (const handle of [undefined, null, 5]) await assert.rejects(connect(handle as unknown as string), TypeError)
  // pg's native bindings need libpq to be loaded at all; what tells them is that they have no connection of their own.
  class NativeQuery {
    handleError(): void {}
  }
  class NativeClient {
    static Query = NativeQuery
    native = {}
    query(): void {}
    connect(): void {}
    end(): void {}
  }
  await assert.rejects(connect(new NativeClient()), code('DRIVER_UNSUPPORTED'))
  await assert.rejects(connect(new pgNew.Pool({ Client: NativeClient as unknown as typeof pgNew.Client })), code('DRIVER_UNSUPPORTED'))
})

test('a pool that sends queries in a pipeline', async () => {
  const c = await client(pgNew, { pipeline: true })
  await c.query("SET DateStyle TO SQL; SET IntervalStyle TO iso_8601")
  const db = await connect(c)
  const own = [c.query("SELECT repeat('x', 100) AS x FROM generate_series(1, 1000)"), c.query('SELECT 1/0').catch(() => 'failed')]
  const ours = Array.from({ length: 20 }, (_, i) => db.queryRaw("SELECT $1::int AS i, interval '1 day' AS iv, '2024-02-01'::date AS d", [i]))
  const failing = db.queryRaw('SELECT 1/0 AS x')
  const more = [c.query('SELECT 7 AS seven'), c.query('SELECT generate_series(1, 10)')]
  const last = db.queryRaw('SELECT 8 AS a; SELECT 9 AS b')
  assert.deepEqual((await Promise.all(ours)).map((r) => r.text()), Array.from({ length: 20 }, (_, i) => `{"columns":["i","iv","d"],"types":["int","string","date"],"rows":[[${i},"1 day","2024-02-01"]]}`))
  assert.equal((await own[0] as { rows: unknown[] }).rows.length, 1000)
  assert.equal(await own[1], 'failed')
  await assert.rejects(failing, state('22012'))
  assert.deepEqual((await more[0]).rows, [{ seven: 7 }])
  assert.equal((await more[1]).rows.length, 10)
  assert.equal((await last).text(), '{"columns":["a"],"types":["int"],"rows":[[8]]}')
  assert.equal(JSON.parse(await read(db.stream('SELECT generate_series(1, 5000) AS i'))).rows.length, 5000)
  for await (const batch of db.batches('SELECT generate_series(1, 1000000) AS i')) {
    assert.equal(batch.rowCount, 1000)
    break
  }
  assert.equal((await db.queryRaw('SELECT 1 AS a')).rowCount, 1)
})

test('a server that goes away', async () => {
  const p = pool(pgNew, { max: 2 })
  p.on('error', () => undefined)
  const db = await connect(p)
  const killer = await client(pgNew)
  const kill = async (sql: string): Promise<void> => {
    // As soon as it runs.
    while ((await killer.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE $1 AND state = 'active' AND pid <> pg_backend_pid()", [sql])).rowCount === 0);
  }
  const sleeping = assert.rejects(db.queryRaw('SELECT pg_sleep(20) AS victim_one'), state('57P01'))
  await kill('%victim_one%')
  await sleeping
  const reader = db.stream("SELECT repeat('x', 1000) AS victim_two FROM generate_series(1, 10000) a, generate_series(1, 10000) b").getReader()
  await reader.read()
  await kill('%victim_two%')
  await assert.rejects((async () => {
    while (!(await reader.read()).done);
  })())
  const transaction = assert.rejects(db.transaction(async (tx) => tx.queryRaw('SELECT pg_sleep(20) AS victim_three')), state('57P01'))
  await kill('%victim_three%')
  await transaction
  assert.equal((await db.queryRaw('SELECT 1 AS a')).rowCount, 1)

  // A socket that is cut: the error is pg's, or says where the rows broke off.
  const proxy = net.createServer((from) => {
    const to = net.connect(Number(new URL(postgresURL).port), '127.0.0.1')
    let passed = 0
    from.on('error', () => undefined).pipe(to).on('error', () => undefined)
    to.on('data', (chunk) => {
      passed += chunk.length
      from.write(chunk)
      if (passed > 100_000) {
        from.end()
        to.destroy()
      }
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const cut = new URL(postgresURL)
  cut.port = String((proxy.address() as net.AddressInfo).port)
  const db2 = await connect(cut.href)
  await assert.rejects(db2.queryRaw("SELECT repeat('x', 60000) AS x FROM generate_series(1, 10)"), (error: Error) =>
    isRowjetError(error) && error.code === 'INPUT_UNFINISHED' && /^the connection ended inside of DataRow at byte [0-9]+ of the answer/.test(error.message) && /Connection terminated/.test((error.cause as Error).message))
  assert.equal((await db2.queryRaw('SELECT 1 AS a')).rowCount, 1)
  await db2.close()
  proxy.close()
  await once(proxy, 'close')
})

test('a pool of one: what would wait for its own transaction is an error; connections can be closed twice', async () => {
  const db = await connect({ connectionString: postgresURL, max: 1 })
  await db.transaction(async (tx) => {
    await assert.rejects(db.queryRaw('SELECT 1'), { code: 'TRANSACTION_OPEN' })
    await assert.rejects(db.transaction(async () => 1), { code: 'TRANSACTION_OPEN' })
    assert.deepEqual((await tx.queryRaw('SELECT 1 AS a')).rows(), [{ a: 1 }])
  })
  const later = db.transaction(async (tx) => tx.queryRaw('SELECT 1'))
  assert.deepEqual((await db.queryRaw('SELECT 2 AS a')).rows(), [{ a: 2 }])
  await later
  await Promise.all([db.close(), db.close()])
  await db.close()
})
