// What every driver for SQLite must do. Each test gets a database of its own.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import fc from './fast-check.js'
import type { Result, SQLiteDatabase, SQLiteOptions } from '../dist/better-sqlite3.js'

/** A driver under test. */
export interface Subject {
  readonly name: string
  /** Opens a file, or a database in memory for `:memory:`. */
  open(location: string, options?: SQLiteOptions): Promise<SQLiteDatabase>
  /** Two connections of one database handle of the driver, in memory. */
  shared(): Promise<{ one: SQLiteDatabase; other: SQLiteDatabase; close(): void }>
  /** It opens files of this machine. */
  readonly files: boolean
  /** Texts are whole, also if there is a NUL in them. */
  readonly nul: boolean
  /** Texts that are not UTF-8 can be read. */
  readonly invalid: boolean
  /** A text may begin with U+FEFF, which sql.js takes for a byte order mark. */
  readonly mark: boolean
  /** Writes are refused while rows are being read. */
  readonly busy: boolean
  /** Too few or too many parameters are an error. */
  readonly counts: boolean
}

export const read = (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> => new Response(stream).text()

/** Rows of n from 1 to `count`. */
export const numbers = (count: number, columns: string): string =>
  `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${count}) SELECT ${columns} FROM c`

export function suite(subject: Subject): void {
  const { name } = subject

  /** A test on a database in memory, with the statements run first. */
  function inMemory(what: string, setup: string[], run: (db: SQLiteDatabase) => Promise<void>, options?: SQLiteOptions): void {
    test(`${name}: ${what}`, async () => {
      const db = await subject.open(':memory:', options)
      try {
        for (const sql of setup) await db.executeRaw(sql)
        await run(db)
      } finally {
        await db.close()
      }
    })
  }

  /** The document of one column: its type, and its cells as JSON. */
  const column = async (db: SQLiteDatabase, sql: string): Promise<string> => {
    const text = (await db.queryRaw(sql)).text()
    const [, type, cells] = /^\{"columns":\["[a-z]+"\],"types":\["(.*?)"\],"rows":\[(.*)\]\}$/s.exec(text) ?? assert.fail(text)
    return `${type}: ${cells.replace(/\],\[/g, ' ').slice(1, -1)}`
  }

  inMemory('declared types and what the cells make of them', [], async (db) => {
    // Declared type, values, the document's type and cells.
    const cases: [string, string, string][] = [
      ['INTEGER', '(1), (-2), (NULL)', 'int: 1 -2 null'],
      ['INTEGER', '(2147483647), (2147483648), (1)', 'bigint: "2147483647" "2147483648" "1"'],
      ['INTEGER', '(1), (2.5)', 'double: 1 2.5'],
      ['INTEGER', "(1), (''), ('not an int'), (x'01'), (NULL)", 'unknown: 1 "" "not an int" "AQ==" null'],
      ['INTEGER', '(9007199254740993), (0.5)', 'unknown: "9007199254740993" 0.5'],
      ['BIGINT', '(9223372036854775807), (-9223372036854775808), (9007199254740993), (1)', 'bigint: "9223372036854775807" "-9223372036854775808" "9007199254740993" "1"'],
      // A REAL is none of the integers, however large it is.
      ['BIGINT', '(1e300), (1)', 'double: 1e+300 1'],
      ['INTEGER', '(1), (-1e19), (NULL)', 'double: 1 -10000000000000000000 null'],
      ['BIGINT', '(1e300), (9007199254740993)', 'unknown: 1e+300 "9007199254740993"'],
      ['BIGINT', "(1e19), ('x'), (x'01'), (1)", 'unknown: 10000000000000000000 "x" "AQ==" 1'],
      ['UNSIGNED BIG INT', '(1)', 'bigint: "1"'],
      ['TINYINT(1)', '(1), (0)', 'int: 1 0'],
      ['REAL', '(1), (2.5), (1e999), (-1e999), (NULL)', 'double: 1 2.5 "Infinity" "-Infinity" null'],
      ['DOUBLE PRECISION', '(3)', 'double: 3'],
      ['FLOAT', '(0.1), (1709209496789)', 'double: 0.1 1709209496789'],
      ['NUMERIC', '(NULL), (806.982), (806)', 'double: null 806.982 806'],
      ['NUMERIC(6,3)', '(NULL), (806.982), (806)', 'double: null 806.982 806'],
      ['DECIMAL(10,2)', '(12.1), (3), (NULL)', 'decimal: "12.1" "3" null'],
      ['DECIMAL(10,2)', "(12.1), ('1,234.50')", 'unknown: 12.1 "1,234.50"'],
      ['DECIMAL', "('1_000'), ('1,234,567.89')", 'string: "1_000" "1,234,567.89"'],
      ['VARCHAR(191)', "('x'), (5)", 'string: "x" "5"'],
      ['VARCHAR(191)', "('x'), (x'ff')", 'unknown: "x" "/w=="'],
      ['CHARACTER(20)', "('x')", 'string: "x"'],
      ['BOOL', '(1), (0), (NULL)', 'bool: true false null'],
      ['BOOLEAN', "(1), (0), ('true'), (2)", 'unknown: 1 0 "true" 2'],
      ['BOOLEAN', "(1), ('true')", 'unknown: 1 "true"'],
      ['BOOLEAN', "('true'), ('f')", 'string: "true" "f"'],
      ['BOOLEAN', '(1), (2)', 'int: 1 2'],
      ['BLOB', "(x'deadbeef'), (zeroblob(0)), (NULL)", 'bytes: "3q2+7w==" "" null'],
      ['BLOB', "('text')", 'string: "text"'],
      ['BLOB', "('text'), (x'01'), (5)", 'unknown: "text" "AQ==" 5'],
      ['', "(1), (2)", 'int: 1 2'],
      ['', "('1'), (2)", 'unknown: "1" 2'],
      ['ANY', "(x'01')", 'bytes: "AQ=="'],
      ['JSON', `('{"a": 1.10}'), ('[1,9007199254740993]'), ('"x"'), (1), (NULL)`, 'json: {"a": 1.10} [1,9007199254740993] "x" 1 null'],
      ['JSON', "('no json'), ('[1]')", 'json: "no json" [1]'],
      ['JSONB', "(x'01')", 'bytes: "AQ=="'],
      ['DATE', "('2024-02-29')", 'date: "2024-02-29"'],
      ['DATE', "('2024-02-29'), ('2024-02-29 12:34:56')", 'datetime: "2024-02-29T00:00:00+00:00" "2024-02-29T12:34:56+00:00"'],
      ['DATE', "('2024-02-29 12:34:56'), ('soon')", 'unknown: "2024-02-29 12:34:56" "soon"'],
      ['DATE', "('2024-02-29'), ('+012345-06-07')", 'date: "2024-02-29" "+012345-06-07"'],
      ['TIME', "('12:34:56')", 'time: "12:34:56"'],
      ['TIMESTAMP', "('2024-02-29 12:34:56'), ('2024-02-29T12:34:56.789+01:00')", 'datetime: "2024-02-29T12:34:56+00:00" "2024-02-29T11:34:56.789+00:00"'],
      ['DATETIME', "('2024-02-29 12:34:56'), ('soon')", 'unknown: "2024-02-29 12:34:56" "soon"'],
      ['DATETIME', '(1709210096), (0)', 'int: 1709210096 0'],
      ['DATETIME', '(1709210096789), (0)', 'bigint: "1709210096789" "0"'],
      ['DATETIME', '(2460370.024259259)', 'double: 2460370.024259259'],
      ['DATETIME', "('2024-02-29 12:34:56'), (1709210096)", 'unknown: "2024-02-29 12:34:56" 1709210096'],
      ['DATE', '(1709210096)', 'int: 1709210096'],
      ['UUID', "('A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11')", 'string: "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"'],
    ]
    let n = 0
    for (const [type, values, expected] of cases) {
      await db.executeRaw(`CREATE TABLE t${++n} (c ${type})`)
      await db.executeRaw(`INSERT INTO t${n} VALUES ${values}`)
      assert.equal(await column(db, `SELECT c FROM t${n} ORDER BY rowid`), expected, `${type} ${values}`)
      // The same in a document that comes bit by bit.
      const whole = (await db.queryRaw(`SELECT c FROM t${n} ORDER BY rowid`)).text()
      assert.equal(await read(db.stream(`SELECT c FROM t${n} ORDER BY rowid`)), whole, `${type} ${values}, stream`)
      assert.equal(await read(db.stream(`SELECT c FROM t${n} ORDER BY rowid`, [], { settle: 'buffer' })), whole, `${type} ${values}, buffer`)
    }
  })

  inMemory('expressions have the types of their values', [], async (db) => {
    const cases: [string, string][] = [
      ['SELECT 1 + 1 AS c', 'int: 2'],
      ['SELECT 9007199254740993 AS c', 'bigint: "9007199254740993"'],
      ['SELECT 2.0 AS c', 'double: 2'],
      ['SELECT 1e999 AS c', 'double: "Infinity"'],
      ["SELECT 'x' || 1 AS c", 'string: "x1"'],
      ["SELECT '12' AS c", 'string: "12"'],
      ["SELECT x'DEADBEEF' AS c", 'bytes: "3q2+7w=="'],
      ['SELECT zeroblob(0) AS c', 'bytes: ""'],
      ["SELECT '' AS c", 'string: ""'],
      ['SELECT NULL AS c', 'int: null'],
      ['SELECT 1 = 1 AS c', 'int: 1'],
      ['SELECT true AS c', 'int: 1'],
      ['SELECT NULL AS c UNION ALL SELECT 5', 'int: null 5'],
      ['SELECT 1 AS c UNION ALL SELECT 2.5', 'double: 1 2.5'],
      ['SELECT 2.5 AS c UNION ALL SELECT 1', 'double: 2.5 1'],
      ['SELECT 1 AS c UNION ALL SELECT 3000000000', 'bigint: "1" "3000000000"'],
      ['SELECT 9007199254740993 AS c UNION ALL SELECT 2.5', 'unknown: "9007199254740993" 2.5'],
      ["SELECT 1 AS c UNION ALL SELECT '2'", 'unknown: 1 "2"'],
      ["SELECT 1 AS c UNION ALL SELECT 'x' UNION ALL SELECT 2.5 UNION ALL SELECT x'01'", 'unknown: 1 "x" 2.5 "AQ=="'],
      ["SELECT NULL AS c UNION ALL SELECT 'x'", 'string: null "x"'],
      ["SELECT NULL AS c UNION ALL SELECT x'01'", 'bytes: null "AQ=="'],
      ['SELECT count(*) AS c FROM (SELECT 1)', 'int: 1'],
      ['SELECT avg(v) AS c FROM (SELECT 1 AS v UNION ALL SELECT 3)', 'double: 2'],
      ['SELECT sum(v) AS c FROM (SELECT 9223372036854775800 AS v UNION ALL SELECT 7)', 'bigint: "9223372036854775807"'],
    ]
    for (const [sql, expected] of cases) {
      assert.equal(await column(db, sql), expected, sql)
      assert.equal(await read(db.stream(sql)), (await db.queryRaw(sql)).text(), sql)
    }
  })

  inMemory('typed rows', ['CREATE TABLE t (a INTEGER, b BIGINT, c REAL, d TEXT, e BLOB, f BOOLEAN, g DATETIME, h DECIMAL(10,2), i JSON, j)'], async (db) => {
    await db.executeRaw('INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)', [
      1, 2, 0.5, 'x', new Uint8Array([0, 255]), true, new Date(1709210096789), 12.5, '{"a":[1]}', 9007199254740993n,
    ])
    const result = await db.queryRaw('SELECT * FROM t')
    const nulls = [null, null, null, null, null, null, null, null, null, null]
    assert.deepEqual(result.arrays(), [[1, 2n, 0.5, 'x', new Uint8Array([0, 255]), true, new Date(1709210096789), '12.5', { a: [1] }, 9007199254740993n], nulls])
    assert.deepEqual(result.arrays({}), result.arrays())
    assert.deepEqual(result.types, ['int', 'bigint', 'double', 'string', 'bytes', 'bool', 'datetime', 'decimal', 'json', 'bigint'])
    // Rows are the caller's: changing one changes nothing else.
    const [first] = result.arrays()
    first[3] = 'changed'
    ;(first[4] as Uint8Array)[0] = 9
    assert.deepEqual(result.rows()[0], { a: 1, b: 2n, c: 0.5, d: 'x', e: new Uint8Array([0, 255]), f: true, g: new Date(1709210096789), h: '12.5', i: { a: [1] }, j: 9007199254740993n })
    assert.equal(result.text(), '{"columns":["a","b","c","d","e","f","g","h","i","j"],"types":["int","bigint","double","string","bytes","bool","datetime","decimal","json","bigint"],"rows":[[1,"2",0.5,"x","AP8=",true,"2024-02-29T12:34:56.789+00:00","12.5",{"a":[1]},"9007199254740993"],[null,null,null,null,null,null,null,null,null,null]]}')
    assert.deepEqual(result.rows({ types: { bigint: 'string', datetime: 'string' } })[0]['b'], '2')
    assert.equal(new TextDecoder().decode(result.objects()).slice(0, 20), '[{"a":1,"b":"2","c":')
    assert.equal(await read(result.stream({ shape: 'ndjson' })), `${new TextDecoder().decode(result.objects()).slice(1, -1).replace('},{', '}\n{')}\n`)
  })

  inMemory('wide rows', [], async (db) => {
    const wide = (count: number): string =>
      numbers(count, "n AS a, n * 3000000000 AS b, n / 4.0 AS c, 'row ' || n AS d, CAST('b' || n AS BLOB) AS e, CASE WHEN n = 700 THEN 'x' ELSE n END AS f, CASE WHEN n > 600 THEN 'late' END AS g, NULL AS h, '2024-02-29' AS i")
    for (const count of [1, 256, 257, 1000]) {
      const result = await db.queryRaw(wide(count))
      const narrow = await db.queryRaw(wide(count).replace('SELECT n AS a', 'SELECT a, b, c, d FROM (SELECT n AS a') + ')')
      assert.equal(result.rowCount, count)
      assert.deepEqual(result.types, ['int', 'bigint', 'double', 'string', 'bytes', count < 700 ? 'int' : 'unknown', count > 600 ? 'string' : 'int', 'int', 'string'])
      assert.deepEqual(result.arrays().map((row) => row.slice(0, 4)), narrow.arrays())
      assert.deepEqual(result.arrays({}), result.arrays())
      assert.deepEqual(Object.values(result.rows()[count - 1]), result.arrays()[count - 1])
      assert.equal(await read(result.stream()), result.text())
      assert.equal(await read(result.stream({ shape: 'objects' })), new TextDecoder().decode(result.objects()))
      assert.equal(await read(db.stream(wide(count))), result.text())
      assert.equal(await read(db.stream(wide(count), [], { settle: 'buffer' })), result.text())
      assert.deepEqual((JSON.parse(result.text()) as { rows: unknown[] }).rows[count - 1], [
        count, String(count * 3000000000), count / 4, `row ${count}`, Buffer.from(`b${count}`).toString('base64'), count, count > 600 ? 'late' : null, null, '2024-02-29',
      ])
    }
    const cancelled = (await db.queryRaw(wide(1000))).stream().getReader()
    await cancelled.read()
    await cancelled.cancel()
    assert.equal((await db.queryRaw(wide(300))).rowCount, 300)
  })

  const kinds = ['id INTEGER', 'big BIGINT', 'ratio REAL', 'price DECIMAL(10,2)', 'name TEXT', 'active BOOLEAN', 'created DATETIME', 'born DATE', 'at TIME', 'settings JSON', 'photo BLOB', 'free']
  /** Values that change the type of their column, or are not plain in it. */
  const odd: [column: string, value: string][] = [
    ['id', '3000000000'], ['id', '-2147483649'], ['id', "'x'"], ['id', '1.5'], ['id', 'NULL'], ['big', '9223372036854775807'], ['big', '1.5'], ['ratio', "'x'"], ['price', "'1.10x'"], ['price', '1e300'],
    ['name', "x'00'"], ['name', 'NULL'], ['name', 'hex(zeroblob(40000))'], ['active', '2'], ['created', "'2024-02-30'"], ['created', "'2024-02-29 12:00:00.123456789+01'"], ['created', '5'],
    ['born', "'2024-02-29 12:00:00'"], ['born', "'0044-03-15'"], ['at', "'12:00:00+02'"], ['settings', "'no JSON'"], ['settings', '5'], ['photo', "'text'"], ['photo', 'zeroblob(80000)'], ['free', '1.5'], ['free', "'text'"],
  ]
  const plain = "n, n * 3000000000, n / 4.0, n / 4.0, 'name ' || n / 3, n % 2, '2024-02-29 12:34:56', '2024-02-29', '12:34:56', '{\"n\":' || n || '}', CAST('p' || n AS BLOB), n"
  inMemory('wide rows of a query whose last result was read as rows', [`CREATE TABLE t (${kinds.join(', ')})`, `INSERT INTO t ${numbers(600, plain)}`, `CREATE TABLE o (${kinds.join(', ')})`, 'INSERT INTO o SELECT * FROM t'], async (db) => {
    const names = kinds.map((kind) => kind.split(' ')[0])
    const later = await db.queryRaw('SELECT * FROM t')
    assert.deepEqual(later.types, ['int', 'bigint', 'double', 'decimal', 'string', 'bool', 'datetime', 'date', 'time', 'json', 'bytes', 'int'])
    let count = 0
    for (const [column, value] of odd) {
      for (const row of [5, 400, 600]) {
        await db.executeRaw(`UPDATE t SET ${column} = ${value} WHERE rowid = ${row}`)
        // Declared, and as an expression.
        for (const query of ['SELECT * FROM t', `SELECT ${names.map((name) => (name === column ? `coalesce(${name}, NULL) AS ${name}` : name)).join(', ')} FROM t`]) {
          const fresh = await db.queryRaw(`${query} -- ${count++}`)
          ;(await db.queryRaw(query)).rows()
          const result = await db.queryRaw(query)
          const note = `${query}, with ${value} in row ${row}`
          assert.deepEqual(result.types, fresh.types, note)
          assert.deepEqual(result.rows(), fresh.rows(), note)
          assert.deepEqual(result.arrays(), fresh.arrays(), note)
          assert.deepEqual(result.rows({ preset: 'json' }), fresh.rows({ preset: 'json' }), note)
          assert.equal(result.text(), fresh.text(), note)
          assert.equal(await read(result.stream({ shape: 'ndjson' })), await read(fresh.stream({ shape: 'ndjson' })), note)
        }
        await db.executeRaw(`UPDATE t SET ${column} = (SELECT ${column} FROM o WHERE o.rowid = ${row}) WHERE rowid = ${row}`)
      }
    }
  })

  inMemory('names: duplicates, none, of empty results', ['CREATE TABLE t (a INTEGER, b VARCHAR(10), c)'], async (db) => {
    assert.equal((await db.queryRaw('SELECT 1 AS id, 2 AS id')).text(), '{"columns":["id","id"],"types":["int","int"],"rows":[[1,2]]}')
    assert.deepEqual((await db.queryRaw('SELECT 1 AS id, 2 AS id')).rows(), [{ id: 2 }])
    assert.equal((await db.queryRaw('SELECT 1, 2')).text(), '{"columns":["1","2"],"types":["int","int"],"rows":[[1,2]]}')
    assert.equal((await db.queryRaw('SELECT * FROM t')).text(), '{"columns":["a","b","c"],"types":["int","string","unknown"],"rows":[]}')
    assert.deepEqual((await db.queryRaw('SELECT * FROM t')).rows(), [])
    assert.equal(await read(db.stream('SELECT *, 1 AS d FROM t')), '{"columns":["a","b","c","d"],"types":["int","string","unknown","unknown"],"rows":[]}')
    assert.equal((await db.queryRaw('SELECT 1 AS "__proto__", 2 AS "constructor"')).text(), '{"columns":["__proto__","constructor"],"types":["int","int"],"rows":[[1,2]]}')
    assert.deepEqual(Object.entries((await db.queryRaw('SELECT 1 AS "__proto__", 2 AS "constructor"')).rows()[0]), [['__proto__', 1], ['constructor', 2]])
    for (const sql of ['INSERT INTO t VALUES (1, 2, 3)', 'CREATE TABLE u (a)', 'DELETE FROM t']) {
      assert.equal((await db.queryRaw(sql)).text(), '{"columns":[],"types":[],"rows":[]}', sql)
    }
    assert.equal(await read(db.stream('DROP TABLE u')), '{"columns":[],"types":[],"rows":[]}')
    await assert.rejects(db.queryRaw('SELECT * FROM u'), /no such table: u/)
  })

  inMemory('texts', [], async (db) => {
    const whole = await db.queryRaw("SELECT 'a' || char(0) || 'b' AS z, length('a' || char(0) || 'b') AS l")
    assert.deepEqual(whole.rows(), [{ z: subject.nul ? 'a\u0000b' : 'a', l: 1 }])
    if (subject.nul) assert.equal(whole.text(), '{"columns":["z","l"],"types":["string","int"],"rows":[["a\\u0000b",1]]}')
    if (subject.invalid) {
      // The WHATWG decoder's replacement: one for each maximal invalid part.
      assert.equal(await column(db, "SELECT CAST(x'41ff42c3e282' AS TEXT) AS c"), 'string: "A\ufffdB\ufffd\ufffd"')
      assert.equal(await column(db, "SELECT CAST(x'eda0bd' AS TEXT) AS c"), 'string: "\ufffd\ufffd\ufffd"')
    }
    const texts = ['', 'ä', '漢字', '😀', '\u2028', '"\\/\b\f\n\r\t', 'x'.repeat(100_000), '\uffff', '\ufeff', "it's"]
    for (const text of texts) assert.deepEqual((await db.queryRaw('SELECT ? AS c', [text])).arrays(), [[subject.mark ? text : text.replace(/^\ufeff/, '')]])
    // UTF-8 has no lone surrogates.
    assert.deepEqual((await db.queryRaw('SELECT ? AS c', ['\ud800'])).arrays(), [[(await db.queryRaw('SELECT ? AS c', ['\ud800'])).arrays()[0][0]]])
  })

  inMemory('parameters', [], async (db) => {
    const one = async (value: unknown): Promise<unknown[]> => (await db.queryRaw('SELECT typeof(?1) AS t, ?1 AS v', [value])).arrays()[0]
    assert.deepEqual(await one(null), ['null', null])
    assert.deepEqual(await one(undefined), ['null', null])
    assert.deepEqual(await one(5), ['integer', 5])
    assert.deepEqual(await one(5.5), ['real', 5.5])
    assert.deepEqual(await one(9007199254740991), ['integer', 9007199254740991n])
    assert.deepEqual(await one(2 ** 53), ['real', 2 ** 53])
    assert.deepEqual(await one(-Infinity), ['real', -Infinity])
    assert.deepEqual(await one(9223372036854775807n), ['integer', 9223372036854775807n])
    assert.deepEqual(await one(-9223372036854775808n), ['integer', -9223372036854775808n])
    assert.deepEqual(await one(true), ['integer', 1])
    assert.deepEqual(await one(false), ['integer', 0])
    assert.deepEqual(await one('5'), ['text', '5'])
    assert.deepEqual(await one(new Date('2024-02-29T12:34:56.789Z')), ['text', '2024-02-29T12:34:56.789+00:00'])
    const memory = new Uint8Array([9, 9, 9, 1, 2, 9])
    for (const bytes of [new Uint8Array([1, 2]), Buffer.from([1, 2]), memory.subarray(3, 5), new Uint8Array([1, 2]).buffer, new DataView(memory.buffer, 3, 2)]) {
      assert.deepEqual(await one(bytes), ['blob', new Uint8Array([1, 2])])
    }
    assert.deepEqual(await one(new Uint8Array(0)), ['blob', new Uint8Array(0)])
    await assert.rejects(one(2n ** 63n), (error: Error) => error instanceof RangeError || error instanceof TypeError)
    await assert.rejects(one({ a: 1 }), { name: 'TypeError', message: "parameter 1 can't be bound: SQLite has no class for Object; pass null, a number, bigint, string, boolean, Date or bytes, or JSON text for other values" })
    await assert.rejects(one([1]), TypeError)
    await assert.rejects(one(Symbol('x')), TypeError)
    await assert.rejects(one(new Date(NaN)), TypeError)
    await assert.rejects(db.queryRaw('SELECT ?', 5 as never), TypeError)
    // No REAL for a whole number: it would show.
    assert.deepEqual((await db.queryRaw("SELECT 'a' || ? AS c, ? / 2 AS h", [5, 5])).arrays(), [['a5', 2]])
    const named = 'SELECT :a AS a, @b AS b, $c AS c, :a AS d'
    assert.deepEqual((await db.queryRaw(named, { a: 1, b: 'x', c: new Uint8Array([7]) })).arrays(), [[1, 'x', new Uint8Array([7]), 1]])
    assert.deepEqual((await db.queryRaw(named, { ':a': 1, '@b': 2, $c: 3 })).arrays(), [[1, 2, 3, 1]])
    assert.deepEqual((await db.queryRaw('SELECT ?2 AS a, ?1 AS b', ['first', 'second'])).arrays(), [['second', 'first']])
    assert.deepEqual((await db.queryRaw("SELECT '?1' AS a, ? AS \"b?2\" /* ?3 */ -- ?4", ['x'])).rows(), [{ a: '?1', 'b?2': 'x' }])
    if (subject.counts) {
      await assert.rejects(db.queryRaw('SELECT ?, ?', [1]))
      await assert.rejects(db.queryRaw('SELECT ?', [1, 2]))
    }
  })

  for (const [unit, stored, fraction] of [['unixepoch', 'integer', 'real'], ['ms', 'integer', 'integer'], ['julianday', 'real', 'real']] as const) {
    inMemory(`dates as ${unit}`, ['CREATE TABLE t (a DATETIME, b DATE, c TIMESTAMP, d INTEGER)'], async (db) => {
      const whole = new Date('2024-02-29T12:34:56Z')
      const part = new Date('1969-12-31T23:59:59.250Z')
      await db.executeRaw('INSERT INTO t VALUES (?1, ?1, ?2, ?1)', [whole, part])
      assert.deepEqual((await db.queryRaw('SELECT typeof(a), typeof(c) FROM t')).arrays(), [[stored, fraction]])
      const result = await db.queryRaw('SELECT a, b, c FROM t')
      assert.equal(result.text(), '{"columns":["a","b","c"],"types":["datetime","datetime","datetime"],"rows":[["2024-02-29T12:34:56+00:00","2024-02-29T12:34:56+00:00","1969-12-31T23:59:59.250+00:00"]]}')
      assert.deepEqual(result.arrays(), [[whole, whole, part]])
      // A DATE is one if there is no time of day in it.
      await db.executeRaw('CREATE TABLE d (a DATE)')
      await db.executeRaw('INSERT INTO d VALUES (?), (?)', [new Date('2024-02-29'), new Date('1969-12-31')])
      assert.equal(await column(db, 'SELECT a FROM d'), 'date: "2024-02-29" "1969-12-31"')
      assert.equal(await read(db.stream('SELECT a, b, c FROM t')), result.text())
      assert.equal(await read(db.stream('SELECT a, b, c FROM t', [], { settle: 'buffer' })), result.text())
      // Text stays what it is; other columns and expressions stay numbers.
      await db.executeRaw("INSERT INTO t (a) VALUES ('2024-03-01 00:00:00')")
      assert.deepEqual((await db.queryRaw('SELECT a FROM t')).arrays(), [[whole], [new Date('2024-03-01T00:00:00Z')]])
      assert.deepEqual((await db.queryRaw('SELECT typeof(d), a = d, typeof(a + 0) FROM t LIMIT 1')).arrays(), [[stored, 1, stored]])
      assert.match((await db.queryRaw('SELECT d FROM t LIMIT 1')).types[0], /^(int|bigint|double)$/)
      // In a column that is not all dates they look as in one that is.
      await db.executeRaw("INSERT INTO t (a) VALUES ('soon')")
      assert.equal(await column(db, 'SELECT a FROM t ORDER BY rowid'), `unknown: "2024-02-29T12:34:56+00:00" "2024-03-01 00:00:00" "soon"`)
      assert.equal(await read(db.stream('SELECT a, c FROM t LIMIT 1', [], { settle: 'unknown', shape: 'ndjson' })), '{"a":"2024-02-29T12:34:56+00:00","c":"1969-12-31T23:59:59.250+00:00"}\n')
      // What is beyond a Date stays a number.
      await db.executeRaw('DELETE FROM t')
      await db.executeRaw('INSERT INTO t (a) VALUES (9e18), (1e999)')
      assert.equal(await column(db, 'SELECT a FROM t'), 'double: 9000000000000000000 "Infinity"')
      assert.deepEqual(
        (await db.queryRaw("SELECT CASE typeof(x) WHEN 'integer' THEN 1 ELSE 2 END AS k FROM (SELECT ? AS x)", [part])).arrays(), [[fraction === 'integer' ? 1 : 2]],
      )
    }, { datetime: unit })
  }

  inMemory('digits of seconds beyond milliseconds', ['CREATE TABLE t (a DATETIME)'], async (db) => {
    const seconds = [1700000000.123456, 0.1, -0.1, -1700000000.5, 1e-7, 253402300799.999, -62167219200, 0]
    for (const value of seconds) await db.executeRaw('INSERT INTO t VALUES (?)', [value])
    assert.equal(await column(db, 'SELECT a FROM t'), 'datetime: "2023-11-14T22:13:20.123456+00:00" "1970-01-01T00:00:00.100+00:00" "1969-12-31T23:59:59.900+00:00" "1916-02-18T01:46:39.500+00:00" "1970-01-01T00:00:00.000000100+00:00" "9999-12-31T23:59:59.999+00:00" "0000-01-01T00:00:00+00:00" "1970-01-01T00:00:00+00:00"')
    // SQLite reads them in the same way, as far as its milliseconds go.
    const sqlite = await db.queryRaw("SELECT strftime('%Y-%m-%dT%H:%M:%f', a, 'unixepoch') AS s FROM t WHERE a > 1")
    assert.deepEqual(sqlite.arrays(), [['2023-11-14T22:13:20.123'], ['9999-12-31T23:59:59.999']])
  }, { datetime: 'unixepoch' })

  inMemory('rows that a statement changes', ['CREATE TABLE t (a INTEGER PRIMARY KEY, b)'], async (db) => {
    const changed = async (sql: string): Promise<number> => db.executeRaw(sql)
    assert.equal(await changed('INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)'), 3)
    assert.equal(await changed('CREATE TABLE u (a)'), 0)
    assert.equal(await changed('/* UPDATE */ -- INSERT\n update t SET b = 0 WHERE a > 1'), 2)
    assert.equal(await changed('UPDATE t SET b = 0 WHERE a > 100'), 0)
    assert.equal(await changed('WITH x AS (SELECT 1 AS y) DELETE FROM t WHERE a IN (SELECT y FROM x)'), 1)
    assert.equal(await changed('REPLACE INTO t VALUES (2, 5)'), 1)
    assert.equal(await changed('INSERT INTO t (b) VALUES (1), (2) RETURNING a'), 2)
    assert.equal(await changed('SELECT * FROM t'), 0)
    assert.equal(await changed('PRAGMA user_version'), 0)
    assert.equal(await changed('DELETE FROM t'), 4)
    assert.equal(await changed('DROP TABLE u'), 0)
    assert.equal((await db.queryRaw('INSERT INTO t VALUES (7, NULL) RETURNING a, b')).text(), '{"columns":["a","b"],"types":["int","unknown"],"rows":[[7,null]]}'.replace('unknown', 'int'))
    await assert.rejects(db.executeRaw('INSERT INTO t VALUES (7, NULL)'), /UNIQUE constraint failed: t\.a/)
  })

  inMemory('one statement at a time', ['CREATE TABLE t (a)'], async (db) => {
    const message = 'The supplied SQL string contains more than one statement'
    for (const sql of ['SELECT 1; SELECT 2', 'CREATE TABLE u (a); CREATE TABLE v (a)', 'SELECT 1;;SELECT 2', ' ; SELECT 1 ; SELECT 2', 'SELECT 1; selec', "SELECT ';' AS a; SELECT 1", 'SELECT 1 -- ;\n; SELECT 2']) {
      await assert.rejects(db.queryRaw(sql), { name: 'RangeError', message }, sql)
      await assert.rejects(db.executeRaw(sql), { name: 'RangeError', message }, sql)
      await assert.rejects(read(db.stream(sql)), { name: 'RangeError', message }, sql)
    }
    assert.equal((await db.queryRaw("SELECT name FROM sqlite_master WHERE name IN ('u', 'v')")).rowCount, 0)
    for (const sql of ['SELECT 1 AS a;', 'SELECT 1 AS a ; ;; ', 'SELECT 1 AS a; -- SELECT 2', 'SELECT 1 AS a /* ; */; /* SELECT 2', "SELECT 1 AS a WHERE ';' <> ';;' AND 1 -- ;", 'SELECT 1 AS a FROM (SELECT 2 AS "x;y", 3 AS [;], 4 AS `;`)']) {
      assert.deepEqual((await db.queryRaw(sql)).arrays(), [[1]], sql)
    }
    await db.executeRaw("CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET a = 'x;END;'; INSERT INTO t VALUES (CASE WHEN 1 THEN 2 END); END;")
    await assert.rejects(db.executeRaw('CREATE TEMP TRIGGER h AFTER INSERT ON t BEGIN SELECT 1; END; SELECT 2'), { name: 'RangeError', message })
    await db.executeRaw('INSERT INTO t VALUES (1)')
    assert.deepEqual((await db.queryRaw('SELECT a FROM t')).arrays(), [['x;END;'], [2]])
  })

  const count = async (db: Pick<SQLiteDatabase, 'queryRaw'>): Promise<unknown> => (await db.queryRaw('SELECT count(*) AS n FROM t')).arrays()[0][0]

  inMemory('transactions', ['CREATE TABLE t (a INTEGER PRIMARY KEY)'], async (db) => {
    assert.equal(await db.transaction(async (tx) => {
      await tx.executeRaw('INSERT INTO t VALUES (1)')
      assert.equal(await read(tx.stream('SELECT a FROM t', [], { shape: 'objects' })), '[{"a":1}]')
      return 'done'
    }), 'done')
    assert.equal(await count(db), 1)
    const own = new Error('mine')
    let escaped: Pick<SQLiteDatabase, 'executeRaw'> | undefined
    await assert.rejects(db.transaction(async (tx) => {
      escaped = tx
      await tx.executeRaw('INSERT INTO t VALUES (2)')
      assert.equal(await count(tx), 2)
      throw own
    }), own)
    assert.equal(await count(db), 1)
    await assert.rejects(escaped!.executeRaw('DELETE FROM t'), { code: 'CONNECTION_CLOSED', message: 'the transaction has ended: make a new one [CONNECTION_CLOSED]' })
    for (const [i, mode] of (['deferred', 'immediate', 'exclusive'] as const).entries()) {
      await db.transaction((tx) => tx.executeRaw('INSERT INTO t VALUES (?)', [10 + i]), { mode, isolationLevel: 'SERIALIZABLE' })
    }
    assert.equal(await count(db), 4)
    await assert.rejects(db.transaction(async () => 1, { mode: 'IMMEDIATE; DROP TABLE t' as 'immediate' }), TypeError)
    await assert.rejects(db.transaction(async () => 1, { isolationLevel: 'READ COMMITTED' }), TypeError)

    // An aborted transaction is rolled back, even if its work never ends.
    const controller = new AbortController()
    const aborted = db.transaction(async (tx) => {
      await tx.executeRaw('DELETE FROM t')
      controller.abort(own)
      await new Promise(() => undefined)
    }, { signal: controller.signal })
    await assert.rejects(aborted, own)
    assert.equal(await count(db), 4)

    // A commit that fails leaves nothing behind.
    await db.executeRaw('PRAGMA foreign_keys = ON')
    await db.executeRaw('CREATE TABLE child (a INTEGER REFERENCES t DEFERRABLE INITIALLY DEFERRED)')
    await assert.rejects(db.transaction((tx) => tx.executeRaw('INSERT INTO child VALUES (99)')), /FOREIGN KEY constraint failed/)
    assert.equal((await db.queryRaw('SELECT * FROM child')).rowCount, 0)
    // Nor does an error that ends the transaction by itself.
    await assert.rejects(db.transaction(async (tx) => {
      await tx.executeRaw('INSERT INTO t VALUES (50)')
      await tx.executeRaw('INSERT OR ROLLBACK INTO t VALUES (50)')
    }), /UNIQUE constraint failed/)
    assert.equal(await count(db), 4)
    await db.transaction((tx) => tx.executeRaw('INSERT INTO t VALUES (51)'))
    assert.equal(await count(db), 5)
  })

  inMemory('transactions inside of transactions', ['CREATE TABLE t (a INTEGER PRIMARY KEY)'], async (db) => {
    const own = new Error('mine')
    await db.transaction(async (tx) => {
      await tx.executeRaw('INSERT INTO t VALUES (1)')
      await assert.rejects(tx.transaction(async (inner) => {
        await inner.executeRaw('INSERT INTO t VALUES (2)')
        await inner.transaction((innermost) => innermost.executeRaw('INSERT INTO t VALUES (3)'))
        assert.equal(await count(inner), 3)
        throw own
      }), own)
      assert.equal(await count(tx), 1)
      await tx.transaction((inner) => inner.executeRaw('INSERT INTO t VALUES (4)'))
      // Two at a time take turns.
      const both = await Promise.allSettled([5, 6].map((value) => tx.transaction(async (inner) => {
        await inner.executeRaw('INSERT INTO t VALUES (?)', [value])
        await new Promise((resolve) => setTimeout(resolve, 5))
        if (value === 5) throw own
      })))
      assert.deepEqual(both.map((outcome) => outcome.status), ['rejected', 'fulfilled'])
      await assert.rejects(tx.transaction(async () => 1, { mode: 'immediate' } as object), TypeError)
    })
    assert.deepEqual((await db.queryRaw('SELECT a FROM t ORDER BY a')).arrays(), [[1], [4], [6]])
    // One that nobody waits for must not be committed by halves, nor touch what comes later.
    let go: (() => void) | undefined
    let orphan: Promise<unknown> | undefined
    await assert.rejects(db.transaction(async (tx) => {
      orphan = tx.transaction(async (inner) => {
        await inner.executeRaw('INSERT INTO t VALUES (7)')
        await new Promise<void>((resolve) => (go = resolve))
        await inner.executeRaw('INSERT INTO t VALUES (8)')
      })
      orphan.catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }), { code: 'TRANSACTION_OPEN' })
    await db.transaction(async (tx) => {
      await tx.transaction(async (inner) => {
        await inner.executeRaw('INSERT INTO t VALUES (9)')
        go!()
        await assert.rejects(orphan!, { code: 'CONNECTION_CLOSED' })
      })
    })
    assert.deepEqual((await db.queryRaw('SELECT a FROM t ORDER BY a')).arrays(), [[1], [4], [6], [9]])
  })

  inMemory('other calls wait for a transaction', ['CREATE TABLE t (a INTEGER PRIMARY KEY)'], async (db) => {
    const order: string[] = []
    let inside!: () => void
    const begun = new Promise<void>((resolve) => (inside = resolve))
    const first = db.transaction(async (tx) => {
      await tx.executeRaw('INSERT INTO t VALUES (1)')
      inside()
      await new Promise((resolve) => setTimeout(resolve, 20))
      order.push('first')
      throw new Error('mine')
    })
    await begun
    const second = db.transaction(async (tx) => {
      order.push('second')
      await tx.executeRaw('INSERT INTO t VALUES (2)')
    })
    const third = db.executeRaw('INSERT INTO t VALUES (3)').then(() => order.push('third'))
    const aborted = db.queryRaw('SELECT 1', [], { signal: AbortSignal.timeout(1) })
    await assert.rejects(aborted, { name: 'TimeoutError' })
    await assert.rejects(first, /mine/)
    await Promise.all([second, third])
    assert.equal(order[0], 'first')
    // What waited is not rolled back with the transaction that it waited for.
    assert.deepEqual((await db.queryRaw('SELECT a FROM t ORDER BY a')).arrays(), [[2], [3]])

    // From the inside, waiting would be forever.
    const message = "this call is inside of a transaction on the same connection, and would wait for its end: call the transaction's own methods [TRANSACTION_OPEN]"
    await db.transaction(async (tx) => {
      await assert.rejects(db.executeRaw('DELETE FROM t'), { code: 'TRANSACTION_OPEN', message })
      await assert.rejects(db.transaction(async () => 1), { code: 'TRANSACTION_OPEN' })
      await assert.rejects(read(db.stream('SELECT 1')), { code: 'TRANSACTION_OPEN' })
      await assert.rejects(async () => {
        for await (const batch of db.batches('SELECT 1')) batch.rows()
      }, { code: 'TRANSACTION_OPEN' })
      await tx.transaction(async () => {
        await assert.rejects(tx.queryRaw('SELECT 1'), { code: 'TRANSACTION_OPEN' })
        await assert.rejects(db.queryRaw('SELECT 1'), { code: 'TRANSACTION_OPEN' })
      })
    })
    // A call that is made inside, but waits until after the end, is not.
    let later: Promise<unknown> | undefined
    await db.transaction(async () => {
      later = new Promise((resolve) => setTimeout(resolve, 5)).then(() => db.queryRaw('SELECT 1'))
    })
    await later
  })

  test(`${name}: two connections of one handle`, async () => {
    const { one, other, close } = await subject.shared()
    try {
      await one.executeRaw('CREATE TABLE t (a INTEGER PRIMARY KEY)')
      const own = new Error('mine')
      let order = ''
      await assert.rejects(one.transaction(async (tx) => {
        await tx.executeRaw('INSERT INTO t VALUES (1)')
        // Waiting in there would be forever, by the other connection too.
        await assert.rejects(other.executeRaw('INSERT INTO t VALUES (2)'), { code: 'TRANSACTION_OPEN' })
        await assert.rejects(other.transaction(async () => 1), { code: 'TRANSACTION_OPEN' })
        await new Promise((resolve) => setTimeout(resolve, 5))
        order += 'first '
        throw own
      }), own)
      let inside!: () => void
      const begun = new Promise<void>((resolve) => (inside = resolve))
      const first = one.transaction(async (tx) => {
        await tx.executeRaw('INSERT INTO t VALUES (1)')
        inside()
        await new Promise((resolve) => setTimeout(resolve, 20))
        order += 'second '
        throw own
      })
      await begun
      const second = other.transaction(async (tx) => {
        order += 'third'
        await tx.executeRaw('INSERT INTO t VALUES (3)')
      })
      const third = other.executeRaw('INSERT INTO t VALUES (4)')
      await assert.rejects(first, own)
      await Promise.all([second, third])
      assert.equal(order, 'first second third')
      assert.deepEqual((await other.queryRaw('SELECT a FROM t ORDER BY a')).arrays(), [[3], [4]])
      await one.close()
      assert.equal(await count(other), 2)
      await other.close()
    } finally {
      close()
    }
  })

  test(`${name}: the end of a connection inside of its transaction`, async () => {
    const db = await subject.open(':memory:')
    await db.executeRaw('CREATE TABLE t (a INTEGER PRIMARY KEY)')
    await db.transaction(async (tx) => {
      await tx.executeRaw('INSERT INTO t VALUES (1)')
      const message = 'close() is called inside of a transaction of this connection, and would wait for its end: close it afterwards [TRANSACTION_OPEN]'
      await assert.rejects(db.close(), { code: 'TRANSACTION_OPEN', message })
      await tx.transaction(async () => assert.rejects(db.close(), { code: 'TRANSACTION_OPEN' }))
    })
    assert.equal(await count(db), 1)
    await db.close()
  })

  const settles = ['scan', 'buffer', 'declared', 'unknown'] as const

  inMemory('streams', [], async (db) => {
    const sql = numbers(5000, "n, 'row ' || n AS t, n / 4.0 AS q")
    const whole = await db.queryRaw(sql)
    for (const settle of settles) {
      for (const shape of ['array', 'objects', 'ndjson'] as const) {
        const expected = await read(whole.stream({ shape }))
        const text = await read(db.stream(sql, [], { settle, shape }))
        assert.equal(text, settle === 'unknown' && shape === 'array' ? expected.replace('"int","string","double"', '"unknown","unknown","unknown"') : expected, `${settle} ${shape}`)
      }
    }
    // A type that only the last row tells.
    const late = numbers(3000, "CASE WHEN n = 3000 THEN 'x' END AS a, CASE WHEN n = 3000 THEN 2.5 ELSE n END AS b, CASE WHEN n < 2999 THEN n ELSE 3000000000 END AS c")
    const types = (text: string): string => /"types":\[(.*?)\]/.exec(text)![1]
    assert.equal(types(await read(db.stream(late))), '"string","double","bigint"')
    assert.equal(await read(db.stream(late)), (await db.queryRaw(late)).text())
    assert.equal(await read(db.stream(late, [], { settle: 'buffer' })), (await db.queryRaw(late)).text())
    await assert.rejects(read(db.stream(late, [], { settle: 'declared' })), (error: Error & { code: string; row: number; column: number; columnName: string; type: string; found: string }) => {
      assert.deepEqual([error.code, error.row, error.column, error.columnName, error.type], ['LABEL_UNSETTLED', 2998, 2, 'c', 'int'])
      return true
    })
    // Of what the first rows have nothing of, and of what they mix, anything goes.
    const open = await read(db.stream(numbers(600, "CASE WHEN n > 500 THEN 'x' END AS a, CASE n % 2 WHEN 0 THEN n ELSE 'y' END AS b"), [], { settle: 'declared' }))
    assert.equal(types(open), '"unknown","unknown"')
    assert.match(open, /\[null,"y"\],\[null,2\].*\["x","y"\],\["x",600\]\]\}$/)
    // A text among integers, and a number among texts, are not taken for what they look like.
    for (const [cells, found] of [["CASE WHEN n > 300 THEN '7' ELSE n END", 'string "7"'], ["CASE WHEN n > 300 THEN 7 ELSE 'x' END", 'bigint'], ["CASE WHEN n > 300 THEN 'x' ELSE x'01' END", 'string "x"']] as const) {
      await assert.rejects(read(db.stream(numbers(600, `${cells} AS a`), [], { settle: 'declared' })), { code: 'LABEL_UNSETTLED', row: 300, column: 0, found })
    }
    await db.executeRaw('CREATE TABLE d (a DATE)')
    await db.executeRaw(`INSERT INTO d ${numbers(600, "CASE WHEN n > 300 THEN '2024-02-29 12:00' ELSE '2024-02-29' END")}`)
    await assert.rejects(read(db.stream('SELECT a FROM d', [], { settle: 'declared' })), { code: 'LABEL_UNSETTLED', row: 300, column: 0, type: 'date', found: 'string "2024-02-29 12:00"' })
    assert.equal(await read(db.stream(late, [], { settle: 'unknown', shape: 'ndjson' })), await read((await db.queryRaw(late)).stream({ shape: 'ndjson' })).then((text) => text.replace(/"c":"(\d+)"/g, '"c":$1')))
    assert.throws(() => db.stream('SELECT 1', [], { settle: 'guess' as 'scan' }), { name: 'TypeError', message: "settle is 'scan', 'buffer', 'declared' or 'unknown', not guess" })
    assert.throws(() => db.stream('SELECT 1', [], { shape: 'csv' as 'array' }), { name: 'TypeError' })
    assert.equal(await read(db.stream('SELECT ? AS a, ? AS b', [1, 'x'])), '{"columns":["a","b"],"types":["int","string"],"rows":[[1,"x"]]}')
    assert.equal(await read(db.stream('SELECT :a AS a', { a: 1 })), '{"columns":["a"],"types":["int"],"rows":[[1]]}')
  })

  inMemory('a stream of a statement that changes something runs it once', ['CREATE TABLE t (a INTEGER PRIMARY KEY, b)'], async (db) => {
    for (const [i, settle] of settles.entries()) {
      const text = await read(db.stream('INSERT INTO t (b) VALUES (1), (2) RETURNING a', [], { settle }))
      assert.match(text, new RegExp(`"rows":\\[\\[${2 * i + 1}\\],\\[${2 * i + 2}\\]\\]\\}$`), settle)
      assert.equal(await count(db), 2 * i + 2)
    }
    for await (const batch of db.batches('INSERT INTO t (b) VALUES (1), (2) RETURNING a', [], { size: 1 })) assert.equal(batch.rowCount, 1)
    assert.equal(await count(db), 10)
  })

  inMemory('batches', ['CREATE TABLE t (a INTEGER, b BOOLEAN, c DATETIME)'], async (db) => {
    const sql = numbers(2500, "n, 'row ' || n AS t, CASE WHEN n = 2500 THEN 0.5 ELSE n END AS q, CASE n WHEN 2 THEN x'01' ELSE n END AS u, CASE WHEN n > 2400 THEN 3000000000 ELSE n END AS b")
    const whole = await db.queryRaw(sql)
    for (const settle of ['scan', 'buffer'] as const) {
      const batches: Result[] = []
      for await (const batch of db.batches(sql, [], { size: 1000, settle })) batches.push(batch)
      assert.deepEqual(batches.map((batch) => batch.rowCount), [1000, 1000, 500])
      for (const batch of batches) assert.deepEqual(batch.types, ['int', 'string', 'double', 'unknown', 'bigint'])
      assert.deepEqual(batches.flatMap((batch) => batch.arrays()), whole.arrays(), settle)
      assert.deepEqual(batches.flatMap((batch) => batch.arrays({})), whole.arrays(), settle)
      assert.equal(batches.map((batch) => batch.text().slice(whole.text().indexOf('[[') + 1, -2)).join(','), whole.text().slice(whole.text().indexOf('[[') + 1, -2))
      assert.equal(new TextDecoder().decode(batches[2].objects().slice(0, 62)), '[{"n":2001,"t":"row 2001","q":2001,"u":2001,"b":"2001"},{"n":2')
      assert.equal((await read(batches[1].stream({ shape: 'ndjson' }))).split('\n')[0], '{"n":1001,"t":"row 1001","q":1001,"u":1001,"b":"1001"}')
      assert.equal(typeof batches[0].rows()[0]['b'], 'bigint')
    }
    await assert.rejects(async () => {
      for await (const batch of db.batches(sql, [], { settle: 'declared' })) assert.equal(batch.types.length, 5)
    }, { code: 'LABEL_UNSETTLED', row: 2400, column: 4 })
    const unknown: unknown[] = []
    for await (const batch of db.batches(sql, [], { settle: 'unknown' })) unknown.push(...batch.arrays())
    assert.deepEqual(unknown[0], [1, 'row 1', 1, 1, 1])
    assert.equal(unknown.length, 2500)
    // Fewer than a batch, and none.
    for (const settle of settles) {
      for (const [rows, sizes] of [[0, [0]], [1, [1]], [2, [2]], [3, [2, 1]], [4, [2, 2]]] as const) {
        const got: number[] = []
        for await (const batch of db.batches(`${numbers(10, 'n')} LIMIT ${rows}`, [], { size: 2, settle })) got.push(batch.rowCount)
        assert.deepEqual(got, sizes, `${settle} ${rows}`)
      }
    }
    await db.executeRaw("INSERT INTO t VALUES (1, 1, '2024-02-29 00:00:00'), (2, NULL, NULL), (3, 0, NULL)")
    const rows: unknown[] = []
    for await (const batch of db.batches('SELECT * FROM t', [], { size: 1 })) rows.push(...batch.rows())
    assert.deepEqual(rows, [{ a: 1, b: true, c: new Date('2024-02-29T00:00:00Z') }, { a: 2, b: null, c: null }, { a: 3, b: false, c: null }])
    for (const size of [0, -1, NaN, 1.5, Infinity, '2' as unknown as number]) await assert.rejects(db.batches('SELECT 1', [], { size }).next(), { name: 'TypeError', message: `the size of a batch is a whole number of rows above 0, not ${typeof size === 'string' ? '"2"' : size}` })
  })

  inMemory('stops in between', ['CREATE TABLE t (a INTEGER)', 'INSERT INTO t ' + numbers(20_000, 'n')], async (db) => {
    const own = new Error('mine')
    const sql = 'SELECT a FROM t'
    for (const settle of settles) {
      const reader = db.stream(sql, [], { settle }).getReader()
      await reader.read()
      await reader.cancel()
      await db.executeRaw('UPDATE t SET a = a WHERE a < 10') // nothing is open any more
      const controller = new AbortController()
      const aborted = db.stream(sql, [], { settle, signal: controller.signal }).getReader()
      await aborted.read()
      controller.abort(own)
      await assert.rejects(aborted.read(), own)
      await new Promise((resolve) => setTimeout(resolve, 1))
      await db.executeRaw('UPDATE t SET a = a WHERE a < 10')
      for await (const batch of db.batches(sql, [], { size: 100, settle })) {
        if (batch.rowCount === 100) break
      }
      await db.executeRaw('UPDATE t SET a = a WHERE a < 10')
      const signal = new AbortController()
      let seen = 0
      await assert.rejects(async () => {
        for await (const batch of db.batches(sql, [], { size: 100, settle, signal: signal.signal })) {
          seen += batch.rowCount
          if (seen === 300) signal.abort(own)
        }
      }, own)
      assert.equal(seen, 300)
    }
    await db.executeRaw('DROP TABLE t')
    await assert.rejects(db.queryRaw('SELECT 1', [], { signal: AbortSignal.abort(own) }), own)
    await assert.rejects(db.executeRaw('SELECT 1', [], { signal: AbortSignal.abort(own) }), own)
    await assert.rejects(read(db.stream('SELECT 1', [], { signal: AbortSignal.abort(own) })), own)
    await assert.rejects(read(db.stream('SELECT * FROM missing')), /no such table: missing/)
    await assert.rejects(db.batches('SELECT * FROM missing').next(), /no such table: missing/)
    // An error among the rows comes through as it is, and lets go of the database, too.
    await assert.rejects(read(db.stream(numbers(5000, "CASE WHEN n = 4000 THEN abs(-9223372036854775808) ELSE n END AS a"), [], { settle: 'declared' })), /integer overflow/)
    await db.executeRaw('CREATE TABLE t (a)')
  })

  test(`${name}: the end of a connection`, async () => {
    const db = await subject.open(':memory:')
    await db.executeRaw('CREATE TABLE t (a INTEGER)')
    await db.executeRaw('INSERT INTO t ' + numbers(10_000, 'n'))
    const open = db.stream('SELECT a FROM t', [], { settle: 'declared' }).getReader()
    await open.read()
    await db.close()
    await db.close()
    await assert.rejects(open.read(), { code: 'CONNECTION_CLOSED', message: 'the connection has ended: make a new one [CONNECTION_CLOSED]' })
    await assert.rejects(db.queryRaw('SELECT 1'), { code: 'CONNECTION_CLOSED' })
    await assert.rejects(db.executeRaw('SELECT 1'), { code: 'CONNECTION_CLOSED' })
    await assert.rejects(db.transaction(async () => 1), { code: 'CONNECTION_CLOSED' })
    await assert.rejects(read(db.stream('SELECT 1')), { code: 'CONNECTION_CLOSED' })
    await assert.rejects(subject.open(':memory:', { datetime: 'seconds' as 'ms' }), { name: 'TypeError', message: "datetime is 'unixepoch', 'ms' or 'julianday', not seconds" })
    await assert.rejects(subject.open(':memory:', { maxBytes: 100 }).then(async (small) => {
      try {
        await small.queryRaw(numbers(1000, 'n'))
      } finally {
        await small.close()
      }
    }), { code: 'RESULT_TOO_LARGE' })
  })

  inMemory('a schema of temporary tables, of attached databases, and after a rollback', ["ATTACH ':memory:' AS attached"], async (db) => {
    for (const schema of ['temp', 'attached', 'main']) {
      for (const [type, label] of [['BOOLEAN', 'bool'], ['DECIMAL(10,2)', 'decimal'], ['VARCHAR(10)', 'string']]) {
        // With a rollback of it the version of a schema goes back, and comes again with the next change.
        const undone = new Error('undone')
        await assert.rejects(db.transaction(async (tx) => {
          await tx.executeRaw(`CREATE TABLE ${schema}.t (a DATETIME)`)
          assert.deepEqual((await tx.queryRaw(`SELECT a FROM ${schema}.t`)).types, ['datetime'])
          throw undone
        }), undone)
        await db.executeRaw(`CREATE TABLE ${schema}.t (a ${type})`)
        assert.deepEqual((await db.queryRaw(`SELECT a FROM ${schema}.t`)).types, [label])
        assert.equal(await read(db.stream(`SELECT a FROM ${schema}.t`)), `{"columns":["a"],"types":["${label}"],"rows":[]}`)
        await db.executeRaw(`DROP TABLE ${schema}.t`)
      }
    }
  })

  test(`${name}: a schema that changes under a statement`, async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'rowjet-'))
    const both = subject.files ? undefined : await subject.shared()
    const db = both?.one ?? (await subject.open(path.join(folder, 'x.db')))
    const other = both?.other ?? (await subject.open(path.join(folder, 'x.db')))
    try {
      await db.executeRaw('CREATE TABLE t (a INTEGER)')
      await db.executeRaw('INSERT INTO t VALUES (1)')
      const text = async (): Promise<string> => (await db.queryRaw('SELECT * FROM t')).text()
      assert.equal(await text(), '{"columns":["a"],"types":["int"],"rows":[[1]]}')
      await db.executeRaw('ALTER TABLE t RENAME COLUMN a TO b')
      assert.equal(await text(), '{"columns":["b"],"types":["int"],"rows":[[1]]}')
      await db.executeRaw('ALTER TABLE t ADD COLUMN c')
      assert.equal(await text(), '{"columns":["b","c"],"types":["int","int"],"rows":[[1,null]]}')
      await other.executeRaw('ALTER TABLE t ADD COLUMN d BOOLEAN DEFAULT 1')
      assert.equal(await text(), '{"columns":["b","c","d"],"types":["int","int","bool"],"rows":[[1,null,true]]}')
      await other.executeRaw('ALTER TABLE t RENAME COLUMN d TO e')
      await new Promise((resolve) => setTimeout(resolve, 2))
      assert.equal(await text(), '{"columns":["b","c","e"],"types":["int","int","bool"],"rows":[[1,null,true]]}')
      assert.equal(await read(db.stream('SELECT * FROM t')), await text())
    } finally {
      await db.close()
      await other.close()
      both?.close()
      await rm(folder, { recursive: true })
    }
  })

  inMemory('random doubles', ['CREATE TABLE t (a REAL, b, c NUMERIC)'], async (db) => {
    await fc.assert(fc.asyncProperty(fc.array(fc.double({ noNaN: true }).map((value) => value + 0), { minLength: 1, maxLength: 10 }), async (doubles) => {
      await db.executeRaw('DELETE FROM t')
      for (const value of doubles) await db.executeRaw('INSERT INTO t VALUES (?1, ?1, ?1)', [value])
      const values = (await db.queryRaw('SELECT a, b FROM t')).arrays()
      // A whole number is an integer where the column does not say otherwise.
      assert.deepEqual(values.map((row) => Number(row[0])), doubles)
      assert.deepEqual(values.map((row) => Number(row[1])), doubles)
      assert.deepEqual((await db.queryRaw('SELECT c FROM t')).arrays().map((row) => Number(row[0])), doubles)
      assert.deepEqual((JSON.parse((await db.queryRaw('SELECT a FROM t')).text()) as { rows: unknown[][] }).rows.map((row) => Number(row[0])), doubles)
    }), { numRuns: 40 })
  })

  const declared = ['INTEGER', 'BIGINT', 'TEXT', 'VARCHAR(191)', 'REAL', 'NUMERIC', 'DECIMAL(10,2)', 'BLOB', '', 'BOOLEAN', 'DATETIME', 'DATE', 'TIME', 'JSON', 'JSONB', 'UUID', 'STRING']
  const integers = fc.oneof(fc.bigInt(-3n, 3n), fc.bigInt(-(2n ** 31n) - 2n, 2n ** 31n + 2n), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.constantFrom(2n ** 53n, 2n ** 53n + 1n, -(2n ** 63n)))
  const words = fc.constantFrom('', '12', '-0', '007', '1.50', '1e3', '0x10', ' 7 ', '1,234.50', '1_000', 'true', 'null', 'NaN', 'infinity', '{"a": 1.10}', '[1,2', '"x"', '2024-02-29', '2024-02-29 12:34:56', '2024-02-30 00:00:00', '12:34:56', '12:34:56+01', '9223372036854775808')
  const texts = fc.oneof(words, fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '').replace(subject.mark ? '' : /^\ufeff/, '')))
  const reals = fc.double({ noNaN: true })
  const cells = fc.oneof(fc.constant(null), integers, reals, texts, fc.uint8Array({ maxLength: 20 }))
  const likely = (type: string): fc.Arbitrary<unknown> => {
    if (/INT|BOOL/.test(type)) return integers
    if (/REAL|NUM|DEC/.test(type)) return fc.oneof(reals, integers)
    return type === 'BLOB' ? fc.uint8Array({ maxLength: 20 }) : texts
  }
  const tables = fc.array(fc.constantFrom(...declared), { minLength: 1, maxLength: 4 }).chain((types) => fc.record({
    types: fc.constant(types),
    // Most columns are of one kind, as in life.
    rows: fc.array(fc.tuple(...types.map((type) => fc.oneof({ weight: 6, arbitrary: likely(type) }, { weight: 1, arbitrary: cells }))), { maxLength: 12 }),
  }))

  test(`${name}: random tables, against SQLite's own typeof() and quote()`, async () => {
    const db = await subject.open(':memory:')
    try {
      await fc.assert(fc.asyncProperty(tables, async ({ types, rows }) => {
        await db.executeRaw('DROP TABLE IF EXISTS r')
        await db.executeRaw(`CREATE TABLE r (${types.map((type, i) => `c${i} ${type}`).join(', ')})`)
        for (const row of rows) await db.executeRaw(`INSERT INTO r VALUES (${types.map(() => '?').join(', ')})`, row)
        const oracle = await db.queryRaw(`SELECT ${types.map((_, i) => `typeof(c${i}), quote(c${i})`).join(', ')} FROM r`)
        const stored = oracle.arrays() as string[][]
        for (const sql of ['SELECT * FROM r', `SELECT ${types.map((_, i) => `c${i}, coalesce(c${i}, NULL) AS e${i}`).join(', ')} FROM r`]) {
          const step = sql.includes('*') ? 1 : 2
          const result = await db.queryRaw(sql)
          const values = result.arrays()
          const json = result.json()
          assert.equal(values.length, stored.length)
          for (const [r, row] of values.entries()) {
            for (const [c, value] of row.entries()) {
              const of = Math.floor(c / step)
              checkCell(value, json.rows[r][c], result.types[c], stored[r][2 * of], stored[r][2 * of + 1])
            }
          }
          assert.deepEqual(result.arrays({}), values)
          assert.equal(await read(db.stream(sql)), result.text())
          assert.equal(await read(db.stream(sql, [], { settle: 'buffer' })), result.text())
          const batched: unknown[] = []
          for await (const batch of db.batches(sql, [], { size: 5 })) {
            batched.push(...batch.arrays())
            assert.deepEqual(batch.arrays({}), batch.arrays())
            assert.deepEqual(batch.types, result.types)
          }
          assert.deepEqual(batched, values)
        }
      }), { numRuns: 60 })
    } finally {
      await db.close()
    }
  })
}

/** Checks that a typed value and its JSON are what SQLite says that it has stored. */
function checkCell(value: unknown, json: unknown, type: string, stored: string, quoted: string): void {
  const where = `${type} ${stored} ${quoted} ${String(value)} ${JSON.stringify(json)}`
  if (stored === 'null') {
    assert.ok(value === null && json === null, where)
    return
  }
  switch (stored) {
    case 'integer': {
      const integer = BigInt(quoted)
      switch (type) {
        case 'int':
        case 'double':
          assert.ok(typeof value === 'number' && BigInt(value) === integer, where)
          return
        case 'bigint':
          assert.ok(value === integer && json === quoted, where)
          return
        case 'decimal':
          assert.ok(value === quoted && json === quoted, where)
          return
        case 'bool':
          assert.ok(value === (integer === 1n) && (integer === 0n || integer === 1n), where)
          return
        case 'json': // JSON.parse has rounded it; the document has the digits
          assert.ok(value === Number(quoted), where)
          return
        case 'unknown':
          assert.ok(Number.isSafeInteger(Number(quoted)) ? value === Number(quoted) : value === quoted, where)
          return
      }
      assert.fail(where)
    }
    case 'real': {
      const real = quoted.replace('9.0e+999', 'Infinity')
      const number = Number(real)
      // quote() is not always right in the last of seventeen digits; see the test of random doubles for those.
      const near = (other: unknown): boolean => other === number || (typeof other === 'number' && Math.abs(other - number) <= Math.abs(number) * 1e-15)
      switch (type) {
        case 'double':
        case 'json':
          assert.ok(near(value) || json === String(number), where)
          return
        case 'decimal':
          assert.ok(near(Number(value)), where)
          return
        case 'unknown':
          assert.ok(Number.isFinite(number) ? near(value) : value === String(number), where)
          return
      }
      assert.fail(where)
    }
    case 'text': {
      const text = quoted.slice(1, -1).replaceAll("''", "'")
      switch (type) {
        case 'string':
        case 'unknown':
          assert.ok(value === text && json === text, where)
          return
        case 'json': {
          let parsed: unknown = text
          try {
            parsed = JSON.parse(text)
          } catch {
            // not JSON: a string
          }
          assert.deepEqual(value, parsed, where)
          return
        }
        case 'date':
        case 'time':
          assert.ok(value === text, where)
          return
        case 'datetime':
          assert.ok(text === 'infinity' ? value === Infinity : value instanceof Date && value.getTime() === new Date(text.length > 10 ? `${text.replace(' ', 'T')}Z` : text).getTime(), where)
          return
      }
      assert.fail(where)
    }
    case 'blob':
      if (type === 'bytes') {
        assert.ok(value instanceof Uint8Array && Buffer.from(value).toString('hex').toUpperCase() === quoted.slice(2, -1), where)
        assert.equal(json, Buffer.from(quoted.slice(2, -1), 'hex').toString('base64'))
        return
      }
      assert.ok(type === 'unknown' && value === Buffer.from(quoted.slice(2, -1), 'hex').toString('base64'), where)
  }
}
