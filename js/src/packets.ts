// The packets that a MySQL or MariaDB server sends (MySQL Source Code Documentation, "Client/Server Protocol"; MariaDB's
// manual, "Client/Server Protocol"): each a u24 length, a u8 sequence id, and the payload. This file cuts the stream of
// them, so that rows can go to the module as they came, and all else to the driver.

import type { RowjetError } from './errors.js'
import { protocolError, type RowSink } from './messages.js'
import { lenencSize, mostColumns, readLenenc } from './mysql-columns.js'

/** What an {@link Answer} finds. */
export interface AnswerSink extends RowSink {
  /** A result set begins. */
  columns(description: Uint8Array): void
  /** It is complete, or a statement without one. See WireSink. */
  complete(tag: string): void
  /** The server refuses to go on. The driver knows the details. */
  failed(): void
}

/** What a {@link PacketSplitter} works for: the connection of a driver. */
export interface PacketHost {
  /** Takes bytes that are for the driver, in order. */
  pass(bytes: Uint8Array): void
  /** The answer that begins with the next packet, if it is one to a query of ours. */
  answer(): Answer | undefined
  /** Rows were left out: the next packet that is passed has this sequence id. */
  sequence(id: number): void
  /** The server broke the protocol. Nothing more is passed on. */
  broken(error: RowjetError): void
}

/** Bits of the server's status. */
export const statusInTransaction = 1
const statusMoreResults = 8

const header = 4
/** A payload of so many bytes goes on in the next packet. */
const mostPayload = 0xffffff

const firstOK = 0x00
const firstLocalInfile = 0xfb
const firstEOF = 0xfe
const firstError = 0xff

/** Behind the six texts of a column definition: character set, length, type, flags, decimals. */
const fixedFields = 10

/** How client and server talk. */
export interface Agreement {
  /** MARIADB_CLIENT_EXTENDED_METADATA */
  readonly extended: boolean
  /** CLIENT_DEPRECATE_EOF */
  readonly eofDeprecated: boolean
}

/** Finds the description that is the same as some bytes: there is one object for each, so that it can be looked up. */
export class Descriptions {
  readonly #known = new Map<number, Uint8Array[]>()
  #count = 0

  find(bytes: Uint8Array, size: number): Uint8Array {
    let hash = size
    for (let i = 0; i < size; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193)
    let same = this.#known.get(hash)
    if (same === undefined) {
      if (this.#count === mostDescriptions) {
        this.#known.clear()
        this.#count = 0
      }
      this.#known.set(hash, (same = []))
    }
    for (const known of same) {
      let i = 0
      if (known.length === size) while (i < size && known[i] === bytes[i]) i++
      if (i === size) return known
    }
    const added = new Uint8Array(bytes.subarray(0, size)) // not slice(): a Buffer's is no copy
    same.push(added)
    this.#count++
    return added
  }
}

const mostDescriptions = 1000

/** Memory that a description is put together in. */
export class Scratch {
  bytes = new Uint8Array(1024)
}

/** Reads the answer to one COM_QUERY or COM_STMT_EXECUTE, but for the cells. */
export class Answer {
  state: 'head' | 'columns' | 'eof' | 'rows' | 'over' = 'head'
  readonly sink: AnswerSink
  /** The server's status, as of the last OK or EOF; -1 before the first. */
  status = -1
  readonly #agreement: Agreement
  readonly #descriptions: Descriptions
  readonly #binary: boolean
  readonly #kept: (() => Uint8Array) | undefined
  readonly #scratch: Scratch
  #columns = 0
  #used = 0 // of the scratch memory

  /**
   * `kept` gives the definitions of a prepared statement's columns, which MariaDB may leave out. `scratch` may be used
   * again by the next answer.
   */
  constructor(sink: AnswerSink, agreement: Agreement, descriptions: Descriptions, binary: boolean, kept?: () => Uint8Array, scratch = new Scratch()) {
    this.sink = sink
    this.#agreement = agreement
    this.#descriptions = descriptions
    this.#binary = binary
    this.#kept = kept
    this.#scratch = scratch
  }

  /**
   * Takes a packet that is no row; its payload goes from `start` to `end`.
   *
   * @returns what is wrong with it, if something is
   */
  take(bytes: Uint8Array, start: number, end: number): string | undefined {
    const first = start < end ? bytes[start] : -1
    if (first === firstError) {
      if (end - start < 3) return 'ends too early'
      this.state = 'over'
      this.sink.failed()
      return undefined
    }
    switch (this.state) {
      case 'head':
        if (first === firstOK) return this.#ok(bytes, start + 1, end, true)
        if (first === firstLocalInfile) return undefined // the driver sends the file, and then comes OK
        return this.#count(bytes, start, end)
      case 'columns':
        if (!isDefinition(bytes, start, end, this.#agreement.extended)) return 'does not have the form of its type'
        this.#keep(bytes, start, end)
        if (--this.#columns === 0) this.#described()
        return undefined
      case 'eof':
        if (first !== firstEOF || end - start !== 5) return 'is not the EOF that is expected'
        this.state = 'rows'
        return undefined
      default: // EOF, or OK that looks like it
        if (this.#agreement.eofDeprecated && end - start >= 7) return this.#ok(bytes, start + 1, end, false)
        if (end - start !== 5) return 'does not have the form of its type'
        this.#complete('', bytes[start + 3] | (bytes[start + 4] << 8))
        return undefined
    }
  }

  /** What the next packet is, for messages. */
  get expected(): string {
    switch (this.state) {
      case 'columns':
        return 'column definition'
      case 'eof':
        return 'EOF'
      case 'rows':
        return 'row'
      default:
        return 'packet'
    }
  }

  #ok(bytes: Uint8Array, start: number, end: number, own: boolean): string | undefined {
    const idAt = start + lenencSize(bytes, start, end)
    const statusAt = idAt + lenencSize(bytes, idAt, end)
    if (!(statusAt + 2 <= end)) return 'ends too early'
    this.#complete(own ? `OK ${readLenenc(bytes, start)}` : '', bytes[statusAt] | (bytes[statusAt + 1] << 8))
    return undefined
  }

  #complete(tag: string, status: number): void {
    this.status = status
    this.state = (status & statusMoreResults) === 0 ? 'over' : 'head'
    this.sink.complete(tag)
  }

  #count(bytes: Uint8Array, start: number, end: number): string | undefined {
    const size = lenencSize(bytes, start, end)
    const count = size <= 3 && start + size <= end ? readLenenc(bytes, start) : 0
    // MariaDB tells in one more byte whether definitions follow.
    const told = end - start - size
    if (count < 1 || count > mostColumns || told < 0 || told > 1) return 'is no answer to a query'
    const preface = this.#scratch.bytes
    preface.fill(0, 0, 16)
    preface[3] = 1 // CLIENT_DEPRECATE_EOF: the description has no EOF
    preface[4] = this.#agreement.extended ? 8 : 0
    preface[8] = this.#binary ? 1 : 0
    preface[12] = size
    preface.set(bytes.subarray(start, start + size), 16)
    this.#used = 16 + size
    if (told === 1 && this.#kept !== undefined && bytes[end - 1] === 0) {
      const kept = this.#kept()
      this.#room(kept.length)
      this.#scratch.bytes.set(kept, this.#used)
      this.#used += kept.length
      this.#described()
      return undefined
    }
    this.#columns = count
    this.state = 'columns'
    return undefined
  }

  #room(size: number): void {
    const have = this.#scratch.bytes
    if (this.#used + size <= have.length) return
    this.#scratch.bytes = new Uint8Array(Math.max(2 * have.length, this.#used + size))
    this.#scratch.bytes.set(have)
  }

  #keep(bytes: Uint8Array, start: number, end: number): void {
    const size = end - start
    this.#room(size + header)
    const to = this.#scratch.bytes
    let at = this.#used
    to[at++] = size
    to[at++] = size >> 8
    to[at++] = size >> 16
    to[at++] = 0 // the sequence id depends on what came before
    for (let i = start; i < end; i++) to[at++] = bytes[i]
    this.#used = at
  }

  #described(): void {
    this.state = this.#agreement.eofDeprecated ? 'rows' : 'eof'
    this.sink.columns(this.#descriptions.find(this.#scratch.bytes, this.#used))
  }
}

/** Tells whether a payload has the parts of a column definition. */
function isDefinition(bytes: Uint8Array, start: number, end: number, extended: boolean): boolean {
  let at = start
  for (let texts = extended ? 7 : 6; texts > 0; texts--) {
    const size = lenencSize(bytes, at, end)
    if (size > 3 || at + size > end) return false
    at += size + readLenenc(bytes, at)
  }
  return at < end && bytes[at] >= fixedFields && at + 1 + bytes[at] <= end
}

/** What the packet is that the last chunk ended in. */
const none = 0
/** Its header is not whole. */
const unknown = 1
/** For the driver, which has what came of it. */
const passing = 2
/** For the sink, likewise. */
const taking = 3
/** Of one of our answers, but no row: it is passed when it is whole. */
const whole = 4

/**
 * Cuts the stream of a server's packets. Rows go to the sink in the pieces they came in, without being joined or copied.
 * Everything else is passed on in order; what is passed on and what the sink gets never overlap.
 */
export class PacketSplitter {
  /** Whether an answer of ours may come. */
  watching = false
  readonly #host: PacketHost
  readonly #head = new Uint8Array(header + 1)
  #headLength = 0
  #mode = none
  #left = 0 // bytes of the current packet that are still to come
  #answer: Answer | undefined
  #sequence = 0 // of the next packet of the answer
  #goesOn = false // the next packet is a part of the last row
  #skipped = false // the driver did not get the last packet, which was a row
  #parts: Uint8Array[] = [] // of a whole packet
  #base = 0 // where the current chunk begins, counted from the start of the answer
  #packet = 0 // where the current packet begins, likewise
  #passed = 0 // what of the current chunk #goOn has dealt with
  #held: Uint8Array[] | undefined
  #hold = false
  #dead = false

  constructor(host: PacketHost) {
    this.#host = host
  }

  /** Tells the packet that the stream stops in, if it does. */
  get unfinished(): string | undefined {
    return this.#mode !== none && this.#answer !== undefined ? this.#where() : undefined
  }

  /** Keeps the last packet of the answer, and what follows it, until `release`: so the driver sends no further query. */
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
    this.#parts = []
  }

  /** Takes the next bytes from the server. */
  push(chunk: Uint8Array): void {
    if (this.#dead) return
    if (this.#held !== undefined) {
      this.#held.push(chunk)
      return
    }
    const size = chunk.length
    let at = 0
    let from = 0 // up to here the chunk is dealt with
    if (this.#mode !== none) {
      at = this.#goOn(chunk)
      if (this.#dead || this.#held !== undefined) return
      from = this.#passed
    }
    while (at < size && !this.#dead) {
      if (this.#answer === undefined && this.watching) {
        // What comes before decides whose answer the next packet begins.
        if (from < at) this.#host.pass(chunk.subarray(from, at))
        from = at
        if (this.#dead) return
        this.#answer = this.#host.answer()
        this.#base = -at
      }
      const answer = this.#answer
      this.#packet = this.#base + at
      if (answer === undefined) {
        at = this.#skip(chunk, at)
      } else if (answer.state === 'rows' && (this.#goesOn || at + header >= size || !isEnd(chunk, at))) {
        if (from < at) this.#host.pass(chunk.subarray(from, at))
        at = from = this.#rows(chunk, at, answer)
      } else {
        const end = at + header <= size ? at + header + u24(chunk, at) : size + 1
        if (end > size) {
          if (from < at) this.#host.pass(chunk.subarray(from, at))
          from = size
          this.#begin(chunk, at)
          at = size
        } else {
          if (this.#hold) {
            // It may be the last one, which would let the driver go on.
            if (from < at) this.#host.pass(chunk.subarray(from, at))
            this.#held = [chunk.subarray(at)]
            this.#base += at
            return
          }
          if (from < at && chunk[at + header] === firstError) {
            // The driver may have to be told first.
            this.#host.pass(chunk.subarray(from, at))
            from = at
          }
          if (!this.#take(answer, chunk, at, end)) return
          at = end
        }
      }
    }
    if (from < at && !this.#dead) this.#host.pass(from === 0 && at === size ? chunk : chunk.subarray(from, at))
    this.#base += size
  }

  /** Passes over a packet that is for the driver. Returns where it ends, or the chunk. */
  #skip(chunk: Uint8Array, at: number): number {
    const size = chunk.length
    if (at + header > size) {
      this.#head.set(chunk.subarray(at), 0)
      this.#headLength = size - at
      this.#mode = passing
      this.#left = -1
      return size
    }
    const end = at + header + u24(chunk, at)
    if (end <= size) return end
    this.#mode = passing
    this.#left = end - size
    return size
  }

  /** A packet that is no row of ours begins at `at`, and goes on in the next chunk. */
  #begin(chunk: Uint8Array, at: number): void {
    const have = chunk.length - at
    if (have < header) {
      this.#head.set(chunk.subarray(at), 0)
      this.#headLength = have
      this.#mode = unknown
      return
    }
    this.#mode = whole
    this.#left = header + u24(chunk, at) - have
    this.#parts.push(chunk.subarray(at))
  }

  /** Gives a packet, which is no row, to its answer. Returns false if that was the end of the connection. */
  #take(answer: Answer, bytes: Uint8Array, start: number, end: number): boolean {
    const length = end - start - header
    const sequence = bytes[start + 3]
    if (answer.state !== 'head' && sequence !== this.#sequence) {
      this.#break(`has the sequence id ${sequence}, not ${this.#sequence}`)
      return false
    }
    if (length === mostPayload) {
      this.#break(`has the length ${length}`)
      return false
    }
    if (this.#skipped) this.#host.sequence(sequence)
    this.#skipped = false
    this.#sequence = (sequence + 1) & 0xff
    const what = this.#where()
    const wrong = answer.take(bytes, start + header, end)
    if (wrong !== undefined) {
      this.#break(wrong, what)
      return false
    }
    if (answer.state === 'over') this.#answer = undefined
    return true
  }

  /** Hands over the run of rows that begins at `at`; returns where it ends. */
  #rows(chunk: Uint8Array, at: number, answer: Answer): number {
    const size = chunk.length
    const start = at
    const { sink } = answer
    const { room } = sink
    let completed = 0
    let sequence = this.#sequence
    let goesOn = this.#goesOn
    while (completed < room && at + header < size) {
      const length = u24(chunk, at)
      if (!goesOn && chunk[at + header] >= firstEOF && length < mostPayload) break // isEnd
      if (chunk[at + 3] !== sequence || (length === 0 && !goesOn)) {
        this.#packet = this.#base + at
        if (at > start) sink.rows(chunk, start, at, completed)
        this.#break(length === 0 && !goesOn ? 'has the length 0' : `has the sequence id ${chunk[at + 3]}, not ${sequence}`)
        return size
      }
      if (length + header > size - at) {
        this.#packet = this.#base + at
        this.#left = at + header + length - size
        this.#mode = taking
        goesOn = length === mostPayload
        sequence = (sequence + 1) & 0xff
        at = size
        break
      }
      sequence = (sequence + 1) & 0xff
      at += header + length
      goesOn = length === mostPayload
      if (!goesOn) completed++
    }
    this.#goesOn = goesOn
    this.#sequence = sequence
    this.#skipped = true
    if (at > start) sink.rows(chunk, start, at, completed)
    if (at < size && at + header >= size && completed < room) {
      // Whether it is a row tells the first byte of the payload.
      this.#packet = this.#base + at
      this.#head.set(chunk.subarray(at), 0)
      this.#headLength = size - at
      this.#mode = unknown
      return size
    }
    return at
  }

  /** Goes on with the packet that the last chunk ended in. Returns where it ends in this one; #passed is up to where this is dealt with. */
  #goOn(chunk: Uint8Array): number {
    const size = chunk.length
    const head = this.#head
    let at = 0
    this.#passed = 0
    if (this.#mode === passing) {
      if (this.#left < 0) {
        while (this.#headLength < header && at < size) head[this.#headLength++] = chunk[at++]
        if (this.#headLength < header) {
          this.#host.pass(chunk)
          return this.#all(chunk)
        }
        this.#left = u24(head, 0)
      }
      const take = Math.min(this.#left, size - at)
      this.#left -= take
      at += take
      if (this.#left > 0) {
        this.#host.pass(chunk)
        return this.#all(chunk)
      }
      this.#mode = none
      return at
    }
    const answer = this.#answer!
    if (this.#mode === unknown) {
      // A part of a row may be empty; of everything else the first byte is needed.
      const enough = (): boolean => this.#headLength > header || (this.#headLength === header && ((answer.state !== 'rows') || (this.#goesOn && u24(head, 0) === 0)))
      while (!enough() && at < size) head[this.#headLength++] = chunk[at++]
      if (!enough()) return this.#all(chunk)
      const length = u24(head, 0)
      if (answer.state === 'rows' && (this.#goesOn || !isEnd(head, 0))) {
        if (head[3] !== this.#sequence || (length === 0 && !this.#goesOn)) {
          this.#break(length === 0 && !this.#goesOn ? 'has the length 0' : `has the sequence id ${head[3]}, not ${this.#sequence}`)
          return size
        }
        this.#sequence = (head[3] + 1) & 0xff
        this.#skipped = true
        this.#goesOn = length === mostPayload
        const have = this.#headLength
        this.#left = header + length - have
        this.#mode = this.#left > 0 ? taking : none
        answer.sink.rows(new Uint8Array(head.subarray(0, have)), 0, have, this.#left === 0 && !this.#goesOn ? 1 : 0)
        if (this.#left === 0 || at === size) return at === size ? this.#all(chunk) : (this.#passed = at)
      } else {
        this.#parts.push(new Uint8Array(head.subarray(0, this.#headLength)))
        this.#left = header + length - this.#headLength
        this.#mode = whole
      }
    }
    const take = Math.min(this.#left, size - at)
    this.#left -= take
    const end = at + take
    if (this.#mode === taking) {
      if (this.#left === 0) this.#mode = none
      if (take > 0) answer.sink.rows(chunk, at, end, this.#left === 0 && !this.#goesOn ? 1 : 0)
    } else {
      if (take > 0) this.#parts.push(chunk.subarray(at, end))
      if (this.#left === 0) {
        const bytes = joined(this.#parts)
        this.#parts = []
        this.#mode = none
        if (this.#hold) {
          this.#held = end < size ? [bytes, chunk.subarray(end)] : [bytes]
          this.#base = this.#packet
          return size
        }
        if (!this.#take(answer, bytes, 0, bytes.length)) return size
        this.#host.pass(bytes)
      }
    }
    if (end === size) return this.#all(chunk)
    this.#passed = end
    return end
  }

  /** All of a chunk is dealt with. */
  #all(chunk: Uint8Array): number {
    this.#passed = chunk.length
    return chunk.length
  }

  #where(): string {
    return `${this.#answer?.expected ?? 'a packet'} at byte ${this.#packet} of the answer`
  }

  #break(what: string, where = this.#where()): void {
    this.kill()
    this.#host.broken(protocolError(`${where} ${what}`))
  }
}

/** Tells whether the packet at `at`, among rows, is the end of them: EOF, OK or an error. Its first five bytes are there. */
function isEnd(bytes: Uint8Array, at: number): boolean {
  return bytes[at + header] >= firstEOF && u24(bytes, at) < mostPayload && u24(bytes, at) > 0
}

function u24(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16)
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
