// What JSON.stringify makes of the driver's values, beside Rowjet's cells.

import { compact, elements } from './json.js'
import type { Comparison, Loss } from './protocol.js'

/** A replacer for what JSON.stringify can't take. */
export const bigintAsText = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

/** A string cell's text. */
function textOf(cell: string): string | undefined {
  return cell.startsWith('"') ? (JSON.parse(cell) as string) : undefined
}

const numbers = /("(?:[^"\\]|\\.)*")|-?\d[\d.eE+-]*/g

/** A JSON text with its numbers all alike. */
const withoutNumbers = (text: string): string => text.replace(numbers, (token, string?: string) => string ?? (token && '0'))

/**
 * Tells what is lost between a cell as Rowjet writes it and JSON.stringify of the driver's value; nothing if both say
 * the same, though perhaps in another form.
 */
export function lossOf(type: string, cell: string, value: unknown): string | undefined {
  if (value === null || value === undefined) return cell === 'null' ? undefined : 'the value is gone'
  if (type.endsWith('-array')) {
    if (!Array.isArray(value)) return 'the array stays PostgreSQL’s text'
    const parts = elements(cell)
    for (let i = 0; i < parts.length; i++) {
      // Another dimension is an array of the same type; in a json-array, an array can be a value.
      const nested = Array.isArray(value[i]) && type !== 'json-array'
      const loss = lossOf(nested ? type : type.slice(0, -'-array'.length), parts[i], value[i])
      if (loss !== undefined) return loss
    }
    return undefined
  }
  if (typeof value === 'bigint') return 'no way to write a BigInt: the whole call fails'
  const other = JSON.stringify(value, bigintAsText)
  if (other === cell) return undefined
  switch (type) {
    case 'int':
    case 'bigint':
    case 'decimal':
      if (other === 'null') return `${textOf(cell)} becomes null`
      return String(value) === (textOf(cell) ?? cell) ? undefined : 'digits are lost'
    case 'float':
    case 'double':
      if (other === 'null') return `${textOf(cell)} becomes null`
      if (cell === '-0') return 'minus zero becomes 0'
      return Number(cell) === value ? undefined : 'digits are lost'
    case 'date':
      if (other === 'null') return `${cell.includes('infinity') ? 'infinity' : 'the date'} becomes null`
      return 'a day becomes a point in time'
    case 'datetime': {
      if (other === 'null') return `${cell.includes('infinity') ? 'infinity' : 'the time'} becomes null`
      const text = textOf(cell)!
      if (value instanceof Date && Math.floor(Date.parse(text)) !== value.getTime()) return 'it becomes another instant'
      return /\.\d{3}(?!000)\d{3}/.test(text) ? 'microseconds are cut off' : undefined
    }
    case 'bytes':
      return 'bytes become an object with a key for each'
    case 'json': {
      const text = compact(cell)
      if (text === other) return undefined
      return withoutNumbers(text) === withoutNumbers(other) ? 'digits of numbers in the JSON change' : 'the JSON is rewritten'
    }
    default:
      return textOf(cell) === value ? undefined : 'the text is another'
  }
}

/** The names that several columns have. */
export const repeatedNames = (columns: readonly string[]): string[] => [...new Set(columns.filter((name, i) => columns.indexOf(name) !== i))]

const longest = 400
const shortened = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text)

/** Compares rows, column by column. */
export function compare(
  columns: readonly string[], types: readonly string[], texts: readonly string[], rows: readonly unknown[][],
): Omit<Comparison, 'throws' | 'settled'> {
  const losses = new Map<string, Loss>()
  for (let row = 0; row < texts.length; row++) {
    const cells = elements(texts[row])
    for (let column = 0; column < cells.length; column++) {
      const what = lossOf(types[column], cells[column], rows[row][column])
      if (what === undefined) continue
      const key = `${column} ${what}`
      const known = losses.get(key)
      if (known !== undefined) known.cells++
      else losses.set(key, { column, what, cells: 1, row, rowjet: shortened(cells[column]), stringify: shortened(written(rows[row][column])) })
    }
  }
  return {
    losses: [...losses.values()].sort((a, b) => a.column - b.column),
    repeated: repeatedNames(columns),
    rows: texts.length,
  }
}

/** What JSON.stringify writes, or that it doesn't. */
function written(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    return String(error)
  }
}
