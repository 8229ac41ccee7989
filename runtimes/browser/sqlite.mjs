// What a driver for SQLite must do in a page or worker, on an empty database. Gives what went wrong.
export async function checkSQLite(db) {
  const checks = { count: 0, wrong: [] }
  const shown = (value) => JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}n` : each instanceof Uint8Array ? `bytes ${each.join(' ')}` : each))
  const check = (what, got, want) => {
    checks.count++
    if (shown(got) !== shown(want)) checks.wrong.push(`${what}: gives ${shown(got)}, wants ${shown(want)}`)
  }
  await db.executeRaw('CREATE TABLE movie (id INTEGER PRIMARY KEY, title VARCHAR(191), price DECIMAL(10,2), seen BOOLEAN, at DATETIME, views BIGINT, poster BLOB)')
  const values = [1, 'Häxan \u0000 😀', 12.5, true, new Date('2024-02-29T12:34:56.789Z'), 9007199254740993n, new Uint8Array([0, 255])]
  check('rows changed', await db.executeRaw('INSERT INTO movie VALUES (?, ?, ?, ?, ?, ?, ?), (2, NULL, 3, 0, NULL, -9223372036854775808, zeroblob(0))', values), 2)
  const result = await db.queryRaw('SELECT * FROM movie WHERE id > :least ORDER BY id', { least: 0 })
  check(
    'document', result.text(),
    '{"columns":["id","title","price","seen","at","views","poster"],"types":["int","string","decimal","bool","datetime","bigint","bytes"],"rows":[[1,"Häxan \\u0000 😀","12.5",true,"2024-02-29T12:34:56.789+00:00","9007199254740993","AP8="],[2,null,"3",false,null,"-9223372036854775808",""]]}',
  )
  check('rows', result.arrays(), [[1, values[1], '12.5', true, values[4], 9007199254740993n, values[6]], [2, null, '3', false, null, -9223372036854775808n, new Uint8Array(0)]])
  check('expressions', (await db.queryRaw("SELECT 1 AS a, 2.5 AS b, 'x' AS c, x'01' AS d, 1e999 AS e, NULL AS f, CAST(x'41ff42' AS TEXT) AS g")).text(), '{"columns":["a","b","c","d","e","f","g"],"types":["int","double","string","bytes","double","int","string"],"rows":[[1,2.5,"x","AQ==","Infinity",null,"A\ufffdB"]]}')

  const own = new Error('mine')
  const failed = await db.transaction(async (tx) => {
    await tx.executeRaw('DELETE FROM movie')
    await tx.transaction((inner) => inner.executeRaw("INSERT INTO movie (id) VALUES (3)"))
    throw own
  }, { mode: 'immediate' }).catch((error) => error)
  check('a transaction that fails', [failed === own, (await db.queryRaw('SELECT count(*) FROM movie')).arrays()], [true, [[2]]])
  let ended = false
  const transaction = db.transaction(async () => {
    await new Promise((resolve) => setTimeout(resolve, 10))
    ended = true
  })
  await db.queryRaw('SELECT 1')
  check('others wait', ended, true)
  await transaction

  const rows = 20_000
  const many = `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${rows}) SELECT n, 'row ' || n AS t, n * 3000000000 AS b FROM c`
  const lines = (await new Response(db.stream(many, [], { shape: 'ndjson' })).text()).split('\n')
  check('stream', [lines.length, lines[0], lines[rows - 1]], [rows + 1, '{"n":1,"t":"row 1","b":"3000000000"}', `{"n":${rows},"t":"row ${rows}","b":"${rows * 3e9}"}`])
  const sizes = []
  const controller = new AbortController()
  const aborted = await (async () => {
    for await (const batch of db.batches(many, [], { size: 6000, signal: controller.signal })) if (sizes.push(batch.rowCount) === 2) controller.abort(own)
  })().catch((error) => error)
  check('abort between batches', [sizes, aborted === own], [[6000, 6000], true])
  await db.executeRaw('DROP TABLE movie') // nothing is open any more
  const message = await db.queryRaw('SELECT * FROM movie').catch((error) => error.message)
  check('an error', message.endsWith('no such table: movie'), true)
  return checks
}
