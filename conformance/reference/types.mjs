// ColumnType codes and their names.

export const SCALARS = ['int', 'bigint', 'float', 'double', 'decimal', 'bool', 'char', 'string', 'date', 'time', 'datetime', 'json', 'enum', 'bytes', 'set', 'uuid']
export const ARRAYS = ['int', 'bigint', 'float', 'double', 'decimal', 'bool', 'char', 'string', 'date', 'time', 'datetime', 'json', 'enum', 'bytes', 'uuid']

/** The declared type of a code: {base, array}; undefined for unknown codes. */
export function typeOf(code) {
  if (code === 128) return { base: 'number', array: false }
  if (Number.isInteger(code) && code >= 0 && code < SCALARS.length) return { base: SCALARS[code], array: false }
  if (Number.isInteger(code) && code >= 64 && code < 64 + ARRAYS.length) return { base: ARRAYS[code - 64], array: true }
  return undefined
}

/** The entry of a type in "types". */
export function labelOf(type) {
  if (type.base === 'unknown') return 'unknown'
  const textual = ['set', 'verbatim', ...(type.array ? ['enum'] : [])]
  const base = textual.includes(type.base) ? 'string' : type.base
  return type.array ? base + '-array' : base
}
