import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { UserError } from './errors.js'

/**
 * Imports an optional driver: from the project that the command is run in, or else from where Rowjet is
 * installed. With npx these differ, and the project's is the one that its user knows.
 */
export async function importDriver<T>(name: string): Promise<T> {
  const from = [path.join(process.cwd(), 'package.json'), import.meta.url]
  for (const origin of from) {
    let file: string
    try {
      file = createRequire(origin).resolve(name)
    } catch {
      continue
    }
    return (await import(pathToFileURL(file).href)) as T
  }
  throw new UserError(`the package ${name} is not there: npm install ${name}`)
}
