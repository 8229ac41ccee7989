// Typed rows: what the cells of a parsed document become for JavaScript code.

import { NodeBuffer } from './text.js'
import type { ScalarTypeName, TypeName } from './types.js'

/** The column that a cell belongs to, as conversion functions get it. */
export interface ColumnInfo {
  readonly name: string
  /** Counted from 0. */
  readonly index: number
  /** The column's type; within an array, still that of the column. */
  readonly type: TypeName
}

/** Makes a value of a cell's text: digits, ISO date and time, base64, the source text of JSON. It never gets SQL NULL. */
export type Convert = (text: string, column: ColumnInfo) => unknown

/** A class whose objects are made of a cell's text, such as decimal.js's Decimal. */
export type ConvertClass = new (text: string) => unknown

/** How values of a type are given: by a name that the type knows, by a function, or by a class. */
export type Choice<Names extends string = string> = Names | Convert | ConvertClass

/** The choices by type name. The first name is the default. In arrays, each element is given so. */
export interface TypeChoices {
  int?: Choice<'number' | 'string' | 'bigint'>
  bigint?: Choice<'bigint' | 'string' | 'number'>
  float?: Choice<'number' | 'string'>
  double?: Choice<'number' | 'string'>
  decimal?: Choice<'string' | 'number'>
  bool?: Choice<'boolean' | 'string' | 'number'>
  char?: Choice<'string'>
  string?: Choice<'string'>
  enum?: Choice<'string'>
  uuid?: Choice<'string'>
  /** `base64` and `string` are the same. */
  bytes?: Choice<'Uint8Array' | 'Buffer' | 'base64' | 'string'>
  /** `string` is the source text: every digit, and `'null'` for JSON's null but null for SQL's. */
  json?: Choice<'value' | 'string'>
  /** `Date`: infinity is the number ±Infinity; what no Date can hold stays text. `Temporal`: a Temporal.Instant. */
  datetime?: Choice<'Date' | 'string' | 'Temporal'>
  /** `Date`: midnight UTC. `Temporal`: a Temporal.PlainDate. */
  date?: Choice<'string' | 'Date' | 'Temporal'>
  /** `Date`: that time on 1970-01-01, UTC. `Temporal`: a Temporal.PlainTime. */
  time?: Choice<'string' | 'Date' | 'Temporal'>
  /** Columns that mix kinds of values. */
  unknown?: Choice<'value' | 'string'>
}

/** How `rows()` and `arrays()` give values. Choices for a column go before those for a type, and these before the preset. */
export interface RowOptions {
  /**
   * - `prisma`: as Prisma Client's raw queries do: BigInt, Uint8Array, Date also for `date` and `time` (an invalid Date
   *   for infinity), NaN and the infinities as strings. Decimals need a class: `types: { decimal: Prisma.Decimal }`.
   * - `json`: only what JSON.stringify can carry: the values that are in the document.
   */
  preset?: 'prisma' | 'json'
  /** Choices by type name. */
  types?: TypeChoices
  /** Choices by column name, or by index (`{ 0: 'string' }`) for columns that share a name. */
  columns?: Record<string, Choice>
}

type Cell = any
/** From a cell of the parsed document, never null, to a value. */
export type Decoder = (cell: Cell) => unknown

/** Turns the rows of a parsed document into values, in place. */
export interface RowDecoder {
  /** The json cells must be source texts: the document has to be made with the jsontext flag. */
  readonly jsonText: boolean
  /** One for each column; undefined if its cells are the values already. */
  readonly decoders: readonly (Decoder | undefined)[]
  decode(rows: unknown[][]): void
}

const scalarOfArray = (type: TypeName): ScalarTypeName | undefined =>
  type.endsWith('-array') ? (type.slice(0, -'-array'.length) as ScalarTypeName) : undefined

/** The default decoders by type. */
const defaults = new Map<TypeName, Decoder | undefined>()

function defaultDecoder(type: TypeName): Decoder | undefined {
  const known = defaults.get(type)
  if (known !== undefined || defaults.has(type)) return known
  const [decoder] = rowDecoder([''], [type], {}).decoders
  defaults.set(type, decoder)
  return decoder
}

/** Makes the decoder for a result's columns. Throws a TypeError for choices that mean nothing. */
export function rowDecoder(names: readonly string[], types: readonly TypeName[], options?: RowOptions): RowDecoder {
  if (options === undefined) return new ColumnDecoder(types.map(defaultDecoder), false)
  if (typeof options !== 'object' || options === null) throw new TypeError(`the options of rows() and arrays() are an object, not ${String(options)}`)
  if (options.preset !== undefined && options.preset !== 'prisma' && options.preset !== 'json') {
    throw new TypeError(`the preset is 'prisma' or 'json', not ${JSON.stringify(options.preset)}`)
  }
  for (const key of Object.keys(options.types ?? {})) {
    if (!Object.hasOwn(choiceNames, key)) throw new TypeError(`types has no type ${JSON.stringify(key)}; it has ${Object.keys(choiceNames).join(', ')}`)
  }
  // A key that is both a name and an index is a name.
  const byIndex = (key: string): boolean => !names.includes(key) && /^(0|[1-9][0-9]*)$/.test(key) && Number(key) < names.length
  for (const key of Object.keys(options.columns ?? {})) {
    if (!names.includes(key) && !byIndex(key)) throw new TypeError(`columns tells of ${JSON.stringify(key)}, which is no column of this result`)
  }
  const columns = names.map((name, index) => {
    const column: ColumnInfo = { name, index, type: types[index] }
    const element = scalarOfArray(column.type)
    const scalar = element ?? (column.type as ScalarTypeName)
    const choice = (byIndex(String(index)) ? own(options.columns, String(index)) : undefined) ?? own(options.columns, name) ?? own(options.types, scalar)
    return { column, element, scalar, choice }
  })
  const jsonText = columns.some(({ scalar, choice }) => scalar === 'json' && choice !== undefined && choice !== 'value')
  const decoders = columns.map(({ column, element, scalar, choice }) => {
    const decoder = decoderOf(scalar, choice, column, options.preset, jsonText)
    return element === undefined || decoder === undefined ? decoder : eachIn(decoder)
  })
  return new ColumnDecoder(decoders, jsonText)
}

class ColumnDecoder implements RowDecoder {
  readonly jsonText: boolean
  readonly decoders: readonly (Decoder | undefined)[]

  constructor(decoders: readonly (Decoder | undefined)[], jsonText: boolean) {
    this.decoders = decoders
    this.jsonText = jsonText
  }

  decode(rows: unknown[][]): void {
    const { decoders } = this
    for (let c = 0; c < decoders.length; c++) {
      const decoder = decoders[c]
      if (decoder === undefined) continue
      for (let r = 0; r < rows.length; r++) {
        const row = rows[r]
        const cell = row[c]
        if (cell !== null) row[c] = decoder(cell)
      }
    }
  }
}

function own(choices: object | undefined, key: string): Choice | undefined {
  return choices !== undefined && Object.hasOwn(choices, key) ? (choices as Record<string, Choice>)[key] : undefined
}

/** Elements that are JSON values are texts here, so what is an array is a dimension of the column's. */
function eachIn(decoder: Decoder): Decoder {
  const decode: Decoder = (cell) => {
    // Text in an array column is what a stream was told to pass on.
    if (!Array.isArray(cell)) return decoder(cell)
    return cell.map((element) => (element === null ? null : Array.isArray(element) ? decode(element) : decoder(element)))
  }
  return decode
}

const choiceNames: Record<keyof TypeChoices, readonly string[]> = {
  int: ['number', 'string', 'bigint'],
  bigint: ['bigint', 'string', 'number'],
  float: ['number', 'string'],
  double: ['number', 'string'],
  decimal: ['string', 'number'],
  bool: ['boolean', 'string', 'number'],
  char: ['string'],
  string: ['string'],
  enum: ['string'],
  uuid: ['string'],
  bytes: ['Uint8Array', 'Buffer', 'base64', 'string'],
  json: ['value', 'string'],
  datetime: ['Date', 'string', 'Temporal'],
  date: ['string', 'Date', 'Temporal'],
  time: ['string', 'Date', 'Temporal'],
  unknown: ['value', 'string'],
}

/** The decoder of single values; undefined if cells stay as they are. */
function decoderOf(type: ScalarTypeName, choice: Choice | undefined, column: ColumnInfo, preset: RowOptions['preset'], jsonText: boolean): Decoder | undefined {
  if (typeof choice === 'function') {
    const toText = textOf[type]
    if (isClass(choice)) return (cell) => new choice(toText(cell))
    return (cell) => (choice as Convert)(toText(cell), column)
  }
  if (choice !== undefined && !choiceNames[type].includes(choice)) {
    throw new TypeError(`${JSON.stringify(choice)} is no choice for column ${JSON.stringify(column.name)} of type ${type}: choose ${choiceNames[type].map((name) => `'${name}'`).join(', ')}, or give a function or a class`)
  }
  if (choice === undefined && preset === 'json') return type === 'json' && jsonText ? JSON.parse : undefined
  if (choice === undefined && preset === 'prisma') {
    switch (type) {
      case 'decimal':
        throw new TypeError(`the preset 'prisma' makes decimals with a class, and column ${JSON.stringify(column.name)} has some: give it one, types: { decimal: Prisma.Decimal }`)
      case 'float':
      case 'double':
        return undefined
      case 'datetime':
      case 'date':
        return dateOfText
      case 'time':
        return (cell) => new Date(`1970-01-01T${cell}Z`)
    }
  }
  const name = choice ?? choiceNames[type][0]
  switch (type) {
    case 'int':
      if (name === 'string') return numberText
      return name === 'bigint' ? BigInt : undefined
    case 'bigint':
      if (name === 'number') return Number
      return name === 'bigint' ? BigInt : undefined
    case 'float':
    case 'double':
      return name === 'string' ? numberText : restoreNumber
    case 'decimal':
      return name === 'number' ? Number : undefined
    case 'bool':
      if (name === 'string') return String
      return name === 'number' ? Number : undefined
    case 'bytes':
      if (name === 'Uint8Array') return bytesOfBase64
      return name === 'Buffer' ? bufferDecoder() : undefined
    case 'json':
      return name === 'value' && jsonText ? JSON.parse : undefined
    case 'datetime':
      if (name === 'Date') return dateOfDatetime
      return name === 'Temporal' ? temporal('Instant') : undefined
    case 'date':
      if (name === 'Date') return dateOfDate
      return name === 'Temporal' ? temporal('PlainDate') : undefined
    case 'time':
      if (name === 'Date') return dateOfTime
      return name === 'Temporal' ? temporal('PlainTime') : undefined
    case 'unknown':
      return name === 'string' ? textOf.unknown : undefined
    default:
      return undefined
  }
}

/** Tells a class from a function: it is written as one, or has methods for its objects. */
function isClass(choice: Convert | ConvertClass): choice is ConvertClass {
  if (callable.has(choice)) return false
  if (/^class\b/.test(Function.prototype.toString.call(choice))) return true
  const prototype: unknown = Object.getOwnPropertyDescriptor(choice, 'prototype')?.value
  return typeof prototype === 'object' && prototype !== null && Object.getOwnPropertyNames(prototype).length > 1
}
/** Built-in classes that convert when called as functions. */
const callable = new Set<unknown>([BigInt, Number, String, Boolean])

const same = (cell: string): string => cell

/** A number's text as it is in the document. */
function numberText(cell: number | string): string {
  if (typeof cell === 'string') return cell
  return Object.is(cell, -0) ? '-0' : String(cell)
}

function unknownText(cell: Cell): string {
  if (typeof cell === 'string') return cell
  return typeof cell === 'number' ? numberText(cell) : JSON.stringify(cell)
}

const textOf: Record<ScalarTypeName, (cell: Cell) => string> = {
  int: numberText,
  bigint: same,
  float: numberText,
  double: numberText,
  decimal: same,
  bool: String,
  char: same,
  string: same,
  enum: same,
  uuid: same,
  bytes: same,
  json: same, // by then it is the source text
  datetime: same,
  date: same,
  time: same,
  unknown: unknownText,
}

/** NaN and the infinities are strings in JSON. */
export function restoreNumber(cell: number | string): number {
  return typeof cell === 'string' ? Number(cell) : cell
}

export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  // A copy: a small Buffer shares its memory with others.
  if (NodeBuffer !== undefined) return new Uint8Array(NodeBuffer.from(text, 'base64'))
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}

function bufferDecoder(): Decoder {
  if (NodeBuffer === undefined) throw new TypeError("this runtime has no Buffer: choose 'Uint8Array'")
  return bufferOfBase64
}

export function bufferOfBase64(text: string): unknown {
  return NodeBuffer!.from(bytesOfBase64(text).buffer)
}

function digits2(text: string, at: number): number {
  return (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48
}

/** The module's datetime form; ±infinity to ±Infinity; what no Date can hold stays text. Digits beyond milliseconds are cut. */
export function dateOfDatetime(text: string): unknown {
  // By hand, since Date's own parser takes five times as long. The module has checked the parts; only the form is checked here.
  const year = digits2(text, 0) * 100 + digits2(text, 2)
  if (year >= 100 && year <= 9999 && text.charCodeAt(17) < 54 && text.charCodeAt(4) === 45 && text.charCodeAt(10) === 84 && text.endsWith('+00:00')) {
    const month = digits2(text, 5)
    const day = digits2(text, 8)
    const ms = text.length > 25 ? digits2(text, 20) * 10 + text.charCodeAt(22) - 48 : 0
    const date = new Date(Date.UTC(year, month - 1, day, digits2(text, 11), digits2(text, 14), digits2(text, 17), ms))
    // Date.UTC would carry a part-zero date, or one that the calendar lacks, over into another month, and second 60 into another minute.
    if (month >= 1 && day >= 1 && (day <= 28 || date.getUTCDate() === day)) return date
  }
  return infinityOf(text) ?? dateOr(text, text)
}

/** As Prisma Client does: what is no date is an invalid Date. */
export function dateOfText(text: string): Date {
  return new Date(text)
}

function dateOfDate(text: string): unknown {
  return infinityOf(text) ?? dateOr(`${text}T00:00:00Z`, text)
}

function dateOfTime(text: string): unknown {
  return dateOr(`1970-01-01T${text}Z`, text)
}

function dateOr(iso: string, text: string): Date | string {
  const date = new Date(iso)
  // Firefox carries month 0 and day 0 over into the month before, Safari second 60 into the next minute; V8 neither.
  return Number.isNaN(date.getTime()) || !(iso.startsWith(date.toISOString().slice(0, -5)) || iso.includes('T24:')) ? text : date
}

function infinityOf(text: string): number | undefined {
  if (text === 'infinity') return Infinity
  return text === '-infinity' ? -Infinity : undefined
}

type TemporalLike = Record<'Instant' | 'PlainDate' | 'PlainTime', { from(text: string): unknown }>

function temporal(kind: keyof TemporalLike): Decoder {
  const namespace = (globalThis as { Temporal?: TemporalLike }).Temporal
  if (namespace === undefined) throw new TypeError('this runtime has no Temporal: load a polyfill first, or give a function')
  const { [kind]: type } = namespace
  return (text: string) => {
    const infinity = infinityOf(text)
    if (infinity !== undefined) return infinity
    try {
      return type.from(text)
    } catch {
      return text // a duration, a zero date, a year beyond its range
    }
  }
}

export { objectsOf } from './objects.js'
