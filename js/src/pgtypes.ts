// PostgreSQL's types (the catalog pg_type: https://www.postgresql.org/docs/current/catalog-pg-type.html) as ColumnType codes.

const text = 7
const enumCode = 12

/** Type OIDs are fixed for built-in types (src/include/catalog/pg_type.dat in PostgreSQL's sources). Those that are not here are text. */
const codes = new Map<number, number>([
  [16, 5], // bool
  [17, 13], // bytea
  [18, 6], // "char"
  [20, 1], // int8
  [21, 0], // int2
  [23, 0], // int4
  [25, text], // text
  [26, 1], // oid
  [114, 11], // json
  [700, 2], // float4
  [701, 3], // float8
  [1042, text], // bpchar
  [1043, text], // varchar
  [1082, 8], // date
  [1083, 9], // time
  [1114, 10], // timestamp
  [1184, 10], // timestamptz
  [1266, text], // timetz: with its offset it is no time of day
  [1700, 4], // numeric
  [2950, 15], // uuid
  [3802, 11], // jsonb
  [199, 75], // json[]
  [1000, 69], // bool[]
  [1001, 77], // bytea[]
  [1002, 70], // "char"[]
  [1005, 64], // int2[]
  [1007, 64], // int4[]
  [1009, 71], // text[]
  [1014, 71], // bpchar[]
  [1015, 71], // varchar[]
  [1016, 65], // int8[]
  [1020, 71], // box[]
  [1021, 66], // float4[]
  [1022, 67], // float8[]
  [1028, 65], // oid[]
  [1115, 74], // timestamp[]
  [1182, 72], // date[]
  [1183, 73], // time[]
  [1185, 74], // timestamptz[]
  [1231, 68], // numeric[]
  [1270, 71], // timetz[]
  [2951, 78], // uuid[]
  [3807, 75], // jsonb[]
])

/** The types of one database: those that are not known beforehand (enums, arrays of user-defined types, domains in arrays) are looked up once. */
export class PgTypes {
  readonly #learned = new Map<number, number>()

  /** Looks up what is not known. `query` runs SQL and gives the rows as arrays of texts. */
  async learn(oids: readonly number[], query: (sql: string) => Promise<readonly (readonly unknown[])[]>): Promise<void> {
    const wanted = oids.filter((oid) => this.#known(oid) === undefined)
    if (wanted.length === 0) return
    const rows = await query(
      `SELECT t.oid, t.typtype, CASE WHEN t.typcategory = 'A' AND t.typlen = -1 THEN t.typelem ELSE 0 END, e.typtype, e.typbasetype
       FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem
       WHERE t.oid IN (${[...new Set(wanted)].map(Number).join(', ')})`,
    )
    for (const [oid, kind, element, elementKind, elementBase] of rows) {
      let code = kind === 'e' ? enumCode : text
      if (Number(element) > 0) code = arrayOf(elementKind === 'e' ? enumCode : (codes.get(Number(element)) ?? codes.get(Number(elementBase)) ?? text))
      this.#learned.set(Number(oid), code)
    }
    // A type that is gone by now stays text.
    for (const oid of wanted) if (!this.#learned.has(oid)) this.#learned.set(oid, text)
  }

  /** The ColumnType code of a type. */
  code(oid: number): number {
    return this.#known(oid) ?? text
  }

  #known(oid: number): number | undefined {
    return codes.get(oid) ?? this.#learned.get(oid)
  }
}

/** The code of arrays of a type. */
function arrayOf(code: number): number {
  return code === 15 ? 78 : code + 64
}
