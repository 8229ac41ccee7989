// node:sqlite needs a newer Node than the one that runs these tests may be: the cases run in one that has it.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { connect } from 'rowjet/node-sqlite'
import { here, nodeWithSQLite } from './node22.js'

test('node:sqlite, in a Node that has it', async () => {
  const binary = nodeWithSQLite()
  const cases = fileURLToPath(new URL('node-sqlite.cases.js', import.meta.url))
  // Not as a test of this run's: its environment would make it report in another way.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const output = await new Promise<string>((resolve, reject) => {
    execFile(binary, ['--expose-gc', '--no-warnings', '--test', '--test-reporter=tap', cases], { env, maxBuffer: 1 << 26 }, (error, out) => {
      if (error === null) resolve(out)
      else reject(new Error(out))
    })
  })
  assert.match(output, /^# fail 0$/m)
  assert.ok(Number(/^# pass (\d+)$/m.exec(output)![1]) >= 24, output)
})

test('where there is none, the error says what to do', async () => {
  if (here) {
    const db = await connect(':memory:')
    assert.equal((await db.queryRaw('SELECT 1 AS a')).rows()[0]['a'], 1)
    await db.close()
    return
  }
  await assert.rejects(connect(':memory:'), { code: 'DRIVER_MISSING', message: `this runtime has no node:sqlite (it says it is Node ${process.versions.node}): use Node 22.16 or newer, or rowjet/better-sqlite3 [DRIVER_MISSING]` })
  await assert.rejects(connect(5 as never), { name: 'TypeError', message: 'connect takes a DatabaseSync of node:sqlite, or the path of a database' })
})
