// What the commands make of results and profiles.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { chart } from './chart.mjs'
import { hottest, html, tree } from './flame.mjs'
import { goalLine, print } from './report.mjs'
import { duration, own, read } from './results.mjs'
import { all, between, readme } from './tables.mjs'

const entry = (name, ...times) => ({ name, calls: 1, median: times[times.length >> 1], times, cpu: 1 })
const machine = { date: '2026-11-30', commit: 'abc1234', cpu: '2 × Some CPU', memory: '24 GiB', system: 'Linux x64', versions: { Node: '20.20.2', Go: '1.26.8', pg: '8.23.1', PostgreSQL: '15.14' } }

/** A small report, as `read` gives it. */
function report() {
  const pg = (table) => ({
    name: `PostgreSQL, ${table}, 50,000 rows`,
    cases: [
      entry('bytes: rowjet', 27, 28, 30), entry('bytes: pg, JSON.stringify, encode', 70, 75.2, 90), entry('bytes: Prisma 6 engine (Rust)', 400, 420, 500),
      entry('rows: rowjet', 25, 26, 27), entry('rows: pg', 47, 48, 52), entry('rows: Bun.sql', 21, 22, 23),
      entry('discarded: rowjet stream', 18, 19, 20), entry('discarded: the socket alone', 16, 17, 18),
    ],
    goals: [
      { what: 'bytes: rowjet ÷ bytes: pg, JSON.stringify, encode', value: 28 / 75.2, unit: '', most: 0.38, met: true },
      { what: 'speed', value: 0.8, unit: '', least: 0.85, met: false },
      { what: 'growth', value: 1234.5, unit: ' MiB' },
    ],
  })
  const groups = [pg('Movie'), pg('Wide'), { name: 'start, postgres', cases: [entry('compile and instantiate: rowjet', 0.5, 0.61, 0.7), entry('compile and instantiate: Prisma 6 engine (Rust)', 9, 10, 11)], goals: [] }]
  return { machine, parts: { all: { groups } }, groups: new Map(groups.map((group) => [group.name, group])) }
}

test('durations have two or three digits and a unit', () => {
  assert.deepEqual([0.000_5, 0.004_24, 0.61, 9.96, 75.2, 4292, 12_345].map(duration), ['500 ns', '4.2 µs', '610 µs', '10.0 ms', '75 ms', '4,292 ms', '12 s'])
})

test('goals are met or not', () => {
  const [{ goals }] = report().groups.values()
  assert.deepEqual(goals.map(goalLine), [
    'bytes: rowjet ÷ bytes: pg, JSON.stringify, encode: 0.372, goal ≤ 0.38: met',
    'speed: 0.800, goal ≥ 0.85: NOT MET',
    'growth: 1,235 MiB',
  ])
})

test("tables are mitata's, with medians and goals", async () => {
  const lines = []
  await print(report(), (text) => lines.push(...text.split('\n')))
  assert.ok(lines.some((line) => / med \(min … max\) /.test(line)))
  const start = lines.indexOf('• PostgreSQL, Movie, 50,000 rows: rows')
  assert.deepEqual(lines.slice(start, lines.indexOf('', lines.indexOf('summary', start))).filter((line) => !line.includes(' (')).map((line) => line.replace(/(\/iter).*/, '$1').replace(/-+/g, '-')), [
    '• PostgreSQL, Movie, 50,000 rows: rows',
    '- -',
    'rowjet                        26.00 ms/iter',
    'pg                            48.00 ms/iter',
    'Bun.sql                       22.00 ms/iter',
    '',
    'summary',
    '  rowjet',
    '   1.18x slower than Bun.sql',
    '   1.85x faster than pg',
  ])
  assert.equal(lines.at(-1), '18 benchmarks in 3 groups; 2 of 4 goals met')
})

test('the tables of the README stand between its markers', () => {
  const text = readme(report())
  assert.deepEqual(text.split('\n'), [
    '![How long queries take: rowjet and others](docs/benchmarks.svg)',
    '',
    '| 50,000 rows from PostgreSQL | 4 columns → JSON | → rows | 16 columns → JSON | → rows |',
    '| --- | ---: | ---: | ---: | ---: |',
    '| rowjet | **28 ms** | **26 ms** | **28 ms** | **26 ms** |',
    '| pg | 75 ms (2.7×) | 48 ms (1.8×) | 75 ms (2.7×) | 48 ms (1.8×) |',
    '| Prisma 6, Rust engine | 420 ms (15×) |  | 420 ms (15×) |  |',
    '| Bun.sql, in Bun |  | 22 ms (0.8×) |  | 22 ms (0.8×) |',
    '| the socket alone | 17 ms (0.6×) | 17 ms (0.7×) | 17 ms (0.6×) | 17 ms (0.7×) |',
    '',
    '| more | rowjet | others |',
    '| --- | ---: | ---: |',
    '| Compile and instantiate | **610 µs** | Prisma 6 engine (Rust): 10 ms (16×) |',
    '',
    'Medians; 2 × Some CPU, 24 GiB, Linux x64; Node 20.20.2, PostgreSQL 15.14, Go 1.26.8; pg 8.23.1; 2026-11-30, commit abc1234. [All of them](docs/benchmarks.md), and `make bench` makes your own.',
  ])
  const page = 'before\n<!-- benchmarks: written by `make tables` -->\nold\n<!-- /benchmarks -->\nafter\n'
  assert.equal(between(page, 'new'), 'before\n<!-- benchmarks: written by `make tables` -->\nnew\n<!-- /benchmarks -->\nafter\n')
  assert.throws(() => between('no markers', 'new'), /lacks the markers/)
  assert.match(all(report()), /\n\| \*\*rowjet\*\* \| 28 ms \| 27 ms … 30 ms \|  \|\n\| pg, JSON.stringify, encode \| 75 ms \| 70 ms … 90 ms \| 2\.7× \|\n/)
  assert.match(all(report()), /\n\| speed \| 0\.800 \| ≥ 0\.85 \| not met \|\n/)
})

test('README, documentation and chart are those of results.json', () => {
  if (!existsSync(own)) {
    assert.ok(!existsSync(new URL('../docs/benchmarks.md', import.meta.url)), 'docs/benchmarks.md is of results that are not there')
    return
  }
  const file = (name) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')
  const results = read()
  assert.equal(file('README.md'), between(file('README.md'), readme(results)), 'run make tables')
  assert.equal(file('docs/benchmarks.md'), all(results), 'run make tables')
  assert.equal(file('docs/benchmarks.svg'), chart(results), 'run make chart')
})

test('the chart has a bar for each way, the quickest first', () => {
  const svg = chart(report())
  const bars = [...svg.matchAll(/<text class="name (\w+)"[^>]*>([^<]*)<\/text>\n<rect class="\w+" x="250" y="\d+" width="([\d.]+)"[^>]*>\n<text class="note"[^>]*>([^<]*)</g)].map(([, kind, name, width, note]) => `${kind} ${name} ${width} ${note}`)
  assert.deepEqual(bars.slice(0, 8), [
    'base the socket alone 20.2 17 ms · 0.6×',
    'ours rowjet 33.3 28 ms',
    'other pg + JSON.stringify 89.5 75 ms · 2.7×',
    'other Prisma 6 engine (Rust) 500.0 420 ms · 15×',
    'base the socket alone 177.1 17 ms · 0.7×',
    'other Bun.sql, in Bun 229.2 22 ms · 0.8×',
    'ours rowjet 270.8 26 ms',
    'other pg 500.0 48 ms · 1.8×',
  ])
  assert.equal(bars.length, 16)
})

test('a flame graph tells Go functions by their names', () => {
  const frame = (id, functionName, url, children) => ({ id, callFrame: { functionName, url, lineNumber: 9, columnNumber: 0, scriptId: '1' }, children })
  const root = tree({
    nodes: [
      frame(1, '(root)', '', [2, 5]),
      frame(2, 'queryRaw', 'file:///x/pg.js', [3, 6]),
      frame(3, '(*github.com/rowjet/rowjet/wasm/internal/engine.Engine).read', 'wasm://wasm/1', [4]),
      frame(4, 'github.com/rowjet/rowjet/wasm/internal/number.ParseInt', 'wasm://wasm/1'),
      frame(5, '(garbage collector)', ''),
      frame(6, '(*github.com/rowjet/rowjet/wasm/internal/engine.Engine).read', 'wasm://wasm/1'), // a second way of V8 to compile it
    ],
    samples: [2, 3, 4, 5, 6],
    timeDeltas: [100, 200, 300, 50, 350],
  })
  assert.deepEqual(hottest(root), [
    { name: 'engine.(*Engine).read', kind: 'wasm', self: 550 },
    { name: 'number.ParseInt', kind: 'wasm', self: 300 },
    { name: 'queryRaw pg.js:10', kind: 'js', self: 100 },
    { name: '(garbage collector)', kind: 'other', self: 50 },
  ])
  const page = html(root, 'SELECT <1>')
  assert.ok(page.includes('<h1>SELECT &#60;1&#62;</h1>'))
  assert.ok(page.includes('<div class="wasm" data-at="0.05000 0.85000" style="left:5.000%;width:85.000%;top:38px" title="engine.(*Engine).read: 85.0% in all, 55.0% its own">engine.(*Engine).read</div>'))
})
