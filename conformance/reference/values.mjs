/** The kind of a cell: null, boolean, number, bigint, string, bytes, date, list, object or unsupported. */
export function kindOf(value) {
  if (value === null || value === undefined) return 'null'
  if (['boolean', 'number', 'bigint', 'string'].includes(typeof value)) return typeof value
  if (typeof value !== 'object') return 'unsupported'
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return 'bytes'
  if (value instanceof Date) return 'date'
  if (Array.isArray(value)) return 'list'
  if (value instanceof Map) return 'object'
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null ? 'object' : 'unsupported'
}

/** The bytes of a bytes cell as a Uint8Array. */
export function bytesOf(value) {
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
}

/** The members of an object cell, in order. */
export function membersOf(value) {
  return value instanceof Map ? [...value] : Object.entries(value)
}

/** An integer that a list element or a cell stands for, as BigInt; undefined if it stands for none. */
export function integerOf(value) {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
  return undefined
}

/** Whether a value or anything inside it is of no kind that a result set can hold. */
export function holdsUnsupported(value) {
  const kind = kindOf(value)
  if (kind === 'unsupported') return true
  if (kind === 'list') return Array.from(value).some(holdsUnsupported)
  if (kind === 'object') return membersOf(value).some(([, member]) => holdsUnsupported(member))
  return false
}
