/** Reads what go test -bench -benchmem prints: allocations per operation, by name. */
export function allocations(output) {
  const found = new Map()
  let folder = ''
  for (const line of output.split('\n')) {
    const pkg = /^pkg: (?:github\.com\/rowjet\/rowjet\/)?(\S+)$/.exec(line)
    if (pkg) folder = pkg[1]
    // BenchmarkMovie-2   20   123456 ns/op   45.6 MB/s   0 B/op   0 allocs/op
    const result = /^(Benchmark\S+?)(?:-\d+)?\s.*\s(\d+) B\/op\s+(\d+) allocs\/op$/.exec(line)
    if (result) found.set(`${folder}.${plain(result[1])}`, { bytes: Number(result[2]), allocations: Number(result[3]) })
  }
  if (found.size === 0) throw new Error('no benchmark of Go was found')
  return found
}

/** The report takes plain ASCII only; other characters become their code points. */
const plain = (name) => name.replace(/[^A-Za-z0-9_.,:;/()*+=#-]/gu, (c) => `U+${c.codePointAt(0).toString(16)}`)

/** Joins the two sides to what the report takes: null where a side lacks the benchmark. */
export function joined(base, head) {
  const names = [...new Set([...head.keys(), ...base.keys()])].sort()
  return names.map((name) => ({ name, base: base.get(name) ?? null, head: head.get(name) ?? null }))
}
