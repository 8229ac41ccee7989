// The examples of docs/runtimes/: what is documented is what runs.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './lib.mjs'

/** An example of a page. */
export function example(page, number = 0, language = 'js') {
  const found = [...readFileSync(path.join(root, 'docs/runtimes', page), 'utf8').matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))][number]
  if (found === undefined) throw new Error(`${page} has no example ${number}`)
  return found[1]
}

/** What the example of a page prints, as it says itself. */
export const printed = (page) => /console\.log\(.*\) \/\/ (.*)/.exec(example(page))[1]

/** Adds to a report whether the example printed (`told`) what its page says. */
export function documented(report, page, told) {
  const want = printed(page)
  report.checks.count++
  if (told.trim() !== want) report.checks.wrong.push(`docs/runtimes/${page}: ${told}, wants ${want}`)
  return report
}
