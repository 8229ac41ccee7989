// What an import of a .wasm file gives, in the runtimes whose entries have one.
declare module '*.wasm' {
  const module: WebAssembly.Module
  export default module
}
declare module '*.wasm?module' {
  const module: WebAssembly.Module
  export default module
}
