// The engine without a module: the caller brings it.
export * from './common.js'
export { createEngine } from './engine.js'
