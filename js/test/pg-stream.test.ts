// Streams and batches of node-postgres: at the reader's pace, to its end or not.
import assert from 'node:assert/strict'
import net from 'node:net'
import { after, test } from 'node:test'
import pg from 'pg'
import { connect, type WireDatabase } from 'rowjet/pg'
import { postgresURL, read } from './postgres.js'

const pools: pg.Pool[] = []
after(async () => {
  for (const pool of pools) await pool.end()
})

interface Tested {
  db: WireDatabase
  socket(): net.Socket
  pid(): Promise<unknown>
}

async function open(config: object = {}): Promise<Tested> {
  const pool = new pg.Pool({ connectionString: postgresURL, max: 1, ...config })
  pools.push(pool)
  const db = await connect(pool)
  return {
    db,
    socket: () => (pool as unknown as { _clients: { connection: { stream: net.Socket } }[] })._clients[0].connection.stream,
    pid: async () => (await db.queryRaw('SELECT pg_backend_pid() AS pid')).arrays()[0][0],
  }
}

/** A socket as Cloudflare's and Neon's are: it can't be told to wait. */
function restless(): net.Socket {
  return Object.assign(new net.Socket(), { pause: undefined }) as unknown as net.Socket
}

const kinds: [string, object][] = [['a socket that can wait', {}], ['a socket that can not', { stream: restless }]]
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
/** A result without end, for all that a test has time for. A series alone would be put together before its first row is sent. */
const endless = "SELECT a, b, repeat('x', 100) AS x FROM generate_series(1, 10000) a, generate_series(1, 10000) b"
const rows = (n: number): string => `SELECT i AS id, repeat('x', 100) AS x FROM generate_series(1, ${n}) i`

for (const [kind, config] of kinds) {
  test(`${kind}: shapes`, async () => {
    const { db } = await open(config)
    const sql = "SELECT i AS a, 'é' || i AS \"b\", i AS a FROM generate_series(1, 3) i WHERE i > $1"
    assert.equal(await read(db.stream(sql, [0])), '{"columns":["a","b","a"],"types":["int","string","int"],"rows":[[1,"é1",1],[2,"é2",2],[3,"é3",3]]}')
    assert.equal(await read(db.stream(sql, [0], { shape: 'array', settle: 'scan' })), '{"columns":["a","b","a"],"types":["int","string","int"],"rows":[[1,"é1",1],[2,"é2",2],[3,"é3",3]]}')
    assert.equal(await read(db.stream(sql, [0], { shape: 'objects' })), '[{"b":"é1","a":1},{"b":"é2","a":2},{"b":"é3","a":3}]')
    assert.equal(await read(db.stream(sql, [0], { shape: 'ndjson' })), '{"b":"é1","a":1}\n{"b":"é2","a":2}\n{"b":"é3","a":3}\n')
    assert.equal(await read(db.stream(sql, [5], { shape: 'ndjson' })), '')
    assert.equal(await read(db.stream(sql, [5])), '{"columns":["a","b","a"],"types":["int","string","int"],"rows":[]}')
    assert.throws(() => db.stream(sql, [0], { shape: 'rows' as 'array' }), TypeError)
    assert.throws(() => db.stream(sql, [0], { settle: 'never' as 'scan' }), TypeError)
    await assert.rejects(db.batches(sql, [0], { size: 0 }).next(), TypeError)
    for (const n of [0, 1, 499, 500, 501, 5000, 60_000]) {
      const text = await read(db.stream(rows(n)))
      assert.ok(text === (await db.queryRaw(rows(n))).text(), `${n} rows`)
    }
    const sizes = []
    for await (const batch of db.batches<{ id: number }>(rows(2500))) {
      assert.deepEqual(batch.types, ['int', 'string'])
      assert.equal(batch.rows()[0].id, 1 + 1000 * sizes.length)
      sizes.push(batch.rowCount)
    }
    assert.deepEqual(sizes, [1000, 1000, 500])
    const exact = []
    for await (const batch of db.batches(rows(20), [], { size: 10 })) exact.push(batch.rowCount)
    assert.deepEqual(exact, [10, 10])
  })

  test(`${kind}: nothing runs before the first read`, async () => {
    const { db } = await open(config)
    await db.executeRaw('CREATE TEMP TABLE made (a int)')
    const stream = db.stream('INSERT INTO made VALUES (1) RETURNING a')
    const batches = db.batches('INSERT INTO made VALUES (2) RETURNING a')
    await wait(50)
    assert.equal((await db.queryRaw('SELECT * FROM made')).rowCount, 0)
    assert.equal(await read(stream), '{"columns":["a"],"types":["int"],"rows":[[1]]}')
    assert.equal((await batches.next()).value?.text(), '{"columns":["a"],"types":["int"],"rows":[[2]]}')
    await batches.return()
    assert.equal((await db.queryRaw('SELECT * FROM made')).rowCount, 2)
  })

  test(`${kind}: a slow reader holds the database back`, async () => {
    const { db, socket } = await open(config)
    const reader = db.stream(endless).getReader()
    let got = (await reader.read()).value!.length
    const before = socket().bytesRead
    await wait(300)
    const while1 = socket().bytesRead
    await wait(300)
    const while2 = socket().bytesRead
    assert.equal(while2, while1) // nothing is read as long as nobody reads
    assert.ok(while1 < 4_000_000, `${while1} bytes were read ahead`)
    for (let i = 0; i < 200; i++) got += (await reader.read()).value!.length
    assert.ok(socket().bytesRead > before)
    await reader.cancel()
    assert.ok(got > 200 * 1000)

    const batches = db.batches(endless)
    await batches.next()
    await wait(200)
    const ahead = socket().bytesRead
    await wait(200)
    assert.equal(socket().bytesRead, ahead)
    await batches.return()
  })

  test(`${kind}: a reader that leaves early`, async () => {
    const { db, pid } = await open(config)
    const first = await pid()
    const start = performance.now()
    for (let i = 0; i < 5; i++) {
      const reader = db.stream(endless).getReader()
      await reader.read()
      await reader.cancel()
      assert.equal(await pid(), first)
      let batches = 0
      for await (const batch of db.batches(endless, [], { size: 10 })) {
        assert.equal(batch.rowCount, 10)
        if (++batches === 4) break
      }
      assert.equal(await pid(), first)
      const never = db.stream(rows(10))
      await never.cancel()
      const atOnce = db.stream('SELECT pg_sleep(20)').getReader()
      const pending = atOnce.read().catch(() => ({ done: true }))
      await wait(10)
      await atOnce.cancel()
      assert.equal((await pending).done, true)
    }
    assert.ok(performance.now() - start < 15_000)
    assert.equal(await pid(), first)
  })

  test(`${kind}: an error on the way`, async () => {
    const { db, pid } = await open(config)
    const first = await pid()
    const sql = "SELECT i, repeat('x', 100) AS x, 1 / (50000 - i) AS y FROM generate_series(1, 100000) i"
    for (const shape of ['array', 'objects', 'ndjson'] as const) {
      let text = ''
      const decoder = new TextDecoder()
      await assert.rejects(async () => {
        for await (const piece of db.stream(sql, [], { shape })) text += decoder.decode(piece, { stream: true })
      }, { code: '22012' })
      assert.ok(text.length > 100_000)
      if (shape !== 'ndjson') assert.throws(() => JSON.parse(text), SyntaxError)
    }
    let count = 0
    await assert.rejects(async () => {
      for await (const batch of db.batches(sql)) count += batch.rowCount
    }, { code: '22012' })
    assert.ok(count > 10_000 && count < 50_000)
    await assert.rejects(read(db.stream('SELEC')), { code: '42601' })
    // One that throws while it reads.
    const mine = new Error('mine')
    await assert.rejects(async () => {
      for await (const batch of db.batches(endless)) throw batch.rowCount > 0 ? mine : undefined
    }, mine)
    assert.equal(await pid(), first)
  })
}

test('a slow database does not keep its reader waiting', async () => {
  const { db } = await open()
  const times: number[] = []
  const start = performance.now()
  // The server sends what it has when its own buffer, of 8 kB, is full.
  for await (const piece of db.stream("SELECT repeat('x', 9000) AS x, pg_sleep(0.3) FROM generate_series(1, 4)")) {
    assert.ok(piece.length > 0)
    times.push(performance.now() - start)
  }
  const early = times.filter((time) => time < 950)
  assert.ok(early.length >= 2, times.join())
})

test('memory stays flat, however many rows there are', async () => {
  const { db } = await open()
  const count = async (n: number): Promise<number> => {
    let bytes = 0
    for await (const piece of db.stream(`SELECT i, i * 2 AS j FROM generate_series(1, ${n}) i`, [], { shape: 'ndjson' })) bytes += piece.length
    return bytes
  }
  await count(100_000)
  globalThis.gc!()
  const before = process.memoryUsage().rss
  let most = 0
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5)
  assert.equal(await count(1_000_000), 24_333_347)
  clearInterval(watch)
  assert.ok(most - before < 64 * 2 ** 20, `${most - before} bytes more`)
})
