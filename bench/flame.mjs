// Makes a flame graph, one HTML file without anything else, of a profile of V8 (.cpuprofile).

/** A tree of the profile: `{ name, kind, self, total, children }`, times in microseconds. Frames of the same name are one. */
export function tree({ nodes, samples, timeDeltas }) {
  const self = new Map()
  for (const [i, id] of samples.entries()) self.set(id, (self.get(id) ?? 0) + timeDeltas[i])
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const build = (ids, name, kind) => {
    const frame = { name, kind, self: 0, total: 0, children: [] }
    const below = new Map()
    for (const id of ids) {
      const { children = [] } = byId.get(id)
      frame.self += self.get(id) ?? 0
      for (const child of children) {
        const called = frameOf(byId.get(child).callFrame)
        const key = `${called.kind} ${called.name}`
        if (!below.has(key)) below.set(key, { ...called, ids: [] })
        below.get(key).ids.push(child)
      }
    }
    frame.children = [...below.values()].map(({ ids, name, kind }) => build(ids, name, kind)).filter(({ total }) => total > 0).sort((a, b) => (a.name < b.name ? -1 : 1))
    frame.total = frame.self + frame.children.reduce((sum, { total }) => sum + total, 0)
    return frame
  }
  return build([nodes[0].id], 'all', 'other')
}

/** What a frame is called, and whose it is: `wasm`, `js`, or `other` for what V8 and Node do themselves. */
function frameOf({ functionName, url, lineNumber }) {
  if (url.startsWith('wasm://')) return { name: short(functionName), kind: 'wasm' }
  if (url === '' || url.startsWith('node:')) return { name: functionName || '(anonymous)', kind: 'other' }
  return { name: `${functionName || '(anonymous)'} ${url.split('/').pop()}:${lineNumber + 1}`, kind: 'js' }
}

/** 'engine.(*Encoder).row' of the full name of a Go function. */
const short = (name) => name.replace(/\(\*github\.com\/rowjet\/rowjet\/[\w/]*?(\w+)\.(\w+)\)/g, '$1.(*$2)').replace(/github\.com\/rowjet\/rowjet\/(?:\w+\/)*(\w+)\./g, '$1.')

/** The functions with the most time of their own: `[{ name, kind, self }]`. */
export function hottest(root) {
  const found = new Map()
  const visit = (frame) => {
    const key = `${frame.kind} ${frame.name}`
    const entry = found.get(key) ?? { name: frame.name, kind: frame.kind, self: 0 }
    entry.self += frame.self
    found.set(key, entry)
    frame.children.forEach(visit)
  }
  visit(root)
  return [...found.values()].filter(({ self }) => self > 0).sort((a, b) => b.self - a.self)
}

const escape = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`)

/** The page. Frames under a thousandth of the whole are left out. Click a frame to see it alone, the lowest to go back. */
export function html(root, title) {
  const boxes = []
  let depths = 0
  const place = (frame, start, depth) => {
    const share = frame.total / root.total
    if (share < 0.001) return
    depths = Math.max(depths, depth + 1)
    const label = escape(frame.name)
    const what = `${label}: ${(100 * share).toFixed(1)}% in all, ${((100 * frame.self) / root.total).toFixed(1)}% its own`
    boxes.push(`<div class="${frame.kind}" data-at="${start.toFixed(5)} ${share.toFixed(5)}" style="left:${(100 * start).toFixed(3)}%;width:${(100 * share).toFixed(3)}%;top:${depth * 19}px" title="${what}">${label}</div>`)
    for (const child of frame.children) {
      place(child, start, depth + 1)
      start += child.total / root.total
    }
  }
  place(root, 0, 0)
  return `<!doctype html>
<meta charset="utf-8">
<title>${escape(title)}</title>
<style>
body { font: 13px system-ui, sans-serif; margin: 16px; color-scheme: light dark }
main { position: relative; height: ${depths * 19}px; overflow: hidden }
main div { position: absolute; box-sizing: border-box; height: 18px; padding: 1px 3px; overflow: hidden; white-space: nowrap; font: 11px/16px ui-monospace, monospace; border-right: 1px solid Canvas; color: #000; cursor: pointer }
.wasm { background: #7fd18b } .js { background: #8fb8f0 } .other { background: #c9ccd1 }
p span { padding: 1px 6px; color: #000 }
</style>
<h1>${escape(title)}</h1>
<p><span class="wasm">Go, in the module</span> <span class="js">JavaScript</span> <span class="other">Node and V8</span> Callers are above what they call. Click a frame to enlarge it, the first to go back.</p>
<main>
${boxes.join('\n')}
</main>
<script>
const frames = [...document.querySelectorAll('main div')].map((element) => ({ element, at: element.dataset.at.split(' ').map(Number) }))
document.querySelector('main').addEventListener('click', ({ target }) => {
  const chosen = frames.find(({ element }) => element === target)
  if (chosen === undefined) return
  const [start, share] = chosen.at
  for (const { element, at: [left, width] } of frames) {
    const from = Math.max(left, start), to = Math.min(left + width, start + share)
    element.hidden = to - from <= 1e-6
    element.style.left = 100 * (from - start) / share + '%'
    element.style.width = 100 * (to - from) / share + '%'
  }
})
</script>
`
}
