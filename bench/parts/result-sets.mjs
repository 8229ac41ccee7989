// Result sets of JavaScript values, as driver adapters give them, without a database: 1 to 50,000 rows of four columns,
// in each dialect.
import { readFileSync } from 'node:fs'
import { columnNames, columnTypes, movies } from '../../js/dist/cli/movies.js'
import { rowDecoder } from '../../js/dist/rows.js'
import { createEngineSync } from '../../js/dist/slim.js'
import { answered, clientRows, replay, runtime, rustEngine } from '../prisma.mjs'
import { finish, group, many } from '../race.mjs'

const encoder = new TextEncoder()
const text = (bytes) => new TextDecoder().decode(bytes)
const types = ['int', 'string', 'int', 'string']

for (const dialect of ['postgres', 'mysql', 'sqlite']) {
  // An engine learns what results are asked for: there is one for each form, as a program that reads a query in one way has.
  const module = new WebAssembly.Module(readFileSync(new URL(`../../wasm/dist/${dialect}.wasm`, import.meta.url)))
  const engines = Object.fromEntries(['bytes', 'rows', 'text', 'arrays'].map((form) => [form, createEngineSync(module)]))
  for (const count of [1, 10, 1_000, many]) {
    const resultSet = { columnNames, columnTypes, rows: movies(count) }
    const adapter = replay(dialect, resultSet)
    const rust = await rustEngine(dialect, adapter)
    const seven = runtime(dialect, adapter)
    const big = count === many
    const { ratio, goal, time } = await group(
      `result set, ${dialect}, ${count.toLocaleString('en')} row${count === 1 ? '' : 's'}`,
      {
        bytes: {
          rowjet: { run: () => engines.bytes.serialize(resultSet).bytes(), check: text },
          'JSON.stringify, encode': { run: () => encoder.encode(JSON.stringify({ columns: columnNames, types, rows: resultSet.rows })), check: text },
          'Prisma 6 engine (Rust)': { run: () => rust('SELECT 1'), check: (answer) => JSON.stringify(answered(answer)), every: big ? 2 : 1 },
          'Prisma 7 runtime': { run: async () => encoder.encode(JSON.stringify(await seven('SELECT 1'))), check: text },
        },
        rows: {
          rowjet: { run: () => engines.rows.serialize(resultSet).rows(), check: JSON.stringify },
          'rowjet, through JSON': { run: () => plain(engines.text.serialize(resultSet).text()), check: JSON.stringify },
          'Prisma 7 runtime': { run: async () => clientRows(await seven('SELECT 1')), check: JSON.stringify },
        },
        arrays: { rowjet: () => engines.arrays.serialize(resultSet).arrays() },
      },
      { seconds: big ? 6 : 1.5, calls: big ? 1 : 'auto' },
    )
    if (big) {
      ratio('bytes: rowjet', 'bytes: JSON.stringify, encode', 0.7)
      ratio('bytes: rowjet', 'bytes: Prisma 6 engine (Rust)', 0.12)
      ratio('rows: rowjet', 'rows: rowjet, through JSON', 0.5)
    }
    if (count === 1) goal('bytes: rowjet', time('bytes: rowjet') * 1000, { most: 15, unit: ' µs' })
  }
}

/** What rows() would be without columns: JSON.parse, and plain decoding. */
function plain(json) {
  const { columns, types, rows } = JSON.parse(json)
  rowDecoder(columns, types).decode(rows)
  return rows.map((row) => {
    const object = {}
    for (let c = 0; c < columns.length; c++) object[columns[c]] = row[c]
    return object
  })
}

await finish()
