import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { entry } from './engine.js'
import { notFound } from './loader.js'

export * from './common.js'

// The href, not the URL object: Next.js replaces URL, and node:fs refuses its objects.
/** Makes an engine for the dialect of this entry; by default of the module that ships with the package. */
export const createEngine = entry('mysql', () =>
  readFile(fileURLToPath(new URL('./mysql.wasm', import.meta.url).href)).catch((cause: unknown) => {
    throw notFound(cause)
  }),
)
