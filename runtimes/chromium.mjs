// Chromium: a page, a web worker, a page from a file, and pages that may not load the module.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { documented, example } from './docs.mjs'
import { bundleInline, here, kitFiles, makeApp, run, serve } from './lib.mjs'

const executablePath = '/usr/bin/chromium'

let browser

/** One browser for all. On Debian and as root it is installed if it is missing. */
export function launch() {
  return (browser ??= (async () => {
    if (!existsSync(executablePath)) {
      await run('apt-get', ['update'])
      await run('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { env: { DEBIAN_FRONTEND: 'noninteractive' }, minutes: 8 })
    }
    // Without a sandbox, since Chromium has none for root; without services that would look for hosts.
    const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']
    return chromium.launch({ executablePath, args, headless: true })
  })())
}

export async function close() {
  if (browser !== undefined) await (await browser).close()
}

const version = async () => (await launch()).version()

/** Opens a page, has `work` use it, and fails if the page told an error. */
export async function withPage(url, work) {
  const page = await (await launch()).newPage()
  const errors = []
  page.on('pageerror', (error) => errors.push(error))
  try {
    await page.goto(url)
    const result = await work(page)
    if (errors.length > 0) throw errors[0]
    return result
  } finally {
    await page.close()
  }
}

const web = (specifier) => `/node_modules/${specifier.replace('rowjet/', 'rowjet/dist/')}.web.js`

/** Runs the checks and the cases in a page. */
const inPage = async () => {
  const [{ all }, bytes] = await Promise.all([import('/all.mjs'), fetch('/node_modules/rowjet/dist/postgres.wasm').then((response) => response.arrayBuffer())])
  return all({ bytes })
}

/** Modules and responses of another realm are known for what they are. */
const otherRealm = async () => {
  const { createEngine } = await import('rowjet/postgres')
  const frame = document.body.appendChild(document.createElement('iframe'))
  const url = new URL('/node_modules/rowjet/dist/postgres.wasm', location.href).href
  const get = () => frame.contentWindow.fetch(url)
  const buffer = async () => (await get()).arrayBuffer()
  const sources = [get(), get().then((response) => response), buffer(), buffer().then((bytes) => new frame.contentWindow.Uint8Array(bytes)), buffer().then((bytes) => frame.contentWindow.WebAssembly.compile(bytes))]
  const texts = []
  for (const source of sources) texts.push((await createEngine(source)).serialize({ columnNames: ['a'], columnTypes: [0], rows: [[1]] }).text())
  return [texts.length, ...new Set(texts)].join(' ')
}

/** What createEngine() says in a page. */
const outcome = async () => {
  try {
    const { createEngine } = await import('rowjet/postgres')
    return (await createEngine()).serialize({ columnNames: ['a'], columnTypes: [0], rows: [[1]] }).text()
  } catch (error) {
    return `${error.name} ${error.code}: ${error.message}`
  }
}
const good = '{"columns":["a"],"types":["int"],"rows":[[1]]}'

async function pages() {
  const folder = await makeApp('chromium', kitFiles())
  const report = await withServer(folder, undefined, '/page.html', (page) => page.evaluate(inPage))
  const { checks } = report
  const check = (name, got, want) => {
    checks.count++
    if (typeof want === 'string' ? got !== want : !want.test(got)) checks.wrong.push(`${name}: ${got}, wants ${String(want)}`)
  }
  check('another realm', await withServer(folder, undefined, '/page.html', (page) => page.evaluate(otherRealm)), `5 ${good}`)

  const printed = await withServer(folder, (pathname) => (pathname === '/example.mjs' ? { body: example('browsers.md') } : undefined), '/page.html', async (page) => {
    const message = page.waitForEvent('console')
    await page.evaluate(() => import('/example.mjs'))
    return (await message).text()
  })
  documented(report, 'browsers.md', printed)

  const policy = (script) => (pathname) => (pathname === '/page.html' ? { headers: { 'content-security-policy': `default-src 'self'; script-src 'self' 'unsafe-inline' ${script}` } } : undefined)
  const tell = (answer) => withServer(folder, answer, '/page.html', (page) => page.evaluate(outcome))
  check("a policy without 'wasm-unsafe-eval'", await tell(policy('')), /^RowjetError WASM_BLOCKED: WebAssembly may not be compiled here \(.*\): add 'wasm-unsafe-eval' to script-src in the page's Content-Security-Policy, or /)
  check("a policy with 'wasm-unsafe-eval'", await tell(policy("'wasm-unsafe-eval'")), good)
  const instead = (own) => (pathname) => (pathname.endsWith('.wasm') ? own : undefined)
  check('a page in its place', await tell(instead({ headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>App</title>' })), /^RowjetError WASM_NOT_BINARY: .*got HTML, so a dev server or bundler did not serve the \.wasm file; pass the module to createEngine\(source\), or import the entry that ends in \/inline/)
  check('a file that is not there', await tell(instead({ status: 404 })), /^RowjetError WASM_NOT_FOUND: the server answered 404 for http:.*postgres\.wasm; pass the module to createEngine\(source\), or /)
  check('a policy without connections', await tell((pathname) => (pathname === '/page.html' ? { headers: { 'content-security-policy': "connect-src 'none'" } } : undefined)), /^RowjetError WASM_NOT_FOUND: the \.wasm file was not found \(.*\): .*pass the module to createEngine\(source\), or /)
  check('a server that calls it by another type', await tell(instead({ headers: { 'content-type': 'application/octet-stream' }, body: readFileSync(path.join(folder, 'node_modules/rowjet/dist/postgres.wasm')) })), good)
  return report
}

async function withServer(folder, answer, pathname, work) {
  const server = await serve(folder, answer)
  try {
    return await withPage(server.url + pathname, work)
  } finally {
    server.close()
  }
}

/** Has a worker do its work and gives what it posts. */
const ofWorker = (url) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(url, { type: 'module' })
    worker.onmessage = ({ data }) => ('error' in data ? reject(new Error(data.error)) : resolve(data))
    worker.onerror = (event) => reject(new Error(event.message))
  })

/** The files of an app with the packages of the drivers for SQLite in browsers. */
function sqliteFiles() {
  const file = (name, from) => [name, readFileSync(path.join(here, from))]
  return Object.fromEntries([
    file('page.html', 'app/page.html'),
    file('sqlite.mjs', 'browser/sqlite.mjs'),
    ...['sql-wasm-browser.js', 'sql-wasm-browser.wasm'].map((name) => file(`sql.js/${name}`, `node_modules/sql.js/dist/${name}`)),
    ...['index.mjs', 'sqlite3.wasm'].map((name) => file(`sqlite-wasm/${name}`, `node_modules/@sqlite.org/sqlite-wasm/dist/${name}`)),
  ])
}

/** Both drivers, on databases in the page's memory. */
const sqliteInPage = async () => {
  const { checkSQLite } = await import('/sqlite.mjs')
  await new Promise((resolve, reject) => {
    document.head.append(Object.assign(document.createElement('script'), { src: '/sql.js/sql-wasm-browser.js', onload: resolve, onerror: reject }))
  })
  const { Database } = await globalThis.initSqlJs({ locateFile: (name) => `/sql.js/${name}` })
  const sqlJs = await import('/node_modules/rowjet/dist/sql-js.js')
  const first = await checkSQLite(await sqlJs.connect(new Database()))
  const sqlite3 = await (await import('/sqlite-wasm/index.mjs')).default()
  const sqliteWasm = await import('/node_modules/rowjet/dist/sqlite-wasm.js')
  const second = await checkSQLite(await sqliteWasm.connect(new sqlite3.oo1.DB(':memory:'), { sqlite3 }))
  return { count: first.count + second.count, wrong: [...first.wrong.map((each) => `sql.js: ${each}`), ...second.wrong.map((each) => `sqlite-wasm: ${each}`)] }
}

/** SQLite's own build in a worker: in memory, and in a file of the origin's private file system, which is still there later. */
const sqliteWorker = `
import { checkSQLite } from './sqlite.mjs'
import sqlite3InitModule from './sqlite-wasm/index.mjs'
import { createEngine } from './node_modules/rowjet/dist/sqlite.web.js'
import { connect } from './node_modules/rowjet/dist/sqlite-wasm.js'

async function all() {
  const engine = await createEngine() // by its file: workers have no import maps
  const sqlite3 = await sqlite3InitModule()
  const checks = await checkSQLite(await connect(':memory:', { sqlite3, engine }))
  const pool = await sqlite3.installOpfsSAHPoolVfs({})
  const database = new pool.OpfsSAHPoolDb('/movies.db')
  const db = await connect(database, { sqlite3, engine })
  const files = await checkSQLite(db)
  await db.executeRaw('CREATE TABLE kept (n BIGINT)')
  await db.executeRaw('INSERT INTO kept VALUES (?)', [9007199254740993n])
  await db.close()
  database.close()
  const again = await connect('/movies.db', { sqlite3, engine, open: { vfs: pool.vfsName } })
  const text = (await again.queryRaw('SELECT n FROM kept')).text()
  await again.close()
  if (text !== '{"columns":["n"],"types":["bigint"],"rows":[["9007199254740993"]]}') files.wrong.push('the file has ' + text)
  return { count: checks.count + files.count + 1, wrong: [...checks.wrong, ...files.wrong] }
}
postMessage(await all().catch((error) => ({ error: error.stack })))
`

export const runtimes = [
  {
    name: 'Chromium, SQLite in a page',
    version,
    report: async () => ({ checks: await withServer(await makeApp('chromium-sqlite', sqliteFiles()), undefined, '/page.html', (page) => page.evaluate(sqliteInPage)) }),
  },
  {
    name: 'Chromium, SQLite in a web worker',
    version,
    report: async () => {
      const folder = await makeApp('chromium-sqlite-worker', { ...sqliteFiles(), 'web-worker.mjs': sqliteWorker })
      return { checks: await withServer(folder, undefined, '/page.html', (page) => page.evaluate(ofWorker, '/web-worker.mjs')) }
    },
  },
  { name: 'Chromium, page', version, report: pages },
  {
    name: 'Chromium, web worker',
    version,
    report: async () => {
      // Workers have no import maps.
      const folder = await makeApp('chromium-worker', {
        ...kitFiles(web),
        'web-worker.mjs': `import { all } from './all.mjs'\nconst response = await fetch('/node_modules/rowjet/dist/postgres.wasm')\nconst bytes = await response.arrayBuffer()\npostMessage(await all({ bytes }).catch((error) => ({ error: error.stack })))\n`,
      })
      return withServer(folder, undefined, '/page.html', (page) => page.evaluate(ofWorker, '/web-worker.mjs'))
    },
  },
  {
    name: 'Chromium, file: page, single file',
    version,
    report: async () => {
      const main = "import { all } from './all.mjs'\nglobalThis.all = (bytes) => all({ bytes: Uint8Array.from(bytes) })"
      const { source, folder } = await bundleInline('chromium-file', main, 'main.js', { platform: 'browser', format: 'iife' }, { 'index.html': '<!doctype html><meta charset="utf-8"><script src="main.js"></script>' })
      const bytes = [...readFileSync(path.join(source, 'node_modules/rowjet/dist/postgres.wasm'))]
      return withPage(pathToFileURL(path.join(folder, 'index.html')).href, (page) => page.evaluate((list) => globalThis.all(list), bytes))
    },
  },
]
