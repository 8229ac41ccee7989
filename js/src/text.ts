// Strings to bytes and back. The module takes WTF-8 (https://simonsapin.github.io/wtf-8/): UTF-8 in which a
// lone surrogate keeps its value in a three-byte form, where TextEncoder would put U+FFFD.

/** What is used of Node's Buffer: not every runtime has it, and where it is, it is the faster way. */
export interface BufferLike {
  write(text: string, offset: number, length: number): number
  /** What `write` calls, and what Node's own code calls in its place: a tenth less time for a table of long texts. */
  utf8Write?(text: string, offset: number, length: number): number
  toString(encoding: 'utf8' | 'latin1' | 'base64', start?: number, end?: number): string
}
interface BufferClass {
  from(memory: ArrayBufferLike, byteOffset?: number, length?: number): BufferLike
  from(text: string, encoding: 'base64'): BufferLike & Uint8Array
  byteLength(text: string): number
  allocUnsafeSlow(size: number): { buffer: ArrayBuffer }
}

/** The runtime's Buffer, if it has one. */
export const NodeBuffer: BufferClass | undefined = (globalThis as { Buffer?: BufferClass }).Buffer

/** Shared by all: an encoder has no state. */
export const textEncoder = new TextEncoder()

const loneSurrogate = /\p{Surrogate}/u

/** Tells whether every surrogate of the text is one half of a pair. */
export const isWellFormed: (text: string) => boolean =
  'isWellFormed' in String.prototype
    ? (text) => (text as unknown as { isWellFormed(): boolean }).isWellFormed()
    : (text) => !loneSurrogate.test(text)

/** The length of a text in WTF-8, in bytes. It is that of UTF-8: a lone surrogate takes three bytes, like the U+FFFD in its place. */
export function byteLength(text: string): number {
  if (NodeBuffer !== undefined) return NodeBuffer.byteLength(text)
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    bytes += unit < 0x800 ? 1 : 2
    if (isPair(text, i, unit)) i++ // four bytes for two units
  }
  return bytes
}

function isPair(text: string, at: number, unit: number): boolean {
  return (unit & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00
}

/**
 * Writes the text as WTF-8 at `at` and returns the end. Slow: for short ASCII texts, and for the rare ones that are not well-formed.
 * The room must be there.
 */
export function writeWtf8(text: string, target: Uint8Array, at: number): number {
  for (let i = 0; i < text.length; i++) {
    let unit = text.charCodeAt(i)
    if (unit < 0x80) {
      target[at++] = unit
      continue
    }
    if (unit < 0x800) {
      target[at++] = 0xc0 | (unit >> 6)
    } else {
      if (isPair(text, i, unit)) {
        unit = 0x10000 + ((unit & 0x3ff) << 10) + (text.charCodeAt(++i) & 0x3ff)
        target[at++] = 0xf0 | (unit >> 18)
        target[at++] = 0x80 | ((unit >> 12) & 0x3f)
      } else {
        target[at++] = 0xe0 | (unit >> 12)
      }
      target[at++] = 0x80 | ((unit >> 6) & 0x3f)
    }
    target[at++] = 0x80 | (unit & 0x3f)
  }
  return at
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** A part of some bytes as a string. `ascii` is a promise that every byte is below 0x80. */
export function decodeText(bytes: Uint8Array, start: number, end: number, ascii: boolean): string {
  if (NodeBuffer !== undefined) {
    return NodeBuffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(ascii ? 'latin1' : 'utf8', start, end)
  }
  return decoder.decode(bytes.subarray(start, end))
}

/** Short texts in ASCII are most of them, and a call to the decoder takes longer than these. */
const shortText = 24

/** The same for cells, which are mostly short. */
export function decodeCell(bytes: Uint8Array, start: number, end: number): string {
  if (end - start > shortText) return decodeText(bytes, start, end, false)
  let text = ''
  for (let i = start; i < end; i++) {
    const byte = bytes[i]
    if (byte >= 0x80) return decodeText(bytes, start, end, false)
    text += String.fromCharCode(byte)
  }
  return text
}
