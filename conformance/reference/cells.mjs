// The rules of the table "Cells": one function for each type, from a non-null
// value to its JSON text. Each throws a CellError for what it does not accept.

import * as numbers from './numbers.mjs'
import * as datetime from './datetime.mjs'
import { decimalText } from './decimal.mjs'
import { uuidText, uuidBytes } from './uuid.mjs'
import { readArrayLiteral, BadLiteral } from './pgarray.mjs'
import { isJSON, copyJSON } from './json.mjs'
import { jsonString, base64, decodeUTF8, encodeUTF8 } from './text.mjs'
import { kindOf, bytesOf, membersOf, integerOf } from './values.mjs'

export class CellError extends Error {
  constructor(code) {
    super(code)
    this.code = code
  }
}

const fail = (code) => {
  throw new CellError(code)
}

const I32_MIN = -(2n ** 31n)
const I32_MAX = 2n ** 31n - 1n
export const SAFE = 2n ** 53n - 1n

function int(value) {
  const n = typeof value === 'string' ? numbers.parseInteger(value) : integerOf(value)
  if (n === undefined) fail('INT_INVALID')
  if (n < I32_MIN || n > I32_MAX) fail('INT_RANGE')
  return String(n)
}

function bigint(value) {
  const n = typeof value === 'string' ? numbers.parseInteger(value) : integerOf(value)
  if (n === undefined) fail('BIGINT_INVALID')
  return `"${n}"`
}

function floating(write) {
  return (cell, context) => {
    // In SQLite a string of digits is an integer that the driver could not hold.
    const value = context.dialect === 'sqlite' && kindOf(cell) === 'string' ? numbers.parseInteger(cell) ?? cell : cell
    const kind = kindOf(value)
    if (kind === 'number') return write(value)
    if (kind === 'bigint') return numbers.holdsInteger(value) ? write(Number(value)) : String(value)
    if (kind !== 'string') fail('FLOAT_INVALID')
    const x = numbers.parseDouble(value)
    return x === undefined ? fail('FLOAT_INVALID') : write(x)
  }
}

function decimal(value) {
  const kind = kindOf(value)
  if (kind === 'bigint') return `"${value}"`
  if (kind !== 'number' && kind !== 'string') fail('DECIMAL_INVALID')
  const text = decimalText(String(value))
  return text === undefined ? fail('DECIMAL_INVALID') : `"${text}"`
}

const TRUE = ['t', 'true', 'yes', 'on', '1']
const FALSE = ['f', 'false', 'no', 'off', '0']

function bool(value) {
  const kind = kindOf(value)
  if (kind === 'boolean') return String(value)
  if (kind === 'string') {
    // ASCII case only: "ﬀ" or the Kelvin sign are no letters of these words.
    const word = value.replace(/[A-Z]/g, (c) => c.toLowerCase())
    if (TRUE.includes(word)) return 'true'
    if (FALSE.includes(word)) return 'false'
  }
  const n = integerOf(value)
  if (n === 0n) return 'false'
  if (n === 1n) return 'true'
  return fail('BOOL_INVALID')
}

/** The text of a value that is no string where text is asked for; an object's or inner list's is its JSON. */
function plainText(value) {
  switch (kindOf(value)) {
    case 'null':
      return ''
    case 'string':
      return value
    case 'number':
      return numbers.doubleText(value)
    case 'bigint':
    case 'boolean':
      return String(value)
    case 'bytes':
      return decodeUTF8(bytesOf(value))
    case 'date':
      return instantText(value, datetime.instantDateTime, 'TEXT_INVALID')
    default:
      return ownForm(value)
  }
}

/** As plainText, and the members of a MySQL SET that a driver has split are joined again. */
function verbatim(value) {
  return jsonString(kindOf(value) === 'list' ? Array.from(value, plainText).join(',') : plainText(value))
}

function text(value, context) {
  // SQLite says of each cell whether it is text, and the label has to be true.
  if (context.dialect === 'sqlite' && kindOf(value) !== 'string') fail('TEXT_INVALID')
  return verbatim(value)
}

function isByteList(value) {
  return kindOf(value) === 'list' && Array.from(value).every((v) => integerOf(v) !== undefined && integerOf(v) >= 0n && integerOf(v) <= 255n)
}

/** The bytes that a value stands for under a bytes label; undefined if none. */
function bytesFrom(value) {
  switch (kindOf(value)) {
    case 'bytes':
      return bytesOf(value)
    case 'string':
      return encodeUTF8(value)
    case 'list':
      return isByteList(value) ? Uint8Array.from(value, Number) : undefined
    case 'object': {
      const members = membersOf(value)
      if (members.length === 2 && members[0][0] === 'type' && members[0][1] === 'Buffer' && members[1][0] === 'data') {
        return isByteList(members[1][1]) ? Uint8Array.from(members[1][1], Number) : undefined
      }
      if (members.every(([key], i) => key === String(i)) && isByteList(members.map(([, v]) => v))) {
        return Uint8Array.from(members, ([, v]) => Number(v))
      }
    }
  }
  return undefined
}

function bytes(value) {
  const found = bytesFrom(value)
  return found === undefined ? fail('BYTES_INVALID') : `"${base64(found)}"`
}

function uuid(value) {
  const kind = kindOf(value)
  const found = kind === 'string' ? uuidText(value) : kind === 'bytes' ? uuidBytes(bytesOf(value)) : undefined
  return found === undefined ? fail('UUID_INVALID') : `"${found}"`
}

/** An already parsed JSON value, as JSON.stringify writes it, but with bigints, and -0 kept. */
export function jsonValue(value) {
  switch (kindOf(value)) {
    case 'number':
      return Number.isFinite(value) ? numbers.doubleText(value) : 'null'
    case 'bigint':
      return String(value)
    case 'date':
      return `"${instantText(value, datetime.instantISO, 'JSON_INVALID')}"`
    default:
      return written(value, jsonValue)
  }
}

/** A value in its own JSON form, as in a column that mixes kinds: nothing of it is lost. */
function ownForm(value) {
  switch (kindOf(value)) {
    case 'number':
      return numbers.doubleJSON(value)
    case 'bigint':
      return value >= -SAFE && value <= SAFE ? String(value) : `"${value}"`
    case 'date':
      return `"${instantText(value, datetime.instantDateTime, 'TEXT_INVALID')}"`
    default:
      return written(value, ownForm)
  }
}

/** What jsonValue and ownForm have in common. */
function written(value, inner) {
  switch (kindOf(value)) {
    case 'null':
      return 'null'
    case 'boolean':
      return String(value)
    case 'string':
      return jsonString(value)
    case 'bytes':
      return `"${base64(bytesOf(value))}"`
    case 'list':
      return `[${Array.from(value, inner).join(',')}]`
    case 'object':
      return `{${membersOf(value).map(([k, v]) => `${jsonString(k)}:${inner(v)}`).join(',')}}`
    default:
      return fail('VALUE_UNSUPPORTED')
  }
}

function json(value, context) {
  const kind = kindOf(value)
  if (kind === 'bytes' && context.dialect === 'sqlite') fail('JSON_INVALID')
  const source = kind === 'string' ? value : kind === 'bytes' ? decodeUTF8(bytesOf(value)) : undefined
  let out
  if (source === undefined) out = jsonValue(value)
  else if (isJSON(source)) out = copyJSON(source)
  // SQLite keeps any text in a column that is called JSON.
  else if (context.dialect === 'sqlite') out = jsonString(source)
  else fail('JSON_INVALID')
  if (context.jsontext) return jsonString(source !== undefined && isJSON(source) ? source : out)
  return context.shape === 'ndjson' ? out.replace(/[\n\r]/g, ' ') : out
}

function instantText(value, write, code) {
  const ns = datetime.millisecondsToNanoseconds(kindOf(value) === 'date' ? value.getTime() : value)
  const parts = ns === undefined ? undefined : datetime.fromNanoseconds(ns)
  return parts === undefined ? fail(code) : write(parts)
}

function dated(fromText, write, code) {
  return (value) => {
    const kind = kindOf(value)
    if (kind === 'date' || kind === 'number' || kind === 'bigint') return `"${instantText(value, write, code)}"`
    const found = kind === 'string' ? fromText(value) : undefined
    return found === undefined ? fail(code) : `"${found}"`
  }
}

/** Marks a time of day that bears an offset: the column has to be text. */
export class OffsetSeen extends Error {}

function time(value) {
  const kind = kindOf(value)
  if (kind === 'date') return `"${instantText(value, datetime.instantTime, 'TIME_INVALID')}"`
  const found = kind === 'string' ? datetime.timeOnlyText(value) : undefined
  if (found === undefined) fail('TIME_INVALID')
  if (found.offset) throw new OffsetSeen()
  return `"${found.text}"`
}

/** The number of an UnknownNumber column's cell: a BigInt or a number; undefined if it is none. */
export function numberOf(value) {
  const kind = kindOf(value)
  if (kind === 'number' || kind === 'bigint') return value
  if (kind !== 'string') return undefined
  return numbers.parseInteger(value) ?? numbers.parseDouble(value)
}

const RULES = {
  int,
  bigint,
  float: floating(numbers.floatJSON),
  double: floating(numbers.doubleJSON),
  decimal,
  bool,
  char: text,
  string: text,
  enum: text,
  set: text,
  date: dated(datetime.dateOnlyText, datetime.instantDate, 'DATE_INVALID'),
  datetime: dated(datetime.dateTimeText, datetime.instantDateTime, 'DATETIME_INVALID'),
  time,
  json,
  bytes,
  uuid,
  verbatim,
  unknown: ownForm,
}

/** JSON text of a cell under a type. context: {dialect, shape, jsontext}. */
export function cellJSON(type, value, context) {
  if (kindOf(value) === 'null') return 'null'
  if (kindOf(value) === 'unsupported') fail('VALUE_UNSUPPORTED')
  const rule = RULES[type.base]
  return type.array ? arrayJSON(type, value, rule, context) : rule(value, context)
}

function arrayJSON(type, value, rule, context) {
  if (kindOf(value) === 'list') return listJSON(type, value, rule, context)
  if (kindOf(value) !== 'string') fail('ARRAY_INVALID')
  // The innermost open array is the last; the first holds the whole.
  const open = [[]]
  try {
    readArrayLiteral(value, {
      open: () => open.push([]),
      close: () => {
        const inner = open.pop()
        open.at(-1).push(`[${inner.join(',')}]`)
      },
      null: () => open.at(-1).push('null'),
      element: (text) => open.at(-1).push(rule(literalElement(type, text), context)),
    })
  } catch (error) {
    if (error instanceof BadLiteral) fail('ARRAY_INVALID')
    throw error
  }
  return open[0][0]
}

/** The bytes of a bytea element stand in hex in a literal. */
function literalElement(type, text) {
  if (type.base !== 'bytes' || !text.startsWith('\\x')) return text
  if (!/^\\x([0-9a-fA-F]{2})*$/.test(text)) fail('BYTES_INVALID')
  return Uint8Array.from(text.slice(2).match(/../g) ?? [], (hex) => parseInt(hex, 16))
}

function listJSON(type, list, rule, context) {
  const element = (value) => {
    const kind = kindOf(value)
    if (kind === 'null') return 'null'
    if (kind === 'unsupported') fail('VALUE_UNSUPPORTED')
    if (kind === 'list' && type.base === 'json') return rule(value, context)
    if (kind === 'list' && !(type.base === 'bytes' && isBytesElement(value))) return listJSON(type, value, rule, context)
    return rule(value, context)
  }
  return `[${Array.from(list, element).join(',')}]`
}

/** In a bytes array an inner list of numbers is the bytes of an element; any other nests. */
function isBytesElement(list) {
  return Array.from(list).every((v) => typeof v === 'number' || typeof v === 'bigint')
}
