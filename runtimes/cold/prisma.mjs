// The same by Prisma's engine: it answers a raw query, for which an adapter has the rows. `load` gives its module.
import { answered, engine, imports, replay, use } from './prisma-engine.mjs'

export async function first(load) {
  const start = performance.now()
  const [{ bindAdapter }, glue, module] = await Promise.all([import('@prisma/driver-adapter-utils'), import('@prisma/query-engine-wasm/postgresql/query_engine_bg.js'), load()])
  use(glue, await WebAssembly.instantiate(module, imports(glue)))
  const query = await engine(glue, bindAdapter, 'postgresql', replay('postgres', { columnNames: ['id'], columnTypes: [0], rows: [[1], [2]] }))
  const text = JSON.stringify(answered(await query('SELECT 1')))
  return { ms: performance.now() - start, text }
}
