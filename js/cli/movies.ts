// The data of `rowjet seed` and of the benchmarks: the same rows on every machine.

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
const given = ['Ada', 'Björn', 'Chiara', 'Dmitri', 'Élodie', 'Farid', 'Grace', 'Hiroshi', 'Ines', 'João', 'Kamala', 'Łukasz', 'Mei', 'Nadia', 'Oskar', 'Priya']
const family = ['Almeida', 'Berg', 'Castillo', 'Dubois', 'Eriksen', 'Fischer', 'García', 'Haddad', 'Ito', 'Jensen', 'Kowalska', 'Lindqvist', 'Moreau', 'Novák', 'Okafor', 'Petrov']
const praise = ['I was moved by every minute', 'The sound alone is worth a ticket', 'A slow start, then nobody breathes', 'Not for me', '“Again!”, said my daughter 🎬', 'The ending is a riddle']

/** A row of a table; SQL's NULL is null. */
export type Cells = (string | number | boolean | null)[]

/** A table that is made: its columns with the types that seed.ts knows, and its rows. */
export interface Table {
  readonly columns: Readonly<Record<string, string>>
  readonly count: number
  readonly rows: Iterable<Cells>
}

/** Numbers from 0 to below n that look random and are the same each time: xorshift32. */
function generator(seed: number): { pick(n: number): number; of(list: readonly string[]): string } {
  let state = seed
  const pick = (n: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % n
  }
  return { pick, of: (list) => list[pick(list.length)] }
}

export const columnNames = ['id', 'title', 'year', 'description']
export const columnTypes = [0, 7, 0, 7]

/** Gives the rows of Movie one by one. */
export function* eachMovie(count: number): Generator<[id: number, title: string, year: number, description: string]> {
  const { pick, of } = generator(20261130)
  for (let id = 1; id <= count; id++) {
    const title = `${of(first)} ${of(second)} ${id}`
    const description = `${of(clauses)}, ${of(clauses)}, ${of(clauses)}, ${of(clauses)}; ${of(clauses)}.`
    yield [id, title, 1900 + pick(126), description]
  }
}

/** Gives `count` rows of Movie. */
export const movies = (count: number): [number, string, number, string][] => [...eachMovie(count)]

const date = (n: number): string => new Date(Date.UTC(1920, 0, 1 + n)).toISOString().slice(0, 10)
const instant = (seconds: number): string => new Date(1.2e12 + seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')

function* eachPerson(count: number): Generator<Cells> {
  const { pick, of } = generator(7)
  for (let id = 1; id <= count; id++) yield [id, `${of(given)} ${of(family)}`, date(pick(30_000)), pick(5) === 0 ? null : `Works in film since ${1940 + pick(80)}.`]
}

function* eachUser(count: number): Generator<Cells> {
  const { pick, of } = generator(11)
  for (let id = 1; id <= count; id++) {
    const name = `${of(given)} ${of(family)}`
    yield [id, name, `user${id}@example.com`, instant(pick(600_000_000)), pick(3) > 0, `{"pages": ${10 + pick(90)}, "theme": "${of(['dark', 'light'])}"}`]
  }
}

function* eachReview(count: number, movies: number, users: number): Generator<Cells> {
  const { pick, of } = generator(13)
  for (let id = 1; id <= count; id++) {
    yield [id, 1 + pick(movies), 1 + pick(users), 1 + pick(10), `${of(praise)}, ${of(praise)}.`, `${pick(30)}.${String(pick(100)).padStart(2, '0')}`, instant(pick(600_000_000))]
  }
}

/** All tables, in an order that foreign keys allow: movies, half as many persons, a fifth as many users, three times as many reviews. */
export function tables(movies: number): Record<string, Table> {
  const persons = Math.ceil(movies / 2)
  const users = Math.ceil(movies / 5)
  return {
    Movie: { columns: { id: 'int', title: 'text', year: 'int', description: 'text' }, count: movies, rows: eachMovie(movies) },
    Person: { columns: { id: 'int', name: 'text', born: 'date', biography: 'text?' }, count: persons, rows: eachPerson(persons) },
    User: { columns: { id: 'int', name: 'text', email: 'text', joined: 'time', verified: 'bool', settings: 'json' }, count: users, rows: eachUser(users) },
    Review: {
      columns: { id: 'int', movie: 'int → Movie', user: 'int → User', rating: 'int', text: 'text', price: 'decimal', written: 'time' },
      count: 3 * movies, rows: eachReview(3 * movies, movies, users),
    },
  }
}
