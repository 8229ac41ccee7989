// The Go host on wazero against encoding/json: the benchmarks of the package host, built once and run in turns, each in a
// process of its own, as the other races are.
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { finish, group } from '../race.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(path.join(os.tmpdir(), 'rowjet-bench-'))
const binary = path.join(folder, 'host.test')
try {
  execFileSync('go', ['test', '-c', '-o', binary, './host'], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  const benchmark = (name, benchtime) => ({
    timed: true,
    run: async () => {
      const pattern = name.split('/').map((part) => `^${part}$`).join('/')
      const { stdout } = await promisify(execFile)(binary, ['-test.run', '^$', '-test.bench', pattern, '-test.benchtime', benchtime], { cwd: path.join(root, 'host') })
      const found = [...stdout.matchAll(/^Benchmark\S+\s+\d+\s+([\d.]+) ns\/op/gm)]
      if (found.length !== 1) throw new Error(`one benchmark of ${name} was to run:\n${stdout}`)
      return Number(found[0][1]) / 1e6
    },
  })
  const serialize = await group(
    'Go, 50,000 rows of Movie',
    {
      JSON: {
        'rowjet Serialize': benchmark('BenchmarkSerialize/rowjet', '5x'),
        'rowjet SerializeTo': benchmark('BenchmarkSerialize/rowjet-to-writer', '5x'),
        'rowjet, objects': benchmark('BenchmarkSerialize/rowjet-objects', '5x'),
        'encoding/json of structs': benchmark('BenchmarkSerialize/encoding-json', '5x'),
      },
    },
    { seconds: 20, rounds: 9, warm: 1 },
  )
  serialize.ratio('JSON: rowjet Serialize', 'JSON: encoding/json of structs', 0.5)
  const start = await group(
    'Go, start',
    {
      'first engine': {
        'rowjet, default': benchmark('BenchmarkStart/default', '2x'),
        'rowjet, interpreter': benchmark('BenchmarkStart/interpreter', '2x'),
      },
    },
    { seconds: 6, rounds: 7, warm: 0 },
  )
  start.goal('first engine: rowjet, default', start.time('first engine: rowjet, default'), { most: 15, unit: ' ms' })
  const parallel = await group(
    'Go, 5,000 rows of Movie by several goroutines',
    { JSON: { 'rowjet, 8 goroutines': benchmark('BenchmarkParallel/8', '100x'), 'rowjet, one': benchmark('BenchmarkParallel/1', '100x') } },
    { seconds: 8, rounds: 7, warm: 0 },
  )
  parallel.speed('JSON: rowjet, 8 goroutines', 'JSON: rowjet, one', 1.7)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

await finish()
