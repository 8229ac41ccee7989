// Fills a PostgreSQL, MySQL or MariaDB with data of any size, the same each time: ROWS movies, half as many persons, a
// fifth as many users, three times as many reviews. Tables that are there already are an error, or replaced if so told.
//
//   node seed.mjs URL ROWS [--replace]
import { fileURLToPath } from 'node:url'
import { eachMovie, generator } from './movies.mjs'

const given = ['Ada', 'Björn', 'Chiara', 'Dmitri', 'Élodie', 'Farid', 'Grace', 'Hiroshi', 'Ines', 'João', 'Kamala', 'Łukasz', 'Mei', 'Nadia', 'Oskar', 'Priya']
const family = ['Almeida', 'Berg', 'Castillo', 'Dubois', 'Eriksen', 'Fischer', 'García', 'Haddad', 'Ito', 'Jensen', 'Kowalska', 'Lindqvist', 'Moreau', 'Novák', 'Okafor', 'Petrov']
const praise = ['I was moved by every minute', 'The sound alone is worth a ticket', 'A slow start, then nobody breathes', 'Not for me', '“Again!”, said my daughter 🎬', 'The ending is a riddle']
const day = 86_400_000

const date = (n) => new Date(Date.UTC(1920, 0, 1) + n * day).toISOString().slice(0, 10)
const instant = (seconds) => new Date(1.2e12 + seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')

function* eachPerson(count) {
  const pick = generator(7)
  const of = (list) => list[pick(list.length)]
  for (let id = 1; id <= count; id++) yield [id, `${of(given)} ${of(family)}`, date(pick(30_000)), pick(5) === 0 ? null : `Works in film since ${1940 + pick(80)}.`]
}

function* eachUser(count) {
  const pick = generator(11)
  const of = (list) => list[pick(list.length)]
  for (let id = 1; id <= count; id++) {
    const name = `${of(given)} ${of(family)}`
    yield [id, name, `user${id}@example.com`, instant(pick(600_000_000)), pick(3) > 0, `{"pages": ${10 + pick(90)}, "theme": "${of(['dark', 'light'])}"}`]
  }
}

function* eachReview(count, movies, users) {
  const pick = generator(13)
  for (let id = 1; id <= count; id++) {
    yield [id, 1 + pick(movies), 1 + pick(users), 1 + pick(10), `${praise[pick(praise.length)]}, ${praise[pick(praise.length)]}.`, `${pick(30)}.${String(pick(100)).padStart(2, '0')}`, instant(pick(600_000_000))]
  }
}

/** The tables, in an order that foreign keys allow: the columns with their types, the number of rows, and the rows. */
export function tables(movies) {
  const persons = Math.ceil(movies / 2)
  const users = Math.ceil(movies / 5)
  return {
    Movie: { columns: { id: 'int', title: 'text', year: 'int', description: 'text' }, count: movies, rows: eachMovie(movies) },
    Person: { columns: { id: 'int', name: 'text', born: 'date', biography: 'text?' }, count: persons, rows: eachPerson(persons) },
    User: { columns: { id: 'int', name: 'text', email: 'text', joined: 'time', verified: 'bool', settings: 'json' }, count: users, rows: eachUser(users) },
    Review: {
      columns: { id: 'int', movie: 'int → Movie', user: 'int → User', rating: 'int', text: 'text', price: 'decimal', written: 'time' },
      count: 3 * movies, rows: eachReview(3 * movies, movies, users),
    },
  }
}

const types = {
  postgres: { int: 'int', text: 'text', date: 'date', time: 'timestamp', bool: 'boolean', json: 'jsonb', decimal: 'numeric(10,2)' },
  mysql: { int: 'int', text: 'text', date: 'date', time: 'datetime', bool: 'boolean', json: 'json', decimal: 'decimal(10,2)' },
}

function* batches(rows, size) {
  let batch = []
  for (const row of rows) {
    if (batch.push(row) === size) {
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}

/** What the two kinds of servers do in their own way. */
async function database(url) {
  const { protocol } = new URL(url)
  if (protocol === 'postgres:' || protocol === 'postgresql:') {
    const { default: pg } = await import('pg')
    const client = new pg.Client(url)
    await client.connect()
    return {
      dialect: 'postgres',
      quote: (name) => `"${name}"`,
      run: (sql) => client.query(sql),
      insert(table, columns, batch) {
        const types = Object.values(columns).map((type) => `${type}[]`)
        return client.query(`INSERT INTO "${table}" SELECT * FROM unnest(${types.map((type, i) => `$${i + 1}::${type}`).join(', ')})`, types.map((_, i) => batch.map((row) => row[i])))
      },
      end: () => client.end(),
    }
  }
  if (protocol === 'mysql:' || protocol === 'mariadb:') {
    const { default: mariadb } = await import('mariadb')
    const { hostname: host, port, username, password, pathname } = new URL(url)
    const connection = await mariadb.createConnection({
      host, port: Number(port || 3306), user: decodeURIComponent(username), password: decodeURIComponent(password), database: decodeURIComponent(pathname.slice(1)), charset: 'utf8mb4',
    })
    return {
      dialect: 'mysql',
      quote: (name) => `\`${name}\``,
      run: (sql) => connection.query(sql),
      insert: (table, columns, batch) => connection.batch(`INSERT INTO \`${table}\` VALUES (${Object.keys(columns).map(() => '?').join(', ')})`, batch),
      end: () => connection.end(),
    }
  }
  throw new Error(`a URL of PostgreSQL, MySQL or MariaDB is wanted, not ${protocol}`)
}

/** Makes the tables and fills them. `told` is called after each. */
export async function seed(url, movies, { replace = false, told = () => {} } = {}) {
  const db = await database(url)
  const { quote, dialect } = db
  try {
    const all = Object.entries(tables(movies))
    if (replace) for (const [table] of [...all].reverse()) await db.run(`DROP TABLE IF EXISTS ${quote(table)}`)
    await db.run('BEGIN')
    for (const [table, { columns, count, rows }] of all) {
      const declared = {}
      const lines = []
      for (const [name, type] of Object.entries(columns)) {
        const [base, parent] = type.replace('?', '').split(' → ')
        declared[name] = types[dialect][base]
        lines.push(`${quote(name)} ${declared[name]}${type.endsWith('?') ? '' : ' NOT NULL'}${name === 'id' ? ' PRIMARY KEY' : ''}`)
        if (parent !== undefined) lines.push(`FOREIGN KEY (${quote(name)}) REFERENCES ${quote(parent)} (id)`)
      }
      await db.run(`CREATE TABLE ${quote(table)} (${lines.join(', ')})${dialect === 'mysql' ? ' CHARACTER SET utf8mb4' : ''}`)
      for (const batch of batches(rows, 5_000)) await db.insert(table, declared, batch)
      told(table, count)
    }
    await db.run('COMMIT')
    for (const [table] of all) await db.run(dialect === 'postgres' ? `ANALYZE ${quote(table)}` : `ANALYZE TABLE ${quote(table)}`)
  } finally {
    await db.end()
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const words = process.argv.slice(2).filter((word) => word !== '--replace')
  const [url, rows = '50000'] = words
  if (!url || words.length > 2 || !/^[1-9]\d*$/.test(rows)) {
    console.error('usage: make seed URL=postgres://… ROWS=50000 [REPLACE=1]')
    process.exit(2)
  }
  try {
    await seed(url, Number(rows), { replace: process.argv.includes('--replace'), told: (table, count) => console.log(`${table}: ${count.toLocaleString('en')} rows`) })
  } catch (error) {
    // Messages of the servers name hosts and tables, and no passwords; there is nothing else to tell.
    const exists = error.code === '42P07' || error.errno === 1050
    console.error(`${error.sqlMessage ?? error.message}${exists ? ': REPLACE=1 drops the tables first' : ''}`)
    process.exit(1)
  }
}
