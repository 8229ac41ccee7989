// mysql2 and mariadb, oldest and newest, against a real server (MariaDB).
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import net from 'node:net'
import { after, test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { isRowjetError, type RowjetErrorCode } from 'rowjet/mysql'
import type { MySQLDatabase, MySQLQueryable, MySQLStatement } from 'rowjet/mysql2'
import { ca, config, kinds, type DriverKind, type Handle } from './mysql.js'
import { ChunkSocket, random, read } from './postgres.js'

const closers: (() => Promise<unknown>)[] = []
after(async () => {
  for (const close of closers.reverse()) await close()
})
const kept = <T extends Handle>(handle: T): T => {
  closers.push(() => handle.end())
  return handle
}
const pool = (kind: DriverKind, options: object = {}): Handle => kept(kind.pool(options))
const connection = async (kind: DriverKind, options: object = {}): Promise<Handle> => kept(await kind.connection(options))

const code = (wanted: RowjetErrorCode) => (error: unknown): boolean => isRowjetError(error) && error.code === wanted
const errno = (wanted: number) => (error: { errno?: number }): boolean => error.errno === wanted
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const prepared = (sql: string): MySQLStatement => ({ sql, prepare: true })
const scalar = async (db: MySQLQueryable, sql: string): Promise<unknown> => (await db.queryRaw(sql)).arrays()[0][0]

/** Many kinds of values, with nulls; `n` rows. */
const wide = (n: number): string => `
  SELECT seq AS id, IF(seq % 7 = 0, NULL, CONCAT('title ', seq, REPEAT('é', seq % 5))) AS title, seq * 10000000000 AS big, CAST(18446744073709551615 - seq AS UNSIGNED) AS ubig,
    seq / 7e0 AS f8, CAST(seq / 3e0 AS FLOAT) AS f4, CAST(seq * 1.10 AS DECIMAL(20,6)) AS num, CAST('2024-02-29 23:59:59.123456' AS DATETIME(6)) + INTERVAL seq HOUR AS dt,
    CAST('2024-02-29' AS DATE) + INTERVAL seq DAY AS d, SEC_TO_TIME(CAST(seq AS SIGNED) * 1000 - 5000) AS t, UNHEX(LPAD(HEX(seq), 8, '0')) AS b, JSON_OBJECT('i', seq, 'x', NULL) AS j
  FROM seq_1_to_${n}`
/** A result without end, for all that a test has time for. */
const endless = "SELECT a.seq, b.seq AS c, REPEAT('x', 100) AS x FROM seq_1_to_100000 a, seq_1_to_100000 b"
const rows = (n: number): string => `SELECT seq AS id, REPEAT('x', 100) AS x FROM seq_1_to_${n}`

for (const kind of kinds) {
  const { name } = kind

  test(`${name}: a pool`, async () => {
    const handle = pool(kind, { max: 3 })
    const db = await kind.connect(handle.raw)
    assert.equal(db.dialect, 'mysql')
    assert.equal(db.adapterName, kind.adapterName)
    const result = await db.queryRaw('SELECT ? AS a, ? AS `b c`, NULL AS d', ['x', 5n])
    assert.equal(result.text(), '{"columns":["a","b c","d"],"types":["string","bigint","int"],"rows":[["x","5",null]]}'.replace('"bigint"', `"${result.types[1]}"`))
    const plain = await db.queryRaw("SELECT 1 AS a, 'é' AS `b c`, NULL AS d, 9007199254740993 AS e")
    assert.equal(plain.text(), '{"columns":["a","b c","d","e"],"types":["int","string","int","bigint"],"rows":[[1,"é",null,"9007199254740993"]]}')
    assert.deepEqual(plain.columns, ['a', 'b c', 'd', 'e'])
    assert.equal(plain.rowCount, 1)
    assert.deepEqual(plain.json().rows, [[1, 'é', null, '9007199254740993']])
    assert.deepEqual(plain.arrays(), [[1, 'é', null, 9007199254740993n]])
    assert.deepEqual(plain.rows(), [{ a: 1, 'b c': 'é', d: null, e: 9007199254740993n }])
    assert.equal(new TextDecoder().decode(plain.objects()), '[{"a":1,"b c":"é","d":null,"e":"9007199254740993"}]')
    assert.equal(await read(plain.stream()), plain.text())
    assert.equal(await read(plain.stream({ shape: 'ndjson' })), '{"a":1,"b c":"é","d":null,"e":"9007199254740993"}\n')
    const many = await Promise.all(Array.from({ length: 50 }, (_, i) => db.queryRaw('SELECT ? AS i', [String(i)])))
    assert.deepEqual(many.map((r) => r.arrays()[0][0]), Array.from({ length: 50 }, (_, i) => String(i)))
    await db.close() // leaves the pool, which is the test's
    assert.deepEqual((await handle.query('SELECT 1 AS one'))[0], { one: 1 })
    await assert.rejects(db.queryRaw('SELECT 1'), code('CONNECTION_CLOSED'))
    await assert.rejects(db.transaction(async () => undefined), code('CONNECTION_CLOSED'))
  })

  test(`${name}: rows by the socket's chunks, whatever their size; text and prepared`, async () => {
    const whole = (await (await kind.connect(pool(kind).raw)).queryRaw(wide(300))).text()
    const json = kind.knowsJSON ? '{"i": 1, "x": null}' : '"{\\"i\\": 1, \\"x\\": null}"'
    assert.ok(whole.startsWith(`{"columns":["id","title","big","ubig","f8","f4","num","dt","d","t","b","j"],"types":["bigint","string","bigint","bigint","double","float","decimal","datetime","date","time","bytes","${kind.knowsJSON ? 'json' : 'string'}"],"rows":[["1","title 1é","10000000000","18446744073709551614",0.14285714285714285,0.333333,"1.100000","2024-03-01T00:59:59.123456+00:00","2024-03-01","-01:06:40","AAAAAQ==",${json}],`)
      || whole.startsWith(`{"columns":["id","title"`), whole.slice(0, 400))
    const seed = 20261130
    const next = random(seed)
    const sizes: [string, () => number][] = [
      ['1', () => 1],
      ['1 to 40', () => 1 + Math.floor(next() * 40)],
      ['1 to 3000', () => 1 + Math.floor(next() * 3000)],
    ]
    for (const [about, size] of sizes) {
      const stream = (): net.Socket => new ChunkSocket(size).connect(config.port, config.host)
      const handle = pool(kind, { stream, max: 1 })
      const db = await kind.connect(handle.raw)
      assert.equal((await db.queryRaw(wide(300))).text(), whole, about)
      assert.equal((await db.queryRaw(prepared(wide(300)))).rowCount, 300)
      assert.equal(await read(db.stream(wide(300))), whole, about)
      const found = []
      for await (const batch of db.batches(wide(300), [], { size: 7 })) {
        assert.ok(batch.rowCount === 7 || found.length === 294)
        found.push(...batch.json().rows)
      }
      assert.deepEqual(found, JSON.parse(whole).rows, about)
      // The driver's own queries on the same connection.
      const own = await handle.query(wide(50))
      assert.equal(own.length, 50)
      assert.equal(own[41].title, null)
      assert.equal((await handle.execute(`${wide(50)} WHERE ?`, [1])).length, 50)
    }
  })

  test(`${name}: text and prepared give the same bytes`, async () => {
    const db = await kind.connect(pool(kind).raw)
    // FLOAT as text has six digits only, whatever it holds.
    const sql = wide(2000).replace(/CAST\(seq \/ 3e0 AS FLOAT\) AS f4/, '0.5e0 AS f4')
    const text = (await db.queryRaw(sql)).text()
    assert.equal((await db.queryRaw(prepared(sql))).text(), text)
    assert.equal((await db.queryRaw(`${sql} WHERE ?`, [1])).text(), text)
    assert.equal(await read(db.stream(prepared(sql))), text)
    assert.deepEqual((await db.queryRaw(prepared(sql))).rows(), (await db.queryRaw(sql)).rows())
    assert.deepEqual((await db.queryRaw(`${sql} LIMIT 3`)).rows(), (await db.queryRaw(prepared(`${sql} LIMIT 3`))).rows())
  })

  test(`${name}: a connection, and the driver's own commands on it`, async () => {
    const handle = await connection(kind)
    const db = await kind.connect(handle.raw)
    for (let i = 0; i < 3; i++) {
      assert.equal((await db.queryRaw('SELECT 1 AS a')).text(), '{"columns":["a"],"types":["int"],"rows":[[1]]}')
      const [a, own, b, c] = await Promise.all([db.queryRaw(rows(1000)), handle.query('SELECT 5 AS five'), db.queryRaw(`${rows(3)} WHERE ?`, [1]), handle.execute('SELECT ? AS six', ['6'])])
      assert.deepEqual([a.rowCount, own[0].five, b.rowCount, c[0].six], [1000, 5, 3, '6'])
      await handle.raw.ping()
    }
    await db.close()
    assert.equal((await handle.query('SELECT 1 AS a'))[0].a, 1)
  })

  test(`${name}: a connection that is busy when it is handed over`, async () => {
    const handle = await connection(kind, { stream: () => new ChunkSocket(() => 11).connect(config.port, config.host) })
    const before = handle.query(rows(3000))
    const db = await kind.connect(handle.raw)
    const [a, own, b] = await Promise.all([db.queryRaw('SELECT 1 AS a'), handle.query('SELECT 5 AS five'), db.queryRaw(rows(100))])
    assert.equal((await before).length, 3000)
    assert.equal(own[0].five, 5)
    assert.equal(a.text(), '{"columns":["a"],"types":["int"],"rows":[[1]]}')
    assert.equal(b.rowCount, 100)
  })

  test(`${name}: statements are prepared once`, async () => {
    const db = await kind.connect((await connection(kind)).raw)
    const count = async (): Promise<number> => Number((await db.queryRaw("SHOW SESSION STATUS LIKE 'Com_stmt_prepare'")).arrays()[0][1])
    const before = await count()
    for (const n of ['1', '2', '3']) assert.equal((await db.queryRaw('SELECT CONCAT(?, ?) AS a', [n, 'x'])).text(), `{"columns":["a"],"types":["string"],"rows":[["${n}x"]]}`)
    assert.equal((await count()) - before, 1)
    const unprepared = await kind.connect((await connection(kind)).raw, { prepare: false })
    assert.equal((await unprepared.queryRaw("SELECT ? AS a, ? AS b", ["it's", Uint8Array.of(0, 255)])).text().includes('it\'s'), true)
    assert.equal(Number((await unprepared.queryRaw("SHOW SESSION STATUS LIKE 'Com_stmt_prepare'")).arrays()[0][1]), 0)
  })

  test(`${name}: parameters`, async () => {
    const db = await kind.connect(pool(kind).raw)
    for (const prepare of [true, false]) {
      const result = await db.queryRaw({ sql: 'SELECT CONCAT(?) AS s, HEX(?) AS b, ? IS NULL AS n, ? IS NULL AS u, CAST(? AS SIGNED) AS i, CAST(? AS UNSIGNED) AS g, CAST(? AS DOUBLE) AS f', prepare }, ["é'\\\u0000\"", Uint8Array.of(1, 0, 255).subarray(1), null, undefined, -5, 18446744073709551615n, 0.25])
      // Of what type a literal is depends on its size.
      assert.deepEqual(result.arrays()[0].map(String), ["é'\\\u0000\"", '00FF', '1', '1', '-5', '18446744073709551615', '0.25'], `prepare: ${prepare}`)
      // Bytes of another realm, too.
      const bytes = await db.queryRaw({ sql: 'SELECT HEX(?) AS a, HEX(?) AS b, HEX(?) AS c', prepare }, [runInNewContext('new Uint8Array([0, 255])'), runInNewContext('new Uint8Array([1, 255]).buffer'), Uint8Array.of(2, 255).buffer])
      assert.deepEqual(bytes.arrays(), [['00FF', '01FF', '02FF']], `prepare: ${prepare}`)
    }
    assert.deepEqual((await db.queryRaw({ sql: 'SELECT ? AS a', values: ['v'] })).arrays(), [['v']])
    assert.deepEqual((await db.queryRaw({ sql: 'SELECT :x AS a, :y AS b', namedPlaceholders: true, values: { y: '2', x: '1' } as unknown as unknown[] })).arrays(), [['1', '2']])
    await assert.rejects(db.queryRaw('SELECT 1', 5 as unknown as unknown[]), TypeError)
  })

  test(`${name}: what is no SQL, and what is no parameter, leaves a connection that works`, async () => {
    for (const handle of [kind.pool({ max: 1 }), await kind.connection()]) {
      const db = await kind.connect(handle.raw)
      const id = await scalar(db, 'SELECT CONNECTION_ID()')
      for (const sql of [undefined, null, 5, {}, { sql: 5 }, { sql: null, prepare: true }] as unknown as string[]) {
        await assert.rejects(db.queryRaw(sql), { name: 'TypeError', message: 'the SQL is a string, or an object with a string as its sql' })
        await assert.rejects(read(db.stream(sql)), TypeError)
        await assert.rejects(db.executeRaw(sql, [1]), TypeError)
      }
      for (const prepare of [true, false]) {
        for (const value of [Symbol('s'), () => 1]) await assert.rejects(db.queryRaw({ sql: 'SELECT ? AS a', prepare }, [value]), { name: 'TypeError', message: `a parameter is a value, not a ${typeof value}` })
      }
      assert.equal(await scalar(db, 'SELECT CONNECTION_ID()'), id)
      await handle.end()
    }
    // A driver finds out about these when it writes the packet. It has prepared the statement, or not yet.
    const circular: Record<string, unknown> = {}
    circular.self = circular
    const handle = kind.pool({ max: 1 })
    const db = await kind.connect(handle.raw)
    for (let i = 0; i < 3; i++) {
      await assert.rejects(db.queryRaw('SELECT CONCAT(?) AS a', [circular]), /circular/)
      assert.deepEqual((await db.queryRaw('SELECT CONCAT(?) AS a', ['x'])).arrays(), [['x']])
      await assert.rejects(db.transaction(async (tx) => tx.executeRaw('SELECT CONCAT(?) AS a', [{ n: 1n }])), /BigInt/)
      assert.equal(await scalar(db, 'SELECT @@in_transaction'), 0n)
    }
    await handle.end()
    // A single connection goes on, or says that it is closed: it does not keep others waiting.
    const alone = await kind.connection()
    const single = await kind.connect(alone.raw)
    await assert.rejects(single.queryRaw('SELECT CONCAT(?) AS a', [circular]), /circular/)
    if (kind.isMysql2) assert.equal(await scalar(single, 'SELECT 1'), 1)
    else await assert.rejects(single.queryRaw('SELECT 1'))
    alone.raw.destroy()
  })

  test(`${name}: several statements, several result sets`, async () => {
    const handle = pool(kind, { max: 1, multipleStatements: true })
    const db = await kind.connect(handle.raw)
    const all = await db.queryRawAll("SELECT 1 AS a; CREATE TEMPORARY TABLE t (x int); INSERT INTO t VALUES (1), (2); SELECT x, 'é' AS y FROM t ORDER BY x; SELECT 3 AS z FROM t WHERE 0")
    assert.deepEqual(all.map((r) => r.text()), [
      '{"columns":["a"],"types":["int"],"rows":[[1]]}',
      '{"columns":[],"types":[],"rows":[]}',
      '{"columns":[],"types":[],"rows":[]}',
      '{"columns":["x","y"],"types":["int","string"],"rows":[[1,"é"],[2,"é"]]}',
      '{"columns":["z"],"types":["int"],"rows":[]}',
    ])
    assert.equal((await db.queryRaw('UPDATE t SET x = 5; SELECT 2 AS b; SELECT 3 AS c')).text(), '{"columns":["b"],"types":["int"],"rows":[[2]]}')
    assert.equal(await read(db.stream('UPDATE t SET x = 6; SELECT 2 AS b; SELECT 3 AS c')), '{"columns":["b"],"types":["int"],"rows":[[2]]}')
    assert.equal(await db.executeRaw('UPDATE t SET x = 7; DELETE FROM t'), 4)
    assert.equal((await db.queryRaw('INSERT INTO t VALUES (3)')).text(), '{"columns":[],"types":[],"rows":[]}')
    assert.deepEqual((await db.queryRaw('INSERT INTO t VALUES (3)')).rows(), [])
    assert.equal(await read(db.stream('INSERT INTO t VALUES (3)', [], { shape: 'objects' })), '[]')
    assert.equal(await read(db.stream('INSERT INTO t VALUES (3)', [], { shape: 'ndjson' })), '')
    assert.equal(await db.executeRaw('UPDATE t SET x = ? WHERE x = 3', [7]), 4)

    const procedure = `pr_${name.replace(/\W/g, '_')}`
    await db.executeRaw(`DROP PROCEDURE IF EXISTS ${procedure}`)
    await db.executeRaw(`CREATE PROCEDURE ${procedure}(IN n int) BEGIN SELECT n AS first_name, 'é;' AS last_name; SELECT seq AS x FROM seq_1_to_3; END`)
    for (const prepare of [false, true]) {
      const sets = await db.queryRawAll({ sql: `CALL ${procedure}(?)`, prepare }, [4])
      assert.deepEqual(sets.map((r) => [r.columns, r.arrays()]), [[['first_name', 'last_name'], [[4, 'é;']]], [['x'], [[1n], [2n], [3n]]]], `prepare: ${prepare}`)
      assert.equal((await db.queryRaw({ sql: `CALL ${procedure}(4)`, prepare })).text(), '{"columns":["first_name","last_name"],"types":["int","string"],"rows":[[4,"é;"]]}')
      assert.equal(await read(db.stream({ sql: `CALL ${procedure}(4)`, prepare })), '{"columns":["first_name","last_name"],"types":["int","string"],"rows":[[4,"é;"]]}')
      assert.equal(await db.executeRaw({ sql: `CALL ${procedure}(4)`, prepare }), 0)
    }
    assert.deepEqual((await db.queryRawAll(`CALL ${procedure}(5); SELECT 1 AS one`)).map((r) => r.columns), [['first_name', 'last_name'], ['x'], [], ['one']])
    await db.executeRaw(`DROP PROCEDURE ${procedure}`)
  })

  test(`${name}: errors come through, and the connection goes on`, async () => {
    const handle = pool(kind, { max: 1 })
    const db = await kind.connect(handle.raw)
    const id = (): Promise<unknown> => scalar(db, 'SELECT CONNECTION_ID()')
    const first = await id()
    const own = await handle.query('SELEC').catch((error: unknown) => error as Error & { errno: number })
    const error = await db.queryRaw('SELEC').catch((reason: unknown) => reason as Error & { errno: number })
    assert.ok(error instanceof Error && !isRowjetError(error))
    const told = error as unknown as Record<string, unknown>
    const { code: label, errno: number, sqlState, sqlMessage } = own as unknown as Record<string, unknown>
    assert.deepEqual({ code: told.code, errno: told.errno, sqlState: told.sqlState, sqlMessage: told.sqlMessage }, { code: label, errno: number, sqlState, sqlMessage })
    assert.deepEqual([told.errno, told.sqlState], [1064, '42000'])
    assert.match((error as Error).stack!, /mysql-drivers\.test\.js/)
    await assert.rejects(db.queryRaw('SELECT * FROM nothing'), errno(1146))
    await assert.rejects(db.queryRaw(prepared('SELECT * FROM nothing')), errno(1146))
    await assert.rejects(db.executeRaw('INSERT INTO nothing VALUES (?)', [1]), errno(1146))
    // In the middle of rows.
    const failing = "SELECT REPEAT('x', 100) AS x, (SELECT seq FROM seq_1_to_2 WHERE seq <= 1 + (a.seq > 5000)) AS y FROM seq_1_to_10000 a"
    await assert.rejects(db.queryRaw(failing), errno(1242))
    await assert.rejects(db.queryRaw(prepared(failing)), errno(1242))
    await assert.rejects(read(db.stream(failing)), errno(1242))
    await assert.rejects((async () => {
      for await (const batch of db.batches(failing)) assert.ok(batch.rowCount > 0)
    })(), errno(1242))
    assert.equal(await id(), first)
  })

  test(`${name}: LOAD DATA`, async () => {
    const file = (): Readable => Readable.from(['1\tone\n', '2\tt', 'wo\n'].map((text) => Buffer.from(text)))
    const handle = await connection(kind, kind.isMysql2 ? { infileStreamFactory: file } : { permitLocalInfile: true })
    const db = await kind.connect(handle.raw)
    await db.executeRaw('CREATE TEMPORARY TABLE loaded (a int, b text)')
    if (kind.isMysql2) {
      assert.equal(await db.executeRaw("LOAD DATA LOCAL INFILE 'anything' INTO TABLE loaded"), 2)
      assert.equal(await db.executeRaw({ sql: "LOAD DATA LOCAL INFILE 'anything' INTO TABLE loaded", infileStreamFactory: () => Readable.from([Buffer.from('3\tthree\n')]) }), 1)
      const bare = await kind.connect((await connection(kind)).raw)
      await bare.executeRaw('CREATE TEMPORARY TABLE loaded (a int, b text)')
      await assert.rejects(bare.executeRaw("LOAD DATA LOCAL INFILE 'anything' INTO TABLE loaded"), /streamFactory/)
      assert.equal(await scalar(bare, 'SELECT 1'), 1)
    } else {
      const { writeFile, rm } = await import('node:fs/promises')
      const path = `${process.cwd()}/build/loaded-${process.pid}.tsv`
      await writeFile(path, '1\tone\n2\ttwo\n3\tthree\n')
      try {
        assert.equal(await db.executeRaw(`LOAD DATA LOCAL INFILE '${path}' INTO TABLE loaded`), 3)
        await assert.rejects(db.executeRaw(`LOAD DATA LOCAL INFILE '${path}.none' INTO TABLE loaded`))
      } finally {
        await rm(path)
      }
    }
    assert.equal((await db.queryRaw('SELECT * FROM loaded ORDER BY a')).text(), '{"columns":["a","b"],"types":["int","string"],"rows":[[1,"one"],[2,"two"],[3,"three"]]}')
  })

  test(`${name}: transactions`, async () => {
    const table = `tx_${name.replace(/\W/g, '_')}`
    for (const handle of [pool(kind), await connection(kind)]) {
      const db = await kind.connect(handle.raw)
      await db.executeRaw(`DROP TABLE IF EXISTS ${table}`)
      await db.executeRaw(`CREATE TABLE ${table} (a int PRIMARY KEY, n int NOT NULL DEFAULT 0)`)
      const all = async (from: MySQLQueryable = db): Promise<unknown[]> => (await from.queryRaw(`SELECT a FROM ${table} ORDER BY a`)).arrays().flat()
      const stop = new Error('stop')

      assert.equal(await db.transaction(async (tx) => {
        await tx.executeRaw(`INSERT INTO ${table} (a) VALUES (1)`)
        return 'value'
      }), 'value')
      for (const isolationLevel of ['READ COMMITTED', 'SERIALIZABLE'] as const) {
        await assert.rejects(db.transaction(async (tx) => {
          await tx.executeRaw(`INSERT INTO ${table} (a) VALUES (99)`)
          await wait(120) // this table is made anew ten times a second
          assert.equal(await scalar(tx, 'SELECT trx_isolation_level FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id = CONNECTION_ID()'), isolationLevel)
          throw stop
        }, { isolationLevel }), stop)
      }
      await assert.rejects(db.transaction(async () => undefined, { isolationLevel: 'SNAPSHOT' }), TypeError)
      await assert.rejects(db.transaction(async () => undefined, { isolationLevel: 'SERIALIZABLE; DROP' as 'SERIALIZABLE' }), TypeError)
      await assert.rejects(db.transaction(async (tx) => {
        await tx.executeRaw(`INSERT INTO ${table} (a) VALUES (2)`)
        assert.deepEqual(await all(tx), [1, 2])
        throw stop
      }), stop)
      assert.deepEqual(await all(), [1])

      // Inside of each other.
      let late: MySQLQueryable | undefined
      await db.transaction(async (tx) => {
        late = tx
        await tx.executeRaw(`INSERT INTO ${table} (a) VALUES (3)`)
        await assert.rejects(tx.transaction(async (inner) => {
          await inner.executeRaw(`INSERT INTO ${table} (a) VALUES (4)`)
          await inner.transaction(async (innermost) => innermost.executeRaw(`INSERT INTO ${table} (a) VALUES (5)`))
          await inner.queryRaw('SELEC')
        }), errno(1064))
        await Promise.all([6, 7, 8].map((n) => tx.transaction(async (inner) => {
          await inner.executeRaw(`INSERT INTO ${table} (a) VALUES (${n})`)
          if (n === 7) throw stop
        }).catch((error: unknown) => assert.equal(error, stop))))
        await assert.rejects(tx.transaction(async () => undefined, { isolationLevel: 'SERIALIZABLE' } as object), TypeError)
      })
      assert.deepEqual(await all(), [1, 3, 6, 8])
      await assert.rejects(late!.queryRaw('SELECT 1'), code('CONNECTION_CLOSED'))

      // A statement that fails leaves the rest of the transaction as it is.
      await db.transaction(async (tx) => {
        await tx.executeRaw(`INSERT INTO ${table} (a) VALUES (9)`)
        await assert.rejects(tx.executeRaw(`INSERT INTO ${table} (a) VALUES (1)`), errno(1062))
        await tx.executeRaw(`INSERT INTO ${table} (a) VALUES (10)`)
      })
      assert.deepEqual(await all(), [1, 3, 6, 8, 9, 10])

      // What would wait for its own end.
      if (!('getConnection' in (handle.raw as object))) {
        await db.transaction(async (tx) => {
          for (const call of [() => db.queryRaw('SELECT 1'), () => db.executeRaw('SELECT 1'), () => db.transaction(async () => 1), () => read(db.stream('SELECT 1')), () => db.batches('SELECT 1').next()]) {
            await assert.rejects(tx.transaction(async () => call()), code('TRANSACTION_OPEN'))
          }
        })
      }

      // Streams in a transaction, left early, leave it sound; those left open are closed.
      let open: ReadableStreamDefaultReader<Uint8Array> | undefined
      await db.transaction(async (tx) => {
        await tx.executeRaw(`INSERT INTO ${table} (a) VALUES (11)`)
        for await (const batch of tx.batches(endless, [], { size: 10 })) {
          assert.equal(batch.rowCount, 10)
          break
        }
        const reader = tx.stream(endless).getReader()
        await reader.read()
        await reader.cancel()
        assert.equal(JSON.parse(await read(tx.stream(rows(20_000)))).rows.length, 20_000)
        await tx.executeRaw(`INSERT INTO ${table} (a) VALUES (12)`)
        open = tx.stream(endless).getReader()
        await open.read()
      })
      assert.deepEqual(await all(), [1, 3, 6, 8, 9, 10, 11, 12])
      await assert.rejects((async () => {
        while (!(await open!.read()).done);
      })(), code('CONNECTION_CLOSED'))
      await db.executeRaw(`DROP TABLE ${table}`)
    }
  })

  test(`${name}: a deadlock ends a transaction, and nothing of it is done on its own`, async () => {
    const db = await kind.connect(pool(kind).raw)
    const table = `dl_${name.replace(/\W/g, '_')}`
    await db.executeRaw(`DROP TABLE IF EXISTS ${table}`)
    await db.executeRaw(`CREATE TABLE ${table} (a int PRIMARY KEY, n int NOT NULL)`)
    for (const hush of [true, false]) {
      await db.executeRaw(`REPLACE INTO ${table} VALUES (1, 0), (2, 0), (3, 0)`)
      let arrived = 0
      let go!: () => void
      const both = new Promise<void>((resolve) => (go = resolve))
      const update = (tx: MySQLQueryable, a: number): Promise<number> => tx.executeRaw(`UPDATE ${table} SET n = n + 1 WHERE a = ?`, [a])
      const cross = (first: number, second: number): Promise<void> =>
        db.transaction(async (tx) => {
          await update(tx, first)
          if (++arrived === 2) go()
          await both
          try {
            await update(tx, second)
          } catch (error) {
            if (!hush) throw error
            await update(tx, 3) // must not be committed on its own
          }
        })
      const outcomes = await Promise.allSettled([cross(1, 2), cross(2, 1)])
      const failed = outcomes.filter((outcome) => outcome.status === 'rejected')
      assert.equal(failed.length, 1)
      assert.ok(hush ? code('TRANSACTION_ROLLED_BACK')(failed[0].reason) : errno(1213)(failed[0].reason), String(failed[0].reason))
      assert.deepEqual((await db.queryRaw(`SELECT n FROM ${table} ORDER BY a`)).arrays().flat(), [1, 1, 0])
    }
    await db.executeRaw(`DROP TABLE ${table}`)
  })

  test(`${name}: AbortSignal`, async () => {
    for (const handle of [pool(kind, { max: 1 }), await connection(kind)]) {
      const db = await kind.connect(handle.raw)
      const id = (): Promise<unknown> => scalar(db, 'SELECT CONNECTION_ID()')
      const before = await id()
      const reason = new Error('enough')
      const soon = (ms = 50): AbortSignal => {
        const controller = new AbortController()
        setTimeout(() => controller.abort(reason), ms)
        return controller.signal
      }
      const aborted = AbortSignal.abort(reason)
      await assert.rejects(db.queryRaw('SELECT 1', [], { signal: aborted }), reason)
      await assert.rejects(db.transaction(async () => undefined, { signal: aborted }), reason)
      const start = performance.now()
      await assert.rejects(db.queryRaw('SELECT SLEEP(60)', [], { signal: soon() }), reason)
      await assert.rejects(db.executeRaw('SELECT SLEEP(?)', [60], { signal: soon() }), reason)
      await assert.rejects(read(db.stream('SELECT SLEEP(60)', [], { signal: soon() })), reason)
      await assert.rejects((async () => {
        for await (const batch of db.batches(endless, [], { signal: soon() })) assert.ok(batch.rowCount > 0)
      })(), reason)
      await assert.rejects(db.queryRaw(prepared(endless), [], { signal: soon() }), reason)
      // One that waits for its turn never gets to the server.
      const running = db.queryRaw('SELECT SLEEP(0.2)')
      await Promise.all([soon(20), soon(20), soon(20)].map((signal) => assert.rejects(db.queryRaw('SELECT SLEEP(60)', [], { signal }), reason)))
      await running
      // Of a transaction.
      await assert.rejects(db.transaction(async (tx) => tx.queryRaw('SELECT SLEEP(60)'), { signal: soon() }), reason)
      await assert.rejects(db.transaction(async () => new Promise(() => undefined), { signal: soon() }), reason)
      assert.equal(await db.transaction(async (tx) => {
        await assert.rejects(tx.queryRaw('SELECT SLEEP(60)', [], { signal: soon() }), reason)
        return scalar(tx, 'SELECT @@in_transaction')
      }), 1n)
      assert.ok(performance.now() - start < 50_000)
      assert.equal(await id(), before)
      assert.equal(await scalar(db, 'SELECT @@in_transaction'), 0n)
      // Queries that are done before the server knows better: no other one is hit.
      for (let i = 0; i < 10; i++) {
        const controller = new AbortController()
        const short = db.queryRaw(rows(2000), [], { signal: controller.signal }).then(() => 'done', (error: unknown) => error)
        setTimeout(() => controller.abort(reason), i / 2)
        const next = db.queryRaw('SELECT SLEEP(0.01) AS zero')
        assert.ok(['done', reason].includes((await short) as string))
        assert.deepEqual((await next).arrays(), [[0]])
      }
    }
    const db = await kind.connect(pool(kind).raw, { signal: AbortSignal.timeout(100) })
    await assert.rejects(db.queryRaw('SELECT SLEEP(60)'), { name: 'TimeoutError' })
    await assert.rejects(db.queryRaw('SELECT 1'), { name: 'TimeoutError' })
  })

  test(`${name}: streams and batches, to their end or not, at the reader's pace`, async () => {
    const db: MySQLDatabase = await kind.connect(pool(kind, { max: 1 }).raw)
    const sql = "SELECT seq AS a, CONCAT('é', seq) AS b, seq AS a FROM seq_1_to_3 WHERE seq > ?"
    assert.equal(await read(db.stream(sql, [0])), '{"columns":["a","b","a"],"types":["bigint","string","bigint"],"rows":[["1","é1","1"],["2","é2","2"],["3","é3","3"]]}')
    assert.equal(await read(db.stream(sql, [0], { shape: 'objects' })), '[{"b":"é1","a":"1"},{"b":"é2","a":"2"},{"b":"é3","a":"3"}]')
    assert.equal(await read(db.stream(sql, [5], { shape: 'ndjson' })), '')
    assert.equal(await read(db.stream(sql, [5])), '{"columns":["a","b","a"],"types":["bigint","string","bigint"],"rows":[]}')
    for (const n of [1, 999, 1000, 60_000]) assert.ok((await read(db.stream(rows(n)))) === (await db.queryRaw(rows(n))).text(), `${n} rows`)
    const sizes = []
    for await (const batch of db.batches<{ id: bigint }>(rows(2500))) {
      assert.equal(batch.rows()[0].id, BigInt(1 + 1000 * sizes.length))
      sizes.push(batch.rowCount)
    }
    assert.deepEqual(sizes, [1000, 1000, 500])
    const none = []
    for await (const batch of db.batches('SELECT 1 AS a FROM seq_1_to_3 WHERE seq > 5')) none.push(batch.text())
    assert.deepEqual(none, ['{"columns":["a"],"types":["int"],"rows":[]}'])

    // Nothing runs before the first read.
    await db.executeRaw('CREATE TEMPORARY TABLE made (a int)')
    const stream = db.stream('INSERT INTO made VALUES (1) RETURNING a')
    await wait(30)
    assert.equal((await db.queryRaw('SELECT * FROM made')).rowCount, 0)
    assert.equal(await read(stream), '{"columns":["a"],"types":["int"],"rows":[[1]]}')

    // A reader that waits keeps the server waiting: what it has sent stays small.
    const sent = async (): Promise<number> => Number((await other.queryRaw("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'BYTES_SENT'")).arrays()[0][0])
    const other = await kind.connect(pool(kind, { max: 1 }).raw)
    const before = await sent()
    const reader = db.stream(endless).getReader()
    await reader.read()
    await wait(300)
    assert.ok((await sent()) - before < 32 * 2 ** 20)
    for (let i = 0; i < 100; i++) assert.ok((await reader.read()).value!.length > 0)
    await reader.cancel()
    let count = 0
    for await (const batch of db.batches(prepared(endless), [], { size: 100 })) {
      count += batch.rowCount
      if (count === 500) break
    }
    assert.equal((await db.queryRaw('SELECT * FROM made')).rowCount, 1)
  })

  test(`${name}: TLS and compression`, async () => {
    const plain = (await (await kind.connect(pool(kind).raw)).queryRaw(rows(20_000))).text()
    const ways: [string, object][] = [['compressed', { compress: true }]]
    if (ca !== undefined) ways.push(['TLS', { ssl: { ca } }], ['TLS, compressed', { ssl: { ca }, compress: true }])
    for (const [way, options] of ways) {
      const handle = pool(kind, { ...options, max: 1 })
      const db = await kind.connect(handle.raw)
      assert.ok((await db.queryRaw(rows(20_000))).text() === plain, way)
      assert.ok((await db.queryRaw(prepared(rows(20_000)))).text() === plain, way)
      assert.ok((await read(db.stream(rows(20_000)))) === plain, way)
      assert.equal((await handle.query(rows(2000))).length, 2000)
      for await (const batch of db.batches(endless)) {
        assert.equal(batch.rowCount, 1000)
        break
      }
      await assert.rejects(db.queryRaw('SELECT SLEEP(60)', [], { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' })
      assert.equal(await scalar(db, 'SELECT 1'), 1)
      const [, cipher] = (await db.queryRaw("SHOW SESSION STATUS LIKE 'Ssl_cipher'")).arrays()[0]
      const [, compressed] = (await db.queryRaw("SHOW SESSION STATUS LIKE 'Compression'")).arrays()[0]
      assert.deepEqual([cipher !== '', compressed], [way.includes('TLS'), way.includes('ompressed') ? 'ON' : 'OFF'], way)
    }
  })

  // Half a minute for all of them, and the same code.
  if (/3\.24|3\.5/.test(name)) test(`${name}: cells of 16 MiB and more`, async () => {
    const db = await kind.connect((await connection(kind, kind.isMysql2 ? {} : { maxAllowedPacket: 2 ** 26 })).raw)
    // A payload of exactly 2^24 - 1 bytes, as text and prepared; and one that begins as an EOF does.
    for (const [length, prepare] of [[2 ** 24 - 5, false], [2 ** 24 - 7, true], [2 ** 24 + 5, false]] as const) {
      const sql = `SELECT REPEAT('x', ${length}) AS x UNION ALL SELECT 'y'`
      let size = 0
      let last = ''
      for await (const piece of db.stream({ sql, prepare })) {
        size += piece.length
        last = (last + new TextDecoder().decode(piece.subarray(-10))).slice(-10)
      }
      assert.deepEqual([size, last], [length + '{"columns":["x"],"types":["string"],"rows":[[""],["y"]]}'.length, '"],["y"]]}'])
    }
  })

  test(`${name}: limits`, async () => {
    const db = await kind.connect(pool(kind, { max: 1 }).raw, { maxBytes: 100_000 })
    const long = (n: number): string => `SELECT REPEAT('x', 1000) AS x FROM seq_1_to_${n}`
    const id = await scalar(db, 'SELECT CONNECTION_ID()')
    assert.equal((await db.queryRaw(long(90))).rowCount, 90)
    await assert.rejects(db.queryRaw(long(110)), code('RESULT_TOO_LARGE'))
    await assert.rejects(db.queryRaw(endless), code('RESULT_TOO_LARGE'))
    // Small packets, large document.
    await assert.rejects(db.queryRaw("SELECT REPEAT('\\0', 30000) AS x"), code('RESULT_TOO_LARGE'))
    assert.equal(JSON.parse(await read(db.stream(long(500)))).rows.length, 500)
    assert.equal(await scalar(db, 'SELECT CONNECTION_ID()'), id)
  })

  test(`${name}: a session's time zone`, async () => {
    const sql = "SELECT FROM_UNIXTIME(0) AS ts, @@time_zone AS zone"
    const handle = await connection(kind)
    await handle.query("SET time_zone = '+05:30'")
    assert.equal((await (await kind.connect(handle.raw)).queryRaw(sql)).arrays()[0][1], '+05:30')
    const db = await kind.connect(handle.raw, { session: 'utc' })
    assert.deepEqual((await db.queryRaw(sql)).arrays(), [[new Date(0), '+00:00']])
    const own = await kind.connect({ ...config })
    assert.deepEqual((await own.queryRaw(sql)).arrays(), [[new Date(0), '+00:00']])
    assert.deepEqual((await own.queryRaw('SELECT ? AS t', [new Date(1_700_000_000_000)])).arrays()[0].map((cell) => (cell instanceof Date ? cell.getTime() : Date.parse(`${cell as string}Z`))), [1_700_000_000_000])
    await own.close()
    // Pools that reset their connections.
    const resetting = pool(kind, { max: 1, resetOnRelease: true, resetAfterUse: true })
    const often = await kind.connect(resetting.raw, { session: 'utc' })
    for (let i = 0; i < 3; i++) assert.deepEqual((await often.queryRaw(sql)).arrays(), [[new Date(0), '+00:00']])
    await assert.rejects(kind.connect(handle.raw, { session: 'odd' as 'utc' }), TypeError)
    await assert.rejects(kind.connect(handle.raw, { prepare: 1 as unknown as boolean }), TypeError)
  })

  test(`${name}: a server that goes away`, async () => {
    const handle = pool(kind, { max: 2 })
    const db = await kind.connect(handle.raw)
    const killer = await kind.connect((await connection(kind)).raw)
    const kill = async (what: string): Promise<void> => {
      for (;;) {
        const found = await killer.queryRaw('SELECT id FROM information_schema.PROCESSLIST WHERE info LIKE ? AND id <> CONNECTION_ID()', [`%${what}%`])
        if (found.rowCount > 0) return void (await killer.executeRaw(`KILL ${String(found.arrays()[0][0])}`))
      }
    }
    const sleeping = assert.rejects(db.queryRaw('SELECT SLEEP(60) AS victim_one'))
    await kill('victim_one')
    await sleeping
    const reader = db.stream(endless.replace('AS x', 'AS victim_two')).getReader()
    await reader.read()
    await kill('victim_two')
    await assert.rejects((async () => {
      while (!(await reader.read()).done);
    })())
    const transaction = assert.rejects(db.transaction(async (tx) => tx.queryRaw('SELECT SLEEP(60) AS victim_three')))
    await kill('victim_three')
    await transaction
    assert.equal(await scalar(db, 'SELECT 1'), 1)

    // A socket that is cut: the error says where the rows broke off.
    const proxy = net.createServer((from) => {
      const to = net.connect(config.port, config.host)
      let passed = 0
      from.on('error', () => undefined).pipe(to).on('error', () => undefined)
      to.on('close', () => from.end())
      to.on('data', (chunk) => {
        passed += chunk.length
        from.write(chunk)
        if (passed > 100_000) {
          from.end()
          to.destroy()
        }
      })
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const cut = pool(kind, { port: (proxy.address() as net.AddressInfo).port, host: '127.0.0.1' })
    const db2 = await kind.connect(cut.raw)
    await assert.rejects(db2.queryRaw("SELECT REPEAT('x', 3000000) AS x"), (error: Error) =>
      isRowjetError(error) && error.code === 'INPUT_UNFINISHED' && /^the connection ended inside of row at byte [0-9]+ of the answer/.test(error.message) && error.cause instanceof Error)
    assert.equal(await scalar(db2, 'SELECT 1'), 1)
    proxy.close()
  })
}
