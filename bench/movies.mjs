// The table "Movie" of the benchmarks, the demo and `make seed`: the same rows on every machine.

const first = ['The', 'A', 'Last', 'Silent', 'Golden', 'Broken', 'Hidden', 'Distant', 'Crimson', 'Paper', 'Winter', 'Électrique', 'Little', 'Night']
const second = ['River', 'Garden', 'Station', 'Letter', 'Shadow', 'Harbour', 'Orchard', 'Mirror', 'Engine', 'Café', 'Lighthouse', 'Summer', 'Bridge', 'Clock']
const clauses = [
  'A teacher returns to the town where she grew up',
  'Two brothers inherit a cinema that nobody visits',
  'An engineer finds a message in an old machine',
  'A ferry captain makes one last crossing',
  'a stranger asks for a room and never leaves it',
  'the only witness refuses to speak',
  'a storm cuts the island off from the coast',
  'everything they knew about the past turns out to be wrong',
  'and learns that "home" is not a place',
  'while the war comes nearer by the day',
]

/** Numbers from 0 to below n that look random and are the same each time: xorshift32. */
export function generator(seed) {
  let state = seed
  return (n) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % n
  }
}

export const columnNames = ['id', 'title', 'year', 'description']
export const columnTypes = [0, 7, 0, 7]

/** Gives the rows one by one: `[id, title, year, description]`. */
export function* eachMovie(count) {
  const pick = generator(20261130)
  const of = (list) => list[pick(list.length)]
  for (let id = 1; id <= count; id++) {
    const title = `${of(first)} ${of(second)} ${id}`
    const description = `${of(clauses)}, ${of(clauses)}, ${of(clauses)}, ${of(clauses)}; ${of(clauses)}.`
    yield [id, title, 1900 + pick(126), description]
  }
}

/** Returns `count` rows. */
export const movies = (count) => [...eachMovie(count)]
