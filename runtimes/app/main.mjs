// For runtimes that have node:fs.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { all } from './all.mjs'

const bytes = await readFile(process.env.ROWJET_WASM ?? fileURLToPath(import.meta.resolve('rowjet/postgres.wasm')))
console.log(JSON.stringify(await all({ bytes })))
