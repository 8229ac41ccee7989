// Packs the built package and has publint and attw look at the tarball: exports, types and conditions.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const bin = (name) => path.join(root, 'node_modules/.bin', name)
const folder = mkdtempSync(path.join(tmpdir(), 'rowjet-pack-'))
try {
  const packed = JSON.parse(execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root, encoding: 'utf8' }).replace(/^[^[{]*/, ''))
  const [{ filename, size, entryCount, files }] = Object.values(packed)
  const tarball = path.join(folder, filename)
  const paths = files.map((file) => file.path)
  for (const wanted of ['LICENSE', 'package.json', 'dist/postgres.wasm', 'dist/mysql.wasm', 'dist/sqlite.wasm', 'dist/cli/rowjet.js']) {
    if (!paths.includes(wanted)) throw new Error(`the tarball has no ${wanted}`)
  }
  const stray = paths.filter((file) => !/^(dist\/|LICENSE$|README\.md$|package\.json$)/.test(file))
  if (stray.length > 0) throw new Error(`the tarball has files that are none of its business: ${stray.join(', ')}`)
  execFileSync(bin('publint'), ['run', tarball, '--strict'], { stdio: 'inherit' })
  // The package is ESM only; .wasm files are no JavaScript.
  execFileSync(bin('attw'), [tarball, '--profile', 'esm-only', '--no-emoji'], { stdio: 'inherit' })
  console.log(`${filename}: ${size.toLocaleString('en')} bytes, ${entryCount} files`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
