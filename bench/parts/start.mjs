// What a process pays before its first result: the modules' sizes, compiling and instantiating them, and the first
// result. Against Prisma's module for the same dialect.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { columnNames, columnTypes, movies } from '../../js/dist/cli/movies.js'
import { createEngineSync } from '../../js/dist/slim.js'
import { rustModule } from '../prisma.mjs'
import { figures, finish, group } from '../race.mjs'

const resultSet = { columnNames, columnTypes, rows: movies(10) }
// By the program, whose format is the same everywhere: Node's own zlib differs by some bytes.
const gzip = (bytes) => execFileSync('gzip', ['-9n'], { input: bytes, maxBuffer: 2 ** 24 }).length
const sizes = figures('bytes of the modules after gzip -9n')

for (const dialect of ['postgres', 'mysql', 'sqlite']) {
  const bytes = readFileSync(new URL(`../../wasm/dist/${dialect}.wasm`, import.meta.url))
  const prisma = await rustModule(dialect)
  sizes.goal(`${dialect}.wasm`, gzip(bytes), { most: 40_000 })
  sizes.note(`Prisma 6 engine (Rust), ${dialect}`, gzip(prisma.wasm))

  const start = await group(`start, ${dialect}`, {
    'compile and instantiate': {
      rowjet: () => new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports._initialize(),
      'Prisma 6 engine (Rust)': prisma.load,
    },
    // The module's code is compiled when it is first called.
    'first result': { rowjet: () => createEngineSync(new WebAssembly.Module(bytes)).serialize(resultSet).bytes() },
    'next instance': { rowjet: instances(bytes) },
  }, { seconds: 3 })
  start.ratio('compile and instantiate: rowjet', 'compile and instantiate: Prisma 6 engine (Rust)', 0.25)
}

/** What one more instance of a compiled module takes. */
function instances(bytes) {
  const module = new WebAssembly.Module(bytes)
  return () => new WebAssembly.Instance(module).exports._initialize()
}

await finish()
