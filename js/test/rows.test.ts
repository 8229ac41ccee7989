import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decimal } from 'decimal.js'
import fc from './fast-check.js'
import { createEngine, type RowOptions, type TypeChoices } from 'rowjet/postgres'
import { createEngine as createMySQL } from 'rowjet/mysql'

const engine = await createEngine()
const mysql = await createMySQL()

const one = (type: number, value: unknown, options?: RowOptions): unknown =>
  engine.serialize({ columnNames: ['c'], columnTypes: [type], rows: [[value]] }).arrays(options)[0][0]
const chosen = (type: number, value: unknown, types: TypeChoices): unknown => one(type, value, { types })

test('default values', () => {
  const cases: [number, unknown, unknown][] = [
    [0, 5, 5],
    [1, '9007199254740993', 9007199254740993n],
    [1, 5, 5n],
    [2, 0.1, 0.1],
    [3, NaN, NaN],
    [3, Infinity, Infinity],
    [2, -Infinity, -Infinity],
    [3, -0, -0],
    [4, '1.1000', '1.1000'],
    [4, 'NaN', 'NaN'],
    [5, true, true],
    [6, 'x', 'x'],
    [7, 'NaN', 'NaN'],
    [8, '2024-02-29', '2024-02-29'],
    [9, '12:34:56', '12:34:56'],
    [11, '{"a":[1,null]}', { a: [1, null] }],
    [11, 'null', null],
    [12, 'enum', 'enum'],
    [13, new Uint8Array([0, 255, 7]), new Uint8Array([0, 255, 7])],
    [13, new Uint8Array(0), new Uint8Array(0)],
    [15, 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
    [64, [1, null], [1, null]],
    [65, ['1', [null, '2']], [1n, [null, 2n]]],
    [67, [NaN, -0, [1.5]], [NaN, -0, [1.5]]],
    [74, ['2024-02-29T12:00:00Z', 'infinity'], [new Date('2024-02-29T12:00:00Z'), Infinity]],
    [75, ['[1]', '2'], [[1], 2]],
    [77, [new Uint8Array([1])], [new Uint8Array([1])]],
    [128, 2n ** 60n, 2n ** 60n],
  ]
  for (const [type, value, expected] of cases) assert.deepEqual(one(type, value), expected, `${type} ${String(value)}`)
  for (const type of [0, 1, 4, 10, 13, 75]) assert.equal(one(type, null), null)
})

test('datetimes', () => {
  const cases: [string, unknown][] = [
    ['2024-02-29 12:34:56', new Date('2024-02-29T12:34:56Z')],
    ['2024-02-29 12:34:56.789999+00', new Date('2024-02-29T12:34:56.789Z')],
    ['1969-12-31 23:59:59.9999', new Date('1969-12-31T23:59:59.999Z')],
    ['0100-01-01 00:00:00', new Date('0100-01-01T00:00:00Z')],
    ['0099-12-31 23:59:59', new Date('0099-12-31T23:59:59Z')],
    ['0001-01-01 00:00:00', new Date('0001-01-01T00:00:00Z')],
    ['9999-12-31 23:59:59.5', new Date('9999-12-31T23:59:59.500Z')],
    ['12345-06-07 00:00:00', new Date('+012345-06-07T00:00:00Z')],
    ['0044-03-15 12:00:00 BC', new Date('-000043-03-15T12:00:00Z')],
    ['infinity', Infinity],
    ['-infinity', -Infinity],
    ['290000-01-01 00:00:00', '+290000-01-01T00:00:00+00:00'],
  ]
  for (const [text, expected] of cases) assert.deepEqual(one(10, text), expected, text)
  assert.deepEqual(mysql.serialize({ columnNames: ['c'], columnTypes: [10], rows: [['0000-00-00 00:00:00'], ['2024-00-10 00:00:00']] }).arrays(), [['0000-00-00 00:00:00'], ['2024-00-10 00:00:00']])
  // Every instant of a Date, by its own text.
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (date) => {
      assert.deepEqual(one(10, date), date)
    }),
  )
})

test('named choices', () => {
  assert.equal(chosen(0, 5, { int: 'string' }), '5')
  assert.equal(chosen(0, 5, { int: 'bigint' }), 5n)
  assert.equal(chosen(1, '123', { bigint: 'number' }), 123)
  assert.equal(chosen(1, '123', { bigint: 'string' }), '123')
  assert.deepEqual(chosen(65, ['1', ['2']], { bigint: 'number' }), [1, [2]])
  assert.equal(chosen(3, -0, { double: 'string' }), '-0')
  assert.equal(chosen(3, NaN, { double: 'string' }), 'NaN')
  assert.equal(chosen(3, 1e21, { double: 'string' }), '1e+21')
  assert.equal(chosen(4, '1.50', { decimal: 'number' }), 1.5)
  assert.equal(chosen(5, true, { bool: 'string' }), 'true')
  assert.equal(chosen(5, false, { bool: 'number' }), 0)
  assert.equal(chosen(13, new Uint8Array([255]), { bytes: 'base64' }), '/w==')
  const buffer = chosen(13, new Uint8Array([255]), { bytes: 'Buffer' })
  assert.ok(Buffer.isBuffer(buffer))
  assert.equal(buffer.buffer.byteLength, 1)
  assert.equal(chosen(10, '2024-02-29 12:00:00+02', { datetime: 'string' }), '2024-02-29T10:00:00+00:00')
  assert.deepEqual(chosen(8, '2024-02-29', { date: 'Date' }), new Date('2024-02-29T00:00:00Z'))
  assert.equal(chosen(8, '-infinity', { date: 'Date' }), -Infinity)
  assert.deepEqual(chosen(9, '12:34:56.5', { time: 'Date' }), new Date('1970-01-01T12:34:56.500Z'))
})

test('json as source text', () => {
  const source = '{ "a" : 1.50, "a": 12345678901234567890 }'
  assert.equal(chosen(11, source, { json: 'string' }), source)
  assert.equal(chosen(11, 'null', { json: 'string' }), 'null')
  assert.equal(chosen(11, null, { json: 'string' }), null)
  assert.deepEqual(chosen(75, ['1.0', null, 'null', '[2]'], { json: 'string' }), ['1.0', null, 'null', '[2]'])
  assert.equal(chosen(11, { a: [1n] }, { json: 'string' }), '{"a":[1]}')
  // Of two columns only one as text.
  const result = engine.serialize({ columnNames: ['a', 'b'], columnTypes: [11, 11], rows: [['1.0', '{"x":1.0}'], ['null', 'null']] })
  assert.deepEqual(result.arrays({ columns: { a: 'string' } }), [['1.0', { x: 1 }], ['null', null]])
  assert.deepEqual(result.arrays({ preset: 'json', columns: { a: 'string' } }), [['1.0', { x: 1 }], ['null', null]])
  assert.deepEqual(result.rows({ types: { json: (text) => text.length } }), [{ a: 3, b: 9 }, { a: 4, b: 4 }])
})

test('functions and classes', () => {
  const seen: unknown[] = []
  const result = engine.serialize({ columnNames: ['n', 'm'], columnTypes: [65, 5], rows: [[['1', [null, '2']], true], [null, null]] })
  const convert = (text: string, column: unknown): unknown => {
    seen.push([text, column])
    return `<${text}>`
  }
  assert.deepEqual(result.arrays({ types: { bigint: convert, bool: convert } }), [[['<1>', [null, '<2>']], '<true>'], [null, null]])
  assert.deepEqual(seen[0], ['1', { name: 'n', index: 0, type: 'bigint-array' }])
  assert.deepEqual(seen[2], ['true', { name: 'm', index: 1, type: 'bool' }])

  const decimal = chosen(4, '1.1000', { decimal: Decimal })
  assert.ok(decimal instanceof Decimal)
  assert.equal(decimal.toString(), '1.1')
  class Money {
    constructor(readonly text: string) {}
  }
  assert.deepEqual(chosen(4, '5', { decimal: Money }), new Money('5'))
  assert.deepEqual(chosen(10, '2024-02-29 12:00:00', { datetime: Date }), new Date('2024-02-29T12:00:00Z'))
  assert.equal(chosen(4, '5', { decimal: BigInt }), 5n)
  assert.equal(chosen(4, '5.5', { decimal: Number }), 5.5)
  assert.equal(chosen(4, '5', { decimal: function (text) { return text + '!' } }), '5!')
})

test('choices by column', () => {
  const result = engine.serialize({ columnNames: ['a', 'a', '0'], columnTypes: [1, 1, 1], rows: [['1', '2', '3']] })
  assert.deepEqual(result.arrays({ columns: { a: 'number' } }), [[1, 2, 3n]])
  assert.deepEqual(result.arrays({ columns: { 1: 'number' }, types: { bigint: 'string' } }), [['1', 2, '3']])
  assert.deepEqual(result.arrays({ columns: { 0: 'number' } }), [[1n, 2n, 3]]) // it is a name here
  assert.throws(() => result.arrays({ columns: { b: 'number' } }), { name: 'TypeError', message: 'columns tells of "b", which is no column of this result' })
  assert.throws(() => result.arrays({ columns: { 7: 'number' } }), TypeError)
  assert.throws(() => result.arrays({ columns: { a: 'Date' } }), { message: `"Date" is no choice for column "a" of type bigint: choose 'bigint', 'string', 'number', or give a function or a class` })
  assert.throws(() => result.arrays({ types: { BIGINT: 'number' } as TypeChoices }), /types has no type "BIGINT"/)
  assert.throws(() => result.arrays({ preset: 'Prisma' as 'prisma' }), /the preset is 'prisma' or 'json'/)
})

test('Temporal', () => {
  const make = (kind: string) => ({ from: (text: string) => {
    if (text.startsWith('24') || text.startsWith('0000')) throw new RangeError(text)
    return { kind, text }
  } })
  assert.throws(() => chosen(10, '2024-02-29 12:00:00', { datetime: 'Temporal' }), /this runtime has no Temporal/)
  const host = globalThis as { Temporal?: unknown }
  host.Temporal = { Instant: make('Instant'), PlainDate: make('PlainDate'), PlainTime: make('PlainTime') }
  try {
    assert.deepEqual(chosen(10, '2024-02-29 12:00:00.123456789', { datetime: 'Temporal' }), { kind: 'Instant', text: '2024-02-29T12:00:00.123456789+00:00' })
    assert.deepEqual(chosen(8, '2024-02-29', { date: 'Temporal' }), { kind: 'PlainDate', text: '2024-02-29' })
    assert.deepEqual(chosen(9, '12:00:00', { time: 'Temporal' }), { kind: 'PlainTime', text: '12:00:00' })
    assert.equal(chosen(9, '24:00:00', { time: 'Temporal' }), '24:00:00')
    assert.equal(chosen(10, 'infinity', { datetime: 'Temporal' }), Infinity)
  } finally {
    delete host.Temporal
  }
})

test('the preset prisma', () => {
  const prisma = (type: number, value: unknown): unknown => one(type, value, { preset: 'prisma', types: { decimal: Decimal } })
  assert.equal(prisma(0, 1), 1)
  assert.equal(prisma(1, '5'), 5n)
  assert.deepEqual(prisma(13, new Uint8Array([1, 2])), new Uint8Array([1, 2]))
  assert.deepEqual(prisma(4, '1.10'), new Decimal('1.1'))
  assert.deepEqual(prisma(10, '2024-02-29 12:34:56.789+00'), new Date('2024-02-29T12:34:56.789Z'))
  assert.deepEqual(prisma(8, '2024-02-29'), new Date('2024-02-29'))
  assert.deepEqual(prisma(9, '12:34:56'), new Date('1970-01-01T12:34:56Z'))
  assert.ok(Number.isNaN((prisma(10, 'infinity') as Date).getTime()))
  assert.deepEqual(prisma(65, ['1', null]), [1n, null])
  assert.deepEqual(prisma(68, ['1.0']), [new Decimal(1)])
  assert.deepEqual(prisma(73, ['01:02:03']), [new Date('1970-01-01T01:02:03Z')])
  assert.deepEqual(prisma(11, '{"a":1}'), { a: 1 })
  assert.equal(prisma(7, 'x'), 'x')
  assert.throws(() => one(4, '1', { preset: 'prisma' }), { name: 'TypeError', message: /types: \{ decimal: Prisma\.Decimal \}/ })
  assert.equal(one(1, '5', { preset: 'prisma', types: { bigint: 'number' } }), 5)
})

test('the preset json: what JSON can carry', () => {
  const rows = [[1, '2', NaN, '1.10', new Uint8Array([1]), '2024-02-29 12:00:00', [3n, null], '{"a":1}', null]]
  const result = engine.serialize({ columnNames: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'], columnTypes: [0, 1, 3, 4, 13, 10, 65, 11, 7], rows })
  const plain = result.arrays({ preset: 'json' })
  assert.deepEqual(plain, [[1, '2', 'NaN', '1.10', 'AQ==', '2024-02-29T12:00:00+00:00', ['3', null], { a: 1 }, null]])
  assert.deepEqual(JSON.parse(JSON.stringify(plain)), plain)
  assert.deepEqual(result.arrays({ preset: 'json', types: { bigint: 'number' } })[0][1], 2)
})

test('object rows and their names', () => {
  const names = ['__proto__', 'constructor', 'toString', 'a', 'b', 'a', '', 'hasOwnProperty']
  const result = engine.serialize({ columnNames: names, columnTypes: names.map(() => 0), rows: [[1, 2, 3, 4, 5, 6, 7, 8]] })
  const [row] = result.rows()
  assert.deepEqual(Object.entries(row), [['__proto__', 1], ['constructor', 2], ['toString', 3], ['b', 5], ['a', 6], ['', 7], ['hasOwnProperty', 8]])
  assert.equal(Object.getPrototypeOf(row), Object.prototype)
  assert.deepEqual(JSON.parse(new TextDecoder().decode(result.objects())), [row])
  assert.deepEqual(result.arrays(), [[1, 2, 3, 4, 5, 6, 7, 8]])
})

test('bytes share no memory', () => {
  const [a, b] = engine.serialize({ columnNames: ['c'], columnTypes: [13], rows: [[new Uint8Array([1])], [new Uint8Array([2])]] }).arrays().flat() as Uint8Array[]
  assert.equal(a.buffer.byteLength, 1)
  assert.notEqual(a.buffer, b.buffer)
  assert.equal(Object.getPrototypeOf(a), Uint8Array.prototype)
})

test('what goes in comes out', () => {
  const check = (type: number, values: fc.Arbitrary<unknown>): void =>
    fc.assert(fc.property(values, (value) => assert.deepEqual(one(type, value), value)), { numRuns: 100 })
  check(0, fc.integer())
  check(1, fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }))
  check(3, fc.double())
  // The digits are the shortest that tell an f32 from others.
  fc.assert(fc.property(fc.float(), (value) => assert.deepEqual(Math.fround(one(2, value) as number), value)), { numRuns: 100 })
  check(5, fc.boolean())
  check(7, fc.string({ unit: 'binary' }))
  check(13, fc.uint8Array({ maxLength: 500 }))
  check(65, fc.array(fc.option(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }))))
  check(71, fc.array(fc.option(fc.string({ unit: 'binary' }))))
  check(77, fc.array(fc.uint8Array()))
  const jsonValue = fc.jsonValue({ noUnicodeString: false }).filter((value) => value !== null)
  fc.assert(
    fc.property(jsonValue, (value) => {
      const expected = JSON.parse(JSON.stringify(value)) as unknown
      assert.deepEqual(one(11, JSON.stringify(value)), expected)
      assert.equal(chosen(11, JSON.stringify(value), { json: 'string' }), JSON.stringify(value))
    }),
    { numRuns: 200 },
  )
})
