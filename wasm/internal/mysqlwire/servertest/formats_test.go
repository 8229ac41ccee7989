package servertest

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rowjet/rowjet/wasm/internal/engine"
	"github.com/rowjet/rowjet/wasm/internal/mysqlwire/mysqlclient"
)

// table makes a table of a column with all values of a type, null among them.
func table(c *mysqlclient.Client, v value, literals []string) {
	c.T.Helper()
	rows := []string{"(0, null)"}
	for i, l := range literals {
		rows = append(rows, fmt.Sprintf("(%d, %s)", i+1, l))
	}
	c.Exec("create or replace table t (n int, v "+v.name+")", "insert into t values "+strings.Join(rows, ", "))
}

// session has zero dates, and the instants of timestamps in UTC.
func session(t testing.TB, capabilities, extended uint32) *mysqlclient.Client {
	c := connect(t, capabilities, extended)
	c.Exec("set sql_mode = '', time_zone = '+00:00'")
	return c
}

var seed = flag.Uint64("valueseed", 20261130, "seed of the random values; 0 for a random one")

// TestTextAndBinary asks for values of every type in both formats, with each set of
// capabilities that matters, and demands the same bytes.
func TestTextAndBinary(t *testing.T) {
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("seed %d", *seed)
	r := rand.New(rand.NewPCG(*seed, 0))
	plain := session(t, 0, 0)
	others := []*mysqlclient.Client{session(t, mysqlclient.DeprecateEOF|mysqlclient.SessionTrack, 0), session(t, mysqlclient.DeprecateEOF, mysqlclient.ExtendedMetadata)}
	for _, v := range values {
		literals := v.literals
		if v.random != nil {
			for range 50 {
				literals = append(literals, v.random(r))
			}
		}
		table(plain, v, literals)
		const sql = "select v, n from t order by n"
		want, err := mysqlclient.Serialize(plain.Query(sql), 0, engine.ShapeArray, 0)
		if prefix := `{"columns":["v","n"],"types":["` + v.label + `","int"],"rows":[[null,0],[`; err != nil || !strings.HasPrefix(want, prefix) {
			t.Errorf("%s: %v %.200s", v.name, err, want)
			continue
		}
		if n := strings.Count(want, "],["); n != len(literals) {
			t.Errorf("%s: %d rows, want %d", v.name, n+1, len(literals)+1)
		}
		got, err := mysqlclient.Serialize(plain.Execute(sql, 0), 0, engine.ShapeArray, 0)
		if err != nil || got != want {
			t.Errorf("%s, binary: %v %s", v.name, err, difference(want, got))
		}
		got, err = mysqlclient.Serialize(plain.Execute(sql, 7), 0, engine.ShapeArray, 0)
		if err != nil || got != want {
			t.Errorf("%s, with a cursor: %v %s", v.name, err, difference(want, got))
		}
		for i, c := range others {
			inText, err := mysqlclient.Serialize(c.Query(sql), 0, engine.ShapeArray, 0)
			if err != nil {
				t.Errorf("%s, client %d: %v", v.name, i, err)
				continue
			}
			if v.extended == "" || c.Extended == 0 {
				if inText != want {
					t.Errorf("%s, client %d: %s", v.name, i, difference(want, inText))
				}
			} else if prefix := `{"columns":["v","n"],"types":["` + v.extended + `","int"],`; !strings.HasPrefix(inText, prefix) {
				t.Errorf("%s, client %d: %.200s", v.name, i, inText)
			}
			inBinary, err := mysqlclient.Serialize(c.Execute(sql, 0), 0, engine.ShapeArray, 0)
			if err != nil || inText != inBinary {
				t.Errorf("%s, client %d, binary: %v %s", v.name, i, err, difference(inText, inBinary))
			}
		}
	}
}

// TestImpossibleDates is about days that the calendar does not have.
func TestImpossibleDates(t *testing.T) {
	c := session(t, 0, 0)
	c.Exec("set sql_mode = 'ALLOW_INVALID_DATES'", "create or replace table t (a date, b datetime(3))", "insert into t values ('2023-02-31', '2023-02-29 01:02:03.5')")
	for format, stream := range [][]byte{c.Query("select * from t"), c.Execute("select * from t", 0)} {
		got, err := mysqlclient.Serialize(stream, 0, engine.ShapeArray, 0)
		if want := `{"columns":["a","b"],"types":["date","datetime"],"rows":[["2023-02-31","2023-02-29 01:02:03.500"]]}`; err != nil || got != want {
			t.Errorf("format %d: %v %s", format, err, got)
		}
	}
}

// TestFloats shows what the server does to FLOAT in text format, which no client can
// make good: it rounds to six digits.
func TestFloats(t *testing.T) {
	c := session(t, 0, 0)
	table(c, value{name: "float"}, []string{"16777216", "0.123456789", "3.4028234e38"})
	for format, want := range []string{"16777200],[0.123457],[3.40282e+38", "16777216],[0.12345679],[3.4028235e+38"} {
		stream := c.Query("select v from t order by n")
		if format == 1 {
			stream = c.Execute("select v from t order by n", 0)
		}
		got, err := mysqlclient.Serialize(stream, 0, engine.ShapeArray, 0)
		if document := `{"columns":["v"],"types":["float"],"rows":[[null],[` + want + `]]}`; err != nil || got != document {
			t.Errorf("format %d: %v %s", format, err, got)
		}
	}
}

// TestExpressions is about columns that no table declares.
func TestExpressions(t *testing.T) {
	c := session(t, mysqlclient.DeprecateEOF, mysqlclient.ExtendedMetadata)
	for sql, want := range map[string][2]string{
		"null":                                   {"int", "null"},
		"1":                                      {"int", "1"},
		"true":                                   {"int", "1"},
		"count(*)":                               {"bigint", `"1"`},
		"sum(1)":                                 {"decimal", `"1"`},
		"avg(1)":                                 {"decimal", `"1.0000"`},
		"9007199254740991":                       {"bigint", `"9007199254740991"`},
		"-9007199254740993":                      {"bigint", `"-9007199254740993"`},
		"18446744073709551615":                   {"bigint", `"18446744073709551615"`},
		"99999999999999999999":                   {"decimal", `"99999999999999999999"`},
		"1e0/3":                                  {"double", "0.3333333333333333"},
		"b'1'":                                   {"bytes", `"AQ=="`},
		"x'41'":                                  {"bytes", `"QQ=="`},
		"'a' collate utf8mb4_bin":                {"string", `"a"`},
		"cast('a' as binary)":                    {"bytes", `"YQ=="`},
		"json_object('a', 1)":                    {"json", `{"a": 1}`},
		"json_extract('[\"1\"]','$')":            {"json", `["1"]`},
		"json_unquote('\"1\"')":                  {"string", `"1"`},
		"timediff('25:00:00.5','01:00:00')":      {"time", `"24:00:00.5"`},
		"timediff('00:00:00','01:00:00.500000')": {"time", `"-01:00:00.500000"`},
		"maketime(100,1,1)":                      {"time", `"100:01:01"`},
		"sec_to_time(3661.5)":                    {"time", `"01:01:01.500"`},
		"cast('2026-08-24' as date)":             {"date", `"2026-08-24"`},
		"cast('2026-08-24 12:34:56.123456' as datetime(6))": {"datetime", `"2026-08-24T12:34:56.123456+00:00"`},
		"from_unixtime(1.5)":                                          {"datetime", `"1970-01-01T00:00:01.500+00:00"`},
		"date_format('2024-02-29', '%d')":                             {"string", `"29"`},
		"coalesce(null, cast('2024-02-29' as date))":                  {"date", `"2024-02-29"`},
		"cast('123e4567-e89b-12d3-a456-426614174000' as uuid)":        {"uuid", `"123e4567-e89b-12d3-a456-426614174000"`},
		"interval(5, 1, 10)":                                          {"int", "1"},
		"(select group_concat(x) from (select 1 x union select 2) y)": {"string", `"1,2"`},
	} {
		document := `{"columns":["v"],"types":["` + want[0] + `"],"rows":[[` + want[1] + `]]}`
		for format, stream := range [][]byte{c.Query("select " + sql + " as v"), c.Execute("select "+sql+" as v", 0)} {
			if got, err := mysqlclient.Serialize(stream, 0, engine.ShapeArray, 0); err != nil || got != document {
				t.Errorf("%s, format %d: %v %s", sql, format, err, got)
			}
		}
	}
}

// difference shows where two texts begin to differ.
func difference(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	from := max(0, i-60)
	cut := func(s string) string { return s[min(from, len(s)):min(len(s), i+60)] }
	return fmt.Sprintf("from byte %d on\nwant …%s…\n got …%s…", i, cut(a), cut(b))
}
