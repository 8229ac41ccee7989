import { UserError } from './errors.js'
import { importDriver } from './drivers.js'
import type { Opened } from './query.js'

interface Pool {
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
  const driver = await importDriver<{ default: { createPool(config: object): Pool } }>('mysql2/promise')
  const pool = driver.default.createPool({ uri: url.replace(/^mariadb:/i, 'mysql:'), connectionLimit: 1, timezone: 'Z' })
  const { connect } = await import('rowjet/mysql2')
  return opened(pool, () => connect(pool as never, { session: 'utc' }))
}

async function openByMariadb(url: string): Promise<Opened> {
  const driver = await importDriver<{ default: { createConnection(url: string): Promise<Pool> } }>('mariadb')
  const connection = await driver.default.createConnection(url.replace(/^mysql:/i, 'mariadb:'))
  const { connect } = await import('rowjet/mariadb')
  return opened(connection, () => connect(connection as never, { session: 'utc' }))
}

async function opened(handle: Pool, connect: () => Promise<{ stream(sql: string, params: unknown[], options: object): ReadableStream<Uint8Array> }>): Promise<Opened> {
  try {
    const database = await connect()
    return {
      stream: async (sql, shape) => database.stream(sql, [], { shape }),
      close: async () => {
        await handle.end()
      },
    }
  } catch (error) {
    await handle.end().catch(() => undefined) // the first error is the one to tell
    throw error
  }
}
