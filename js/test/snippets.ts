// The snippets of documentation, as tests.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

/** Turns `expression // → value` into a check. */
export function checked(code: string): { code: string; checks: number } {
  let checks = 0
  const lines = code.split('\n').map((line) => {
    const found = /^(\s*)(.*?)\s+\/\/ → (.*)$/.exec(line)
    if (found === null) return line
    checks++
    return `${found[1]}assert.deepEqual(await (${found[2].replace(/^;/, '')}), ${found[3]})`
  })
  return { code: `import assert from 'node:assert/strict'\n${lines.join('\n')}`, checks }
}

/** Tests the snippets of a page, by default a driver's, of which there are `count`. They find the database's URL in DATABASE_URL. */
export async function testPage(name: string, count: number, url: string, file = `docs/drivers/${name}.md`): Promise<void> {
  const page = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8')
  const snippets = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code)

  test(`${name}: there are snippets`, () => {
    assert.equal(snippets.length, count)
  })

  for (const [i, snippet] of snippets.entries()) {
    test(`${name}: snippet ${i + 1}`, async () => {
      const { code, checks } = checked(snippet)
      assert.ok(checks > 0)
      // Inside of the package, so that its name and the drivers' are found.
      const file = fileURLToPath(new URL(`snippet-${name}-${i + 1}.mjs`, import.meta.url))
      await writeFile(file, `${code}\nconsole.log('done')\n`)
      try {
        const output = await new Promise<string>((resolve, reject) => {
          execFile(process.execPath, ['--no-warnings', file], { env: { ...process.env, DATABASE_URL: url } }, (error, out) => (error === null ? resolve(out) : reject(error)))
        })
        assert.equal(output, 'done\n')
      } finally {
        await rm(file)
      }
    })
  }
}
