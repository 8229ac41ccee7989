// What the tabs show.

import { count, counted, make } from './dom.js'
import { highlighted } from './highlight.js'
import { elements } from './json.js'
import { repeatedNames } from './losses.js'
import type { Comparison, Failure, JsonRows, Summary } from './protocol.js'

/** Cells and rows longer than this are cut, for display only. */
const longestCell = 2000
const longestRow = 50_000

function shortened(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}… ${count(text.length - longest)} more characters` : text
}

/** A badge with a type's name; its colour is that of a family of types. */
export function typeBadge(type: string): HTMLElement {
  return make('span', { className: `type type-${family(type)}` }, type)
}

function family(type: string): string {
  if (type.endsWith('-array')) return 'array'
  if (['int', 'bigint', 'float', 'double', 'decimal'].includes(type)) return 'number'
  if (['date', 'time', 'datetime'].includes(type)) return 'time'
  if (['json', 'bytes'].includes(type)) return 'data'
  if (type === 'bool') return 'bool'
  return 'text'
}

const numeric = (type: string): boolean => family(type) === 'number'

/** A cell of the document, as a person reads it. */
function cellOf(text: string, type: string): HTMLTableCellElement {
  const classes = [numeric(type) ? 'number' : '']
  let shown = text
  if (text === 'null') {
    classes.push('null')
    shown = 'NULL'
  } else if (text.startsWith('"') && type !== 'json') {
    shown = JSON.parse(text) as string
    if (shown === '') {
      classes.push('null')
      shown = 'empty text'
    }
  }
  const cell = make('td', { className: classes.join(' ').trim() }, shortened(shown, longestCell))
  if (shown.length > 48) cell.title = shortened(shown, longestCell)
  return cell
}

/** One row with many columns is easier to read from top to bottom. */
const mostAcross = 4

export function tableView({ columns, types, rowCount }: Summary, { rows }: JsonRows, from: number): HTMLElement {
  if (rowCount === 1 && columns.length > mostAcross) return recordView(columns, types, elements(rows[0]))
  const head = make('tr', {}, make('th', { scope: 'col', className: 'at' }, make('span', { className: 'hidden' }, 'Row')))
  columns.forEach((name, i) => head.append(make('th', { scope: 'col', className: numeric(types[i]) ? 'number' : '' }, make('span', { className: 'name' }, name), ' ', typeBadge(types[i]))))
  const body = make('tbody')
  rows.forEach((text, i) => {
    const row = make('tr', {}, make('th', { scope: 'row', className: 'at' }, count(from + i + 1)))
    row.append(...elements(text).map((cell, column) => cellOf(cell, types[column])))
    body.append(row)
  })
  return make('table', {}, make('caption', { className: 'hidden' }, 'The rows of the result'), make('thead', {}, head), body)
}

function recordView(columns: readonly string[], types: readonly string[], cells: readonly string[]): HTMLElement {
  const head = make('tr', {}, ...['Column', 'Type', 'Value'].map((text) => make('th', { scope: 'col' }, text)))
  const body = make('tbody')
  columns.forEach((name, i) => {
    const cell = cellOf(cells[i], types[i])
    cell.classList.remove('number')
    body.append(make('tr', {}, make('th', { scope: 'row' }, make('span', { className: 'name' }, name)), make('td', {}, typeBadge(types[i])), cell))
  })
  return make('table', { className: 'record' }, make('caption', { className: 'hidden' }, 'The one row of the result'), make('thead', {}, head), body)
}

/** The document. Its parts are on lines of their own, yet the text is the document's, byte for byte, if all rows are there. */
export function jsonView({ head, rows, tail }: JsonRows, from: number, rowCount: number): HTMLElement {
  const pre = make('pre', { className: 'code lines' })
  const line = (text: string, className = ''): void => {
    pre.append(make('span', { className }, highlighted(shortened(text, longestRow), 'json')))
  }
  const note = (n: number, where: string): void => {
    pre.append(make('span', { className: 'note' }, `… ${counted(n, 'row')} ${where} …`))
  }
  head.forEach((text) => line(text))
  if (from > 0) note(from, 'before')
  rows.forEach((text, i) => line(from + i + 1 < rowCount ? `${text},` : text, 'row'))
  const rest = rowCount - from - rows.length
  if (rest > 0) note(rest, 'more')
  line(tail)
  return pre
}

export function typedView(rows: readonly string[], from: number, { columns, rowCount }: Summary, objects: boolean): HTMLElement {
  const before = from > 0 ? `  /* ${counted(from, 'row')} before */\n` : ''
  const rest = rowCount - from - rows.length
  const after = rest > 0 ? `  /* ${counted(rest, 'row')} more */\n` : ''
  const text = rows.length === 0 ? '[]' : `[\n${before}${rows.map((row) => shortened(row, longestRow)).join('\n')}\n${after}]`
  const repeated = objects ? repeatedNames(columns) : []
  const note = repeated.length === 0 ? '' : `/* Columns share the name ${repeated.map((name) => JSON.stringify(name).replaceAll('*/', '* /')).join(', ')}, and objects have the last: see result.arrays(). */\n`
  return make('pre', { className: 'code' }, highlighted(note + text, 'js'))
}

export function lossesView({ columns, types, rowCount }: Summary, comparison: Comparison): HTMLElement {
  const { losses, throws, repeated, rows, settled } = comparison
  const view = make('div', { className: 'prose' })
  if (throws !== undefined) {
    view.append(make('p', { className: 'throws' }, make('code', {}, 'JSON.stringify(rows)'), ' of PGlite’s own rows does not work at all: ', make('code', {}, throws), '. Below, and in the sizes and timings, a replacer turns each BigInt into a text.'))
  }
  if (repeated.length > 0) {
    view.append(make('p', { className: 'throws' }, `Several columns are named ${repeated.map((name) => JSON.stringify(name)).join(', ')}: PGlite’s row objects keep the last of them only. The array shape keeps all.`))
  }
  const compared = rows < rowCount ? `the first ${count(rows)} of ${counted(rowCount, 'row')}` : counted(rowCount, 'row')
  if (!settled) {
    view.append(make('p', {}, 'The query gives other values each time it runs, so that there is nothing to compare cell by cell.'))
  } else if (losses.length === 0) {
    view.append(make('p', {}, `Compared ${compared}: in every cell JSON.stringify of PGlite’s values says the same. `, repeated.length === 0 && throws === undefined && 'Nothing is lost either way here; try “Exact values” or “Types”.'))
  } else {
    view.append(make('p', {}, `Compared ${compared}. Of these cells, JSON.stringify of the values that PGlite’s own `, make('code', {}, 'query()'), ' gives says something else:'))
    const body = make('tbody')
    for (const { column, what, cells, row, rowjet, stringify } of losses) {
      body.append(make('tr', {},
        make('th', { scope: 'row' }, make('span', { className: 'name' }, columns[column]), ' ', typeBadge(types[column])),
        make('td', { className: 'code kept', 'data-label': 'Rowjet' }, highlighted(rowjet, 'json')),
        make('td', { className: 'code lost', 'data-label': 'JSON.stringify' }, stringify),
        make('td', {}, what, cells > 1 && make('span', { className: 'cells' }, ` ${count(cells)} cells, first in row ${count(row + 1)}`)),
      ))
    }
    const heads = ['Column', 'Rowjet', 'JSON.stringify', 'What happens']
    view.append(make('table', { className: 'losses' }, make('caption', { className: 'hidden' }, 'Cells that JSON.stringify changes'), make('thead', {}, make('tr', {}, ...heads.map((text) => make('th', { scope: 'col' }, text)))), body))
  }
  return view
}

/** An error, with the line of the SQL that it is about. */
export function failureView(failure: Failure, sql: string, go: (position: number) => void): HTMLElement {
  const { kind, name, message, code, fields, position } = failure
  const source = { database: 'PostgreSQL', rowjet: 'Rowjet', other: name }[kind]
  const view = make('div', { className: 'failure', role: 'alert' },
    make('p', { className: 'what' }, make('span', { className: 'source' }, source), code !== undefined && make('code', { className: 'error-code' }, code)),
    make('p', { className: 'message' }, message),
  )
  if (position !== undefined && position <= sql.length) {
    const start = sql.lastIndexOf('\n', position - 1) + 1
    const end = sql.indexOf('\n', position)
    const line = sql.slice(start, end === -1 ? undefined : end)
    const number = sql.slice(0, position).split('\n').length
    const caret = `${' '.repeat(position - start)}^`
    const button = make('button', { type: 'button' }, `Go to line ${number}, column ${position - start + 1}`)
    button.addEventListener('click', () => go(position))
    view.append(make('pre', { className: 'code' }, highlighted(line, 'sql'), '\n', make('span', { className: 'caret' }, caret)), button)
  }
  const list = make('dl')
  for (const [field, value] of fields) list.append(make('dt', {}, field), make('dd', {}, value))
  if (fields.length > 0) view.append(list)
  return view
}
