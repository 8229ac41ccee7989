// sql.js: what all drivers do, and what is its own.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { connect } from 'rowjet/sql.js'
import { read, suite } from './sqlite-suite.js'

interface Handle {
  run(sql: string): unknown
  exec(sql: string): unknown[]
  prepare(sql: string): { bind(values: unknown[]): unknown }
  getRowsModified(): number
  export(): Uint8Array
  close(): void
}

const SQL = await (createRequire(import.meta.url)('sql.js') as () => Promise<{ Database: new () => Handle }>)()

suite({
  name: 'sql.js',
  open: (_, options) => connect(':memory:', options),
  async shared() {
    const handle = new SQL.Database()
    return { one: await connect(handle), other: await connect(handle), close: () => handle.close() }
  },
  files: false,
  nul: true,
  invalid: true,
  mark: false,
  busy: false,
  counts: true,
})

test('a handle that was passed in stays open, its statements are freed, and it can be exported', async () => {
  const handle = new SQL.Database()
  handle.run('CREATE TABLE t (a INTEGER, b DECIMAL(10,2)); INSERT INTO t VALUES (9007199254740993, 1.5)')
  const db = await connect(handle)
  assert.deepEqual([db.dialect, db.adapterName], ['sqlite', 'sql.js'])
  assert.equal((await db.queryRaw('SELECT * FROM t')).text(), '{"columns":["a","b"],"types":["bigint","decimal"],"rows":[["9007199254740993","1.5"]]}')
  handle.run('ALTER TABLE t RENAME COLUMN a TO c')
  assert.deepEqual((await db.queryRaw('SELECT * FROM t')).rows(), [{ c: 9007199254740993n, b: '1.5' }])
  await read(db.stream('SELECT * FROM t'))
  const cancelled = db.stream('SELECT * FROM t').getReader()
  await cancelled.read()
  await cancelled.cancel()
  for (let i = 0; i < 250; i++) assert.deepEqual((await db.queryRaw(`SELECT ${i} AS i`)).rows(), [{ i }])
  // What is kept goes on after an export.
  assert.ok(handle.export().length > 0)
  assert.deepEqual((await db.queryRaw('SELECT * FROM t')).rows(), [{ c: 9007199254740993n, b: '1.5' }])
  // Those that are kept, and the one for the version of the schema.
  assert.equal(statements(handle), 101)
  await db.close()
  assert.equal(statements(handle), 0)
  const copy = await connect(handle.export())
  assert.deepEqual((await copy.queryRaw('SELECT * FROM t')).rows(), [{ c: 9007199254740993n, b: '1.5' }])
  await copy.close()
  handle.close()
})

/** The member of a database that has its open statements has another name in each build. */
function statements(handle: object): number {
  const list = Object.values(handle).find((value) => typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) as object
  return Object.keys(list).length
}

test('declared types leave nothing behind', async () => {
  const handle = new SQL.Database()
  const db = await connect(handle)
  await db.executeRaw('CREATE TABLE t (a DECIMAL(10,2), b DATETIME, c, d BLOB, e VARCHAR(10))')
  const types = async (sql: string, params?: unknown[]): Promise<readonly string[]> => (await db.queryRaw(sql, params)).types
  // sql.js does not tell a column without a type from a BLOB: with no rows neither is known.
  assert.deepEqual(await types('SELECT * FROM t'), ['decimal', 'datetime', 'unknown', 'unknown', 'string'])
  assert.deepEqual(await types('SELECT e, a, a + 1 AS f FROM t WHERE a > ? AND e = ?2 OR b = :x -- ? $no', [1, 2, 3]), ['string', 'decimal', 'unknown'])
  assert.deepEqual(await types(`WITH w AS (SELECT a, '?' AS q, "e" FROM t) SELECT a, q, e FROM w LIMIT 0`), ['decimal', 'unknown', 'string'])
  assert.deepEqual(await types('SELECT a FROM t;'), ['decimal'])
  assert.deepEqual(await types('VALUES (1, 2.5)'), ['int', 'double'])
  assert.deepEqual(await types('PRAGMA table_info(t)'), ['int', 'string', 'string', 'int', 'int', 'int'])
  assert.equal(await db.executeRaw('INSERT INTO t (a) VALUES (1), (2)'), 2)
  assert.deepEqual((await db.queryRaw('SELECT changes() AS c, last_insert_rowid() AS r, total_changes() AS t')).rows(), [{ c: 2, r: 2, t: 2 }])
  assert.deepEqual(handle.exec('SELECT name FROM sqlite_temp_master'), [])
  // A name that is taken, and a connection that may not write: the values decide.
  handle.run('CREATE TEMP VIEW rowjet_columns AS SELECT 5 AS five')
  assert.deepEqual(await types('SELECT a, 1 FROM t'), ['int', 'int'])
  assert.deepEqual((await db.queryRaw('SELECT five FROM rowjet_columns')).rows(), [{ five: 5 }])
  handle.run('DROP VIEW rowjet_columns; PRAGMA query_only = 1')
  assert.deepEqual(await types('SELECT a, 2 FROM t'), ['int', 'int'])
  handle.run('PRAGMA query_only = 0')
  // In a transaction, beside a stream that is open.
  await db.transaction(async (tx) => {
    const reader = tx.stream('SELECT a FROM t', [], { settle: 'declared' }).getReader()
    const first = await reader.read()
    assert.deepEqual((await tx.queryRaw('SELECT a, 3 FROM t')).types, ['decimal', 'int'])
    assert.equal(new TextDecoder().decode(first.value), '{"columns":["a"],"types":["decimal"],"rows":[["1"],["2"]]}')
  })
  assert.deepEqual(handle.exec('SELECT name FROM sqlite_temp_master'), [])
  handle.close()
})

test('what sql.js does not tell, and what it binds as something else', async () => {
  const db = await connect(':memory:')
  await db.executeRaw('CREATE TABLE t (a DECIMAL(10,2), b BOOLEAN, c DATETIME)')
  const returned = await db.queryRaw("INSERT INTO t VALUES (1.5, 1, '2024-02-29 12:34:56') RETURNING *")
  assert.equal(returned.text(), '{"columns":["a","b","c"],"types":["double","int","string"],"rows":[[1.5,1,"2024-02-29 12:34:56"]]}')
  assert.equal((await db.queryRaw('SELECT ? AS a', [-0])).text(), '{"columns":["a"],"types":["int"],"rows":[[0]]}')
  await db.close()
})

test('errors', async () => {
  const db = await connect(':memory:')
  await assert.rejects(db.queryRaw('SELEC 1'), { name: 'Error', code: 'SQLITE_ERROR', message: 'near "SELEC": syntax error' })
  await assert.rejects(db.queryRaw('SELECT 1; SELECT 2'), { name: 'RangeError', message: 'The supplied SQL string contains more than one statement' })
  await assert.rejects(db.queryRaw(' -- nothing'), { name: 'Error', message: 'Nothing to prepare' })
  await assert.rejects(db.queryRaw('SELECT :a', { b: 1 }), { name: 'RangeError', message: 'Missing named parameter "a"' })
  await assert.rejects(db.queryRaw('SELECT ?', { b: 1 }), { name: 'RangeError', message: 'the statement has parameters without a name: pass an array' })
  await assert.rejects(db.queryRaw('SELECT ?', []), { name: 'RangeError', message: 'Too few parameter values were provided: there are 0, and the statement has 1' })
  await assert.rejects(connect('x.db' as ':memory:'), { name: 'TypeError', message: "connect takes a database of sql.js, the bytes of a database file, or ':memory:': sql.js can't open files" })
  await assert.rejects(connect(runInNewContext('new Uint8Array(4096).fill(7)') as Uint8Array).then((broken) => broken.queryRaw('SELECT * FROM sqlite_master')), { code: 'SQLITE_NOTADB' })
  await assert.rejects(connect(new Uint8Array(4096).fill(7)).then((broken) => broken.queryRaw('SELECT * FROM sqlite_master')), { code: 'SQLITE_NOTADB' })
  // An old one binds bigints as text.
  const old = new SQL.Database()
  const prepare = old.prepare.bind(old)
  old.prepare = (sql: string) => {
    const statement = prepare(sql)
    const bind = statement.bind.bind(statement)
    statement.bind = (values: unknown[]) => bind(values.map(String))
    return statement
  }
  await assert.rejects(connect(old), { code: 'DRIVER_UNSUPPORTED', message: 'this sql.js binds bigints as text: use sql.js 1.17 or newer [DRIVER_UNSUPPORTED]' })
  old.close()
  await db.close()
})
