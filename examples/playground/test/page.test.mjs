// The built page in a real Chromium. ROWJET_SCREENSHOTS=<folder> keeps pictures of it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { chromium } from 'playwright-core'
import { playgroundServer } from '../serve.mjs'

const { ROWJET_CHROMIUM, ROWJET_SCREENSHOTS } = process.env
if (ROWJET_CHROMIUM === undefined) throw new Error('run the tests with npm test: it finds the browser')

// A loaded machine takes a while to start PostgreSQL.
const patience = 60_000

describe('the playground', () => {
  let server, browser, context, page, url
  /** What no page may have. */
  const complaints = []

  function watch(page) {
    page.setDefaultTimeout(patience)
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(`${message.type()}: ${message.text()}`)
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('request', (request) => {
      if (!request.url().startsWith(url) && !request.url().startsWith('blob:')) complaints.push(`asks for ${request.url()}`)
    })
    return page
  }

  before(async () => {
    server = playgroundServer()
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://localhost:${server.address().port}/`
    browser = await chromium.launch({
      executablePath: ROWJET_CHROMIUM,
      // Without these a browser looks for its maker's hosts. Root can't have a sandbox.
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    })
    context = await browser.newContext({ viewport: { width: 1360, height: 900 }, colorScheme: 'light', timezoneId: 'America/Lima', locale: 'de-DE' })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url })
    page = watch(await context.newPage())
    await page.goto(url)
    await idle()
  })

  after(async () => {
    await browser?.close()
    server?.closeAllConnections()
    server?.close()
  })

  /** Waits for the result, or the error, of the last run. */
  const idle = async (where = page) => where.waitForFunction(() => !document.querySelector('#results').hasAttribute('aria-busy') && document.querySelector('#panel').childElementCount > 0)
  const measured = async () => page.waitForFunction(() => /Best of|Not timed/.test(document.querySelector('#measures').textContent))
  const sql = () => page.getByRole('textbox', { name: 'SQL' })
  const tab = (name) => page.getByRole('tab', { name })
  const panelText = () => page.locator('#panel').evaluate((panel) => panel.textContent)

  /** Types a query and runs it, all by keyboard. */
  async function run(text) {
    await sql().focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText(text)
    await page.keyboard.press('Control+Enter')
    await idle()
  }

  async function sample(name) {
    await page.getByRole('group', { name: 'Sample queries' }).getByRole('button', { name, exact: true }).click()
    await idle()
  }

  /** The text of a table, a list for each row. */
  const cells = (selector) => page.locator(`#panel ${selector} tr`).evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent.trim())))

  const exact = '{"columns":["bigint_id","price","at","valid_until","leap_day","ratio","blob","doc","ids","span"],'
    + '"types":["bigint","decimal","datetime","datetime","date","double","bytes","json","bigint-array","string"],'
    + '"rows":[["9007199254740993","1234567890.1000","2024-02-29T10:00:00.123456+00:00","infinity","2024-02-29","NaN","3q2+7w==",'
    + '{"v": 1.10, "id": 9007199254740993},["1",null,"9007199254740993"],"1 day 02:03:00"]]}'

  it('runs a query by keyboard and shows its rows', async () => {
    await run("SELECT i AS n, 'r' || i AS name, NULL::text AS nil FROM generate_series(9007199254740992, 9007199254740993) AS i")
    assert.deepEqual(await cells('thead'), [['Row', 'n bigint', 'name string', 'nil string']])
    assert.deepEqual(await cells('tbody'), [['1', '9007199254740992', 'r9007199254740992', 'NULL'], ['2', '9007199254740993', 'r9007199254740993', 'NULL']])
    assert.match(await page.locator('#summary').textContent(), /^2 rows, 3 columns, 168 B in [\d.]+ ms$/)
  })

  it('shows the document, byte for byte, and lets it be downloaded', async () => {
    await sample('Exact values')
    await tab('JSON').click()
    await page.waitForSelector('#panel pre.lines')
    assert.equal(await panelText(), exact)
    const download = async (name) => {
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()])
      return [file.suggestedFilename(), readFileSync(await file.path(), 'utf8')]
    }
    assert.deepEqual(await download('Download as array-shape JSON'), ['rows.json', exact])
    const [name, lines] = await download('Download as NDJSON')
    assert.equal(name, 'rows.ndjson')
    assert.equal(lines.slice(0, 64), '{"bigint_id":"9007199254740993","price":"1234567890.1000","at":"')
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), exact)
  })

  it('moves between tabs by arrow keys', async () => {
    const state = () => page.getByRole('tab').evaluateAll((tabs) => tabs.map((tab) => [tab.getAttribute('aria-selected'), tab.tabIndex, tab === document.activeElement].join(' ')))
    const off = 'false -1 false'
    const on = 'true 0 true'
    await tab('JSON').focus()
    await page.keyboard.press('ArrowRight')
    assert.deepEqual(await state(), [off, off, on, off])
    await page.keyboard.press('End')
    assert.deepEqual(await state(), [off, off, off, on])
    await page.keyboard.press('ArrowRight')
    assert.deepEqual(await state(), [on, off, off, off])
    await page.keyboard.press('ArrowLeft')
    assert.deepEqual(await state(), [off, off, off, on])
    await page.keyboard.press('Home')
    assert.deepEqual(await state(), [on, off, off, off])
    assert.equal(await page.getByRole('tabpanel', { name: 'Table' }).count(), 1)
  })

  it('shows typed rows as source text', async () => {
    await tab('Typed rows').click()
    await page.waitForSelector('#panel pre:not(.lines)')
    assert.equal(await panelText(), `[
  {
    bigint_id: 9007199254740993n,
    price: '1234567890.1000',
    at: new Date('2024-02-29T10:00:00.123Z'),
    valid_until: Infinity,
    leap_day: '2024-02-29',
    ratio: NaN,
    blob: Uint8Array.of(222, 173, 190, 239),
    doc: { v: 1.1, id: 9007199254740992 },
    ids: [1n, null, 9007199254740993n],
    span: '1 day 02:03:00',
  },
]`)
    await page.getByRole('combobox', { name: 'How values are given' }).selectOption("result.rows({ types: { json: 'string' } })")
    await page.waitForFunction(() => document.querySelector('#panel').textContent.includes(`doc: '{"v": 1.10, "id": 9007199254740993}',`))
    await page.getByRole('combobox', { name: 'How values are given' }).selectOption('result.rows()')
  })

  it('tells what JSON.stringify loses', async () => {
    await measured()
    await tab('Kept exact 8').click()
    await page.waitForSelector('#panel .losses')
    const thrown = 'TypeError: Do not know how to serialize a BigInt'
    assert.deepEqual(await cells('tbody'), [
      ['bigint_id bigint', '"9007199254740993"', thrown, 'no way to write a BigInt: the whole call fails'],
      ['at datetime', '"2024-02-29T10:00:00.123456+00:00"', '"2024-02-29T10:00:00.123Z"', 'microseconds are cut off'],
      ['valid_until datetime', '"infinity"', 'null', 'infinity becomes null'],
      ['leap_day date', '"2024-02-29"', '"2024-02-29T00:00:00.000Z"', 'a day becomes a point in time'],
      ['ratio double', '"NaN"', 'null', 'NaN becomes null'],
      ['blob bytes', '"3q2+7w=="', '{"0":222,"1":173,"2":190,"3":239}', 'bytes become an object with a key for each'],
      ['doc json', '{"v": 1.10, "id": 9007199254740993}', '{"v":1.1,"id":9007199254740992}', 'digits of numbers in the JSON change'],
      ['ids bigint-array', '["1",null,"9007199254740993"]', thrown, 'no way to write a BigInt: the whole call fails'],
    ])
  })

  it('draws sizes and timings', async () => {
    await measured()
    const bars = await page.locator('#measures .chart').evaluateAll((charts) => charts.map((chart) => [chart.getAttribute('aria-label'), chart.querySelectorAll('dt').length]))
    assert.deepEqual(bars, [['Size of the JSON', 3], ['Query to JSON bytes', 2], ['Query to typed rows', 2]])
    const values = await page.locator('#measures .ours .value').allTextContents()
    assert.equal(values.length, 3)
    assert.match(values[0], /^410 B · \d+ B gzip$/)
    assert.match(values[1], /^[\d.]+ ms, of which PostgreSQL itself takes [\d.]+ ms$/)
    const widths = await page.locator('#measures .chart').first().locator('.fill').evaluateAll((fills) => fills.map((fill) => Math.round(parseFloat(fill.style.width))))
    assert.deepEqual(widths, [100, 91, 73])
  })

  it('claims no loss where there is none, nor where values differ by themselves', async () => {
    await run("SELECT 1 AS i, 2::bigint AS b, 1.50 AS n, 'é\u2028' AS t, now() - now() AS d, true AS y, '{1,2}'::int[] AS a, current_timestamp(3) AS at, '{\"a\": [1]}'::json AS j")
    await measured()
    assert.match(await panelText(), /^Compared 1 row: in every cell JSON\.stringify of PGlite’s values says the same\./)
    await run('SELECT random() AS r, clock_timestamp() AS c')
    await measured()
    assert.match(await panelText(), /^The query gives other values each time/)
    await run('CREATE TEMP TABLE made AS SELECT 1 AS i; BEGIN')
    await run('INSERT INTO made VALUES (2) RETURNING i')
    await measured()
    assert.equal(await page.locator('#measures').textContent(), 'Not timed: only queries are.')
    await run('SELECT i FROM made')
    await measured()
    assert.equal(await page.locator('#measures').textContent(), 'Not timed: a transaction is open.')
    await run('COMMIT')
    assert.equal(await panelText(), 'The statement gives no rows.')
    await run("SELECT nextval(pg_get_serial_sequence('counted', 'i')) FROM (SELECT 1) AS one")
    assert.match(await panelText(), /relation "counted" does not exist/)
  })

  it('shows a result for each statement of a script', async () => {
    await tab('Table').click()
    await sample('Script')
    await sample('Script') // once more, over what the first run left
    const choice = page.getByRole('combobox', { name: 'Statement' })
    assert.deepEqual(await choice.locator('option').allTextContents(), ['1 of 6: no rows', '2 of 6: no rows', '3 of 6: no rows', '4 of 6: no rows', '5 of 6: 2 rows', '6 of 6: 2 rows'])
    assert.deepEqual(await cells('thead'), [['Row', 'x string', 'x enum']])
    await tab('Typed rows').click()
    await page.waitForSelector('#panel pre')
    assert.equal(await panelText(), '/* Columns share the name "x", and objects have the last: see result.arrays(). */\n[\n  { x: \'happy\' },\n  { x: \'ok\' },\n]')
    await tab('Table').click()
    await choice.selectOption({ index: 4 })
    await page.waitForFunction(() => document.querySelectorAll('#panel thead th').length === 4)
    assert.deepEqual(await cells('thead'), [['Row', 'name string', 'now enum', 'past string-array']])
    assert.deepEqual(await cells('tbody'), [['1', 'Ada', 'happy', '["sad","ok"]'], ['2', 'Bo', 'ok', 'NULL']])
  })

  it('passes parameters', async () => {
    await sample('Parameters')
    assert.match(await page.locator('#summary').textContent(), /^[\d,]+ rows, 3 columns/)
    await run('SELECT $1::int AS a, $2::text[] AS b')
    assert.match(await panelText(), /bind message supplies 3 parameters/)
    await page.getByRole('textbox', { name: 'Parameters' }).fill('[7, ["x", null]]')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.querySelectorAll('#panel tbody td').length === 2)
    assert.deepEqual(await cells('tbody'), [['1', '7', '["x",null]']])
    await page.getByRole('textbox', { name: 'Parameters' }).fill('{')
    await page.keyboard.press('Enter')
    assert.match(await page.getByRole('alert').textContent(), /^Parameters.*The parameters are a JSON array/)
    await page.getByRole('textbox', { name: 'Parameters' }).fill('')
  })

  it('shows the errors of the database and of Rowjet', async () => {
    await run('SELECT id,\n  titel FROM "Movie"')
    assert.match(await page.getByRole('alert').textContent(), /^PostgreSQL42703column "titel" does not exist {2}titel FROM "Movie"\n {2}\^Go to line 2, column 3severityERRORhintPerhaps you meant to reference the column "Movie.title"\./)
    assert.deepEqual(await page.evaluate(() => [...CSS.highlights.get('wrong')].map(String)), ['titel'])
    await page.getByRole('button', { name: 'Go to line 2, column 3' }).click()
    assert.equal(await sql().evaluate((area) => `${area === document.activeElement} ${area.value.slice(area.selectionStart, area.selectionEnd)}`), 'true titel')
    await sample('Too large')
    assert.match(await page.getByRole('alert').textContent(), /^RowjetRESULT_TOO_LARGEthe rows are larger than 64,000,000 bytes/)
  })

  it('pages through a large result', async () => {
    await sample('50,000 movies')
    assert.match(await page.locator('#summary').textContent(), /^50,000 rows, 4 columns, 13\.1 MB in /)
    const range = page.locator('#range')
    assert.equal(await range.textContent(), 'rows 1 to 200 of 50,000')
    assert.equal((await cells('tbody')).length, 200)
    await page.getByRole('button', { name: 'Last rows' }).click()
    await page.waitForFunction(() => document.querySelector('#range').textContent === 'rows 49,801 to 50,000 of 50,000')
    assert.equal((await cells('tbody')).at(-1)[0], '50,000')
    assert.equal(await page.getByRole('button', { name: 'Next rows' }).isDisabled(), true)
    await page.getByRole('button', { name: 'Previous rows' }).click()
    await page.waitForFunction(() => document.querySelector('#range').textContent === 'rows 49,601 to 49,800 of 50,000')
    await tab('JSON').click()
    await page.waitForSelector('#panel pre.lines')
    const text = await panelText()
    assert.ok(text.startsWith('{"columns":["id","title","year","description"],"types":["int","string","int","string"],"rows":[… 49,600 rows before …[49601,"'), text.slice(0, 200))
    assert.match(text, /"\],… 200 rows more …\]\}$/)
    await page.waitForFunction(() => document.querySelector('#measures .chart') !== null)
    assert.match(await page.locator('#measures').textContent(), /Rowjet, array shape13\.1 MB · [\d.]+ kB gzip/)
  })

  it('has a name for everything that can be used, and shows where the focus is', async () => {
    await tab('Table').click()
    const client = await context.newCDPSession(page)
    const { nodes } = await client.send('Accessibility.getFullAXTree')
    const used = nodes.filter(({ ignored, role }) => !ignored && ['button', 'textbox', 'tab', 'tabpanel', 'combobox', 'link', 'table', 'region', 'group', 'navigation', 'tablist'].includes(role.value))
    assert.ok(used.length > 25)
    assert.deepEqual(used.filter(({ name }) => !name?.value).map(({ role }) => role.value), [])
    await page.evaluate(() => document.activeElement.blur())
    const seen = new Set()
    for (let i = 0; i < 30; i++) {
      await page.keyboard.press('Tab')
      const [what, shown] = await page.evaluate(() => {
        const { activeElement: element } = document
        if (element === document.body) return ['the end', true]
        const shows = (of) => getComputedStyle(of).outlineStyle !== 'none' || getComputedStyle(of).boxShadow !== 'none'
        return [element.id || element.textContent, shows(element) || shows(element.parentElement)]
      })
      assert.ok(shown, `no one sees that ${what} has the focus`)
      seen.add(what)
    }
    for (const id of ['sql', 'run', 'params', 'link', 'tab-table', 'panel', 'next']) assert.ok(seen.has(id), `Tab does not reach ${id}`)
  })

  it('is readable in light and dark, on a desk and on a phone', async () => {
    await sample('Exact values')
    await measured()
    await page.evaluate(() => document.activeElement.blur())
    await page.mouse.move(0, 0)
    /** Contrast by WCAG 2.2, of all texts with what is behind them. */
    const contrasts = () => page.evaluate(() => {
      const paper = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
      const rgb = (colors) => {
        paper.clearRect(0, 0, 1, 1)
        for (const color of colors) {
          paper.fillStyle = color
          paper.fillRect(0, 0, 1, 1)
        }
        return [...paper.getImageData(0, 0, 1, 1).data].slice(0, 3)
      }
      const luminance = (color) => color.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4)).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0)
      const low = new Set()
      let texts = 0
      const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      while (walk.nextNode()) {
        const element = walk.currentNode.parentElement
        if (!walk.currentNode.data.trim() || !element.checkVisibility() || element.closest('.hidden, :disabled, textarea, .skip')) continue
        const behind = []
        for (let e = element; e !== null; e = e.parentElement) behind.unshift(getComputedStyle(e).backgroundColor)
        const [a, b] = [rgb(behind), rgb([...behind, getComputedStyle(element).color])].map(luminance).sort((x, y) => y - x)
        texts++
        if ((a + 0.05) / (b + 0.05) < 4.5) low.add(`${element.tagName}.${element.className} ${walk.currentNode.data.trim().slice(0, 20)} ${((a + 0.05) / (b + 0.05)).toFixed(2)}`)
      }
      return { texts, low: [...low] }
    })
    const grounds = []
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme })
      for (const [device, width, height] of [['desk', 1360, 900], ['phone', 390, 844]]) {
        await page.setViewportSize({ width, height })
        for (const view of ['table', 'json', 'typed', 'losses']) {
          await page.locator(`#tab-${view}`).click()
          await page.waitForFunction((view) => document.querySelector(`#panel > ${{ table: 'table', json: 'pre.lines', typed: 'pre:not(.lines)', losses: '.prose' }[view]}`) !== null, view)
          const { texts, low } = await contrasts()
          assert.ok(texts > 60)
          assert.deepEqual(low, [], `${colorScheme} ${device} ${view}`)
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, `${view} is too wide for a ${device}`)
          if (ROWJET_SCREENSHOTS !== undefined) await page.screenshot({ path: path.join(ROWJET_SCREENSHOTS, `${device}-${colorScheme}-${view}.png`), fullPage: device === 'phone' })
        }
      }
      grounds.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor))
    }
    assert.deepEqual(grounds, ['rgb(244, 246, 248)', 'rgb(13, 17, 22)'])
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 1360, height: 900 })
  })

  it('stops a query that takes too long', async () => {
    await sql().fill('SELECT count(*) FROM generate_series(1, 1e12)')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('button', { name: 'Stop' }).click()
    await idle()
    assert.match(await page.getByRole('alert').textContent(), /The query was stopped, and the database with it/)
    await tab('Table').click()
    await run("SELECT 'again' AS works")
    assert.deepEqual(await cells('tbody'), [['1', 'again']])
  })

  it('works without a network, and opens the query of a link', async () => {
    await page.getByText('Works offline').waitFor()
    await run('SELECT 9007199254740993 AS "größe & #"')
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const link = await page.evaluate(() => navigator.clipboard.readText())
    assert.ok(link.startsWith(`${url}#sql=SELECT+9007199254740993+AS+`), link)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await context.setOffline(true)
    await page.close()
    const other = watch(await context.newPage())
    await other.goto(link)
    await idle(other)
    await other.getByRole('tab', { name: 'JSON' }).click()
    await other.waitForSelector('#panel pre.lines')
    assert.equal(await other.locator('#panel').evaluate((panel) => panel.textContent), '{"columns":["größe & #"],"types":["bigint"],"rows":[["9007199254740993"]]}')
  })

  it('has complained of nothing', () => {
    assert.deepEqual(complaints, [])
  })
})
