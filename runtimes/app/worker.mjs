// For Cloudflare Workers.
import compiled from 'rowjet/sqlite.wasm'
import { all } from './all.mjs'

export default {
  async fetch(request) {
    return Response.json(await all({ bytes: await request.arrayBuffer(), compiled }))
  },
}
