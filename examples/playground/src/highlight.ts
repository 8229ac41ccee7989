// Colours for SQL, JSON and JavaScript: enough of each language to tell its tokens apart.

type Rules = readonly [className: string, source: string][]

const sqlWords =
  'all|alter|analyze|and|any|array|as|asc|begin|between|by|cascade|case|cast|check|commit|constraint|copy|create|cross|current|default|delete|desc|distinct|do|drop|else|end|except|exists|explain|false|fetch|filter|first|following|for|foreign|from|full|function|generated|grant|group|having|if|ilike|in|index|inner|insert|intersect|interval|into|is|join|key|lateral|left|like|limit|materialized|natural|not|null|nulls|offset|on|or|order|outer|over|partition|preceding|primary|recursive|references|returning|returns|right|rollback|row|rows|schema|select|sequence|set|show|similar|table|temp|temporary|then|to|trigger|true|truncate|type|unbounded|union|unique|update|using|values|view|when|where|window|with'

const languages = {
  sql: [
    ['comment', String.raw`--[^\n]*|/\*[^]*?(?:\*/|$)`],
    ['string', String.raw`[eE]?'(?:[^']|'')*(?:'|$)|\$(?<tag>\w*)\$[^]*?(?:\$\k<tag>\$|$)`],
    ['name', String.raw`"(?:[^"]|"")*(?:"|$)`],
    ['word', String.raw`\b(?:${sqlWords})\b(?!\s*\.)`],
    ['number', String.raw`\$\d+|\b\d[\d_.]*(?:e[+-]?\d+)?\b`],
    ['', String.raw`[\w$]+`],
  ],
  json: [
    ['key', String.raw`"(?:[^"\\]|\\.)*"(?=:)`],
    ['string', String.raw`"(?:[^"\\]|\\.)*"?`],
    ['number', String.raw`-?\d[\d.eE+-]*`],
    ['word', String.raw`\b(?:true|false|null)\b`],
  ],
  js: [
    ['comment', String.raw`/\*[^]*?\*/`],
    ['key', String.raw`(?:'(?:[^'\\]|\\.)*'|[\p{ID_Start}$_][\p{ID_Continue}$]*)(?=:)`],
    ['string', String.raw`'(?:[^'\\]|\\.)*'?`],
    ['number', String.raw`(?<![\p{ID_Continue}$])-?(?:\d[\d.]*(?:e[+-]?\d+)?n?|Infinity|NaN)(?![\p{ID_Continue}$])`],
    ['word', String.raw`\b(?:new|true|false|null|await|const)\b`],
    ['name', String.raw`[\p{ID_Start}$_][\p{ID_Continue}$]*(?=[.(])`],
    ['', String.raw`[\p{ID_Start}$_][\p{ID_Continue}$]*`],
  ],
} satisfies Record<string, Rules>

export type Language = keyof typeof languages

const compiled = new Map<Language, { pattern: RegExp; classes: readonly string[] }>()

function patternOf(language: Language): { pattern: RegExp; classes: readonly string[] } {
  let known = compiled.get(language)
  if (known === undefined) {
    const rules: Rules = languages[language]
    const source = rules.map(([, rule], i) => `(?<_${i}>${rule})`).join('|')
    const pattern = new RegExp(source, language === 'sql' ? 'gui' : 'gu')
    known = { pattern, classes: rules.map(([className]) => className) }
    compiled.set(language, known)
  }
  return known
}

/** Texts longer than this are left plain. */
const longest = 200_000

/** The text as nodes, whose text is just that. */
export function highlighted(text: string, language: Language): DocumentFragment {
  const fragment = document.createDocumentFragment()
  if (text.length > longest) {
    fragment.append(text)
    return fragment
  }
  const { pattern, classes } = patternOf(language)
  let plain = 0
  for (const match of text.matchAll(pattern)) {
    const className = classes.find((_, i) => match.groups![`_${i}`] !== undefined)
    if (!className) continue
    if (match.index > plain) fragment.append(text.slice(plain, match.index))
    const span = document.createElement('span')
    span.className = `t-${className}`
    span.textContent = match[0]
    fragment.append(span)
    plain = match.index + match[0].length
  }
  fragment.append(text.slice(plain))
  return fragment
}
