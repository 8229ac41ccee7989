// One arm of the race, a process of its own: it runs benchmarks of one side when it is told to.
//
// Started by race.mjs with the folder of a built npm package; it answers each message with one.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { benchmarks } from './benchmarks.mjs'
import { counter, counting } from './count.mjs'

const dist = path.join(process.argv[2], 'dist')
const { createEngine } = await import(pathToFileURL(path.join(dist, 'slim.js')).href)
const bytes = (dialect) => readFileSync(path.join(dist, `${dialect}.wasm`))
const list = benchmarks()
let run // the benchmark that was prepared last

const answers = {
  names: () => Object.keys(list),

  /** Prepares a benchmark and runs it once. Answers whether this side can. */
  async prepare({ name }) {
    try {
      run = await list[name]({ createEngine, module: (dialect) => new WebAssembly.Module(bytes(dialect)) })
      await run()
      return true
    } catch (error) {
      return String(error)
    }
  },

  /** Runs it so many times, in nanoseconds of all. */
  async time({ count }) {
    gc()
    const start = process.hrtime.bigint()
    for (let i = 0; i < count; i++) await run()
    return Number(process.hrtime.bigint() - start)
  },

  /** What is the same in every run: instructions, pages of memory, bytes of output. In an engine of its own. */
  async exact({ name }) {
    const once = await figures(name)
    const again = await figures(name)
    if (JSON.stringify(once) !== JSON.stringify(again)) throw new Error(`${name}: ${JSON.stringify(once)}, then ${JSON.stringify(again)}`)
    return once
  },
}

async function figures(name) {
  const instances = []
  const Instance = WebAssembly.Instance
  WebAssembly.Instance = function (...args) {
    const instance = new Instance(...args)
    instances.push(instance)
    return instance
  }
  try {
    const once = await list[name]({ createEngine, module: (dialect) => new WebAssembly.Module(counting(bytes(dialect))) })
    const made = await once()
    const output = made instanceof Uint8Array ? made : new TextEncoder().encode(JSON.stringify(made, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)))
    const sum = (of) => instances.reduce((total, { exports }) => total + of(exports), 0)
    return {
      hash: createHash('sha256').update(output).digest('hex'),
      figures: {
        instructions: sum((exports) => Number(exports[counter].value)),
        'memory pages': sum((exports) => exports.memory.buffer.byteLength / 65536),
        'output bytes': output.length,
      },
    }
  } finally {
    WebAssembly.Instance = Instance
  }
}

process.on('message', async (message) => {
  try {
    process.send({ answer: await answers[message.ask](message) })
  } catch (error) {
    process.send({ error: error.stack })
  }
})
process.send({ answer: 'ready' })
