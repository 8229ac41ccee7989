// Prisma's Rust engine as WebAssembly, fed by an adapter that replays one result set.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { bindAdapter } from '@prisma/driver-adapter-utils'

const folder = path.join(path.dirname(createRequire(import.meta.url).resolve('@prisma/query-engine-wasm/package.json')), 'postgresql')

export const wasm = readFileSync(path.join(folder, 'query_engine_bg.wasm'))
const glue = await import(pathToFileURL(path.join(folder, 'query_engine_bg.js')).href)

/** Compiles and instantiates the module; the last instance is the one in use. */
export function load() {
  const instance = new WebAssembly.Instance(new WebAssembly.Module(wasm), { './query_engine_bg.js': glue })
  glue.__wbg_set_wasm(instance.exports)
  instance.exports.__wbindgen_start()
}

const datamodel = `datasource db {
  provider = "postgresql"
  url = "postgresql://replay"
}

model Movie {
  id Int @id
}
`

/** Returns a function that has the engine answer a raw query with the result set, as a string. */
export async function replay(resultSet) {
  const adapter = bindAdapter({
    provider: 'postgres',
    adapterName: 'replay',
    queryRaw: async () => resultSet,
    executeRaw: async () => 0,
    executeScript: async () => {},
    startTransaction: async () => {
      throw new Error('no transactions here')
    },
    getConnectionInfo: () => ({ schemaName: 'public', maxBindValues: 32766, supportsRelationJoins: true }),
    dispose: async () => {},
  })
  const engine = new glue.QueryEngine({ datamodel, logLevel: 'error', logQueries: false, enableTracing: false }, () => {}, adapter)
  await engine.connect('{}', '1')
  const query = JSON.stringify({ action: 'queryRaw', query: { arguments: { query: 'SELECT 1', parameters: '[]' }, selection: {} } })
  return () => engine.query(query, '{}', undefined, '2')
}
