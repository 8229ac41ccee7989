// The database and Rowjet, in a thread of their own, so that the page answers while a query runs.

import { PGlite, type Results } from '@electric-sql/pglite'
import { connect, type WireDatabase } from 'rowjet/pglite'
import { createEngine, isRowjetError, type Result } from 'rowjet/postgres'
import { columnNames, movies } from '../../../js/cli/movies.js'
import { RowIndex } from './json.js'
import { bigintAsText, compare } from './losses.js'
import { timed } from './measure.js'
import type { Answer, Failure, Request, Size, Sizes, Summary } from './protocol.js'
import { rowLiteral, typedOptions } from './typed.js'

/** Results beyond it are an error: a page has less memory than a server. */
const maxBytes = 64_000_000
const movieCount = 50_000
/** Beyond so many rows, cells are no longer compared. */
const mostCompared = 10_000
/** In milliseconds. A query that takes longer is not run again to be timed. */
const longestTimed = 4000

interface Shown {
  readonly result: Result
  readonly index: RowIndex
  /** The typed rows, in the way that was asked for last. */
  typed?: { choice: string; rows: object[] }
}

let pglite: PGlite
/** One connection for each use, since a connection learns what its results are used for. */
let db: WireDatabase, rowsDb: WireDatabase
let shown: Shown[] = []
/** The last query. Work for others is given up. */
let current = 0

const send = (answer: Answer, transfer: Transferable[] = []): void => self.postMessage(answer, { transfer })

/** Lets messages in. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

async function gzipped(bytes: Uint8Array<ArrayBuffer>): Promise<number | undefined> {
  if (typeof CompressionStream === 'undefined') return undefined
  let size = 0
  const reader = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip')).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return size
    size += value.length
  }
}

async function start(): Promise<void> {
  const began = performance.now()
  // The module by hand, for its size; createEngine() alone finds it too.
  const module = fetch(new URL('./postgres.wasm', import.meta.url)).then(async (response) => {
    if (!response.ok) throw new Error(`postgres.wasm: the server answered ${response.status}`)
    return new Uint8Array(await response.arrayBuffer())
  })
  const [opened, engine] = await Promise.all([PGlite.create(), createEngine(module, { maxBytes })])
  pglite = opened
  db = await connect(pglite, { engine })
  rowsDb = await connect(pglite, { engine })
  const { rows } = await pglite.query<{ version: string }>("SELECT split_part(version(), ' ', 2) AS version")
  const bytes = await module
  send({ do: 'ready', version: rows[0].version, ms: performance.now() - began, moduleBytes: bytes.length, moduleGzip: await gzipped(bytes) })
}

let filled = false

/** Makes the table of the samples when a query first speaks of it. */
async function fill(sql: string): Promise<void> {
  if (filled || !/movie/i.test(sql)) return
  filled = true
  send({ do: 'progress', text: `Making ${movieCount.toLocaleString('en-US')} movies…` })
  await db.executeRaw('CREATE TABLE "Movie" (id int PRIMARY KEY, title text NOT NULL, year int NOT NULL, description text NOT NULL)')
  const rows = movies(movieCount)
  const list = columnNames.map((name: string) => `"${name}"`).join(', ')
  for (let at = 0; at < movieCount; at += 5000) {
    await db.executeRaw(
      `INSERT INTO "Movie" (${list}) SELECT (m->>0)::int, m->>1, (m->>2)::int, m->>3 FROM json_array_elements($1::json) AS m`,
      [JSON.stringify(rows.slice(at, at + 5000))],
    )
  }
  await db.executeRaw('ANALYZE "Movie"')
}

async function run(id: number, sql: string, params: unknown[]): Promise<void> {
  shown = []
  await fill(sql)
  const began = performance.now()
  const results = params.length > 0 ? [await db.queryRaw(sql, params)] : await db.queryRawAll(sql)
  for (const result of results) result.bytes()
  const ms = performance.now() - began
  shown = results.map((result) => ({ result, index: new RowIndex(result.bytes()) }))
  const summaries = results.map((result): Summary => ({ columns: result.columns, types: result.types, rowCount: result.rowCount, bytes: result.bytes().length }))
  send({ id, do: 'results', results: summaries, ms })
  await pause()
  if (id !== current) return
  const why = whyAlone(sql, summaries, ms) ?? ((await inTransaction()) ? 'Not timed: a transaction is open.' : undefined)
  if (why !== undefined) {
    send({ id, do: 'alone', why })
    return
  }
  try {
    await besideStringify(id, sql, params, ms)
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string }
    const writes = code === '25006' // read_only_sql_transaction
    send({ id, do: 'alone', why: writes ? 'Not timed: the query writes, so it can’t be repeated.' : `Not timed: ${message ?? String(error)}` })
  }
}

/** Why there can be no second run, to time it and to compare it with the driver's. */
function whyAlone(sql: string, results: readonly Summary[], ms: number): string | undefined {
  if (results.length > 1) return 'Not timed: only single statements are.'
  if (results.length === 0 || results[0].columns.length === 0) return 'Not timed: the statement gives no rows.'
  const first = sql.replace(/^(?:\s|\(|--[^\n]*|\/\*[^]*?\*\/)+/, '')
  if (!/^(?:select|with|values|table|show)\b/i.test(first)) return 'Not timed: only queries are.'
  if (ms > longestTimed) return `Not timed: it takes ${(ms / 1000).toFixed(1)} s.`
  return undefined
}

/** By the simple protocol the two are the same unless the transaction began earlier. */
async function inTransaction(): Promise<boolean> {
  try {
    const [{ rows }] = await pglite.exec('SELECT now() < statement_timestamp() AS open')
    return rows[0].open === true
  } catch {
    return true // and it has failed
  }
}

const encoder = new TextEncoder()

/** Works in a transaction that can't write and leaves nothing behind. */
async function readOnly<T>(work: () => Promise<T>): Promise<T> {
  await db.executeRaw('BEGIN READ ONLY')
  try {
    return await work()
  } finally {
    await db.executeRaw('ROLLBACK')
  }
}

const byteEqual = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i])

/** Runs the query again, by Rowjet and by PGlite alone. */
async function besideStringify(id: number, sql: string, params: unknown[], ms: number): Promise<void> {
  const arraysOf = (): Promise<Results<unknown[]>> => pglite.query<unknown[]>(sql, params, { rowMode: 'array' })
  const documentOf = ({ fields, rows }: Results<unknown[]>): object =>
    ({ columns: fields.map(({ name }) => name), types: fields.map(({ dataTypeID }) => dataTypeID), rows })

  // In one transaction, so that the table and the time of day are the same for all.
  const { before, arrays, after, objects } = await readOnly(async () => ({
    before: await db.queryRaw(sql, params), arrays: await arraysOf(), after: await db.queryRaw(sql, params), objects: await pglite.query(sql, params),
  }))
  let throws: string | undefined
  try {
    JSON.stringify(arrays.rows)
  } catch (error) {
    throws = String(error)
  }
  const replacer = throws === undefined ? undefined : bigintAsText
  const sizes: Sizes = {
    rowjet: await sizeOf(before.bytes()),
    arrays: await sizeOf(encoder.encode(JSON.stringify(documentOf(arrays), replacer))),
    objects: await sizeOf(encoder.encode(JSON.stringify(objects.rows, replacer))),
  }
  const settled = byteEqual(before.bytes(), after.bytes())
  const texts = settled ? new RowIndex(before.bytes()).slice(0, mostCompared) : []
  const comparison = { ...compare(before.columns, before.types, texts, arrays.rows), settled, ...(throws !== undefined && { throws }) }
  send({ id, do: 'compared', comparison, sizes })
  await pause()

  const ways = {
    database: () => db.executeRaw(sql, params),
    rowjetJson: async () => (await db.queryRaw(sql, params)).bytes(),
    stringify: async () => encoder.encode(JSON.stringify(documentOf(await arraysOf()), replacer)),
    rowjetRows: async () => (await rowsDb.queryRaw(sql, params)).rows(),
    driverRows: async () => (await pglite.query(sql, params)).rows,
  }
  const timings = await timed(ways, ms, readOnly, async () => {
    await pause()
    return id === current
  })
  if (timings !== undefined) send({ id, do: 'timed', timings })
}

async function sizeOf(bytes: Uint8Array<ArrayBuffer>): Promise<Size> {
  return { plain: bytes.length, gzip: await gzipped(bytes) }
}

function typedRows(item: Shown, choice: string): object[] {
  if (item.typed?.choice !== choice) {
    const options = typedOptions[choice]
    item.typed = { choice, rows: choice.includes('arrays(') ? item.result.arrays(options) : item.result.rows(options) }
  }
  return item.typed.rows
}

async function wholeDocument(result: Result, shape: 'array' | 'objects' | 'ndjson'): Promise<Uint8Array<ArrayBuffer>> {
  if (shape === 'array') return result.bytes().slice()
  if (shape === 'objects') return result.objects().slice()
  return new Uint8Array(await new Response(result.stream({ shape })).arrayBuffer())
}

/** An index into a text in UTF-16 units, from PostgreSQL's count of characters, from 1. */
function unitOf(text: string, position: number): number {
  let at = 0
  for (let i = 1; i < position && at < text.length; i++) at += text.codePointAt(at)! > 0xffff ? 2 : 1
  return at
}

const databaseFields = ['severity', 'detail', 'hint', 'where', 'schema', 'table', 'column', 'dataType', 'constraint', 'routine']

function failureOf(error: unknown, sql: string): Failure {
  const { name, message, code, position, severity } = error as Record<string, string | undefined>
  const about = error as Record<string, unknown>
  const fieldsOf = (names: readonly string[]): [string, string][] =>
    names.filter((field) => about[field] !== undefined && about[field] !== '').map((field) => [field, String(about[field])])
  const failure = { name: name ?? 'Error', message: message ?? String(error), ...(code !== undefined && { code }) }
  if (isRowjetError(error)) return { ...failure, kind: 'rowjet', fields: fieldsOf(['row', 'column', 'columnName', 'type', 'found']) }
  if (severity === undefined) return { ...failure, kind: 'other', fields: [] }
  return {
    ...failure, kind: 'database', fields: fieldsOf(databaseFields),
    ...(position !== undefined && { position: unitOf(sql, Number(position)) }),
  }
}

async function answer(request: Request): Promise<void> {
  const { id } = request
  switch (request.do) {
    case 'run':
      return run(id, request.sql, request.params)
    case 'rows': {
      const { index, result } = shown[request.statement]
      const rows = index.slice(request.from, Math.min(request.to, result.rowCount))
      return send({ id, do: 'rows', part: { head: index.head(), rows, tail: ']}' } })
    }
    case 'typed': {
      const rows = typedRows(shown[request.statement], request.choice).slice(request.from, request.to)
      return send({ id, do: 'typed', rows: rows.map(rowLiteral) })
    }
    case 'document': {
      const bytes = await wholeDocument(shown[request.statement].result, request.shape)
      return send({ id, do: 'document', bytes }, [bytes.buffer])
    }
  }
}

/** Queries go one after the other, once the database is there; what is shown of a result does not wait for them. */
let queue: Promise<unknown> = start().catch((error: unknown) => {
  send({ do: 'broken', failure: failureOf(error, '') })
  throw error
})
queue.catch(() => undefined)

self.addEventListener('message', ({ data }: MessageEvent<Request>) => {
  const work = async (): Promise<void> => {
    try {
      await answer(data)
    } catch (error) {
      send({ id: data.id, do: 'failed', failure: failureOf(error, data.do === 'run' ? data.sql : '') })
    }
  }
  if (data.do === 'run') {
    current = data.id
    queue = queue.then(work)
    queue.catch(() => undefined)
  } else {
    void work()
  }
})
