// Cold starts: the time from nothing imported to the first result, beside Prisma's engine where that loads, each in a fresh
// process or page, the median of some; then the sizes of Workers, and how long one takes to its first answer.
//
//   node cold.mjs
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { close, withPage } from './chromium.mjs'
import { makeWorker } from './drivers.mjs'
import { here, makeApp, program, root, run, serve } from './lib.mjs'

const times = 7
const want = '{"columns":["id"],"types":["int"],"rows":[[1],[2]]}'
const base = path.join(here, 'bundlers', 'build')
mkdirSync(base, { recursive: true })
// How Prisma's engine is started is told once, with the benchmarks.
const files = { 'prisma-engine.mjs': readFileSync(path.join(root, 'bench/prisma-engine.mjs'), 'utf8') }
for (const file of readdirSync(path.join(here, 'cold'))) files[file] = readFileSync(path.join(here, 'cold', file), 'utf8')
const folder = await makeApp('cold', files, { base })

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]
const checked = (what, text) => {
  if (text !== want) throw new Error(`${what} gives ${text}`)
}

async function timed(what, once) {
  const all = []
  for (let i = 0; i < times; i++) {
    const { ms, text } = await once()
    checked(what, text)
    all.push(ms)
  }
  return median(all)
}

const table = []
const row = (runtime, rowjet, prisma, unit = 'ms') => table.push({ runtime, Rowjet: `${rowjet.toFixed(1)} ${unit}`, Prisma: typeof prisma === 'number' ? `${prisma.toFixed(1)} ${unit}` : prisma, ratio: typeof prisma === 'number' ? (prisma / rowjet).toFixed(1) : '' })

const programs = [
  [`Node ${process.versions.node}`, process.execPath, []],
  ...['node22', 'node24', 'node26'].map((name) => [name.replace('node', 'Node '), program(name, 'bin', 'node'), []]),
  ['Bun', program('@oven', 'bun-linux-x64-baseline', 'bin', 'bun'), []],
  ['Deno', program('@deno', 'linux-x64-glibc', 'deno'), ['run', '--allow-read', '--allow-env']],
]
for (const [name, file, args] of programs) {
  if (file === undefined) continue
  const time = (what) => timed(`${name}, ${what}`, async () => JSON.parse(await run(file, [...args, `main-${what}.mjs`], { cwd: folder, env: { DENO_NO_UPDATE_CHECK: '1' } })))
  const rowjet = await time('rowjet')
  row(name, rowjet, await time('prisma').catch((error) => (console.error(error.message.slice(0, 300)), 'does not load')))
}

// Pages: both bundled by esbuild, and fetched from loopback.
const site = await makeApp('cold-site', { 'index.html': '<!doctype html><meta charset="utf-8">' }, { base, install: () => {} })
for (const [what, args] of [['rowjet', ''], ['prisma', "async () => WebAssembly.compileStreaming(fetch('/prisma.wasm'))"]]) {
  const contents = `import { first } from './${what}.mjs'\nglobalThis.first = () => first(${args})`
  await build({ stdin: { contents, resolveDir: folder }, bundle: true, minify: true, format: 'esm', outfile: path.join(site, `${what}.js`), logLevel: 'error' })
}
const wasm = path.join(here, 'bundlers/node_modules/@prisma/query-engine-wasm/postgresql/query_engine_bg.wasm')
const server = await serve(site, (pathname) => ({ '/postgres.wasm': { headers: { 'content-type': 'application/wasm' }, body: readFileSync(path.join(folder, 'node_modules/rowjet/dist/postgres.wasm')) }, '/prisma.wasm': { headers: { 'content-type': 'application/wasm' }, body: readFileSync(wasm) } })[pathname])
const inPage = (what) => timed(`Chromium, ${what}`, () => withPage(server.url + '/', (page) => page.evaluate(async (file) => {
  const start = performance.now()
  await import(file)
  const { text } = await globalThis.first()
  return { ms: performance.now() - start, text }
}, `/${what}.js`)))
row('Chromium page', await inPage('rowjet'), await inPage('prisma'))
server.close()
await close()

// Workers: their clocks stand still while they run, so what is timed is the runtime's start up to the first answer.
const workers = {
  empty: await makeWorker('cold-empty', `export default { fetch: () => new Response('${want}') }`),
  rowjet: await makeWorker('cold-rowjet', { ...files, 'worker.mjs': "import { first } from './rowjet.mjs'\nexport default { fetch: async () => new Response((await first()).text) }" }),
  prisma: await makeWorker('cold-prisma', { ...files, 'worker.mjs': "import module from '@prisma/query-engine-wasm/postgresql/query_engine_bg.wasm'\nimport { first } from './prisma.mjs'\nexport default { fetch: async () => new Response((await first(() => module)).text) }" }),
}
const answer = (what) => timed(`workerd, ${what}`, async () => {
  const start = performance.now()
  const miniflare = new Miniflare({ modules: workers[what], compatibilityDate: '2025-01-01' })
  try {
    const text = await (await miniflare.dispatchFetch('http://localhost/')).text()
    return { ms: performance.now() - start, text }
  } finally {
    await miniflare.dispose()
  }
})
const empty = await answer('empty')
row('workerd, with its start', await answer('rowjet'), await answer('prisma').catch((error) => (console.error(error.message.slice(0, 300)), 'does not load')))
console.log(`Cold starts: import, compile, instantiate, first result; medians of ${times}. An empty Worker takes ${empty.toFixed(1)} ms.`)
console.table(table)

const size = (what) => workers[what].reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0)
const [rowjet, prisma] = [size('rowjet'), size('prisma')]
console.log(`Worker bundles, gzip -9 of code and module together: Rowjet ${rowjet.toLocaleString('en')} bytes (code ${gzipSync(workers.rowjet[0].contents, { level: 9 }).length.toLocaleString('en')}), Prisma ${prisma.toLocaleString('en')} bytes (${(prisma / rowjet).toFixed(1)} times)`)
rmSync(folder, { recursive: true, force: true })
rmSync(site, { recursive: true, force: true })
process.exit()
