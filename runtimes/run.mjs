// The packed package (`make pack`) in every runtime that there is here, and with --all in bundlers and with drivers too:
//
//   node run.mjs [--all] [part of a name…]
//
// With names, only what has one of these in its own. It ends with a table, and fails if anything does.
import { availableParallelism } from 'node:os'
import { close } from './chromium.mjs'
import { runtimes } from './runtimes.mjs'

const all = process.argv.includes('--all')
const asked = process.argv.slice(2).filter((argument) => argument !== '--all')
const known = all ? [...runtimes, ...(await import('./browsers.mjs')).browsers, ...(await import('./drivers.mjs')).drivers, ...(await import('./bundlers.mjs')).bundlers, (await import('./bundlers.mjs')).jsdom] : runtimes
const chosen = known.filter(({ name }) => asked.length === 0 || asked.some((part) => name.includes(part)))
if (chosen.length === 0) throw new Error(`nothing is named ${asked.join(' or ')}`)

let passed = 0
let failed = 0
const told = []

async function one({ name, version, report }) {
  const start = performance.now()
  try {
    const is = (await version()).trim()
    const { checks, cases, buffer } = await report()
    passed += checks.count - checks.wrong.length
    failed += checks.wrong.length
    const row = { name, version: is, checks: checks.count }
    if (cases !== undefined) {
      if (cases.passed < 40_000) throw new Error(`only ${cases.passed} passed`)
      passed += cases.passed
      failed += cases.failed
      Object.assign(row, { cases: cases.passed, rows: `${cases.rows} ${cases.rowsHash.toString(16)}`, Buffer: buffer })
    }
    told.push({ ...row, seconds: Number(((performance.now() - start) / 1000).toFixed(1)) })
    for (const wrong of [...checks.wrong, ...(cases?.faults ?? [])]) console.error(`${name}: ${wrong}`)
  } catch (error) {
    failed++
    console.error(`${name}: ${error.stack}`)
  }
}

// A few at a time.
const queue = chosen.slice()
await Promise.all(Array.from({ length: Math.min(availableParallelism(), 4) }, async () => {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) await one(next)
}))

await close()

console.table(told)
// The typed rows of the cases are the same everywhere.
const rows = new Set(told.flatMap((each) => each.rows ?? []))
if (rows.size > 1) {
  failed++
  console.error('the typed rows differ between runtimes')
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
