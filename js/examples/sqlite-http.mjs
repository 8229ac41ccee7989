// Serves a SQLite file over HTTP as JSON, read-only. Rows are streamed: memory does not depend on their number, and a slow
// client slows the query down. It takes any query, so it listens on loopback only: what can reach it is trusted.
//
//   node sqlite-http.mjs app.db [port]
//
//   GET /                            the tables and views
//   GET /users                       all rows of one, as a JSON array of objects
//   GET /users?shape=ndjson          or `array`: {"columns":[…],"types":[…],"rows":[…]}
//   GET /users?limit=10&offset=20
//   GET /?sql=SELECT+:n+AS+n&n=5     a query, with parameters by name
import { once } from 'node:events'
import { createServer } from 'node:http'
import { argv } from 'node:process'
import { pathToFileURL } from 'node:url'
import { connect } from 'rowjet/better-sqlite3'

const contentTypes = { array: 'application/json', objects: 'application/json', ndjson: 'application/x-ndjson' }
const tables = "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name"

/** Starts a server on loopback; port 0 is any that is free. Gives its URL, and a function that ends it. */
export async function serve(file, port = 0) {
  const db = await connect(file, { open: { readonly: true, fileMustExist: true } })
  const server = createServer((request, response) => {
    answer(db, request, response).catch((error) => {
      // What was sent can't be taken back; a connection that breaks off is not mistaken for the end of the document.
      if (response.headersSent) response.destroy()
      else send(response, error.status ?? statusOf(error), { error: error.message })
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await db.close()
    },
  }
}

async function answer(db, request, response) {
  if (request.method !== 'GET') throw failure(405, 'only GET')
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  const { shape = 'objects', ...more } = Object.fromEntries(searchParams)
  if (!Object.hasOwn(contentTypes, shape)) throw failure(400, `the shape is array, objects or ndjson, not ${shape}`)
  const { sql, params } = await queryOf(db, decodeURIComponent(pathname.slice(1)), more)

  // A client that goes away ends the query.
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const reader = db.stream(sql, params, { shape, signal: gone.signal }).getReader()
  let piece = await reader.read() // an error up to here has a status of its own
  response.writeHead(200, { 'content-type': contentTypes[shape] })
  for (; !piece.done; piece = await reader.read()) {
    if (!response.write(piece.value)) await once(response, 'drain', { signal: gone.signal })
  }
  response.end()
}

async function queryOf(db, name, { sql, limit = '-1', offset = '0', ...params }) {
  if (name === '') return sql === undefined ? { sql: tables, params: [] } : { sql, params }
  const found = await db.queryRaw(`SELECT 1 FROM (${tables}) WHERE name = ?`, [name])
  if (found.rowCount === 0) throw failure(404, `there is no table ${name}`)
  // A name can't be a parameter.
  return { sql: `SELECT * FROM "${name.replaceAll('"', '""')}" LIMIT CAST(? AS INTEGER) OFFSET CAST(? AS INTEGER)`, params: [limit, offset] }
}

function failure(status, message) {
  return Object.assign(new Error(message), { status })
}

/** Errors of SQLite, and of the driver about parameters, are the client's. */
function statusOf(error) {
  return error.name === 'SqliteError' || error instanceof RangeError || error instanceof TypeError ? 400 : 500
}

function send(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  const [file, port = '8080'] = argv.slice(2)
  if (file === undefined) {
    console.error('usage: node sqlite-http.mjs <file> [port]')
    process.exit(2)
  }
  const { url } = await serve(file, Number(port))
  console.log(url)
}
