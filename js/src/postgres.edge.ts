// The edge runtime of Vercel and Next.js gives a compiled module for this suffix.
import module from './postgres.wasm?module'
import { entry } from './engine.js'

export * from './common.js'

/** Makes an engine for the dialect of this entry; by default of the module that ships with the package. */
export const createEngine = entry('postgres', () => module)
