// The example that serves a SQLite file over HTTP.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { connect } from 'rowjet/better-sqlite3'
import { numbers } from './sqlite-suite.js'

const { serve } = (await import('../examples/sqlite-http.mjs' as string)) as { serve(file: string, port?: number): Promise<{ url: string; close(): Promise<void> }> }

let folder: string
let server: Awaited<ReturnType<typeof serve>>
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'rowjet-'))
  const file = path.join(folder, 'app.db')
  const db = await connect(file)
  await db.executeRaw('CREATE TABLE users (id INTEGER PRIMARY KEY, name VARCHAR(191), balance DECIMAL(10,2), big BIGINT, seen DATETIME)')
  await db.executeRaw("INSERT INTO users VALUES (1, 'Ada', 12.5, 9007199254740993, '2024-02-29 12:34:56'), (2, 'Bob', NULL, NULL, NULL), (3, 'Cy', 0, 1, NULL)")
  await db.executeRaw('CREATE VIEW "a ""view""" AS SELECT id FROM users')
  await db.executeRaw('CREATE TABLE many (n INTEGER, t TEXT)')
  await db.executeRaw(`INSERT INTO many ${numbers(100_000, "n, 'row ' || n")}`)
  await db.close()
  server = await serve(file)
})
after(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

async function fetched(target: string): Promise<[number, string | null, string]> {
  const response = await fetch(server.url + target)
  return [response.status, response.headers.get('content-type'), await response.text()]
}

test('tables, shapes, limits', async () => {
  assert.deepEqual(await fetched('/'), [200, 'application/json', '[{"name":"a \\"view\\"","type":"view"},{"name":"many","type":"table"},{"name":"users","type":"table"}]'])
  assert.deepEqual(await fetched('/users?limit=1'), [200, 'application/json', '[{"id":1,"name":"Ada","balance":"12.5","big":"9007199254740993","seen":"2024-02-29T12:34:56+00:00"}]'])
  assert.deepEqual(await fetched('/users?shape=ndjson&limit=1&offset=1'), [200, 'application/x-ndjson', '{"id":2,"name":"Bob","balance":null,"big":null,"seen":null}\n'])
  assert.deepEqual(await fetched('/a%20%22view%22?shape=array'), [200, 'application/json', '{"columns":["id"],"types":["int"],"rows":[[1],[2],[3]]}'])
  const [, , many] = await fetched('/many')
  assert.equal((JSON.parse(many) as unknown[]).length, 100_000)
})

test('queries with parameters', async () => {
  const target = (sql: string, more = ''): string => `/?shape=array&sql=${encodeURIComponent(sql)}${more}`
  assert.deepEqual(await fetched(target('SELECT name FROM users WHERE id > :id ORDER BY id', '&id=1')), [200, 'application/json', '{"columns":["name"],"types":["string"],"rows":[["Bob"],["Cy"]]}'])
  assert.deepEqual(await fetched(target('SELECT 1 AS a, x\'00ff\' AS b, 1e999 AS c')), [200, 'application/json', '{"columns":["a","b","c"],"types":["int","bytes","double"],"rows":[[1,"AP8=","Infinity"]]}'])
})

test('errors', async () => {
  assert.deepEqual(await fetched('/missing'), [404, 'application/json', '{"error":"there is no table missing"}'])
  assert.deepEqual(await fetched('/users?shape=csv'), [400, 'application/json', '{"error":"the shape is array, objects or ndjson, not csv"}'])
  assert.deepEqual(await fetched('/?sql=SELEC'), [400, 'application/json', '{"error":"near \\"SELEC\\": syntax error"}'])
  assert.deepEqual(await fetched('/?sql=DELETE+FROM+users'), [400, 'application/json', '{"error":"attempt to write a readonly database"}'])
  assert.deepEqual(await fetched('/?sql=SELECT+:a'), [400, 'application/json', '{"error":"Missing named parameter \\"a\\""}'])
  assert.equal((await fetch(`${server.url}/users`, { method: 'POST' })).status, 405)
  assert.deepEqual((await fetched('/users?limit=1'))[0], 200)
})

test('a client that goes away', async () => {
  await new Promise<void>((resolve, reject) => {
    get(`${server.url}/many`, (response) => {
      response.once('data', () => {
        response.destroy()
        resolve()
      })
    }).once('error', reject)
  })
  assert.deepEqual((await fetched('/users?limit=1'))[0], 200)
})
