import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isScript, type WireQuery } from '../dist/wire-database.js'

test('several statements are told from one', () => {
  const of = (statement: string, params: unknown[] = []): boolean => isScript({ statement, params } as unknown as WireQuery)
  for (const sql of ['', ';', 'SELECT 1', 'SELECT 1;', 'SELECT 1 ; \n', "SELECT ';x'", "SELECT 'it''s; x'", 'SELECT 1 AS "a;b"', 'SELECT $$a;b$$', 'DO $f$ BEGIN; END $f$;', 'SELECT 1 -- a;b', 'SELECT 1; -- the end', 'SELECT /* a;b */ 1']) {
    assert.equal(of(sql), false, sql)
  }
  for (const sql of ['SELECT 1; SELECT 2', 'SELECT 1;SELECT 2;', "SELECT ';'; SELECT 2", 'SELECT 1; -- one\nSELECT 2', '/* ; */ SELECT 1; SELECT 2']) {
    assert.equal(of(sql), true, sql)
    assert.equal(of(sql, [1]), false, sql)
  }
})
