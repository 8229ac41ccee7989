// Typed rows are made of columns; they have to be what the document says, read the slow way.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { Engine as PublicEngine, type ResultSet, type Result, type RowOptions } from 'rowjet/slim'
import type { Dialect } from 'rowjet/adapter'
import { BatchReader } from '../dist/columns.js'
import { flagJSONText, flagSettled, shapeBatch, type Instance, type ModuleExports } from '../dist/instance.js'
import { ArrayMaker, ObjectMaker } from '../dist/objects.js'
import { rowDecoder } from '../dist/rows.js'
import type { TypeName } from '../dist/types.js'
import { resultSets } from './result-sets.js'
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

/** An engine whose batches are of about so many bytes; 0 leaves the size as it is. */
function engineOf(dialect: Dialect, batch: number): Engine {
  const module = new WebAssembly.Module(readFileSync(new URL(`../dist/${dialect}.wasm`, import.meta.url)))
  return new Engine(() => {
    const exports = new WebAssembly.Instance(module).exports as unknown as ModuleExports & { rowjet_batch(bytes: number): void }
    return {
      ...exports,
      _initialize() {
        exports._initialize?.()
        if (batch > 0) exports.rowjet_batch(batch)
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
  'preset prisma': { preset: 'prisma', types: { decimal: Decimal as never } },
  strings: everyString,
  others: { types: { int: 'bigint', bigint: 'number', decimal: 'number', bool: 'number', bytes: 'Buffer', date: 'Date', time: 'Date' } },
  functions: { types: Object.fromEntries(Object.keys({ ...everyString.types, char: 0, string: 0, enum: 0, uuid: 0, date: 0, time: 0 }).map((type) => [type, noted])) },
  classes: { types: Object.fromEntries(Object.keys({ ...everyString.types, string: 0, uuid: 0 }).map((type) => [type, Wrapped])) },
  'json as text, by column': { columns: { 0: noted } },
}
// What decimal.js can't read is an error with that class, on both ways.
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

test('every conformance case', async () => {
  const folder = new URL('../../conformance/', import.meta.url)
  const { fromTagged } = (await import(new URL('tags.mjs', folder).href)) as { fromTagged(cell: unknown): any }
  let checked = 0
  for (const file of readdirSync(new URL('cases/', folder))) {
    for (const line of readFileSync(new URL(`cases/${file}`, folder), 'utf8').trimEnd().split('\n')) {
      const c = JSON.parse(line) as { name: string; dialects?: Dialect[]; shape?: string; flags?: string[]; columns: unknown[]; types: number[]; rows: unknown[]; want?: string }
      if (c.want === undefined || (c.shape ?? 'array') !== 'array' || c.flags !== undefined) continue
      for (const dialect of c.dialects ?? dialects) {
        const resultSet = { columnNames: c.columns.map(fromTagged), columnTypes: c.types, rows: c.rows.map(fromTagged) }
        try {
          check(dialect, resultSet, '')
        } catch (error) {
          throw new Error(`${file}: ${c.name} (${dialect})${(error as Error).message}`, { cause: error })
        }
        checked++
      }
    }
  }
  assert.ok(checked > 3000, `${checked} cases`)
})

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
