import type { StreamShape } from 'rowjet/postgres'
import { UserError } from './errors.js'
import { openMySQL } from './mysql.js'
import { openPGlite } from './pglite.js'
import { openPostgres } from './postgres.js'
import { openSQLite } from './sqlite.js'

/** What the command uses of a connection or transaction. */
export interface Queries {
  queryRaw(sql: string): Promise<{ readonly columns: readonly string[]; readonly rowCount: number; bytes(): Uint8Array; rows(): object[] }>
  executeRaw(sql: string, params?: readonly unknown[]): Promise<number>
}

/** What the command uses of a database. */
export interface Connected extends Queries {
  readonly dialect: 'postgres' | 'mysql' | 'sqlite'
  stream(sql: string, params: readonly unknown[], options: { shape: StreamShape }): ReadableStream<Uint8Array>
  transaction<T>(work: (tx: Queries) => Promise<T>): Promise<T>
}

/** A database that the command has opened. */
export interface Opened {
  readonly database: Connected
  /** The driver's own queries, in its own way, for comparing: rows as arrays and as objects. */
  readonly driver: { readonly name: string; arrays(sql: string): unknown; objects(sql: string): unknown }
  close(): Promise<unknown>
}

/**
 * Opens a database by its URL, or a SQLite file by its path. Messages name the scheme only: the rest may have a password
 * in it. `make`: a file or folder that is not there is made.
 */
export async function open(url: string, make = false): Promise<Opened> {
  const scheme = /^[a-z][a-z0-9+.-]+(?=:)/i.exec(url)?.[0].toLowerCase() // one letter would be a drive
  const rest = scheme === undefined ? url : url.slice(scheme.length + 1)
  switch (scheme) {
    case 'postgres':
    case 'postgresql':
      return readable(openPostgres(url))
    case 'mysql':
    case 'mariadb':
      return readable(openMySQL(url, scheme))
    case 'pglite':
      if (make && rest === '') throw new UserError('nothing of it would be kept: give a folder, as in pglite:movies')
      return openPGlite(rest, make)
    case 'sqlite':
    case 'file':
    case undefined:
      if (rest === '') throw new UserError(scheme === undefined ? 'the URL is empty' : `which file? The URL is ${scheme}:<file>${scheme === 'sqlite' ? ', or sqlite::memory:' : ''}`)
      if (make && rest === ':memory:') throw new UserError('nothing of it would be kept: give a file, as in sqlite:movies.db')
      return openSQLite(rest, make)
    default:
      throw new UserError(`there is no driver for ${scheme}: URLs: it is postgres://…, mysql://…, mariadb://…, pglite:, pglite:<folder>, sqlite:<file>, or the path of a SQLite file`)
  }
}

/** Drivers tell neither what is wrong with a URL nor what to do. Mostly it is a password as it is. */
async function readable(opening: Promise<Opened>): Promise<Opened> {
  try {
    return await opening
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (!(error instanceof URIError) && code !== 'ERR_INVALID_URL' && !message.startsWith('error parsing connection string')) throw error
    throw new UserError('the URL is none: it is scheme://user:password@host:port/database, and in names and passwords # is %23, % is %25, / is %2F, : is %3A, ? is %3F and @ is %40')
  }
}
