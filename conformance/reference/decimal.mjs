// An exponent is written out only while the result stays under this many digits.
const MAX_DIGITS = 1000n

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/

/**
 * The decimal rule for texts: digits and scale as they are, plain notation, at
 * least one digit before the point and no needless zeros there, no plus, no
 * minus on zero. undefined if the text is no number.
 */
export function decimalText(text) {
  const word = nonFinite(text)
  if (word) return word
  const m = NUMBER.exec(ungroup(text) ?? withoutUnderscores(text))
  if (!m) return undefined
  const [, sign, whole, fraction = '', exponentText = '0'] = m
  if (whole + fraction === '') return undefined

  const digits = (whole + fraction).replace(/^0+/, '')
  const minus = sign === '-' && digits !== '' ? '-' : ''
  const exponent = BigInt(exponentText)
  // The value is digits · 10^-scale.
  const scale = BigInt(fraction.length) - exponent
  const length = BigInt(digits.length)
  const wholeDigits = digits === '' ? 1n : max(length - scale, 1n)
  if (exponent === 0n || wholeDigits + max(scale, 0n) < MAX_DIGITS) return minus + plain(digits, Number(scale))
  return digits === '' ? '0' : `${minus}${plain(digits, fraction.length)}e${exponent}`
}

const max = (a, b) => (a > b ? a : b)

/** digits · 10^-scale without an exponent, with scale digits after the point. */
function plain(digits, scale) {
  if (scale <= 0) return digits === '' ? '0' : digits + '0'.repeat(-scale)
  const padded = digits.padStart(scale + 1, '0')
  return padded.slice(0, -scale) + '.' + padded.slice(-scale)
}

function nonFinite(text) {
  if (/^nan$/i.test(text)) return 'NaN'
  const m = /^([+-]?)(?:infinity|inf)$/i.exec(text)
  return m && (m[1] === '-' ? '-Infinity' : 'Infinity')
}

/** Underscores between digits go, but not in the exponent. */
function withoutUnderscores(text) {
  const end = text.search(/e/i)
  const mantissa = end < 0 ? text : text.slice(0, end)
  return mantissa.replace(/(?<=\d)_(?=\d)/g, '') + text.slice(mantissa.length)
}

/**
 * Thousands commas go where the text can mean nothing else: "1,234.5" and
 * "1,234,567" are numbers, while "1,234" may be a fraction in much of the world.
 */
function ungroup(text) {
  const grouped = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(text)
  return grouped && (text.includes('.') || text.split(',').length > 2) ? text.replaceAll(',', '') : undefined
}
