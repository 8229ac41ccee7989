// Typed rows of SQLite without a detour: its drivers give JavaScript values already, and for most columns the default
// typed value is that value, or one step away. Columns that take more go through the module, which knows the rules.

import type { DirectRows, Engine, Source } from './engine.js'
import { Result } from './result.js'
import type { Seen } from './sqlite-types.js'

const int32 = 0
const int64 = 1
const double = 3
const boolean = 5
const text = 7
const bytes = 13

type Rows = readonly (readonly unknown[])[]

/** The typed rows of a result whose labels are not known yet: what was seen in its columns tells where they are plain. */
export function rowsOfSeen(seen: Seen): DirectRows {
  return (engine, source, context) => {
    const rows = source.rows as Rows
    const arrays = rows.map((row) => row.slice())
    const others: number[] = []
    source.types.forEach((code, c) => {
      let plain = seen.nothing(c)
      if (!plain) switch (code) {
        case int32:
          plain = seen.onlyIntegers(c)
          if (plain && !toNumbers(arrays, c)) restore(arrays, rows, c) // the label is bigint, then
          break
        case int64:
          plain = seen.onlyIntegers(c)
          break
        case double:
          plain = seen.onlyReals(c)
          break
        case boolean:
          plain = seen.onlyIntegers(c) && toBooleans(arrays, c)
          break
        case text:
          plain = seen.onlyTexts(c)
          break
        case bytes:
          copyBytes(arrays, c)
          plain = true
      }
      if (!plain) others.push(c)
    })
    return withOthers(arrays, others, engine, source, context)
  }
}

/** The typed rows of a result whose labels are known: `source.types` has them, but for columns labelled unknown. */
export function rowsOfLabels(labels: readonly number[]): DirectRows {
  return (engine, source, context) => {
    const arrays = (source.rows as Rows).map((row) => row.slice())
    const others: number[] = []
    labels.forEach((label, c) => {
      switch (label) {
        case int32:
        case double:
          for (const row of arrays) if (typeof row[c] === 'bigint') row[c] = Number(row[c])
          break
        case int64:
          for (const row of arrays) if (typeof row[c] === 'number') row[c] = BigInt(row[c])
          break
        case text:
          break
        case bytes:
          copyBytes(arrays, c)
          break
        default:
          others.push(c)
      }
    })
    return withOthers(arrays, others, engine, source, context)
  }
}

/** Makes numbers of integers; false if one of them does not fit 32 bits, so that the column is no int. */
function toNumbers(arrays: unknown[][], c: number): boolean {
  for (let r = 0; r < arrays.length; r++) {
    const cell = arrays[r][c]
    if (cell === null) continue
    const number = Number(cell)
    if ((number | 0) !== number) return false
    arrays[r][c] = number
  }
  return true
}

/** Makes booleans of 0 and 1; false if there is another integer, so that the column is not bool. */
function toBooleans(arrays: unknown[][], c: number): boolean {
  for (let r = 0; r < arrays.length; r++) {
    const cell = arrays[r][c]
    if (cell === null) continue
    if (cell !== 0n && cell !== 1n) return false
    arrays[r][c] = cell === 1n
  }
  return true
}

function restore(arrays: unknown[][], rows: Rows, c: number): void {
  for (let r = 0; r < rows.length; r++) arrays[r][c] = rows[r][c]
}

/** A small Buffer shares its memory with others. */
function copyBytes(arrays: unknown[][], c: number): void {
  for (const row of arrays) if (row[c] !== null) row[c] = new Uint8Array(row[c] as Uint8Array)
}

/** Fills in the columns that the module makes. */
function withOthers(arrays: unknown[][], others: readonly number[], engine: Engine, source: Source, context: Source | undefined): unknown[][] {
  if (others.length === 0) return arrays
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
