// The bodies that JavaScript can run: for each dialect the ways in which the
// rowjet package makes a document.

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
  for (const dialect of ['postgres', 'mysql', 'sqlite']) engines[dialect] = new Ways(new Engine(instantiate(dialect), dialect))
  return { name, engines }
}

/** The ways of one engine, as functions from a result set to a document. */
class Ways {
  constructor(engine) {
    this.engine = engine
  }

  /** Those that a case's shape and flags can be had by. */
  ways({ shape = 'array', flags = [] }) {
    const stream = (settle) => [`stream, ${settle}`, (resultSet) => textOf(this.engine.stream(resultSet, { shape, settle }))]
    if (flags.includes('unknown')) return [stream('unknown')]
    if (flags.includes('fixed')) return [stream('declared')]
    if (flags.includes('jsontext')) {
      return [['again', (resultSet) => utf8(this.engine.again(sourceOf(resultSet), undefined, shape, true).bytes)]]
    }
    const ways = [stream('scan'), stream('buffer')]
    if (shape === 'array') ways.push(['serialize', (resultSet) => utf8(this.engine.serialize(resultSet).bytes())])
    if (shape === 'objects') ways.push(['objects', (resultSet) => utf8(this.engine.serialize(resultSet).objects())])
    return ways
  }
}

const sourceOf = ({ columnNames, columnTypes, rows }) => ({ names: columnNames, types: columnTypes, rows })

const utf8 = (bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)

async function textOf(stream) {
  const pieces = []
  for await (const piece of stream) pieces.push(piece)
  return utf8(Buffer.concat(pieces))
}
