// Result-set frames (wasm/ABI.md, "Result-set frames"), written straight into the module's memory.
//
// Why it looks the way it does, measured on Node 20: a call that encodes one string costs more than the
// encoding, so strings of moderate length are concatenated (a rope, nearly free) and encoded by one call for
// hundreds of cells. Long strings are encoded one by one, since flattening them would copy them once more.

import { RowjetError } from './errors.js'
import { byteLength, isWellFormed, textEncoder, writeWtf8, type BufferLike } from './text.js'

/** Where blocks go: an instance of a module, or a test's stand-in. */
export interface BlockPort {
  /** The memory that `input` gives addresses in. Changes when `input` or `push` are called. */
  bytes: Uint8Array
  /** The same bytes as a Buffer, where the runtime has Buffers. */
  buffer: BufferLike | undefined
  /** The same bytes. */
  view: DataView
  /** Gives the address of room for `size` bytes. */
  input(size: number): number
  /** Hands over the first `size` bytes of the room. Throws what the module has against them. */
  push(size: number): void
}

// Tags (ABI.md, "Rows block").
const tagNull = 0
const tagFalse = 1
const tagTrue = 2
const tagInt32 = 3
const tagFloat64 = 4
const tagInt64 = 5
const tagDigits = 6
const tagString = 7
const tagBytes = 8
const tagList = 9
const tagObject = 10
const tagInstant = 11
const tagRowLength = 13
const tagUnsupported = 14
const tagRowNotArray = 15
const tagShort = 64

/**
 * Strings of up to this many UTF-16 units go to the short text: all that the tag has room for. But where
 * most characters are beyond Latin-1, concatenation works with 16-bit copies and loses its advantage earlier.
 */
const shortLimit = 191
const wideShortLimit = 40
/** A block's tag area, in bytes. */
const tagRoom = 32 * 1024
/** The longest tag with its operand, in bytes: an instant. */
const tagMax = 13
/** A block's short text, in UTF-16 units; each takes up to three bytes. */
const shortRoom = 32 * 1024
/** A block's long data, in bytes. */
const longRoom = 128 * 1024
/** Kind and length, and the table of areas. */
const blockHead = 40
const blockRoom = blockHead + tagRoom + 3 * shortRoom + longRoom
/** Up to this many units a loop beats a call to the encoder. */
const loopLimit = 48
/** A nested value's texts go to the long data beyond this many units of short text, lest that exceed what one string can hold. */
const nestedShortRoom = 1 << 24

/**
 * Writes one result's frames. Values are read once, in order, and getters, iterators and `toJSON` methods of
 * the input run while it works; what they throw comes through.
 *
 * A writer belongs to one port and can be used for one result after the other.
 */
export class FrameWriter {
  readonly #port: BlockPort
  #columns = 0

  // The block being filled. Addresses are the port's.
  #open = false
  #start = 0 // of the room that input gave
  #block = 0 // of the block: behind the columns block if that is in the same room
  #tag = 0 // where the next tag goes
  #tagEnd = 0 // past this, a tag might not fit
  #long = 0 // where the next long data goes
  #longStart = 0
  #longEnd = 0
  #text = '' // the short text so far
  #units = 0 // its length
  #cells = 0

  #shortLimit = shortLimit

  readonly #one: unknown[] = [undefined]
  readonly #nested = new NestedWriter()

  constructor(port: BlockPort) {
    this.#port = port
  }

  /** Starts a result: writes its columns block. Codes that are no u32 are handed over as one that no type has. */
  columns(names: readonly string[], types: readonly number[]): void {
    let size = 16 + 4 * types.length
    for (let i = 0; i < names.length; i++) size += 4 + 3 * names[i].length
    const port = this.#port
    const start = port.input(size + blockRoom)
    const { view, bytes } = port
    view.setUint32(start, 1, true)
    view.setUint32(start + 8, names.length, true)
    view.setUint32(start + 12, types.length, true)
    let at = start + 16
    for (let i = 0; i < types.length; i++) {
      const code = types[i]
      view.setUint32(at, code >>> 0 === code ? code : 0xffffffff, true)
      at += 4
    }
    for (let i = 0; i < names.length; i++) {
      const end = writeWtf8(names[i], bytes, at + 4)
      view.setUint32(at, end - at - 4, true)
      at = end
    }
    view.setUint32(start + 4, at - start - 8, true)
    this.#columns = names.length
    this.#layOut(start, at, tagRoom, longRoom)
  }

  /** Writes one row. */
  row(row: unknown): void {
    this.#one[0] = row
    this.rows(this.#one, 0, 1)
    this.#one[0] = undefined
  }

  /** Writes the rows from index `from` up to and without `to`. */
  rows(rows: readonly unknown[], from: number, to: number): void {
    if (!this.#open) this.#openBlock()
    // A row without columns counts as one cell, null.
    const columns = this.#columns
    const width = columns === 0 ? 1 : columns
    // The fields that the loop changes, as locals; #save and the reads after each slow call keep both in step.
    let bytes = this.#port.bytes
    let view = this.#port.view
    let tag = this.#tag
    let tagEnd = this.#tagEnd
    let text = this.#text
    let units = this.#units
    let cells = this.#cells
    let limit = this.#shortLimit
    for (let r = from; r < to; r++) {
      let row = rows[r] as readonly unknown[]
      if (!Array.isArray(row) || row.length !== columns) {
        this.#save(tag, text, units, cells)
        row = this.#unusualRow(row)
        bytes = this.#port.bytes
        view = this.#port.view
        tag = this.#tag
        tagEnd = this.#tagEnd
        text = this.#text
        units = this.#units
        cells = this.#cells
      }
      for (let c = 0; c < width; c++) {
        const value = row[c]
        if (tag > tagEnd) {
          this.#save(tag, text, units, cells)
          this.#next()
          bytes = this.#port.bytes
          view = this.#port.view
          tag = this.#tag
          tagEnd = this.#tagEnd
          text = ''
          units = 0
          cells = 0
          limit = this.#shortLimit
        }
        if (typeof value === 'string') {
          const length = value.length
          if (length <= limit && units + length <= shortRoom) {
            bytes[tag++] = tagShort + length
            text += value
            units += length
            cells++
            continue
          }
        } else if (typeof value === 'number') {
          if ((value | 0) === value && (value !== 0 || 1 / value > 0)) {
            bytes[tag] = tagInt32
            view.setInt32(tag + 1, value, true)
            tag += 5
          } else {
            bytes[tag] = tagFloat64
            view.setFloat64(tag + 1, value, true)
            tag += 9
          }
          cells++
          continue
        } else if (value === null || value === undefined) {
          bytes[tag++] = tagNull
          cells++
          continue
        } else if (typeof value === 'bigint') {
          if (BigInt.asIntN(64, value) === value) {
            bytes[tag] = tagInt64
            view.setBigInt64(tag + 1, value, true)
            tag += 9
            cells++
            continue
          }
        } else if (typeof value === 'boolean') {
          bytes[tag++] = value ? tagTrue : tagFalse
          cells++
          continue
        }
        this.#save(tag, text, units, cells)
        this.#slowCell(value)
        bytes = this.#port.bytes
        view = this.#port.view
        tag = this.#tag
        tagEnd = this.#tagEnd
        text = this.#text
        units = this.#units
        cells = this.#cells
        limit = this.#shortLimit
      }
    }
    this.#save(tag, text, units, cells)
  }

  /** Pushes what is pending. To be called at the end, and when output is wanted. */
  flush(): void {
    if (!this.#open) return
    const port = this.#port
    this.#open = false
    let end = this.#block
    if (this.#cells > 0) {
      const { view } = port
      const block = this.#block
      const table = block + 8
      // The short text follows the tags, whatever their number: the room between them and the long data is enough for both.
      const tags = block + blockHead
      const short = this.#tag
      const shortEnd = this.#putShort(short)
      // Long data that there is none of begins where the block ends, lest its place lie outside.
      const long = this.#long > this.#longStart ? this.#longStart : shortEnd
      end = long === shortEnd ? shortEnd : this.#long
      view.setUint32(block, 2, true)
      view.setUint32(block + 4, end - table, true)
      view.setUint32(table, this.#cells, true)
      view.setUint32(table + 4, tags - table, true)
      view.setUint32(table + 8, short - tags, true)
      view.setUint32(table + 12, short - table, true)
      view.setUint32(table + 16, shortEnd - short, true)
      view.setUint32(table + 20, long - table, true)
      view.setUint32(table + 24, end - long, true)
      view.setUint32(table + 28, shortEnd - short === this.#units ? 1 : 0, true)
    }
    this.#text = ''
    if (end > this.#start) port.push(end - this.#start)
  }

  #save(tag: number, text: string, units: number, cells: number): void {
    this.#tag = tag
    this.#text = text
    this.#units = units
    this.#cells = cells
  }

  /** Pushes the block and opens the next. */
  #next(): void {
    this.flush()
    this.#openBlock()
  }

  #openBlock(): void {
    const start = this.#port.input(blockRoom)
    this.#layOut(start, start, tagRoom, longRoom)
  }

  /** Lays out an empty block at `block`, in the room that begins at `start`: tags, then short text, then long data. */
  #layOut(start: number, block: number, tags: number, long: number): void {
    this.#open = true
    this.#start = start
    this.#block = block
    this.#tag = block + blockHead
    this.#tagEnd = this.#tag + tags - tagMax
    this.#longStart = this.#tag + tags + 3 * shortRoom
    this.#long = this.#longStart
    this.#longEnd = this.#longStart + long
    this.#text = ''
    this.#units = 0
    this.#cells = 0
  }

  /** Encodes the short text at `at` and returns its end. */
  #putShort(at: number): number {
    const text = this.#text
    const units = this.#units
    if (units <= loopLimit) return writeWtf8(text, this.#port.bytes, at)
    const end = this.#encode(text, at, at + 3 * units)
    if (isWide(end - at, units)) this.#shortLimit = wideShortLimit
    else if (this.#long === this.#longStart) this.#shortLimit = shortLimit
    return end
  }

  /** Encodes a text at `at`, where there is room for it up to `limit`, and returns the end. */
  #encode(text: string, at: number, limit: number): number {
    const { bytes, buffer } = this.#port
    const room = limit - at
    const size =
      buffer === undefined ? textEncoder.encodeInto(text, bytes.subarray(at, limit)).written
      : buffer.utf8Write !== undefined ? buffer.utf8Write(text, at, room)
      : buffer.write(text, at, room)
    const end = at + size
    // As many bytes as units means ASCII. Surrogates that have come together from neighbouring cells of the
    // short text look like a pair here; the module tells them apart by the cells' lengths.
    return end - at === text.length || isWellFormed(text) ? end : writeWtf8(text, bytes, at)
  }

  /** Returns the cells of a row that is no array of the right length, or hands over why it can't be one and throws the module's error. */
  #unusualRow(row: unknown): readonly unknown[] {
    let cells: readonly unknown[]
    if (Array.isArray(row)) {
      cells = row
    } else if (typeof row === 'object' && row !== null && typeof (row as Iterable<unknown>)[Symbol.iterator] === 'function') {
      cells = Array.from(row as Iterable<unknown>)
      if (cells.length === this.#columns) return cells
    } else {
      this.#textCell(tagRowNotArray, describe(row))
      this.flush()
      throw new TypeError('a row is not an array') // only a module that breaks the ABI lets it come to this
    }
    this.#next()
    this.#port.bytes[this.#tag] = tagRowLength
    this.#port.view.setUint32(this.#tag + 1, cells.length, true)
    this.#tag += 5
    this.#cells++
    this.flush()
    throw new TypeError('a row has a wrong length') // likewise
  }

  /** Writes any cell that the loop in `rows` does not. */
  #slowCell(value: unknown): void {
    if (typeof value === 'string') {
      const length = value.length
      if (length > this.#shortLimit) {
        this.#textCell(tagString, value)
        return
      }
      this.#next()
      this.#port.bytes[this.#tag++] = tagShort + length
      this.#text = value
      this.#units = length
      this.#cells = 1
      return
    }
    if (ArrayBuffer.isView(value)) {
      const bytes = bytesOf(value)
      if (bytes === undefined) this.#textCell(tagUnsupported, detached)
      else this.#bytesCell(bytes)
      return
    }
    this.#nestedCell(value)
  }

  /** Writes a cell whose operand is a length and whose text is in the long data. */
  #textCell(kind: number, text: string): void {
    let room = 3 * text.length
    if (this.#long + room > this.#longEnd) {
      if (room <= longRoom) {
        this.#next()
      } else {
        // A huge one gets a block of exactly its size.
        room = byteLength(text)
        this.#roomFor(tagMax, 0, room)
      }
    }
    const end = this.#encode(text, this.#long, this.#long + room)
    this.#shortLimit = isWide(end - this.#long, text.length) ? wideShortLimit : shortLimit
    this.#operand(kind, end - this.#long)
    this.#long = end
  }

  #bytesCell(bytes: Uint8Array): void {
    const length = bytes.length
    if (this.#long + length > this.#longEnd) this.#roomFor(tagMax, 0, length)
    this.#port.bytes.set(bytes, this.#long)
    this.#operand(tagBytes, length)
    this.#long += length
  }

  #operand(kind: number, length: number): void {
    this.#port.bytes[this.#tag] = kind
    this.#port.view.setUint32(this.#tag + 1, length, true)
    this.#tag += 5
    this.#cells++
  }

  /** Pushes the block and opens one that has room for a cell with so many bytes of tags, units of short text and bytes of long data. */
  #roomFor(tags: number, units: number, long: number): void {
    this.flush()
    if (tags <= tagRoom - tagMax && units <= shortRoom && long <= longRoom) {
      this.#openBlock()
      return
    }
    const tagsAndShort = tags + tagMax + 3 * Math.max(0, units - shortRoom)
    const start = this.#port.input(blockHead + tagsAndShort + 3 * shortRoom + long)
    this.#layOut(start, start, tagsAndShort, long)
  }

  /** Writes a cell by way of the nested writer's buffers: only when it is complete is it known whether it fits this block. */
  #nestedCell(value: unknown): void {
    const nested = this.#nested
    nested.write(value)
    if (this.#tag + nested.tag > this.#tagEnd || this.#units + nested.units > shortRoom || this.#long + nested.long > this.#longEnd) {
      this.#roomFor(nested.tag, nested.units, nested.long)
    }
    const { bytes } = this.#port
    if (nested.tag <= 32) {
      for (let i = 0; i < nested.tag; i++) bytes[this.#tag + i] = nested.tags[i]
    } else {
      bytes.set(nested.tags.subarray(0, nested.tag), this.#tag)
    }
    if (nested.long > 0) bytes.set(nested.longs.subarray(0, nested.long), this.#long)
    this.#tag += nested.tag
    this.#long += nested.long
    this.#text += nested.text
    this.#units += nested.units
    this.#cells++
    nested.release()
  }
}

/** Tells whether most characters of a text are beyond Latin-1, roughly, by its length in bytes and in units. */
function isWide(bytes: number, units: number): boolean {
  return bytes > units + (units >> 1)
}

const detached = 'a detached ArrayBuffer'

/** The bytes that a view is on, or a buffer holds, not copied; undefined if the buffer is detached. */
function bytesOf(value: ArrayBufferView | ArrayBufferLike): Uint8Array | undefined {
  try {
    return ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : new Uint8Array(value)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** A list or an object that is being written: `keys` is undefined for a list. */
interface Container {
  source: object
  /** The object whose toJSON gave the source. */
  owner: object | undefined
  values: readonly unknown[] | Record<string, unknown>
  keys: readonly string[] | undefined
  count: number
  next: number
}

/** How deep a search for cycles is linear; beyond it, a Set is kept. */
const shallow = 16

/** No data is nested this deep, but values that make their members when asked can be. */
const deepest = 2 ** 22

/**
 * Writes one value of any kind into buffers of its own. It keeps the path of containers on a stack of its own,
 * so that depth is bounded by memory only.
 */
class NestedWriter {
  tags: Uint8Array = new Uint8Array(256)
  tag = 0
  text = ''
  units = 0
  longs: Uint8Array = new Uint8Array(256)
  long = 0

  #view = new DataView(this.tags.buffer)
  readonly #path: Container[] = []
  #onPath: Set<object> | undefined

  /** Drops a value's memory if it was large. */
  release(): void {
    this.text = ''
    if (this.tags.length > 1 << 20) {
      this.tags = new Uint8Array(256)
      this.#view = new DataView(this.tags.buffer)
    }
    if (this.longs.length > 1 << 20) this.longs = new Uint8Array(256)
  }

  write(value: unknown): void {
    this.tag = 0
    this.text = ''
    this.units = 0
    this.long = 0
    const path = this.#path
    path.length = 0 // a value whose getter threw may have left some
    this.#onPath = undefined
    this.#value(value, '')
    this.#members()
  }

  /** Writes what the containers on the path hold. */
  #members(): void {
    const path = this.#path
    for (;;) {
      const top = path[path.length - 1]
      if (top === undefined) return
      if (top.next === top.count) {
        path.pop()
        this.#onPath?.delete(top.source)
        if (top.owner !== undefined) this.#onPath?.delete(top.owner)
        continue
      }
      const i = top.next++
      if (top.keys === undefined) {
        this.#value((top.values as readonly unknown[])[i], i)
      } else {
        const key = top.keys[i]
        this.#string(key)
        this.#value(Array.isArray(top.values) ? top.values[i] : (top.values as Record<string, unknown>)[key], key)
      }
    }
  }

  /** Writes a value, or the head of one that has others in it and puts it on the path. `key` is what it is called in its container. */
  #value(value: unknown, key: string | number): void {
    switch (typeof value) {
      case 'string':
        this.#string(value)
        return
      case 'number':
        if ((value | 0) === value && (value !== 0 || 1 / value > 0)) {
          this.#room(5)
          this.tags[this.tag] = tagInt32
          this.#view.setInt32(this.tag + 1, value, true)
          this.tag += 5
        } else {
          this.#room(9)
          this.tags[this.tag] = tagFloat64
          this.#view.setFloat64(this.tag + 1, value, true)
          this.tag += 9
        }
        return
      case 'boolean':
        this.#room(1)
        this.tags[this.tag++] = value ? tagTrue : tagFalse
        return
      case 'undefined':
        this.#room(1)
        this.tags[this.tag++] = tagNull
        return
      case 'bigint':
        if (BigInt.asIntN(64, value) === value) {
          this.#room(9)
          this.tags[this.tag] = tagInt64
          this.#view.setBigInt64(this.tag + 1, value, true)
          this.tag += 9
        } else {
          this.#longText(tagDigits, value.toString())
        }
        return
      case 'object':
        if (value === null) {
          this.#room(1)
          this.tags[this.tag++] = tagNull
        } else {
          this.#object(value, key, undefined)
        }
        return
      default:
        this.#longText(tagUnsupported, describe(value))
    }
  }

  #bytesOrMark(bytes: Uint8Array | undefined): void {
    if (bytes === undefined) this.#longText(tagUnsupported, detached)
    else this.#bytes(bytes)
  }

  /** `owner`: the object whose toJSON gave the value, which is then not asked for a toJSON of its own. */
  #object(value: object, key: string | number, owner: object | undefined): void {
    if (Array.isArray(value)) {
      this.#enter(value, value, undefined, value.length, owner)
      return
    }
    if (ArrayBuffer.isView(value)) {
      this.#bytesOrMark(bytesOf(value))
      return
    }
    // Brands are read by the built-in methods themselves, which know values of other realms too and can't be
    // fooled; the tag only says which to try.
    const kind = Object.prototype.toString.call(value)
    switch (kind) {
      case '[object Date]': {
        const time = brand(dateTime, value)
        if (time === undefined) break
        if (Number.isNaN(time)) {
          this.#longText(tagUnsupported, 'invalid Date')
          return
        }
        const seconds = Math.floor(time / 1000)
        this.#room(13)
        this.tags[this.tag] = tagInstant
        this.#view.setBigInt64(this.tag + 1, BigInt(seconds), true)
        this.#view.setUint32(this.tag + 9, (time - seconds * 1000) * 1_000_000, true)
        this.tag += 13
        return
      }
      case '[object ArrayBuffer]':
      case '[object SharedArrayBuffer]': {
        const length = brand(kind === '[object ArrayBuffer]' ? bufferLength : sharedLength, value)
        if (length === undefined) break
        this.#bytesOrMark(bytesOf(value as ArrayBufferLike))
        return
      }
      case '[object Map]': {
        const entries = brand(mapEntries, value)
        if (entries === undefined) break
        const keys: string[] = []
        const values: unknown[] = []
        for (const [name, member] of entries) {
          if (typeof name === 'object' || typeof name === 'symbol' || typeof name === 'function') {
            this.#longText(tagUnsupported, `a Map with ${describe(name)} as a key`)
            return
          }
          keys.push(String(name))
          values.push(member)
        }
        this.#enter(value, values, keys, keys.length, owner)
        return
      }
      case '[object Set]': {
        const members = brand(setValues, value)
        if (members === undefined) break
        const values = Array.from(members)
        this.#enter(value, values, undefined, values.length, owner)
        return
      }
      case '[object String]':
      case '[object Number]':
      case '[object Boolean]':
      case '[object BigInt]': {
        const primitive = brand(primitiveValues[kind], value)
        if (primitive === undefined) break
        this.#value(primitive, key)
        return
      }
      case '[object Error]':
      case '[object RegExp]':
      case '[object Promise]':
      case '[object Symbol]':
      case '[object WeakMap]':
      case '[object WeakSet]':
      case '[object WeakRef]':
        // As objects these would be {}: the value would be lost in silence.
        if (Object.keys(value).length > 0) break
        this.#longText(tagUnsupported, describe(value))
        return
    }
    const toJSON = owner === undefined ? (value as { toJSON?: unknown }).toJSON : undefined
    if (typeof toJSON === 'function') {
      // Its own cycle, through objects that are new each time, would never end.
      if (this.#contains(value)) {
        this.#longText(tagUnsupported, 'cyclic value')
        return
      }
      const plain: unknown = toJSON.call(value, String(key))
      if (typeof plain === 'object' && plain !== null) this.#object(plain, key, value)
      else this.#value(plain, key)
      return
    }
    const keys = Object.keys(value)
    this.#enter(value, value as Record<string, unknown>, keys, keys.length, owner)
  }

  /** Writes the head of a container and puts it on the path, unless it is there already. */
  #enter(source: object, values: Container['values'], keys: readonly string[] | undefined, count: number, owner: object | undefined): void {
    const path = this.#path
    if (this.#contains(source) || path.length === deepest) {
      this.#longText(tagUnsupported, path.length === deepest ? 'a value nested without end' : 'cyclic value')
      return
    }
    this.#room(5)
    this.tags[this.tag] = keys === undefined ? tagList : tagObject
    this.#view.setUint32(this.tag + 1, count, true)
    this.tag += 5
    if (count === 0) return
    path.push({ source, owner, values, keys, count, next: 0 })
    const onPath = this.#onPath
    if (onPath === undefined) return
    onPath.add(source)
    if (owner !== undefined) onPath.add(owner)
  }

  #contains(source: object): boolean {
    const path = this.#path
    if (path.length > shallow) {
      this.#onPath ??= new Set(path.flatMap(({ source, owner }) => (owner === undefined ? [source] : [source, owner])))
      return this.#onPath.has(source)
    }
    for (let i = 0; i < path.length; i++) if (path[i].source === source || path[i].owner === source) return true
    return false
  }

  #string(text: string): void {
    const length = text.length
    if (length <= shortLimit && this.units < nestedShortRoom) {
      this.#room(1)
      this.tags[this.tag++] = tagShort + length
      this.text += text
      this.units += length
    } else {
      this.#longText(tagString, text)
    }
  }

  #longText(kind: number, text: string): void {
    const room = text.length < 1024 ? 3 * text.length : byteLength(text)
    this.#longSpace(room)
    let end = this.long + textEncoder.encodeInto(text, this.longs.subarray(this.long)).written
    if (end - this.long !== text.length && !isWellFormed(text)) end = writeWtf8(text, this.longs, this.long)
    this.#longOperand(kind, end)
  }

  #bytes(bytes: Uint8Array): void {
    this.#longSpace(bytes.length)
    this.longs.set(bytes, this.long)
    this.#longOperand(tagBytes, this.long + bytes.length)
  }

  #longOperand(kind: number, end: number): void {
    this.#room(5)
    this.tags[this.tag] = kind
    this.#view.setUint32(this.tag + 1, end - this.long, true)
    this.tag += 5
    this.long = end
  }

  /** Makes room for so many bytes more of tags. */
  #room(more: number): void {
    if (this.tag + more <= this.tags.length) return
    this.tags = grown(this.tags, this.tag + more)
    this.#view = new DataView(this.tags.buffer)
  }

  #longSpace(more: number): void {
    if (this.long + more > this.longs.length) this.longs = grown(this.longs, this.long + more)
  }
}

function grown(bytes: Uint8Array, size: number): Uint8Array {
  let larger: Uint8Array
  try {
    larger = new Uint8Array(Math.max(size, 2 * bytes.length))
  } catch (cause) {
    throw new RowjetError('MEMORY_LIMIT', `one cell takes more than ${bytes.length.toLocaleString('en')} bytes: fetch fewer bytes per cell`, { cause })
  }
  larger.set(bytes)
  return larger
}

const dateTime = Date.prototype.getTime as (this: object) => number
const mapEntries = Map.prototype.entries as (this: object) => IterableIterator<[unknown, unknown]>
const setValues = Set.prototype.values as (this: object) => IterableIterator<unknown>
const bufferLength = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength')!.get as (this: object) => number
const sharedLength = (
  typeof SharedArrayBuffer === 'undefined' ? bufferLength : Object.getOwnPropertyDescriptor(SharedArrayBuffer.prototype, 'byteLength')!.get
) as (this: object) => number
const primitiveValues = {
  '[object String]': String.prototype.valueOf as (this: object) => unknown,
  '[object Number]': Number.prototype.valueOf as (this: object) => unknown,
  '[object Boolean]': Boolean.prototype.valueOf as (this: object) => unknown,
  '[object BigInt]': BigInt.prototype.valueOf as (this: object) => unknown,
}

/** Calls a built-in method, or returns undefined if the value is not of the kind that it is for. */
function brand<T>(method: (this: object) => T, value: object): T | undefined {
  try {
    return method.call(value)
  } catch {
    return undefined
  }
}

/** A short text that tells what a value is, for errors. */
export function describe(value: unknown): string {
  switch (typeof value) {
    case 'function': {
      const name: unknown = Object.getOwnPropertyDescriptor(value, 'name')?.value
      return typeof name === 'string' && name !== '' ? cut(`function ${name}`) : 'function'
    }
    case 'symbol':
      return cut(String(value))
    case 'string':
      return cut(`string ${JSON.stringify(value.slice(0, 100))}`)
    case 'object':
      return value === null ? 'null' : Object.prototype.toString.call(value).slice(8, -1)
    case 'bigint':
      return 'bigint'
    case 'undefined':
      return 'undefined'
    default:
      return `${typeof value} ${String(value)}`
  }
}

function cut(text: string): string {
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}
