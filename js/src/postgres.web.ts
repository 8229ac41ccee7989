import { entry } from './engine.js'
import { notFound } from './loader.js'

export * from './common.js'

// Bundlers look for exactly this expression.
/** Makes an engine for the dialect of this entry; by default of the module that ships with the package. */
export const createEngine = entry('postgres', () =>
  fetch(new URL('./postgres.wasm', import.meta.url)).catch((cause: unknown) => {
    throw notFound(cause)
  }),
)
