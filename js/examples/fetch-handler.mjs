// A handler of the kind that Deno, Bun, Cloudflare Workers and many frameworks take: a Request in, a Response out.
//
//   import { handler } from './fetch-handler.mjs'
//   Deno.serve(handler(await connect(pool)))

/** Answers requests with what `db` gives: `GET /numbers?count=5`. */
export function handler(db) {
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname !== '/numbers') return new Response(null, { status: 404 })
    const sql = 'SELECT i AS id, i * i::int8 AS square FROM generate_series(1, $1::int) i'
    // The signal ends the query when the client goes away, also while the database still looks for the first row.
    const rows = db.stream(sql, [searchParams.get('count') ?? '10'], { shape: 'ndjson', signal: request.signal })
    let body
    try {
      body = await begun(rows)
    } catch (error) {
      console.error(error)
      return new Response(null, { status: 500 })
    }
    const headers = { 'content-type': 'application/x-ndjson', vary: 'accept-encoding' }
    if (!/\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')) return new Response(body, { headers })
    return new Response(body.pipeThrough(new CompressionStream('gzip')), { headers: { ...headers, 'content-encoding': 'gzip' } })
  }
}

/** Waits for the first piece of a stream, so that an error of the query can still be told by the status. */
async function begun(stream) {
  const reader = stream.getReader()
  let next = await reader.read()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = next
        if (done) controller.close()
        else {
          controller.enqueue(value)
          next = await reader.read()
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
