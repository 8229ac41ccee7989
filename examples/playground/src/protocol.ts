// What the page and its worker tell each other.

/** What a tab shows. */
export type View = 'table' | 'json' | 'typed' | 'losses'

/** How typed rows can be given; the keys of `typedOptions` in typed.ts. */
export type TypedChoice = string

/** The shapes that can be downloaded. */
export type Shape = 'array' | 'objects' | 'ndjson'

/** To the worker. Answers bear the same `id`. */
export type Request =
  | { id: number; do: 'run'; sql: string; params: unknown[] }
  | { id: number; do: 'rows'; statement: number; from: number; to: number }
  | { id: number; do: 'typed'; statement: number; from: number; to: number; choice: TypedChoice }
  | { id: number; do: 'document'; statement: number; shape: Shape }

/** One statement's result. */
export interface Summary {
  columns: readonly string[]
  types: readonly string[]
  rowCount: number
  /** The length of the array-shape JSON. */
  bytes: number
}

/** A part of the array-shape JSON: exactly its text, in pieces. */
export interface JsonRows {
  /** From the first brace to the bracket before the first row, cut after each of its commas at the top. */
  head: string[]
  rows: string[]
  tail: string
}

/** What went wrong, as far as it can be sent. */
export interface Failure {
  kind: 'database' | 'rowjet' | 'other'
  name: string
  message: string
  code?: string
  /** Fields that are there, by name, as they are to be shown. */
  fields: [name: string, value: string][]
  /** Where in the SQL, in UTF-16 units from 0. */
  position?: number
}

/** What happened to the cells of one column. */
export interface Loss {
  column: number
  /** What JSON.stringify does to them. */
  what: string
  cells: number
  /** Counted from 0. */
  row: number
  /** That row's cell, as JSON. */
  rowjet: string
  stringify: string
}

export interface Comparison {
  losses: Loss[]
  /** What JSON.stringify throws for these rows. */
  throws?: string
  /** Names that several columns share: objects have only the last of them. */
  repeated: string[]
  /** How many rows were compared. */
  rows: number
  /** The query gives the same values each time; if not, there is nothing to compare. */
  settled: boolean
}

/** Milliseconds for one query, by each way to run it. */
export interface Times {
  /** Its rows are dropped. */
  database: number
  rowjetJson: number
  stringify: number
  rowjetRows: number
  driverRows: number
}

export interface Timings {
  best: Times
  /** The median less the best. */
  spread: Times
  rounds: number
}

/** In bytes. */
export interface Size {
  plain: number
  gzip: number | undefined
}

export interface Sizes {
  rowjet: Size
  /** JSON.stringify of the same shape. */
  arrays: Size
  /** JSON.stringify of PGlite's row objects. */
  objects: Size
}

/** From the worker. */
export type Answer =
  | { do: 'progress'; text: string }
  | { do: 'ready'; version: string; ms: number; moduleBytes: number; moduleGzip: number | undefined }
  | { do: 'broken'; failure: Failure }
  | { id: number; do: 'results'; results: Summary[]; ms: number }
  | { id: number; do: 'failed'; failure: Failure }
  | { id: number; do: 'rows'; part: JsonRows }
  | { id: number; do: 'typed'; rows: string[] }
  | { id: number; do: 'document'; bytes: Uint8Array<ArrayBuffer> }
  | { id: number; do: 'compared'; comparison: Comparison; sizes: Sizes }
  | { id: number; do: 'timed'; timings: Timings }
  /** There is nothing to compare or to time; why. */
  | { id: number; do: 'alone'; why: string }
