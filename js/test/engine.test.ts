import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import fc from './fast-check.js'
import { createEngine as createMySQL } from 'rowjet/mysql'
import { createEngine, createEngineSync, Engine, isRowjetError, RowjetError, type ResultSet } from 'rowjet/postgres'
import { createEngine as createSQLite } from 'rowjet/sqlite'
import type { ModuleExports } from '../dist/instance.js'

const engine = await createEngine()
const sqlite = await createSQLite()
const mysql = await createMySQL()

const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(bytes)
const read = async (stream: ReadableStream<Uint8Array>): Promise<string> => decode(new Uint8Array(await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer()))

const movies: ResultSet = {
  columnNames: ['id', 'title', 'seen'],
  columnTypes: [0, 7, 10],
  rows: [
    [1, 'Häxan', new Date(1.5e12)],
    [2, 'A "quoted" \ud800', null],
  ],
}
const moviesText =
  '{"columns":["id","title","seen"],"types":["int","string","datetime"],"rows":[[1,"Häxan","2017-07-14T02:40:00+00:00"],[2,"A \\"quoted\\" \\ud800",null]]}'

test('the document in all its forms', () => {
  const result = engine.serialize(movies)
  assert.deepEqual(result.columns, ['id', 'title', 'seen'])
  assert.deepEqual(result.types, ['int', 'string', 'datetime'])
  assert.equal(result.rowCount, 2)
  assert.equal(decode(result.bytes()), moviesText)
  assert.equal(result.text(), moviesText)
  assert.deepEqual(result.json(), JSON.parse(moviesText))
  assert.equal(result.bytes(), result.bytes())
  assert.deepEqual(result.arrays(), [[1, 'Häxan', new Date(1.5e12)], [2, 'A "quoted" \ud800', null]])
  assert.deepEqual(result.rows(), [{ id: 1, title: 'Häxan', seen: new Date(1.5e12) }, { id: 2, title: 'A "quoted" \ud800', seen: null }])
  assert.equal(
    decode(result.objects()),
    '[{"id":1,"title":"Häxan","seen":"2017-07-14T02:40:00+00:00"},{"id":2,"title":"A \\"quoted\\" \\ud800","seen":null}]',
  )
})

test('empty results', () => {
  const none = engine.serialize({ columnNames: ['a', 'b'], columnTypes: [0, 128], rows: [] })
  assert.equal(none.text(), '{"columns":["a","b"],"types":["int","unknown"],"rows":[]}')
  assert.equal(decode(none.objects()), '[]')
  assert.deepEqual(none.rows(), [])
  const bare = engine.serialize({ columnNames: [], columnTypes: [], rows: [[], []] })
  assert.equal(bare.text(), '{"columns":[],"types":[],"rows":[[],[]]}')
  assert.equal(bare.rowCount, 2)
  assert.equal(decode(bare.objects()), '[{},{}]')
  assert.deepEqual(bare.rows(), [{}, {}])
})

test('rows may be any iterable, of iterables', () => {
  const rows = new Set([[1], new Set([2])])
  assert.equal(engine.serialize({ columnNames: ['a'], columnTypes: [0], rows }).text(), '{"columns":["a"],"types":["int"],"rows":[[1],[2]]}')
  const once = (function* () {
    yield [1.5]
    yield [2]
  })()
  const result = engine.serialize({ columnNames: ['a'], columnTypes: [128], rows: once })
  assert.equal(result.text(), '{"columns":["a"],"types":["double"],"rows":[[1.5],[2]]}')
  assert.equal(decode(result.objects()), '[{"a":1.5},{"a":2}]')
})

test('types that only the data tell', () => {
  const one = (type: number, ...cells: unknown[]): ResultSet => ({ columnNames: ['n'], columnTypes: [type], rows: cells.map((cell) => [cell]) })
  assert.equal(engine.serialize(one(128, 1, 3e9)).text(), '{"columns":["n"],"types":["bigint"],"rows":[["1"],["3000000000"]]}')
  assert.equal(engine.serialize(one(9, '12:00:00+02', '11:00')).types[0], 'string')
  assert.equal(sqlite.serialize(one(0, 1, 2n ** 40n)).text(), '{"columns":["n"],"types":["bigint"],"rows":[["1"],["1099511627776"]]}')
  assert.equal(sqlite.serialize(one(0, 1, 'x', 1.5)).text(), '{"columns":["n"],"types":["unknown"],"rows":[[1],["x"],[1.5]]}')
  assert.equal(mysql.serialize(one(8, '0000-00-00')).text(), '{"columns":["n"],"types":["date"],"rows":[["0000-00-00"]]}')
  assert.deepEqual([engine.dialect, sqlite.dialect, mysql.dialect], ['postgres', 'sqlite', 'mysql'])
})

test('errors tell the place, and the engine works on', () => {
  const bad = (columnTypes: number[], rows: unknown[]): RowjetError => {
    try {
      engine.serialize({ columnNames: columnTypes.map((_, i) => `c${i}`), columnTypes, rows })
    } catch (error) {
      assert.ok(isRowjetError(error))
      assert.equal(engine.serialize(movies).text(), moviesText)
      return error
    }
    return assert.fail('no error')
  }
  const price = bad([0, 4], [[1, '1'], [2, 'abc']])
  assert.equal(price.message, 'row 1, column 1 "c1" (decimal): not a decimal number, found string "abc"; label the column string, or convert the cell [DECIMAL_INVALID]')
  assert.deepEqual([price.code, price.row, price.column, price.columnName, price.type, price.found], ['DECIMAL_INVALID', 1, 1, 'c1', 'decimal', 'string "abc"'])
  const length = bad([0, 0], [[1, 2], [1]])
  assert.deepEqual([length.code, length.row, length.column, length.found], ['ROW_LENGTH', 1, undefined, '1 cells for 2 columns'])
  const row = bad([0], [[1], [2], { a: 1 }])
  assert.deepEqual([row.code, row.row, row.found], ['ROW_NOT_ARRAY', 2, 'Object'])
  const type = bad([0, 99], [])
  assert.deepEqual([type.code, type.row, type.column], ['COLUMN_TYPE', undefined, 1])
  const date = bad([10], [[new Date(NaN)]])
  assert.deepEqual([date.code, date.found], ['VALUE_UNSUPPORTED', 'invalid Date'])
  const bytes = new Uint8Array(8)
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] })
  for (const gone of [bytes, bytes.buffer, [bytes]]) {
    assert.throws(() => engine.serialize({ columnNames: ['j'], columnTypes: [11], rows: [[gone]] }), { code: 'VALUE_UNSUPPORTED', row: 0, column: 0, found: 'a detached ArrayBuffer' })
  }
  const cyclic: unknown[] = []
  cyclic.push(cyclic)
  assert.deepEqual(bad([11], [[cyclic]]).found, 'cyclic value')
  assert.equal(bad([7], [[() => 1]]).found, 'function')
  // Far from the start, so that blocks have gone before.
  const rows: unknown[][] = Array.from({ length: 30_000 }, (_, i) => [i, 'text'])
  rows[29_000] = [1.5, 'text']
  assert.deepEqual([bad([0, 7], rows).row, bad([0, 7], rows).code], [29_000, 'INT_INVALID'])
  assert.throws(() => engine.serialize({ columnNames: ['a', 'b'], columnTypes: [0], rows: [] }), { code: 'COLUMN_COUNT' })
})

test('misuse is a TypeError', () => {
  const call = (resultSet: unknown) => () => engine.serialize(resultSet as ResultSet)
  assert.throws(call({ columnNames: [1], columnTypes: [0], rows: [] }), { name: 'TypeError', message: 'resultSet.columnNames is not an array of strings' })
  assert.throws(call({ columnNames: ['a'], rows: [] }), TypeError)
  assert.throws(call({ columnNames: ['a'], columnTypes: [0] }), { message: 'resultSet.rows is not an array or another iterable' })
  for (const [input, found] of [[null, 'null'], [undefined, 'undefined'], [5, 'number']]) {
    assert.throws(call(input), { name: 'TypeError', message: `a result set is an object with columnNames, columnTypes and rows, not ${String(found)}` })
  }
  assert.throws(call({ columnNames: Array(1), columnTypes: [0], rows: [] }), { message: 'resultSet.columnNames is not an array of strings' })
  for (const type of [0n, Symbol('x'), 'int', undefined]) {
    assert.throws(call({ columnNames: ['a'], columnTypes: [type], rows: [] }), { name: 'TypeError', message: `resultSet.columnTypes[0] is a ${typeof type}, not a ColumnType code, a number as of @prisma/driver-adapter-utils` })
  }
  assert.throws(call({ columnNames: ['a'], columnTypes: [0], rows: 'text' }), TypeError)
  assert.throws(() => engine.stream(movies, { shape: 'csv' as 'array' }), { message: "the shape of a stream is 'array', 'objects' or 'ndjson', not csv" })
  assert.throws(() => engine.stream(movies, { settle: 'later' as 'scan' }), TypeError)
})

test('what the input throws comes through unchanged', () => {
  const own = new Error('mine')
  const throwing = { columnNames: ['a'], columnTypes: [11], rows: [[1], [{ get x() { throw own } }]] }
  assert.throws(() => engine.serialize(throwing), own)
  const iterator = { columnNames: ['a'], columnTypes: [0], rows: (function* () { yield [1]; throw own })() }
  assert.throws(() => engine.serialize(iterator), own)
  const proxied = { columnNames: ['a'], columnTypes: [0], rows: [new Proxy([1], { get() { throw own } })] }
  assert.throws(() => engine.serialize(proxied), own)
  assert.equal(engine.serialize(movies).text(), moviesText)
})

test('serializing inside of serializing', () => {
  const inner: string[] = []
  const value = {
    toJSON() {
      inner.push(engine.serialize(movies).text())
      return inner.length
    },
  }
  const rows = [[value, 1], ['"x"', 2], [value, 3]]
  assert.equal(engine.serialize({ columnNames: ['a', 'b'], columnTypes: [11, 0], rows }).text(), '{"columns":["a","b"],"types":["json","int"],"rows":[[1,1],["x",2],[2,3]]}')
  assert.deepEqual(inner, [moviesText, moviesText])
})

test('any result set: valid JSON that says the same, in every form', async () => {
  const cell = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.constantFrom(null, '\ud83d', '\ude00', ''))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'binary', maxLength: 10 }), { minLength: 1, maxLength: 5 }), fc.array(fc.tuple(cell, cell, cell, cell, cell), { maxLength: 30 }), async (columnNames, table) => {
      const rows = table.map((row) => row.slice(0, columnNames.length))
      const resultSet = { columnNames, columnTypes: columnNames.map(() => 7), rows }
      const result = engine.serialize(resultSet)
      assert.deepEqual(result.json(), { columns: columnNames, types: columnNames.map(() => 'string'), rows })
      assert.deepEqual(JSON.parse(decode(result.objects())), result.rows())
      assert.equal(await read(engine.stream(resultSet)), result.text())
      assert.equal(await read(result.stream()), result.text())
      assert.equal(await read(engine.stream(resultSet, { shape: 'objects' })), decode(result.objects()))
      const lines = await read(engine.stream(resultSet, { shape: 'ndjson' }))
      assert.deepEqual(lines === '' ? [] : lines.trimEnd().split('\n').map((line) => JSON.parse(line) as unknown), result.rows())
    }),
    { numRuns: 60 },
  )
})

test('large results, of estimates right and wrong', () => {
  const check = (rows: unknown[][]): void => {
    const text = engine.serialize({ columnNames: ['a', 'b'], columnTypes: [0, 7], rows }).text()
    assert.ok(text === `{"columns":["a","b"],"types":["int","string"],"rows":${JSON.stringify(rows)}}`)
  }
  check(Array.from({ length: 100_000 }, (_, i) => [i, `row ${i}`]))
  // Short rows first, long ones later, and the other way round.
  check(Array.from({ length: 20_000 }, (_, i) => [i, 'x'.repeat(i < 15_000 ? 1 : 500)]))
  check(Array.from({ length: 20_000 }, (_, i) => [i, 'x'.repeat(i > 5_000 ? 1 : 500)]))
  check([[1, 'é'.repeat(3_000_000)], [2, 'y']])
})

test('a result holds no more memory than it needs, and shares none with others', () => {
  const small = engine.serialize(movies).bytes()
  assert.equal(small.buffer.byteLength, small.length)
  const large = engine.serialize({ columnNames: ['a'], columnTypes: [7], rows: Array.from({ length: 50_000 }, () => ['some text of forty characters or so, yes']) }).bytes()
  assert.ok(large.buffer.byteLength < large.length * 1.15)
  const before = small.slice()
  engine.serialize({ ...movies, rows: [] })
  assert.deepEqual(small, before)
})

const many = (count: number): ResultSet => ({
  columnNames: ['id', 'n'],
  columnTypes: [0, 128],
  rows: Array.from({ length: count }, (_, i) => [i, i === count - 1 ? 0.5 : i]),
})

test('streams settle their types in the way they are told', async () => {
  const set = many(20_000)
  const rows = set.rows as unknown[][]
  const whole = engine.serialize(set).text()
  assert.match(whole, /^\{"columns":\["id","n"\],"types":\["int","double"\]/)
  const once = function* (): Generator<unknown> {
    yield* rows
  }
  const later = async function* (): AsyncGenerator<unknown> {
    yield* rows
  }
  const again = { [Symbol.iterator]: once }
  assert.equal(await read(engine.stream(set)), whole)
  assert.equal(await read(engine.stream({ ...set, rows: again }, { settle: 'scan' })), whole)
  assert.equal(await read(engine.stream({ ...set, rows: once() }, { settle: 'scan' })), whole)
  assert.equal(await read(engine.stream({ ...set, rows: once() }, { settle: 'buffer' })), whole)
  assert.equal(await read(engine.stream({ ...set, rows: later() }, { settle: 'buffer' })), whole)
  const declared = whole.replace('"double"', '"unknown"')
  assert.equal(await read(engine.stream(set, { settle: 'declared' })), declared)
  assert.equal(await read(engine.stream({ ...set, rows: once() })), declared)
  assert.equal(await read(engine.stream({ ...set, rows: later() })), declared)
  const mixed = { columnNames: ['a'], columnTypes: [0], rows: [[1], ['x'], [2n ** 60n]] }
  assert.equal(await read(sqlite.stream(mixed, { settle: 'unknown' })), '{"columns":["a"],"types":["unknown"],"rows":[[1],["x"],["1152921504606846976"]]}')
  assert.equal(await read(sqlite.stream({ ...mixed, rows: [] }, { settle: 'buffer' })), '{"columns":["a"],"types":["int"],"rows":[]}')
  await assert.rejects(read(sqlite.stream(mixed, { settle: 'declared' })), { code: 'LABEL_UNSETTLED', row: 1, column: 0 })
  // objects and lines know no types, but cells depend on them.
  const lines = await read(engine.stream({ ...set, rows: once() }, { settle: 'buffer', shape: 'ndjson' }))
  assert.equal(lines.split('\n').length, 20_001)
  assert.ok(lines.endsWith('{"id":19999,"n":0.5}\n'))
})

test('a stream reads its rows as it is read', async () => {
  let given = 0
  let returned = false
  const rows = (function* () {
    try {
      for (;;) {
        given++
        yield [given, 'x'.repeat(100)]
      }
    } finally {
      returned = true
    }
  })()
  const stream = engine.stream({ columnNames: ['a', 'b'], columnTypes: [0, 7], rows })
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.equal(given, 0)
  const reader = stream.getReader()
  await reader.read()
  const afterOne = given
  assert.ok(afterOne > 0 && afterOne < 20_000, `${afterOne} rows`)
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.equal(given, afterOne)
  await reader.read()
  assert.ok(given > afterOne)
  await reader.cancel()
  assert.ok(returned)
})

test('an error in a stream errors it', async () => {
  const own = new Error('mine')
  const failing = async function* (): AsyncGenerator<unknown> {
    for (let i = 0; i < 10_000; i++) yield [i]
    throw own
  }
  await assert.rejects(read(engine.stream({ columnNames: ['a'], columnTypes: [0], rows: failing() })), own)
  await assert.rejects(read(engine.stream({ columnNames: ['a'], columnTypes: [0], rows: [[1], ['x']] })), { code: 'INT_INVALID', row: 1 })
  let returned = false
  const guarded = (function* () {
    try {
      yield [1]
      yield ['x']
      for (let i = 0; ; i++) yield [i]
    } finally {
      returned = true
    }
  })()
  await assert.rejects(read(engine.stream({ columnNames: ['a'], columnTypes: [0], rows: guarded })), { code: 'INT_INVALID' })
  assert.ok(returned)
})

test('a signal ends a stream', async () => {
  const reason = new Error('enough')
  const aborted = AbortSignal.abort(reason)
  await assert.rejects(read(engine.stream(movies, { signal: aborted })), reason)
  const controller = new AbortController()
  let returned = false
  const rows = (async function* () {
    try {
      for (let i = 0; ; i++) yield [i]
    } finally {
      returned = true
    }
  })()
  const stream = engine.stream({ columnNames: ['a'], columnTypes: [0], rows }, { signal: controller.signal })
  const reader = stream.getReader()
  await reader.read()
  controller.abort(reason)
  await assert.rejects(reader.read(), reason)
  await new Promise((resolve) => setTimeout(resolve, 10))
  assert.ok(returned)
  // After the end an abort is nothing.
  const late = new AbortController()
  assert.equal(await read(engine.stream(movies, { signal: late.signal })), moviesText)
  late.abort(reason)
})

test('a stream that was cancelled while it waits for rows', async () => {
  let release: (() => void) | undefined
  const rows = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise<IteratorResult<unknown>>((resolve) => (release = () => resolve({ done: false, value: [1] }))),
      return: async () => ({ done: true, value: undefined }) as IteratorResult<unknown>,
    }),
  }
  const stream = engine.stream({ columnNames: ['a'], columnTypes: [0], rows })
  const reader = stream.getReader()
  const first = reader.read()
  await reader.read
  const cancelled = reader.cancel()
  release?.()
  await cancelled
  assert.deepEqual(await first, { done: true, value: undefined })
  assert.equal(engine.serialize(movies).text(), moviesText)
})

test('a document larger than any buffer, as a stream in flat memory', async () => {
  const cells = 'x'.repeat(1000)
  const rows = (function* () {
    for (let i = 0; i < 200_000; i++) yield [i, cells]
  })()
  let size = 0
  let most = 0
  for await (const piece of engine.stream({ columnNames: ['id', 'text'], columnTypes: [0, 7], rows })) {
    size += piece.length
    most = Math.max(most, piece.length)
  }
  const digits = 10 + 180 + 2700 + 36_000 + 450_000 + 600_000
  assert.equal(size, '{"columns":["id","text"],"types":["int","string"],"rows":[]}'.length + digits + 200_000 * (1000 + 5) + 199_999)
  assert.ok(most < 1 << 20)
})

test('batches have the types of the whole', async () => {
  const set = many(2500)
  const batches = [...engine.batches(set, 1000)]
  assert.deepEqual(batches.map((batch) => batch.rowCount), [1000, 1000, 500])
  assert.deepEqual(batches.map((batch) => batch.types), [['int', 'double'], ['int', 'double'], ['int', 'double']])
  assert.deepEqual(batches.flatMap((batch) => batch.arrays()), set.rows)
  assert.equal(decode(batches[2].objects()).slice(-20), '{"id":2499,"n":0.5}]'.slice(-20))
  const mixed = { columnNames: ['a'], columnTypes: [0], rows: [[1], [2], ['x']] }
  const [first] = sqlite.batches(mixed, 2)
  assert.equal(first.text(), '{"columns":["a"],"types":["unknown"],"rows":[[1],[2]]}')
  assert.equal(decode(first.objects()), '[{"a":1},{"a":2}]')
  assert.deepEqual(first.arrays({ types: { unknown: 'string' } }), [['1'], ['2']])
  assert.equal(await read(first.stream()), first.text())
  assert.equal(await read(batches[0].stream({ shape: 'objects' })), decode(batches[0].objects()))
  assert.deepEqual([...engine.batches({ ...set, rows: [] }, 10)].map((batch) => batch.rowCount), [0])
  for (const [size, shown] of [[0, '0'], [-1, '-1'], [1.5, '1.5'], [NaN, 'NaN'], [Infinity, 'Infinity'], ['2', '"2"']] as const) {
    assert.throws(() => [...engine.batches(set, size as number)], { name: 'TypeError', message: `the size of a batch is a whole number of rows above 0, not ${shown}` })
  }
  // Left early, and used meanwhile.
  for (const batch of engine.batches(set, 100)) {
    assert.equal(engine.serialize(movies).text(), moviesText)
    assert.equal(batch.rowCount, 100)
    break
  }
})

test('limits', async () => {
  for (const name of ['maxBytes', 'memoryLimit']) {
    for (const [value, shown] of [[0, '0'], [-1, '-1'], [NaN, 'NaN'], ['1000', '"1000"'], [null, 'null'], [1000n, '1000']] as const) {
      await assert.rejects(createEngine(undefined, { [name]: value }), { name: 'TypeError', message: `${name} is a number of bytes above 0, not ${shown}` })
    }
  }
  const limited = await createEngine(undefined, { maxBytes: 1000 })
  const set = { columnNames: ['a'], columnTypes: [7], rows: [['x'.repeat(900)]] }
  assert.equal(limited.serialize(set).rowCount, 1)
  assert.throws(() => limited.serialize({ ...set, rows: [['x'.repeat(1000)]] }), { code: 'RESULT_TOO_LARGE', message: /^the result is larger than maxBytes \(1,000 bytes\): use stream\(\), or fetch fewer rows \[RESULT_TOO_LARGE\]$/ })
  assert.throws(() => limited.serialize({ ...set, rows: Array.from({ length: 100_000 }, () => ['x'.repeat(100)]) }), { code: 'RESULT_TOO_LARGE' })
  assert.throws(() => limited.serialize({ ...set, rows: [['x'.repeat(2_000_000)]] }), { code: 'MEMORY_LIMIT', row: 0 })
  assert.equal(limited.serialize(set).rowCount, 1)
  assert.equal((await read(limited.stream({ ...set, rows: Array.from({ length: 1000 }, () => ['x'.repeat(100)]) }))).length, 1000 * 104 + 999 + '{"columns":["a"],"types":["string"],"rows":[]}'.length)
  await assert.rejects(createEngine(undefined, { maxBytes: 0 }), TypeError)
  await assert.rejects(createEngine(undefined, { memoryLimit: NaN }), TypeError)
})

test('memory is given back: an instance that has grown is dropped', async () => {
  const module = await WebAssembly.compile(await readFile(new URL('../dist/postgres.wasm', import.meta.url)))
  let made = 0
  const counted = new Engine(
    () => {
      made++
      return new WebAssembly.Instance(module).exports as unknown as ModuleExports
    },
    'postgres',
    { memoryLimit: 8 * 2 ** 20 },
  )
  const big = { columnNames: ['a'], columnTypes: [7], rows: [['x'.repeat(10_000_000)]] }
  for (let i = 0; i < 5; i++) counted.serialize(movies)
  assert.equal(made, 1)
  counted.serialize(big)
  counted.serialize(movies)
  assert.equal(made, 2)
  counted.serialize(movies)
  assert.equal(made, 2)
})

test('a trap: ENGINE_FAILED, and the next call gets a fresh instance', async () => {
  const module = await WebAssembly.compile(await readFile(new URL('../dist/postgres.wasm', import.meta.url)))
  let made = 0
  const trap = new WebAssembly.RuntimeError('unreachable')
  const failing = new Engine(
    () => {
      const exports = new WebAssembly.Instance(module).exports as unknown as ModuleExports
      if (++made > 1) return exports
      return {
        ...exports,
        rowjet_push: () => {
          throw trap
        },
      }
    },
    undefined,
  )
  assert.throws(() => failing.serialize(movies), (error) => error instanceof RowjetError && error.code === 'ENGINE_FAILED' && error.cause === trap)
  assert.equal(failing.serialize(movies).text(), moviesText)
  assert.equal(made, 2)
})

test('createEngineSync', async () => {
  const module = await WebAssembly.compile(await readFile(new URL('../dist/sqlite.wasm', import.meta.url)))
  const made = createEngineSync(module)
  assert.equal(made.dialect, 'sqlite')
  assert.equal(made.serialize(movies).text(), moviesText)
})
