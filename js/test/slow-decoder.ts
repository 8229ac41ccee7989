// What typed rows are by the rules, told a second time: from the text of a document, cell by cell, with nothing of the
// package. Slow and plain on purpose.
import type { RowOptions } from 'rowjet/postgres'

interface Document { columns: string[]; types: string[]; rows: any[][] }

/** Decodes the rows of an array-shape document as arrays. With json choices other than 'value', json cells have to be strings that hold their source text: see {@link wantsJSONText}. */
export function slowArrays(text: string, options: RowOptions = {}): unknown[][] {
  const document = JSON.parse(text) as Document
  const jsonText = wantsJSONText(document.columns, document.types, options)
  return document.rows.map((row) =>
    row.map((cell, index) => {
      const type = document.types[index]
      const column = { name: document.columns[index], index, type }
      if (cell === null) return null
      if (!type.endsWith('-array')) return slowCell(type, cell, choiceFor(document.columns, index, type, options), column, options, jsonText)
      const element = type.slice(0, type.length - '-array'.length)
      const choice = choiceFor(document.columns, index, element, options)
      const each = (item: any): unknown => {
        if (item === null) return null
        if (Array.isArray(item) && (element !== 'json' || jsonText)) return item.map(each)
        return slowCell(element, item, choice, column, options, jsonText)
      }
      return cell.map(each)
    }),
  )
}

/** Makes objects of array rows, one member after the other. */
export function slowObjects(columns: readonly string[], arrays: readonly unknown[][]): object[] {
  return arrays.map((row) => {
    const entries = new Map<string, unknown>()
    row.forEach((value, i) => {
      entries.delete(columns[i]) // the last of a name counts, in its own place
      entries.set(columns[i], value)
    })
    return Object.fromEntries(entries)
  })
}

/** Tells whether the document has to be made with the jsontext flag. */
export function wantsJSONText(columns: readonly string[], types: readonly string[], options: RowOptions): boolean {
  return types.some((type, index) => {
    const choice = choiceFor(columns, index, 'json', options)
    return (type === 'json' || type === 'json-array') && choice !== undefined && choice !== 'value'
  })
}

function choiceFor(columns: readonly string[], index: number, type: string, { columns: byColumn = {}, types = {} }: RowOptions): unknown {
  const own = (object: object, key: string): unknown => Object.getOwnPropertyDescriptor(object, key)?.value
  const byIndex = columns.includes(String(index)) ? undefined : own(byColumn, String(index))
  return byIndex ?? own(byColumn, columns[index]) ?? own(types, type)
}

function slowCell(type: string, cell: any, choice: unknown, column: object, { preset }: RowOptions, jsonText: boolean): unknown {
  if (typeof choice === 'function') {
    const text = textOf(type, cell)
    if (String(choice).startsWith('class ')) return new (choice as new (text: string) => unknown)(text)
    return (choice as (text: string, column: object) => unknown)(text, column)
  }
  if (preset === 'json' && choice === undefined) return type === 'json' && jsonText ? JSON.parse(cell) : cell
  const prisma = preset === 'prisma' && choice === undefined
  switch (type) {
    case 'int':
      return choice === 'string' ? String(cell) : choice === 'bigint' ? BigInt(cell) : cell
    case 'bigint':
      return choice === 'string' ? cell : choice === 'number' ? Number(cell) : BigInt(cell)
    case 'float':
    case 'double':
      return prisma ? cell : choice === 'string' ? textOf(type, cell) : Number(cell)
    case 'decimal':
      return choice === 'number' ? Number(cell) : cell
    case 'bool':
      return choice === 'string' ? String(cell) : choice === 'number' ? Number(cell) : cell
    case 'bytes': {
      if (choice === 'base64' || choice === 'string') return cell
      const bytes = Uint8Array.from(atob(cell), (byte) => byte.charCodeAt(0))
      return choice === 'Buffer' ? Buffer.from(bytes) : bytes
    }
    case 'json':
      return !jsonText || choice === 'string' ? cell : JSON.parse(cell)
    case 'datetime':
      if (choice === 'string') return cell
      return prisma ? new Date(cell) : slowDate(cell)
    case 'date':
      if (prisma) return new Date(cell)
      if (choice === 'Date') {
        const date = slowDate(`${cell}T00:00:00+00:00`)
        return typeof date === 'string' ? cell : date
      }
      return cell
    case 'time':
      if (prisma) return new Date(`1970-01-01T${cell}Z`)
      if (choice === 'Date') {
        const date = new Date(`1970-01-01T${cell}Z`)
        return Number.isNaN(Number(date)) ? cell : date
      }
      return cell
    case 'unknown':
      return choice === 'string' ? textOf(type, cell) : cell
    default:
      return cell
  }
}

function textOf(type: string, cell: any): string {
  if (typeof cell === 'string') return cell
  if (Object.is(cell, -0)) return '-0'
  return type === 'unknown' && typeof cell !== 'number' ? JSON.stringify(cell) : String(cell)
}

/** By counting days: a form that Date.parse does not know in every engine never gets near it. */
function slowDate(text: string): unknown {
  if (text.startsWith('infinity')) return Infinity
  if (text.startsWith('-infinity')) return -Infinity
  const parts = /^([+-][0-9]{6}|[0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{3})[0-9]*)?\+00:00$/.exec(text)
  if (parts === null) return text
  const [year, month, day, hour, minute, second, millis] = parts.slice(1).map((part) => Number(part ?? 0))
  const leap = (y: number): boolean => (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0
  const months = [31, leap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  if (month < 1 || month > 12 || day < 1 || day > months[month - 1] || hour > 23 || minute > 59 || second > 59) return text
  const before = year - 1
  let days = year * 365 + Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400) - 719527
  days += months.slice(0, month - 1).reduce((sum, length) => sum + length, 0) + day - 1
  const time = days * 86_400_000 + hour * 3_600_000 + minute * 60_000 + second * 1000 + millis
  return Math.abs(time) > 8.64e15 ? text : new Date(time)
}
