// PostgreSQL array literals: manual, section 8.15.6 "Array Input and Output Syntax".

export class BadLiteral extends Error {}

/**
 * Reads a literal and calls the visitor in order: open(), close(),
 * element(text, quoted), null(). Throws BadLiteral where the text stops being
 * an array; what came before has been visited by then.
 */
export function readArrayLiteral(text, visitor, delimiter = ',') {
  let at = 0
  const space = () => {
    while (at < text.length && ' \t\n\r\v\f'.includes(text[at])) at++
  }
  const expect = (char) => {
    if (text[at] !== char) throw new BadLiteral(`expected ${char} at ${at}`)
    at++
  }

  const bounds = /^[ \t\n\r\v\f]*(?:\[[+-]?\d+(?::[+-]?\d+)?\][ \t\n\r\v\f]*)+=/.exec(text)
  if (bounds) at = bounds[0].length
  space()
  array()
  space()
  if (at !== text.length) throw new BadLiteral('text after the array')

  function array() {
    expect('{')
    visitor.open()
    space()
    if (text[at] === '}') {
      at++
      visitor.close()
      return
    }
    for (;;) {
      space()
      if (text[at] === '{') array()
      else if (text[at] === '"') quoted()
      else plain()
      space()
      if (text[at] === delimiter) {
        at++
        continue
      }
      expect('}')
      visitor.close()
      return
    }
  }

  function quoted() {
    let value = ''
    at++
    for (;;) {
      if (at >= text.length) throw new BadLiteral('unfinished quotes')
      if (text[at] === '"') break
      if (text[at] === '\\') at++
      if (at >= text.length) throw new BadLiteral('unfinished escape')
      value += text[at++]
    }
    at++
    visitor.element(value)
  }

  function plain() {
    let value = ''
    let trailing = ''
    let escaped = false
    while (at < text.length && text[at] !== delimiter && text[at] !== '}') {
      if (text[at] === '{' || text[at] === '"') throw new BadLiteral(`${text[at]} inside an element`)
      if (text[at] === '\\') {
        escaped = true
        at++
        if (at >= text.length) throw new BadLiteral('unfinished escape')
        value += trailing + text[at++]
        trailing = ''
      } else if (' \t\n\r\v\f'.includes(text[at])) {
        trailing += text[at++]
      } else {
        value += trailing + text[at++]
        trailing = ''
      }
    }
    if (at >= text.length) throw new BadLiteral('an element without an end')
    if (value === '') throw new BadLiteral('an element without text')
    if (!escaped && /^null$/i.test(value)) visitor.null()
    else visitor.element(value)
  }
}
