// The snippets of docs/typed-rows.md run, one after the other, and give what their comments say.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { checked } from './snippets.js'

test('the snippets', () => {
  const page = readFileSync(new URL('../../docs/typed-rows.md', import.meta.url), 'utf8')
  const code = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, snippet]) => snippet).join('')
  const { code: checkedCode, checks } = checked(code)
  assert.equal(checks, 6)
  // Inside of the package, so that its name is found.
  const file = fileURLToPath(new URL('snippet-typed-rows.mjs', import.meta.url))
  writeFileSync(file, `${checkedCode}\nconsole.log('done')\n`)
  try {
    assert.equal(execFileSync(process.execPath, [file], { encoding: 'utf8' }), 'done\n')
  } finally {
    rmSync(file)
  }
})
