// The same by Prisma's engine: it answers a raw query, for which an adapter has the rows. `load` gives its module.
export async function first(load) {
  const start = performance.now()
  const [{ bindAdapter }, glue, module] = await Promise.all([import('@prisma/driver-adapter-utils'), import('@prisma/query-engine-wasm/postgresql/query_engine_bg.js'), load()])
  const instance = await WebAssembly.instantiate(module, { './query_engine_bg.js': glue })
  glue.__wbg_set_wasm(instance.exports)
  instance.exports.__wbindgen_start()
  const adapter = bindAdapter({
    provider: 'postgres',
    adapterName: 'replay',
    queryRaw: async () => ({ columnNames: ['id'], columnTypes: [0], rows: [[1], [2]] }),
    executeRaw: async () => 0,
    executeScript: async () => {},
    startTransaction: async () => {
      throw new Error('no transactions here')
    },
    getConnectionInfo: () => ({ schemaName: 'public', maxBindValues: 32766, supportsRelationJoins: true }),
    dispose: async () => {},
  })
  const datamodel = 'datasource db {\n  provider = "postgresql"\n  url = "postgresql://replay"\n}\n\nmodel Movie {\n  id Int @id\n}\n'
  const engine = new glue.QueryEngine({ datamodel, logLevel: 'error', logQueries: false, enableTracing: false }, () => {}, adapter)
  await engine.connect('{}', '1')
  const query = JSON.stringify({ action: 'queryRaw', query: { arguments: { query: 'SELECT 1', parameters: '[]' }, selection: {} } })
  const text = JSON.stringify(JSON.parse(await engine.query(query, '{}', undefined, '2')).data.queryRaw)
  return { ms: performance.now() - start, text }
}
