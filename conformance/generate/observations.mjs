// Cases from what two other implementations were seen to do with single cells
// and small result sets: @prisma/query-engine-wasm 6.19.0 ("engine"; its five
// dialects answered alike) and @prisma/client-engine-runtime 7.10.0 ("runtime",
// which passes most values on unchecked). observations.jsonl has the inputs as
// given ("synthetic"), or as adapter-pg 7.10.1 with PostgreSQL 15.18 and
// adapter-better-sqlite3 7.10.0 handed them over, and their answers.
//
// The rule: what the engine accepts becomes equal JSON here, unless a rule of
// ours differs on purpose. Then the case names the rule in "differs", and keeps
// the other answer in "peer", so that a runner can check both.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { equal } from '../compare.mjs'

const lines = readFileSync(new URL('observations.jsonl', import.meta.url), 'utf8').trim().split('\n')

const DIALECTS = { synthetic: undefined, postgresql: ['postgres'], 'better-sqlite3': ['sqlite'] }
const ENGINE = 'query-engine-wasm 6.19.0'
const RUNTIME = 'client-engine-runtime 7.10.0'

export const observations = lines.map((line) => {
  const { source, what, made, type, value, columns = ['c'], types = [type], rows = [[value]], engine, runtime } = JSON.parse(line)
  const cell = JSON.stringify(value)
  const shown = what ?? (cell.length > 70 ? `${cell.slice(0, 60)}… ${cell.length}` : cell)
  const answer = [engine, runtime].find((a) => a?.output !== undefined && a.output !== 'undefined')
  return {
    name: `${source}: ${what ? '' : `type ${type}, `}${shown}`,
    origin: `observed: ${engine ? ENGINE : RUNTIME}${made ? `, ${made}` : ''}`,
    dialects: DIALECTS[source],
    columns,
    types,
    rows,
    peer: answer && ((text) => peerOf(answer === engine ? ENGINE : RUNTIME, answer, what, text, { types, rows, line })),
  }
})

/** The members of a case that tell of a peer's answer. */
function peerOf(name, answer, isWhole, text, input) {
  const whole = isWhole ? answer.output : `{"columns":["c"],"types":${JSON.stringify(answer.types)},"rows":[[${answer.output}]]}`
  const out = { peer: { name, output: whole } }
  if (text !== undefined && equal(text, whole)) return out
  const rule = name === RUNTIME ? 'values are checked and have one form' : differs(JSON.parse(whole), text && JSON.parse(text), input)
  assert(rule, `no rule of ours tells why this differs: ${input.line}\n  ours ${text}`)
  return { ...out, differs: rule }
}

/** The rule of ours that makes a difference to the engine's answer. */
function differs(theirs, ours, { types, rows }) {
  const input = JSON.stringify(rows)
  const type = types[0]
  if (/"\$":"(nan|inf|-inf)"/.test(input)) return 'NaN and infinities are kept'
  if (/"\$":"-0"/.test(input)) return 'negative zero is kept'
  if (rows.some((row) => row?.length !== types.length)) return 'rows have a cell for each column'
  if (/\\ufffd|\ufffd/.test(JSON.stringify(theirs))) return 'lone surrogates are kept'
  if (type === 128) return 'the type of unknown numbers is that of the whole column'
  if (type === 4 || type === 68) return 'decimals keep their scale'
  if (type === 2) return 'float keeps doubles that are no f32'
  if (type === 6) return 'char is the whole string'
  if (type === 8 && /T.*[+-]\d\d:\d\d"/.test(input)) return 'a date is never moved by a zone'
  if ((type === 8 || type === 10) && /"[+-]\d{4,6}-/.test(JSON.stringify(theirs))) return 'years of more than four digits have six'
  if (type === 11 && /\$date/.test(input)) return 'a Date in JSON is its ISO text'
  if (type === 3 && ours.types[0] === 'bigint') return 'no integer of SQLite loses a digit'
  return undefined
}
