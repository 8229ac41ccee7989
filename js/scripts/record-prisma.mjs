// Writes test/prisma-client.jsonl: what Prisma Client's raw queries make of the cells in the conformance cases. Each line
// has a type, a cell as in a document's rows, and the value, in the tagged form of conformance/README.md ("A cell").
//
//   npm install --prefix <folder> @prisma/client@6.19.3
//   node scripts/record-prisma.mjs <folder>
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { toTagged } from '../../conformance/tags.mjs'

const folder = process.argv[2]
if (folder === undefined) throw new Error('which folder is @prisma/client installed in?')
const require = createRequire(path.join(path.resolve(folder), 'package.json'))
const { version } = require('@prisma/client/package.json')
if (version !== '6.19.3') throw new Error(`@prisma/client is ${version}`)
const { deserializeRawResult, Decimal } = require('@prisma/client/runtime/library.js')

/** Longer cells say nothing more. */
const longest = 200

const lines = new Map()
const cases = new URL('../../conformance/cases/', import.meta.url)
for (const file of readdirSync(cases)) {
  for (const line of readFileSync(new URL(file, cases), 'utf8').trimEnd().split('\n')) {
    const { want, shape = 'array' } = JSON.parse(line)
    if (want === undefined || shape !== 'array') continue
    const { types, rows } = JSON.parse(want)
    for (const row of rows) {
      row.forEach((cell, c) => {
        const key = JSON.stringify([types[c], toTagged(cell)]) // -0 is not 0
        if (key.length <= longest && cell !== null) lines.set(key, record(types[c], cell))
      })
    }
  }
}

function record(type, cell) {
  const line = { type, cell: toTagged(cell) }
  try {
    line.value = told(deserializeRawResult({ columns: ['c'], types: [type], rows: [[structuredClone(cell)]] })[0].c)
  } catch (error) {
    line.error = error.message
  }
  return JSON.stringify(line)
}

function told(value) {
  if (Array.isArray(value)) return value.map(told)
  return value instanceof Decimal ? { $decimal: value.toJSON() } : toTagged(value)
}

writeFileSync(new URL('../test/prisma-client.jsonl', import.meta.url), `${[...lines.values()].sort().join('\n')}\n`)
console.log(`${lines.size} cells`)
