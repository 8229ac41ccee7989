// Parameters for SQLite's five storage classes.

import { numberOfDate, type DatetimeUnit } from './sqlite-types.js'

/** Parameters by position (for `?` and `?1`), or by name (for `:name`, `@name` and `$name`, with that sign or without). */
export type SQLiteParams = readonly unknown[] | Readonly<Record<string, unknown>>

/** A value that every driver can bind. */
export type Bindable = null | number | bigint | string | Uint8Array

/**
 * Turns parameters into what drivers bind.
 *
 * @throws TypeError for values that SQLite has no class for
 */
export function bindable(params: SQLiteParams, unit: DatetimeUnit | undefined): Bindable[] | Record<string, Bindable> {
  if (Array.isArray(params)) {
    const bound = new Array<Bindable>(params.length)
    for (let i = 0; i < bound.length; i++) bound[i] = bind(params[i], unit, i + 1)
    return bound
  }
  if (typeof params !== 'object' || params === null) throw new TypeError('the parameters are an array, or an object with a member for each name')
  const bound: Record<string, Bindable> = {}
  for (const name of Object.keys(params)) bound[name.replace(/^[:@$]/, '')] = bind((params as Record<string, unknown>)[name], unit, name)
  return bound
}

function bind(value: unknown, unit: DatetimeUnit | undefined, which: number | string): Bindable {
  switch (typeof value) {
    case 'string':
    case 'bigint':
      return value
    case 'number':
      // JavaScript can't tell 5 from 5.0, and drivers would bind both as REAL: then 'a' || ? is 'a5.0'.
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : value
    case 'boolean':
      return value ? 1n : 0n
    case 'undefined':
      return null
    case 'object':
      if (value === null) return null
      if (value instanceof Uint8Array) return value
      if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
      switch (Object.prototype.toString.call(value)) {
        case '[object Date]':
          if (Number.isNaN((value as Date).getTime())) throw new TypeError(`parameter ${which} is an invalid Date`)
          // The form that Prisma writes, so that texts can be compared.
          return unit === undefined ? (value as Date).toISOString().replace('Z', '+00:00') : numberOfDate(value as Date, unit)
        case '[object ArrayBuffer]':
        case '[object SharedArrayBuffer]':
          return new Uint8Array(value as ArrayBuffer)
      }
  }
  const what = typeof value === 'object' ? Object.prototype.toString.call(value).slice(8, -1) : typeof value
  throw new TypeError(`parameter ${which} can't be bound: SQLite has no class for ${what}; pass null, a number, bigint, string, boolean, Date or bytes, or JSON text for other values`)
}
