/**
 * A result set as driver adapters give it: the shape of `SqlResultSet` in `@prisma/driver-adapter-utils`.
 *
 * `rows` must not change while a call works on it; see `Result` for how long it is kept.
 */
export interface ResultSet {
  /** One name for each column, in order. */
  columnNames: readonly string[]
  /** One ColumnType code for each column: 0 to 15, 64 to 78 or 128. */
  columnTypes: readonly number[]
  /** Each row an array (or other iterable) with one cell for each column. */
  rows: Iterable<unknown>
}

/** A result set whose rows arrive over time. */
export interface ResultStream {
  columnNames: readonly string[]
  columnTypes: readonly number[]
  rows: Iterable<unknown> | AsyncIterable<unknown>
}

/** The databases that there is a module for. */
export type Dialect = 'postgres' | 'mysql' | 'sqlite'

/** The names that `types` can hold. */
export type TypeName =
  | ScalarTypeName
  | 'int-array' | 'bigint-array' | 'float-array' | 'double-array' | 'decimal-array' | 'bool-array' | 'char-array'
  | 'string-array' | 'date-array' | 'time-array' | 'datetime-array' | 'json-array' | 'bytes-array' | 'uuid-array'

/** The type names of single values. */
export type ScalarTypeName =
  | 'int' | 'bigint' | 'float' | 'double' | 'decimal' | 'bool' | 'char' | 'string' | 'date' | 'time' | 'datetime'
  | 'json' | 'enum' | 'bytes' | 'uuid' | 'unknown'

/** The ColumnType code for a number of a type that only the data can tell. */
export const unknownNumber = 128

const scalarNames: TypeName[] = [
  'int', 'bigint', 'float', 'double', 'decimal', 'bool', 'char', 'string', 'date', 'time', 'datetime', 'json', 'enum', 'bytes', 'string', 'uuid',
]
const arrayNames: TypeName[] = [
  'int-array', 'bigint-array', 'float-array', 'double-array', 'decimal-array', 'bool-array', 'char-array', 'string-array',
  'date-array', 'time-array', 'datetime-array', 'json-array', 'string-array', 'bytes-array', 'uuid-array',
]

/** The type name of a label of the state block (a ColumnType code, or 255 for unknown). */
export function labelName(label: number): TypeName {
  return scalarNames[label] ?? arrayNames[label - 64] ?? 'unknown'
}

/** The ColumnType code that a type name stands for. `string` is the code of text, not of sets. */
export function codeOfName(name: TypeName | 'enum-array'): number | undefined {
  const scalar = scalarNames.indexOf(name as TypeName)
  if (scalar !== -1) return scalar
  const array = name === 'enum-array' ? 12 : arrayNames.indexOf(name)
  return array === -1 ? undefined : 64 + array
}

/**
 * Tells whether a column of this code may end up with another label, whatever the dialect: a number of
 * unknown type, or a time of day (one with an offset turns the column into `string`).
 */
export function mayChange(code: number): boolean {
  return code === unknownNumber || code === 9 || code === 73
}
