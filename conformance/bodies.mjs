// The bodies that JavaScript can run: for each dialect an engine of the rowjet package.

import { readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { join } from 'node:path'
import { Engine } from '../js/dist/slim.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const dist = join(here, '../wasm/dist')
const std = join(here, '../.tools/std')

/** The modules that ship. */
export async function shipped(folder = dist) {
  return body('TinyGo modules in rowjet', (dialect) => {
    const module = new WebAssembly.Module(readFileSync(join(folder, `${dialect}.wasm`)))
    return () => new WebAssembly.Instance(module).exports
  })
}

/** What the standard compiler makes of the same sources for GOOS=js. */
export async function standard(folder = std) {
  // A script that defines globalThis.Go.
  await import(pathToFileURL(join(folder, 'wasm_exec.js')))
  return body('js builds in rowjet', (dialect) => {
    const module = new WebAssembly.Module(readFileSync(join(folder, `${dialect}-js.wasm`)))
    return () => {
      const go = new globalThis.Go()
      const instance = new WebAssembly.Instance(module, go.importObject)
      // Runs until main waits forever; from then on the exports may be called.
      go.run(instance)
      return { ...instance.exports, memory: instance.exports.mem, _initialize() {} }
    }
  })
}

function body(name, instantiate) {
  const engines = {}
  for (const dialect of ['postgres', 'mysql', 'sqlite']) engines[dialect] = new Engine(instantiate(dialect), dialect)
  return { name, engines }
}
