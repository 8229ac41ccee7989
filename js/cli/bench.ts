import { closeSync, openSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createEngine } from 'rowjet/postgres'
import { UserError } from './errors.js'
import { columnNames, columnTypes, movies } from './movies.js'
import { open, type Opened } from './open.js'
import { compare, enough, median, race, type Limits, type Way } from './race.js'
import { columnsOf, count, fill } from './seed.js'

/** The ways to make JSON bytes, or rows as objects: Rowjet's, and the other one with its name. */
type Kind = [rowjet: () => unknown, name: string, other: () => unknown]

/** The command `rowjet bench`. */
export async function bench(args: string[]): Promise<void> {
  const { url, rows, rounds, json } = options(args)
  if (json !== undefined) writable(json)
  const limits = { rounds, seconds: 5, warm: Math.min(2, rounds - 1), collect: collector() }
  const groups: object[] = []
  const versions = `${process.release.name} ${process.version}, ${os.cpus().length} × ${os.cpus()[0]?.model.trim()}`
  const group = async (name: string, json: Kind, objects: Kind): Promise<void> => {
    if (groups.length === 0) process.stdout.write(`${versions}; medians, and from the fastest to the slowest turn\n`)
    groups.push(await one(name, json, objects, limits))
  }
  if (url === undefined) {
    await resultSets(rows ?? most, group)
    for (const [name, memory] of [['PGlite', 'pglite:'], ['SQLite', ':memory:']]) await embedded(name, memory, rows ?? most, group)
  } else {
    const opened = await open(url)
    try {
      await queries(opened, rows, `rowjet seed --url <url> --rows ${rows ?? most}`, group)
    } finally {
      await opened.close()
    }
  }
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ date: new Date().toISOString(), versions, groups }, undefined, 1)}\n`)
}

const most = 50_000

/** JSON of about twice as many is more than a string can hold. */
const limit = 1_000_000

function options(args: string[]): { url: string | undefined; rows: number | undefined; rounds: number; json: string | undefined } {
  let parsed
  try {
    parsed = parseArgs({ args, options: { url: { type: 'string' }, rows: { type: 'string' }, rounds: { type: 'string', default: '31' }, json: { type: 'string' } } })
  } catch (error) {
    throw new UserError((error as Error).message)
  }
  const { url, rows, rounds, json } = parsed.values
  if (!/^[1-9]\d{0,5}$/.test(rounds)) throw new UserError(`--rounds is a number from 1 to 999,999, not ${JSON.stringify(rounds)}`)
  return { url, rows: rows === undefined ? undefined : count(rows, limit), rounds: Number(rounds), json }
}

/** Minutes of measuring must not end with a file that can't be written. */
function writable(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found?.isFIFO() === true) return // its reader would take the closing for the end
  closeSync(openSync(file, 'a'))
  if (found === undefined) rmSync(realpathSync(file))
}

/** A full garbage collection, where the engine lets a program have one. */
function collector(): (() => void) | undefined {
  try {
    setFlagsFromString('--expose-gc')
    return runInNewContext('gc') as () => void
  } catch {
    return undefined
  }
}

const encoder = new TextEncoder()
const types = ['int', 'string', 'int', 'string']
const document = (rows: unknown): string => JSON.stringify({ columns: columnNames, types, rows })

type Group = (name: string, json: Kind, objects: Kind) => Promise<void>

/** Values that are there already, without a database. */
async function resultSets(rows: number, group: Group): Promise<void> {
  const engine = await createEngine()
  const engineForObjects = await createEngine() // no program makes both by turns, which costs the rows twice their time
  const resultSet = { columnNames, columnTypes, rows: movies(rows) }
  await group(
    `A result set of ${rows.toLocaleString('en')} movies, without a database`,
    [() => engine.serialize(resultSet).bytes(), 'JSON.stringify', () => encoder.encode(document(resultSet.rows))],
    [() => engineForObjects.serialize(resultSet).rows(), 'JSON.stringify + JSON.parse', () => (JSON.parse(document(resultSet.rows)) as { rows: unknown[][] }).rows.map(([id, title, year, description]) => ({ id, title, year, description }))],
  )
}

/** A database in memory, if its driver is there. */
async function embedded(name: string, url: string, rows: number, group: Group): Promise<void> {
  let opened: Opened
  try {
    opened = await open(url)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    process.stdout.write(`\n${name} is left out: ${error.message}\n`)
    return
  }
  try {
    await fill(opened.database, rows, { only: 'Movie' })
    await queries(opened, rows, '', group)
  } finally {
    await opened.close()
  }
}

/** The table Movie, by Rowjet and by the driver itself. `rows`: so many must be there. */
async function queries({ database, driver }: Opened, rows: number | undefined, seed: string, group: Group): Promise<void> {
  const quote = database.dialect === 'mysql' ? '`' : '"'
  const select = (columns: string): string => `SELECT ${columns} FROM ${quote}Movie${quote} ORDER BY id LIMIT ${rows ?? most}`
  const sql = select('id, title, year, description')
  // Rowjet remembers, for results with the same columns, what the last was used for. No program uses one in both ways by turns.
  const forObjects = select('id, title, description, year')
  if ((await columnsOf(database, `${quote}Movie${quote}`)) === undefined) throw new UserError(`there is no table Movie; to make it: ${seed}`)
  const found = (await database.queryRaw(sql)).rowCount
  if (found === 0 || (rows !== undefined && found < rows)) throw new UserError(`the table Movie has ${found} rows${rows === undefined ? '' : `, not ${rows}`}; to make it anew: ${seed} --replace`)
  await group(
    `${found.toLocaleString('en')} movies from ${driver.name === 'PGlite' ? driver.name : `${{ postgres: 'PostgreSQL', mysql: 'MySQL', sqlite: 'SQLite' }[database.dialect]} by ${driver.name}`}`,
    [async () => (await database.queryRaw(sql)).bytes(), `${driver.name} + JSON.stringify`, async () => encoder.encode(document(await driver.arrays(sql)))],
    [async () => (await database.queryRaw(forObjects)).rows(), driver.name, async () => driver.objects(forObjects)],
  )
}

/** Times a group, and prints it. */
async function one(name: string, json: Kind, objects: Kind, limits: Limits): Promise<object> {
  const ways = (kind: Kind, check: (value: never) => unknown): Way[] => {
    const [rowjet, other, run] = kind
    return [{ name: 'Rowjet', run: rowjet, check, times: [], cpu: [] }, { name: other, run, check, times: [], cpu: [] }]
  }
  const kinds = [
    { to: 'JSON', ways: ways(json, (bytes: Uint8Array) => Buffer.from(bytes).toString()) },
    { to: 'rows', ways: ways(objects, JSON.stringify) },
  ]
  for (const kind of kinds) await compare(name, kind.ways)
  const all = kinds.flatMap((kind) => kind.ways)
  // A single call for a few rows would time what a garbage collection leaves behind, not the work.
  for (const way of all) way.calls = await enough(way, limits.collect)
  await race(all, limits)

  const lines = kinds.flatMap(({ to, ways }) => ways.map((way) => [`→ ${to}  ${way.name}`, `${duration(median(way.times))} ms`, `${duration(Math.min(...way.times))} … ${duration(Math.max(...way.times))}`]))
  const width = (column: number): number => Math.max(...lines.map((line) => line[column].length))
  const [first, second] = [width(0), width(1)]
  const verdicts = kinds.map(({ ways: [rowjet, other] }) => `${verdict(median(other.times) / median(rowjet.times))} ${other.name}`)
  process.stdout.write(`\n${name}\n${lines.map(([way, time, spread]) => `  ${way.padEnd(first)}  ${time.padStart(second)}  ${spread}\n`).join('')}Rowjet is ${verdicts.join(', ')}\n`)
  return { name, kinds: kinds.map(({ to, ways }) => ({ to, ways: ways.map(({ name, times }) => ({ name, median: median(times), times })) })) }
}

const duration = (milliseconds: number): string => (milliseconds < 100 ? milliseconds.toPrecision(3) : milliseconds.toFixed(0))

function verdict(speed: number): string {
  if (speed.toFixed(1) === '1.0') return 'as fast as'
  return speed > 1 ? `${speed.toFixed(1)}x faster than` : `${(1 / speed).toFixed(1)}x slower than`
}
