// A static file server for the playground, on loopback: node serve.mjs [port]
import { createReadStream, statSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { pipeline } from 'node:stream'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('dist', import.meta.url))

const types = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json', '.txt': 'text/plain; charset=utf-8',
}

/** A server of the built page; it does not listen yet. */
export function playgroundServer() {
  return createServer((request, response) => {
    const refuse = (status) => response.writeHead(status, { 'content-type': 'text/plain' }).end(`${status}\n`)
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405)
    let file, stat
    try {
      let name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname)
      if (name.endsWith('/')) name += 'index.html'
      file = path.join(root, name)
      if (!file.startsWith(root + path.sep)) return refuse(404)
      stat = statSync(file)
      if (!stat.isFile()) return refuse(404)
    } catch {
      return refuse(404)
    }
    const etag = `"${stat.size.toString(16)}-${Math.round(stat.mtimeMs).toString(16)}"`
    const headers = { 'content-type': types[path.extname(file)] ?? 'application/octet-stream', 'cache-control': 'no-cache', etag }
    if (request.headers['if-none-match'] === etag) return response.writeHead(304, headers).end()
    response.writeHead(200, { ...headers, 'content-length': stat.size })
    if (request.method === 'HEAD') return response.end()
    pipeline(createReadStream(file), response, () => undefined)
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = playgroundServer()
  server.on('error', (error) => {
    console.error(`serve.mjs: ${error.message}; for another port: node serve.mjs PORT`)
    process.exit(1)
  })
  server.listen(Number(process.argv[2] ?? 8080), '127.0.0.1', () => console.log(`http://localhost:${server.address().port}/  (Ctrl+C ends it)`))
}
