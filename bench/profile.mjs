// Runs one query in a loop under V8's profiler, with a module whose functions have names, and writes a flame graph that
// tells Go functions and JavaScript apart.
//
//   node profile.mjs [--module file] [--url postgres://…] [--query SQL] [--shape bytes|rows|arrays] [--seconds n] [--out file]
//
// Without --url it takes ROWJET_POSTGRES_URL (scripts/servers.sh) and 50,000 generated movies.
import { appendFileSync, readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { seed } from '../js/dist/cli/seed.js'
import { connect } from '../js/dist/pg.js'
import { createEngineSync } from '../js/dist/slim.js'
import { above0, options as parsed, usage } from '../scripts/options.mjs'
import { hottest, html, tree } from './flame.mjs'
import { replaceFile } from './results.mjs'

const { values: options } = parsed({
  options: {
    module: { type: 'string', default: fileURLToPath(new URL('../.tools/named/postgres.named.wasm', import.meta.url)) },
    url: { type: 'string' },
    query: { type: 'string', default: 'SELECT * FROM "Movie"' },
    shape: { type: 'string', default: 'bytes' },
    seconds: { type: 'string', default: '5' },
    out: { type: 'string', default: 'profile.html' },
  },
})
if (!['bytes', 'rows', 'arrays'].includes(options.shape)) usage(`--shape is bytes, rows or arrays, not ${options.shape}`)
const seconds = above0('--seconds', options.seconds, 3600)
const url = options.url ?? process.env.ROWJET_POSTGRES_URL
if (url === undefined) usage('no server: give --url, or run with scripts/servers.sh')
if (!/^postgres(ql)?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) usage('--url wants postgres://…')
let client
let db
try {
  const module = new WebAssembly.Module(readFileSync(options.module))
  appendFileSync(options.out, '') // before the work, not after it
  if (options.url === undefined) await seed(['--url', url, '--replace'])
  client = new pg.Client(url)
  await client.connect()
  db = await connect(client, { engine: createEngineSync(module) })
  await db.queryRaw(options.query)
} catch (error) {
  console.error(error.message || error.code)
  process.exit(1)
}

/** Runs the query for some seconds. Gives how often. */
async function loop(seconds) {
  const end = performance.now() + seconds * 1000
  let runs = 0
  do {
    const result = await db.queryRaw(options.query)
    result[options.shape]()
    runs++
  } while (performance.now() < end)
  return runs
}

await loop(Math.min(1, seconds / 2)) // V8 compiles
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.setSamplingInterval', { interval: 250 })
await session.post('Profiler.start')
const start = performance.now()
const runs = await loop(seconds)
const each = (performance.now() - start) / runs
const { profile } = await session.post('Profiler.stop')
session.disconnect()
await client.end()

const root = tree(profile)
// What waits for the server is no work.
const idle = root.children.filter(({ name }) => name === '(idle)').reduce((sum, { total }) => sum + total, 0)
root.children = root.children.filter(({ name }) => name !== '(idle)')
root.total -= idle

replaceFile(options.out, html(root, `${options.query} → ${options.shape}, ${runs} times, ${each.toFixed(1)} ms each`))
console.log(`${runs} runs, ${each.toFixed(1)} ms each, ${((100 * idle) / (root.total + idle)).toFixed(0)}% of it waiting for the server. Of the rest:`)
for (const { name, kind, self } of hottest(root).slice(0, 25)) console.log(`${((100 * self) / root.total).toFixed(1).padStart(5)}%  ${{ wasm: 'Go', js: 'JS', other: '' }[kind].padEnd(2)}  ${name}`)
console.log(`the flame graph: ${options.out}`)
