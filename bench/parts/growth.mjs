// Streams ten million narrow rows (or as many as it is told) to a reader that throws them away, and watches the memory.
//
//   scripts/servers.sh node --expose-gc js/bench/pg-stream.mjs [rows]
import { performance } from 'node:perf_hooks'
import { connect } from 'rowjet/pg'

const count = Number(process.argv[2] ?? 10_000_000)
const db = await connect(process.env.ROWJET_POSTGRES_URL)
const side = Math.ceil(Math.sqrt(count))
const sql = (n) => `SELECT a, b, a * 2 AS c FROM generate_series(1, ${side}) a, generate_series(1, ${side}) b LIMIT ${n}`

async function run(n) {
  let bytes = 0
  let lines = 0
  for await (const piece of db.stream(sql(n), [], { shape: 'ndjson' })) {
    bytes += piece.length
    for (let i = piece.indexOf(10); i !== -1; i = piece.indexOf(10, i + 1)) lines++
  }
  if (lines !== n) throw new Error(`${lines} rows in place of ${n}`)
  return bytes
}

await run(100_000)
globalThis.gc?.()
const idle = process.memoryUsage().rss
let most = idle
const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 10)
const start = performance.now()
const bytes = await run(count)
const seconds = (performance.now() - start) / 1000
clearInterval(watch)
const mb = (n) => (n / 2 ** 20).toFixed(1)
console.log(`${count.toLocaleString('en')} rows, ${mb(bytes)} MiB in ${seconds.toFixed(1)} s: ${Math.round(count / seconds).toLocaleString('en')} rows/s, ${mb(bytes / seconds)} MiB/s`)
console.log(`memory: ${mb(idle)} MiB idle, ${mb(most)} MiB at most: ${mb(most - idle)} MiB more`)
await db.close()
