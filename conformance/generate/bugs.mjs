// Publicly reported defects of drivers, adapters and serializers, as whole
// kinds: the reported value, its neighbours, its limits. What is right stands
// here written out by hand; the reference is not asked, it is checked.

const n = (digits) => ({ $bigint: digits })
const word = (w) => ({ $: w })
const [NAN, INF, NINF, NZERO] = ['nan', 'inf', '-inf', '-0'].map(word)
const hex = (h, as) => (as ? { $bytes: h, as } : { $bytes: h })
const date = (ms) => ({ $date: ms })
const PG = ['postgres']
const MY = ['mysql']
const LITE = ['sqlite']
const SERVERS = ['postgres', 'mysql']
const S = (text) => JSON.stringify(text)

/** One column: cells one below the other. */
const column = (name, origin, type, label, pairs, more = {}) => ({
  name,
  origin,
  columns: ['c'],
  types: [type],
  rows: pairs.map(([cell]) => [cell]),
  labels: [label],
  right: pairs.map(([, text]) => [text]),
  ...more,
})

/** One row: a column for each of [name, type, cell, label, text]. */
const row = (name, origin, columns, more = {}) => ({
  name,
  origin,
  columns: columns.map((c) => c[0]),
  types: columns.map((c) => c[1]),
  rows: [columns.map((c) => c[2])],
  labels: columns.map((c) => c[3]),
  right: [columns.map((c) => c[4])],
  ...more,
})

/** One column in each of several forms, all of which come to the same. */
const same = (name, origin, type, label, forms, text, more) =>
  Object.entries(forms).map(([form, cell]) => column(`${name}: ${form}`, origin, type, label, [[cell, text]], more))

export const bugs = [
  // 64-bit integers
  column('64-bit integers as digits', 'prisma/orm#7395, sidorares/node-mysql2#2811', 1, 'bigint', [
    ['9007199254740993', '"9007199254740993"'],
    ['9223372036854775807', '"9223372036854775807"'],
    ['-9223372036854775808', '"-9223372036854775808"'],
    ['1', '"1"'],
    ['0', '"0"'],
    [null, 'null'],
  ]),
  column('64-bit integers as bigints', 'prisma/orm#12551, mysqljs/mysql#1371', 1, 'bigint', [
    [n('9007199254740993'), '"9007199254740993"'],
    [n('-9007199254740993'), '"-9007199254740993"'],
    [n('9223372036854775807'), '"9223372036854775807"'],
    [n('-9223372036854775808'), '"-9223372036854775808"'],
    [n('18446744073709551615'), '"18446744073709551615"'],
    [n('0'), '"0"'],
  ]),
  column('64-bit integers: small numbers are strings too', 'prisma/orm#12583', 1, 'bigint', [
    [1, '"1"'],
    [-1, '"-1"'],
    [2147483648, '"2147483648"'],
    ['2', '"2"'],
    [n('3'), '"3"'],
  ]),
  row('the edge of safe integers, by type', 'sidorares/node-mysql2#3597', [
    ['a', 1, '9007199254740991', 'bigint', '"9007199254740991"'],
    ['b', 1, '9007199254740992', 'bigint', '"9007199254740992"'],
    ['c', 1, '9007199254740993', 'bigint', '"9007199254740993"'],
    ['d', 1, '-9007199254740993', 'bigint', '"-9007199254740993"'],
    ['e', 4, '99999999999999999999', 'decimal', '"99999999999999999999"'],
  ]),
  row('the edge of safe integers, doubles under bigint', 'sidorares/node-mysql2#3597', [
    ['a', 1, 9007199254740991, 'bigint', '"9007199254740991"'],
    ['b', 1, 9007199254740992, 'bigint', '"9007199254740992"'],
    ['c', 1, -9007199254740991, 'bigint', '"-9007199254740991"'],
    ['d', 1, 1e20, 'bigint', '"100000000000000000000"'],
    ['e', 1, -1.8446744073709552e19, 'bigint', '"-18446744073709551616"'],
  ]),
  column('the edge of safe integers, unknown number as bigint', 'sidorares/node-mysql2#3597', 128, 'bigint', [
    [n('9007199254740991'), '"9007199254740991"'],
    [n('9007199254740992'), '"9007199254740992"'],
    [n('9007199254740993'), '"9007199254740993"'],
  ]),
  column('INT UNSIGNED as numbers', 'prisma/orm#24136', 1, 'bigint', [
    [1, '"1"'],
    [4294967295, '"4294967295"'],
    [0, '"0"'],
    [2147483647, '"2147483647"'],
    [2147483648, '"2147483648"'],
  ]),
  column('INT UNSIGNED as digits', 'prisma/orm#24136', 1, 'bigint', [
    ['1', '"1"'],
    ['4294967295', '"4294967295"'],
  ]),
  column('INT UNSIGNED, numbers and digits in one column', 'prisma/orm#24136', 1, 'bigint', [
    [1, '"1"'],
    ['4294967295', '"4294967295"'],
    [n('4294967295'), '"4294967295"'],
  ]),
  {
    name: 'INT UNSIGNED under an int label',
    origin: 'prisma/orm#24136',
    dialects: SERVERS,
    columns: ['id'],
    types: [0],
    rows: [[1], [4294967295]],
    error: { code: 'INT_RANGE', row: 1, column: 0 },
  },
  row('sum, count and avg in PostgreSQL', 'prisma/orm#16326', [
    ['s', 4, '9223372036854775808', 'decimal', '"9223372036854775808"'],
    ['c', 1, '2', 'bigint', '"2"'],
    ['a', 4, '4611686018427387904.0000000000000000', 'decimal', '"4611686018427387904.0000000000000000"'],
  ], { dialects: PG }),
  row('SUM and COUNT in MariaDB', 'prisma/orm#17144', [
    ['SUM(i)', 4, '3', 'decimal', '"3"'],
    ['IFNULL(SUM(i),0)', 4, '3', 'decimal', '"3"'],
    ['COUNT(*)', 1, '2', 'bigint', '"2"'],
  ], { dialects: MY }),

  // SQLite integers
  column('SQLite integers past 2^53: digits', 'tursodatabase/libsql-client-ts#32', 1, 'bigint', [
    ['9223372036854775807', '"9223372036854775807"'],
    ['-9223372036854775808', '"-9223372036854775808"'],
    ['9007199254740993', '"9007199254740993"'],
    [1, '"1"'],
  ], { dialects: LITE }),
  column('SQLite integers past 2^53 in an INTEGER column', 'cloudflare/workers-sdk#9298', 0, 'bigint', [
    [1, '"1"'],
    ['9223372036854775807', '"9223372036854775807"'],
    [n('-5'), '"-5"'],
    [null, 'null'],
  ], { dialects: LITE }),
  column('SQLite integers that fit 32 bits stay int', 'libsql/hrana-client-ts#3', 0, 'int', [
    [1, '1'],
    ['2147483647', '2147483647'],
    [n('-2147483648'), '-2147483648'],
  ], { dialects: LITE }),
  column('a rounded double is not labelled bigint', 'cloudflare/workers-sdk#14460', 128, 'double', [
    [9223372036854775807, '9223372036854776000'],
    [1, '1'],
  ], { dialects: LITE }),
  column('a rounded double in an INTEGER column is not labelled bigint', 'cloudflare/workers-sdk#14460', 0, 'double', [
    [9223372036854775807, '9223372036854776000'],
    [1, '1'],
  ], { dialects: LITE }),

  // decimals
  column('decimal keeps digits and scale', 'prisma/orm#9163, prisma/orm#13708, brianc/node-postgres#107', 4, 'decimal', [
    ['2.9', '"2.9"'],
    ['1.1000', '"1.1000"'],
    ['12345678901234567890.123456789012345678901234567890', '"12345678901234567890.123456789012345678901234567890"'],
    ['10000000000000000000000000000000000000000', '"10000000000000000000000000000000000000000"'],
    ['1.1000000000', '"1.1000000000"'],
    ['0.00', '"0.00"'],
    ['-0.10', '"-0.10"'],
    ['0.000000001', '"0.000000001"'],
    ['0.000000010000', '"0.000000010000"'],
    [null, 'null'],
  ]),
  column('decimal from doubles: shortest digits, never an exponent', 'prisma/orm#8160', 4, 'decimal', [
    [2.9, '"2.9"'],
    [1e40, '"10000000000000000000000000000000000000000"'],
    [1e-9, '"0.000000001"'],
    [0.1, '"0.1"'],
    [100, '"100"'],
    [n('12345678901234567890123'), '"12345678901234567890123"'],
  ]),
  column('decimal array keeps digits and scale', 'brianc/node-postgres#3094', 68, 'decimal-array', [
    [['1.10', 'NaN', '548475672624564363467645852462356253653263526'], '["1.10","NaN","548475672624564363467645852462356253653263526"]'],
    ['{1.10,NaN,548475672624564363467645852462356253653263526,NULL}', '["1.10","NaN","548475672624564363467645852462356253653263526",null]'],
    [[], '[]'],
    [[null], '[null]'],
    [[['1.0'], ['2.00']], '[["1.0"],["2.00"]]'],
  ], { dialects: SERVERS }),
  column('numeric NaN and infinities spare the other rows', 'prisma/orm#3492, jackc/pgtype#198', 4, 'decimal', [
    ['1.5', '"1.5"'],
    ['NaN', '"NaN"'],
    ['Infinity', '"Infinity"'],
    ['-Infinity', '"-Infinity"'],
    ['2.50', '"2.50"'],
  ]),
  column('numeric NaN and infinities as numbers', 'prisma/orm#3494', 4, 'decimal', [
    [NAN, '"NaN"'],
    [INF, '"Infinity"'],
    [NINF, '"-Infinity"'],
  ]),
  column('money with grouping', 'prisma/orm#27570', 4, 'decimal', [
    ['12.34', '"12.34"'],
    ['1,234,567.89', '"1234567.89"'],
    ['-1,234.50', '"-1234.50"'],
  ]),

  // floats
  column('float8 specials', 'prisma/orm#6663, CartoDB-SQL-API#303', 3, 'double', [
    [NAN, '"NaN"'],
    [NINF, '"-Infinity"'],
    [INF, '"Infinity"'],
    [NZERO, '-0'],
    [5e-324, '5e-324'],
    [0, '0'],
    [null, 'null'],
  ]),
  column('float4 specials', 'prisma/orm#6663', 2, 'float', [
    [NAN, '"NaN"'],
    [NINF, '"-Infinity"'],
    [INF, '"Infinity"'],
    [NZERO, '-0'],
    [1.401298464324817e-45, '1e-45'],
    [null, 'null'],
  ]),
  column('float8 array specials', 'prisma/orm#6663', 67, 'double-array', [[[NAN, INF, NINF, NZERO, null, 1.5], '["NaN","Infinity","-Infinity",-0,null,1.5]']], { dialects: SERVERS }),
  column('SQLite infinities', 'WiseLibs/better-sqlite3#1088, cloudflare/workers-sdk#15378', 3, 'double', [
    [1, '1'],
    [2.5, '2.5'],
    [INF, '"Infinity"'],
    [NINF, '"-Infinity"'],
    [null, 'null'],
    [NZERO, '-0'],
  ], { dialects: LITE }),
  column('SQLite infinity in an INTEGER column', 'cloudflare/workers-sdk#15378', 0, 'double', [
    [1, '1'],
    [INF, '"Infinity"'],
    [null, 'null'],
  ], { dialects: LITE }),

  // SQLite storage classes
  column('junk in an INTEGER column keeps its storage class', 'prisma/orm#4778, duckdb/duckdb-sqlite#15', 0, 'unknown', [
    [1, '1'],
    ['', '""'],
    ['not an int', '"not an int"'],
    [hex('01'), '"AQ=="'],
    [null, 'null'],
  ], { dialects: LITE }),
  ...['', 'x', ' 1', '1.5', '0x10', '1e3'].map((text) =>
    column(`the text ${S(text)} in an INTEGER column`, 'prisma-engines PR 1501', 0, 'unknown', [
      [1, '1'],
      [text, S(text)],
    ], { dialects: LITE }),
  ),
  column('NULL first, then an integer', 'prisma/orm#12497', 128, 'int', [[null, 'null'], [5, '5']]),
  column('NULL first, then fractions', 'apache/arrow-adbc#581', 128, 'double', [[null, 'null'], [806.982, '806.982'], [806, '806']]),
  column('NULL first, then a large integer', 'tidbcloud/prisma-adapter#19', 128, 'bigint', [[null, 'null'], [3000000000, '"3000000000"'], [1, '"1"']]),
  column('only NULLs', 'prisma/orm#12497', 128, 'int', [[null, 'null'], [word('undefined'), 'null']]),
  column('NUMERIC column with NULL first', 'apache/arrow-adbc#581', 3, 'double', [[null, 'null'], [806.982, '806.982'], [806, '806']]),
  column('four storage classes in one expression', 'xerial/sqlite-jdbc#112', 128, 'unknown', [
    [1, '1'],
    ['x', '"x"'],
    [2.5, '2.5'],
    [hex('01'), '"AQ=="'],
  ], { dialects: LITE }),
  column('four storage classes in a bigint column', 'prisma-engines PR 5598', 1, 'unknown', [
    [n('1'), '1'],
    ['x', '"x"'],
    [2.5, '2.5'],
    [hex('01'), '"AQ=="'],
  ], { dialects: LITE }),
  column('number among text', 'cloudflare/workers-sdk#3160', 7, 'unknown', [[1, '1'], ['x', '"x"'], ['1', '"1"']], { dialects: LITE }),
  column('number among text with leading zeros', 'values.md: nothing is lost', 7, 'unknown', [[1, '1'], ['007', '"007"']], { dialects: LITE }),
  row('boolean-looking text stays text', 'prisma/orm#25548', [
    ['f', 5, 1, 'bool', 'true'],
    ['s', 7, 'true', 'string', '"true"'],
  ], { dialects: LITE }),
  column('a boolean column with a 2 keeps what is stored', 'prisma/orm#3824', 5, 'unknown', [
    [1, '1'],
    [0, '0'],
    ['true', '"true"'],
    [2, '2'],
  ], { dialects: LITE }),
  column('a boolean column of integers', 'prisma/orm#3824', 5, 'int', [[1, '1'], [0, '0'], [2, '2'], [null, 'null']], { dialects: LITE }),
  column('a boolean column of 0 and 1', 'prisma/orm#3824', 5, 'bool', [[1, 'true'], [0, 'false'], [n('1'), 'true'], [null, 'null'], [false, 'false']]),
  column('SELECT true in SQLite is an integer', 'prisma/orm PR 23472', 128, 'int', [[1, '1'], [1, '1']], { dialects: LITE }),

  // SQLite: the same for every declared type, and every mix of classes
  ...Object.entries({ BIGINT: 1, FLOAT: 2, REAL: 3, DECIMAL: 4, BOOLEAN: 5, 'CHAR(1)': 6, TEXT: 7, DATE: 8, TIME: 9, DATETIME: 10, JSON: 11, BLOB: 13, UUID: 15 }).map(([declared, type]) =>
    column(`junk in a ${declared} column keeps its storage class`, 'prisma/orm#4778, prisma-engines PR 1501', type, 'unknown', [
      [1, '1'],
      ['', '""'],
      ['not an int', '"not an int"'],
      [hex('01'), '"AQ=="'],
      [null, 'null'],
    ], { dialects: LITE }),
  ),
  ...[
    ['INTEGER', 0, 5, 'int', '5'],
    ['BIGINT', 1, n('9007199254740993'), 'bigint', '"9007199254740993"'],
    ['REAL', 3, 806.982, 'double', '806.982'],
    ['DECIMAL', 4, 806.982, 'decimal', '"806.982"'],
    ['BOOLEAN', 5, 1, 'bool', 'true'],
    ['TEXT', 7, 'x', 'string', '"x"'],
    ['DATE', 8, '2024-02-29', 'date', '"2024-02-29"'],
    ['TIME', 9, '12:34:56', 'time', '"12:34:56"'],
    ['DATETIME', 10, '2024-02-29 12:34:56', 'datetime', '"2024-02-29T12:34:56+00:00"'],
    ['JSON', 11, '[1]', 'json', '[1]'],
    ['BLOB', 13, hex('01'), 'bytes', '"AQ=="'],
  ].flatMap(([declared, type, cell, label, text]) => [
    column(`NULL first in a ${declared} column`, 'prisma/orm#12497, apache/arrow-adbc#581', type, label, [[null, 'null'], [cell, text], [null, 'null']], { dialects: LITE }),
    column(`a ${declared} column of NULLs only`, 'tidbcloud/prisma-adapter#19', type, label, [[null, 'null'], [null, 'null']], { dialects: LITE }),
  ]),
  ...[
    ['an integer and a text', [1, '1'], ['x', '"x"']],
    ['an integer and a blob', [n('1'), '1'], [hex('01'), '"AQ=="']],
    ['a fraction and a text', [2.5, '2.5'], ['x', '"x"']],
    ['a fraction and a blob', [2.5, '2.5'], [hex('01'), '"AQ=="']],
    ['a text and a blob', ['x', '"x"'], [hex('01'), '"AQ=="']],
    ['a text and an infinity', ['x', '"x"'], [INF, '"Infinity"']],
    ['a large integer and a fraction', [n('9007199254740993'), '"9007199254740993"'], [0.5, '0.5']],
    ['a large integer and a text', [n('-9007199254740993'), '"-9007199254740993"'], ['x', '"x"']],
    ['a large integer and a blob', [n('9223372036854775807'), '"9223372036854775807"'], [hex(''), '""']],
    ['a large integer and an infinity', [n('9007199254740993'), '"9007199254740993"'], [NINF, '"-Infinity"']],
  ].flatMap(([what, a, b]) => [
    column(`${what} in one column`, 'xerial/sqlite-jdbc#112, prisma-engines PR 5598', 128, 'unknown', [a, [null, 'null'], b], { dialects: LITE }),
    column(`${what} in one column, the other way round`, 'xerial/sqlite-jdbc#112, prisma-engines PR 5598', 128, 'unknown', [b, a], { dialects: LITE }),
  ]),
  ...[0, 1, 128].map((type) =>
    column(`SQLite integers past 2^53 as bigints, type ${type}`, 'tursodatabase/libsql-client-ts#247, tursodatabase/turso#7556', type, 'bigint', [
      [n('9223372036854775807'), '"9223372036854775807"'],
      [n('-9223372036854775808'), '"-9223372036854775808"'],
      [n('9007199254740993'), '"9007199254740993"'],
      [n('1'), '"1"'],
      [null, 'null'],
    ], { dialects: LITE }),
  ),
  column('SQLite infinities in a DECIMAL column', 'cloudflare/workers-sdk#15378', 4, 'decimal', [[1.5, '"1.5"'], [INF, '"Infinity"'], [NINF, '"-Infinity"'], [null, 'null']], { dialects: LITE }),
  column('SQLite infinities of an expression', 'WiseLibs/better-sqlite3#1088', 128, 'double', [[1, '1'], [INF, '"Infinity"'], [NINF, '"-Infinity"'], [null, 'null']], { dialects: LITE }),
  ...[
    ['a TEXT', 7, 'string'],
    ['a JSON', 11, 'json'],
  ].map(([declared, type, label]) =>
    column(`NUL in ${declared} column`, 'denodrivers/sqlite3#158, rhashimoto/wa-sqlite PR 331', type, label, [
      ['a\0b', '"a\\u0000b"'],
      ['\0', '"\\u0000"'],
      ['\0a', '"\\u0000a"'],
      ['a\0', '"a\\u0000"'],
      ['\0\0', '"\\u0000\\u0000"'],
      ['', '""'],
      [null, 'null'],
    ].filter(([cell]) => label !== 'json' || cell !== ''), { dialects: LITE }),
  ),
  column('NUL in a column of mixed classes', 'rusqlite PR 651', 128, 'unknown', [[1, '1'], ['a\0b', '"a\\u0000b"'], [hex('00'), '"AA=="']], { dialects: LITE }),
  column('NUL in text before and after others', 'denodrivers/sqlite3#158', 7, 'string', [['x', '"x"'], ['\0', '"\\u0000"'], ['y'.repeat(300), `"${'y'.repeat(300)}"`], [`${'z'.repeat(300)}\0z`, `"${'z'.repeat(300)}\\u0000z"`]]),

  // bytes
  column('a BLOB of an expression', 'prisma/orm#29868', 13, 'bytes', [
    [hex('deadbeef', 'buffer'), '"3q2+7w=="'],
    [hex('', 'buffer'), '""'],
    [hex('deadbeef', 'arraybuffer'), '"3q2+7w=="'],
    [null, 'null'],
  ]),
  ...same('bytes come to the same', 'lucasthevenet/pglite-utils#49, slopus/happy#686', 13, 'bytes', {
    'a Uint8Array': hex('00ff5c0a'),
    'a Buffer': hex('00ff5c0a', 'buffer'),
    'a view with an offset': hex('00ff5c0a', 'view'),
    'an ArrayBuffer': hex('00ff5c0a', 'arraybuffer'),
    'a DataView': hex('00ff5c0a', 'dataview'),
    numbers: hex('00ff5c0a', 'numbers'),
    'JSON of a Buffer': hex('00ff5c0a', 'bufferjson'),
    'an object with indexes': hex('00ff5c0a', 'indexobject'),
    bigints: ['0', '255', '92', '10'].map(n),
  }, '"AP9cCg=="'),
  ...same('bytes in an array come to the same', 'lucasthevenet/pglite-utils#49', 77, 'bytes-array', {
    'Uint8Arrays': [hex('00ff5c0a'), hex('')],
    'Buffers': [hex('00ff5c0a', 'buffer'), hex('', 'buffer')],
    'views': [hex('00ff5c0a', 'view'), hex('', 'view')],
    'ArrayBuffers': [hex('00ff5c0a', 'arraybuffer'), hex('', 'arraybuffer')],
    'numbers': [hex('00ff5c0a', 'numbers'), []],
    'JSON of Buffers': [hex('00ff5c0a', 'bufferjson'), hex('', 'bufferjson')],
    'literal': '{"\\\\x00ff5c0a","\\\\x"}',
  }, '["AP9cCg==",""]', { dialects: SERVERS }),
  row('empty bytes, empty text and NULL', 'touchlab/SQLiter PR 102, oven-sh/bun PR 42219', [
    ['a', 13, hex(''), 'bytes', '""'],
    ['b', 7, '', 'string', '""'],
    ['c', 13, null, 'bytes', 'null'],
    ['d', 7, null, 'string', 'null'],
    ['e', 13, [], 'bytes', '""'],
    ['f', 13, '', 'bytes', '""'],
  ]),
  column('NUL inside text', 'denodrivers/sqlite3#158', 7, 'string', [['a\0b', '"a\\u0000b"'], ['\0', '"\\u0000"'], ['', '""']]),

  // text
  column('lone surrogates', 'prisma/orm#24989, prisma/orm#19620', 7, 'string', [
    [{ $utf16: [0xd83c] }, '"\\ud83c"'],
    [{ $utf16: [0x61, 0xdc00, 0x62] }, '"a\\udc00b"'],
    ['\u{1f600}', '"\u{1f600}"'],
    [{ $utf16: [0xde00, 0xd83d] }, '"\\ude00\\ud83d"'],
    [{ $utf16: [0xd83d, 0xd83d, 0xde00] }, '"\\ud83d\u{1f600}"'],
    [{ $utf16: [0xdbff] }, '"\\udbff"'],
    [{ $utf16: [0xdc00] }, '"\\udc00"'],
    ['\u{10ffff}', '"\u{10ffff}"'],
  ]),
  column('halves of a pair in neighbouring cells stay apart', 'prisma/orm#24989', 7, 'string', [
    [{ $utf16: [0xd83d] }, '"\\ud83d"'],
    [{ $utf16: [0xde00] }, '"\\ude00"'],
    ['', '""'],
    [{ $utf16: [0xd83d] }, '"\\ud83d"'],
    ['', '""'],
    [{ $utf16: [0xde00] }, '"\\ude00"'],
  ]),
  {
    name: 'lone surrogates in a column name',
    origin: 'prisma/orm#24989',
    columns: [{ $utf16: [0xd83c] }, { $utf16: [0x61, 0xdc00, 0x62] }, '\u{1f600}'],
    types: [0, 0, 0],
    rows: [[1, 2, 3]],
    labels: ['int', 'int', 'int'],
    right: [['1', '2', '3']],
  },
  {
    name: 'text beside other columns',
    origin: 'planetscale/database-js#49, sidorares/node-mysql2#422',
    columns: ['a', 'b', 'c'],
    types: [0, 7, 0],
    rows: [
      [1, 'Ô meu amigo, nós', 2],
      [3, '日本語', 4],
      [5, '😀', 6],
      [7, '\u2028\u2029', 8],
      [9, '', 10],
      [11, '\x7f\x80ÿ', 12],
    ],
    labels: ['int', 'string', 'int'],
    right: [
      ['1', '"Ô meu amigo, nós"', '2'],
      ['3', '"日本語"', '4'],
      ['5', '"😀"', '6'],
      ['7', '"\u2028\u2029"', '8'],
      ['9', '""', '10'],
      ['11', '"\x7f\x80ÿ"', '12'],
    ],
  },
  column('text that came as bytes', 'sfu-db/connector-x PR 915, planetscale/database-js#165', 7, 'string', [
    [hex('616263'), '"abc"'],
    [hex('c3a9', 'buffer'), '"é"'],
    [hex('', 'buffer'), '""'],
    [hex('61ff62', 'view'), '"a\ufffdb"'],
    [hex('f09f9880'), '"😀"'],
    [hex('e282'), '"\ufffd"'],
  ], { dialects: SERVERS }),
  column('BIT as bytes', 'sidorares/node-mysql2#350, mysqljs/mysql#1607', 13, 'bytes', [
    [hex('01', 'buffer'), '"AQ=="'],
    [hex('00', 'buffer'), '"AA=="'],
    [hex('aa', 'buffer'), '"qg=="'],
    [hex('ffffffffffffffff', 'buffer'), '"//////////8="'],
    [hex('0000000000000000', 'buffer'), '"AAAAAAAAAAA="'],
  ]),
  column('TINYINT(1) keeps its numbers', 'prisma/orm#4981', 0, 'int', [[-1, '-1'], [0, '0'], [1, '1'], [2, '2'], [127, '127'], [-128, '-128'], [null, 'null']]),
  ...[-1, 2, 127].map((value) => ({
    name: `TINYINT(1) labelled bool with ${value}`,
    origin: 'prisma/quaint PR 240',
    dialects: SERVERS,
    columns: ['c'],
    types: [5],
    rows: [[1], [value]],
    error: { code: 'BOOL_INVALID', row: 1, column: 0 },
  })),

  // dates and times
  row('DATETIME and DATE are wall clock', 'sidorares/node-mysql2#2062, typeorm#5735', [
    ['d', 8, '2026-08-24', 'date', '"2026-08-24"'],
    ['t', 10, '2026-08-24 12:34:56.123456', 'datetime', '"2026-08-24T12:34:56.123456+00:00"'],
    ['m', 10, '2026-08-24 00:00:00', 'datetime', '"2026-08-24T00:00:00+00:00"'],
  ]),
  column('DATE is never moved by a zone', 'mysqljs/mysql#291', 8, 'date', [
    ['2026-08-24', '"2026-08-24"'],
    ['2026-08-24T00:30:00+05:00', '"2026-08-24"'],
    ['2026-08-24T23:30:00-05:00', '"2026-08-24"'],
    ['2026-08-24 23:59:59', '"2026-08-24"'],
    [date(1787529600000), '"2026-08-24"'],
  ]),
  column('zero dates', 'prisma/orm#5006', 10, 'datetime', [
    ['0000-00-00 00:00:00', '"0000-00-00 00:00:00"'],
    ['2024-02-29 00:00:00', '"2024-02-29T00:00:00+00:00"'],
    ['2024-00-15 01:02:03', '"2024-00-15 01:02:03"'],
    ['2024-05-00 00:00:00.000000', '"2024-05-00 00:00:00.000000"'],
  ], { dialects: MY }),
  column('zero dates without a time', 'prisma/orm#5006', 8, 'date', [
    ['0000-00-00', '"0000-00-00"'],
    ['2024-00-00', '"2024-00-00"'],
    ['2024-12-31', '"2024-12-31"'],
  ], { dialects: MY }),
  column('MySQL durations', 'values.md: time', 9, 'time', [
    ['838:59:59', '"838:59:59"'],
    ['-838:59:59.000000', '"-838:59:59.000000"'],
    ['-00:00:01', '"-00:00:01"'],
    ['24:00:01', '"24:00:01"'],
    ['12:34:56.500000', '"12:34:56.500"'],
  ], { dialects: MY }),
  column('timestamp without a zone', 'brianc/node-postgres#993, node-pg-types#12', 10, 'datetime', [
    ['2026-08-24 12:34:56.123456', '"2026-08-24T12:34:56.123456+00:00"'],
    ['2026-08-24T12:34:56.123456+00:00', '"2026-08-24T12:34:56.123456+00:00"'],
    ['2026-08-24T12:34:56', '"2026-08-24T12:34:56+00:00"'],
    [date(1787574896123), '"2026-08-24T12:34:56.123+00:00"'],
  ]),
  column('timestamptz with any offset is the instant', 'prisma/orm#26786, prisma/orm#28629', 10, 'datetime', [
    ['2025-11-24 10:26:34.887654-05', '"2025-11-24T15:26:34.887654+00:00"'],
    ['2025-11-24 15:26:34.887654+00', '"2025-11-24T15:26:34.887654+00:00"'],
    ['2025-11-24 20:56:34.887654+05:30', '"2025-11-24T15:26:34.887654+00:00"'],
    ['2025-11-24 20:56:34.887654+0530', '"2025-11-24T15:26:34.887654+00:00"'],
    ['2025-11-25 04:26:34.887654+13', '"2025-11-24T15:26:34.887654+00:00"'],
    ['2025-01-01 00:30:00+01', '"2024-12-31T23:30:00+00:00"'],
    ['2024-12-31 23:30:00-01', '"2025-01-01T00:30:00+00:00"'],
    ['2024-02-28 23:30:00-01', '"2024-02-29T00:30:00+00:00"'],
    ['2023-02-28 23:30:00-01', '"2023-03-01T00:30:00+00:00"'],
  ]),
  column('timestamptz array', 'prisma/orm#26786', 74, 'datetime-array', [
    [['2025-11-24 10:26:34.887-05', null], '["2025-11-24T15:26:34.887+00:00",null]'],
    ['{"2025-11-24 10:26:34.887-05",NULL,infinity}', '["2025-11-24T15:26:34.887+00:00",null,"infinity"]'],
  ], { dialects: PG }),
  column('microseconds', 'brianc/node-postgres#1200, supabase#7154', 10, 'datetime', [
    ['2017-02-07 19:53:43.242999+00', '"2017-02-07T19:53:43.242999+00:00"'],
    ['2017-02-07 19:53:43.2', '"2017-02-07T19:53:43.200+00:00"'],
    ['2017-02-07 19:53:43.24', '"2017-02-07T19:53:43.240+00:00"'],
    ['2017-02-07 19:53:43.242', '"2017-02-07T19:53:43.242+00:00"'],
    ['2017-02-07 19:53:43.2429', '"2017-02-07T19:53:43.242900+00:00"'],
    ['2017-02-07 19:53:43.2429999', '"2017-02-07T19:53:43.242999900+00:00"'],
    ['2017-02-07 19:53:43.242999999', '"2017-02-07T19:53:43.242999999+00:00"'],
    ['2017-02-07 19:53:43.000000', '"2017-02-07T19:53:43+00:00"'],
  ]),
  column('time of day', 'prisma/orm#2734, prisma/orm#22628', 9, 'time', [
    ['23:59:59.999999', '"23:59:59.999999"'],
    ['24:00:00', '"24:00:00"'],
    ['00:00:00', '"00:00:00"'],
    ['12:34:56.1', '"12:34:56.100"'],
  ]),
  column('infinity spares the other rows', 'prisma/orm#26786', 10, 'datetime', [
    ['infinity', '"infinity"'],
    ['-infinity', '"-infinity"'],
    ['infinity+00:00', '"infinity"'],
    ['2024-02-29 00:00:00+00', '"2024-02-29T00:00:00+00:00"'],
  ]),
  row('BC dates', 'brianc/node-postgres#424, rails#15521', [
    ['a', 8, '0044-03-15 BC', 'date', '"-000043-03-15"'],
    ['b', 10, '0044-03-15 12:00:00 BC', 'datetime', '"-000043-03-15T12:00:00+00:00"'],
    ['c', 10, '0001-01-01 00:00:00+00 BC', 'datetime', '"0000-01-01T00:00:00+00:00"'],
    ['d', 10, '0044-03-15T12:00:00 BC+00:00', 'datetime', '"-000043-03-15T12:00:00+00:00"'],
    ['e', 10, '4714-11-24 00:00:00+00 BC', 'datetime', '"-004713-11-24T00:00:00+00:00"'],
    ['f', 8, '0005-02-29 BC', 'date', '"-000004-02-29"'],
  ]),
  row('years past 9999', 'values.md: datetime', [
    ['a', 8, '12345-06-07', 'date', '"+012345-06-07"'],
    ['b', 10, '12345-06-07 00:00:00', 'datetime', '"+012345-06-07T00:00:00+00:00"'],
    ['c', 10, '294276-12-31 23:59:59.999999', 'datetime', '"+294276-12-31T23:59:59.999999+00:00"'],
    ['d', 10, '+010000-01-01T00:00:00.000Z', 'datetime', '"+010000-01-01T00:00:00+00:00"'],
    ['e', 8, '9999-12-31', 'date', '"9999-12-31"'],
  ]),
  column('offsets with seconds', 'node-pg-types#6, moment/luxon#1647', 10, 'datetime', [
    ['1883-11-18 07:03:58-04:56:02', '"1883-11-18T12:00:00+00:00"'],
    ['1850-01-01T05:53:28+05:53:28', '"1850-01-01T00:00:00+00:00"'],
  ]),
  column('timetz keeps its offset', 'prisma/orm#7916, prisma/orm#7917', 9, 'string', [
    ['12:00:00.5-05:30', '"12:00:00.5-05:30"'],
    ['12:00:00+00', '"12:00:00+00"'],
    ['12:00:00+05:30:15', '"12:00:00+05:30:15"'],
    ['13:00:00', '"13:00:00"'],
    ['13:00:00.10', '"13:00:00.10"'],
    [null, 'null'],
  ]),
  column('timetz array keeps its offsets', 'prisma/orm#7916', 73, 'string-array', [
    [['12:00:00.5-05:30', null], '["12:00:00.5-05:30",null]'],
    ['{13:00:00,12:00:00.50+00}', '["13:00:00","12:00:00.50+00"]'],
  ], { dialects: PG }),

  // JSON
  column('JSON as text', 'prisma/orm#26075, prisma/orm#28168', 11, 'json', [
    ['{"a": 1}', '{"a": 1}'],
    ['{"v":"açaí - привет"}', '{"v":"açaí - привет"}'],
    ['[1,2]', '[1,2]'],
    [null, 'null'],
  ]),
  column('JSON already parsed', 'sidorares/node-mysql2#1287', 11, 'json', [
    [{ $object: [['a', 1]] }, '{"a":1}'],
    [[1, 2], '[1,2]'],
    [5, '5'],
    [true, 'true'],
    [{ $map: [['b', [null]]] }, '{"b":[null]}'],
  ]),
  column('JSON is decoded once', 'sequelize PR 14800, surrealdb/crud-bench PR 241', 11, 'json', [
    ['"123"', '"123"'],
    ['"{\\"a\\":1}"', '"{\\"a\\":1}"'],
    ['123', '123'],
    ['null', 'null'],
    [123, '123'],
    [{ $object: [['a', '{"b":1}']] }, '{"a":"{\\"b\\":1}"}'],
    [{ $object: [['a', 'null'], ['b', null]] }, '{"a":"null","b":null}'],
  ]),
  {
    name: 'the JSON null and NULL differ as JSON text',
    origin: 'prisma/orm PR 27515',
    flags: ['jsontext'],
    columns: ['a', 'b'],
    types: [11, 11],
    rows: [['null', null]],
    labels: ['json', 'json'],
    right: [['"null"', 'null']],
  },
  column('JSON numbers keep their digits', 'values.md: json', 11, 'json', [
    ['9007199254740993', '9007199254740993'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['1.50', '1.50'],
    ['1E400', '1E400'],
    ['{"a":1,"a":2}', '{"a":1,"a":2}'],
    ['"\\ud800"', '"\\ud800"'],
  ]),

  // MySQL and MariaDB
  row('SET as a list, ENUM as text', 'observed: adapter-mariadb 7.10.0', [
    ['s', 7, ['x', 'z'], 'string', '"x,z"'],
    ['t', 7, [], 'string', '""'],
    ['u', 14, ['x', 'y', 'z'], 'string', '"x,y,z"'],
    ['v', 14, 'x,z', 'string', '"x,z"'],
    ['w', 14, '', 'string', '""'],
    ['x', 14, null, 'string', 'null'],
    ['e', 12, 'b,c', 'enum', '"b,c"'],
    ['f', 12, '', 'enum', '""'],
    ['g', 12, null, 'enum', 'null'],
  ], { dialects: MY }),
  column('YEAR', 'MaterializeInc/materialize PR 36649', 0, 'int', [[0, '0'], ['0000', '0'], [1901, '1901'], ['2155', '2155']]),
  column('geometry as bytes', 'sidorares/node-mysql2#2959, sequelize PR 11763', 13, 'bytes', [
    [hex('e61000000101000000000000000000f03f0000000000000040', 'buffer'), '"5hAAAAEBAAAAAAAAAAAA8D8AAAAAAAAAQA=="'],
    [hex('00000000010700000000000000', 'buffer'), '"AAAAAAEHAAAAAAAAAA=="'],
    [null, 'null'],
  ]),
  {
    name: 'the result of CALL is no table',
    origin: 'prisma/orm#21383, mysqljs/mysql#1678',
    columns: [],
    types: [],
    rows: [[[1, 2]], [[3]], [0, '0', 0]],
    error: { code: 'ROW_LENGTH', row: 0 },
  },

  // PostgreSQL arrays and texts
  column('array literals with bounds', 'bendrucker/postgres-array#2, lib/pq#1128', 64, 'int-array', [
    ['[0:2]={1,2,3}', '[1,2,3]'],
    ['[1:1][-2:-1]={{1,2}}', '[[1,2]]'],
    ['{}', '[]'],
    ['{{1,2},{3,null}}', '[[1,2],[3,null]]'],
    ['{NULL}', '[null]'],
    [[1, 2, 3], '[1,2,3]'],
  ], { dialects: PG }),
  column('array literals: NULL and quotes', 'brianc/node-postgres PR 103, postgres-array#17', 71, 'string-array', [
    ['{"NULL","null",Nox,""," ","{","}",NULL,null}', '["NULL","null","Nox",""," ","{","}",null,null]'],
  ], { dialects: PG }),
  column('array literals: commas, quotes, backslashes', 'brianc/node-postgres#99, drizzle-orm PR 6181', 71, 'string-array', [
    ['{"b,c","q\\"x","back\\\\slash","c:\\\\temp\\\\x",a\'b,"new\nline"}', '["b,c","q\\"x","back\\\\slash","c:\\\\temp\\\\x","a\'b","new\\nline"]'],
    [['b,c', 'q"x', 'back\\slash', 'c:\\temp\\x', "a'b", 'new\nline'], '["b,c","q\\"x","back\\\\slash","c:\\\\temp\\\\x","a\'b","new\\nline"]'],
  ], { dialects: PG }),
  row('enum arrays and domains as the adapter labels them', 'brianc/node-postgres#691, prisma/orm#28623', [
    ['a', 7, '{ok,"very, happy"}', 'string', '"{ok,\\"very, happy\\"}"'],
    ['b', 76, '{ok,"very, happy"}', 'string-array', '["ok","very, happy"]'],
    ['c', 64, '{5,6}', 'int-array', '[5,6]'],
    ['d', 71, '{AbC}', 'string-array', '["AbC"]'],
    ['e', 0, 5, 'int', '5'],
    ['f', 76, ['ok', null], 'string-array', '["ok",null]'],
    ['g', 70, '{a,b}', 'char-array', '["a","b"]'],
  ], { dialects: PG }),
  row('composites and records as text', 'prisma/orm#10448', [
    ['a', 7, '(1,"a ""q"", b",1.50)', 'string', '"(1,\\"a \\"\\"q\\"\\", b\\",1.50)"'],
    ['b', 7, '{"(1,x,)"}', 'string', '"{\\"(1,x,)\\"}"'],
    ['c', 7, '(1,,"a b")', 'string', '"(1,,\\"a b\\")"'],
    ['d', 71, '{"(1,x,)"}', 'string-array', '["(1,x,)"]'],
  ], { dialects: PG }),
  column('ranges and multiranges as text', 'martianboy/postgres-range#2', 7, 'string', [
    ['[1,5)', '"[1,5)"'],
    ['empty', '"empty"'],
    ['(,)', '"(,)"'],
    ['["2026-01-01 00:00:00+00",)', '"[\\"2026-01-01 00:00:00+00\\",)"'],
    ['["2026-01-01 00:00:00",infinity)', '"[\\"2026-01-01 00:00:00\\",infinity)"'],
    ['{[1,3),[5,7)}', '"{[1,3),[5,7)}"'],
  ]),
  row('every type has a text', 'prisma/orm#12864, prisma/orm#5034', [
    ['point', 7, '(1.5,2)', 'string', '"(1.5,2)"'],
    ['tsvector', 7, "'a':1 'b':2", 'string', `"'a':1 'b':2"`],
    ['interval', 7, '1 day', 'string', '"1 day"'],
    ['macaddr', 7, '08:00:2b:01:02:03', 'string', '"08:00:2b:01:02:03"'],
    ['regclass', 7, 'pg_class', 'string', '"pg_class"'],
    ['pg_lsn', 7, '16/B374D848', 'string', '"16/B374D848"'],
    ['char', 6, 'x', 'char', '"x"'],
    ['xid8', 1, '18446744073709551615', 'bigint', '"18446744073709551615"'],
    ['jsonpath', 7, '$."a"', 'string', '"$.\\"a\\""'],
    ['inet', 7, '192.168.0.1/24', 'string', '"192.168.0.1/24"'],
    ['oid', 1, 4294967295, 'bigint', '"4294967295"'],
    ['bpchar', 7, 'ab   ', 'string', '"ab   "'],
    ['empty char', 6, '', 'char', '""'],
  ]),
  row('void', 'prisma/orm#3530', [['pg_sleep', 7, '', 'string', '""']]),
  {
    name: 'binary cells that were decoded as text are not numbers',
    origin: 'brianc/node-postgres#3495',
    dialects: SERVERS,
    columns: ['c'],
    types: [4],
    rows: [['1.1000'], ['\0\x02\0\0\0\0\0\x04\0\x01\x03\ufffd']],
    error: { code: 'DECIMAL_INVALID', row: 1, column: 0 },
  },

  // shape
  {
    name: 'duplicate column names',
    origin: 'cloudflare/workers-sdk#3160, drizzle-orm#555',
    columns: ['id', 'id'],
    types: [0, 0],
    rows: [[1, 2]],
    labels: ['int', 'int'],
    right: [['1', '2']],
  },
  {
    name: 'unnamed columns',
    origin: 'tursodatabase/libsql-js#116',
    columns: ['?column?', '?column?'],
    types: [0, 7],
    rows: [[1, 'a']],
    labels: ['int', 'string'],
    right: [['1', '"a"']],
  },
  {
    name: 'columns and types without rows',
    origin: 'brianc/node-postgres#1132, apache/pinot#6962',
    columns: ['a', 'b', 'n'],
    types: [1, 7, 128],
    rows: [],
    labels: ['bigint', 'string', 'unknown'],
    right: [],
  },
  { name: 'no columns, no rows', origin: 'cockroachdb/cockroach#13725', columns: [], types: [], rows: [], labels: [], right: [] },
  { name: 'no columns, one row', origin: 'cockroachdb/cockroach#13725', columns: [], types: [], rows: [[]], labels: [], right: [[]] },
  { name: 'no columns, two rows', origin: 'cockroachdb/cockroach PR 13765', columns: [], types: [], rows: [[], []], labels: [], right: [[], []] },
  {
    name: 'an array literal in a text column is untouched',
    origin: 'prisma/orm#28623',
    columns: ['c'],
    types: [7],
    rows: [['{a,b}'], ['[0:1]={a,b}']],
    labels: ['string'],
    right: [['"{a,b}"'], ['"[0:1]={a,b}"']],
  },
].flat()
