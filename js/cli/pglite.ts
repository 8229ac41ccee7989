import { existsSync } from 'node:fs'
import { connect } from 'rowjet/pglite'
import { importDriver } from './drivers.js'
import { UserError } from './errors.js'
import type { Opened } from './query.js'

/** Opens PGlite on a data folder, or in memory if there is none. */
export async function openPGlite(folder: string): Promise<Opened> {
  // PGlite would make a database of any path, also of a mistyped one.
  if (folder !== '' && !existsSync(folder)) throw new UserError(`there is no folder ${JSON.stringify(folder)}`)
  const { PGlite } = await importDriver<typeof import('@electric-sql/pglite')>('@electric-sql/pglite')
  const instance = await PGlite.create(folder === '' ? {} : { dataDir: folder })
  const database = await connect(instance)
  return {
    stream: async (sql, shape) => database.stream(sql, [], { shape }),
    close: () => instance.close(),
  }
}
