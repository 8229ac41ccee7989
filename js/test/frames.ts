// A second reader of frames for the tests, written from wasm/ABI.md alone: slow, plain, strict.

/** A value that a frame carries. Lists and objects hold values likewise; strings, numbers, bigints, booleans and null are themselves. */
export type Value =
  | null | boolean | string | number | bigint | Uint8Array | Value[]
  | { object: [string, Value][] }
  | { instant: [bigint, number] }
  | { mark: 'length'; cells: number }
  | { mark: 'unsupported' | 'notArray'; found: string }

export interface Frames {
  names: string[]
  types: number[]
  /** The cells of each rows block. */
  blocks: Value[][]
}

/** Reads a whole input. */
export function readFrames(input: Uint8Array): Frames {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength)
  const u32 = (at: number): number => view.getUint32(at, true)
  const frames: Frames = { names: [], types: [], blocks: [] }
  let at = 0
  let first = true
  while (at < input.length) {
    const kind = u32(at)
    const length = u32(at + 4)
    const start = at + 8
    at = start + length
    if (at > input.length) throw new Error('the block is longer than the input')
    if (first !== (kind === 1)) throw new Error(`a block of kind ${kind} here`)
    first = false
    if (kind === 1) {
      const names = u32(start)
      const types = u32(start + 4)
      let p = start + 8
      for (let i = 0; i < types; i++, p += 4) frames.types.push(u32(p))
      for (let i = 0; i < names; i++) {
        const size = u32(p)
        frames.names.push(units(input.subarray(p + 4, p + 4 + size)).join(''))
        p += 4 + size
      }
      if (p !== at) throw new Error('the columns block has another length')
      continue
    }
    if (kind !== 2) throw new Error(`a block of kind ${kind}`)
    const area = (entry: number): Uint8Array => {
      const offset = u32(start + entry)
      const size = u32(start + entry + 4)
      if (offset + size > length) throw new Error('an area is outside of its block')
      return input.subarray(start + offset, start + offset + size)
    }
    frames.blocks.push(readBlock(u32(start), area(4), area(12), area(20), u32(start + 28)))
  }
  return frames
}

function readBlock(count: number, tags: Uint8Array, short: Uint8Array, long: Uint8Array, ascii: number): Value[] {
  const view = new DataView(tags.buffer, tags.byteOffset, tags.byteLength)
  const texts = units(short)
  if (ascii !== (short.every((byte) => byte < 0x80) ? 1 : 0)) throw new Error('the ASCII mark is wrong')
  let tag = 0
  let text = 0
  let data = 0
  const takeLong = (): Uint8Array => {
    const size = view.getUint32(tag, true)
    tag += 4
    data += size
    if (data > long.length) throw new Error('the long data end')
    return long.slice(data - size, data)
  }
  // Containers that are open: how many values they still want, and where these go.
  const next = (): Value | { open: number; object: boolean } => {
    const kind = tags[tag++]
    if (kind >= 64) {
      const size = kind - 64
      text += size
      if (text > texts.length) throw new Error('the short text ends')
      return texts.slice(text - size, text).join('')
    }
    switch (kind) {
      case 0:
        return null
      case 1:
      case 2:
        return kind === 2
      case 3:
        tag += 4
        return view.getInt32(tag - 4, true)
      case 4:
        tag += 8
        return view.getFloat64(tag - 8, true)
      case 5:
        tag += 8
        return view.getBigInt64(tag - 8, true)
      case 6:
        return BigInt(units(takeLong()).join(''))
      case 7:
        return units(takeLong()).join('')
      case 8:
        return takeLong()
      case 9:
      case 10:
        tag += 4
        return { open: view.getUint32(tag - 4, true), object: kind === 10 }
      case 11:
        tag += 12
        return { instant: [view.getBigInt64(tag - 12, true), view.getUint32(tag - 4, true)] }
      case 13:
        tag += 4
        return { mark: 'length', cells: view.getUint32(tag - 4, true) }
      case 14:
        return { mark: 'unsupported', found: units(takeLong()).join('') }
      case 15:
        return { mark: 'notArray', found: units(takeLong()).join('') }
      default:
        throw new Error(`tag ${kind}`)
    }
  }
  const value = (): Value => {
    interface Open { left: number; object: boolean; items: Value[] }
    const open: Open[] = []
    for (;;) {
      const item = next()
      let done: Value
      if (typeof item === 'object' && item !== null && 'open' in item) {
        if (item.open > 0) {
          open.push({ left: item.object ? 2 * item.open : item.open, object: item.object, items: [] })
          continue
        }
        done = item.object ? { object: [] } : []
      } else {
        done = item
      }
      for (;;) {
        const top = open.at(-1)
        if (top === undefined) return done
        top.items.push(done)
        if (--top.left > 0) break
        open.pop()
        done = top.items
        if (top.object) {
          const pairs: [string, Value][] = []
          for (let i = 0; i < top.items.length; i += 2) {
            const key = top.items[i]
            if (typeof key !== 'string') throw new Error('a key is no string')
            pairs.push([key, top.items[i + 1]])
          }
          done = { object: pairs }
        }
      }
    }
  }
  const cells: Value[] = []
  for (let i = 0; i < count; i++) cells.push(value())
  if (tag !== tags.length || text !== texts.length || data !== long.length) throw new Error('the block has more than its cells')
  return cells
}

/** WTF-8 as a list of UTF-16 code units, each a string of length 1. Throws for anything else. */
export function units(bytes: Uint8Array): string[] {
  const out: string[] = []
  let lastHigh = false
  for (let i = 0; i < bytes.length; ) {
    const lead = bytes[i++]
    let code = lead
    let more = 0
    if (lead >= 0xf0 && lead <= 0xf4) [code, more] = [lead & 7, 3]
    else if (lead >= 0xe0 && lead < 0xf0) [code, more] = [lead & 15, 2]
    else if (lead >= 0xc2 && lead < 0xe0) [code, more] = [lead & 31, 1]
    else if (lead >= 0x80) throw new Error('bad WTF-8: lead byte')
    for (let k = 0; k < more; k++) {
      if ((bytes[i] & 0xc0) !== 0x80) throw new Error('bad WTF-8: continuation byte')
      code = (code << 6) | (bytes[i++] & 0x3f)
    }
    if (code < [0, 0x80, 0x800, 0x10000][more] || code > 0x10ffff) throw new Error('bad WTF-8: length')
    const low = code >= 0xdc00 && code <= 0xdfff
    if (lastHigh && low) throw new Error('bad WTF-8: a pair in two pieces')
    lastHigh = code >= 0xd800 && code <= 0xdbff
    if (code < 0x10000) out.push(String.fromCharCode(code))
    else out.push(String.fromCharCode(0xd800 + ((code - 0x10000) >> 10)), String.fromCharCode(0xdc00 + (code & 0x3ff)))
  }
  return out
}
