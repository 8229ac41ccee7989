// Rows of a small result, made without the module: for a few cells, calling it takes longer than all else. Only types
// whose text is their value; whatever is not plain is left to the module. A test compares both ways.

import { header, types, u16, u32 } from './messages.js'
import { decodeCell } from './text.js'

// How the cells of a column are read.
const asInt = 1
const asText = 2
const asBool = 3
const asBigInt = 4
const asDouble = 5

/** By the OIDs of pg_type.dat. */
const kinds: Record<number, number> = {
  16: asBool, // bool
  19: asText, // name
  20: asBigInt, // int8
  21: asInt, // int2
  23: asInt, // int4
  25: asText, // text
  701: asDouble, // float8
  1042: asText, // bpchar
  1043: asText, // varchar
}

/** Columns that this file can read. */
export interface QuickColumns {
  readonly names: readonly string[]
  readonly kinds: Uint8Array
}

/** Tells how the columns of a RowDescription are read here, if they can be, all of them. */
export function quickColumns(description: Uint8Array, names: readonly string[]): QuickColumns | undefined {
  // Such names need the care that the general way takes.
  if (names.includes('__proto__') || new Set(names).size !== names.length) return undefined
  const found = new Uint8Array(names.length)
  let at = header + 2
  for (let i = 0; i < names.length; i++) {
    at = description.indexOf(0, at) + 1 + 18
    const kind = kinds[u32(description, at - 12)]
    if (kind === undefined || u16(description, at - 2) !== 0) return undefined
    found[i] = kind
  }
  return { names, kinds: found }
}

const decimal = /^-?[0-9]+(\.[0-9]+)?(e[+-][0-9]+)?$/
const integer = /^-?[1-9][0-9]*$/

/** The rows of some whole DataRow messages, as objects; undefined if there is a cell that is not as expected. */
export function quickRows(bytes: Uint8Array, columns: QuickColumns): Record<string, unknown>[] | undefined {
  const { names, kinds } = columns
  const rows: Record<string, unknown>[] = []
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] !== types.dataRow || u16(bytes, at + header) !== names.length) return undefined
    const row: Record<string, unknown> = {}
    at += header + 2
    for (let i = 0; i < names.length; i++) {
      const size = u32(bytes, at)
      at += 4
      if (size === 0xffffffff) {
        row[names[i]] = null
        continue
      }
      const end = at + size
      if (end > bytes.length) return undefined
      const value = cell(bytes, at, end, kinds[i])
      if (value === undefined) return undefined
      row[names[i]] = value
      at = end
    }
    rows.push(row)
  }
  return rows
}

function cell(bytes: Uint8Array, start: number, end: number, kind: number): unknown {
  switch (kind) {
    case asText:
      return plainText(bytes, start, end)
    case asInt:
      return intOf(bytes, start, end)
    case asBool:
      if (end - start !== 1) return undefined
      return bytes[start] === 0x74 ? true : bytes[start] === 0x66 ? false : undefined // t, f
    case asBigInt: {
      const text = decodeCell(bytes, start, end)
      return integer.test(text) || text === '0' ? BigInt(text) : undefined
    }
    default: {
      const text = decodeCell(bytes, start, end)
      return decimal.test(text) ? Number(text) : undefined
    }
  }
}

/** Invalid UTF-8 is left to the module: it reads lone surrogates, the decoder does not. */
function plainText(bytes: Uint8Array, start: number, end: number): string | undefined {
  const text = decodeCell(bytes, start, end)
  return text.includes('\ufffd') ? undefined : text
}

/** An integer within 32 bits, written as the server does. */
function intOf(bytes: Uint8Array, start: number, end: number): number | undefined {
  const negative = bytes[start] === 0x2d
  const first = negative ? start + 1 : start
  const size = end - first
  if (size < 1 || size > 10 || (bytes[first] === 0x30 && end - start > 1)) return undefined
  let value = 0
  for (let i = first; i < end; i++) {
    const digit = bytes[i] - 0x30
    if (!(digit >= 0 && digit <= 9)) return undefined
    value = 10 * value + digit
  }
  if (negative) value = -value
  return (value | 0) === value ? value : undefined
}
