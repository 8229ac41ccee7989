// Random result sets: the engine gives what the reference gives, byte for byte.
// ROWJET_RUNS sets the number of result sets for each test, ROWJET_SEED repeats
// a run, ROWJET_MODULES names another folder of modules.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { shipped } from './bodies.mjs'
import { Ways } from './kit.mjs'
import { serialize } from './reference/index.mjs'
import { toTagged } from './tags.mjs'

const RUNS = Number(process.env.ROWJET_RUNS ?? 3000)
const SEED = process.env.ROWJET_SEED === undefined ? undefined : Number(process.env.ROWJET_SEED)
const { engines } = await shipped(process.env.ROWJET_MODULES)

const CODES = [...Array(16).keys(), ...Array.from({ length: 15 }, (_, i) => 64 + i), 128]

const doubles = fc.oneof(
  fc.double(),
  fc.double().map(Math.fround),
  fc.integer({ min: -1000, max: 1000 }),
  fc.integer(),
  fc.integer({ min: -20, max: 20 }).map((i) => 2 ** 53 + i),
  fc.tuple(fc.integer({ min: -99999, max: 99999 }), fc.integer({ min: -30, max: 30 })).map(([m, e]) => Number(`${m}e${e}`)),
  fc.integer({ min: -(2 ** 50), max: 2 ** 50 }).map((i) => i / 1024),
  fc.constantFrom(NaN, Infinity, -Infinity, -0, 0),
)
const bigints = fc.oneof(fc.bigInt({ min: -(2n ** 31n) - 3n, max: 2n ** 31n + 3n }), fc.bigInt({ min: 2n ** 53n - 5n, max: 2n ** 53n + 5n }), fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }), fc.bigInt())

// fc.string's binary unit gives lone surrogates too.
const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary-ascii' }), fc.string({ unit: 'grapheme' }), fc.array(fc.integer({ min: 0xd7fe, max: 0xe001 })).map((units) => String.fromCharCode(...units)))

/** Texts of a grammar, now and then with a character taken out, put in or changed. */
const nearly = (texts, alphabet) =>
  fc.tuple(texts, fc.integer({ min: 0, max: 9 }), fc.nat(), fc.constantFrom(...alphabet)).map(([text, what, at, char]) => {
    const i = at % (text.length + 1)
    if (what === 0) return text.slice(0, i) + char + text.slice(i)
    if (what === 1) return text.slice(0, i) + text.slice(i + 1)
    if (what === 2) return text.slice(0, i) + char + text.slice(i + 1)
    return text
  })

const digits = (max) => fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: max }).map((d) => d.join(''))
const maybe = (arbitrary) => fc.oneof(fc.constant(''), arbitrary)
const joined = (...parts) => fc.tuple(...parts).map((texts) => texts.join(''))

const numberTexts = nearly(
  joined(maybe(fc.constantFrom('+', '-')), maybe(digits(25)), maybe(joined(fc.constant('.'), maybe(digits(25)))), maybe(joined(fc.constantFrom('e', 'E'), maybe(fc.constantFrom('+', '-')), digits(4)))),
  '0123456789.eE+-_, xNaI',
)
const padded = (max, width) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(width, '0'))
const clock = joined(padded(24, 2), fc.constant(':'), padded(60, 2), maybe(joined(fc.constant(':'), padded(61, 2), maybe(joined(fc.constant('.'), digits(11))))))
const zone = fc.oneof(fc.constantFrom('Z', 'z', ' UTC', 'GMT', ' Z'), joined(fc.constantFrom('+', '-'), padded(24, 2), maybe(fc.oneof(padded(60, 2), joined(fc.constant(':'), padded(60, 2), maybe(joined(fc.constant(':'), padded(60, 2))))))))
const year = fc.oneof(padded(9999, 4), padded(1000001, 6), joined(fc.constantFrom('+', '-'), padded(1000001, 6)), fc.constantFrom('1900', '2000', '2023', '2024', '0000', '0001'))
const dateTexts = nearly(
  joined(year, fc.constant('-'), padded(13, 2), fc.constant('-'), padded(32, 2), maybe(joined(fc.constantFrom('T', ' ', 't', '  '), clock)), maybe(zone), maybe(fc.constantFrom(' BC', ' AD', ' BC+00:00'))),
  '0123456789-:.+ TZzBC\t',
)
const timeTexts = nearly(joined(maybe(fc.constantFrom('-', '+', ' ')), fc.oneof(clock, joined(digits(3), fc.constant(':'), padded(61, 2), fc.constant(':'), padded(61, 2))), maybe(zone)), '0123456789-:.+ TZ')
const uuidTexts = nearly(fc.tuple(fc.uuid(), fc.nat(5)).map(([u, form]) => [u, u.toUpperCase(), u.replaceAll('-', ''), `{${u}}`, `urn:uuid:${u}`, `{${u.replaceAll('-', '')}}`][form]), '0af-{}g')
const jsonTexts = nearly(fc.tuple(fc.json({ maxDepth: 4 }), fc.constantFrom(undefined, 1, '\t')).map(([text, indent]) => JSON.stringify(JSON.parse(text), null, indent)), '{}[]",:0-1.e \n\\u\ud800')
const literals = (element) =>
  nearly(
    fc.letrec((tie) => ({
      array: fc.array(tie('item'), { maxLength: 4 }).map((items) => `{${items.join(',')}}`),
      item: fc.oneof({ depthSize: 'small' }, element.map((t) => (/^[\w.:+-]+$/.test(t) ? t : JSON.stringify(t))), fc.constantFrom('NULL', 'null', '" "', '""', ' a '), tie('array')),
    })).array,
    '{}",\\ N[]=:1a',
    // A backslash between two halves of a pair: no server sends that, and the module may leave them apart.
  ).map((text) => (text.includes('\\') ? text.toWellFormed() : text))
const boolTexts = nearly(fc.constantFrom('t', 'f', 'TRUE', 'False', 'yes', 'no', 'On', 'off', '1', '0'), 'tTfF01 ')
const bytes = fc.uint8Array({ maxLength: 40 }).chain((b) => fc.constantFrom(b, Buffer.from(b), b.buffer.slice(0), new DataView(b.buffer.slice(0)), Array.from(b), Array.from(b, BigInt), { type: 'Buffer', data: Array.from(b) }, { ...Array.from(b) }, Buffer.concat([Buffer.alloc(3), b]).subarray(3)))
const instants = fc.oneof(fc.date({ noInvalidDate: true }), fc.integer({ min: -62167305600000, max: -62167132800000 }).map((ms) => new Date(ms)))

const leaves = fc.oneof(fc.constantFrom(null, undefined, true, false), doubles, bigints, anyText, numberTexts, fc.uint8Array({ maxLength: 9 }), instants)
const trees = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaves, tie('list'), tie('object'), tie('map')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(anyText, tie('value'), { maxKeys: 4 }),
  map: fc.array(fc.tuple(anyText, tie('value')), { maxLength: 3 }).map((members) => new Map(members)),
})).value

/** Values that are likely to suit a type. */
const suiting = [
  fc.oneof(fc.integer(), doubles, fc.integer().map(String), numberTexts, fc.integer().map(BigInt)), // int
  fc.oneof(doubles, bigints, bigints.map(String), numberTexts),
  fc.oneof(doubles, bigints, numberTexts),
  fc.oneof(doubles, bigints, numberTexts),
  fc.oneof(doubles, bigints, numberTexts),
  fc.oneof(fc.boolean(), fc.constantFrom(0, 1, 0n, 1n, -0), boolTexts),
  anyText, // char
  anyText,
  fc.oneof(dateTexts, instants, doubles),
  fc.oneof(timeTexts, dateTexts, instants),
  fc.oneof(dateTexts, instants, doubles, bigints),
  fc.oneof(jsonTexts, jsonTexts, trees), // json
  anyText,
  fc.oneof(bytes, anyText),
  fc.oneof(anyText, fc.array(anyText)), // set
  fc.oneof(uuidTexts, fc.uint8Array({ minLength: 16, maxLength: 16 })),
]
const elementCodes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15]
const literalElements = { 0: numberTexts, 1: numberTexts, 2: numberTexts, 3: numberTexts, 4: numberTexts, 5: boolTexts, 8: dateTexts, 9: timeTexts, 10: dateTexts, 11: jsonTexts, 15: uuidTexts }

function suitingCode(code) {
  if (code === 128) return fc.oneof(doubles, bigints, fc.bigInt().map(String), numberTexts)
  if (code < 64) return suiting[code]
  const base = elementCodes[code - 64]
  const element = fc.oneof({ arbitrary: fc.constantFrom(null, undefined), weight: 1 }, { arbitrary: suiting[base], weight: 4 })
  return fc.oneof(fc.array(element, { maxLength: 5 }), fc.array(fc.array(element, { maxLength: 3 }), { maxLength: 3 }), literals(literalElements[base] ?? anyText))
}

/** A cell of a column: null, what suits, anything. */
const cellOf = (code, wild) =>
  fc.oneof({ arbitrary: fc.constantFrom(null, undefined), weight: 1 }, { arbitrary: suitingCode(code), weight: 8 }, { arbitrary: trees, weight: wild })

const resultSets = (wild) =>
  fc.array(fc.tuple(anyText, fc.constantFrom(...CODES)), { maxLength: 5 }).chain((columns) =>
    fc.record({
      columnNames: fc.constant(columns.map(([name]) => name)),
      columnTypes: fc.constant(columns.map(([, code]) => code)),
      rows: fc.array(fc.tuple(...columns.map(([, code]) => cellOf(code, wild))), { maxLength: 6 }),
    }),
  )

const shapes = fc.constantFrom('array', 'array', 'objects', 'ndjson')
const flagSets = fc.constantFrom([], [], [], ['fixed'], ['jsontext'])

const outcome = ({ text, error }) => (error ? { code: error.code, row: error.row, column: error.column } : { text })

for (const dialect of ['postgres', 'mysql', 'sqlite']) {
  for (const [what, wild] of [['cells that suit their types', 0], ['cells of any kind', 3]]) {
    test(`${dialect}: ${what}`, async () => {
      await fc.assert(
        fc.asyncProperty(resultSets(wild), shapes, flagSets, async (resultSet, shape, flags) => {
          const want = outcome(serialize(resultSet, { dialect, shape, flags }))
          for (const [way, run] of new Ways(engines[dialect]).ways({ shape, flags })) {
            let got
            try {
              got = { text: await run(resultSet) }
            } catch (error) {
              got = outcome({ error })
            }
            assert.deepEqual(got, want, `${way}, ${shape}, ${flags}: ${JSON.stringify({ types: resultSet.columnTypes, rows: toTagged(resultSet.rows) })}`)
          }
        }),
        { numRuns: RUNS, seed: SEED, includeErrorInReport: true },
      )
    })
  }
}

test('numbers and instants, many at a time', async () => {
  const types = [2, 3, 4, 7, 8, 10, 66]
  const row = fc.tuple(doubles, doubles, doubles, doubles, fc.integer({ min: -8.64e15, max: 8.64e15 }), fc.double({ min: -1e16, max: 1e16, noNaN: true }), fc.array(doubles, { maxLength: 3 }))
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 60 }), async (rows) => {
      const resultSet = { columnNames: types.map(String), columnTypes: types, rows }
      const bytes = engines.postgres.serialize(resultSet).bytes()
      assert.equal(new TextDecoder().decode(bytes), serialize(resultSet).text)
    }),
    { numRuns: RUNS / 10, seed: SEED, includeErrorInReport: true },
  )
})
