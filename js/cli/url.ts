/** Takes the passwords of all URLs among the arguments out of a text. */
export function redact(text: string, args: readonly string[]): string {
  const secrets = new Set<string>()
  for (const argument of args) for (const secret of secretsOf(argument)) for (const form of [secret, decoded(secret), encodeURIComponent(secret)]) secrets.add(form)
  secrets.delete('')
  let clean = text
  for (const secret of [...secrets].sort((a, b) => b.length - a.length)) {
    // A short one is part of many words: only as a word of its own it can be the password.
    const word = secret.length < shortSecret ? /[\p{L}\p{N}_]/u : undefined
    clean = clean.replaceAll(secret, (found, at: number, whole: string) => (word !== undefined && (word.test(whole[at - 1] ?? '') || word.test(whole[at + found.length] ?? '')) ? found : '***'))
  }
  return clean
}

const shortSecret = 6

/** What may be a password in a URL. Not by the URL class: passwords with characters that it refuses must not leak either. */
function secretsOf(argument: string): string[] {
  const url = /^(?:--url=)?[a-z0-9+.-]+:(?:\/\/)?(.*)$/is.exec(argument)?.[1]
  if (url === undefined) return []
  const secrets: string[] = []
  const colon = url.indexOf(':')
  if (colon !== -1) {
    // Which @ ends it can't be told if there are more: a path may have one, too.
    for (let at = url.indexOf('@', colon); at !== -1; at = url.indexOf('@', at + 1)) secrets.push(url.slice(colon + 1, at))
  }
  for (const [, value] of url.matchAll(/[?&;](?:\w*(?:password|passwd|passphrase|pwd|token|secret|key))=([^&;#\s]*)/gi)) secrets.push(value)
  return secrets
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
