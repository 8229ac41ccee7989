// What every entry exports beside its createEngine.
export { createEngineSync, Engine, type EngineOptions, type StreamOptions, type StreamShape } from './engine.js'
export { isRowjetError, RowjetError, type RowjetErrorCode } from './errors.js'
export type { WasmSource } from './loader.js'
export { Result, type ArrayDocument } from './result.js'
export type { Choice, ColumnInfo, Convert, ConvertClass, RowOptions, TypeChoices } from './rows.js'
export type { Dialect, ResultSet, ResultStream, ScalarTypeName, TypeName } from './types.js'
