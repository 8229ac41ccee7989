// Timing several ways to the same thing, in turn.

import type { Timings } from './protocol.js'

/** In milliseconds. */
const budget = 2000
/** Likewise. A clock in a page may be as coarse as 0.1 ms. */
const leastRound = 5
const mostRepeats = 50
const mostRounds = 9

type Name = keyof Omit<Timings, 'rounds'>

/**
 * The best time of each way, in milliseconds. `first` is about what one run takes; `within` sets up and clears away what
 * the runs need, and is not timed. Stops, with nothing, when `goOn` says so.
 */
export async function timed(
  ways: Record<Name, () => Promise<unknown>>, first: number,
  within: <T>(work: () => Promise<T>) => Promise<T>, goOn: () => Promise<boolean>,
): Promise<Timings | undefined> {
  const names = Object.keys(ways) as Name[]
  const best = { database: Infinity, rowjetJson: Infinity, stringify: Infinity, rowjetRows: Infinity, driverRows: Infinity }
  const repeats = Math.min(Math.max(Math.ceil(leastRound / Math.max(first, 0.1)), 1), mostRepeats)
  const began = performance.now()
  let rounds = 0
  while (rounds < mostRounds && (rounds < 2 || performance.now() - began < budget)) {
    for (const name of names) {
      if (!(await goOn())) return undefined
      const ms = await within(async () => {
        const start = performance.now()
        for (let i = 0; i < repeats; i++) await ways[name]()
        return (performance.now() - start) / repeats
      })
      best[name] = Math.min(best[name], ms)
    }
    names.push(names.shift()!) // who comes after whom may matter
    rounds++
  }
  return { ...best, rounds }
}
