// The page.

import { measuring, sizesChart, timingCharts } from './charts.js'
import { Client, WorkerFailure } from './client.js'
import { byId, count, counted, make, size, time } from './dom.js'
import { highlighted } from './highlight.js'
import type { Comparison, Failure, JsonRows, Shape, Summary, View } from './protocol.js'
import { samples, type Sample } from './samples.js'
import { typedOptions } from './typed.js'
import { failureView, jsonView, lossesView, tableView, typedView } from './views.js'

/** Rows of a page. */
const pageRows = 200

const sql = byId<HTMLTextAreaElement>('sql')
const params = byId<HTMLInputElement>('params')
const panel = byId('panel')
const measures = byId('measures')
const state = byId('state')
const stop = byId<HTMLButtonElement>('stop')
const tabs = [...document.querySelectorAll<HTMLButtonElement>('[role=tab]')]
const statement = byId<HTMLSelectElement>('statement')
const options = byId<HTMLSelectElement>('options')

let view: View = 'table'
let results: Summary[] = []
let from = 0
let failure: { failure: Failure; sql: string } | undefined
let comparison: Comparison | { why: string } | undefined
/** The run whose results are shown, or awaited. */
let run = 0
let ready = ''

const client = new Client({
  told(answer) {
    switch (answer.do) {
      case 'progress':
        tell(answer.text, 'busy')
        break
      case 'ready':
        ready = `PostgreSQL ${answer.version} · Rowjet ${size(answer.moduleGzip ?? answer.moduleBytes)}${answer.moduleGzip === undefined ? '' : ' gzip'} · up in ${time(answer.ms)}`
        tell(ready, 'ready')
        void workOffline()
        break
      case 'broken':
        tell('PostgreSQL could not be started', 'broken')
        failed(answer.failure, '')
        break
    }
  },
  followed(answer) {
    if (answer.id !== run) return
    switch (answer.do) {
      case 'alone':
        measures.replaceChildren(make('p', { className: 'legend' }, answer.why))
        setComparison({ why: answer.why })
        break
      case 'compared':
        setComparison(answer.comparison)
        measures.replaceChildren(sizesChart(answer.sizes), measuring())
        break
      case 'timed':
        measures.lastElementChild!.replaceWith(...timingCharts(answer.timings))
        measures.removeAttribute('aria-busy')
        break
    }
  },
})

function tell(text: string, what: 'busy' | 'ready' | 'broken'): void {
  state.textContent = text
  state.dataset.state = what
}

// The editor: a text area over the same text in colours.

function paint(): void {
  const paper = byId('paint')
  paper.replaceChildren(highlighted(sql.value, 'sql'), '\n')
  underline(undefined)
}

/** Underlines the word that an error is about, where the browser can do that without another element. */
function underline(position: number | undefined): void {
  if (!('highlights' in CSS)) return
  CSS.highlights.delete('wrong')
  if (position === undefined) return
  const walk = document.createTreeWalker(byId('paint'), NodeFilter.SHOW_TEXT)
  for (let at = 0; walk.nextNode() !== null;) {
    const { data } = walk.currentNode as Text
    if (position < at + data.length) {
      const range = new Range()
      range.setStart(walk.currentNode, position - at)
      range.setEnd(walk.currentNode, position - at + wordLength(data.slice(position - at)))
      CSS.highlights.set('wrong', new Highlight(range))
      return
    }
    at += data.length
  }
}

/** The length of the word, or else the character, that a text begins with. */
const wordLength = (text: string): number => /^[\w$]+|^/u.exec(text)![0].length || 1

function setQuery({ sql: text, params: values = [] }: Pick<Sample, 'sql' | 'params'>): void {
  sql.value = text
  params.value = values.length > 0 ? JSON.stringify(values) : ''
  paint()
  markSample()
}

function markSample(): void {
  for (const button of byId('samples').querySelectorAll('button')) {
    button.setAttribute('aria-pressed', String(samples[Number(button.dataset.sample)].sql === sql.value))
  }
}

// Running.

async function execute(): Promise<void> {
  let values: unknown
  try {
    values = params.value.trim() === '' ? [] : JSON.parse(params.value)
    if (!Array.isArray(values)) throw new TypeError('not an array')
  } catch (error) {
    params.setAttribute('aria-invalid', 'true')
    failed({ kind: 'other', name: 'Parameters', message: `The parameters are a JSON array, such as [1, "two"]: ${(error as Error).message}`, fields: [] }, '')
    params.focus()
    return
  }
  params.removeAttribute('aria-invalid')
  const text = sql.value
  remember(text, values as unknown[])
  tell(state.dataset.state === 'busy' ? state.textContent! : 'Running…', 'busy')
  stop.hidden = false
  results = []
  failure = comparison = undefined
  underline(undefined)
  byId('kept').hidden = true
  byId('results').setAttribute('aria-busy', 'true')
  const { id, answer } = client.ask({ do: 'run', sql: text, params: values as unknown[] }, 'results')
  run = id
  try {
    const done = await answer
    if (id !== run) return
    ;({ results } = done)
    settle()
    measures.replaceChildren(measuring())
    measures.setAttribute('aria-busy', 'true')
    statement.replaceChildren(...results.map((result, i) => make('option', { value: String(i) }, `${i + 1} of ${results.length}: ${result.columns.length === 0 ? 'no rows' : counted(result.rowCount, 'row')}`)))
    // The last that has rows.
    const last = results.findLastIndex(({ columns }) => columns.length > 0)
    statement.value = String(last === -1 ? results.length - 1 : last)
    byId('which').hidden = results.length < 2
    from = 0
    summarize(done.ms)
    void show()
  } catch (error) {
    if (id !== run) return
    settle()
    measures.replaceChildren()
    failed(failureOf(error), text)
  } finally {
    await shown
    if (id === run) byId('results').removeAttribute('aria-busy')
  }
}

function settle(): void {
  stop.hidden = true
  tell(ready === '' ? state.textContent! : ready, ready === '' ? 'busy' : 'ready')
}

function summarize(ms: number): void {
  const { columns, rowCount, bytes } = current()
  byId('summary').textContent = columns.length === 0
    ? `Done in ${time(ms)}; no rows`
    : `${counted(rowCount, 'row')}, ${counted(columns.length, 'column')}, ${size(bytes)} in ${time(ms)}`
}

function failureOf(error: unknown): Failure {
  if (error instanceof WorkerFailure) return error.failure
  return { kind: 'other', name: 'Error', message: String(error), fields: [] }
}

function failed(what: Failure, text: string): void {
  failure = { failure: what, sql: text }
  if (text === sql.value) underline(what.position)
  results = []
  byId('summary').textContent = ''
  byId('which').hidden = true
  void show()
}

const current = (): Summary => results[Number(statement.value)]

// Showing.

function setComparison(what: Comparison | { why: string }): void {
  comparison = what
  const kept = byId('kept')
  const n = 'losses' in what ? new Set(what.losses.map(({ column }) => column)).size + (what.repeated.length > 0 ? 1 : 0) : 0
  kept.hidden = n === 0
  kept.textContent = String(n)
  if (view === 'losses') void show()
}

const calls: Record<View, string> = {
  table: 'const result = await db.queryRaw(sql, params)',
  json: 'result.text()',
  typed: '', // the choice of options is it
  losses: '',
}

let showing = 0
/** Settles when what is to be shown is there. */
let shown: Promise<void> = Promise.resolve()

function show(): Promise<void> {
  return (shown = showNow(++showing))
}

async function showNow(mine: number): Promise<void> {
  for (const tab of tabs) {
    const selected = tab.dataset.view === view
    tab.setAttribute('aria-selected', String(selected))
    tab.tabIndex = selected ? 0 : -1
    if (selected) panel.setAttribute('aria-labelledby', tab.id)
  }
  const result = current() as Summary | undefined
  const withRows = result !== undefined && result.columns.length > 0
  byId('call').hidden = failure !== undefined || !withRows || view === 'losses'
  byId('code').replaceChildren(highlighted(calls[view], 'js'))
  byId('code').hidden = view === 'typed'
  byId('options-field').hidden = view !== 'typed'
  const pager = byId('pager')
  pager.hidden = !withRows || view === 'losses' || result.rowCount <= pageRows
  byId('tools').replaceChildren(...toolsOf(view))

  let content: Node
  try {
    content = await contentOf(result)
  } catch (error) {
    if (mine !== showing) return
    content = failureView(failureOf(error), '', () => undefined)
  }
  if (mine !== showing) return
  panel.replaceChildren(content)
  panel.scrollTop = panel.scrollLeft = 0
  if (!pager.hidden) {
    const to = Math.min(from + pageRows, result!.rowCount)
    byId('range').textContent = `rows ${count(from + 1)} to ${count(to)} of ${count(result!.rowCount)}`
    for (const id of ['first', 'previous']) byId<HTMLButtonElement>(id).disabled = from === 0
    for (const id of ['next', 'last']) byId<HTMLButtonElement>(id).disabled = to === result!.rowCount
  }
}

async function contentOf(result: Summary | undefined): Promise<Node> {
  if (failure !== undefined) return failureView(failure.failure, failure.sql, goTo)
  if (result === undefined) return make('p', { className: 'empty' }, results.length === 0 ? '' : 'No statement.')
  if (result.columns.length === 0) return make('p', { className: 'empty' }, 'The statement gives no rows.')
  switch (view) {
    case 'table': {
      const part = await rows()
      const table = tableView(result, part, from)
      return result.rowCount > 0 ? table : make('div', {}, table, make('p', { className: 'empty' }, 'No rows; the columns and their types are known all the same.'))
    }
    case 'json':
      return jsonView(await rows(), from, result.rowCount)
    case 'typed':
      return typedView(await typed(), from, result, !options.value.includes('arrays('))
    case 'losses':
      if (comparison === undefined) return make('p', { className: 'empty' }, 'Comparing…')
      if ('why' in comparison) return make('p', { className: 'empty' }, comparison.why.replace('Not timed', 'Not compared'))
      return lossesView(result, comparison)
  }
}

const rows = async (): Promise<JsonRows> =>
  (await client.ask({ do: 'rows', statement: Number(statement.value), from, to: from + pageRows }, 'rows').answer).part

const typed = async (): Promise<string[]> =>
  (await client.ask({ do: 'typed', statement: Number(statement.value), from, to: from + pageRows, choice: options.value }, 'typed').answer).rows

const wholeDocument = async (shape: Shape): Promise<Uint8Array<ArrayBuffer>> =>
  (await client.ask({ do: 'document', statement: Number(statement.value), shape }, 'document').answer).bytes

// Copies and downloads.

function toolsOf(what: View): HTMLElement[] {
  if (what === 'losses') return []
  const copy = toolButton('Copy', async () => {
    await toClipboard(what === 'json' ? new TextDecoder().decode(await wholeDocument('array')) : what === 'typed' ? panel.textContent! : tableText())
    return 'Copied'
  })
  if (what !== 'json') return [copy]
  const download = (name: string, shape: Shape, file: string, type: string): HTMLButtonElement =>
    toolButton(name, async () => {
      save(await wholeDocument(shape), file, type)
      return 'Saved'
    }, `Download as ${shape === 'ndjson' ? 'NDJSON' : shape === 'array' ? 'array-shape JSON' : 'JSON objects'}`)
  return [
    copy, download('⤓ array', 'array', 'rows.json', 'application/json'), download('⤓ objects', 'objects', 'objects.json', 'application/json'),
    download('⤓ NDJSON', 'ndjson', 'rows.ndjson', 'application/x-ndjson'),
  ]
}

function toolButton(text: string, work: () => Promise<string>, label?: string): HTMLButtonElement {
  const button = make('button', { type: 'button' }, text)
  if (label !== undefined) button.setAttribute('aria-label', label)
  button.addEventListener('click', () => void feedback(button, text, work))
  return button
}

/** Does what a button is for and says in it that it is done. */
async function feedback(button: HTMLButtonElement, text: string, work: () => Promise<string>): Promise<void> {
  try {
    button.textContent = await work()
  } catch (error) {
    button.textContent = 'Failed'
    button.title = String(error)
  }
  setTimeout(() => (button.textContent = text), 1500)
}

async function toClipboard(text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
}

/** The rows that are shown, for a spreadsheet. */
function tableText(): string {
  const lines = [...panel.querySelectorAll('tr')].map((row) =>
    [...row.querySelectorAll<HTMLElement>('td, th .name, .record thead th')].map((cell) => cell.textContent!.replace(/[\t\n]/g, ' ')).join('\t'))
  return lines.join('\n')
}

function save(bytes: Uint8Array<ArrayBuffer>, file: string, type: string): void {
  const url = URL.createObjectURL(new Blob([bytes], { type }))
  make('a', { href: url, download: file }).click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

// The address: a query that can be passed on.

function remember(text: string, values: readonly unknown[]): void {
  const hash = new URLSearchParams({ sql: text, ...(values.length > 0 && { params: JSON.stringify(values) }) })
  history.replaceState(null, '', `#${hash.toString()}`)
}

function recall(): Pick<Sample, 'sql' | 'params'> | undefined {
  const hash = new URLSearchParams(location.hash.slice(1))
  const text = hash.get('sql')
  if (text === null) return undefined
  try {
    const values: unknown = JSON.parse(hash.get('params') ?? '[]')
    return { sql: text, params: Array.isArray(values) ? values : [] }
  } catch {
    return { sql: text }
  }
}

// Without a network: everything is kept by the service worker once the page has worked.

async function workOffline(): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  try {
    await navigator.serviceWorker.register('sw.js')
    await navigator.serviceWorker.ready
    byId('offline').hidden = false
  } catch {
    // It works with the network, as before.
  }
}

// Events.

function goTo(position: number): void {
  sql.focus()
  sql.setSelectionRange(position, position + wordLength(sql.value.slice(position)))
}

function select(tab: HTMLButtonElement): void {
  view = tab.dataset.view as View
  void show()
}

function page(to: number): void {
  const { rowCount } = current()
  from = Math.max(0, Math.min(to, Math.floor((rowCount - 1) / pageRows) * pageRows))
  void show()
}

samples.forEach((sample, i) => {
  const button = make('button', { type: 'button', 'data-sample': i, 'aria-pressed': 'false' }, sample.name)
  button.addEventListener('click', () => {
    setQuery(sample)
    void execute()
  })
  byId('samples').append(button)
})
options.append(...Object.keys(typedOptions).map((call) => make('option', { value: call }, call)))

sql.addEventListener('input', () => {
  paint()
  markSample()
})
byId('run').addEventListener('click', () => void execute())
stop.addEventListener('click', () => {
  ready = ''
  tell('Starting PostgreSQL anew…', 'busy')
  client.restart()
})
byId('link').addEventListener('click', () => void feedback(byId('link') as HTMLButtonElement, 'Copy link', async () => {
  let values: unknown[] = []
  try {
    values = JSON.parse(params.value || '[]') as unknown[]
  } catch {
    // A link without them.
  }
  remember(sql.value, values)
  await toClipboard(location.href)
  return 'Copied'
}))
document.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault()
    void execute()
  }
})
params.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) void execute()
})
for (const [i, tab] of tabs.entries()) {
  tab.addEventListener('click', () => select(tab))
  tab.addEventListener('keydown', (event) => {
    const to = { ArrowRight: (i + 1) % tabs.length, ArrowLeft: (i + tabs.length - 1) % tabs.length, Home: 0, End: tabs.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    tabs[to].focus()
    select(tabs[to])
  })
}
statement.addEventListener('change', () => {
  from = 0
  void show()
})
options.addEventListener('change', () => void show())
byId('first').addEventListener('click', () => page(0))
byId('previous').addEventListener('click', () => page(from - pageRows))
byId('next').addEventListener('click', () => page(from + pageRows))
byId('last').addEventListener('click', () => page(Infinity))
addEventListener('hashchange', () => {
  const query = recall()
  if (query === undefined || query.sql === sql.value) return
  setQuery(query)
  void execute()
})

if (/Mac|iPhone|iPad/.test(navigator.platform)) byId('keys').textContent = '⌘ Enter'
setQuery(recall() ?? samples[0])
void execute()
