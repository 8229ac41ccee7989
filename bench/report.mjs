// Prints what was measured: mitata's table and summary for each group, with the goals below.
import { bench, group as mitataGroup, run, summary } from 'mitata'

/** 'bytes' of 'bytes: rowjet'. */
export const kindOf = (name) => name.slice(0, name.indexOf(':'))

const at = (list, part) => list[Math.min(list.length - 1, Math.floor(part * list.length))]

/** mitata's statistics of times in milliseconds. Its "avg" is the median here, and its header is changed to say so. */
function statistics(times) {
  const ns = times.map((time) => time * 1e6).sort((a, b) => a - b)
  return {
    kind: 'fn', debug: '', ticks: ns.length, samples: ns,
    min: ns[0], max: ns.at(-1), avg: at(ns, 0.5), p25: at(ns, 0.25), p50: at(ns, 0.5), p75: at(ns, 0.75), p99: at(ns, 0.99), p999: at(ns, 0.999),
  }
}

/** Hands a table to mitata, which is given what it would have found: everything was timed before, in turns. */
function add(title, cases) {
  mitataGroup(title, () =>
    summary(() => {
      for (const [i, { name, times }] of cases.entries()) {
        const trial = bench(name, () => {})
        const baseline = i === 0 // ours is the first
        trial.baseline(baseline)
        trial.run = async () => ({
          kind: 'static', args: {}, alias: name, group: trial._group, baseline,
          runs: [{ stats: statistics(times), args: {}, name }],
          style: { highlight: false, compact: false },
        })
      }
    }),
  )
}

/** A group has a table for each kind of result, so that like is compared with like. */
export function tables({ name, cases }) {
  const kinds = [...new Set(cases.map(({ name }) => kindOf(name)))]
  return kinds.map((kind) => ({
    title: `${name}: ${kind}`,
    cases: cases.filter((entry) => kindOf(entry.name) === kind).map((entry) => ({ ...entry, name: entry.name.slice(kind.length + 2) })),
  }))
}

export const digits = (value) => (Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(Math.abs(value) < 10 ? 3 : 1))

/** '≤ 0.6', or nothing if a figure has no goal. */
export const goalOf = ({ most, least, unit, met }) => (met === undefined ? '' : `${most === undefined ? `≥ ${least}` : `≤ ${most.toLocaleString('en')}`}${unit}`)

export function goalLine(goal) {
  const number = `${goal.what}: ${digits(goal.value)}${goal.unit}`
  return goal.met === undefined ? number : `${number}, goal ${goalOf(goal)}: ${goal.met ? 'met' : 'NOT MET'}`
}

/** Prints all parts of a report, and last how many goals were met, which one round can not tell. */
export async function print({ parts, once = false }, log = console.log) {
  const groups = Object.values(parts).flatMap(({ groups }) => (once ? groups.map((group) => ({ ...group, goals: [] })) : groups))
  for (const group of groups) for (const { title, cases } of tables(group)) add(title, cases)
  const lines = []
  const measured = groups.some(({ cases }) => cases.length > 0)
  if (measured) await run({ colors: process.stdout.isTTY === true && process.env.NO_COLOR === undefined, print: (line) => lines.push(...line.split('\n')) })

  // mitata has printed all tables, each under its title; goals go below the last table of their group.
  const blocks = new Map([['', []]])
  let block = blocks.get('')
  for (const line of lines) {
    if (line.startsWith('• ')) blocks.set(line.slice(2), (block = []))
    block.push(line.replace(' avg (min … max)', ' med (min … max)'))
  }
  const show = (block) => log(block.join('\n').replace(/\n+$/, ''))
  if (measured) show(blocks.get(''))
  for (const group of groups) {
    for (const { title } of tables(group)) {
      show(blocks.get(title))
      log('')
    }
    if (group.goals.length > 0) log(`goals of ${group.name}\n${group.goals.map((goal) => `  ${goalLine(goal)}`).join('\n')}\n`)
  }
  const goals = groups.flatMap(({ goals }) => goals).filter(({ met }) => met !== undefined)
  const missed = goals.filter(({ met }) => !met)
  log(`${groups.reduce((sum, { cases }) => sum + cases.length, 0)} benchmarks in ${groups.length} groups${once ? ', one round each' : `; ${goals.length - missed.length} of ${goals.length} goals met`}`)
}
