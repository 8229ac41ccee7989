const FORMS = [
  /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/,
  /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/,
]

/** Lower-case hyphenated form of any of the accepted texts, else undefined. */
export function uuidText(text) {
  let inner = text.toLowerCase()
  if (/^\{.*\}$/s.test(inner)) inner = inner.slice(1, -1)
  else if (inner.startsWith('urn:uuid:')) inner = inner.slice(9)
  for (const form of FORMS) {
    const m = form.exec(inner)
    if (m) return m.slice(1).join('-')
  }
  return undefined
}

/** The same of 16 raw bytes. */
export function uuidBytes(bytes) {
  if (bytes.length !== 16) return undefined
  return uuidText(Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join(''))
}
