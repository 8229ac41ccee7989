// Bun's own SQL client, in a process of its own: for each line on its input, the number of a query and what to make of
// its result, it answers with the time that took in milliseconds; for 'check …' with the values, to be compared.
import { createInterface } from 'node:readline'
import { SQL } from 'bun'
import { comparable } from './values.mjs'

const sql = new SQL(process.env.ROWJET_POSTGRES_URL, { max: 1 })
const encoder = new TextEncoder()
const make = {
  rows: (text) => sql.unsafe(text),
  arrays: (text) => sql.unsafe(text).values(),
  bytes: async (text) => encoder.encode(JSON.stringify(await sql.unsafe(text))),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { schema, table, kind, check } = JSON.parse(line)
  const text = `SELECT * FROM ${schema}."${table}"`
  Bun.gc(true)
  const start = performance.now()
  const result = await make[kind](text)
  const time = performance.now() - start
  const values = check ? comparable(table)[kind === 'arrays' ? 'arrays' : 'objects'](kind === 'bytes' ? JSON.parse(new TextDecoder().decode(result)) : [...result]) : undefined
  console.log(JSON.stringify({ time, values }))
}
await sql.end()
