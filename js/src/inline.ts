/** All that may stand between single quotes, in a script of a page too, and that no bundler writes in another way. */
const digits = new Uint8Array(127)
let base = 0
for (let code = 32; code < 127; code++) if (code !== 34 && code !== 39 && code !== 60 && code !== 92) digits[code] = base++

/**
 * The bytes of a module that scripts/inline.mjs wrote as text. `frequent` are 256 bits in hexadecimal digits: the byte
 * values that take one character. All others take two, of which the first is one of the lowest.
 */
export function bytesOfText(frequent: string, text: string): Uint8Array<ArrayBuffer> {
  const one: number[] = []
  const two: number[] = []
  for (let value = 0; value < 256; value++) (((parseInt(frequent[value >> 2], 16) >> (value & 3)) & 1) === 1 ? one : two).push(value)
  const marks = base - one.length
  const bytes = new Uint8Array(text.length)
  let size = 0
  for (let i = 0; i < text.length; i++) {
    const digit = digits[text.charCodeAt(i)]
    bytes[size++] = digit >= marks ? one[digit - marks] : two[digit * base + digits[text.charCodeAt(++i)]]
  }
  return bytes.slice(0, size)
}
