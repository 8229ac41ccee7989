// From nothing to the first result, in milliseconds: import, compile, instantiate, serialize.
export async function first() {
  const start = performance.now()
  const { createEngine } = await import('rowjet/postgres')
  const engine = await createEngine()
  const text = engine.serialize({ columnNames: ['id'], columnTypes: [0], rows: [[1], [2]] }).text()
  return { ms: performance.now() - start, text }
}
