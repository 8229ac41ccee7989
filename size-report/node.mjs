// What of the measuring only a JavaScript engine can do. It is given as an argument to node: JSON on standard input, JSON
// on standard output.
//
// { brotli: [path] }        bytes of each file, by zlib at its highest quality
// { start: [path], rounds } how many nanoseconds it takes to compile and to instantiate each module, every time in a process
//                           of its own, since V8 keeps the code of modules that it has compiled. The modules take turns,
//                           in an order that turns round, so that a machine that slows down or speeds up favours none.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import zlib from 'node:zlib'

const cold = `
  const bytes = require('fs').readFileSync(process.argv[1])
  const start = process.hrtime.bigint()
  const module = new WebAssembly.Module(bytes)
  const compiled = process.hrtime.bigint()
  new WebAssembly.Instance(module).exports._initialize()
  const ready = process.hrtime.bigint()
  console.log(Number(compiled - start) + ' ' + Number(ready - compiled))
`

const { brotli = [], start = [], rounds = 0 } = JSON.parse(readFileSync(0, 'utf8'))
const compress = promisify(zlib.brotliCompress)
const sizes = (await Promise.all(brotli.map((file) => compress(readFileSync(file))))).map((bytes) => bytes.length)
const times = start.map(() => [])
for (let round = 0; round < rounds; round++) {
  const turns = [...start.keys()]
  if (round % 2 === 1) turns.reverse()
  for (const i of turns) times[i].push(execFileSync(process.execPath, ['-e', cold, start[i]], { encoding: 'utf8' }).split(' ').map(Number))
}
const sorted = (list) => list.sort((a, b) => a - b)
console.log(
  JSON.stringify({
    node: process.versions.node,
    brotliVersion: process.versions.brotli,
    brotli: sizes,
    start: times.map((list) => ({ compile: sorted(list.map((t) => t[0])), instantiate: sorted(list.map((t) => t[1])) })),
  }),
)
