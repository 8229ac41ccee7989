import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { runInNewContext } from 'node:vm'
import fc from './fast-check.js'
import { FrameWriter, type BlockPort } from '../dist/frame.js'
import { readFrames, type Value } from './frames.js'

/** Collects what a writer pushes. Its memory moves with every block, as a growing one does, and is dirty. */
class Port implements BlockPort {
  bytes = new Uint8Array(0)
  buffer: Buffer | undefined
  view = new DataView(this.bytes.buffer)
  pushed: Uint8Array[] = []
  readonly #useBuffer: boolean

  constructor(useBuffer: boolean) {
    this.#useBuffer = useBuffer
  }

  input(size: number): number {
    const start = 8 * (this.pushed.length % 5)
    this.bytes = new Uint8Array(start + size).fill(0xa5)
    this.buffer = this.#useBuffer ? Buffer.from(this.bytes.buffer) : undefined
    this.view = new DataView(this.bytes.buffer)
    this.#start = start
    return start
  }
  #start = 0

  push(size: number): void {
    assert.ok(this.#start + size <= this.bytes.length, 'pushed more than there was room for')
    this.pushed.push(this.bytes.slice(this.#start, this.#start + size))
  }

  frames(): ReturnType<typeof readFrames> {
    return readFrames(new Uint8Array(Buffer.concat(this.pushed)))
  }
}

function encode(rows: readonly unknown[], columns = 1, useBuffer = true): Value[] {
  const port = new Port(useBuffer)
  const writer = new FrameWriter(port)
  writer.columns(Array.from({ length: columns }, (_, i) => `c${i}`), new Array(columns).fill(7))
  writer.rows(rows, 0, rows.length)
  writer.flush()
  return port.frames().blocks.flat()
}

const cell = (value: unknown): Value => {
  const [first, ...rest] = encode([[value]])
  assert.equal(rest.length, 0)
  return first
}

test('columns', () => {
  const port = new Port(true)
  const writer = new FrameWriter(port)
  writer.columns(['id', '', 'naïve', '\ud83d\ude00', 'lone \ud800', '\0'], [0, 128, 7, 78, 300.5, -1])
  writer.flush()
  const frames = port.frames()
  assert.deepEqual(frames.names, ['id', '', 'naïve', '\ud83d\ude00', 'lone \ud800', '\0'])
  assert.deepEqual(frames.types, [0, 128, 7, 78, 0xffffffff, 0xffffffff])
  assert.deepEqual(frames.blocks, [])
})

test('values of each kind', () => {
  const when = new Date(-1)
  const cases: [unknown, Value][] = [
    [null, null],
    [undefined, null],
    [true, true],
    [false, false],
    [0, 0],
    [-0, -0],
    [2147483647, 2147483647],
    [-2147483648, -2147483648],
    [2147483648, 2147483648],
    [0.1, 0.1],
    [NaN, NaN],
    [-Infinity, -Infinity],
    [5n, 5n],
    [2n ** 63n - 1n, 2n ** 63n - 1n],
    [-(2n ** 63n), -(2n ** 63n)],
    [2n ** 63n, 2n ** 63n],
    [-(2n ** 70n), -(2n ** 70n)],
    ['', ''],
    ['a'.repeat(191), 'a'.repeat(191)],
    ['a'.repeat(192), 'a'.repeat(192)],
    [when, { instant: [-1n, 999_000_000] }],
    [new Date(1709209496789), { instant: [1709209496n, 789_000_000] }],
    [new Date(NaN), { mark: 'unsupported', found: 'invalid Date' }],
    [new Uint8Array([1, 2, 3]), new Uint8Array([1, 2, 3])],
    [Buffer.from('ab'), new Uint8Array([97, 98])],
    [new Uint8Array([1, 2, 3, 4]).subarray(1, 3), new Uint8Array([2, 3])],
    [new DataView(new Uint8Array([1, 2, 3, 4]).buffer, 2), new Uint8Array([3, 4])],
    [new Uint16Array([0x0201, 0x0403]), new Uint8Array([1, 2, 3, 4])],
    [new Uint8Array([9]).buffer, new Uint8Array([9])],
    [new SharedArrayBuffer(2), new Uint8Array(2)],
    [new Uint8Array(0), new Uint8Array(0)],
    [[], []],
    [[1, [2, [null, 'x']], undefined], [1, [2, [null, 'x']], null]],
    // eslint-disable-next-line no-sparse-arrays
    [[1, , 3], [1, null, 3]],
    [{}, { object: [] }],
    [{ a: 1, b: undefined, c: { d: [] } }, { object: [['a', 1], ['b', null], ['c', { object: [['d', []]] }]] }],
    [JSON.parse('{"__proto__":1,"constructor":2}'), { object: [['__proto__', 1], ['constructor', 2]] }],
    [Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true }, hidden: { value: 3 } }), { object: [['own', 2]] }],
    [new Map<unknown, unknown>([['k', 1], [2, new Set([1, 'x'])]]), { object: [['k', 1], ['2', [1, 'x']]] }],
    [new Map([[{}, 1]]), { mark: 'unsupported', found: 'a Map with Object as a key' }],
    [Object('boxed'), 'boxed'],
    [Object(1.5), 1.5],
    [Object(false), false],
    [Object(7n), 7n],
    [{ toJSON: (key: string) => [key, 1n] }, ['', 1n]],
    [{ a: { toJSON: (key: string) => key } }, { object: [['a', 'a']] }],
    [[{ toJSON: (key: string) => key }], ['0']],
    [{ toJSON: () => undefined }, null],
    [{ toJSON: () => ({ toJSON: () => 'not again', b: 1 }) }, { object: [['toJSON', { mark: 'unsupported', found: 'function toJSON' }], ['b', 1]] }],
    [{ toJSON: 1 }, { object: [['toJSON', 1]] }],
    [function named() {}, { mark: 'unsupported', found: 'function named' }],
    [() => 1, { mark: 'unsupported', found: 'function' }],
    [Symbol('s'), { mark: 'unsupported', found: 'Symbol(s)' }],
    [/x/, { mark: 'unsupported', found: 'RegExp' }],
    [new Error('x'), { mark: 'unsupported', found: 'Error' }],
    [Promise.resolve(1), { mark: 'unsupported', found: 'Promise' }],
    // A tag that is not the truth does not mislead.
    [{ [Symbol.toStringTag]: 'Date', a: 1 }, { object: [['a', 1]] }],
    [{ [Symbol.toStringTag]: 'Map', a: 1 }, { object: [['a', 1]] }],
    [{ [Symbol.toStringTag]: 'String', a: 1 }, { object: [['a', 1]] }],
    [{ [Symbol.toStringTag]: 'ArrayBuffer', a: 1 }, { object: [['a', 1]] }],
  ]
  for (const [value, expected] of cases) assert.deepEqual(cell(value), expected)
})

test('values of another realm', () => {
  const foreign = runInNewContext(
    `({ array: [1, 'x'], date: new Date(1500), bytes: new Uint8Array([1, 2]), buffer: new Uint8Array([3]).buffer,
        map: new Map([['a', 1]]), set: new Set([1]), boxed: Object('s'), big: 5n, plain: { a: [] } })`,
  ) as Record<string, unknown>
  assert.deepEqual(cell(foreign.array), [1, 'x'])
  assert.deepEqual(cell(foreign.date), { instant: [1n, 500_000_000] })
  assert.deepEqual(cell(foreign.bytes), new Uint8Array([1, 2]))
  assert.deepEqual(cell(foreign.buffer), new Uint8Array([3]))
  assert.deepEqual(cell(foreign.map), { object: [['a', 1]] })
  assert.deepEqual(cell(foreign.set), [1])
  assert.deepEqual(cell(foreign.boxed), 's')
  assert.deepEqual(cell(foreign.big), 5n)
  assert.deepEqual(cell(foreign.plain), { object: [['a', []]] })
  assert.deepEqual(encode([runInNewContext('[1]')]), [1])
})

test('cycles and depth', () => {
  const cyclic: unknown[] = [1]
  cyclic.push({ again: cyclic })
  assert.deepEqual(cell(cyclic), [1, { object: [['again', { mark: 'unsupported', found: 'cyclic value' }]] }])
  // The same object twice is no cycle.
  const shared = { a: 1 }
  assert.deepEqual(cell([shared, shared]), [{ object: [['a', 1]] }, { object: [['a', 1]] }])
  // By way of a toJSON that makes new objects.
  const self = { toJSON: () => ({ self }) }
  assert.deepEqual(cell(self), { object: [['self', { mark: 'unsupported', found: 'cyclic value' }]] })
  assert.deepEqual(cell([self, self]), [cell(self), cell(self)])
  const chain = (depth: number): object => ({ toJSON: () => [depth === 0 ? chained : chain(depth - 1)] })
  const chained = chain(40)
  let end: Value = cell(chained)
  for (let i = 0; i < 41; i++) end = (end as Value[])[0]
  assert.deepEqual(end, { mark: 'unsupported', found: 'cyclic value' })
  // A cycle far down, where the path is searched otherwise.
  let deep: unknown[] = []
  const bottom = deep
  for (let i = 0; i < 100; i++) deep = [deep]
  bottom.push(deep)
  let found: Value = cell(deep)
  for (let i = 0; i < 101; i++) found = (found as Value[])[0]
  assert.deepEqual(found, { mark: 'unsupported', found: 'cyclic value' })

  let nested: unknown = []
  for (let i = 0; i < 1_000_000; i++) nested = [nested]
  let result = cell(nested)
  let depth = 0
  while (Array.isArray(result) && result.length > 0) {
    result = result[0]
    depth++
  }
  assert.equal(depth, 1_000_000)
})

test('rows that are no arrays of the right length', () => {
  assert.throws(() => encode([[1], 5]), { message: 'a row is not an array' })
  const marks = (rows: unknown[], columns: number): Value[] => {
    const port = new Port(true)
    const writer = new FrameWriter(port)
    writer.columns(new Array(columns).fill('c'), new Array(columns).fill(7))
    assert.throws(() => writer.rows(rows, 0, rows.length), TypeError)
    return port.frames().blocks.flat()
  }
  assert.deepEqual(marks([['a'], 5], 1), ['a', { mark: 'notArray', found: 'number 5' }])
  assert.deepEqual(marks([{ a: 1 }], 1), [{ mark: 'notArray', found: 'Object' }])
  assert.deepEqual(marks(['text'], 4), [{ mark: 'notArray', found: 'string "text"' }])
  assert.deepEqual(marks([null], 1), [{ mark: 'notArray', found: 'null' }])
  assert.deepEqual(marks([['a', 'b'], ['c']], 2), ['a', 'b', { mark: 'length', cells: 1 }])
  assert.deepEqual(marks([[1, 2, 3]], 2), [{ mark: 'length', cells: 3 }])
  assert.deepEqual(marks([new Set([1])], 2), [{ mark: 'length', cells: 1 }])
  assert.deepEqual(marks([[1]], 0), [{ mark: 'length', cells: 1 }])
  // Other iterables are rows.
  assert.deepEqual(encode([new Set([1, 'b']), ['c', 2].values()], 2), [1, 'b', 'c', 2])
  assert.deepEqual(encode([[], [], []], 0), [null, null, null])
})

test('what the input throws comes through, and the writer works on', () => {
  const port = new Port(true)
  const writer = new FrameWriter(port)
  const own = new RangeError('mine')
  const bad = {
    good: [[1, 2]],
    get bad(): never {
      throw own
    },
  }
  writer.columns(['a'], [7])
  assert.throws(() => writer.rows([['x'], [bad]], 0, 2), own)
  assert.throws(() => writer.rows([[{ toJSON: () => { throw own } }]], 0, 1), own)
  port.pushed = []
  writer.columns(['a'], [7])
  writer.rows([['y'], [[1]]], 0, 2)
  writer.flush()
  assert.deepEqual(port.frames().blocks, [['y', [1]]])
})

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 250 }),
  fc.string({ maxLength: 90 }),
  // Lone surrogates, alone and so that they meet those of the neighbour.
  fc.array(fc.constantFrom('\ud83d', '\ude00', 'a', 'é', '漢', '\ud83d\ude00', ''), { maxLength: 80 }).map((parts) => parts.join('')),
  fc.tuple(fc.constantFrom('x', 'é', '漢', '\ud83d\ude00', '\ud800'), fc.integer({ min: 0, max: 30_000 })).map(([unit, count]) => unit.repeat(count)),
)

const anyCell: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { withCrossShrink: true, maxDepth: 4 },
    anyText,
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double(),
    fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }),
    fc.uint8Array({ maxLength: 200 }),
    fc.date({ noInvalidDate: true }),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(anyText, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value

/** What a frame must hold for a value. */
function expected(value: unknown): Value {
  if (value instanceof Date) return { instant: [BigInt(Math.floor(value.getTime() / 1000)), (((value.getTime() % 1000) + 1000) % 1000) * 1_000_000] }
  if (value instanceof Uint8Array) return value
  if (Array.isArray(value)) return value.map(expected)
  if (typeof value === 'object' && value !== null) return { object: Object.entries(value).map(([key, member]) => [key, expected(member)]) }
  return value as Value
}

test('any values come back from a frame, with and without Buffer', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyCell, anyText, anyCell), { maxLength: 40 }), fc.boolean(), (rows, useBuffer) => {
      assert.deepEqual(encode(rows, 3, useBuffer), rows.flat().map(expected))
    }),
    { numRuns: 150 },
  )
})

test('many blocks: each limit of a block is met', () => {
  const tables: Record<string, (i: number) => unknown> = {
    numbers: (i) => i * 1.5,
    nulls: () => null,
    'short text': (i) => 'é'.repeat(i % 192),
    'long text': (i) => 'x'.repeat(192 + (i % 3000)),
    'texts of changing kinds': (i) => (i % 1000 < 500 ? '漢' : 'x').repeat(i % 230),
    'halves of pairs': (i) => (i % 2 === 0 ? '\ud83d' : '\ude00'),
    lists: (i) => [i, 'y'.repeat(i % 90), [i]],
    bytes: (i) => new Uint8Array(i % 2000).fill(i),
    bigints: (i) => BigInt(i) ** 7n,
  }
  for (const [name, make] of Object.entries(tables)) {
    const rows = Array.from({ length: 10_000 }, (_, i) => [make(i)])
    const got = encode(rows)
    assert.equal(got.length, rows.length, name)
    for (let i = 0; i < rows.length; i++) assert.deepEqual(got[i], expected(rows[i][0]), `${name}, row ${i}`)
  }
})

test('cells that no usual block holds', () => {
  const cases: unknown[] = [
    'x'.repeat(400_000),
    '漢'.repeat(200_000) + '\ud800',
    new Uint8Array(500_000).fill(7),
    Array.from({ length: 100_000 }, (_, i) => i),
    Array.from({ length: 100_000 }, (_, i) => `entry ${i} \ude00`),
    { long: 'y'.repeat(300_000), bytes: new Uint8Array(300_000), list: new Array(50_000).fill(1.5) },
  ]
  for (const value of cases) {
    // Not deepEqual: to print the difference of megabytes takes minutes.
    const same = (got: Value[], wanted: Value[]): boolean => isDeepStrictEqual(got, wanted)
    assert.ok(same(encode([['before', value, 'after'], [1, value, 2]], 3), ['before', expected(value), 'after', 1, expected(value), 2]))
    assert.ok(same(encode([[value]], 1, false), [expected(value)]))
  }
})
