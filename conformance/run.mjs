// Runs the cases in JavaScript: the shipped modules through the rowjet package,
// and the standard compiler's js builds under Go's own wasm_exec.js.
//
//   node run.mjs [folder of modules] [folder of js builds]

import { readdirSync, readFileSync } from 'node:fs'
import { fromTagged } from './tags.mjs'
import { equal } from './compare.mjs'
import { shipped, standard } from './bodies.mjs'

const DIALECTS = ['postgres', 'mysql', 'sqlite']
const REPORTED = 100

const folder = new URL('cases/', import.meta.url)
const cases = readdirSync(folder)
  .filter((file) => file.endsWith('.jsonl'))
  .flatMap((file) => readFileSync(new URL(file, folder), 'utf8').trimEnd().split('\n').map((line) => ({ file, ...JSON.parse(line) })))

/** What is wrong with an outcome, undefined if nothing. */
function fault(c, { text, error }) {
  if (c.error) {
    const want = JSON.stringify(c.error)
    if (!error) return `gives ${clip(text)}, wants ${want}`
    const { code, row, column } = error
    const got = { code, ...('row' in c.error && { row }), ...(column !== undefined && { column }) }
    return JSON.stringify(got) === want ? undefined : `gives ${JSON.stringify(got)}, wants ${want}`
  }
  if (error) return `gives ${error.stack ?? error}, wants ${clip(c.want)}`
  if (text !== c.want) return `\n gives ${clip(text)}\n wants ${clip(c.want)}`
  if (c.peer && equal(text, c.peer.output) === ('differs' in c)) return `differs from ${c.peer.name}: ${c.differs ?? 'for no reason of ours'}`
  return undefined
}

const clip = (text) => (text.length > 400 ? `${text.slice(0, 300)}…${text.slice(-80)}` : text)

let anyFailed = false
const [modules, builds] = process.argv.slice(2)
for (const { name, engines } of [await shipped(modules), await standard(builds)]) {
  let passed = 0
  let failed = 0
  for (const c of cases) {
    const resultSet = () => ({ columnNames: c.columns.map(fromTagged), columnTypes: c.types, rows: c.rows.map(fromTagged) })
    for (const dialect of c.dialects ?? DIALECTS) {
      for (const [way, serialize] of engines[dialect].ways(c)) {
        let outcome
        try {
          outcome = { text: await serialize(resultSet()) }
        } catch (error) {
          outcome = { error }
        }
        const wrong = fault(c, outcome)
        if (wrong === undefined) {
          passed++
          continue
        }
        failed++
        if (failed <= REPORTED) console.error(`${name}: ${c.file}: ${c.name} (${dialect}, ${way}) ${wrong}`)
      }
    }
  }
  console.log(`conformance: ${name}: ${passed} passed, ${failed} failed`)
  anyFailed ||= failed > 0
}
process.exit(anyFailed ? 1 : 0)
