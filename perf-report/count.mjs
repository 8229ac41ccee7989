// Counts the instructions that a module executes: the same number on every machine, so that a change of it is no noise.
//
// The module is rewritten. Code between two places where control may come in or go is a run; each run adds its number of
// instructions to a global of its own. Opcodes and their immediates: WebAssembly core specification, chapter 5.4.

/** The name under which the counter is exported, a mutable i64. */
export const counter = 'instructions'

/** Returns a copy of a module (Uint8Array) that counts. It must have no imported globals. */
export function counting(module) {
  const sections = []
  const head = new Reader(module)
  if (head.u32le() !== 0x6d736100 || head.u32le() !== 1) throw new Error('not a WebAssembly module')
  while (head.more()) {
    const id = head.byte()
    sections.push({ id, content: head.slice(head.uint()) })
  }
  const of = (id) => sections.find((section) => section.id === id)
  const imports = of(2)
  if (imports && new Reader(imports.content).uint() > 0) throw new Error('a module with imports')

  // A module without globals, or without exports, has no section for them: none of ours is without.
  const globals = new Reader(of(6).content)
  const index = globals.uint()
  of(6).content = concat(uint(index + 1), globals.rest(), [0x7e, 0x01, 0x42, 0x00, 0x0b]) // i64, mutable, i64.const 0
  const exports = new Reader(of(7).content)
  of(7).content = concat(uint(exports.uint() + 1), exports.rest(), uint(counter.length), new TextEncoder().encode(counter), [0x03], uint(index))
  const code = new Reader(of(10).content)
  const bodies = Array.from({ length: code.uint() }, () => {
    const body = countingBody(code.slice(code.uint()), index)
    return concat(uint(body.length), body)
  })
  of(10).content = concat(uint(bodies.length), ...bodies)
  return concat(module.subarray(0, 8), ...sections.map(({ id, content }) => concat([id], uint(content.length), content)))
}

function countingBody(body, global) {
  const r = new Reader(body)
  for (let n = r.uint(); n > 0; n--) {
    r.uint()
    r.byte()
  }
  const parts = [body.subarray(0, r.at)]
  const add = (n) => concat([0x23], uint(global), [0x42], sint(n), [0x7c, 0x24], uint(global))
  while (r.more()) {
    const start = r.at
    let n = 0
    for (let control = false; !control && r.more(); n++) control = instruction(r)
    parts.push(add(n), body.subarray(start, r.at))
  }
  return concat(...parts)
}

/** Reads one instruction, and returns whether a run ends with it: whether control may come in behind it, or go. */
function instruction(r) {
  const opcode = r.byte()
  switch (opcode) {
    case 0x02: // block: comes in at its end only
      r.sint()
      return false
    case 0x03: // loop
    case 0x04: // if
      r.sint()
      return true
    case 0x0c: // br
    case 0x0d: // br_if
      r.uint()
      return true
    case 0x0e: // br_table
      for (let n = r.uint(); n >= 0; n--) r.uint()
      return true
    case 0x00: // unreachable
    case 0x05: // else
    case 0x0b: // end
    case 0x0f: // return
      return true
    case 0x10: // call: it comes back, or all ends
    case 0x20: // local.get, .set, .tee
    case 0x21:
    case 0x22:
    case 0x23: // global.get, .set
    case 0x24:
    case 0x3f: // memory.size, .grow
    case 0x40:
      r.uint()
      return false
    case 0x11: // call_indirect
      r.uint()
      r.uint()
      return false
    case 0x41: // i32.const, i64.const
    case 0x42:
      r.sint()
      return false
    case 0x43: // f32.const
      r.slice(4)
      return false
    case 0x44: // f64.const
      r.slice(8)
      return false
    case 0xfc: {
      const sub = r.uint()
      if (sub === 8 || sub === 10) r.slice(2) // memory.init (data, memory), memory.copy
      else if (sub === 9 || sub === 11) r.slice(1) // data.drop, memory.fill
      else if (sub > 7) throw new Error(`opcode 0xfc ${sub} is not known`)
      return false
    }
  }
  if (opcode >= 0x28 && opcode <= 0x3e) {
    // loads and stores: alignment, offset
    r.uint()
    r.uint()
    return false
  }
  if (opcode === 0x01 || opcode === 0x1a || opcode === 0x1b || (opcode >= 0x45 && opcode <= 0xc4)) return false
  throw new Error(`opcode 0x${opcode.toString(16)} is not known`)
}

class Reader {
  constructor(bytes) {
    this.bytes = bytes
    this.at = 0
  }
  more() {
    return this.at < this.bytes.length
  }
  byte() {
    if (!this.more()) throw new Error('the module is cut off')
    return this.bytes[this.at++]
  }
  u32le() {
    return this.byte() + this.byte() * 2 ** 8 + this.byte() * 2 ** 16 + this.byte() * 2 ** 24
  }
  /** LEB128, also of an offset up to 2^32. */
  uint() {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte()
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  /** Goes past a signed one, whose value nobody needs. */
  sint() {
    while (this.byte() >= 128);
  }
  slice(n) {
    if (this.at + n > this.bytes.length) throw new Error('the module is cut off')
    this.at += n
    return this.bytes.subarray(this.at - n, this.at)
  }
  rest() {
    return this.slice(this.bytes.length - this.at)
  }
}

function uint(value) {
  const out = []
  for (; value > 127; value >>>= 7) out.push((value & 127) | 128)
  return [...out, value]
}

/** Of a value that is not negative. */
function sint(value) {
  const out = []
  for (; value > 63; value >>>= 7) out.push((value & 127) | 128)
  return [...out, value]
}

function concat(...parts) {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}
