// A race of several ways to do one thing: in each round all of them run once, in
// an order that is shuffled anew, with the garbage of the one before collected
// first. A fixed order was seen to charge one way's garbage to the next.
import { cpus } from 'node:os'

/** Returns, for each name, its times in milliseconds. `ways` maps names to functions, which may be async. */
export async function race(ways, rounds) {
  if (typeof gc !== 'function') throw new Error('run with node --expose-gc')
  const names = Object.keys(ways)
  const times = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = -2; round < rounds; round++) {
    for (const name of shuffled(names)) {
      gc()
      const start = performance.now()
      await ways[name]()
      const time = performance.now() - start
      if (round >= 0) times[name].push(time) // the first rounds warm up
    }
  }
  return times
}

function shuffled(list) {
  const out = [...list]
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1))
    ;[out[i], out[j]] = [out[j], out[i]]
  }
  return out
}

export function median(times) {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[sorted.length >> 1]
}

/** Prints the median and the range of each way. */
export function table(times) {
  const width = Math.max(...Object.keys(times).map((name) => name.length))
  for (const [name, list] of Object.entries(times)) {
    const ms = (value) => value.toFixed(2).padStart(9)
    console.log(`${name.padEnd(width)} ${ms(median(list))} ms   (${ms(Math.min(...list)).trim()} … ${ms(Math.max(...list)).trim()})`)
  }
}

/** Prints a figure beside its goal, as met or not. */
export function goal(what, value, limit, unit = '') {
  const met = value <= limit ? 'met' : 'NOT MET'
  console.log(`${what}: ${value.toFixed(value < 10 ? 3 : 1)}${unit}, goal ≤ ${limit}${unit}: ${met}`)
}

/** Tells what the numbers were measured on. */
export function machine() {
  const cpu = cpus()
  console.log(`Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpu.length} × ${cpu[0].model.trim()}\n`)
}
