// Rows of wire results that are made while they arrive.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngine, type Result } from 'rowjet/postgres'
import { ResultBuilder, WireContext } from '../dist/wire.js'
import { slowArrays, slowObjects } from './slow-decoder.js'
import { messagesOf } from './wire-rows.js'

const engine = await createEngine()
let acquired = 0
const counted = Object.assign(engine as unknown as { acquire(): unknown }, {})
const acquire = counted.acquire
counted.acquire = function () {
  acquired++
  return acquire.call(this)
}

/** How often the module was asked while `work` ran. */
function asked(work: () => unknown): number {
  const before = acquired
  work()
  return acquired - before
}

const columns = [['id', 20], ['text', 25], ['at', 1184], ['id', 23]] as const
const rows = Array.from({ length: 1500 }, (_, i) => [String(i), i % 7 === 0 ? null : `number ${i}, né`, '2024-02-29 12:00:00.5+00', String(-i)])

/** Answers a query, row by row. */
function answer(context: WireContext, description: Uint8Array, table: readonly (readonly (string | null)[])[]): Result {
  const builder = new ResultBuilder(context, false)
  builder.columns(description)
  for (const row of table) {
    const message = messagesOf([], [row]).subarray(7, -12) // without RowDescription and CommandComplete
    builder.rows(message, 0, message.length, 1)
  }
  builder.complete()
  return builder.first()
}

test('rows are made ahead if the last ones of such a query were read', () => {
  const context = new WireContext(engine, new Uint8Array(0))
  const description = messagesOf(columns, []).subarray(0, -12)
  const names = columns.map(([name]) => name)
  let result = answer(context, description, rows)
  const wanted = slowArrays(result.text())
  const objects = slowObjects(names, wanted)

  result = answer(context, description, rows)
  assert.equal(asked(() => assert.deepEqual(result.rows(), objects)), 1)

  result = answer(context, description, rows)
  let first: unknown[] = []
  assert.equal(asked(() => (first = result.rows())), 0)
  assert.deepEqual(first, objects)
  // Each call gives rows of its own.
  let second: unknown[] = []
  assert.equal(asked(() => (second = result.rows())), 1)
  assert.notEqual(first[0], second[0])
  assert.deepEqual(second, objects)

  // The other forms are there all the same, and change what is made ahead.
  result = answer(context, description, rows)
  assert.equal(asked(() => assert.deepEqual(result.arrays(), wanted)), 1)
  result = answer(context, description, rows)
  assert.equal(asked(() => assert.deepEqual(result.arrays(), wanted)), 0)
  result = answer(context, description, rows)
  assert.equal(asked(() => assert.deepEqual(result.rows({ types: { bigint: 'number' } })[3], { text: 'number 3, né', at: new Date('2024-02-29T12:00:00.500Z'), id: -3 })), 1)
  assert.deepEqual(slowArrays(result.text()), wanted)
  result = answer(context, description, rows)
  assert.equal(asked(() => result.bytes()), 0)
  assert.deepEqual(slowArrays(result.text()), wanted)
  assert.equal(result.rowCount, 1500)
})

test('a cell that is an error is one for whoever reads it', () => {
  const context = new WireContext(engine, new Uint8Array(0))
  const description = messagesOf(columns, []).subarray(0, -12)
  answer(context, description, rows).rows()
  const bad = rows.map((row, i) => (i === 1400 ? ['x', ...row.slice(1)] : row))
  const result = answer(context, description, bad)
  assert.throws(() => result.rows(), { code: 'BIGINT_INVALID', row: 1400, column: 0 })
  assert.throws(() => result.bytes(), { code: 'BIGINT_INVALID', row: 1400, column: 0 })
  // And no harm is done to the next result.
  assert.equal(answer(context, description, rows).rows().length, 1500)
})

test('maxBytes holds for rows, too', async () => {
  const strict = await createEngine(undefined, { maxBytes: 20_000 })
  const context = new WireContext(strict, new Uint8Array(0))
  const description = messagesOf(columns, []).subarray(0, -12)
  answer(context, description, rows.slice(0, 300)).rows()
  assert.throws(() => answer(context, description, rows), { code: 'RESULT_TOO_LARGE' })
  assert.equal(answer(context, description, rows.slice(0, 300)).rows().length, 300)
})
