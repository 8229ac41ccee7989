// Which label a column gets: the first pass over the data.

import * as numbers from './numbers.mjs'
import { cellJSON, CellError, OffsetSeen, numberOf, SAFE } from './cells.mjs'
import { kindOf } from './values.mjs'

const UNKNOWN = { base: 'unknown', array: false }
const scalar = (base) => ({ base, array: false })

const I32 = (n) => n >= -(2n ** 31n) && n <= 2n ** 31n - 1n

/** What the numbers of a column have in common. */
export class Numbers {
  fraction = false // a fraction, NaN, an infinity, or a double past 2^53 - 1
  beyondI32 = false
  lossy = false // an integer that no double holds

  /** Of texts, only digits are integers: "1e3" is a double's. */
  add(number, isText = false) {
    if (typeof number === 'number') {
      if (isText || !Number.isSafeInteger(number)) {
        this.fraction = true
        return
      }
      number = BigInt(number)
    }
    if (!I32(number)) this.beyondI32 = true
    if (!numbers.holdsInteger(number)) this.lossy = true
  }

  /** The label; undefined if a double would lose a digit of an integer. */
  label() {
    if (this.fraction) return this.lossy ? undefined : 'double'
    return this.beyondI32 ? 'bigint' : 'int'
  }
}

/**
 * The number that a cell of SQLite holds. Drivers hand large integers over as
 * strings of digits; any other string is text that SQLite stored.
 */
function storedNumber(value) {
  const number = numberOf(value)
  return kindOf(value) === 'string' && typeof number !== 'bigint' ? undefined : number
}

/** The label of a code-128 column. Throws for a cell that is no number, outside SQLite. */
export class UnknownNumber {
  numbers = new Numbers()
  other = false

  constructor(dialect) {
    this.dialect = dialect
  }

  see(value) {
    const number = this.dialect === 'sqlite' ? storedNumber(value) : numberOf(value)
    if (number !== undefined) this.numbers.add(number, kindOf(value) === 'string')
    else if (this.dialect === 'sqlite') this.other = true
    else throw new CellError('NUMBER_INVALID')
  }

  settle() {
    if (this.other) return UNKNOWN
    const label = this.numbers.label()
    if (label === undefined) return this.dialect === 'sqlite' ? UNKNOWN : scalar('double')
    return scalar(label)
  }
}

/** A column of PostgreSQL or MySQL: as declared, but text if a time of day bears an offset. */
export class Declared {
  offset = false

  constructor(type, context) {
    this.type = type
    this.context = context
  }

  see(value) {
    try {
      cellJSON(this.type, value, this.context)
    } catch (error) {
      if (!(error instanceof OffsetSeen)) throw error
      this.offset = true
    }
  }

  settle() {
    return this.offset ? { ...this.type, base: 'verbatim' } : this.type
  }
}

// Under these declared types a string of digits stands for an integer.
const NUMERIC = ['int', 'bigint', 'float', 'double', 'bool']

/** A column of SQLite: as declared if every cell fits, else as wide as it takes. */
export class Widening {
  fits = true
  offset = false
  numbers = new Numbers()
  other = false

  constructor(type, context) {
    this.type = type
    this.context = context
  }

  see(value) {
    const isText = kindOf(value) === 'string' && (this.type.array || !NUMERIC.includes(this.type.base))
    const number = isText ? undefined : storedNumber(value)
    if (number !== undefined) this.numbers.add(number)
    else this.other = true
    if (!this.cellFits(value, number)) this.fits = false
  }

  cellFits(value, number) {
    // A double column must not lose digits of an integer.
    const isDouble = !this.type.array && ['float', 'double'].includes(this.type.base)
    if (isDouble && typeof number === 'bigint' && !numbers.holdsInteger(number)) return false
    try {
      cellJSON(this.type, value, this.context)
    } catch (error) {
      if (error instanceof OffsetSeen) {
        this.offset = true
        // What follows the offset may show that the text is no array.
        return new Widening({ ...this.type, base: 'verbatim' }, this.context).cellFits(value, number)
      }
      if (!(error instanceof CellError) || error.code === 'VALUE_UNSUPPORTED') throw error
      return false
    }
    return true
  }

  settle() {
    if (this.fits) return this.offset ? { ...this.type, base: 'verbatim' } : this.type
    if (this.other) return UNKNOWN
    const label = this.numbers.label()
    return label === undefined ? UNKNOWN : scalar(label)
  }
}
