// Races: several ways to do one thing, timed in turns (js/cli/race.ts) so that they can be compared. A part of the suite
// makes groups; the runner (run.mjs) gives it its settings and takes what it found.
import { compare, enough, race } from '../js/dist/cli/race.js'
import { summary } from './results.mjs'

/** `once`: one round each and little data, to see that everything works. */
export const once = process.argv.includes('--once')

/** The share of its time that each group takes. */
const share = Number(option('time') ?? 1)

/** What the names of the groups that run have in them. */
const only = option('only') ?? ''

/** Rows in the big tables. */
export const many = once ? 2_000 : 50_000

const groups = []

/** Of a group that does not run. */
const nothing = { time: () => NaN, ratio() {}, speed() {}, note() {}, goal() {} }

function option(name) {
  return process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3)
}

/**
 * Times the ways of a group and returns the median of each, in milliseconds per call.
 *
 * `kinds` maps what is made ('bytes', 'rows' …) to the ways to make it, whose names are then 'bytes: rowjet' and so on.
 * All take turns with each other, but are shown apart. A way is a function, which may be async, or an object:
 *   run      the function
 *   check    makes of its result what must be equal for all ways of its kind; left out where there is nothing to compare
 *   every    takes part in every nth round only: for ways that take many times longer than the others
 *   timed    the function measures itself and gives milliseconds: for other processes
 *
 * `seconds` is how long the group may take, `rounds` how many rounds it has at most (and five at least); `calls: 'auto'`
 * makes a turn of so many calls that it takes some milliseconds, for ways that take less than a clock tells; `collect:
 * false` leaves out the garbage collections, for turns that are shorter than one; `warm` rounds come first and do not count.
 */
export async function group(name, kinds, { seconds = 10, rounds = 31, calls = 1, collect = true, warm = 2 } = {}) {
  if (!name.includes(only)) return nothing
  const byKind = Object.entries(kinds).map(([kind, ways]) =>
    Object.entries(ways).filter(([, way]) => way !== undefined).map(([name, way]) => ({ name: `${kind}: ${name}`, ...(typeof way === 'function' ? { run: way } : way), times: [], cpu: [] })),
  )
  for (const ways of byKind) await compare(name, ways)
  const cases = byKind.flat()
  for (const entry of cases) entry.calls = once ? 1 : calls === 'auto' ? await enough(entry, gc) : calls

  const start = performance.now()
  await race(cases, { rounds: once ? 1 : rounds, seconds: seconds * share, warm: once ? 0 : warm, collect: collect ? gc : undefined })
  // Some measure themselves, in other processes.
  for (const entry of cases) for (const time of entry.times) if (!(time > 0 && time < Infinity)) throw new Error(`${name}: ${entry.name} took ${time} ms`)

  const result = { name, cases: cases.map(({ name, calls, times, cpu }) => ({ name, calls, ...summary(times), times, cpu: summary(cpu).median })), goals: [] }
  groups.push(result)
  process.stderr.write(`  ${name}: ${cases[0].times.length} rounds in ${((performance.now() - start) / 1000).toFixed(1)} s\n`)

  const time = (name) => {
    const found = result.cases.find((entry) => entry.name === name)
    if (found === undefined) throw new Error(`no way is called ${name}`)
    return found.median
  }
  return {
    time,
    /** A goal for the time of `ours` as a multiple of the time of `other`: at most `limit`. */
    ratio(ours, other, limit) {
      result.goals.push(goalOf(`${ours} ÷ ${other}`, time(ours) / time(other), { most: limit }))
    },
    /** The same for the speed of `ours`: at least `limit`. */
    speed(ours, other, limit) {
      result.goals.push(goalOf(`speed of ${ours} ÷ ${other}`, time(other) / time(ours), { least: limit }))
    },
    /** A ratio of times without a goal. */
    note(ours, other) {
      result.goals.push({ what: `${ours} ÷ ${other}`, value: time(ours) / time(other), unit: '' })
    },
    /** A goal for any figure. */
    goal(what, value, goal) {
      result.goals.push(goalOf(what, value, goal))
    },
  }
}

/** Figures that are no times of ways: sizes, memory. */
export function figures(name) {
  if (!name.includes(only)) return nothing
  const result = { name, cases: [], goals: [] }
  groups.push(result)
  return {
    goal: (what, value, goal) => result.goals.push(goalOf(what, value, goal)),
    note: (what, value, unit = '') => result.goals.push({ what, value, unit }),
  }
}

/** Hands the groups to the runner, and versions of servers that only the part knows. Call it at the end of a part. */
export async function finish(versions = {}) {
  await new Promise((resolve) => process.send({ groups, versions }, resolve))
  process.disconnect()
}

function goalOf(what, value, { most, least, unit = '' }) {
  const met = most === undefined ? value >= least : value <= most
  return { what, value, unit, ...(most === undefined ? { least } : { most }), met }
}
