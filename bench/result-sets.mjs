// Result sets without a database: how long a result set of JavaScript values takes to become array-shape JSON, how long a
// module takes to load, and what memory does. Prints ratios of one run.
//
//   node --expose-gc result-sets.mjs [--once]
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createEngine } from '../js/dist/postgres.node.js'
import { columnNames, columnTypes, movies } from './movies.mjs'
import * as prisma from './prisma-engine.mjs'
import { goal, machine, median, race, table } from './race.mjs'

const once = process.argv.includes('--once')
const rounds = once ? 1 : 15
const module = (dialect) => readFileSync(new URL(`../wasm/dist/${dialect}.wasm`, import.meta.url))

machine()

console.log('Modules, bytes after gzip -9')
const gzip = (bytes) => execFileSync('gzip', ['-9'], { input: bytes, maxBuffer: 2 ** 24 }).length
const prismaSize = gzip(prisma.wasm)
for (const dialect of ['postgres', 'mysql', 'sqlite']) {
  const size = gzip(module(dialect))
  goal(`${dialect}.wasm (Prisma's for PostgreSQL: ${prismaSize})`, size, 40_000)
}

console.log('\nSELECT * FROM "Movie", 50,000 rows as a result set → JSON')
const resultSet = { columnNames, columnTypes, rows: movies(50_000) }
const engine = await createEngine()
prisma.load()
const query = await prisma.replay(resultSet)
const types = ['int', 'string', 'int', 'string']
const encoder = new TextEncoder()
const stringify = () => encoder.encode(JSON.stringify({ columns: columnNames, types, rows: resultSet.rows }))

const ours = engine.serialize(resultSet).text()
if (ours !== new TextDecoder().decode(stringify())) throw new Error('serialize and JSON.stringify differ')
if (JSON.stringify(JSON.parse(await query()).data.queryRaw) !== ours) throw new Error("serialize and Prisma's engine differ")

const times = await race(
  {
    'serialize().bytes()': () => engine.serialize(resultSet).bytes(),
    'JSON.stringify, TextEncoder': stringify,
    "Prisma's Rust engine": query,
  },
  rounds,
)
table(times)
const time = (name) => median(times[name])
goal('of JSON.stringify and TextEncoder', time('serialize().bytes()') / time('JSON.stringify, TextEncoder'), 0.7)
goal("of Prisma's Rust engine", time('serialize().bytes()') / time("Prisma's Rust engine"), 0.12)

console.log('\nCompile and instantiate')
const bytes = module('postgres')
const loads = await race(
  {
    rowjet: () => new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports._initialize(),
    prisma: prisma.load,
  },
  rounds,
)
table(loads)
goal("of Prisma's", median(loads.rowjet) / median(loads.prisma), 0.25)

console.log('\nOne row of four columns: serialize().bytes()')
const small = { columnNames, columnTypes, rows: movies(1) }
const calls = once ? 100 : 20_000
const runs = await race(
  {
    serialize: () => {
      for (let i = 0; i < calls; i++) engine.serialize(small).bytes()
    },
  },
  rounds,
)
goal('per call', (median(runs.serialize) / calls) * 1000, 15, ' µs')

console.log('\n100 results of 50 MB in a row')
const big = { columnNames: ['text'], columnTypes: [7], rows: Array.from({ length: 50_000 }, (_, i) => [String(i).padEnd(1000, 'x')]) }
const resident = () => {
  gc()
  gc()
  return process.memoryUsage().rss / 1e6
}
const before = resident()
const marks = []
for (let i = 1; i <= (once ? 3 : 100); i++) {
  if (engine.serialize(big).bytes().length < 50e6) throw new Error('less than 50 MB')
  if (i === 3 || i % 25 === 0) marks.push(`${resident().toFixed(0)} after ${i}`)
}
await new Promise((resolve) => setTimeout(resolve, 100))
console.log(`resident MB: ${before.toFixed(0)} before, ${marks.join(', ')}, ${resident().toFixed(0)} at the end`)
