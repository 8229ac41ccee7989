// The labels of SQLite's columns without a document: where all cells are of the class that SQLite has for a code, the label
// is plain. Columns that take more are left to the module, which knows the rules.

import type { Engine, Source } from './engine.js'
import { Result } from './result.js'
import { boolean, bytes, Columns, double, int32, int64, json, numeric, text } from './sqlite-types.js'

type Rows = readonly (readonly unknown[])[]

/**
 * All rows of a statement. What is not asked for is not found: of a single row, finding the types takes as long as making the
 * result.
 */
export class RowsSource implements Source {
  readonly names: readonly string[]
  readonly rows: unknown[][]
  readonly asked: Source['asked']
  readonly #columns: Columns
  readonly #exact: boolean
  #types: readonly number[] | undefined

  /**
   * Something of each kind that a small result is made of, to be kept for as long as there may be another. V8 forgets what it
   * has learned about a kind of object when a garbage collection finds none of it alive, and its code for such objects with
   * it: half of the time of a query for one row.
   */
  static samples(engine: Engine): unknown {
    const source = new RowsSource(new Columns([]), [], true, undefined)
    return [source, source.types, new Result(engine, source, undefined, { bytes: null, ascii: false, labels: null, rowCount: 0 })]
  }

  constructor(columns: Columns, rows: unknown[][], exact: boolean, asked: Source['asked']) {
    this.names = columns.names
    this.rows = rows
    this.asked = asked
    this.#columns = columns
    this.#exact = exact
  }

  get types(): readonly number[] {
    return (this.#types ??= this.#columns.codesOf(this.rows, this.#exact))
  }

  get labels(): typeof labelsOf {
    return labelsOf
  }

  get quick(): Source['quick'] {
    return this.#columns.simple ? fewRows : undefined
  }
}

/** For a column that the module has to look at. */
const other = -1

/** Finds the labels of a result set whose cells are a driver's values. */
export function labelsOf(engine: Engine, source: Source): readonly number[] {
  const rows = source.rows as Rows
  const labels = source.types.map((code) => (code in plain ? code : other))
  const watched = [...labels.keys()].filter((c) => labels[c] !== other)
  // Row by row, since each row is memory of its own.
  for (let r = 0; r < rows.length; r++) {
    const row = rows[r]
    for (let i = 0; i < watched.length; i++) {
      const c = watched[i]
      const cell = row[c]
      if (cell === null) continue
      switch (labels[c]) {
        case int32:
          if (typeof cell === 'bigint') {
            const number = Number(cell)
            if ((number | 0) !== number) labels[c] = int64
            continue
          }
          break
        case int64:
          if (typeof cell === 'bigint') continue
          break
        case double:
          if (typeof cell === 'number') continue
          break
        case numeric:
          if (typeof cell === 'number' || typeof cell === 'bigint') continue
          break
        case boolean:
          if (cell === 0n || cell === 1n) continue
          break
        case text:
        case json: // a text that is not JSON is a JSON string
          if (typeof cell === 'string') continue
          break
        case bytes:
          if (typeof cell === 'object') continue
          break
        case other:
          continue
      }
      labels[c] = other
    }
  }
  const others = [...labels.keys()].filter((c) => labels[c] === other)
  if (others.length > 0) {
    const found = engine.labels({
      names: others.map((c) => source.names[c]),
      types: others.map((c) => source.types[c]),
      rows: rows.map((row) => others.map((c) => row[c])),
    })
    others.forEach((c, i) => (labels[c] = found[i]))
  }
  return labels
}

/** The codes for which the class of each cell tells the label. */
const plain: Record<number, true> = { [int32]: true, [int64]: true, [double]: true, [numeric]: true, [boolean]: true, [text]: true, [json]: true, [bytes]: true }

/** Up to so many rows, looking at the cells once beats everything that is made for many. */
const few = 16

/** The row objects of a result with few rows, if all cells are plain. For columns that are `simple`. */
export function fewRows(source: Source): Record<string, unknown>[] | undefined {
  const rows = source.rows as Rows
  const { names, types } = source
  if (rows.length > few) return undefined
  const objects: Record<string, unknown>[] = []
  for (let r = 0; r < rows.length; r++) {
    const row = rows[r]
    const object: Record<string, unknown> = {}
    for (let c = 0; c < names.length; c++) {
      let cell = row[c]
      if (cell !== null) {
        switch (types[c]) {
          case int32: {
            if (typeof cell !== 'bigint') return undefined
            cell = Number(cell)
            if (((cell as number) | 0) !== cell) return undefined
            break
          }
          case int64:
            if (typeof cell !== 'bigint') return undefined
            break
          case double:
            if (typeof cell !== 'number') return undefined
            break
          case boolean:
            if (cell !== 0n && cell !== 1n) return undefined
            cell = cell === 1n
            break
          case text:
            if (typeof cell !== 'string') return undefined
            break
          default:
            return undefined
        }
      }
      object[names[c]] = cell
    }
    objects.push(object)
  }
  return objects
}
