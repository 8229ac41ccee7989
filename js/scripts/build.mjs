// Builds dist/: the compiled sources, the modules with their types, their inline twins, and the licence.
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = path.join(root, 'dist')
const require = createRequire(import.meta.url)
const tsc = path.join(path.dirname(require.resolve('typescript/package.json')), 'bin/tsc')

const compile = (project, ...options) => execFileSync(process.execPath, [tsc, '-p', project, ...options], { cwd: root, stdio: 'inherit' })

rmSync(dist, { recursive: true, force: true })
// Comments are for readers of the sources, and of the types: without them the package is smaller by 25 kB.
compile('tsconfig.json', '--emitDeclarationOnly')
compile('tsconfig.json', '--removeComments', '--declaration', 'false')

for (const dialect of ['postgres', 'mysql', 'sqlite']) {
  const wasm = path.join(root, '../wasm/dist', `${dialect}.wasm`)
  if (!existsSync(wasm)) {
    console.error(`${dialect}.wasm is missing: run \`make wasm\` first`)
    process.exit(1)
  }
  copyFileSync(wasm, path.join(dist, `${dialect}.wasm`))
  writeFileSync(
    path.join(dist, `${dialect}.wasm.d.ts`),
    '/** The module, in runtimes and bundlers that give a compiled module for an import. */\ndeclare const module: WebAssembly.Module\nexport default module\n',
  )
  writeFileSync(
    path.join(dist, `${dialect}.inline.js`),
    `// The module as text, for single-file bundles.
import { entry } from './engine.js'
import { bytesOfBase64 } from './rows.js'

export * from './common.js'

export const createEngine = entry('${dialect}', () => bytesOfBase64(base64))

const base64 =
  '${readFileSync(wasm).toString('base64')}'
`,
  )
}
compile('cli/tsconfig.json')
chmodSync(path.join(dist, 'cli/rowjet.js'), 0o755)
for (const file of ['LICENSE', 'README.md']) {
  const source = path.join(root, '..', file)
  if (existsSync(source)) copyFileSync(source, path.join(root, file))
}
