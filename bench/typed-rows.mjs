// Typed rows: of a result set; and, with a PostgreSQL server, of queries against node-postgres and postgres.js. Prints
// ratios of one run.
//
//   node --expose-gc typed-rows.mjs [--once]
//   ../scripts/servers.sh node --expose-gc typed-rows.mjs [--once]
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createEngine } from '../js/dist/postgres.node.js'
import { rowDecoder } from '../js/dist/rows.js'
import { columnNames, columnTypes, movies } from './movies.mjs'
import { goal, machine, median, race, table } from './race.mjs'

const once = process.argv.includes('--once')
const rounds = once ? 1 : Number(process.env.ROUNDS ?? 15)
machine()

console.log('50,000 rows of a result set → object rows')
const engine = await createEngine()
const resultSet = { columnNames, columnTypes, rows: movies(50_000) }

/** What rows() would be without columns. */
function plain(resultSet) {
  const result = engine.serialize(resultSet)
  const { columns, types, rows } = JSON.parse(result.text())
  rowDecoder(columns, types).decode(rows)
  return rows.map((row) => {
    const object = {}
    for (let c = 0; c < columns.length; c++) object[columns[c]] = row[c]
    return object
  })
}

const values = await race(
  {
    'serialize().rows()': () => engine.serialize(resultSet).rows(),
    'serialize().arrays()': () => engine.serialize(resultSet).arrays(),
    'serialize()': () => engine.serialize(resultSet),
    'serialize, JSON.parse, plain decoding': () => plain(resultSet),
  },
  rounds,
)
table(values)
goal('rows() of the plain way', median(values['serialize().rows()']) / median(values['serialize, JSON.parse, plain decoding']), 0.5)

const url = process.env.ROWJET_POSTGRES_URL
if (url === undefined) {
  console.log('\nNo server: set ROWJET_POSTGRES_URL, or run with scripts/servers.sh, for the queries.')
} else {
  await queries(url)
}

async function queries(url) {
  const require = createRequire(new URL('../js/package.json', import.meta.url))
  const { default: pg } = await import(require.resolve('pg'))
  const { default: postgres } = await import(require.resolve('postgres'))
  const { connect } = await import('../js/dist/pg.js')
  const client = new pg.Client(url)
  await client.connect()
  await client.query(readFileSync(new URL('../js/bench/pg-tables.sql', import.meta.url), 'utf8'))
  const sql = postgres(url, { max: 1 })
  const own = new pg.Client(url)
  await own.connect()
  const db = await connect(own)
  const names = ['Movie', 'Wide']
  const ways = {}
  for (const name of names) {
    const text = `SELECT * FROM "${name}"`
    ways[`${name}: queryRaw + rows()`] = async () => (await db.queryRaw(text)).rows()
    ways[`${name}: queryRaw + arrays()`] = async () => (await db.queryRaw(text)).arrays()
    ways[`${name}: pg`] = async () => (await client.query(text)).rows
    ways[`${name}: pg, rowMode array`] = async () => (await client.query({ text, rowMode: 'array' })).rows
    ways[`${name}: postgres.js`] = () => sql.unsafe(text)
    ways[`${name}: postgres.js, values()`] = () => sql.unsafe(text).values()
  }
  console.log('\nQueries of 50,000 rows')
  const times = await race(ways, rounds)
  table(times)
  const time = (name) => median(times[name])
  for (const [name, limit] of [['Movie', 0.62], ['Wide', 0.38]]) {
    goal(`${name}: rows() of pg`, time(`${name}: queryRaw + rows()`) / time(`${name}: pg`), limit)
    goal(`${name}: arrays() of pg, rowMode array`, time(`${name}: queryRaw + arrays()`) / time(`${name}: pg, rowMode array`), limit)
    goal(`${name}: rows() of postgres.js`, time(`${name}: queryRaw + rows()`) / time(`${name}: postgres.js`), 0.6)
    goal(`${name}: arrays() of postgres.js, values()`, time(`${name}: queryRaw + arrays()`) / time(`${name}: postgres.js, values()`), 0.6)
  }
  await Promise.all([client.end(), own.end(), sql.end()])
}
