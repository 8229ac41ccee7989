// Writes src/errors-gen.ts from driveradapter/errors.tsv, the one table of the
// modules' error codes. With --check it writes nothing and exits 1 if the file is stale.
import { readFileSync, writeFileSync } from 'node:fs'

const tsv = new URL('../../driveradapter/errors.tsv', import.meta.url)
const target = new URL('../src/errors-gen.ts', import.meta.url)

/** @param {string} text the table; @returns {string} the TypeScript file */
export function generate(text) {
  const [head, ...lines] = text.split('\n').filter((line) => line !== '')
  if (head !== 'code\tname\ttext\tadvice') throw new Error('errors.tsv: the first line is not the expected one')
  const entries = []
  for (const line of lines) {
    const fields = line.split('\t')
    const code = Number(fields[0])
    if (fields.length !== 4 || !/^[1-9][0-9]*$/.test(fields[0]) || entries[code] !== undefined) throw new Error(`errors.tsv: bad line: ${line}`)
    if (/[\\`$|]/.test(line)) throw new Error(`errors.tsv: a character that has a meaning here: ${line}`)
    entries[code] = fields.slice(1)
  }
  const rows = Array.from(entries, (entry) => (entry ?? []).join('|'))
  return (
    '// Generated from driveradapter/errors.tsv by scripts/gen-errors.mjs: change that table, then run `npm run generate`.\n\n' +
    '/** The names of the modules\' errors. */\n' +
    `export type ModuleErrorCode =\n${entries.filter(Boolean).map(([name]) => `  | '${name}'\n`).join('')}\n` +
    "/** The modules' errors, in the line of their number in the state block (wasm/ABI.md): name, text, advice. One text, since bundles get smaller by that. */\n" +
    `export const moduleErrors = \`${rows.join('\n')}\`\n`
  )
}

if (process.argv[1] !== undefined && import.meta.url.endsWith(process.argv[1].split(/[\\/]/).pop())) {
  const wanted = generate(readFileSync(tsv, 'utf8'))
  if (process.argv.includes('--check')) {
    if (readFileSync(target, 'utf8') !== wanted) {
      console.error('src/errors-gen.ts is stale: run `npm run generate`')
      process.exit(1)
    }
  } else {
    writeFileSync(target, wanted)
  }
}
