import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { command, run, type Outcome } from './command.js'
import { mariadbURL, mysqlURL } from './mysql.js'

const rowjet = (...args: string[]): Promise<Outcome> => run(['query', ...args])

let folder: string
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'rowjet-'))
})
after(() => rm(folder, { recursive: true }))

const sql = "SELECT seq AS id, CONCAT('é', seq) AS t, seq / 2 AS n FROM seq_1_to_2"

for (const url of [mysqlURL, mariadbURL]) {
  const scheme = url.slice(0, url.indexOf(':'))

  test(`${scheme}: all formats`, async () => {
    const wanted = {
      array: '{"columns":["id","t","n"],"types":["bigint","string","decimal"],"rows":[["1","é1","0.5000"],["2","é2","1.0000"]]}\n',
      objects: '[{"id":"1","t":"é1","n":"0.5000"},{"id":"2","t":"é2","n":"1.0000"}]\n',
      ndjson: '{"id":"1","t":"é1","n":"0.5000"}\n{"id":"2","t":"é2","n":"1.0000"}\n',
    }
    for (const format of ['array', 'objects', 'ndjson'] as const) assert.deepEqual(await rowjet('--url', url, sql, '--format', format), { code: 0, out: wanted[format], err: '' })
    const { code, out } = await rowjet('--url', url, sql, '--format', 'table')
    assert.equal(code, 0)
    assert.deepEqual(out.split('\n').slice(2), [' 1 | é1 | 0.5000', ' 2 | é2 | 1.0000', '(2 rows)', ''])
    // Instants do not depend on the server's time zone.
    assert.equal((await rowjet('--url', url, 'SELECT FROM_UNIXTIME(0) AS t')).out, '{"columns":["t"],"types":["datetime"],"rows":[["1970-01-01T00:00:00+00:00"]]}\n')
  })

  test(`${scheme}: a file, and none after an error on the way`, async () => {
    const out = path.join(folder, `${scheme}.ndjson`)
    assert.deepEqual(await rowjet('--url', url, 'SELECT seq AS i FROM seq_1_to_100000', '--format', 'ndjson', '--out', out), { code: 0, out: '', err: '' })
    assert.equal((await readFile(out, 'utf8')).split('\n').length, 100_001)
    const failing = "SELECT REPEAT('x', 100) AS x, (SELECT seq FROM seq_1_to_2 WHERE seq <= 1 + (a.seq > 50000)) AS y FROM seq_1_to_100000 a"
    const broken = await rowjet('--url', url, failing, '--out', path.join(folder, 'broken.json'))
    assert.deepEqual([broken.code, broken.out], [1, ''])
    assert.match(broken.err, /^rowjet: .*Subquery returns more than 1 row[^\n]*\n$/)
    assert.ok(!existsSync(path.join(folder, 'broken.json')))
  })

  test(`${scheme}: a reader that has had enough ends it`, async () => {
    const child = spawn(process.execPath, [command, 'query', '--url', url, 'SELECT a.seq, b.seq AS c FROM seq_1_to_100000 a, seq_1_to_100000 b', '--format', 'ndjson'])
    let err = ''
    child.stderr.on('data', (chunk) => (err += String(chunk)))
    await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()))
    child.stdout.destroy()
    const code = await new Promise((resolve) => child.once('close', resolve))
    assert.deepEqual([code, err], [0, ''])
  })

  test(`${scheme}: errors: one line, an exit code, no password`, async () => {
    const fails = async (address: string, statement: string, message: RegExp): Promise<void> => {
      const { code, out, err } = await rowjet('--url', address, statement)
      assert.deepEqual([code, out], [1, ''])
      assert.match(err, /^rowjet: [^\n]+\n$/)
      assert.match(err, message)
      assert.ok(!err.includes('s3cr'), err)
    }
    await fails(url, 'SELEC', /near 'SELEC'/)
    await fails(url, 'SELECT * FROM nothing', /doesn't exist/)
    const other = new URL(url)
    other.password = 's3cr%40t'
    await fails(other.href, 'SELECT 1', /Access denied/)
    await fails(`${scheme}://user:s3cr@127.0.0.1:1/none`, 'SELECT 1', /ECONNREFUSED/)
  })
}
