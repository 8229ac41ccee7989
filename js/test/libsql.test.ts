// libSQL: its package libsql, which does what all drivers do, and clients of @libsql/client.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { createClient } from '@libsql/client'
import Database from 'libsql'
import { connect } from 'rowjet/libsql'
import { numbers, read, suite } from './sqlite-suite.js'

suite({
  name: 'libsql',
  open: connect,
  async shared() {
    const handle = new Database(':memory:')
    return { one: await connect(handle), other: await connect(handle), close: () => handle.close() }
  },
  files: true,
  nul: false,
  invalid: false,
  mark: true,
  busy: false,
  counts: false,
})

test('a handle that was passed in stays open', async () => {
  const handle = new Database(':memory:')
  handle.exec('CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (9007199254740993)')
  const db = await connect(handle)
  assert.deepEqual([db.dialect, db.adapterName], ['sqlite', 'libsql'])
  assert.deepEqual((await db.queryRaw('SELECT * FROM t')).arrays(), [[9007199254740993n]])
  handle.exec('ALTER TABLE t RENAME COLUMN a TO b')
  assert.deepEqual((await db.queryRaw('SELECT * FROM t')).rows(), [{ b: 9007199254740993n }])
  await db.close()
  assert.deepEqual(handle.prepare('SELECT 1 AS a').all(), [{ a: 1 }])
  handle.close()
  await assert.rejects(connect({} as never), { name: 'TypeError', message: 'connect takes a database of libsql, a client of @libsql/client, a path or a URL' })
})

test('a client', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'rowjet-'))
  const client = createClient({ url: `file:${path.join(folder, 'x.db')}`, intMode: 'bigint' })
  try {
    const db = await connect(client)
    assert.equal(db.adapterName, '@libsql/client')
    await db.executeRaw('CREATE TABLE t (a INTEGER PRIMARY KEY, b VARCHAR(191), c DECIMAL(10,2), d BOOL, e BLOB, f DATETIME)')
    assert.equal(await db.executeRaw('INSERT INTO t VALUES (?, ?, ?, ?, ?, ?), (1, NULL, 3, 0, NULL, NULL)', [9007199254740993n, 'x', 1.5, true, new Uint8Array([0, 255]), new Date(0)]), 2)
    const result = await db.queryRaw("SELECT *, 1 AS one, 2.0 AS two, x'01' AS bytes FROM t ORDER BY a")
    assert.equal(result.text(), '{"columns":["a","b","c","d","e","f","one","two","bytes"],"types":["bigint","string","decimal","bool","bytes","datetime","int","int","bytes"],"rows":[["1",null,"3",false,null,null,1,2,"AQ=="],["9007199254740993","x","1.5",true,"AP8=","1970-01-01T00:00:00+00:00",1,2,"AQ=="]]}')
    assert.deepEqual(result.rows()[1], { a: 9007199254740993n, b: 'x', c: '1.5', d: true, e: new Uint8Array([0, 255]), f: new Date(0), one: 1, two: 2, bytes: new Uint8Array([1]) })
    assert.deepEqual(result.arrays({}), result.arrays())
    assert.equal((await db.queryRaw('SELECT * FROM t WHERE 0')).text(), '{"columns":["a","b","c","d","e","f"],"types":["int","string","decimal","bool","bytes","datetime"],"rows":[]}')
    assert.deepEqual((await db.queryRaw('SELECT :x AS x', { x: 5 })).arrays(), [[5]])
    assert.equal(await read(db.stream(numbers(3, 'n'), [], { shape: 'ndjson' })), '{"n":1}\n{"n":2}\n{"n":3}\n')
    const sizes: number[] = []
    for await (const batch of db.batches(numbers(5, 'n'), [], { size: 2 })) sizes.push(batch.rowCount)
    assert.deepEqual(sizes, [2, 2, 1])
    // Transactions have a connection of their own.
    const own = new Error('mine')
    await assert.rejects(db.transaction(async (tx) => {
      await tx.executeRaw('INSERT INTO t (a) VALUES (7)')
      await tx.transaction((inner) => inner.executeRaw('INSERT INTO t (a) VALUES (8)'))
      await assert.rejects(tx.transaction(async (inner) => {
        await inner.executeRaw('INSERT INTO t (a) VALUES (9)')
        throw own
      }), own)
      assert.deepEqual((await tx.queryRaw('SELECT a FROM t WHERE a IN (7, 8, 9)')).arrays(), [[7], [8]])
      throw own
    }, { mode: 'immediate' }), own)
    assert.equal((await db.queryRaw('SELECT count(*) FROM t')).arrays()[0][0], 2)
    await db.transaction((tx) => tx.executeRaw('DELETE FROM t WHERE a = 1'))
    assert.equal((await db.queryRaw('SELECT count(*) FROM t')).arrays()[0][0], 1)
    await assert.rejects(db.transaction(async () => 1, { mode: 'exclusive' }), TypeError)
    await assert.rejects(db.queryRaw('SELECT * FROM missing'), { name: 'LibsqlError' })
    await assert.rejects(db.executeRaw('DELETE FROM t; SELECT 1'), { name: 'RangeError', message: 'The supplied SQL string contains more than one statement' })
    await assert.rejects(db.transaction((tx) => tx.executeRaw('DELETE FROM t; SELECT 1')), { name: 'RangeError' })
    await assert.rejects(db.queryRaw('SELECT 1', [], { signal: AbortSignal.abort(own) }), own)
    await db.close()
    assert.equal(client.closed, false)
  } finally {
    client.close()
    await rm(folder, { recursive: true })
  }
})

test('a client that gives numbers: exact as far as it goes, and never labelled as more', async () => {
  const client = createClient({ url: ':memory:' })
  const db = await connect(client)
  assert.equal((await db.queryRaw('SELECT 1 AS a, 2.5 AS b, 3000000000 AS c, 9007199254740991 AS d')).text(), '{"columns":["a","b","c","d"],"types":["int","double","bigint","bigint"],"rows":[[1,2.5,"3000000000","9007199254740991"]]}')
  await assert.rejects(db.queryRaw('SELECT 9007199254740993 AS a'), { name: 'RangeError' })
  client.close()
})

test('a server is left to the client', async () => {
  // Nothing listens there: what comes back is the client's own error.
  const db = await connect('http://127.0.0.1:9')
  assert.equal(db.adapterName, '@libsql/client')
  await assert.rejects(db.queryRaw('SELECT 1'))
  await db.close()
})
