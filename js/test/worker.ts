// Workers with the package, in Cloudflare's own runtime.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Miniflare } from 'miniflare'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))

/** A Worker that has the package as a bundler would lay it out (its entry for workerd, and compiled modules), and a D1 database DB. */
export function workerWithD1(source: string): Miniflare {
  return new Miniflare({
    modules: [
      { type: 'ESModule', path: 'worker.js', contents: source.replace(/'rowjet\/d1'/, "'./dist/d1.js'") },
      ...readdirSync(dist).filter((file) => /^[a-z0-9-]+(\.workerd)?\.js$/.test(file)).map((file) => ({ type: 'ESModule' as const, path: `dist/${file}`, contents: readFileSync(dist + file, 'utf8') })),
      { type: 'ESModule', path: 'dist/rowjet/sqlite', contents: "export * from '../sqlite.workerd.js'" },
      ...['postgres', 'mysql', 'sqlite'].map((name) => ({ type: 'CompiledWasm' as const, path: `dist/${name}.wasm`, contents: readFileSync(`${dist}${name}.wasm`) })),
    ],
    compatibilityDate: '2025-01-01',
    d1Databases: { DB: 'rowjet' },
  })
}
