#!/usr/bin/env node
import { UserError } from './errors.js'
import { redact } from './url.js'

const usage = `usage: rowjet query --url <url> "<sql>" [--format array|objects|ndjson|table] [--out <file>]
       rowjet seed --url <url> [--rows <n>] [--replace]
       rowjet bench [--url <url>] [--rows <n>] [--rounds <n>] [--json <file>]

query runs a statement and writes its rows.
  --url     postgres://user:password@host:port/database, mysql://… or mariadb://… likewise, pglite: (in memory),
            pglite:<folder>, sqlite:<file>, or just the path of a SQLite file
  --format  array    {"columns":[…],"types":[…],"rows":[[…],…]} (default)
            objects  a JSON array of objects
            ndjson   one JSON object per line
            table    aligned columns, for reading
  --out     the file to write to instead of standard output

seed makes the tables Movie, Person, User and Review, the same each time.
  --rows    so many movies, half as many persons, a fifth as many users, three times as many reviews (50000)
  --replace drops such tables first; tables with other columns are left alone

bench times Rowjet beside the driver of the URL on the table Movie, or on data in memory if there is no URL.
  --rows    of so many rows (50000)
  --rounds  at most so many turns for each way (31)
  --json    the file for all that was measured`

const commands: Record<string, () => Promise<(args: string[]) => Promise<void>>> = {
  query: async () => (await import('./query.js')).query,
  seed: async () => (await import('./seed.js')).seed,
  bench: async () => (await import('./bench.js')).bench,
}

async function main(args: string[]): Promise<void> {
  const [command, ...rest] = args
  if (command === undefined || command === 'help' || args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${usage}\n`)
    return
  }
  if (!Object.hasOwn(commands, command)) throw new UserError(`there is no command ${JSON.stringify(command)}: see rowjet --help`)
  await (await commands[command]())(rest)
}

// A reader that has had enough (| head) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  fail(error)
})

function fail(error: unknown): void {
  // A host name with several addresses, none of which answers, gives an error without words that has others inside.
  const told: unknown = error instanceof AggregateError && error.message === '' ? error.errors[0] : error
  const message = told instanceof Error ? told.message : String(told)
  // One line, whatever the driver put into its message, and never a password.
  process.stderr.write(`rowjet: ${redact(message, process.argv).replace(/\s*\n\s*/g, ' ').trim()}\n`)
  process.exitCode = error instanceof UserError ? 2 : 1
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  fail(error)
}
