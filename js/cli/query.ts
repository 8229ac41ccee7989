import { createWriteStream } from 'node:fs'
import { lstat, rename, rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import type { StreamShape } from 'rowjet/postgres'
import { UserError } from './errors.js'
import { open } from './open.js'
import { Progress } from './progress.js'
import { table } from './table.js'

const formats = ['array', 'objects', 'ndjson', 'table']

/** The command `rowjet query`. */
export async function query(args: string[]): Promise<void> {
  const { url, sql, format, out } = options(args)
  const { database, close } = await open(url)
  try {
    const stream = database.stream(sql, [], { shape: format === 'table' ? 'array' : (format as StreamShape) })
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
    await close()
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
  let bytes = 0
  for await (const piece of stream) {
    bytes += piece.length
    progress.show(() => `${(bytes / 1e6).toFixed(1)} MB`)
    yield piece
  }
}
