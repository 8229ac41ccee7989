// Typed rows are made of columns; they have to be what the document says, read the slow way.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { Decimal } from 'decimal.js'
import fc from './fast-check.js'
import { Engine as PublicEngine, type ResultSet, type Result, type RowOptions } from 'rowjet/slim'
import type { Dialect } from 'rowjet/adapter'
import { BatchReader } from '../dist/columns.js'
import { flagJSONText, flagSettled, shapeBatch, type Instance, type ModuleExports } from '../dist/instance.js'
import { ArrayMaker, ObjectMaker } from '../dist/objects.js'
import { rowDecoder } from '../dist/rows.js'
import type { TypeName } from '../dist/types.js'
import { resultSets } from './result-sets.js'
import { jsonTextOf, messagesOf, resultOf } from './wire-rows.js'
import { slowArrays, slowObjects, wantsJSONText } from './slow-decoder.js'

/** With what the declarations keep to themselves. */
const Engine = PublicEngine as unknown as new (instantiate: () => ModuleExports, dialect: Dialect) => Engine
type Engine = PublicEngine & {
  acquire(): { instance: Instance }
  release(slot: { instance: Instance }): void
  again(source: { names: readonly string[]; types: readonly number[]; rows: readonly unknown[] }, context: undefined, shape: 'array', jsonText: boolean): { bytes?: Uint8Array }
}

const dialects: Dialect[] = ['postgres', 'mysql', 'sqlite']
const runs = Number(process.env.ROWJET_RUNS ?? 150)
/** Set in a run of these tests in which the package found no Buffer. */
const withoutBuffer = process.env.ROWJET_WITHOUT_BUFFER !== undefined

/** An engine whose batches are of about so many bytes; 0 leaves the size as it is. */
function engineOf(dialect: Dialect, batch: number): Engine {
  const module = new WebAssembly.Module(readFileSync(new URL(`../dist/${dialect}.wasm`, import.meta.url)))
  return new Engine(() => {
    const exports = new WebAssembly.Instance(module).exports as unknown as ModuleExports
    return {
      ...exports,
      rowjet_batch(bytes) {
        exports.rowjet_batch(batch > 0 ? batch : bytes)
      },
    }
  }, dialect)
}
const engines = Object.fromEntries(dialects.map((dialect) => [dialect, engineOf(dialect, 0)])) as Record<Dialect, Engine>
const small = Object.fromEntries(dialects.map((dialect) => [dialect, engineOf(dialect, 100)])) as Record<Dialect, Engine>

/** The rows of a result set, all of them through batches, and the labels. */
function batched(engine: Engine, resultSet: ResultSet, types: readonly TypeName[], options: RowOptions, objects: boolean): unknown[] {
  const slot = engine.acquire()
  try {
    const { instance } = slot
    const names = resultSet.columnNames
    const decoder = rowDecoder(names, types, options)
    for (let flags = decoder.jsonText ? flagJSONText : 0; ; flags |= flagSettled) {
      const maker = objects ? new ObjectMaker(names, 1000) : new ArrayMaker(names.length)
      instance.sink = new BatchReader(decoder.decoders, maker)
      instance.begin(shapeBatch, flags, names, resultSet.columnTypes)
      instance.writer.rows(resultSet.rows as unknown[], 0, (resultSet.rows as unknown[]).length)
      if (!instance.end()) return maker.rows
    }
  } finally {
    engine.release(slot)
  }
}

/** The text of the document, with the source texts of json cells if the options want them. */
function documentText(engine: Engine, resultSet: ResultSet, result: Result, options: RowOptions): string {
  if (!wantsJSONText(result.columns, result.types, options)) return result.text()
  if (resultSet.columnNames.length === 0) return jsonTextOf(engine, result)
  const { columnNames: names, columnTypes: types, rows } = resultSet
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(engine.again({ names, types, rows: rows as unknown[] }, undefined, 'array', true).bytes!)
}

const noted = (text: string, column: { name: string; index: number; type: string }): string => `${column.index} ${column.name} ${column.type}: ${text}`
class Wrapped {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const everyString: RowOptions = {
  types: { int: 'string', bigint: 'string', float: 'string', double: 'string', decimal: 'string', bool: 'string', bytes: 'string', json: 'string', datetime: 'string', unknown: 'string' },
}
const choices: Record<string, RowOptions | undefined> = {
  default: undefined,
  'preset json': { preset: 'json' },
  strings: everyString,
  others: { types: { int: 'bigint', bigint: 'number', decimal: 'number', bool: 'number', bytes: withoutBuffer ? 'base64' : 'Buffer', date: 'Date', time: 'Date' } },
  functions: { types: Object.fromEntries(Object.keys({ ...everyString.types, char: 0, string: 0, enum: 0, uuid: 0, date: 0, time: 0 }).map((type) => [type, noted])) },
  classes: { types: Object.fromEntries(Object.keys({ ...everyString.types, string: 0, uuid: 0 }).map((type) => [type, Wrapped])) },
  'json as text, by column': { columns: { 0: noted } },
}
/** What decimal.js can't read would be an error. */
class Lenient {
  readonly value: string
  constructor(text: string) {
    try {
      this.value = new Decimal(text).toString()
    } catch {
      this.value = `not ${text}`
    }
  }
}
choices['preset prisma'] = { preset: 'prisma', types: { decimal: Lenient } }
if (withoutBuffer) for (const name of ['preset json', 'classes', 'functions']) delete choices[name]

/** Deep and strict, also for invalid Dates, and with an error that a reporter can print. */
function same(actual: unknown, expected: unknown, told: string): void {
  const [got, wanted] = [actual, expected].map(withoutInvalid)
  try {
    assert.deepStrictEqual(got, wanted)
  } catch (error) {
    throw new Error(`${told}: ${(error as Error).message}`)
  }
}

function withoutInvalid(value: unknown): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid Date' : value
  if (Array.isArray(value)) return value.map(withoutInvalid)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.entries(value).map(([key, member]) => [key, withoutInvalid(member)])
}

function check(dialect: Dialect, resultSet: ResultSet, note: string): void {
  const result = engines[dialect].serialize(resultSet)
  for (const [name, options] of Object.entries(choices)) {
    if (options?.columns !== undefined && result.columns.length === 0) continue
    const want = slowArrays(documentText(engines[dialect], resultSet, result, options ?? {}), options)
    const objects = slowObjects(result.columns, want)
    const told = `${note}, ${dialect}, ${name}`
    same(result.arrays(options), want, told)
    same(result.rows(options), objects, told)
    for (const engine of [engines[dialect], small[dialect]]) {
      same(batched(engine, resultSet, result.types, options ?? {}, false), want, `${told}, batches`)
      same(batched(engine, resultSet, result.types, options ?? {}, true), objects, `${told}, batches`)
    }
  }
}

const conformance = new URL('../../conformance/', import.meta.url)
const { fromTagged, toTagged } = (await import(new URL('tags.mjs', conformance).href)) as { fromTagged(cell: unknown): any; toTagged(value: unknown): unknown }

/** The conformance cases that give a document in array shape. */
function* cases(): Generator<{ name: string; dialect: Dialect; resultSet: ResultSet }> {
  for (const file of readdirSync(new URL('cases/', conformance))) {
    for (const line of readFileSync(new URL(`cases/${file}`, conformance), 'utf8').trimEnd().split('\n')) {
      const c = JSON.parse(line) as { name: string; dialects?: Dialect[]; shape?: string; flags?: string[]; columns: unknown[]; types: number[]; rows: unknown[]; want?: string }
      if (c.want === undefined || (c.shape ?? 'array') !== 'array' || c.flags !== undefined) continue
      for (const dialect of c.dialects ?? dialects) {
        yield { name: `${file}: ${c.name} (${dialect})`, dialect, resultSet: { columnNames: c.columns.map(fromTagged), columnTypes: c.types, rows: c.rows.map(fromTagged) } }
      }
    }
  }
}

test('every conformance case', () => {
  let checked = 0
  for (const { name, dialect, resultSet } of cases()) {
    try {
      check(dialect, resultSet, '')
    } catch (error) {
      throw new Error(`${name}${(error as Error).message}`, { cause: error })
    }
    checked++
  }
  assert.ok(checked > 3000, `${checked} cases`)
})

test('the preset prisma is what Prisma Client does', async () => {
  const recorded = new Map<string, { value: unknown; error: string | undefined }>()
  for (const line of readFileSync(new URL('../test/prisma-client.jsonl', import.meta.url), 'utf8').trimEnd().split('\n')) {
    const { type, cell, value, error } = JSON.parse(line) as { type: string; cell: unknown; value?: unknown; error?: string }
    recorded.set(JSON.stringify([type, cell]), { value: untold(value), error })
  }
  let checked = 0
  for (const { dialect, resultSet, name } of cases()) {
    const result = engines[dialect].serialize(resultSet)
    const document = result.json()
    const cells = document.rows.map((row) =>
      row.map((cell, c) => {
        const known = recorded.get(JSON.stringify([document.types[c], toTagged(cell)]))
        // It can't read arrays of more than one dimension; they are read like those of one here.
        const nested = /^(bigint|decimal|bytes|date|time|datetime)-array$/.test(document.types[c]) && Array.isArray(cell) && cell.some(Array.isArray)
        if (known === undefined || nested) return undefined
        assert.equal(known.error, undefined)
        checked++
        return known
      }),
    )
    const arrays = result.arrays({ preset: 'prisma', types: { decimal: Decimal as never } })
    arrays.forEach((row, r) => {
      row.forEach((value, c) => {
        if (cells[r][c] !== undefined) same(value, cells[r][c].value, `${name}, row ${r}, column ${c}`)
      })
    })
  }
  assert.ok(checked > 5000, `${checked} cells`)
})

function untold(value: any): unknown {
  if (Array.isArray(value)) return value.map(untold)
  if (typeof value !== 'object' || value === null) return value
  if ('$decimal' in value) return new Decimal(value.$decimal)
  if ('$date' in value) return new Date(value.$date ?? NaN)
  // How Prisma Client's arrays lie in memory is its own business.
  return fromTagged('$bytes' in value ? { $bytes: value.$bytes } : value)
}

/** The same result set with null in place of each cell that alone is an error. */
function mended(engine: Engine, { columnNames, columnTypes, rows }: ResultSet): ResultSet {
  const good = (code: number, cell: unknown): boolean => {
    try {
      engine.serialize({ columnNames: [''], columnTypes: [code], rows: [[cell]] })
      return true
    } catch {
      return false
    }
  }
  return { columnNames, columnTypes, rows: (rows as unknown[][]).map((row) => row.map((cell, c) => (good(columnTypes[c], cell) ? cell : null))) }
}

for (const dialect of dialects) {
  for (const [what, wild] of [['cells that suit their types', 0], ['cells of any kind', 3]] as const) {
    test(`${dialect}: ${what}`, () => {
      fc.assert(
        fc.property(resultSets(wild), (resultSet) => {
          check(dialect, mended(engines[dialect], resultSet), 'random')
        }),
        { numRuns: runs, includeErrorInReport: true },
      )
    })
  }
}

test('recorded streams of PostgreSQL', () => {
  const file = new URL('wire/cases.jsonl', conformance)
  let checked = 0
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const c = JSON.parse(line) as { name: string; stream: string; shape?: string; want: string[]; error?: object }
    if (c.error !== undefined || (c.shape ?? 'array') !== 'array' || c.want.length !== 1) continue
    const stream = Buffer.from(c.stream, 'base64')
    for (const engine of [engines.postgres, small.postgres]) {
      const result = resultOf(engine, (JSON.parse(c.want[0]) as { columns: string[] }).columns, stream, engine === small.postgres ? 7 : 65536)
      assert.equal(result.text(), c.want[0])
      for (const [name, options] of Object.entries(choices)) {
        if (options?.columns !== undefined && result.columns.length === 0) continue
        const text = documentText(engine, { columnNames: [], columnTypes: [], rows: [] }, result, options ?? {})
        const want = slowArrays(text, options)
        same(result.arrays(options), want, `${c.name}, ${name}`)
        same(result.rows(options), slowObjects(result.columns, want), `${c.name}, ${name}`)
      }
    }
    checked++
  }
  assert.ok(checked > 250, `${checked} streams`)
})

test('texts of every length and kind, in batches of every size', () => {
  const units = ['a', 'é', '中', '🎬']
  const lengths = [0, 1, 12, 13, 100, 4096, 4097, 60_000]
  const texts = units.flatMap((unit) => lengths.map((length) => unit.repeat(length)))
  const rows: (string | null)[][] = []
  for (const text of texts) for (const other of ['', 'x', 'Ä', null]) rows.push([other, text, 'short', JSON.stringify([text.slice(0, 10)]), `t${text}`])
  // Rows that are batches of their own, and larger than what is sliced.
  for (const unit of units) rows.push([unit, unit.repeat(250_000), unit, '{"a":null}', unit.repeat(20)])
  const want = rows.map((row) => [row[0], row[1], row[2], JSON.parse(row[3]!), row[4]])
  const columns = [['a', 25], ['b', 25], ['c', 1043], ['j', 114], ['d', 25]] as const
  const stream = messagesOf(columns, rows)
  for (const size of [1, 1000, 49_152, 0, 1_000_000]) {
    const result = resultOf(engineOf('postgres', size), columns.map(([name]) => name), stream)
    assert.deepEqual(result.types, ['string', 'string', 'string', 'json', 'string'])
    assert.ok(JSON.stringify(result.arrays()) === JSON.stringify(want), `batches of ${size}`)
    assert.ok(JSON.stringify(result.rows().map((row) => Object.values(row))) === JSON.stringify(want), `batches of ${size}`)
  }
})

setFlagsFromString('--allow-natives-syntax')
const sameMap = new Function('a', 'b', 'return %HaveSameMap(a, b)') as (a: object, b: object) => boolean
const isFast = new Function('a', 'return %HasFastProperties(a)') as (a: object) => boolean

test('object rows: every name is a member, all rows of a result have one hidden class', () => {
  const check = (names: string[], count: number): void => {
    const rows = Array.from({ length: count }, (_, r) => names.map((_, c) => (c + r) % 3 === 0 ? null : (c + r) % 3 === 1 ? `${c} ${r}` : r + 0.5))
    const result = engines.sqlite.serialize({ columnNames: names, columnTypes: names.map(() => 7), rows })
    const objects = result.rows()
    const want = slowObjects(names, rows)
    assert.equal(objects.length, count)
    for (const [r, object] of objects.entries()) {
      if (r > 20 && r < count - 5) continue
      assert.equal(Object.getPrototypeOf(object), Object.prototype)
      assert.deepEqual(Object.entries(object), Object.entries(want[r]))
      assert.deepEqual(Object.getOwnPropertyDescriptors(object), Object.getOwnPropertyDescriptors(want[r]))
    }
    for (const object of objects) assert.ok(sameMap(object, objects[0]))
    if (names.length < 70) assert.ok(isFast(objects[0]))
  }
  const odd = ['__proto__', 'constructor', 'toString', 'valueOf', '', 'é', '\ud800', 'a b', '"', 'length', '__defineGetter__', '-1', '1e3']
  // Few rows, more, and more than what gets loops of its own.
  for (const count of [1, 3, 20, 1200]) {
    check(odd, count)
    check(['a', 'b', 'a', 'c', 'b'], count)
    check(['10', 'x', '2', '0', '01', '4294967295'], count)
    check(['only'], count)
    check(Array.from({ length: 40 }, (_, i) => `column ${i}`), count)
    check(Array.from({ length: 200 }, (_, i) => `column ${i}`), count)
  }
  // More kinds of rows than there are loops.
  for (let kind = 0; kind < 80; kind++) check([`id ${kind}`, 'title', 'year', '__proto__', `x ${kind}`], 1000)
  // More than are remembered.
  for (let kind = 0; kind < 600; kind++) check([`only ${kind}`], 16)
  check(['id 3', 'title', 'year', '__proto__', 'x 3'], 1000)
  check(['only 3'], 16)
})

test('in a realm whose Object.prototype is frozen', () => {
  const code = `
    Object.freeze(Object.prototype)
    const { createEngine } = await import('rowjet/postgres')
    const engine = await createEngine()
    for (const count of [1, 50, 2000]) {
      const rows = Array.from({ length: count }, (_, i) => [i, 'c', 't', 'p'])
      const all = engine.serialize({ columnNames: ['id', 'constructor', 'toString', '__proto__'], columnTypes: [0, 7, 7, 7], rows }).rows()
      const last = all[count - 1]
      if (JSON.stringify(Object.entries(last)) !== JSON.stringify([['id', count - 1], ['constructor', 'c'], ['toString', 't'], ['__proto__', 'p']])) throw new Error(JSON.stringify(last))
    }`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { cwd: new URL('..', import.meta.url), encoding: 'utf8' })
  assert.equal(status, 0, stderr)
})

test('rows that are no arrays, or have changed', () => {
  const once = engines.postgres.serialize({ columnNames: ['a', 'b'], columnTypes: [0, 10], rows: [new Set([1, '2024-02-29 12:00:00']), (function* () { yield 2; yield null })()] })
  assert.deepEqual(once.rows(), [{ a: 1, b: new Date('2024-02-29T12:00:00Z') }, { a: 2, b: null }])
  // Of plain cells the result has copies (plain.test.ts); SQLite's dates are none.
  const rows: unknown[][] = [[1, '2024-02-29'], [2, null]]
  const changed = engines.sqlite.serialize({ columnNames: ['a', 'b'], columnTypes: [0, 8], rows })
  rows[1][0] = new Uint8Array(1)
  assert.throws(() => changed.rows(), { name: 'TypeError', message: 'the rows have changed since they were serialized' })
})

test('the caller’s functions see each cell once, column by column', () => {
  const rows = Array.from({ length: 700 }, (_, r) => [String(r), r === 650 ? '1e3' : `${r}.5`])
  const result = engines.postgres.serialize({ columnNames: ['a', 'b'], columnTypes: [1, 4], rows })
  const seen: string[] = []
  const note = (text: string): string => {
    seen.push(text)
    return text
  }
  const arrays = result.arrays({ types: { bigint: note, decimal: note } })
  assert.deepEqual(arrays, rows.map(([a, b]) => [a, b === '1e3' ? '1000' : b]))
  assert.equal(seen.length, 1400)
  assert.deepEqual(seen.filter((text) => !text.includes('.') && text !== '1000'), rows.map(([a]) => a))
  assert.deepEqual(seen.filter((text) => text.includes('.') || text === '1000'), arrays.map(([, b]) => b))
  assert.throws(() => result.rows({ types: { bigint: () => { throw new RangeError('mine') } } }), { name: 'RangeError', message: 'mine' })
  assert.deepEqual(result.rows({ types: { bigint: 'string' } })[699], { a: '699', b: '699.5' })
})

test('bytes are memory of their own', () => {
  const value = new Uint8Array([1, 2, 3])
  const direct = engines.postgres.serialize({ columnNames: ['a'], columnTypes: [13], rows: [[value], [Buffer.from(value)]] }).arrays() as Uint8Array[][]
  const wire = resultOf(engines.postgres, ['a'], messagesOf([['a', 17]], [['\\x010203'], ['\\x010203']])).arrays() as Uint8Array[][]
  for (const [bytes] of [...direct, ...wire]) {
    assert.equal(Object.getPrototypeOf(bytes), Uint8Array.prototype)
    assert.deepEqual([...bytes], [1, 2, 3])
    assert.equal(bytes.buffer.byteLength, 3)
    assert.notEqual(bytes.buffer, value.buffer)
  }
})

test('a row that is kept keeps at most its batch', () => {
  const collect = (globalThis as { gc?: () => void }).gc
  assert.ok(collect !== undefined, 'run with --expose-gc')
  const held = (): number => {
    collect()
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return (heapUsed + arrayBuffers) / 1000
  }
  const stream = messagesOf([['id', 23], ['name', 25], ['text', 25], ['raw', 17]], Array.from({ length: 50_000 }, (_, i) => [String(i), `name of number ${i}`, `é ${'some longer text, '.repeat(10)}${i}`, '\\x0102']))
  const result = resultOf(engines.postgres, ['id', 'name', 'text', 'raw'], stream)
  let kept = result.rows().slice(-1) // and once before anything is measured
  const before = held()
  kept = [result.rows()[31_234]]
  const kilobytes = held() - before
  assert.equal(kept[0].name, 'name of number 31234')
  assert.ok(kilobytes < 256, `${kilobytes} kB`)
})

if (!withoutBuffer) {
  test('without a Buffer', () => {
    const { status, stdout } = spawnSync(process.execPath, ['--expose-gc', 'without-buffer.js'], {
      cwd: new URL('.', import.meta.url),
      // NODE_TEST_CONTEXT would make it report in the test runner's own format.
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, ROWJET_WITHOUT_BUFFER: '1', ROWJET_RUNS: String(Math.ceil(runs / 5)) },
      encoding: 'utf8',
    })
    assert.equal(status, 0, stdout)
    assert.match(stdout, /^# pass [1-9]/m)
  })
}

test('words of booleans leave the memory as it is', () => {
  for (const dialect of dialects) {
    const engine = engineOf(dialect, 0)
    const slot = engine.acquire()
    engine.release(slot)
    const resultSet = { columnNames: ['a'], columnTypes: [5], rows: Array.from({ length: 2000 }, (_, r) => [['yes', 'OFF', 't', 'False', '1'][r % 5]]) }
    for (let i = 0; i < 3; i++) engine.serialize(resultSet)
    const before = slot.instance.memorySize
    for (let i = 0; i < 100; i++) engine.serialize(resultSet)
    assert.equal(slot.instance.memorySize, before)
  }
})
