// The parts of the page that need no page.
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { build } from 'esbuild'

/** Imports a source file. */
async function source(name) {
  const { outputFiles: [{ text }] } = await build({ entryPoints: [fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url))], bundle: true, format: 'esm', write: false })
  return import(`data:text/javascript,${encodeURIComponent(text)}`)
}

const { RowIndex, compact, elements } = await source('json')
const { lossOf } = await source('losses')
const { literal } = await source('typed')

test('rows and cells are found whatever is in them', () => {
  const nasty = ['"', '\\', '\\"', ']],"rows":[[', '{', '}', '],[', ',', '', ' ', 'é😀', '\ud800', '\u0000']
  for (const count of [0, 1, 2, nasty.length]) {
    const columns = nasty.slice(0, count)
    const rows = nasty.map((text) => columns.map((_, i) => [text, { [text]: [text, { a: [] }] }, [[text], null], -1.5e-7, null, true][i % 6]))
    const doc = { columns, types: columns.map(() => 'json'), rows: count === 0 ? [] : rows }
    const text = JSON.stringify(doc)
    const index = new RowIndex(new TextEncoder().encode(text))
    assert.deepEqual(index.slice(3, 5), doc.rows.slice(3, 5).map((row) => JSON.stringify(row)))
    assert.deepEqual(index.slice(0, 1000), doc.rows.map((row) => JSON.stringify(row)))
    assert.deepEqual(index.slice(1000, 2000), [])
    assert.equal(`${index.head().join('')}${index.slice(0, 1000).join(',')}]}`, text)
    assert.equal(index.head().length, 3)
    for (const row of doc.rows) assert.deepEqual(elements(JSON.stringify(row)), row.map((cell) => JSON.stringify(cell)))
  }
  assert.equal(compact('{ "a b" : [ 1 ,\n\t"\\" " ] }'), '{"a b":[1,"\\" "]}')
})

test('losses', () => {
  const cases = [
    // type, Rowjet's cell, the driver's value, what is lost
    ['int', '1', 1, undefined],
    ['bigint', '"1"', 1, undefined],
    ['bigint', '"9007199254740993"', 9007199254740993n, 'no way to write a BigInt: the whole call fails'],
    ['decimal', '"1.10"', '1.10', undefined],
    ['decimal', '"1.10"', 1.1, 'digits are lost'],
    ['double', '1e+21', 1e21, undefined],
    ['double', '-0', -0, 'minus zero becomes 0'],
    ['double', '"-Infinity"', -Infinity, '-Infinity becomes null'],
    ['date', '"2024-02-29"', new Date('2024-02-29'), 'a day becomes a point in time'],
    ['date', '"infinity"', Infinity, 'infinity becomes null'],
    ['date', '"-000043-03-15"', new Date(NaN), 'the date becomes null'],
    ['datetime', '"2024-02-29T12:00:00+00:00"', new Date('2024-02-29T12:00:00Z'), undefined],
    ['datetime', '"2024-02-29T12:00:00.120+00:00"', new Date('2024-02-29T12:00:00.120Z'), undefined],
    ['datetime', '"2024-02-29T12:00:00.120001+00:00"', new Date('2024-02-29T12:00:00.120Z'), 'microseconds are cut off'],
    ['datetime', '"2024-02-29T12:00:00+00:00"', new Date('2024-02-29T11:00:00Z'), 'it becomes another instant'],
    ['bytes', '"AP8="', Uint8Array.of(0, 255), 'bytes become an object with a key for each'],
    ['json', '{ "a": 1 }', { a: 1 }, undefined],
    ['json', '{"a":1.0}', { a: 1 }, 'digits of numbers in the JSON change'],
    ['json', '{"a":"1.0","a":"1"}', { a: '1' }, 'the JSON is rewritten'],
    ['json', 'null', null, undefined],
    ['string', '"é\\u0007"', 'é\u0007', undefined],
    ['enum', '"ok"', 'ok', undefined],
    ['string-array', '["a",null]', ['a', null], undefined],
    ['string-array', '["a"]', '{a}', 'the array stays PostgreSQL’s text'],
    ['decimal-array', '[["1.10"],["2"]]', [['1.10'], [2]], undefined],
    ['bigint-array', '[["1"],["9007199254740993"]]', [[1], [9007199254740993n]], 'no way to write a BigInt: the whole call fails'],
    ['json-array', '[[1.0],{"a":1}]', [[1], { a: 1 }], 'digits of numbers in the JSON change'],
  ]
  for (const [type, cell, value, what] of cases) assert.equal(lossOf(type, cell, value), what, `${type} ${cell}`)
})

test('source text gives the values again', () => {
  const values = [
    null, true, 1.5, -0, NaN, -Infinity, 9007199254740993n, '', `'"\\\n\u2028`, new Date(0), new Date(-62e12), Uint8Array.of(1, 2), [], {}, [[1n, null], 'x'],
    { a: 1, 'b c': { "it's": [new Date(5)] }, '1': 2, ünï: 'ï' },
    JSON.parse('{"__proto__": {"a": 1}}'),
  ]
  for (const value of values) assert.deepStrictEqual(new Function(`return (${literal(value)})`)(), value)
  assert.equal(literal(new Date(NaN)), 'new Date(NaN)')
  assert.equal(literal(new Uint8Array(30)), `Uint8Array.of(${Array(24).fill(0).join(', ')} /* … 6 more */)`)
})
