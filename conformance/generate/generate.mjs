// Writes conformance/cases/*.jsonl: node conformance/generate/generate.mjs
// With --check it only compares, and fails if a file would change.

import { readFileSync, writeFileSync } from 'node:fs'
import { Cases } from './lib.mjs'
import { bugs } from './bugs.mjs'
import { limits } from './limits.mjs'
import { observations } from './observations.mjs'

const here = new URL('../cases/', import.meta.url)
const check = process.argv.includes('--check')
let count = 0
let stale = 0

function write(file, inputs) {
  const cases = new Cases()
  for (const input of inputs) cases.add(input)
  const text = cases.list.map((line) => JSON.stringify(line) + '\n').join('')
  count += cases.list.length
  const url = new URL(`${file}.jsonl`, here)
  if (!check) return writeFileSync(url, text)
  if (readFileSync(url, 'utf8') !== text) {
    stale++
    console.error(`${file}.jsonl is not what the generator makes`)
  }
}

write('observations', observations)
write('bugs', bugs)
for (const [file, inputs] of Object.entries(limits)) {
  // The same value may stand in two tables; one case is enough.
  write(file, [...new Map(inputs.map((input) => [JSON.stringify({ ...input, origin: '' }), input])).values()])
}
console.log(`generate: ${count} cases`)
if (stale > 0) process.exit(1)
