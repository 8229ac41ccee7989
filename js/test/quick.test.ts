// Rows that are made without the module are those that the module makes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from './fast-check.js'
import { createEngine } from 'rowjet/postgres'
import { columnNames } from '../dist/messages.js'
import { quickColumns, quickRows } from '../dist/quick.js'
import { ResultBuilder, WireContext } from '../dist/wire.js'
import { message, rowDescription, u16, u32 } from './postgres.js'

const engine = await createEngine()
const context = new WireContext(engine, new Uint8Array(0))
const names: Record<number, string> = { 16: 'b', 19: 'n', 20: 'i8', 21: 'i2', 23: 'i4', 25: 't', 701: 'f8', 1042: 'bp', 1043: 'vc' }

const row = (cells: readonly (Uint8Array | null)[]): Buffer => message('D', u16(cells.length), ...cells.flatMap((cell) => (cell === null ? [u32(0xffffffff)] : [u32(cell.length), Buffer.from(cell)])))

/** By the module: options, even none at all, are never quick. */
function slowly(description: Uint8Array, rows: Buffer): unknown {
  const builder = new ResultBuilder(context, false)
  builder.columns(new Uint8Array(description))
  builder.rows(rows, 0, rows.length, 1)
  builder.complete()
  return builder.first().rows({})
}

const text = (arbitrary: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array> => arbitrary.map((t) => Buffer.from(t))
/** What a server sends, and what none does. */
const cells: Record<number, fc.Arbitrary<Uint8Array>> = {
  16: text(fc.constantFrom('t', 'f', 'x', '', 'true')),
  20: text(fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String), fc.constantFrom('0', '-0', '00', '01', '1.5', '', '-', '+1', ' 1', '99999999999999999999'))),
  23: text(fc.oneof(fc.integer().map(String), fc.constantFrom('0', '-0', '007', '2147483648', '-2147483649', '99999999999', '', '-', '1e3', '0x1', ' 1', '1 '))),
  25: fc.oneof(text(fc.string({ unit: 'binary' })), fc.uint8Array({ maxLength: 60 })),
  701: text(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }).map(String), fc.constantFrom('0', '-0', 'NaN', 'Infinity', '-Infinity', '1e+21', '1e-07', '', '.5', '5.', '0x10', ' 1', '1_0'))),
}
for (const [oid, like] of [[21, 23], [19, 25], [1042, 25], [1043, 25]]) cells[oid] = cells[like]

test('the same rows, or none', () => {
  const oids = Object.keys(cells).map(Number)
  let quick = 0
  fc.assert(
    fc.property(
      fc.subarray(oids, { minLength: 1 }).chain((chosen) => fc.record({ chosen: fc.constant(chosen), rows: fc.array(fc.tuple(...chosen.map((oid) => fc.option(cells[oid]))), { minLength: 1, maxLength: 3 }) })),
      ({ chosen, rows }) => {
        const description = rowDescription(chosen.map((oid) => [names[oid], oid]))
        const columns = quickColumns(description, columnNames(description))
        assert.ok(columns !== undefined)
        const bytes = Buffer.concat(rows.map(row))
        const made = quickRows(bytes, columns)
        if (made === undefined) return
        quick++
        assert.deepEqual(made, slowly(description, bytes))
      },
    ),
    { numRuns: 3000 },
  )
  assert.ok(quick > 300, String(quick))
})

test('what is left to the module', () => {
  const columnsOf = (...columns: [string, number][]): unknown => {
    const description = rowDescription(columns)
    return quickColumns(description, columnNames(description))
  }
  assert.equal(columnsOf(['a', 1700]), undefined)
  assert.equal(columnsOf(['a', 23], ['a', 25]), undefined)
  assert.equal(columnsOf(['__proto__', 23]), undefined)
  const binary = rowDescription([['a', 23]], 1)
  assert.equal(quickColumns(binary, ['a']), undefined)
  const description = rowDescription([['a', 23]])
  const columns = quickColumns(description, ['a'])!
  assert.deepEqual(quickRows(row([Buffer.from('5')]), columns), [{ a: 5 }])
  for (const cell of ['2147483648', '05', '-0', '1.0', '']) assert.equal(quickRows(row([Buffer.from(cell)]), columns), undefined)
  const texts = quickColumns(rowDescription([['a', 25]]), ['a'])!
  assert.equal(quickRows(row([Buffer.from([0xed, 0xa0, 0x80])]), texts), undefined)
  assert.deepEqual(quickRows(row([Buffer.from('é')]), texts), [{ a: 'é' }])
})
