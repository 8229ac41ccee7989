// Collects inputs, asks the reference what each has to become, and gives cases.

import assert from 'node:assert/strict'
import { serialize } from '../reference/index.mjs'
import { fromTagged } from '../tags.mjs'

export const DIALECTS = ['postgres', 'mysql', 'sqlite']

export class Cases {
  #names = new Set()
  list = []

  /**
   * Adds an input: {name, origin, dialects?, columns, types, rows, shape?, flags?},
   * cells tagged. labels and right, if given, are what a person says that it
   * has to become: the labels, and the JSON text of each cell. The reference must agree.
   * One case for each different outcome among the dialects.
   */
  add({ labels, right, error, peer, differs, ...input }) {
    const dialects = input.dialects ?? DIALECTS
    const outcomes = new Map()
    for (const dialect of dialects) {
      const outcome = JSON.stringify(run(input, dialect))
      outcomes.set(outcome, [...(outcomes.get(outcome) ?? []), dialect])
    }
    for (const [json, on] of outcomes) {
      const { text, error: code } = JSON.parse(json)
      const name = outcomes.size === 1 ? input.name : `${input.name} (${on.join(', ')})`
      if (right !== undefined) assert.equal(text, whole(input, labels, right), name)
      if (error !== undefined) assert.deepEqual(code, error, name)
      assert(!this.#names.has(name), `two cases are named ${name}`)
      this.#names.add(name)
      const line = { name, origin: input.origin }
      if (on.length < DIALECTS.length) line.dialects = on
      for (const key of ['shape', 'flags', 'columns', 'types', 'rows']) if (input[key] !== undefined) line[key] = input[key]
      if (text !== undefined) line.want = text
      else line.error = code
      Object.assign(line, peer && peer(text, on))
      this.list.push(line)
    }
  }
}

/** Runs the reference on a tagged input. */
export function run({ columns, types, rows, shape, flags }, dialect) {
  const resultSet = { columnNames: columns.map(fromTagged), columnTypes: types, rows: rows.map(fromTagged) }
  return serialize(resultSet, { dialect, shape, flags })
}

/** The array-shape document of given labels and JSON texts of cells. */
function whole({ columns }, labels, right) {
  const rows = right.map((row) => `[${row.join(',')}]`).join(',')
  return `{"columns":${JSON.stringify(columns.map(fromTagged))},"types":${JSON.stringify(labels)},"rows":[${rows}]}`
}
