// The suite works: every benchmark runs once, with equal results of all ways, and its commands make what they should.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import * as bun from './bun.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const folder = mkdtempSync(path.join(os.tmpdir(), 'rowjet-bench-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

test('every benchmark runs', () => {
  const json = path.join(folder, 'once.json')
  const output = execFileSync(process.execPath, ['run.mjs', '--once', '--json', json], { cwd: here, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NO_COLOR: '1' } })
  const { once, machine, parts } = JSON.parse(readFileSync(json, 'utf8'))
  assert.equal(once, true)
  assert.equal(machine.versions.Node, process.versions.node)
  const benchmarks = Object.fromEntries(Object.entries(parts).map(([part, { groups }]) => [part, groups.reduce((sum, { cases }) => sum + cases.length, 0)]))
  const withBun = bun.version === undefined ? 0 : 1
  assert.deepEqual(benchmarks, { pg: 40 + 6 * withBun, mysql: 2 * (2 * 10 + 4), 'result-sets': 12 * 8, types: 16 * 6, sqlite: 2 * 15 + 3, start: 3 * 4, go: 8 })
  const total = Object.values(benchmarks).reduce((a, b) => a + b)
  assert.match(output, new RegExp(`\\n${total} benchmarks in \\d+ groups, one round each\\n$`))
  for (const { groups } of Object.values(parts)) {
    for (const { name, cases, goals } of groups) {
      for (const entry of cases) assert.ok(entry.rounds === 1 && entry.median > 0, `${name}, ${entry.name}: ${entry.median}`)
      for (const { what, value } of goals) assert.ok(value > 0, `${name}, ${what}: ${value}`)
    }
  }
})
