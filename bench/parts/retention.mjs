// What memory a program holds on to if it keeps one row of a result, or one of every thousand: strings are slices of the
// text of their batch, so the size of batches decides. Also how long making the rows takes, in CPU time, the least of some runs.
// Not among the parts that run unnamed.
import { readFileSync } from 'node:fs'
import { movies } from '../../js/dist/cli/movies.js'
import { Engine, Result } from '../../js/dist/slim.js'
import { figures, finish, once } from '../race.mjs'

const count = 50_000
const module = new WebAssembly.Module(readFileSync(new URL('../../wasm/dist/postgres.wasm', import.meta.url)))

function engineOf(batch) {
  return new Engine(() => {
    const { exports } = new WebAssembly.Instance(module)
    return { ...exports, rowjet_batch: (bytes) => exports.rowjet_batch(batch ?? bytes) }
  }, 'postgres')
}

/** RowDescription, DataRows, CommandComplete (PostgreSQL manual, "Message Formats"). */
function messages(columns, rows) {
  const u16 = (n) => Buffer.of(n >> 8, n & 255)
  const u32 = (n) => Buffer.of(n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255)
  const message = (type, body) => Buffer.concat([Buffer.from(type), u32(body.length + 4), body])
  const cell = (text) => Buffer.concat([u32(Buffer.byteLength(text)), Buffer.from(text)])
  return Buffer.concat([
    message('T', Buffer.concat([u16(columns.length), ...columns.map(([name, oid]) => Buffer.concat([Buffer.from(`${name}\0`), u32(0), u16(0), u32(oid), u16(0xffff), u32(0xffffffff), u16(0)]))])),
    ...rows.map((row) => message('D', Buffer.concat([u16(row.length), ...row.map(cell)]))),
    message('C', Buffer.from('SELECT\0')),
  ])
}

function resultOf(engine, columns, stream) {
  const names = columns.map(([name]) => name)
  const push = (instance, shape, flags) => {
    instance.beginMessages(shape, flags, names)
    for (let at = 0; at < stream.length; at += 65536) instance.messages(stream, at, Math.min(at + 65536, stream.length))
  }
  const source = { names, types: [], rows: [], messages: { push, takeRows() {} } }
  const { labels } = engine.again(source, undefined, 'array', false)
  return new Result(engine, source, undefined, { bytes: null, ascii: false, labels, rowCount: count })
}

/** In kB, once all that nobody holds is gone. */
function held() {
  gc()
  gc()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1000
}

const shown = movies(count).map((row) => row.map(String))
const tables = {
  'Movie (some letters not ASCII)': [[['id', 23], ['title', 25], ['year', 23], ['description', 25]], shown],
  'Movie (ASCII)': [[['id', 23], ['title', 25], ['year', 23], ['description', 25]], shown.map((row) => row.map((cell) => cell.replace(/[^\0-\x7f]/g, 'e')))],
  'short texts, bytes, JSON': [
    [['id', 20], ['uuid', 2950], ['name', 25], ['day', 1082], ['raw', 17], ['tags', 1009]],
    shown.map(([id, title]) => [id, `00000000-0000-0000-0000-${id.padStart(12, '0')}`, title, '2024-02-29', `\\x${id.padStart(8, '0')}`, `{"${title}",b}`]),
  ],
}

for (const [name, [columns, rows]] of Object.entries(tables)) {
  const stream = messages(columns, rows)
  const kept = figures(`memory kept: ${name}, ${(stream.length / 1e6).toFixed(1)} MB of messages, ${count.toLocaleString('en')} rows`)
  for (const batch of once ? [undefined] : [undefined, 4096, 16_384, 131_072, 1_048_576, 1e9]) {
    const result = resultOf(engineOf(batch), columns, stream)
    let best = Infinity
    for (let i = 0; i < (once ? 2 : 8); i++) {
      gc()
      const start = process.cpuUsage()
      result.rows()
      const { user, system } = process.cpuUsage(start)
      if (i > 2 || once) best = Math.min(best, (user + system) / 1000)
    }
    const base = held()
    let all = result.rows()
    const whole = (held() - base) / 1000
    let some = all.filter((_, i) => i % 1000 === 500)
    let one = [all[31_234]]
    all = undefined
    const sparse = held() - base
    some = some.length
    const single = held() - base
    if (one[0].id === undefined || some !== 50) throw new Error('wrong rows')
    one = undefined
    const which = batch === undefined ? 'batches as they are' : `batches of ${batch.toLocaleString('en')} bytes`
    if (batch === undefined) kept.goal(`${which}: by one row`, Math.max(single, 0), { most: 256, unit: ' kB' })
    else kept.note(`${which}: by one row`, Math.max(single, 0), ' kB')
    kept.note(`${which}: by one of 1,000`, Math.max(sparse, 0), ' kB')
    kept.note(`${which}: by all`, whole, ' MB')
    kept.note(`${which}: rows()`, best, ' ms of CPU')
  }
}

await finish()
