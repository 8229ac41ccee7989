// The recorded wire streams (wire/README.md) through the shipped modules in Node: as they are, cut off at every byte, and
// broken. How a stream is cut into pieces must not matter, and a module works on after any of them.
//
// ROWJET_MUTATIONS sets the number of broken streams, ROWJET_SEED gives others.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { moduleError } from '../js/dist/errors.js'

const mutations = Number(process.env.ROWJET_MUTATIONS ?? 100_000)
const seed = Number(process.env.ROWJET_SEED ?? 20261130)
console.log(`wire streams: seed ${seed}`)

const shapes = { array: 0, objects: 1, ndjson: 2 }
const sourceMessages = 1
const flagNext = 32
const statusFull = 1
const statusNext = 3
const none = 0xffffffff
const decoder = new TextDecoder()

const read = (file) => readFileSync(new URL(file, import.meta.url))
const cases = (...files) => files.flatMap((file) => read(file).toString().trim().split('\n').map((line) => {
  const { stream, ...rest } = JSON.parse(line)
  return { shape: 'array', ...rest, stream: Buffer.from(stream, 'base64') }
}))
const protocols = {
  postgres: cases('wire/cases.jsonl'),
  mysql: cases('wire/mysql.jsonl', 'wire/go-mysql-server.jsonl'),
}

const load = (name) => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(read(`../wasm/dist/${name}.wasm`)))
  exports._initialize()
  return exports
}

/** What a module makes of a stream that comes in pieces of so many bytes: its documents, and its error. */
function run(module, stream, shape, piece) {
  const state = () => new DataView(module.memory.buffer, module.rowjet_state() >>> 0, 48)
  const bytes = (at, length) => Buffer.from(module.memory.buffer, at, length).toString()
  const output = () => bytes(state().getUint32(0, true), state().getUint32(4, true))
  const documents = []
  let text = ''
  let status = module.rowjet_begin(sourceMessages, shape, 0)
  const push = (input) => {
    const at = module.rowjet_input(input.length) >>> 0
    if (at === 0) {
      status = -1
      return
    }
    new Uint8Array(module.memory.buffer, at, input.length).set(input)
    status = module.rowjet_push(input.length)
    while (status === statusFull) {
      text += output()
      status = module.rowjet_resume()
    }
    if (status >= 0) text += output()
  }
  const end = () => {
    status = module.rowjet_end()
    if (status !== 0) return
    text += output()
    module.rowjet_head()
    documents.push(output() + text)
    text = ''
  }
  for (let at = 0; at < stream.length && status === 0; at += piece) {
    push(stream.subarray(at, at + piece))
    while (status === statusNext) {
      end()
      if (status === 0) status = module.rowjet_begin(sourceMessages, shape, flagNext)
      if (status === 0) push(Buffer.alloc(0))
    }
  }
  if (status === 0) end()
  if (status === 0) return { want: documents }
  const view = state()
  const column = view.getUint32(24, true)
  const name = moduleError(view.getUint32(12, true))?.name
  assert.ok(name !== undefined, 'an error without a code')
  return { want: documents, error: { code: name, row: Number(view.getBigUint64(16, true)), ...(column !== none && { column }), found: bytes(view.getUint32(32, true), view.getUint32(36, true)) } }
}

/** mulberry32 */
function random(from) {
  let state = from
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

function broken(stream, next) {
  const bytes = Buffer.from(stream)
  for (let count = 1 + next(4); count > 0; count--) {
    const at = next(bytes.length)
    switch (next(4)) {
      case 0: bytes[at] = next(256); break
      case 1: bytes[at] ^= 1 << next(8); break
      case 2: bytes[at] = [0, 1, 0x7f, 0x80, 0xfb, 0xfe, 0xff][next(7)]; break
      default: bytes.copy(bytes, at, next(bytes.length))
    }
  }
  return next(5) === 0 ? bytes.subarray(0, next(bytes.length + 1)) : bytes
}

for (const [name, streams] of Object.entries(protocols)) {
  const module = load(name)

  test(`${name}: the recordings`, () => {
    for (const { name: what, stream, shape, want, error } of streams) {
      for (const piece of [stream.length || 1, 7]) assert.deepEqual(run(module, stream, shapes[shape], piece), { want, ...(error && { error }) }, what)
    }
  })

  // The module's memory is never freed, so one that has seen it all has to do with what it has, however often.
  test(`${name}: memory stays as it is`, () => {
    const small = streams.filter(({ stream }) => stream.length <= 2000)
    const some = (count) => {
      for (let i = 0; i < count; i++) {
        for (const { stream, shape } of small) run(module, stream, shapes[shape], stream.length || 1)
      }
    }
    some(3)
    const before = module.memory.buffer.byteLength
    some(100)
    assert.equal(module.memory.buffer.byteLength, before)
  })

  test(`${name}: cut off at every byte`, () => {
    for (const { stream, name: what } of streams.filter(({ stream }) => stream.length <= 600)) {
      for (let size = 0; size < stream.length; size++) {
        const cut = stream.subarray(0, size)
        assert.deepEqual(run(module, cut, 0, size || 1), run(module, cut, 0, 13), `${what}, ${size} bytes`)
      }
    }
  })

  test(`${name}: broken`, () => {
    const next = random(seed)
    const good = streams.find(({ error, shape }) => error === undefined && shape === 'array')
    let errors = 0
    for (let i = 0; i < mutations / 2; i++) {
      const { stream, name: what } = streams[next(streams.length)]
      if (stream.length === 0) continue
      const input = broken(stream, next)
      const result = run(module, input, 0, input.length || 1)
      if (result.error !== undefined) errors++
      if (i % 10 === 0) {
        assert.deepEqual(run(module, input, 0, 1 + next(40)), result, `${what}, ${i}`)
        assert.deepEqual(run(module, good.stream, 0, good.stream.length).want, good.want, `after ${what}, ${i}`)
      }
    }
    assert.ok(errors > mutations / 20, String(errors))
    assert.ok(module.memory.buffer.byteLength < 64 * 2 ** 20, 'memory grew')
  })
}
