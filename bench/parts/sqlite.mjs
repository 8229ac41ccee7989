// SQLite: queries through rowjet/better-sqlite3 and rowjet/libsql against the drivers themselves, and against Prisma's
// adapter for better-sqlite3 with Prisma's engines.
import { createRequire } from 'node:module'
import { movies } from '../../js/dist/cli/movies.js'
import { connect } from '../../js/dist/better-sqlite3.js'
import { connect as connectLibsql } from '../../js/dist/libsql.js'
import { answered, clientRows, runtime, rustEngine } from '../prisma.mjs'
import { finish, group, many } from '../race.mjs'

// The package's own development dependencies: its tests build the native driver.
const js = createRequire(new URL('../../js/package.json', import.meta.url))
const Database = js('better-sqlite3')
const Libsql = js('libsql')
const { PrismaBetterSqlite3 } = js('@prisma/adapter-better-sqlite3')

const encoder = new TextEncoder()
const encode = (rows) => encoder.encode(JSON.stringify(rows))
const parse = (bytes) => JSON.parse(new TextDecoder().decode(bytes))

/** A table with a column of every kind. */
const wide = `CREATE TABLE Wide (id INTEGER PRIMARY KEY, small SMALLINT, big BIGINT, ratio REAL, price DECIMAL(10,2), name TEXT, code VARCHAR(191), active BOOLEAN,
  created DATETIME, born DATE, settings JSON, photo BLOB, note TEXT, score INTEGER, weight DOUBLE, state TEXT)`

function fill(database) {
  database.exec(`CREATE TABLE Movie (id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER, description TEXT); ${wide}`)
  const movie = database.prepare('INSERT INTO Movie VALUES (?, ?, ?, ?)')
  const row = database.prepare(`INSERT INTO Wide VALUES (${Array(16).fill('?').join(', ')})`)
  database.transaction(() => {
    for (const values of movies(many)) movie.run(values)
    for (let i = 1; i <= many; i++) {
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
const libsql = fill(new Libsql(':memory:'))
const db = await connect(file)
const libsqlDb = await connectLibsql(libsql)
const adapter = await new PrismaBetterSqlite3({ url: ':memory:' }).connect()
fill(adapter.client)
const rust = await rustEngine('sqlite', adapter)
const seven = runtime('sqlite', adapter)

/** The columns that mean the same in every form, as one text; `get` gives a cell by the column's place and name. */
const names = { Movie: ['id', 'title', 'year', 'description'], Wide: ['id', 'small', null, 'ratio', null, 'name', 'code'] }
const same = (table, rows, get) => rows.map((row) => JSON.stringify(names[table].map((name, i) => (name === null ? 0 : get(row, i, name))))).join('\n')
const plainNumber = (value) => (typeof value === 'bigint' ? Number(value) : value)
const byName = (row, _, name) => plainNumber(row[name])
const byPlace = (row, i) => plainNumber(row[i])

for (const table of ['Movie', 'Wide']) {
  const sql = `SELECT * FROM ${table}`
  const objects = (rows) => same(table, rows, byName)
  const arrays = (rows) => same(table, rows, byPlace)
  // Prisma's Rust engine knows no bytes but as lists of numbers, which its adapter no longer gives.
  const noBlob = table === 'Movie' ? sql : 'SELECT id, small, big, ratio, price, name, code, active, created, born, settings, note, score, weight, state FROM Wide'
  const { ratio } = await group(
    `SQLite, ${table}, ${many.toLocaleString('en')} rows`,
    {
      bytes: {
        'rowjet, better-sqlite3': { run: async () => (await db.queryRaw(sql)).bytes(), check: (bytes) => arrays(parse(bytes).rows) },
        'better-sqlite3 all(), JSON.stringify, encode': { run: () => encode(file.prepare(sql).all()), check: (bytes) => objects(parse(bytes)) },
        'rowjet, libsql': { run: async () => (await libsqlDb.queryRaw(sql)).bytes(), check: (bytes) => arrays(parse(bytes).rows) },
        'libsql all(), JSON.stringify, encode': { run: () => encode(libsql.prepare(sql).all()), check: (bytes) => objects(parse(bytes)), every: 2 },
      },
      'bytes, no BLOB': {
        'rowjet, better-sqlite3': { run: async () => (await db.queryRaw(noBlob)).bytes(), check: (bytes) => arrays(parse(bytes).rows) },
        "Prisma's adapter, Prisma 6 engine (Rust)": { run: () => rust(noBlob), check: (answer) => arrays(answered(answer).rows), every: 3 },
        "Prisma's adapter, Prisma 7 runtime": { run: async () => encode(await seven(noBlob)), check: (bytes) => arrays(parse(bytes).rows), every: 3 },
      },
      rows: {
        // A query of its own: the connection remembers what the last result of each was asked for.
        'rowjet, better-sqlite3': { run: async () => (await db.queryRaw(`${sql} /* rows */`)).rows(), check: objects },
        'better-sqlite3 all(), safe integers': { run: () => file.prepare(sql).safeIntegers().all(), check: objects },
        'better-sqlite3 all()': { run: () => file.prepare(sql).all(), check: objects },
        'rowjet, libsql': { run: async () => (await libsqlDb.queryRaw(`${sql} /* rows */`)).rows(), check: objects },
        'libsql all(), safe integers': { run: () => libsql.prepare(sql).safeIntegers().all(), check: objects, every: 2 },
        "Prisma's adapter, Prisma 7 runtime, client": { run: async () => clientRows(await seven(sql)), check: objects, every: 3 },
      },
      arrays: {
        'rowjet, better-sqlite3': { run: async () => (await db.queryRaw(`${sql} /* arrays */`)).arrays(), check: arrays },
        'better-sqlite3 raw().all(), safe integers': { run: () => file.prepare(sql).raw().safeIntegers().all(), check: arrays },
      },
    },
    { seconds: 20, rounds: 15, warm: 1 },
  )
  ratio('bytes: rowjet, better-sqlite3', 'bytes: better-sqlite3 all(), JSON.stringify, encode', 0.6)
  ratio('bytes, no BLOB: rowjet, better-sqlite3', "bytes, no BLOB: Prisma's adapter, Prisma 6 engine (Rust)", 0.6)
  ratio('rows: rowjet, better-sqlite3', 'rows: better-sqlite3 all(), safe integers', 1)
}

const text = 'SELECT id, title, year, description FROM Movie WHERE id = ?'
const statement = file.prepare(text)
let next = 0
const id = () => 1 + (next++ % many)
const row = (value) => JSON.stringify(Object.keys(Array.isArray(value) ? value[0] : value))
const single = await group(
  'SQLite, one row by its id',
  {
    rows: {
      'rowjet, better-sqlite3': { run: async () => (await db.queryRaw(text, [id()])).rows(), check: row },
      'get() of a kept statement': { run: () => statement.get(id()), check: row },
      'prepare() and get()': { run: () => file.prepare(text).get(id()), check: row },
    },
  },
  { seconds: 4, calls: 'auto' },
)
single.ratio('rows: rowjet, better-sqlite3', 'rows: get() of a kept statement', 1.3)
single.ratio('rows: rowjet, better-sqlite3', 'rows: prepare() and get()', 1.3)

await finish()
