package servertest

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/engine"
)

// expect serializes a stream in pieces of several sizes, and as the shapes that are
// given, and compares with the documents or the error wanted.
func expect(t *testing.T, name string, stream []byte, want string, wantErr *failure) {
	t.Helper()
	for _, piece := range []int{0, 1, 2, 3, 5, 7, 64} {
		got, err := serialize(stream, piece, engine.ShapeArray, 0)
		switch {
		case (err == nil) != (wantErr == nil) || err != nil && *err != *wantErr:
			t.Errorf("%s, in pieces of %d: %v, want %v", name, piece, err, wantErr)
		case got != want:
			t.Errorf("%s, in pieces of %d: %s", name, piece, difference(want, got))
		default:
			continue
		}
		return
	}
}

func fails(code driveradapter.Code, row uint64, column int, found string) *failure {
	return &failure{Code: code, Row: row, Column: column, Found: found}
}

func TestProtocol(t *testing.T) {
	c := connect(t)
	c.exec(`drop table if exists wire_target; create table wire_target (a int);
		create or replace function wire_notice(x int) returns int language plpgsql as
		$$ begin raise notice 'at %', x; perform set_config('application_name', 'row ' || x, false); return x; end $$`)
	const empty = `{"columns":[],"types":[],"rows":[]}`

	expect(t, "simple", c.simple("select 1 as a, 'x' as b"), `{"columns":["a","b"],"types":["int","string"],"rows":[[1,"x"]]}`, nil)
	expect(t, "extended", c.extended("select 1 as a, 'x' as b", 0), `{"columns":["a","b"],"types":["int","string"],"rows":[[1,"x"]]}`, nil)
	expect(t, "no rows", c.extended("select 1 as a where false", 0), `{"columns":["a"],"types":["int"],"rows":[]}`, nil)
	expect(t, "no columns", c.simple("select from generate_series(1, 2)"), `{"columns":[],"types":[],"rows":[[],[]]}`, nil)
	expect(t, "no result", c.extended("insert into wire_target values (1), (2)", 0), empty, nil)
	expect(t, "returning", c.extended("update wire_target set a = a + 1 returning a", 0, binaryFormat), `{"columns":["a"],"types":["int"],"rows":[[2],[3]]}`, nil)
	expect(t, "empty query", c.simple(""), empty, nil)
	expect(t, "void", c.simple("select pg_sleep(0) as v"), `{"columns":["v"],"types":["string"],"rows":[[""]]}`, nil)
	expect(t, "void, binary", c.extended("select pg_sleep(0) as v", 0, binaryFormat), `{"columns":["v"],"types":["string"],"rows":[[""]]}`, nil)
	expect(t, "mixed formats", c.extended("select 1 as a, 2 as b", 0, text, binaryFormat), `{"columns":["a","b"],"types":["int","int"],"rows":[[1,2]]}`, nil)
	expect(t, "same names", c.simple("select 1 as a, 2 as a"), `{"columns":["a","a"],"types":["int","int"],"rows":[[1,2]]}`, nil)
	expect(t, "portal", c.extended("select x from generate_series(1, 5) x", 3), `{"columns":["x"],"types":["int"],"rows":[[1],[2],[3],[4],[5]]}`, nil)
	expect(t, "portal, not at its end", c.extended("select x from generate_series(1, 9) x", 2), `{"columns":["x"],"types":["int"],"rows":[[1],[2],[3],[4]]}`, nil)

	// Messages of other kinds between rows: NoticeResponse, ParameterStatus.
	stream := c.simple("select wire_notice(x) as x from generate_series(1, 3) x")
	if n, s := bytes.Count(stream, []byte("Nat ")), bytes.Count(stream, []byte("application_name")); n+s == 0 {
		t.Error("the server sent no other messages")
	}
	expect(t, "notices", stream, `{"columns":["x"],"types":["int"],"rows":[[1],[2],[3]]}`, nil)
	c.exec("listen wire")
	stream = c.simple("notify wire, 'payload'; select 1 as a")
	expect(t, "notification", stream, `{"columns":["a"],"types":["int"],"rows":[[1]]}`, nil)
	if !bytes.Contains(stream, []byte("payload")) {
		t.Error("the server sent no NotificationResponse")
	}

	// Several statements.
	expect(t, "several", c.simple("select 1 as a; insert into wire_target values (1); select 'x' as b, null as c where false; select"),
		`{"columns":["a"],"types":["int"],"rows":[[1]]}`+separator+
			`{"columns":["b","c"],"types":["string","string"],"rows":[]}`+separator+
			`{"columns":[],"types":[],"rows":[[]]}`, nil)
	expect(t, "no result, then one", c.simple("insert into wire_target values (1); select 1 as a"), `{"columns":["a"],"types":["int"],"rows":[[1]]}`, nil)
	expect(t, "one, then an error", c.simple("select 1 as a; select 1/0 as b"), "",
		fails(driveradapter.CodeServerError, 1, -1, "22012: division by zero"))
	expect(t, "two, then an error", c.simple("select 1 as a; select 2 as b; select 1/0 as c"),
		`{"columns":["a"],"types":["int"],"rows":[[1]]}`+separator, fails(driveradapter.CodeServerError, 1, -1, "22012: division by zero"))

	// Errors.
	expect(t, "error", c.simple("select nothing"), "", fails(driveradapter.CodeServerError, 0, -1, `42703: column "nothing" does not exist`))
	expect(t, "error after rows", c.extended("select 1/(3-x) from generate_series(1, 5) x", 0), "", fails(driveradapter.CodeServerError, 2, -1, "22012: division by zero"))
	expect(t, "long error", c.simple(`do $$ begin raise '%', repeat('ä', 50000); end $$`), "",
		fails(driveradapter.CodeServerError, 0, -1, "P0001: "+strings.Repeat("ä", 44)+"…"))
	stream = c.simple("copy (select 1) to stdout")
	expect(t, "copy", stream, "", fails(driveradapter.CodeWireInvalid, 0, -1, "CopyOutResponse at byte 0 is not expected"))

	// A result that was cut off is not a short result.
	stream = c.simple("select x from generate_series(1, 3) x")
	row := bytes.LastIndexByte(stream, 'D')
	expect(t, "cut off between rows", stream[:row], "", fails(driveradapter.CodeInputUnfinished, 2, -1, ""))
	expect(t, "cut off in a row", stream[:row+8], "", fails(driveradapter.CodeInputUnfinished, 2, -1, ""))
	expect(t, "without ReadyForQuery", stream[:len(stream)-6], `{"columns":["x"],"types":["int"],"rows":[[1],[2],[3]]}`, nil)
}

// oidOf returns the OID of a type.
func oidOf(c *client, name string) uint32 {
	c.t.Helper()
	oid, err := strconv.ParseUint(textRows(c.simple("select '" + name + "'::regtype::oid"))[0][0], 10, 32)
	if err != nil {
		c.t.Fatal(err)
	}
	return uint32(oid)
}

func typeMap(pairs ...uint32) []byte { return message(0, pairs) }

// TestUserTypes checks what becomes of types that are not built in, with and
// without a type map.
func TestUserTypes(t *testing.T) {
	c := connect(t)
	c.exec(`drop schema if exists wire cascade; create schema wire; set search_path = wire, public;
		create type mood as enum ('sad', 'ok', 'very, happy'); create domain posint as int; create type comp as (a int, b text, c numeric);
		create type floats as range (subtype = float8); create domain stamp as timestamptz; create domain doc as jsonb; create domain raw as bytea`)
	const sql = `select 'ok'::mood as a, '{ok,"very, happy",null}'::mood[] as b, '{5,6}'::posint[] as c, 5::posint as d,
		row(1, 'a "q", b', 1.50)::comp as e, array[row(1, 'x', null)::comp] as f, '[1,2.5)'::floats as g,
		array['2024-02-29 12:00:00+02'::stamp] as h, array['{"a":1}'::doc] as i, array['\x00ff'::raw] as j`

	want := `{"columns":["a","b","c","d","e","f","g","h","i","j"],"types":["string","string","string","int","string","string","string","string","string","string"],` +
		`"rows":[["ok","{ok,\"very, happy\",NULL}","{5,6}",5,"(1,\"a \"\"q\"\", b\",1.50)","{\"(1,x,)\"}","[1,2.5)","{\"2024-02-29 10:00:00+00\"}","{\"{\\\"a\\\": 1}\"}","{\"\\\\x00ff\"}"]]}`
	c.exec("set timezone = 'UTC'")
	expect(t, "without a type map", c.simple(sql), want, nil)

	types := typeMap(
		oidOf(c, "mood"), uint32(driveradapter.Enum), oidOf(c, "mood[]"), uint32(driveradapter.EnumArray),
		oidOf(c, "posint[]"), uint32(driveradapter.Int32Array), oidOf(c, "comp[]"), uint32(driveradapter.TextArray),
		oidOf(c, "stamp[]"), uint32(driveradapter.DateTimeArray), oidOf(c, "doc[]"), uint32(driveradapter.JSONArray),
		oidOf(c, "raw[]"), uint32(driveradapter.BytesArray))
	want = `{"columns":["a","b","c","d","e","f","g","h","i","j"],"types":["enum","string-array","int-array","int","string","string-array","string","datetime-array","json-array","bytes-array"],` +
		`"rows":[["ok",["ok","very, happy",null],[5,6],5,"(1,\"a \"\"q\"\", b\",1.50)",["(1,x,)"],"[1,2.5)",["2024-02-29T10:00:00+00:00"],[{"a": 1}],["AP8="]]]}`
	stream := append(bytes.Clone(types), c.simple(sql)...)
	expect(t, "with a type map", stream, want, nil)

	// It holds for all result sets of a stream.
	stream = append(bytes.Clone(types), c.simple("select 1 as x; select '{ok}'::mood[] as y")...)
	expect(t, "with a type map, later", stream, `{"columns":["x"],"types":["int"],"rows":[[1]]}`+separator+`{"columns":["y"],"types":["string-array"],"rows":[[["ok"]]]}`, nil)

	// In binary format only enums are known.
	const enums = `select 'ok'::mood as a, '{{ok,null},{"very, happy",sad}}'::mood[] as b`
	stream = append(bytes.Clone(types), c.extended(enums, 0, binaryFormat)...)
	expect(t, "enums in binary format", stream, `{"columns":["a","b"],"types":["enum","string-array"],"rows":[["ok",[["ok",null],["very, happy","sad"]]]]}`, nil)
	for _, test := range []struct{ sql, oid string }{
		{"select 1, 'ok'::mood", "mood"}, {"select 1, '{5}'::posint[]", "posint[]"}, {"select 1, '[1,2)'::floats", "floats"}, {"select 1, row(1, '', 1)::comp", "comp"},
	} {
		oid := oidOf(c, test.oid)
		_, err := serialize(c.extended(test.sql, 0, binaryFormat), 0, engine.ShapeArray, 0)
		if err == nil || err.Code != driveradapter.CodeWireBinary || err.Column != 1 || err.Row != 0 || err.Found != "OID "+utoa(oid) {
			t.Errorf("%s in binary format: %v", test.sql, err)
		}
	}

	// What a type map may not say.
	for _, test := range []struct {
		body []uint32
		want *failure
	}{
		{[]uint32{23, 7}, fails(driveradapter.CodeWireInvalid, 0, -1, "type map at byte 0: OID 23 is built in")},
		{[]uint32{1007, 7}, fails(driveradapter.CodeWireInvalid, 0, -1, "type map at byte 0: OID 1007 is built in")},
		{[]uint32{16384, 128}, fails(driveradapter.CodeColumnType, 0, -1, "type map at byte 0: the label of OID 16384 is 128")},
		{[]uint32{16384, 16}, fails(driveradapter.CodeColumnType, 0, -1, "type map at byte 0: the label of OID 16384 is 16")},
		{[]uint32{16384, 7, 1}, fails(driveradapter.CodeWireInvalid, 0, -1, "type map at byte 0 has 4 bytes too many")},
	} {
		expect(t, "type map", typeMap(test.body...), "", test.want)
	}
	late := append(c.simple("set datestyle to iso"), typeMap(16384, 7)...)
	offset := utoa(uint32(len(late) - 13))
	expect(t, "late type map", late, "", fails(driveradapter.CodeWireInvalid, 0, -1, "type map at byte "+offset+" is not expected"))
}

func utoa(v uint32) string { return strconv.FormatUint(uint64(v), 10) }
