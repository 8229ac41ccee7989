// Workers that wrangler bundled, in Cloudflare's runtime: they answer a request with a stream of a query's rows.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { Miniflare } from 'miniflare'
import { example } from './docs.mjs'
import { here, makeApp, program, run } from './lib.mjs'
import { bundleWorker } from './runtimes.mjs'

const base = path.join(here, 'bundlers', 'build')

/**
 * Bundles a Worker, with what it imports found from the folder bundlers/, and gives the modules. `source` is its code, or that of
 * more files by their names; the programs in `before` are run first.
 */
export async function makeWorker(name, source, { flags = [], before = [] } = {}) {
  mkdirSync(base, { recursive: true })
  const folder = path.join(base, name)
  rmSync(folder, { recursive: true, force: true })
  try {
    await makeApp(name, typeof source === 'string' ? { 'worker.mjs': source } : source, { base })
    for (const file of before) await run(process.execPath, [file], { cwd: folder })
    return await bundleWorker(folder, 'worker.mjs', ['--minify', ...flags.flatMap((flag) => ['--compatibility-flags', flag])])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function answerOf(name, source, { flags, before, date = '2025-01-01', ...options }) {
  const modules = await makeWorker(name, source, { flags, before })
  const miniflare = new Miniflare({ modules, compatibilityDate: date, compatibilityFlags: flags, ...options })
  try {
    // The second answer is from the same instance.
    await (await miniflare.dispatchFetch('http://localhost/')).text()
    const response = await miniflare.dispatchFetch('http://localhost/')
    return { text: await response.text(), type: response.headers.get('content-type') }
  } finally {
    await miniflare.dispose()
  }
}

const rows = 50_000
const few = '{"columns":["id"],"types":["int"],"rows":[[1],[2]]}'
// The squares are bigint in both: the last of them are beyond 32 bits.
const squares = `[${Array.from({ length: rows }, (_, i) => `{"i":${i + 1},"square":"${(i + 1) ** 2}"}`).join(',')}]`

const version = async () => JSON.parse(readFileSync(program('workerd', 'package.json'), 'utf8')).version

export const drivers = [
  { name: 'workerd, a Worker', report: () => answerOf('worker', example('workers.md'), {}), want: few },
  {
    name: 'workerd, D1',
    report: () => answerOf('d1', example('workers.md', 1), { d1Databases: { DB: 'rowjet' } }),
  },
  {
    name: 'workerd, pg by connect()',
    report: () => {
      const url = process.env.ROWJET_POSTGRES_URL
      if (url === undefined) throw new Error('there is no ROWJET_POSTGRES_URL: scripts/servers.sh brings a server')
      return answerOf('pg', example('workers.md', 2), { flags: ['nodejs_compat'], bindings: { DATABASE_URL: url } })
    },
  },
  {
    name: 'workerd, PGlite',
    report: () => {
      const config = example('workers.md', 0, 'json')
      const { compatibility_date: date, compatibility_flags: flags } = JSON.parse(config)
      const files = { 'modules.mjs': example('workers.md', 3), 'worker.mjs': example('workers.md', 4), 'wrangler.json': config }
      return answerOf('pglite', files, { before: ['modules.mjs'], date, flags })
    },
  },
].map(({ name, report, want = squares }) => ({
  name,
  version,
  report: async () => {
    const { text, type } = await report()
    const wrong = []
    if (type !== 'application/json') wrong.push(`the type is ${type}`)
    if (text !== want) wrong.push(`gives ${text.slice(0, 200)}… (${text.length}), wants ${want.slice(0, 200)}… (${want.length})`)
    return { checks: { count: 2, wrong } }
  },
}))
