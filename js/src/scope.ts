// Tells calls from inside of a transaction from others. On a connection that transactions share with everything else, such
// a call would wait for its own end.

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
  readonly connection: object
  readonly outer: Inside | undefined
  open: boolean
}

/** Runs the work of a transaction on a connection. */
export async function runInside<T>(connection: object, work: () => Promise<T>): Promise<T> {
  if (scope === undefined) return work()
  const inside: Inside = { connection, outer: scope.getStore() as Inside | undefined, open: true }
  try {
    return await scope.run(inside, work)
  } finally {
    inside.open = false
  }
}

/** Throws TRANSACTION_OPEN if this is called from inside of a transaction on the connection. */
export function refuseInside(connection: object): void {
  for (let inside = scope?.getStore() as Inside | undefined; inside !== undefined; inside = inside.outer) {
    if (inside.connection === connection && inside.open) {
      throw new RowjetError('TRANSACTION_OPEN', "this call is inside of a transaction on the same connection, and would wait for its end: call the transaction's own methods")
    }
  }
}
