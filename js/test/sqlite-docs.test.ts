// The snippets of docs/drivers/sqlite.md run, and give what their comments say.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { nodeWithSQLite } from './node22.js'
import { checked } from './snippets.js'
import { workerWithD1 } from './worker.js'

const page = await readFile(new URL('../../docs/drivers/sqlite.md', import.meta.url), 'utf8')
const snippets = [...page.matchAll(/^```js ?(\w*)\n(.*?)^```$/gms)].map(([, where, code]) => ({ where, code }))

test('there are snippets', () => {
  assert.deepEqual(snippets.map(({ where }) => where), ['', '', '', '', '', 'node', '', '', '', 'worker'])
})

for (const [i, { where, code }] of snippets.entries()) {
  test(`snippet ${i + 1}: ${/'rowjet\/[a-z0-9.-]+'/.exec(code)![0]}`, async () => {
    if (where === 'worker') {
      const miniflare = workerWithD1(code)
      try {
        const response = await miniflare.dispatchFetch('http://localhost/')
        assert.equal(await response.text(), '[{"id":1,"name":"x"}]')
      } finally {
        await miniflare.dispose()
      }
      return
    }
    // Inside of the package, so that its name and the drivers' are found.
    const folder = await mkdtemp(path.join(tmpdir(), 'rowjet-'))
    const file = fileURLToPath(new URL(`snippet-${i + 1}.mjs`, import.meta.url))
    const { code: checkedCode, checks } = checked(code)
    assert.ok(checks > 0)
    await writeFile(file, `${checkedCode}\nconsole.log('done')\n`)
    try {
      const output = await new Promise<string>((resolve, reject) => {
        execFile(where === 'node' ? nodeWithSQLite() : process.execPath, ['--no-warnings', file], { cwd: folder }, (error, out) => (error === null ? resolve(out) : reject(error)))
      })
      assert.equal(output, 'done\n')
    } finally {
      await rm(file)
      await rm(folder, { recursive: true })
    }
  })
}
