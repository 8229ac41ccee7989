// Firefox and WebKit (GTK's), Debian's builds: a page that runs everything and sends its report to the server, since Playwright
// drives its own builds of them only.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { kitFiles, makeApp, run, serve } from './lib.mjs'

const good = '{"columns":["a"],"types":["int"],"rows":[[1]]}'

/** What createEngine() says in pages that are served in another way than usual. */
const scenarios = {
  policy: /^RowjetError WASM_BLOCKED: WebAssembly may not be compiled here \([^]*\): add 'wasm-unsafe-eval' to script-src in the page's Content-Security-Policy, or /,
  allowed: good,
  html: /^RowjetError WASM_NOT_BINARY: .*got HTML, so a dev server or bundler did not serve the \.wasm file/,
  missing: /^RowjetError WASM_NOT_FOUND: the server answered 404 for http:.*postgres\.wasm; /,
  untyped: good,
}

const main = `
const told = (scenario) => new Promise((resolve) => {
  const frame = document.createElement('iframe')
  addEventListener('message', (event) => { if (event.source === frame.contentWindow) resolve(event.data) })
  frame.src = '/' + scenario + '/page.html'
  document.body.append(frame)
})
async function everything() {
  const { all } = await import('/all.mjs')
  const bytes = await (await fetch('/node_modules/rowjet/dist/postgres.wasm')).arrayBuffer()
  const report = await all({ bytes })
  const outcomes = {}
  for (const scenario of ${JSON.stringify(Object.keys(scenarios))}) outcomes[scenario] = await told(scenario)
  return { report, outcomes, agent: navigator.userAgent }
}
everything().catch((error) => ({ error: String(error) + ' ' + error.stack })).then((body) => fetch('/report', { method: 'POST', body: JSON.stringify(body) }))
`
const outcome = `
import { createEngine } from 'rowjet/postgres'
const tell = async () => {
  try {
    return (await createEngine()).serialize({ columnNames: ['a'], columnTypes: [0], rows: [[1]] }).text()
  } catch (error) {
    return error.name + ' ' + error.code + ': ' + error.message
  }
}
parent.postMessage(await tell(), '*')
`

/** Starts a browser with the address of the page, and gives what the page reports. `start` gives the program and its arguments. */
async function reportOf(name, start) {
  const folder = await makeApp(name, kitFiles())
  const profile = mkdtempSync(path.join(os.tmpdir(), 'rowjet-profile-'))
  const page = readFileSync(path.join(folder, 'page.html'), 'utf8')
  const withScript = (text, script) => ({ headers: { 'content-type': 'text/html' }, body: `${text}<body><script type="module">${script}</script>` })
  let received
  const report = new Promise((resolve) => (received = resolve))
  const server = await serve(folder, (pathname, request) => {
    if (pathname === '/report') {
      let text = ''
      request.setEncoding('utf8').on('data', (chunk) => (text += chunk)).on('end', () => received(JSON.parse(text)))
      return { body: '' }
    }
    if (pathname === '/page.html') return withScript(page, main)
    const [, scenario, rest] = /^\/(\w+)\/(.*)$/.exec(pathname) ?? []
    if (!Object.hasOwn(scenarios, scenario ?? '')) return undefined
    if (rest === 'page.html') {
      const policy = { policy: '', allowed: "'wasm-unsafe-eval'" }[scenario]
      const own = withScript(page.replaceAll('/node_modules/', `/${scenario}/node_modules/`), outcome)
      if (policy !== undefined) own.headers['content-security-policy'] = `default-src 'self'; script-src 'self' 'unsafe-inline' ${policy}`
      return own
    }
    if (rest.endsWith('.wasm') && scenario === 'html') return { headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>App</title>' }
    if (rest.endsWith('.wasm') && scenario === 'missing') return { status: 404 }
    const type = rest.endsWith('.js') ? 'text/javascript' : scenario === 'untyped' ? 'application/octet-stream' : 'application/wasm'
    return { headers: { 'content-type': type }, body: readFileSync(path.join(folder, rest)) }
  })
  const [file, args] = start(`${server.url}/page.html`, profile)
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, env: { ...process.env, HOME: profile, XDG_RUNTIME_DIR: profile, LIBGL_ALWAYS_SOFTWARE: '1' } })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (log += chunk))
  let timer
  try {
    const told = await Promise.race([
      report,
      new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`${name} has not answered in two minutes: ${log.slice(-2000)}`)), 120_000)
        child.on('exit', (code) => reject(new Error(`${name} ended with ${code}: ${log.slice(-2000)}`)))
        child.on('error', reject)
      }),
    ])
    if (told.error !== undefined) throw new Error(told.error)
    const { checks } = told.report
    for (const [scenario, want] of Object.entries(scenarios)) {
      const got = told.outcomes[scenario]
      checks.count++
      if (typeof want === 'string' ? got !== want : !want.test(got)) checks.wrong.push(`${scenario}: ${got}, wants ${String(want)}`)
    }
    return told.report
  } finally {
    clearTimeout(timer)
    server.close()
    try {
      process.kill(-child.pid, 'SIGKILL') // with all that it has started
    } catch {}
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

/** On Debian and as root what is missing is installed. */
async function installed(file, ...packages) {
  if (!existsSync(file)) {
    await run('apt-get', ['update'])
    await run('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { env: { DEBIAN_FRONTEND: 'noninteractive' }, minutes: 8 })
  }
  return file
}

const firefox = '/usr/bin/firefox-esr'
const webkit = () => `/usr/lib/${{ x64: 'x86_64', arm64: 'aarch64' }[process.arch]}-linux-gnu/webkit2gtk-4.1/MiniBrowser`
const packageVersion = async (name) => /^[\d.]+/.exec(await run('dpkg-query', ['--show', '--showformat', '${Version}', name]))[0]

export const browsers = [
  {
    name: 'Firefox, page',
    version: async () => (await installed(firefox, 'firefox-esr'), packageVersion('firefox-esr')),
    report: () => reportOf('firefox', (url, profile) => [firefox, ['--headless', '--no-remote', '--profile', profile, url]]),
  },
  {
    name: 'WebKit, page',
    version: async () => (await installed(webkit(), 'webkit2gtk-driver', 'xvfb'), packageVersion('libwebkit2gtk-4.1-0')),
    report: () => reportOf('webkit', (url) => ['xvfb-run', ['--auto-servernum', webkit(), url]]),
  },
]
