// The rows of a SQLite result as columns, for typed rows. Where a driver gives rows one by one they are turned while they are
// young: then neither the driver's rows nor its bigints live on, and the garbage collector, half of the time for wide rows,
// has less to copy.

import { beyond, dateOf, documentCell, reader, readNumbers, type Read } from './direct.js'
import { longestInstant, madeReader, PlainSource } from './plain.js'
import { boolean, bytes, date, datetime, double, int32, int64, json, numeric, text, time } from './sqlite-types.js'

/** The longest texts are left to the module, see plain.ts. */
const longest = 2 ** 16

/** Drivers make a string for each cell. Of equal ones in a row the first serves for all. */
function textReader(): Read {
  let last = ''
  return reader((cell) => (typeof cell !== 'string' || cell.length > longest ? beyond : cell === last ? last : (last = cell)))
}

/** Keeps rows of a driver that gives integers as bigints, as long as their cells are plain for these ColumnType codes. */
export class PlainRows {
  rowCount = 0
  /** The labels: those of the codes, but bigint for integers beyond 32 bits. */
  readonly labels: number[]
  readonly #columns: unknown[][]
  readonly #made: (unknown[] | undefined)[]
  readonly #reads: readonly Read[]

  private constructor(codes: readonly number[]) {
    this.labels = codes.slice()
    this.#columns = codes.map(() => [])
    this.#made = codes.map((code) => (code === datetime ? [] : undefined))
    this.#reads = codes.map((code, c) => this.#readerOf(code, c)!)
  }

  /** Undefined if cells under one of the codes are never plain. */
  static of(codes: readonly number[]): PlainRows | undefined {
    const rows = new PlainRows(codes)
    return rows.#reads.includes(undefined!) ? undefined : rows
  }

  /** False if a cell is not plain: then none of these rows is kept. */
  add(rows: readonly unknown[][]): boolean {
    const { length } = rows
    for (let c = 0; c < this.#reads.length; c++) if (!this.#reads[c](rows, c, 0, length, this.#columns[c], this.rowCount)) return false
    this.rowCount += length
    return true
  }

  /** The rows that were kept, as the driver gave them. */
  restore(): unknown[][] {
    const rows: unknown[][] = []
    for (let r = 0; r < this.rowCount; r++) {
      rows.push(this.#columns.map((cells, c) => (this.labels[c] === int32 && cells[r] !== null ? BigInt(cells[r] as number) : cells[r])))
    }
    return rows
  }

  source(names: readonly string[], asked: PlainSource['asked']): PlainSource {
    return new PlainSource(names, this.labels, this.rowCount, this.#columns, this.#made, asked)
  }

  #readerOf(code: number, c: number): Read | undefined {
    switch (code) {
      case int32:
        return this.#integers(c)
      case int64:
        return reader((cell) => (typeof cell === 'bigint' ? cell : beyond))
      case double:
        return readNumbers
      case numeric:
        return reader((cell) => (typeof cell === 'number' || typeof cell === 'bigint' ? cell : beyond))
      case boolean:
        return reader((cell) => (cell === 0n || cell === 1n ? cell : beyond))
      case text:
      case json: // a text that is not JSON is a JSON string
        return textReader()
      case date:
        return reader(documentCell('date', false, 'sqlite')!)
      case time:
        return reader(documentCell('time', false, 'sqlite')!)
      case datetime:
        return madeReader(dateOf, longestInstant, this.#made[c]!)
      case bytes: // they are nobody else's
        return reader((cell) => (ArrayBuffer.isView(cell) && cell.byteLength <= longest ? cell : beyond))
    }
    return undefined
  }

  /** Reads integers as numbers until one is beyond 32 bits. */
  #integers(column: number): Read {
    let wide = false
    return (rows, c, from, to, cells, at) => {
      for (let r = from; r < to; r++) {
        const cell = rows[r][c]
        const i = at + r - from
        if (cell === null) {
          cells[i] = null
        } else if (typeof cell !== 'bigint') {
          return false
        } else if (wide) {
          cells[i] = cell
        } else {
          const value = Number(cell)
          if ((value | 0) === value) {
            cells[i] = value
            continue
          }
          wide = true
          this.labels[column] = int64
          for (let k = 0; k < i; k++) if (cells[k] !== null) cells[k] = BigInt(cells[k] as number)
          cells[i] = cell
        }
      }
      return true
    }
  }
}
