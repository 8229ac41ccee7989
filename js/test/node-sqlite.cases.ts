// Run by node-sqlite.test.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from 'rowjet/node-sqlite'
import { suite } from './sqlite-suite.js'

const { DatabaseSync } = (await import('node:sqlite' as string)) as {
  DatabaseSync: new (path: string) => { exec(sql: string): void; isOpen: boolean; prepare(sql: string): { all(): unknown[]; get(): unknown }; close(): void }
}

suite({
  name: 'node:sqlite',
  open: connect,
  async shared() {
    const handle = new DatabaseSync(':memory:')
    return { one: await connect(handle), other: await connect(handle), close: () => handle.close() }
  },
  files: true,
  nul: false,
  invalid: true,
  mark: true,
  busy: false,
  counts: false,
})

test('a handle that was passed in stays open, and as it was', async () => {
  const handle = new DatabaseSync(':memory:')
  handle.exec('CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (9007199254740993)')
  const db = await connect(handle)
  assert.deepEqual([db.dialect, db.adapterName], ['sqlite', 'node:sqlite'])
  assert.deepEqual((await db.queryRaw('SELECT * FROM t')).arrays(), [[1n], [9007199254740993n]])
  handle.exec('ALTER TABLE t RENAME COLUMN a TO b')
  assert.deepEqual((await db.queryRaw('SELECT * FROM t LIMIT 1')).rows(), [{ b: 1 }])
  // The user's own statements keep their own ways.
  assert.deepEqual({ ...(handle.prepare('SELECT b FROM t').get() as object) }, { b: 1 })
  await db.close()
  assert.equal(handle.isOpen, true)
  handle.close()
})

test('opening', async () => {
  const db = await connect(':memory:', { open: { enableForeignKeyConstraints: false } })
  assert.deepEqual((await db.queryRaw('PRAGMA foreign_keys')).arrays(), [[0]])
  await assert.rejects(db.queryRaw('SELEC 1'), { code: 'ERR_SQLITE_ERROR', message: 'near "SELEC": syntax error' })
  await db.close()
  await assert.rejects(connect('/nowhere/at/all.db', { open: { readOnly: true } }), { code: 'ERR_SQLITE_ERROR' })
})
