// Modules as text for the /inline entries: see src/inline.ts, which reads it. Plain JavaScript can read it anywhere, and since
// bytes stay whole characters, gzip makes it as small as the module itself; base64 is larger by 28 % after gzip.

const alphabet = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).filter((char) => !`"'<\\`.includes(char))
/** Characters that begin a pair. */
const marks = 2

/** The arguments of bytesOfText, as JavaScript. */
export function inlineText(bytes) {
  const counts = new Array(256).fill(0)
  for (const byte of bytes) counts[byte]++
  const byCount = [...counts.keys()].sort((a, b) => counts[b] - counts[a])
  const frequent = new Set(byCount.slice(0, alphabet.length - marks))
  const one = []
  const two = []
  for (let value = 0; value < 256; value++) (frequent.has(value) ? one : two).push(value)
  const chars = []
  one.forEach((value, i) => (chars[value] = alphabet[marks + i]))
  two.forEach((value, i) => (chars[value] = alphabet[Math.floor(i / alphabet.length)] + alphabet[i % alphabet.length]))
  const bits = Array.from({ length: 64 }, (_, i) => [0, 1, 2, 3].reduce((sum, bit) => sum + (frequent.has(4 * i + bit) ? 1 << bit : 0), 0).toString(16))
  return `'${bits.join('')}', '${Array.from(bytes, (byte) => chars[byte]).join('')}'`
}
