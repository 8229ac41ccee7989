// better-sqlite3: what all drivers do, and what is its own.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { connect } from 'rowjet/better-sqlite3'
import { createEngine } from 'rowjet/sqlite'
import { numbers, read, suite } from './sqlite-suite.js'

type Handle = Parameters<typeof connect>[0] & object & { exec(sql: string): void; open: boolean; prepare(sql: string): { all(): unknown[] } }
const Database = createRequire(import.meta.url)('better-sqlite3') as new (path: string) => Handle

suite({
  name: 'better-sqlite3',
  open: connect,
  async shared() {
    const handle = new Database(':memory:')
    return { one: await connect(handle), other: await connect(handle), close: () => handle.close() }
  },
  files: true,
  nul: true,
  invalid: true,
  mark: true,
  busy: true,
  counts: true,
})

test('a handle that was passed in stays open, and as it was', async () => {
  const handle = new Database(':memory:')
  handle.exec('CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (9007199254740993)')
  const db = await connect(handle)
  assert.deepEqual([db.dialect, db.adapterName], ['sqlite', 'better-sqlite3'])
  assert.deepEqual((await db.queryRaw('SELECT a FROM t')).arrays(), [[1n], [9007199254740993n]])
  // The user's own statements keep their own ways.
  assert.deepEqual(handle.prepare('SELECT a FROM t').all(), [{ a: 1 }, { a: 9007199254740992 }])
  // The user changes a table by the handle: the next result knows.
  assert.equal((await db.queryRaw('SELECT * FROM t LIMIT 1')).text(), '{"columns":["a"],"types":["int"],"rows":[[1]]}')
  handle.exec('ALTER TABLE t RENAME COLUMN a TO b')
  assert.equal((await db.queryRaw('SELECT * FROM t LIMIT 1')).text(), '{"columns":["b"],"types":["int"],"rows":[[1]]}')
  await db.close()
  assert.equal(handle.open, true)
  await assert.rejects(db.queryRaw('SELECT 1'), { code: 'CONNECTION_CLOSED' })
  handle.exec('DROP TABLE t')
})

test('opening', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'rowjet-'))
  try {
    const file = path.join(folder, 'with space.db')
    const db = await connect(`file:${file}`)
    await db.executeRaw('CREATE TABLE t (a)')
    await db.close()
    const readonly = await connect(file, { open: { readonly: true } })
    await assert.rejects(readonly.executeRaw('INSERT INTO t VALUES (1)'), { code: 'SQLITE_READONLY' })
    await readonly.close()
    await assert.rejects(connect(path.join(folder, 'none.db'), { open: { fileMustExist: true } }), { code: 'SQLITE_CANTOPEN' })
    await assert.rejects(connect(5 as never), { name: 'TypeError', message: 'connect takes a better-sqlite3 database, or the path of one' })
    const engine = await createEngine()
    const shared = await connect(':memory:', { engine })
    assert.equal((await shared.queryRaw('SELECT 1 AS a')).text(), '{"columns":["a"],"types":["int"],"rows":[[1]]}')
    await assert.rejects(connect(':memory:', { engine, maxBytes: 1 }), TypeError)
    await shared.close()
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('the driver refuses to write while rows are read, and says so', async () => {
  const db = await connect(':memory:')
  await db.executeRaw('CREATE TABLE t (a INTEGER)')
  await db.executeRaw('INSERT INTO t ' + numbers(10_000, 'n'))
  const reader = db.stream('SELECT a FROM t').getReader()
  await reader.read()
  await assert.rejects(db.executeRaw('DELETE FROM t'), { name: 'TypeError', message: 'This database connection is busy executing a query' })
  assert.equal((await db.queryRaw('SELECT count(*) AS n FROM t')).rows()[0]['n'], 10_000)
  await reader.cancel()
  // A stream that keeps its rows lets go at once.
  const buffered = db.stream('SELECT a FROM t', [], { settle: 'buffer' }).getReader()
  await buffered.read()
  assert.equal(await db.executeRaw('DELETE FROM t'), 10_000)
  let rest = 0
  for (let piece = await buffered.read(); !piece.done; piece = await buffered.read()) rest += piece.value.length
  assert.ok(rest > 30_000)
  await db.close()
})

test('errors of the driver come through', async () => {
  const db = await connect(':memory:')
  await assert.rejects(db.queryRaw('SELEC 1'), { name: 'SqliteError', code: 'SQLITE_ERROR', message: 'near "SELEC": syntax error' })
  await assert.rejects(db.queryRaw('SELECT 1; SELECT 2'), { name: 'RangeError' })
  await assert.rejects(db.queryRaw('SELECT :a', { b: 1 }), { name: 'RangeError', message: 'Missing named parameter "a"' })
  await db.close()
})

test('a stream takes memory that does not depend on its length', async () => {
  const db = await connect(':memory:')
  const sql = (count: number): string => numbers(count, "n, 'row ' || n AS t, n / 2.0 AS h")
  await read(db.stream(sql(20_000)))
  const memory = (): number => {
    ;(globalThis as { gc?: () => void }).gc!()
    return process.memoryUsage().rss
  }
  const before = memory()
  let peak = 0
  let bytes = 0
  let pieces = 0
  for await (const piece of db.stream(sql(400_000))) {
    bytes += piece.length
    if (++pieces % 50 === 0) peak = Math.max(peak, process.memoryUsage().rss)
  }
  assert.ok(bytes > 10_000_000)
  assert.ok(peak - before < 48e6, `${((peak - before) / 1e6).toFixed(1)} MB`)
  await db.close()
})

test('others get a turn while a stream reads ahead', async () => {
  const db = await connect(':memory:')
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const reader = db.stream(numbers(300_000, "n, 'row ' || n AS t")).getReader()
  await reader.read()
  clearInterval(timer)
  await reader.cancel()
  await db.close()
  assert.ok(turns > 1, `${turns}`)
})
