// A server that lies: the error tells where, the connection is gone, the pool goes on, and memory does not grow.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { connect, isRowjetError, type RowjetErrorCode } from 'rowjet/pg'
import { answer, commandComplete, dataRow, errorResponse, FakeServer, message, random, read, readyForQuery, rowDescription, u16, u32 } from './postgres.js'

const server = new FakeServer()
const url = await server.listen()
const pool = new pg.Pool({ connectionString: url, max: 1 })
pool.on('error', () => undefined)
const db = await connect(pool, { session: 'keep' })
after(async () => {
  await pool.end()
  await server.close()
})

const description = rowDescription([['a', 23], ['b', 25]])
const row = dataRow(['1', 'x'])
const tail = Buffer.concat([commandComplete('SELECT 1'), readyForQuery()])
const good = '{"columns":["a"],"types":["int"],"rows":[[1]]}'

/** A good answer to a query that says so, a bad one to all others. */
function lie(bytes: Buffer, end = false): void {
  server.reply = (query) => (query === 'good' ? { bytes: answer(['a'], [['1']]) } : { bytes, end })
}

async function goesOn(about?: string): Promise<void> {
  assert.equal((await db.queryRaw('good')).text(), good, about)
  assert.deepEqual([pool.totalCount, pool.waitingCount], [1, 0], about)
}

const broken: [name: string, bytes: Buffer, code: RowjetErrorCode, found: RegExp][] = [
  ['a length that is too small', Buffer.concat([description, Buffer.of(0x44, 0, 0, 0, 3)]), 'WIRE_INVALID', /^DataRow at byte 47 of the answer has the length 3$/],
  ['a length beyond all limits', Buffer.concat([description, Buffer.of(0x44, 0xff, 0xff, 0xff, 0xff)]), 'WIRE_INVALID', /^DataRow at byte 47 of the answer has the length 4294967295$/],
  ['a type that is none', Buffer.concat([description, row, Buffer.of(0x07), tail]), 'WIRE_INVALID', /^a message of type 0x07 at byte 64 of the answer is not expected$/],
  ['a long message of a short type', Buffer.concat([description, row, Buffer.of(0x43, 0, 1, 0, 0)]), 'WIRE_INVALID', /^CommandComplete at byte 64 of the answer has the length 65536$/],
  ['more cells than columns', Buffer.concat([description, dataRow(['1', 'x', 'y']), tail]), 'WIRE_INVALID', /^DataRow at byte 47 has 3 cells for 2 columns$/],
  ['fewer cells than columns', Buffer.concat([description, row, dataRow(['1']), tail]), 'WIRE_INVALID', /^DataRow at byte 64 has 1 cells for 2 columns$/],
  ['a cell that is longer than its message', Buffer.concat([description, message('D', u16(2), u32(1), '1', u32(1000), 'x'), tail]), 'WIRE_INVALID', /^DataRow at byte 47: cell 1 is 1000 bytes long, 1 are left$/],
  ['a negative length', Buffer.concat([description, message('D', u16(2), u32(1), '1', u32(0xfffffffe)), tail]), 'WIRE_INVALID', /^DataRow at byte 47: cell 1 is -2 bytes long, 0 are left$/],
  ['bytes behind the last cell', Buffer.concat([description, message('D', u16(2), u32(1), '1', u32(1), 'x', 'yz'), tail]), 'WIRE_INVALID', /^DataRow at byte 47 has 2 bytes too many$/],
  ['a RowDescription that ends too early', Buffer.concat([message('T', u16(2), 'a', 0, u32(0)), row, tail]), 'WIRE_INVALID', /^RowDescription at byte 0 of the answer does not have the form of its type$/],
  ['a RowDescription with a wrong count', Buffer.concat([message('T', u16(9), description.subarray(7)), row, tail]), 'WIRE_INVALID', /^RowDescription at byte 0 of the answer does not have the form of its type$/],
  ['an unknown format', Buffer.concat([rowDescription([['a', 23]], 7), dataRow(['1']), tail]), 'WIRE_INVALID', /^RowDescription at byte 0: field 0 has format code 7$/],
  ['rows without a RowDescription', Buffer.concat([row, tail]), 'WIRE_INVALID', /^DataRow at byte 0 of the answer is not expected$/],
  ['rows after the end', Buffer.concat([description, row, commandComplete('SELECT 1'), row, tail]), 'WIRE_INVALID', /^DataRow at byte 78 of the answer is not expected$/],
  ['an end without CommandComplete', Buffer.concat([description, row, readyForQuery()]), 'WIRE_INVALID', /^ReadyForQuery before the end of the result set$/],
  ['a CommandComplete without an end', Buffer.concat([description, row, message('C', 'SELECT 1'), readyForQuery()]), 'WIRE_INVALID', /^CommandComplete at byte 64 of the answer does not have the form of its type$/],
  ['an error without an end', Buffer.concat([message('E', 'S', 'ERROR', 0, 'M', 'oh')]), 'WIRE_INVALID', /^ErrorResponse at byte 0 of the answer does not have the form of its type$/],
  ['a notice without an end', Buffer.concat([message('N', 'S', 'NOTICE', 0), row, tail]), 'WIRE_INVALID', /^NoticeResponse at byte 0 of the answer does not have the form of its type$/],
  ['a notification that is too short', message('A', 'abc'), 'WIRE_INVALID', /^NotificationResponse at byte 0 of the answer does not have the form of its type$/],
  ['parameters that are not there', message('t', u16(5), u32(1)), 'WIRE_INVALID', /^ParameterDescription at byte 0 of the answer does not have the form of its type$/],
  ['authentication at the wrong time', message('R', u32(5)), 'WIRE_INVALID', /^Authentication at byte 0 of the answer is not expected$/],
  ['an unknown transaction status', Buffer.concat([description, commandComplete('SELECT 0'), readyForQuery('x')]), 'WIRE_INVALID', /^ReadyForQuery at byte 61 of the answer does not have the form of its type$/],
  ['an end of a page that nobody asked for', Buffer.concat([description, row, message('s'), tail]), 'WIRE_INVALID', /^PortalSuspended, but all rows were asked for$/],
  ['a RowDescription among the rows', Buffer.concat([description, row, description, row, tail]), 'WIRE_INVALID', /^RowDescription before the end of the result set$/],
  ['a binary cell of a wrong length', Buffer.concat([rowDescription([['a', 23]], 1), dataRow(['123']), tail]), 'WIRE_INVALID', /^DataRow at byte 27: cell 0 is not in the binary format of OID 23$/],
]

for (const [name, bytes, code, found] of broken) {
  test(name, async () => {
    lie(bytes)
    const before = server.connections
    const is = (error: unknown): boolean => {
      assert.ok(isRowjetError(error), String(error))
      assert.equal(error.code, code)
      assert.match(error.found!, found)
      assert.ok(error.message.includes(error.found!))
      return true
    }
    await assert.rejects(db.queryRaw('bad'), is)
    await goesOn()
    await assert.rejects(read(db.stream('bad')), is)
    await goesOn()
    await assert.rejects(db.queryRaw('bad', [1]), is)
    await assert.rejects(db.transaction(async (tx) => tx.queryRaw('bad')), (error) => is(error))
      .catch((error: unknown) => assert.match(String(error), /./)) // BEGIN gets the bad answer too, and may be what fails
    await goesOn()
    // The pool's client goes on with `good` only since each bad one was given up.
    assert.ok(server.connections - before >= 3)
  })
}

test('batches find it out when their cells are asked for', async () => {
  lie(Buffer.concat([description, dataRow(['1', 'x', 'y']), tail]))
  for await (const batch of db.batches('bad')) {
    assert.equal(batch.rowCount, 1)
    assert.throws(() => batch.bytes(), { code: 'WIRE_INVALID' })
    assert.throws(() => batch.rows(), { code: 'WIRE_INVALID' })
    assert.throws(() => batch.objects(), { code: 'WIRE_INVALID' })
    await assert.rejects(read(batch.stream()), { code: 'WIRE_INVALID' })
  }
  await goesOn()
})

test('an answer that ends anywhere', async () => {
  const whole = Buffer.concat([description, row, dataRow([null, 'yz']), tail])
  for (let size = 0; size < whole.length; size++) {
    lie(whole.subarray(0, size), true)
    const about = `after ${size} bytes`
    const error = await db.queryRaw('bad').then(() => assert.fail(about), (reason: unknown) => reason as Error)
    assert.match(error.message, /^the connection ended inside of \w+ at byte [0-9]+ of the answer|^Connection terminated unexpectedly/, about)
    if (size % 10 === 0) {
      await assert.rejects(read(db.stream('bad')), /the connection ended|Connection terminated/, about)
      await goesOn(about)
    }
  }
  await goesOn()
})

test('errors that end the connection', async () => {
  for (const severity of ['FATAL', 'PANIC']) {
    lie(Buffer.concat([description, row, errorResponse(severity, '57P01', 'terminating connection')]), true)
    await assert.rejects(db.queryRaw('bad'), { code: '57P01', severity })
    await goesOn()
  }
  // A plain error, and then no ReadyForQuery.
  lie(errorResponse('ERROR', '22012', 'division by zero'), true)
  await assert.rejects(db.queryRaw('bad'), { code: '22012' })
  await goesOn()
})

test('settings that a server does not know are not asked for again', async () => {
  const other = await connect(pool)
  server.queries = []
  server.reply = (query) => ({ bytes: query.startsWith('SET ') ? Buffer.concat([errorResponse('ERROR', '42704', 'unrecognized configuration parameter'), readyForQuery()]) : answer(['a'], [['1']]) })
  for (let i = 0; i < 3; i++) assert.equal((await other.queryRaw('good')).text(), good)
  assert.deepEqual(server.queries, ['SET DateStyle TO ISO; SET IntervalStyle TO postgres; SET bytea_output TO hex; SET extra_float_digits TO 3', 'good', 'good', 'good'])
})

test('random changes to an answer: an error or a result, and the pool goes on', async () => {
  const seed = (Math.random() * 2 ** 32) | 0
  const next = random(seed)
  const int = (n: number): number => Math.floor(next() * n)
  const whole = Buffer.concat([description, ...Array.from({ length: 10 }, (_, i) => dataRow([String(i), i % 3 === 0 ? null : 'x'.repeat(i)])), tail])
  // pg itself waits for ever for an answer that never comes to its end, and takes odd messages for what they are not.
  const impatient = await connect(new pg.Pool({ connectionString: url, max: 1 }).on('error', () => undefined), { session: 'keep' })
  const outcomes: Record<string, number> = {}
  for (let i = 0; i < 1500; i++) {
    const bytes = Buffer.from(whole)
    for (let n = 1 + int(3); n > 0; n--) {
      if (int(2) === 0) bytes[int(bytes.length)] = int(256)
      else bytes.copy(bytes, int(bytes.length), int(bytes.length), int(bytes.length))
    }
    lie(bytes, true)
    const outcome = await impatient.queryRaw('bad').then(
      (result) => {
        try {
          JSON.parse(result.text())
          return 'result'
        } catch (error) {
          if (!isRowjetError(error)) throw error
          return error.code
        }
      },
      (error: unknown) => (isRowjetError(error) ? error.code : 'driver'),
    )
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    // A good answer is followed by the end of the connection, which the pool may not know of yet.
    if (i % 50 === 0) assert.equal((await impatient.queryRaw('good').catch(() => impatient.queryRaw('good'))).text(), good, `seed ${seed}, round ${i}`)
  }
  assert.ok(outcomes['result'] > 0 && outcomes['WIRE_INVALID'] > 0, `seed ${seed}: ${JSON.stringify(outcomes)}`)
  // A changed OID makes another type of the column: its cells may not fit, but that is told as for any cell.
  const known = /^(result|driver|WIRE_INVALID|WIRE_BINARY|INPUT_UNFINISHED|DATE_STYLE|[A-Z]+_(INVALID|RANGE))$/
  assert.deepEqual(Object.keys(outcomes).filter((key) => !known.test(key)), [], `seed ${seed}: ${JSON.stringify(outcomes)}`)
  await impatient.close()
})

test('memory does not grow', async () => {
  const rounds = async (n: number): Promise<void> => {
    for (let i = 0; i < n; i++) {
      const [name, bytes] = broken[i % broken.length]
      // That one would be right behind the other rows.
      lie(Buffer.concat(name === 'rows without a RowDescription' ? [bytes] : [description, Buffer.concat(Array(200).fill(row)), bytes]))
      await assert.rejects(db.queryRaw('bad'))
    }
    await goesOn()
    globalThis.gc!()
    await new Promise((resolve) => setTimeout(resolve, 50))
    globalThis.gc!()
  }
  const used = (): number => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers
  await rounds(100)
  const before = used()
  await rounds(400)
  assert.ok(used() - before < 2 * 2 ** 20, `${used() - before} bytes more`)
  // A length that is a lie takes no memory before the bytes come.
  lie(Buffer.concat([description, Buffer.of(0x44, 0x3f, 0xff, 0xff, 0xff), Buffer.alloc(100)]), true)
  const rss = process.memoryUsage().rss
  await assert.rejects(db.queryRaw('bad'), { code: 'INPUT_UNFINISHED' })
  assert.ok(process.memoryUsage().rss - rss < 50 * 2 ** 20)
})

test('rows without end stop at the limit', async () => {
  const big = Buffer.concat([description, ...Array(20_000).fill(dataRow(['1', 'x'.repeat(1000)]))])
  lie(big)
  const limited = await connect(pool, { session: 'keep', maxBytes: 1_000_000 })
  server.cancels = 0
  const pending = limited.queryRaw('bad')
  // The server is asked to stop; this one says nothing any more.
  while (server.cancels === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  for (const client of (pool as unknown as { _clients: { connection: { stream: { destroy(): void } } }[] })._clients) client.connection.stream.destroy()
  await assert.rejects(pending, { code: 'RESULT_TOO_LARGE' })
  await goesOn()
})
