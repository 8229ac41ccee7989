// Writes src/errors-gen.ts from driveradapter/errors.tsv, the one table of the
// modules' error codes. With --check it writes nothing and exits 1 if the file is stale.
import { readFileSync, writeFileSync } from 'node:fs'

const tsv = new URL('../../driveradapter/errors.tsv', import.meta.url)
const target = new URL('../src/errors-gen.ts', import.meta.url)

/** @param {string} text the table; @returns {string} the TypeScript file */
export function generate(text) {
  const [head, ...lines] = text.split('\n').filter((line) => line !== '')
  if (head !== 'code\tname\ttext\tadvice') throw new Error('errors.tsv: the first line is not the expected one')
  const entries = lines.map((line) => {
    const fields = line.split('\t')
    if (fields.length !== 4 || !/^[1-9][0-9]*$/.test(fields[0])) throw new Error(`errors.tsv: bad line: ${line}`)
    const [code, name, message, advice] = fields
    const quote = (s) => `'${s.replace(/[\\']/g, '\\$&')}'`
    return `  ${code}: { name: ${quote(name)}, text: ${quote(message)}, advice: ${quote(advice)} },\n`
  })
  return (
    '// Generated from driveradapter/errors.tsv by scripts/gen-errors.mjs: change that table, then run `npm run generate`.\n\n' +
    "/** The modules' errors by their number in the state block (wasm/ABI.md). */\n" +
    `export const moduleErrors = {\n${entries.join('')}} as const\n`
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
