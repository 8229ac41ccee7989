import { typedArrays, typedObjects, type TypedSource } from './columns.js'
import type { Engine, Source, StreamShape } from './engine.js'
import { tooLarge } from './output.js'
import type { RowOptions } from './rows.js'
import { streamOf } from './stream.js'
import { decodeText } from './text.js'
import { labelName, type TypeName } from './types.js'

/** What a run of the module gave. */
export interface ResultParts {
  /** Undefined if it was more than one Uint8Array can hold; null if it is to be made when it is asked for. */
  bytes: Uint8Array<ArrayBuffer> | undefined | null
  /** Every byte is ASCII. */
  ascii: boolean
  /** Null if they are to be found with the bytes, which are null then too. */
  labels: readonly number[] | null
  rowCount: number
}

/** The array-shape document, parsed. */
export interface ArrayDocument {
  columns: string[]
  types: TypeName[]
  rows: unknown[][]
}

/**
 * A serialized result set.
 *
 * `rows()`, `arrays()`, `objects()` and `stream()` of other shapes read the rows once more, so a result keeps the
 * rows that it was made of, and their cells must not be changed before the last of these calls. `bytes()`, `text()` and
 * `json()` give what `serialize` was given, whatever happens to it later.
 */
export class Result<Row extends object = Record<string, unknown>> {
  /** The column names, in order. */
  readonly columns: readonly string[]
  readonly rowCount: number

  readonly #engine: Engine
  readonly #source: Source
  readonly #context: Source | undefined
  #bytes: Uint8Array<ArrayBuffer> | undefined | null
  #ascii: boolean
  #types: readonly TypeName[] | undefined

  /** @internal */
  constructor(engine: Engine, source: Source, context: Source | undefined, parts: ResultParts) {
    this.columns = source.names.slice()
    this.#types = parts.labels?.map(labelName)
    this.rowCount = parts.rowCount
    this.#engine = engine
    this.#source = source
    this.#context = context
    this.#bytes = parts.bytes
    this.#ascii = parts.ascii
  }

  /** The type of each column. True for every cell of it. */
  get types(): readonly TypeName[] {
    const { labels } = this.#source
    if (this.#types === undefined && labels !== undefined) this.#types = labels(this.#engine, this.#source).map(labelName)
    if (this.#types === undefined) this.#make()
    return this.#types!
  }

  /**
   * The document `{"columns":[…],"types":[…],"rows":[[…],…]}` in UTF-8. Each call gives the same array, and
   * the other methods read it: treat it as read-only. It may be a part of a larger buffer.
   *
   * @throws RowjetError RESULT_TOO_LARGE above 2,147,483,647 bytes; `stream()` has no such limit.
   */
  bytes(): Uint8Array<ArrayBuffer> {
    this.#source.asked?.('document')
    if (this.#bytes === null) this.#make()
    return held(this.#bytes, 'bytes() gives at most 2,147,483,647 bytes, and this result is larger')
  }

  #make(): void {
    const { bytes, ascii, labels } = this.#engine.again(this.#source, this.#context, 'array', false)
    this.#bytes = bytes
    this.#ascii = ascii
    this.#types ??= labels!.map(labelName)
  }

  /**
   * The document as a string.
   *
   * @throws RowjetError RESULT_TOO_LARGE above what one string can hold (in V8 about 537 million characters).
   */
  text(): string {
    const bytes = this.bytes()
    return textOf(bytes, this.#ascii)
  }

  /** The document, parsed: every cell as its JSON value. Large integers, decimals and times are strings in it. */
  json(): ArrayDocument {
    return JSON.parse(this.text()) as ArrayDocument
  }

  /** The rows as arrays of typed values: BigInt, Date, Uint8Array and so on, see {@link RowOptions}. */
  arrays(options?: RowOptions): unknown[][] {
    this.#source.asked?.('rows')
    return typedArrays(this.#typed(), options)
  }

  /**
   * The rows as objects of typed values. Of columns with one name the last counts. Names that are array
   * indexes come first, as in every JavaScript object; otherwise the order is that of the columns.
   */
  rows(options?: RowOptions): Row[] {
    const { quick, asked } = this.#source
    asked?.('rows')
    const rows = options === undefined && quick !== undefined ? quick(this.#source) : undefined
    return (rows ?? typedObjects(this.#typed(), options)) as Row[]
  }

  #typed(): TypedSource {
    return {
      engine: this.#engine,
      source: this.#source,
      context: this.#context,
      columns: this.columns,
      types: this.types,
      rowCount: this.rowCount,
      parsed: (jsonText) => {
        if (!jsonText) return this.json().rows
        const { bytes, ascii } = this.#engine.again(this.#source, this.#context, 'array', true)
        return (JSON.parse(textOf(held(bytes, 'the rows with their JSON texts are larger than 2,147,483,647 bytes'), ascii)) as ArrayDocument).rows
      },
    }
  }

  /** The same data as a JSON array of objects, in UTF-8. Made anew at each call. */
  objects(): Uint8Array<ArrayBuffer> {
    const { bytes } = this.#engine.again(this.#source, this.#context, 'objects', false)
    return held(bytes, 'objects() gives at most 2,147,483,647 bytes, and this result is larger')
  }

  /** The bytes of `bytes()`, or of the document in another shape, as a stream. Each piece is a copy. */
  stream(options: { shape?: StreamShape; signal?: AbortSignal } = {}): ReadableStream<Uint8Array<ArrayBuffer>> {
    const { names, types, rows, messages } = this.#source
    if (messages !== undefined) return messages.stream(this.#engine, options)
    return streamOf(this.#engine, { columnNames: names, columnTypes: types, rows }, options, this.#context)
  }
}

function held(bytes: Uint8Array<ArrayBuffer> | undefined | null, message: string): Uint8Array<ArrayBuffer> {
  if (bytes === undefined || bytes === null) throw tooLarge(message)
  return bytes
}

/** The longest string of V8, in UTF-16 units. Other engines hold more, or tell by throwing. */
const longestString = 2 ** 29 - 24

function textOf(bytes: Uint8Array<ArrayBuffer>, ascii: boolean): string {
  if (!(ascii && bytes.length > longestString)) {
    try {
      return decodeText(bytes, 0, bytes.length, ascii)
    } catch (error) {
      if (bytes.length <= longestString) throw error
    }
  }
  throw tooLarge(`the document of ${bytes.length.toLocaleString('en')} bytes is longer than a string can be`)
}
