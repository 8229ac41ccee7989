// Parameters for SQLite's five storage classes.

import { numberOfDate, type DatetimeUnit } from './sqlite-types.js'

/** Parameters by position (for `?` and `?1`), or by name (for `:name`, `@name` and `$name`, with that sign or without). */
export type SQLiteParams = readonly unknown[] | Readonly<Record<string, unknown>>

/** A value that every driver can bind. */
export type Bindable = null | number | bigint | string | Uint8Array

/**
 * Turns parameters into what drivers bind.
 *
 * @throws TypeError for values that SQLite has no class for
 */
export function bindable(params: SQLiteParams, unit: DatetimeUnit | undefined): Bindable[] | Record<string, Bindable> {
  if (Array.isArray(params)) {
    const bound = new Array<Bindable>(params.length)
    for (let i = 0; i < bound.length; i++) bound[i] = bind(params[i], unit, i + 1)
    return bound
  }
  if (typeof params !== 'object' || params === null) throw new TypeError('the parameters are an array, or an object with a member for each name')
  const bound: Record<string, Bindable> = {}
  for (const name of Object.keys(params)) bound[name.replace(/^[:@$]/, '')] = bind((params as Record<string, unknown>)[name], unit, name)
  return bound
}

function bind(value: unknown, unit: DatetimeUnit | undefined, which: number | string): Bindable {
  switch (typeof value) {
    case 'string':
    case 'bigint':
      return value
    case 'number':
      // JavaScript can't tell 5 from 5.0, and drivers would bind both as REAL: then 'a' || ? is 'a5.0'.
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : value
    case 'boolean':
      return value ? 1n : 0n
    case 'undefined':
      return null
    case 'object':
      if (value === null) return null
      if (value instanceof Uint8Array) return value
      if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
      switch (Object.prototype.toString.call(value)) {
        case '[object Date]':
          if (Number.isNaN((value as Date).getTime())) throw new TypeError(`parameter ${which} is an invalid Date`)
          // The form that Prisma writes, so that texts can be compared.
          return unit === undefined ? (value as Date).toISOString().replace('Z', '+00:00') : numberOfDate(value as Date, unit)
        case '[object ArrayBuffer]':
        case '[object SharedArrayBuffer]':
          return new Uint8Array(value as ArrayBuffer)
      }
  }
  const what = typeof value === 'object' ? Object.prototype.toString.call(value).slice(8, -1) : typeof value
  throw new TypeError(`parameter ${which} can't be bound: SQLite has no class for ${what}; pass null, a number, bigint, string, boolean, Date or bytes, or JSON text for other values`)
}

/** What SQL has: strings, quoted names, comments, names, and parameters, which the first group is. https://sqlite.org/lang_expr.html#parameters */
const parts = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?(?:\*\/|$)|[\p{L}\p{N}_\u0080-\uffff][\w$\u0080-\uffff]*|(\?[0-9]*|[:@$][\w$\u0080-\uffff]+)/gu

const trigger = /^(?:EXPLAIN\s+(?:QUERY\s+PLAN\s+)?)?CREATE\s+(?:TEMP(?:ORARY)?\s+)?TRIGGER\b/i

/** The length of the first statement, with the semicolon at its end; for a trigger, as SQLite's own sqlite3_complete finds it. */
function lengthOfFirst(sql: string): number {
  if (!sql.includes(';')) return sql.length
  const bare = sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?(?:\*\/|$)/g, (part) => (/^[-/]/.test(part) ? ' ' : 'x').repeat(part.length))
  const start = /^[\s;]*/.exec(bare)![0].length
  const end = trigger.test(bare.slice(start)) ? /;\s*END\s*;/i : /;/
  const found = end.exec(bare.slice(start))
  return found === null ? sql.length : start + found.index + found[0].length
}

/**
 * Throws if there is more than one statement: many drivers would run the first and drop the others.
 *
 * @param first the length of the first one, if SQLite tells
 */
export function refuseMore(sql: string, first = lengthOfFirst(sql)): void {
  const rest = sql.slice(first)
  if (rest !== '' && !/^(?:\s|;|--[^\n]*(?:\n|$)|\/\*[^]*?(?:\*\/|$))*$/.test(rest)) throw new RangeError('The supplied SQL string contains more than one statement')
}

/** The statement with NULL for each parameter. */
export function withoutParameters(sql: string): string {
  return sql.replace(parts, (part, parameter: string | undefined) => (parameter === undefined ? part : 'NULL'))
}

/** The parameters of a statement: the name of each with its sign, or undefined for `?` and `?1`. */
export function parametersOf(sql: string): (string | undefined)[] {
  const names: (string | undefined)[] = []
  for (const [, parameter] of sql.matchAll(parts)) {
    if (parameter === undefined) continue
    if (parameter === '?') names.push(undefined)
    else if (parameter.startsWith('?')) while (names.length < Number(parameter.slice(1))) names.push(undefined)
    else if (!names.includes(parameter)) names.push(parameter)
  }
  return names
}

/**
 * Puts parameters in the order of the statement's.
 *
 * @throws RangeError if there are too few or too many, with the messages of better-sqlite3
 */
export function inOrder(params: Bindable[] | Record<string, Bindable>, names: readonly (string | undefined)[]): Bindable[] {
  if (Array.isArray(params)) {
    if (params.length !== names.length) throw new RangeError(`Too ${params.length < names.length ? 'few' : 'many'} parameter values were provided: there are ${params.length}, and the statement has ${names.length}`)
    return params
  }
  return names.map((name) => {
    if (name === undefined) throw new RangeError('the statement has parameters without a name: pass an array')
    const bare = name.slice(1)
    if (!Object.hasOwn(params, bare)) throw new RangeError(`Missing named parameter "${bare}"`)
    return params[bare]
  })
}
