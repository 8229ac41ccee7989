package drivertest

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/driveradapter/sqlrows"
)

var postgresCells = []cell{
	{"bool", `true`, "bool", `true`},
	{"int2", `7::int2`, "int", `7`},
	{"int4", `(-2147483648)::int4`, "int", `-2147483648`},
	{"int8", `9007199254740993::int8`, "bigint", `"9007199254740993"`},
	{"oid", `4294967295::oid`, "bigint", `"4294967295"`},
	{"float4", `0.1::float4`, "float", `0.1`},
	{"float4 inf", `'-Infinity'::float4`, "float", `"-Infinity"`},
	{"float8", `0.1::float8 + 0.2::float8`, "double", `0.30000000000000004`},
	{"float8 nan", `'NaN'::float8`, "double", `"NaN"`},
	{"float8 -0", `'-0'::float8`, "double", `-0`},
	{"numeric", `1.1000::numeric`, "decimal", `"1.1000"`},
	{"numeric(40,2)", `12345678901234567890123456789012345678::numeric(40,2)`, "decimal", `"12345678901234567890123456789012345678.00"`},
	{"numeric nan", `'NaN'::numeric`, "decimal", `"NaN"`},
	{"money", `'12.34'::money`, "string", `"$12.34"`},
	{"char1", `'c'::"char"`, "char", `"c"`},
	{"char(4)", `'ab'::char(4)`, "string", `"ab  "`},
	{"varchar", `'v'::varchar`, "string", `"v"`},
	{"text", `'Ô "q" \ 日本'`, "string", `"Ô \"q\" \\ 日本"`},
	{"name", `'n'::name`, "string", `"n"`},
	{"date", `'2024-02-29'::date`, "date", `"2024-02-29"`},
	{"date bc", `'0044-03-15 BC'::date`, "date", `"-000043-03-15"`},
	{"date far", `'12345-06-07'::date`, "date", `"+012345-06-07"`},
	{"date inf", `'infinity'::date`, "date", `"infinity"`},
	{"time", `'12:34:56.789'::time`, "time", `"12:34:56.789"`},
	{"time 24", `'24:00:00'::time`, "time", `"24:00:00"`},
	{"timetz", `'12:34:56+05:30'::timetz`, "string", `"12:34:56+05:30"`},
	{"timestamp", `'2024-02-29 12:34:56.5'::timestamp`, "datetime", `"2024-02-29T12:34:56.500+00:00"`},
	{"timestamptz", `'2024-02-29 12:34:56.000001-08'::timestamptz`, "datetime", `"2024-02-29T20:34:56.000001+00:00"`},
	{"timestamptz inf", `'-infinity'::timestamptz`, "datetime", `"-infinity"`},
	{"interval", `'1 year 2 mons 03:04:05'::interval`, "string", `"1 year 2 mons 03:04:05"`},
	{"json", `'{"a": 1.10, "a": 2}'::json`, "json", `{"a": 1.10, "a": 2}`},
	{"jsonb", `'{"b":[1,null]}'::jsonb`, "json", `{"b": [1, null]}`},
	{"bytea", `'\x00ff'::bytea`, "bytes", `"AP8="`},
	{"bytea empty", `''::bytea`, "bytes", `""`},
	{"uuid", `'0190163D-8694-739B-AEA5-966C26F8AD91'::uuid`, "uuid", `"0190163d-8694-739b-aea5-966c26f8ad91"`},
	{"bit", `B'101'`, "string", `"101"`},
	{"varbit", `B'1'::varbit`, "string", `"1"`},
	{"inet", `'10.0.0.1/8'::inet`, "string", `"10.0.0.1/8"`},
	{"cidr", `'10.0.0.0/8'::cidr`, "string", `"10.0.0.0/8"`},
	{"macaddr", `'08:00:2b:01:02:03'::macaddr`, "string", `"08:00:2b:01:02:03"`},
	{"point", `'(1,2.5)'::point`, "string", `"(1,2.5)"`},
	{"box", `'(1,1),(0,0)'::box`, "string", `"(1,1),(0,0)"`},
	{"xml", `'<a/>'::xml`, "string", `"<a/>"`},
	{"tsvector", `'b a'::tsvector`, "string", `"'a' 'b'"`},
	{"int4range", `'[1,5)'::int4range`, "string", `"[1,5)"`},
	{"record", `ROW(1,'x y')`, "string", `"(1,\"x y\")"`},
	{"xid8", `'5'::xid8`, "string", `"5"`},
	{"enum", `'sad'::rowjet_mood`, "string", `"sad"`},
	{"int4[]", `'{1,NULL,3}'::int4[]`, "int-array", `[1,null,3]`},
	{"int8[][]", `'{{1,2},{3,4}}'::int8[]`, "bigint-array", `[["1","2"],["3","4"]]`},
	{"text[]", `'[0:3]={a,"NULL",NULL,"b \"c\""}'::text[]`, "string-array", `["a","NULL",null,"b \"c\""]`},
	{"numeric[]", `'{1.10,NaN}'::numeric[]`, "decimal-array", `["1.10","NaN"]`},
	{"float4[]", `'{0.1,NaN}'::float4[]`, "float-array", `[0.1,"NaN"]`},
	{"bool[]", `'{t,f,NULL}'::bool[]`, "bool-array", `[true,false,null]`},
	{"date[]", `'{2024-02-29}'::date[]`, "date-array", `["2024-02-29"]`},
	{"timestamptz[]", `'{2024-02-29 12:00:00-08}'::timestamptz[]`, "datetime-array", `["2024-02-29T20:00:00+00:00"]`},
	{"timetz[]", `'{12:00:00+02}'::timetz[]`, "string-array", `["12:00:00+02"]`},
	{"bytea[]", `ARRAY['\x01'::bytea]`, "bytes-array", `["AQ=="]`},
	{"jsonb[]", `ARRAY['{"a":1}'::jsonb]`, "json-array", `[{"a": 1}]`},
	{"uuid[]", `'{0190163D-8694-739B-AEA5-966C26F8AD91}'::uuid[]`, "uuid-array", `["0190163d-8694-739b-aea5-966c26f8ad91"]`},
	{"inet[]", `'{10.0.0.1}'::inet[]`, "string-array", `["10.0.0.1"]`},
	{"box[]", `'{(1,1),(0,0);(3,3),(2,2)}'::box[]`, "string-array", `["(1,1),(0,0)","(3,3),(2,2)"]`},
	{"empty[]", `'{}'::int4[]`, "int-array", `[]`},
	{"null", `NULL::int4`, "int", `null`},
	{"null untyped", `NULL`, "string", `null`},
}

// TestPostgres checks all types, over the binary and the text protocol, in
// several time zones.
func TestPostgres(t *testing.T) {
	var list []string
	for _, c := range postgresCells {
		list = append(list, c.source+` AS "`+c.name+`"`)
	}
	query := "SELECT " + strings.Join(list, ", ")
	for _, mode := range []string{"cache_statement", "exec", "simple_protocol"} {
		db := open(t, "pgx", postgresURL+"?default_query_exec_mode="+mode)
		exec1(t, db, `SET lc_monetary = 'C'`, `DROP TYPE IF EXISTS rowjet_mood`, `CREATE TYPE rowjet_mood AS ENUM ('sad', 'ok')`)
		for _, zone := range []string{"UTC", "Asia/Kolkata", "America/New_York"} {
			t.Run(mode+" "+zone, func(t *testing.T) {
				exec1(t, db, `SET TIME ZONE '`+zone+`'`)
				check(t, db, driveradapter.Postgres, document(postgresCells), query)
			})
		}
		exec1(t, db, `DROP TYPE rowjet_mood`)
	}
}

func TestPostgresRows(t *testing.T) {
	db := open(t, "pgx", postgresURL)
	check(t, db, driveradapter.Postgres, `{"columns":["n","n"],"types":["int","string"],"rows":[[1,"x"],[2,"xx"],[3,null]]}`,
		`SELECT n, CASE WHEN n < 3 THEN repeat($1, n) END AS n FROM generate_series(1, 3) AS n`, "x")
	check(t, db, driveradapter.Postgres, `{"columns":["n"],"types":["int"],"rows":[]}`, `SELECT 1 AS n WHERE false`)
}

// TestPostgresErrors checks that the server's errors come through, and that a
// cancelled stream ends the query.
func TestPostgresErrors(t *testing.T) {
	db := open(t, "pgx", postgresURL)
	stream := func(ctx context.Context, w io.Writer, query string) error {
		rows, err := db.QueryContext(ctx, query)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		r, err := sqlrows.New(driveradapter.Postgres, rows)
		if err != nil {
			t.Fatal(err)
		}
		return engines[driveradapter.Postgres].Stream(ctx, w, r)
	}
	err := stream(ctx, io.Discard, `SELECT 1 / (20000 - n) FROM generate_series(1, 30000) AS n`)
	var pgError *pgconn.PgError
	if !errors.As(err, &pgError) || pgError.Code != "22012" {
		t.Errorf("got the error %v, want division by zero", err)
	}

	cancelled, cancel := context.WithCancel(ctx)
	defer cancel()
	err = stream(cancelled, writerFunc(func(p []byte) (int, error) {
		cancel()
		return len(p), nil
	}), `SELECT generate_series(1, 1000000000) AS n, 'some text'`)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got the error %v, want context.Canceled", err)
	}
	check(t, db, driveradapter.Postgres, `{"columns":["n"],"types":["int"],"rows":[[1]]}`, `SELECT 1 AS n`)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
