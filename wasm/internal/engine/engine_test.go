package engine

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/rowjet/rowjet/driveradapter"
	"pgregory.net/rapid"
)

// run serializes a result set as a host does, with the input cut into pieces of
// the given size; 0 stands for one piece.
func run(e *Engine, rs driveradapter.ResultSet, shape, flags uint32, piece int) (string, *driveradapter.Error) {
	var rows driveradapter.Encoder
	frame := driveradapter.AppendColumns(nil, rs.ColumnNames, rs.ColumnTypes)
	for i, row := range rs.Rows {
		rows.Row(row, len(rs.ColumnTypes))
		if i%3 == 2 {
			frame = rows.AppendBlock(frame)
		}
	}
	if !rows.Empty() {
		frame = rows.AppendBlock(frame)
	}
	if piece == 0 {
		piece = len(frame)
	}
	for {
		var body strings.Builder
		status := e.Begin(0, shape, flags)
		for at := 0; at < len(frame) && status == StatusDone; at += piece {
			part := frame[at:min(at+piece, len(frame))]
			in := e.Input(uint32(len(part)))
			if in == nil {
				return "", lastError(e, rs)
			}
			copy(in, part)
			for status = e.Push(uint32(len(part))); status == StatusFull; status = e.Resume() {
				body.Write(e.Output())
			}
			body.Write(e.Output())
		}
		if status == StatusDone {
			status = e.End()
			body.Write(e.Output())
		}
		if status == StatusRedo {
			flags |= FlagSettled
			continue
		}
		if status != StatusDone {
			return "", lastError(e, rs)
		}
		e.Head()
		return string(e.Output()) + body.String(), nil
	}
}

func lastError(e *Engine, rs driveradapter.ResultSet) *driveradapter.Error {
	s := e.State()
	err := &driveradapter.Error{Code: driveradapter.Code(s.Code), Row: int64(s.Row), Column: int(int32(s.Column)), Found: string(e.Found())}
	if err.Column >= 0 && err.Column < len(rs.ColumnNames) {
		err.Name, err.Type = rs.ColumnNames[err.Column], driveradapter.ColumnType(s.Label)
	}
	return err
}

func one(t driveradapter.ColumnType, cells ...any) driveradapter.ResultSet {
	rs := driveradapter.ResultSet{ColumnNames: []string{"c"}, ColumnTypes: []driveradapter.ColumnType{t}}
	for _, cell := range cells {
		rs.Rows = append(rs.Rows, []any{cell})
	}
	return rs
}

func document(types string, rows string) string {
	return `{"columns":["c"],"types":["` + types + `"],"rows":[` + rows + `]}`
}

func TestEveryKindOfCell(t *testing.T) {
	when := time.Date(2024, 2, 29, 12, 34, 56, 500_000_000, time.FixedZone("", 3600))
	for _, c := range []struct {
		name string
		rs   driveradapter.ResultSet
		want string
	}{
		{"int", one(driveradapter.Int32, 1, "-007", 2.0, math.Copysign(0, -1), nil, int64(-2147483648)), document("int", "[1],[-7],[2],[0],[null],[-2147483648]")},
		{"bigint", one(driveradapter.Int64, 1, "0009", 1e20, uint64(18446744073709551615), driveradapter.BigInt("-0123456789012345678901")), document("bigint", `["1"],["9"],["100000000000000000000"],["18446744073709551615"],["-123456789012345678901"]`)},
		{"float", one(driveradapter.Float, float32(0.1), 0.10000000149011612, 0.1, 16777217, 1e21), document("float", "[0.1],[0.1],[0.1],[16777217],[1e+21]")},
		{"double", one(driveradapter.Double, 1.5, math.NaN(), math.Inf(-1), math.Copysign(0, -1), "1e3", int64(1<<53), int64(1<<53+1)), document("double", `[1.5],["NaN"],["-Infinity"],[-0],[1000],[9007199254740992],[9007199254740993]`)},
		{"decimal", one(driveradapter.Numeric, "1.1000", ".5", 1.25, 7, "NaN"), document("decimal", `["1.1000"],["0.5"],["1.25"],["7"],["NaN"]`)},
		{"bool", one(driveradapter.Boolean, true, 0, "T", "OFF", 1.0), document("bool", "[true],[false],[true],[false],[true]")},
		{"text", one(driveradapter.Text, "a\"b", 1.5, true, []byte("é\xff"), []any{"x", "z"}, driveradapter.Object{{Key: "a", Value: 1}}), document("string", "[\"a\\\"b\"],[\"1.5\"],[\"true\"],[\"é\ufffd\"],[\"x,z\"],[\"{\\\"a\\\":1}\"]")},
		{"datetime", one(driveradapter.DateTime, "2024-02-29 12:34:56.5-08", when, 0, -1.5, "infinity"), document("datetime", `["2024-02-29T20:34:56.500+00:00"],["2024-02-29T11:34:56.500+00:00"],["1970-01-01T00:00:00+00:00"],["1969-12-31T23:59:59.998500+00:00"],["infinity"]`)},
		{"date", one(driveradapter.Date, "2024-02-29T23:30:00-05:00", when, "0000-00-00"), document("date", `["2024-02-29"],["2024-02-29"],["0000-00-00"]`)},
		{"time", one(driveradapter.Time, "1:2:3.1", "24:00:00", "-838:59:59", when), document("time", `["01:02:03.100"],["24:00:00"],["-838:59:59"],["11:34:56.500"]`)},
		{"time with offset", one(driveradapter.Time, "1:2:3.1", "12:00:00+05:30"), document("string", `["1:2:3.1"],["12:00:00+05:30"]`)},
		{"json", one(driveradapter.JSON, ` {"a" : 1.50}`, driveradapter.JSONText(`"x"`), []any{nil, math.Inf(1), math.NaN(), int64(1 << 60), when, []byte{1}}, driveradapter.Object{{Key: "k", Value: []any{}}, {Key: "l", Value: driveradapter.Object{}}}), document("json", `[ {"a" : 1.50}],["x"],[[null,null,null,1152921504606846976,"2024-02-29T11:34:56.500Z","AQ=="]],[{"k":[],"l":{}}]`)},
		{"bytes", one(driveradapter.Bytes, []byte{0, 255}, "é", []any{1, 2.0}, driveradapter.Object{{Key: "type", Value: "Buffer"}, {Key: "data", Value: []any{3}}}, driveradapter.Object{{Key: "0", Value: 4}, {Key: "1", Value: 5}}), document("bytes", `["AP8="],["w6k="],["AQI="],["Aw=="],["BAU="]`)},
		{"uuid", one(driveradapter.UUID, "{A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11}", make([]byte, 16)), document("uuid", `["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],["00000000-0000-0000-0000-000000000000"]`)},
		{"int-array", one(driveradapter.Int32Array, []any{1, nil, []any{"2"}}, `[0:1]={{1,NULL},{3,4}}`, "{}"), document("int-array", "[[1,null,[2]]],[[[1,null],[3,4]]],[[]]")},
		{"bytes-array", one(driveradapter.BytesArray, []any{[]byte{1}, []any{2}, []any{}, []any{[]byte{3}}}, `{"\\x0102",NULL}`), document("bytes-array", `[["AQ==","Ag==","",["Aw=="]]],[["AQI=",null]]`)},
		{"json-array", one(driveradapter.JSONArray, []any{`{"a":1}`, []any{"x", 1}, nil}, `{"{\"a\": 1}",2}`), document("json-array", `[[{"a":1},["x",1],null]],[[{"a": 1},2]]`)},
		{"string-array", one(driveradapter.TextArray, `{a,"NULL",NULL,"q\"x",""}`), document("string-array", `[["a","NULL",null,"q\"x",""]]`)},
		{"unknown number, ints", one(driveradapter.UnknownNumber, nil, 1, math.Copysign(0, -1)), document("int", "[null],[1],[0]")},
		{"unknown number, bigints", one(driveradapter.UnknownNumber, 1, 3000000000.0), document("bigint", `["1"],["3000000000"]`)},
		{"unknown number, doubles", one(driveradapter.UnknownNumber, 1, 1.5, 9007199254740992.0), document("double", `[1],[1.5],[9007199254740992]`)},
		{"unknown number, none", one(driveradapter.UnknownNumber), document("unknown", "")},
		{"unknown number, nulls", one(driveradapter.UnknownNumber, nil, nil), document("int", "[null],[null]")},
		{"instants beyond the years", one(driveradapter.Text, time.Unix(1<<61, 0), time.Unix(-1<<61, 5), []any{time.Unix(1<<61, 0), "x"}, driveradapter.Object{{Key: "a", Value: time.Unix(1<<61, 0)}}, when),
			document("string", `["Unix second 2305843009213693952"],["Unix second -2305843009213693952, nanosecond 5"],["Unix second 2305843009213693952,x"],["{\"a\":\"Unix second 2305843009213693952\"}"],["2024-02-29T11:34:56.500+00:00"]`)},
		{"and the last ones within", one(driveradapter.Text, time.Unix(31494784780799, 999_999_999), time.Unix(31494784780800, 0), time.Unix(-31619087596800, 0)),
			document("string", `["+999999-12-31T23:59:59.999999999+00:00"],["Unix second 31494784780800"],["-999999-01-01T00:00:00+00:00"]`)},
		{"and in JSON", one(driveradapter.JSON, []any{time.Unix(1<<61, 0), when}), document("json", `[["Unix second 2305843009213693952","2024-02-29T11:34:56.500Z"]]`)},
	} {
		e := New(driveradapter.Postgres)
		for piece := range 9 {
			got, err := run(e, c.rs, ShapeArray, 0, piece)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				break
			}
			if got != c.want {
				t.Errorf("%s, in pieces of %d:\n got %s\nwant %s", c.name, piece, got, c.want)
				break
			}
			if !json.Valid([]byte(got)) {
				t.Errorf("%s: not JSON: %s", c.name, got)
			}
		}
	}
}

func TestAppendWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := math.Trunc(rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64).Draw(t, "f"))
		want, _ := big.NewFloat(f).Int(nil)
		if got := string(appendWhole(nil, f)); got != want.String() {
			t.Fatalf("%v is %s, want %s", f, got, want)
		}
	})
	for _, f := range []float64{0, math.Copysign(0, -1), 1 << 62, 1 << 63, -(1 << 63), 1 << 64, math.MaxFloat64, 1e22, 1e300} {
		want, _ := big.NewFloat(f).Int(nil)
		if got := string(appendWhole(nil, f)); got != want.String() {
			t.Fatalf("%v is %s, want %s", f, got, want)
		}
	}
}

func TestSQLiteWidening(t *testing.T) {
	for _, c := range []struct {
		rs   driveradapter.ResultSet
		want string
	}{
		{one(driveradapter.Int32, 1, nil), document("int", "[1],[null]")},
		{one(driveradapter.Int32, 1, int64(3000000000)), document("bigint", `["1"],["3000000000"]`)},
		{one(driveradapter.Int32, 1, "9223372036854775807"), document("bigint", `["1"],["9223372036854775807"]`)},
		{one(driveradapter.Int32, 1, 2.5), document("double", `[1],[2.5]`)},
		{one(driveradapter.Int64, int64(9223372036854775807), 2.5), document("unknown", `["9223372036854775807"],[2.5]`)},
		{one(driveradapter.Int32, 1, "", "x", []byte{1}, nil), document("unknown", `[1],[""],["x"],["AQ=="],[null]`)},
		{one(driveradapter.Boolean, 1, 0, "true"), document("bool", "[true],[false],[true]")},
		{one(driveradapter.Boolean, 1, 0, "true", 2), document("unknown", `[1],[0],["true"],[2]`)},
		{one(driveradapter.Boolean, 1, 2), document("int", `[1],[2]`)},
		{one(driveradapter.Text, 1, "x", 2.5, []byte{1}), document("unknown", `[1],["x"],[2.5],["AQ=="]`)},
		{one(driveradapter.Double, 1, 1.5), document("double", `[1],[1.5]`)},
		{one(driveradapter.Double, int64(9223372036854775807)), document("bigint", `["9223372036854775807"]`)},
		{one(driveradapter.JSON, `{"a":1}`, "not json"), document("json", `[{"a":1}],["not json"]`)},
		{one(driveradapter.DateTime, "2024-02-29 12:34:56", "soon"), document("unknown", `["2024-02-29 12:34:56"],["soon"]`)},
		{one(driveradapter.UnknownNumber, 1, "x"), document("unknown", `[1],["x"]`)},
		{one(driveradapter.Int32, 1, time.Unix(1<<61, 5)), document("unknown", `[1],["Unix second 2305843009213693952, nanosecond 5"]`)},
		{one(driveradapter.DateTime, time.Unix(0, 0), time.Unix(1<<61, 0)), document("unknown", `["1970-01-01T00:00:00+00:00"],["Unix second 2305843009213693952"]`)},
		{one(driveradapter.Date, time.Unix(1<<61, 0)), document("unknown", `["Unix second 2305843009213693952"]`)},
	} {
		e := New(driveradapter.SQLite)
		got, err := run(e, c.rs, ShapeArray, 0, 0)
		if err != nil || got != c.want {
			t.Errorf("%v: got %s, %v\nwant %s", c.rs.Rows, got, err, c.want)
		}
	}
}

func TestErrorsNameTheCell(t *testing.T) {
	e := New(driveradapter.MySQL)
	for _, c := range []struct {
		rs     driveradapter.ResultSet
		code   driveradapter.Code
		row    int64
		column int
		text   string
	}{
		{one(driveradapter.Int32, 1, "abc"), driveradapter.CodeIntInvalid, 1, 0, `row 1, column 0 "c" (int): not a whole number, found string "abc"; label the column double, decimal or string, or convert the cell [INT_INVALID]`},
		{one(driveradapter.Int32, 3000000000.0), driveradapter.CodeIntRange, 0, 0, ""},
		{one(driveradapter.Date, "2023-02-29"), driveradapter.CodeDateInvalid, 0, 0, ""},
		{one(driveradapter.DateTime, time.Unix(1<<61, 0)), driveradapter.CodeDatetimeInvalid, 0, 0, `row 0, column 0 "c" (datetime): not a date with time, found instant Unix second 2305843009213693952; label the column string, or convert the cell [DATETIME_INVALID]`},
		{one(driveradapter.JSON, "{"), driveradapter.CodeJsonInvalid, 0, 0, ""},
		{one(driveradapter.Int32Array, "{1,x}"), driveradapter.CodeIntInvalid, 0, 0, ""},
		{one(driveradapter.Int32Array, 5), driveradapter.CodeArrayInvalid, 0, 0, ""},
		{one(driveradapter.UnknownNumber, "abc"), driveradapter.CodeNumberInvalid, 0, 0, ""},
		{one(driveradapter.Bytes, []any{256}), driveradapter.CodeBytesInvalid, 0, 0, ""},
		{one(driveradapter.Text, struct{}{}), driveradapter.CodeValueUnsupported, 0, 0, ""},
		{driveradapter.ResultSet{ColumnNames: []string{"a", "b"}, ColumnTypes: []driveradapter.ColumnType{0, 0}, Rows: [][]any{{1, 2}, {3}}}, driveradapter.CodeRowLength, 1, -1, ""},
		{driveradapter.ResultSet{ColumnNames: []string{"a"}}, driveradapter.CodeColumnCount, 0, -1, ""},
		{driveradapter.ResultSet{ColumnNames: []string{"a", "b"}, ColumnTypes: []driveradapter.ColumnType{0, 16}}, driveradapter.CodeColumnType, 0, 1, ""},
		{driveradapter.ResultSet{Rows: [][]any{{1}}}, driveradapter.CodeRowLength, 0, -1, ""},
	} {
		_, err := run(e, c.rs, ShapeArray, 0, 0)
		if err == nil || err.Code != c.code || err.Row != c.row || err.Column != c.column {
			t.Errorf("%v: %v, want %v at row %d, column %d", c.rs, err, c.code, c.row, c.column)
		} else if c.text != "" && err.Error() != c.text {
			t.Errorf("%v:\n got %s\nwant %s", c.rs, err, c.text)
		}
		if got, err := run(e, one(driveradapter.Text, "fine"), ShapeArray, 0, 0); err != nil || got != document("string", `["fine"]`) {
			t.Errorf("after an error: %s, %v", got, err)
		}
	}
}

func TestShapes(t *testing.T) {
	rs := driveradapter.ResultSet{
		ColumnNames: []string{"id", "name", "id", "j"},
		ColumnTypes: []driveradapter.ColumnType{driveradapter.Int32, driveradapter.Text, driveradapter.Int64, driveradapter.JSON},
		Rows:        [][]any{{1, "a", 2, "[\n1]"}, {3, nil, 4, "{}"}},
	}
	e := New(driveradapter.Postgres)
	for _, c := range []struct {
		shape uint32
		want  string
	}{
		{ShapeObjects, "[{\"name\":\"a\",\"id\":\"2\",\"j\":[\n1]},{\"name\":null,\"id\":\"4\",\"j\":{}}]"},
		{ShapeNDJSON, "{\"name\":\"a\",\"id\":\"2\",\"j\":[ 1]}\n{\"name\":null,\"id\":\"4\",\"j\":{}}\n"},
	} {
		if got, err := run(e, rs, c.shape, 0, 0); err != nil || got != c.want {
			t.Errorf("got %s, %v\nwant %s", got, err, c.want)
		}
	}
	none := driveradapter.ResultSet{Rows: [][]any{{}, {}}}
	for shape, want := range []string{`{"columns":[],"types":[],"rows":[[],[]]}`, `[{},{}]`, "{}\n{}\n"} {
		if got, err := run(e, none, uint32(shape), 0, 0); err != nil || got != want {
			t.Errorf("no columns: got %s, %v, want %s", got, err, want)
		}
	}
}

func BenchmarkMovie(b *testing.B) {
	rs := driveradapter.ResultSet{
		ColumnNames: []string{"id", "title", "year", "description"},
		ColumnTypes: []driveradapter.ColumnType{driveradapter.Int32, driveradapter.Text, driveradapter.Int32, driveradapter.Text},
	}
	for i := range 1000 {
		rs.Rows = append(rs.Rows, []any{i, "The Third Man", 1949, strings.Repeat("An ordinary sentence about a film. ", 7)})
	}
	frame := driveradapter.AppendColumns(nil, rs.ColumnNames, rs.ColumnTypes)
	var rows driveradapter.Encoder
	for _, row := range rs.Rows {
		rows.Row(row, 4)
	}
	frame = rows.AppendBlock(frame)
	e := New(driveradapter.Postgres)
	b.SetBytes(int64(len(frame)))
	b.ReportAllocs()
	for b.Loop() {
		e.Begin(0, 0, 0)
		copy(e.Input(uint32(len(frame))), frame)
		for status := e.Push(uint32(len(frame))); status == StatusFull; status = e.Resume() {
		}
		e.End()
	}
}
