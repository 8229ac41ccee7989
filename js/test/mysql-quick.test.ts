// Rows of small results are made without the module: they are the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createEngine, type Result } from 'rowjet/mysql'
import { mysqlProtocol } from '../dist/mysql-protocol.js'
import { Answer, Descriptions } from '../dist/packets.js'
import { ResultBuilder, WireContext } from '../dist/wire.js'
import { definition, lenenc, packet, u16, u32, type Column } from './mysql.js'

const engine = await createEngine()
const context = new WireContext(engine, new Uint8Array(0), mysqlProtocol)
const descriptions = new Descriptions()

/** A result of one column, or several, whose cells are bytes as the protocol has them; null is null. */
function resultOf(columns: readonly Column[], rows: readonly (Buffer | null)[][], binary: boolean): Result {
  const builder = new ResultBuilder(context, false)
  const ignore = (): void => undefined
  const answer = new Answer({ room: 0, rows: ignore, complete: ignore, failed: ignore, columns: (description) => builder.columns(description) }, { extended: false, eofDeprecated: false }, descriptions, binary)
  for (const payload of [Buffer.of(columns.length), ...columns.map(definition)]) assert.equal(answer.take(payload, 0, payload.length), undefined)
  const packets = rows.map((cells) => {
    const bitmap = Buffer.alloc((columns.length + 9) >> 3)
    cells.forEach((cell, i) => cell === null && (bitmap[(i + 2) >> 3] |= 1 << ((i + 2) & 7)))
    const body = binary ? [Buffer.of(0), bitmap, ...cells.filter((cell) => cell !== null)] : cells.map((cell) => cell ?? Buffer.of(0xfb))
    return packet(5, ...body)
  })
  const bytes = Buffer.concat(packets)
  builder.rows(bytes, 0, bytes.length, rows.length)
  builder.complete()
  return builder.first()
}

/** How often a quick way was taken. */
let quick = 0
function same(columns: readonly Column[], rows: readonly (Buffer | null)[][], binary: boolean): void {
  const about = (): string => JSON.stringify({ columns, rows: rows.map((row) => row.map((cell) => cell?.toString('hex') ?? null)), binary })
  const outcome = (of: () => unknown): unknown => {
    try {
      return of()
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  const result = resultOf(columns, rows, binary)
  let acquired = 0
  const counted = engine as unknown as { acquire(): unknown }
  counted.acquire = function () {
    acquired++
    return Object.getPrototypeOf(engine).acquire.call(engine)
  }
  const first = outcome(() => result.rows())
  delete (counted as { acquire?: unknown }).acquire
  if (acquired === 0) quick++
  assert.deepEqual(first, outcome(() => result.rows({})), about())
}

const text = (value: string): Buffer => lenenc(value)
const types: [name: string, column: Column, texts: string[], binaries: Buffer[]][] = [
  ['tinyint', { name: 'a', type: 1, charset: 63 }, ['0', '-128', '127', '007', '-0', '128'], [Buffer.of(0), Buffer.of(0x80), Buffer.of(0xff)]],
  ['tinyint unsigned', { name: 'a', type: 1, charset: 63, flags: 32 }, ['255'], [Buffer.of(0xff)]],
  ['smallint', { name: 'a', type: 2, charset: 63 }, ['-32768', '32767'], [u16(0x8000), u16(0x7fff)]],
  ['smallint unsigned', { name: 'a', type: 2, charset: 63, flags: 32 }, ['65535'], [u16(0xffff)]],
  ['year', { name: 'a', type: 13, charset: 63, flags: 32 }, ['0000', '1901', '2155'], [u16(0), u16(2155)]],
  ['mediumint', { name: 'a', type: 9, charset: 63 }, ['-8388608'], [u32(-8388608)]],
  ['int', { name: 'a', type: 3, charset: 63 }, ['-2147483648', '2147483647', '2147483648', '', 'x', '1.5'], [u32(-1), u32(0x7fffffff)]],
  ['int unsigned', { name: 'a', type: 3, charset: 63, flags: 32 }, ['0', '4294967295'], [u32(-1)]],
  ['bigint', { name: 'a', type: 8, charset: 63 }, ['0', '-9223372036854775808', '9223372036854775807', '-0', '01'], [Buffer.alloc(8, 0xff), Buffer.from('0000000000000080', 'hex')]],
  ['bigint unsigned', { name: 'a', type: 8, charset: 63, flags: 32 }, ['18446744073709551615'], [Buffer.alloc(8, 0xff)]],
  ['double', { name: 'a', type: 5, charset: 63 }, ['0', '-0', '0.1', '1e20', '-1.5e-300', '1e999', 'x'], [0.1, -0, 1e300, 5e-324, NaN, Infinity].map((value) => {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleLE(value)
    return bytes
  })],
  ['float', { name: 'a', type: 4, charset: 63 }, ['0.1', '1e20'], [Buffer.of(0xcd, 0xcc, 0xcc, 0x3d)]],
  ['decimal', { name: 'a', type: 246, charset: 63 }, ['1.10', '-0.00', '-1.5', '00.5', '.5', '99999999999999999999'], [text('1.10'), text('-0.00')]],
  ['date', { name: 'a', type: 10, charset: 63 }, ['2024-02-29', '0000-00-00', '2024-00-00', '2023-02-29', '12'], [Buffer.of(0), Buffer.of(4, 0xe8, 7, 2, 29), Buffer.of(4, 5, 0, 1, 2)]],
  ['datetime', { name: 'a', type: 12, charset: 63 },
    ['2024-02-29 23:59:59', '2024-02-29 23:59:59.123456', '2024-02-29 23:59:59.1', '2023-02-29 00:00:00', '0000-00-00 00:00:00', '2024-00-10 00:00:00', '0099-01-01 00:00:00', '1969-12-31 23:59:59.999999', '2024-02-29T23:59:59', '2024-04-31 00:00:00', '2024-04-30 24:00:00'],
    [Buffer.of(0), Buffer.of(4, 0xe8, 7, 2, 29), Buffer.of(7, 0xe8, 7, 2, 29, 23, 59, 59), Buffer.of(11, 0xe8, 7, 12, 31, 0, 0, 1, 0x40, 0xe2, 1, 0), Buffer.of(4, 0xe8, 7, 0, 1), Buffer.of(7, 99, 0, 1, 1, 0, 0, 0)]],
  ['timestamp', { name: 'a', type: 7, charset: 63 }, ['1970-01-01 00:00:01'], [Buffer.of(7, 0xb2, 7, 1, 1, 0, 0, 1)]],
  ['time', { name: 'a', type: 11, charset: 63 }, ['12:34:56', '-838:59:59'], [Buffer.of(8, 0, 0, 0, 0, 0, 12, 34, 56)]],
  ['varchar', { name: 'a', type: 253, charset: 45 }, ['', 'x', 'é', '日本語', '😀'.repeat(20), 'a'.repeat(300), '\ufffd', '\u0000'], [text('é')]],
  ['enum', { name: 'a', type: 254, charset: 45, flags: 256 }, ['red'], [text('red')]],
  ['set', { name: 'a', type: 254, charset: 45, flags: 2048 }, ['a,b', ''], [text('a,b')]],
  ['blob', { name: 'a', type: 252, charset: 63 }, ['', 'x\u0000y'], [text('bytes')]],
  ['bit', { name: 'a', type: 16, charset: 63 }, ['\u0001'], [text('\u0001')]],
  ['json', { name: 'a', type: 245, charset: 63 }, ['{"a": 1}', 'null'], [text('[1]')]],
  ['null', { name: 'a', type: 6, charset: 63 }, [], []],
]

test('every type, alone', () => {
  const taken: string[] = []
  for (const [name, column, texts, binaries] of types) {
    quick = 0
    same([column], [[null]], false)
    same([column], [[null]], true)
    for (const cell of texts) same([column], [[text(cell)], [null]], false)
    for (const cell of binaries) same([column], [[cell], [null]], true)
    if (quick > 2) taken.push(name)
  }
  // So that nobody takes the slow way by mistake.
  assert.deepEqual(taken, ['tinyint', 'tinyint unsigned', 'smallint', 'smallint unsigned', 'year', 'mediumint', 'int', 'int unsigned', 'bigint', 'bigint unsigned', 'double', 'decimal', 'date', 'datetime', 'timestamp', 'varchar', 'enum', 'set', 'blob'])
})

test('invalid UTF-8, and columns of one name', () => {
  const [, varchar] = types.find(([name]) => name === 'varchar')!
  for (const bytes of [Buffer.of(0xff), Buffer.of(0xc3), Buffer.of(0xed, 0xa0, 0x80), Buffer.concat([Buffer.alloc(30, 0x61), Buffer.of(0x80)])]) same([varchar], [[lenenc(bytes)]], false)
  same([varchar, varchar], [[text('1'), text('2')]], false)
  same([{ ...varchar, name: '__proto__' }], [[text('1')]], false)
})

test('any rows of any of them', () => {
  const usable = types.filter(([, , texts, binaries]) => texts.length > 0 && binaries.length > 0)
  fc.assert(
    fc.property(fc.boolean(), fc.array(fc.nat(usable.length - 1), { minLength: 1, maxLength: 12 }), fc.array(fc.array(fc.option(fc.nat(1000)), { minLength: 12, maxLength: 12 }), { minLength: 1, maxLength: 4 }), (binary, picks, rows) => {
      const columns = picks.map((pick, i) => ({ ...usable[pick][1], name: `c${i}` }))
      const cells = rows.map((row) => picks.map((pick, i) => {
        const n = row[i]
        if (n === null) return null
        const [, , texts, binaries] = usable[pick]
        return binary ? binaries[n % binaries.length] : text(texts[n % texts.length])
      }))
      same(columns, cells, binary)
    }),
    { numRuns: 300 },
  )
})
