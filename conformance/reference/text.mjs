// Strings, UTF-8 and base64, written out the long way.

const SHORT = { 0x08: '\\b', 0x09: '\\t', 0x0a: '\\n', 0x0c: '\\f', 0x0d: '\\r', 0x22: '\\"', 0x5c: '\\\\' }

const isHigh = (unit) => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit) => unit >= 0xdc00 && unit <= 0xdfff

/** The `\uxxxx` escape of one UTF-16 code unit, lower-case hex. */
const escapeUnit = (unit) => '\\u' + unit.toString(16).padStart(4, '0')

/** The string with each lone surrogate as its `\udxxx` escape, all else as it is. */
export function escapeLoneSurrogates(text) {
  let out = ''
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (isHigh(unit) && isLow(text.charCodeAt(i + 1))) {
      out += text[i] + text[i + 1]
      i++
    } else if (isHigh(unit) || isLow(unit)) {
      out += escapeUnit(unit)
    } else {
      out += text[i]
    }
  }
  return out
}

/** The JSON string literal of a JavaScript string. */
export function jsonString(text) {
  let out = ''
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (SHORT[unit]) out += SHORT[unit]
    else if (unit < 0x20) out += escapeUnit(unit)
    else out += text[i]
  }
  return '"' + escapeLoneSurrogates(out) + '"'
}

/** UTF-8 bytes → string; each maximal invalid part is one U+FFFD, a BOM is kept. */
export function decodeUTF8(bytes) {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

/** String → UTF-8 bytes; a lone surrogate becomes U+FFFD. */
export function encodeUTF8(text) {
  return new TextEncoder().encode(text)
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** RFC 4648 section 4: standard alphabet, padded. */
export function base64(bytes) {
  let out = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const have = Math.min(3, bytes.length - i)
    const group = (bytes[i] << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
    for (let k = 0; k < 4; k++) out += k <= have ? ALPHABET[(group >> (18 - 6 * k)) & 63] : '='
  }
  return out
}
