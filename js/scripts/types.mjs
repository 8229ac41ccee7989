// Takes out of the declarations that tsc wrote whatever users can't reach: what modules share with each other is exported, but not
// by the package's entries. What is left is checked by lint-pack.mjs, which compiles it.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** The names and members of a statement's text; comments and strings have none. */
const identifiers = (text) => text.replace(/\/\*.*?\*\/|'[^']*'|"[^"]*"/gs, ' ').match(/[A-Za-z_$][\w$]*/g) ?? []

/** `folder`: with the declarations; `entries`: the names of those that users import. */
export function pruneTypes(folder, entries) {
  const modules = new Map(readdirSync(folder).filter((file) => file.endsWith('.d.ts')).map((file) => [file, parse(readFileSync(path.join(folder, file), 'utf8'))]))
  const needed = new Map([...modules.keys()].map((file) => [file, new Set()]))

  /** A name that a module gives to others. */
  function needExport(file, name) {
    const { statements, exports, stars } = modules.get(file)
    const passed = exports.find((each) => each.name === name)
    const star = passed === undefined ? stars.find((each) => has(each.file, name)) : undefined
    if (passed !== undefined) {
      needed.get(file).add(passed)
      needExport(passed.file, passed.from)
    } else if (star !== undefined) {
      needed.get(file).add(star)
      needExport(star.file, name)
    } else {
      const found = statements.filter((statement) => statement.name === name)
      if (found.length === 0) throw new Error(`${file} has no ${name}`)
      for (const statement of found) needStatement(file, statement)
    }
  }

  function has(file, name) {
    const { statements, exports, stars } = modules.get(file)
    return [...statements, ...exports].some((each) => each.name === name) || stars.some((star) => has(star.file, name))
  }

  function needStatement(file, statement) {
    const wanted = needed.get(file)
    if (wanted.has(statement)) return
    wanted.add(statement)
    const { statements, imports } = modules.get(file)
    for (const name of identifiers(statement.text)) {
      const from = imports.get(name)
      if (from !== undefined) {
        wanted.add(from)
        needExport(from.file, from.name)
      }
      for (const other of statements) if (other.name === name) needStatement(file, other)
    }
    for (const [, other, name] of statement.text.matchAll(/import\("\.\/([\w.-]+)\.js"\)\.(\w+)/g)) needExport(`${other}.d.ts`, name)
  }

  /** All that a module exports. */
  function needAll(file) {
    const { statements, exports, stars } = modules.get(file)
    for (const statement of statements) if (statement.exported) needStatement(file, statement)
    for (const each of exports) needExport(file, each.name)
    for (const star of stars) {
      needed.get(file).add(star)
      needAll(star.file)
    }
  }

  for (const entry of entries) needAll(entry)
  for (const [file, { statements, imports, exports, stars }] of modules) {
    const wanted = needed.get(file)
    if (wanted.size === 0) {
      rmSync(path.join(folder, file))
      continue
    }
    const lines = []
    for (const [word, links, inside, outside] of [['import', [...imports.values()], 'name', 'local'], ['export', exports, 'from', 'name']]) {
      for (const from of new Set(links.map((each) => each.file))) {
        const names = links.filter((each) => each.file === from && wanted.has(each))
        if (names.length === 0) continue
        const kind = word === 'import' || names.every(({ type }) => type) ? `${word} type` : word
        const list = names.map((each) => `${kind === 'export' && each.type ? 'type ' : ''}${each[inside]}${each[inside] === each[outside] ? '' : ` as ${each[outside]}`}`)
        lines.push(`${kind} { ${list.join(', ')} } from './${from.replace(/\.d\.ts$/, '.js')}';\n`)
      }
    }
    for (const star of stars) if (wanted.has(star)) lines.push(star.text)
    for (const statement of statements) if (wanted.has(statement)) lines.push(statement.text)
    if (!lines.some((line) => /^export\b/m.test(line))) lines.push('export {};\n')
    writeFileSync(path.join(folder, file), lines.join(''))
  }
}

/** The statements of a file as tsc writes them: each begins at the beginning of a line, with its comment before it. */
function parse(code) {
  const module = { statements: [], imports: new Map(), exports: [], stars: [] }
  for (const text of code.split(/^(?=\/\*\*|(?:import|export|declare|interface|type|class)\b)/m)) {
    const [, word, types, names, star, from] = /^(import|export)( type)? (?:\{(.*?)\}|(\*)) from '\.\/([\w.-]+)\.js';\s*$/s.exec(text) ?? []
    const file = `${from}.d.ts`
    if (star !== undefined) {
      module.stars.push({ file, text })
    } else if (names !== undefined) {
      for (const part of names.split(',').filter((each) => each.trim() !== '')) {
        const [, type = types, name, as = name] = /^\s*(type )?(\w+)(?: as (\w+))?\s*$/.exec(part)
        if (word === 'import') module.imports.set(as, { file, name, local: as })
        else module.exports.push({ file, from: name, name: as, type: type !== undefined })
      }
    } else if (text.startsWith('/**') && /\*\/\s*$/.test(text)) {
      module.statements.push({ text }) // the comment of what comes next
    } else if (!/^export \{\};\s*$/.test(text) && text.trim() !== '') {
      const [, exported, name] = /^(export )?(?:declare )?(?:abstract )?(?:class|interface|type|const|let|function) (\w+)/.exec(text) ?? []
      if (name === undefined) throw new Error(`a statement of another kind: ${text}`)
      const comment = module.statements.at(-1)?.name === undefined ? (module.statements.pop()?.text ?? '') : ''
      module.statements.push({ text: comment + text, name, exported: exported !== undefined })
    }
  }
  return module
}
