// The messages that a client sends (PostgreSQL manual, 55.7 "Message Formats"), as far as they are needed to run queries
// where no driver does that.

import { textEncoder } from './text.js'

const header = 5

/** A message of a type with a body. */
function message(type: string, ...body: readonly (Uint8Array | string)[]): Uint8Array {
  const parts = body.map((part) => (typeof part === 'string' ? textEncoder.encode(`${part}\0`) : part))
  const whole = new Uint8Array(header + parts.reduce((size, part) => size + part.length, 0))
  whole[0] = type.charCodeAt(0)
  new DataView(whole.buffer).setUint32(1, whole.length - 1)
  let at = header
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function u16(n: number): Uint8Array {
  return Uint8Array.of(n >> 8, n)
}

function u32(n: number): Uint8Array {
  return Uint8Array.of(n >> 24, n >> 16, n >> 8, n)
}

/** Several messages at once. */
export function together(...messages: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(messages.reduce((size, one) => size + one.length, 0))
  let at = 0
  for (const one of messages) {
    whole.set(one, at)
    at += one.length
  }
  return whole
}

/** Parse, of the unnamed statement. */
export const parse = (sql: string): Uint8Array => message('P', '', sql, u16(0))

/** Describe, of the unnamed statement: ParameterDescription, then RowDescription or NoData. */
export const describe = (): Uint8Array => message('D', textEncoder.encode('S'), '')

/** Bind, of the unnamed portal: strings are in text format, bytes in binary format. All results are in text format. */
export function bind(values: readonly (string | Uint8Array | null)[]): Uint8Array {
  // The number of parameters is an Int16.
  if (values.length > 0xffff) throw new RangeError(`a query has at most 65,535 parameters, not ${values.length}`)
  const parts: (Uint8Array | string)[] = ['', '', u16(values.length)]
  for (const value of values) parts.push(u16(typeof value === 'object' && value !== null ? 1 : 0))
  parts.push(u16(values.length))
  for (const value of values) {
    if (value === null) {
      parts.push(u32(-1))
    } else {
      const bytes = typeof value === 'string' ? textEncoder.encode(value) : value
      parts.push(u32(bytes.length), bytes)
    }
  }
  parts.push(u16(0))
  return message('B', ...parts)
}

/** Execute, of the unnamed portal: so many rows, 0 for all. */
export const execute = (rows: number): Uint8Array => message('E', '', u32(rows))

export const flush = (): Uint8Array => message('H')
export const sync = (): Uint8Array => message('S')
/** A simple query. */
export const query = (sql: string): Uint8Array => message('Q', sql)
