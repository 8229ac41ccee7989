// What drivers make of the same row looks different: a timestamp is a Date here and a text there. This brings the
// columns of the tables in pg-tables.sql into one form, so that results can be compared before they are timed.

const canonical = {
  integer: (value) => String(value),
  text: (value) => value,
  boolean: (value) => value,
  float: (value) => Number(value),
  // For what mysql2 reads from text: its numbers differ in the last digit from what the server says.
  about: (value) => Number(value).toPrecision(14),
  decimal: (value) => String(value).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''),
  // Milliseconds are what a Date keeps. A text without a zone is UTC: the processes run with TZ=UTC.
  timestamp: (value) => {
    if (value instanceof Date) return value.getTime()
    const text = value.replace(' ', 'T').replace(/(:.*[+-]\d\d)$/, '$1:00')
    return Date.parse(/Z$|:.*[+-]/.test(text) ? text : `${text}Z`)
  },
  date: (value) => (value instanceof Date ? value.toISOString() : String(value)).slice(0, 10),
  time: (value) => (value instanceof Date ? value.toISOString().slice(11, 23) : value).replace(/\.0+$|(\.\d*?)0+$/, '$1'),
  json: (value) => sortedKeys(typeof value === 'string' ? JSON.parse(value) : value),
  texts: (value) => JSON.stringify(value),
  // Some drivers make a list of it.
  set: (value) => String(value),
  integers: (value) => JSON.stringify(Array.from(value, Number)),
  // Also what JSON.stringify and PostgreSQL make of bytes.
  bytes: (value) => {
    if (typeof value !== 'string') return Buffer.from(value.data ?? value).toString('hex')
    return value.startsWith('\\x') ? value.slice(2) : Buffer.from(value, 'base64').toString('hex')
  },
}

function sortedKeys(value) {
  if (Array.isArray(value)) return value.map(sortedKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sortedKeys(value[key])]))
}

export const columns = {
  Movie: { id: 'integer', title: 'text', year: 'integer', description: 'text' },
  Wide: {
    id: 'integer', u: 'text', tz: 'timestamp', ts: 'timestamp', d: 'date', t: 'time', n: 'decimal', f: 'float', b: 'boolean', s: 'integer',
    j: 'json', ta: 'texts', ia: 'integers', raw: 'bytes', a: 'text', z: 'text',
  },
  WideMySQL: {
    id: 'integer', u: 'text', ts: 'timestamp', dt: 'timestamp', d: 'date', t: 'time', n: 'decimal', f: 'about', b: 'integer', s: 'integer', y: 'integer',
    e: 'text', st: 'set', j: 'json', raw: 'bytes', a: 'text', z: 'text',
  },
}

/** Returns functions that make one text of the rows of a table (of every seventh, and their number), for objects and for arrays. */
export function comparable(table) {
  const names = Object.keys(columns[table])
  const forms = Object.values(columns[table]).map((type) => canonical[type])
  const ofCells = (cells) => JSON.stringify(cells.map((cell, i) => (cell === null ? null : forms[i](cell))))
  const some = (rows, form) => `${rows.length}\n${rows.filter((_, i) => i % 7 === 0).map(form).join('\n')}`
  const arrays = (rows) => some(rows, ofCells)
  const objects = (rows) => some(rows, (row) => ofCells(names.map((name) => row[name])))
  return { arrays, objects }
}
