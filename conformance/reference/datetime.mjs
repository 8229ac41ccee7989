// Dates and times as texts and as instants. All arithmetic is on integers:
// days of the proleptic Gregorian calendar, seconds, nanoseconds.

const MAX_YEAR = 999999
/** The last year of PostgreSQL's dates. Beyond MAX_YEAR they have no form but their text. */
const FAR_YEAR = 5874897

/** Years 0 to 9999 have four digits, others ECMAScript's sign and six. */
function yearText(year) {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, '0')
  return (year < 0 ? '-' : '+') + String(Math.abs(year)).padStart(6, '0')
}

const two = (n) => String(n).padStart(2, '0')

/** No fraction, or 3, 6 or 9 digits: the first of these that hold the value. */
function fractionText(nanoseconds) {
  const digits = String(nanoseconds).padStart(9, '0')
  for (const n of [0, 3, 6]) if (/^0*$/.test(digits.slice(n))) return n === 0 ? '' : '.' + digits.slice(0, n)
  return '.' + digits
}

const dateText = (d) => `${yearText(d.year)}-${two(d.month)}-${two(d.day)}`
const timeText = (t) => `${two(t.hour)}:${two(t.minute)}:${two(t.second)}${fractionText(t.nanosecond)}`

const isLeap = (year) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
const daysIn = (year, month) => [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
const inRange = (d) => Math.abs(d.year) <= MAX_YEAR

/** The day before (-1) or after (+1), counted out. */
function step(date, by) {
  let { year, month, day } = date
  day += by
  if (day < 1) {
    month--
    if (month < 1) {
      month = 12
      year--
    }
    day = daysIn(year, month)
  } else if (day > daysIn(year, month)) {
    day = 1
    month++
    if (month > 12) {
      month = 1
      year++
    }
  }
  return { year, month, day }
}

/** Subtracts an offset (in seconds) from a date and a time of day. */
function toUTC(date, time, offset) {
  // A leap second stays one: it is set aside while the clock is moved.
  const leap = time.second === 60 ? 1 : 0
  let seconds = time.hour * 3600 + time.minute * 60 + (time.second - leap) - offset
  let moved = date
  while (seconds < 0) {
    seconds += 86400
    moved = step(moved, -1)
  }
  while (seconds >= 86400) {
    seconds -= 86400
    moved = step(moved, 1)
  }
  return {
    date: moved,
    time: {
      hour: Math.floor(seconds / 3600),
      minute: Math.floor(seconds / 60) % 60,
      second: (seconds % 60) + leap,
      nanosecond: time.nanosecond,
    },
  }
}

// The white space of ASCII, nothing of Unicode's.
const SPACE = '[\\t\\n\\v\\f\\r ]'
const DATE = '([+-]?)(\\d+)-(\\d{1,2})-(\\d{1,2})'
const CLOCK = '(\\d{1,2}):(\\d{1,2})(?::(\\d{1,2})(?:\\.(\\d+))?)?'
const ZONE = 'Z|z|UTC|GMT|[+-]\\d{2}(?:\\d{2}|:\\d{2}(?::\\d{2})?)?'

const WHOLE = new RegExp(`^(${DATE})(?:(?:[tT]|${SPACE}+)${CLOCK})?((?:${SPACE}*(?:${ZONE})|${SPACE}+(?:BC|AD))*)$`)
const TAIL = new RegExp(`${ZONE}|BC|AD`, 'g')
const TIME_OF_DAY = new RegExp(`^([+-]?)(\\d+):(\\d{1,2})(?::(\\d{1,2})(?:\\.(\\d+))?)?(?:${SPACE}*(${ZONE}))?$`)

const trim = (text) => text.replace(new RegExp(`^${SPACE}+|${SPACE}+$`, 'g'), '')

/** Seconds east of UTC of a zone text; undefined for a day or more. */
function offsetOf(zone) {
  if (/^[A-Za-z]/.test(zone)) return 0
  const [h, m = 0, s = 0] = zone.match(/\d{2}/g).map(Number)
  if (h > 23 || m > 59 || s > 59) return undefined
  return (zone[0] === '-' ? -1 : 1) * (h * 3600 + m * 60 + s)
}

function timeOf(hour = '0', minute = '0', second = '0', fraction = '') {
  return {
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    nanosecond: Number(fraction.slice(0, 9).padEnd(9, '0')),
    zeroFraction: /^0*$/.test(fraction),
  }
}

const isMidnight24 = (t) => t.hour === 24 && t.minute === 0 && t.second === 0 && t.zeroFraction
const isClock = (t) => (t.hour <= 23 && t.minute <= 59 && t.second <= 60) || isMidnight24(t)

/**
 * Reads a date with an optional clock, zone and era. Gives
 * {kept, keptDate} for what is kept as its text (the whole, and its date alone);
 * {written, utc, clock} for dates of the calendar: the date as written, date and
 * time in UTC, whether there was a clock; undefined for no date.
 */
function read(text) {
  const infinity = /^(-?infinity)(?:\+00:00)?$/i.exec(text)
  if (infinity) return { kept: infinity[1].toLowerCase(), keptDate: infinity[1].toLowerCase() }
  const m = WHOLE.exec(text)
  if (!m) return undefined
  const [, dateAsText, sign, y, mo, d, hh, mm, ss, fraction, tail] = m

  const tailWords = tail.match(TAIL) ?? []
  const eras = tailWords.filter((word) => word === 'BC' || word === 'AD')
  const zones = tailWords.filter((word) => word !== 'BC' && word !== 'AD')
  if (eras.length > 1 || zones.length > 1) return undefined
  const offset = zones.length === 1 ? offsetOf(zones[0]) : 0
  const time = timeOf(hh, mm, ss, fraction)
  const date = { year: Number(y), month: Number(mo), day: Number(d) }
  if (offset === undefined || !isClock(time) || date.year > FAR_YEAR || date.month > 12 || date.day > 31) return undefined

  if (date.month === 0 || date.day === 0) {
    const plain = sign === '' && eras.length === 0 && !/[\0-\x1f]/.test(text)
    return plain ? { kept: text, keptDate: dateAsText } : undefined
  }
  if (eras.length === 1 && (sign !== '' || date.year === 0)) return undefined
  if (eras[0] === 'BC') date.year = 1 - date.year
  if (sign === '-') date.year = 0 - date.year
  if (date.day > daysIn(date.year, date.month) || date.year < -MAX_YEAR) return undefined
  if (date.year > MAX_YEAR) return text === dateAsText && sign === '' ? { keptDate: text } : undefined
  return { written: date, utc: toUTC(date, time, offset), clock: hh !== undefined }
}

export function dateTimeText(text) {
  const r = read(trim(text))
  if (!r?.utc) return r?.kept
  return inRange(r.utc.date) ? `${dateText(r.utc.date)}T${timeText(r.utc.time)}+00:00` : undefined
}

/** The date as it is written: a zone behind it does not move it. */
export function dateOnlyText(text) {
  const r = read(trim(text))
  if (!r) return undefined
  return r.keptDate ?? dateText(r.written)
}

/** {text} for a time of day or a duration, {offset: true} for a time of day with an offset, else undefined. */
export function timeOnlyText(input) {
  const text = trim(input)
  const m = TIME_OF_DAY.exec(text)
  if (!m) {
    const r = read(text)
    return r?.clock ? { text: timeText(r.utc.time) } : undefined
  }
  const [, sign, hh, mm, ss, fraction, zone] = m
  const time = timeOf(hh, mm, ss, fraction)
  if (time.minute > 59 || time.second > 60) return undefined
  const duration = sign !== '' || hh.length > 2 || !isClock(time)
  if (zone !== undefined) return duration || offsetOf(zone) === undefined ? undefined : { offset: true }
  if (!duration) return { text: timeText(time) }
  return time.second === 60 ? undefined : { text }
}

/** The parts of an instant: Unix seconds and nanoseconds as BigInt. */
function instant(seconds, nanoseconds) {
  const days = seconds >= 0n ? seconds / 86400n : -((86399n - seconds) / 86400n)
  const ofDay = Number(seconds - days * 86400n)
  const date = civil(days)
  if (!inRange(date)) return undefined
  return {
    date,
    time: {
      hour: Math.floor(ofDay / 3600),
      minute: Math.floor(ofDay / 60) % 60,
      second: ofDay % 60,
      nanosecond: Number(nanoseconds),
    },
  }
}

/** Days since 1970-01-01 to a date, by whole 400-year cycles and then by years and months. */
function civil(days) {
  const cycle = 146097n
  const cycles = days >= 0n ? days / cycle : -((cycle - 1n - days) / cycle)
  let rest = Number(days - cycles * cycle)
  let year = 1970
  while (rest >= (isLeap(year) ? 366 : 365)) {
    rest -= isLeap(year) ? 366 : 365
    year++
  }
  let month = 1
  while (rest >= daysIn(year, month)) {
    rest -= daysIn(year, month)
    month++
  }
  return { year: Number(cycles) * 400 + year, month, day: rest + 1 }
}

const BILLION = 1000000000n

/** An instant given in nanoseconds since 1970, as {date, time}; undefined if its year has more than six digits. */
export function fromNanoseconds(total) {
  const seconds = total >= 0n ? total / BILLION : -((BILLION - 1n - total) / BILLION)
  return instant(seconds, total - seconds * BILLION)
}

/** Epoch milliseconds (number or bigint) as nanoseconds, to the nearest, halves to even; undefined for NaN and infinities. */
export function millisecondsToNanoseconds(ms) {
  if (typeof ms === 'bigint') return ms * 1000000n
  if (!Number.isFinite(ms)) return undefined
  // Doubling is exact, so the value is numerator / 2^twos exactly.
  let numerator = ms
  let twos = 0n
  while (!Number.isInteger(numerator)) {
    numerator *= 2
    twos++
  }
  const scaled = BigInt(numerator) * 1000000n
  const unit = 1n << twos
  const floor = (scaled - (((scaled % unit) + unit) % unit)) / unit
  const twice = 2n * (scaled - floor * unit)
  return twice > unit || (twice === unit && floor % 2n !== 0n) ? floor + 1n : floor
}

export const instantDateTime = (p) => `${dateText(p.date)}T${timeText(p.time)}+00:00`
export const instantDate = (p) => dateText(p.date)
export const instantTime = (p) => timeText(p.time)

/** The form of Date.prototype.toISOString: at least milliseconds, and Z. */
export function instantISO(p) {
  const fraction = fractionText(p.time.nanosecond) || '.000'
  return `${dateText(p.date)}T${two(p.time.hour)}:${two(p.time.minute)}:${two(p.time.second)}${fraction}Z`
}
