// What is raced: documents and rows of result sets without a database, column types one by one, and recorded messages of
// the wire protocol. The same values on every machine.

/** Numbers from 0 to below n that look random and are the same each time: xorshift32. */
function generator(state) {
  return (n) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % n
  }
}

const pick = generator(20261130)
const repeat = (count, make) => Array.from({ length: count }, (_, i) => make(i))
const words = ['river', 'garden', 'station', 'letter', 'shadow', 'harbour', 'orchard', 'mirror', 'engine', 'lighthouse', 'summer', 'bridge']
const text = (n) => repeat(n, () => words[pick(words.length)]).join(' ')
const digits = (n) => repeat(n, (i) => (i === 0 ? 1 + pick(9) : pick(10))).join('')
const two = (n) => String(n).padStart(2, '0')
const date = () => `${1950 + pick(100)}-${two(1 + pick(12))}-${two(1 + pick(28))}`
const time = () => `${two(pick(24))}:${two(pick(60))}:${two(pick(60))}.${digits(6)}`

// Cells as driver adapters hand them over; the codes are ColumnType's.
const types = {
  int: [0, () => pick(2 ** 31)],
  bigint: [1, () => digits(18)],
  double: [3, () => pick(2 ** 31) / 1024],
  decimal: [4, () => `${digits(9)}.${digits(4)}`],
  bool: [5, () => pick(2) === 1],
  text: [7, () => text(6)],
  'text not ASCII': [7, () => `${text(3)} – Ærøskøbing, 東京 ${pick(1000)}`],
  date: [8, date],
  time: [9, time],
  datetime: [10, () => `${date()}T${time()}+00:00`],
  json: [11, () => JSON.stringify({ id: pick(1000), tags: [text(1), text(1)], note: `say "${text(2)}"`, ratio: pick(1000) / 8 })],
  bytes: [13, () => Uint8Array.from({ length: 48 }, () => pick(256))],
  uuid: [15, () => [8, 4, 4, 4, 12].map((n) => repeat(n, () => pick(16).toString(16)).join('')).join('-')],
}
const listed = {
  'int array': [64, () => repeat(8, () => pick(2 ** 31))],
  'text array': [71, () => repeat(6, () => text(2))],
}

const columns = (list, count) => ({
  columnNames: list.map(([name]) => name),
  columnTypes: list.map(([, [code]]) => code),
  rows: repeat(count, (i) => list.map(([, [, make]]) => (pick(20) === 0 ? null : make(i)))),
})

const movie = [
  ['id', [0, (i) => i + 1]],
  ['title', [7, () => text(3)]],
  ['year', [0, () => 1900 + pick(126)]],
  ['description', [7, () => text(20)]],
]

/** RowDescription, DataRows in text format, CommandComplete (PostgreSQL manual, "Message Formats"). */
function messages({ columnNames, columnTypes, rows }) {
  const oids = { 0: 23, 1: 20, 3: 701, 4: 1700, 5: 16, 7: 25, 8: 1082, 9: 1083, 10: 1114, 11: 3802, 13: 17, 15: 2950 }
  const u16 = (n) => Buffer.of(n >> 8, n & 255)
  const u32 = (n) => Buffer.of(n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255)
  const message = (type, ...parts) => {
    const body = Buffer.concat(parts)
    return Buffer.concat([Buffer.from(type), u32(body.length + 4), body])
  }
  const cell = (value, code) => {
    if (value === null) return u32(0xffffffff)
    let literal = String(value)
    if (code === 5) literal = value ? 't' : 'f'
    if (code === 10) literal = value.slice(0, 26).replace('T', ' ')
    if (code === 13) literal = `\\x${Buffer.from(value).toString('hex')}`
    const bytes = Buffer.from(literal)
    return Buffer.concat([u32(bytes.length), bytes])
  }
  const fields = columnNames.map((name, i) =>
    Buffer.concat([Buffer.from(`${name}\0`), u32(0), u16(0), u32(oids[columnTypes[i]]), u16(0xffff), u32(0xffffffff), u16(0)]),
  )
  return Buffer.concat([
    message('T', u16(fields.length), ...fields),
    ...rows.map((row) => message('D', u16(row.length), ...row.map((value, i) => cell(value, columnTypes[i])))),
    message('C', Buffer.from('SELECT\0')),
  ])
}

/** Takes messages as the ABI says, in pieces as a socket would give them; returns the document. */
function overABI(module, input) {
  const { exports } = new WebAssembly.Instance(module)
  exports._initialize()
  const state = exports.rowjet_state()
  return () => {
    const parts = []
    const take = (status) => {
      if (status < 0) throw new Error(`the module gives the error ${new DataView(exports.memory.buffer).getUint32(state + 12, true)}`)
      const view = new DataView(exports.memory.buffer)
      parts.push(new Uint8Array(exports.memory.buffer).slice(view.getUint32(state, true), view.getUint32(state, true) + view.getUint32(state + 4, true)))
      return status
    }
    take(exports.rowjet_begin(1, 0, 0))
    const piece = 65536
    for (let at = 0; at < input.length; at += piece) {
      const bytes = input.subarray(at, at + piece)
      const address = exports.rowjet_input(bytes.length) // memory may grow here
      new Uint8Array(exports.memory.buffer, address, bytes.length).set(bytes)
      let status = take(exports.rowjet_push(bytes.length))
      while (status === 1) status = take(exports.rowjet_resume())
    }
    let status = take(exports.rowjet_end())
    while (status === 1) status = take(exports.rowjet_resume())
    const rest = parts.splice(0)
    take(exports.rowjet_head())
    return Buffer.concat([...parts, ...rest])
  }
}

/**
 * Maps names to functions that take one side, `{ module(dialect), createEngine }`, and promise what is raced: a function that
 * gives the bytes it made, or a value that has JSON.
 */
export function benchmarks() {
  const list = {}
  const document = (name, dialect, resultSet) => {
    list[`${dialect} ${name}`] = async (side) => {
      const engine = await side.createEngine(side.module(dialect))
      return () => engine.serialize(resultSet).bytes()
    }
  }
  const rows = (name, dialect, resultSet) => {
    list[`${dialect} ${name}, rows()`] = async (side) => {
      const engine = await side.createEngine(side.module(dialect))
      return () => engine.serialize(resultSet).rows()
    }
  }
  const wire = (name, resultSet) => {
    const input = messages(resultSet)
    list[`postgres messages, ${name}`] = async (side) => overABI(side.module('postgres'), input)
  }

  const movies = columns(movie, 5000)
  const one = columns(movie, 1)
  const wide = columns(
    repeat(3, (i) => Object.entries(types).map(([name, type]) => [`${name} ${i}`, type])).flat(),
    200,
  )
  for (const dialect of ['postgres', 'mysql', 'sqlite']) {
    document('Movie', dialect, movies)
    rows('Movie', dialect, movies)
    document('one row', dialect, one)
    document('Wide', dialect, wide)
    rows('Wide', dialect, wide)
    for (const [name, type] of Object.entries(types)) document(name, dialect, columns([['value', type]], 2000))
  }
  for (const [name, type] of Object.entries(listed)) document(name, 'postgres', columns([['value', type]], 1000))
  document('unknown numbers', 'postgres', columns([['value', [128, () => pick(2 ** 31)]]], 2000))
  wire('Movie', movies)
  wire('Wide', wide)
  return list
}
