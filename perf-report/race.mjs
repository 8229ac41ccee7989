// Races two builds of the npm package, and prints the samples as JSON; size-report compares them.
//
//   node perf-report/race.mjs --base <folder> --head <folder> --base-commit <hash> --head-commit <hash>
//     [--processes 5] [--rounds 8] [--only <part of a name>] [--tool name=version]
//     [--go-base <file> --go-head <file>]    outputs of go test -bench -benchmem
//
// Each side runs in processes of its own, base in two: what base does against base is the noise that a change must be
// beyond. A round is a palindrome, such as base, head, control, control, head, base, so that a machine that gets slower
// or faster favours none; the order rotates. After some rounds all processes start anew, as code that a compiler laid
// out luckily stays lucky for the life of its process.
import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { allocations, joined } from './go-bench.mjs'

const { values: options } = parseArgs({
  options: {
    base: { type: 'string' },
    head: { type: 'string' },
    'base-commit': { type: 'string' },
    'head-commit': { type: 'string' },
    processes: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '8' },
    only: { type: 'string', default: '' },
    tool: { type: 'string', multiple: true, default: [] },
    'go-base': { type: 'string' },
    'go-head': { type: 'string' },
  },
})
const processes = Number(options.processes)
const rounds = Number(options.rounds)

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
for (let p = 0; p < processes; p++) {
  const arms = { base: await Arm.start(options.base), head: await Arm.start(options.head), control: await Arm.start(options.base) }
  const all = Object.values(arms)
  try {
    const names = (await arms.head.ask('names')).filter((name) => name.includes(options.only))
    if (names.length === 0) throw new Error('no benchmarks')
    for (const name of names) {
      const can = {}
      for (const [side, arm] of Object.entries(arms)) can[side] = await arm.ask('prepare', { name })
      if (can.head !== true) throw new Error(`${name}: ${can.head}`)
      if (can.base !== true) {
        if (p === 0) console.error(`${name}: the base can't run it: ${can.base}`)
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
        for (const arm of all) times.push(await arm.ask('time', { count }))
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
    for (const arm of all) arm.stop()
  }
}

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
    go: options['go-base'] ? joined(read(options['go-base']), read(options['go-head'])) : [],
  }),
)
