// Draws the chart of the README from the results: bars for the two tables from PostgreSQL. It brings its own background,
// so that it can be read on a light and on a dark page.
//
//   node chart.mjs [results.json [chart.svg]]
import { fileURLToPath } from 'node:url'
import { usage } from '../scripts/options.mjs'
import { duration, read, replaceFile, times, ways } from './results.mjs'

const short = {
  rowjet: 'rowjet',
  'the socket alone': 'the socket alone',
  'pg, JSON.stringify, encode': 'pg + JSON.stringify',
  'postgres.js, JSON.stringify, encode': 'postgres.js + JSON.stringify',
  'json_agg in the server': 'json_agg in the server',
  'Prisma 6 engine (Rust)': 'Prisma 6 engine (Rust)',
  'Prisma 7 runtime, JSON.stringify, encode': 'Prisma 7 + JSON.stringify',
  'Bun.sql, JSON.stringify, encode': 'Bun.sql + JSON.stringify, in Bun',
  pg: 'pg',
  'postgres.js': 'postgres.js',
  'Prisma 6 engine (Rust), client': 'Prisma 6 engine (Rust) and client',
  'Prisma 7 runtime, client': 'Prisma 7 runtime and client',
  'Bun.sql': 'Bun.sql, in Bun',
}

const width = 860
const left = 250
const right = 110
const line = 22

const escape = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`)

/** One panel: a title and a bar for each way, the quickest first. */
function panel(title, list, top) {
  const [ours] = list
  const sorted = [...list].sort((a, b) => a.median - b.median)
  const longest = sorted.at(-1).median
  const bars = sorted.map(({ name, median }, i) => {
    const y = top + 34 + i * line
    const length = Math.max(2, (median / longest) * (width - left - right))
    const kind = name === ours.name ? 'ours' : name === 'the socket alone' ? 'base' : 'other'
    const note = name === ours.name ? duration(median) : `${duration(median)} · ${times(median, ours.median)}`
    return `<text class="name ${kind}" x="${left - 10}" y="${y + 14}">${escape(short[name] ?? name)}</text>
<rect class="${kind}" x="${left}" y="${y + 3}" width="${length.toFixed(1)}" height="${line - 7}" rx="2"/>
<text class="note" x="${(left + length + 6).toFixed(1)}" y="${y + 14}">${note}</text>`
  })
  return { svg: `<text class="title" x="24" y="${top + 20}">${escape(title)}</text>\n${bars.join('\n')}`, height: 34 + sorted.length * line + 14 }
}

export function chart(report) {
  let top = 20
  const panels = []
  for (const [table, columns] of [['Movie', 4], ['Wide', 16]]) {
    const group = [...report.groups.keys()].find((name) => name.startsWith(`PostgreSQL, ${table}, `))
    if (group === undefined) throw new Error(`the results have no queries of ${table}: run the part pg`)
    const rows = group.slice(`PostgreSQL, ${table}, `.length)
    const socket = ways(report, group, 'discarded').find(({ name }) => name === 'the socket alone')
    if (socket === undefined) throw new Error(`the results have no socket alone in ${group}`)
    for (const [kind, what] of [['bytes', 'JSON bytes'], ['rows', 'object rows']]) {
      if (ways(report, group, kind).length === 0) throw new Error(`the results have no ${kind} in ${group}`)
      const { svg, height } = panel(`${rows} of ${columns} columns from PostgreSQL → ${what}`, [...ways(report, group, kind), socket], top)
      panels.push(svg)
      top += height
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" role="img" aria-label="How long queries take: rowjet and others">
<style>
svg { --paper: #fff; --ink: #1f2328; --faint: #59636e; --bar: #afb8c1; --ours: #1a7f37; --base: #d8dee4; font: 13px system-ui, sans-serif }
@media (prefers-color-scheme: dark) { svg { --paper: #0d1117; --ink: #e6edf3; --faint: #9198a1; --bar: #57606a; --ours: #3fb950; --base: #30363d } }
.paper { fill: var(--paper) } .title { fill: var(--ink); font-weight: 600; font-size: 14px } .name { fill: var(--ink); text-anchor: end } .note { fill: var(--faint); font-size: 12px }
rect.other { fill: var(--bar) } rect.ours { fill: var(--ours) } rect.base { fill: var(--base) } .name.ours { font-weight: 600 }
</style>
<rect class="paper" width="${width}" height="${top}" rx="8"/>
${panels.join('\n')}
</svg>
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [results, out = fileURLToPath(new URL('../docs/benchmarks.svg', import.meta.url)), ...more] = process.argv.slice(2)
  if (more.length > 0) usage('usage: node chart.mjs [results.json [chart.svg]]')
  try {
    replaceFile(out, chart(read(results)))
  } catch (error) {
    console.error(error.message)
    process.exit(1)
  }
}
