import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngine, Result } from 'rowjet/postgres'
import { Collector, headRoom } from '../dist/output.js'

const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i & 127)

/** A document of a head of 10 bytes and so many pieces of 1000. */
function collect(collector: Collector, pieces: number, rows: number, limit: number, strict: boolean): Uint8Array | undefined {
  collector.reset(50, rows, limit, strict)
  for (let i = 0; i < pieces; i++) collector.take(bytes, 0, 1000, Math.floor(((i + 1) * rows) / pieces))
  collector.headNext()
  collector.take(bytes, 500, 510, rows)
  return collector.finish()
}

function right(document: Uint8Array | undefined, pieces: number): void {
  assert.ok(document !== undefined)
  assert.equal(document.length, 10 + 1000 * pieces)
  assert.deepEqual(document.subarray(0, 10), bytes.subarray(500, 510))
  for (let i = 0; i < pieces; i++) assert.deepEqual(document.subarray(10 + 1000 * i, 1010 + 1000 * i), bytes)
}

test('a collector, from tiny to large, again and again', () => {
  const collector = new Collector()
  const documents: [Uint8Array | undefined, number][] = []
  for (const pieces of [0, 1, 15, 16, 17, 100, 3, 1000, 0]) documents.push([collect(collector, pieces, 10 * pieces, 2 ** 31 - 1, false), pieces])
  // All of them, still: no document shares memory with a later one.
  for (const [document, pieces] of documents) right(document, pieces)
  right(collect(collector, 50, 0, 2 ** 31 - 1, false), 50) // no row is complete: nothing to estimate from
})

test('a document larger than the limit', () => {
  const collector = new Collector()
  right(collect(collector, 20, 20, 20_010, false), 20)
  assert.equal(collect(collector, 20, 20, 20_009, false), undefined)
  assert.ok(collector.overflow)
  assert.equal(collect(collector, 300, 20, 20_009, false), undefined)
  assert.throws(() => collect(collector, 20, 20, 20_009, true), { code: 'RESULT_TOO_LARGE' })
  assert.throws(() => collect(collector, 300, 20, 20_009, true), { code: 'RESULT_TOO_LARGE' })
  right(collect(collector, 20, 20, 20_010, true), 20)
})

test('the room for a head is enough for any', async () => {
  const engine = await createEngine()
  const names = ['\0\u0001"\\', '\ud800\udfff\udfff', '漢字', '', 'x'.repeat(100)]
  for (const type of [74, 68, 128]) {
    const head = engine.serialize({ columnNames: names, columnTypes: names.map(() => type), rows: [] }).bytes().length - 2
    assert.ok(head <= headRoom(names), `${head} of ${headRoom(names)}`)
  }
})

test('a result too large for bytes() still streams', async () => {
  const engine = await createEngine()
  const source = { names: ['a'], types: [0], rows: [[1], [2]] }
  // As serialize makes it of a document beyond 2 GB.
  const Large = Result as unknown as new (...parts: unknown[]) => Result
  const result = new Large(engine, source, undefined, { bytes: undefined, ascii: true, labels: [0], rowCount: 2 })
  for (const call of [() => result.bytes(), () => result.text(), () => result.json()]) {
    assert.throws(call, { code: 'RESULT_TOO_LARGE', message: 'bytes() gives at most 2,147,483,647 bytes, and this result is larger: use stream(), or fetch fewer rows [RESULT_TOO_LARGE]' })
  }
  assert.deepEqual(result.rows(), [{ a: 1 }, { a: 2 }])
  assert.equal(await new Response(result.stream()).text(), '{"columns":["a"],"types":["int"],"rows":[[1],[2]]}')
})
