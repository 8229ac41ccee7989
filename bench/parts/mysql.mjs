// Queries of two tables of 50,000 rows from MariaDB, one narrow and one wide, as text and as prepared statements, by us on
// top of both drivers and by the drivers alone; then single rows by their keys. It needs ROWJET_MARIADB_URL (scripts/servers.sh).
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { connect as connectMariadb } from '../../js/dist/mariadb.js'
import { connect as connectMysql2 } from '../../js/dist/mysql2.js'
import { finish, group, many } from '../race.mjs'
import { comparable } from '../values.mjs'

// The package's own drivers.
const require = createRequire(new URL('../../js/package.json', import.meta.url))
const mysql2 = require('mysql2/promise')
const mariadb = require('mariadb')

const { hostname, port, username, password } = new URL(process.env.ROWJET_MARIADB_URL)
const database = 'rowjet_bench'
const config = { host: hostname, port: Number(port), user: decodeURIComponent(username), password: decodeURIComponent(password), timezone: 'Z' }
const encoder = new TextEncoder()
const encode = (rows) => encoder.encode(JSON.stringify(rows))
/** For the BigInts of mariadb. */
const encodeBig = (rows) => encoder.encode(JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
const parse = (bytes) => JSON.parse(new TextDecoder().decode(bytes))

const setup = await mysql2.createConnection({ ...config, multipleStatements: true })
await setup.query(`DROP DATABASE IF EXISTS ${database}; CREATE DATABASE ${database}; USE ${database}; SET time_zone = '+00:00'`)
await setup.query(readFileSync(new URL('../mysql-tables.sql', import.meta.url), 'utf8').replaceAll('50000', String(many)))

const open = []
/** Of each driver; all sessions are in UTC. */
const drivers = {
  mysql2: async () => {
    const connection = await mysql2.createConnection({ ...config, database })
    await connection.query("SET time_zone = '+00:00'")
    open.push(connection)
    return { connection, query: async (...words) => (await connection.query(...words))[0], execute: async (...words) => (await connection.execute(...words))[0] }
  },
  mariadb: async () => {
    const connection = await mariadb.createConnection({ ...config, database })
    open.push(connection)
    return { connection, query: (...words) => connection.query(...words), execute: (...words) => connection.execute(...words) }
  },
}
const plain = { mysql2: await drivers.mysql2(), mariadb: await drivers.mariadb() }

async function discard(stream) {
  let bytes = 0
  for await (const piece of stream) bytes += piece.length
  return bytes
}

for (const [kind, prepare] of [['query', false], ['execute', true]]) {
  // A connection learns how the results of a query are read: ours has one for each form.
  const own = {}
  for (const form of ['bytes', 'rows', 'stream']) {
    own[form] = {
      mysql2: await connectMysql2((await drivers.mysql2()).connection, { prepare }),
      mariadb: await connectMariadb((await drivers.mariadb()).connection, { prepare }),
    }
  }
  const how = prepare ? 'prepared' : 'text'

  for (const table of ['Movie', 'Wide']) {
    const text = `SELECT * FROM ${table}`
    const values = comparable(table === 'Wide' ? 'WideMySQL' : table)
    const ofArrays = (bytes) => values.arrays(parse(bytes).rows)
    const ofObjects = (bytes) => values.objects(parse(bytes))
    const { ratio } = await group(
      `MySQL, ${table}, ${many.toLocaleString('en')} rows, ${how}`,
      {
        bytes: {
          rowjet: { run: async () => (await own.bytes.mysql2.queryRaw(text)).bytes(), check: ofArrays },
          'rowjet, by mariadb': { run: async () => (await own.bytes.mariadb.queryRaw(text)).bytes(), check: ofArrays },
          'mysql2, JSON.stringify, encode': { run: async () => encode(await plain.mysql2[kind](text)), check: ofObjects },
          'mariadb, JSON.stringify, encode': { run: async () => encodeBig(await plain.mariadb[kind](text)), check: ofObjects, every: 2 },
        },
        rows: {
          rowjet: { run: async () => (await own.rows.mysql2.queryRaw(text)).rows(), check: values.objects },
          'rowjet, by mariadb': { run: async () => (await own.rows.mariadb.queryRaw(text)).rows(), check: values.objects },
          mysql2: { run: () => plain.mysql2[kind](text), check: values.objects },
          mariadb: { run: () => plain.mariadb[kind](text), check: values.objects },
        },
        discarded: {
          'rowjet stream': () => discard(own.stream.mysql2.stream(text)),
          'rowjet stream, by mariadb': () => discard(own.stream.mariadb.stream(text)),
        },
      },
      { seconds: table === 'Movie' ? 15 : 30, rounds: 21, warm: 1 },
    )
    const goals = table === 'Movie' ? { bytes: 0.45, rows: 0.85 } : { bytes: 0.3, rows: 0.5 }
    ratio('bytes: rowjet', 'bytes: mysql2, JSON.stringify, encode', goals.bytes)
    ratio('rows: rowjet', 'rows: mysql2', goals.rows)
  }

  // Queries for a row by its key are too short for a garbage collection ahead of each; two by two, as in the part pg.
  const text = 'SELECT * FROM Movie WHERE id = ?'
  let next = 0
  const id = () => 1 + ((next++ * 7919) % many)
  const row = ([row]) => JSON.stringify(Object.keys(row))
  for (const name of ['mysql2', 'mariadb']) {
    const single = await group(
      `MySQL, one row by its key, ${how}, by ${name}`,
      {
        rows: {
          rowjet: { run: async () => (await own.rows[name].queryRaw(text, [id()])).rows(), check: row },
          [name]: { run: () => plain[name][kind](text, [id()]), check: row },
        },
      },
      { seconds: 3, rounds: 3000, collect: false, warm: 1500 },
    )
    single.ratio('rows: rowjet', `rows: ${name}`, 1.05)
  }
}

const [{ version }] = await plain.mysql2.query('SELECT VERSION() AS version')
await setup.query(`DROP DATABASE ${database}`)
for (const connection of [setup, ...open]) await connection.end()
await finish({ MariaDB: version.split('-')[0], mysql2: require('mysql2/package.json').version, mariadb: '3.5.4' })
