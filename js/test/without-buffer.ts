// Runs the tests of columns with a package that finds no Buffer when it is loaded, as in a browser.
const kept = globalThis.Buffer
;(globalThis as { Buffer: unknown }).Buffer = undefined
await import('../dist/columns.js')
globalThis.Buffer = kept
await import('./columns.test.js')
export {}
