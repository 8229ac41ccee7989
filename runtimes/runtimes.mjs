// The runtimes: each runs the checks and the conformance cases on the installed package and gives their report.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import * as chromium from './chromium.mjs'
import { documented, example } from './docs.mjs'
import { bundleInline, inline, kitFiles, makeApp, program, run, tarball } from './lib.mjs'

const once = (make) => {
  let made
  return () => (made ??= make())
}
const examples = Object.fromEntries(['node', 'bun', 'deno'].map((page) => [`${page}-example.mjs`, example(`${page}.md`)]))
const installed = once(() => makeApp('installed', { ...kitFiles(), ...examples }))

/** Runs an app's main program, and the example of a page. */
async function main(file, args, cwd, page) {
  const env = { DENO_NO_UPDATE_CHECK: '1' }
  const report = JSON.parse(await run(file, [...args, 'main.mjs'], { cwd, env }))
  return documented(report, `${page}.md`, await run(file, [...args, `${page}-example.mjs`], { cwd, env }))
}

const node = (name, file) => ({
  name,
  file,
  version: () => run(file, ['--version']),
  report: async () => main(file, [], await installed(), 'node'),
})

const wrangler = program('wrangler', 'bin', 'wrangler.js')

const kinds = { '.js': 'ESModule', '.wasm': 'CompiledWasm', '.bin': 'Data', '.data': 'Data' }

/** Bundles a Worker by wrangler, as for an upload, and gives the modules of the bundle, the main one first. */
export async function bundleWorker(folder, file, options = []) {
  const out = path.join(folder, 'bundle', file)
  const args = ['deploy', file, '--name', 'app', '--dry-run', '--outdir', out, ...(existsSync(path.join(folder, 'wrangler.json')) ? [] : ['--compatibility-date', '2025-01-01']), ...options]
  await run(process.execPath, [wrangler, ...args], { cwd: folder, env: { WRANGLER_SEND_METRICS: 'false', CI: 'true', WRANGLER_LOG_PATH: path.join(folder, 'logs') } })
  const main = file.replace(/\.\w+$/, '.js')
  return readdirSync(out)
    .filter((name) => path.extname(name) in kinds)
    .sort((a, b) => Number(b === main) - Number(a === main))
    .map((name) => ({ type: kinds[path.extname(name)], path: name, contents: readFileSync(path.join(out, name)) }))
}

const bun = program('@oven', 'bun-linux-x64-baseline', 'bin', 'bun')
const deno = program('@deno', 'linux-x64-glibc', 'deno')

const all = [
  node(`Node ${process.versions.node.split('.')[0]}`, process.execPath),
  ...[22, 24, 26].map((major) => node(`Node ${major}`, program(`node${major}`, 'bin', 'node'))),
  {
    name: 'Node, /inline, without Buffer',
    version: () => run(process.execPath, ['--version']),
    report: async () => JSON.parse(await run(process.execPath, ['--import', './without-buffer.mjs', 'main.mjs'], { cwd: await makeApp('inline', kitFiles(inline)) })),
  },
  {
    name: 'single file, by esbuild and /inline',
    version: () => run(process.execPath, ['--version']),
    report: async () => {
      // As Electron's main process is often packed: CommonJS, and nothing beside the file.
      const main = "import { readFileSync } from 'node:fs'\nimport { all } from './all.mjs'\nall({ bytes: readFileSync(process.env.ROWJET_WASM) }).then((report) => console.log(JSON.stringify(report)))"
      const { source, folder } = await bundleInline('single', main, 'main.cjs', { platform: 'node', format: 'cjs' })
      const report = JSON.parse(await run(process.execPath, ['main.cjs'], { cwd: folder, env: { ROWJET_WASM: path.join(source, 'node_modules/rowjet/dist/postgres.wasm') } }))
      const page = 'single-file.md'
      await build({ stdin: { contents: example(page), resolveDir: source }, bundle: true, minify: true, platform: 'node', format: 'esm', outfile: path.join(folder, 'example.mjs'), logLevel: 'error' })
      return documented(report, page, await run(process.execPath, ['example.mjs'], { cwd: folder }))
    },
  },
  {
    name: 'Bun',
    file: bun,
    version: () => run(bun, ['--version']),
    report: async () => {
      const folder = await makeApp('bun', { ...kitFiles(), ...examples }, { install: (cwd) => run(bun, ['add', tarball], { cwd }) })
      return main(bun, [], folder, 'bun')
    },
  },
  {
    name: 'Bun, single-file executable',
    file: bun,
    version: () => run(bun, ['--version']),
    report: async () => {
      const folder = await makeApp('bun-compile', kitFiles(), { install: (cwd) => run(bun, ['add', tarball], { cwd }) })
      const empty = await makeApp('bun-executable', {}, { install: () => {} })
      const file = path.join(empty, 'app')
      await run(bun, ['build', '--compile', 'main.mjs', '--outfile', file], { cwd: folder })
      return JSON.parse(await run(file, [], { cwd: empty, env: { ROWJET_WASM: path.join(folder, 'node_modules/rowjet/dist/postgres.wasm') } }))
    },
  },
  {
    name: 'Deno',
    file: deno,
    version: async () => (await run(deno, ['--version'])).split(/\s/)[1],
    report: async () => main(deno, ['run', '--no-remote', '--allow-read', '--allow-env=ROWJET_WASM'], await installed(), 'deno'),
  },
  ...[[], ['nodejs_compat']].map((compatibilityFlags) => ({
    name: ['workerd', ...compatibilityFlags].join(', '),
    version: async () => JSON.parse(readFileSync(program('workerd', 'package.json'), 'utf8')).version,
    report: async () => {
      const folder = await makeApp(`workerd${compatibilityFlags.length}`, kitFiles())
      const modules = await bundleWorker(folder, 'worker.mjs', compatibilityFlags.flatMap((flag) => ['--compatibility-flags', flag]))
      const miniflare = new Miniflare({ modules, compatibilityDate: '2025-01-01', compatibilityFlags })
      try {
        const body = readFileSync(path.join(folder, 'node_modules/rowjet/dist/postgres.wasm'))
        const response = await miniflare.dispatchFetch('http://localhost/', { method: 'POST', body })
        const text = await response.text()
        if (!response.ok) throw new Error(text)
        return JSON.parse(text)
      } finally {
        await miniflare.dispose()
      }
    },
  })),
  ...chromium.runtimes,
]

// The programs come from npm, for one kind of machine. There, all of them have to be there.
const elsewhere = process.platform !== 'linux' || process.arch !== 'x64'
export const runtimes = all.filter((runtime) => !('file' in runtime && runtime.file === undefined && elsewhere))
for (const runtime of all) {
  if (runtimes.includes(runtime)) continue
  console.log(`${runtime.name}: not tried, there is no program for ${process.platform} ${process.arch}`)
}

if (!existsSync(tarball)) throw new Error('there is no tarball: run `make pack` first')
