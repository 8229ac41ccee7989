// An HTTP server that sends the rows of a query while the database still finds them: memory stays flat, a slow client
// slows the database down, and a client that goes away ends the query.
//
//   DATABASE_URL=postgres://… node examples/http-server.mjs [port]
//   curl --compressed 'http://localhost:8080/numbers?count=1000000'
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
import { createGzip } from 'node:zlib'
import pg from 'pg'
import { connect } from 'rowjet/pg'

/** The queries that there are, by path: SQL, and its parameters from the address. */
const queries = {
  '/numbers': (search) => ['SELECT i AS id, i * i::int8 AS square FROM generate_series(1, $1::int) i', [search.get('count') ?? '10']],
}

/** Answers requests with what `db` gives. */
export function handler(db, routes = queries) {
  return async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost')
    const route = Object.hasOwn(routes, pathname) ? routes[pathname] : undefined
    if (route === undefined) {
      response.writeHead(404).end()
      return
    }
    const rows = Readable.fromWeb(db.stream(...route(searchParams), { shape: 'objects' }))
    try {
      // The query runs from here on. What is wrong with it shows before anything is sent.
      await readable(rows)
    } catch (error) {
      console.error(error)
      response.writeHead(500).end()
      return
    }
    const gzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    response.writeHead(200, { 'content-type': 'application/json', vary: 'accept-encoding', ...(gzip && { 'content-encoding': 'gzip' }) })
    try {
      await (gzip ? pipeline(rows, createGzip(), response) : pipeline(rows, response))
    } catch (error) {
      // An error on the way breaks the connection off, so that no client takes the part for the whole. A client that
      // has gone is none.
      if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') console.error(error)
    }
  }
}

function readable(stream) {
  return new Promise((resolve, reject) => stream.once('readable', resolve).once('error', reject))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
  pool.on('error', console.error)
  const server = createServer(handler(await connect(pool)))
  server.listen(Number(process.argv[2] ?? 8080), () => console.log(`http://localhost:${server.address().port}/numbers?count=1000000`))
}
