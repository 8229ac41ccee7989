// Types one by one: result sets of PostgreSQL of four columns of one type, as driver adapters give their values.
import { readFileSync } from 'node:fs'
import { createEngineSync } from '../../js/dist/slim.js'
import { answered, clientRows, replay, runtime, rustEngine } from '../prisma.mjs'
import { finish, group, once } from '../race.mjs'

const engine = createEngineSync(new WebAssembly.Module(readFileSync(new URL('../../wasm/dist/postgres.wasm', import.meta.url))))
const encoder = new TextEncoder()
const text = (bytes) => sameForm(new TextDecoder().decode(bytes))
const count = once ? 500 : 10_000

/** What may differ without meaning anything: zeros at the end of fractions, and bytes that are left in Node's JSON form. */
const sameForm = (json) =>
  json
    .replace(/"\d+\.\d+"/g, (decimal) => decimal.replace(/\.?0+"$/, '"'))
    .replace(/(?<=:\d\d)\.000(?=["+])/g, '')
    .replace(/\{"type":"Buffer","data":\[([\d,]*)\]\}/g, (_, list) => JSON.stringify(Buffer.from(list.split(',')).toString('base64')))

const instant = (i) => new Date(1.6e12 + i * 7_654_321)
const bytesOf = (i) => Buffer.from(`${'some bytes '.repeat(1 + (i % 4))}${i}`)

/** For each type: its code, its name in the document, and its i-th value as an adapter gives it. */
const types = {
  int: [0, 'int', (i) => (i * 7919) % 2147483647],
  bigint: [1, 'bigint', (i) => String(9007199254740993n + BigInt(i) * 104729n)],
  double: [3, 'double', (i) => i / 7],
  decimal: [4, 'decimal', (i) => `${i * 31}.${String(100000 + (i % 99991))}`],
  bool: [5, 'bool', (i) => i % 3 === 0],
  'string, ASCII': [7, 'string', (i) => `The quick brown fox ${i} jumps over the lazy dog`],
  'string, Latin': [7, 'string', (i) => `Où est passé le café n° ${i}, près de l'église ?`],
  'string, any script': [7, 'string', (i) => `第${i}話 思い出の映画 🎬 Ελλάδα`],
  datetime: [10, 'datetime', (i) => instant(i).toISOString().replace('Z', '+00:00')],
  date: [8, 'date', (i) => instant(i * 11).toISOString().slice(0, 10)],
  time: [9, 'time', (i) => instant(i).toISOString().slice(11, 23)],
  uuid: [15, 'uuid', (i) => `0b6f7a10-1c3d-4e5f-8a9b-${i.toString(16).padStart(12, '0')}`],
  json: [11, 'json', (i) => `{"id":${i},"tags":["x","y${i % 10}"],"note":null,"nested":{"deep":true}}`],
  bytes: [13, 'bytes', bytesOf],
  'int array': [64, 'int-array', (i) => [i, i + 1, i + 2, i * 3]],
  'string array': [71, 'string-array', (i) => ['red', `blue ${i}`, 'green "quoted"']],
}

for (const [name, [code, label, value]] of Object.entries(types)) {
  const columnNames = ['a', 'b', 'c', 'd']
  const columnTypes = Array(4).fill(code)
  const rows = Array.from({ length: count }, (_, r) => Array.from({ length: 4 }, (_, c) => value(r * 4 + c)))
  const resultSet = { columnNames, columnTypes, rows }
  const seven = runtime('postgres', replay('postgres', resultSet))
  // Version 6 takes bytes as lists of numbers.
  const rust = await rustEngine('postgres', replay('postgres', code === 13 ? { ...resultSet, rows: rows.map((row) => row.map((cell) => [...cell])) } : resultSet))
  const plain = code === 13 ? (rows) => rows.map((row) => row.map((cell) => cell.toString('base64'))) : code === 11 ? (rows) => rows.map((row) => row.map((cell) => JSON.parse(cell))) : (rows) => rows
  await group(
    `type, ${name}, ${(4 * count).toLocaleString('en')} values`,
    {
      bytes: {
        rowjet: { run: () => engine.serialize(resultSet).bytes(), check: text },
        'JSON.stringify, encode': { run: () => encoder.encode(JSON.stringify({ columns: columnNames, types: Array(4).fill(label), rows: plain(rows) })), check: text },
        'Prisma 6 engine (Rust)': { run: () => rust('SELECT 1'), check: (answer) => sameForm(JSON.stringify(answered(answer))) },
        'Prisma 7 runtime': { run: async () => encoder.encode(JSON.stringify(await seven('SELECT 1'))), check: text },
      },
      rows: {
        rowjet: () => engine.serialize(resultSet).rows(),
        'Prisma 7 runtime, client': async () => clientRows(await seven('SELECT 1')),
      },
    },
    { seconds: 2 },
  )
}

await finish()
