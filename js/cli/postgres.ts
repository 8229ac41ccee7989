import type pg from 'pg'
import { connect } from 'rowjet/pg'
import { importDriver } from './drivers.js'
import type { Opened } from './query.js'

/** Connects to a PostgreSQL server. */
export async function openPostgres(url: string): Promise<Opened> {
  const { default: driver } = await importDriver<{ default: typeof pg }>('pg')
  const database = await connect(new driver.Client({ connectionString: url, application_name: 'rowjet' }))
  return {
    stream: async (sql, shape) => database.stream(sql, [], { shape }),
    close: () => database.close(),
  }
}
