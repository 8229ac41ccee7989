import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { errorOfModule, isRowjetError, moduleError, RowjetError } from '../dist/errors.js'

const script = fileURLToPath(new URL('../scripts/gen-errors.mjs', import.meta.url))

test('the generated table is that of errors.tsv', () => {
  execFileSync(process.execPath, [script, '--check'])
  const lines = readFileSync(new URL('../../driveradapter/errors.tsv', import.meta.url), 'utf8').trimEnd().split('\n').slice(1)
  const last = Number(lines.at(-1)!.split('\t')[0])
  const table: string[] = []
  for (let code = 0; code <= last + 1; code++) {
    const entry = moduleError(code)
    if (entry !== undefined) table.push([code, entry.name, entry.text, entry.advice].join('\t'))
  }
  assert.deepEqual(table, lines)
})

test('the script refuses a malformed table', async () => {
  const { generate } = (await import(script)) as { generate(text: string): string }
  assert.throws(() => generate('nothing'), /first line/)
  assert.throws(() => generate('code\tname\ttext\tadvice\nx\tA\tb\tc\n'), /bad line: x/)
  assert.throws(() => generate('code\tname\ttext\tadvice\n1\tA\tb\n'), /bad line: 1/)
  assert.throws(() => generate('code\tname\ttext\tadvice\n1\tA\tb\tc\n1\tB\tb\tc\n'), /bad line: 1/)
  for (const meaning of '\\`$|') assert.throws(() => generate(`code\tname\ttext\tadvice\n1\tA\tb\t${meaning}\n`), /a character that has a meaning here: 1/)
  assert.match(generate("code\tname\ttext\tadvice\n2\tA\tit's\tc\n"), /\| 'A'\n[^]*= `\n\nA\|it's\|c`\n$/)
})

test('messages', () => {
  const failure = { code: 11, row: 3, column: 2, label: 4, found: 'string "abc"' }
  const error = errorOfModule(failure, ['id', 'title', 'price'])
  assert.equal(
    error.message,
    'row 3, column 2 "price" (decimal): not a decimal number, found string "abc"; label the column string, or convert the cell [DECIMAL_INVALID]',
  )
  assert.deepEqual({ ...error }, { code: 'DECIMAL_INVALID', row: 3, column: 2, columnName: 'price', type: 'decimal', found: 'string "abc"' })
  assert.equal(error.name, 'RowjetError')
  assert.equal(String(error), `RowjetError: ${error.message}`)

  const frame = errorOfModule({ code: 1, row: 7, column: 0xffffffff, label: 0xffffffff, found: '' }, [])
  assert.equal(frame.message, 'the input is not a frame; check that the host and the module come from the same release, and that blocks arrive whole and in order [FRAME_INVALID]')
  assert.equal(frame.row, undefined)

  assert.equal(errorOfModule({ code: 99, row: 0, column: 0, label: 0, found: '' }, []).code, 'ABI_MISMATCH')
})

test('the brand', () => {
  assert.ok(isRowjetError(new RowjetError('ENGINE_FAILED', 'x')))
  // An error of another copy of the package.
  assert.ok(isRowjetError({ [Symbol.for('rowjet.error')]: true }))
  assert.ok(!isRowjetError(new Error('x')))
  assert.ok(!isRowjetError(null))
  assert.ok(!isRowjetError('RowjetError'))
  const cause = new Error('why')
  assert.equal(new RowjetError('ENGINE_FAILED', 'x', { cause }).cause, cause)
  assert.ok(!('cause' in new RowjetError('ENGINE_FAILED', 'x')))
})
