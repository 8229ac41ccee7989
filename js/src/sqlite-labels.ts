// The labels of SQLite's columns without a document: where all cells are of the class that SQLite has for a code, the label
// is plain. Columns that take more are left to the module, which knows the rules.

import type { Engine, Source } from './engine.js'

const int32 = 0
const int64 = 1
const double = 3
const numeric = 4
const boolean = 5
const text = 7
const bytes = 13

type Rows = readonly (readonly unknown[])[]

/** Finds the labels of a result set whose cells are a driver's values. */
export function labelsOf(engine: Engine, source: Source): readonly number[] {
  const rows = source.rows as Rows
  const labels: number[] = []
  const others: number[] = []
  source.types.forEach((code, c) => {
    const label = labelOf(code, rows, c)
    labels.push(label ?? code)
    if (label === undefined) others.push(c)
  })
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

/** Undefined if it is not plain. */
function labelOf(code: number, rows: Rows, c: number): number | undefined {
  switch (code) {
    case int32: {
      let label = int32
      for (let r = 0; r < rows.length; r++) {
        const cell = rows[r][c]
        if (typeof cell === 'bigint') {
          const number = Number(cell)
          if ((number | 0) !== number) label = int64
        } else if (cell !== null) {
          return undefined
        }
      }
      return label
    }
    case int64:
      return allOf(rows, c, (cell) => typeof cell === 'bigint') ? code : undefined
    case double:
      return allOf(rows, c, (cell) => typeof cell === 'number') ? code : undefined
    case numeric:
      return allOf(rows, c, (cell) => typeof cell === 'number' || typeof cell === 'bigint') ? code : undefined
    case boolean:
      return allOf(rows, c, (cell) => cell === 0n || cell === 1n) ? code : undefined
    case text:
      return allOf(rows, c, (cell) => typeof cell === 'string') ? code : undefined
    case bytes:
      return allOf(rows, c, (cell) => ArrayBuffer.isView(cell)) ? code : undefined
  }
  return undefined
}

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

function allOf(rows: Rows, c: number, fits: (cell: unknown) => boolean): boolean {
  for (let r = 0; r < rows.length; r++) {
    const cell = rows[r][c]
    if (cell !== null && !fits(cell)) return false
  }
  return true
}
