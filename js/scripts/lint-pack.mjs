// Looks at the tarball that `make pack` made: its files are those that pack-files.txt lists (--update writes the list),
// its size, what publint and attw say about exports, types and conditions, whether the declarations compile, and what the
// files import.
//
//   npm run lint:pack [-- --update]
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const list = path.join(root, 'scripts/pack-files.txt')
const bin = (name) => path.join(root, 'node_modules/.bin', name)
const json = (file) => JSON.parse(readFileSync(file, 'utf8'))
const tarball = path.join(root, `rowjet-${json(path.join(root, 'package.json')).version}.tgz`)

/** In bytes. RATIONALE.md tells what takes them. */
const mostBytes = 310_000

const problems = []

const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n').map((file) => file.replace(/^package\//, '')).sort()
if (process.argv.includes('--update')) writeFileSync(list, `${files.join('\n')}\n`)
const listed = readFileSync(list, 'utf8').trim().split('\n')
for (const file of files) if (!listed.includes(file)) problems.push(`the tarball has ${file}, which is not listed`)
for (const file of listed) if (!files.includes(file)) problems.push(`the tarball has no ${file}`)
if (problems.length > 0) problems.push('if the files are right, npm run lint:pack -- --update lists them')

const { size } = statSync(tarball)
if (size > mostBytes) problems.push(`the tarball has ${size.toLocaleString('en')} bytes, and may have ${mostBytes.toLocaleString('en')}`)

const folder = mkdtempSync(path.join(tmpdir(), 'rowjet-pack-'))
try {
  const unpacked = path.join(folder, 'node_modules/rowjet')
  mkdirSync(unpacked, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1'])
  problems.push(...importProblems(unpacked), ...typeProblems(unpacked))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

execFileSync(bin('publint'), ['run', tarball, '--strict'], { stdio: 'inherit' })
// The package is ESM only; .wasm files are no JavaScript.
try {
  execFileSync(bin('attw'), [tarball, '--profile', 'esm-only', '--no-emoji', '--format', 'ascii'], { encoding: 'utf8' })
} catch (error) {
  problems.push(`attw: ${error.stdout}${error.stderr}`)
}

for (const problem of problems) console.error(problem)
console.log(`${path.basename(tarball)}: ${size.toLocaleString('en')} bytes, ${files.length} files, ${problems.length === 0 ? 'all right' : `${problems.length} problems`}`)
process.exit(problems.length === 0 ? 0 : 1)

/** Declarations that name what they don't have: found by users who have the declarations of libraries checked, and by us. */
function typeProblems(unpacked) {
  const entries = Object.entries(json(path.join(unpacked, 'package.json')).exports).flatMap(([name, { types }]) => (types === undefined ? [] : [path.join('rowjet', name)]))
  if (entries.length < 19) return [`there are only ${entries.length} entries with types`]
  writeFileSync(path.join(folder, 'use.ts'), entries.map((entry, i) => `import * as entry${i} from '${entry}'\nexport { entry${i} }\n`).join(''))
  const compilerOptions = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, module: 'nodenext', target: 'es2023', lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'], skipLibCheck: false, types: [] }
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }))
  try {
    execFileSync(bin('tsc'), ['-p', folder], { encoding: 'utf8' })
    return []
  } catch (error) {
    return error.stdout.trim().split('\n')
  }
}

/**
 * What entries for other runtimes than Node load must not need Node: no module of its own, no Buffer but one that is
 * looked for, and no evaluated code, which pages and Workers forbid.
 */
function importProblems(unpacked) {
  const found = []
  const entries = Object.entries(json(path.join(unpacked, 'package.json')).exports).flatMap(([name, conditions]) => {
    if (typeof conditions === 'string' || conditions.default.endsWith('.wasm')) return []
    // Drivers need what their packages need; those that Workers and browsers have are checked.
    if (conditions.node === undefined && !/inline$|^\.\/(slim|adapter|d1|pglite|sql\.js|sqlite-wasm)$/.test(name)) return []
    return Object.entries(conditions).filter(([condition]) => !['types', 'node', 'deno'].includes(condition)).map(([, file]) => path.join(unpacked, file))
  })
  if (entries.length < 14) found.push(`there are only ${entries.length} entries without Node`)
  const seen = new Set(entries)
  for (const file of seen) {
    const name = path.relative(unpacked, file)
    const code = readFileSync(file, 'utf8').replace(/^\s*(\/\/|\*|\/\*).*$/gm, '')
    if (/(from|import|import\() *['"](node:|buffer|fs|path|stream)/.test(code)) found.push(`${name} imports from Node`)
    if (/(?<![\w.])Buffer\./.test(code)) found.push(`${name} needs Buffer`)
    if (/\beval\(|\bnew Function\b/.test(code)) found.push(`${name} evaluates code`)
    for (const [, specifier] of code.matchAll(/(?:from|import) *['"](\.[^'"]+\.js)['"]/g)) seen.add(path.join(path.dirname(file), specifier))
  }
  if (seen.size < 40) found.push(`only ${seen.size} files were looked at`)
  return found
}
