// Sizes and timings, as bars.

import { make, size, time } from './dom.js'
import type { Size, Sizes, Times, Timings } from './protocol.js'

interface Bar {
  name: string
  ours: boolean
  value: number
  /** A part of the value that is told apart. */
  part?: number | undefined
  text: string
  /** What the part is, for those who don't see it. */
  partText?: string | undefined
}

function chart(title: string, bars: readonly Bar[], verdict: Verdict): HTMLElement {
  const most = Math.max(...bars.map(({ value }) => value))
  const list = make('dl', { className: 'bars' })
  for (const { name, ours, value, part, text, partText } of bars) {
    const fill = make('span', { className: 'fill' })
    fill.style.width = `${Math.max((value / most) * 100, 0.5)}%`
    if (part !== undefined) {
      const inner = make('span', { className: 'part' })
      inner.style.width = `${Math.min((part / value) * 100, 100)}%`
      fill.append(inner)
    }
    list.append(
      make('dt', { className: ours ? 'ours' : '' }, name),
      make('dd', { className: ours ? 'ours' : '' },
        make('span', { className: 'value' }, text, partText !== undefined && make('span', { className: 'hidden' }, `, ${partText}`)),
        make('span', { className: 'bar', 'aria-hidden': 'true' }, fill)),
    )
  }
  return make('section', { className: 'chart', 'aria-label': title }, make('h3', {}, title, ' ', make('span', { className: verdict.good ? 'verdict good' : 'verdict' }, verdict.text)), list)
}

interface Verdict {
  text: string
  good: boolean
}

function ratio(ours: number, theirs: number, better: string, worse: string): Verdict {
  const factor = theirs / ours
  if (factor >= 1.05) return { text: `${factor.toFixed(factor < 10 ? 1 : 0)}× ${better}`, good: true }
  if (factor <= 0.95) return { text: `${(1 / factor).toFixed(1)}× ${worse}`, good: false }
  return { text: 'about the same', good: false }
}

const sizeBar = (name: string, ours: boolean, { plain, gzip }: Size): Bar => ({
  name, ours, value: plain, part: gzip !== undefined && gzip < plain ? gzip : undefined,
  text: gzip === undefined ? size(plain) : `${size(plain)} · ${size(gzip)} gzip`,
})

export function sizesChart({ rowjet, arrays, objects }: Sizes): HTMLElement {
  return chart('Size of the JSON', [
    sizeBar('Rowjet, array shape', true, rowjet), sizeBar('JSON.stringify, same shape', false, arrays), sizeBar('JSON.stringify, row objects', false, objects),
  ], ratio(rowjet.plain, objects.plain, 'smaller than objects', 'larger than objects'))
}

export function timingCharts({ best, spread, rounds }: Timings): HTMLElement[] {
  const { database } = best
  const timing = (title: string, [ours, our]: [string, keyof Times], [theirs, their]: [string, keyof Times]): HTMLElement => {
    const bar = (name: string, way: keyof Times): Bar => {
      const part = Math.min(database, best[way])
      return { name, ours: way === our, value: best[way], part, text: time(best[way]), partText: `of which PostgreSQL itself takes ${time(part)}` }
    }
    const clear = Math.abs(best[our] - best[their]) > Math.max(spread[our], spread[their])
    return chart(title, [bar(ours, our), bar(theirs, their)], clear ? ratio(best[our], best[their], 'faster', 'slower') : { text: 'about the same', good: false })
  }
  return [
    timing('Query to JSON bytes', ['Rowjet: bytes()', 'rowjetJson'], ['PGlite, JSON.stringify', 'stringify']),
    timing('Query to typed rows', ['Rowjet: rows()', 'rowjetRows'], ['PGlite: query()', 'driverRows']),
    make('p', { className: 'legend' },
      make('span', { className: 'swatch', 'aria-hidden': 'true' }), ` PostgreSQL itself, its rows dropped: ${time(database)}. Best of ${rounds}, in turn, in this browser; in the sizes, the dark part is after gzip.`),
  ]
}

export function measuring(): HTMLElement {
  return make('p', { className: 'legend' }, 'Timing the query, by Rowjet and by PGlite with JSON.stringify…')
}
