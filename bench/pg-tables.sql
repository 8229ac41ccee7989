-- The two tables of the PostgreSQL benchmarks, 50,000 rows each.
CREATE TABLE IF NOT EXISTS "Movie" (id int PRIMARY KEY, title text NOT NULL, year int NOT NULL, description text NOT NULL);
INSERT INTO "Movie"
SELECT i, 'The ' || (ARRAY['Quiet', 'Last', 'Golden', 'Hidden', 'Broken', 'Silent'])[1 + i % 6] || ' ' || (ARRAY['River', 'Harbour', 'Signal', 'Garden', 'Winter'])[1 + i % 5] || ' ' || i,
  1920 + i % 105, left(repeat('A story about people who meet by chance, ' || md5(i::text) || ', and what comes of it. ', 4), 150 + i % 150)
FROM generate_series(1, 50000) i ON CONFLICT DO NOTHING;

CREATE TABLE IF NOT EXISTS "Wide" (id bigserial PRIMARY KEY, u uuid, tz timestamptz, ts timestamp, d date, t time, n numeric(20,6), f float8, b bool, s int2, j jsonb, ta text[], ia int[], raw bytea, a text, z text);
INSERT INTO "Wide"
SELECT i, md5(i::text)::uuid, '2020-01-01'::timestamptz + i * interval '17 minutes 0.123 seconds', '2020-01-01'::timestamp + i * interval '1 hour', '2020-01-01'::date + i % 2000,
  '00:00'::time + i * interval '1.5 seconds', (i * 1234.567891)::numeric(20,6), i / 7.0, i % 3 = 0, i % 30000,
  jsonb_build_object('id', i, 'tags', jsonb_build_array('x', i % 10), 'note', NULL), ARRAY['red', 'blue ' || i], ARRAY[i, i + 1, i + 2],
  decode(md5(i::text), 'hex'), 'text number ' || i, CASE WHEN i % 10 = 0 THEN NULL ELSE repeat('z', i % 40) END
FROM generate_series(1, 50000) i ON CONFLICT DO NOTHING;
ANALYZE;
