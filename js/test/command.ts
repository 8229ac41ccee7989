// Runs the command, as it is built.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const command = fileURLToPath(new URL('../dist/cli/rowjet.js', import.meta.url))

export interface Outcome { code: number; out: string; err: string }

export function run(args: readonly string[], { cwd = process.cwd(), node = process.execPath, flags = [] }: { cwd?: string; node?: string; flags?: readonly string[] } = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(node, [...flags, command, ...args], { cwd, maxBuffer: 1 << 28 }, (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err }))
  })
}
