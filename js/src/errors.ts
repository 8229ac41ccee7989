import { moduleErrors, type ModuleErrorCode } from './errors-gen.js'
import { labelName } from './types.js'

/**
 * What went wrong, for programs: codes stay the same from release to release, messages may change.
 * - the codes of `driveradapter/errors.tsv`, for input that the engine refuses;
 * - `WASM_NOT_FOUND`, `WASM_NOT_BINARY`, `WASM_BLOCKED`, `ABI_MISMATCH`: the module could not be loaded;
 * - `RESULT_TOO_LARGE`: more than one `Uint8Array` or string can hold, or than `maxBytes` allows;
 * - `ENGINE_FAILED`: a bug in the engine; the next call gets a fresh instance;
 * - `DIALECT_UNSUPPORTED`: a driver adapter for a database that has no module;
 * - `DRIVER_MISSING`: an optional driver package is not installed;
 * - `DRIVER_UNSUPPORTED`: the driver is there, but of a kind that Rowjet can't work with;
 * - `CONNECTION_CLOSED`: the handle was used after `close()`, or a transaction after its end;
 * - `TRANSACTION_OPEN`: a call that would have to wait for the transaction that it is made in, or a transaction that
 *   ends before one inside of it;
 * - `TRANSACTION_ROLLED_BACK`: a transaction was to be committed, but a statement in it had failed.
 */
export type RowjetErrorCode =
  | ModuleErrorCode
  | 'WASM_NOT_FOUND'
  | 'WASM_NOT_BINARY'
  | 'WASM_BLOCKED'
  | 'ABI_MISMATCH'
  | 'RESULT_TOO_LARGE'
  | 'ENGINE_FAILED'
  | 'DIALECT_UNSUPPORTED'
  | 'DRIVER_MISSING'
  | 'DRIVER_UNSUPPORTED'
  | 'CONNECTION_CLOSED'
  | 'TRANSACTION_OPEN'
  | 'TRANSACTION_ROLLED_BACK'

/** Where an error is: all fields are optional because not every error is about a cell. */
export interface RowjetErrorDetails {
  row?: number
  column?: number
  columnName?: string
  type?: string
  found?: string
  cause?: unknown
}

/** The brand is registered, so that errors from a second copy of the package are known too. */
const brand = Symbol.for('rowjet.error')

/**
 * Every error that Rowjet itself raises. A database's own errors, and errors thrown by getters and
 * iterators of the input, come through unchanged.
 *
 * Rows and columns are counted from 0, in the fields and in the message.
 */
export class RowjetError extends Error {
  readonly code: RowjetErrorCode
  /** The row the error is about, from 0. */
  readonly row: number | undefined
  /** The column the error is about, from 0. */
  readonly column: number | undefined
  readonly columnName: string | undefined
  /** The column's type name, such as `decimal`. */
  readonly type: string | undefined
  /** What was found in place of a right value, shortened, such as `string "abc"`. */
  readonly found: string | undefined

  constructor(code: RowjetErrorCode, message: string, details: RowjetErrorDetails = {}) {
    super(`${message} [${code}]`, 'cause' in details ? { cause: details.cause } : undefined)
    this.code = code
    this.row = details.row
    this.column = details.column
    this.columnName = details.columnName
    this.type = details.type
    this.found = details.found
  }
}
// On the prototype, as for the built-in errors: own properties would be printed with each error.
Object.defineProperty(RowjetError.prototype, 'name', { value: 'RowjetError', writable: true, configurable: true })
Object.defineProperty(RowjetError.prototype, brand, { value: true })

/** Tells whether a value is a {@link RowjetError}, also one of another copy of this package. */
export function isRowjetError(value: unknown): value is RowjetError {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true
}

/** What the state block says about an error. `none` is `0xffffffff`. */
export interface ModuleFailure {
  code: number
  row: number
  column: number
  label: number
  found: string
}

const none = 0xffffffff

/** Errors that are not about one row, so that the row counter says nothing. */
const withoutRow = new Set(['FRAME_INVALID', 'COLUMN_COUNT', 'COLUMN_TYPE', 'INPUT_UNFINISHED', 'CALL_ORDER'])

/** What the table of errors has for a number in the state block. */
export function moduleError(code: number): { name: ModuleErrorCode; text: string; advice: string } | undefined {
  const line = moduleErrors.split('\n')[code]
  if (!line) return undefined
  const [name, text, advice] = line.split('|')
  return { name: name as ModuleErrorCode, text, advice }
}

/** The error for a failure that the module reported about a result with these column names. */
export function errorOfModule(failure: ModuleFailure, columnNames: readonly string[]): RowjetError {
  const entry = moduleError(failure.code)
  if (entry === undefined) {
    return new RowjetError('ABI_MISMATCH', `the module reported the unknown error ${failure.code}: use a module and a package of the same release`)
  }
  const details: RowjetErrorDetails = {}
  const where: string[] = []
  if (!withoutRow.has(entry.name)) {
    details.row = failure.row
    where.push(`row ${failure.row}`)
  }
  if (failure.column !== none) {
    details.column = failure.column
    let text = `column ${failure.column}`
    const name = columnNames[failure.column]
    if (name !== undefined) {
      details.columnName = name
      text += ` ${JSON.stringify(name)}`
    }
    if (failure.label !== none) {
      details.type = labelName(failure.label)
      text += ` (${details.type})`
    }
    where.push(text)
  }
  let message = where.length > 0 ? `${where.join(', ')}: ${entry.text}` : entry.text
  if (failure.found !== '') {
    details.found = failure.found
    message += `, found ${failure.found}`
  }
  return new RowjetError(entry.name, `${message}; ${entry.advice}`, details)
}
