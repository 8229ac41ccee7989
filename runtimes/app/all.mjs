// The checks and the cases; the entries are those that the runtime finds by these names.
import { createEngine as mysql } from 'rowjet/mysql'
import { createEngine as postgres } from 'rowjet/postgres'
import { createEngine as sqlite } from 'rowjet/sqlite'
import files from './cases.mjs'
import { check } from './checks.mjs'
import { casesOf, runCases } from './kit.mjs'

/** See check() for the sources. */
export async function all(sources) {
  const checks = await check({ postgres, mysql, sqlite }, sources)
  const cases = Object.entries(files).flatMap(([file, text]) => casesOf(file, text))
  const engines = { postgres: await postgres(), mysql: await mysql(), sqlite: await sqlite() }
  return { checks, cases: await runCases(cases, engines), buffer: typeof globalThis.Buffer !== 'undefined' }
}
