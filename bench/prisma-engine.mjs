// How Prisma 6 starts its Rust engine and has it run a raw query, for the benchmarks here and for the cold starts in
// runtimes/. It imports nothing: who uses it has the packages, each in its own way.
//
//   glue         the package's query_engine_bg.js, for one instance at a time: the last one is in use
//   bindAdapter  of @prisma/driver-adapter-utils
//   provider     'postgresql', 'mysql' or 'sqlite'

/** What the engine's module imports. */
export const imports = (glue) => ({ './query_engine_bg.js': glue })

/** Puts an instance to use. */
export function use(glue, instance) {
  glue.__wbg_set_wasm(instance.exports)
  instance.exports.__wbindgen_start()
}

/** An adapter that answers each query with the same result set. */
export function replay(provider, resultSet) {
  return {
    provider,
    adapterName: 'replay',
    queryRaw: async () => resultSet,
    executeRaw: async () => 0,
    executeScript: async () => {},
    startTransaction: async () => {
      throw new Error('no transactions here')
    },
    getConnectionInfo: () => ({ schemaName: 'public', maxBindValues: 32766, supportsRelationJoins: true }),
    dispose: async () => {},
  }
}

/** Returns a function that has the engine in use run a query on an adapter, and gives its answer: a string of JSON. */
export async function engine(glue, bindAdapter, provider, adapter) {
  const datamodel = `datasource db {\n  provider = "${provider}"\n  url = "file:x"\n}\nmodel Movie {\n  id Int @id\n}\n`
  const made = new glue.QueryEngine({ datamodel, logLevel: 'error', logQueries: false, enableTracing: false }, () => {}, bindAdapter(adapter))
  await made.connect('{}', '1')
  return async (sql) => {
    const request = JSON.stringify({ action: 'queryRaw', query: { arguments: { query: sql, parameters: '[]' }, selection: {} } })
    const answer = await made.query(request, '{}', undefined, '2')
    if (answer.startsWith('{"errors"')) throw new Error(answer.slice(0, 500))
    return answer
  }
}

/** Of an answer, the columns, types and rows. */
export const answered = (answer) => JSON.parse(answer).data.queryRaw
