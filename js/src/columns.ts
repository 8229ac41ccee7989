// Typed rows without JSON: from the module's batches of typed columns (wasm/ABI.md, "Batches"), or from a result set
// whose cells are typed values already.

import { beyond, directColumn, type DirectColumn, type Rows } from './direct.js'
import type { Engine, Source } from './engine.js'
import { flagJSONText, flagScan, flagSettled, shapeBatch, type Instance, type OutputSink } from './instance.js'
import { ArrayMaker, ObjectMaker, type RowMaker } from './objects.js'
import { isTyped, PlainSource } from './plain.js'
import { bufferOfBase64, bytesOfBase64, dateOfDatetime, dateOfText, restoreNumber, rowDecoder, type Decoder, type RowDecoder, type RowOptions } from './rows.js'
import { NodeBuffer, type BufferLike } from './text.js'
import { labelName, unknownNumber, type Dialect, type TypeName } from './types.js'

// Words of a batch's table.
const tableRows = 0
const tableText = 2
const tableTextLength = 3
const tableEncoding = 4
const tableBytes = 5
const tableExtras = 7
const tableExtraCount = 8
const tableExtraText = 9
const tableColumns = 11
// Words of a column in it.
const columnStore = 0
const columnLabel = 1
const columnNulls = 2
const columnData = 3
const columnMore = 4
const columnWords = 5

const storeInt32 = 1
const storeFloat64 = 2
const storeBool = 3
const storeDateTime = 4
const storeInt64 = 5
const storeText = 6
const storeBytes = 7
const storeJSON = 8

/**
 * Cells longer than this, in bytes, are decoded one by one: all others are slices of the batch's text, which are faster
 * and keep it alive. A batch that is larger than the other number, since its last row is so large, is not sliced at all.
 */
const longCell = 4096
const longText = 200 * 1024

// Characters of JSON.
const quote = 34
const comma = 44
const minus = 45
const zero = 48
const nine = 57
const closing = 93

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Makes values of batches and hands them to a {@link RowMaker}. A value is what the column's decoder would make of the cell's
 * JSON: made of the column's data at once where there is a way, else by the decoder.
 */
export class BatchReader implements OutputSink {
  readonly #decoders: readonly (Decoder | undefined)[]
  readonly #maker: RowMaker
  readonly #values: unknown[][]

  #memory: ArrayBufferLike | undefined
  #bytes!: Uint8Array
  #buffer: BufferLike | undefined
  #u32!: Uint32Array
  #i32!: Int32Array
  #f64!: Float64Array
  #i64!: BigInt64Array

  // The batch's text.
  #text = 0
  #ascii = true
  /** All of it as a string, one byte as one unit where #byBytes is set, if it may be sliced. */
  #whole: string | undefined
  #byBytes = true

  constructor(decoders: readonly (Decoder | undefined)[], maker: RowMaker) {
    this.#decoders = decoders
    this.#maker = maker
    this.#values = decoders.map(() => [])
  }

  take(bytes: Uint8Array, start: number): void {
    if (bytes.buffer !== this.#memory) this.#refresh(bytes)
    const u32 = this.#u32
    const table = start >> 2
    const rows = u32[table + tableRows]
    if (rows === 0) return
    this.#openText(u32[table + tableText], u32[table + tableTextLength], u32[table + tableEncoding] === 0)
    const decoders = this.#decoders
    const values = this.#values
    // Cells of text begin where the one before ends: in the column before, or in the row before.
    let before = -1
    let beforeBytes = -1
    for (let c = decoders.length - 1; c >= 0 && before === -1; c--) {
      const column = table + tableColumns + c * columnWords
      const store = u32[column + columnStore]
      if (store !== storeText && store !== storeJSON) continue
      before = (u32[column + columnData] >> 2) - 1
      beforeBytes = (u32[column + columnMore] >> 2) - 1
    }
    let first = 1
    let octets = -1
    for (let c = decoders.length - 1; c >= 0 && octets === -1; c--) {
      const column = table + tableColumns + c * columnWords
      if (u32[column + columnStore] === storeBytes) octets = (u32[column + columnData] >> 2) - 1
    }
    let firstOctets = 1
    const extras = u32[table + tableExtraCount]
    for (let c = 0; c < decoders.length; c++) {
      const column = table + tableColumns + c * columnWords
      const store = u32[column + columnStore]
      const nulls = u32[column + columnNulls]
      const data = u32[column + columnData]
      const more = u32[column + columnMore]
      const decoder = decoders[c]
      // Arrays that live as long as a batch are cheaper than old ones, which the garbage collector has to be told about.
      let cells = new Array<unknown>(rows)
      let over = true // the cells are values, not what the decoder takes
      switch (store) {
        case storeInt32:
          over = decoder === undefined
          this.#integers(cells, rows, data >> 2)
          break
        case storeFloat64:
          over = decoder === restoreNumber || decoder === undefined
          this.#numbers(cells, rows, data >> 3, decoder === restoreNumber)
          break
        case storeBool:
          over = decoder === undefined
          for (let r = 0; r < rows; r++) cells[r] = this.#bytes[data + r] === 1
          break
        case storeDateTime:
          over = decoder === dateOfDatetime || decoder === dateOfText || decoder === undefined
          if (over && decoder !== undefined) this.#dates(cells, rows, nulls, data >> 3)
          else this.#dateTexts(cells, rows, nulls, data >> 3, more >> 2)
          break
        case storeInt64:
          over = decoder === BigInt || decoder === undefined
          this.#bigints(cells, rows, nulls, data >> 3, decoder === BigInt)
          break
        case storeText:
          over = decoder === undefined
          this.#texts(cells, rows, data >> 2, more >> 2, before, beforeBytes, first)
          before = data >> 2
          beforeBytes = more >> 2
          first = 0
          break
        case storeBytes:
          over = decoder === bytesOfBase64 || decoder === bufferOfBase64 || decoder === undefined
          this.#octets(cells, rows, nulls, u32[table + tableBytes], data >> 2, octets, firstOctets, decoder)
          octets = data >> 2
          firstOctets = 0
          break
        case storeJSON:
          over = decoder === undefined
          switch (u32[column + columnLabel]) {
            case 64:
              this.#integerLists(cells, rows, data >> 2, more >> 2, before, beforeBytes, first)
              break
            case 65: case 68: case 70: case 71: case 72: case 73: case 74: case 76: case 78:
              this.#stringLists(cells, rows, data >> 2, more >> 2, before, beforeBytes, first)
              break
            default:
              cells = this.#json(rows, data >> 2, more >> 2, before, beforeBytes, first)
          }
          before = data >> 2
          beforeBytes = more >> 2
          first = 0
      }
      values[c] = cells
      if (nulls !== 0) this.#nulls(cells, rows, nulls)
      if (extras > 0) this.#extras(cells, table, c, over ? decoder : undefined)
      if (!over) decodeCells(cells, rows, decoder!)
    }
    this.#maker.append(values, rows)
  }

  #refresh(bytes: Uint8Array): void {
    const memory = bytes.buffer
    this.#memory = memory
    this.#bytes = bytes
    this.#buffer = NodeBuffer?.from(memory)
    this.#u32 = new Uint32Array(memory)
    this.#i32 = new Int32Array(memory)
    this.#f64 = new Float64Array(memory)
    this.#i64 = new BigInt64Array(memory)
  }

  #openText(text: number, length: number, ascii: boolean): void {
    this.#text = text
    this.#ascii = ascii
    this.#whole = undefined
    this.#byBytes = true
    if (length === 0) {
      this.#whole = ''
    } else if (length <= longText) {
      if (this.#buffer !== undefined) {
        // Of a text that is not ASCII, only slices that are will be used.
        this.#whole = this.#buffer.toString('latin1', text, text + length)
      } else {
        this.#whole = utf8.decode(this.#bytes.subarray(text, text + length))
        this.#byBytes = ascii
      }
    }
  }

  #integers(cells: unknown[], rows: number, at: number): void {
    const i32 = this.#i32
    for (let r = 0; r < rows; r++) cells[r] = i32[at + r]
  }

  /** `restored`: not as in JSON, where NaN and the infinities are strings. */
  #numbers(cells: unknown[], rows: number, at: number, restored: boolean): void {
    const f64 = this.#f64
    for (let r = 0; r < rows; r++) {
      const value = f64[at + r]
      cells[r] = restored || Number.isFinite(value) ? value : String(value)
    }
  }

  #dates(cells: unknown[], rows: number, nulls: number, at: number): void {
    const f64 = this.#f64
    const bytes = this.#bytes
    for (let r = 0; r < rows; r++) {
      if (nulls === 0 || ((bytes[nulls + (r >> 3)] >> (r & 7)) & 1) === 0) cells[r] = new Date(f64[at + r])
    }
  }

  #dateTexts(cells: unknown[], rows: number, nulls: number, at: number, nanos: number): void {
    const f64 = this.#f64
    const i32 = this.#i32
    const bytes = this.#bytes
    for (let r = 0; r < rows; r++) {
      if (nulls === 0 || ((bytes[nulls + (r >> 3)] >> (r & 7)) & 1) === 0) cells[r] = datetimeText(f64[at + r], i32[nanos + r])
    }
  }

  #bigints(cells: unknown[], rows: number, nulls: number, at: number, plain: boolean): void {
    const i64 = this.#i64
    const bytes = this.#bytes
    for (let r = 0; r < rows; r++) {
      if (nulls !== 0 && ((bytes[nulls + (r >> 3)] >> (r & 7)) & 1) === 1) continue
      const value = i64[at + r]
      cells[r] = plain ? value : String(value)
    }
  }

  /** `at` and `atBytes`: the ends in units and in bytes; `before…`: those of the cells before, but for the first `first` rows. */
  #texts(cells: unknown[], rows: number, at: number, atBytes: number, before: number, beforeBytes: number, first: number): void {
    const u32 = this.#u32
    const whole = this.#whole
    const fromBytes = this.#ascii ? before : beforeBytes
    const toBytes = this.#ascii ? at : atBytes
    for (let r = 0; r < rows; r++) {
      const from = r < first ? 0 : u32[fromBytes + r]
      const to = u32[toBytes + r]
      if (whole !== undefined && this.#byBytes && to - from <= longCell && (this.#ascii || to - from === u32[at + r] - (r < first ? 0 : u32[before + r]))) {
        cells[r] = whole.slice(from, to)
      } else {
        cells[r] = this.#cut(from, to, r < first ? 0 : u32[before + r], u32[at + r])
      }
    }
  }

  /** A cell of the text, by its place in bytes and in units. */
  #cut(from: number, to: number, fromUnit: number, toUnit: number): string {
    const length = to - from
    const whole = this.#whole
    if (length === 0) return ''
    if (whole !== undefined && length <= longCell) {
      if (!this.#byBytes) return whole.slice(fromUnit, toUnit)
      if (length === toUnit - fromUnit) return whole.slice(from, to)
    }
    const buffer = this.#buffer
    if (buffer !== undefined) return buffer.toString(length === toUnit - fromUnit ? 'latin1' : 'utf8', this.#text + from, this.#text + to)
    return utf8.decode(this.#bytes.subarray(this.#text + from, this.#text + to))
  }

  /** All cells are parsed at once: a call for each takes as long again. */
  #json(rows: number, at: number, atBytes: number, before: number, beforeBytes: number, first: number): unknown[] {
    const u32 = this.#u32
    const fromBytes = this.#ascii ? before : beforeBytes
    const toBytes = this.#ascii ? at : atBytes
    let text = ''
    for (let r = 0; r < rows; r++) {
      const from = r < first ? 0 : u32[fromBytes + r]
      const to = u32[toBytes + r]
      // Nulls and extras have no text.
      const cell = from === to ? 'null' : this.#cut(from, to, r < first ? 0 : u32[before + r], u32[at + r])
      text += r === 0 ? cell : `,${cell}`
    }
    return JSON.parse(`[${text}]`) as unknown[]
  }

  /** Flat lists of numbers, without the JSON parser, which takes three times as long. */
  #integerLists(cells: unknown[], rows: number, at: number, atBytes: number, before: number, beforeBytes: number, first: number): void {
    const u32 = this.#u32
    const bytes = this.#bytes
    const fromBytes = this.#ascii ? before : beforeBytes
    const toBytes = this.#ascii ? at : atBytes
    for (let r = 0; r < rows; r++) {
      const from = this.#text + (r < first ? 0 : u32[fromBytes + r])
      const to = this.#text + u32[toBytes + r]
      if (from === to) continue
      let count = 1
      let flat = bytes[from + 1] !== closing
      for (let i = from + 1; i < to - 1; i++) {
        const byte = bytes[i]
        if (byte === comma) count++
        else if (byte > nine) flat = false // null, or a list in it
      }
      if (!flat) {
        cells[r] = JSON.parse(this.#cut(from - this.#text, to - this.#text, r < first ? 0 : u32[before + r], u32[at + r]))
        continue
      }
      const list = new Array<number>(count)
      let value = 0
      let negative = false
      for (let i = from + 1, k = 0; i < to; i++) {
        const byte = bytes[i]
        if (byte === comma || byte === closing) {
          list[k++] = negative ? -value : value
          value = 0
          negative = false
        } else if (byte === minus) {
          negative = true
        } else {
          value = value * 10 + byte - zero
        }
      }
      cells[r] = list
    }
  }

  /** Lists of strings without escapes, likewise. */
  #stringLists(cells: unknown[], rows: number, at: number, atBytes: number, before: number, beforeBytes: number, first: number): void {
    const u32 = this.#u32
    const fromBytes = this.#ascii ? before : beforeBytes
    const toBytes = this.#ascii ? at : atBytes
    const elements: string[] = []
    for (let r = 0; r < rows; r++) {
      const from = r < first ? 0 : u32[fromBytes + r]
      const to = u32[toBytes + r]
      if (from === to) continue
      const text = this.#cut(from, to, r < first ? 0 : u32[before + r], u32[at + r])
      // ["a","b"]: where a string ends, another must begin, or the list ends.
      let count = 0
      let start = text.includes('\\') ? -1 : 1
      while (start !== -1 && start < text.length) {
        const end = text.charCodeAt(start) === quote ? text.indexOf('"', start + 1) : -1
        if (end !== -1) elements[count++] = text.slice(start + 1, end)
        start = end === -1 ? -1 : end + 2
      }
      cells[r] = start === -1 ? JSON.parse(text) : elements.slice(0, count)
    }
  }

  /** Bytes of their own: a view would change with the module's memory. */
  #octets(cells: unknown[], rows: number, nulls: number, base: number, at: number, before: number, first: number, decoder: Decoder | undefined): void {
    const u32 = this.#u32
    const bytes = this.#bytes
    const raw = decoder === bytesOfBase64
    for (let r = 0; r < rows; r++) {
      if (nulls !== 0 && ((bytes[nulls + (r >> 3)] >> (r & 7)) & 1) === 1) continue
      const from = base + (r < first ? 0 : u32[before + r])
      const to = base + u32[at + r]
      if (raw) cells[r] = bytes.slice(from, to)
      else if (decoder === bufferOfBase64) cells[r] = NodeBuffer!.from(bytes.slice(from, to).buffer)
      else cells[r] = this.#base64(from, to)
    }
  }

  #base64(from: number, to: number): string {
    if (this.#buffer !== undefined) return this.#buffer.toString('base64', from, to)
    let binary = ''
    for (let i = from; i < to; i++) binary += String.fromCharCode(this.#bytes[i])
    return btoa(binary)
  }

  #nulls(cells: unknown[], rows: number, nulls: number): void {
    const bytes = this.#bytes
    for (let r = 0; r < rows; r += 8) {
      const bits = bytes[nulls + (r >> 3)]
      if (bits === 0) continue
      for (let bit = 0; bit < 8; bit++) if (((bits >> bit) & 1) === 1 && r + bit < rows) cells[r + bit] = null
    }
  }

  /** Cells of the column that have no place in it: they come as JSON. */
  #extras(cells: unknown[], table: number, c: number, decoder: Decoder | undefined): void {
    const u32 = this.#u32
    const count = u32[table + tableExtraCount]
    const text = u32[table + tableExtraText]
    for (let i = 0, extra = u32[table + tableExtras] >> 2; i < count; i++, extra += 4) {
      if (u32[extra + 1] !== c) continue
      const cell: unknown = JSON.parse(utf8.decode(this.#bytes.subarray(text + u32[extra + 2], text + u32[extra + 3])))
      cells[u32[extra]] = decoder === undefined || cell === null ? cell : decoder(cell)
    }
  }
}

/** The module's text for an instant: milliseconds since 1970, and nanoseconds above them. */
export function datetimeText(millis: number, nanos: number): string {
  const iso = new Date(millis).toISOString()
  const point = iso.length - 5 // before .sssZ
  let fraction = iso.slice(point, -1)
  if (nanos !== 0) fraction += nanos % 1000 === 0 ? String(nanos / 1000).padStart(3, '0') : String(nanos).padStart(6, '0')
  else if (fraction === '.000') fraction = ''
  return `${iso.slice(0, point)}${fraction}+00:00`
}

/** A result, as far as typed rows need it. */
export interface TypedSource {
  readonly engine: Engine
  readonly source: Source
  /** The rows that decided the types together with these, if they are not all. */
  readonly context: Source | undefined
  readonly columns: readonly string[]
  readonly types: readonly TypeName[]
  readonly rowCount: number
  /** The rows of the document, parsed; with `jsonText`, json cells as their source text. */
  parsed(jsonText: boolean): unknown[][]
}

/** Makes a result's rows as arrays. */
export function typedArrays(result: TypedSource, options: RowOptions | undefined): unknown[][] {
  const ready = result.source.messages?.takeRows?.(options === undefined ? 'arrays' : undefined)
  return (ready ?? typedRows(result, options, new ArrayMaker(result.columns.length))) as unknown[][]
}

/** Makes a result's rows as objects. */
export function typedObjects(result: TypedSource, options: RowOptions | undefined): Record<string, unknown>[] {
  const ready = result.source.messages?.takeRows?.(options === undefined ? 'rows' : undefined)
  return (ready ?? typedRows(result, options, new ObjectMaker(result.columns, result.rowCount))) as Record<string, unknown>[]
}

function typedRows(result: TypedSource, options: RowOptions | undefined, maker: RowMaker): unknown[] {
  const decoder = rowDecoder(result.columns, result.types, options)
  const { source } = result
  if (source.messages !== undefined) {
    batched(result.engine, source, false, decoder, maker)
  } else if (source instanceof PlainSource) {
    fromPlain(result, source, decoder, maker)
  } else if (source.rows.every((row) => Array.isArray(row))) {
    fromResultSet(result, decoder, maker)
  } else {
    // Other iterables may give their cells only once.
    const rows = result.parsed(decoder.jsonText)
    decoder.decode(rows)
    const values = result.columns.map((_, c) => rows.map((row) => row[c]))
    maker.append(values, rows.length)
  }
  return maker.rows
}

/** Sends a source through the module. `scan`: it has to be read once before to find the labels. */
function batched(engine: Engine, source: Source, scan: boolean, decoder: RowDecoder, maker: RowMaker): void {
  const slot = engine.acquire()
  try {
    const { instance } = slot
    const flags = decoder.jsonText ? flagJSONText : 0
    if (scan) {
      push(instance, source, flagScan)
      instance.end()
    }
    instance.sink = new BatchReader(decoder.decoders, maker)
    push(instance, source, scan ? flags | flagSettled : flags)
    if (instance.end()) throw new TypeError('the rows have changed since they were serialized')
  } finally {
    engine.release(slot)
  }
}

function push(instance: Instance, source: Source, flags: number): void {
  if (source.messages === undefined) {
    instance.begin(shapeBatch, flags, source.names, source.types)
    if (source.write !== undefined) source.write(instance.writer)
    else instance.writer.rows(source.rows, 0, source.rows.length)
  } else {
    source.messages.push(instance, shapeBatch, flags)
  }
}

/** How many rows of a result set are read at a time: their cells should stay in the processor's cache. */
const chunk = 256

/**
 * Takes values out of a result set's rows. A column with a cell that is beyond {@link directColumn} is made by the
 * module, all of it.
 */
function fromResultSet(result: TypedSource, decoder: RowDecoder, maker: RowMaker): void {
  const { engine, types, source } = result
  const { decoders, jsonText } = decoder
  const rows = source.rows as Rows
  const values = types.map((): unknown[] => [])
  const columns = types.map((type, c) => {
    const column = directColumn(type, decoders[c], jsonText, engine.dialect)
    // Decoders may be the caller's, who should not see a cell twice: whether the column can be read is found out before.
    return column !== undefined && (column.over || readable(column, rows, c, values[c])) ? column : undefined
  })
  const made: (readonly unknown[])[] = []
  for (let from = 0; from < rows.length; from += chunk) {
    const to = Math.min(from + chunk, rows.length)
    const missing: number[] = []
    for (let c = 0; c < types.length; c++) {
      const column = columns[c]
      if (column === undefined || !column.read(rows, c, from, to, values[c], 0)) {
        columns[c] = undefined
        if (made[c] === undefined) missing.push(c)
      } else if (!column.over) {
        decodeCells(values[c], to - from, decoders[c]!)
      }
    }
    if (missing.length > 0) makeColumns(result, decoder, missing, made)
    for (let c = 0; c < types.length; c++) if (columns[c] === undefined) values[c] = made[c].slice(from, to)
    maker.append(values, to - from)
  }
}

/** The same for cells that are columns already. */
function fromPlain(result: TypedSource, source: PlainSource, decoder: RowDecoder, maker: RowMaker): void {
  const { types, engine } = result
  const { decoders, jsonText } = decoder
  const columns: (readonly unknown[])[] = []
  const missing: number[] = []
  for (let c = 0; c < types.length; c++) {
    const column = plainColumn(source, c, types[c], decoders[c], jsonText, engine.dialect)
    if (column === undefined) missing.push(c)
    else columns[c] = column
  }
  if (missing.length > 0) makeColumns(result, decoder, missing, columns)
  const { rowCount } = source
  if (rowCount <= chunk) maker.append(columns, rowCount)
  else for (let from = 0; from < rowCount; from += chunk) maker.append(columns.map((cells) => cells.slice(from, from + chunk)), Math.min(chunk, rowCount - from))
}

/** The values of a column; undefined if the module has to make them. */
function plainColumn(source: PlainSource, c: number, type: TypeName, decoder: Decoder | undefined, jsonText: boolean, dialect: Dialect): readonly unknown[] | undefined {
  const cells = source.columns[c]
  if (isTyped(type, decoder, dialect)) return cells
  const made = source.made[c]
  if (made !== undefined && (type === 'json' ? decoder === undefined && !jsonText : decoder === dateOfDatetime || decoder === dateOfText)) {
    source.made[c] = undefined // they are the caller's
    return made
  }
  const direct = directColumn(type, decoder, jsonText, dialect)
  if (direct === undefined) return undefined
  const values = new Array<unknown>(cells.length)
  for (let r = 0; r < cells.length; r++) {
    const cell = cells[r]
    const value = cell === null ? null : direct.cellOf(cell)
    if (value === beyond) return undefined
    values[r] = value
  }
  if (!direct.over) decodeCells(values, values.length, decoder!)
  return values
}

function readable(column: DirectColumn, rows: Rows, c: number, cells: unknown[]): boolean {
  for (let from = 0; from < rows.length; from += chunk) {
    if (!column.read(rows, c, from, Math.min(from + chunk, rows.length), cells, 0)) return false
  }
  return true
}

function decodeCells(cells: unknown[], count: number, decoder: Decoder): void {
  for (let r = 0; r < count; r++) {
    const cell = cells[r]
    if (cell !== null) cells[r] = decoder(cell)
  }
}

/** Lets the module make the values of some columns of a result set. */
function makeColumns(result: TypedSource, decoder: RowDecoder, columns: readonly number[], made: (readonly unknown[])[]): void {
  const { engine, source, context, types } = result
  const declared = columns.every((c) => labelName(source.types[c]) === types[c] && source.types[c] !== unknownNumber)
  if (context !== undefined && !declared) {
    // The types come from rows that are not all here; the document knows them.
    const rows = result.parsed(decoder.jsonText)
    for (const c of columns) {
      const cells = rows.map((row) => row[c])
      const one = decoder.decoders[c]
      if (one !== undefined) decodeCells(cells, cells.length, one)
      made[c] = cells
    }
    return
  }
  const part: Source = {
    names: columns.map((c) => source.names[c]),
    types: columns.map((c) => source.types[c]),
    rows: (source.rows as Rows).map((row) => columns.map((c) => row[c])),
  }
  const maker = new ColumnMaker(columns.length)
  batched(engine, part, !declared, { ...decoder, decoders: columns.map((c) => decoder.decoders[c]) }, maker)
  columns.forEach((c, i) => (made[c] = maker.columns[i]))
}

/** Joins the columns of batches. */
class ColumnMaker implements RowMaker {
  readonly rows: unknown[] = []
  readonly columns: unknown[][] = []

  constructor(width: number) {
    for (let c = 0; c < width; c++) this.columns.push([])
  }

  append(values: readonly (readonly unknown[])[], count: number): void {
    for (let c = 0; c < values.length; c++) {
      const column = this.columns[c]
      const cells = values[c]
      for (let r = 0; r < count; r++) column.push(cells[r])
    }
  }
}
