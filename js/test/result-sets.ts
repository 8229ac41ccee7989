// Random result sets: for each type cells that suit it, and some that hardly anybody has.
import fc from './fast-check.js'
import type { ResultSet } from 'rowjet/postgres'

const digits = (least: number, most: number) => fc.array(fc.integer({ min: 0, max: 9 }), { minLength: least, maxLength: most }).map((list) => list.join(''))
const pick = fc.constantFrom

const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'grapheme-ascii', maxLength: 60 }),
  fc.tuple(pick('a', 'é', '中', '🎬', 'ab'), fc.integer({ min: 0, max: 6000 })).map(([unit, count]) => unit.repeat(count)),
  pick('', '\0', '"\\', '\ud83d', '\ude00', 'infinity', 'null', 'true', '{}', '{a,"b c",NULL}', '-0', 'NaN', 'Café'),
)
const doubles = fc.oneof(fc.double(), fc.double().map(Math.fround), fc.integer(), fc.integer({ min: -1000, max: 1000 }).map((n) => n / 8), pick(0.1, -0, 0, NaN, Infinity, -Infinity, 1e21, 1e-7, 2 ** 53, 16777217))
const integers = fc.oneof(fc.integer(), fc.integer({ min: -3, max: 3 }), pick(-(2 ** 31), 2 ** 31 - 1, -0))
const bigints = fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt(), fc.integer().map(BigInt))
const decimals = fc.tuple(pick('', '-', '+'), digits(0, 20), pick('', '.'), digits(1, 20), pick('', 'e3', 'E-2')).map((parts) => parts.join(''))
const pad = (n: number, width: number): string => String(n).padStart(width, '0')
const years = fc.oneof(fc.integer({ min: 1000, max: 9999 }), fc.integer({ min: 1, max: 9999 })).map((year) => pad(year, 4))
const dates = fc.oneof(
  fc.tuple(years, fc.integer({ min: 1, max: 12 }), fc.oneof(fc.integer({ min: 1, max: 28 }), fc.integer({ min: 28, max: 31 }))).map(([y, m, d]) => `${y}-${pad(m, 2)}-${pad(d, 2)}`),
  pick('infinity', '-infinity', '0044-03-15 BC', '0001-01-01 BC', '12345-06-07', '0000-00-00', '2024-00-10', '2023-02-29', '2024-02-29', '290000-01-01'),
)
const times = fc.oneof(
  fc.tuple(fc.integer({ min: 0, max: 24 }), fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 60 }), pick('', '.5', '.120', '.000', '.123456', '.123000', '.1234567', '.123456789')).map(
    ([h, m, s, f]) => `${pad(h, 2)}:${pad(m, 2)}:${pad(s, 2)}${f}`,
  ),
  pick('838:59:59', '-00:00:01', '12:00:00+02', '12:34'),
)
const datetimes = fc.oneof(
  fc.tuple(dates, pick(' ', 'T', ''), times, pick('', 'Z', '+00', '+00:00', '+05:30', '-08', '.')).map((parts) => parts.join('')),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  dates,
)
const instants = fc.oneof(fc.date({ noInvalidDate: true }), fc.integer({ min: -62200000000000, max: -62100000000000 }).map((ms) => new Date(ms)))
const bytes = fc.uint8Array({ maxLength: 40 }).chain((list) => pick<unknown[]>(list, Buffer.from(list), list.buffer.slice(0), new DataView(list.buffer.slice(0)), Array.from(list), { type: 'Buffer', data: Array.from(list) }, Buffer.concat([Buffer.alloc(3), list]).subarray(3)))
const uuids = fc.tuple(fc.uuid(), pick(0, 0, 1, 2, 3)).map(([uuid, form]) => [uuid, uuid.toUpperCase(), uuid.replaceAll('-', ''), `{${uuid}}`][form])
const jsonTexts = fc.tuple(fc.jsonValue({ maxDepth: 3 }), pick(undefined, 1)).map(([value, indent]) => JSON.stringify(value, null, indent))
const jsonEdges = pick('null', ' null ', '"\ud800"', '-0', '1.50', '12345678901234567890', '{"a":1,"a":2}', '{"__proto__":1}', '"é"', '[\n1]')
const bools = fc.oneof(fc.boolean(), pick<unknown[]>(0, 1, -0, 't', 'FALSE', 'yes', 0n, 1n))

const suiting: fc.Arbitrary<unknown>[] = [
  fc.oneof(integers, integers.map((n) => BigInt(n)), integers.map((n) => String(n))),
  fc.oneof(bigints, bigints.map(String), integers, pick<unknown[]>(2 ** 60, 1e20, '+5', '007')),
  fc.oneof(doubles, doubles, doubles.map(String), bigints),
  fc.oneof(doubles, doubles, doubles.map(String), bigints),
  fc.oneof(decimals, decimals, doubles, bigints, pick('1.1000', '-0.00', '-0', 'NaN', '.5', '0005')),
  bools,
  texts,
  texts,
  fc.oneof(dates, instants),
  times,
  fc.oneof(datetimes, datetimes, instants, fc.integer(), doubles),
  fc.oneof(jsonTexts, jsonTexts, jsonEdges, fc.jsonValue(), bigints, instants),
  texts,
  fc.oneof(bytes, bytes, texts),
  fc.oneof(texts, fc.array(texts, { maxLength: 3 })),
  uuids,
]
const elementCodes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15]
const none = pick(null, undefined)

function cellsOf(code: number): fc.Arbitrary<unknown> {
  if (code === 128) return fc.oneof(integers, doubles, bigints, integers.map(String))
  if (code < 64) return suiting[code]
  const element = fc.oneof({ arbitrary: none, weight: 1 }, { arbitrary: suiting[elementCodes[code - 64]], weight: 5 })
  return fc.oneof(fc.array(element, { maxLength: 4 }), fc.array(fc.array(element, { maxLength: 2 }), { maxLength: 2 }), pick('{}', '{NULL}', '{1,2}', '{t}', '{{1},{2}}'))
}

const codes = [...Array(16).keys(), ...elementCodes.map((_, i) => 64 + i), 128]
const anything = fc.oneof(doubles, bigints, texts, bools, instants, bytes, datetimes, fc.array(doubles, { maxLength: 2 }))

const names = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 6 }), pick('__proto__', 'constructor', 'toString', '0', '17', '', 'a', 'b'), fc.string({ unit: 'binary', maxLength: 3 }))

/** `wild`: how often, of ten cells, one may be of any kind. */
export function resultSets(wild: number): fc.Arbitrary<ResultSet> {
  return fc.array(fc.tuple(names, pick(...codes), fc.boolean()), { maxLength: 7 }).chain((columns) =>
    fc.record({
      columnNames: fc.constant(columns.map(([name]) => name)),
      columnTypes: fc.constant(columns.map(([, code]) => code)),
      rows: fc.array(
        fc.tuple(...columns.map(([, code, nulls]) => fc.oneof({ arbitrary: none, weight: nulls ? 3 : 0 }, { arbitrary: cellsOf(code), weight: 10 - wild }, { arbitrary: anything, weight: wild }))),
        { maxLength: 40 },
      ),
    }),
  )
}
