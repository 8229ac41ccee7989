// Two connections of one handle of a driver, which has one connection to the database; and the end of a connection inside
// of its own transaction. The drivers for SQLite are in sqlite-suite.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PGlite } from '@electric-sql/pglite'
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3'
import { PrismaPg } from '@prisma/adapter-pg'
import mariadb from 'mariadb'
import mysql from 'mysql2'
import pg from 'pg'
import postgres from 'postgres'
import { connect as connectAdapter, type Database } from 'rowjet/adapter'
import { connect as connectMariadb } from 'rowjet/mariadb'
import { connect as connectMysql2 } from 'rowjet/mysql2'
import { connect as connectPg } from 'rowjet/pg'
import { connect as connectPGlite } from 'rowjet/pglite'
import { connect as connectPostgresJs } from 'rowjet/postgres-js'
import { config } from './mysql.js'

const postgresURL = process.env['ROWJET_POSTGRES_URL']
const mariadbURL = process.env['ROWJET_MARIADB_URL']
assert.ok(postgresURL !== undefined && mariadbURL !== undefined, 'run the tests by npm test: it starts the servers')

const handles: Record<string, () => Promise<{ connect(): Promise<Database>; end(): unknown }>> = {
  async pg() {
    const client = new pg.Client(postgresURL)
    await client.connect()
    return { connect: () => connectPg(client), end: () => client.end() }
  },
  async 'pg, a pool of one'() {
    const pool = new pg.Pool({ connectionString: postgresURL, max: 1 })
    return { connect: () => connectPg(pool), end: () => pool.end() }
  },
  async 'postgres.js, a pool of one'() {
    const sql = postgres(postgresURL, { max: 1, onnotice: () => undefined })
    return { connect: () => connectPostgresJs(sql), end: () => sql.end() }
  },
  async PGlite() {
    const instance = await PGlite.create()
    return { connect: () => connectPGlite(instance), end: () => instance.close() }
  },
  async mysql2() {
    const connection = mysql.createConnection(config)
    return { connect: () => connectMysql2(connection), end: () => connection.destroy() }
  },
  async mariadb() {
    const connection = await mariadb.createConnection(config as object)
    return { connect: () => connectMariadb(connection), end: () => connection.end() }
  },
}

for (const [name, open] of Object.entries(handles)) {
  test(`${name}: two connections of one handle`, async () => {
    const { connect, end } = await open()
    const one = await connect()
    const other = await connect()
    const table = `rowjet_one_handle_${name.replace(/\W/g, '')}`
    try {
      await one.executeRaw(`DROP TABLE IF EXISTS ${table}`)
      await one.executeRaw(`CREATE TABLE ${table} (a INTEGER PRIMARY KEY)`)
      const own = new Error('mine')
      let order = ''
      let inside!: () => void
      const begun = new Promise<void>((resolve) => (inside = resolve))
      const first = one.transaction(async (tx) => {
        await tx.executeRaw(`INSERT INTO ${table} VALUES (1)`)
        // Waiting in there would be forever, by the other connection too.
        await assert.rejects(async () => other.executeRaw(`INSERT INTO ${table} VALUES (2)`), { code: 'TRANSACTION_OPEN' })
        await assert.rejects(other.transaction(async () => 1), { code: 'TRANSACTION_OPEN' })
        inside()
        await new Promise((resolve) => setTimeout(resolve, 20))
        order += 'first '
        throw own
      })
      await begun
      const second = other.transaction(async (tx) => {
        order += 'second'
        await tx.executeRaw(`INSERT INTO ${table} VALUES (3)`)
      })
      const third = other.executeRaw(`INSERT INTO ${table} VALUES (4)`)
      await assert.rejects(first, own)
      await Promise.all([second, third])
      assert.equal(order, 'first second')
      assert.deepEqual((await one.queryRaw(`SELECT a FROM ${table} ORDER BY a`)).arrays(), [[3], [4]])
      await one.executeRaw(`DROP TABLE ${table}`)
    } finally {
      await one.close()
      await other.close()
      await end()
    }
  })
}

const owned: Record<string, () => Promise<Database>> = {
  pg: () => connectPg(postgresURL),
  'postgres.js': () => connectPostgresJs(postgresURL),
  PGlite: () => connectPGlite(),
  mysql2: () => connectMysql2(config as never),
  mariadb: () => connectMariadb(config as never),
  'adapter-pg': () => connectAdapter(new PrismaPg({ connectionString: postgresURL })),
  'adapter-better-sqlite3': () => connectAdapter(new PrismaBetterSqlite3({ url: ':memory:' })),
}

for (const [name, open] of Object.entries(owned)) {
  test(`${name}: close() inside of a transaction is an error, and the transaction goes on`, async () => {
    const db = await open()
    const value = await db.transaction(async (tx) => {
      const message = 'close() is called inside of a transaction of this connection, and would wait for its end: close it afterwards [TRANSACTION_OPEN]'
      await assert.rejects(db.close(), { code: 'TRANSACTION_OPEN', message })
      return (await tx.queryRaw('SELECT 1 AS a')).arrays()[0][0]
    })
    assert.equal(Number(value), 1)
    await db.close()
    await assert.rejects(async () => db.queryRaw('SELECT 1'), { code: 'CONNECTION_CLOSED' })
  })
  test(`${name}: the size of a batch`, async () => {
    const db = await open()
    for (const [size, shown] of [[0, '0'], [1.5, '1.5'], [NaN, 'NaN'], [Infinity, 'Infinity'], ['2', '"2"']] as const) {
      await assert.rejects(async () => db.batches('SELECT 1 AS a', [], { size: size as number }).next(), { name: 'TypeError', message: `the size of a batch is a whole number of rows above 0, not ${shown}` })
    }
    const { value } = await db.batches('SELECT 1 AS a', [], { size: 1 }).next()
    assert.equal(value?.rowCount, 1)
    await db.close()
  })
}
