import { RowjetError, type RowjetErrorCode } from './errors.js'
import { abiNumber, type ModuleExports } from './instance.js'
import type { Dialect } from './types.js'

/**
 * Where a module comes from: compiled, as its bytes, or as the response that brings them. There are no
 * strings and URLs here, since what they are relative to, and what can fetch them, differs by runtime.
 */
export type WasmSource = WebAssembly.Module | BufferSource | Response

/** Finds the module that belongs to an entry of this package. */
export type WasmLoader = () => WasmSource | Promise<WasmSource>

const dialects: readonly (Dialect | undefined)[] = [undefined, 'postgres', 'mysql', 'sqlite']

const wayOut = 'pass the module to createEngine(source), or import the entry that ends in /inline'

function kindOf(value: unknown): string {
  // Not instanceof: a value from another realm (Next.js's edge sandbox has one) would not be known.
  return Object.prototype.toString.call(value).slice(8, -1)
}

/** Compiles a module. */
export async function compile(source: WasmSource | Promise<WasmSource>): Promise<WebAssembly.Module> {
  if (typeof WebAssembly === 'undefined') {
    throw new RowjetError('WASM_BLOCKED', 'this runtime has no WebAssembly: use one that has, or allow it (some browsers turn it off in their lockdown modes)')
  }
  const value: unknown = await source
  if (kindOf(value) === 'WebAssembly.Module') return value as WebAssembly.Module
  // Always as a Uint8Array: V8 compiles no DataView.
  let bytes: Uint8Array
  if (ArrayBuffer.isView(value)) {
    bytes = spent('the buffer was transferred away', () => new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
  } else if (kindOf(value) === 'ArrayBuffer' || kindOf(value) === 'SharedArrayBuffer') {
    bytes = spent('the buffer was transferred away', () => new Uint8Array(value as ArrayBuffer))
  } else if (isResponse(value)) {
    if (value.bodyUsed) throw new RowjetError('WASM_NOT_FOUND', `there is no module: the body of the Response was read already; pass response.clone()`)
    bytes = new Uint8Array(await bytesOfResponse(value))
  } else {
    throw new RowjetError('WASM_NOT_FOUND', `there is no module: the source is ${value === undefined ? 'undefined' : `a ${kindOf(value)}`}; ${wayOut}. A source is a WebAssembly.Module, its bytes, a Response, or a promise of one`)
  }
  checkMagic(bytes)
  try {
    return await WebAssembly.compile(bytes as Uint8Array<ArrayBuffer>)
  } catch (cause) {
    throw blockedOr('WASM_NOT_BINARY', cause, (text) => `the module does not compile (${text}); ${wayOut}`)
  }
}

/** `why` there are no bytes, if making a view on them fails. */
function spent(why: string, view: () => Uint8Array): Uint8Array {
  try {
    return view()
  } catch (cause) {
    throw new RowjetError('WASM_NOT_FOUND', `there is no module: ${why}; ${wayOut}`, { cause })
  }
}

function isResponse(value: unknown): value is Response {
  return typeof value === 'object' && value !== null && typeof (value as Response).arrayBuffer === 'function' && 'ok' in value
}

async function bytesOfResponse(response: Response): Promise<ArrayBuffer> {
  if (!response.ok) {
    throw new RowjetError('WASM_NOT_FOUND', `the server answered ${response.status} for ${response.url === '' ? 'the module' : response.url}; ${wayOut}`)
  }
  return response.arrayBuffer()
}

/** The first bytes of every module: a better error than the compiler's, for the page or stub that often comes in its place. */
function checkMagic(bytes: Uint8Array): void {
  if (bytes[0] === 0 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d) return
  let what = `${bytes.length} bytes of something else`
  if (bytes.length === 0) what = 'nothing'
  else if (bytes[0] === 0x3c) what = 'HTML, so a dev server or bundler did not serve the .wasm file'
  throw new RowjetError('WASM_NOT_BINARY', `the module is not WebAssembly: got ${what}; ${wayOut}`)
}

/** WASM_BLOCKED, if that is what the browser or runtime says; otherwise `code`, with the message that `tell` makes of its text. */
function blockedOr(code: RowjetErrorCode, cause: unknown, tell: (text: string) => string): RowjetError {
  const text = messageOf(cause)
  // Chromium and workerd, Firefox, and Safari, which refuses only when a module is instantiated.
  if (/content security|blocked by csp|unsafe-eval|disallowed by embedder|code generation/i.test(text)) {
    return new RowjetError('WASM_BLOCKED', `WebAssembly may not be compiled here (${text}): add 'wasm-unsafe-eval' to script-src in the page's Content-Security-Policy, or pass a compiled WebAssembly.Module to createEngine(source)`, { cause })
  }
  return new RowjetError(code, tell(text), { cause })
}

function messageOf(cause: unknown): string {
  return String((cause as Error | undefined)?.message ?? cause)
}

/** Explains why the module that belongs to an entry was not found. */
export function notFound(cause: unknown): RowjetError {
  return new RowjetError('WASM_NOT_FOUND', `the .wasm file was not found (${messageOf(cause)}): if a bundler moved the code, keep rowjet external (serverExternalPackages in Next.js), or ${wayOut}`, { cause })
}

/** Makes an instance's exports of a compiled module. */
export function instantiate(module: WebAssembly.Module): ModuleExports {
  try {
    return new WebAssembly.Instance(module).exports as unknown as ModuleExports
  } catch (cause) {
    throw blockedOr('ABI_MISMATCH', cause, (text) => `the module can't be instantiated (${text}): Rowjet's modules need no imports; use the module that came with this version of the package`)
  }
}

/** Initializes an instance, refuses any that speaks another ABI, and returns its dialect. */
export function initialize(exports: ModuleExports, expected: Dialect | undefined): Dialect {
  if (typeof exports.rowjet_abi !== 'function') {
    throw new RowjetError('ABI_MISMATCH', 'this is not a Rowjet module: use the module that came with this version of the package')
  }
  exports._initialize?.()
  const abi = exports.rowjet_abi()
  if (abi !== abiNumber) {
    throw new RowjetError('ABI_MISMATCH', `the module has ABI ${abi}, this package speaks ${abiNumber}: use the module that came with this version of the package`)
  }
  const dialect = dialects[exports.rowjet_dialect()]
  if (dialect === undefined || (expected !== undefined && dialect !== expected)) {
    throw new RowjetError('ABI_MISMATCH', `this is the module for ${dialect ?? 'a database unknown here'}, not for ${expected ?? 'a known one'}: pass the right .wasm file`)
  }
  return dialect
}
