// Queries of two tables of 50,000 rows from PostgreSQL, one narrow and one wide, by us and by everybody else, and what
// the socket alone takes; then single rows by their keys. It needs ROWJET_POSTGRES_URL (scripts/servers.sh).
import { readFileSync } from 'node:fs'
import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaPg as PrismaPg7 } from '@prisma/adapter-pg-7'
import pg from 'pg'
import postgres from 'postgres'
import { connect } from '../../js/dist/pg.js'
import * as bun from '../bun.mjs'
import { answered, clientRows, runtime, rustEngine } from '../prisma.mjs'
import { finish, group, many, once } from '../race.mjs'
import { comparable } from '../values.mjs'

const url = process.env.ROWJET_POSTGRES_URL
const schema = 'rowjet_bench'
const encoder = new TextEncoder()
const encode = (rows) => encoder.encode(JSON.stringify(rows))
const parse = (bytes) => JSON.parse(new TextDecoder().decode(bytes))

async function client() {
  const client = new pg.Client(url)
  await client.connect()
  return client
}

const plain = await client()
await plain.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}; SET search_path = ${schema}`)
await plain.query(readFileSync(new URL('../pg-tables.sql', import.meta.url), 'utf8').replaceAll('50000', String(many)))

// A connection learns how the results of a query are read: ours has one for each form, as a program that reads a query
// in one way has.
const forms = {}
for (const form of ['bytes', 'rows', 'arrays', 'stream']) {
  const own = await client()
  forms[form] = { own, db: await connect(own) }
}
const sql = postgres(url, { max: 1 })
const bunClient = bun.version && bun.start({ ROWJET_POSTGRES_URL: url })
const six = await new PrismaPg({ connectionString: url }).connect()
const seven = await new PrismaPg7({ connectionString: url }).connect()
const rust = await rustEngine('postgres', six)
const run = runtime('postgres', seven)

// A socket without a driver: logged in by pg, then taken from it.
const bare = await client()
const socket = bare.connection.stream
socket.removeAllListeners('data')
function drain(text) {
  return new Promise((resolve) => {
    const last = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]) // ReadyForQuery, idle
    let bytes = 0
    const listener = (chunk) => {
      bytes += chunk.length
      if (chunk.length >= 6 && chunk.subarray(-6).equals(last)) {
        socket.removeListener('data', listener)
        resolve(bytes)
      }
    }
    socket.on('data', listener)
    const query = Buffer.from(`${text}\0`)
    const head = Buffer.from([0x51, 0, 0, 0, 0])
    head.writeUInt32BE(query.length + 4, 1)
    socket.write(Buffer.concat([head, query]))
  })
}

async function discard(stream) {
  let bytes = 0
  for await (const piece of stream) bytes += piece.length
  return bytes
}

for (const table of ['Movie', 'Wide']) {
  const text = `SELECT * FROM ${schema}."${table}"`
  const values = comparable(table)
  const ofArrays = (response) => values.arrays(response.rows)
  const ofObjects = (bytes) => values.objects(parse(bytes))
  const viaBun = (kind, of) =>
    bunClient && {
      run: async () => (await bunClient.ask({ schema, table, kind })).time,
      check: async () => (await bunClient.ask({ schema, table, kind, check: true })).values,
      timed: true,
    }
  const { ratio, speed } = await group(
    `PostgreSQL, ${table}, ${many.toLocaleString('en')} rows`,
    {
      bytes: {
        rowjet: { run: async () => (await forms.bytes.db.queryRaw(text)).bytes(), check: (bytes) => ofArrays(parse(bytes)) },
        'pg, JSON.stringify, encode': { run: async () => encode((await plain.query(text)).rows), check: ofObjects },
        'postgres.js, JSON.stringify, encode': { run: async () => encode(await sql.unsafe(text)), check: ofObjects, every: 2 },
        'json_agg in the server': { run: async () => Buffer.from((await plain.query(`SELECT json_agg(whole)::text AS json FROM (${text}) whole`)).rows[0].json), check: ofObjects },
        'Prisma 6 engine (Rust)': { run: () => rust(text), check: (answer) => ofArrays(answered(answer)), every: 3 },
        'Prisma 7 runtime, JSON.stringify, encode': { run: async () => encode(await run(text)), check: (bytes) => ofArrays(parse(bytes)), every: 2 },
        'Bun.sql, JSON.stringify, encode': viaBun('bytes'),
      },
      rows: {
        rowjet: { run: async () => (await forms.rows.db.queryRaw(text)).rows(), check: values.objects },
        pg: { run: async () => (await plain.query(text)).rows, check: values.objects },
        'postgres.js': { run: () => sql.unsafe(text).then((rows) => rows), check: values.objects },
        'Prisma 6 engine (Rust), client': { run: async () => clientRows(answered(await rust(text))), check: values.objects, every: 3 },
        'Prisma 7 runtime, client': { run: async () => clientRows(await run(text)), check: values.objects, every: 2 },
        'Bun.sql': viaBun('rows'),
      },
      arrays: {
        rowjet: { run: async () => (await forms.arrays.db.queryRaw(text)).arrays(), check: values.arrays },
        "pg, rowMode 'array'": { run: async () => (await plain.query({ text, rowMode: 'array' })).rows, check: values.arrays },
        'postgres.js, values()': { run: () => sql.unsafe(text).values().then((rows) => rows), check: values.arrays },
        'Bun.sql, values()': viaBun('arrays'),
      },
      discarded: {
        'rowjet stream': () => discard(forms.stream.db.stream(text)),
        'the socket alone': () => drain(text),
      },
    },
    { seconds: table === 'Movie' ? 30 : 60, rounds: 21, warm: 1 },
  )
  const goals = table === 'Movie' ? { bytes: 0.38, socket: 1.4, rows: 0.62 } : { bytes: 0.17, socket: 1.25, rows: 0.38 }
  ratio('bytes: rowjet', 'bytes: pg, JSON.stringify, encode', goals.bytes)
  ratio('bytes: rowjet', 'discarded: the socket alone', goals.socket)
  ratio('rows: rowjet', 'rows: pg', goals.rows)
  ratio('arrays: rowjet', "arrays: pg, rowMode 'array'", goals.rows)
  ratio('rows: rowjet', 'rows: postgres.js', 0.6)
  ratio('arrays: rowjet', 'arrays: postgres.js, values()', 0.6)
  if (table === 'Movie') ratio('rows: rowjet', 'rows: Prisma 6 engine (Rust), client', 0.16)
  if (bunClient) ratio('rows: rowjet', 'rows: Bun.sql', 1.3)
  speed('discarded: rowjet stream', 'discarded: the socket alone', 0.85)
}

// Queries for a row by its key are too short for a garbage collection ahead of each. They meet two by two: the more ways
// take turns, the colder are the processor's caches for each, which no program with one driver knows.
const text = `SELECT * FROM ${schema}."Movie" WHERE id = $1`
let next = 0
const id = () => 1 + ((next++ * 7919) % many)
const row = ([row]) => JSON.stringify(Object.keys(row))
const one = (others) =>
  group(
    `PostgreSQL, one row by its key, rowjet and ${Object.keys(others)}`,
    { rows: { rowjet: { run: async () => (await forms.rows.db.queryRaw(text, [id()])).rows(), check: row }, ...others } },
    { seconds: 4, rounds: 3000, collect: false, warm: 1500 },
  )
const single = await one({ pg: { run: async () => (await plain.query(text, [id()])).rows, check: row } })
single.ratio('rows: rowjet', 'rows: pg', 1.05)
await one({ 'postgres.js': { run: () => sql.unsafe(text, [id()], { prepare: true }).then((rows) => rows), check: row } })
await one({ 'Prisma 7 runtime, client': { run: async () => clientRows(await run(text, [id()])), check: row } })

const pool = new pg.Pool({ connectionString: url, max: 10 })
const pooled = await connect(pool)
const ids = Array.from({ length: once ? 20 : 1000 }, id)
const count = (results) => String(results.filter(([row]) => row.title !== undefined).length)
const together = await group(
  `PostgreSQL, ${ids.length.toLocaleString('en')} rows by their keys, over a pool of 10`,
  {
    rows: {
      rowjet: { run: () => Promise.all(ids.map(async (id) => (await pooled.queryRaw(text, [id])).rows())), check: count },
      pg: { run: () => Promise.all(ids.map(async (id) => (await pool.query(text, [id])).rows)), check: count },
    },
  },
  { seconds: 8, rounds: 60 },
)
together.speed('rows: rowjet', 'rows: pg', 0.97)

const { rows: [{ server_version: version }] } = await plain.query('SHOW server_version')
await plain.query(`DROP SCHEMA ${schema} CASCADE`)
bunClient?.end()
bare.on('error', () => undefined)
socket.destroy()
await Promise.all([plain.end(), ...Object.values(forms).map(({ own }) => own.end()), sql.end(), pool.end(), six.dispose(), seven.dispose()])
await finish({ PostgreSQL: version.split(' ')[0] })
