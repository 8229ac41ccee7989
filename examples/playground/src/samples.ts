export interface Sample {
  name: string
  sql: string
  params?: unknown[]
}

export const samples: readonly Sample[] = [
  {
    name: 'Exact values',
    sql: `-- See “Kept exact” for what JSON.stringify loses.
SELECT
  9007199254740993 AS bigint_id,
  1234567890.1000::numeric AS price,
  timestamptz '2024-02-29 12:00:00.123456+02' AS at,
  timestamptz 'infinity' AS valid_until,
  date '2024-02-29' AS leap_day,
  'NaN'::float8 AS ratio,
  '\\xdeadbeef'::bytea AS blob,
  '{"id": 9007199254740993, "v": 1.10}'::jsonb AS doc,
  ARRAY[1, NULL, 9007199254740993] AS ids,
  interval '1 day 02:03' AS span`,
  },
  { name: '50,000 movies', sql: 'SELECT *\nFROM "Movie"\nORDER BY id' },
  {
    name: 'Aggregates',
    sql: `-- count is bigint, avg is numeric: both keep every digit.
SELECT
  year / 10 * 10 AS decade,
  count(*),
  avg(length(description)) AS mean_length,
  sum(id::bigint * 1000000007) AS checksum,
  min(title) AS first_title
FROM "Movie"
GROUP BY 1
ORDER BY 1`,
  },
  {
    name: 'Parameters',
    sql: 'SELECT id, title, year\nFROM "Movie"\nWHERE year BETWEEN $1 AND $2 AND title LIKE $3\nORDER BY year DESC, id\nLIMIT 1000',
    params: [1940, 1969, '%Café%'],
  },
  {
    name: 'Numbers',
    sql: `SELECT
  i AS id,
  (i * 9007199254740993)::bigint AS big,
  (i / 7.0)::numeric(12, 6) AS share,
  sqrt(i::float8) AS root,
  timestamptz '2024-01-01 00:00+00'
    + i * interval '1 minute 1 microsecond' AS at
FROM generate_series(1, 1000) AS i`,
  },
  {
    name: 'Types',
    sql: `SELECT
  42::smallint AS small, 'c'::"char" AS letter, true AS flag,
  0.1::real AS single, -0.0::float8 AS minus_zero,
  time '12:34:56.789012' AS time, timetz '12:00+05:30' AS timetz,
  timestamp '2024-01-01 00:00:00.000001' AS local,
  date '0044-03-15 BC' AS ides,
  '12.50'::money AS money, inet '10.0.0.1/8' AS net,
  'C56A4180-65AA-42EC-A945-5FD21DEC0538'::uuid AS uuid,
  int4range(1, 5) AS range, point(1, 2) AS point, B'101' AS bits,
  ARRAY[['a', 'b'], ['c', NULL]] AS matrix,
  ARRAY[1.10, 2.5]::numeric[] AS prices,
  '[1, {"a": 1e400}]'::json AS json,
  NULL::text AS nothing`,
  },
  {
    name: 'Script',
    sql: `-- Several statements: each has its own result.
DROP TABLE IF EXISTS person;
DROP TYPE IF EXISTS mood;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE person (name text, now mood, past mood[]);
INSERT INTO person VALUES
  ('Ada', 'happy', '{sad,ok}'), ('Bo', 'ok', NULL)
  RETURNING *;
-- Two columns of one name:
SELECT name AS x, now AS x FROM person`,
  },
  { name: 'No rows', sql: `-- An empty result still has its columns and types.\nSELECT id, title, now() AS at\nFROM "Movie"\nWHERE false` },
  { name: 'SQL error', sql: `SELECT id, titel\nFROM "Movie"` },
  { name: 'Too large', sql: `-- Rowjet's limit, maxBytes, is 64 MB in this page.\nSELECT repeat('x', 1000) AS text\nFROM generate_series(1, 100000)` },
]
