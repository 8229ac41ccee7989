// Keeps the whole page, so that it works without a network. The build puts the version and the files in.
const version = '__VERSION__'
const files = __FILES__

const name = `rowjet-playground-${version}`

self.addEventListener('install', (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(name)
    // Asks the server whether what the browser has is still right, so that little is fetched twice.
    await cache.addAll(files.map((file) => new Request(file, { cache: 'no-cache' })))
    await self.skipWaiting()
  })())
})

self.addEventListener('activate', (event) => {
  event.waitUntil((async () => {
    for (const other of await caches.keys()) {
      if (other.startsWith('rowjet-playground-') && other !== name) await caches.delete(other)
    }
    await self.clients.claim()
  })())
})

self.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET') return
  event.respondWith((async () => {
    const cache = await caches.open(name)
    return (await cache.match(event.request, { ignoreSearch: true })) ?? fetch(event.request)
  })())
})
