// Races two builds of the npm package, and prints the samples as JSON; size-report compares them.
//
//   node perf-report/race.mjs --base <folder> --head <folder> --base-commit <hash> --head-commit <hash>
//     [--processes 5] [--rounds 8] [--only <part of a name>] [--tool name=version]
//     [--base-benchmarks <file>]             the base's own benchmarks.mjs, to tell which are new and which are gone
//     [--go-base <file> --go-head <file>]    outputs of go test -bench -benchmem
//
// What is raced are the benchmarks of this tree, by both builds.
//
// Each side runs in processes of its own, base in two: what base does against base is the noise that a change must be
// beyond. A round is a palindrome, such as base, head, control, control, head, base, so that a machine that gets slower
// or faster favours none; the order rotates. After some rounds all processes start anew, as code that a compiler laid
// out luckily stays lucky for the life of its process.
import { fork } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { options as parsed, usage, whole } from '../scripts/options.mjs'
import { allocations, joined } from './go-bench.mjs'

const { values: options } = parsed({
  options: {
    base: { type: 'string' },
    head: { type: 'string' },
    'base-commit': { type: 'string' },
    'head-commit': { type: 'string' },
    processes: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '8' },
    only: { type: 'string', default: '' },
    tool: { type: 'string', multiple: true, default: [] },
    'base-benchmarks': { type: 'string' },
    'go-base': { type: 'string' },
    'go-head': { type: 'string' },
  },
})
for (const name of ['base', 'head', 'base-commit', 'head-commit']) if (!options[name]) usage(`--${name} is missing`)
for (const side of ['base', 'head']) {
  if (!existsSync(path.join(options[side], 'dist/slim.js'))) usage(`--${side} ${options[side]} is not a built package: it has no dist/slim.js`)
  if (!/^[0-9a-f]{40}\+?$/.test(options[`${side}-commit`])) usage(`--${side}-commit ${options[`${side}-commit`]} is not the hash of a commit`)
}
for (const tool of options.tool) if (!/^[^=]+=[^=]+$/.test(tool)) usage(`--tool wants name=version, not ${tool}`)
if ((options['go-base'] === undefined) !== (options['go-head'] === undefined)) usage('--go-base and --go-head go together')
// What the report takes.
const processes = whole('--processes', options.processes, 100)
const rounds = whole('--rounds', options.rounds, 1000)

/** So long an arm runs at a time, in nanoseconds of the base: timers and the scheduler are far below. */
const slice = 4e6

class Arm {
  static async start(folder) {
    const arm = new Arm()
    arm.child = fork(fileURLToPath(new URL('arm.mjs', import.meta.url)), [folder], { execArgv: ['--expose-gc'] })
    await arm.answer()
    return arm
  }
  answer() {
    return new Promise((resolve, reject) => {
      this.child.once('message', ({ answer, error }) => {
        this.child.removeAllListeners('exit')
        if (error) reject(new Error(error))
        else resolve(answer)
      })
      this.child.once('exit', (code) => reject(new Error(`an arm ended with ${code}`)))
    })
  }
  ask(ask, more) {
    const answer = this.answer()
    this.child.send({ ask, ...more })
    return answer
  }
  stop() {
    this.child.kill()
  }
}

const orders = [
  ['base', 'head', 'control'],
  ['head', 'control', 'base'],
  ['control', 'base', 'head'],
]

const results = new Map()
const unable = []
let all
for (let p = 0; p < processes; p++) {
  const arms = { base: await Arm.start(options.base), head: await Arm.start(options.head), control: await Arm.start(options.base) }
  const each = Object.values(arms)
  try {
    all ??= await arms.head.ask('names')
    const names = all.filter((name) => name.includes(options.only))
    if (names.length === 0) usage(`no benchmark has ${JSON.stringify(options.only)} in its name`)
    for (const name of names) {
      const can = {}
      for (const [side, arm] of Object.entries(arms)) can[side] = await arm.ask('prepare', { name })
      if (can.head !== true) throw new Error(`${name}: ${can.head}`)
      if (can.base !== true) {
        if (p === 0) {
          console.error(`${name}: the base can't run it: ${can.base}`)
          unable.push(name)
        }
        continue
      }
      if (p === 0) {
        const [base, head] = [await arms.base.ask('exact', { name }), await arms.head.ask('exact', { name })]
        results.set(name, { name, processes: [], baseExact: base.figures, headExact: head.figures, sameBytes: base.hash === head.hash })
      }
      // All arms are warmed up alike, then one decides for all how often it is run at a time.
      let count = 1
      for (let warm = 0; warm < (rounds > 1 ? 6 : 1); warm++) {
        const times = []
        for (const arm of each) times.push(await arm.ask('time', { count }))
        count = rounds > 1 ? Math.max(1, Math.ceil((count * slice) / times[0])) : 1
      }
      const times = { base: [], head: [], control: [] }
      for (let round = 0; round < rounds; round++) {
        const order = orders[(round + p) % orders.length]
        const sum = { base: 0, head: 0, control: 0 }
        for (const side of [...order, ...order.toReversed()]) sum[side] += await arms[side].ask('time', { count })
        for (const side of order) times[side].push(Math.max(1, Math.round(sum[side] / count)))
      }
      results.get(name).processes.push(times)
    }
  } finally {
    for (const arm of each) arm.stop()
  }
}

if (results.size === 0) throw new Error('the base can run none of the benchmarks')

/** The names of the base's benchmarks; undefined where it had none yet. */
async function baseNames() {
  const file = options['base-benchmarks']
  if (file === undefined || !existsSync(file)) return undefined
  return Object.keys((await import(pathToFileURL(path.resolve(file)).href)).benchmarks())
}
const before = await baseNames()
const only = (names, others) => names.filter((name) => name.includes(options.only) && !others.includes(name))

const read = (file) => allocations(readFileSync(file, 'utf8'))
const cpu = cpus()
console.log(
  JSON.stringify({
    format: 1,
    base: options['base-commit'],
    head: options['head-commit'],
    tools: {
      node: process.versions.node,
      cpu: `${cpu.length} x ${cpu[0].model.trim()}`,
      ...Object.fromEntries(options.tool.map((tool) => tool.split('='))),
    },
    benchmarks: [...results.values()],
    added: before ? only(all, before) : [],
    removed: before ? only(before, all) : [],
    unable,
    go: options['go-base'] ? joined(read(options['go-base']), read(options['go-head'])) : [],
  }),
)
