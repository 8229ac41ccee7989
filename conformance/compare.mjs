/** Whether two JSON texts are equal once parsed; -0 is not 0. */
export function equal(a, b) {
  try {
    return same(JSON.parse(a), JSON.parse(b))
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

function same(a, b) {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return Object.is(a, b)
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]))
}
