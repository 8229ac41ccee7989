package gmstest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/rowjet/rowjet/wasm/internal/engine"
	"github.com/rowjet/rowjet/wasm/internal/mysqlwire/mysqlclient"
	"github.com/rowjet/rowjet/wasm/internal/wiretest"
)

var record = flag.Bool("record", false, "write conformance/wire/go-mysql-server.jsonl anew")

func start(t *testing.T) string {
	t.Helper()
	provider := memory.NewDBProvider(memory.NewDatabase("rowjet"))
	s, err := server.NewServer(server.Config{Protocol: "tcp", Address: "127.0.0.1:0"}, sqle.NewDefault(provider), sql.NewContext, memory.NewSessionBuilder(provider), nil)
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	t.Cleanup(func() { s.Close() })
	return s.Listener.Addr().String()
}

// values are column types with their label, literals, and the cells that they have to
// become.
var values = []struct {
	name, label string
	literals    []string
	cells       string
}{
	{"tinyint", "int", []string{"-128", "127"}, `-128 127`},
	{"tinyint unsigned", "int", []string{"0", "255"}, `0 255`},
	{"tinyint(1)", "int", []string{"-1", "2"}, `-1 2`},
	{"smallint", "int", []string{"-32768", "32767"}, `-32768 32767`},
	{"smallint unsigned", "int", []string{"65535"}, `65535`},
	{"mediumint", "int", []string{"-8388608"}, `-8388608`},
	{"mediumint unsigned", "int", []string{"16777215"}, `16777215`},
	{"int", "int", []string{"-2147483648", "2147483647"}, `-2147483648 2147483647`},
	{"int unsigned", "bigint", []string{"1", "4294967295"}, `"1" "4294967295"`},
	{"bigint", "bigint", []string{"-9223372036854775808", "9007199254740993"}, `"-9223372036854775808" "9007199254740993"`},
	{"bigint unsigned", "bigint", []string{"1", "18446744073709551615"}, `"1" "18446744073709551615"`},
	{"year", "int", []string{"1901", "2155"}, `1901 2155`},
	{"float", "float", []string{"0.1", "-1.5"}, `0.1 -1.5`},
	{"double", "double", []string{"0.1", "1e300"}, `0.1 1e+300`},
	{"decimal(20,5)", "decimal", []string{"-1.1", "0"}, `"-1.10000" "0.00000"`},
	{"date", "date", []string{"'2024-02-29'", "'9999-12-31'"}, `"2024-02-29" "9999-12-31"`},
	{"datetime", "datetime", []string{"'2024-02-29 12:34:56'"}, `"2024-02-29T12:34:56+00:00"`},
	{"datetime(6)", "datetime", []string{"'2024-02-29 12:34:56.789012'"}, `"2024-02-29T12:34:56.789012+00:00"`},
	{"timestamp", "datetime", []string{"'2024-02-29 12:34:56'"}, `"2024-02-29T12:34:56+00:00"`},
	{"time", "time", []string{"'12:34:56'", "'-838:59:59'"}, `"12:34:56" "-838:59:59"`},
	{"time(6)", "time", []string{"'12:34:56.5'", "'100:00:00.25'"}, `"12:34:56.500" "100:00:00.250000"`},
	{"bit(1)", "bytes", []string{"b'0'", "b'1'"}, `"AA==" "AQ=="`},
	{"bit(10)", "bytes", []string{"513"}, `"AgE="`},
	{"binary(3)", "bytes", []string{"x'0102ff'"}, `"AQL/"`},
	{"varbinary(9)", "bytes", []string{"x''", "x'ff'"}, `"" "/w=="`},
	{"blob", "bytes", []string{"x'ff'"}, `"/w=="`},
	{"char(10)", "string", []string{"'é'", "''"}, `"é" ""`},
	{"varchar(300)", "string", []string{"'日本'", "repeat('x', 300)"}, `"日本" "` + strings.Repeat("x", 300) + `"`},
	{"varchar(36) collate utf8mb4_bin", "string", []string{"'é'"}, `"é"`},
	{"text", "string", []string{"'😀'"}, `"😀"`},
	{"text collate utf8mb4_bin", "string", []string{"'é'"}, `"é"`},
	{"enum('x','b,c')", "enum", []string{"'b,c'"}, `"b,c"`},
	{"set('x','y','z')", "string", []string{"'x,z'", "''"}, `"x,z" ""`},
	{"json", "json", []string{`'{"v": "açaí - привет"}'`, `'"123"'`, `'[1, null]'`}, `{"v": "açaí - привет"} "123" [1, null]`},
	{"geometry", "bytes", []string{"st_geomfromtext('POINT(1 2)')"}, `"AAAAAAEBAAAAAAAAAAAA8D8AAAAAAAAAQA=="`},
	{"point", "bytes", []string{"point(1, 2)"}, `"AAAAAAEBAAAAAAAAAAAA8D8AAAAAAAAAQA=="`},
}

// TestValues asks for values in both formats, with and without CLIENT_DEPRECATE_EOF.
func TestValues(t *testing.T) {
	address := start(t)
	var cases []wiretest.Case
	clients := []*mysqlclient.Client{mysqlclient.Dial(t, address, "root", "", "rowjet", 0, 0), mysqlclient.Dial(t, address, "root", "", "rowjet", mysqlclient.DeprecateEOF, 0)}
	keep := func(name string, stream []byte) string {
		got, failed := mysqlclient.Serialize(stream, 0, engine.ShapeArray, 0)
		cases = append(cases, wiretest.NewCase("go-mysql-server: "+name, stream, "", got, failed))
		return got
	}
	for i, v := range values {
		c := clients[0]
		var rows []string
		for n, l := range append([]string{"null"}, v.literals...) {
			rows = append(rows, fmt.Sprintf("(%d, %s)", n, l))
		}
		c.Exec(fmt.Sprintf("create table t%d (n int, v %s null)", i, v.name), fmt.Sprintf("insert into t%d values %s", i, strings.Join(rows, ", ")))
		var want bytes.Buffer
		fmt.Fprintf(&want, `{"columns":["v"],"types":["%s"],"rows":[[null]`, v.label)
		for d := json.NewDecoder(strings.NewReader(v.cells)); d.More(); {
			var cell json.RawMessage
			if err := d.Decode(&cell); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&want, ",[%s]", cell)
		}
		want.WriteString("]}")
		sql := fmt.Sprintf("select v from t%d order by n", i)
		for j, c := range clients {
			for format, stream := range [][]byte{c.Query(sql), c.Execute(sql, 0)} {
				name := fmt.Sprintf("%s, in %s format", v.name, []string{"text", "binary"}[format])
				if j == 1 {
					name += ", without EOF"
				}
				if got := keep(name, stream); got != want.String() {
					t.Errorf("%s:\n got %s\nwant %s", name, got, &want)
				}
			}
		}
	}
	c := clients[0]
	if got, want := keep("several statements", c.Query("select 1 as a; select 'x' as b")), `{"columns":["a"],"types":["int"],"rows":[[1]]}`+wiretest.Separator+`{"columns":["b"],"types":["string"],"rows":[["x"]]}`; got != want {
		t.Errorf("several statements: %s", got)
	}
	keep("no result", c.Query("insert into t0 values (9, 9)"))
	keep("error", c.Query("select nothing"))
	if last := cases[len(cases)-1].Error; last == nil || last.Code != "SERVER_ERROR" {
		t.Errorf("error: %+v", last)
	}
	if *record {
		if err := wiretest.WriteCases("../../../../conformance/wire/go-mysql-server.jsonl", cases); err != nil {
			t.Fatal(err)
		}
	}
}
