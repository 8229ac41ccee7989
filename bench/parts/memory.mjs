// What memory does: after many large results in a row, and while streams of millions of narrow rows are read and thrown
// away. Not among the parts that run unnamed: it takes minutes. The streams from PostgreSQL and MariaDB need
// ROWJET_POSTGRES_URL and ROWJET_MARIADB_URL.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { connect as connectSqlite } from '../../js/dist/better-sqlite3.js'
import { connect as connectMysql2 } from '../../js/dist/mysql2.js'
import { connect as connectPg } from '../../js/dist/pg.js'
import { createEngineSync } from '../../js/dist/slim.js'
import pg from 'pg'
import { figures, finish, once } from '../race.mjs'

const megabytes = () => process.memoryUsage().rss / 2 ** 20
function resident() {
  gc()
  gc()
  return megabytes()
}

/** Reads a stream of lines and throws them away. Gives their number, the bytes, the seconds, and the most memory meanwhile. */
async function discard(stream) {
  let bytes = 0
  let lines = 0
  let most = 0
  const start = performance.now()
  const watch = setInterval(() => (most = Math.max(most, megabytes())), 10)
  for await (const piece of stream) {
    if (bytes >> 20 !== (bytes + piece.length) >> 20) most = Math.max(most, megabytes()) // what reads synchronously lets no timer run
    bytes += piece.length
    for (let i = piece.indexOf(10); i !== -1; i = piece.indexOf(10, i + 1)) lines++
  }
  clearInterval(watch)
  return { lines, bytes, seconds: (performance.now() - start) / 1000, most }
}

async function growth(name, db, sql, rows, limit) {
  const memory = figures(`memory, ${name}: a stream of ${rows.toLocaleString('en')} rows, discarded`)
  await discard(db.stream(sql(Math.min(rows, 100_000)), [], { shape: 'ndjson' })) // what a stream needs at all
  const idle = resident()
  const { lines, bytes, seconds, most } = await discard(db.stream(sql(rows), [], { shape: 'ndjson' }))
  if (lines !== rows) throw new Error(`${lines} rows in place of ${rows}`)
  memory.note('NDJSON', bytes / 2 ** 20, ' MiB')
  memory.note('speed', rows / seconds, ' rows/s')
  memory.note('idle', idle, ' MiB')
  memory.goal('growth at most', Math.max(0, most - idle), { most: limit, unit: ' MiB' })
  memory.note('growth after', Math.max(0, resident() - idle), ' MiB')
}

const client = new pg.Client(process.env.ROWJET_POSTGRES_URL)
await client.connect()
const rows = once ? 20_000 : 10_000_000
const side = Math.ceil(Math.sqrt(rows))
await growth('PostgreSQL', await connectPg(client), (n) => `SELECT a, b, a * 2 AS c FROM generate_series(1, ${side}) a, generate_series(1, ${side}) b LIMIT ${n}`, rows, 64)
await client.end()

const mysql = await connectMysql2(process.env.ROWJET_MARIADB_URL.replace(/^mariadb:/, 'mysql:'))
await growth('MariaDB', mysql, (n) => `SELECT seq AS a, seq % 1000 AS b, CONCAT('number ', seq) AS c FROM seq_1_to_${n}`, once ? 20_000 : 5_000_000, 64)
await mysql.close()

const Database = createRequire(new URL('../../js/package.json', import.meta.url))('better-sqlite3')
await growth('SQLite', await connectSqlite(new Database(':memory:')),
  (n) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${n}) SELECT i, 'row ' || i AS name, i / 2.0 AS half FROM n`,
  once ? 10_000 : 5_000_000, 48)

const engine = createEngineSync(new WebAssembly.Module(readFileSync(new URL('../../wasm/dist/postgres.wasm', import.meta.url))))
const big = { columnNames: ['text'], columnTypes: [7], rows: Array.from({ length: 50_000 }, (_, i) => [String(i).padEnd(1000, 'x')]) }
const results = figures(`memory, ${once ? 3 : 100} results of 50 MB in a row`)
results.note('before', resident(), ' MiB')
for (let i = 1; i <= (once ? 3 : 100); i++) {
  if (engine.serialize(big).bytes().length < 50e6) throw new Error('less than 50 MB')
  if (i === 3 || i % 25 === 0) results.note(`after ${i}`, resident(), ' MiB')
}
await new Promise((resolve) => setTimeout(resolve, 100))
results.note('at the end', resident(), ' MiB')

await finish()
