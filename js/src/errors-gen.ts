// Generated from driveradapter/errors.tsv by scripts/gen-errors.mjs: change that table, then run `npm run generate`.

/** The names of the modules' errors. */
export type ModuleErrorCode =
  | 'FRAME_INVALID'
  | 'COLUMN_COUNT'
  | 'COLUMN_TYPE'
  | 'ROW_LENGTH'
  | 'ROW_NOT_ARRAY'
  | 'VALUE_UNSUPPORTED'
  | 'INT_INVALID'
  | 'INT_RANGE'
  | 'BIGINT_INVALID'
  | 'FLOAT_INVALID'
  | 'DECIMAL_INVALID'
  | 'BOOL_INVALID'
  | 'BYTES_INVALID'
  | 'UUID_INVALID'
  | 'JSON_INVALID'
  | 'DATETIME_INVALID'
  | 'DATE_INVALID'
  | 'TIME_INVALID'
  | 'ARRAY_INVALID'
  | 'NUMBER_INVALID'
  | 'TEXT_INVALID'
  | 'LABEL_UNSETTLED'
  | 'INPUT_UNFINISHED'
  | 'MEMORY_LIMIT'
  | 'CALL_ORDER'
  | 'WIRE_INVALID'
  | 'WIRE_BINARY'
  | 'DATE_STYLE'
  | 'SERVER_ERROR'
  | 'CHARSET'

/** The modules' errors, in the line of their number in the state block (wasm/ABI.md): name, text, advice. One text, since bundles get smaller by that. */
export const moduleErrors = `
FRAME_INVALID|the input is not a frame|check that the host and the module come from the same release, and that blocks arrive whole and in order
COLUMN_COUNT|the numbers of column names and column types differ|give one type for each name
COLUMN_TYPE|unknown ColumnType code|use the codes of @prisma/driver-adapter-utils (0 to 15, 64 to 78, 128)
ROW_LENGTH|the row has more or fewer cells than there are columns|give every row one cell for each column
ROW_NOT_ARRAY|the row is not an array|give rows as arrays of cells, in the order of the columns
VALUE_UNSUPPORTED|this kind of value has no meaning in a result set|convert it in the driver adapter
INT_INVALID|not a whole number|label the column double, decimal or string, or convert the cell
INT_RANGE|the number does not fit 32 bits|label the column bigint (ColumnType 1)
BIGINT_INVALID|not a whole number|label the column double, decimal or string, or convert the cell
FLOAT_INVALID|not a floating-point number|label the column string, or convert the cell
DECIMAL_INVALID|not a decimal number|label the column string, or convert the cell
BOOL_INVALID|not a boolean|label the column int or string, or convert the cell
BYTES_INVALID|not bytes|hand over a Uint8Array, an ArrayBuffer or an array of integers from 0 to 255
UUID_INVALID|not a UUID|label the column string, or convert the cell
JSON_INVALID|not a JSON text|hand over JSON text or a plain JSON value
DATETIME_INVALID|not a date with time|label the column string, or convert the cell
DATE_INVALID|not a date|label the column string, or convert the cell
TIME_INVALID|not a time of day|label the column string, or convert the cell
ARRAY_INVALID|not an array|hand over an array, or the text of a PostgreSQL array
NUMBER_INVALID|not a number|label the column string, or convert the cell
TEXT_INVALID|this value has no text form|convert it in the driver adapter
LABEL_UNSETTLED|the cell does not fit the declared type, and the types have been sent already|let the stream settle its types first: settle 'scan' or 'buffer', or 'unknown' for SQLite
INPUT_UNFINISHED|the input ended inside a row or a block|send every block whole before the end
MEMORY_LIMIT|a buffer would pass the memory limit|stream the result, fetch fewer bytes per cell, or raise maxBytes
CALL_ORDER|calls in the wrong order|begin, push or resume until done, end; see wasm/ABI.md
WIRE_INVALID|this is not what the database's protocol has here|close the connection: what follows can not be told apart from garbage
WIRE_BINARY|values of this type can not be read in binary format|ask for the column in text format, or cast it to text in the query
DATE_STYLE|the date is not in ISO style|run SET DateStyle TO ISO on the connection, or ask for binary format
SERVER_ERROR|the database ended the result with an error|see what it says
CHARSET|the text is in a character set that is not read|run SET NAMES utf8mb4 on the connection, or convert the column in the query`
