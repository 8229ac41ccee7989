// node-postgres over TLS: through a proxy on loopback that ends TLS before the server.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import tls from 'node:tls'
import { after, test } from 'node:test'
import pg from 'pg'
import { connect } from 'rowjet/pg'
import { postgresURL, read } from './postgres.js'

const file = (name: string): Buffer => readFileSync(new URL(`../test/${name}`, import.meta.url))
const cert = file('localhost-cert.pem')
const server = new URL(postgresURL)

let encrypted = 0
const proxy = net.createServer((socket) => {
  socket.on('error', () => undefined)
  socket.once('data', (request) => {
    // SSLRequest, or a CancelRequest in the clear, which a proxy like this could not pass on.
    assert.equal(request.readUInt32BE(4), 80877103)
    socket.write('S')
    const inner = new tls.TLSSocket(socket, { isServer: true, cert, key: file('localhost-key.pem') })
    const to = net.connect(Number(server.port), server.hostname)
    encrypted++
    inner.on('error', () => undefined).pipe(to).on('error', () => undefined).pipe(inner)
  })
})
await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
const { port } = proxy.address() as net.AddressInfo
const config = { host: 'localhost', port, user: decodeURIComponent(server.username), password: decodeURIComponent(server.password), database: server.pathname.slice(1), ssl: { ca: cert } }
after(() => proxy.close())

const rows = (n: number): string => `SELECT i AS id, repeat('x', 100) AS x FROM generate_series(1, ${n}) i`

test('a pool', async () => {
  const pool = new pg.Pool({ ...config, max: 1 })
  const db = await connect(pool)
  const plain = await connect(postgresURL)
  assert.equal((await db.queryRaw(rows(20_000))).text(), (await plain.queryRaw(rows(20_000))).text())
  assert.equal((await read(db.stream(rows(20_000), [], { shape: 'ndjson' }))).split('\n').length, 20_001)
  assert.equal((await pool.query(rows(5000))).rows.length, 5000)
  await plain.close()

  const pid = (await db.queryRaw('SELECT pg_backend_pid() AS pid')).arrays()[0][0]
  const before = encrypted
  const reason = new Error('enough')
  const controller = new AbortController()
  setTimeout(() => controller.abort(reason), 50)
  await assert.rejects(db.queryRaw('SELECT pg_sleep(20)', [], { signal: controller.signal }), reason)
  assert.ok(encrypted > before) // the request to cancel went the same way
  const reader = db.stream("SELECT repeat('x', 100) FROM generate_series(1, 10000) a, generate_series(1, 10000) b").getReader()
  await reader.read()
  await reader.cancel()
  assert.equal((await db.queryRaw('SELECT pg_backend_pid() AS pid')).arrays()[0][0], pid)
  await pool.end()
})

test('a client, and a connection of our own', async () => {
  const client = new pg.Client(config)
  const db = await connect(client)
  assert.equal((await db.queryRaw('SELECT $1::int AS a', [5])).text(), '{"columns":["a"],"types":["int"],"rows":[[5]]}')
  await db.close()
  const own = await connect({ ...config, max: 1 })
  assert.equal((await own.queryRaw('SELECT $1::int AS a', [5])).text(), '{"columns":["a"],"types":["int"],"rows":[[5]]}')
  await own.close()
  await assert.rejects((await connect({ ...config, ssl: true })).queryRaw('SELECT 1'), /self-signed certificate/)
})
