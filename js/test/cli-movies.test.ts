// rowjet seed and rowjet bench.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { command, run, type Outcome } from './command.js'
import { mariadbURL, mysqlURL } from './mysql.js'
import { nodeWithSQLite } from './node22.js'
import { postgresURL } from './postgres.js'

const part = async <T>(name: string): Promise<T> => (await import(pathToFileURL(path.join(path.dirname(command), name)).href)) as T
type Row = (string | number | boolean | null)[]
const { tables } = await part<{ tables(movies: number): Record<string, { columns: object; count: number; rows: Iterable<Row> }> }>('movies.js')
const { open } = await part<{ open(url: string, make: boolean): Promise<{ database: { dialect: string; queryRaw(sql: string): Promise<{ arrays(): string[][] }> }; close(): Promise<void> }> }>('open.js')
const { fill } = await part<{ fill(database: object, movies: number, options: object): Promise<void> }>('seed.js')
const { compare, enough, race } = await part<{
  enough(way: object, collect: (() => void) | undefined): Promise<number>
  compare(what: string, ways: object[]): Promise<void>
  race(ways: object[], limits: { rounds: number; seconds: number; warm: number; collect?: () => void }): Promise<void>
}>('race.js')

let folder: string
const rowjet = (...args: string[]): Promise<Outcome> => run(args, { cwd: folder })

async function fails(code: number, message: string, ...args: string[]): Promise<void> {
  assert.deepEqual(await rowjet(...args), { code, out: '', err: `rowjet: ${message}\n` })
}

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'rowjet-'))
})
after(async () => {
  await rm(folder, { recursive: true })
  for (const url of [postgresURL, mariadbURL]) for (const name of ['Review', 'User', 'Person', 'Movie']) await rowjet('query', '--url', url, `DROP TABLE IF EXISTS ${quoted(url, name)}`)
})

const quoted = (url: string, name: string): string => (/^(mysql|mariadb):/.test(url) ? `\`${name}\`` : `"${name}"`)

/** What all databases have in common of the rows of a table: numbers as numbers, JSON without white space, dates with their zone. */
const comparable = (rows: Iterable<Row>): string =>
  JSON.stringify([...rows].map((row) => row.map((cell) => {
    if (typeof cell === 'boolean') return Number(cell)
    if (typeof cell === 'object') return JSON.stringify(cell)
    const text = String(cell)
    if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
    return /^\{"/.test(text) ? JSON.stringify(JSON.parse(text)) : text.replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)$/, '$1T$2+00:00')
  })))

const counts = 'Movie: 40 rows\nPerson: 20 rows\nUser: 8 rows\nReview: 120 rows\n'

test('the data is the same each time', () => {
  const all = Object.entries(tables(40)).map(([name, { rows }]) => [name, [...rows]] as const)
  const digests = all.map(([name, rows]) => `${name} ${createHash('sha256').update(JSON.stringify(rows)).digest('hex').slice(0, 16)}`)
  assert.deepEqual(digests, ['Movie e145c016de868474', 'Person e07cd009b55f4e18', 'User 6718a8e0d546d6e5', 'Review 00cae9e777051389'])
  assert.deepEqual(all.map(([, rows]) => rows[0]), [
    [1, 'Winter Garden 1', 2009, 'A teacher returns to the town where she grew up, everything they knew about the past turns out to be wrong, A teacher returns to the town where she grew up, An engineer finds a message in an old machine; the only witness refuses to speak.'],
    [1, 'Hiroshi Haddad', '1989-11-01', null],
    [1, 'Łukasz Lindqvist', 'user1@example.com', '2017-09-16 21:58:06', true, '{"pages": 29, "theme": "light"}'],
    [1, 38, 6, 3, 'The sound alone is worth a ticket, The sound alone is worth a ticket.', '7.11', '2025-05-09 12:55:18'],
  ])
})

/** What the command prints, without what it measured. */
const shape = (out: string): string => out.replace(/[\d.]+ ms +[\d.]+ … [\d.]+/g, 'TIMES').replace(/as fast as|[\d.]+x (faster|slower) than/g, 'COMPARED WITH').replace(/^(node v).*;/, '$1;').replace(/ +/g, ' ')

/** What it should print, likewise: for each group its name, and what Rowjet is compared with. */
const report = (...groups: [name: string, json: string, rows: string][]): string =>
  'node v; medians, and from the fastest to the slowest turn\n' +
  groups.map(([name, json, rows]) => `\n${name}\n → JSON Rowjet TIMES\n → JSON ${json} TIMES\n → rows Rowjet TIMES\n → rows ${rows} TIMES\nRowjet is COMPARED WITH ${json}, COMPARED WITH ${rows}\n`).join('')

for (const [name, url, driver] of [
  ['PostgreSQL', postgresURL, 'pg'], ['PGlite', 'pglite:data', 'PGlite'], ['MySQL', mariadbURL, 'mariadb'], ['MySQL', mysqlURL, 'mysql2'],
  ['SQLite', 'sqlite:movies.db', 'better-sqlite3'], ['SQLite', './movies-by-path.db', 'better-sqlite3'], ['SQLite', 'file:movies-in-node.db', 'node:sqlite'],
] as const) {
  test(`seed fills ${name} by ${driver}, ${url.replace(/:\/\/.*/, '')}, and bench reads it`, async () => {
    // In a project whose better-sqlite3 can't be loaded, Node's own driver is taken.
    const project = path.join(folder, 'project')
    await mkdir(path.join(project, 'node_modules/better-sqlite3'), { recursive: true })
    await writeFile(path.join(project, 'node_modules/better-sqlite3/index.js'), "module.exports = class { constructor() { throw new Error('Could not locate the bindings file') } }")
    const here = (...args: string[]): Promise<Outcome> => (driver === 'node:sqlite' ? run(args, { cwd: project, node: nodeWithSQLite() }) : rowjet(...args))
    const ok = async (wanted: string, ...args: string[]): Promise<void> => assert.deepEqual(await here(...args, '--url', url), { code: 0, out: wanted, err: '' })

    await ok(counts, 'seed', '--rows', '40', ...(url.includes('://') ? ['--replace'] : []))
    for (const [table, { columns, rows }] of Object.entries(tables(40))) {
      const { out } = await here('query', '--url', url, `SELECT * FROM ${quoted(url, table)} ORDER BY id`)
      const found = JSON.parse(out) as { columns: string[]; rows: Row[] }
      assert.deepEqual(found.columns, Object.keys(columns))
      assert.equal(comparable(found.rows), comparable(rows), table)
    }
    const all = ['Movie', 'Person', 'User', 'Review'].map((table) => quoted(url, table)).join(', ')
    assert.deepEqual(await here('seed', '--url', url), { code: 2, out: '', err: `rowjet: there are tables already: ${all}; --replace drops them first\n` })
    await ok('Movie: 1 row\nPerson: 1 row\nUser: 1 row\nReview: 3 rows\n', 'seed', '--rows', '1', '--replace')
    await ok(counts, 'seed', '--rows', '40', '--replace')

    const { code, out, err } = await here('bench', '--url', url, '--rounds', '1')
    assert.deepEqual([code, err], [0, ''])
    assert.equal(shape(out), report([`40 movies from ${name === 'PGlite' ? name : `${name} by ${driver}`}`, `${driver} + JSON.stringify`, driver]))
    const few = await here('bench', '--url', url, '--rows', '41')
    assert.deepEqual([few.code, few.out], [2, ''])
    assert.match(few.err, /^rowjet: the table Movie has 40 rows, not 41; to make it anew: \S+ seed --url <url> --rows 41 --replace\n$/) // a password rowjet would be taken out
  })
}

test('seed: what is refused, and what stays', async () => {
  await fails(2, 'which database? Give --url, such as --url sqlite:movies.db', 'seed')
  for (const rows of ['0', '1.5', 'many', '-1', '700000001', '']) await fails(2, `--rows is a number of movies from 1 to 700,000,000, not "${rows}"`, 'seed', '--url', 'x.db', `--rows=${rows}`)
  await fails(2, 'nothing of it would be kept: give a folder, as in pglite:movies', 'seed', '--url', 'pglite:')
  await fails(2, 'nothing of it would be kept: give a file, as in sqlite:movies.db', 'seed', '--url', 'sqlite::memory:')
  await fails(2, 'the folder "." is not one of PGlite', 'seed', '--url', 'pglite:.')
  assert.match((await rowjet('seed', '--url', 'x.db', '--row', '1')).err, /^rowjet: Unknown option '--row'[^\n]*\n$/)
  assert.equal((await rowjet('seed', '--url', 'x.db', 'more')).code, 2)
  await fails(1, 'Cannot open database because the directory does not exist', 'seed', '--url', 'none/x.db')
  assert.ok(!existsSync(path.join(folder, 'x.db')))
  const { code, err } = await rowjet('seed', '--url', 'postgres://user:s3cr%40t@127.0.0.1:1/s3cr')
  assert.equal(code, 1)
  assert.match(err, /^rowjet: [^\n]*ECONNREFUSED[^\n]*\n$/)
  assert.ok(!/s3cr@t|s3cr%40t/.test(err))

  // A table of the same name may be of anybody.
  const url = 'others.db'
  await rowjet('seed', '--url', url, '--rows', '2')
  await rowjet('query', '--url', url, 'DROP TABLE Person')
  await rowjet('query', '--url', url, 'CREATE TABLE person (name, phone)')
  await fails(2, 'there are tables already: "Movie", "Person", "User", "Review"; --replace drops them first', 'seed', '--url', url)
  await fails(2, 'there is a table "Person" that seed did not make: it has the columns name, phone', 'seed', '--url', url, '--replace')
  assert.equal((await rowjet('query', '--url', url, 'SELECT count(*) AS n FROM Movie', '--format', 'ndjson')).out, '{"n":2}\n')
})

test('seed: a failure on the way leaves nothing', async () => {
  for (const url of [postgresURL, mysqlURL, mariadbURL, path.join(folder, 'none-left.db')]) {
    for (const name of ['Review', 'User', 'Person', 'Movie']) await rowjet('query', '--url', url, `DROP TABLE IF EXISTS ${quoted(url, name)}`)
    const { database, close } = await open(url, true)
    try {
      const told = (table: string): void => {
        if (table === 'Review') throw new Error('enough')
      }
      await assert.rejects(fill(database, 3, { told }), { message: 'enough' })
      const names = { postgres: 'SELECT relname FROM pg_class', mysql: 'SELECT table_name FROM information_schema.tables', sqlite: 'SELECT name FROM sqlite_master' }[database.dialect as 'mysql']
      const left = (await database.queryRaw(names)).arrays().flat().filter((name) => ['Movie', 'Person', 'User', 'Review'].includes(name))
      assert.deepEqual(left, [], url)
    } finally {
      await close()
    }
  }
})

test('seed: tables of MySQL that were made before one that can not be are not left', async () => {
  await rowjet('seed', '--url', mariadbURL, '--rows', '1', '--replace')
  await rowjet('query', '--url', mariadbURL, 'DROP TABLE `Review`')
  await rowjet('query', '--url', mariadbURL, 'CREATE VIEW `Review` AS SELECT 1 AS id, 2 AS movie, 3 AS user, 4 AS rating, 5 AS text, 6 AS price, 7 AS written')
  try {
    const { code, out, err } = await rowjet('seed', '--url', mariadbURL, '--rows', '1', '--replace')
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /^rowjet: [^\n]*Table 'Review' already exists[^\n]*\n$/)
    const left = await rowjet('query', '--url', mariadbURL, "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name IN ('Movie', 'Person', 'User', 'Review')", '--format', 'ndjson')
    assert.equal(left.out, '{"name":"Review"}\n')
  } finally {
    await rowjet('query', '--url', mariadbURL, 'DROP VIEW `Review`')
  }
})

test('seed: memory stays flat', async () => {
  // 460,000 rows, of which a heap of this size holds a small part.
  const { code, err } = await run(['seed', '--url', 'large.db', '--rows', '100000'], { cwd: folder, flags: ['--max-old-space-size=20'] })
  assert.deepEqual([code, err], [0, ''])
})

test('bench without a URL: a result set, and what is there of embedded databases', async () => {
  const { code, out, err } = await rowjet('bench', '--rows', '30', '--rounds', '2', '--json', 'bench.json')
  assert.deepEqual([code, err], [0, ''])
  const groups = [
    ['A result set of 30 movies, without a database', 'JSON.stringify', 'JSON.stringify + JSON.parse'],
    ['30 movies from PGlite', 'PGlite + JSON.stringify', 'PGlite'],
    ['30 movies from SQLite by better-sqlite3', 'better-sqlite3 + JSON.stringify', 'better-sqlite3'],
  ] as const
  assert.equal(shape(out), report(...groups.map((group): [string, string, string] => [...group])))
  const kept = JSON.parse(await readFile(path.join(folder, 'bench.json'), 'utf8')) as { date: string; versions: string; groups: { name: string; kinds: { to: string; ways: { name: string; median: number; times: number[] }[] }[] }[] }
  assert.deepEqual(kept.groups.map(({ name, kinds }) => [name, ...kinds.map(({ to, ways }) => [to, ...ways.map((way) => way.name)])]), groups.map(([name, json, rows]) => [name, ['JSON', 'Rowjet', json], ['rows', 'Rowjet', rows]]))
  for (const { median, times } of kept.groups.flatMap(({ kinds }) => kinds.flatMap(({ ways }) => ways))) {
    assert.equal(times.length, 2)
    assert.equal(median, Math.max(...times))
    assert.ok(Math.min(...times) > 0)
  }
})

test('bench: what is refused', async () => {
  await fails(2, '--rounds is a number from 1 to 999,999, not "0"', 'bench', '--rounds', '0')
  await fails(2, '--rows is a number of movies from 1 to 1,000,000, not "x"', 'bench', '--rows', 'x')
  await fails(2, '--rows is a number of movies from 1 to 1,000,000, not "1000001"', 'bench', '--rows', '1000001')
  // Before anything is measured.
  await fails(1, "ENOENT: no such file or directory, open 'none/bench.json'", 'bench', '--json', 'none/bench.json')
  await fails(1, "EISDIR: illegal operation on a directory, open '.'", 'bench', '--json', '.')
  await fails(2, 'there is no file "none.db"', 'bench', '--url', 'none.db', '--json', 'no-bench.json')
  assert.ok(!existsSync(path.join(folder, 'no-bench.json')))
  await fails(2, 'there is no file "none.db"', 'bench', '--url', 'none.db')
  await fails(2, 'there is no table Movie; to make it: rowjet seed --url <url> --rows 50000', 'bench', '--url', ':memory:')
  const { code, err } = await rowjet('bench', '--url', 'mysql://user:s3cr@127.0.0.1:1/none')
  assert.equal(code, 1)
  assert.match(err, /^rowjet: [^\n]*ECONNREFUSED[^\n]*\n$/)
})

test('a URL that is none', async () => {
  const message = 'the URL is none: it is scheme://user:password@host:port/database, and in names and passwords # is %23, % is %25, / is %2F, : is %3A, ? is %3F and @ is %40'
  for (const scheme of ['postgres', 'mysql', 'mariadb']) {
    for (const password of ['s3cr#et', 's3cr/et', 's3cr?et']) await fails(2, message, 'seed', '--url', `${scheme}://user:${password}@127.0.0.1:1/none`)
  }
  for (const scheme of ['mysql', 'mariadb']) await fails(2, message, 'seed', '--url', `${scheme}://user:s3cr%et@127.0.0.1:1/none`)
})

test('a turn has as many calls as take 4 ms', async () => {
  const { now } = performance
  let clock = 0
  try {
    performance.now = () => clock
    const calls: number[] = []
    for (const each of [5, 4, 3, 1, 0.25, 0.01]) calls.push(await enough({ run: () => void (clock += each) }, undefined))
    assert.deepEqual(calls, [1, 1, 2, 4, 16, 512])
    assert.equal(await enough({ run: () => 1, timed: true }, undefined), 1)
  } finally {
    performance.now = now
  }
})

test('ways take turns, and must give the same', async () => {
  const calls: string[] = []
  const way = (name: string, more: object = {}): { name: string; times: number[] } => ({ name, run: () => void calls.push(name), times: [], cpu: [], ...more } as never)
  const [a, b, c] = [way('a'), way('b', { every: 2 }), way('c', { run: () => { calls.push('c'); return 7 }, timed: true, calls: 2 })]
  await race([a, b, c], { rounds: 4, seconds: 60, warm: 1, collect: () => void calls.push('collect') })
  assert.deepEqual([a, b, c].map(({ times }) => times.length), [4, 2, 4])
  assert.deepEqual(c.times, [3.5, 3.5, 3.5, 3.5])
  assert.deepEqual(['a', 'b', 'c', 'collect'].map((name) => calls.filter((call) => call === name).length), [5, 3, 10, 13])
  // The time is over after the first five rounds.
  const d = way('d')
  await race([d], { rounds: 100, seconds: 0, warm: 0 })
  assert.equal(d.times.length, 5)

  const same = (text: string): object => ({ name: text[0], run: () => text, check: (value: string) => value.slice(1) })
  await compare('letters', [same('axyz'), same('bxyz'), { name: 'unchecked', run: () => 1 }])
  await assert.rejects(compare('letters', [same('axyz'), same('bxy!')]), { message: 'letters: the results of b and a differ: "xy!" and "xyz"' })
})

test('a progress line on a terminal, and none elsewhere', async () => {
  const { Progress } = await part<{ Progress: new () => { show(done: () => string): void; end(): void } }>('progress.js')
  const { isTTY, write } = process.stderr
  for (const terminal of [true, false]) {
    const written: string[] = []
    try {
      process.stderr.isTTY = terminal
      process.stderr.write = ((text: string) => written.push(text)) as never
      const progress = new Progress()
      progress.show(() => '1 row')
      progress.show(() => '2 rows') // too soon after the first
      progress.end()
      progress.end()
    } finally {
      process.stderr.isTTY = isTTY
      process.stderr.write = write
    }
    assert.deepEqual(written.map((text) => text.replace(/[\d.]+ s/, 'n s')), terminal ? ['\r\u001b[K1 row in n s', '\r\u001b[K'] : [])
  }
})
