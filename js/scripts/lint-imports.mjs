// Fails if modules of the package import each other in a circle: bundlers warn of it, and what runs first then depends on
// who is imported first. Imports of types alone leave no trace in what is built.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const files = ['src', 'cli'].flatMap((folder) => readdirSync(path.join(root, folder)).filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts')).map((file) => path.join(folder, file)))
if (files.length < 50) throw new Error(`there are only ${files.length} modules`)

/** The modules that a file imports when it runs. */
function importsOf(file) {
  const code = readFileSync(path.join(root, file), 'utf8').replace(/^\s*(\/\/|\*|\/\*).*$/gm, '')
  return [...code.matchAll(/^(?:import|export)(?! type\b)[^'"`;=]*?['"](\.[^'"]+)\.js['"]/gm)].map(([, name]) => `${path.join(path.dirname(file), name)}.ts`).filter((name) => files.includes(name))
}

const imports = new Map(files.map((file) => [file, importsOf(file)]))
const links = [...imports.values()].flat().length
if (links < 100) throw new Error(`only ${links} imports were found`)

const circles = new Set()
const done = new Set()
function walk(file, trail) {
  const at = trail.indexOf(file)
  if (at !== -1) circles.add([...trail.slice(at), file].join(' -> '))
  if (at !== -1 || done.has(file)) return
  for (const next of imports.get(file)) walk(next, [...trail, file])
  done.add(file)
}
for (const file of files) walk(file, [])

for (const circle of circles) console.error(`a circle of imports: ${circle}`)
console.log(`${files.length} modules, ${links} imports, ${circles.size} circles`)
process.exit(circles.size === 0 ? 0 : 1)
