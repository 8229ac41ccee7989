// Prisma, as its clients run raw queries: version 6 by a Rust engine that is compiled to WebAssembly, version 7 by a
// runtime in JavaScript. Both take a driver adapter, or one that replays a result set.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { noopTracingHelper, QueryInterpreter } from '@prisma/client-engine-runtime'
import { deserializeRawResult } from '@prisma/client/runtime/client'
import { bindAdapter } from '@prisma/driver-adapter-utils'
import { engine, imports, use } from './prisma-engine.mjs'

export { answered, replay } from './prisma-engine.mjs'

const require = createRequire(import.meta.url)
const providers = { postgres: 'postgresql', mysql: 'mysql', sqlite: 'sqlite' }

/** What is loaded for a dialect: `wasm`, its bytes, and `load`, which compiles and instantiates it; the last instance is in use. */
export async function rustModule(dialect) {
  const folder = path.join(path.dirname(require.resolve('@prisma/query-engine-wasm/package.json')), providers[dialect])
  const wasm = readFileSync(path.join(folder, 'query_engine_bg.wasm'))
  const glue = await import(pathToFileURL(path.join(folder, 'query_engine_bg.js')).href)
  const load = () => {
    use(glue, new WebAssembly.Instance(new WebAssembly.Module(wasm), imports(glue)))
  }
  return { wasm, load, glue }
}

// One instance for each dialect: engines that were made in another one break when that is no longer in use.
const loaded = new Map()

/** Returns a function that has the Rust engine run a query, and gives its answer: a string of JSON. */
export async function rustEngine(dialect, adapter) {
  if (!loaded.has(dialect)) {
    const { glue, load } = await rustModule(dialect)
    load()
    loaded.set(dialect, glue)
  }
  return engine(loaded.get(dialect), bindAdapter, providers[dialect], adapter)
}

/** Returns a function that has version 7's runtime run a query, and gives columns, types and rows. */
export function runtime(dialect, adapter) {
  const interpreter = QueryInterpreter.forSql({ tracingHelper: noopTracingHelper, provider: providers[dialect], connectionInfo: adapter.getConnectionInfo?.() })
  const options = { queryable: adapter, transactionManager: { enabled: false }, scope: {} }
  return (sql, args = []) => interpreter.run({ type: 'query', args: { type: 'rawSql', sql, args, argTypes: args.map(() => ({ scalarType: 'int', arity: 'scalar' })) } }, options)
}

/** What Prisma Client makes of columns, types and rows: an object for each row. */
export const clientRows = deserializeRawResult
