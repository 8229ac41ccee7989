// Races: several ways to do one thing, timed so that they can be compared. In each round every way has one turn, in an
// order that is drawn anew, after a garbage collection: a fixed order was seen to charge one way's garbage to the next.
// A part of the suite makes groups; the runner (run.mjs) gives it its settings and takes what it found.

/** `once`: one round each and little data, to see that everything works. */
export const once = process.argv.includes('--once')

/** The share of its time that each group takes. */
const share = Number(option('time') ?? 1)

/** What the names of the groups that run have in them. */
const only = option('only') ?? ''

/** Rows in the big tables. */
export const many = once ? 2_000 : 50_000

const groups = []

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
  if (!name.includes(only)) return { time: () => NaN, ratio() {}, speed() {}, note() {}, goal() {} }
  const cases = Object.entries(kinds).flatMap(([kind, ways]) =>
    Object.entries(ways).filter(([, way]) => way !== undefined).map(([name, way]) => ({ name: `${kind}: ${name}`, every: 1, ...(typeof way === 'function' ? { run: way } : way), times: [], cpu: [] })),
  )
  await compare(name, cases)
  for (const entry of cases) entry.calls = once ? 1 : calls === 'auto' ? await enough(entry) : calls

  const start = performance.now()
  const least = once ? 1 : 5
  for (let round = once ? 0 : -warm; round < (once ? 1 : rounds); round++) {
    if (round >= least && performance.now() - start > seconds * 1000 * share) break
    for (const entry of shuffled(cases)) {
      if (round > 0 && round % entry.every !== 0) continue
      const { time, cpu } = await turn(entry, collect)
      if (round < 0) continue
      entry.times.push(time)
      entry.cpu.push(cpu)
    }
  }

  const result = { name, cases: cases.map(({ name, calls, times, cpu }) => ({ name, calls, median: median(times), times, cpu: median(cpu) })), goals: [] }
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

async function compare(name, cases) {
  const firsts = {}
  for (const entry of cases) {
    const value = await entry.run()
    if (entry.check === undefined) continue
    const text = await entry.check(value)
    const first = (firsts[kindOf(entry.name)] ??= { name: entry.name, text })
    if (text !== first.text) {
      const at = Math.max(0, [...text].findIndex((c, i) => c !== first.text[i]) - 60)
      throw new Error(`${name}: ${entry.name} and ${first.name} differ:\n  ${text.slice(at, at + 120)}\n  ${first.text.slice(at, at + 120)}`)
    }
  }
}

/** How many calls make a turn of some milliseconds: powers of two are tried. */
async function enough(entry) {
  for (let calls = 1; ; calls *= 2) {
    const { time } = await turn({ ...entry, calls }, true)
    if (time * calls >= 4) return calls
  }
}

/** 'bytes' of 'bytes: rowjet'. */
const kindOf = (name) => name.slice(0, name.indexOf(':'))

/** One turn. In milliseconds for each call: the time, and what the process used of its processors. */
async function turn({ run, timed, calls }, collect) {
  if (collect) gc()
  const cpu = process.cpuUsage()
  const start = performance.now()
  let last
  for (let i = 0; i < calls; i++) {
    last = run()
    if (last instanceof Promise) last = await last
  }
  const time = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  return { time: (timed ? last : time) / calls, cpu: (user + system) / 1000 / calls }
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
