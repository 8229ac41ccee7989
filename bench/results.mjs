// Results of `make bench JSON=file`: written, checked, and read for the chart and the tables.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The repository's own results. */
export const own = fileURLToPath(new URL('results.json', import.meta.url))

/** The middle of some times, and where the middle half of them begins and ends. */
export function summary(times) {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]
  return { rounds: times.length, median: at(0.5), half: [at(0.25), at(0.75)], range: [sorted[0], sorted.at(-1)] }
}

/**
 * A report as it is kept: times, in milliseconds per call, are summed up in six digits, and a way is one line.
 *
 *   { once?, machine: { date, commit, cpu, memory, system, versions: { Node, … } },
 *     parts: { name: { seconds, groups: [{ name, cases: [way…], goals: [goal…] }] } } }
 *   way   { name: 'kind: who', calls, rounds, median, half: [from, to], range: [least, most], cpu }, ours the first of each kind
 *   goal  { what, value, unit, most or least, met }, or the first three alone
 */
export function text(report) {
  const short = (value) => (typeof value === 'number' ? Number(value.toPrecision(6)) : value)
  const kept = ({ name, calls, rounds, median, half, range, cpu }) => ({ name, calls, rounds, median, half, range, cpu })
  const parts = Object.fromEntries(
    Object.entries(report.parts).map(([name, { seconds, groups }]) => [name, { seconds, groups: groups.map((group) => ({ ...group, cases: group.cases.map(kept) })) }]),
  )
  const lines = (value, indent) => {
    const flat = JSON.stringify(value, (_, part) => short(part))
    if (flat.length <= 200 || typeof value !== 'object') return flat
    const inner = `${indent} `
    if (Array.isArray(value)) return `[\n${value.map((part) => inner + lines(part, inner)).join(',\n')}\n${indent}]`
    const members = Object.entries(value).filter(([, part]) => part !== undefined)
    return `{\n${members.map(([name, part]) => `${inner}${JSON.stringify(name)}: ${lines(part, inner)}`).join(',\n')}\n${indent}}`
  }
  return `${lines({ ...report, groups: undefined, parts }, '')}\n`
}

/** Puts a text in the place of a file in one step, so that nobody finds half of it. */
export function replaceFile(file, content) {
  const path = file instanceof URL ? fileURLToPath(file) : file
  const part = `${path}.part`
  try {
    writeFileSync(part, content)
    renameSync(part, path)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}

/** @throws Error for anything but a report as `text` writes it, with the place and what is wanted there */
export function check(report) {
  const fail = (path, value, wanted) => {
    throw new Error(`${path || 'the whole'} is ${value === undefined ? 'missing' : String(JSON.stringify(value)).slice(0, 60)}: ${wanted} is wanted`)
  }
  const object = (path, value) => (typeof value === 'object' && value !== null && !Array.isArray(value)) || fail(path, value, 'an object')
  const list = (path, value) => Array.isArray(value) || fail(path, value, 'a list')
  // In a table or in the chart nothing of it may mean more than itself.
  const line = (path, value) => (typeof value === 'string' && /^[^|`<>\p{Cc}]{1,200}$/u.test(value)) || fail(path, value, 'a line of text')
  const number = (path, value, wanted = 'a number', good = () => true) => (typeof value === 'number' && Number.isFinite(value) && good(value)) || fail(path, value, wanted)
  const positive = (path, value) => number(path, value, 'a number above 0', (n) => n > 0)
  const whole = (path, value) => number(path, value, 'a whole number above 0', (n) => Number.isInteger(n) && n > 0)
  const once = (path, name, seen) => (seen.has(name) ? fail(path, name, 'a name that is not there yet') : seen.add(name))

  object('', report)
  object('machine', report.machine)
  const { machine } = report
  if (typeof machine.date !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(machine.date)) fail('machine.date', machine.date, 'a date')
  for (const name of ['commit', 'cpu', 'memory', 'system']) line(`machine.${name}`, machine[name])
  object('machine.versions', machine.versions)
  line('machine.versions.Node', machine.versions.Node)
  for (const [name, version] of Object.entries(machine.versions)) line(`machine.versions.${name}`, version)
  object('parts', report.parts)
  if (Object.keys(report.parts).length === 0) fail('parts', report.parts, 'at least one')
  const groupNames = new Set()
  for (const [part, found] of Object.entries(report.parts)) {
    object(`parts.${part}`, found)
    positive(`parts.${part}.seconds`, found.seconds)
    list(`parts.${part}.groups`, found.groups)
    for (const [g, group] of found.groups.entries()) {
      const at = `parts.${part}.groups[${g}]`
      object(at, group)
      line(`${at}.name`, group.name)
      once(`${at}.name`, group.name, groupNames)
      list(`${at}.cases`, group.cases)
      list(`${at}.goals`, group.goals)
      if (group.cases.length + group.goals.length === 0) fail(at, group, 'a way or a figure')
      const names = new Set()
      const kinds = new Set()
      for (const [c, entry] of group.cases.entries()) {
        const at = `parts.${part}.groups[${g}].cases[${c}]`
        object(at, entry)
        line(`${at}.name`, entry.name)
        once(`${at}.name`, entry.name, names)
        const [, kind, who] = /^([^:]+): (.+)$/.exec(entry.name) ?? fail(`${at}.name`, entry.name, "'kind: who'")
        if (!kinds.has(kind) && !who.startsWith('rowjet')) fail(`${at}.name`, entry.name, 'ours as the first of its kind')
        kinds.add(kind)
        whole(`${at}.calls`, entry.calls)
        whole(`${at}.rounds`, entry.rounds)
        positive(`${at}.median`, entry.median)
        for (const name of ['half', 'range']) {
          list(`${at}.${name}`, entry[name])
          if (entry[name].length !== 2) fail(`${at}.${name}`, entry[name], 'two numbers')
          entry[name].forEach((value, i) => positive(`${at}.${name}[${i}]`, value))
        }
        const order = [entry.range[0], entry.half[0], entry.median, entry.half[1], entry.range[1]]
        if (order.some((value, i) => i > 0 && value < order[i - 1])) fail(at, order, 'least, half, median, half, most in this order')
        number(`${at}.cpu`, entry.cpu, 'a number, 0 at least', (n) => n >= 0)
      }
      for (const [i, goal] of group.goals.entries()) {
        const at = `parts.${part}.groups[${g}].goals[${i}]`
        object(at, goal)
        line(`${at}.what`, goal.what)
        number(`${at}.value`, goal.value)
        if (typeof goal.unit !== 'string' || goal.unit !== '') line(`${at}.unit`, goal.unit)
        const limits = ['most', 'least'].filter((name) => goal[name] !== undefined)
        for (const name of limits) number(`${at}.${name}`, goal[name])
        if (limits.length > 1 || (goal.met === undefined ? limits.length > 0 : limits.length === 0 || typeof goal.met !== 'boolean')) fail(at, goal, 'one goal and whether it was met, or neither')
      }
    }
  }
  return report
}

/** Reads a report, `groups` by name beside its parts. @throws Error for what `check` refuses, and for results of one round, which show only that everything works */
export function read(file = own) {
  let report
  try {
    report = check(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    throw new Error(error.code === undefined ? `${file}: ${error.message}` : error.message)
  }
  if (report.once) throw new Error(`${file} has one round of each benchmark: measure without --once`)
  const groups = new Map(Object.values(report.parts).flatMap(({ groups }) => groups.map((group) => [group.name, group])))
  return { ...report, groups }
}

/** A group's ways of one kind, `[{ name, median, … }]`, ours first; empty if it was not measured. */
export function ways({ groups }, name, kind) {
  return (groups.get(name)?.cases ?? []).filter((entry) => entry.name.startsWith(`${kind}: `)).map((entry) => ({ ...entry, name: entry.name.slice(kind.length + 2) }))
}

/** Milliseconds in two or three digits, with a unit that fits. */
export function duration(ms) {
  const [value, unit] = ms < 0.001 ? [ms * 1e6, 'ns'] : ms < 1 ? [ms * 1000, 'µs'] : ms < 10_000 ? [ms, 'ms'] : [ms / 1000, 's']
  return `${value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en')} ${unit}`
}

/** How many times as long as ours. */
export const times = (value, ours) => `${(value / ours).toFixed(value / ours < 10 ? 1 : 0)}×`

/** Where and with what it was measured. */
export function setting({ machine }) {
  const { Node, Bun, Go, ...packages } = machine.versions
  const programs = [`Node ${Node}`, Bun && `Bun ${Bun}`, machine.versions.PostgreSQL && `PostgreSQL ${machine.versions.PostgreSQL}`, Go && `Go ${Go}`]
  delete packages.PostgreSQL
  delete packages.MariaDB
  if (machine.versions.MariaDB) programs.push(`MariaDB ${machine.versions.MariaDB}`)
  return `${machine.cpu}, ${machine.memory}, ${machine.system}; ${programs.filter(Boolean).join(', ')}; ${Object.entries(packages).map(([name, version]) => `${name} ${version.replace(/-.*/, '')}`).join(', ')}; ${machine.date}, commit ${machine.commit}`
}
