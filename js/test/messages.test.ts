// The splitter alone: whatever the messages and however they are cut, all of them arrive where they belong.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from './fast-check.js'
import type { RowjetError } from 'rowjet/postgres'
import { columnNames, Splitter, type SplitterHost } from '../dist/messages.js'
import { commandComplete, dataRow, errorResponse, message, readyForQuery, rowDescription, u32 } from './postgres.js'

/** Arms the sink at each RowDescription, as a driver does, and disarms it at CommandComplete. */
class Host implements SplitterHost {
  readonly splitter = new Splitter(this)
  readonly passed: Buffer[] = []
  readonly rows: Buffer[] = []
  readonly log: string[] = []
  completed = 0
  room = Infinity
  error: RowjetError | undefined
  #parsed = 0

  pass(bytes: Uint8Array): void {
    assert.ok(bytes.length > 0)
    this.passed.push(Buffer.from(bytes))
    // As a parser does: every message that is complete is acted on.
    const all = Buffer.concat(this.passed)
    while (all.length - this.#parsed >= 5 && all.length - this.#parsed > all.readUInt32BE(this.#parsed + 1)) {
      const type = String.fromCharCode(all[this.#parsed])
      this.#parsed += all.readUInt32BE(this.#parsed + 1) + 1
      if (type === 'T') this.splitter.sink = this.#sink
      if (type === 'C') this.splitter.sink = undefined
    }
  }

  readonly #sink = {
    host: this,
    get room(): number {
      return this.host.room
    },
    rows(chunk: Uint8Array, start: number, end: number, completed: number): void {
      assert.ok(end > start)
      assert.ok(completed <= this.host.room)
      this.host.rows.push(Buffer.from(chunk.subarray(start, end)))
      this.host.completed += completed
    },
  }

  description(whole: Uint8Array): void {
    this.log.push(`T ${columnNames(whole).join()}`)
  }
  parameter(name: string, value: string): void {
    this.log.push(`S ${name}=${value}`)
  }
  reset(): void {
    this.log.push('reset')
  }
  ready(): void {
    this.log.push(`Z ${String.fromCharCode(this.splitter.status)}`)
  }
  ownReady(ok: boolean): void {
    this.log.push(`own ${ok}`)
  }
  broken(error: RowjetError): void {
    this.error = error
  }

  feed(stream: Buffer, sizes: () => number): this {
    for (let at = 0; at < stream.length; ) {
      const size = Math.max(1, sizes())
      this.splitter.push(Buffer.from(stream.subarray(at, at + size)))
      at += size
    }
    return this
  }
}

const notice = message('N', 'S', 'NOTICE', 0, 'M', 'careful', 0, 0)
const setting = message('S', 'DateStyle', 0, 'German, DMY', 0)
const description = rowDescription([['id', 23], ['näme', 25]])

test('any stream, cut anywhere: rows to the sink, the rest to the driver, in order', () => {
  const cell = fc.option(fc.string({ unit: 'binary', maxLength: 40 }))
  const set = fc.record({
    rows: fc.array(fc.tuple(cell, cell), { maxLength: 8 }),
    before: fc.constantFrom(Buffer.alloc(0), notice, setting, message('1'), message('2')),
    within: fc.constantFrom(Buffer.alloc(0), notice, setting, message('A', u32(1), 'c', 0, 'p', 0)),
  })
  fc.assert(
    fc.property(fc.array(set, { minLength: 1, maxLength: 5 }), fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }), fc.integer({ min: 1, max: 5 }), (sets, sizes, room) => {
      const all: Buffer[] = []
      const rows: Buffer[] = []
      const rest: Buffer[] = []
      for (const { rows: cells, before, within } of sets) {
        const rowMessages = cells.map((row) => dataRow(row))
        const half = rowMessages.length >> 1
        all.push(before, description, ...rowMessages.slice(0, half), within, ...rowMessages.slice(half), commandComplete(`SELECT ${cells.length}`), readyForQuery())
        rows.push(...rowMessages)
        rest.push(before, description, within, commandComplete(`SELECT ${cells.length}`), readyForQuery())
      }
      const host = new Host()
      host.splitter.watching = 'all'
      host.room = room
      let i = 0
      host.feed(Buffer.concat(all), () => sizes[i++ % sizes.length])
      assert.equal(host.error, undefined)
      assert.deepEqual(Buffer.concat(host.rows), Buffer.concat(rows))
      assert.deepEqual(Buffer.concat(host.passed), Buffer.concat(rest))
      assert.equal(host.completed, rows.length)
      assert.equal(host.log.filter((line) => line === 'T id,näme').length, sets.length)
      assert.equal(host.log.filter((line) => line === 'Z I').length, sets.length)
      assert.equal(host.splitter.unfinished, undefined)
    }),
    { numRuns: 300 },
  )
})

test('what nobody waits for goes to the driver as it came', () => {
  const stream = Buffer.concat([setting, description, dataRow(['1', null]), commandComplete('SELECT 1'), commandComplete('RESET'), commandComplete('DISCARD ALL'), readyForQuery('T')])
  for (const size of [1, 7, 1000]) {
    const host = new Host().feed(stream, () => size)
    assert.deepEqual(Buffer.concat(host.passed), stream)
    assert.deepEqual(host.log, ['S DateStyle=German, DMY', 'reset', 'reset', 'Z T'])
  }
})

test('the answer to what was sent ahead is kept from the driver', () => {
  const own = Buffer.concat([commandComplete('SET'), setting, commandComplete('SET'), readyForQuery()])
  const failed = Buffer.concat([errorResponse('ERROR', '42704', 'unrecognized configuration parameter'), readyForQuery()])
  const other = Buffer.concat([description, dataRow(['1', '2']), commandComplete('SELECT 1'), readyForQuery()])
  for (const size of [1, 3, 20, 1000]) {
    for (const [mine, ok] of [[own, true], [failed, false]] as const) {
      for (const before of [0, 1, 2]) {
        const host = new Host()
        host.splitter.expectOwn(before)
        const ahead = Array<Buffer>(before).fill(other)
        host.feed(Buffer.concat([...ahead, mine, other]), () => size)
        assert.deepEqual(Buffer.concat(host.passed), Buffer.concat([...ahead, ...(ok ? [setting] : []), other]))
        assert.deepEqual(host.log.filter((line) => !line.startsWith('S')), [...ahead.map(() => 'Z I'), `own ${ok}`, 'Z I'])
      }
    }
    // An error that ends the connection is the driver's business too.
    const fatal = errorResponse('FATAL', '57P01', 'terminating connection')
    const host = new Host()
    host.splitter.expectOwn(0)
    assert.deepEqual(Buffer.concat(host.feed(fatal, () => size).passed), fatal)
  }
})

test('ReadyForQuery can be held back, with all that follows', () => {
  const first = Buffer.concat([description, dataRow(['1', '2']), errorResponse('ERROR', '57014', 'canceling')])
  const second = Buffer.concat([readyForQuery(), notice, readyForQuery()])
  for (const size of [1, 9, 1000]) {
    const host = new Host()
    host.splitter.watching = 'all'
    host.splitter.hold()
    host.feed(Buffer.concat([first, second]), () => size)
    assert.deepEqual(Buffer.concat([...host.passed, ...host.rows]).length, first.length)
    assert.deepEqual(host.log, ['T id,näme'])
    host.splitter.release()
    assert.deepEqual(Buffer.concat(host.passed), Buffer.concat([description, errorResponse('ERROR', '57014', 'canceling'), second]))
    assert.deepEqual(host.log, ['T id,näme', 'Z I', 'Z I'])
  }
})

test('what no server sends is an error with its place, and nothing after it is passed on', () => {
  const good = Buffer.concat([description, dataRow(['1', '2'])])
  const bad: [Buffer, string][] = [
    [Buffer.of(0x44, 0, 0, 0, 3), `DataRow at byte ${good.length} of the answer has the length 3`],
    [Buffer.of(0x44, 0, 0, 0, 5, 0), `DataRow at byte ${good.length} of the answer has the length 5`],
    [Buffer.of(0x44, 0xff, 0xff, 0xff, 0xff), `DataRow at byte ${good.length} of the answer has the length 4294967295`],
    [Buffer.of(0x43, 0, 1, 0, 0), `CommandComplete at byte ${good.length} of the answer has the length 65536`],
    [Buffer.of(0x5a, 0, 0, 0, 6, 0x49, 0x49), `ReadyForQuery at byte ${good.length} of the answer has the length 6`],
    [Buffer.of(0x00), `a message of type 0x00 at byte ${good.length} of the answer is not expected`],
    [Buffer.of(0xff, 0, 0, 0, 4), `a message of type 0xff at byte ${good.length} of the answer is not expected`],
  ]
  for (const [bytes, what] of bad) {
    for (const size of [1, 4, 1000]) {
      const host = new Host()
      host.splitter.watching = 'all'
      // The second answer: places are counted from its start.
      host.feed(Buffer.concat([commandComplete('SET'), readyForQuery(), good, bytes, readyForQuery()]), () => size)
      assert.equal(host.error?.code, 'WIRE_INVALID')
      assert.equal(host.error?.found, what)
      assert.equal(host.log.filter((line) => line.startsWith('Z')).length, 1)
      assert.deepEqual(Buffer.concat(host.rows).subarray(0, 17), dataRow(['1', '2']))
    }
  }
})

test('random bytes never do worse than that', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 50 }), (bytes, size) => {
      const host = new Host()
      host.splitter.watching = 'all'
      host.feed(Buffer.from(bytes), () => size)
      const seen = host.passed.reduce((sum, part) => sum + part.length, 0) + host.rows.reduce((sum, part) => sum + part.length, 0)
      assert.ok(seen <= bytes.length)
      if (host.error === undefined) assert.equal(seen, bytes.length)
      else assert.match(host.error.found!, / at byte [0-9]+ of the answer /)
    }),
    { numRuns: 2000 },
  )
})
