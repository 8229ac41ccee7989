// Typed rows of SQLite without a detour: its drivers give JavaScript values already, and for most columns the default
// typed value is that value, or one step away. Columns that take more go through the module, which knows the rules.

import type { DirectRows, Engine, Source } from './engine.js'
import { Result } from './result.js'

const int32 = 0
const int64 = 1
const double = 3
const boolean = 5
const text = 7
const bytes = 13
/** For columns that the module makes. */
const other = -1

type Rows = readonly (readonly unknown[])[]

/**
 * Makes the typed rows of a result whose labels nobody knows yet. The codes in `source.types` are tried: if every cell is
 * of the class that SQLite has for the code, the label is the code's, or bigint in place of int.
 */
export const tryRows: DirectRows = (engine, source, context) => {
  const rows = source.rows as Rows
  const codes = source.types.slice()
  const width = codes.length
  const arrays = new Array<unknown[]>(rows.length)
  for (let r = 0; r < rows.length; r++) {
    const array = (arrays[r] = rows[r].slice())
    for (let c = 0; c < width; c++) {
      const cell = array[c]
      if (cell === null) continue
      switch (codes[c]) {
        case int32: {
          if (typeof cell === 'bigint') {
            const number = Number(cell)
            if ((number | 0) === number) {
              array[c] = number
            } else {
              codes[c] = int64
              for (let before = 0; before < r; before++) arrays[before][c] = rows[before][c]
            }
            continue
          }
          break
        }
        case int64:
          if (typeof cell === 'bigint') continue
          break
        case double:
          if (typeof cell === 'number') continue
          break
        case boolean:
          if (cell === 0n || cell === 1n) {
            array[c] = cell === 1n
            continue
          }
          break
        case text:
          if (typeof cell === 'string') continue
          break
        case bytes:
          if (ArrayBuffer.isView(cell)) {
            array[c] = new Uint8Array(cell as Uint8Array) // a copy: a small Buffer shares its memory with others
            continue
          }
      }
      codes[c] = other
    }
  }
  return withOthers(arrays, codes, engine, source, context)
}

/** Makes the typed rows of a result whose labels are known: `source.types` has them, but for columns labelled unknown. */
export function rowsOf(labels: readonly number[]): DirectRows {
  const codes = labels.map((label) => (label === int32 || label === int64 || label === double || label === text || label === bytes ? label : other))
  return (engine, source, context) => {
    const rows = source.rows as Rows
    const arrays = new Array<unknown[]>(rows.length)
    for (let r = 0; r < rows.length; r++) {
      const array = (arrays[r] = rows[r].slice())
      for (let c = 0; c < codes.length; c++) {
        const cell = array[c]
        const code = codes[c]
        if (cell === null) continue
        if (code === int32 || code === double) {
          if (typeof cell === 'bigint') array[c] = Number(cell)
        } else if (code === int64) {
          if (typeof cell === 'number') array[c] = BigInt(cell)
        } else if (code === bytes) {
          array[c] = new Uint8Array(cell as Uint8Array)
        }
      }
    }
    return withOthers(arrays, codes, engine, source, context)
  }
}

/** Fills in the columns that the module makes. */
function withOthers(arrays: unknown[][], codes: readonly number[], engine: Engine, source: Source, context: Source | undefined): unknown[][] {
  const others: number[] = []
  codes.forEach((code, c) => code === other && others.push(c))
  if (others.length === 0 || arrays.length === 0) return arrays
  const part = partOf(source, others)
  const result = new Result(engine, part, context && partOf(context, others), { bytes: null, ascii: false, labels: null, rowCount: part.rows.length })
  const values = result.arrays()
  for (let r = 0; r < arrays.length; r++) for (let i = 0; i < others.length; i++) arrays[r][others[i]] = values[r][i]
  return arrays
}

/** Some columns of a result set. */
function partOf(source: Source, columns: readonly number[]): Source {
  return {
    names: columns.map((c) => source.names[c]),
    types: columns.map((c) => source.types[c]),
    rows: (source.rows as Rows).map((row) => columns.map((c) => row[c])),
  }
}
