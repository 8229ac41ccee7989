package pgwire_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/engine"
	"github.com/rowjet/rowjet/wasm/internal/pgwire"
	"github.com/rowjet/rowjet/wasm/internal/wiretest"
)

func newEngine() *engine.Engine { return engine.NewWire(driveradapter.Postgres, pgwire.New()) }

func recorded(t testing.TB) []wiretest.Case {
	t.Helper()
	cases, err := wiretest.ReadCases("../../../conformance/wire/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func TestRecorded(t *testing.T)    { wiretest.Recorded(t, newEngine(), recorded(t)) }
func TestBatches(t *testing.T)     { wiretest.Batches(t, newEngine(), recorded(t)) }
func TestTruncations(t *testing.T) { wiretest.Truncations(t, newEngine(), recorded(t)) }
func TestMutations(t *testing.T) {
	wiretest.Mutations(t, newEngine(), recorded(t), 23, 25, 2249, 1700)
}

func FuzzStream(f *testing.F) {
	for _, c := range recorded(f) {
		if len(c.Stream) < 1500 {
			f.Add(c.Stream)
		}
	}
	e := newEngine()
	f.Fuzz(func(t *testing.T, stream []byte) { wiretest.Survives(t, e, stream) })
}

func message(kind byte, body ...any) []byte {
	var b bytes.Buffer
	for _, part := range body {
		if s, ok := part.(string); ok {
			part = append([]byte(s), 0)
		}
		if err := binary.Write(&b, binary.BigEndian, part); err != nil {
			panic(err)
		}
	}
	return append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(b.Len()+4)), b.Bytes()...)
}

// one is a result set of one cell.
func one(oid uint32, format uint16, cell []byte) []byte {
	stream := message('T', uint16(1), "c", uint32(0), uint16(0), oid, uint16(0), uint32(0), format)
	stream = append(stream, message('D', uint16(1), uint32(len(cell)), cell)...)
	return append(stream, message('C', "SELECT 1")...)
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}

// TestBinary is about values that PostgreSQL 15 does not send, but newer ones or
// other servers, and about what no server should.
func TestBinary(t *testing.T) {
	const (
		badFormat = "WIRE_INVALID"
		tooMuch   = "MEMORY_LIMIT"
		unknown   = "WIRE_BINARY"
	)
	for _, c := range []struct {
		name string
		oid  uint32
		cell string
		want string // the cell, or the name of an error
	}{
		{"zero with a digit", 1700, "0001 0000 0000 0000 0000", `"0"`},
		{"zero with a digit and a scale", 1700, "0001 0000 0000 0002 0000", `"0.00"`},
		{"negative zero", 1700, "0001 0000 4000 0000 0000", `"0"`},
		{"leading zero digits", 1700, "0003 0002 0000 0001 0000 0007 1388", `"75000.0"`},
		{"tiny", 1700, "0001 fffd 0000 0009 03e8", `"0.000000001"`},
		{"tiny, with zeros behind", 1700, "0001 fffe 0000 000c 0001", `"0.000000010000"`},
		{"tiny and negative", 1700, "0001 fffe 4000 0008 04d2", `"-0.00001234"`},
		{"digits beyond the scale", 1700, "0001 ffff 0000 0002 04d2", `"0.12"`},
		{"infinity with a scale", 1700, "0000 0000 d000 0020", `"Infinity"`},
		{"minus infinity", 1700, "0000 0000 f000 0020", `"-Infinity"`},
		{"not a number", 1700, "0000 0000 c000 0000", `"NaN"`},
		{"digit above 9999", 1700, "0001 0000 0000 0000 2710", badFormat},
		{"digit missing", 1700, "0002 0000 0000 0000 0001", badFormat},
		{"unknown sign", 1700, "0001 0000 8000 0000 0001", badFormat},
		{"huge scale", 1700, "0001 0000 0000 4000 0001", badFormat},
		{"no digits, small weight", 1700, "0000 8000 0000 0001", `"0.0"`},

		{"infinite interval", 1186, "7fffffffffffffff 7fffffff 7fffffff", `"infinity"`},
		{"minus infinite interval", 1186, "8000000000000000 80000000 80000000", `"-infinity"`},
		{"almost infinite interval", 1186, "7fffffffffffffff 7fffffff 7ffffffe", `"178956970 years 6 mons 2147483647 days 2562047788:00:54.775807"`},
		{"time beyond a day", 1083, "0000 0014 1dd7 6001", badFormat},
		{"end of the day", 1083, "0000 0014 1dd7 6000", `"24:00:00"`},
		{"zone beyond a day", 1266, "0000 0000 0000 0000 0001 5180", badFormat},
		{"timestamp before BC", 1114, "8000 0000 0000 0001", `"-290278-12-22T19:59:05.224193+00:00"`},
		{"latest timestamp", 1184, "7fff ff5b b3b2 9fff", `"+294276-12-31T23:59:59.999999+00:00"`},
		{"1969", 1184, "fffc a2fe c4c8 1e70", `"1969-12-31T23:59:59.999600+00:00"`},
		{"latest date", 1082, "7fff fffe", `"5881610-07-10"`},
		{"earliest date", 1082, "8000 0001", badFormat},

		{"int4 of three bytes", 23, "000001", badFormat},
		{"bool of no bytes", 16, "", badFormat},
		{"other truth", 16, "02", `true`},
		{"uuid of 15 bytes", 2950, "000102030405060708090a0b0c0d0e", badFormat},
		{"jsonb of another version", 3802, "02 7b7d", badFormat},
		{"jsonb without a version", 3802, "", badFormat},
		{"inet of another family", 869, "04 20 00 04 01020304", badFormat},
		{"inet with 33 bits", 869, "02 21 00 04 01020304", badFormat},
		{"inet without an address", 869, "02 20 00 04", badFormat},
		{"macaddr of 7 bytes", 829, "01020304050607", badFormat},
		{"negative number of bits", 1560, "ffffffff", badFormat},
		{"bit string beyond the limit", 1560, "00 20 00 00" + strings.Repeat("ff", 1<<18), tooMuch},
		{"high char", 18, "ff", `"\\377"`},

		{"array of three of two", 1007, "00000001 00000000 00000017 00000003 00000001 00000004 00000001 00000004 00000002", badFormat},
		{"array with a surplus", 1007, "00000001 00000000 00000017 00000001 00000001 00000004 00000001 00", badFormat},
		{"array of seven dimensions", 1007, "00000007 00000000 00000017" + strings.Repeat("00000001 00000001", 7) + "00000004 00000001", badFormat},
		{"array of no rows of many", 1007, "00000002 00000000 00000017 7fffffff 00000001 00000000 00000001", badFormat},
		{"array beyond its bytes", 1007, "00000002 00000000 00000017 7fffffff 00000001 7fffffff 00000001", badFormat},
		{"array of another type", 1007, "00000000 00000000 00000014", badFormat},
		{"empty dimension", 1007, "00000001 00000000 00000017 00000000 00000001", `[]`},
		{"vector of texts", 30, "00000001 00000000 00000019 00000001 00000000 00000001 61", badFormat},
		{"vector with two dimensions", 30, "00000002 00000000 0000001a 00000001 00000000 00000001 00000000 00000004 00000001", badFormat},
		{"array of any, unknown", 2277, "00000001 00000000 00004001 00000001 00000001 00000001 61", unknown},
		{"numbers of many zeros", 1231, "00000001 00000000 000006a4 00000010 00000001" + strings.Repeat("0000000a 00017fff000000000001", 16), tooMuch},

		{"range with a null bound", 3904, "02 ffffffff 00000004 00000001", badFormat},
		{"range without a bound", 3904, "02 00000004 00000001", badFormat},
		{"range with no flags", 3904, "", badFormat},
		{"empty range with a surplus", 3904, "01 00", badFormat},
		{"multirange of one too few", 4451, "00000002 00000001 01", badFormat},
		{"record of unknown type", 2249, "00000001 00004001 00000001 61", unknown},
		{"record of unknown type, null", 2249, "00000001 00004001 ffffffff", `"()"`},
		{"record of names", 2249, "00000001 000008a5 00000004 00000001", unknown},
		{"record with many fields", 2249, "ffffffff", badFormat},
		{"record of many zeros", 2249, "00000010" + strings.Repeat("000006a4 0000000a 00017fff000000000001", 16), tooMuch},

		{"query without nodes", 3615, "00000000 00", badFormat},
		{"query with an operand too few", 3615, "00000002 02 02 01 00 00 61 00", badFormat},
		{"query with an operand too many", 3615, "00000002 01 00 00 61 00 01 00 00 62 00", badFormat},
		{"query of another operator", 3615, "00000001 02 05 00 00", badFormat},
		{"query of another kind", 3615, "00000001 03 01 00 00", badFormat},
		{"vector of one too few lexemes", 3614, "00000001", badFormat},
		{"vector of one position too few", 3614, "00000001 61 00 0001", badFormat},
		{"path with many points", 602, "01 10000000", badFormat},
		{"snapshot with one too few", 5038, "00000001 0000000000000001 0000000000000001", badFormat},
	} {
		e := newEngine()
		e.Limit(wiretest.Limit)
		stream := one(c.oid, 1, unhex(c.cell))
		document, failed := wiretest.Serialize(e, stream, engine.ShapeArray, 0, nil)
		got := ""
		if failed != nil {
			got = failed.Code.String()
			where := fmt.Sprintf("DataRow at byte 27: cell 0 is not in the binary format of OID %d", c.oid)
			if failed.Code == driveradapter.CodeWireInvalid && failed.Found != where || failed.Column != 0 {
				t.Errorf("%s: column %d, found %q", c.name, failed.Column, failed.Found)
			}
		} else {
			_, got, _ = strings.Cut(document, `"rows":[[`)
			got = strings.TrimSuffix(got, "]]}")
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestNesting is about records in records: a quote at the bottom doubles at every
// level.
func TestNesting(t *testing.T) {
	nested := func(levels int) []byte {
		cell := []byte{'"'}
		oid := uint32(25)
		for range levels {
			head := binary.BigEndian.AppendUint32([]byte{0, 0, 0, 1}, oid)
			cell = append(binary.BigEndian.AppendUint32(head, uint32(len(cell))), cell...)
			oid = 2249
		}
		return one(2249, 1, cell)
	}
	e := newEngine()
	got, failed := wiretest.Serialize(e, nested(2), engine.ShapeArray, 0, nil)
	if want := `{"columns":["c"],"types":["string"],"rows":[["(\"(\"\"\"\"\"\"\"\")\")"]]}`; got != want || failed != nil {
		t.Errorf("got %s, %v\nwant %s", got, failed, want)
	}
	e.Limit(1 << 14)
	for levels := 3; levels < 15; levels++ {
		_, failed = wiretest.Serialize(e, nested(levels), engine.ShapeArray, 0, nil)
		if levels < 12 && failed != nil || levels > 13 && (failed == nil || failed.Code != driveradapter.CodeMemoryLimit) {
			t.Errorf("%d levels: %v", levels, failed)
		}
	}
	if _, failed = wiretest.Serialize(e, nested(16), engine.ShapeArray, 0, nil); failed == nil || failed.Code != driveradapter.CodeWireInvalid {
		t.Errorf("16 levels: %v", failed)
	}
}

// TestLongQuery is about a tsquery that is as deep as it is long.
func TestLongQuery(t *testing.T) {
	const words = 100_000
	cell := binary.BigEndian.AppendUint32(nil, 2*words-1)
	for range words - 1 {
		cell = append(cell, 2, 2, 1, 0, 0, 'b', 0)
	}
	cell = append(cell, 1, 0, 0, 'a', 0)
	got, failed := wiretest.Serialize(newEngine(), one(3615, 1, cell), engine.ShapeArray, 0, nil)
	want := `{"columns":["c"],"types":["string"],"rows":[["'a'` + strings.Repeat(" & 'b'", words-1) + `"]]}`
	if got != want || failed != nil {
		t.Errorf("%d bytes, want %d; %v", len(got), len(want), failed)
	}
}

// TestLargeCells is about messages and cells of many megabytes, and about the
// limit.
func TestLargeCells(t *testing.T) {
	text := bytes.Repeat([]byte("a\x01"), 5<<20)
	stream := one(25, 0, text)
	e := newEngine()
	got, failed := wiretest.Serialize(e, stream, engine.ShapeArray, 0, nil, 64<<10)
	if want := `{"columns":["c"],"types":["string"],"rows":[["` + strings.Repeat(`a\u0001`, 5<<20) + `"]]}`; got != want || failed != nil {
		t.Errorf("%d bytes, want %d; %v", len(got), len(want), failed)
	}
	e.Limit(20 << 20)
	if _, failed = wiretest.Serialize(e, stream, engine.ShapeArray, 0, nil, 64<<10); failed == nil || failed.Code != driveradapter.CodeMemoryLimit || failed.Column != 0 {
		t.Errorf("a text that is too long as JSON: %v", failed)
	}
	e.Limit(5 << 20)
	_, failed = wiretest.Serialize(e, stream, engine.ShapeArray, 0, nil, 64<<10)
	if want := fmt.Sprintf("DataRow at byte 27: its length is %d", len(text)+10); failed == nil || failed.Code != driveradapter.CodeMemoryLimit || failed.Found != want {
		t.Errorf("a message that is too long: %v, want %s", failed, want)
	}
	// Long messages of no consequence take no memory.
	e.Limit(1 << 17)
	notice := message('N', "SNOTICE", strings.Repeat("x", 10<<20), "")
	got, failed = wiretest.Serialize(e, append(notice, one(23, 0, []byte("7"))...), engine.ShapeArray, 0, nil, 64<<10)
	if want := `{"columns":["c"],"types":["int"],"rows":[[7]]}`; got != want || failed != nil {
		t.Errorf("after a long notice: %s, %v", got, failed)
	}
}

// TestInvalid is about messages that are not what the protocol has.
func TestInvalid(t *testing.T) {
	field := func(oid uint32, format uint16) []any {
		return []any{"c", uint32(0), uint16(0), oid, uint16(0), uint32(0), format}
	}
	columns := message('T', append([]any{uint16(1)}, field(23, 0)...)...)
	row := message('D', uint16(1), uint32(1), []byte("7"))
	done := message('C', "SELECT 1")
	for _, c := range []struct {
		name   string
		stream [][]byte
		code   driveradapter.Code
		found  string
	}{
		{"no messages", nil, driveradapter.CodeInputUnfinished, ""},
		{"only ReadyForQuery", [][]byte{message('Z', "I")}, driveradapter.CodeInputUnfinished, ""},
		{"only columns", [][]byte{columns}, driveradapter.CodeInputUnfinished, ""},
		{"half a header", [][]byte{columns, row, done, {'Z', 0, 0}}, driveradapter.CodeInputUnfinished, ""},
		{"half a notice", [][]byte{columns, row, done, {'N', 0, 0, 0, 100, 'x'}}, driveradapter.CodeInputUnfinished, ""},
		{"rows after the end", [][]byte{columns, row, done, row}, driveradapter.CodeWireInvalid, "DataRow at byte 53 without a RowDescription"},
		{"columns twice", [][]byte{columns, columns}, driveradapter.CodeWireInvalid, "RowDescription at byte 27 before the end of the result set"},
		{"no count of fields", [][]byte{message('T')}, driveradapter.CodeWireInvalid, "RowDescription at byte 0 is too short"},
		{"a field too few", [][]byte{message('T', append([]any{uint16(2)}, field(23, 0)...)...)}, driveradapter.CodeWireInvalid, "RowDescription at byte 0 ends in field 1"},
		{"a field too many", [][]byte{message('T', append([]any{uint16(0)}, field(23, 0)...)...)}, driveradapter.CodeWireInvalid, "RowDescription at byte 0 has 20 bytes too many"},
		{"a name without an end", [][]byte{message('T', uint16(1), []byte("c"))}, driveradapter.CodeWireInvalid, "RowDescription at byte 0 ends in field 0"},
		{"another format", [][]byte{message('T', append([]any{uint16(1)}, field(23, 2)...)...)}, driveradapter.CodeWireInvalid, "RowDescription at byte 0: field 0 has format code 2"},
		{"no count of cells", [][]byte{columns, message('D')}, driveradapter.CodeWireInvalid, "DataRow at byte 27 is too short"},
		{"no cells", [][]byte{columns, message('D', uint16(0))}, driveradapter.CodeWireInvalid, "DataRow at byte 27 has 0 cells for 1 columns"},
		{"many cells", [][]byte{columns, message('D', uint16(65535))}, driveradapter.CodeWireInvalid, "DataRow at byte 27 has 65535 cells for 1 columns"},
		{"no cell", [][]byte{columns, message('D', uint16(1))}, driveradapter.CodeWireInvalid, "DataRow at byte 27 ends before cell 0"},
		{"half a cell", [][]byte{columns, message('D', uint16(1), uint32(4), []byte("7"))}, driveradapter.CodeWireInvalid, "DataRow at byte 27: cell 0 is 4 bytes long, 1 are left"},
		{"negative length", [][]byte{columns, message('D', uint16(1), int32(-2))}, driveradapter.CodeWireInvalid, "DataRow at byte 27: cell 0 is -2 bytes long, 0 are left"},
		{"surplus", [][]byte{columns, message('D', uint16(1), int32(-1), []byte("xy"))}, driveradapter.CodeWireInvalid, "DataRow at byte 27 has 2 bytes too many"},
		{"surplus without columns", [][]byte{message('T', uint16(0)), message('D', uint16(0), []byte("xy"))}, driveradapter.CodeWireInvalid, "DataRow at byte 7 has 2 bytes too many"},
		{"long CommandComplete", [][]byte{message('C', strings.Repeat("x", 30_000))}, driveradapter.CodeWireInvalid, "CommandComplete at byte 0: its length is 30005"},
		{"long ReadyForQuery", [][]byte{{'Z', 0x7f, 0xff, 0xff, 0xff}}, driveradapter.CodeWireInvalid, "ReadyForQuery at byte 0: its length is 2147483647"},
		{"length 0", [][]byte{{'Z', 0, 0, 0, 0}}, driveradapter.CodeWireInvalid, "ReadyForQuery at byte 0: its length is 0"},
		{"an HTTP server", [][]byte{[]byte("HTTP/1.1 400 Bad Request\r\n")}, driveradapter.CodeWireInvalid, "CopyOutResponse at byte 0 is not expected"},
		{"no type of message", [][]byte{columns, {0xff, 0, 0, 0, 4}}, driveradapter.CodeWireInvalid, "message of type 0xff at byte 27 is not expected"},
		{"authentication", [][]byte{message('R', uint32(0))}, driveradapter.CodeWireInvalid, "Authentication at byte 0 is not expected"},
		{"error without fields", [][]byte{message('E')}, driveradapter.CodeServerError, ": "},
		{"error without an end", [][]byte{message('E', []byte("MC"), []byte("no end"))}, driveradapter.CodeServerError, ": Cno end"},
		{"error on two lines", [][]byte{message('E', "C12345", "Mone\ntwo\xff", "")}, driveradapter.CodeServerError, "12345: one two�"},
		{"int that is none", [][]byte{columns, message('D', uint16(1), uint32(3), []byte("1.5"))}, driveradapter.CodeIntInvalid, `string "1.5"`},
		{"int beyond 32 bits", [][]byte{columns, message('D', uint16(1), uint32(10), []byte("2147483648"))}, driveradapter.CodeIntRange, "number 2147483648"},
		{"bytea that is none", [][]byte{one(17, 0, []byte(`\x0`))}, driveradapter.CodeBytesInvalid, `string "\x0"`},
		{"bytea with half an escape", [][]byte{one(17, 0, []byte(`a\12`))}, driveradapter.CodeBytesInvalid, `string "a\12"`},
		{"bytea array with half an escape", [][]byte{one(1001, 0, []byte(`{"a\\12"}`))}, driveradapter.CodeBytesInvalid, `string "a\12"`},
		{"array that is none", [][]byte{one(1007, 0, []byte("1,2"))}, driveradapter.CodeArrayInvalid, `string "1,2"`},
		{"array without an end", [][]byte{one(1007, 0, []byte("{1,2"))}, driveradapter.CodeArrayInvalid, `string "{1,2"`},
		{"array element", [][]byte{one(1007, 0, []byte("{1,x}"))}, driveradapter.CodeIntInvalid, `string "x"`},
		{"float that is none", [][]byte{one(701, 0, []byte("1,5"))}, driveradapter.CodeFloatInvalid, `string "1,5"`},
		{"json that is none", [][]byte{one(114, 0, []byte("{"))}, driveradapter.CodeJsonInvalid, `string "{"`},
	} {
		_, failed := wiretest.Serialize(newEngine(), bytes.Join(c.stream, nil), engine.ShapeArray, 0, nil)
		if failed == nil || failed.Code != c.code || failed.Found != c.found {
			t.Errorf("%s: %v; want %s: %s", c.name, failed, c.code, c.found)
		}
	}
}

// TestCalls is about calls that a module without a wire protocol, or one that is
// not at the right place, refuses.
func TestCalls(t *testing.T) {
	refused := func(what string, e *engine.Engine, status int32) {
		t.Helper()
		if status != engine.StatusError || driveradapter.Code(e.State().Code) != driveradapter.CodeCallOrder {
			t.Errorf("%s: status %d, error %d", what, status, e.State().Code)
		}
	}
	plain := engine.New(driveradapter.Postgres)
	refused("no protocol", plain, plain.Begin(engine.SourceWire, engine.ShapeArray, 0))
	e := newEngine()
	refused("next at first", e, e.Begin(engine.SourceWire, engine.ShapeArray, engine.FlagNext))
	refused("another source", e, e.Begin(2, engine.ShapeArray, 0))

	if status := e.Begin(engine.SourceWire, engine.ShapeArray, engine.FlagSettled); status != engine.StatusDone {
		t.Errorf("settled, which has no meaning here: status %d", status)
	}

	two := append(one(23, 0, []byte("7")), one(25, 0, []byte("x"))...)
	push := func(b []byte) int32 {
		copy(e.Input(uint32(len(b))), b)
		return e.Push(uint32(len(b)))
	}
	e.Begin(engine.SourceWire, engine.ShapeArray, 0)
	status := push(two)
	if status != engine.StatusNext || string(e.Output()) != "[7]" {
		t.Fatalf("status %d, output %s", status, e.Output())
	}
	// The head may be taken before the end.
	if e.Head(); string(e.Output()) != `{"columns":["c"],"types":["int"],"rows":[` {
		t.Errorf("head %s", e.Output())
	}
	if status = e.End(); status != engine.StatusDone || string(e.Output()) != "]}" {
		t.Errorf("status %d, tail %s", status, e.Output())
	}
	// The next result set may have another shape.
	e.Begin(engine.SourceWire, engine.ShapeObjects, engine.FlagNext)
	if status = e.Push(0); status != engine.StatusDone || string(e.Output()) != `{"c":"x"}` {
		t.Errorf("status %d, output %s", status, e.Output())
	}
	e.End()
	refused("next after the last", e, e.Begin(engine.SourceWire, engine.ShapeArray, engine.FlagNext))

	e.Begin(engine.SourceWire, engine.ShapeArray, 0)
	push(two)
	refused("push before next", e, e.Push(0))
	e.Begin(engine.SourceWire, engine.ShapeArray, 0)
	push(two)
	if e.Input(1) != nil {
		t.Error("input before next")
	}

	// An instance may go on to frames.
	frame := driveradapter.AppendColumns(nil, []string{"c"}, []driveradapter.ColumnType{driveradapter.UnknownNumber})
	e.Begin(engine.SourceFrames, engine.ShapeArray, 0)
	push(frame)
	if status = e.End(); status != engine.StatusDone || string(e.Output()) != "]}" {
		t.Errorf("a frame after messages: status %d", status)
	}
}

// movies are rows of a table as in the benchmarks: int4, text, int4, text.
func movies(rows int) []byte {
	stream := message('T', uint16(4),
		"id", uint32(0), uint16(0), uint32(23), uint16(0), uint32(0), uint16(0),
		"title", uint32(0), uint16(0), uint32(25), uint16(0), uint32(0), uint16(0),
		"year", uint32(0), uint16(0), uint32(23), uint16(0), uint32(0), uint16(0),
		"description", uint32(0), uint16(0), uint32(25), uint16(0), uint32(0), uint16(0))
	for i := range rows {
		body := []any{uint16(4)}
		for _, cell := range []string{fmt.Sprint(i + 1), fmt.Sprintf("The Movie Number %d", i), fmt.Sprint(1900 + i%125),
			strings.Repeat("An ordinary sentence about a film, with a comma. ", 4)} {
			body = append(body, uint32(len(cell)), []byte(cell))
		}
		stream = append(stream, message('D', body...)...)
	}
	return append(stream, message('C', "SELECT")...)
}

func benchmark(b *testing.B, stream []byte, rows int, shape uint32) {
	e := newEngine()
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		if !wiretest.Feed(e, stream, shape, 64<<10) {
			b.Fatalf("error %d: %s", e.State().Code, e.Found())
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
}

func BenchmarkMovies(b *testing.B) {
	const rows = 50_000
	stream := movies(rows)
	for shape, name := range []string{"array", "objects", "ndjson", "batch"} {
		b.Run(name, func(b *testing.B) { benchmark(b, stream, rows, uint32(shape)) })
	}
}

// BenchmarkRecorded measures each recorded stream with its rows repeated.
func BenchmarkRecorded(b *testing.B) {
	for _, c := range recorded(b) {
		if c.Error != nil || !strings.HasPrefix(c.Name, "a wide table in") {
			continue
		}
		size := func(stream []byte) uint32 { return binary.BigEndian.Uint32(stream[1:]) + 1 }
		rest := c.Stream
		for rest[0] != 'T' {
			rest = rest[size(rest):]
		}
		head := rest[:size(rest)]
		rows := rest[len(head):bytes.LastIndex(rest, []byte("C\x00\x00\x00"))]
		const times = 500
		stream := append(bytes.Clone(head), bytes.Repeat(rows, times)...)
		stream = append(stream, rest[len(head)+len(rows):]...)
		b.Run(c.Name, func(b *testing.B) { benchmark(b, stream, 20*times, engine.ShapeArray) })
	}
}
