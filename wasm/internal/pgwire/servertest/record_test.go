package servertest

import (
	"bytes"
	"encoding/json"
	"flag"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/wiretest"
)

var record = flag.Bool("record", false, "write conformance/wire anew")

func inBoth(c *client, sql string) map[string][]byte {
	return map[string][]byte{
		"text":   c.extended(sql, 0, text),
		"binary": c.extended(sql, 0, binaryFormat),
	}
}

// recordings are the streams that other hosts of the modules are tested with.
func recordings(t *testing.T) (names []string, streams map[string][]byte, shape map[string]string) {
	c := connect(t)
	c.exec(`set timezone = 'UTC'; drop schema if exists recorded cascade; create schema recorded; set search_path = recorded, public;
		create type mood as enum ('sad', 'ok', 'very, happy')`)
	streams, shape = map[string][]byte{}, map[string]string{}
	add := func(name string, stream []byte, shapeName string) {
		names = append(names, name)
		streams[name] = stream
		shape[name] = shapeName
	}
	both := func(name, sql string) {
		s := inBoth(c, sql)
		add(name+" in text format", s["text"], "")
		add(name+" in binary format", s["binary"], "")
	}

	for _, v := range values {
		literals := slices.DeleteFunc(slices.Clone(v.literals), func(l string) bool {
			return l == "1e131071" || l == "1e-16383" // long texts
		})
		both(v.name, column(v.name, literals))
		if !vector(v.name) {
			both("array of "+v.name, "select array_agg(v order by n) as v, array[array_agg(v order by n)] as w, array[]::"+v.name+"[] as x from ("+column(v.name, literals)+") t")
		}
	}
	for _, v := range textOnly {
		add(v.name+" in text format", c.extended(column(v.name, v.literals), 0, text), "")
		add(v.name+" in binary format", c.extended(column(v.name, v.literals), 0, binaryFormat), "")
	}
	both("arrays with bounds and nulls", `select '[0:2]={1,null,3}'::int[] as a, '[1:1][-2:-1]={{1,2}}'::int8[] as b, '{{{{{{1,2}}}}}}'::int2[] as c, '{"NULL",null,""}'::text[] as d`)
	both("composites", `select row(1, 'a "q", b', 1.50, null, array['x,y', null], row(row('')), '[2026-01-01,)'::daterange) as a, array[row(1), row(null)] as b, null::record as c`)
	c.exec("create table sample as select x % 3 as a, '{x,y}'::text[] as b, '(1,2),(3,4)'::box as c from generate_series(1, 100) x; analyze sample")
	both("array of any type", "select most_common_vals as v from pg_stats where tablename = 'sample' order by attname")

	const movie = `select x as id, 'Movie ' || x as title, 1900 + x % 125 as year, repeat('Über ', x % 5) || '日本' as plot from generate_series(1, 50) x`
	const wide = `select x::bigint as id, md5(x::text)::uuid as u, '2024-02-29 12:34:56.789012+00'::timestamptz + x * '1 day'::interval as tz,
		'2024-02-29 12:34:56'::timestamp + x * '1 hour'::interval as ts, '2024-02-29'::date + x as d, '12:34:56.5'::time + x * '1 second'::interval as t,
		(x * 1234.567891)::numeric(20,6) as n, x / 7.0::float8 as f, x % 2 = 0 as b, x::int2 as s, jsonb_build_object('x', x, 'y', array[x, null]) as j,
		array['a' || x, null, 'b,"c'] as ta, array[x, -x] as ia, decode(md5(x::text), 'hex') as by, 'text ' || x as t1, case when x % 3 = 0 then null else 'é' end as t2
		from generate_series(1, 20) x`
	both("movies", movie)
	both("a wide table", wide)
	for _, s := range []string{"objects", "ndjson"} {
		add("movies as "+s, c.extended(movie, 0, text), s)
		add("a wide table as "+s, c.extended(wide, 0, binaryFormat), s)
		add("same names as "+s, c.simple("select 1 as a, 2 as b, 3 as a; select 4 as b"), s)
	}

	add("bytea in escape format", func() []byte {
		c.exec("set bytea_output = 'escape'")
		defer c.exec("reset bytea_output")
		return c.extended(all("bytea"), 0, text)
	}(), "")
	for _, zone := range []string{"America/New_York", "Asia/Kolkata"} {
		c.exec("set timezone = '" + zone + "'")
		add("timestamptz in "+zone, c.extended(all("timestamptz"), 0, text), "")
	}
	c.exec("set timezone = 'UTC'")
	for _, style := range []string{"SQL, DMY", "German", "Postgres, MDY"} {
		c.exec("set datestyle = '" + style + "'")
		add("dates in style "+style, c.simple("select '2024-02-03'::date as v"), "")
	}
	c.exec("reset datestyle")

	types := typeMap(oidOf(c, "mood"), uint32(driveradapter.Enum), oidOf(c, "mood[]"), uint32(driveradapter.EnumArray))
	enums := inBoth(c, `select 'ok'::mood as a, '{ok,"very, happy",null}'::mood[] as b`)
	for _, format := range []string{"text", "binary"} {
		add("enums with a type map in "+format+" format", append(bytes.Clone(types), enums[format]...), "")
		add("enums without a type map in "+format+" format", enums[format], "")
	}
	add("several statements", c.simple("select 1 as a; create temp table x (a int); select 'x' as b, null as c where false; select"), "")
	add("no result", c.extended("insert into x values (1), (2)", 0), "")
	add("empty query", c.simple(""), "")
	add("no columns", c.simple("select from generate_series(1, 3)"), "")
	add("void", c.simple("select pg_sleep(0) as v"), "")
	add("portal in pieces", c.extended("select x from generate_series(1, 5) x", 3), "")
	c.exec(`create function noisy(x int) returns int language plpgsql as $$ begin raise notice 'at %', x; return x; end $$; listen wire`)
	add("notices between rows", c.simple("notify wire; select noisy(x) as x from generate_series(1, 3) x"), "")
	add("error", c.simple("select nothing"), "")
	add("error after rows", c.extended("select 1/(3-x) as x from generate_series(1, 5) x", 0), "")
	add("error after a result set", c.simple("select 1 as a; select 2 as b; select 1/0"), "")
	add("copy", c.simple("copy (select 1) to stdout"), "")

	stream := c.simple("select x, 'text' as t from generate_series(1, 3) x")
	last := bytes.LastIndexByte(stream, 'D')
	cut := func(at int) []byte { return bytes.Clone(stream[:at]) }
	put := func(at int, b ...byte) []byte { return append(append(cut(at), b...), stream[at+len(b):]...) }
	add("cut off between rows", cut(last), "")
	add("cut off in a row", cut(last+9), "")
	add("rows without RowDescription", bytes.Clone(stream[last:]), "")
	add("a row with too many cells", put(last+5, 0, 3), "")
	add("a cell that is too long", put(last+7, 0, 0, 0, 40), "")
	add("a cell of negative length", put(last+7, 255, 255, 255, 254), "")
	add("a row that is too long", put(last+4, 22), "")
	add("a message without its length", put(last+1, 0, 0, 0, 3), "")
	add("a huge message", put(last+1, 0x7f, 255, 255, 255), "")
	add("an unknown message", put(last, 'x'), "")
	return names, streams, shape
}

// TestRecorded asks the server once more for what was recorded, and compares the
// documents. OIDs of types that are not built in are the server's choice.
func TestRecorded(t *testing.T) {
	path := filepath.Join(root, "conformance/wire/cases.jsonl")
	names, streams, shape := recordings(t)
	var cases []wiretest.Case
	for _, name := range names {
		documents, failed := serialize(streams[name], 0, wiretest.Shapes[shape[name]], 0)
		cases = append(cases, wiretest.NewCase(name, streams[name], shape[name], documents, failed))
	}
	if *record {
		if err := wiretest.WriteCases(path, cases); err != nil {
			t.Fatal(err)
		}
		return
	}
	before, err := wiretest.ReadCases(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != len(before) {
		t.Fatalf("%d cases in the file, %d recordings", len(before), len(cases))
	}
	oid := regexp.MustCompile(`"OID 1[6-9]\d{3}"`)
	for i, now := range cases {
		was := before[i]
		now.Stream, was.Stream = nil, nil
		got, _ := json.Marshal(now)
		want, _ := json.Marshal(was)
		got, want = oid.ReplaceAll(got, []byte("OID")), oid.ReplaceAll(want, []byte("OID"))
		if !bytes.Equal(got, want) {
			t.Errorf("%s: %s", now.Name, difference(string(want), string(got)))
		}
	}
}
