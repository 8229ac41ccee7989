// Rows of SQLite bit by bit: documents as streams, and batches. Memory does not depend on the number of rows.

import type { Engine, Source } from './engine.js'
import { errorOfModule } from './errors.js'
import { describe } from './frame.js'
import { flagFixed, flagScan, flagSettled, flagUnknown, shapeArray, shapeLines, type Instance } from './instance.js'
import { Pieces } from './output.js'
import { Result } from './result.js'
import { FrameKeeper, leastPiece, settledTypes, type Frames } from './sqlite-frames.js'
import { labelsOf } from './sqlite-labels.js'
import { Seen, type Columns, type DatetimeUnit } from './sqlite-types.js'

/** Where the types of a stream's columns come from. */
export type Settle = 'scan' | 'buffer' | 'declared' | 'unknown'

/** The rows of a query, to be read once, and if it can be, again. */
export interface RowSource {
  readonly first: Cursor
  readonly again: (() => Cursor) | undefined
}

/** Reads the rows of one run of a query. */
export class Cursor {
  readonly columns: Columns
  #done = false
  readonly #rows: Iterator<unknown[]>
  readonly #exact: boolean
  readonly #datetime: DatetimeUnit | undefined
  readonly #signal: AbortSignal | undefined
  readonly #closed: () => void
  #failure: { readonly error: unknown } | undefined

  /** `closed` is called once, when the iterator has been closed. */
  constructor(columns: Columns, rows: Iterator<unknown[]>, exact: boolean, datetime: DatetimeUnit | undefined, signal: AbortSignal | undefined, closed: () => void) {
    this.columns = columns
    this.#rows = rows
    this.#exact = exact
    this.#datetime = datetime
    this.#signal = signal
    this.#closed = closed
  }

  /** For what is seen in its columns. */
  seen(): Seen {
    return new Seen(this.columns, this.#exact)
  }

  /** All rows have been read. Not so if something has ended the reading before. */
  get done(): boolean {
    return this.#done && this.#failure === undefined
  }

  /** Throws what has ended the reading, if something has. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure.error
    if (this.#signal?.aborted === true) {
      this.close()
      throw this.#signal.reason
    }
  }

  /** The next rows, up to `count` of them. Fewer, and maybe none, only if then it is `done`. */
  next(count: number): unknown[][] {
    this.check()
    const rows: unknown[][] = []
    while (!this.#done && rows.length < count) {
      const item = this.#rows.next()
      if (item.done === true) this.#end()
      else rows.push(item.value)
    }
    if (this.#datetime !== undefined) this.columns.convertDates(rows, this.#datetime)
    return rows
  }

  /** Lets go of the database. */
  close(): void {
    if (this.#done) return
    this.#done = true
    try {
      this.#rows.return?.()
    } finally {
      this.#closed()
    }
  }

  /** Lets go of the database; reading on is this error. */
  fail(error: unknown): void {
    this.close()
    this.#failure = { error }
  }

  #end(): void {
    this.#done = true
    this.#closed()
  }
}

/** How many rows are read between two looks at the output. */
export const chunkRows = 256
/** After so many milliseconds of reading ahead, others get a turn. */
const slice = 12

/** Lets others run, if it was long since they could. */
class Turns {
  #since = performance.now()

  get due(): boolean {
    return performance.now() - this.#since > slice
  }

  async pause(): Promise<void> {
    await new Promise<void>((resolve) => (typeof setImmediate === 'function' ? setImmediate(resolve) : setTimeout(resolve, 0)))
    this.#since = performance.now()
  }
}

/** Makes the document of a query in pieces. */
export async function* documentOf(
  engine: Engine, open: () => Promise<RowSource>, shape: number, settle: Settle = 'scan',
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const source = await open()
  const { first } = source
  const { columns } = first
  const { names } = columns
  const slot = engine.acquire()
  try {
    const { instance } = slot
    const pieces = new Pieces()
    instance.sink = pieces
    const seen = first.seen()
    const begin = (flags: number, types: readonly number[]): void => {
      instance.begin(shape, flags, names, types)
      instance.writer.flush() // the head needs the columns
      if (shape !== shapeLines) instance.head()
    }
    if (settle === 'buffer' || (settle === 'scan' && source.again === undefined)) {
      yield* (await keep(instance, first)).pieces(instance, shape)
      return
    }
    {
      // The first row opens the snapshot, and holds it for the scan: https://sqlite.org/isolation.html
      let rows = first.next(chunkRows)
      let check: readonly number[] | undefined
      if (settle === 'scan') {
        begin(flagSettled, first.done ? scanRows(instance, columns, seen, rows) : await scan(instance, source.again!))
      } else {
        seen.add(rows)
        const types = columns.firstCodes(seen)
        if (settle === 'declared') check = types
        begin(settle === 'declared' ? flagFixed : flagFixed | flagUnknown, types)
      }
      for (let count = 0; ; ) {
        if (check !== undefined) refuseMisfits(seen, check, rows, count, names)
        instance.writer.rows(rows, 0, rows.length)
        count += rows.length
        if (pieces.size >= leastPiece) yield pieces.joined()
        if (first.done) break
        rows = first.next(chunkRows)
        if (check !== undefined) seen.add(rows)
      }
    }
    instance.end()
    if (pieces.size > 0) yield pieces.joined()
  } finally {
    first.close()
    engine.release(slot)
  }
}

/** Finds the types of all rows at hand; the instance has the labels then. */
function scanRows(instance: Instance, columns: Columns, seen: Seen, rows: unknown[][]): number[] {
  seen.add(rows)
  const types = columns.codes(seen)
  instance.begin(shapeArray, flagScan, columns.names, types)
  instance.writer.rows(rows, 0, rows.length)
  instance.end()
  return types
}

/** Finds the types of all rows of a query; the instance has the labels then. */
async function scan(instance: Instance, again: () => Cursor): Promise<readonly number[]> {
  const turns = new Turns()
  let types: readonly number[] | undefined
  for (;;) {
    const cursor = again()
    try {
      const { columns } = cursor
      const seen = cursor.seen()
      let rows = cursor.next(chunkRows)
      seen.add(rows)
      const last = types !== undefined
      types ??= columns.codes(seen)
      instance.begin(shapeArray, flagScan, columns.names, types)
      for (;;) {
        instance.writer.rows(rows, 0, rows.length)
        if (cursor.done) break
        if (turns.due) await turns.pause()
        rows = cursor.next(chunkRows)
        seen.add(rows)
      }
      instance.end()
      const codes = columns.codes(seen)
      // The first rows may have told too little. The second time all are known, unless the query gives other rows each time.
      if (last || codes.every((code, i) => code === types![i])) return types
      types = codes
    } finally {
      cursor.close()
    }
  }
}

/** Reads all rows and keeps them, encoded. */
async function keep(instance: Instance, cursor: Cursor): Promise<Frames> {
  const turns = new Turns()
  const keeper = new FrameKeeper(instance, cursor.columns, cursor.seen(), cursor.next(chunkRows), flagScan)
  while (!cursor.done) {
    if (turns.due) await turns.pause()
    keeper.add(cursor.next(chunkRows))
  }
  return keeper.finish()
}

const labelUnsettled = 22

/** Refuses values that the module would read as something else. */
function refuseMisfits(seen: Seen, types: readonly number[], rows: readonly unknown[][], before: number, names: readonly string[]): void {
  const misfit = seen.misfit(types, rows)
  if (misfit === undefined) return
  const { row, column } = misfit
  throw errorOfModule({ code: labelUnsettled, row: before + row, column, label: types[column], found: describe(rows[row][column]) }, names)
}

const unknown = 255

/** Makes the rows of a query into results of `size` rows each. */
export async function* batchesOf<Row extends object>(
  engine: Engine, source: RowSource, settle: Settle = 'scan', size: number,
): AsyncGenerator<Result<Row>, void, undefined> {
  const { first } = source
  const { columns } = first
  const { names } = columns
  const slot = engine.acquire()
  const { instance } = slot
  try {
    const seen = first.seen()
    const buffered = settle === 'buffer' || (settle === 'scan' && source.again === undefined)
    let rows = first.next(buffered ? Infinity : size)
    let rest: unknown[][] | undefined // of rows that have been read all at once
    if (buffered && rows.length > size) {
      rest = rows
      rows = rest.slice(0, size)
    }
    if (first.done && rest === undefined && settle !== 'declared' && settle !== 'unknown') {
      seen.add(rows)
      yield new Result<Row>(engine, { names, types: columns.codes(seen), rows, labels: labelsOf }, undefined, { bytes: null, ascii: false, labels: null, rowCount: rows.length })
      return
    }
    let check: readonly number[] | undefined
    let labels: readonly number[]
    if (settle === 'unknown') {
      labels = names.map(() => unknown)
    } else if (settle === 'declared') {
      seen.add(rows)
      check = columns.firstCodes(seen)
      instance.begin(shapeArray, flagScan | flagFixed, names, check)
      instance.writer.flush()
      labels = instance.labels()
    } else {
      if (rest !== undefined) scanRows(instance, columns, seen, rest)
      else await scan(instance, source.again!)
      labels = instance.labels()
    }
    const batchOf = batchMaker<Row>(engine, names, labels)
    for (let count = 0; ; ) {
      if (check !== undefined) {
        refuseMisfits(seen, check, rows, count, names)
        instance.writer.rows(rows, 0, rows.length)
        instance.writer.flush() // errors come before the batch
      }
      yield batchOf(rows)
      count += rows.length
      if (rest !== undefined) {
        first.check()
        rows = rest.slice(count, count + size)
      } else if (first.done) {
        return
      } else {
        rows = first.next(size)
        if (check !== undefined) seen.add(rows)
      }
      if (rows.length === 0) return
    }
  } finally {
    first.close()
    engine.release(slot)
  }
}

/** Makes results of rows whose labels are known. */
function batchMaker<Row extends object>(engine: Engine, names: readonly string[], labels: readonly number[]): (rows: unknown[][]) => Result<Row> {
  const { types, witness } = settledTypes(labels)
  const context: Source = { names, types, rows: [witness] }
  return (rows) => new Result<Row>(engine, { names, types, rows }, context, { bytes: null, ascii: false, labels, rowCount: rows.length })
}
