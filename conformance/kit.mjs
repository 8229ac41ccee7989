// The cases in JavaScript, in any runtime: nothing of Node is used here. A caller brings the text of the case
// files, and an engine of the package for each dialect.

import { equal } from './compare.mjs'
import { fromTagged, toTagged } from './tags.mjs'

const DIALECTS = ['postgres', 'mysql', 'sqlite']
const REPORTED = 100

/** The cases of a file. */
export function casesOf(file, text) {
  return text.trimEnd().split('\n').map((line) => ({ file, ...JSON.parse(line) }))
}

/**
 * Runs cases through engines ({ postgres, mysql, sqlite }, of createEngine) in every way that they have to make a document.
 * Gives the numbers of those that passed and failed, what was wrong with the first of them, and a checksum of the typed
 * rows of all documents: it is the same wherever the rows are.
 */
export async function runCases(cases, engines) {
  const ways = Object.fromEntries(DIALECTS.map((dialect) => [dialect, new Ways(engines[dialect])]))
  const report = { passed: 0, failed: 0, faults: [], rows: 0, rowsHash: 0 }
  for (const c of cases) {
    const resultSet = () => ({ columnNames: c.columns.map(fromTagged), columnTypes: c.types, rows: c.rows.map(fromTagged) })
    for (const dialect of c.dialects ?? DIALECTS) {
      for (const [way, serialize] of ways[dialect].ways(c)) {
        let outcome
        try {
          outcome = { text: await serialize(resultSet()) }
        } catch (error) {
          outcome = { error }
        }
        const wrong = fault(c, outcome)
        if (wrong === undefined) {
          report.passed++
          continue
        }
        report.failed++
        if (report.failed <= REPORTED) report.faults.push(`${c.file}: ${c.name} (${dialect}, ${way}) ${wrong}`)
      }
      if (c.want === undefined || (c.shape ?? 'array') !== 'array' || c.flags !== undefined) continue
      const arrays = engines[dialect].serialize(resultSet()).arrays()
      report.rows += arrays.length
      report.rowsHash = hashOf(report.rowsHash, arrays)
    }
  }
  return report
}

/** Of any value. Not recursive: some are deeper than a web worker's stack. */
function hashOf(state, value) {
  const left = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (Array.isArray(next)) {
      state = hash(state, `[${next.length}`)
      for (let i = next.length - 1; i >= 0; i--) left.push(next[i])
    } else if (typeof next === 'object' && next !== null && Object.getPrototypeOf(next) === Object.prototype) {
      left.push(Object.entries(next))
    } else {
      state = hash(state, JSON.stringify(toTagged(next)))
    }
  }
  return state
}

/** FNV-1a of 32 bits, over code units. */
function hash(state, text) {
  let value = state ^ 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value >>> 0
}

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

/** The ways of one engine, as functions from a result set to a document. */
export class Ways {
  constructor(engine) {
    this.engine = engine
  }

  /** Those that a case's shape and flags can be had by. */
  ways({ shape = 'array', flags = [] }) {
    const stream = (settle) => [`stream, ${settle}`, (resultSet) => textOf(this.engine.stream(resultSet, { shape, settle }))]
    if (flags.includes('unknown')) return [stream('unknown')]
    if (flags.includes('fixed')) return [stream('declared')]
    if (flags.includes('jsontext')) {
      return [['again', (resultSet) => utf8(this.engine.again(sourceOf(resultSet), undefined, shape, true).bytes)]]
    }
    const ways = [stream('scan'), stream('buffer')]
    if (shape === 'array') ways.push(['serialize', (resultSet) => utf8(this.engine.serialize(resultSet).bytes())])
    if (shape === 'objects') ways.push(['objects', (resultSet) => utf8(this.engine.serialize(resultSet).objects())])
    return ways
  }
}

const sourceOf = ({ columnNames, columnTypes, rows }) => ({ names: columnNames, types: columnTypes, rows })

const utf8 = (bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)

async function textOf(stream) {
  // By a reader: not every runtime can iterate over streams.
  const reader = stream.getReader()
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    text += decoder.decode(value, { stream: true })
  }
}
