// @sqlite.org/sqlite-wasm: what all drivers do, and what is its own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sqlite3InitModule from '@sqlite.org/sqlite-wasm'
import { connect, type SqliteWasmModule } from 'rowjet/sqlite-wasm'
import { numbers, suite } from './sqlite-suite.js'

const sqlite3 = (await sqlite3InitModule()) as unknown as SqliteWasmModule & { oo1: { DB: new (name: string) => Handle } }

interface Handle {
  readonly pointer: unknown
  prepare(sql: string): { step(): boolean; get(index: number): unknown; finalize(): void }
  exec(sql: string): void
  isOpen(): boolean
  openStatementCount(): number
  checkRc(code: number): unknown
  close(): void
}

const open = (): Handle => new sqlite3.oo1.DB(':memory:')

suite({
  name: 'sqlite-wasm',
  open: (location, options) => connect(location, { ...options, sqlite3 }),
  async shared() {
    const handle = open()
    return { one: await connect(handle, { sqlite3 }), other: await connect(handle, { sqlite3 }), close: () => handle.close() }
  },
  files: false,
  nul: true,
  invalid: true,
  mark: true,
  busy: false,
  counts: true,
})

test("the driver's own types fit", async () => {
  const module = await sqlite3InitModule()
  const handle = new module.oo1.DB(':memory:')
  const db = await connect(handle, { sqlite3: module })
  assert.deepEqual((await db.queryRaw('SELECT 1 AS a')).rows(), [{ a: 1 }])
  await db.close()
  handle.close()
  await assert.rejects(connect(handle, { sqlite3: module }), { name: 'TypeError', message: 'connect takes an open database of @sqlite.org/sqlite-wasm, or the name of one' })
})

test('a handle that was passed in stays open, and its statements are freed', async () => {
  const handle = open()
  handle.exec('CREATE TABLE t (a INTEGER, b DECIMAL(10,2), c BLOB); INSERT INTO t VALUES (9007199254740993, 1.5, NULL)')
  const db = await connect(handle, { sqlite3 })
  assert.deepEqual([db.dialect, db.adapterName], ['sqlite', 'sqlite-wasm'])
  assert.equal((await db.queryRaw('SELECT * FROM t')).text(), '{"columns":["a","b","c"],"types":["bigint","decimal","bytes"],"rows":[["9007199254740993","1.5",null]]}')
  handle.exec('ALTER TABLE t RENAME COLUMN a TO d')
  assert.deepEqual((await db.queryRaw('SELECT d FROM t')).rows(), [{ d: 9007199254740993n }])
  const cancelled = db.stream('SELECT * FROM t').getReader()
  await cancelled.read()
  await cancelled.cancel()
  for (let i = 0; i < 250; i++) assert.deepEqual((await db.queryRaw(`SELECT ${i} AS i`)).rows(), [{ i }])
  assert.equal(handle.openStatementCount(), 100)
  await db.close()
  assert.equal(handle.openStatementCount(), 0)
  assert.equal(handle.isOpen(), true)
  handle.close()
})

test('a handle that is closed under a connection', async () => {
  const handle = open()
  const db = await connect(handle, { sqlite3 })
  assert.equal((await db.queryRaw('SELECT 1 AS a')).rowCount, 1)
  const reader = db.stream(numbers(10_000, 'n'), [], { settle: 'declared' }).getReader()
  await reader.read()
  handle.close()
  await assert.rejects(db.queryRaw('SELECT 1 AS a'), { code: 'CONNECTION_CLOSED', message: 'the database was closed: open it anew [CONNECTION_CLOSED]' })
  await assert.rejects(reader.read(), { code: 'CONNECTION_CLOSED' })
  await db.close()
  await assert.rejects(connect(handle, { sqlite3 }), { name: 'TypeError', message: 'connect takes an open database of @sqlite.org/sqlite-wasm, or the name of one' })
})

test('texts of a database in UTF-16, and values larger than the memory was', async () => {
  const db = await connect(':memory:', { sqlite3 })
  await db.executeRaw("PRAGMA encoding = 'UTF-16le'")
  await db.executeRaw('CREATE TABLE t (a TEXT)')
  const texts = ['häxan', '', 'a\u0000b', '😀'.repeat(500_000)]
  for (const text of texts) await db.executeRaw('INSERT INTO t VALUES (?)', [text])
  assert.deepEqual((await db.queryRaw('SELECT a FROM t ORDER BY rowid')).arrays(), texts.map((text) => [text]))
  assert.equal(((await db.queryRaw('SELECT zeroblob(30000000) AS z, 1 AS n')).rows()[0]['z'] as Uint8Array).length, 30_000_000)
  await db.close()
})

test('errors', async () => {
  const db = await connect(':memory:')
  await assert.rejects(db.queryRaw('SELEC 1'), { name: 'SQLite3Error', message: 'SQLITE_ERROR: sqlite3 result code 1: near "SELEC": syntax error' })
  await assert.rejects(db.queryRaw('SELECT 1; SELECT 2'), { name: 'RangeError', message: 'The supplied SQL string contains more than one statement' })
  assert.equal((await db.queryRaw('SELECT 1 AS a; /* nothing */ ; -- more')).rowCount, 1)
  await assert.rejects(db.queryRaw('SELECT :a', { b: 1 }), { name: 'RangeError', message: 'Missing named parameter "a"' })
  await assert.rejects(connect({} as never), { name: 'TypeError' })
  await db.close()
  const handle = open()
  await assert.rejects(connect(handle), { name: 'TypeError', message: 'a database of @sqlite.org/sqlite-wasm has no way to the module that it was made with: pass that in the option sqlite3' })
  await assert.rejects(connect(handle, { sqlite3: { ...sqlite3, wasm: { bigIntEnabled: false } } }), { code: 'DRIVER_UNSUPPORTED' })
  handle.close()
})
