// What every entry's connect() has in common, whatever the driver: names, forms, options and ends.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { PGlite } from '@electric-sql/pglite'
import { createClient } from '@libsql/client'
import { PrismaPg } from '@prisma/adapter-pg'
import mariadb from 'mariadb'
import mysql2 from 'mysql2/promise'
import pg from 'pg'
import postgres from 'postgres'
import * as adapterEntry from 'rowjet/adapter'
import * as betterEntry from 'rowjet/better-sqlite3'
import * as d1Entry from 'rowjet/d1'
import * as libsqlEntry from 'rowjet/libsql'
import * as mariadbEntry from 'rowjet/mariadb'
import * as mysqlModule from 'rowjet/mysql'
import * as mysql2Entry from 'rowjet/mysql2'
import * as pgEntry from 'rowjet/pg'
import * as pgliteEntry from 'rowjet/pglite'
import * as postgresModule from 'rowjet/postgres'
import * as postgresJsEntry from 'rowjet/postgres-js'
import * as sqliteModule from 'rowjet/sqlite'
import { mariadbURL, mysqlURL } from './mysql.js'
import { postgresURL, read } from './postgres.js'
import { workerWithD1 } from './worker.js'

const Better = createRequire(import.meta.url)('better-sqlite3') as new (file: string) => { prepare(sql: string): { all(): unknown[] }; close(): void }
const Libsql = createRequire(import.meta.url)('libsql') as typeof Better

let folder: string
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'rowjet-'))
})
after(() => rm(folder, { recursive: true }))

const modules = { postgres: postgresModule, mysql: mysqlModule, sqlite: sqliteModule }
const other = { postgres: 'mysql', mysql: 'sqlite', sqlite: 'postgres' } as const

interface Handle {
  readonly handle: unknown
  /** The driver's own query. */
  own(): Promise<unknown> | unknown
  end(): Promise<unknown> | unknown
}

interface Kind {
  readonly name: string
  readonly dialect: 'postgres' | 'mysql' | 'sqlite'
  readonly entry: { connect(handle: never, options?: object): Promise<any> }
  readonly adapterName: string
  /** A handle of the user's. */
  open(): Promise<Handle> | Handle
  /** What connect opens by itself; there is none for D1. */
  readonly address?: () => unknown
}

const select = 'SELECT 1 AS alive'
const kinds: Kind[] = [
  {
    name: 'pg.Pool', dialect: 'postgres', entry: pgEntry, adapterName: 'pg', address: () => postgresURL,
    open: () => {
      const handle = new pg.Pool({ connectionString: postgresURL, max: 3 })
      return { handle, own: () => handle.query(select), end: () => handle.end() }
    },
  },
  {
    name: 'pg.Client', dialect: 'postgres', entry: pgEntry, adapterName: 'pg', address: () => ({ connectionString: postgresURL }),
    open: async () => {
      const handle = new pg.Client(postgresURL)
      await handle.connect()
      return { handle, own: () => handle.query(select), end: () => handle.end() }
    },
  },
  {
    name: 'PGlite', dialect: 'postgres', entry: pgliteEntry, adapterName: 'pglite', address: () => path.join(folder, 'pgdata'),
    open: async () => {
      const handle = await PGlite.create()
      return { handle, own: () => handle.query(select), end: () => handle.close() }
    },
  },
  {
    name: 'postgres.js', dialect: 'postgres', entry: postgresJsEntry, adapterName: 'postgres-js', address: () => postgresURL,
    open: () => {
      const handle = postgres(postgresURL, { max: 3, onnotice: () => undefined })
      return { handle, own: () => handle.unsafe(select), end: () => handle.end() }
    },
  },
  {
    name: 'mysql2', dialect: 'mysql', entry: mysql2Entry, adapterName: 'mysql2', address: () => mysqlURL,
    open: () => {
      const handle = mysql2.createPool(mysqlURL)
      return { handle, own: () => handle.query(select), end: () => handle.end() }
    },
  },
  {
    name: 'mariadb', dialect: 'mysql', entry: mariadbEntry, adapterName: 'mariadb', address: () => mariadbURL,
    open: () => {
      const handle = mariadb.createPool(mariadbURL)
      return { handle, own: () => handle.query(select), end: () => handle.end() }
    },
  },
  {
    name: 'better-sqlite3', dialect: 'sqlite', entry: betterEntry, adapterName: 'better-sqlite3', address: () => path.join(folder, 'better.db'),
    open: () => {
      const handle = new Better(':memory:')
      return { handle, own: () => handle.prepare(select).all(), end: () => handle.close() }
    },
  },
  {
    name: 'libsql', dialect: 'sqlite', entry: libsqlEntry, adapterName: 'libsql', address: () => path.join(folder, 'libsql.db'),
    open: () => {
      const handle = new Libsql(':memory:')
      return { handle, own: () => handle.prepare(select).all(), end: () => handle.close() }
    },
  },
  {
    name: '@libsql/client', dialect: 'sqlite', entry: libsqlEntry, adapterName: '@libsql/client',
    open: () => {
      const handle = createClient({ url: `file:${path.join(folder, 'client.db')}`, intMode: 'bigint' })
      return { handle, own: () => handle.execute(select), end: () => handle.close() }
    },
  },
  {
    name: 'D1', dialect: 'sqlite', entry: d1Entry, adapterName: 'd1',
    open: async () => {
      const miniflare = workerWithD1('export default { fetch: () => new Response() }')
      const handle = await miniflare.getD1Database('DB')
      return { handle, own: () => handle.prepare(select).all(), end: () => miniflare.dispose() }
    },
  },
  {
    name: 'a driver adapter', dialect: 'postgres', entry: adapterEntry, adapterName: '@prisma/adapter-pg', address: () => new PrismaPg({ connectionString: postgresURL }),
    open: async () => {
      const handle = await new PrismaPg({ connectionString: postgresURL }).connect()
      return { handle, own: () => handle.queryRaw({ sql: select, args: [], argTypes: [] }), end: () => handle.dispose() }
    },
  },
]

const table = 'rowjet_contract'
const document = '{"columns":["id","name"],"types":["int","string"],"rows":[[1,"é"],[2,null]]}'
const forms = {
  array: document,
  objects: '[{"id":1,"name":"é"},{"id":2,"name":null}]',
  ndjson: '{"id":1,"name":"é"}\n{"id":2,"name":null}\n',
}
const objects = [{ id: 1, name: 'é' }, { id: 2, name: null }]
const sql = `SELECT id, name FROM ${table} ORDER BY id`

for (const { name, dialect, entry, adapterName, open, address } of kinds) {
  const mark = (n: number): string => (dialect === 'postgres' ? `$${n}` : '?')
  const connect = entry.connect as (handle: unknown, options?: object) => Promise<any>

  test(`${name}: queries, streams, batches, transactions, options, the end`, async () => {
    const { handle, own, end } = await open()
    try {
      const db = await connect(handle)
      assert.deepEqual([db.dialect, db.adapterName], [dialect, adapterName])
      await db.executeRaw(`DROP TABLE IF EXISTS ${table}`)
      await db.executeRaw(`CREATE TABLE ${table} (id INT, name VARCHAR(20))`)
      assert.equal(await db.executeRaw(`INSERT INTO ${table} VALUES (${mark(1)}, ${mark(2)}), (2, NULL)`, [1, 'é']), 2)

      const result = await db.queryRaw(sql)
      assert.deepEqual([result.columns, result.types, result.rowCount], [['id', 'name'], ['int', 'string'], 2])
      assert.ok(result.bytes() instanceof Uint8Array)
      assert.equal(new TextDecoder().decode(result.bytes()), document)
      assert.equal(result.text(), document)
      assert.deepEqual(result.json(), JSON.parse(document))
      assert.deepEqual(result.arrays(), [[1, 'é'], [2, null]])
      assert.deepEqual(result.rows(), objects)
      assert.deepEqual(result.rows({ types: { int: 'string' } }), [{ id: '1', name: 'é' }, { id: '2', name: null }])
      assert.equal(new TextDecoder().decode(result.objects()), forms.objects)
      assert.deepEqual((await db.queryRaw(`SELECT name FROM ${table} WHERE id = ${mark(1)}`, [1])).rows(), [{ name: 'é' }])

      assert.ok(db.stream(sql) instanceof ReadableStream)
      assert.equal(await read(db.stream(sql)), document)
      for (const [shape, wanted] of Object.entries(forms)) assert.equal(await read(db.stream(sql, [], { shape })), wanted, shape)
      assert.equal(await read(db.stream(`${sql.replace(' ORDER', ` WHERE id = ${mark(1)} ORDER`)}`, [2], { shape: 'ndjson' })), '{"id":2,"name":null}\n')
      await assert.rejects(async () => read(db.stream(sql, [], { shape: 'rows' })), { name: 'TypeError', message: "the shape of a stream is 'array', 'objects' or 'ndjson', not rows" })
      const batches: unknown[] = []
      for await (const batch of db.batches(sql)) batches.push(...batch.rows())
      assert.deepEqual(batches, objects)
      const sizes: number[] = []
      for await (const batch of db.batches(sql, [], { size: 1 })) sizes.push(batch.rowCount)
      assert.deepEqual(sizes, [1, 1])

      if (name === 'D1') {
        await assert.rejects(db.transaction(async () => 1), { code: 'DRIVER_UNSUPPORTED' })
      } else {
        assert.equal(await db.transaction(async (tx: any) => {
          assert.equal(await tx.executeRaw(`UPDATE ${table} SET name = 'x' WHERE id = 2`), 1)
          assert.equal(await read(tx.stream(sql, [], { shape: 'ndjson' })), forms.ndjson.replace('null', '"x"'))
          for await (const batch of tx.batches(sql)) assert.equal(batch.rowCount, 2)
          return 'done'
        }), 'done')
        const mine = new Error('mine')
        await assert.rejects(db.transaction(async (tx: any) => {
          await tx.executeRaw(`DELETE FROM ${table}`)
          throw mine
        }), (error) => error === mine)
        assert.deepEqual((await db.queryRaw(sql)).arrays(), [[1, 'é'], [2, 'x']])
        await db.executeRaw(`UPDATE ${table} SET name = NULL WHERE id = 2`)
      }

      // Errors of the database are its own.
      for (const failing of [() => db.queryRaw('SELECT * FROM rowjet_missing'), () => read(db.stream('SELECT * FROM rowjet_missing'))]) {
        await assert.rejects(failing, (error: Error) => !postgresModule.isRowjetError(error) && /rowjet_missing|TableDoesNotExist/.test(`${error.message} ${JSON.stringify((error as { cause?: unknown }).cause ?? '')}`))
      }

      // options.signal, of the connection and of a call.
      const reason = new Error('enough')
      const gone = AbortSignal.abort(reason)
      const isReason = (error: unknown): boolean => error === reason
      const bound = await connect(handle, { signal: gone })
      await assert.rejects(bound.queryRaw(sql), isReason)
      await assert.rejects(bound.executeRaw(sql), isReason)
      await assert.rejects(read(bound.stream(sql)), isReason)
      await assert.rejects(bound.batches(sql).next(), isReason)
      await assert.rejects(db.queryRaw(sql, [], { signal: gone }), isReason)
      await assert.rejects(db.executeRaw(sql, [], { signal: gone }), isReason)
      await assert.rejects(read(db.stream(sql, [], { signal: gone })), isReason)
      await assert.rejects(db.batches(sql, [], { signal: gone }).next(), isReason)
      assert.equal((await db.queryRaw(sql)).text(), document)

      // options.maxBytes and options.engine.
      const small = await connect(handle, { maxBytes: 70 })
      await assert.rejects(async () => (await small.queryRaw(sql)).bytes(), (error: any) => error.code === 'RESULT_TOO_LARGE' && postgresModule.isRowjetError(error))
      assert.equal((await small.queryRaw(`SELECT id FROM ${table} WHERE id = 1`)).text(), '{"columns":["id"],"types":["int"],"rows":[[1]]}')
      const engine = await modules[dialect].createEngine()
      const withEngine = await connect(handle, { engine })
      assert.equal((await withEngine.queryRaw(sql)).text(), document)
      await assert.rejects(connect(handle, { engine: await modules[other[dialect]].createEngine() }), { name: 'TypeError', message: `options.engine is for ${other[dialect]}, but the database is ${dialect}` })
      await assert.rejects(connect(handle, { engine, maxBytes: 1 }), { name: 'TypeError', message: 'maxBytes and memoryLimit belong to the engine: give them to createEngine, or leave options.engine out' })

      await db.executeRaw(`DROP TABLE ${table}`)
      await db.close()
      await db.close()
      await assert.rejects(db.queryRaw(select), (error: any) => error.code === 'CONNECTION_CLOSED' && postgresModule.isRowjetError(error))
      await assert.rejects(read(db.stream(select)), { code: 'CONNECTION_CLOSED' })
      await assert.rejects(db.transaction(async () => 1), { code: 'CONNECTION_CLOSED' })
      // The handle is the user's, and so are other connections by it.
      await own()
      assert.equal((await withEngine.queryRaw(select)).rowCount, 1)
    } finally {
      await end()
    }

    if (address === undefined) return
    const db = await connect(address())
    assert.deepEqual((await db.queryRaw('SELECT 1.5 AS half')).columns, ['half'])
    await db.close()
    await assert.rejects(db.queryRaw(select), { code: 'CONNECTION_CLOSED' })
  })

  test(`${name}: connect takes nothing else`, async () => {
    // Where a configuration is taken, an empty one is.
    for (const value of [null, 5, ...(/^(pg\.|mysql2|mariadb|postgres\.js)/.test(name) ? [] : [{}])]) await assert.rejects(connect(value), { name: 'TypeError' }, String(value))
  })
}

test('the types of all entries', () => {
  for (const entry of [adapterEntry, betterEntry, d1Entry, libsqlEntry, mariadbEntry, mysql2Entry, pgEntry, pgliteEntry, postgresJsEntry]) {
    assert.deepEqual(['connect', 'createEngineSync', 'Engine', 'RowjetError', 'isRowjetError', 'Result'].filter((name) => !(name in entry)), [])
    assert.equal(entry.RowjetError, postgresModule.RowjetError)
  }
  for (const entry of Object.values(modules)) assert.deepEqual(Object.keys(entry).sort(), ['Engine', 'Result', 'RowjetError', 'createEngine', 'createEngineSync', 'isRowjetError'])
})
