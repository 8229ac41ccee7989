// Workers may not compile WebAssembly at run time: the import gives a compiled module.
import module from './postgres.wasm'
import { entry } from './engine.js'

export * from './common.js'

/** Makes an engine for the dialect of this entry; by default of the module that ships with the package. */
export const createEngine = entry('postgres', () => module)
