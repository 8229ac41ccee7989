// The splitter alone: whatever the packets and however they are cut, all of them arrive where they belong.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { RowjetError } from 'rowjet/mysql'
import { Answer, Descriptions, PacketSplitter, type AnswerSink, type PacketHost } from '../dist/packets.js'
import { mysqlProtocol } from '../dist/mysql-protocol.js'
import { answer, definition, eof, err, ok, okEOF, packet, packets, textRow } from './mysql.js'

/** A driver that waits for the answers to some queries; those that are not ours it reads itself. */
class Host implements PacketHost, AnswerSink {
  readonly splitter = new PacketSplitter(this)
  readonly passed: Buffer[] = []
  readonly found: Buffer[] = []
  readonly log: string[] = []
  readonly sequences: number[] = []
  disorder = 0
  #parsed = 0
  #expected = 1
  completed = 0
  room = Infinity
  error: RowjetError | undefined
  descriptions = new Descriptions()
  kept: (() => Uint8Array) | undefined
  readonly #queries: ('ours' | 'theirs')[]
  #current: Answer | undefined
  readonly #deprecated: boolean

  constructor(queries: ('ours' | 'theirs')[] = ['ours'], deprecated = false) {
    this.#queries = queries
    this.#deprecated = deprecated
    this.splitter.watching = true
  }

  pass(bytes: Uint8Array): void {
    assert.ok(bytes.length > 0)
    this.passed.push(Buffer.from(bytes))
    // A driver expects sequence ids in order, but for those that it is told.
    const all = Buffer.concat(this.passed)
    while (all.length - this.#parsed >= 4 && all.length - this.#parsed >= 4 + all.readUIntLE(this.#parsed, 3)) {
      const sequence = all[this.#parsed + 3]
      if (sequence !== this.#expected && sequence !== 1) this.disorder++
      this.#expected = (sequence + 1) & 0xff
      this.#parsed += 4 + all.readUIntLE(this.#parsed, 3)
    }
  }

  answer(): Answer | undefined {
    if (this.#queries[0] === 'theirs') {
      this.#queries.shift() // each of theirs is one packet here
      return undefined
    }
    if (this.#current === undefined || this.#current.state === 'over') {
      if (this.#queries.shift() === undefined) return undefined
      this.#current = new Answer(this, { extended: false, eofDeprecated: this.#deprecated }, this.descriptions, false, this.kept)
    }
    return this.#current
  }

  sequence(id: number): void {
    this.sequences.push(id)
    this.#expected = id
  }
  broken(error: RowjetError): void {
    this.error = error
  }
  columns(description: Uint8Array): void {
    this.log.push(`columns ${mysqlProtocol.names(description).join()}`)
  }
  rows(chunk: Uint8Array, start: number, end: number, completed: number): void {
    assert.ok(end > start)
    assert.ok(completed <= this.room)
    this.found.push(Buffer.from(chunk.subarray(start, end)))
    this.completed += completed
  }
  complete(tag: string): void {
    this.log.push(`complete ${tag}`)
  }
  failed(): void {
    this.log.push('failed')
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

const columns = [{ name: 'id' }, { name: 'näme' }]

test('any answers, cut anywhere: rows to the sink, the rest to the driver, in order', () => {
  const cell = fc.option(fc.string({ unit: 'binary', maxLength: 300 }))
  const set = fc.record({ rows: fc.array(fc.tuple(cell, cell), { maxLength: 8 }), kind: fc.constantFrom('rows', 'rows and more', 'ok', 'error', 'error after rows', 'theirs') })
  fc.assert(
    fc.property(fc.array(set, { minLength: 1, maxLength: 5 }), fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }), fc.integer({ min: 1, max: 5 }), fc.boolean(), (sets, sizes, room, deprecated) => {
      const all: Buffer[] = []
      const rows: Buffer[] = []
      const rest: Buffer[] = []
      const log: string[] = []
      const queries: ('ours' | 'theirs')[] = []
      for (const { rows: cells, kind } of sets) {
        queries.push(kind === 'theirs' ? 'theirs' : 'ours')
        let sequence = 1
        const put = (to: Buffer[], payload: Buffer): void => {
          const whole = packet(sequence++, payload)
          all.push(whole)
          to.push(whole)
        }
        if (kind === 'theirs' || kind === 'ok') {
          put(rest, ok(3))
          if (kind === 'ok') log.push('complete OK 3')
          continue
        }
        if (kind !== 'error') {
          for (const status of kind === 'rows and more' ? [10, 2] : [2]) {
            put(rest, Buffer.of(2))
            for (const column of columns) put(rest, definition(column))
            log.push('columns id,näme')
            if (!deprecated) put(rest, eof(status))
            for (const row of cells) put(rows, textRow(row))
            if (kind !== 'error after rows') {
              put(rest, deprecated ? okEOF(status) : eof(status))
              log.push('complete ')
            }
          }
        }
        if (kind.startsWith('error')) {
          put(rest, err(1317, '70100', 'Query execution was interrupted'))
          log.push('failed')
        }
      }
      const host = new Host(queries, deprecated)
      host.room = room
      let i = 0
      host.feed(Buffer.concat(all), () => sizes[i++ % sizes.length])
      assert.equal(host.error, undefined)
      assert.deepEqual(Buffer.concat(host.found), Buffer.concat(rows))
      assert.deepEqual(Buffer.concat(host.passed), Buffer.concat(rest))
      assert.equal(host.completed, rows.length)
      assert.deepEqual(host.log, log)
      assert.equal(host.disorder, 0)
      assert.equal(host.splitter.unfinished, undefined)
    }),
    { numRuns: 500 },
  )
})

test('what nobody waits for goes to the driver as it came', () => {
  const stream = Buffer.concat([packets(answer(columns, [['1', null]])), packets([ok()]), packets([err(1064, '42000', 'no')])])
  for (const size of [1, 3, 7, 1000]) {
    const host = new Host([])
    host.splitter.watching = false
    host.feed(stream, () => size)
    assert.deepEqual(Buffer.concat(host.passed), stream)
    // In the middle of a packet, nothing is lost either.
    host.splitter.push(stream.subarray(0, 3))
    host.splitter.watching = true
    host.splitter.push(stream.subarray(3))
    assert.deepEqual(Buffer.concat(host.passed), Buffer.concat([stream, stream]))
  }
})

test('rows of 16 MiB and more are parts that go on in the next packet, whatever they begin with', () => {
  const most = 0xffffff
  // A part may begin with what would be an EOF, and the last may be empty.
  const long = Buffer.alloc(2 * most, 0xfe)
  const row = Buffer.concat([packet(5, long.subarray(0, most)), packet(6, long.subarray(most)), packet(7)])
  const other = packet(8, textRow(['1', '2']))
  const head = packets([Buffer.of(2), ...columns.map(definition), eof()])
  const tail = packet(9, eof())
  const stream = Buffer.concat([head, row, other, tail])
  for (const size of [most + 4, most + 3, 65_536, 1_000_003, 2 * most + 8, 2 * most + 11, 2 * most + 12, stream.length]) {
    const host = new Host().feed(stream, () => size)
    assert.equal(host.error, undefined)
    assert.equal(Buffer.compare(Buffer.concat(host.found), Buffer.concat([row, other])), 0)
    assert.deepEqual(Buffer.concat(host.passed), Buffer.concat([head, tail]))
    assert.deepEqual([host.completed, host.sequences], [2, [9]])
  }
})

test('the driver is told the sequence id that comes after rows', () => {
  const rows = Array.from({ length: 300 }, (_, i) => [String(i), null])
  for (const size of [1, 64, 100_000]) {
    const host = new Host().feed(packets(answer(columns, rows)), () => size)
    assert.deepEqual(host.sequences, [(1 + 2 + 1 + 300 + 1) & 255])
    assert.equal(host.completed, 300)
  }
})

test('equal descriptions are one object, whatever their sequence ids', () => {
  const seen: Uint8Array[] = []
  const host = new Host(['ours', 'ours', 'ours'])
  host.columns = (description) => seen.push(description)
  const set = (sequence: number, status: number, names: { name: string }[]): Buffer => packets(answer(names, [], status), sequence)
  host.feed(Buffer.concat([set(1, 10, columns), set(6, 2, columns), set(1, 2, columns), set(1, 2, [{ name: 'x' }])]), () => 1000)
  assert.equal(seen.length, 4)
  assert.equal(seen[0], seen[1])
  assert.equal(seen[0], seen[2])
  assert.notEqual(seen[0], seen[3])
  assert.deepEqual(mysqlProtocol.names(seen[3]), ['x'])
})

test('definitions that MariaDB leaves out', () => {
  const kept = packets(columns.map(definition), 0)
  for (const size of [1, 1000]) {
    const host = new Host(['ours'], true)
    host.kept = () => kept
    host.feed(packets([Buffer.of(2, 0), textRow(['1', '2']), okEOF()]), () => size)
    assert.deepEqual(host.log, ['columns id,näme', 'complete '])
    assert.equal(host.completed, 1)
    const told = new Host(['ours'], true)
    told.kept = () => assert.fail()
    told.feed(packets([Buffer.of(2, 1), ...columns.map(definition), textRow(['1', '2']), okEOF()]), () => size)
    assert.deepEqual(told.log, ['columns id,näme', 'complete '])
  }
})

test('a file that the server asks for', () => {
  for (const size of [1, 1000]) {
    const stream = Buffer.concat([packet(1, 0xfb, 'file.csv'), packet(4, ok(7))])
    const host = new Host().feed(stream, () => size)
    assert.deepEqual(Buffer.concat(host.passed), stream)
    assert.deepEqual(host.log, ['complete OK 7'])
  }
})

test('the end of an answer can be held back, with all that follows', () => {
  const payloads = answer(columns, [['1', '2'], ['3', null]])
  const head = packets(payloads.slice(0, 4))
  const rows = packets(payloads.slice(4, 6), 5)
  for (const end of [eof(), err(1317, '70100', 'Query execution was interrupted')]) {
    const rest = Buffer.concat([packet(7, end), packet(1, ok())])
    for (const size of [1, 9, 1000]) {
      const host = new Host(['ours', 'theirs'])
      host.feed(head, () => size)
      host.splitter.hold()
      host.feed(Buffer.concat([rows, rest]), () => size)
      assert.deepEqual(Buffer.concat(host.passed), head)
      assert.deepEqual(Buffer.concat(host.found), rows)
      host.splitter.release()
      assert.deepEqual(Buffer.concat(host.passed), Buffer.concat([head, rest]))
      assert.deepEqual(host.log, ['columns id,näme', end[0] === 0xff ? 'failed' : 'complete '])
    }
  }
})

test('what no server sends is an error with its place, and nothing after it is passed on', () => {
  const payloads = answer(columns, [['1', '2']])
  const at = (count: number): number => packets(payloads.slice(0, count)).length
  const bad: [number, Buffer, string][] = [
    [0, packet(1), 'packet at byte 0 of the answer is no answer to a query'],
    [0, packet(1, 0xfe), 'packet at byte 0 of the answer is no answer to a query'],
    [0, packet(1, 2, 1, 1), 'packet at byte 0 of the answer is no answer to a query'],
    [0, packet(1, 0xfd, 1, 0, 1), 'packet at byte 0 of the answer is no answer to a query'],
    [0, packet(1, 0, 0xfc), 'packet at byte 0 of the answer ends too early'],
    [0, packet(1, 0xff, 1), 'packet at byte 0 of the answer ends too early'],
    [1, packet(2), `column definition at byte ${at(1)} of the answer does not have the form of its type`],
    [1, packet(2, eof()), `column definition at byte ${at(1)} of the answer does not have the form of its type`],
    [1, packet(2, definition(columns[0]).subarray(0, -4)), `column definition at byte ${at(1)} of the answer does not have the form of its type`],
    [1, packet(3, definition(columns[0])), `column definition at byte ${at(1)} of the answer has the sequence id 3, not 2`],
    [3, packet(4, textRow(['1', '2'])), `EOF at byte ${at(3)} of the answer is not the EOF that is expected`],
    [4, packet(6, textRow(['1', '2'])), `row at byte ${at(4)} of the answer has the sequence id 6, not 5`],
    [4, Buffer.concat([packet(5), packet(6)]), `row at byte ${at(4)} of the answer has the length 0`],
    [5, packet(5, textRow(['1', '2'])), `row at byte ${at(5)} of the answer has the sequence id 5, not 6`],
    [5, packet(6, 0xfe, 0, 0, 0), `row at byte ${at(5)} of the answer does not have the form of its type`],
    [5, packet(6, 0xfe, 0, 0, 2, 0, 0, 0), `row at byte ${at(5)} of the answer does not have the form of its type`],
    [5, packet(7, eof()), `row at byte ${at(5)} of the answer has the sequence id 7, not 6`],
  ]
  for (const [count, bytes, what] of bad) {
    for (const size of [1, 4, 1000]) {
      // The second answer: places are counted from its start.
      const host = new Host(['ours', 'ours'])
      host.feed(Buffer.concat([packets([ok()]), packets(payloads.slice(0, count)), bytes, packets([ok()])]), () => size)
      assert.equal(host.error?.code, 'WIRE_INVALID', what)
      assert.equal(host.error?.found, what)
      assert.equal(host.log.filter((line) => line.startsWith('complete')).length, 1)
    }
  }
})

test('random bytes never do worse than that', () => {
  const head = packets(answer(columns, []).slice(0, 4))
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 50 }), fc.boolean(), (bytes, size, rows) => {
      const host = new Host(['ours', 'theirs', 'ours'])
      const whole = rows ? Buffer.concat([head, bytes]) : Buffer.from(bytes)
      host.feed(whole, () => size)
      const seen = host.passed.reduce((sum, part) => sum + part.length, 0) + host.found.reduce((sum, part) => sum + part.length, 0)
      assert.ok(seen <= whole.length)
      if (host.error !== undefined) assert.match(host.error.found!, / at byte [0-9]+ of the answer /)
    }),
    { numRuns: 2000 },
  )
})

test('whether rows are what their description promises', () => {
  const description = (binary: boolean, ...types: number[]): Uint8Array => {
    const seen: Uint8Array[] = []
    const sink = { room: 0, rows() {}, complete() {}, failed() {}, columns: (found: Uint8Array) => void seen.push(found) }
    const reader = new Answer(sink, { extended: false, eofDeprecated: false }, new Descriptions(), binary)
    for (const payload of [Buffer.of(types.length), ...types.map((type) => definition({ name: 'x', type }))]) assert.equal(reader.take(payload, 0, payload.length), undefined)
    return seen[0]
  }
  const text = description(false, 253, 253)
  const areRows = (payload: Buffer, of: Uint8Array, columnCount: number): boolean => mysqlProtocol.areRows(packet(5, payload), of, columnCount)
  assert.ok(areRows(textRow(['1', null]), text, 2))
  assert.ok(areRows(textRow(['x'.repeat(300), '']), text, 2))
  for (const payload of [textRow(['1']), textRow(['1', '2', '3']), Buffer.of(1, 0x31, 5, 0x31), Buffer.of(1, 0x31, 0xff), Buffer.of(1, 0x31, 0xfc, 1)]) assert.ok(!areRows(payload, text, 2), payload.toString('hex'))

  const binary = description(true, 3, 253, 12, 11, 1, 8)
  const bytes = Buffer.concat([Buffer.of(1, 0, 0, 0), Buffer.of(1, 0x78), Buffer.of(4, 0xe8, 7, 1, 1), Buffer.of(0), Buffer.of(5), Buffer.alloc(8)])
  assert.ok(areRows(Buffer.concat([Buffer.of(0, 0), bytes]), binary, 6))
  // All of them NULL: bits 2 to 7.
  assert.ok(areRows(Buffer.of(0, 0xfc), binary, 6))
  for (const payload of [Buffer.concat([Buffer.of(1, 0), bytes]), Buffer.concat([Buffer.of(0, 4), bytes]), Buffer.concat([Buffer.of(0, 0), bytes.subarray(0, -1)]), Buffer.of(0, 0xfc, 0), Buffer.of(0)]) {
    assert.ok(!areRows(payload, binary, 6), payload.toString('hex'))
  }
})
