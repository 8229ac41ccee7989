// The packed package (`make pack`) in every runtime that there is here:
//
//   node run.mjs [part of a name…]
//
// All of it by default, or what has one of these in its name. It ends with a table, and fails if anything does.
import { availableParallelism } from 'node:os'
import { close } from './chromium.mjs'
import { runtimes } from './runtimes.mjs'

const asked = process.argv.slice(2)
const chosen = runtimes.filter(({ name }) => asked.length === 0 || asked.some((part) => name.includes(part)))
if (chosen.length === 0) throw new Error(`nothing is named ${asked.join(' or ')}`)

let passed = 0
let failed = 0
const told = []

async function one({ name, version, report }) {
  const start = performance.now()
  try {
    const is = (await version()).trim()
    const { checks, cases, buffer } = await report()
    if (cases.passed < 40_000) throw new Error(`only ${cases.passed} passed`)
    passed += checks.count - checks.wrong.length + cases.passed
    failed += checks.wrong.length + cases.failed
    told.push({ name, version: is, checks: checks.count, cases: cases.passed, rows: `${cases.rows} ${cases.rowsHash.toString(16)}`, Buffer: buffer, seconds: ((performance.now() - start) / 1000).toFixed(1) })
    for (const wrong of [...checks.wrong, ...cases.faults]) console.error(`${name}: ${wrong}`)
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
const rows = new Set(told.map((each) => each.rows))
if (rows.size > 1) {
  failed++
  console.error('the typed rows differ between runtimes')
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
