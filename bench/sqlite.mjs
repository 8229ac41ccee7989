// How long SQLite queries take through rowjet/better-sqlite3, against better-sqlite3 itself and against Prisma's adapter
// with Prisma's Rust engine. Prints ratios of one run.
//
//   node --expose-gc sqlite.mjs [--once]
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { bindAdapter } from '@prisma/driver-adapter-utils'
import { movies } from './movies.mjs'
import { goal, machine, median, race, table } from './race.mjs'

const once = process.argv.includes('--once')
const rounds = once ? 1 : 11
const count = once ? 5_000 : 50_000

const js = createRequire(new URL('../js/package.json', import.meta.url))
const Database = js('better-sqlite3')
const { PrismaBetterSqlite3 } = js('@prisma/adapter-better-sqlite3')
const { connect } = await import('../js/dist/better-sqlite3.js')

machine()

/** A table with a column of every kind. */
const wide = `CREATE TABLE Wide (id INTEGER PRIMARY KEY, small SMALLINT, big BIGINT, ratio REAL, price DECIMAL(10,2), name TEXT, code VARCHAR(191), active BOOLEAN,
  created DATETIME, born DATE, settings JSON, photo BLOB, note TEXT, score INTEGER, weight DOUBLE, state TEXT)`

function fill(database) {
  database.exec(`CREATE TABLE Movie (id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER, description TEXT); ${wide}`)
  const movie = database.prepare('INSERT INTO Movie VALUES (?, ?, ?, ?)')
  const row = database.prepare(`INSERT INTO Wide VALUES (${Array(16).fill('?').join(', ')})`)
  database.transaction(() => {
    for (const values of movies(count)) movie.run(values)
    for (let i = 1; i <= count; i++) {
      row.run([
        i, i % 1000, 9007199254740993n + BigInt(i), i / 7, (i % 10_000) / 100, `name of row ${i}`, `code-${i * 7919}`, i % 2,
        new Date(1.7e12 + i * 1000).toISOString().replace('Z', '+00:00'), '2024-02-29', `{"theme":"dark","size":${i}}`, Buffer.from(`photo ${i}`),
        i % 5 === 0 ? null : 'a note that is a bit longer than the others', i % 7 === 0 ? null : i * 3, i * 1.5, 'open',
      ])
    }
  })()
  return database
}

const file = fill(new Database(':memory:'))
const db = await connect(file)
const encoder = new TextEncoder()

/** Prisma's engine for SQLite, with the adapter on a database of its own. */
async function prismaQuery() {
  const folder = path.join(path.dirname(createRequire(import.meta.url).resolve('@prisma/query-engine-wasm/package.json')), 'sqlite')
  const glue = await import(pathToFileURL(path.join(folder, 'query_engine_bg.js')).href)
  const instance = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(path.join(folder, 'query_engine_bg.wasm'))), { './query_engine_bg.js': glue })
  glue.__wbg_set_wasm(instance.exports)
  instance.exports.__wbindgen_start()
  const adapter = await new PrismaBetterSqlite3({ url: ':memory:' }).connect()
  fill(adapter.client)
  const datamodel = 'datasource db {\n  provider = "sqlite"\n  url = "file:x"\n}\nmodel Movie {\n  id Int @id\n}\n'
  const engine = new glue.QueryEngine({ datamodel, logLevel: 'error', logQueries: false, enableTracing: false }, () => {}, bindAdapter(adapter))
  await engine.connect('{}', '1')
  return async (sql) => {
    const request = JSON.stringify({ action: 'queryRaw', query: { arguments: { query: sql, parameters: '[]' }, selection: {} } })
    const answer = await engine.query(request, '{}', undefined, '2')
    if (answer.startsWith('{"errors"')) throw new Error(answer.slice(0, 500))
    return answer.length
  }
}

// Prisma's engine for Wasm knows no bytes but as lists of numbers, which its adapter no longer gives.
const withoutBytes = {
  Movie: 'SELECT * FROM Movie',
  Wide: 'SELECT id, small, big, ratio, price, name, code, active, created, born, settings, note, score, weight, state FROM Wide',
}

const prisma = await prismaQuery()
for (const name of ['Movie', 'Wide']) {
  const sql = `SELECT * FROM ${name}`
  console.log(`${name}, ${count.toLocaleString('en')} rows`)
  const times = await race(
    {
      'queryRaw().bytes()': async () => (await db.queryRaw(sql)).bytes(),
      'all(), JSON.stringify, TextEncoder': () => encoder.encode(JSON.stringify(file.prepare(sql).all())),
      'queryRaw().bytes(), no BLOB': async () => (await db.queryRaw(withoutBytes[name])).bytes(),
      "Prisma's adapter and engine, no BLOB": () => prisma(withoutBytes[name]),
      // A statement of its own: the connection remembers what the last result of each was asked for.
      'queryRaw().rows()': async () => (await db.queryRaw(`${sql} /* rows */`)).rows(),
      'all() with safe integers': () => file.prepare(sql).safeIntegers().all(),
      'raw().all() with safe integers': () => file.prepare(sql).raw().safeIntegers().all(),
    },
    rounds,
  )
  table(times)
  const time = (way) => median(times[way])
  goal('bytes, of all(), JSON.stringify and TextEncoder', time('queryRaw().bytes()') / time('all(), JSON.stringify, TextEncoder'), 0.6)
  goal("bytes, of Prisma's adapter and engine", time('queryRaw().bytes(), no BLOB') / time("Prisma's adapter and engine, no BLOB"), 0.6)
  goal('rows, of all() with safe integers', time('queryRaw().rows()') / time('all() with safe integers'), 1)
  console.log()
}

console.log('One row by its id')
const calls = once ? 200 : 5_000
const one = 'SELECT id, title, year, description FROM Movie WHERE id = ?'
const statement = file.prepare(one)
const singles = await race(
  {
    'queryRaw().rows()': async () => {
      for (let i = 0; i < calls; i++) (await db.queryRaw(one, [1 + (i % count)])).rows()
    },
    'get() of a statement kept by the caller': () => {
      for (let i = 0; i < calls; i++) statement.get(1 + (i % count))
    },
    'prepare() and get()': () => {
      for (let i = 0; i < calls; i++) file.prepare(one).get(1 + (i % count))
    },
  },
  rounds,
)
table(singles)
goal('of get() of a kept statement', median(singles['queryRaw().rows()']) / median(singles['get() of a statement kept by the caller']), 1.3)
goal('of prepare() and get()', median(singles['queryRaw().rows()']) / median(singles['prepare() and get()']), 1.3)

const many = once ? 200_000 : 5_000_000
console.log(`\nA stream of ${many.toLocaleString('en')} rows`)
const resident = () => {
  gc()
  return process.memoryUsage().rss / 1e6
}
const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many}) SELECT i, 'row ' || i AS name, i / 2.0 AS half FROM n`
for await (const piece of db.stream(`${numbers} LIMIT 100000`)) piece.length // what memory a stream needs at all
const before = resident()
let peak = 0
let bytes = 0
let next = 0
for await (const piece of db.stream(numbers)) {
  bytes += piece.length
  if (bytes > next) {
    peak = Math.max(peak, process.memoryUsage().rss / 1e6)
    next += 1e6
  }
}
console.log(`${(bytes / 1e6).toFixed(1)} MB of JSON; resident MB: ${before.toFixed(0)} before, ${peak.toFixed(0)} at most, ${resident().toFixed(0)} at the end`)
goal('growth', peak - before, 48, ' MB')
