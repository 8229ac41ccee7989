// Builds the playground into dist/: a folder for any static file server, below any path.
import { createHash } from 'node:crypto'
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('.', import.meta.url))
const dist = path.join(root, 'dist')
const rowjet = path.join(root, '../../js')
const pglite = path.join(root, 'node_modules/@electric-sql/pglite')

rmSync(dist, { recursive: true, force: true })
cpSync(path.join(root, 'static'), dist, { recursive: true })

await build({
  entryPoints: ['src/main.ts', 'src/worker.ts'],
  absWorkingDir: root,
  outdir: dist,
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  logLevel: 'warning',
  legalComments: 'none',
  // PGlite imports these only where it runs in Node.
  external: ['fs', 'fs/promises', 'util', 'zlib', 'stream', 'stream/promises', 'path', 'url', 'crypto', 'node:*'],
  plugins: [{
    name: 'packages of this repository',
    setup({ onResolve, resolve }) {
      // The package finds its own entries by its exports map.
      onResolve({ filter: /^rowjet\// }, ({ path: name, kind, pluginData }) =>
        pluginData === 'inner' ? undefined : resolve(name, { kind, resolveDir: rowjet, pluginData: 'inner' }))
      onResolve({ filter: /^@electric-sql\/pglite$/ }, () => ({ path: path.join(pglite, 'dist/index.js') }))
    },
  }],
})

// What the code finds beside itself, by new URL('./…', import.meta.url).
for (const file of ['pglite.wasm', 'pglite.data', 'initdb.wasm']) copyFileSync(path.join(pglite, 'dist', file), path.join(dist, file))
copyFileSync(path.join(rowjet, 'dist/postgres.wasm'), path.join(dist, 'postgres.wasm'))
copyFileSync(path.join(pglite, 'LICENSE'), path.join(dist, 'LICENSE-pglite.txt'))
copyFileSync(path.join(root, '../../LICENSE'), path.join(dist, 'LICENSE.txt'))

const files = readdirSync(dist).filter((file) => file !== 'sw.js').sort()
const hash = createHash('sha256')
for (const file of files) hash.update(file).update('\0').update(readFileSync(path.join(dist, file)))
const worker = path.join(dist, 'sw.js')
writeFileSync(worker, readFileSync(worker, 'utf8')
  .replace('__VERSION__', hash.digest('hex').slice(0, 16))
  .replace('__FILES__', JSON.stringify(['./', ...files.filter((file) => !file.startsWith('LICENSE'))])))

const total = files.reduce((sum, file) => sum + statSync(path.join(dist, file)).size, 0)
console.log(`examples/playground/dist: ${files.length + 1} files, ${(total / 1e6).toFixed(1)} MB. To look at it: make playground-serve`)
