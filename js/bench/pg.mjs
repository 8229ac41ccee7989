// How long queries take against node-postgres itself, and against reading the socket and doing nothing.
//
//   scripts/servers.sh node --expose-gc js/bench/pg.mjs [rounds]
//
// Every case runs once a round, in an order that is drawn anew each time, after a garbage collection: cases that always
// follow the same neighbour pay for its garbage. Medians, and their ratios.
import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import pg from 'pg'
import { connect } from 'rowjet/pg'

const rounds = Number(process.argv[2] ?? 15)
const client = new pg.Client(process.env.ROWJET_POSTGRES_URL)
await client.connect()
await client.query(readFileSync(new URL('pg-tables.sql', import.meta.url), 'utf8'))
const db = await connect(client)
// Its own client: a connection learns how the results of a query are read.
const rowsClient = new pg.Client(process.env.ROWJET_POSTGRES_URL)
await rowsClient.connect()
const rowsDb = await connect(rowsClient)
const plain = new pg.Client(process.env.ROWJET_POSTGRES_URL)
await plain.connect()
const pool = new pg.Pool({ connectionString: process.env.ROWJET_POSTGRES_URL, max: 10 })
const poolDb = await connect(pool)

// A socket without a driver: logged in by pg, then taken from it.
const bare = new pg.Client(process.env.ROWJET_POSTGRES_URL)
await bare.connect()
const socket = bare.connection.stream
socket.removeAllListeners('data')
function drain(sql) {
  return new Promise((resolve) => {
    const last = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])
    let bytes = 0
    const listener = (chunk) => {
      bytes += chunk.length
      if (chunk.length >= 6 && chunk.subarray(-6).equals(last)) {
        socket.removeListener('data', listener)
        resolve(bytes)
      }
    }
    socket.on('data', listener)
    const text = Buffer.from(`${sql}\0`)
    const head = Buffer.from([0x51, 0, 0, 0, 0])
    head.writeUInt32BE(text.length + 4, 1)
    socket.write(Buffer.concat([head, text]))
  })
}

async function discard(stream) {
  let bytes = 0
  for await (const piece of stream) bytes += piece.length
  return bytes
}

const one = 'SELECT * FROM "Movie" WHERE id = $1'
const ids = Array.from({ length: 1000 }, (_, i) => 1 + ((i * 7919) % 50000))
const cases = {}
for (const table of ['Movie', 'Wide']) {
  const sql = `SELECT * FROM "${table}"`
  Object.assign(cases, {
    [`${table}: drain`]: () => drain(sql),
    [`${table}: pg`]: async () => (await plain.query(sql)).rows.length,
    [`${table}: pg + stringify + encode`]: async () => Buffer.from(JSON.stringify((await plain.query(sql)).rows)).length,
    [`${table}: queryRaw + bytes`]: async () => (await db.queryRaw(sql)).bytes().length,
    [`${table}: queryRaw + rows`]: async () => (await rowsDb.queryRaw(sql)).rows().length,
    [`${table}: pg on the same client`]: async () => (await client.query(sql)).rows.length,
    [`${table}: stream, discarded`]: () => discard(db.stream(sql)),
    [`${table}: batches, discarded`]: async () => {
      let rows = 0
      for await (const batch of db.batches(sql)) rows += batch.rowCount
      return rows
    },
  })
}
// Queries for a row by its key are too short for rounds with garbage collections: they take turns, many times.
const single = {
  pg: async (id) => (await plain.query(one, [id])).rows,
  'queryRaw + rows': async (id) => (await rowsDb.queryRaw(one, [id])).rows(),
  executeRaw: (id) => db.executeRaw(one, [id]),
}

const pooled = {
  pg: () => Promise.all(ids.map((id) => pool.query(one, [id]).then((r) => r.rows))),
  'queryRaw + rows': () => Promise.all(ids.map((id) => poolDb.queryRaw(one, [id]).then((r) => r.rows()))),
}

async function inTurns(fns, times, warmup) {
  const took = Object.fromEntries(Object.keys(fns).map((name) => [name, []]))
  for (let i = 0; i < times + warmup; i++) {
    for (const name of Object.keys(fns).sort(() => Math.random() - 0.5)) {
      const start = performance.now()
      await fns[name](ids[i % ids.length])
      if (i >= warmup) took[name].push(performance.now() - start)
    }
  }
  return Object.fromEntries(Object.keys(fns).map((name) => [name, median(took[name])]))
}

const only = process.argv[3]
const names = Object.keys(cases).filter((name) => only === undefined || name.includes(only))
const times = Object.fromEntries(names.map((name) => [name, []]))
const cpus = Object.fromEntries(names.map((name) => [name, []]))
for (let round = -2; round < rounds; round++) {
  for (const name of names.map((name) => [Math.random(), name]).sort((a, b) => a[0] - b[0]).map(([, name]) => name)) {
    globalThis.gc?.()
    const cpu = process.cpuUsage()
    const start = performance.now()
    await cases[name]()
    const took = performance.now() - start
    const used = process.cpuUsage(cpu)
    if (round < 0) continue // warming up
    times[name].push(took)
    cpus[name].push((used.user + used.system) / 1000)
  }
}
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1]
const wall = Object.fromEntries(names.map((name) => [name, median(times[name])]))
for (const name of names) console.log(`${name.padEnd(42)} ${wall[name].toFixed(1).padStart(8)} ms  cpu ${median(cpus[name]).toFixed(1).padStart(8)} ms`)
const ratio = (a, b, goal) => wall[a] !== undefined && wall[b] !== undefined && console.log(`${`${a} / ${b}`.padEnd(78)} ${(wall[a] / wall[b]).toFixed(3)}  (${goal})`)
console.log()
for (const [table, json, socketRatio] of [['Movie', 0.38, 1.4], ['Wide', 0.17, 1.25]]) {
  ratio(`${table}: queryRaw + bytes`, `${table}: pg + stringify + encode`, `≤ ${json}`)
  ratio(`${table}: queryRaw + bytes`, `${table}: drain`, `≤ ${socketRatio}`)
  ratio(`${table}: drain`, `${table}: stream, discarded`, '≥ 0.85')
  ratio(`${table}: queryRaw + rows`, `${table}: pg`, 'typed rows')
  ratio(`${table}: pg on the same client`, `${table}: pg`, 'about 1')
}
if (only === undefined || 'one row'.includes(only)) {
  const alone = await inTurns(single, 2000, 500)
  console.log(`\none row by its key: ${Object.keys(single).map((name) => `${name} ${(1000 * alone[name]).toFixed(0)} µs`).join(', ')}`)
  console.log(`queryRaw + rows / pg ${(alone['queryRaw + rows'] / alone.pg).toFixed(3)}  (≤ 1.05)`)
  const together = await inTurns(pooled, 30, 10)
  console.log(`1000 of them over a pool of 10: ${Object.keys(pooled).map((name) => `${name} ${together[name].toFixed(0)} ms`).join(', ')}`)
  console.log(`throughput, queryRaw + rows / pg ${(together.pg / together['queryRaw + rows']).toFixed(3)}  (≥ 0.97)`)
}
bare.on('error', () => undefined)
socket.destroy()
await Promise.all([client.end(), rowsClient.end(), plain.end(), pool.end()])
