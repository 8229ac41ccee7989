import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { createEngine as createMySQL } from 'rowjet/mysql'
import { createEngine } from 'rowjet/postgres'
import { createEngine as createInline } from 'rowjet/postgres/inline'
import { createEngine as createSlim, type WasmSource } from 'rowjet/slim'
import { bytesOfText } from '../dist/inline.js'

const path = new URL('../dist/postgres.wasm', import.meta.url)
const bytes = await readFile(path)
const set = { columnNames: ['a'], columnTypes: [0], rows: [[1]] }
const text = '{"columns":["a"],"types":["int"],"rows":[[1]]}'

async function loads(source: WasmSource | Promise<WasmSource>): Promise<void> {
  assert.equal((await createEngine(source)).serialize(set).text(), text)
  const slim = await createSlim(source instanceof Response ? source.clone() : source)
  assert.equal(slim.dialect, 'postgres')
  assert.equal(slim.serialize(set).text(), text)
}

test('sources', async () => {
  const module = await WebAssembly.compile(bytes)
  const exact = new Uint8Array(bytes).buffer
  await loads(bytes)
  await loads(new Uint8Array(bytes))
  await loads(exact)
  await loads(new DataView(exact))
  await loads(module)
  await loads(Promise.resolve(module))
  await loads(Promise.resolve(exact))
  // Values of another realm are known too.
  await loads(runInNewContext('new WebAssembly.Module(bytes)', { bytes: exact, WebAssembly }) as WebAssembly.Module)
  await loads(runInNewContext('new Uint8Array(bytes)', { bytes: [...bytes] }) as Uint8Array<ArrayBuffer>)
  assert.equal((await createInline()).serialize(set).text(), text)
})

test('modules as text are the same bytes', async () => {
  const script = fileURLToPath(new URL('../scripts/inline.mjs', import.meta.url))
  const { inlineText } = (await import(script)) as { inlineText(bytes: Uint8Array): string }
  const back = (text: string): Uint8Array => {
    // Nothing that a bundler writes in another way, nor what could end a script of a page.
    const [, frequent, rest] = /^'([0-9a-f]{64})', '([ !#-&(-;=-[\]-~]*)'$/.exec(text)!
    return bytesOfText(frequent, rest)
  }
  for (const dialect of ['postgres', 'mysql', 'sqlite']) {
    const module = new Uint8Array(await readFile(new URL(`../dist/${dialect}.wasm`, import.meta.url)))
    const text = inlineText(module)
    assert.deepEqual(back(text), module)
    assert.ok((await readFile(new URL(`../dist/${dialect}.inline.js`, import.meta.url), 'utf8')).includes(text))
  }
  const all = Uint8Array.from({ length: 1024 }, (_, i) => (i * 7) >> (i & 1))
  for (const bytes of [new Uint8Array(0), Uint8Array.of(255), all, all.slice().reverse(), all.subarray(0, 91)]) assert.deepEqual(back(inlineText(bytes)), bytes.slice())
})

test('responses', async () => {
  const server = createServer((request, response) => {
    switch (request.url) {
      case '/wasm':
        response.setHeader('content-type', 'application/wasm')
        return response.end(bytes)
      case '/octets':
        response.setHeader('content-type', 'application/octet-stream')
        return response.end(bytes)
      case '/html':
        response.setHeader('content-type', 'text/html')
        return response.end('<!doctype html><title>app</title>')
      case '/empty':
        return response.end()
      default:
        response.statusCode = 404
        return response.end('<html>')
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const engine = await createEngine(fetch(`${base}/wasm`))
    assert.equal(engine.serialize(set).text(), text)
    assert.equal((await createEngine(await fetch(`${base}/octets`))).serialize(set).text(), text)
    await assert.rejects(createEngine(fetch(`${base}/html`)), { code: 'WASM_NOT_BINARY', message: /got HTML, so a dev server or bundler did not serve the \.wasm file; pass the module to createEngine\(source\), or import the entry that ends in \/inline \[WASM_NOT_BINARY\]$/ })
    await assert.rejects(createEngine(fetch(`${base}/empty`)), { code: 'WASM_NOT_BINARY', message: /got nothing/ })
    await assert.rejects(createEngine(fetch(`${base}/none`)), { code: 'WASM_NOT_FOUND', message: /answered 404 for http:.*\/none; pass the module/ })
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('what is no module', async () => {
  const reject = (source: unknown, code: string, message: RegExp): Promise<void> => assert.rejects(createSlim(source as WasmSource), { name: 'RowjetError', code, message })
  await reject(undefined, 'WASM_NOT_FOUND', /there is no module: the source is undefined; pass the module to createEngine/)
  await reject('./postgres.wasm', 'WASM_NOT_FOUND', /the source is a String/)
  await reject(new URL('file:///x'), 'WASM_NOT_FOUND', /the source is a URL/)
  await reject(null, 'WASM_NOT_FOUND', /the source is a Null/)
  await reject(new Uint8Array([1, 2, 3]), 'WASM_NOT_BINARY', /got 3 bytes of something else/)
  const gone = new ArrayBuffer(8)
  structuredClone(gone, { transfer: [gone] })
  await reject(gone, 'WASM_NOT_FOUND', /the buffer was transferred away/)
  const read = new Response('x')
  await read.text()
  await reject(read, 'WASM_NOT_FOUND', /the body of the Response was read already/)
  await reject(bytes.subarray(0, 100), 'WASM_NOT_BINARY', /the module does not compile/)
  const own = new Error('mine')
  await assert.rejects(createSlim(Promise.reject(own)), own)
})

test('modules that are not ours, or not right', async () => {
  // (module), and (module (import "a" "b" (func)))
  const empty = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])
  await assert.rejects(createSlim(empty), { code: 'ABI_MISMATCH', message: /not a Rowjet module/ })
  const importing = new Uint8Array([...empty, 1, 4, 1, 0x60, 0, 0, 2, 7, 1, 1, 0x61, 1, 0x62, 0, 0])
  await assert.rejects(createSlim(importing), { code: 'ABI_MISMATCH', message: /can't be instantiated .* need no imports/ })
  await assert.rejects(createMySQL(bytes), { code: 'ABI_MISMATCH', message: 'this is the module for postgres, not for mysql: pass the right .wasm file [ABI_MISMATCH]' })
})

test('blocked compilation', async () => {
  const { compile, Instance } = WebAssembly
  try {
    // As Chromium, workerd and Firefox say it, and Safari, which lets compilation pass.
    for (const text of ["Refused to compile because 'unsafe-eval' is not an allowed source of script", 'Wasm code generation disallowed by embedder', 'call to WebAssembly.compile() blocked by CSP']) {
      WebAssembly.compile = () => Promise.reject(new WebAssembly.CompileError(text))
      await assert.rejects(createSlim(bytes), { code: 'WASM_BLOCKED', message: /add 'wasm-unsafe-eval' to script-src/ })
    }
    WebAssembly.compile = compile
    WebAssembly.Instance = class {
      constructor() {
        throw new EvalError("Refused to create a WebAssembly object because 'unsafe-eval' or 'wasm-unsafe-eval' is not an allowed source of script")
      }
    } as unknown as typeof Instance
    await assert.rejects(createSlim(bytes), { code: 'WASM_BLOCKED', message: /Refused to create .* add 'wasm-unsafe-eval' to script-src/ })
  } finally {
    Object.assign(WebAssembly, { compile, Instance })
  }
  const whole = globalThis.WebAssembly
  // @ts-expect-error: as in a runtime without WebAssembly
  globalThis.WebAssembly = undefined
  try {
    await assert.rejects(createSlim(bytes), { code: 'WASM_BLOCKED' })
  } finally {
    globalThis.WebAssembly = whole
  }
})

test('the web entry fetches the file beside it', async () => {
  const real = globalThis.fetch
  const { createEngine: createWeb } = (await import('../dist/postgres.web.js')) as { createEngine: typeof createEngine }
  const asked: string[] = []
  globalThis.fetch = async (input) => {
    asked.push(String(input))
    if (asked.length === 1) throw new TypeError('fetch failed')
    return new Response(new Uint8Array(bytes), { headers: { 'content-type': 'application/wasm' } })
  }
  try {
    await assert.rejects(createWeb(), { code: 'WASM_NOT_FOUND', message: /was not found \(fetch failed\)/ })
    // A failure is not kept; a compiled module is.
    assert.equal((await createWeb()).serialize(set).text(), text)
    assert.equal((await createWeb()).serialize(set).text(), text)
    assert.deepEqual(asked, [path.href, path.href])
  } finally {
    globalThis.fetch = real
  }
})

test('only what is for Node imports from Node', async () => {
  const dist = new URL('../dist/', import.meta.url)
  for (const file of await readdir(dist)) {
    // Drivers need what their packages need.
    if (!file.endsWith('.js') || /^(pg|postgres-js|mysql2|mariadb|better-sqlite3|node-sqlite|libsql|sqlite-sync)\.js$/.test(file)) continue
    const code = await readFile(new URL(file, dist), 'utf8')
    assert.equal(/from 'node:|import\('node:/.test(code), /\.node\.js$/.test(file), file)
    assert.ok(!/\beval\b\(|new Function\b/.test(code), `${file} evaluates code`)
    assert.ok(!/(?<!Node)\bBuffer\.(from|alloc|concat)/.test(code.replace(/^\s*(\/\/|\*).*$/gm, '')), `${file} needs Buffer`)
  }
})
