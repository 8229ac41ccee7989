// Tells calls from inside of a transaction from others. On a connection that transactions share with everything else, such
// a call would wait for its own end; so would the end of a connection that waits for its transactions.

import { RowjetError } from './errors.js'

/** What is used of AsyncLocalStorage. */
interface CallScope {
  run<T>(store: unknown, work: () => T): T
  getStore(): unknown
}

interface Runtime {
  process?: { getBuiltinModule?(name: string): { AsyncLocalStorage: new () => CallScope } | undefined }
}

/** Runtimes without it, such as browsers, can't tell. Node has had this way to it, which bundlers leave alone, since 20.16. */
const storage = (globalThis as Runtime).process?.getBuiltinModule?.('async_hooks')?.AsyncLocalStorage
const scope = storage === undefined ? undefined : new storage()

interface Inside {
  readonly keys: readonly object[]
  readonly outer: Inside | undefined
  open: boolean
}

/** Runs the work of a transaction. The keys stand for what can't be waited for in there. */
export async function runInside<T>(keys: readonly object[], work: () => Promise<T>): Promise<T> {
  if (scope === undefined) return work()
  const inside: Inside = { keys, outer: scope.getStore() as Inside | undefined, open: true }
  try {
    return await scope.run(inside, work)
  } finally {
    inside.open = false
  }
}

function isInside(key: object): boolean {
  for (let inside = scope?.getStore() as Inside | undefined; inside !== undefined; inside = inside.outer) {
    if (inside.open && inside.keys.includes(key)) return true
  }
  return false
}

/** Throws TRANSACTION_OPEN if this is called from inside of a transaction with the key. */
export function refuseInside(key: object): void {
  if (isInside(key)) {
    throw new RowjetError('TRANSACTION_OPEN', "this call is inside of a transaction on the same connection, and would wait for its end: call the transaction's own methods")
  }
}

/** Throws TRANSACTION_OPEN if a connection is closed from inside of a transaction of its own. */
export function refuseToClose(connection: object): void {
  if (isInside(connection)) throw new RowjetError('TRANSACTION_OPEN', 'close() is called inside of a transaction of this connection, and would wait for its end: close it afterwards')
}
