// Numbers. Digits come from the language's own Number::toString, which is
// specified to the digit; integers are BigInt; decimals are strings.

/** JSON form of a double that may be at hand: NaN and infinities as strings, -0 as `-0`. */
export function doubleJSON(x) {
  return Number.isFinite(x) ? doubleText(x) : `"${x}"`
}

/** Number::toString, except that -0 is `-0`. */
export function doubleText(x) {
  return Object.is(x, -0) ? '-0' : String(x)
}

/**
 * The shortest digits that read back to the same f32: the fewest significant
 * digits for which rounding to them and back gives x again, in Number::toString's notation.
 */
export function floatText(x) {
  if (x === 0 || !Number.isFinite(x)) return doubleText(x)
  for (let digits = 1; digits <= 9; digits++) {
    // toPrecision is exact: it picks the decimal of that length which is nearest to x.
    const best = x.toPrecision(digits)
    const found = nearestOf([best, neighbour(best, 1), neighbour(best, -1)], x)
    if (found !== undefined) return String(Number(found))
  }
  throw new Error(`no nine digits identify the f32 ${x}`)
}

/** Of some decimals, the one nearest to x among those that read back to the f32 x. */
function nearestOf(candidates, x) {
  const good = candidates.filter((text) => Math.fround(Number(text)) === x)
  if (good.length === 0) return undefined
  const distance = (text) => {
    const d = subtract(exactDecimal(Number(text), text), exactDecimal(x))
    return d < 0n ? -d : d
  }
  // Ties go to the even last digit, as IEEE 754 conversion to decimal does.
  const lastDigit = (text) => Number(/(\d)(?:e|$)/.exec(text)[1])
  return good.sort((a, b) => {
    const da = distance(a)
    const db = distance(b)
    if (da !== db) return da < db ? -1 : 1
    return (lastDigit(a) % 2) - (lastDigit(b) % 2)
  })[0]
}

/** The decimal text whose last digit is one up or down from that of the given one. */
function neighbour(text, step) {
  const { sign, digits, exponent } = parts(text)
  return `${sign}${BigInt(digits) + BigInt(step)}e${exponent}`
}

const SCALE = 400n

/** The value of a decimal text (or of a double) times 10^400, as an exact integer. */
function exactDecimal(x, text) {
  if (text === undefined) return exactDouble(x)
  const { sign, digits, exponent } = parts(text)
  const n = BigInt(digits) * 10n ** (SCALE + BigInt(exponent))
  return sign === '-' ? -n : n
}

function exactDouble(x) {
  let scaled = x
  let twos = 0
  while (!Number.isInteger(scaled)) {
    scaled *= 2
    twos++
  }
  return (BigInt(scaled) * 10n ** SCALE) / 2n ** BigInt(twos)
}

const subtract = (a, b) => a - b

/** A decimal text as sign, digits without a point, and the power of ten of the last digit. */
export function parts(text) {
  const m = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text)
  if (!m || (m[2] === '' && !m[3])) return undefined
  const fraction = m[3] ?? ''
  return { sign: m[1] === '-' ? '-' : '', digits: m[2] + fraction, exponent: Number(m[4] ?? 0) - fraction.length }
}

/** JSON number of a double in a float column. */
export function floatJSON(x) {
  if (!Number.isFinite(x)) return `"${x}"`
  return Math.fround(x) === x ? floatText(x) : doubleText(x)
}

/** Whether a double holds the integer exactly. */
export const holdsInteger = (n) => {
  const x = Number(n)
  return Number.isFinite(x) && BigInt(x) === n
}

/** The integer of a text of digits with an optional sign, else undefined. */
export function parseInteger(text) {
  const m = /^([+-]?)(\d+)$/.exec(text)
  if (!m) return undefined
  const n = BigInt(m[2])
  return m[1] === '-' ? -n : n
}

/** The double of a decimal text or of NaN, Infinity, inf in any case; undefined if it is none or overflows. */
export function parseDouble(text) {
  const word = /^([+-]?)(infinity|inf)$/i.exec(text)
  if (word) return word[1] === '-' ? -Infinity : Infinity
  if (/^nan$/i.test(text)) return NaN
  if (!parts(text)) return undefined
  const x = Number(text)
  return Number.isFinite(x) ? x : undefined
}
