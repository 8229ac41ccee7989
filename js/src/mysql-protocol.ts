// MySQL's side of what wire.ts asks for. A description is the preface that the module wants (wasm/ABI.md, "Messages:
// MySQL and MariaDB"), a column count and the column definitions, each a packet; there is no EOF behind them.

import { columnTypes, lenencSize, readLenenc, type Column } from './mysql-columns.js'
import { quickColumns, quickRows } from './mysql-quick.js'
import { decodeText } from './text.js'
import type { WireProtocol } from './wire.js'

const header = 4
const prefaceSize = 12
const flagUnsigned = 32

/** How many bytes a value takes in binary format: -1 if it begins with its length, -2 if that is one byte. */
function binarySize(type: number): number {
  switch (type) {
    case columnTypes.null:
      return 0
    case columnTypes.tiny:
      return 1
    case columnTypes.short:
    case columnTypes.year:
      return 2
    case columnTypes.long:
    case columnTypes.int24:
    case columnTypes.float:
      return 4
    case columnTypes.double:
    case columnTypes.longlong:
      return 8
    case columnTypes.date:
    case columnTypes.time:
    case columnTypes.datetime:
    case columnTypes.timestamp:
      return -2
    default:
      return -1
  }
}

function* columnsOf(description: Uint8Array): Generator<Column, void, undefined> {
  let at = prefaceSize
  const next = (): number => {
    at += header + (description[at] | (description[at + 1] << 8) | (description[at + 2] << 16))
    return at
  }
  const extended = (description[4] & 8) !== 0
  for (let packet = next(); packet < description.length; packet = next()) {
    let field = packet + header
    let nameAt = 0
    let nameEnd = 0
    let told = false
    for (let text = 0; text < (extended ? 7 : 6); text++) {
      const start = field + lenencSize(description, field, description.length)
      field = start + readLenenc(description, field)
      if (text === 4) {
        nameAt = start
        nameEnd = field
      }
      if (text === 6) told = field > start
    }
    yield {
      nameAt,
      nameEnd,
      type: description[field + 7],
      unsigned: (description[field + 8] & flagUnsigned) !== 0,
      charset: description[field + 1] | (description[field + 2] << 8),
      extended: told,
    }
  }
}

const isBinary = (description: Uint8Array): boolean => description[8] === 1

/** How the cells of binary rows are stored. */
const sizes = new WeakMap<Uint8Array, Int8Array>()

function sizesOf(description: Uint8Array): Int8Array {
  let found = sizes.get(description)
  if (found === undefined) sizes.set(description, (found = Int8Array.from(columnsOf(description), ({ type }) => binarySize(type))))
  return found
}

function u24(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16)
}

/** Tells whether some whole rows have so many cells each, of lengths that add up to theirs. Small rows only: each is one packet. */
function areRows(bytes: Uint8Array, description: Uint8Array, columns: number): boolean {
  const binary = isBinary(description)
  const cells = binary ? sizesOf(description) : undefined
  for (let at = 0; at < bytes.length; ) {
    const end = at + header + u24(bytes, at)
    at += header
    const nulls = at + 1
    if (binary) {
      at = nulls + ((columns + 9) >> 3)
      if (bytes[nulls - 1] !== 0) return false
    }
    for (let i = 0; i < columns; i++) {
      const size = cells === undefined ? -1 : cells[i]
      if (cells === undefined) {
        if (at < end && bytes[at] === 0xfb) {
          at++
          continue
        }
      } else if ((bytes[nulls + ((i + 2) >> 3)] & (1 << ((i + 2) & 7))) !== 0) {
        continue
      }
      if (size >= 0) {
        at += size
      } else {
        const length = size === -2 ? 1 : lenencSize(bytes, at, end)
        if (!(at + length <= end)) return false
        at += length + readLenenc(bytes, at)
      }
    }
    if (at !== end) return false
  }
  return true
}

/** The column names of a description. */
function names(description: Uint8Array): string[] {
  return Array.from(columnsOf(description), ({ nameAt, nameEnd }) => decodeText(description, nameAt, nameEnd, false))
}

export const mysqlProtocol: WireProtocol = {
  // EOF, with a status of 0.
  end: Uint8Array.of(5, 0, 0, 0, 0xfe, 0, 0, 0, 0),
  // The preface, and OK.
  empty: Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0),
  names,
  moduleOnly: () => false,
  areRows,
  quickColumns: (description, of) => quickColumns(columnsOf(description), of, isBinary(description)),
  quickRows,
}
