// What the tests of the PostgreSQL drivers share: the server, sockets that cut their data anew, and a server that lies.

import assert from 'node:assert/strict'
import net from 'node:net'

const url = process.env['ROWJET_POSTGRES_URL']
assert.ok(url !== undefined, 'run the tests by npm test: it starts the servers')
export const postgresURL: string = url

export const read = (stream: ReadableStream<Uint8Array>): Promise<string> => new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).text()

/** A generator of numbers from 0 up to and without 1 that is the same for the same seed (mulberry32). */
export function random(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A socket that gives its data in pieces of other sizes, each in memory of its own. */
export class ChunkSocket extends net.Socket {
  readonly #size: () => number

  constructor(size: () => number) {
    super()
    this.#size = size
  }

  override emit(event: string | symbol, ...args: any[]): boolean {
    if (event !== 'data') return super.emit(event, ...args)
    const chunk = args[0] as Buffer
    for (let at = 0; at < chunk.length; ) {
      const end = Math.min(at + this.#size(), chunk.length)
      super.emit('data', Buffer.from(chunk.subarray(at, end)))
      at = end
    }
    return true
  }
}

// Messages (PostgreSQL manual, 55.7).

export function message(type: string, ...body: (Buffer | string | number)[]): Buffer {
  const parts = body.map((part) => (typeof part === 'number' ? Buffer.of(part) : Buffer.from(part as string)))
  const length = Buffer.alloc(5)
  length.write(type, 'latin1')
  length.writeUInt32BE(4 + parts.reduce((sum, part) => sum + part.length, 0), 1)
  return Buffer.concat([length, ...parts])
}

export const u16 = (n: number): Buffer => Buffer.of(n >> 8, n & 255)
export const u32 = (n: number): Buffer => Buffer.of(n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255)

export function rowDescription(columns: readonly [name: string, oid: number][], format = 0): Buffer {
  return message('T', u16(columns.length), ...columns.flatMap(([name, oid]) => [name, 0, u32(0), u16(0), u32(oid), u16(0xffff), u32(0xffffffff), u16(format)]))
}

export function dataRow(cells: readonly (string | null)[]): Buffer {
  return message('D', u16(cells.length), ...cells.flatMap((cell) => (cell === null ? [u32(0xffffffff)] : [u32(Buffer.byteLength(cell)), cell])))
}

export const commandComplete = (tag: string): Buffer => message('C', tag, 0)
export const readyForQuery = (status = 'I'): Buffer => message('Z', status)
export const errorResponse = (severity: string, code: string, text: string): Buffer => message('E', 'S', severity, 0, 'V', severity, 0, 'C', code, 0, 'M', text, 0, 0)

/** The answer to `SELECT`: one column of type int4 for each name. */
export const answer = (columns: readonly string[], rows: readonly (string | null)[][]): Buffer =>
  Buffer.concat([rowDescription(columns.map((name) => [name, 23])), ...rows.map(dataRow), commandComplete(`SELECT ${rows.length}`), readyForQuery()])

/**
 * A server that lets everyone in and answers each simple query, or each Sync, with what `reply` gives; then, if `end`,
 * hangs up. It counts the connections that it had.
 */
export class FakeServer {
  connections = 0
  cancels = 0
  queries: string[] = []
  reply: (query: string) => { bytes: Buffer; end?: boolean } = () => ({ bytes: answer(['a'], [['1']]) })
  readonly #server = net.createServer((socket) => this.#serve(socket))
  readonly #sockets = new Set<net.Socket>()

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `postgres://tester@127.0.0.1:${(this.#server.address() as net.AddressInfo).port}/none`
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #serve(socket: net.Socket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => undefined)
    let started = false
    let pending = Buffer.alloc(0)
    let query = ''
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk])
      for (;;) {
        const header = started ? 5 : 4
        if (pending.length < header) return
        const length = pending.readUInt32BE(header - 4) + header - 4
        if (pending.length < length) return
        const whole = pending.subarray(0, length)
        pending = pending.subarray(length)
        if (!started) {
          if (whole.readUInt32BE(4) === 80877102) {
            this.cancels++
            socket.end()
            return
          }
          started = true
          this.connections++
          socket.write(Buffer.concat([message('R', u32(0)), message('S', 'DateStyle', 0, 'ISO, MDY', 0), message('K', u32(1), u32(2)), readyForQuery()]))
          continue
        }
        const type = String.fromCharCode(whole[0])
        if (type === 'P') query = whole.toString('utf8', 6, whole.indexOf(0, 6))
        if (type === 'Q') query = whole.toString('utf8', 5, whole.length - 1)
        if (type !== 'Q' && type !== 'S') continue
        this.queries.push(query)
        const { bytes, end } = this.reply(query)
        socket.write(bytes)
        if (end === true) socket.end()
      }
    })
  }
}
