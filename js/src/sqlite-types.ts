// What SQLite's values are: declared types, storage classes, and the times that numbers stand for.

/** A column of a result: its name, and the type that its table declares; null for an expression. */
export interface SQLiteColumn {
  readonly name: string
  readonly type: string | null
}

/** What the numbers in DATE, DATETIME and TIMESTAMP columns are: seconds or milliseconds since 1970, or Julian days. */
export type DatetimeUnit = 'unixepoch' | 'ms' | 'julianday'

/** The ColumnType codes that SQLite's columns have. */
export const int32 = 0
export const int64 = 1
export const double = 3
export const numeric = 4
export const boolean = 5
export const text = 7
export const date = 8
export const time = 9
export const datetime = 10
export const json = 11
export const bytes = 13
export const unknownNumber = 128

/**
 * The ColumnType code for a declared type, or undefined if the values decide. Names that say more than SQLite makes of them
 * come first, then its own rules for affinity, in their order: https://sqlite.org/datatype3.html section 3.1.
 */
export function codeOfDeclaration(declared: string | null): number | undefined {
  if (declared === null) return undefined
  const type = declared.toUpperCase()
  const name = /^[^(]*/.exec(type)![0].trim()
  if (/^BOOL(EAN)?$/.test(name)) return boolean
  if (name === 'DATE') return date
  if (/^TIME(TZ| WITH(OUT)? TIME ZONE)?$/.test(name)) return time
  if (/^((SMALL)?DATETIME2?|TIMESTAMP(TZ| WITH(OUT)? TIME ZONE)?)$/.test(name)) return datetime
  if (/^JSONB?$/.test(name)) return json
  if (/^DEC(IMAL)?$/.test(name)) return numeric
  if (type.includes('INT')) return /BIG|INT8|INT64/.test(type) ? int64 : int32
  if (/CHAR|CLOB|TEXT/.test(type)) return text
  if (type.includes('BLOB')) return bytes
  if (/REAL|FLOA|DOUB/.test(type)) return double
  // NUMERIC affinity: what has such a name may hold anything. No name at all: no affinity.
  return name === 'NUMERIC' ? double : undefined
}

// Storage classes that a column was seen to have, as bits. From most drivers integers come as bigints and reals as
// numbers; where both come as numbers, nobody can tell of those that are whole.
const seenInteger = 1
const seenReal = 2
const seenText = 4
const seenBlob = 8
const seenNumber = 16
/** A text in a DATE or TIME column that is a date with a time of day: as one of both it would lose the other. */
const seenMore = 32
const numbers = seenInteger | seenReal | seenNumber

/**
 * The classes that a declared type may stand for, for types under which the module would read other classes too, but as
 * something that they are not: a text in a BLOB column as its bytes, a number in a DATETIME column as milliseconds, texts
 * in REAL, DECIMAL and BOOLEAN columns as NaN, amounts and truth values, a REAL of 1e300 in a BIGINT column as an integer of
 * 301 digits. Under all other types, and of all other classes, it finds by itself what does not fit.
 */
const agreeing: Record<number, number> = {
  [int32]: ~seenReal,
  [int64]: ~seenReal,
  [double]: numbers,
  [numeric]: numbers,
  [boolean]: numbers,
  [date]: seenText,
  [time]: seenText,
  [datetime]: seenText,
  [json]: numbers | seenText,
  [bytes]: seenBlob,
}

/** Whether the code for a column depends on what is in it. */
function isWatched(declared: number | undefined): boolean {
  return declared === undefined || declared in agreeing
}

/** The ColumnType code for a watched column with these classes; `mixed` is the one for classes that have no type together. */
function codeOf(declared: number | undefined, seen: number, mixed: number): number {
  if (declared !== undefined && (seen & ~agreeing[declared]) === 0) return declared
  if (seen === (seenText | seenMore)) return datetime
  switch (seen & ~seenMore) {
    case 0:
    case seenNumber:
    case seenNumber | seenInteger:
    case seenNumber | seenReal:
      return unknownNumber
    case seenInteger:
      return int32 // the module widens it as far as the values need
    case seenReal:
    case seenReal | seenInteger:
      return double
    case seenText:
      return text
    case seenBlob:
      return bytes
  }
  return mixed
}

/** The columns of a statement, looked at once for all its runs. */
export class Columns {
  readonly list: readonly SQLiteColumn[]
  readonly names: readonly string[]
  /** The columns whose code depends on what is in them: their indexes. */
  readonly watched: readonly number[]
  readonly #declared: readonly (number | undefined)[]
  /** The columns in which numbers may be dates. */
  readonly #dates: readonly number[]
  /** What was seen in the last whole result, and the codes for it. */
  #seen: Seen | undefined
  #last: number[] = []
  #lastCodes: readonly number[] = []
  /** The names differ, and are names that an object can be given by assignment. */
  readonly simple: boolean
  /** A row as an object, if they are simple. It is here to be kept: see RowsSource.samples. */
  readonly sample: unknown

  constructor(list: readonly SQLiteColumn[]) {
    this.list = list
    this.names = list.map((column) => column.name)
    this.simple = new Set(this.names).size === list.length && !this.names.some((name) => name in Object.prototype)
    if (this.simple) {
      const sample: Record<string, unknown> = {}
      for (const name of this.names) sample[name] = null
      this.sample = sample
    }
    this.#declared = list.map((column) => codeOfDeclaration(column.type))
    const indexes = [...this.#declared.keys()]
    this.watched = indexes.filter((i) => isWatched(this.#declared[i]))
    this.#dates = indexes.filter((i) => this.#declared[i] === date || this.#declared[i] === datetime)
  }

  /** Tells whether a list of columns is the same as this. */
  equals(list: readonly SQLiteColumn[]): boolean {
    const own = this.list
    if (list.length !== own.length) return false
    for (let i = 0; i < own.length; i++) if (list[i].name !== own[i].name || list[i].type !== own[i].type) return false
    return true
  }

  /** Replaces numbers that are dates by text, in place. */
  convertDates(rows: readonly unknown[][], unit: DatetimeUnit): void {
    for (const c of this.#dates) {
      for (let r = 0; r < rows.length; r++) {
        const cell = rows[r][c]
        if (typeof cell !== 'bigint' && typeof cell !== 'number') continue
        const text = textOfNumber(cell, unit)
        if (text !== undefined) rows[r][c] = this.isDate(c) ? text.replace(/T00:00:00\+00:00$/, '') : text
      }
    }
  }

  /** The ColumnType codes for what was seen. Columns of mixed classes are text: the module finds that they don't fit, and labels them `unknown`. */
  codes(seen: Seen): number[] {
    return this.#codes(seen, text)
  }

  /** The ColumnType codes for all rows of a result: mostly the same list as the last time. `exact` is the same at each call. */
  codesOf(rows: readonly unknown[][], exact: boolean): readonly number[] {
    const seen = (this.#seen ??= new Seen(this, exact))
    const { classes } = seen
    classes.fill(0)
    seen.add(rows)
    let same = this.#last.length === classes.length
    for (let c = 0; same && c < classes.length; c++) same = this.#last[c] === classes[c]
    if (!same) {
      this.#last = classes.slice()
      this.#lastCodes = this.codes(seen)
    }
    return this.#lastCodes
  }

  /** The codes for a document that begins before all was seen. Under code 128 it has columns labelled `unknown`, which anything fits. */
  firstCodes(seen: Seen): number[] {
    return this.#codes(seen, unknownNumber)
  }

  /** Whether a column is declared to hold dates without a time. */
  isDate(column: number): boolean {
    return this.#declared[column] === date
  }

  /** Whether a column is declared to hold only dates, or only times. */
  isPart(column: number): boolean {
    return this.#declared[column] === date || this.#declared[column] === time
  }

  #codes(seen: Seen, mixed: number): number[] {
    const codes = this.#declared.slice() as number[]
    for (const c of this.watched) codes[c] = codeOf(this.#declared[c], seen.classes[c], mixed)
    return codes
  }
}

/** The storage classes that were seen in the watched columns. */
export class Seen {
  /** By the index of the column. */
  readonly classes: number[]
  readonly #columns: Columns
  readonly #exact: boolean

  /** `exact`: integers come as bigints, so that a number is a REAL. */
  constructor(columns: Columns, exact: boolean) {
    this.classes = new Array<number>(columns.names.length).fill(0)
    this.#columns = columns
    this.#exact = exact
  }

  add(rows: readonly unknown[][]): void {
    const { classes } = this
    const { watched } = this.#columns
    // Row by row, since each row is memory of its own.
    for (let r = 0; r < rows.length; r++) {
      const row = rows[r]
      for (let i = 0; i < watched.length; i++) {
        const c = watched[i]
        const cell = row[c]
        if (typeof cell === 'string') classes[c] |= cell.length > 10 && this.#columns.isPart(c) && hasMore(cell) ? seenText | seenMore : seenText
        else classes[c] |= this.#classOf(cell)
      }
    }
  }

  #classOf(cell: unknown): number {
    if (typeof cell === 'string') return seenText
    if (typeof cell === 'bigint') return seenInteger
    if (typeof cell === 'number') return this.#exact || !Number.isSafeInteger(cell) ? seenReal : seenNumber
    return cell === null ? 0 : seenBlob
  }

  /** The first value among the last rows added that is of a class that the code of its column is not for. */
  misfit(codes: readonly number[], rows: readonly unknown[][]): { row: number; column: number } | undefined {
    const wrong = this.#columns.watched.filter((c) => (this.classes[c] & ~classesOf(codes[c])) !== 0)
    if (wrong.length === 0) return undefined
    for (let row = 0; row < rows.length; row++) {
      for (const column of wrong) {
        const cell = rows[row][column]
        if ((this.#classOf(cell) & ~classesOf(codes[column])) !== 0 || ((codes[column] === date || codes[column] === time) && hasMore(cell))) return { row, column }
      }
    }
    return undefined
  }
}

/** Whether a text that may be a date has a time of day, too. */
function hasMore(cell: unknown): boolean {
  return typeof cell === 'string' && /^[+-]?[0-9]{4,6}-[0-9]{2}-[0-9]{2}[ T][0-9]/.test(cell)
}

/** The classes that may come under a code, in a document that has begun. */
function classesOf(code: number): number {
  switch (code) {
    case unknownNumber:
      return -1 // it is labelled `unknown` there
    case int32:
    case double:
      return numbers // the module knows which of them
    case text:
      return seenText
  }
  return agreeing[code]
}

/** The largest number of milliseconds that a Date can hold. */
const lastMillisecond = 8_640_000_000_000_000

/** The text of an instant that a number stands for, as in a document; undefined if it is none that a Date can hold. */
export function textOfNumber(value: number | bigint, unit: DatetimeUnit): string | undefined {
  const number = Number(value)
  if (unit === 'julianday') {
    // To the millisecond, like SQLite's own functions (computeJD in its date.c): a double of that size holds no more.
    const ms = Math.floor(number * 86_400_000 + 0.5) - 210_866_760_000_000
    return Math.abs(ms) <= lastMillisecond ? new Date(ms).toISOString().replace(/(\.000)?Z$/, '+00:00') : undefined
  }
  const perSecond = unit === 'ms' ? 1000 : 1
  if (!(Math.abs(number) <= (lastMillisecond / 1000) * perSecond)) return undefined
  // The digits of the number itself: a sum or quotient of doubles might have others.
  const digits = Math.abs(number) < 1e-6 ? number.toFixed(12) : String(value)
  const [whole, fraction = ''] = digits.replace('-', '').split('.')
  const seconds = unit === 'ms' ? whole.slice(0, -3) : whole
  const decimals = ((unit === 'ms' ? whole.slice(-3).padStart(3, '0') : '') + fraction).slice(0, 9).padEnd(9, '0')
  let second = Number(seconds)
  let nanos = Number(decimals)
  if (digits.startsWith('-')) {
    second = -second
    if (nanos > 0) {
      second -= 1
      nanos = 1_000_000_000 - nanos
    }
  }
  const nine = String(nanos).padStart(9, '0')
  return `${new Date(second * 1000).toISOString().slice(0, -5)}${nanos === 0 ? '' : `.${nine.replace(/(000){1,2}$/, '')}`}+00:00`
}

/** A number that stands for an instant. */
export function numberOfDate(value: Date, unit: DatetimeUnit): number | bigint {
  const ms = value.getTime()
  if (unit === 'julianday') return ms / 86_400_000 + 2_440_587.5
  if (unit === 'ms') return BigInt(ms)
  return ms % 1000 === 0 ? BigInt(ms / 1000) : ms / 1000
}
