// The messages that a PostgreSQL server sends (PostgreSQL manual, 55.7 "Message Formats"): each a byte that tells its
// type, then an i32 length that counts itself and what follows. This file cuts the stream of them, so that rows can go
// to the module as they came, and all else to the driver.

import { RowjetError } from './errors.js'

/** Takes the DataRow messages of a query. */
export interface RowSink {
  /** How many rows may be complete within one call of `rows`. */
  readonly room: number
  /**
   * Takes bytes of DataRow messages: those of `chunk` from `start` to `end`, in order and without a gap, split wherever
   * the socket split them. `completed` messages end in them; at most the last one is incomplete. What is in the chunk
   * between these borders is not written to again, so it may be kept.
   */
  rows(chunk: Uint8Array, start: number, end: number, completed: number): void
}

/** What a {@link Splitter} works for: the connection of a driver. */
export interface SplitterHost {
  /** Takes bytes that are for the driver, in order. */
  pass(bytes: Uint8Array): void
  /** A RowDescription is passed on next. The message is whole, and a copy, which must not be changed. */
  description(message: Uint8Array): void
  /** The server reports a setting (ParameterStatus). */
  parameter(name: string, value: string): void
  /** All settings may have changed: RESET or DISCARD was run. */
  reset(): void
  /** ReadyForQuery was passed on. */
  ready(): void
  /** The answer to what was sent ahead, see {@link Splitter.expectOwn}, is complete. */
  ownReady(ok: boolean): void
  /** The server broke the protocol. Nothing more is passed on. */
  broken(error: RowjetError): void
  /**
   * Is called for each message that is passed on while a query is watched, and for BackendKeyData: its type, and where
   * it is in some bytes.
   */
  observe?(type: number, bytes: Uint8Array, start: number, stop: number): void
}

/** The types of messages. */
export const types = {
  parseComplete: 0x31, // 1
  bindComplete: 0x32, // 2
  closeComplete: 0x33, // 3
  notification: 0x41, // A
  commandComplete: 0x43, // C
  dataRow: 0x44, // D
  errorResponse: 0x45, // E
  copyIn: 0x47, // G
  copyOut: 0x48, // H
  emptyQuery: 0x49, // I
  backendKeyData: 0x4b, // K
  notice: 0x4e, // N
  authentication: 0x52, // R
  parameterStatus: 0x53, // S
  rowDescription: 0x54, // T
  functionCall: 0x56, // V
  copyBoth: 0x57, // W
  readyForQuery: 0x5a, // Z
  copyDone: 0x63, // c
  copyData: 0x64, // d
  noData: 0x6e, // n
  portalSuspended: 0x73, // s
  parameterDescription: 0x74, // t
  negotiate: 0x76, // v
} as const

const names: Record<number, string> = {
  [types.parseComplete]: 'ParseComplete',
  [types.bindComplete]: 'BindComplete',
  [types.closeComplete]: 'CloseComplete',
  [types.notification]: 'NotificationResponse',
  [types.commandComplete]: 'CommandComplete',
  [types.dataRow]: 'DataRow',
  [types.errorResponse]: 'ErrorResponse',
  [types.copyIn]: 'CopyInResponse',
  [types.copyOut]: 'CopyOutResponse',
  [types.emptyQuery]: 'EmptyQueryResponse',
  [types.backendKeyData]: 'BackendKeyData',
  [types.notice]: 'NoticeResponse',
  [types.authentication]: 'Authentication',
  [types.parameterStatus]: 'ParameterStatus',
  [types.rowDescription]: 'RowDescription',
  [types.functionCall]: 'FunctionCallResponse',
  [types.copyBoth]: 'CopyBothResponse',
  [types.readyForQuery]: 'ReadyForQuery',
  [types.copyDone]: 'CopyDone',
  [types.copyData]: 'CopyData',
  [types.noData]: 'NoData',
  [types.portalSuspended]: 'PortalSuspended',
  [types.parameterDescription]: 'ParameterDescription',
  [types.negotiate]: 'NegotiateProtocolVersion',
}

/**
 * The greatest length of each type, 0 for what is no type. PostgreSQL's own messages stay under 1 GiB (MaxAllocSize);
 * most are short, and libpq refuses them beyond 30,000 too (pqParseInput3), since that is a sign of lost borders.
 */
const longest = new Float64Array(256)
for (const type of Object.values(types)) longest[type] = 30_000
for (const type of [types.dataRow, types.copyData, types.functionCall, types.errorResponse, types.notice, types.notification]) longest[type] = 2 ** 30
longest[types.rowDescription] = 2 ** 24
longest[types.parameterDescription] = 2 ** 19
longest[types.readyForQuery] = 5

/** The length of type and length. */
export const header = 5
const lengthSize = 4
/** What a RowDescription has behind each name: table, column, type, size, modifier, format. */
const fieldSize = 18
const leastCapture = 4096

/** What happens to the message that is incomplete. */
const passing = 0
const taking = 1
const dropping = 2

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The status of ReadyForQuery outside of a transaction. */
export const statusIdle = 0x49 // I

/**
 * Cuts the stream of a server's messages. Bytes are neither joined nor copied: rows go to the sink in the pieces they
 * came in. Everything else is passed on in order, again in pieces; what is passed on and what the sink gets never overlap.
 */
export class Splitter {
  /** Takes the rows, if set. Changes while messages are passed on. */
  sink: RowSink | undefined = undefined
  /**
   * Whether a query is under way whose rows are wanted: `some`, or `all` if no other query is. Only then does passing stop
   * before rows, for the driver to set the sink; and only then are messages looked at for what would make a driver's
   * parser read beyond their end.
   */
  watching: 'none' | 'some' | 'all' = 'none'
  /** The transaction status of the last ReadyForQuery: `I`, `T` or `E`, as a code; 0 before the first. */
  status = 0

  readonly #host: SplitterHost
  readonly #head = new Uint8Array(header)
  #headLength = 0 // of a header that is split
  #left = 0 // bytes of the current message that are still to come
  #type = 0
  #fate = passing
  #capture: Uint8Array | undefined // the current message, if it is of interest and not in one piece
  #captured = 0 // bytes of it
  #base = 0 // where the current chunk begins, counted from the start of the server's answer
  #message = 0 // where the current message begins, likewise
  #lastDescription = new Uint8Array(0)
  #own = -1 // how many ReadyForQuery come before the answer to what was sent ahead; -1: there is none
  #ownFailed = false
  #held: Uint8Array[] | undefined
  #hold = false
  #dead = false

  constructor(host: SplitterHost) {
    this.#host = host
  }

  /** Tells the message that the stream stops in, if it does. */
  get unfinished(): string | undefined {
    return this.#left > 0 || this.#headLength > 0 ? this.#where() : undefined
  }

  /**
   * Something is sent now that the driver does not know of. The part of the answer that belongs to it, up to its own
   * ReadyForQuery, is kept from the driver; `before` ReadyForQuery come first.
   */
  expectOwn(before: number): void {
    this.#own = before
    this.#ownFailed = false
  }

  /** Is true while the answer to what was sent ahead has not come. */
  get owes(): boolean {
    return this.#own >= 0
  }

  /** Keeps the next ReadyForQuery, and what follows it, until `release`: so the driver sends no further query. */
  hold(): void {
    this.#hold = true
  }

  release(): void {
    this.#hold = false
    const held = this.#held
    this.#held = undefined
    for (const chunk of held ?? []) this.push(chunk)
  }

  /** The connection is given up: whatever still comes is dropped. */
  kill(): void {
    this.#dead = true
    this.#held = undefined
  }

  /** Takes the next bytes from the server. */
  push(chunk: Uint8Array): void {
    if (this.#dead) return
    if (this.#held !== undefined) {
      this.#held.push(chunk)
      return
    }
    const size = chunk.length
    let at = 0 // up to here the chunk is looked at
    let from = 0 // up to here it is dealt with
    if (this.#left > 0 || this.#headLength > 0) {
      at = this.#goOn(chunk)
      if (this.#dead) return
      if (this.#left > 0 || this.#headLength > 0) {
        this.#base += size
        return
      }
      const whole = this.#capture
      this.#capture = undefined
      from = whole === undefined ? this.#ended(chunk, 0, at, chunk, 0, 0) : this.#ended(chunk, 0, at, whole, 0, this.#captured)
    }
    while (at < size && !this.#dead) {
      const type = chunk[at]
      this.#type = type
      this.#message = this.#base + at
      if (type === types.dataRow && this.watching !== 'none') {
        if (from < at) this.#host.pass(chunk.subarray(from, at)) // may set the sink
        from = at
        if (this.sink !== undefined && !this.#dead) {
          at = this.#rows(chunk, at, this.sink)
          from = at
          continue
        }
        if (this.watching === 'all' && !this.#dead) {
          this.#break('is not expected')
          return
        }
      }
      if (type === types.readyForQuery && this.#hold) {
        if (from < at) this.#host.pass(chunk.subarray(from, at))
        this.#held = [chunk.subarray(at)]
        this.#base += at
        return
      }
      this.#fate = this.#own === 0 && isOwn(type) ? dropping : passing
      if (at + header > size) {
        if (longest[type] === 0) {
          this.#break('is not expected')
          return
        }
        if (this.#fate === dropping && from < at) this.#host.pass(chunk.subarray(from, at))
        this.#head.set(chunk.subarray(at), 0)
        this.#headLength = size - at
        if (this.#fate === dropping) from = size
        at = size
        break
      }
      const length = u32(chunk, at + 1)
      if (!this.#valid(type, length)) return
      const end = at + 1 + length
      if (end > size) {
        if (this.#fate === dropping) {
          if (from < at) this.#host.pass(chunk.subarray(from, at))
          from = size
        }
        this.#left = end - size
        if (this.#isWatched(type)) this.#keep(chunk, at, size, length + 1)
        at = size
        break
      }
      if (this.#isWatched(type)) {
        if (this.#fate === dropping && from < at) this.#host.pass(chunk.subarray(from, at))
        from = this.#ended(chunk, this.#fate === dropping ? at : from, end, chunk, at, end)
      }
      at = end
    }
    if (from < at && !this.#dead) this.#host.pass(from === 0 && at === size ? chunk : chunk.subarray(from, at))
    this.#base += size
  }

  /** Hands over the run of rows that begins at `at`; returns where it ends. */
  #rows(chunk: Uint8Array, at: number, sink: RowSink): number {
    const size = chunk.length
    const start = at
    const { room } = sink
    let completed = 0
    while (completed < room && at + header <= size && chunk[at] === types.dataRow) {
      const length = u32(chunk, at + 1)
      if (length < lengthSize + 2 || length > longest[types.dataRow]) {
        this.#message = this.#base + at
        if (at > start) sink.rows(chunk, start, at, completed)
        this.#break(`has the length ${length}`)
        return at
      }
      if (length >= size - at) break
      at += length + 1
      completed++
    }
    if (completed < room && at < size && chunk[at] === types.dataRow) {
      // The last one goes on in the next chunk.
      this.#message = this.#base + at
      this.#fate = taking
      if (at + header > size) {
        this.#head.set(chunk.subarray(at), 0)
        this.#headLength = size - at
      } else {
        this.#left = at + 1 + u32(chunk, at + 1) - size
      }
      at = size
    }
    sink.rows(chunk, start, at, completed)
    return at
  }

  /** Goes on with the message that the last chunk ended in. Returns where it ends in this one. */
  #goOn(chunk: Uint8Array): number {
    let at = 0
    const head = this.#head
    if (this.#headLength > 0) {
      while (this.#headLength < header && at < chunk.length) head[this.#headLength++] = chunk[at++]
      if (this.#headLength === header) {
        this.#headLength = 0
        const length = u32(head, 1)
        if (!this.#valid(head[0], length)) return at
        this.#left = length - lengthSize
        if (this.#fate !== taking && this.#isWatched(head[0])) this.#keep(head, 0, header, length + 1)
      }
    }
    const take = Math.min(this.#left, chunk.length - at)
    if (this.#capture !== undefined) this.#keep(chunk, at, at + take, this.#captured + this.#left)
    at += take
    this.#left -= take
    if (this.#left > 0 || this.#headLength > 0) {
      if (this.#fate === passing) this.#host.pass(chunk)
      else if (this.#fate === taking) this.sink?.rows(chunk, 0, at, 0)
    }
    return at
  }

  /** Keeps a part of the current message, which has `size` bytes in all. */
  #keep(bytes: Uint8Array, start: number, end: number, size: number): void {
    const part = end - start
    if (this.#capture === undefined) {
      // Not as large as the message claims to be: that may be a lie.
      this.#capture = new Uint8Array(Math.min(size, Math.max(leastCapture, part)))
      this.#captured = 0
    } else if (this.#captured + part > this.#capture.length) {
      const larger = new Uint8Array(Math.min(size, Math.max(2 * this.#capture.length, this.#captured + part)))
      larger.set(this.#capture.subarray(0, this.#captured))
      this.#capture = larger
    }
    this.#capture.set(bytes.subarray(start, end), this.#captured)
    this.#captured += part
  }

  /**
   * A message ends at `end`. If it is of interest, it is also what `bytes` have from `start` to `stop`; else these are
   * equal. What is pending of the chunk begins at `from`. Returns up to where the chunk is dealt with.
   */
  #ended(chunk: Uint8Array, from: number, end: number, bytes: Uint8Array, start: number, stop: number): number {
    const fate = this.#fate
    this.#fate = passing
    if (fate === taking) {
      this.sink?.rows(chunk, from, end, 1)
      return end
    }
    if (fate === dropping) {
      this.#endOwn(bytes, start, stop)
      if (this.#type === types.readyForQuery) this.#base = -end
      return end
    }
    if (start === stop) return from
    const host = this.#host
    if (this.watching !== 'none' && !isWellFormed(this.#type, bytes, start, stop)) {
      this.#break('does not have the form of its type')
      return end
    }
    if (host.observe !== undefined && (this.watching !== 'none' || this.#type === types.backendKeyData)) host.observe(this.#type, bytes, start, stop)
    switch (this.#type) {
      case types.rowDescription:
        if (this.watching === 'none') return from
        host.description(this.#descriptionOf(bytes, start, stop))
        host.pass(chunk.subarray(from, end))
        return end
      case types.parameterStatus: {
        const texts = decoder.decode(bytes.subarray(start + header, stop)).split('\0')
        if (texts.length >= 3) host.parameter(texts[0], texts[1])
        return from
      }
      case types.commandComplete:
        // The tags RESET and DISCARD … (manual, CommandComplete). No other tag begins so.
        if (startsWith(bytes, start, 'RESET\0') || startsWith(bytes, start, 'DISCARD ')) host.reset()
        return from
      case types.readyForQuery:
        this.status = bytes[start + header]
        if (this.#own > 0) this.#own--
        this.#base = -end
        host.pass(from === 0 && end === chunk.length ? chunk : chunk.subarray(from, end))
        host.ready()
        return end
    }
    return from
  }

  /** A copy of a RowDescription. One that is the same as the last is the same object: queries come again and again. */
  #descriptionOf(bytes: Uint8Array, start: number, stop: number): Uint8Array {
    const last = this.#lastDescription
    let i = 0
    if (last.length === stop - start) while (i < last.length && last[i] === bytes[start + i]) i++
    if (last.length === 0 || i < last.length) this.#lastDescription = new Uint8Array(bytes.subarray(start, stop)) // not slice(): a Buffer's is no copy
    return this.#lastDescription
  }

  /** Deals with a message of the answer to what was sent ahead. */
  #endOwn(bytes: Uint8Array, start: number, stop: number): void {
    if (this.#type === types.errorResponse) {
      this.#ownFailed = true
      // The driver has to know of an error that ends the connection.
      const whole = bytes.subarray(start, stop)
      if (isFatal(whole)) this.#host.pass(whole)
    }
    if (this.#type === types.readyForQuery) {
      this.#own = -1
      this.status = bytes[start + header]
      this.#host.ownReady(!this.#ownFailed)
    }
  }

  #isWatched(type: number): boolean {
    if (this.watching !== 'none') return type !== types.dataRow && type !== types.copyData
    switch (type) {
      case types.readyForQuery:
      case types.parameterStatus:
      case types.commandComplete:
      case types.backendKeyData:
        return true
      case types.errorResponse:
        return this.#own === 0
    }
    // To be dropped, which #ended does.
    return this.#own === 0 && isOwn(type)
  }

  #valid(type: number, length: number): boolean {
    if (longest[type] === 0) {
      this.#break('is not expected')
    } else if (this.watching === 'all' && isOutOfPlace(type)) {
      this.#break('is not expected')
    } else if (length < lengthSize || length > longest[type] || (type === types.readyForQuery && length !== 5) || (type === types.dataRow && length < lengthSize + 2)) {
      this.#break(`has the length ${length}`)
    } else {
      return true
    }
    return false
  }

  #where(): string {
    const type = this.#type
    const name = names[type] ?? `a message of type 0x${type.toString(16).padStart(2, '0')}`
    return `${name} at byte ${this.#message} of the answer`
  }

  #break(what: string): void {
    this.kill()
    this.#host.broken(protocolError(`${this.#where()} ${what}`))
  }
}

/** Tells whether messages of a type have no place in the answer to a query. */
function isOutOfPlace(type: number): boolean {
  return type === types.authentication || type === types.backendKeyData || type === types.functionCall || type === types.copyBoth || type === types.negotiate
}

/** Tells whether the message from `start` to `stop` has the parts that its type asks for, no more and no less. */
function isWellFormed(type: number, bytes: Uint8Array, start: number, stop: number): boolean {
  const body = start + header
  switch (type) {
    case types.commandComplete:
      return stringsEnd(bytes, body, 1, stop) === stop
    case types.parameterStatus:
      return stringsEnd(bytes, body, 2, stop) === stop
    case types.notification:
      return stringsEnd(bytes, body + 4, 2, stop) === stop
    case types.errorResponse:
    case types.notice: {
      let at = body
      while (at < stop && bytes[at] !== 0) {
        at = stringsEnd(bytes, at + 1, 1, stop)
        if (at === -1) return false
      }
      return at === stop - 1
    }
    case types.rowDescription: {
      if (stop - body < 2) return false
      let at = body + 2
      for (let count = u16(bytes, body); count > 0; count--) {
        const end = stringsEnd(bytes, at, 1, stop)
        if (end === -1 || stop - end < fieldSize) return false
        at = end + fieldSize
      }
      return at === stop
    }
    case types.parameterDescription:
      return stop - body >= 2 && stop - body === 2 + 4 * u16(bytes, body)
    case types.copyIn:
    case types.copyOut:
      return stop - body >= 3 && stop - body === 3 + 2 * u16(bytes, body + 1)
    case types.readyForQuery: {
      const status = bytes[body]
      return status === statusIdle || status === 0x54 || status === 0x45 // T, E
    }
    case types.parseComplete:
    case types.bindComplete:
    case types.closeComplete:
    case types.emptyQuery:
    case types.noData:
    case types.portalSuspended:
    case types.copyDone:
      return body === stop
    default:
      return true
  }
}

/** Where so many zero-terminated strings end, -1 if that is beyond `stop`. */
function stringsEnd(bytes: Uint8Array, at: number, count: number, stop: number): number {
  for (; count > 0; count--) {
    while (at < stop && bytes[at] !== 0) at++
    if (at >= stop) return -1
    at++
  }
  return at
}

/** Tells whether a type belongs to the answer of a simple query that gives no rows. */
function isOwn(type: number): boolean {
  return type === types.commandComplete || type === types.errorResponse || type === types.readyForQuery || type === types.emptyQuery
}

function startsWith(bytes: Uint8Array, start: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[start + header + i] !== text.charCodeAt(i)) return false
  return true
}

/** Tells whether an ErrorResponse ends the connection, by its field V (or S, which is translated, before PostgreSQL 9.6). */
function isFatal(message: Uint8Array): boolean {
  return decoder.decode(message.subarray(header)).split('\0').some((field) => /^[VS](FATAL|PANIC)$/.test(field))
}

/** The error for what no server sends. */
export function protocolError(what: string): RowjetError {
  return new RowjetError('WIRE_INVALID', `the server broke the protocol: ${what}; the connection was closed`, { found: what })
}

export function u16(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 8) | bytes[at + 1]
}

export function u32(bytes: Uint8Array, at: number): number {
  return ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0
}

/** The column names of a RowDescription. Of one that is broken, those that can be told: the module says what is wrong with it. */
export function columnNames(description: Uint8Array): string[] {
  const found: string[] = []
  let at = header + 2
  for (let count = u16(description, header); count > 0; count--) {
    const end = description.indexOf(0, at)
    if (end === -1) break
    found.push(nameOf(description, at, end))
    at = end + 1 + fieldSize
  }
  return found
}

function nameOf(bytes: Uint8Array, start: number, end: number): string {
  let text = ''
  for (let i = start; i < end; i++) {
    const byte = bytes[i]
    if (byte >= 0x80) return decoder.decode(bytes.subarray(start, end))
    text += String.fromCharCode(byte)
  }
  return text
}

/** Tells whether a RowDescription asks for cells in binary format. */
export function hasBinary(description: Uint8Array): boolean {
  let at = header + 2
  for (let count = u16(description, header); count > 0; count--) {
    at = description.indexOf(0, at) + 1 + fieldSize
    if (description[at - 1] !== 0) return true
  }
  return false
}

/** Tells whether some whole DataRow messages have so many cells each, of lengths that add up to theirs. */
export function areRows(bytes: Uint8Array, columns: number): boolean {
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + u32(bytes, at + 1)
    if (u16(bytes, at + header) !== columns) return false
    at += header + 2
    for (let i = 0; i < columns; i++) {
      if (at + 4 > end) return false
      const size = u32(bytes, at)
      at += 4 + (size === 0xffffffff ? 0 : size)
    }
    if (at !== end) return false
  }
  return true
}
