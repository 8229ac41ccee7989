// Typed rows, as the source text of a program that would make them.

import type { RowOptions } from 'rowjet/postgres'

const temporal = { datetime: 'Temporal', date: 'Temporal', time: 'Temporal' } as const

/** The choices of the page, by the call that it shows. */
export const typedOptions: Readonly<Record<string, RowOptions | undefined>> = {
  'result.rows()': undefined,
  "result.rows({ types: { datetime: 'string' } })": { types: { datetime: 'string' } },
  "result.rows({ types: { json: 'string' } })": { types: { json: 'string' } },
  ...('Temporal' in globalThis && { "result.rows({ types: { datetime: 'Temporal', date: 'Temporal', time: 'Temporal' } })": { types: temporal } }),
  "result.rows({ preset: 'json' })": { preset: 'json' },
  'result.arrays()': undefined,
}

const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u
const mostBytes = 24
const lineLength = 96

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** The source of a value. */
export function literal(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoted(value)
    case 'bigint':
      return `${value}n`
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value)
    case 'object':
      break
    default:
      return String(value)
  }
  if (value === null) return 'null'
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'new Date(NaN)' : `new Date('${value.toISOString()}')`
  if (value instanceof Uint8Array) {
    const shown = Array.from(value.subarray(0, mostBytes)).join(', ')
    return value.length > mostBytes ? `Uint8Array.of(${shown} /* … ${value.length - mostBytes} more */)` : `Uint8Array.of(${shown})`
  }
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  const tag = Object.prototype.toString.call(value).slice(8, -1)
  if (tag.startsWith('Temporal.')) return `${tag}.from('${String(value)}')`
  const entries = members(value)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

function members(value: object): string[] {
  return Object.entries(value).map(([key, member]) => `${keyOf(key)}: ${literal(member)}`)
}

function keyOf(key: string): string {
  if (key === '__proto__') return "['__proto__']" // any other way to write it sets the prototype
  return identifier.test(key) ? key : quoted(key)
}

/** The source of a row; on several lines if it is long. */
export function rowLiteral(row: object): string {
  const line = literal(row)
  if (line.length <= lineLength) return `  ${line},`
  if (Array.isArray(row)) return `  [\n${row.map((cell) => `    ${literal(cell)},`).join('\n')}\n  ],`
  return `  {\n${members(row).map((member) => `    ${member},`).join('\n')}\n  },`
}
