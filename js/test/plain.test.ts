// Result sets of plain cells: their document is made when it is asked for. Nothing else may tell them from others.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import fc from './fast-check.js'
import { Engine as PublicEngine, isRowjetError, type EngineOptions, type Result as PublicResult, type ResultSet } from 'rowjet/slim'
import type { Dialect } from 'rowjet/adapter'
import type { ModuleExports } from '../dist/instance.js'
import { plainSource } from '../dist/plain.js'
import { Result as InternalResult } from '../dist/result.js'
import { resultSets } from './result-sets.js'

/** With what the declarations keep to themselves. */
const Engine = PublicEngine as unknown as new (instantiate: () => ModuleExports, dialect: Dialect, options?: EngineOptions) => PublicEngine
const Result = InternalResult as unknown as new (engine: PublicEngine, source: object, context: undefined, parts: object) => PublicResult

const dialects: Dialect[] = ['postgres', 'mysql', 'sqlite']
const runs = Number(process.env.ROWJET_RUNS ?? 150)

/** How many results were begun in a module. */
let begun = 0

function engineOf(dialect: Dialect, options?: EngineOptions): PublicEngine {
  const module = new WebAssembly.Module(readFileSync(new URL(`../dist/${dialect}.wasm`, import.meta.url)))
  const instantiate = (): ModuleExports => {
    const exports = new WebAssembly.Instance(module).exports as unknown as ModuleExports
    return {
      ...exports,
      rowjet_begin(source, shape, flags) {
        begun++
        return exports.rowjet_begin(source, shape, flags)
      },
    }
  }
  return new Engine(instantiate, dialect, options)
}
/** A limit holds from the start, so that these make each document at once. */
const engines = Object.fromEntries(dialects.map((dialect) => [dialect, engineOf(dialect, { maxBytes: 2 ** 31 - 1 })])) as Record<Dialect, PublicEngine>

/** All values in a value, in order, told so that any two that differ differ here. However deep they are. */
function shown(value: unknown): unknown[] {
  const parts: unknown[] = []
  const open = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'bigint') parts.push(`${next}n`)
    else if (typeof next !== 'object' || next === null) parts.push(Object.is(next, -0) ? '-0' : next)
    else if (next instanceof Date) parts.push(`a Date of ${next.getTime()}`)
    else if (next instanceof Uint8Array) parts.push(`bytes of ${next.buffer.byteLength}: ${next.join(' ')}`)
    else {
      const members = Array.isArray(next) ? (next as unknown[]) : Object.entries(next).flat()
      parts.push(`${Array.isArray(next) ? 'list' : 'object'} of ${members.length}`)
      for (let i = members.length - 1; i >= 0; i--) open.push(members[i])
    }
  }
  return parts
}

const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

/** All that a result says. */
function told(result: PublicResult, rowsFirst: boolean): unknown {
  const typed = (): unknown => [result.rows(), result.arrays(), result.rows(), result.rows({ preset: 'json' }), result.arrays({ types: { json: 'string', bigint: 'string', bytes: 'base64' } })].map(shown)
  const documents = (): unknown => [result.text(), decode(result.objects())]
  const first = rowsFirst ? typed() : undefined
  const texts = documents()
  return { columns: result.columns, types: result.types, rowCount: result.rowCount, texts, typed: first ?? typed() }
}

/** Holds a result of plain cells against that of the same cells whose document was made at once. Tells whether they are plain. */
function check(dialect: Dialect, { columnNames: names, columnTypes: types, rows }: ResultSet, note: string): boolean {
  const engine = engines[dialect]
  let isPlain = false
  for (const rowsFirst of [false, true]) {
    const source = plainSource(names, types, rows as unknown[], dialect, () => undefined)
    if (source === undefined) continue
    isPlain = true
    try {
      const want = told(engine.serialize({ columnNames: names, columnTypes: types, rows }), true)
      assert.deepEqual(told(new Result(engine, source, undefined, { bytes: null, ascii: false, labels: types, rowCount: source.rowCount }), rowsFirst), want, note)
    } catch (error) {
      throw isRowjetError(error) ? new Error(`${note}: taken for plain, but ${error.message}`) : error
    }
  }
  return isPlain
}

for (const dialect of dialects) {
  test(`${dialect}: random cells, column by column`, () => {
    let plain = 0
    let all = 0
    fc.assert(
      fc.property(resultSets(1), ({ columnNames, columnTypes, rows }) => {
        for (let c = 0; c < columnNames.length; c++) {
          const cells = (rows as unknown[][]).map((row) => row[c])
          const column = (part: unknown[]): ResultSet => ({ columnNames: [columnNames[c]], columnTypes: [columnTypes[c]], rows: part.map((cell) => [cell]) })
          for (const part of [cells, ...cells.map((cell) => [cell])]) {
            all++
            if (check(dialect, column(part), `${dialect}, ${columnTypes[c]}`)) plain++
          }
        }
      }),
      { numRuns: runs, includeErrorInReport: true },
    )
    assert.ok(plain > all / 10, `${plain} of ${all}`)
  })
}

test('every conformance case', async () => {
  const { fromTagged } = (await import(new URL('../../conformance/tags.mjs', import.meta.url).href)) as { fromTagged(cell: unknown): any }
  let plain = 0
  for (const file of readdirSync(new URL('../../conformance/cases/', import.meta.url))) {
    for (const line of readFileSync(new URL(`../../conformance/cases/${file}`, import.meta.url), 'utf8').trimEnd().split('\n')) {
      const c = JSON.parse(line) as { name: string; dialects?: Dialect[]; flags?: string[]; columns: unknown[]; types: number[]; rows: unknown[] }
      const rows = c.rows.map(fromTagged) as unknown[]
      // Also those that want an error, or flags: what is taken for plain must serialize whatever they are about.
      for (const dialect of c.dialects ?? dialects) if (check(dialect, { columnNames: c.columns.map(fromTagged), columnTypes: c.types, rows }, `${file}: ${c.name}`)) plain++
    }
  }
  assert.ok(plain > 500, `${plain} cases`)
})

const codes = { int: 0, bigint: 1, float: 2, double: 3, decimal: 4, bool: 5, string: 7, date: 8, time: 9, datetime: 10, json: 11, bytes: 13, uuid: 15 }
const uuid = 'c4ca4238-a0b9-2382-0dcc-509a6f75849b'
const rowsOf = (count: number): unknown[][] =>
  Array.from({ length: count }, (_, i) => [
    i, String(2 ** 40 + i), i / 3, i / 7, `${i}.50`, i % 2 === 0, `text ${i}`, '2024-02-29', '12:34:56.789', '2024-02-29 12:34:56.789012+00', `{"i": ${i}}`, Uint8Array.of(i & 255), uuid,
  ])
const everything = (count: number): ResultSet => ({ columnNames: Object.keys(codes), columnTypes: Object.values(codes), rows: rowsOf(count) })

test('the module is asked only for a document, and at once where the last results of the kind were asked for one', () => {
  const { columnNames, columnTypes } = everything(0)
  // A float is a double with fewer digits, which the module finds.
  const keep = columnNames.map((_, c) => c).filter((c) => columnTypes[c] !== codes.float)
  const rows = rowsOf(300).map((row) => keep.map((c) => row[c]))
  const resultSet = { columnNames: keep.map((c) => columnNames[c]), columnTypes: keep.map((c) => columnTypes[c]), rows }
  const without = { columnNames: ['a'], columnTypes: [7], rows: [['x']] }
  const engine = engineOf('postgres')
  const begins = (work: () => unknown): number => {
    begun = 0
    work()
    return begun
  }
  // At first nothing is known; then kinds of results that were not read yet are taken for the last one.
  assert.deepEqual([begins(() => engine.serialize(resultSet)), begins(() => engine.serialize(without))], [1, 1])
  assert.equal(begins(() => engine.serialize(resultSet).rows()), 1)
  assert.equal(begins(() => engine.serialize(without)), 0)
  assert.equal(begins(() => engine.serialize(resultSet).rows()), 0)
  assert.equal(begins(() => engine.serialize(resultSet).arrays()), 0)
  const result = engine.serialize(resultSet)
  assert.equal(begins(() => [result.rows(), result.rows(), result.arrays()]), 0)
  assert.equal(begins(() => result.text()), 1)
  // Three documents after the last rows nobody expects rows any more.
  assert.equal(begins(() => engine.serialize(resultSet)), 0)
  assert.equal(begins(() => [result.bytes(), result.json()]), 0)
  assert.equal(begins(() => engine.serialize(resultSet)), 1)
  assert.equal(begins(() => engine.serialize(without).rows()), 1)
  assert.deepEqual([begins(() => engine.serialize(resultSet)), begins(() => engine.serialize(without))], [1, 0])
  for (let i = 0; i < 3; i++) assert.equal(begins(() => engine.serialize(without).bytes()), 1)
  assert.equal(begins(() => engine.serialize(without)), 1)
  // A limit holds from the start.
  const limited = engineOf('postgres', { maxBytes: 100 })
  assert.throws(() => limited.serialize(resultSet), { code: 'RESULT_TOO_LARGE' })
})

test('what happens to the rows later is no matter', () => {
  for (const count of [3, 700]) {
    for (const use of ['rows', 'arrays', 'text', 'objects'] as const) {
      const engine = engineOf('postgres')
      engine.serialize(everything(1)).rows()
      const resultSet = { ...everything(count), columnTypes: Object.values(codes), columnNames: Object.keys(codes) }
      const read = (result: PublicResult): unknown => (use === 'objects' ? decode(result.objects()) : shown(result[use]()))
      const want = read(engines.postgres.serialize(everything(count)))
      const result = engine.serialize(resultSet)
      for (const row of resultSet.rows as unknown[][]) {
        ;(row[11] as Uint8Array).fill(9)
        row.fill('other')
      }
      ;(resultSet.rows as unknown[]).length = 1
      resultSet.columnNames.fill('x')
      resultSet.columnTypes.fill(99)
      assert.deepEqual(read(result), want)
      const again = read(result)
      assert.deepEqual(again, want)
    }
  }
})

test('rows that were given away are the caller’s', () => {
  const engine = engineOf('postgres')
  engine.serialize(everything(1)).rows()
  const result = engine.serialize(everything(2))
  const [first] = result.rows() as { json: { i: number }; bytes: Uint8Array; datetime: Date }[]
  first.json.i = 77
  first.bytes.fill(77)
  first.datetime.setTime(0)
  assert.deepEqual(shown(result.rows()), shown(engines.postgres.serialize(everything(2)).rows()))
  assert.equal(result.text(), engines.postgres.serialize(everything(2)).text())
})

test('cells too long to be plain, and buffers that are gone', () => {
  const plain = (code: number, cell: unknown, width = 1): boolean =>
    plainSource(Array<string>(width).fill('a'), Array<number>(width).fill(code), [Array<unknown>(width).fill(cell)], 'postgres', () => undefined) !== undefined
  assert.ok(plain(7, 'x'.repeat(2 ** 20)))
  assert.ok(!plain(7, 'x'.repeat(2 ** 20 + 1)))
  assert.ok(!plain(7, 'x'.repeat(2 ** 20), 100))
  assert.ok(plain(13, new Uint8Array(2 ** 20)))
  assert.ok(!plain(13, new Uint8Array(2 ** 20 + 1)))
  assert.ok(!plain(1, '1'.repeat(1001)))
  assert.ok(plain(71, ['a', null, 'b']))
  assert.ok(!plain(71, Array(10_001).fill('a')))
  assert.ok(!plain(71, ['x'.repeat(1001)]))
  const cyclic: unknown[] = []
  cyclic.push(cyclic)
  for (const code of [64, 71]) assert.ok(!plain(code, cyclic))
  const gone = new Uint8Array(8)
  structuredClone(gone.buffer, { transfer: [gone.buffer] })
  assert.ok(!plain(13, gone))
})

const foreign = runInContext("({ date: new Date(1e12), list: [1, null], texts: ['a'], bytes: new Uint8Array([1, 2]), object: { a: 1 }, bigint: Object(5n), row: (cells) => Array.from(cells) })", createContext({})) as {
  date: Date; list: unknown[]; texts: unknown[]; bytes: Uint8Array; object: object; bigint: object; row(cells: readonly unknown[]): unknown[]
}
class SubDate extends Date {}
class SubArray extends Array {}
class SubBytes extends Uint8Array {}
const lying = Object.assign(new Date(0), { getTime: () => 5e11 })
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])
// eslint-disable-next-line no-sparse-arrays
const sparse = [1, , 2]
const hostile: unknown[] = [
  -0, NaN, Infinity, 2 ** 31, -(2 ** 31), 2 ** 53 + 2, 1e300, 0.1, Math.fround(0.1), 16777217, 1e21, 0n, 2n ** 31n, 2n ** 63n, -(2n ** 63n) - 1n, 10n ** 1200n, true, undefined,
  '', ' 5', '5\n', '+1', '01', '-00', '-0.00', '.5', '5.', '1e3', '1E400', 'NaN', '9223372036854775808', '9'.repeat(1001), 't', '2', '\ud800', '\0', 'y'.repeat(192), '中'.repeat(60),
  '2024-02-29', '2023-02-29', '0000-00-00', '0099-01-01', '12345-01-01', '2024-02-29 BC', 'infinity', '12:34:56', '12:34:56.000', '12:34:56.7', '24:00:00', '25:00:00', '12:34:56+02', '23:59:60',
  '2024-02-29 12:34:56', '2024-02-29T12:34:56.1234567890Z', '2024-02-29 12:34:56.', '2024-02-29 12:34:56+05:30', '2024-02-29 24:00:00', '+275760-09-13T00:00:00.001Z', '0000-00-00 00:00:00',
  '[1,2', '\ufeff1', '\u00a01', '{"a":1,"a":2,"__proto__":3}', '1e999', '"\ud800"', '"\u0001"', '1.', 'null', '[[[[[[[[]]]]]]]]', '{1,2}', '{NULL,"a"}', '{t,f}',
  'C4CA4238-A0B9-2382-0DCC-509A6F75849B', 'c4ca4238a0b923820dcc509a6f75849', new Uint8Array(16),
  new Date(0), new Date(NaN), new Date(8.64e15), new Date(-62198755200000), new SubDate(5), lying, Object.create(Date.prototype), foreign.date, Object.assign(new Date(7), { [Symbol.toStringTag]: 'X' }), new Proxy(new Date(1), {}),
  [], [1, null, undefined], sparse, ['a', null], [[1], [2]], nested(6), nested(7), nested(8), [NaN, -0, Infinity], [1n, 2n ** 70n], [true, 1, 0n], ['\ud800'], [new Date(0), '2024-02-29 12:00:00'], [new Date(NaN)], ['{"a":1}', '['],
  [{}], [new Uint8Array(2)], SubArray.from([1, 2]), foreign.list, foreign.texts, new Proxy([1, 2], {}), ['12:00:00+02'], Object.assign([1], { toJSON: () => 7 }),
  new SubBytes(1), Buffer.from('hi'), foreign.bytes, new DataView(new ArrayBuffer(3), 1), new Uint16Array([513]), new Float64Array([1.5]), new ArrayBuffer(2), new SharedArrayBuffer(2), new Uint8Array(new SharedArrayBuffer(4), 1, 2), new Proxy(new Uint8Array(1), {}),
  {}, { a: 1, b: [2n ** 70n] }, { toJSON: () => 5 }, Object.create(null), foreign.object, foreign.bigint, new Map([['x', 1]]), new String('abc'), Object(3n), Symbol('s'), () => 0, /x/, new Proxy({}, {}),
]

test('cells and rows of every kind are the same, or the same error, to an engine that expects typed rows', () => {
  for (const dialect of dialects) {
    const trained = engineOf(dialect)
    const outcome = (engine: PublicEngine, resultSet: ResultSet): unknown => {
      try {
        return told(engine.serialize(resultSet), engine === trained)
      } catch (error) {
        if (!isRowjetError(error)) return String(error) // of a toJSON in the input
        const { code, row, column, columnName, type, found, message } = error
        return { code, row, column, columnName, type, found, message }
      }
    }
    const compare = (resultSet: ResultSet, note: string): void => {
      trained.serialize({ columnNames: [], columnTypes: [], rows: [] }).rows()
      assert.deepEqual(outcome(trained, resultSet), outcome(engines[dialect], resultSet), `${dialect}, ${note}`)
    }
    const columnTypes = [...Array(16).keys(), ...Array.from({ length: 15 }, (_, i) => 64 + i), 99, 128]
    for (const code of columnTypes) for (let i = 0; i < hostile.length; i++) compare({ columnNames: ['a'], columnTypes: [code], rows: [[null], [hostile[i]]] }, `type ${code}, cell ${i}`)
    // Of several bad cells and rows the error is about the first, by row and then by column.
    const columnNames = ['__proto__', '0', '0']
    const good = [1, 'x', '2024-02-29 12:00:00']
    const getters: unknown[] = Object.defineProperty([1, 2, null], 1, { get: () => 'got' })
    const rows: unknown[] = [[1, 2, null], ['x', 'x', null], [1, 'x', 'x'], [1], [1, 'x', null, 4], new Set([1, 'x', null]), foreign.row(good), new Proxy(good.slice(), {}), SubArray.from(good), Array(3), getters, null, 'abc', {}]
    for (const first of rows) for (const second of rows) compare({ columnNames, columnTypes: [0, 7, 10], rows: [good, first, good, second] }, `rows ${rows.indexOf(first)}, ${rows.indexOf(second)}`)
  }
})

test('a Date is what its clock says, in rows as in the document', () => {
  for (const dialect of dialects) {
    const result = engines[dialect].serialize({ columnNames: ['a'], columnTypes: [10], rows: [[lying]] })
    assert.deepEqual([result.json().rows, result.arrays()], [[['1970-01-01T00:00:00+00:00']], [[new Date(0)]]])
  }
})
