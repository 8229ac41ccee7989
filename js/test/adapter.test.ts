// Driver adapters for real: the official ones, with their databases.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3'
import { PrismaMariaDb } from '@prisma/adapter-mariadb'
import { PrismaPg } from '@prisma/adapter-pg'
import { connect, type AdapterLike, type Database } from 'rowjet/adapter'
import { createEngine } from 'rowjet/postgres'

const postgresURL = process.env['ROWJET_POSTGRES_URL']
const mariadbURL = process.env['ROWJET_MARIADB_URL']
assert.ok(postgresURL !== undefined && mariadbURL !== undefined, 'run the tests by npm test: it starts the servers')

const read = (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> => new Response(stream).text()

const opened: Database[] = []
after(async () => {
  for (const db of opened) await db.close()
})
async function open(factory: Parameters<typeof connect>[0], options?: Parameters<typeof connect>[1]): Promise<Database> {
  const db = await connect(factory, options)
  opened.push(db)
  return db
}

/** What every adapter must do, with the placeholder of its database for the n-th parameter. */
async function contract(db: Database, placeholder: (n: number) => string): Promise<void> {
  const [p1, p2, p3] = [1, 2, 3].map(placeholder)
  await db.executeRaw('DROP TABLE IF EXISTS rowjet_movies')
  await db.executeRaw('CREATE TABLE rowjet_movies (id INT PRIMARY KEY, title VARCHAR(100) NOT NULL, rating DOUBLE PRECISION)')
  assert.equal(await db.executeRaw(`INSERT INTO rowjet_movies VALUES (${p1}, ${p2}, ${p3})`, [1, 'Häxan', 7.6]), 1)
  assert.equal(await db.executeRaw(`INSERT INTO rowjet_movies VALUES (${p1}, ${p2}, ${p3})`, [2, 'M', undefined]), 1)

  const result = await db.queryRaw<{ id: number; title: string }>('SELECT id, title, rating FROM rowjet_movies ORDER BY id')
  assert.equal(result.text(), '{"columns":["id","title","rating"],"types":["int","string","double"],"rows":[[1,"Häxan",7.6],[2,"M",null]]}')
  assert.deepEqual(result.rows()[0], { id: 1, title: 'Häxan', rating: 7.6 })
  assert.deepEqual((await db.queryRaw(`SELECT title FROM rowjet_movies WHERE id = ${p1}`, [2])).arrays(), [['M']])

  const sql = 'SELECT id, title FROM rowjet_movies ORDER BY id'
  assert.equal(await read(db.stream(sql)), '{"columns":["id","title"],"types":["int","string"],"rows":[[1,"Häxan"],[2,"M"]]}')
  assert.equal(await read(db.stream(sql, [], { shape: 'ndjson' })), '{"id":1,"title":"Häxan"}\n{"id":2,"title":"M"}\n')
  const batches: number[] = []
  for await (const batch of db.batches(sql, [], { size: 1 })) batches.push(batch.rowCount)
  assert.deepEqual(batches, [1, 1])

  // Transactions.
  const count = async (): Promise<unknown> => Number((await db.queryRaw('SELECT COUNT(*) AS n FROM rowjet_movies')).arrays()[0][0])
  assert.equal(await db.transaction(async (tx) => {
    await tx.executeRaw(`INSERT INTO rowjet_movies VALUES (${p1}, ${p2}, ${p3})`, [3, 'Nosferatu', 7.9])
    assert.equal((await tx.queryRaw(sql)).rowCount, 3)
    return 'done'
  }, { isolationLevel: 'SERIALIZABLE' }), 'done')
  assert.equal(await count(), 3)
  const own = new Error('mine')
  let escaped: { executeRaw(sql: string): Promise<number> } | undefined
  await assert.rejects(db.transaction(async (tx) => {
    escaped = tx
    await tx.executeRaw('DELETE FROM rowjet_movies')
    throw own
  }), own)
  assert.equal(await count(), 3)
  await assert.rejects(escaped!.executeRaw('DELETE FROM rowjet_movies'), { code: 'CONNECTION_CLOSED' })
  const controller = new AbortController()
  await assert.rejects(db.transaction(async (tx) => {
    await tx.executeRaw('DELETE FROM rowjet_movies')
    controller.abort(own)
  }, { signal: controller.signal }), own)
  assert.equal(await count(), 3)
  await assert.rejects(db.transaction(async () => 1, { isolationLevel: 'SERIALIZABLE; DROP TABLE x' as 'SERIALIZABLE' }), TypeError)

  // The database's own errors, as the adapter gives them.
  await assert.rejects(db.queryRaw('SELECT * FROM rowjet_nothing'), (error: Error & { cause?: { kind?: string } }) => error.name === 'DriverAdapterError' && error.cause?.kind === 'TableDoesNotExist')
  await assert.rejects(db.transaction((tx) => tx.executeRaw(`INSERT INTO rowjet_movies VALUES (${p1}, ${p2}, ${p3})`, [1, 'again', 0])), (error: Error & { cause?: { kind?: string } }) => error.cause?.kind === 'UniqueConstraintViolation')
  await assert.rejects(read(db.stream('SELECT * FROM rowjet_nothing')), { name: 'DriverAdapterError' })

  // Signals.
  await assert.rejects(db.queryRaw('SELECT 1', [], { signal: AbortSignal.abort(own) }), own)
  await assert.rejects(read(db.stream('SELECT 1', [], { signal: AbortSignal.abort(own) })), own)
  await db.executeRaw('DROP TABLE rowjet_movies')
}

test('@prisma/adapter-pg with PostgreSQL', async () => {
  const db = await open(new PrismaPg({ connectionString: postgresURL }))
  assert.deepEqual([db.dialect, db.adapterName], ['postgres', '@prisma/adapter-pg'])
  await contract(db, (n) => `$${n}`)
  const result = await db.queryRaw(`SELECT 9007199254740993::int8 a, 1.1000::numeric b, 'NaN'::float8 c, '\\x00ff'::bytea d, '{"x":1.50}'::jsonb e, ARRAY[1,NULL]::int[] f,
    '2024-02-29 12:34:56.789'::timestamp g, ARRAY['a"b','{}'] h, true i, '{{1,2},{3,4}}'::int8[] j, 0.1::float4 k`)
  assert.equal(
    result.text(),
    '{"columns":["a","b","c","d","e","f","g","h","i","j","k"],"types":["bigint","decimal","double","bytes","json","int-array","datetime","string-array","bool","bigint-array","float"],' +
      '"rows":[["9007199254740993","1.1000","NaN","AP8=",{"x": 1.50},[1,null],"2024-02-29T12:34:56.789+00:00",["a\\"b","{}"],true,[["1","2"],["3","4"]],0.1]]}',
  )
  assert.deepEqual(result.arrays({ types: { json: 'string' } })[0].slice(0, 5), [9007199254740993n, '1.1000', NaN, new Uint8Array([0, 255]), '{"x": 1.50}'])
  // A failing COMMIT (a deferred constraint) rolls back, and gives the connection back.
  await db.executeRaw('CREATE TABLE rowjet_deferred (id INT UNIQUE DEFERRABLE INITIALLY DEFERRED)')
  for (let i = 0; i < 12; i++) {
    await assert.rejects(db.transaction(async (tx) => {
      await tx.executeRaw('INSERT INTO rowjet_deferred VALUES (1), (1)')
    }), { name: 'DriverAdapterError' })
  }
  assert.deepEqual((await db.queryRaw('SELECT * FROM rowjet_deferred')).rows(), [])
  await db.executeRaw('DROP TABLE rowjet_deferred')
})

test('@prisma/adapter-mariadb with MariaDB', async () => {
  const db = await open(new PrismaMariaDb(mariadbURL))
  assert.deepEqual([db.dialect, db.adapterName], ['mysql', '@prisma/adapter-mariadb'])
  await contract(db, () => '?')
  await db.executeRaw('CREATE TABLE rowjet_types (a BIGINT UNSIGNED, b DECIMAL(10,4), c FLOAT, d BLOB, e DATE, f TIME, g INT UNSIGNED, h SET(\'x\',\'y\'), i ENUM(\'p\',\'q\'))')
  await db.executeRaw("INSERT INTO rowjet_types VALUES (18446744073709551615, 1.1, 0.1, x'00ff', '2024-02-29', '-838:59:59', 4294967295, 'x,y', 'q')")
  assert.equal(
    (await db.queryRaw('SELECT * FROM rowjet_types')).text(),
    '{"columns":["a","b","c","d","e","f","g","h","i"],"types":["bigint","decimal","float","bytes","date","time","bigint","string","string"],' +
      '"rows":[["18446744073709551615","1.1000",0.1,"AP8=","2024-02-29","-838:59:59","4294967295","x,y","q"]]}',
  )
  await db.executeRaw('DROP TABLE rowjet_types')
})

test('@prisma/adapter-better-sqlite3 with SQLite', async () => {
  const db = await open(new PrismaBetterSqlite3({ url: ':memory:' }))
  assert.deepEqual([db.dialect, db.adapterName], ['sqlite', '@prisma/adapter-better-sqlite3'])
  await contract(db, () => '?')
  await db.executeRaw('CREATE TABLE t (a BIGINT, b REAL, c BLOB, d TEXT)')
  await db.executeRaw('INSERT INTO t VALUES (?, ?, ?, ?)', [2n ** 62n, 0.5, new Uint8Array([0, 255]), 'x'])
  await db.executeRaw('INSERT INTO t VALUES (?, ?, ?, ?)', [1, 1, null, null])
  assert.equal(
    (await db.queryRaw('SELECT * FROM t')).text(),
    '{"columns":["a","b","c","d"],"types":["bigint","double","bytes","string"],"rows":[["4611686018427387904",0.5,"AP8=","x"],["1",1,null,null]]}',
  )
  const widened = await db.queryRaw('SELECT a FROM (SELECT 1 AS a UNION ALL SELECT 2.5)')
  assert.equal(widened.rowCount, 2)
})

test('connections belong to whoever opened them', async () => {
  const factory = new PrismaBetterSqlite3({ url: ':memory:' })
  const adapter = await factory.connect()
  const db = await connect(adapter)
  await db.close()
  await assert.rejects(db.queryRaw('SELECT 1'), { code: 'CONNECTION_CLOSED', message: 'the connection has ended: make a new one [CONNECTION_CLOSED]' })
  assert.equal((await adapter.queryRaw({ sql: 'SELECT 1', args: [], argTypes: [] })).rows.length, 1) // still open
  await adapter.dispose()
})

/** An adapter that does what it is told, and notes what it was asked. */
function fake(log: unknown[], outcome: () => unknown, more: object = {}): AdapterLike {
  return {
    provider: 'postgres',
    adapterName: 'fake',
    queryRaw: async (query) => (log.push(query), outcome()),
    executeRaw: async (query) => (log.push(query.sql), outcome()),
    ...more,
  } as AdapterLike
}

const set = { columnNames: ['a'], columnTypes: [0], rows: [[1]] }
const engine = await createEngine()

test('parameters and their types', async () => {
  const log: unknown[] = []
  const db = await connect(fake(log, () => set), { engine })
  await db.queryRaw('q', ['s', 1, 1.5, 1n, true, null, undefined, new Date(0), new Uint8Array(1), ['x'], [null, 2], [[1]], { a: 1 }])
  const { args, argTypes } = log[0] as { args: unknown[]; argTypes: { scalarType: string; arity: string }[] }
  assert.deepEqual(args, ['s', 1, 1.5, 1n, true, null, null, new Date(0), new Uint8Array(1), ['x'], [null, 2], [[1]], { a: 1 }])
  assert.deepEqual(argTypes.map(({ scalarType, arity }) => `${scalarType} ${arity}`), [
    'string scalar', 'int scalar', 'float scalar', 'bigint scalar', 'boolean scalar', 'unknown scalar', 'unknown scalar', 'datetime scalar', 'bytes scalar',
    'string list', 'int list', 'unknown list', 'unknown scalar',
  ])
})

test('outcomes of older and bound adapters', async () => {
  const own = new Error('mine')
  const values: unknown[] = [
    { ok: true, value: set },
    { ok: false, error: { kind: 'GenericJs', id: 5 } },
    { ok: false, error: { kind: 'postgres', message: 'no such table' } },
  ]
  const db = await connect(fake([], () => values.shift(), { errorRegistry: { consumeError: (id: number) => (id === 5 ? { error: own } : undefined) } }), { engine })
  assert.equal((await db.queryRaw('q')).rowCount, 1)
  await assert.rejects(db.queryRaw('q'), own)
  await assert.rejects(db.queryRaw('q'), { name: 'DriverAdapterError', message: 'no such table', cause: { kind: 'postgres', message: 'no such table' } })
})

test('who sends COMMIT and ROLLBACK', async () => {
  const log: unknown[] = []
  const transaction = (usePhantomQuery: boolean): object =>
    fake(log, () => 0, { options: { usePhantomQuery }, commit: async () => log.push('commit()'), rollback: async () => log.push('rollback()') })
  const run = async (more: object): Promise<void> => {
    log.length = 0
    const db = await connect(fake(log, () => 0, more), { engine })
    await db.transaction(async (tx) => tx.executeRaw('work'))
    await assert.rejects(db.transaction(async () => Promise.reject(new Error('mine'))), { message: 'mine' })
  }
  await run({ startTransaction: async (level: unknown) => (log.push(level), transaction(false)) })
  assert.deepEqual(log, [undefined, 'work', 'COMMIT', 'commit()', undefined, 'ROLLBACK', 'rollback()'])
  await run({ startTransaction: async () => transaction(true) })
  assert.deepEqual(log, ['work', 'commit()', 'rollback()'])
  await run({ transactionContext: async () => ({ startTransaction: async () => transaction(true) }) })
  assert.deepEqual(log, ['work', 'commit()', 'rollback()'])
})

test('what can not be connected', async () => {
  await assert.rejects(connect({} as AdapterLike), TypeError)
  let connected = false
  const factory = { provider: 'sqlserver', adapterName: 'x', connect: async () => (connected = true) }
  await assert.rejects(connect(factory), { code: 'DIALECT_UNSUPPORTED', message: 'there is no module for the provider "sqlserver": Rowjet knows postgres, mysql and sqlite [DIALECT_UNSUPPORTED]' })
  assert.ok(!connected)
  await assert.rejects(connect(fake([], () => 0, { provider: 'mysql' }), { engine }), { name: 'TypeError', message: 'options.engine is for postgres, but the database is mysql' })
  await assert.rejects(connect(fake([], () => 0), { engine, maxBytes: 5 }), TypeError)
  const db = await connect(fake([], () => ({ ...set, rows: [[1234567]] })), { maxBytes: 20 })
  await assert.rejects(db.queryRaw('q'), { code: 'RESULT_TOO_LARGE' })
  let disposed = false
  const failing = { provider: 'postgres', connect: async () => fake([], () => 0, { dispose: async () => (disposed = true) }) }
  await assert.rejects(connect(failing, { engine, maxBytes: 5 }), TypeError)
  assert.ok(disposed) // what was opened is not left behind
  const own = new Error('mine')
  await assert.rejects(connect({ provider: 'postgres', connect: () => Promise.reject(own) }), own)
})

test('the signal of the connection', async () => {
  const controller = new AbortController()
  const never = new Promise(() => undefined)
  const db = await connect(fake([], () => never), { engine, signal: controller.signal })
  const pending = db.queryRaw('q')
  const own = new Error('mine')
  controller.abort(own)
  await assert.rejects(pending, own)
  await assert.rejects(db.executeRaw('q'), own)
})
