// The cells of a case file as JavaScript values, and back. README.md tells the forms. Buffer is used where there is one.

const WORDS = { nan: NaN, inf: Infinity, '-inf': -Infinity, '-0': -0, undefined: undefined }

// Values that no result set can hold.
const UNSUPPORTED = {
  symbol: () => Symbol('x'),
  function: () => () => 1,
}

/** The JavaScript value of a tagged cell. */
export function fromTagged(cell) {
  if (cell === null || typeof cell !== 'object') return cell
  if (Array.isArray(cell)) return cell.map(fromTagged)
  const key = Object.keys(cell).find((k) => k.startsWith('$'))
  const inner = cell[key]
  switch (key) {
    case '$':
      if (!(inner in WORDS)) throw new Error(`unknown word ${inner}`)
      return WORDS[inner]
    case '$bigint':
      return BigInt(inner)
    case '$bytes':
      return bytesAs(Uint8Array.from(inner.match(/../g) ?? [], (hex) => parseInt(hex, 16)), cell.as ?? 'uint8array')
    case '$date':
      return new Date(inner)
    case '$utf16':
      return String.fromCharCode(...inner)
    case '$repeat':
      return inner[0].repeat(inner[1])
    case '$list':
      return inner.map(fromTagged)
    case '$object':
      return object(inner.map(([k, v]) => [fromTagged(k), fromTagged(v)]))
    case '$map':
      return new Map(inner.map(([k, v]) => [fromTagged(k), fromTagged(v)]))
    case '$unsupported':
      return UNSUPPORTED[inner]()
  }
  throw new Error(`unknown tag in ${JSON.stringify(cell)}`)
}

function object(members) {
  const out = {}
  for (const [key, value] of members) {
    Object.defineProperty(out, key, { value, enumerable: true, writable: true, configurable: true })
  }
  return out
}

/** The forms in which drivers hand bytes over. */
function bytesAs(bytes, form) {
  switch (form) {
    case 'uint8array':
      return bytes
    case 'buffer':
      // Where there is no Buffer, no driver hands one over.
      return globalThis.Buffer?.from(bytes) ?? bytes
    case 'view': {
      const larger = new Uint8Array(bytes.length + 7).fill(0xee)
      larger.set(bytes, 3)
      return larger.subarray(3, 3 + bytes.length)
    }
    case 'arraybuffer':
      return bytes.buffer
    case 'dataview':
      return new DataView(bytes.buffer)
    case 'numbers':
      return Array.from(bytes)
    case 'bufferjson':
      return { type: 'Buffer', data: Array.from(bytes) }
    case 'indexobject':
      return { ...Array.from(bytes) }
  }
  throw new Error(`unknown form of bytes ${form}`)
}

/** The tagged form of a JavaScript value. */
export function toTagged(value) {
  switch (typeof value) {
    case 'undefined':
      return { $: 'undefined' }
    case 'boolean':
      return value
    case 'number':
      if (Number.isNaN(value)) return { $: 'nan' }
      if (value === Infinity) return { $: 'inf' }
      if (value === -Infinity) return { $: '-inf' }
      return Object.is(value, -0) ? { $: '-0' } : value
    case 'bigint':
      return { $bigint: String(value) }
    case 'string':
      return textTagged(value)
    case 'symbol':
    case 'function':
      return { $unsupported: typeof value }
  }
  if (value === null) return null
  if (value instanceof Date) return { $date: value.getTime() }
  if (Array.isArray(value)) return Array.from(value, toTagged)
  if (value instanceof Map) return { $map: [...value].map(([k, v]) => [toTagged(k), toTagged(v)]) }
  if (globalThis.Buffer?.isBuffer(value)) return { $bytes: hexOf(value), as: 'buffer' }
  if (value instanceof ArrayBuffer) return { $bytes: hexOf(new Uint8Array(value)), as: 'arraybuffer' }
  if (ArrayBuffer.isView(value)) {
    const hex = hexOf(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
    const plain = value instanceof Uint8Array && value.byteLength === value.buffer.byteLength
    return plain ? { $bytes: hex } : { $bytes: hex, as: value instanceof DataView ? 'dataview' : 'view' }
  }
  return { $object: Object.entries(value).map(([k, v]) => [toTagged(k), toTagged(v)]) }
}

/** Strings that another language's JSON reader might change are spelled in code units. */
function textTagged(text) {
  if (!text.isWellFormed()) return { $utf16: text.split('').map((unit) => unit.charCodeAt(0)) }
  return text
}

const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
