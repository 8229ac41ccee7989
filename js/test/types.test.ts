// Checked by the compiler: what callers may write, and what they may not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SqlDriverAdapter, SqlDriverAdapterFactory, SqlResultSet } from '@prisma/driver-adapter-utils'
import type { PGlite } from '@electric-sql/pglite'
import { Decimal } from 'decimal.js'
import { connect as connectAdapter, type Database } from 'rowjet/adapter'
import { connect as connectPGlite } from 'rowjet/pglite'
import { createEngine, createEngineSync, isRowjetError, type Engine, type Result, type RowjetErrorCode, type TypeName, type WasmSource } from 'rowjet/postgres'
import { createEngine as createSlim } from 'rowjet/slim'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function same<A, B>(_: Equal<A, B>): void {}

interface Movie { id: number; title: string }

/** Never called. */
export async function types(engine: Engine, adapter: SqlDriverAdapter, factory: SqlDriverAdapterFactory, pglite: PGlite, set: SqlResultSet, db: Database): Promise<void> {
  same<ReturnType<typeof createEngine>, Promise<Engine>>(true)
  same<Parameters<typeof createEngine>[0], WasmSource | Promise<WasmSource> | undefined>(true)
  void createEngine(new Uint8Array(), { maxBytes: 1 })
  void createEngineSync({} as WebAssembly.Module)
  // @ts-expect-error: rowjet/slim has no module of its own
  void createSlim()

  const result = engine.serialize<Movie>(set)
  same<typeof result, Result<Movie>>(true)
  same<ReturnType<typeof result.rows>, Movie[]>(true)
  same<ReturnType<typeof result.arrays>, unknown[][]>(true)
  same<typeof result.types, readonly TypeName[]>(true)
  same<ReturnType<Result['rows']>, Record<string, unknown>[]>(true)
  void new Response(result.bytes())
  void new Response(result.stream())
  void new Response(engine.stream(set, { shape: 'ndjson', signal: AbortSignal.timeout(1) }))
  result.rows({ preset: 'prisma', types: { decimal: Decimal, bigint: 'number', json: (text, column) => text + column.name } })
  // @ts-expect-error: no such choice
  result.rows({ types: { bigint: 'Date' } })
  // @ts-expect-error: no such type
  result.rows({ types: { integer: 'number' } })
  // @ts-expect-error: no such shape
  engine.stream(set, { shape: 'csv' })
  engine.serialize({ columnNames: ['a'] as const, columnTypes: [0] as const, rows: new Set([[1]]) })
  engine.stream({ columnNames: ['a'], columnTypes: [0], rows: (async function* () { yield [1] })() })
  // @ts-expect-error: rows that come later can only be streamed
  engine.serialize({ columnNames: ['a'], columnTypes: [0], rows: (async function* () { yield [1] })() })

  void connectAdapter(adapter, { engine })
  void connectAdapter(factory)
  void connectPGlite(pglite)
  void connectPGlite('./data', { maxBytes: 1e6 })
  void connectPGlite()
  // @ts-expect-error: no adapter
  void connectAdapter({})
  same<Awaited<ReturnType<typeof db.queryRaw<Movie>>>, Result<Movie>>(true)
  same<typeof value, number>(true)
  const value = await db.transaction(async (tx) => (await tx.executeRaw('x', [1])) + 1, { isolationLevel: 'SERIALIZABLE' })
  // @ts-expect-error: no such level
  void db.transaction(async () => 1, { isolationLevel: 'serializable' })
  for await (const batch of db.batches<Movie>('x', [], { size: 5 })) same<ReturnType<typeof batch.rows>, Movie[]>(true)

  const caught: unknown = undefined
  if (isRowjetError(caught)) same<typeof caught.code, RowjetErrorCode>(true)
}

test('the types compile', () => {
  assert.equal(typeof types, 'function')
})
