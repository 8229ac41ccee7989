// Rows of a small result of MySQL or MariaDB, made without the module: for a few cells, calling it takes longer than all
// else. Only types whose cells are one plain step away from their value; whatever is not plain is left to the module. A
// test compares both ways.

import { columnTypes, lenencSize, readLenenc, type Column } from './mysql-columns.js'
import { decodeText } from './text.js'

const header = 4
const charsetBinary = 63

// How the cells of a column are read.
const asText = 1
const asBytes = 2
const asDate = 3
const asDatetime = 4
// As digits in text format, in so many bytes in binary format.
const asInt8 = 5
const asInt16 = 6
const asInt32 = 7
const asUint32 = 8
const asInt64 = 9
const asDouble = 10
const asDecimal = 11

/** Columns that this file can read. */
export interface QuickColumns {
  readonly names: readonly string[]
  readonly kinds: Uint8Array
  readonly unsigned: readonly boolean[]
  readonly binary: boolean
}

/** Tells how columns are read here, if they can be, all of them. */
export function quickColumns(columns: Iterable<Column>, names: readonly string[], binary: boolean): QuickColumns | undefined {
  // Such names need the care that the general way takes.
  if (names.includes('__proto__') || new Set(names).size !== names.length) return undefined
  const kinds: number[] = []
  const unsigned: boolean[] = []
  for (const column of columns) {
    const kind = kindOf(column)
    if (kind === 0) return undefined
    kinds.push(kind)
    unsigned.push(column.unsigned)
  }
  return { names, kinds: Uint8Array.from(kinds), unsigned, binary }
}

function kindOf({ type, unsigned, charset, extended }: Column): number {
  switch (type) {
    case columnTypes.tiny:
      return asInt8
    case columnTypes.short:
    case columnTypes.year:
      return asInt16
    case columnTypes.int24:
      return asInt32
    case columnTypes.long:
      return unsigned ? asUint32 : asInt32
    case columnTypes.longlong:
      return asInt64
    case columnTypes.double:
      return asDouble
    case columnTypes.newDecimal:
      return asDecimal
    case columnTypes.date:
      return asDate
    case columnTypes.datetime:
    case columnTypes.timestamp:
      return asDatetime
    case columnTypes.varchar:
    case columnTypes.tinyBlob:
    case columnTypes.mediumBlob:
    case columnTypes.longBlob:
    case columnTypes.blob:
    case columnTypes.varString:
    case columnTypes.string:
      // Of what else there is, such as JSON and UUID, MariaDB's extended metadata tells.
      return extended ? 0 : charset === charsetBinary ? asBytes : asText
    default:
      return 0
  }
}

/** The rows of some whole packets, as objects; undefined if there is a cell that is not as expected. */
export function quickRows(bytes: Uint8Array, columns: QuickColumns): Record<string, unknown>[] | undefined {
  const { names, kinds, unsigned, binary } = columns
  const count = names.length
  const rows: Record<string, unknown>[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + header + (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16))
    if (end > bytes.length) return undefined
    const row: Record<string, unknown> = {}
    at += header
    const nulls = at + 1
    if (binary) at = nulls + ((count + 9) >> 3)
    for (let i = 0; i < count; i++) {
      let value: unknown
      if (binary) {
        if ((bytes[nulls + ((i + 2) >> 3)] & (1 << ((i + 2) & 7))) !== 0) {
          row[names[i]] = null
          continue
        }
        const kind = kinds[i]
        let size = binarySizes[kind]
        if (size === 0) {
          const length = kind === asDate || kind === asDatetime ? 1 : lenencSize(bytes, at, end)
          if (!(at + length <= end)) return undefined
          size = readLenenc(bytes, at)
          at += length
        }
        if (at + size > end) return undefined
        value = binaryCell(bytes, at, at + size, kind, unsigned[i])
        at += size
      } else {
        if (at >= end) return undefined
        if (bytes[at] === 0xfb) {
          row[names[i]] = null
          at++
          continue
        }
        const length = lenencSize(bytes, at, end)
        if (!(at + length <= end)) return undefined
        const start = at + length
        at = start + readLenenc(bytes, at)
        if (at > end) return undefined
        value = textCell(bytes, start, at, kinds[i])
      }
      if (value === undefined) return undefined
      row[names[i]] = value
    }
    if (at !== end) return undefined
    rows.push(row)
  }
  return rows
}

/** By kind; 0 if a value begins with its length. */
const binarySizes = [0, 0, 0, 0, 0, 1, 2, 4, 4, 8, 8, 0]

const decimalForm = /^(?:-(?=.*[1-9]))?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/
const doubleForm = /^-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?$/
const integerForm = /^-?[1-9][0-9]*$/
const dateForm = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/

function textCell(bytes: Uint8Array, start: number, end: number, kind: number): unknown {
  switch (kind) {
    case asText:
      return textOf(bytes, start, end)
    case asInt8:
    case asInt16:
    case asInt32:
      return intOf(bytes, start, end)
    case asUint32:
    case asInt64: {
      const text = textOf(bytes, start, end)
      return text !== undefined && (integerForm.test(text) || text === '0') ? BigInt(text) : undefined
    }
    case asDouble: {
      const text = textOf(bytes, start, end)
      const value = text !== undefined && doubleForm.test(text) ? Number(text) : NaN
      return Number.isFinite(value) ? value : undefined
    }
    case asDatetime:
      return datetimeOf(bytes, start, end)
    case asBytes:
      return new Uint8Array(bytes.subarray(start, end))
    default: {
      const text = textOf(bytes, start, end)
      return text !== undefined && (kind === asDate ? dateForm : decimalForm).test(text) ? text : undefined
    }
  }
}

function binaryCell(bytes: Uint8Array, start: number, end: number, kind: number, unsigned: boolean): unknown {
  switch (kind) {
    case asInt8:
      return unsigned ? bytes[start] : (bytes[start] << 24) >> 24
    case asInt16: {
      const value = bytes[start] | (bytes[start + 1] << 8)
      return unsigned ? value : (value << 16) >> 16
    }
    case asInt32:
      return u32(bytes, start) | 0
    case asUint32:
      return BigInt(u32(bytes, start))
    case asInt64: {
      const value = (BigInt(u32(bytes, start + 4)) << 32n) | BigInt(u32(bytes, start))
      return unsigned ? value : BigInt.asIntN(64, value)
    }
    case asDouble: {
      const value = new DataView(bytes.buffer, bytes.byteOffset + start, 8).getFloat64(0, true)
      return Number.isFinite(value) ? value : undefined
    }
    case asDate: {
      if (end - start !== 4) return undefined
      const [year, month, day] = [bytes[start] | (bytes[start + 1] << 8), bytes[start + 2], bytes[start + 3]]
      return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`
    }
    case asDatetime: {
      const size = end - start
      if (size !== 4 && size !== 7 && size !== 11) return undefined
      const micros = size === 11 ? u32(bytes, start + 7) : 0
      const clock = size > 4
      return dateOf(bytes[start] | (bytes[start + 1] << 8), bytes[start + 2], bytes[start + 3], clock ? bytes[start + 4] : 0, clock ? bytes[start + 5] : 0, clock ? bytes[start + 6] : 0, Math.floor(micros / 1000))
    }
    default:
      return textCell(bytes, start, end, kind)
  }
}

/** `YYYY-MM-DD HH:MM:SS`, perhaps with a fraction. */
function datetimeOf(bytes: Uint8Array, start: number, end: number): Date | undefined {
  const size = end - start
  if (size < 19 || bytes[start + 4] !== 0x2d || bytes[start + 7] !== 0x2d || bytes[start + 10] !== 0x20 || bytes[start + 13] !== 0x3a || bytes[start + 16] !== 0x3a) return undefined
  let millis = 0
  if (size > 19) {
    if (bytes[start + 19] !== 0x2e || size > 26 || size < 21) return undefined
    for (let i = 20; i < 23; i++) millis = 10 * millis + (i < size ? digits(bytes, start + i, 1) : 0)
    if (size > 23 && !(digits(bytes, start + 23, size - 23) >= 0)) return undefined
  }
  return dateOf(digits(bytes, start, 4), digits(bytes, start + 5, 2), digits(bytes, start + 8, 2), digits(bytes, start + 11, 2), digits(bytes, start + 14, 2), digits(bytes, start + 17, 2), millis)
}

function digits(bytes: Uint8Array, at: number, count: number): number {
  let value = 0
  for (let i = at; i < at + count; i++) {
    const digit = bytes[i] - 0x30
    if (!(digit >= 0 && digit <= 9)) return NaN
    value = 10 * value + digit
  }
  return value
}

/** Undefined for zero dates and what else is none, and for the years that Date.UTC takes for others. */
function dateOf(year: number, month: number, day: number, hour: number, minute: number, second: number, millis: number): Date | undefined {
  if (!(year >= 100 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= 28 && hour <= 23 && minute <= 59 && second <= 59 && millis <= 999)) {
    // The last days of a month take a look at its length.
    if (!(year >= 100 && year <= 9999 && month >= 1 && month <= 12 && day >= 29 && hour <= 23 && minute <= 59 && second <= 59 && millis <= 999)) return undefined
    const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second, millis))
    return date.getUTCDate() === day ? date : undefined
  }
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second, millis))
}

function pad(value: number, size: number): string {
  return String(value).padStart(size, '0')
}

function u32(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0
}

/** Short texts in ASCII are most of them, and a call to the decoder takes longer than these. */
const shortText = 24

/** Undefined for what is no UTF-8 to the last byte: the module knows what to make of it. */
function textOf(bytes: Uint8Array, start: number, end: number): string | undefined {
  let text = ''
  if (end - start <= shortText) {
    let i = start
    while (i < end && bytes[i] < 0x80) text += String.fromCharCode(bytes[i++])
    if (i === end) return text
  }
  text = decodeText(bytes, start, end, false)
  return text.includes('\ufffd') ? undefined : text
}

/** An integer within 32 bits, written as the server does. */
function intOf(bytes: Uint8Array, start: number, end: number): number | undefined {
  const negative = bytes[start] === 0x2d
  const first = negative ? start + 1 : start
  const size = end - first
  if (size < 1 || size > 10 || (bytes[first] === 0x30 && end - start > 1)) return undefined
  let value = digits(bytes, first, size)
  if (negative) value = -value
  return (value | 0) === value ? value : undefined
}
