// Runs the tests on the built package (npm run build), with real database servers:
//   npm test [-- file.test.js …]
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const require = createRequire(import.meta.url)

if (!existsSync(path.join(root, 'dist/cli/rowjet.js'))) {
  console.error('the package is not built: run `npm run build` first')
  process.exit(1)
}

// An install with --ignore-scripts, as for the demo, leaves the one native driver without its binary.
try {
  new (require('better-sqlite3'))(':memory:').close()
} catch {
  execFileSync('npm', ['rebuild', 'better-sqlite3'], { cwd: root, stdio: 'inherit' })
}

rmSync(path.join(root, 'build'), { recursive: true, force: true })
const tsc = path.join(path.dirname(require.resolve('typescript/package.json')), 'bin/tsc')
execFileSync(process.execPath, [tsc, '-p', 'test/tsconfig.json'], { cwd: root, stdio: 'inherit' })

const named = process.argv.slice(2)
const files = (named.length > 0 ? named : readdirSync(path.join(root, 'build')).filter((file) => file.endsWith('.test.js'))).map((file) => path.join('build', path.basename(file)))
// One file at a time: some measure memory, and the servers are shared.
const { status } = spawnSync('../scripts/servers.sh', [process.execPath, '--expose-gc', '--test', '--test-concurrency=1', ...files], { cwd: root, stdio: 'inherit' })
process.exit(status ?? 1)
