// Writes what was measured into README.md, between its markers, and all of it into docs/benchmarks.md.
//
//   node tables.mjs [results.json]
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { usage } from '../scripts/options.mjs'
import { digits, goalOf, tables } from './report.mjs'
import { duration, read, replaceFile, setting, times, ways } from './results.mjs'

const row = (cells) => `| ${cells.join(' | ')} |`
const table = (head, rows) => [row(head), row(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(row)].join('\n')

/** A way's time and how many times as long as ours it is; of several names for the same, the one that there is. */
function cell(list, names) {
  const found = list.find(({ name }) => names.includes(name))
  if (found === undefined) return ''
  return found === list[0] ? `**${duration(found.median)}**` : `${duration(found.median)} (${times(found.median, list[0].median)})`
}

/** The short tables of the README. */
export function readme(report) {
  const group = (start) => [...report.groups.keys()].find((name) => name.startsWith(start))
  const parts = ['![How long queries take: rowjet and others](docs/benchmarks.svg)']
  const movie = group('PostgreSQL, Movie, ')
  const wide = group('PostgreSQL, Wide, ')
  if (movie !== undefined && wide !== undefined) {
    const columns = [[movie, 'bytes'], [movie, 'rows'], [wide, 'bytes'], [wide, 'rows']].map(([name, kind]) => [...ways(report, name, kind), ...ways(report, name, 'discarded').slice(1)])
    const lines = {
      rowjet: ['rowjet'],
      pg: ['pg', 'pg, JSON.stringify, encode'],
      'postgres.js': ['postgres.js', 'postgres.js, JSON.stringify, encode'],
      'Prisma 7, runtime': ['Prisma 7 runtime, client', 'Prisma 7 runtime, JSON.stringify, encode'],
      'Prisma 6, Rust engine': ['Prisma 6 engine (Rust), client', 'Prisma 6 engine (Rust)'],
      'Bun.sql, in Bun': ['Bun.sql', 'Bun.sql, JSON.stringify, encode'],
      'json_agg in the server': ['json_agg in the server'],
      'the socket alone': ['the socket alone'],
    }
    parts.push(table([`${movie.split(', ').slice(2).join(', ')} from PostgreSQL`, '4 columns → JSON', '→ rows', '16 columns → JSON', '→ rows'], Object.entries(lines).map(([name, names]) => [name, ...columns.map((list) => cell(list, names))]).filter(([, ...cells]) => cells.some((cell) => cell !== ''))))
  }
  const more = [
    ['A result set of 50,000 rows → JSON', 'result set, postgres, 50,000 rows', 'bytes'],
    ['A result set of one row → JSON', 'result set, postgres, 1 row', 'bytes'],
    ['SQLite, 4 columns → JSON', group('SQLite, Movie, '), 'bytes'],
    ['MySQL, 4 columns → JSON', group('MySQL, Movie, '), 'bytes'],
    ['Compile and instantiate', 'start, postgres', 'compile and instantiate'],
    ['Go: a result set of 50,000 rows → JSON', 'Go, 50,000 rows of Movie', 'JSON'],
  ].map(([what, name, kind]) => [what, ways(report, name, kind)]).filter(([, list]) => list.length > 0)
  if (more.length > 0) {
    parts.push(
      table(
        ['more', 'rowjet', 'others'],
        more.map(([what, [ours, ...others]]) => [
          what,
          `**${duration(ours.median)}**`,
          others.filter(({ name }) => !name.startsWith('rowjet')).map(({ name, median }) => `${name}: ${duration(median)} (${times(median, ours.median)})`).join('; '),
        ]),
      ),
    )
  }
  if (parts.length === 1) throw new Error('the results have none of the groups that README.md shows')
  return `${parts.join('\n\n')}\n\nMedians; ${setting(report)}. [All of them](docs/benchmarks.md), and \`make bench\` makes your own.`
}

/** Every group, and its goals. */
export function all(report) {
  const parts = [
    '# Benchmarks',
    '<!-- Written by `make tables` from bench/results.json. -->',
    `\`make bench JSON=bench/results.json\`, then \`make chart tables\`. ${setting(report)}.`,
    'Every round runs all ways of a group once, in an order that is drawn anew, each after a garbage collection; ours are timed as all others are. Results are compared before they are timed. Times are medians, with the middle half of the rounds behind them.',
  ]
  for (const group of report.groups.values()) {
    parts.push(`## ${group.name}`)
    for (const { title, cases } of tables(group)) {
      parts.push(
        table(
          [title.slice(group.name.length + 2), 'median', 'middle half', '÷ rowjet'],
          cases.map(({ name, median, half }, i) => [i === 0 ? `**${name}**` : name, duration(median), half.map(duration).join(' … '), i === 0 ? '' : times(median, cases[0].median)]),
        ),
      )
    }
    if (group.goals.length > 0) {
      parts.push(table(['figure', 'measured', 'goal', ''], group.goals.map((goal) => [goal.what, `${digits(goal.value)}${goal.unit}`, goalOf(goal), goal.met === undefined ? '' : goal.met ? 'met' : 'not met'])))
    }
  }
  return `${parts.join('\n\n')}\n`
}

const open = '<!-- benchmarks: written by `make tables` -->'
const close = '<!-- /benchmarks -->'

/** Puts the tables between the markers of a text. */
export function between(text, content) {
  const start = text.indexOf(open)
  const end = text.indexOf(close)
  if (start === -1 || end < start) throw new Error(`README.md lacks the markers ${open} and ${close}`)
  return `${text.slice(0, start + open.length)}\n${content}\n${text.slice(end)}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [results, ...more] = process.argv.slice(2)
  if (more.length > 0) usage('usage: node tables.mjs [results.json]')
  try {
    const report = read(results)
    const file = new URL('../README.md', import.meta.url)
    // All that can fail comes before anything is written.
    const pages = [[file, between(readFileSync(file, 'utf8'), readme(report))], [new URL('../docs/benchmarks.md', import.meta.url), all(report)]]
    for (const [file, text] of pages) replaceFile(file, text)
  } catch (error) {
    console.error(error.message)
    process.exit(1)
  }
}
