// What the commands make of results and profiles.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { chart } from './chart.mjs'
import { hottest, html, tree } from './flame.mjs'
import { goalLine, print } from './report.mjs'
import { check, duration, own, read, summary, text } from './results.mjs'
import { all, between, readme } from './tables.mjs'

const entry = (name, ...times) => ({ name, calls: 1, ...summary(times), times, cpu: 1 })
const folder = mkdtempSync(path.join(os.tmpdir(), 'rowjet-bench-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const here = fileURLToPath(new URL('.', import.meta.url))

/** Runs a command of this folder. */
function run(command, words, env = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...words], { cwd: here, encoding: 'utf8', env: { ...process.env, ...env } })
  return { status, stdout, stderr }
}

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
  return { machine, parts: { all: { seconds: 1.5, groups } }, groups: new Map(groups.map((group) => [group.name, group])) }
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

test('results are kept in few lines, and read as they were', () => {
  const { groups, ...kept } = report()
  const file = path.join(folder, 'kept.json')
  writeFileSync(file, text({ ...kept, groups }))
  assert.equal(readFileSync(file, 'utf8').split('\n').filter((line) => line.includes('"bytes: rowjet"'))[0],
    '      {"name":"bytes: rowjet","calls":1,"rounds":3,"median":28,"half":[27,30],"range":[27,30],"cpu":1},')
  const back = read(file)
  assert.equal(readme(back), readme(report()))
  assert.equal(all(back), all(report()))
  assert.equal(chart(back), chart(report()))
  assert.equal(text(back), text(report()))
  assert.deepEqual(summary([5, 1, 4, 2, 3, 9, 8, 7]), { rounds: 8, median: 5, half: [3, 8], range: [1, 9] })
})

/** Replaces what is at a path of a copy of the report: 'parts.all.groups.0.name'. */
function changed(where, value) {
  const { groups, ...copy } = structuredClone(report())
  const way = where.split('.')
  const last = way.pop()
  const holder = way.reduce((part, name) => part[name], copy)
  if (value === undefined) delete holder[last]
  else holder[last] = value
  return copy
}

test('broken results are told by their place, and nothing is made of them', () => {
  const way = 'parts.all.groups.0.cases.1'
  const at = 'parts.all.groups[0].cases[1]'
  const broken = [
    ['machine', undefined, 'machine is missing: an object is wanted'],
    ['machine.date', 'yesterday', 'machine.date is "yesterday": a date is wanted'],
    ['machine.versions', [], 'machine.versions is []: an object is wanted'],
    ['machine.versions.Node', undefined, 'machine.versions.Node is missing: a line of text is wanted'],
    ['machine.versions.pg', null, 'machine.versions.pg is null: a line of text is wanted'],
    ['parts', {}, 'parts is {}: at least one is wanted'],
    ['parts.all', null, 'parts.all is null: an object is wanted'],
    ['parts.all.seconds', -1, 'parts.all.seconds is -1: a number above 0 is wanted'],
    ['parts.all.groups', {}, 'parts.all.groups is {}: a list is wanted'],
    ['parts.all.groups.1.name', 'PostgreSQL, Movie, 50,000 rows', 'parts.all.groups[1].name is "PostgreSQL, Movie, 50,000 rows": a name that is not there yet is wanted'],
    ['parts.all.groups.0.cases', undefined, 'parts.all.groups[0].cases is missing: a list is wanted'],
    [way, 7, `${at} is 7: an object is wanted`],
    [`${way}.name`, 'bytes', `${at}.name is "bytes": 'kind: who' is wanted`],
    [`${way}.name`, 'a | b: c', `${at}.name is "a | b: c": a line of text is wanted`],
    [`${way}.name`, 'bytes: rowjet', `${at}.name is "bytes: rowjet": a name that is not there yet is wanted`],
    [`${way}.name`, 'other: pg', `${at}.name is "other: pg": ours as the first of its kind is wanted`],
    [`${way}.median`, undefined, `${at}.median is missing: a number above 0 is wanted`],
    [`${way}.median`, null, `${at}.median is null: a number above 0 is wanted`],
    [`${way}.median`, 'fast', `${at}.median is "fast": a number above 0 is wanted`],
    [`${way}.median`, 0, `${at}.median is 0: a number above 0 is wanted`],
    [`${way}.median`, 1000, `${at} is [70,70,1000,90,90]: least, half, median, half, most in this order is wanted`],
    [`${way}.half`, [1], `${at}.half is [1]: two numbers is wanted`],
    [`${way}.half`, [null, 2], `${at}.half[0] is null: a number above 0 is wanted`],
    [`${way}.rounds`, 0, `${at}.rounds is 0: a whole number above 0 is wanted`],
    [`${way}.calls`, 1.5, `${at}.calls is 1.5: a whole number above 0 is wanted`],
    [`${way}.cpu`, -1, `${at}.cpu is -1: a number, 0 at least is wanted`],
    ['parts.all.groups.0.goals.0.value', null, 'parts.all.groups[0].goals[0].value is null: a number is wanted'],
    ['parts.all.groups.0.goals.2.unit', undefined, 'parts.all.groups[0].goals[2].unit is missing: a line of text is wanted'],
    ['parts.all.groups.0.goals.2.met', true, 'parts.all.groups[0].goals[2] is {"what":"growth","value":1234.5,"unit":" MiB","met":true}: one goal and whether it was met, or neither is wanted'],
  ]
  for (const [where, value, message] of broken) assert.throws(() => check(changed(where, value)), { message }, where)
  assert.throws(() => check(null), { message: 'the whole is null: an object is wanted' })

  // The commands: one line, and the files are as they were.
  const file = path.join(folder, 'broken.json')
  const svg = path.join(folder, 'broken.svg')
  const pages = () => ['README.md', 'docs/benchmarks.md', 'docs/benchmarks.svg'].map((name) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))
  const were = pages()
  const once = { ...changed('machine.date', '2026-11-30'), once: true }
  for (const [json, message] of [
    [text(changed(`${way}.median`, null)).replace('null', 'NaN'), /broken\.json: Unexpected token/],
    [JSON.stringify(changed(`${way}.median`, null)), new RegExp(`broken\\.json: ${at.replace(/[[\].]/g, '\\$&')}\\.median is null: a number above 0 is wanted\n$`)],
    ['', /broken\.json: Unexpected end of JSON input\n$/],
    [text(once), /broken\.json has one round of each benchmark: measure without --once\n$/],
  ]) {
    writeFileSync(file, json)
    for (const [command, ...words] of [['tables.mjs', file], ['chart.mjs', file, svg]]) {
      const { status, stdout, stderr } = run(command, words)
      assert.deepEqual({ status, stdout }, { status: 1, stdout: '' })
      assert.match(stderr, message)
      assert.equal(stderr.split('\n').length, 2, stderr)
    }
  }
  // What is a report, but not of what is drawn.
  const few = changed('parts.all.groups', [report().parts.all.groups[2]])
  writeFileSync(file, text(few))
  assert.deepEqual(run('chart.mjs', [file, svg]), { status: 1, stdout: '', stderr: 'the results have no queries of Movie: run the part pg\n' })
  few.parts.all.groups[0].name = 'other'
  writeFileSync(file, text(few))
  assert.deepEqual(run('tables.mjs', [file]), { status: 1, stdout: '', stderr: 'the results have none of the groups that README.md shows\n' })
  assert.equal(run('tables.mjs', [path.join(folder, 'none.json')]).status, 1)
  assert.equal(run('tables.mjs', [file, 'more']).status, 2)
  assert.equal(run('chart.mjs', [file, svg, 'more']).status, 2)
  assert.deepEqual(pages(), were)
  assert.deepEqual(readdirSync(folder).filter((name) => name.startsWith('broken.svg')), [])
})

test('whatever stands in the place of a value, no page has a number that is none', () => {
  const values = [null, undefined, 0, -1, 1e300, '', 'x', true, [], {}, [[]], [null, null]]
  let made = 0
  const visit = (part, where) => {
    for (const value of values) {
      if (where !== '') attempt(changed(where, value))
    }
    if (typeof part === 'object' && part !== null) for (const name of Object.keys(part)) visit(part[name], where === '' ? name : `${where}.${name}`)
  }
  const attempt = (json) => {
    const file = path.join(folder, 'any.json')
    writeFileSync(file, JSON.stringify(json))
    let results
    try {
      results = read(file)
    } catch {
      return
    }
    const pages = []
    for (const page of [readme, all, chart]) {
      try {
        pages.push(page(results))
      } catch (error) {
        assert.match(error.message, /^the results have /)
      }
    }
    for (const page of pages) assert.doesNotMatch(page, /NaN|undefined|null|Infinity|\[object/)
    made++
  }
  const { groups, ...whole } = report()
  visit(whole, '')
  assert.ok(made > 50, `only ${made} were taken`)
})

test('arguments that can not be are named, before anything runs', () => {
  const parts = 'there are pg, mysql, result-sets, types, sqlite, start, go, memory, retention\n'
  const real = path.join(folder, 'real.json')
  writeFileSync(real, text(report()))
  mkdirSync(path.join(folder, 'sub'))
  for (const [command, words, message] of [
    ['run.mjs', ['toString'], `no part is called toString; ${parts}`],
    ['run.mjs', ['__proto__', 'constructor'], `no part is called __proto__, constructor; ${parts}`],
    ['run.mjs', ['start', 'start'], 'start is there twice\n'],
    ['run.mjs', ['--time=abc'], '--time is a number above 0, up to 1000, not "abc"\n'],
    ['run.mjs', ['--time', '0'], '--time is a number above 0, up to 1000, not "0"\n'],
    ['run.mjs', ['--time', 'Infinity'], '--time is a number above 0, up to 1000, not "Infinity"\n'],
    ['run.mjs', ['--time='], '--time is a number above 0, up to 1000, not ""\n'],
    ['run.mjs', ['--tme=1'], /^Unknown option '--tme'/],
    ['run.mjs', ['--once=yes'], /^Option '--once' does not take an argument/],
    ['run.mjs', ['start', '--json', path.join(folder, 'none', 'a.json')], /^--json .*: ENOENT/],
    ['run.mjs', ['start', '--json', path.join(folder, 'sub')], /^--json .*: EISDIR/],
    ['run.mjs', ['start', '--json', path.join(here, 'package.json')], /^--json .*: machine is missing: an object is wanted\n$/],
    ['run.mjs', ['start', '--once', '--json', real], /^--json .*: what is there is of more than one round, and would be lost\n$/],
    ['profile.mjs', ['--seconds', 'abc', '--url', 'postgres://x'], '--seconds is a number above 0, up to 3600, not "abc"\n'],
    ['profile.mjs', ['--seconds', '0', '--url', 'postgres://x'], '--seconds is a number above 0, up to 3600, not "0"\n'],
    ['profile.mjs', ['--shape', 'toString'], '--shape is bytes, rows or arrays, not toString\n'],
    ['profile.mjs', ['--url', 'mysql://x'], '--url wants postgres://…\n'],
    ['profile.mjs', ['--speed', '1'], /^Unknown option '--speed'/],
  ]) {
    const { status, stdout, stderr } = run(command, words)
    assert.deepEqual({ status, stdout }, { status: 2, stdout: '' }, `${command} ${words}: ${stderr}`)
    if (typeof message === 'string') assert.equal(stderr, message)
    else assert.match(stderr, message)
    assert.doesNotMatch(stderr, /\n +at /)
  }
  assert.equal(readFileSync(real, 'utf8'), text(report()))
  assert.deepEqual(readdirSync(folder).filter((name) => name.endsWith('.part')), [])
  const unbuilt = run('profile.mjs', ['--module', path.join(folder, 'none.wasm'), '--url', 'postgres://x'])
  assert.deepEqual([unbuilt.status, unbuilt.stdout], [1, ''])
  assert.match(unbuilt.stderr, /^ENOENT[^\n]*none\.wasm'\n$/)
})

test('names that nothing has are an error; a run of some groups leaves the others in the file', () => {
  const json = path.join(folder, 'some.json')
  const none = run('run.mjs', ['start', '--once', '--only', 'no such group', '--json', json])
  assert.deepEqual([none.status, none.stdout, existsSync(json)], [1, '', false])
  assert.match(none.stderr, /\nno group of start has "no such group" in its name\n$/)

  const { groups, ...before } = report()
  const old = (name) => ({ name, cases: [entry('compile and instantiate: rowjet', 1, 2, 3)], goals: [] })
  before.parts.start = { seconds: 9, groups: [old('start, sqlite'), old('start, postgres of old')] }
  writeFileSync(json, text(before))
  const some = run('run.mjs', ['start', '--only', 'start, sqlite', '--time', '0.01', '--json', json])
  assert.equal(some.status, 0, some.stderr)
  const { parts, machine } = read(json)
  assert.deepEqual(parts.start.groups.map(({ name, cases }) => [name, cases.length]), [['start, sqlite', 4], ['start, postgres of old', 1]])
  assert.deepEqual(Object.keys(parts), ['start'])
  assert.equal(machine.versions.PostgreSQL, '15.14')
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
