// Reads what `make bench JSON=file` wrote, for the chart and the tables.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The repository's own results. */
export const own = fileURLToPath(new URL('results.json', import.meta.url))

/** @throws Error for results of one round, which show only that everything works */
export function read(file = own) {
  const report = JSON.parse(readFileSync(file, 'utf8'))
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
