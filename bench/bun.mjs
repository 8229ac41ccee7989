// Starts bun-queries.mjs under Bun, which comes as a package for one platform; elsewhere, or where its processor lacks what
// it needs, there is none.
import { spawn, spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

function find() {
  try {
    return path.join(path.dirname(createRequire(import.meta.url).resolve('@oven/bun-linux-x64/package.json')), 'bin/bun')
  } catch {
    return undefined
  }
}

const program = find()

/** Bun's version; undefined if Bun does not run here. */
export const version = program && spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout?.trim() || undefined

/** Starts a process. `ask` has it run a query, `end` ends it. */
export function start(environment) {
  const child = spawn(program, [fileURLToPath(new URL('bun-queries.mjs', import.meta.url))], {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async ask(request) {
      child.stdin.write(`${JSON.stringify(request)}\n`)
      const { done, value } = await lines.next()
      if (done) throw new Error(`Bun ended with ${child.exitCode ?? child.signalCode}`)
      return JSON.parse(value)
    },
    end: () => child.stdin.end(),
  }
}
