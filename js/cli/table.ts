/** Lays out a document as a table: a line of names, a rule, a line per row, and the number of rows. Numbers stand right. */
export function table(document: { columns: string[]; types: string[]; rows: unknown[][] }): string {
  const { columns, types, rows } = document
  const cells = rows.map((row) => row.map(textOf))
  const heads = columns.map(visible)
  const widths = heads.map((name, c) => cells.reduce((widest, row) => Math.max(widest, widthOf(row[c])), widthOf(name)))
  const right = types.map((type) => /^(int|bigint|float|double|decimal)$/.test(type))
  const line = (texts: string[]): string =>
    texts
      .map((text, c) => {
        const gap = ' '.repeat(widths[c] - widthOf(text))
        return right[c] ? gap + text : text + gap
      })
      .join(' | ')
      .trimEnd()
  const rule = widths.map((width) => '-'.repeat(width)).join('-+-')
  return `${[line(heads), rule, ...cells.map(line), `(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`].join('\n')}\n`
}

function textOf(cell: unknown): string {
  if (cell === null) return 'NULL'
  return visible(typeof cell === 'string' ? cell : JSON.stringify(cell))
}

/** Control characters would break the table, or steer the terminal. */
function visible(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (unit) => JSON.stringify(unit).slice(1, -1).replace(/^[\u007f-\u009f]$/, (c) => `\\u00${c.charCodeAt(0).toString(16)}`))
}

/** The columns that a text takes on a terminal: wide characters (East Asian, emoji) two, marks none. */
function widthOf(text: string): number {
  let width = 0
  for (const character of text) {
    if (/\p{Mark}|\p{Cf}/u.test(character)) continue
    const code = character.codePointAt(0) ?? 0
    const wide =
      (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) || (code >= 0xac00 && code <= 0xd7a3) ||
      (code >= 0xf900 && code <= 0xfaff) || (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) ||
      (code >= 0xffe0 && code <= 0xffe6) || (code >= 0x1f300 && code <= 0x1faff) || (code >= 0x20000 && code <= 0x3fffd)
    width += wide ? 2 : 1
  }
  return width
}
