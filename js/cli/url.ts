/** Takes the passwords of all URLs among the arguments out of a text. */
export function redact(text: string, args: readonly string[]): string {
  let clean = text
  for (const argument of args) {
    // Not the URL class: passwords with characters that it refuses must not leak either.
    const password = /^(?:--url=)?[a-z0-9+.-]+:\/\/[^/?#\s]*?:(.*)@/i.exec(argument)?.[1] ?? ''
    for (const form of [password, decoded(password)]) if (form !== '') clean = clean.replaceAll(form, '***')
  }
  return clean
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
