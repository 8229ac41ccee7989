// Results of messages, as a driver would have them, without a server.
import { Engine, Result } from 'rowjet/slim'
import type { Instance } from '../dist/instance.js'

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const u16 = (n: number): Buffer => Buffer.of(n >> 8, n & 255)
const u32 = (n: number): Buffer => Buffer.of(n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255)

/** RowDescription, DataRows in text format and CommandComplete (PostgreSQL manual, "Message Formats"). */
export function messagesOf(columns: readonly (readonly [name: string, oid: number])[], rows: readonly (readonly (string | null)[])[]): Buffer {
  const fields = columns.map(([name, oid]) => Buffer.concat([Buffer.from(`${name}\0`), u32(0), u16(0), u32(oid), u16(0xffff), u32(0xffffffff), u16(0)]))
  return Buffer.concat([
    message('T', Buffer.concat([u16(columns.length), ...fields])),
    ...rows.map((row) => {
      const cells = row.map((cell) => {
        if (cell === null) return u32(0xffffffff)
        const text = Buffer.from(cell)
        return Buffer.concat([u32(text.length), text])
      })
      return message('D', Buffer.concat([u16(row.length), ...cells]))
    }),
    message('C', Buffer.from('SELECT\0')),
  ])
}

const sources = new WeakMap<Result, unknown>()

/** The array-shape document of such a result, with json cells as strings that hold their source text. */
export function jsonTextOf(engine: Engine, result: Result): string {
  const { bytes } = (engine as unknown as { again(...args: unknown[]): { bytes: Uint8Array } }).again(sources.get(result), undefined, 'array', true)
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

/** A result of messages that are pushed in pieces of so many bytes. */
export function resultOf(engine: Engine, names: readonly string[], stream: Uint8Array, piece = 65536): Result {
  const source = {
    names,
    types: [],
    rows: [],
    messages: {
      takeRows: (): undefined => undefined,
      push(instance: Instance, shape: number, flags: number): void {
        instance.beginMessages(shape, flags, names)
        for (let at = 0; at < stream.length; at += piece) instance.messages(stream, at, Math.min(at + piece, stream.length))
      },
    },
  }
  const { labels, rowCount } = (engine as unknown as { again(...args: unknown[]): { labels: number[]; rowCount: number } }).again(source, undefined, 'array', false)
  const result = new (Result as unknown as new (...args: unknown[]) => Result)(engine, source, undefined, { bytes: null, ascii: false, labels, rowCount })
  sources.set(result, source)
  return result
}
