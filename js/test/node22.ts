// A Node that has node:sqlite.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const version = '22.23.3'
const [major, minor] = process.versions.node.split('.').map(Number)

/** This Node has it. */
export const here = major > 22 || (major === 22 && minor >= 16)

/** The path of one that has it; brought from npm, once, if this is none. */
export function nodeWithSQLite(): string {
  if (here) return process.execPath
  const folder = fileURLToPath(new URL(`../../.tools/node-${version}`, import.meta.url))
  const platform = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const binary = path.join(folder, 'node_modules', platform, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(binary)) {
    mkdirSync(folder, { recursive: true })
    execFileSync('npm', ['install', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder, `${platform}@${version}`], { stdio: 'inherit' })
  }
  return binary
}
