// Imported as a file, it is found in single-file executables (bun build --compile) too.
import file from './postgres.wasm' with { type: 'file' }
import { entry } from './engine.js'
import { notFound } from './loader.js'

export * from './common.js'

declare const Bun: { file(url: URL): { arrayBuffer(): Promise<ArrayBuffer> } }

/** Makes an engine for the dialect of this entry; by default of the module that ships with the package. */
export const createEngine = entry('postgres', () =>
  // Relative to this file when run from source, absolute in an executable.
  Bun.file(new URL(file as unknown as string, import.meta.url)).arrayBuffer().catch((cause: unknown) => {
    throw notFound(cause)
  }),
)
