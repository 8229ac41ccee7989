// The reference: what a result set has to become, written for reading, not for
// speed. It shares no code with the engine and follows docs and README alone.

import { typeOf, labelOf } from './types.mjs'
import { cellJSON, CellError } from './cells.mjs'
import { UnknownNumber, Declared, Widening } from './labels.mjs'
import { jsonString } from './text.mjs'
import { kindOf, holdsUnsupported } from './values.mjs'

/**
 * @param {{columnNames: string[], columnTypes: number[], rows: unknown[][]}} resultSet
 * @param {{dialect?: 'postgres'|'mysql'|'sqlite', shape?: 'array'|'objects'|'ndjson', flags?: string[]}} options
 * @returns {{text: string} | {error: {code: string, row?: number, column?: number}}}
 */
export function serialize({ columnNames, columnTypes, rows }, { dialect = 'postgres', shape = 'array', flags = [] } = {}) {
  const context = { dialect, shape, jsontext: flags.includes('jsontext') }
  if (columnNames.length !== columnTypes.length) return { error: { code: 'COLUMN_COUNT' } }
  const bad = columnTypes.findIndex((code) => typeOf(code) === undefined)
  if (bad >= 0) return { error: { code: 'COLUMN_TYPE', column: bad } }

  const plans = columnTypes.map((code) => planOf(typeOf(code), context, flags))
  let at
  try {
    for (const [row, cells] of rows.entries()) {
      at = { row }
      if (!Array.isArray(cells)) throw new CellError('ROW_NOT_ARRAY')
      if (cells.length !== plans.length) throw new CellError('ROW_LENGTH')
      for (const [column, plan] of plans.entries()) {
        at = { row, column }
        const value = cells[column]
        if (kindOf(value) === 'unsupported' || (dialect === 'sqlite' && holdsUnsupported(value))) throw new CellError('VALUE_UNSUPPORTED')
        if (kindOf(value) !== 'null') plan.see(value)
      }
    }
    const types = plans.map((plan, i) => (rows.length === 0 && columnTypes[i] === 128 ? { base: 'unknown' } : plan.settle()))
    const cells = rows.map((row, r) =>
      types.map((type, c) => {
        at = { row: r, column: c }
        return cellJSON(type, row[c], context)
      }),
    )
    return { text: document(columnNames, types, cells, shape) }
  } catch (error) {
    if (!(error instanceof CellError)) throw error
    return { error: { code: error.code, ...at } }
  }
}

function planOf(type, context, flags) {
  if (flags.includes('unknown') && context.dialect === 'sqlite') return { see() {}, settle: () => ({ base: 'unknown' }) }
  const plan =
    type.base === 'number'
      ? new UnknownNumber(context.dialect)
      : context.dialect === 'sqlite'
        ? new Widening(type, context)
        : new Declared(type, context)
  return flags.includes('fixed') ? fixed(type, plan) : plan
}

/** The declared label is final: whatever would change it is an error at its cell. */
function fixed(type, plan) {
  if (type.base === 'number') return { see() {}, settle: () => ({ base: 'unknown' }) }
  const before = labelOf(type)
  return {
    see(value) {
      plan.see(value)
      if (labelOf(plan.settle()) !== before || plan.fits === false) throw new CellError('LABEL_UNSETTLED')
    },
    settle: () => type,
  }
}

function document(names, types, rows, shape) {
  if (shape === 'array') {
    const columns = names.map(jsonString).join(',')
    const labels = types.map((type) => `"${labelOf(type)}"`).join(',')
    return `{"columns":[${columns}],"types":[${labels}],"rows":[${rows.map((cells) => `[${cells.join(',')}]`).join(',')}]}`
  }
  const objects = rows.map((cells) => object(names, cells))
  return shape === 'ndjson' ? objects.map((line) => line + '\n').join('') : `[${objects.join(',')}]`
}

/** Of columns with one name the last gives the member; the others are left out. */
function object(names, cells) {
  const members = names.map((name, i) => `${jsonString(name)}:${cells[i]}`)
  return `{${members.filter((_, i) => names.lastIndexOf(names[i]) === i).join(',')}}`
}
