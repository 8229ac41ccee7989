// Result sets of plain cells: those of which JavaScript can tell that the module takes them, and under which label. Their
// document is made when it is asked for, so that typed rows, which have no use for it, take a fraction of the time.
//
// Cells are looked at and kept in one step, column by column, in the form that typed rows have where the document is the same.
// So the result does not depend on the caller's rows any more: they may change. Where one cell is not plain, the module gets
// the whole result set, as ever.

import { beyond, bigintOf, bytesOf, dateOf, documentCell, listOf, readIntegers, readNumbers, reader, type CellOf, type Read, type Rows } from './direct.js'
import type { Source } from './engine.js'
import type { FrameWriter } from './frame.js'
import { restoreNumber, type Decoder } from './rows.js'
import { labelName, type Dialect, type TypeName } from './types.js'

type Asked = (what: 'rows' | 'document') => void

/** A result set of plain cells. */
export class PlainSource implements Source {
  readonly names: readonly string[]
  /** The labels, too. */
  readonly types: readonly number[]
  readonly rowCount: number
  /** The cells of each column. Nobody else has them. */
  readonly columns: readonly (readonly unknown[])[]
  /** Default values of columns that were made to look at the cells. Whoever takes them must remove them. */
  readonly made: (unknown[] | undefined)[]
  readonly asked: Asked
  #rows: unknown[][] | undefined

  constructor(names: readonly string[], types: readonly number[], rowCount: number, columns: readonly unknown[][], made: (unknown[] | undefined)[], asked: Asked) {
    this.names = names
    this.types = types
    this.rowCount = rowCount
    this.columns = columns
    this.made = made
    this.asked = asked
  }

  /** For what has to have rows. */
  get rows(): unknown[][] {
    if (this.#rows === undefined) this.#fill((this.#rows = []), 0, this.rowCount)
    return this.#rows
  }

  write(writer: FrameWriter): void {
    const rows: unknown[][] = []
    for (let from = 0; from < this.rowCount; from += chunk) {
      const to = Math.min(from + chunk, this.rowCount)
      this.#fill(rows, from, to)
      writer.rows(rows, 0, to - from)
    }
  }

  #fill(rows: unknown[][], from: number, to: number): void {
    const { columns } = this
    for (let r = from; r < to; r++) {
      const row = (rows[r - from] ??= [])
      for (let c = 0; c < columns.length; c++) row[c] = columns[c][r]
    }
  }
}

/** Tells whether the cells of a column are the values that its decoder gives. */
export function isTyped(type: TypeName, decoder: Decoder | undefined, dialect: Dialect): boolean {
  switch (type) {
    case 'bigint':
      return decoder === BigInt
    case 'double':
      return decoder === restoreNumber
    case 'int':
    case 'char':
    case 'string':
    case 'enum':
      return decoder === undefined
    case 'decimal':
    case 'bool':
    case 'date':
    case 'time':
    case 'uuid':
      return decoder === undefined && dialect !== 'sqlite'
  }
  return false
}

/** How many rows are looked at at a time: they should stay in the processor's cache. */
const chunk = 256
/** The longest cell, in UTF-16 units or bytes, and row, for which the module has room whatever the characters are. */
const longestCell = 2 ** 20
const longestRow = 2 ** 26
/** The same for values in lists, and for numbers. */
const longestElement = 1000
const longestList = 10_000
/** Nanoseconds are the last digits that the module takes. */
export const longestInstant = '2024-02-29T12:34:56.123456789+00:00'.length

/** Undefined if there is a cell that is not plain. */
export function plainSource(names: readonly string[], types: readonly number[], rows: readonly unknown[], dialect: Dialect, asked: Asked): PlainSource | undefined {
  const width = names.length
  const count = rows.length
  if (types.length !== width || width === 0) return undefined
  const longest = Math.min(longestCell, Math.floor(longestRow / width))
  const columns: unknown[][] = []
  const made: (unknown[] | undefined)[] = []
  const reads: Read[] = []
  for (let c = 0; c < width; c++) {
    const type = labelName(types[c])
    const isMade = dialect !== 'sqlite' && (type === 'datetime' || type === 'json')
    const values = isMade ? new Array<unknown>(count) : undefined
    const read = values === undefined ? readerOf(type, dialect, longest) : type === 'json' ? madeReader(parsed, longest, values) : madeReader(dateOf, longestInstant, values)
    if (read === undefined) return undefined
    columns.push(new Array<unknown>(count))
    made.push(values)
    reads.push(read)
  }
  for (let from = 0; from < count; from += chunk) {
    const to = Math.min(from + chunk, count)
    for (let r = from; r < to; r++) {
      const row = rows[r]
      if (!Array.isArray(row) || row.length !== width) return undefined
    }
    for (let c = 0; c < width; c++) if (!reads[c](rows as Rows, c, from, to, columns[c], from)) return undefined
  }
  return new PlainSource(names.slice(), types.slice(), count, columns, made, asked)
}

/** Undefined if only the module knows which cells of such a column are errors, or change its label. */
function readerOf(type: TypeName, dialect: Dialect, longest: number): Read | undefined {
  const sqlite = dialect === 'sqlite' // where types go by values, and those of drivers are few
  switch (type) {
    case 'char':
    case 'string':
    case 'enum':
      return stringReader(longest)
    case 'int':
      return readIntegers
    case 'float':
    case 'double':
      return readNumbers
    case 'bigint':
      return reader(sqlite ? int64Of : within(longestElement, bigintOf))
    case 'bytes':
      return reader((cell) => (ArrayBuffer.isView(cell) && cell.byteLength > longest ? beyond : attached(cell)))
    case 'json':
      return sqlite ? stringReader(longest) : undefined // any text goes there
    case 'json-array':
    case 'unknown':
      return undefined
  }
  if (sqlite) return undefined
  const cellOf = documentCell(type.replace('-array', '') as TypeName, false, dialect)
  if (cellOf === undefined) return undefined
  const element = within(longestElement, cellOf)
  if (!type.endsWith('-array')) return reader(element)
  const list = listOf(element, 0)
  return reader((cell) => (Array.isArray(cell) && cell.length > longestList ? beyond : list(cell)))
}

function within(longest: number, cellOf: CellOf): CellOf {
  return (cell) => (typeof cell === 'string' && cell.length > longest ? beyond : cellOf(cell))
}

export function stringReader(longest: number): Read {
  return (rows, c, from, to, cells, at) => {
    for (let r = from; r < to; r++) {
      const cell = rows[r][c]
      if (typeof cell === 'string' && cell.length <= longest) cells[at + r - from] = cell
      else if (cell === null || cell === undefined) cells[at + r - from] = null
      else return false
    }
    return true
  }
}

/** Reads texts, and puts what they stand for into `values`: making it is how they are looked at. */
export function madeReader(valueOf: CellOf, longest: number, values: unknown[]): Read {
  return (rows, c, from, to, cells, at) => {
    for (let r = from; r < to; r++) {
      const cell = rows[r][c]
      if (cell !== null && cell !== undefined && (typeof cell !== 'string' || cell.length > longest)) return false
      const value = cell === null || cell === undefined ? null : valueOf(cell)
      if (value === beyond) return false
      cells[at + r - from] = cell ?? null
      values[at + r - from] = value
    }
    return true
  }
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(text as string)
  } catch {
    return beyond
  }
}

function int64Of(cell: unknown): unknown {
  return typeof cell === 'bigint' && BigInt.asIntN(64, cell) === cell ? cell : beyond
}

/** A copy of a view; the buffer of some has been taken away. */
function attached(cell: unknown): unknown {
  try {
    return bytesOf(cell)
  } catch {
    return beyond
  }
}
