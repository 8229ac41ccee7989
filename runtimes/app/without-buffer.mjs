// Imported first, so that the package finds no Buffer when it is loaded, as in a browser. Node's own Response needs it later.
const { Buffer } = globalThis
delete globalThis.Buffer
await Promise.all(['postgres', 'mysql', 'sqlite'].map((dialect) => import(`rowjet/${dialect}/inline`)))
globalThis.Buffer = Buffer
