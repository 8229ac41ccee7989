// Throw-away apps with the packed package, and the programs to run them with.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

export const here = fileURLToPath(new URL('.', import.meta.url))
export const root = path.join(here, '..')

const temporary = mkdtempSync(path.join(os.tmpdir(), 'rowjet-runtimes-'))
process.on('exit', () => rmSync(temporary, { recursive: true, force: true }))

/** The tarball, packed by `make pack`. */
export const tarball = path.join(root, 'js', `rowjet-${JSON.parse(readFileSync(path.join(root, 'js/package.json'), 'utf8')).version}.tgz`)

/** Runs a program to its end and gives what it printed; it fails with all of that if the program does. */
export function run(file, args, { cwd, env, minutes = 4 } = {}) {
  return new Promise((resolve, reject) => {
    const child = execFile(file, args, { cwd, env: { ...process.env, ...env }, maxBuffer: 2 ** 28, timeout: minutes * 60_000 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${path.basename(file)} ${args.join(' ')}: ${error.killed ? 'no end' : `exit code ${error.code}`}\n${stdout}${stderr}`))
    })
    child.stdin.end()
  })
}

/** Makes an app: a folder with these files, and the package installed by npm. */
export async function makeApp(name, files = {}, { install = npmInstall, base = temporary } = {}) {
  const folder = path.join(base, name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }))
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), content)
  }
  await install(folder)
  return folder
}

/** The package has no dependencies that must be there, so nothing is asked of the registry. */
export function npmInstall(folder) {
  return run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', tarball], { cwd: folder })
}

/** The files of the app that runs everything; `rename` gives other names for the package's entries. */
export function kitFiles(rename = (specifier) => specifier) {
  const conformance = path.join(root, 'conformance')
  const cases = readdirSync(path.join(conformance, 'cases')).filter((file) => file.endsWith('.jsonl'))
  const files = {
    'cases.mjs': `export default ${JSON.stringify(Object.fromEntries(cases.map((file) => [file, readFileSync(path.join(conformance, 'cases', file), 'utf8')])))}`,
  }
  for (const file of ['kit.mjs', 'tags.mjs', 'compare.mjs']) files[file] = readFileSync(path.join(conformance, file), 'utf8')
  for (const file of readdirSync(path.join(here, 'app'))) files[file] = readFileSync(path.join(here, 'app', file), 'utf8')
  files['all.mjs'] = files['all.mjs'].replace(/'(rowjet\/\w+)'/g, (_, specifier) => `'${rename(specifier)}'`)
  return files
}

export const inline = (specifier) => `${specifier}/inline`

/**
 * Bundles the app that runs everything into one file, by esbuild and the /inline entries. Gives the folder of the app, and
 * that of the bundle, which has nothing else but `files`.
 */
export async function bundleInline(name, main, file, options, files = {}) {
  const source = await makeApp(`${name}-source`, kitFiles(inline))
  const folder = await makeApp(name, files, { install: () => {} })
  await build({ stdin: { contents: main, resolveDir: source }, bundle: true, minify: true, outfile: path.join(folder, file), logLevel: 'error', ...options })
  return { source, folder }
}

/** The file of a program in an installed package, or undefined if npm had none for this machine. */
export function program(...names) {
  const file = path.join(here, 'node_modules', ...names)
  return existsSync(file) ? file : undefined
}

const types = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.css': 'text/css', '.json': 'application/json' }

/**
 * Serves a folder on loopback. `answer` may answer a request by its path instead, with { status?, headers?, body? }.
 * Gives the address, and a function that ends it.
 */
export async function serve(folder, answer = () => undefined) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost')
    const file = path.join(folder, path.normalize(pathname).replace(/\/$/, '/index.html'))
    const own = answer(pathname, request)
    try {
      response.writeHead(own?.status ?? 200, { 'content-type': types[path.extname(file)] ?? 'application/octet-stream', ...own?.headers })
      response.end(own?.body ?? readFileSync(file))
    } catch {
      response.statusCode = 404
      response.end()
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
