import { existsSync, readdirSync } from 'node:fs'
import { connect } from 'rowjet/pglite'
import { importDriver } from './drivers.js'
import { UserError } from './errors.js'
import type { Opened } from './open.js'

/** Opens PGlite on a data folder, or in memory if there is none. `make`: a folder that is empty or not there becomes one. */
export async function openPGlite(folder: string, make: boolean): Promise<Opened> {
  // PGlite would make a database of any path, also of a mistyped one, and of a folder with files of others.
  if (folder !== '') {
    const files = existsSync(folder) ? readdirSync(folder) : undefined
    if (files === undefined && !make) throw new UserError(`there is no folder ${JSON.stringify(folder)}`)
    if (files !== undefined && !files.includes('PG_VERSION') && !(make && files.length === 0)) throw new UserError(`the folder ${JSON.stringify(folder)} is not one of PGlite`)
  }
  const { PGlite } = await importDriver<typeof import('@electric-sql/pglite')>('@electric-sql/pglite')
  const instance = await PGlite.create(folder === '' ? {} : { dataDir: folder })
  return {
    database: await connect(instance),
    driver: {
      name: 'PGlite',
      arrays: async (sql) => (await instance.query(sql, [], { rowMode: 'array' })).rows,
      objects: async (sql) => (await instance.query(sql)).rows,
    },
    close: () => instance.close(),
  }
}
