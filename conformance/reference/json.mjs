import { escapeLoneSurrogates } from './text.mjs'

/** Whether the text is one JSON value (RFC 8259), white space around it allowed. */
export function isJSON(text) {
  // JSON.parse is a strict RFC 8259 parser for texts of any nesting depth; a lone
  // surrogate inside a string passes, outside one it does not.
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The source text of a valid JSON text as it is copied into the document. */
export function copyJSON(text) {
  return escapeLoneSurrogates(text)
}
