// Row objects out of columns of values, without code that is made at run time: edge runtimes forbid that.
//
// Why it looks the way it does, measured in V8: a store `row[name] = value` is as fast as one that is written
// `row.id = value` for as long as its place in the source sees one name and one hidden class. From the second name on
// it stays ten times slower, for the life of the process. So there are many copies of the loop that makes rows
// (lanes-gen.ts), and each kind of row gets copies of its own while there are some left. All other rows come from a constructor
// for each kind of row: an object that grows from {} by such stores is turned into a hash table after a dozen members.

import { clones, fills, roomyClass } from './lanes-gen.js'

type Row = Record<string, unknown>

/** Results with fewer rows than this are not worth a look into the table of kinds, unless an object that grows would get slow. */
const fewRows = 16
const fewMembers = 12
/** A kind of row gets lanes once so many of its rows have been made. */
const manyRows = 1000
/** The most kinds of rows that are remembered. Enough for the statements of a program; names may come from data, too. */
const mostKinds = 500

type Columns = readonly (readonly unknown[])[]

/** Rows with the same names in the same order. */
class Kind {
  /** How many were made. */
  count = 0
  readonly keys: readonly string[]
  /** Which of a result's columns the members come from. */
  readonly columns: readonly number[]
  readonly #make: new () => Row
  #lanes: Lanes | null | undefined = undefined

  /** `lasting`: worth some preparation. */
  constructor(names: readonly string[], lasting: boolean) {
    const keys: string[] = []
    const columns: number[] = []
    for (let c = 0; c < names.length; c++) {
      if (names.indexOf(names[c], c + 1) !== -1) continue
      keys.push(lasting ? internal(names[c]) : names[c])
      columns.push(c)
    }
    this.keys = keys
    this.columns = columns
    this.#make = Object as unknown as new () => Row
    if (lasting) {
      this.#make = roomyClass()
      // The rows are to be like any other object.
      ;(this.#make as { prototype: object }).prototype = Object.prototype
    }
  }

  /** Undefined if there are none left, or they don't suit. */
  lanes(): Lanes | undefined {
    if (this.#lanes === undefined) {
      const { keys } = this
      // Members that are array indexes are kept apart by every engine.
      const suits = keys.length > 0 && keys.length <= mostLaned && !keys.some((key) => /^[0-9]/.test(key))
      this.#lanes = suits ? Lanes.take(keys) : null
    }
    return this.#lanes ?? undefined
  }

  /** Appends `count` rows. */
  append(rows: Row[], values: Columns, count: number): void {
    const { keys, columns } = this
    const Make = this.#make
    const cells = columns.map((c) => values[c])
    const inherited = keys.map((key) => key in Object.prototype)
    for (let r = 0; r < count; r++) {
      // Row by row: V8 looks at the first objects of a constructor to find how much room the next ones need.
      const row = new Make()
      for (let k = 0; k < keys.length; k++) {
        // An assignment would reach what Object.prototype has of that name: __proto__, or a constant if it is frozen.
        if (inherited[k]) Object.defineProperty(row, keys[k], { value: cells[k][r], writable: true, enumerable: true, configurable: true })
        else row[keys[k]] = cells[k][r]
      }
      rows.push(row)
    }
  }
}

/** The string that the engine itself uses as a member's name: others it has to look up at each store. */
function internal(name: string): string {
  return Object.keys(JSON.parse(`{${JSON.stringify(name)}:0}`) as object)[0]
}

/** The most members for which a template is copied, and not searched, by V8. */
const mostLaned = 100
let clonesTaken = 0
let fillsTaken = 0

/** Copies of the loops for one kind of rows. */
class Lanes {
  readonly #template: Row
  readonly #clone: (typeof clones)[number]
  readonly #fills: readonly (typeof fills)[number][]

  private constructor(keys: readonly string[], clone: (typeof clones)[number], own: readonly (typeof fills)[number][]) {
    // JSON.parse makes room for just these members.
    const template = JSON.parse(`{${keys.map((key) => `${JSON.stringify(key)}:null`).join(',')}}`) as Row
    // Members that have held both kinds of values hold any: the hidden class never changes again.
    for (const key of keys) {
      template[key] = 0
      template[key] = null
    }
    this.#template = template
    this.#clone = clone
    this.#fills = own
  }

  static take(keys: readonly string[]): Lanes | null {
    const wanted = Math.ceil(keys.length / 4)
    if (clonesTaken === clones.length || fillsTaken + wanted > fills.length) return null
    const clone = clones[clonesTaken++]
    const own = fills.slice(fillsTaken, (fillsTaken += wanted))
    return new Lanes(keys, clone, own)
  }

  append(rows: Row[], kind: Kind, values: Columns, count: number): void {
    const { keys, columns } = kind
    const at = rows.length
    this.#clone(rows, this.#template, count)
    const last = keys.length - 1
    for (let j = 0; j <= last; j += 4) {
      // Where there are less than four left, the last is set more than once.
      const k = Math.min(j + 1, last)
      const l = Math.min(j + 2, last)
      const m = Math.min(j + 3, last)
      this.#fills[j >> 2](rows, at, count, keys[j], keys[k], keys[l], keys[m], values[columns[j]], values[columns[k]], values[columns[l]], values[columns[m]])
    }
  }
}

const kinds = new Map<string, Kind>()

function kindOf(names: readonly string[]): Kind {
  const id = JSON.stringify(names)
  let kind = kinds.get(id)
  if (kind === undefined) {
    kind = new Kind(names, true)
    if (kinds.size >= mostKinds) {
      for (const oldest of kinds.keys()) {
        kinds.delete(oldest)
        break
      }
    }
    kinds.set(id, kind)
  }
  return kind
}

/** Takes columns of values, some rows at a time. */
export interface RowMaker {
  /** What was made so far. */
  readonly rows: unknown[]
  /** Makes `count` rows: `values` has the cells of each column. */
  append(values: Columns, count: number): void
}

/** Makes array rows. */
export class ArrayMaker implements RowMaker {
  readonly rows: unknown[][] = []
  readonly #template: unknown[]

  constructor(width: number) {
    this.#template = []
    for (let c = 0; c < width; c++) this.#template.push(null)
  }

  append(values: Columns, count: number): void {
    const { rows } = this
    const template = this.#template
    const width = template.length
    for (let r = 0; r < count; r++) {
      // A copy has just the room that it needs.
      const row = template.slice()
      for (let c = 0; c < width; c++) row[c] = values[c][r]
      rows.push(row)
    }
  }
}

/**
 * Makes row objects: those of one maker share a hidden class. Of columns with one name the last counts, in its own
 * place. Every name is a member like any other, also `__proto__`.
 */
export class ObjectMaker implements RowMaker {
  readonly rows: Row[] = []
  readonly #kind: Kind
  readonly #lanes: Lanes | undefined

  /** `expected`: how many rows there will be. */
  constructor(names: readonly string[], expected: number) {
    const kind = expected < fewRows && names.length <= fewMembers ? new Kind(names, false) : kindOf(names)
    kind.count += expected
    this.#kind = kind
    this.#lanes = kind.count >= manyRows ? kind.lanes() : undefined
  }

  append(values: Columns, count: number): void {
    if (this.#lanes !== undefined) this.#lanes.append(this.rows, this.#kind, values, count)
    else this.#kind.append(this.rows, values, count)
  }
}

/** How many rows are turned at a time: their cells should stay in the processor's cache. */
const chunk = 256

/** Makes an object of each array row. */
export function objectsOf(names: readonly string[], rows: readonly (readonly unknown[])[]): Row[] {
  const maker = new ObjectMaker(names, rows.length)
  const values = names.map((): unknown[] => [])
  for (let from = 0; from < rows.length; from += chunk) {
    const count = Math.min(chunk, rows.length - from)
    for (let c = 0; c < values.length; c++) {
      const cells = values[c]
      for (let r = 0; r < count; r++) cells[r] = rows[from + r][c]
    }
    maker.append(values, count)
  }
  return maker.rows
}
