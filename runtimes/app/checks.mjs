// What every runtime has to do, apart from the cases. Nothing of Node is used here.

const set = { columnNames: ['id', 'name'], columnTypes: [0, 7], rows: [[1, 'a\ud800"é😀'], [-2, null]] }
const text = '{"columns":["id","name"],"types":["int","string"],"rows":[[1,"a\\ud800\\"é😀"],[-2,null]]}'
const objects = '[{"id":1,"name":"a\\ud800\\"é😀"},{"id":-2,"name":null}]'

// (module (func (export "rowjet_abi") (result i32) (i32.const 9)))
const otherABI = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7f, 3, 2, 1, 0, 7, 14, 1, 10, ...new TextEncoder().encode('rowjet_abi'), 0, 0, 10, 6, 1, 4, 0, 0x41, 9, 0x0b])
const html = new TextEncoder().encode('<!doctype html><title>App</title>')

/**
 * Checks the entries of the three dialects (their createEngine), given the bytes of a module for PostgreSQL and, where
 * modules are compiled elsewhere (`compiled`), that of SQLite. Gives what is wrong and how many checks there were.
 */
export async function check({ postgres, mysql, sqlite }, { bytes, compiled }) {
  const wrong = []
  let count = 0
  const same = (name, got, want) => {
    count++
    if (got !== want) wrong.push(`${name}: ${String(got)}, wants ${String(want)}`)
  }
  const fails = async (name, run, code, way) => {
    count++
    let told = 'no error'
    try {
      await run()
    } catch (error) {
      told = `${error?.name} ${error?.code}: ${error?.message}`
      if (error?.name === 'RowjetError' && error.code === code && way.test(error.message)) return
    }
    wrong.push(`${name}: ${told}, wants ${code} ${String(way)}`)
  }
  const works = async (name, createEngine, source) => {
    try {
      const engine = await createEngine(source)
      const result = engine.serialize(set)
      same(name, result.text(), text)
      same(`${name}, objects`, new TextDecoder().decode(result.objects()), objects)
      same(`${name}, rows`, JSON.stringify(result.rows()), objects)
      same(`${name}, stream`, await new Response(engine.stream(set)).text(), text)
    } catch (error) {
      wrong.push(`${name}: ${error?.stack ?? error}`)
    }
  }
  await works('postgres', postgres)
  await works('mysql', mysql)
  await works('sqlite', sqlite)
  const array = new Uint8Array(bytes)
  const response = (body, init) => new Response(body, init)
  if (compiled === undefined) {
    await works('a module', postgres, await WebAssembly.compile(array))
    await works('a promise of a module', postgres, WebAssembly.compile(array))
    await works('a Uint8Array', postgres, array)
    await works('an ArrayBuffer', postgres, array.buffer)
    await works('a DataView', postgres, new DataView(array.buffer))
    await works('a Response', postgres, response(array, { headers: { 'content-type': 'application/wasm' } }))
    await works('a Response of another type', postgres, Promise.resolve(response(array)))
    await fails('another ABI', () => postgres(otherABI), 'ABI_MISMATCH', /has ABI 9, this package speaks 1: use the module that came with/)
    await fails('another dialect', () => mysql(array), 'ABI_MISMATCH', /the module for postgres, not for mysql/)
    await fails('half a module', () => postgres(array.slice(0, 99)), 'WASM_NOT_BINARY', /does not compile/)
  } else {
    await works('a module', sqlite, compiled)
    await works('a promise of a module', sqlite, Promise.resolve(compiled))
    await fails('another dialect', () => postgres(compiled), 'ABI_MISMATCH', /the module for sqlite, not for postgres/)
    await fails('bytes', () => postgres(array), 'WASM_BLOCKED', /pass a compiled WebAssembly\.Module to createEngine\(source\)/)
  }
  await fails('HTML', () => postgres(response(html)), 'WASM_NOT_BINARY', /got HTML, .* import the entry that ends in \/inline/)
  await fails('HTML as bytes', () => postgres(html), 'WASM_NOT_BINARY', /got HTML/)
  await fails('nothing', () => postgres(new Uint8Array(0)), 'WASM_NOT_BINARY', /got nothing/)
  await fails('not found', () => postgres(response('', { status: 404 })), 'WASM_NOT_FOUND', /answered 404 .* pass the module to createEngine\(source\)/)
  await fails('a string', () => postgres('postgres.wasm'), 'WASM_NOT_FOUND', /the source is a String/)
  await fails('null', () => postgres(null), 'WASM_NOT_FOUND', /the source is a Null/)
  // An error in a cell is told with its place.
  const engine = await postgres()
  await fails('a cell', () => engine.serialize({ ...set, rows: [[1, ''], [2147483648, '']] }), 'INT_RANGE', /row 1.*column 0|row 1/)
  return { count, wrong }
}
