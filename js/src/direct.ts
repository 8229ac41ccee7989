// Cells of a result set that are what typed rows want already, or one plain step away: what the module would leave as it is.
// For any other form the module is asked. plain.ts tells which of them need no serializing before.

import { bufferOfBase64, bytesOfBase64, dateOfDatetime, dateOfText, restoreNumber, type Decoder } from './rows.js'
import { NodeBuffer } from './text.js'
import type { Dialect, TypeName } from './types.js'

export type Rows = readonly (readonly unknown[])[]

/** Puts the cells of a column from row `from` up to and without `to` into `cells`, from `at` on. False if one of them is beyond it. */
export type Read = (rows: Rows, c: number, from: number, to: number, cells: unknown[], at: number) => boolean

/** From a cell that is not null. */
export type CellOf = (cell: unknown) => unknown

/** Reads one column. */
export interface DirectColumn {
  /** What it reads are the values; if not, they are what the column's decoder takes. */
  readonly over: boolean
  readonly read: Read
  /** The same for one cell. */
  readonly cellOf: CellOf
}

/** Instead of a cell: the module has to be asked. */
export const beyond = Symbol('beyond')

/** Undefined if no cell of such a column can be read. `decoder` and `jsonText` are those of the {@link RowDecoder}. */
export function directColumn(type: TypeName, decoder: Decoder | undefined, jsonText: boolean, dialect: Dialect): DirectColumn | undefined {
  const over = decoder === undefined
  switch (type) {
    case 'char':
    case 'string':
    case 'enum':
      return { over, read: readStrings, cellOf: stringOf }
    case 'int':
      return { over, read: readIntegers, cellOf: intOf }
    case 'double':
      if (decoder === restoreNumber) return { over: true, read: readNumbers, cellOf: numberOf }
      break
    case 'bigint':
      if (decoder === BigInt) return column(true, bigintOf)
      break
    case 'datetime':
      return decoder === dateOfDatetime || decoder === dateOfText ? column(true, dateOf) : undefined
    case 'bytes':
      if (decoder === bytesOfBase64) return column(true, bytesOf)
      if (decoder === bufferOfBase64) return column(true, bufferOf)
      return undefined
    case 'float':
      if (decoder === restoreNumber) return column(true, floatOf)
  }
  const cellOf = documentCell(type, jsonText, dialect)
  return cellOf === undefined ? undefined : column(over, cellOf)
}

function column(over: boolean, cellOf: CellOf): DirectColumn {
  return { over, read: reader(cellOf), cellOf }
}

/** From a cell of this type to a cell of the parsed document. */
export function documentCell(type: TypeName, jsonText: boolean, dialect: Dialect): CellOf | undefined {
  if (!type.endsWith('-array')) return scalarOf(type, jsonText, dialect)
  const cellOf = scalarOf(type.slice(0, -'-array'.length), jsonText, dialect)
  return cellOf === undefined ? undefined : listOf(cellOf, type === 'json-array' ? 0 : deepest)
}

/** From a cell of this type to a cell of the parsed document. */
function scalarOf(type: string, jsonText: boolean, dialect: Dialect): CellOf | undefined {
  switch (type) {
    case 'char':
    case 'string':
    case 'enum':
      return stringOf
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
      return (cell) => inJSON(numberOf(cell))
    case 'decimal':
      return decimalOf
    case 'bool':
      return boolOf
    case 'date':
      return (cell) => (typeof cell === 'string' && isDate(cell) ? cell : beyond)
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
const timeForm = /^(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.(?!000)[0-9]{3})?$/
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Reads cells one by one. */
export function reader(cellOf: CellOf): Read {
  return (rows, c, from, to, cells, at) => {
    for (let r = from; r < to; r++) {
      const cell = rows[r][c]
      const value = cell === null || cell === undefined ? null : cellOf(cell)
      if (value === beyond) return false
      cells[at + r - from] = value
    }
    return true
  }
}

// The same, for the types that are met most.

export const readStrings: Read = (rows, c, from, to, cells, at) => {
  for (let r = from; r < to; r++) {
    const cell = rows[r][c]
    if (typeof cell === 'string') cells[at + r - from] = cell
    else if (cell === null || cell === undefined) cells[at + r - from] = null
    else return false
  }
  return true
}

export const readIntegers: Read = (rows, c, from, to, cells, at) => {
  for (let r = from; r < to; r++) {
    const cell = rows[r][c]
    if (typeof cell === 'number' && (cell | 0) === cell) cells[at + r - from] = cell | 0
    else if (cell === null || cell === undefined) cells[at + r - from] = null
    else if (typeof cell === 'bigint' && BigInt.asIntN(32, cell) === cell) cells[at + r - from] = Number(cell)
    else return false
  }
  return true
}

export const readNumbers: Read = (rows, c, from, to, cells, at) => {
  for (let r = from; r < to; r++) {
    const cell = rows[r][c]
    if (typeof cell === 'number') cells[at + r - from] = cell
    else if (cell === null || cell === undefined) cells[at + r - from] = null
    else return false
  }
  return true
}

function stringOf(cell: unknown): unknown {
  return typeof cell === 'string' ? cell : beyond
}

function numberOf(cell: unknown): unknown {
  return typeof cell === 'number' ? cell : beyond
}

function boolOf(cell: unknown): unknown {
  if (typeof cell === 'boolean') return cell
  return cell === 1 || cell === 1n ? true : cell === 0 || cell === 0n ? false : beyond
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
  if (typeof cell === 'number') return (cell | 0) === cell ? cell | 0 : beyond
  return typeof cell === 'bigint' && BigInt.asIntN(32, cell) === cell ? Number(cell) : beyond
}

export function bigintOf(cell: unknown): unknown {
  if (typeof cell === 'bigint') return cell
  return Number.isInteger(cell) || (typeof cell === 'string' && integerForm.test(cell)) ? BigInt(cell as number | string) : beyond
}

/** Of a number that 32 bits hold the document has fewer digits, and those are another double; not so of integers up to 2^24. */
function floatOf(cell: unknown): unknown {
  return typeof cell === 'number' && (Math.fround(cell) !== cell || (Number.isInteger(cell) && Math.abs(cell) <= 0x1000000)) ? cell : beyond
}

function inJSON(cell: unknown): unknown {
  return typeof cell === 'number' && !Number.isFinite(cell) ? String(cell) : cell
}

/** How deep lists may be in each other: as deep as PostgreSQL's arrays are. */
const deepest = 6

/** `depth`: how deep lists may be in this one. */
export function listOf(cellOf: CellOf, depth: number): CellOf {
  const inner = depth > 0 ? listOf(cellOf, depth - 1) : cellOf
  return (cell) => {
    if (!Array.isArray(cell)) return beyond
    const elements: unknown[] = []
    for (let i = 0; i < cell.length; i++) {
      const element: unknown = cell[i]
      const value = element === null || element === undefined ? null : depth > 0 && Array.isArray(element) ? inner(element) : cellOf(element)
      if (value === beyond) return beyond
      elements.push(value)
    }
    return elements
  }
}

/** A copy. */
export function bytesOf(cell: unknown): unknown {
  return ArrayBuffer.isView(cell) ? copyOf(cell) : beyond
}

function bufferOf(cell: unknown): unknown {
  return ArrayBuffer.isView(cell) ? NodeBuffer!.from(copyOf(cell).buffer) : beyond
}

function copyOf(view: ArrayBufferView): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(view.byteLength)
  bytes.set(new Uint8Array(view.buffer, view.byteOffset, view.byteLength))
  return bytes
}

export function dateOf(cell: unknown): unknown {
  if (typeof cell === 'string') return dateOfForm(cell)
  if (!(cell instanceof Date && Object.getPrototypeOf(cell) === Date.prototype)) return beyond
  try {
    return new Date(getTime.call(cell))
  } catch {
    return beyond // no Date, but made with its prototype
  }
}

/** What the writer of frames reads Dates by, too: a getTime of the cell's own does not count. */
const getTime = Date.prototype.getTime as (this: object) => number

function digits(text: string, at: number, count: number): number {
  let value = 0
  for (let i = at; i < at + count; i++) {
    const digit = text.charCodeAt(i) - 48
    if (!(digit >= 0 && digit <= 9)) return NaN
    value = value * 10 + digit
  }
  return value
}

/** `YYYY-MM-DD`, a day of the calendar. */
function isDate(text: string): boolean {
  return text.length === 10 && text.charCodeAt(4) === 45 && text.charCodeAt(7) === 45 && isDay(digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2))
}

/** Tells whether there is such a day, from the year 100 on: Date.UTC takes lower years for those of the last century. */
function isDay(year: number, month: number, day: number): boolean {
  return year >= 100 && month >= 1 && month <= 12 && day >= 1 && (day <= 28 || day <= daysIn(year, month))
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
  // Date.UTC carries over what is too large.
  if (!(isDay(year, month, day) && hour <= 23 && minute <= 59 && second <= 59)) return beyond
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second, millis))
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}
