import assert from 'node:assert/strict'

/** Whether two JSON texts are equal once parsed; -0 is not 0. */
export function equal(a, b) {
  try {
    assert.deepStrictEqual(JSON.parse(a), JSON.parse(b))
    return true
  } catch {
    return false
  }
}
