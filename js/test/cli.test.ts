import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import { command, run, type Outcome } from './command.js'

// Modules of the command that tests look at one by one.
const part = async <T>(name: string): Promise<T> => (await import(pathToFileURL(path.join(path.dirname(command), name)).href)) as T

const rowjet = (...args: string[]): Promise<Outcome> => run(args, { cwd: folder })

let folder: string
let file: string

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'rowjet-'))
  file = path.join(folder, 'movies.db')
  const Database = createRequire(import.meta.url)('better-sqlite3') as new (file: string) => { exec(sql: string): void; close(): void }
  const database = new Database(file)
  database.exec(`
    CREATE TABLE movies (id INTEGER PRIMARY KEY, title TEXT, year SMALLINT, rating REAL, seen BOOLEAN, poster BLOB, views BIGINT, price DECIMAL(10,2), any_thing);
    INSERT INTO movies VALUES (1, 'Häxan', 1922, 7.6, 1, x'00ff', 9007199254740993, 1.5, 'x'), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 5);
    CREATE TABLE mixed (a INT, b DATETIME);
    INSERT INTO mixed VALUES (1, '2024-02-29 12:00:00'), ('text', NULL), (1.5, 'never');
    CREATE TABLE many (n INTEGER, t TEXT);
    WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 50000) INSERT INTO many SELECT n, 'row ' || n FROM c;
  `)
  database.close()
})
after(() => rm(folder, { recursive: true }))

test('SQLite: declared types by name and affinity, exact integers', async () => {
  const { code, out, err } = await rowjet('query', '--url', `sqlite:${file}`, 'SELECT * FROM movies')
  assert.deepEqual([code, err], [0, ''])
  assert.equal(
    out,
    '{"columns":["id","title","year","rating","seen","poster","views","price","any_thing"],"types":["int","string","int","double","bool","bytes","bigint","decimal","unknown"],' +
      '"rows":[[1,"Häxan",1922,7.6,true,"AP8=","9007199254740993","1.5","x"],[2,null,null,null,null,null,null,null,5]]}\n',
  )
})

test('SQLite: a path is enough', async () => {
  for (const url of [file, `sqlite:${file}`, `file:${file}`, path.relative(folder, file), `./${path.basename(file)}`]) {
    assert.deepEqual(await rowjet('query', '--url', url, 'SELECT title FROM movies WHERE id = 1', '--format', 'ndjson'), { code: 0, out: '{"title":"Häxan"}\n', err: '' }, url)
  }
  assert.equal((await rowjet('query', '--url', ':memory:', 'SELECT 1 AS a', '--format', 'ndjson')).out, '{"a":1}\n')
})

test('SQLite: expressions, mixed columns, statements', async () => {
  const run = async (sql: string, ...more: string[]): Promise<string> => {
    const { code, out, err } = await rowjet('query', '--url', `sqlite:${file}`, sql, ...more)
    assert.deepEqual([code, err], [0, ''])
    return out
  }
  assert.equal(await run("SELECT 1 + 1 AS a, 'x' || 'y' AS b, 1.5 AS c, x'01' AS d, NULL AS e, 9007199254740993 AS f"), '{"columns":["a","b","c","d","e","f"],"types":["int","string","double","bytes","int","bigint"],"rows":[[2,"xy",1.5,"AQ==",null,"9007199254740993"]]}\n')
  assert.equal(await run('SELECT * FROM mixed'), '{"columns":["a","b"],"types":["unknown","unknown"],"rows":[[1,"2024-02-29 12:00:00"],["text",null],[1.5,"never"]]}\n')
  assert.equal(await run('SELECT a FROM mixed WHERE a = 1', '--format', 'objects'), '[{"a":1}]\n')
  assert.equal(await run('SELECT n, t FROM many WHERE n > 49998', '--format', 'ndjson'), '{"n":49999,"t":"row 49999"}\n{"n":50000,"t":"row 50000"}\n')
  assert.equal(await run('INSERT INTO mixed VALUES (7, NULL) RETURNING a'), '{"columns":["a"],"types":["int"],"rows":[[7]]}\n')
  assert.equal(await run('DELETE FROM mixed WHERE a = 7'), '{"columns":[],"types":[],"rows":[]}\n')
  assert.equal(await run('SELECT count(*) AS n FROM mixed WHERE a = 7'), '{"columns":["n"],"types":["int"],"rows":[[0]]}\n')
  const all = JSON.parse(await run('SELECT * FROM many')) as { rows: unknown[][] }
  assert.equal(all.rows.length, 50_000)
  assert.deepEqual(all.rows[49_999], [50_000, 'row 50000'])
})

test('PGlite', async () => {
  const memory = await rowjet('query', '--url', 'pglite:', "SELECT 1 AS a, 'x' AS b")
  assert.deepEqual(memory, { code: 0, out: '{"columns":["a","b"],"types":["int","string"],"rows":[[1,"x"]]}\n', err: '' })
  const data = path.join(folder, 'pgdata')
  const instance = await PGlite.create(data)
  await instance.exec('CREATE TABLE kept AS SELECT 1.50::numeric AS price')
  await instance.close()
  assert.equal((await rowjet('query', '--url', `pglite:${data}`, 'SELECT * FROM kept', '--format', 'ndjson')).out, '{"price":"1.50"}\n')
})

test('a table', async () => {
  const { out } = await rowjet('query', '--url', `sqlite:${file}`, 'SELECT id, title, year, seen FROM movies', '--format', 'table')
  assert.equal(out, ['id | title | year | seen', '---+-------+------+-----', ' 1 | Häxan | 1922 | true', ' 2 | NULL  | NULL | NULL', '(2 rows)', ''].join('\n'))
  const { table } = await part<{ table(document: object): string }>('table.js')
  const wide = table({ columns: ['a\n', '漢字'], types: ['string', 'json'], rows: [['\u001b[31m', { x: [1] }], ['e\u0301', null]] })
  assert.equal(wide, ['a\\n        | 漢字', '-----------+----------', '\\u001b[31m | {"x":[1]}', 'e\u0301          | NULL', '(2 rows)', ''].join('\n'))
})

test('--out: a file, and none after an error', async () => {
  const out = path.join(folder, 'out.json')
  assert.deepEqual(await rowjet('query', '--url', `sqlite:${file}`, '--out', out, 'SELECT id FROM movies'), { code: 0, out: '', err: '' })
  assert.equal(await readFile(out, 'utf8'), '{"columns":["id"],"types":["int"],"rows":[[1],[2]]}')
  const failed = await rowjet('query', '--url', `sqlite:${file}`, '--out', out, "SELECT n, json_extract(CASE WHEN n = 40000 THEN '{' ELSE '{}' END, '$') AS j FROM many")
  assert.equal(failed.code, 1)
  assert.match(failed.err, /^rowjet: malformed JSON\n$/)
  // A file that was there before stays, also if the first read fails.
  await writeFile(out, 'precious')
  assert.equal((await rowjet('query', '--url', ':memory:', '--out', out, 'SELECT abs(-9223372036854775808)')).code, 1)
  assert.equal(await readFile(out, 'utf8'), 'precious')
  assert.deepEqual((await readdir(folder)).filter((name) => name.includes('partial')), [])
  const nowhere = await rowjet('query', '--url', `sqlite:${file}`, '--out', path.join(folder, 'none', 'x'), 'SELECT 1')
  assert.equal(nowhere.code, 1)
  assert.match(nowhere.err, /^rowjet: ENOENT: no such file or directory.*\n$/)
  assert.ok(!existsSync(path.join(folder, 'none')))
})

test('errors: one clear line, and an exit code', async () => {
  const fails = async (code: number, message: string | RegExp, ...args: string[]): Promise<void> => {
    const outcome = await rowjet(...args)
    assert.equal(outcome.code, code, outcome.err)
    assert.match(outcome.err, /^rowjet: .+\n$/)
    if (typeof message === 'string') assert.equal(outcome.err, `rowjet: ${message}\n`)
    else assert.match(outcome.err, message)
  }
  await fails(2, 'there is no command "quary": see rowjet --help', 'quary')
  await fails(2, 'which database? Give --url, such as --url sqlite:file.db', 'query', 'SELECT 1')
  await fails(2, 'which query? Give one SQL statement, in quotes', 'query', '--url', 'pglite:')
  await fails(2, 'there is more than one query: put the SQL statement in quotes', 'query', '--url', 'pglite:', 'SELECT', '1')
  await fails(2, 'the format is one of array, objects, ndjson, table, not "csv"', 'query', '--url', 'pglite:', 'SELECT 1', '--format', 'csv')
  await fails(2, /Unknown option '--formt'/, 'query', '--formt', 'x')
  await fails(2, `there is no file "none.db"`, 'query', '--url', 'sqlite:none.db', 'SELECT 1')
  await fails(2, `there is no folder "none"`, 'query', '--url', 'pglite:none', 'SELECT 1')
  await fails(2, 'there is no file "none.db"', 'query', '--url', 'none.db', 'SELECT 1')
  await fails(2, 'there is no driver for oracle: URLs: it is postgres://…, mysql://…, mariadb://…, pglite:, pglite:<folder>, sqlite:<file>, or the path of a SQLite file', 'query', '--url', 'oracle:x', 'SELECT 1')
  await fails(2, 'the folder "." is not one of PGlite', 'query', '--url', 'pglite:.', 'SELECT 1')
  await fails(1, 'no such table: missing', 'query', '--url', `sqlite:${file}`, 'SELECT * FROM missing')
  await fails(1, 'relation "nothing" does not exist', 'query', '--url', 'pglite:', 'SELECT * FROM nothing')
  const text = path.join(folder, 'text.db')
  await writeFile(text, 'no database at all, only some text that is long enough to be read as a header')
  await fails(1, 'file is not a database', 'query', '--url', `sqlite:${text}`, 'SELECT * FROM x')
  assert.deepEqual((await rowjet('--help')).code, 0)
  assert.match((await rowjet()).out, /^usage: rowjet query --url/)
})

test('passwords stay out of what is printed', async () => {
  const { err } = await rowjet('query', '--url', 'weird://user:s3cr%40t:x@host/db', 'SELECT 1')
  assert.ok(!err.includes('s3cr'), err)
  const { redact } = await part<{ redact(text: string, args: string[]): string }>('url.js')
  const args = ['--url=postgres://user:s3cr%40t@host/db']
  assert.equal(redact('can not reach postgres://user:s3cr%40t@host/db as s3cr@t', args), 'can not reach postgres://user:***@host/db as ***')
  assert.equal(redact('x p@ss:word/?# y', ['mysql://u:p@ss:word/?#@h/db']), 'x *** y')
  assert.equal(redact('at host h as p@x', ['postgres://u:p@x@h/db']), 'at host h as ***')
  assert.equal(redact('no route to p@h, p', ['postgres://u:p@h/db?application_name=a@b']), 'no route to ***@h, ***')
  assert.equal(redact('a password has an a', ['postgres://u:a@h']), '*** password has an ***')
  assert.equal(redact('GET libsql://h?authToken=abc.def-1 and abc.def-1', ['libsql://h?tls=0&authToken=abc.def-1']), 'GET libsql://h?authToken=*** and ***')
  assert.equal(redact('x hidden y', ['--url=postgres://h/db?user=u&password=hidden&sslmode=on']), 'x *** y')
  assert.equal(redact('plain', ['postgres://user@host/db', 'SELECT 1']), 'plain')
})
