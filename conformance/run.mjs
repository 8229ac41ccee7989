// Runs the cases in JavaScript: the shipped modules through the rowjet package,
// and the standard compiler's js builds under Go's own wasm_exec.js.
//
//   node run.mjs [folder of modules] [folder of js builds]

import { readdirSync, readFileSync } from 'node:fs'
import { shipped, standard } from './bodies.mjs'
import { casesOf, runCases } from './kit.mjs'

const folder = new URL('cases/', import.meta.url)
const cases = readdirSync(folder)
  .filter((file) => file.endsWith('.jsonl'))
  .flatMap((file) => casesOf(file, readFileSync(new URL(file, folder), 'utf8')))

let anyFailed = false
const [modules, builds] = process.argv.slice(2)
for (const { name, engines } of [await shipped(modules), await standard(builds)]) {
  const { passed, failed, faults } = await runCases(cases, engines)
  for (const fault of faults) console.error(`${name}: ${fault}`)
  console.log(`conformance: ${name}: ${passed} passed, ${failed} failed`)
  anyFailed ||= failed > 0
}
process.exit(anyFailed ? 1 : 0)
