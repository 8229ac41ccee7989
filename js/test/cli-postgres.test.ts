import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { command, run, type Outcome } from './command.js'
import { postgresURL } from './postgres.js'

const rowjet = (...args: string[]): Promise<Outcome> => run(['query', ...args])

let folder: string
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'rowjet-'))
})
after(() => rm(folder, { recursive: true }))

const sql = "SELECT i AS id, 'é' || i AS t, i / 2.0 AS n FROM generate_series(1, 2) i"

test('all formats', async () => {
  const wanted = {
    array: '{"columns":["id","t","n"],"types":["int","string","decimal"],"rows":[[1,"é1","0.50000000000000000000"],[2,"é2","1.00000000000000000000"]]}\n',
    objects: '[{"id":1,"t":"é1","n":"0.50000000000000000000"},{"id":2,"t":"é2","n":"1.00000000000000000000"}]\n',
    ndjson: '{"id":1,"t":"é1","n":"0.50000000000000000000"}\n{"id":2,"t":"é2","n":"1.00000000000000000000"}\n',
  }
  for (const format of ['array', 'objects', 'ndjson'] as const) assert.deepEqual(await rowjet('--url', postgresURL, sql, '--format', format), { code: 0, out: wanted[format], err: '' })
  const { code, out } = await rowjet('--url', postgresURL, sql, '--format', 'table')
  assert.equal(code, 0)
  assert.deepEqual(out.split('\n').slice(2), [' 1 | é1 | 0.50000000000000000000', ' 2 | é2 | 1.00000000000000000000', '(2 rows)', ''])
  assert.equal((await rowjet('--url', postgresURL.replace('postgres:', 'postgresql:'), 'SELECT 1 AS a')).out, '{"columns":["a"],"types":["int"],"rows":[[1]]}\n')
})

test('a file, and none after an error on the way', async () => {
  const out = path.join(folder, 'out.ndjson')
  assert.deepEqual(await rowjet('--url', postgresURL, 'SELECT generate_series(1, 100000) AS i', '--format', 'ndjson', '--out', out), { code: 0, out: '', err: '' })
  assert.equal((await readFile(out, 'utf8')).split('\n').length, 100_001)
  const broken = await rowjet('--url', postgresURL, "SELECT i, repeat('x', 100), 1 / (50000 - i) FROM generate_series(1, 100000) i", '--out', path.join(folder, 'broken.json'))
  assert.deepEqual(broken, { code: 1, out: '', err: 'rowjet: division by zero\n' })
  assert.ok(!existsSync(path.join(folder, 'broken.json')))
})

test('a reader that has had enough ends it', async () => {
  const child = spawn(process.execPath, [command, 'query', '--url', postgresURL, 'SELECT a, b FROM generate_series(1, 10000) a, generate_series(1, 10000) b', '--format', 'ndjson'])
  let err = ''
  child.stderr.on('data', (chunk) => (err += String(chunk)))
  await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()))
  child.stdout.destroy()
  const code = await new Promise((resolve) => child.once('close', resolve))
  assert.deepEqual([code, err], [0, ''])
})

test('errors: one line, an exit code, no password', async () => {
  const url = new URL(postgresURL)
  const fails = async (address: string, statement: string, message: RegExp, exit = 1): Promise<void> => {
    const { code, out, err } = await rowjet('--url', address, statement)
    assert.deepEqual([code, out], [exit, ''])
    assert.match(err, /^rowjet: [^\n]+\n$/)
    assert.match(err, message)
    assert.ok(!err.includes('s3cr'), err)
  }
  await fails(postgresURL, 'SELEC', /syntax error at or near "SELEC"/)
  await fails(postgresURL, 'SELECT * FROM nothing', /relation "nothing" does not exist/)
  url.password = 's3cr%40t'
  await fails(url.href, 'SELECT 1', /password authentication failed for user/)
  await fails('postgres://user:s3cr@127.0.0.1:1/none', 'SELECT 1', /ECONNREFUSED/)
  await fails('postgres://user:s3cr@localhost:1/none', 'SELECT 1', /ECONNREFUSED/)
  await fails('postgres://user:s3cr@host.invalid/none', 'SELECT 1', /ENOTFOUND|EAI_AGAIN/)
  await fails('postgres://user:s3cr/t@[/none', 'SELECT 1', /the URL is none: .* \/ is %2F/, 2)
})
