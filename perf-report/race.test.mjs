// The counter of instructions, the reader of Go's output, and one short race of a build against itself.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { counter, counting } from './count.mjs'
import { allocations, joined } from './go-bench.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

// A module with one function, "f", of one i32 and no result, with this body; a memory and a global, as ours have.
function module(...body) {
  const section = (id, ...content) => [id, content.length, ...content]
  return Uint8Array.of(
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 1, 0x60, 1, 0x7f, 0),
    ...section(3, 1, 0),
    ...section(5, 1, 0, 1),
    ...section(6, 1, 0x7f, 1, 0x41, 0, 0x0b),
    ...section(7, 1, 1, 0x66, 0, 0),
    ...section(10, 1, body.length + 1, 0, ...body),
  )
}

function counted(bytes, argument) {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(counting(bytes)))
  exports.f(argument)
  return Number(exports[counter].value)
}

test('instructions are counted as they are executed', () => {
  assert.equal(counted(module(0x0b), 0), 1)
  // loop; local.get 0, i32.const 1, i32.sub, local.tee 0, br_if 0; end; end
  const loop = module(0x03, 0x40, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b, 0x0b)
  assert.equal(counted(loop, 1), 1 + 5 + 2)
  assert.equal(counted(loop, 1000), 1 + 5 * 1000 + 2)
  // local.get 0; if; nop, nop, nop; else; nop; end; end. A branch that is taken to its end counts the else.
  const choice = module(0x20, 0, 0x04, 0x40, 0x01, 0x01, 0x01, 0x05, 0x01, 0x0b, 0x0b)
  assert.equal(counted(choice, 1), 2 + 4 + 1)
  assert.equal(counted(choice, 0), 2 + 2 + 1)
  // block, block; local.get 0, br_table 0 1; end; nop; end; end
  const table = module(0x02, 0x40, 0x02, 0x40, 0x20, 0, 0x0e, 1, 0, 1, 0x0b, 0x01, 0x0b, 0x0b)
  assert.equal(counted(table, 0), 4 + 2 + 1)
  assert.equal(counted(table, 7), 4 + 1)
  // i64.const -1, drop; f64.const, drop; i32.const 300, i32.const 0, i32.const 8, memory.fill; local.get 0, i32.load8_u, drop; end
  const immediates = module(
    ...[0x42, 0x7f, 0x1a, 0x44, 1, 2, 3, 4, 5, 6, 7, 8, 0x1a],
    ...[0x41, 0xac, 0x02, 0x41, 0, 0x41, 8, 0xfc, 11, 0, 0x20, 0, 0x2d, 0, 0, 0x1a, 0x0b],
  )
  assert.equal(counted(immediates, 0), 12)
})

test('what can not be counted is an error', () => {
  assert.throws(() => counting(module(0xd0, 0x70, 0x1a, 0x0b)), /opcode 0xd0 is not known/)
  assert.throws(() => counting(module(0xfc, 12, 0, 0, 0x0b)), /opcode 0xfc 12 is not known/)
  assert.throws(() => counting(module(0x0b).subarray(0, 40)), /cut off/)
  assert.throws(() => counting(new TextEncoder().encode('<html></html>')), /not a WebAssembly module/)
})

test('the modules that ship can be counted', () => {
  for (const dialect of ['postgres', 'mysql', 'sqlite']) {
    assert.ok(WebAssembly.validate(counting(readFileSync(path.join(root, 'wasm/dist', `${dialect}.wasm`)))), dialect)
  }
})

test('allocations are read from the output of go test', () => {
  const base = allocations(`goos: linux
pkg: github.com/rowjet/rowjet/wasm/internal/engine
BenchmarkMovie-2   	      20	  123456 ns/op	 45.60 MB/s	       0 B/op	       0 allocs/op
BenchmarkOld/多-2     	      20	     1.5 ns/op	      16 B/op	       1 allocs/op
PASS
pkg: github.com/rowjet/rowjet/driveradapter
BenchmarkAppend    	      20	      15 ns/op	       8.2 ns/row	   21645 B/op	      12 allocs/op
`)
  const head = new Map([['driveradapter.BenchmarkAppend', { bytes: 1, allocations: 2 }]])
  assert.deepEqual(joined(base, head), [
    { name: 'driveradapter.BenchmarkAppend', base: { bytes: 21645, allocations: 12 }, head: { bytes: 1, allocations: 2 } },
    { name: 'wasm/internal/engine.BenchmarkMovie', base: { bytes: 0, allocations: 0 }, head: null },
    { name: 'wasm/internal/engine.BenchmarkOld/U+591a', base: { bytes: 16, allocations: 1 }, head: null },
  ])
  assert.throws(() => allocations('PASS\n'), /no benchmark/)
})

const race = (args) => spawnSync(process.execPath, ['perf-report/race.mjs', ...args], { cwd: root, encoding: 'utf8' })

test('arguments that can not be are named', () => {
  const commit = 'a'.repeat(40)
  const good = ['--base', 'js', '--head', 'js', '--base-commit', commit, '--head-commit', commit, '--processes', '1', '--rounds', '1', '--only', 'sqlite one row']
  const hundred = (value) => `--processes is a whole number from 1 to 100, not "${value}"\n`
  for (const [more, message] of [
    [['--processes', 'abc'], hundred('abc')],
    [['--processes', '0'], hundred('0')],
    [['--processes=-1'], hundred('-1')],
    [['--processes', '101'], hundred('101')],
    [['--processes', '1.5'], hundred('1.5')],
    [['--processes='], hundred('')],
    [['--rounds', 'Infinity'], '--rounds is a whole number from 1 to 1000, not "Infinity"\n'],
    [['--base', 'none'], '--base none is not a built package: it has no dist/slim.js\n'],
    [['--head='], '--head is missing\n'],
    [['--head-commit', 'main'], '--head-commit main is not the hash of a commit\n'],
    [['--tool', 'go'], '--tool wants name=version, not go\n'],
    [['--go-base', 'x'], '--go-base and --go-head go together\n'],
    [['--only', 'no such one'], 'no benchmark has "no such one" in its name\n'],
  ]) {
    const { status, stdout, stderr } = race([...good, ...more])
    assert.deepEqual({ status, stdout, stderr }, { status: 2, stdout: '', stderr: message })
  }
  for (const more of [['--turns', '3'], ['more']]) {
    const { status, stdout, stderr } = race([...good, ...more])
    assert.equal(status, 2)
    assert.equal(stdout, '')
    assert.match(stderr, /^(Unknown option '--turns'|Unexpected argument 'more')/)
  }
})

test('benchmarks that only one side has are named', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'race-'))
  try {
    const file = path.join(dir, 'benchmarks.mjs')
    writeFileSync(file, "export const benchmarks = () => ({ 'mysql one row': 0, 'sqlite one row': 0, 'oracle one row': 0, 'oracle Wide': 0 })\n")
    const commit = 'a'.repeat(40)
    const { status, stdout, stderr } = race(['--base', 'js', '--head', 'js', '--base-commit', commit, '--head-commit', commit, '--processes', '1', '--rounds', '1', '--only', 'one row', '--base-benchmarks', file])
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    const { added, removed, unable, benchmarks } = JSON.parse(stdout)
    assert.deepEqual({ added, removed, unable, raced: benchmarks.length }, { added: ['postgres one row'], removed: ['oracle one row'], unable: [], raced: 3 })
  } finally {
    rmSync(dir, { recursive: true })
  }
})

test('a build against itself', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'race-'))
  try {
    const commit = 'a'.repeat(40)
    const args = ['--base', 'js', '--head', 'js', '--base-commit', commit, '--head-commit', commit, '--processes', '1', '--rounds', '1']
    const race = execFileSync(process.execPath, ['perf-report/race.mjs', ...args, '--only', 'one row'], { cwd: root, encoding: 'utf8' })
    const file = path.join(dir, 'race.json')
    writeFileSync(file, race)
    const speed = JSON.parse(execFileSync('go', ['run', './size-report', 'compare', '-race', file, '-gate'], { cwd: root, encoding: 'utf8' }))
    assert.deepEqual(
      speed.results.map(({ name }) => name),
      ['postgres one row', 'mysql one row', 'sqlite one row'],
    )
    assert.deepEqual({ exact: speed.exact, exactSame: speed.exactSame, otherWork: speed.otherWork }, { exact: [], exactSame: 9, otherWork: [] })
  } finally {
    rmSync(dir, { recursive: true })
  }
})
