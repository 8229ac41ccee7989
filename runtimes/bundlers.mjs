// The bundlers: each builds a small app with the installed package, which then runs where it belongs.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build as esbuild } from 'esbuild'
import { withPage } from './chromium.mjs'
import { example } from './docs.mjs'
import { bundleInline, here, makeApp, run, serve } from './lib.mjs'

const folder = path.join(here, 'bundlers')
const require = createRequire(path.join(folder, 'package.json'))
const load = async (name) => import(pathToFileURL(require.resolve(name)).href)
const version = (name) => JSON.parse(readFileSync(path.join(folder, 'node_modules', name, 'package.json'), 'utf8')).version

const want = '{"columns":["id","name"],"types":["int","string"],"rows":[[1,"é😀\\""],[-2,null]]}'

const body = (entry) => `
import { createEngine } from '${entry}'
export async function answer(source) {
  try {
    const engine = await createEngine(source)
    return engine.serialize({ columnNames: ['id', 'name'], columnTypes: [0, 7], rows: [[1, 'é😀"'], [-2, null]] }).text()
  } catch (error) {
    return error.name + ' ' + error.code + ': ' + error.message
  }
}
`
const html = (script) => `<!doctype html><meta charset="utf-8"><title>App</title><script type="module" src="${script}"></script>`

/** A page's app; the worker's part answers from a web worker. */
const page = (entry = 'rowjet/postgres') => ({
  'body.js': body(entry),
  'main.js': "import { answer } from './body.js'\nglobalThis.answer = answer\n",
  'index.html': html('./main.js'),
})
const worker = (entry = 'rowjet/postgres') => ({
  'body.js': body(entry),
  'worker.js': "import { answer } from './body.js'\nanswer().then((text) => postMessage(text))\n",
  'main.js': `globalThis.answer = () => new Promise((resolve, reject) => {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
  worker.onmessage = ({ data }) => resolve(data)
  worker.onerror = (event) => reject(new Error(event.message))
})\n`,
  'index.html': html('./main.js'),
})
const program = (entry = 'rowjet/postgres') => ({ 'body.js': body(entry), 'main.js': "import { answer } from './body.js'\nanswer().then((text) => console.log(text))\n" })

const ask = (url) => withPage(url, async (opened) => {
  await opened.waitForFunction(() => 'answer' in globalThis, undefined, { timeout: 60_000 })
  return opened.evaluate(() => globalThis.answer())
})

async function askFolder(built) {
  const server = await serve(built)
  try {
    return await ask(`${server.url}/`)
  } finally {
    server.close()
  }
}

async function vite(name, files, dev) {
  const root = await makeApp(name, files)
  const { build, createServer: createViteServer } = await load('vite')
  const config = { root, configFile: false, logLevel: 'error', base: './', worker: { format: 'es' } }
  if (!dev) {
    await build(config)
    return askFolder(path.join(root, 'dist'))
  }
  const server = await createViteServer({ ...config, base: '/', server: { host: '127.0.0.1', port: 0 } })
  try {
    await server.listen()
    return await ask(`http://127.0.0.1:${server.httpServer.address().port}/`)
  } finally {
    await server.close()
  }
}

async function webpack(name, files, { output, ...config }) {
  const context = await makeApp(name, files)
  const { default: compile } = await load('webpack')
  const stats = await new Promise((resolve, reject) =>
    compile({ context, mode: 'production', entry: './main.js', output: { path: path.join(context, 'dist'), filename: 'main.js', ...output }, ...config }, (error, result) => (error ? reject(error) : resolve(result))))
  if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString({ all: false, errors: true, warnings: true }))
  return path.join(context, 'dist')
}

const webpackPage = async (name, files) => {
  const dist = await webpack(name, files, { target: 'web' })
  const server = await serve(dist, (pathname) => (pathname === '/' ? { headers: { 'content-type': 'text/html' }, body: html('./main.js') } : undefined))
  try {
    return await ask(`${server.url}/`)
  } finally {
    server.close()
  }
}

const webpackNode = async (name, config) => {
  const dist = await webpack(name, program(), config)
  return (await run(process.execPath, [path.join(dist, config.output?.filename ?? 'main.js')])).trim()
}

async function esbuildNode(name, files, options) {
  const source = await makeApp(name, files)
  const target = await makeApp(`${name}-built`, {}, { install: () => {} })
  await esbuild({ absWorkingDir: source, entryPoints: ['main.js'], bundle: true, minify: true, outfile: path.join(target, 'main.mjs'), platform: 'node', format: 'esm', logLevel: 'error', ...options })
  return (await run(process.execPath, ['main.mjs'], { cwd: target })).trim()
}

async function rollup(name, files, browser) {
  const root = await makeApp(name, files)
  const [{ rollup: bundle }, { nodeResolve }] = [await load('rollup'), await load('@rollup/plugin-node-resolve')]
  const made = await bundle({ input: path.join(root, 'main.js'), plugins: [nodeResolve({ browser, exportConditions: browser ? [] : ['node'] })], onwarn: (warning) => {
    throw new Error(warning.message)
  } })
  await made.write({ dir: path.join(root, 'dist'), format: 'es' })
  await made.close()
  return path.join(root, 'dist')
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

/** Builds an app by Next.js, starts it, and gives its answers: of a route on Node, a page, and a route on the edge runtime. */
async function next(name, flags, config, edge) {
  // Inside of the folder with Next.js, which looks for itself from the app.
  const apps = path.join(folder, 'build')
  mkdirSync(apps, { recursive: true })
  const app = path.join(apps, name)
  rmSync(app, { recursive: true, force: true })
  await makeApp(name, {
    'next.config.mjs': `export default ${JSON.stringify({ turbopack: { root: folder }, outputFileTracingRoot: folder, ...config })}`,
    'body.js': body('rowjet/postgres'),
    'app/layout.js': 'export default ({ children }) => <html><body>{children}</body></html>',
    'app/page.js': "'use client'\nimport { useEffect } from 'react'\nimport { answer } from '../body.js'\nexport default function Page() {\n  useEffect(() => { globalThis.answer = answer }, [])\n  return <p>App</p>\n}\n",
    'app/node/route.js': "import { answer } from '../../body.js'\nexport const dynamic = 'force-dynamic'\nexport const GET = async () => new Response(await answer())\n",
    'app/example/route.js': example('nextjs.md'),
    ...(edge && { 'app/edge/route.js': "import { answer } from '../../body.js'\nexport const runtime = 'edge'\nexport const GET = async () => new Response(await answer())\n" }),
  }, { base: apps })
  const bin = require.resolve('next/dist/bin/next')
  const options = { cwd: app, env: { NEXT_TELEMETRY_DISABLED: '1', CI: 'true' } }
  await run(process.execPath, [bin, 'build', ...flags], options)
  const port = await freePort()
  const child = spawn(process.execPath, [bin, 'start', '-p', String(port), '-H', '127.0.0.1'], { cwd: app, env: { ...process.env, ...options.env }, stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    let log = ''
    await new Promise((resolve, reject) => {
      const listen = (chunk) => {
        log += chunk
        if (/Ready/.test(log)) resolve()
      }
      child.stdout.on('data', listen)
      child.stderr.on('data', listen)
      child.on('exit', () => reject(new Error(`next start: ${log}`)))
    })
    const base = `http://127.0.0.1:${port}`
    const documented = await (await fetch(`${base}/example`)).text()
    if (documented !== '{"columns":["id","title"],"types":["int","string"],"rows":[[1,"Ran"],[2,"Solaris"]]}') throw new Error(`docs/runtimes/nextjs.md: ${documented}`)
    const routes = edge ? ['node', 'edge'] : ['node']
    return [...(await Promise.all(routes.map(async (route) => (await fetch(`${base}/${route}`)).text()))), await ask(`${base}/`)]
  } finally {
    child.kill()
    rmSync(app, { recursive: true, force: true })
  }
}

const node = (file) => run(process.execPath, [file]).then((text) => text.trim())

/** Everything in jsdom, from one file by /inline. jsdom has WebAssembly, but not these classes of Node, which test runners give it. */
export const jsdom = {
  name: 'jsdom, single file by /inline',
  version: async () => version('jsdom'),
  report: async () => {
    const { JSDOM } = await load('jsdom')
    const { source, folder } = await bundleInline('jsdom', "import { all } from './all.mjs'\nglobalThis.all = (bytes) => all({ bytes: Uint8Array.from(bytes) })", 'main.js', { platform: 'browser', format: 'iife' })
    const { window } = new JSDOM('<!doctype html>', { runScripts: 'outside-only' })
    Object.assign(window, { TextEncoder, TextDecoder, ReadableStream, Response, structuredClone })
    window.eval(readFileSync(path.join(folder, 'main.js'), 'utf8'))
    return window.all([...readFileSync(path.join(source, 'node_modules/rowjet/dist/postgres.wasm'))])
  },
}

/** Each gives the answers of its apps, which all have to be the same. */
export const bundlers = [
  { name: 'Vite, build', of: 'vite', report: () => vite('vite', page(), false) },
  { name: 'Vite, build, web worker', of: 'vite', report: () => vite('vite-worker', worker(), false) },
  { name: 'Vite, dev', of: 'vite', report: () => vite('vite-dev', page(), true) },
  { name: 'webpack, web', of: 'webpack', report: () => webpackPage('webpack', page()) },
  { name: 'webpack, web worker', of: 'webpack', report: () => webpackPage('webpack-worker', worker()) },
  { name: 'webpack, node, CommonJS', of: 'webpack', report: () => webpackNode('webpack-cjs', { target: 'node', output: { filename: 'main.cjs' } }) },
  { name: 'webpack, node, modules', of: 'webpack', report: () => webpackNode('webpack-esm', { target: 'node20', experiments: { outputModule: true }, output: { filename: 'main.mjs', module: true } }) },
  { name: 'esbuild, node, /inline', of: 'esbuild', report: () => esbuildNode('esbuild-inline', program('rowjet/postgres/inline')) },
  {
    name: 'esbuild, node, /slim and the file as bytes', of: 'esbuild',
    report: () => esbuildNode('esbuild-binary', { 'body.js': body('rowjet/slim'), 'main.js': "import bytes from 'rowjet/postgres.wasm'\nimport { answer } from './body.js'\nanswer(bytes).then((text) => console.log(text))\n" }, { loader: { '.wasm': 'binary' }, target: 'node20' }),
  },
  {
    name: 'esbuild, node, the file left behind', of: 'esbuild', want: /^RowjetError WASM_NOT_FOUND: the \.wasm file was not found \(ENOENT.*\): if a bundler moved the code, keep rowjet external .* import the entry that ends in \/inline/,
    report: () => esbuildNode('esbuild', program()),
  },
  {
    name: 'esbuild, page, /inline', of: 'esbuild',
    report: async () => {
      const source = await makeApp('esbuild-page', page('rowjet/postgres/inline'))
      const dist = await makeApp('esbuild-page-built', { 'index.html': html('./main.js') }, { install: () => {} })
      await esbuild({ absWorkingDir: source, entryPoints: ['main.js'], bundle: true, minify: true, outfile: path.join(dist, 'main.js'), format: 'esm', logLevel: 'error' })
      return askFolder(dist)
    },
  },
  {
    name: 'Rollup, page, /inline', of: 'rollup',
    report: async () => {
      const dist = await rollup('rollup', page('rowjet/postgres/inline'), true)
      const server = await serve(dist, (pathname) => (pathname === '/' ? { headers: { 'content-type': 'text/html' }, body: html('./main.js') } : undefined))
      return ask(`${server.url}/`).finally(server.close)
    },
  },
  { name: 'Rollup, node, /inline', of: 'rollup', report: async () => node(path.join(await rollup('rollup-node', program('rowjet/postgres/inline'), false), 'main.js')) },
  { name: 'Next.js, Turbopack: Node, edge, page', of: 'next', report: () => next('next', [], {}, true) },
  // Its edge routes do not build: it misses a file of its own, whatever is imported.
  { name: 'Next.js, webpack: Node, page', of: 'next', report: () => next('next-webpack', ['--webpack'], { serverExternalPackages: ['rowjet'] }, false) },
].map(({ name, of, want: wanted = want, report }) => ({
  name,
  version: async () => (of === 'esbuild' ? (await import('esbuild')).version : version(of)),
  report: async () => {
    const answers = [await report()].flat()
    const wrong = answers.filter((text) => (typeof wanted === 'string' ? text !== wanted : !wanted.test(text))).map((text) => `gives ${text}`)
    return { checks: { count: answers.length, wrong } }
  },
}))
