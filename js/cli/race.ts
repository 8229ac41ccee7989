// Races of several ways to do one thing. In each round every way has one turn, in an order that is drawn anew, after a
// garbage collection: a fixed order was seen to charge one way's garbage to the next. The benchmarks of the repository
// use this file, too.

/** One way, with what was measured of it. */
export interface Way {
  readonly name: string
  readonly run: () => unknown
  /** Makes of the result what must be equal for all ways of a kind. Without it there is nothing to compare. */
  readonly check?: (value: never) => unknown
  /** Takes part in every nth round only. */
  readonly every?: number
  /** `run` measures itself, and gives milliseconds. */
  readonly timed?: boolean
  /** Calls in one turn. */
  calls?: number
  /** Milliseconds of each call: as they passed, and of the process's processors. */
  readonly times: number[]
  readonly cpu: number[]
}

export interface Limits {
  /** At most so many rounds, and at least five of them if there are. */
  rounds: number
  /** No round begins later. */
  seconds: number
  /** Rounds that come first, and do not count. */
  warm: number
  collect?: (() => void) | undefined
}

/** Runs each way of a kind once, and throws if results differ. */
export async function compare(what: string, ways: readonly Way[]): Promise<void> {
  let first: { name: string; text: string } | undefined
  for (const { name, run, check } of ways) {
    const value = await run()
    if (check === undefined) continue
    const text = String(await check(value as never))
    first ??= { name, text }
    if (text === first.text) continue
    let at = 0
    while (text[at] === first.text[at]) at++
    const part = (whole: string): string => JSON.stringify(whole.slice(Math.max(0, at - 40), at + 40))
    throw new Error(`${what}: the results of ${name} and ${first.name} differ: ${part(text)} and ${part(first.text)}`)
  }
}

/** Times the ways in turns. */
export async function race(ways: readonly Way[], { rounds, seconds, warm, collect }: Limits): Promise<void> {
  const start = performance.now()
  for (let round = -warm; round < rounds; round++) {
    if (round >= 5 && performance.now() - start > seconds * 1000) break
    for (const way of shuffled(ways)) {
      if (round > 0 && round % (way.every ?? 1) !== 0) continue
      const { time, cpu } = await turn(way, collect)
      if (round < 0) continue
      way.times.push(time)
      way.cpu.push(cpu)
    }
  }
}

/** One turn: milliseconds for each call. */
export async function turn({ run, timed, calls = 1 }: Pick<Way, 'run' | 'timed' | 'calls'>, collect: (() => void) | undefined): Promise<{ time: number; cpu: number }> {
  collect?.()
  const cpu = process.cpuUsage()
  const start = performance.now()
  let last: unknown
  for (let i = 0; i < calls; i++) {
    last = run()
    if (last instanceof Promise) last = await last
  }
  const time = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  return { time: (timed === true ? (last as number) : time) / calls, cpu: (user + system) / 1000 / calls }
}

/** How many calls make a turn of some milliseconds: powers of two are tried. A way that measures itself decides that by itself, too. */
export async function enough({ run, timed }: Way, collect: (() => void) | undefined): Promise<number> {
  if (timed === true) return 1
  for (let calls = 1; ; calls *= 2) {
    const { time } = await turn({ run, calls }, collect)
    if (time * calls >= 4) return calls
  }
}

function shuffled<T>(list: readonly T[]): T[] {
  const out = [...list]
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1))
    ;[out[i], out[j]] = [out[j], out[i]]
  }
  return out
}

export function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[times.length >> 1]
}
