import { errorOfModule, RowjetError } from './errors.js'
import { FrameWriter, type BlockPort } from './frame.js'
import { NodeBuffer, type BufferLike } from './text.js'

/** The exports of a module, see wasm/ABI.md. All numbers are i32 on this side of the border. */
export interface ModuleExports {
  memory: WebAssembly.Memory
  _initialize?: () => void
  rowjet_abi(): number
  rowjet_dialect(): number
  rowjet_state(): number
  rowjet_begin(source: number, shape: number, flags: number): number
  rowjet_input(size: number): number
  rowjet_push(size: number): number
  rowjet_resume(): number
  rowjet_head(): number
  rowjet_end(): number
  rowjet_limit(bytes: number): void
  rowjet_batch(bytes: number): void
}

/** The ABI number that this package speaks. */
export const abiNumber = 1

const sourceFrames = 0
const sourceMessages = 1

export const shapeArray = 0
export const shapeObjects = 1
export const shapeLines = 2
export const shapeBatch = 3

export const flagSettled = 1
export const flagFixed = 2
export const flagScan = 4
export const flagUnknown = 8
export const flagJSONText = 16

const statusFull = 1
const statusRedo = 2

// Words of the state block.
const stateOutput = 0
const stateOutputLength = 1
const stateASCII = 2
const stateCode = 3
const stateRowLow = 4
const stateRowHigh = 5
const stateColumn = 6
const stateLabel = 7
const stateFound = 8
const stateFoundLength = 9
const stateColumns = 10
const stateLabels = 11
const stateWords = 12

/**
 * The size of a batch, in bytes. V8 keeps a string of more than 131,072 bytes in a space of its own and never copies it: with
 * the text of each batch there, rows of four columns with texts take a quarter less time than with texts of 48 kB, which the
 * garbage collector copies twice. Rows keep the text alive, so larger ones would be too large. Without a Buffer strings
 * may have two bytes for each of the text, and the module's own size stays.
 */
const batchSize = 136 * 1024

/** Takes a result's output, piece by piece. */
export interface OutputSink {
  /** The bytes from `start` to `end` are valid during the call only. `rows` is the number of rows completed. */
  take(bytes: Uint8Array, start: number, end: number, rows: number): void
}

/** For output that nobody wants. */
export const nowhere: OutputSink = { take() {} }

/** One instance of a module, with one result in flight at a time. */
export class Instance implements BlockPort {
  /** Something failed inside of the module: the instance must not be used again. */
  dead = false
  /** Where output goes. */
  sink: OutputSink = nowhere
  /** If set, a copy of all input is kept here, so that it can be pushed again. */
  kept: Uint8Array[] | undefined = undefined
  readonly writer: FrameWriter = new FrameWriter(this)

  bytes!: Uint8Array
  buffer!: BufferLike | undefined
  view!: DataView
  readonly #exports: ModuleExports
  readonly #stateAddress: number
  #memory!: ArrayBufferLike
  #state!: Uint32Array
  #names: readonly string[] = []
  #room = 0
  #source = sourceFrames

  constructor(exports: ModuleExports, limit: number) {
    this.#exports = exports
    this.#stateAddress = exports.rowjet_state() >>> 0
    exports.rowjet_limit(limit)
    if (NodeBuffer !== undefined) exports.rowjet_batch(batchSize)
    this.#refresh()
  }

  /** How much memory the instance holds, in bytes. It never shrinks. */
  get memorySize(): number {
    return this.#exports.memory.buffer.byteLength
  }

  /** Every byte of the output so far was ASCII. */
  get ascii(): boolean {
    return this.#state[stateASCII] === 1
  }

  /** The number of rows completed. */
  get rows(): number {
    return this.#state[stateRowLow] + this.#state[stateRowHigh] * 2 ** 32
  }

  /** The labels of the columns, as ColumnType codes or 255. */
  labels(): number[] {
    const address = this.#state[stateLabels]
    const labels: number[] = []
    for (let i = 0; i < this.#state[stateColumns]; i++) labels.push(this.view.getUint32(address + 4 * i, true))
    return labels
  }

  /** Starts a result and writes its columns. */
  begin(shape: number, flags: number, names: readonly string[], types: readonly number[]): void {
    this.#names = names
    this.#source = sourceFrames
    this.#check(this.#call(0, shape, flags))
    this.writer.columns(names, types)
  }

  /** Starts a result whose input are messages of the database's wire protocol, which {@link messages} takes. */
  beginMessages(shape: number, flags: number, names: readonly string[]): void {
    this.#names = names
    this.#source = sourceMessages
    this.#check(this.#call(0, shape, flags))
  }

  /** Pushes a part of some bytes of messages, split wherever it may be. */
  messages(bytes: Uint8Array, start: number, end: number): void {
    const size = end - start
    const address = this.input(size)
    this.bytes.set(start === 0 && size === bytes.length ? bytes : bytes.subarray(start, end), address)
    this.#push(size)
  }

  /** Starts a result whose input, columns and all, comes by {@link replay}. */
  restart(shape: number, flags: number, names: readonly string[]): void {
    this.#names = names
    this.#source = sourceFrames
    this.#check(this.#call(0, shape, flags))
  }

  /** Ends the input. Returns true if a second pass is needed. */
  end(): boolean {
    if (this.#source === sourceFrames) this.writer.flush()
    const status = this.#call(1, 0, 0)
    this.#check(status)
    if (status === statusRedo) return true
    this.#take()
    return false
  }

  /** Gives the head of the document to the sink. */
  head(): void {
    this.#check(this.#call(2, 0, 0))
    this.#take()
  }

  input(size: number): number {
    const address = this.#call(3, size, 0)
    if (address === 0) this.#check(-1)
    this.#room = address >>> 0
    return this.#room
  }

  push(size: number): void {
    if (this.kept !== undefined) this.kept.push(this.bytes.slice(this.#room, this.#room + size))
    this.#push(size)
  }

  /** Pushes input that was kept. */
  replay(block: Uint8Array): void {
    this.bytes.set(block, this.input(block.length))
    this.#push(block.length)
  }

  #push(size: number): void {
    let status = this.#call(4, size, 0)
    this.#check(status)
    this.#take()
    while (status === statusFull) {
      status = this.#call(5, 0, 0)
      this.#check(status)
      this.#take()
    }
  }

  #take(): void {
    const length = this.#state[stateOutputLength]
    if (length === 0) return
    const start = this.#state[stateOutput]
    this.sink.take(this.bytes, start, start + length, this.rows)
  }

  /**
   * Makes one call into the module. What it throws, whatever it is (a trap, or the end of the stack), leaves
   * the instance in an unknown state.
   */
  #call(which: number, a: number, b: number): number {
    const exports = this.#exports
    let result: number
    try {
      switch (which) {
        case 0:
          result = exports.rowjet_begin(this.#source, a, b)
          break
        case 1:
          result = exports.rowjet_end()
          break
        case 2:
          result = exports.rowjet_head()
          break
        case 3:
          result = exports.rowjet_input(a)
          break
        case 4:
          result = exports.rowjet_push(a)
          break
        default:
          result = exports.rowjet_resume()
      }
    } catch (cause) {
      this.dead = true
      throw new RowjetError('ENGINE_FAILED', 'the engine failed inside of its module: this is a bug in Rowjet or the machine is out of memory; the next call gets a fresh instance', { cause })
    }
    if (exports.memory.buffer !== this.#memory) this.#refresh()
    return result
  }

  #refresh(): void {
    const memory = this.#exports.memory.buffer
    this.#memory = memory
    this.bytes = new Uint8Array(memory)
    this.buffer = NodeBuffer?.from(memory)
    this.view = new DataView(memory)
    this.#state = new Uint32Array(memory, this.#stateAddress, stateWords)
  }

  #check(status: number): void {
    if (status >= 0) return
    const state = this.#state
    const found = state[stateFound]
    throw errorOfModule(
      {
        code: state[stateCode],
        row: this.rows,
        column: state[stateColumn],
        label: state[stateLabel],
        found: new TextDecoder().decode(this.bytes.subarray(found, found + state[stateFoundLength])),
      },
      this.#names,
    )
  }
}
