// A server that lies: the error tells where, the connection is gone, the pool goes on, and memory does not grow.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isRowjetError, type RowjetErrorCode } from 'rowjet/mysql'
import { answer, definition, eof, err, FakeServer, kinds, ok, packet, packets, textRow, u32 } from './mysql.js'
import { random, read } from './postgres.js'

const columns = [{ name: 'a', type: 3, charset: 63 }, { name: 'b' }]
const payloads = answer(columns, [['1', 'x']])
const good = '{"columns":["a"],"types":["int"],"rows":[[1]]}'
/** The first so many packets of a good answer, and something else. */
const after_ = (count: number, ...rest: Buffer[]): Buffer => Buffer.concat([packets(payloads.slice(0, count)), ...rest])
const at = (count: number): number => packets(payloads.slice(0, count)).length

// Of those that the module finds, places are counted from its own preface on.
const broken: [name: string, bytes: Buffer, code: RowjetErrorCode, found: RegExp][] = [
  ['an empty answer', packet(1), 'WIRE_INVALID', /^packet at byte 0 of the answer is no answer to a query$/],
  ['a count of no columns that goes on', packet(1, 0xfd, 0, 0, 0), 'WIRE_INVALID', /^packet at byte 0 of the answer is no answer to a query$/],
  ['more columns than there can be', packet(1, 0xfd, 0xff, 0xff, 0xff), 'WIRE_INVALID', /^packet at byte 0 of the answer is no answer to a query$/],
  ['an OK that ends too early', packet(1, 0, 0), 'WIRE_INVALID', /^packet at byte 0 of the answer ends too early$/],
  ['an error that ends too early', packet(1, 0xff), 'WIRE_INVALID', /^packet at byte 0 of the answer ends too early$/],
  ['an EOF before the definitions are in', after_(2, packet(3, eof())), 'WIRE_INVALID', new RegExp(`^column definition at byte ${at(2)} of the answer does not have the form of its type$`)],
  ['a definition that ends too early', after_(1, packet(2, definition(columns[0]).subarray(0, 20))), 'WIRE_INVALID', new RegExp(`^column definition at byte ${at(1)} of the answer does not have the form of its type$`)],
  ['rows without an EOF before them', after_(3, packet(4, textRow(['1', 'x']))), 'WIRE_INVALID', new RegExp(`^EOF at byte ${at(3)} of the answer is not the EOF that is expected$`)],
  ['sequence ids out of order', after_(4, packet(9, textRow(['1', 'x']))), 'WIRE_INVALID', new RegExp(`^row at byte ${at(4)} of the answer has the sequence id 9, not 5$`)],
  ['an empty row', after_(4, packet(5), packet(6, eof())), 'WIRE_INVALID', new RegExp(`^row at byte ${at(4)} of the answer has the length 0$`)],
  ['an EOF that is too long', after_(5, packet(6, eof(), 0)), 'WIRE_INVALID', new RegExp(`^row at byte ${at(5)} of the answer does not have the form of its type$`)],
  ['more cells than columns', after_(4, packet(5, textRow(['1', 'x', 'y'])), packet(6, eof())), 'WIRE_INVALID', /^row at byte [0-9]+ has 2 bytes too many$/],
  ['fewer cells than columns', after_(5, packet(6, textRow(['1'])), packet(7, eof())), 'WIRE_INVALID', /^row at byte [0-9]+ ends before cell 1$/],
  ['a cell that is longer than its row', after_(4, packet(5, 1, 0x31, 200, 0x78), packet(6, eof())), 'WIRE_INVALID', /^row at byte [0-9]+: cell 1 is 200 bytes long, 1 are left$/],
  ['a length that is none', after_(4, packet(5, 1, 0x31, 0xff), packet(6, eof())), 'WIRE_INVALID', /^row at byte [0-9]+ ends before cell 1$/],
  ['a length of eight bytes beyond all limits', after_(4, packet(5, 1, 0x31, 0xfe, Buffer.alloc(8, 0xff)), packet(6, eof())), 'WIRE_INVALID', /^row at byte [0-9]+: cell 1 /],
  ['text in a character set that is not read', packets(answer([{ name: 'a', charset: 8 }], [['\xe9']])), 'CHARSET', /./],
]

for (const kind of kinds.filter(({ name }) => /3\.24|3\.5/.test(name))) {
  const server = new FakeServer()
  const port = await server.listen()
  const handle = kind.pool({ host: '127.0.0.1', port, max: 1, ...(kind.isMysql2 ? {} : { acquireTimeout: 10_000 }) })
  const db = await kind.connect(handle.raw)
  after(async () => {
    await handle.end().catch(() => undefined)
    await server.close()
  })

  /** A good answer to a query that says so, a bad one to all others. */
  const lie = (bytes: Buffer, end = false): void => {
    server.reply = (query) => (query === 'bad' ? { bytes, end } : query === 'good' ? { bytes: packets(answer([columns[0]], [['1']])) } : { bytes: packet(1, ok()) })
  }
  const goesOn = async (about?: string): Promise<void> => assert.equal((await db.queryRaw('good')).text(), good, about)

  for (const [name, bytes, code, found] of broken) {
    test(`${kind.name}: ${name}`, async () => {
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
      await assert.rejects(db.transaction(async (tx) => tx.queryRaw('bad')), is)
      await goesOn()
      if (code === 'WIRE_INVALID') assert.ok(server.connections - before >= 3)
    })
  }

  test(`${kind.name}: an answer that ends anywhere`, async () => {
    const whole = packets(answer(columns, [['1', 'x'], [null, 'yz']]))
    for (let size = 0; size < whole.length; size += 3) {
      lie(whole.subarray(0, size), true)
      const about = `after ${size} bytes`
      const error = await db.queryRaw('bad').then(() => assert.fail(about), (reason: unknown) => reason as Error)
      assert.ok(!(error instanceof assert.AssertionError) && (!isRowjetError(error) || error.code === 'INPUT_UNFINISHED'), `${about}: ${error}`)
      if (size % 30 === 0) {
        await assert.rejects(read(db.stream('bad')), about)
        await goesOn(about)
      }
    }
    await goesOn()
  })

  test(`${kind.name}: an error that nobody asked for, and one in the middle of definitions`, async () => {
    lie(after_(2, packet(3, err(1317, '70100', 'Query execution was interrupted'))))
    await assert.rejects(db.queryRaw('bad'), { errno: 1317 })
    await goesOn()
    lie(Buffer.concat([packets(payloads), packet(0, err(1927, '70100', 'Connection was killed'))]), true)
    assert.equal((await db.queryRaw('bad')).rowCount, 1)
    await db.queryRaw('good').catch((error: unknown) => assert.ok(!isRowjetError(error) || error.code === 'INPUT_UNFINISHED'))
    await goesOn()
  })

  test(`${kind.name}: random changes to an answer: an error or a result, and the pool goes on`, async () => {
    const seed = 20261130
    const next = random(seed)
    const int = (n: number): number => Math.floor(next() * n)
    const whole = packets(answer(columns, Array.from({ length: 10 }, (_, i) => [String(i), i % 3 === 0 ? null : 'x'.repeat(i)])))
    for (let i = 0; i < 150; i++) {
      const bytes = Buffer.from(whole)
      for (let changes = 1 + int(3); changes > 0; changes--) bytes[int(bytes.length)] = int(256)
      lie(bytes, true)
      const about = `seed ${seed}, round ${i}`
      try {
        const result = await db.queryRaw('bad')
        assert.ok(result.rowCount <= 10, about)
        result.bytes()
      } catch (error) {
        assert.ok(error instanceof Error && !(error instanceof assert.AssertionError) && !(error instanceof RangeError), `${about}: ${String(error)}`)
      }
      // A good query may still meet the connection that the server has ended meanwhile.
      for (let tries = 0; ; tries++) {
        const text = await db.queryRaw('good').then((result) => result.text(), (error: unknown) => String(error))
        if (text === good) break
        assert.ok(tries < 3, `${about}: ${text}`)
      }
    }
  })

  test(`${kind.name}: lengths that never come cost no memory`, async () => {
    // Definitions and rows that claim to be 16 MB, again and again.
    const before = process.memoryUsage().rss
    for (let i = 0; i < 20; i++) {
      lie(i % 2 === 0 ? after_(4, u32(0xfffffe), Buffer.of(0)) : after_(1, Buffer.of(0xfe, 0xff, 0xff, 2, 3)), true)
      await assert.rejects(db.queryRaw('bad'))
    }
    assert.ok(process.memoryUsage().rss - before < 100 * 2 ** 20)
    await goesOn()
  })
}
