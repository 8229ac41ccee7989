/** The element with an id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`there is no #${id}`)
  return element as T
}

type Child = Node | string | undefined | false

/** Makes an element. Properties with a hyphen, and `role`, are attributes. */
export function make<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, properties: Record<string, unknown> = {}, ...children: Child[]): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes('-') || name === 'role') element.setAttribute(name, String(value))
    else Object.assign(element, { [name]: value })
  }
  element.append(...children.filter((child): child is Node | string => child !== undefined && child !== false))
  return element
}

export const count = (n: number): string => n.toLocaleString('en-US')

/** `1 row`, `2 rows`. */
export const counted = (n: number, noun: string): string => `${count(n)} ${noun}${n === 1 ? '' : 's'}`

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(bytes < 1e4 ? 2 : 1)} kB`
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 1)} MB`
}

export function time(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
  return `${ms.toFixed(ms < 10 ? 2 : ms < 100 ? 1 : 0)} ms`
}
