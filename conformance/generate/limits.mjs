// Tables of limits: every type with every kind of value, and the edges of each
// type's rule. What each input becomes is the reference's to say.

const n = (digits) => ({ $bigint: String(digits) })
const word = (w) => ({ $: w })
const [UNDEFINED, NAN, INF, NINF, NZERO] = ['undefined', 'nan', 'inf', '-inf', '-0'].map(word)
const hex = (h, as) => (as ? { $bytes: h, as } : { $bytes: h })
const date = (ms) => ({ $date: ms })
const object = (...members) => ({ $object: members })
const repeat = (text, count) => ({ $repeat: [text, count] })
const LITE = ['sqlite']

const CODES = {
  Int32: 0, Int64: 1, Float: 2, Double: 3, Numeric: 4, Boolean: 5, Character: 6, Text: 7, Date: 8, Time: 9, DateTime: 10, Json: 11,
  Enum: 12, Bytes: 13, Set: 14, Uuid: 15, Int32Array: 64, Int64Array: 65, FloatArray: 66, DoubleArray: 67, NumericArray: 68,
  BooleanArray: 69, CharacterArray: 70, TextArray: 71, DateArray: 72, TimeArray: 73, DateTimeArray: 74, JsonArray: 75, EnumArray: 76,
  BytesArray: 77, UuidArray: 78, UnknownNumber: 128,
}
const ARRAYS = Object.keys(CODES).filter((type) => type.endsWith('Array'))

/** A readable name of a tagged cell. */
function show(cell) {
  if (Array.isArray(cell)) return `[${cell.map(show).join(', ')}]`
  if (cell === null || typeof cell !== 'object') return clip(JSON.stringify(cell))
  if ('$' in cell) return cell.$
  if ('$bigint' in cell) return `${cell.$bigint}n`
  if ('$date' in cell) return `Date(${cell.$date})`
  if ('$bytes' in cell) return `${cell.as ?? 'bytes'} ${clip(cell.$bytes)}`
  if ('$object' in cell) return `{${cell.$object.map(([k, v]) => `${show(k)}: ${show(v)}`).join(', ')}}`
  if ('$map' in cell) return `Map {${cell.$map.map(([k, v]) => `${show(k)}: ${show(v)}`).join(', ')}}`
  if ('$repeat' in cell) return `${clip(JSON.stringify(cell.$repeat[0]))} × ${cell.$repeat[1]}`
  if ('$utf16' in cell) return `units ${cell.$utf16.map((unit) => unit.toString(16)).join(' ')}`
  return `a ${cell.$unsupported}`
}

const clip = (text) => (text.length > 60 ? `${text.slice(0, 50)}… ${text.length}` : text)

/** A case with one cell for each value. */
const cells = (type, origin, values, more = {}) =>
  values.map((value) => ({ name: `${type}: ${show(value)}`, origin, columns: ['c'], types: [CODES[type]], rows: [[value]], ...more }))

/** A case with a column of several cells. */
const column = (type, origin, values, more = {}) => ({
  name: `${type} column: ${values.map(show).join(', ')}`,
  origin,
  columns: ['c'],
  types: [CODES[type]],
  rows: values.map((value) => [value]),
  ...more,
})

const UUID = '550e8400-e29b-41d4-a716-446655440000'

const KINDS = [
  null, UNDEFINED, true, false, 0, 1, -1, 255, 2147483647, 2147483648, -2147483648, -2147483649, 1.5, 0.1, NZERO, NAN, INF, NINF,
  9007199254740991, 9007199254740992, 1e21, 1e-7, n(0), n(1), n('2147483648'), n('9007199254740993'), n('9223372036854775808'),
  n('-18446744073709551616'), '', '1', '-0', '007', '1.5', '1e3', 'abc', 'true', 'NaN', 'infinity', '[1,2]', '{"a":1}', '{1,NULL}', '2024-02-29',
  '2024-02-29 12:34:56.5+02', '12:34:56', '12:34:56+02', UUID, '\\x0102', 'é😀', hex('00112233445566778899aabbccddeeff'), hex('5b315d'), hex(''), hex('c3a9', 'buffer'), [], [1, 2], ['a', null], [['1'], ['2']],
  object(), object(['a', 1]), object(['type', 'Buffer'], ['data', [1, 2]]), { $map: [['k', true]] }, date(1709210096789), date(-1),
]

const matrix = Object.keys(CODES).flatMap((type) => cells(type, 'every type with every kind of value', KINDS))

const integers = [
  ...cells('Int32', 'values.md: int', [
    '2147483647', '2147483648', '-2147483648', '-2147483649', '+2147483647', '0000000000002147483647', '-0', '+0', '00', '-00', '+', '-', '+-1', '--1', ' 1', '1 ', '1\n', '1\0', '1.', '.1', '1.0', '1e0', '0x1', '1_0', '1,0', '１', '9223372036854775808',
    '99999999999999999999999999', '-99999999999999999999999999', 2147483646.5, 2147483647.5, -2147483648.5, 4294967296, -4294967296, 5e-324, 1e300, 9007199254740993, n('2147483647'), n('-2147483648'), n('-2147483649'), n('4294967296'), n('99999999999999999999999999'), n('-1'),
  ]),
  ...cells('Int64', 'values.md: bigint', [
    '9223372036854775807', '9223372036854775808', '-9223372036854775808', '-9223372036854775809', '18446744073709551615', '18446744073709551616', '123456789012345678901234567890123456789012345678901234567890', '-123456789012345678901234567890', '+9', '0009', '-0009',
    '000000000000000000000000000000000000', '-0', '+0', '+', ' 9', '9 ', '9.0', '1e3', '0x10', '1_000', '٣', repeat('9', 1000), -9007199254740991, -9007199254740992, 9007199254740994, 1e22, 1e23, 1.7976931348623157e308, -1e300, 18446744073709551615, 4294967295.5, 5e-324,
    n('-9223372036854775808'), n('-9223372036854775809'), n('18446744073709551615'), n('18446744073709551616'), n('9'.repeat(100)), n('-' + '9'.repeat(100)),
  ]),
]

const DOUBLES = [
  5e-324, 2.225073858507201e-308, 2.2250738585072014e-308, 1.7976931348623157e308, -1.7976931348623157e308, 0.000001, 0.0000015, 9.999999e-7, 1e-7, 1.5e-7, 123456789012345680000, 1e20, 999999999999999900000, 1e21, 1.2345e21, 1e22, 1e23, 9007199254740991, 9007199254740993, -9007199254740993,
  0.1, 0.2, 0.30000000000000004, 100, 1e15, 1e16, 4.35, 0.000035, 2 ** -1022, 2 ** -1023, 2 ** 62, 2 ** 63, 2 ** 64, 2 ** 100, 4.9406564584124654e-324, 1 / 3, 2 / 3, 1e-323, 5e-320, 9.5367431640625e-7, 299792458, 6.02214076e23, 1.602176634e-19, 1.1, -1.1, 16777216, 16777217, 33554431, 0.5,
]
const FLOATS = [
  1.401298464324817e-45, 2.802596928649634e-45, 1.1754942106924411e-38, 1.1754943508222875e-38, 3.4028234663852886e38, -3.4028234663852886e38, 3.4028235677973366e38, 0.10000000149011612, 0.20000000298023224, 0.30000001192092896, 1.100000023841858, 16777216, 16777217, 16777218, 33554432, 67108864,
  134217728, 1073741824, 2147483648, -2147483648, 4294967296, 2 ** 40, 2 ** 62, 2 ** 63, 2 ** 64, 2 ** 100, 2 ** 127, 2836055.25, 8388607.5, 8388608, 9.999999747378752e-6, 9.999999974752427e-7, 1.0000000031710769e-30, 9.999999778196308e21, 1e20, 100000002004087730000, 999999984306749400, 1.0000000200408773e20, 1e21,
  5e-324, 1e-46, 7.006492321624085e-46, 1.9999998807907104, 3.1415927410125732, 3.141592653589793, 123456789.123, 1709209496789, 0.1, 1.17549435e-38, 3.5e38, 65504, 0.3333333432674408, 2 ** -24, 2 ** -126, 2 ** -149, 4.2038954e-45,
]
const FLOAT_TEXTS = [
  '0', '-0', '-0.0', '+1', '1.', '.5', '-.5e1', '1e5', '1E5', '1e+5', '1e-5', '00012.50', '5e-324', '2e-324', '2.4703282292062327e-324', '2.4703282292062328e-324', '1.7976931348623157e308', '1.7976931348623158e308', '1.7976931348623159e308', '1e309', '-1e309', '1e-400', '9007199254740993',
  '9007199254740992.9999', '9007199254740993.0000000000000000000000000000000000001', '179769313486231580793728971405301e276', '0.1000000000000000055511151231257827021181583404541015625', '3.4028236e38', '16777217', '0.1', 'nan', 'NaN', '-NaN', '+NaN', 'inf', 'Inf', '+inf', '-inf', 'infinity', '-Infinity', '+INFINITY', '', ' 1', '1 ', '1_0', '0x10', '1e', 'e5', '.', '-', '+', '1..2',
  '1e5.5', '1,5', 'Infinit', 'infinity1', '1f', '1d', '٣',
]
const BIG = ['9007199254740992', '9007199254740993', '-9007199254740993', '9007199254740994', '4611686018427387904', '9223372036854775807', '9223372036854775808', '18446744073709551615', '18446744073709551616', '1' + '0'.repeat(22), '1' + '0'.repeat(23), '9'.repeat(400), '16777216', '16777217', '1073741824'].map(n)
const floats = [
  ...cells('Double', 'values.md: double', [...DOUBLES, ...FLOAT_TEXTS, ...BIG]),
  ...cells('Float', 'values.md: float', [...new Set([...FLOATS, ...DOUBLES])]),
  ...cells('Float', 'values.md: float', [...FLOAT_TEXTS, ...BIG]),
]

const decimals = cells('Numeric', 'values.md: decimal', [
  '0', '00', '-0', '-0.00', '+0.0', '0.10', '.5', '-.5', '5.', '-5.', '.', '', '-', '+', '+1.50', '001.50', '-001.50', '1e0', '1e3', '1E3', '1e+3', '1.50e1', '1.50e2', '1.50e3', '150e-2', '150e-3', '1e-3', '-1e-3', '0e5', '0e-5', '0.00e1', '-0e3', '1e', '1e+', 'e3', '1e3.5', '1e998', '1e999', '1e1000', '-1e998', '1.5e998', '12e997', '1e-998', '1e-999', '1e-1000',
  '1.5e-997', '1.5e-998', '1e2147483648', '1e-2147483649', '1e99999999999999999999', '-2.50E+9999999', '0e99999999999', '0e-99999999999', repeat('9', 2000), '1_000', '1__000', '_1', '1_', '1_000.5_0', '1._5', '1_.5', '1e1_0', '1,234', '1,234.5', '12,345,678', '-12,345,678.90', '+1,234.5', '1234,567.8', '1,23,456.7', '0,123.4', '1,234.', ',123.4', '1,2345.6', '1,234,56.7', '1,234.5,6', '1,234.5e1',
  '1.234,56', '1 234.5', "1'234.5", '$1.50', '1.50 €', '(1.50)', '1.5-', ' 1.5', '1.5 ', '1.5\n', '0x10', '1/3', '50%', 'NaN', 'nan', '-NaN', 'Infinity', '+Infinity', '-Infinity', 'inf', '-INF', 'infinit', '٣', '１', 'true',
  1e21, 1e-7, 5e-324, 1.7976931348623157e308, 0.1, 1 / 3, NZERO, 123456789012345680000, n('-0'), n('9'.repeat(50)), n('-1'), 4.35, 1e22, -1e-20,
])

const bools = cells('Boolean', 'values.md: bool', [
  't', 'T', 'true', 'TRUE', 'True', 'tRuE', 'yes', 'YES', 'on', 'ON', 'On', '1', 'f', 'F', 'false', 'FALSE', 'no', 'No', 'off', 'OFF', '0', 'y', 'n', 'Y', 'N', 'tr', 'truee', 'of', ' true', 'true ', '01', '-1', '2', '1.0', '0.0', '+1', 'enabled', 'null', 'ｔ', 'yeſ', 'ﬀ', 'oﬀ', 2, -1, 0.5, 1.0, 4294967296, n(2), n(-1), n('18446744073709551616'), [true], hex('01'),
])

const texts = [
  ...cells('Text', 'values.md: string', [
    ...Array.from({ length: 0x21 }, (_, code) => `a${String.fromCharCode(code)}b`), '"', '\\', '/', '\x7f', '\x80', '\x9f', '\u00ad', '\u2028\u2029', '\ufeffbom', '\ufffe\uffff', '<script>&\'</script>', 'e\u0301', '\u{10ffff}', '\u{10000}', '\ud7ff\ue000', '\\u0041', '\\"', '"""', '\\\\', '👨‍👩‍👧‍👦', 'ß→SS', 'İ', '\t\n\r\b\f',
    { $utf16: [0xd800] }, { $utf16: [0xdfff] }, { $utf16: [0xd800, 0xd800, 0xdc00, 0xdc00] }, { $utf16: [0xdbff, 0x61] }, { $utf16: [0x22, 0xd800, 0x5c] }, { $utf16: [0xdc00, 0xd800] }, { $utf16: [0xd83d, 0x20, 0xde00] }, { $utf16: [0x80, 0xd900, 0x7ff, 0xda00, 0x800] },
  ]),
  ...[1, 7, 8, 9, 15, 16, 31, 62, 63, 64, 65, 127, 128, 189, 190, 191, 192, 193, 255, 256, 257, 1000].flatMap((length) =>
    cells('Text', 'lengths of strings', [repeat('a', length), repeat('é', length), repeat('"', length)]),
  ),
  ...[31, 32, 95, 96, 97, 128].flatMap((length) => cells('Text', 'lengths of strings', [repeat('😀', length), repeat('日', length), repeat('\0', length)])),
  ...['Character', 'Enum', 'Set'].flatMap((type) => cells(type, 'values.md: char, string, enum', ['ab', 'e\u0301', '😀', { $utf16: [0xd800] }, '   ', 'a,b', 'NULL', [n(1), 'b', null, true, 1.5], [['a'], ['b']], [object(['a', 1])], [NAN, NZERO], hex('ff'), hex('eda080'), 1e21])),
  ...cells('Text', 'values of other kinds under a text label', [
    NZERO, NAN, INF, 1e21, 1e-7, 123456789.125, n('-123456789012345678901234567890'), hex('eda080'), hex('c0af'), hex('f4908080'), hex('e28261'), hex('f09f98'), hex('80'), hex('efbbbf61'), date(0), date(-62167219200001), date(253402300800000), date(8640000000000000), date(-8640000000000000),
    [], [null], [[]], ['a', ['b', 'c'], object(['d', null])], ['a,b', 'c'], [hex('6162'), date(0)], object(['a', [1, NAN, n('9007199254740993')]], ['b', object(['c', date(0)])]), object(['"', '\n']), [n('9007199254740993'), 9007199254740992, true, false],
  ]),
]

const dateTexts = [
  '2024-02-29', '2024-02-29 12:34:56', '2024-02-29T12:34:56', '2024-02-29t12:34:56', '2024-02-29  12:34:56', '2024-02-29\t12:34:56', ' 2024-02-29 12:34:56 ', '2024-02-29 12:34', '2024-02-29 12', '2024-02-29T', '2024-02-29 1:2:3', '2024-2-9', '2024-2-9 1:2:3', '24-2-9', '0024-02-09',
  '2024-02-29 12:34:56.', '2024-02-29 12:34:56.1', '2024-02-29 12:34:56.12', '2024-02-29 12:34:56.123', '2024-02-29 12:34:56.1234', '2024-02-29 12:34:56.123456', '2024-02-29 12:34:56.1234567', '2024-02-29 12:34:56.123456789', '2024-02-29 12:34:56.9999999999', '2024-02-29 12:34:56.000', '2024-02-29 12:34:56.000001', '2024-02-29 12:34:56.000000001', '2024-02-29 12:34:56.100000000', '2024-02-29 12:34:56,5', '2024-02-29 12:34.5',
  '2024-02-29 12:34:56Z', '2024-02-29 12:34:56z', '2024-02-29 12:34:56 Z', '2024-02-29 12:34:56+00', '2024-02-29 12:34:56-00', '2024-02-29 12:34:56+05', '2024-02-29 12:34:56-08', '2024-02-29 12:34:56+0530', '2024-02-29 12:34:56-0930', '2024-02-29 12:34:56+05:30', '2024-02-29 12:34:56 +05:30', '2024-02-29 12:34:56+05:53:28', '2024-02-29 12:34:56-04:56:02', '2024-02-29 12:34:56+14', '2024-02-29 12:34:56+15:59:59', '2024-02-29 12:34:56-15:59:59', '2024-02-29 12:34:56+23:59',
  '2024-02-29 12:34:56+24', '2024-02-29 12:34:56+5', '2024-02-29 12:34:56+05:3', '2024-02-29 12:34:56+053', '2024-02-29 12:34:56+05:60', '2024-02-29 12:34:56+0560', '2024-02-29 12:34:56+05:30:60', '2024-02-29 12:34:56+', '2024-02-29 12:34:56ZZ', '2024-02-29 12:34:56 UTC', '2024-02-29 12:34:56 GMT', '2024-02-29 12:34:56 CET', '2024-02-29 12:34:56 PM', '2024-02-29Z', '2024-02-29+05:30', '2024-02-29 +05',
  '2024-01-01 00:00:00+00:00:01', '2023-12-31 23:59:59-00:00:01', '2024-03-01 00:30:00+01', '2023-03-01 00:30:00+01', '2000-03-01 00:30:00+01', '1900-03-01 00:30:00+01', '2024-02-29 24:00:00', '2024-12-31 24:00:00', '2024-02-29 24:00', '2024-02-29 24:00:01', '2024-02-29 24:00:00.1', '2024-02-29 24:00:00+01', '2024-02-29 25:00:00', '2024-02-29 23:60:00', '2016-12-31 23:59:60', '2016-12-31 23:59:60.5', '2017-01-01 05:29:60+05:30', '2016-12-31 23:59:61',
  '2023-02-29', '2024-02-30', '1900-02-29', '2000-02-29', '2100-02-29', '2024-04-31', '2024-13-01', '2024-12-32', '2024-1-1', '2024-001-01', '0000-01-01', '0000-02-29', '0001-01-01', '-0001-01-01', '-0000-01-01', '+2024-02-29', '9999-12-31 23:59:59.999999999', '9999-12-31 24:00:00', '10000-01-01', '+10000-01-01', '+010000-01-01', '999999-12-31', '1000000-01-01', '5874897-12-31', '5874898-01-01', '1000001-02-29', '1000004-02-29', '+1000000-01-01', '1000000-01-01 AD', '1000000-01-01 BC', '1000001-01-01 BC', '1000000-01-01 00:00:00', '1000000-01-01+00', ' 1000000-01-01 ', '10000000-01-01', '99999999999-01-01', '-999999-01-01', '-1000000-01-01', '999999-12-31 23:59:59-01', '-999999-01-01 00:00:00+01', '0000-01-01 00:30:00+01', '0001-01-01 00:00:00+00:00:01', '10000-01-01 00:00:00+01',
  '0044-03-15 BC', '0044-03-15 AD', '0001-01-01 BC', '0001-12-31 24:00:00 BC', '0005-02-29 BC', '0004-02-29 BC', '0000-01-01 BC', '-0044-03-15 BC', '0044-03-15BC', '0044-03-15 bc', '0044-03-15 BCE', '0044-03-15 12:00:00 BC', '0044-03-15 12:00:00+00 BC', '0044-03-15 12:00:00 BC+00:00', '0044-03-15T12:00:00 BC+05:30', '4713-01-01 BC', '10000-01-01 BC', '0044-03-15 BC BC',
  'infinity', '-infinity', 'Infinity', '-INFINITY', '+infinity', 'infinity+00:00', '-infinity+00:00', 'infinity+01:00', 'inf', 'infinit', '0000-00-00', '0000-00-00 00:00:00', '0000-00-00 00:00:00.000000', '2024-00-00', '2024-02-00', '2024-00-15 12:34:56.5', '2024-13-00', '2024-00-32', '-0000-00-00', '0000-00-00 BC', '0000-00-00T00:00:00+00:00',
  '2024/02/29', '29/02/2024', '29.02.2024', '20240229', '20240229T123456', '2024-060', '2024-W09-4', '1709209496', '1709209496789', 'Thu Feb 29 12:34:56 2024', 'now', 'epoch', 'null', '2024-02-29T12:34:56[UTC]', '2024\u201102\u201129', '２０２４-02-29', '2024-02-29\0', 'Invalid Date',
]
const INSTANTS = [
  0, -1, 1, 1709209496789, -62135596800000, -62135596800001, -62167219200000, -62167219200001, 253402300799999, 253402300800000, 8640000000000000, -8640000000000000, 8640000000000001, 31494784780800000, 31494784780799999, -31619087596800000, -31619119219200001, 1e17, -1e17, 1e300, -1e300, 1709209496789.5, 0.5, -0.5, 1e-7, 4.9e-7, 5e-7, 0.0000015, 0.9999999, 0.0078125, 0.0234375, 999999.9999999999, 86399999.9999999, -0.0000001, 999999999999.9999,
  1e12 - 2 ** -13, 1000 - 2 ** -43, 3000 - 2 ** -41, 1709209497000 - 2 ** -12, NAN, INF, NINF, NZERO, n(0), n(-1), n('1709209496789'), n('8640000000000001'), n('31556889864403199'), n('31494784780799999'), n('31494784780800000'), n('-31619119219200000'), n('-31619119219200001'), n('9223372036854775807'), n('-9223372036854775808'), n('9'.repeat(30)),
]
const DATES = [0, -1, 999, 951782400000, 951868800000, 4107542400000, -62167219200000, -62167219200001, -62135596800000, 253402300799999, 253402300800000, 8640000000000000, -8640000000000000, -11644473600000].map(date)
const TIMES = [
  '00:00:00', '23:59:59', '23:59:59.999999999', '12:34', '1:2:3', '1:2', '12:34:5', '012:34:56', '12:34:56.1', '12:34:56.1234', '12:34:56.1234567891', '12:34:56.000', '12:34:56.', '12:34:56,5', '12:34.5', '23:59:60', '12:34:60', '12:34:61', '12:60:00', '24:00:00', '24:00', '24:00:00.000', '24:00:00.001', '24:00:01', '24:00:60', '25:00:00', '25:00', '99:59:59', '838:59:59', '838:59:59.999999', '-838:59:59', '-00:00:00', '-00:00:01', '-12:34', '+12:34:56', '--12:34:56', '838:60:00', '838:59:60', '9999999999:00:00', '100:00:00.5', ' 12:34:56 ', '-1:00:00 ',
  '12:34:56 PM', '12:34:56 BC', '123456', '12-34-56', '12:34:56:00', '', ':', '12:', ':34', 'noon', 'allballs', '12:34:56Z', '12:34:56+00', '12:34:56-08', '12:34:56.5+0530', '12:34:56+05:30', '12:34:56+05:53:28', '12:34+02', '24:00:00+00', '24:00:01+00', '12:34:56 +02', '12:34:56 UTC', '12:34:56+24', '12:34:56+5', '-12:34:56+02', '100:00:00+02', '23:59:60+01', '2024-02-29 12:34:56', '2024-02-29T12:34:56.5Z', '2024-02-29 23:30:00-01', '2024-02-29 00:30:00+01', '2024-02-29 24:00:00', '2024-02-29', '0044-03-15 12:00:00 BC', 'infinity', '0000-00-00 12:00:00', '2023-02-29 12:00:00', '١٢:٣٤:٥٦',
]
const datetimes = [
  ...cells('DateTime', 'values.md: datetime', [...dateTexts, ...INSTANTS, ...DATES]),
  ...cells('Date', 'values.md: date', [...dateTexts, ...INSTANTS, ...DATES]),
  ...cells('Time', 'values.md: time', [...TIMES, ...DATES]),
  column('Time', 'values.md: time', ['12:34:56', '12:34:56+02', '12:34:56.10', null]),
  column('Time', 'values.md: time', ['12:34:56+02', '12:34:56']),
  column('Time', 'values.md: time', ['838:59:59', '12:34:56+02', '2024-02-29 12:34:56+02', ' 1:2:3 ']),
  column('Time', 'values.md: time', ['12:34:56+02', date(45296789)]),
  column('Time', 'values.md: time', ['12:34:56+02', 'noon']),
  column('Time', 'values.md: time', ['noon', '12:34:56+02']),
  column('Time', 'values.md: time', ['12:34:56+02', 5]),
  column('Time', 'values.md: time', [null, null]),
  column('TimeArray', 'values.md: time', [['12:34:56'], ['12:34:56+02', null], []]),
  column('TimeArray', 'values.md: time', [['1:2:3', '12:34:56+02', '838:59:59']]),
  column('TimeArray', 'values.md: time', ['{12:34:56,12:34:56+02}', '{1:2:3}']),
  column('TimeArray', 'values.md: time', [['12:34:56+02', date(45296789)]]),
  column('TimeArray', 'values.md: time', [['12:34:56+02'], ['noon']]),
  column('TimeArray', 'values.md: time', [['12:34:56+02', ['1:2:3']]]),
]

const uuids = cells('Uuid', 'values.md: uuid', [
  UUID, UUID.toUpperCase(), '550E8400e29b41d4a716446655440000', `{${UUID}}`, `{${UUID.replaceAll('-', '')}}`, `urn:uuid:${UUID}`, `URN:UUID:${UUID}`, `Urn:Uuid:${UUID.toUpperCase()}`, `urn:uuid:${UUID.replaceAll('-', '')}`, `urn:uuid:{${UUID}}`, `{urn:uuid:${UUID}}`, `{${UUID}`, `${UUID}}`, `(${UUID})`, ` ${UUID}`, `${UUID} `, UUID.slice(1), UUID + '0', UUID.replace('4', 'g'), UUID.replace('-', ''), UUID.replace('-', '_'),
  '550e-8400-e29b-41d4-a716-4466-5544-0000', '550e840-0e29b-41d4-a716-446655440000', '-'.repeat(36), '0'.repeat(32), 'f'.repeat(32), 'F'.repeat(31), '', '{}', 'urn:uuid:', '００000000-0000-0000-0000-000000000000', hex('550e8400e29b41d4a716446655440000'), hex('550e8400e29b41d4a716446655440000', 'buffer'), hex('550e8400e29b41d4a716446655440000', 'view'), hex('550e8400e29b41d4a7164466554400'), hex('550e8400e29b41d4a71644665544000000'), hex(''), hex(Buffer.from(UUID).toString('hex')), hex('550e8400e29b41d4a716446655440000', 'numbers'),
])

const bytes = [
  ...Array.from({ length: 20 }, (_, length) => cells('Bytes', 'lengths of bytes', [hex('ff00fb'.repeat(7).slice(0, 2 * length))])).flat(),
  ...cells('Bytes', 'lengths of bytes', [hex('00'.repeat(255)), hex('ff'.repeat(256)), hex('fb'.repeat(1000)), hex(Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0')).join(''))]),
  ...cells('Bytes', 'values.md: bytes', [
    'a', 'é', '😀', { $utf16: [0xd800] }, { $utf16: [0x61, 0xdc00, 0x62] }, '\\x00ff', 'AQID', [0, 255], [256], [-1], [1.5], [NZERO], [n(255)], [n(256)], [n('99999999999999999999')], ['1'], [null], [UNDEFINED], [true], [NAN], [[1]], [hex('01')], [1, 2, '3'],
    object(['type', 'Buffer'], ['data', []]), object(['type', 'Buffer'], ['data', [256]]), object(['type', 'Buffer'], ['data', 'AQ==']), object(['type', 'buffer'], ['data', [1]]), object(['type', 'Buffer']), object(['data', [1]], ['type', 'Buffer']), object(['type', 'Buffer'], ['data', [1]], ['x', 1]), object(['type', 'Buffer'], ['bytes', [1]]), object(['0', 1], ['1', 2]), object(['0', 1], ['2', 2]), object(['1', 1]), object(['0', 256]), object(['0', '1']), object(['a', 1]), { $map: [['0', 7]] },
    hex('0102', 'view'), hex('0102', 'dataview'), hex('0102', 'arraybuffer'), hex('', 'view'), hex('', 'arraybuffer'), hex('', 'dataview'), hex('', 'numbers'), hex('', 'bufferjson'), hex('', 'indexobject'),
  ]),
]

const JSON_TEXTS = [
  'null', 'true', 'false', '0', '-0', '1', '-1', '1.5', '1.50', '1e5', '1E+5', '1e-5', '0.0000001', '123456789012345678901234567890', '1E400', '-1E400', '1e-400', '-0.0', '""', '"a"', '"\\u0000"', '"\\ud800"', '"\\ud83d\\ude00"', '"\\uD83D\\uDE00"', '"\\/"', '"/"', '"\\"\\\\\\b\\f\\n\\r\\t"', '"\x7f\u2028\u2029"', '"é😀"', '[]', '{}', '[ ]', '{ }', '[1,2]', ' [ 1 , 2 ] ', '\t[1]\n', '\r\n[\r\n1\r\n]\r\n', '{"a":1}', '{ "a" : [ 1 , { "b" : null } ] }', '{"a":1,"a":2}', '{"":0}', '{"b":1,"a":2}', '{"2":1,"1":2}', '{"__proto__":{"x":1}}', '[[[[]]]]', '[null,true,false,0,"",[],{}]', '{"a":"\\u0061"}', '"<&>"', '[1.0,1.00,10e-1]',
  '', ' ', 'nul', 'nulll', 'NULL', 'True', 'TRUE', 'undefined', 'NaN', 'Infinity', '-Infinity', '+1', '01', '-01', '1.', '.5', '-.5', '-', '1e', '1e+', '1e5.5', '0x10', '1_000', '0b1', '１', '"', '"a', 'a"', "'a'", '"\\x41"', '"\\u00g0"', '"\\u004"', '"\\', '"\t"', '"\n"', '"\0"', '"\x1f"', '[', ']', '[1', '1]', '[1,]', '[,1]', '[1,,2]', '[1 2]', '{', '}', '{a:1}', "{'a':1}", '{"a"}', '{"a":}', '{"a":1,}', '{"a":1 "b":2}', '{"a",1}', '{1:2}', '{"a":1}}', '[1]]', '[1}', '{"a":1]', '[1] x', '{"a":1}{"b":2}', 'null null', '1 2', '"a" "b"', '/**/1', '1//', '\ufeff{}', '\u00a01', '\u20281', '\v1', '\f1', '[1]\0', '\0', '{"a":1}#', '\\u0031',
  { $utf16: [0x22, 0xd83d, 0x22] }, { $utf16: [0x22, 0xdc00, 0x61, 0x22] }, { $utf16: [0xd83d] }, { $utf16: [0x5b, 0xd83d, 0x5d] }, { $utf16: [0x22, 0x5c, 0xd83d, 0x22] },
]
const json = [
  ...cells('Json', 'values.md: json', JSON_TEXTS),
  ...cells('Json', 'values.md: json', [
    hex(Buffer.from('{"a":[1]}').toString('hex')), hex(Buffer.from('"é"').toString('hex')), hex('22ff22'), hex('ff'), hex('22eda08022'), hex('efbbbf7b7d'), 1e21, 1e-7, NZERO, [NZERO, NAN, INF, 1e21, n('12345678901234567890'), UNDEFINED], [hex('0102'), date(0), date(1709209496789), date(-62167219200001), date(253402300800000), date(8640000000000000)], object(['a', UNDEFINED], ['b', NAN], ['c', n('5')]), object(['"\n', '"\n']), object([{ $utf16: [0xd800] }, { $utf16: [0xdc00] }]), { $map: [['b', 1], ['a', object()]] }, [[], [[]], object(['', []])],
    date(0), { $map: [['2', 1], ['1', 2]] }, object(['__proto__', 1]), n('-123456789012345678901234567890'), false, [{ $map: [] }],
  ]),
  ...cells('Json', 'JSON as text', [...JSON_TEXTS.slice(0, 60), [NAN, date(0), hex('01')], object(['a', 1]), 5, null, NZERO, n('99999999999999999999'), hex('5b 31 5d'.replaceAll(' ', ''))], { flags: ['jsontext'] }).map((c) => ({ ...c, name: `${c.name} as text` })),
  ...cells('Json', 'JSON in a line', ['{\n"a":\r\n[1,\t2]}', '\n1\n', '"\\n"', '[\r]'], { shape: 'ndjson' }).map((c) => ({ ...c, name: `${c.name} in a line` })),
  ...cells('JsonArray', 'values.md: json', [['{"a": 1}', null, 'null', '"null"'], [1, true, object(['a', 1]), [1, '2'], n('5'), NAN], ['x'], ['[1'], [['x']], [hex('5b5d')], '{1,"{\\"a\\": 1}",NULL,"null"}', '{x}', '{{1,2},{3,4}}', [date(0)]]),
  column('Json', 'nesting', [repeat('[', 1), '[]']),
]

const LITERALS = [
  '{}', '{1}', '{1,2}', '{ 1 , 2 }', '{NULL}', '{null,Null,nULL}', '{"NULL"}', '{1,NULL,2}', '{{1,2},{3,4}}', '{{1},{NULL}}', '{{}}', '{{},{}}', '{{{1}}}', '[0:2]={1,2,3}', '[1:1][-2:-1]={{1,2}}', '[-1:0]={1,2}', '[2]={1,2}', '[0:2] = {1,2,3}', '[0:2]{1,2,3}', '[a:b]={1}', '[]={1}', '[0:2]=', '[1,2]', '[', '{', '}', '{1', '1}', '{1,}', '{,1}', '{1,,2}', '{,}', '{1}}', '{1}x', '{1} ', ' {1}', '{1}{2}', '{{1}', '{1,{2}}', '{1,{2,{3}}}', '{"1"}', '{"1}', '{"1"2}', '{1"2"}', '{\\1}', '{1\\', '{"1\\', '{1 2}', '{a}', '{1.5}', '{2147483648}', '', 'NULL', '{1;2}', '(1,2)', '{"1",  "2"}', '{\t1\n,2}',
]
const TEXT_LITERALS = [
  '{a,b}', '{"a,b"}', '{"a\\"b"}', '{"a\\\\b"}', '{a\\,b}', '{a\\\\b}', '{\\"}', '{"\\n"}', '{"\n"}', '{""}', '{"",""}', '{"{}"}', '{\\{\\}}', '{"NULL",NULL,NULLS,N\\ULL,\\NULL}', '{ a b , c }', '{"  a  "}', '{ "a" }', '{\\ a\\ }', '{é,😀,日本}', '{"é\\😀"}', '{a b\\  }', "{'a'}", '{"a"b}', '{a"b}', '{a{b}', '{a}b}', '{"a","b}', '{"\\ud800"}', '{"a\0b"}', `{${'a,'.repeat(300)}a}`, `{"${'x'.repeat(500)}"}`, { $utf16: [0x7b, 0xd800, 0x2c, 0xdc00, 0x7d] }, '{"\\"\\\\\\"",\\\\\\"}', '{(1,2),(3}',
]
const arrays = [
  ...cells('Int32Array', 'PostgreSQL array literals', LITERALS),
  ...cells('TextArray', 'PostgreSQL array literals', TEXT_LITERALS),
  ...cells('BytesArray', 'PostgreSQL array literals', ['{"\\\\x0102"}', '{\\\\x0102,NULL}', '{"\\\\x"}', '{"\\\\xFFfe"}', '{"\\\\x012"}', '{"\\\\xzz"}', '{abc}', '{""}', '{x01}', '{"\\\\\\\\x01"}', '{{"\\\\x01"},{"\\\\x02"}}']),
  ...cells('BytesArray', 'values.md: bytes', [[[1, 2], [3]], [[]], [[], [0]], [['a']], [['a', [1]]], [[[1]]], [[1, 'a']], [['a', 1]], [[256]], [[n(1), 2]], [[n('99999999999999999999')]], [[null]], [[1, null]], [null, hex('01')], [object(['0', 1])], [object(['type', 'Buffer'], ['data', [1]])], ['\\x01'], [[1.5]], [[NZERO]], [5], [[hex('01')], [hex('02')]]]),
  ...cells('NumericArray', 'PostgreSQL array literals', ['{1.10,NaN,1e3,-0.00}', '{"1,234.5"}', '{1,5}', '{$1}', [1.5, n(2), '1.10', null, NAN]]),
  ...cells('BooleanArray', 'PostgreSQL array literals', ['{t,f,NULL}', '{true,0,1,yes}', '{x}', [true, 0, 't', n(1), null], [2]]),
  ...cells('Int64Array', 'PostgreSQL array literals', ['{9223372036854775808,-1,007}', [1, '2', n(3), 9007199254740992, null], [1.5], [[1], [2, null]]]),
  ...cells('FloatArray', 'PostgreSQL array literals', ['{0.1,NaN,-Infinity,1e39,-0}', [0.10000000149011612, 0.1, NZERO, NAN, 16777217, n(5)]]),
  ...cells('DoubleArray', 'PostgreSQL array literals', ['{0.1,NaN,-Infinity,-0,1e21}', '{1e309}', [n('9007199254740993'), '9007199254740993', 1.5, NZERO]]),
  ...cells('UuidArray', 'PostgreSQL array literals', [`{${UUID.toUpperCase()},NULL,"{${UUID}}"}`, '{x}', [UUID, hex('00112233445566778899aabbccddeeff'), null]]),
  ...cells('DateArray', 'PostgreSQL array literals', ['{2024-02-29,infinity,"0044-03-15 BC",NULL}', '{2023-02-29}', ['2024-02-29', date(0), 86400000, null]]),
  ...cells('DateTimeArray', 'PostgreSQL array literals', ['{"2024-02-29 12:34:56.5+02",infinity,NULL}', ['2024-02-29 12:34:56', date(0), 1.5, n(0)]]),
  ...cells('EnumArray', 'PostgreSQL array literals', ['{a,"b c",NULL}', ['a', 1, null, hex('61')], '{sad}']),
  ...cells('CharacterArray', 'PostgreSQL array literals', ['{a,""," "}', ['ab', '']]),
  ...ARRAYS.flatMap((type) => cells(type, 'nesting', [[], [[]], [[], [[]]], [null], [[null], null], [UNDEFINED], '{}', 'x', '', 5, object(['0', 1]), true])
    .map((c) => ({ ...c, name: `${c.name} nested` }))),
  ...[10, 100, 1000, 3000].map((depth) => ({ name: `Int32Array literal nested ${depth} deep`, origin: 'nesting', columns: ['c'], types: [64], rows: [['{'.repeat(depth) + '1' + '}'.repeat(depth)]] })),
  ...[10, 127, 128, 1000, 3000].map((depth) => ({ name: `Json text nested ${depth} deep`, origin: 'values.md: json: depth is bounded by memory', columns: ['c'], types: [11], rows: [['['.repeat(depth) + ']'.repeat(depth)]] })),
  ...[10, 128, 400].map((depth) => ({ name: `Json objects as text nested ${depth} deep`, origin: 'values.md: json: depth is bounded by memory', columns: ['c'], types: [11], rows: [['{"a":'.repeat(depth) + '1' + '}'.repeat(depth)]] })),
  ...[['Int32Array', 64, 1], ['Json', 11, 'a'], ['Text', 7, null], ['TextArray', 71, 'a']].flatMap(([type, code, leaf]) =>
    [2, 10, 200].map((depth) => ({ name: `${type} of lists nested ${depth} deep`, origin: 'nesting', columns: ['c'], types: [code], rows: [[nest(leaf, depth)]] })),
  ),
]

function nest(leaf, depth) {
  let value = leaf
  for (let i = 0; i < depth; i++) value = [value]
  return value
}

const MIXES = [null, NZERO, 1, 2147483648, 9007199254740991, 9007199254740992, 1.5, NAN, n(5), n('2147483648'), n('9007199254740992'), n('9007199254740993'), n('9223372036854775808'), '7', '3000000000', '9007199254740993', '1.5', 'x', true]
const unknownNumbers = [
  ...MIXES.flatMap((a, i) => MIXES.slice(i).map((b) => column('UnknownNumber', 'values.md: 128', [a, b]))),
  ...MIXES.slice(1).flatMap((a, i) => MIXES.slice(0, i + 1).map((b) => column('UnknownNumber', 'values.md: 128: the order does not matter', [a, b]))).filter((_, i) => i % 3 === 0),
  ...cells('UnknownNumber', 'values.md: 128', ['', ' 1', '1e3', '1.0', '-0', '+7', '007', 'Infinity', 'nan', '0x10', '9'.repeat(30), '-9223372036854775809', hex('01'), [1], object(), date(0), false, 0.5, -2147483649, n('-2147483648')]),
  column('UnknownNumber', 'values.md: 128', []),
  column('UnknownNumber', 'values.md: 128', [null]),
  column('UnknownNumber', 'values.md: 128', [1, 2, 3]),
  column('UnknownNumber', 'values.md: 128', [1, null, 2147483648, NZERO]),
  column('UnknownNumber', 'values.md: 128', [n('9007199254740993'), 1, 1.5, '9007199254740993', '12']),
  column('UnknownNumber', 'values.md: 128', [1, 2, 'x', 3]),
]

const PAIRS = [
  [1, 'x'], [1, '7'], [1, 1.5], [1, 2147483648], [1, '9223372036854775807'], [1, n('9223372036854775807')], [1.5, '9007199254740993'], [1.5, n('9007199254740993')], [1.5, n('9007199254740992')], [1.5, '3'], [1, INF], [1, NAN], [1, 9007199254740992], [n(1), 9007199254740992], [true, 1], [null, 'x'], [null, 1.5], [hex('01'), 1], [[1], 1], [object(['a', 1]), null], [date(0), 'x'], ['a', 'b'], ['007', 5], ['1.5', 1.5], [2, 0], ['true', 1], ['2024-02-29', 5], [NZERO, 1], ['{"a":1}', 5], [n('9007199254740993'), n(1)],
]
const widening = [
  ...['Int32', 'Int64', 'Float', 'Double', 'Numeric', 'Boolean', 'Character', 'Text', 'Date', 'Time', 'DateTime', 'Json', 'Bytes', 'Set', 'Uuid', 'TextArray'].flatMap((type) => PAIRS.map((pair) => column(type, 'values.md: SQLite is typed by value', pair, { dialects: LITE }))),
  ...['Int32', 'Double', 'Text', 'Numeric'].flatMap((type) => PAIRS.filter((_, i) => i % 4 === 0).map(([a, b]) => column(type, 'values.md: SQLite is typed by value, whatever the order', [b, a], { dialects: LITE }))),
  column('Int32', 'values.md: SQLite is typed by value', [1, 'x', 9007199254740991, n('9007199254740992'), NZERO, NAN, hex(''), [NAN, n('9007199254740993'), date(0)], object(['a', NINF]), true, date(1), '007', ''], { dialects: LITE }),
  column('Double', 'values.md: SQLite is typed by value', [1, 2, n('1152921504606846976')], { dialects: LITE }),
  column('Double', 'values.md: SQLite is typed by value', ['1152921504606846976', '1'], { dialects: LITE }),
  column('Double', 'values.md: SQLite is typed by value', ['1152921504606846977', '1'], { dialects: LITE }),
  column('Float', 'values.md: SQLite is typed by value', [0.1, 16777217, '5'], { dialects: LITE }),
  ...['Int32', 'Double', 'Numeric', 'Text', 'UnknownNumber'].map((type) => ({ ...column(type, 'values.md: unknown', [1, 2, null], { flags: ['unknown'], dialects: LITE }), name: `${type} of numbers asked for as unknown` })),
  ...['Int32', 'Text', 'Json', 'DateTime', 'UnknownNumber', 'Bytes', 'TextArray'].map((type) => ({ ...column(type, 'values.md: unknown', [1, 'x', 1.5, null, true, hex('01'), ['a', 1], n('9007199254740993'), date(0), '{"a":1}'], { flags: ['unknown'], dialects: LITE }), name: `${type} asked for as unknown` })),
]

const SHAPE_INPUTS = [
  { what: 'no rows', columns: ['a', 'b'], types: [0, 7], rows: [] },
  { what: 'one row', columns: ['a', 'b'], types: [0, 7], rows: [[1, 'x']] },
  { what: 'three rows', columns: ['a', 'b'], types: [0, 7], rows: [[1, 'x'], [null, null], [3, 'z']] },
  { what: 'a duplicate name', columns: ['id', 'x', 'id'], types: [0, 7, 7], rows: [[1, 'a', 'b'], [2, 'c', null]] },
  { what: 'all names alike', columns: ['a', 'a', 'a'], types: [0, 0, 0], rows: [[1, 2, 3], [4, 5, 6]] },
  { what: 'a duplicate name before others', columns: ['a', 'b', 'a', 'c', 'b'], types: [0, 0, 0, 0, 0], rows: [[1, 2, 3, 4, 5]] },
  { what: 'an error in a hidden column', columns: ['a', 'a'], types: [0, 0], rows: [['x', 1]], dialects: ['postgres', 'mysql'] },
  { what: 'names to escape', columns: ['a"b', '\\', '\n', '\0', '', ' ', '\u2028', '😀', '__proto__', 'constructor', '</script>'], types: Array(11).fill(0), rows: [Array.from({ length: 11 }, (_, i) => i)] },
  { what: 'names with lone surrogates', columns: [{ $utf16: [0xd800] }, { $utf16: [0xdc00, 0x61] }, { $utf16: [0xd83d, 0xde00] }, { $utf16: [0xd800] }], types: [0, 0, 0, 0], rows: [[1, 2, 3, 4]] },
  { what: 'no columns, no rows', columns: [], types: [], rows: [] },
  { what: 'no columns, three rows', columns: [], types: [], rows: [[], [], []] },
  { what: 'unknown number settled by the last row', columns: ['n', 't'], types: [128, 7], rows: [[1, 'a'], [2, 'b'], [0.5, 'c']] },
  { what: 'unknown number without rows', columns: ['n'], types: [128], rows: [] },
  { what: 'time with an offset', columns: ['t', 'n'], types: [9, 0], rows: [['12:00:00', 1], ['12:00:00+02', 2]] },
  { what: 'JSON and bytes', columns: ['j', 'b'], types: [11, 13], rows: [['{\n "a": 1 }', hex('0102')], ['[1,\r\n2]', hex('')]] },
  { what: 'SQLite text in an int column', columns: ['i', 'k'], types: [0, 0], rows: [[1, 1], ['x', 2]] },
  { what: 'every scalar type', columns: ['int', 'bigint', 'float', 'double', 'decimal', 'bool', 'char', 'string', 'date', 'time', 'datetime', 'json', 'enum', 'bytes', 'set', 'uuid'], types: Array.from({ length: 16 }, (_, i) => i), rows: [[1, '2', 0.1, 0.1, '1.10', true, 'c', 's', '2024-02-29', '12:34:56', '2024-02-29 12:34:56', '{"a":1}', 'e', hex('00'), 'a,b', UUID], Array(16).fill(null)] },
  { what: 'every array type', columns: ARRAYS.map((t) => t), types: ARRAYS.map((t) => CODES[t]), rows: [ARRAYS.map(() => []), ARRAYS.map(() => null), ARRAYS.map(() => '{NULL}')] },
  { what: 'many columns', columns: Array.from({ length: 300 }, (_, i) => `c${i}`), types: Array(300).fill(0), rows: [Array.from({ length: 300 }, (_, i) => i), Array(300).fill(null)] },
  { what: 'many rows', columns: ['i', 's'], types: [0, 7], rows: Array.from({ length: 300 }, (_, i) => [i, `row ${i}`]) },
]
const shapes = SHAPE_INPUTS.flatMap(({ what, ...input }) => ['array', 'objects', 'ndjson'].map((shape) => ({ name: `${shape}: ${what}`, origin: 'shapes', shape, ...input })))

const errors = [
  { name: 'more names than types', columns: ['a', 'b'], types: [0], rows: [[1, 2]] },
  { name: 'more types than names', columns: ['a'], types: [0, 0], rows: [[1, 2]] },
  { name: 'types without names', columns: [], types: [0], rows: [] },
  ...[16, 17, 63, 79, 100, 127, 129, 200, 254, 255, 256, 4294967295].map((code) => ({ name: `type code ${code}`, columns: ['a', 'b'], types: [0, code], rows: [] })),
  { name: 'a bad type code goes before a bad cell', columns: ['a', 'b'], types: [0, 99], rows: [['x', 1]] },
  { name: 'a wrong count goes before a bad type code', columns: ['a'], types: [99, 0], rows: [] },
  { name: 'the first of two bad type codes', columns: ['a', 'b'], types: [99, 16], rows: [] },
  { name: 'a short row', columns: ['a', 'b'], types: [0, 0], rows: [[1, 2], [1]] },
  { name: 'a long row', columns: ['a', 'b'], types: [0, 0], rows: [[1, 2], [1, 2, 3]] },
  { name: 'an empty row', columns: ['a'], types: [0], rows: [[]] },
  { name: 'a cell without columns', columns: [], types: [], rows: [[], [1]] },
  { name: 'a short row with an unknown number', columns: ['a', 'b'], types: [0, 128], rows: [[1]] },
  { name: 'a row that is null', columns: ['a'], types: [0], rows: [[1], null] },
  { name: 'a row that is an object', columns: ['a'], types: [0], rows: [object(['a', 1])] },
  { name: 'a row that is a string', columns: ['a'], types: [7], rows: ['abc'] },
  { name: 'a row that is a number', columns: ['a'], types: [0], rows: [5] },
  { name: 'the first bad cell in reading order', columns: ['a', 'b'], types: [0, 0], rows: [[1, 2], [3, 'x'], ['y', 4]], dialects: ['postgres', 'mysql'] },
  { name: 'a bad cell before a short row', columns: ['a', 'b'], types: [0, 0], rows: [[1, 'x'], [1]], dialects: ['postgres', 'mysql'] },
  { name: 'a short row before a bad cell of it', columns: ['a', 'b'], types: [0, 0], rows: [['x']] },
  { name: 'a bad cell after many rows', columns: ['a'], types: [0], rows: [...Array.from({ length: 50 }, (_, i) => [i]), ['x']], dialects: ['postgres', 'mysql'] },
  { name: 'a bad cell before a row that is none', columns: ['a'], types: [0], rows: [['x'], null], dialects: ['postgres', 'mysql'] },
  { name: 'a symbol', columns: ['a'], types: [7], rows: [['x'], [{ $unsupported: 'symbol' }]] },
  { name: 'a function', columns: ['a', 'b'], types: [0, 11], rows: [[1, { $unsupported: 'function' }]] },
  { name: 'a symbol in a list', columns: ['a'], types: [71], rows: [[['x', { $unsupported: 'symbol' }]]] },
  { name: 'a symbol in JSON', columns: ['a'], types: [11], rows: [[object(['a', [{ $unsupported: 'symbol' }]])]] },
  { name: 'a symbol among unknown numbers', columns: ['a'], types: [128], rows: [[1], [{ $unsupported: 'symbol' }]] },
  { name: 'a bad element in an array', columns: ['a', 'b'], types: [0, 64], rows: [[1, [1, 'x', 'y']]], dialects: ['postgres', 'mysql'] },
  { name: 'a bad element in an array literal', columns: ['a', 'b'], types: [0, 64], rows: [[1, '{1,2147483648}']], dialects: ['postgres', 'mysql'] },
  { name: 'a bad element before the end of a broken literal', columns: ['a'], types: [64], rows: [['{x,1']], dialects: ['postgres', 'mysql'] },
  ...['{12:00:00+01', '{12:00:00+01}}', '{12:00:00+01,{}', '{12:00:00+01,"x}'].map((literal) => ({ name: `a time with an offset in a broken literal: ${literal}`, columns: ['a', 'k'], types: [73, 0], rows: [['{13:00:00+01}', 1], [literal, 2]] })),
].map((c) => ({ origin: 'errors', ...c }))

const flags = [
  ...['Int32', 'Int64', 'Double', 'Text', 'Time', 'Json', 'UnknownNumber'].flatMap((type) =>
    [[1, 2], [1, 'x'], [null], ['12:00:00'], ['12:00:00', '12:00:00+02'], [1.5, '{"a":1}']].map((values) => ({ ...column(type, 'ABI: fixed', values, { flags: ['fixed'] }), name: `${type} fixed: ${values.map(show).join(', ')}` })),
  ),
  { name: 'fixed and unknown', origin: 'ABI: fixed', columns: ['a', 'b'], types: [0, 11], rows: [[1, 'x'], ['y', 5]], flags: ['fixed', 'unknown'], dialects: LITE },
  { name: 'fixed without rows', origin: 'ABI: fixed', columns: ['a', 'b'], types: [0, 128], rows: [], flags: ['fixed'] },
  { name: 'unknown without rows', origin: 'ABI: unknown', columns: ['a', 'b'], types: [0, 128], rows: [], flags: ['unknown'], dialects: LITE },
  { name: 'fixed objects', origin: 'ABI: fixed', columns: ['a', 'b'], types: [0, 128], rows: [[1, 2], [3, 'x']], flags: ['fixed'], shape: 'objects' },
  { name: 'JSON as text in lines', origin: 'ABI: jsontext', columns: ['j'], types: [11], rows: [['[1,\n2]'], [null]], flags: ['jsontext'], shape: 'ndjson' },
  { name: 'JSON arrays as text', origin: 'ABI: jsontext', columns: ['j'], types: [75], rows: [[['{"a": 1}', null, 5]]], flags: ['jsontext'] },
]

export const limits = { matrix, integers, floats, decimals, bools, texts, datetimes, uuids, bytes, json, arrays, unknownNumbers, widening, shapes, errors, flags }
