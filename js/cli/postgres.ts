import type pg from 'pg'
import { connect } from 'rowjet/pg'
import { importDriver } from './drivers.js'
import type { Opened } from './open.js'

/** Connects to a PostgreSQL server. */
export async function openPostgres(url: string): Promise<Opened> {
  const { default: driver } = await importDriver<{ default: typeof pg }>('pg')
  const client = new driver.Client({ connectionString: url, application_name: 'rowjet' })
  const database = await connect(client)
  return {
    database,
    driver: {
      name: 'pg',
      arrays: async (text) => (await client.query({ text, rowMode: 'array' })).rows,
      objects: async (text) => (await client.query(text)).rows as object[],
    },
    close: () => database.close(),
  }
}
