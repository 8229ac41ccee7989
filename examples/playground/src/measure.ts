// Timing several ways to the same thing, in turn.

import type { Times, Timings } from './protocol.js'

/** In milliseconds. */
const budget = 2000
/** Likewise. A clock in a page may be as coarse as 0.1 ms. */
const leastRound = 5
const mostRepeats = 50
const mostRounds = 9

type Name = keyof Times

/**
 * The best time of each way, in milliseconds. `first` is about what one run takes; `within` sets up and clears away what
 * the runs need, and is not timed. Stops, with nothing, when `goOn` says so.
 */
export async function timed(
  ways: Record<Name, () => Promise<unknown>>, first: number,
  within: <T>(work: () => Promise<T>) => Promise<T>, goOn: () => Promise<boolean>,
): Promise<Timings | undefined> {
  const names = Object.keys(ways) as Name[]
  const times: Record<Name, number[]> = { database: [], rowjetJson: [], stringify: [], rowjetRows: [], driverRows: [] }
  const repeats = Math.min(Math.max(Math.ceil(leastRound / Math.max(first, 0.1)), 1), mostRepeats)
  const began = performance.now()
  let rounds = 0
  while (rounds < mostRounds && (rounds < 2 || performance.now() - began < budget)) {
    for (const name of names) {
      if (!(await goOn())) return undefined
      times[name].push(await within(async () => {
        const start = performance.now()
        for (let i = 0; i < repeats; i++) await ways[name]()
        return (performance.now() - start) / repeats
      }))
    }
    names.push(names.shift()!) // who comes after whom may matter
    rounds++
  }
  const each = (of: (sorted: readonly number[]) => number): Times => {
    const result = { database: 0, rowjetJson: 0, stringify: 0, rowjetRows: 0, driverRows: 0 }
    for (const name of names) result[name] = of([...times[name]].sort((a, b) => a - b))
    return result
  }
  // How far a usual round is from the best: differences below that say nothing.
  return { best: each(([least]) => least), spread: each((sorted) => sorted[rounds >> 1] - sorted[0]), rounds }
}
