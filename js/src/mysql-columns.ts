// Of MySQL's protocol, what the readers of descriptions and of rows share.

/** More than any server allows. */
export const mostColumns = 0xffff

/** How many bytes a length-encoded integer takes that begins at `at`; NaN if it is none, or begins beyond the end. */
export function lenencSize(bytes: Uint8Array, at: number, end: number): number {
  if (!(at < end)) return NaN
  const first = bytes[at]
  return first < 0xfb ? 1 : first === 0xfc ? 3 : first === 0xfd ? 4 : first === 0xfe ? 9 : NaN
}

/** A length-encoded integer that is whole. */
export function readLenenc(bytes: Uint8Array, at: number): number {
  const first = bytes[at]
  if (first < 0xfb) return first
  let value = 0
  for (let i = at + (first === 0xfc ? 2 : first === 0xfd ? 3 : 8); i > at; i--) value = value * 256 + bytes[i]
  return value
}

/** The types of columns, as far as their names are needed here. */
export const columnTypes = {
  decimal: 0, tiny: 1, short: 2, long: 3, float: 4, double: 5, null: 6, timestamp: 7, longlong: 8, int24: 9, date: 10, time: 11, datetime: 12, year: 13,
  varchar: 15, newDecimal: 246, tinyBlob: 249, mediumBlob: 250, longBlob: 251, blob: 252, varString: 253, string: 254,
} as const

/** A column definition. */
export interface Column {
  readonly nameAt: number
  readonly nameEnd: number
  readonly type: number
  readonly unsigned: boolean
  readonly charset: number
  /** MariaDB has more to say about the type. */
  readonly extended: boolean
}
