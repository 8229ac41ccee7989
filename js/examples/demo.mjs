// The main job, with an embedded PostgreSQL (PGlite): a table of 50,000 rows, read as array-shape JSON and as typed
// rows, beside what PGlite and JSON.stringify do. `make demo` runs it.
import { gzipSync } from 'node:zlib'
import { readFileSync } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import { connect } from 'rowjet/pglite'
import { movies } from '../dist/cli/movies.js'

const count = 50_000
const select = 'SELECT * FROM "Movie" ORDER BY id'
const number = (value) => value.toLocaleString('en-US')

const pglite = await PGlite.create()
const db = await connect(pglite)

await db.executeRaw('CREATE TABLE "Movie" (id int PRIMARY KEY, title text NOT NULL, year int NOT NULL, description text NOT NULL)')
const rows = movies(count)
for (let at = 0; at < count; at += 5000) {
  await db.executeRaw(
    'INSERT INTO "Movie" SELECT (m->>0)::int, m->>1, (m->>2)::int, m->>3 FROM json_array_elements($1::json) AS m',
    [JSON.stringify(rows.slice(at, at + 5000))],
  )
}

const result = await db.queryRaw(select)
const json = result.bytes()

console.log(`${select}: ${number(result.rowCount)} rows\n`)
console.log(`columns ${JSON.stringify(result.columns)}`)
console.log(`types   ${JSON.stringify(result.types)}\n`)
console.table(result.rows().slice(0, 5).map((row) => ({ ...row, description: `${row.description.slice(0, 40)}…` })))

console.log(`\nArray-shape JSON, ${number(json.length)} bytes (${number(gzipSync(json).length)} after gzip):`)
console.log(`${new TextDecoder().decode(json.subarray(0, 160))}…`)

const module = readFileSync(new URL(import.meta.resolve('rowjet/postgres.wasm')))
console.log(`\nmade by postgres.wasm, ${number(module.length)} bytes (${number(gzipSync(module, { level: 9 }).length)} after gzip), without imports\n`)

const ways = {
  'rowjet: queryRaw, bytes()': async () => (await db.queryRaw(select)).bytes(),
  'PGlite: query, JSON.stringify, encode': async () =>
    new TextEncoder().encode(JSON.stringify((await pglite.query(select, [], { rowMode: 'array' })).rows)),
  'rowjet: queryRaw, rows()': async () => (await db.queryRaw(select)).rows(),
  'PGlite: query': async () => (await pglite.query(select)).rows,
}
console.log('Best of five, in turn:')
const best = {}
for (let round = 0; round < 5; round++) {
  for (const [name, run] of Object.entries(ways)) {
    const start = performance.now()
    await run()
    best[name] = Math.min(best[name] ?? Infinity, performance.now() - start)
  }
}
for (const [name, time] of Object.entries(best)) console.log(`  ${name.padEnd(38)} ${time.toFixed(0).padStart(5)} ms`)
console.log('\n`make bench` compares with more care. README.md tells how to go on.')

await db.close()
await pglite.close()
