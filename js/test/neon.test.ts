// @neondatabase/serverless has a copy of pg that speaks through a WebSocket. Here it does so to a proxy on loopback.
import assert from 'node:assert/strict'
import net from 'node:net'
import { after, test } from 'node:test'
import { Client, neonConfig, Pool } from '@neondatabase/serverless'
import { connect } from 'rowjet/pg'
import { WebSocket, WebSocketServer } from 'ws'
import { postgresURL, read } from './postgres.js'

const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
server.on('connection', (socket: any) => {
  const { hostname, port } = new URL(postgresURL)
  const to = net.connect(Number(port), hostname)
  socket.on('message', (data: Buffer) => to.write(data))
  socket.on('close', () => to.destroy())
  to.on('data', (data) => socket.send(data))
  to.on('close', () => socket.close())
  to.on('error', () => undefined)
})
await new Promise((resolve) => server.once('listening', resolve))
after(() => server.close())

neonConfig.webSocketConstructor = WebSocket
neonConfig.wsProxy = () => `127.0.0.1:${(server.address() as net.AddressInfo).port}/`
neonConfig.useSecureWebSocket = false
neonConfig.pipelineTLS = false
neonConfig.pipelineConnect = false

const rows = (n: number): string => `SELECT i AS id, repeat('x', 100) AS x, i / 7.0 AS f FROM generate_series(1, ${n}) i`

test('a pool', async () => {
  const pool = new Pool({ connectionString: postgresURL, max: 2 })
  const db = await connect(pool)
  const plain = await connect(postgresURL)
  assert.equal((await db.queryRaw('SELECT $1::int AS a, $2::text AS b', [1, 'é'])).text(), '{"columns":["a","b"],"types":["int","string"],"rows":[[1,"é"]]}')
  assert.equal((await db.queryRaw(rows(20_000))).text(), (await plain.queryRaw(rows(20_000))).text())
  assert.equal(await read(db.stream(rows(20_000))), await read(plain.stream(rows(20_000))))
  assert.equal((await pool.query(rows(100))).rows.length, 100)
  await assert.rejects(db.queryRaw('SELECT 1/0'), { code: '22012' })
  await assert.rejects(read(db.stream("SELECT repeat('x', 100), 1/(5000 - i) FROM generate_series(1, 10000) i")), { code: '22012' })
  for await (const batch of db.batches("SELECT repeat('x', 100) FROM generate_series(1, 10000) a, generate_series(1, 10000) b")) {
    assert.equal(batch.rowCount, 1000)
    break
  }
  assert.equal(await db.transaction(async (tx) => {
    await tx.executeRaw('CREATE TEMP TABLE t (a int) ON COMMIT DROP')
    return tx.executeRaw('INSERT INTO t SELECT generate_series(1, 5)')
  }), 5)
  const reason = new Error('enough')
  const controller = new AbortController()
  setTimeout(() => controller.abort(reason), 50)
  await assert.rejects(db.queryRaw('SELECT pg_sleep(20)', [], { signal: controller.signal }), reason)
  assert.equal((await db.queryRaw('SELECT 1 AS a')).rowCount, 1)
  await plain.close()
  await pool.end()
})

test('a client', async () => {
  const client = new Client(postgresURL)
  const db = await connect(client)
  assert.equal((await db.queryRaw('SELECT $1::int AS a', [5])).text(), '{"columns":["a"],"types":["int"],"rows":[[5]]}')
  assert.equal((await client.query('SELECT 6 AS b')).rows[0]['b'], 6)
  await db.close()
})
