import { existsSync } from 'node:fs'
import type { SQLiteDatabase } from 'rowjet/better-sqlite3'
import { importDriver } from './drivers.js'
import { UserError } from './errors.js'
import type { Opened } from './query.js'

/** Opens a SQLite file, which must exist, or a database in memory for `:memory:`. */
export async function openSQLite(file: string): Promise<Opened> {
  if (file !== ':memory:' && !existsSync(file)) throw new UserError(`there is no file ${JSON.stringify(file)}`)
  const { database, close } = await connect(file)
  return {
    stream: async (sql, shape) => database.stream(sql, [], { shape }),
    close: async () => {
      await database.close()
      close()
    },
  }
}

/** By better-sqlite3 if it is there, else by Node's own driver. */
async function connect(file: string): Promise<{ database: SQLiteDatabase; close(): void }> {
  let missing: UserError
  try {
    // The command's user may have it in a project of their own, where the package itself would not find it.
    const { default: Database } = await importDriver<{ default: new (file: string) => { prepare(sql: string): unknown; close(): void } }>('better-sqlite3')
    const handle = open(Database, file)
    const better = await import('rowjet/better-sqlite3')
    return { database: await better.connect(handle), close: () => handle.close() }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    missing = error
  }
  const node = await import('rowjet/node-sqlite')
  try {
    return { database: await node.connect(file), close: () => undefined }
  } catch (error) {
    if (node.isRowjetError(error)) throw missing // the runtime has no such driver
    throw error
  }
}

/** A package that was installed without scripts, or for another version of Node, lacks the native part that fits. */
function open<T>(Database: new (file: string) => T, file: string): T {
  try {
    return new Database(file)
  } catch (error) {
    if (error instanceof Error && /bindings file|ERR_DLOPEN_FAILED|NODE_MODULE_VERSION/.test(`${String((error as { code?: string }).code)} ${error.message}`)) {
      throw new UserError('the native part of better-sqlite3 is missing, or made for another Node: npm rebuild better-sqlite3')
    }
    throw error
  }
}
