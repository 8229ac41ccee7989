import { readFile } from 'node:fs/promises'
import { first } from './prisma.mjs'
const file = new URL('../../node_modules/@prisma/query-engine-wasm/postgresql/query_engine_bg.wasm', import.meta.url)
console.log(JSON.stringify(await first(async () => WebAssembly.compile(await readFile(file)))))
