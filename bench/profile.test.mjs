// The profiler tells Go functions by their names.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

test('a short run names functions of the engine', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'rowjet-profile-'))
  try {
    const out = path.join(folder, 'profile.html')
    const printed = execFileSync(process.execPath, ['profile.mjs', '--seconds', '1', '--out', out], { cwd: fileURLToPath(new URL('.', import.meta.url)), encoding: 'utf8' })
    const page = readFileSync(out, 'utf8')
    for (const name of ['engine.(*Engine).read', 'jsontext.(*Writer).String', 'number.ParseInt']) {
      assert.ok(printed.includes(`Go  ${name}\n`), `${name} is not among the functions with the most time:\n${printed}`)
      assert.ok(page.includes(`<div class="wasm"`) && page.includes(`>${name}</div>`), `${name} is not in the flame graph`)
    }
    assert.ok(!printed.includes('wasm-function['), `a function has no name:\n${printed}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
