// What rowjet/mysql2 and rowjet/mariadb can connect to: both flavours of the drivers, clusters, URLs.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import mariadb from 'mariadb'
import mariadbCallback from 'mariadb/callback'
import mysql from 'mysql2'
import mysqlPromise from 'mysql2/promise'
import { connect as connectMariadb, isRowjetError, type MySQLDatabase, type RowjetErrorCode } from 'rowjet/mariadb'
import { createEngine } from 'rowjet/mysql'
import { connect as connectMysql2 } from 'rowjet/mysql2'
import { config, mariadbURL, mysqlURL } from './mysql.js'

const closers: (() => unknown)[] = []
after(async () => {
  for (const close of closers.reverse()) await close()
})
const code = (wanted: RowjetErrorCode) => (error: unknown): boolean => isRowjetError(error) && error.code === wanted
const one = '{"columns":["a"],"types":["int"],"rows":[[1]]}'

async function works(db: MySQLDatabase): Promise<void> {
  assert.equal((await db.queryRaw('SELECT 1 AS a')).text(), one)
  assert.deepEqual((await db.queryRaw('SELECT CONCAT(?) AS b', ['x'])).rows(), [{ b: 'x' }])
  assert.equal(await db.transaction(async (tx) => (await tx.queryRaw('SELECT 1 AS a')).text()), one)
  await db.close()
}

test('mysql2: pools and connections, with callbacks and with promises', async () => {
  const pool = mysql.createPool(config)
  closers.push(() => new Promise((resolve) => pool.end(resolve)))
  await works(await connectMysql2(pool))
  await works(await connectMysql2(pool.promise()))
  const promised = mysqlPromise.createPool(config)
  closers.push(() => promised.end())
  await works(await connectMysql2(promised))
  const taken = await promised.getConnection()
  await works(await connectMysql2(taken))
  taken.release()

  // Not yet connected.
  const connection = mysql.createConnection(config)
  closers.push(() => new Promise<void>((resolve) => connection.end(() => resolve())))
  await works(await connectMysql2(connection))
  await works(await connectMysql2(connection.promise()))
  const rows = await new Promise((resolve, reject) => connection.query('SELECT 2 AS b', (error, found) => (error ? reject(error) : resolve(found))))
  assert.equal(JSON.stringify(rows), '[{"b":2}]')
  await assert.rejects(connectMysql2(mysql.createConnection({ ...config, port: 1 })), { code: 'ECONNREFUSED' })
})

test('mysql2: pool clusters', async () => {
  const cluster = mysql.createPoolCluster()
  closers.push(() => cluster.end(() => undefined))
  cluster.add('first', config)
  cluster.add('second', config)
  await works(await connectMysql2(cluster))
  await works(await connectMysql2(cluster.of('s*')))
  const none = await connectMysql2(cluster.of('x*'))
  await assert.rejects(none.queryRaw('SELECT 1'), { code: 'POOL_NOEXIST' })
  await assert.rejects(none.transaction(async () => undefined), { code: 'POOL_NOEXIST' })
  const promised = mysqlPromise.createPoolCluster()
  closers.push(() => promised.end())
  promised.add('only', config)
  await works(await connectMysql2(promised))
  await works(await connectMysql2(promised.of('only')))
})

test('mariadb: pools, clusters and connections, with callbacks and with promises', async () => {
  const pool = mariadb.createPool({ ...config, connectionLimit: 2 })
  closers.push(() => pool.end())
  await works(await connectMariadb(pool))
  const taken = await pool.getConnection()
  await works(await connectMariadb(taken))
  await taken.release()
  const called = mariadbCallback.createPool({ ...config, connectionLimit: 2 })
  closers.push(() => new Promise<void>((resolve) => called.end(() => resolve())))
  await works(await connectMariadb(called))
  // Not yet connected.
  const connection = mariadbCallback.createConnection(config)
  closers.push(() => new Promise<void>((resolve) => connection.end(() => resolve())))
  await works(await connectMariadb(connection))
  const cluster = mariadb.createPoolCluster()
  closers.push(() => cluster.end())
  cluster.add('only', { ...config, connectionLimit: 2 })
  await works(await connectMariadb(cluster.of('only')))
})

test('URLs and configurations: what is opened here is closed here', async () => {
  for (const opening of [connectMysql2(mysqlURL), connectMysql2({ ...config, connectionLimit: 2 }), connectMariadb(mariadbURL), connectMariadb({ ...config, connectionLimit: 2 })]) {
    const db = await opening
    await works(db)
    await assert.rejects(db.queryRaw('SELECT 1'), code('CONNECTION_CLOSED'))
  }
  const secret = 'not-to-be-told'
  for (const db of [await connectMysql2(`mysql://nobody:${secret}@127.0.0.1:1/none`), await connectMariadb(`mariadb://nobody:${secret}@127.0.0.1:1/none?acquireTimeout=300&initializationTimeout=200`)]) {
    const error = await db.queryRaw('SELECT 1').catch((reason: unknown) => reason as Error)
    assert.ok(error instanceof Error && !isRowjetError(error))
    assert.ok(!String(error.stack).includes(secret) && !JSON.stringify(error).includes(secret))
    await db.close()
  }
})

test('an engine of one’s own, and what can not be connected to', async () => {
  const engine = await createEngine(undefined, { maxBytes: 1000 })
  for (const connect of [connectMysql2, connectMariadb]) {
    const db = await connect({ ...config }, { engine })
    await assert.rejects(db.queryRaw("SELECT REPEAT('x', 2000)"), code('RESULT_TOO_LARGE'))
    await db.close()
    await assert.rejects(connect({ ...config }, { engine, maxBytes: 5 }), TypeError)
    for (const handle of [undefined, null, 5]) await assert.rejects(connect(handle as unknown as string), TypeError)
  }
  // Something that looks like a connection.
  const strange = { query() {}, execute() {}, end() {}, on() {}, removeListener() {}, connect: (callback: (error: null) => void) => callback(null), stream: {} }
  await assert.rejects(connectMariadb(strange), code('DRIVER_UNSUPPORTED'))
  const db = await connectMysql2(strange)
  await assert.rejects(db.queryRaw('SELECT 1'), code('DRIVER_UNSUPPORTED'))
})
