// Cells of a result set that are what typed rows want already, or one plain step away. Serializing has checked them,
// so that only their form matters here: what the module would leave as it is. For any other form the module is asked.

import { bufferOfBase64, bytesOfBase64, dateOfDatetime, dateOfText, restoreNumber, type Decoder } from './rows.js'
import { NodeBuffer } from './text.js'
import type { Dialect, TypeName } from './types.js'

type Rows = readonly (readonly unknown[])[]

/** Reads one column. */
export interface DirectColumn {
  /** What it reads are the values; if not, they are what the column's decoder takes. */
  readonly over: boolean
  /** Puts the cells of some rows at the beginning of `cells`. False if one of them is beyond it. */
  read(rows: Rows, c: number, from: number, to: number, cells: unknown[]): boolean
}

/** From a cell that is not null. */
type CellOf = (cell: unknown) => unknown

/** Instead of a cell: the module has to be asked. */
const beyond = Symbol('beyond')

/** Undefined if no cell of such a column can be read. `decoder` and `jsonText` are those of the {@link RowDecoder}. */
export function directColumn(type: TypeName, decoder: Decoder | undefined, jsonText: boolean, dialect: Dialect): DirectColumn | undefined {
  switch (type) {
    case 'char':
    case 'string':
    case 'enum':
      return { over: decoder === undefined, read: readStrings }
    case 'int':
      return { over: decoder === undefined, read: readIntegers }
    case 'double':
      if (decoder === restoreNumber) return { over: true, read: readNumbers }
      break
    case 'bigint':
      if (decoder === BigInt) return column(true, bigintOf)
      break
    case 'datetime':
      return decoder === dateOfDatetime || decoder === dateOfText ? column(true, dateOf) : undefined
    case 'bytes':
      if (decoder === bytesOfBase64) return column(true, (cell) => (ArrayBuffer.isView(cell) ? copyOf(cell) : beyond))
      if (decoder === bufferOfBase64) return column(true, (cell) => (ArrayBuffer.isView(cell) ? NodeBuffer!.from(copyOf(cell).buffer) : beyond))
      return undefined
    case 'float':
      if (decoder === restoreNumber) return column(true, floatOf)
  }
  const isArray = type.endsWith('-array')
  const cellOf = scalarOf(isArray ? type.slice(0, -'-array'.length) : type, jsonText, dialect)
  if (cellOf === undefined) return undefined
  return column(decoder === undefined, isArray ? listOf(cellOf, type === 'json-array') : cellOf)
}

/** From a cell of this type to a cell of the parsed document. */
function scalarOf(type: string, jsonText: boolean, dialect: Dialect): CellOf | undefined {
  switch (type) {
    case 'char':
    case 'string':
    case 'enum':
      return (cell) => (typeof cell === 'string' ? cell : beyond)
    case 'int':
      return intOf
    case 'bigint':
      return (cell) => {
        const value = bigintOf(cell)
        return value === beyond ? beyond : String(value)
      }
    case 'float':
      return (cell) => inJSON(floatOf(cell))
    case 'double':
      return (cell) => inJSON(typeof cell === 'number' ? cell : beyond)
    case 'decimal':
      return decimalOf
    case 'bool':
      return (cell) => (typeof cell === 'boolean' ? cell : cell === 1 || cell === 1n ? true : cell === 0 || cell === 0n ? false : beyond)
    case 'date':
      return (cell) => (typeof cell === 'string' && dateForm.test(cell) ? cell : beyond)
    case 'time':
      return (cell) => (typeof cell === 'string' && timeForm.test(cell) ? cell : beyond)
    case 'uuid':
      return (cell) => (typeof cell === 'string' && uuidForm.test(cell) ? cell : beyond)
    case 'json':
      if (dialect === 'sqlite') return jsonText ? undefined : jsonOfSQLite
      return (cell) => (typeof cell !== 'string' ? beyond : jsonText ? cell : JSON.parse(cell))
    case 'unknown':
      return (cell) => {
        if (typeof cell === 'string' || typeof cell === 'boolean') return cell
        return typeof cell === 'number' && (Number.isSafeInteger(cell) || (Number.isFinite(cell) && !Number.isInteger(cell))) ? cell : beyond
      }
  }
  return undefined
}

// The forms that the module leaves as they are. Minus and zeros alone it would not.
const integerForm = /^-?[0-9]+$/
const decimalForm = /^(?:-(?=.*[1-9]))?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/
const dateForm = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/
const timeForm = /^(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.(?!000)[0-9]{3})?$/
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

function column(over: boolean, cellOf: CellOf): DirectColumn {
  return {
    over,
    read(rows, c, from, to, cells) {
      for (let r = from; r < to; r++) {
        const cell = rows[r][c]
        if (cell === null || cell === undefined) {
          cells[r - from] = null
        } else {
          const value = cellOf(cell)
          if (value === beyond) return false
          cells[r - from] = value
        }
      }
      return true
    },
  }
}

// The same, for the types that are met most.

function readStrings(rows: Rows, c: number, from: number, to: number, cells: unknown[]): boolean {
  for (let r = from; r < to; r++) {
    const cell = rows[r][c]
    if (typeof cell === 'string') cells[r - from] = cell
    else if (cell === null || cell === undefined) cells[r - from] = null
    else return false
  }
  return true
}

function readIntegers(rows: Rows, c: number, from: number, to: number, cells: unknown[]): boolean {
  for (let r = from; r < to; r++) {
    const cell = rows[r][c]
    if (typeof cell === 'number') cells[r - from] = cell | 0
    else if (cell === null || cell === undefined) cells[r - from] = null
    else if (typeof cell === 'bigint') cells[r - from] = Number(cell)
    else return false
  }
  return true
}

function readNumbers(rows: Rows, c: number, from: number, to: number, cells: unknown[]): boolean {
  for (let r = from; r < to; r++) {
    const cell = rows[r][c]
    if (typeof cell === 'number') cells[r - from] = cell
    else if (cell === null || cell === undefined) cells[r - from] = null
    else return false
  }
  return true
}

function decimalOf(cell: unknown): unknown {
  if (typeof cell === 'bigint') return String(cell)
  const text = typeof cell === 'number' ? String(cell) : cell
  return typeof text === 'string' && decimalForm.test(text) ? text : beyond // a number's exponent is beyond it
}

/** SQLite's columns take texts that are no JSON, too: they are strings. */
function jsonOfSQLite(cell: unknown): unknown {
  if (typeof cell !== 'string') return beyond
  try {
    return JSON.parse(cell) as unknown
  } catch (error) {
    if (error instanceof SyntaxError) return cell
    throw error
  }
}

function intOf(cell: unknown): unknown {
  if (typeof cell === 'number') return cell | 0
  return typeof cell === 'bigint' ? Number(cell) : beyond
}

function bigintOf(cell: unknown): unknown {
  if (typeof cell === 'bigint') return cell
  return typeof cell === 'number' || (typeof cell === 'string' && integerForm.test(cell)) ? BigInt(cell) : beyond
}

/** Of a number that 32 bits hold the document has fewer digits, and those are another double; not so of integers up to 2^24. */
function floatOf(cell: unknown): unknown {
  return typeof cell === 'number' && (Math.fround(cell) !== cell || (Number.isInteger(cell) && Math.abs(cell) <= 0x1000000)) ? cell : beyond
}

function inJSON(cell: unknown): unknown {
  return typeof cell === 'number' && !Number.isFinite(cell) ? String(cell) : cell
}

function listOf(cellOf: CellOf, flat: boolean): CellOf {
  const list: CellOf = (cell) => {
    if (!Array.isArray(cell)) return beyond
    const elements: unknown[] = []
    for (let i = 0; i < cell.length; i++) {
      const element: unknown = cell[i]
      const value = element === null || element === undefined ? null : Array.isArray(element) && !flat ? list(element) : cellOf(element)
      if (value === beyond) return beyond
      elements.push(value)
    }
    return elements
  }
  return list
}

function copyOf(view: ArrayBufferView): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(view.byteLength)
  bytes.set(new Uint8Array(view.buffer, view.byteOffset, view.byteLength))
  return bytes
}

function dateOf(cell: unknown): unknown {
  if (typeof cell === 'string') return dateOfForm(cell)
  if (cell instanceof Date && Object.getPrototypeOf(cell) === Date.prototype) return new Date(cell.getTime())
  return beyond
}

function digits(text: string, at: number, count: number): number {
  let value = 0
  for (let i = at; i < at + count; i++) {
    const digit = text.charCodeAt(i) - 48
    if (!(digit >= 0 && digit <= 9)) return NaN
    value = value * 10 + digit
  }
  return value
}

/** `YYYY-MM-DD HH:MM:SS.fff…` or with T, in UTC: with `Z`, `+00`, `+00:00` or nothing behind it. */
function dateOfForm(text: string): unknown {
  const { length } = text
  const separator = text.charCodeAt(10)
  if (separator !== 32 && separator !== 84) return beyond
  let at = 19
  let millis = 0
  if (text.charCodeAt(at) === 46) {
    const start = ++at
    while (text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at++
    if (at === start) return beyond
    const shown = Math.min(at - start, 3)
    millis = digits(text, start, shown) * (shown === 1 ? 100 : shown === 2 ? 10 : 1)
  }
  if (at !== length && !(at === length - 1 && text.endsWith('Z')) && !(at === length - 3 && text.endsWith('+00')) && !(at === length - 6 && text.endsWith('+00:00'))) return beyond
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45 || text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) return beyond
  const year = digits(text, 0, 4)
  const month = digits(text, 5, 2)
  const day = digits(text, 8, 2)
  const hour = digits(text, 11, 2)
  const minute = digits(text, 14, 2)
  const second = digits(text, 17, 2)
  // Date.UTC takes years below 100 for those of the last century, and carries over what is too large.
  if (!(year >= 100 && month >= 1 && month <= 12 && day >= 1 && (day <= 28 || day <= daysIn(year, month)) && hour <= 23 && minute <= 59 && second <= 59)) return beyond
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second, millis))
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}
