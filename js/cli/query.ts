import { createWriteStream } from 'node:fs'
import { lstat, rename, rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { UserError } from './errors.js'
import { openMySQL } from './mysql.js'
import { openPGlite } from './pglite.js'
import { openPostgres } from './postgres.js'
import { openSQLite } from './sqlite.js'
import { table } from './table.js'

/** The form of the output of a stream. */
export type Shape = 'array' | 'objects' | 'ndjson'

/** A database that the command has opened. */
export interface Opened {
  stream(sql: string, shape: Shape): Promise<ReadableStream<Uint8Array>>
  close(): Promise<void>
}

const formats = ['array', 'objects', 'ndjson', 'table']

/** The command `rowjet query`. */
export async function query(args: string[]): Promise<void> {
  const { url, sql, format, out } = options(args)
  const database = await open(url)
  try {
    const stream = await database.stream(sql, format === 'table' ? 'array' : (format as Shape))
    const progress = new Progress()
    try {
      if (out === undefined) {
        await write(stream, process.stdout, format, progress)
        if (format === 'array' || format === 'objects') process.stdout.write('\n')
      } else {
        await writeFile(stream, out, format, progress)
      }
    } finally {
      progress.end()
    }
  } finally {
    await database.close()
  }
}

function options(args: string[]): { url: string; sql: string; format: string; out: string | undefined } {
  let parsed
  try {
    parsed = parseArgs({ args, allowPositionals: true, options: { url: { type: 'string' }, format: { type: 'string', default: 'array' }, out: { type: 'string' } } })
  } catch (error) {
    throw new UserError((error as Error).message)
  }
  const { url, format, out } = parsed.values
  if (url === undefined) throw new UserError('which database? Give --url, such as --url sqlite:file.db')
  if (!formats.includes(format)) throw new UserError(`the format is one of ${formats.join(', ')}, not ${JSON.stringify(format)}`)
  const [sql, ...more] = parsed.positionals
  if (sql === undefined || sql.trim() === '') throw new UserError('which query? Give one SQL statement, in quotes')
  if (more.length > 0) throw new UserError('there is more than one query: put the SQL statement in quotes')
  return { url, sql, format, out }
}

/** Opens a database by its URL, or a SQLite file by its path. Messages name the scheme only: the rest may have a password in it. */
async function open(url: string): Promise<Opened> {
  const scheme = /^[a-z][a-z0-9+.-]+(?=:)/i.exec(url)?.[0].toLowerCase() // one letter would be a drive
  const rest = scheme === undefined ? url : url.slice(scheme.length + 1)
  switch (scheme) {
    case 'postgres':
    case 'postgresql':
      return openPostgres(url)
    case 'mysql':
    case 'mariadb':
      return openMySQL(url, scheme)
    case 'pglite':
      return openPGlite(rest)
    case 'sqlite':
    case 'file':
      if (rest === '') throw new UserError(`which file? The URL is ${scheme}:<file>${scheme === 'sqlite' ? ', or sqlite::memory:' : ''}`)
      return openSQLite(rest)
    case undefined:
      return openSQLite(rest)
    default:
      throw new UserError(`there is no driver for ${scheme}: URLs: it is postgres://…, mysql://…, mariadb://…, pglite:, pglite:<folder>, sqlite:<file>, or the path of a SQLite file`)
  }
}

async function write(stream: ReadableStream<Uint8Array>, target: Writable, format: string, progress: Progress): Promise<void> {
  if (format === 'table') {
    const pieces: Uint8Array[] = []
    for await (const piece of watched(stream, progress)) pieces.push(piece)
    target.write(table(JSON.parse(Buffer.concat(pieces).toString()) as { columns: string[]; types: string[]; rows: unknown[][] }))
    return
  }
  for await (const piece of watched(stream, progress)) {
    if (!target.write(piece)) await new Promise<void>((resolve) => target.once('drain', resolve))
  }
}

/**
 * Writes to a file, which gets its name only when it is whole: what came before an error must not be taken for the
 * result, and a file that was there before stays.
 */
async function writeFile(stream: ReadableStream<Uint8Array>, path: string, format: string, progress: Progress): Promise<void> {
  // A device, a pipe or a link is written to as it is: a file must not take its place.
  const whole = await lstat(path).then((found) => found.isFile(), () => true)
  const partial = whole ? `${path}.${process.pid}.partial` : path
  const file = createWriteStream(partial)
  const done = finished(file)
  done.catch(() => undefined) // awaited below, once the writing is over
  try {
    // An error of the file ends the wait for it to drain, too.
    await Promise.race([write(stream, file, format, progress), done])
    file.end()
    await done
    if (whole) await rename(partial, path)
  } catch (error) {
    file.destroy()
    // It may still be about to open, and would be made again after it was removed.
    if (!file.closed) await new Promise<void>((resolve) => file.once('close', resolve))
    if (whole) await rm(partial, { force: true })
    throw error
  }
}

async function* watched(stream: ReadableStream<Uint8Array>, progress: Progress): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of stream) {
    progress.add(piece.length)
    yield piece
  }
}

/** A line on the terminal that tells how far it is; silent where standard error is no terminal. */
class Progress {
  readonly #start = Date.now()
  #bytes = 0
  #shown = 0
  readonly #on = process.stderr.isTTY

  add(bytes: number): void {
    this.#bytes += bytes
    const now = Date.now()
    if (!this.#on || now - this.#shown < 100) return
    this.#shown = now
    process.stderr.write(`\r\u001b[K${(this.#bytes / 1e6).toFixed(1)} MB in ${((now - this.#start) / 1000).toFixed(1)} s`)
  }

  end(): void {
    if (this.#shown > 0) process.stderr.write('\r\u001b[K')
  }
}
