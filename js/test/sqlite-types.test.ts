// Declared types, and the numbers that dates are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from './fast-check.js'
import { codeOfDeclaration, numberOfDate, textOfNumber } from '../dist/sqlite-types.js'

test('declared types', () => {
  const cases: [string | null, number | undefined][] = [
    ['INTEGER', 0], ['int', 0], ['TINYINT', 0], ['TINYINT(1)', 0], ['MEDIUMINT', 0], ['INT2', 0], ['UNSIGNED BIG INT', 1], ['BIGINT', 1], ['BIGINT(20)', 1], ['INT8', 1], ['int64', 1],
    // The examples of https://sqlite.org/datatype3.html section 3.1.1, and its note on FLOATING POINT and STRING.
    ['CHARACTER(20)', 7], ['VARCHAR(255)', 7], ['VARYING CHARACTER(255)', 7], ['NCHAR(55)', 7], ['NATIVE CHARACTER(70)', 7], ['NVARCHAR(100)', 7], ['TEXT', 7], ['CLOB', 7],
    ['BLOB', 13], ['', undefined], [null, undefined], ['REAL', 3], ['DOUBLE', 3], ['DOUBLE PRECISION', 3], ['FLOAT', 3], ['NUMERIC', 3], ['DECIMAL(10,5)', 4], ['BOOLEAN', 5], ['DATE', 8], ['DATETIME', 10],
    ['FLOATING POINT', 0], ['STRING', undefined], ['CHARINT', 0], ['TINYTEXT', 7],
    ['VARCHAR(191)', 7], ['varchar', 7], ['DECIMAL', 4], ['decimal( 10 , 2 )', 4], ['DEC', 4], ['NUMERIC(6,3)', 3], ['BOOL', 5], ['boolean', 5], ['TIME', 9], ['TIMESTAMP', 10], ['timestamp with time zone', 10], ['TIMESTAMPTZ', 10],
    ['DATETIME(3)', 10], ['JSON', 11], ['JSONB', 11], ['UUID', undefined], ['geometry', undefined], ['ANY', undefined], ['POINT', 0], ['MEDIUMBLOB', 13],
    // Names that only begin as one that is known.
    ['DATES', undefined], ['JSONPATH', undefined], ['BOOLISH', undefined], ['DECIMALS', undefined], ['TIMELINE', undefined],
  ]
  for (const [declared, code] of cases) assert.equal(codeOfDeclaration(declared), code, String(declared))
})

test('dates as numbers, and back', () => {
  for (const unit of ['unixepoch', 'ms', 'julianday'] as const) {
    fc.assert(fc.property(fc.date({ min: new Date('-004712-01-01T12:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true }), (date) => {
      assert.equal(new Date(textOfNumber(numberOfDate(date, unit), unit)!).getTime(), date.getTime(), `${unit} ${date.toISOString()}`)
    }))
  }
})

test('every digit of a number of seconds or milliseconds', () => {
  const cases: ['unixepoch' | 'ms', number | bigint, string | undefined][] = [
    ['unixepoch', 0, '1970-01-01T00:00:00+00:00'],
    ['unixepoch', 1700000000n, '2023-11-14T22:13:20+00:00'],
    ['unixepoch', 1700000000.123456, '2023-11-14T22:13:20.123456+00:00'],
    ['unixepoch', -0.25, '1969-12-31T23:59:59.750+00:00'],
    ['unixepoch', 5e-9, '1970-01-01T00:00:00.000000005+00:00'],
    ['unixepoch', 8_640_000_000_000, '+275760-09-13T00:00:00+00:00'],
    ['unixepoch', 8_640_000_000_001, undefined],
    ['unixepoch', -8_640_000_000_000n, '-271821-04-20T00:00:00+00:00'],
    ['unixepoch', Infinity, undefined],
    ['ms', 1709210096789n, '2024-02-29T12:34:56.789+00:00'],
    ['ms', 5, '1970-01-01T00:00:00.005+00:00'],
    ['ms', -1, '1969-12-31T23:59:59.999+00:00'],
    ['ms', 0.5, '1970-01-01T00:00:00.000500+00:00'],
    ['ms', -1700000000000.25, '1916-02-18T01:46:39.999750+00:00'],
    ['ms', 8_640_000_000_000_001n, undefined],
    ['ms', -Infinity, undefined],
  ]
  for (const [unit, value, text] of cases) assert.equal(textOfNumber(value, unit), text, `${unit} ${value}`)
  assert.equal(textOfNumber(2440587.5, 'julianday'), '1970-01-01T00:00:00+00:00')
  assert.equal(textOfNumber(1e12, 'julianday'), undefined)
})
