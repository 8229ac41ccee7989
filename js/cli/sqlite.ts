import { existsSync } from 'node:fs'
import type { SQLiteDatabase } from 'rowjet/better-sqlite3'
import { importDriver } from './drivers.js'
import { UserError } from './errors.js'
import type { Opened } from './open.js'

/** What both drivers have. */
interface Handle {
  prepare(sql: string): { all(): unknown[]; raw?(): { all(): unknown[] }; setReturnArrays?(on: boolean): void }
  close(): void
}
type Driver = new (file: string) => Handle

/** Opens a SQLite file, or a database in memory for `:memory:`. `make`: a file that is not there is made. */
export async function openSQLite(file: string, make: boolean): Promise<Opened> {
  if (file !== ':memory:' && !make && !existsSync(file)) throw new UserError(`there is no file ${JSON.stringify(file)}`)
  let missing: UserError
  try {
    // The command's user may have it in a project of their own, where the package itself would not find it.
    const { default: Database } = await importDriver<{ default: Driver }>('better-sqlite3')
    const handle = openBetter(Database, file)
    return await opened('better-sqlite3', handle, (await import('rowjet/better-sqlite3')).connect(handle), (sql) => handle.prepare(sql).raw?.().all())
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    missing = error
  }
  // Else by Node's own driver.
  // Node says on standard error that it is experimental, where the command says one line or none.
  process.removeAllListeners('warning')
  let sqlite: { DatabaseSync: Driver }
  try {
    sqlite = (await import('node:sqlite' as string)) as typeof sqlite
  } catch {
    throw missing // the runtime has no such driver
  }
  const handle = new sqlite.DatabaseSync(file)
  return opened('node:sqlite', handle, (await import('rowjet/node-sqlite')).connect(handle), (sql) => {
    const statement = handle.prepare(sql)
    statement.setReturnArrays?.(true)
    return statement.all()
  })
}

async function opened(name: string, handle: Handle, connecting: Promise<SQLiteDatabase>, arrays: (sql: string) => unknown): Promise<Opened> {
  return {
    database: await connecting,
    driver: { name, arrays, objects: (sql) => handle.prepare(sql).all() },
    close: async () => handle.close(),
  }
}

/** A package that was installed without scripts, or for another version of Node, lacks the native part that fits. */
function openBetter(Database: Driver, file: string): Handle {
  try {
    return new Database(file)
  } catch (error) {
    if (error instanceof Error && /bindings file|ERR_DLOPEN_FAILED|NODE_MODULE_VERSION/.test(`${String((error as { code?: string }).code)} ${error.message}`)) {
      throw new UserError('the native part of better-sqlite3 is missing, or made for another Node: npm rebuild better-sqlite3')
    }
    throw error
  }
}
