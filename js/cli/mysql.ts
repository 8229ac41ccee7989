import { UserError } from './errors.js'
import { importDriver } from './drivers.js'
import type { Connected, Opened } from './open.js'

/** A pool or connection of either driver. */
interface Handle {
  query(options: { sql: string; rowsAsArray?: boolean }): Promise<unknown>
  end(): Promise<unknown>
}

/** Connects to a MySQL or MariaDB server: by the driver that the URL's scheme names, or else by the other one. */
export async function openMySQL(url: string, scheme: string): Promise<Opened> {
  const ways = [openByMysql2, openByMariadb]
  if (scheme === 'mariadb') ways.reverse()
  let missing: UserError | undefined
  for (const open of ways) {
    try {
      return await open(url)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      missing ??= error
    }
  }
  throw missing
}

async function openByMysql2(url: string): Promise<Opened> {
  const driver = await importDriver<{ default: { createPool(config: object): Handle } }>('mysql2/promise')
  const pool = driver.default.createPool({ uri: url.replace(/^mariadb:/i, 'mysql:'), connectionLimit: 1, timezone: 'Z' })
  const { connect } = await import('rowjet/mysql2')
  return opened('mysql2', pool, connect(pool as never, { session: 'utc' }), (answer) => (answer as unknown[])[0])
}

async function openByMariadb(url: string): Promise<Opened> {
  const driver = await importDriver<{ default: { createConnection(url: string): Promise<Handle> } }>('mariadb')
  const connection = await driver.default.createConnection(url.replace(/^mysql:/i, 'mariadb:'))
  const { connect } = await import('rowjet/mariadb')
  return opened('mariadb', connection, connect(connection as never, { session: 'utc' }), (answer) => answer)
}

async function opened(name: string, handle: Handle, connecting: Promise<Connected>, rowsOf: (answer: unknown) => unknown): Promise<Opened> {
  try {
    return {
      database: await connecting,
      driver: {
        name,
        arrays: async (sql) => rowsOf(await handle.query({ sql, rowsAsArray: true })),
        objects: async (sql) => rowsOf(await handle.query({ sql })),
      },
      close: () => handle.end(),
    }
  } catch (error) {
    await handle.end().catch(() => undefined) // the first error is the one to tell
    throw error
  }
}
