// Runs the benchmarks, each part in a process of its own, and prints the tables, with the goals beside what was found.
//
//   node run.mjs [part…] [--only text] [--time share] [--once] [--json file]
//
// Without parts: all but those that measure memory. --only: groups that have the text in their names. --time: a share of
// the time that every group takes, 0.3 for a quick look. --once: one round with little data, to see that everything works.
// --json writes what was measured, as results.mjs tells; parts and groups that the file has from before and that were not run
// stay in it.
// Parts that need database servers find them by ROWJET_POSTGRES_URL and ROWJET_MARIADB_URL, or get some of their own
// from scripts/servers.sh.
import { execFileSync, fork, spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import { above0, options as parsed, usage } from '../scripts/options.mjs'
import * as bun from './bun.mjs'
import { print } from './report.mjs'
import { check, replaceFile, text } from './results.mjs'

/** The parts, in the order in which they run. `server`: what they need; `memory`: they run only if they are named. */
const parts = {
  pg: { server: 'ROWJET_POSTGRES_URL' },
  mysql: { server: 'ROWJET_MARIADB_URL' },
  'result-sets': {},
  types: {},
  sqlite: { native: true },
  start: {},
  go: {},
  memory: { server: ['ROWJET_POSTGRES_URL', 'ROWJET_MARIADB_URL'], native: true, memory: true },
  retention: { memory: true },
}

const { values: options, positionals } = parsed({
  allowPositionals: true,
  options: { only: { type: 'string', default: '' }, time: { type: 'string', default: '1' }, once: { type: 'boolean' }, json: { type: 'string' } },
})
const unknown = positionals.filter((name) => !Object.hasOwn(parts, name))
if (unknown.length > 0) usage(`no part is called ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`)
const twice = positionals.filter((name, i) => positionals.indexOf(name) !== i)
if (twice.length > 0) usage(`${twice.join(', ')} is there twice`)
above0('--time', options.time, 1000)
const before = options.json === undefined ? undefined : kept(options.json)
const chosen = positionals.length > 0 ? positionals : Object.keys(parts).filter((name) => !parts[name].memory)

if (chosen.some((name) => [parts[name].server ?? []].flat().some((server) => !process.env[server]))) {
  const { status } = spawnSync(fileURLToPath(new URL('../scripts/servers.sh', import.meta.url)), [process.execPath, ...process.argv.slice(1)], { stdio: 'inherit' })
  process.exit(status ?? 1)
}
if (chosen.some((name) => parts[name].native)) buildNative()

const report = { ...(options.once && { once: true }), machine: machine(), parts: {} }
for (const name of chosen) {
  process.stderr.write(`${name}\n`)
  const start = performance.now()
  const { groups, versions } = await part(name).catch((error) => {
    console.error(error.message)
    process.exit(1)
  })
  Object.assign(report.machine.versions, versions)
  report.parts[name] = { seconds: Math.round((performance.now() - start) / 100) / 10, groups }
}

if (Object.values(report.parts).every(({ groups }) => groups.length === 0)) {
  console.error(`no group of ${chosen.join(', ')} has ${JSON.stringify(options.only)} in its name`)
  process.exit(1)
}
if (before !== undefined) replaceFile(options.json, text(check(joined())))
await print(report)

/** The parts that there were, with those that ran in their places; of a part that ran with --only, the groups that did not. */
function joined() {
  const found = Object.keys(parts).flatMap((name) => {
    const [old, now] = [before.parts[name], report.parts[name]]
    if (now === undefined || now.groups.length === 0) return old === undefined ? [] : [[name, old]]
    if (old === undefined || options.only === '') return [[name, now]]
    const fresh = new Map(now.groups.map((group) => [group.name, group]))
    const groups = old.groups.map((group) => fresh.get(group.name) ?? group)
    return [[name, { ...now, groups: [...groups, ...now.groups.filter(({ name }) => !old.groups.some((group) => group.name === name))] }]]
  })
  return { ...report, machine: { ...report.machine, versions: { ...before.machine?.versions, ...report.machine.versions } }, parts: Object.fromEntries(found) }
}

/** What a file of results has from before. Minutes of measuring must not end with a file that can't be written. */
function kept(file) {
  try {
    if (existsSync(file) && statSync(file).size > 0) {
      const report = check(JSON.parse(readFileSync(file, 'utf8')))
      if (options.once && !report.once) usage(`--json ${file}: what is there is of more than one round, and would be lost`)
      accessSync(file, constants.W_OK)
      return options.once || report.once ? { parts: {} } : report
    }
    writeFileSync(`${file}.part`, '')
    rmSync(`${file}.part`)
    return { parts: {} }
  } catch (error) {
    return usage(`--json ${file}: ${error.message}`)
  }
}

/** Runs a part and gives what it found. */
function part(name) {
  return new Promise((resolve, reject) => {
    let found
    // Dates without a zone mean the same for every driver.
    const words = [...(options.once ? ['--once'] : []), `--time=${options.time}`, `--only=${options.only}`]
    const child = fork(fileURLToPath(new URL(`parts/${name}.mjs`, import.meta.url)), words, { execArgv: ['--expose-gc'], env: { ...process.env, TZ: 'UTC' } })
    child.on('message', (message) => (found = message))
    child.on('error', reject)
    child.on('exit', (code, signal) => (code === 0 && found !== undefined ? resolve(found) : reject(new Error(`${name} ended with ${code ?? signal}`))))
  })
}

/** An install without scripts leaves better-sqlite3, one of the package's development dependencies, without its binary. */
function buildNative() {
  const js = fileURLToPath(new URL('../js/', import.meta.url))
  try {
    new (createRequire(js)('better-sqlite3'))(':memory:').close()
  } catch {
    execFileSync('npm', ['rebuild', 'better-sqlite3'], { cwd: js, stdio: ['ignore', 2, 2] })
  }
}

/** What the numbers were measured on. */
function machine() {
  const cpus = os.cpus()
  const version = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), 'utf8')).version
  const output = (program, ...words) => {
    try {
      return execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
    } catch {
      return undefined
    }
  }
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: output('git', 'describe', '--always', '--dirty'),
    cpu: `${cpus.length} × ${cpus[0].model.trim()}`,
    memory: `${Math.round(os.totalmem() / 2 ** 30)} GiB`,
    system: `${os.type()} ${os.arch()}`,
    versions: {
      Node: process.versions.node,
      Bun: bun.version,
      Go: output('go', 'env', 'GOVERSION')?.replace('go', ''),
      ...Object.fromEntries(['pg', 'postgres', '@prisma/query-engine-wasm', '@prisma/client-engine-runtime'].map((name) => [name, version(name)])),
    },
  }
}
