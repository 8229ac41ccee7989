// The examples of HTTP servers, under load on loopback.
import assert from 'node:assert/strict'
import http from 'node:http'
import type net from 'node:net'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { connect, type WireDatabase } from 'rowjet/pg'
import { postgresURL } from './postgres.js'

type NodeHandler = (request: http.IncomingMessage, response: http.ServerResponse) => Promise<void>
type Routes = Record<string, (search: URLSearchParams) => [string, unknown[]]>
const { handler } = (await import('../examples/http-server.mjs' as string)) as { handler(db: WireDatabase, routes?: Routes): NodeHandler }
const fetchExample = (await import('../examples/fetch-handler.mjs' as string)) as { handler(db: WireDatabase): (request: Request) => Promise<Response> }

const pool = new pg.Pool({ connectionString: postgresURL, max: 5 })
const db = await connect(pool)
// What the examples print about errors is theirs to print.
const printed: unknown[] = []
console.error = (...args) => printed.push(args[0])

const server = http.createServer(handler(db))
const broken = http.createServer(handler(db, {
  '/syntax': () => ['SELEC', []],
  '/late': () => ["SELECT repeat('x', 100) AS x, 1 / (50000 - i) AS y FROM generate_series(1, 100000) i", []],
  '/endless': () => ["SELECT 'endless_query' AS x FROM generate_series(1, 10000) a, generate_series(1, 10000) b", []],
}))
await Promise.all([server, broken].map((one) => new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve))))
const address = (one: http.Server): string => `http://127.0.0.1:${(one.address() as net.AddressInfo).port}`
after(async () => {
  for (const one of [server, broken]) {
    one.closeAllConnections()
    one.close()
  }
  await pool.end()
})

/** A request without the comforts of fetch: the bytes as they come. */
function get(url: string, headers: http.OutgoingHttpHeaders = {}): Promise<{ status: number; headers: http.IncomingHttpHeaders; body: Buffer; complete: boolean }> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { headers, agent: false }, (response) => {
      const pieces: Buffer[] = []
      const done = (): void => resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(pieces), complete: response.complete })
      response.on('data', (piece) => pieces.push(piece)).on('end', done).on('error', done)
    })
    request.on('error', reject)
  })
}

test('node:http: rows, compressed or not', async () => {
  const plain = await get(`${address(server)}/numbers?count=3`)
  assert.deepEqual([plain.status, plain.headers['content-type'], plain.headers['content-encoding']], [200, 'application/json', undefined])
  assert.equal(plain.body.toString(), '[{"id":1,"square":"1"},{"id":2,"square":"4"},{"id":3,"square":"9"}]')
  const gzip = await get(`${address(server)}/numbers?count=50000`, { 'accept-encoding': 'gzip' })
  assert.equal(gzip.headers['content-encoding'], 'gzip')
  assert.equal((JSON.parse(gunzipSync(gzip.body).toString()) as unknown[]).length, 50_000)
  assert.ok(gzip.body.length < 500_000)
  assert.equal((await get(`${address(server)}/numbers?count=0`)).body.toString(), '[]')
  assert.equal((await get(`${address(server)}/none`)).status, 404)
  assert.equal((await get(`${address(server)}/__proto__`)).status, 404)
})

test('node:http: errors', async () => {
  assert.equal((await get(`${address(server)}/numbers?count=x`)).status, 500)
  assert.equal((await get(`${address(broken)}/syntax`)).status, 500)
  const late = await get(`${address(broken)}/late`)
  assert.equal(late.status, 200)
  assert.equal(late.complete, false)
  assert.throws(() => JSON.parse(late.body.toString()), SyntaxError)
  assert.deepEqual(printed.map((error) => (error as { code?: string }).code), ['22P02', '42601', '22012'])
})

test('node:http: a client that goes away ends the query', async () => {
  await new Promise<void>((resolve, reject) => {
    const request = http.get(`${address(broken)}/endless`, { agent: false }, (response) => {
      response.once('data', () => {
        request.destroy()
        resolve()
      })
    })
    request.on('error', reject)
  })
  const running = async (): Promise<number> => (await pool.query("SELECT count(*)::int AS n FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%endless_query%' AND pid <> pg_backend_pid()")).rows[0].n as number
  const start = performance.now()
  while ((await running()) > 0) assert.ok(performance.now() - start < 10_000)
})

test('node:http: many at a time', async () => {
  const counts = Array.from({ length: 200 }, (_, i) => 1 + ((i * 37) % 500))
  let next = 0
  const client = async (): Promise<void> => {
    while (next < counts.length) {
      const count = counts[next++]
      const { body, complete } = await get(`${address(server)}/numbers?count=${count}`, next % 2 === 0 ? { 'accept-encoding': 'gzip' } : {})
      const rows = JSON.parse((body[0] === 0x1f ? gunzipSync(body) : body).toString()) as { id: number; square: string }[]
      assert.ok(complete)
      assert.equal(rows.length, count)
      assert.deepEqual(rows.at(-1), { id: count, square: String(count * count) })
    }
  }
  await Promise.all(Array.from({ length: 20 }, client))
  assert.equal(pool.waitingCount, 0)
  assert.ok(pool.totalCount <= 5)
})

test('fetch: a Request in, a Response out', async () => {
  const answer = fetchExample.handler(db)
  const plain = await answer(new Request('http://localhost/numbers?count=2'))
  assert.deepEqual([plain.status, plain.headers.get('content-type')], [200, 'application/x-ndjson'])
  assert.equal(await plain.text(), '{"id":1,"square":"1"}\n{"id":2,"square":"4"}\n')
  const gzip = await answer(new Request('http://localhost/numbers?count=20000', { headers: { 'accept-encoding': 'gzip, br' } }))
  assert.equal(gzip.headers.get('content-encoding'), 'gzip')
  assert.equal(gunzipSync(Buffer.from(await gzip.arrayBuffer())).toString().split('\n').length, 20_001)
  assert.equal((await answer(new Request('http://localhost/'))).status, 404)
  assert.equal((await answer(new Request('http://localhost/numbers?count=x'))).status, 500)
  const controller = new AbortController()
  const long = await answer(new Request('http://localhost/numbers?count=5000000', { signal: controller.signal }))
  const reader = long.body!.getReader()
  await reader.read()
  controller.abort()
  await assert.rejects(async () => {
    while (!(await reader.read()).done);
  }, { name: 'AbortError' })
  const other = (await answer(new Request('http://localhost/numbers?count=5000000'))).body!
  await other.cancel()
  assert.equal((await db.queryRaw('SELECT 1 AS a')).rowCount, 1)
})
