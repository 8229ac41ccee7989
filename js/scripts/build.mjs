// Builds dist/: the compiled sources, the modules with their types, their inline twins, and the licence.
//
//   node scripts/build.mjs [--pack]
//
// --pack is for what is published: declarations that only the package's own modules use are left out, and code is on one
// line. Names stay as they are, for stack traces and debuggers; RATIONALE.md tells what that is worth.
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { inlineText } from './inline.mjs'
import { pruneTypes } from './types.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = path.join(root, 'dist')
const require = createRequire(import.meta.url)
const tsc = path.join(path.dirname(require.resolve('typescript/package.json')), 'bin/tsc')

const compile = (project, ...options) => execFileSync(process.execPath, [tsc, '-p', project, ...options], { cwd: root, stdio: 'inherit' })

rmSync(dist, { recursive: true, force: true })
// Comments are for readers of the sources, and of the types: without them the package is smaller by 25 kB.
compile('tsconfig.json', '--emitDeclarationOnly')
compile('tsconfig.json', '--removeComments', '--declaration', 'false')

const packed = process.argv.includes('--pack')
const { exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
if (packed) pruneTypes(dist, new Set(Object.values(exports).flatMap(({ types }) => (types === undefined || types.endsWith('/module.d.ts') ? [] : [path.basename(types)]))))

for (const dialect of ['postgres', 'mysql', 'sqlite']) {
  const wasm = path.join(root, '../wasm/dist', `${dialect}.wasm`)
  if (!existsSync(wasm)) {
    console.error(`${dialect}.wasm is missing: run \`make wasm\` first`)
    process.exit(1)
  }
  copyFileSync(wasm, path.join(dist, `${dialect}.wasm`))
  writeFileSync(
    path.join(dist, `${dialect}.inline.js`),
    `// The module as text, for single-file bundles.
import { entry } from './engine.js'
import { bytesOfText } from './inline.js'

export * from './common.js'

export const createEngine = entry('${dialect}', () => bytesOfText(${inlineText(readFileSync(wasm))}))
`,
  )
}
writeFileSync(
  path.join(dist, 'module.d.ts'),
  '/** The module, in runtimes and bundlers that give a compiled module for an import. */\ndeclare const module: WebAssembly.Module\nexport default module\n',
)
compile('cli/tsconfig.json')
if (packed) {
  const { transformSync } = await import('esbuild')
  for (const file of readdirSync(dist, { recursive: true })) {
    if (!file.endsWith('.js')) continue
    const { code } = transformSync(readFileSync(path.join(dist, file), 'utf8'), { minifyWhitespace: true, target: 'es2022', charset: 'utf8' })
    writeFileSync(path.join(dist, file), code)
  }
}
chmodSync(path.join(dist, 'cli/rowjet.js'), 0o755)
for (const file of ['LICENSE', 'README.md']) {
  const source = path.join(root, '..', file)
  if (existsSync(source)) copyFileSync(source, path.join(root, file))
}
