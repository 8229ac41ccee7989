package mysqlwire_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/engine"
	"github.com/rowjet/rowjet/wasm/internal/mysqlwire"
	"github.com/rowjet/rowjet/wasm/internal/wiretest"
)

func newEngine() *engine.Engine { return engine.NewWire(driveradapter.MySQL, mysqlwire.New()) }

func recorded(t testing.TB) []wiretest.Case {
	t.Helper()
	var all []wiretest.Case
	for _, file := range []string{"mysql.jsonl", "go-mysql-server.jsonl"} {
		cases, err := wiretest.ReadCases("../../../conformance/wire/" + file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, cases...)
	}
	return all
}

func TestRecorded(t *testing.T)    { wiretest.Recorded(t, newEngine(), recorded(t)) }
func TestBatches(t *testing.T)     { wiretest.Batches(t, newEngine(), recorded(t)) }
func TestTruncations(t *testing.T) { wiretest.Truncations(t, newEngine(), recorded(t)) }
func TestMutations(t *testing.T) {
	wiretest.Mutations(t, newEngine(), recorded(t), deprecateEOF, optionalMetadata, 0xfb, 0xfc, 0xfd, 0xfe, 0xfffffe, 0xffffff)
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

const (
	deprecateEOF     = 1 << 24
	optionalMetadata = 1 << 25

	extendedMetadata = 1 << 3
	cacheMetadata    = 1 << 4

	unsigned = 0x20
	binFlag  = 0x80
	enum     = 0x100
	set      = 0x800

	utf8mb4 = 45
	binary_ = 63
)

func preface(capabilities, extended, format uint32) []byte {
	b := binary.LittleEndian.AppendUint32(nil, capabilities)
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, extended), format)
}

// packets gives each payload its header, or several.
func packets(payloads ...[]byte) []byte {
	var all []byte
	for i, p := range payloads {
		for {
			n := min(len(p), 0xffffff)
			all = append(all, byte(n), byte(n>>8), byte(n>>16), byte(i+1))
			all = append(all, p[:n]...)
			if p = p[n:]; n < 0xffffff {
				break
			}
		}
	}
	return all
}

// text is a length-encoded text.
func text(s string) []byte {
	n := len(s)
	switch {
	case n < 0xfb:
		return append([]byte{byte(n)}, s...)
	case n < 1<<16:
		return append([]byte{0xfc, byte(n), byte(n >> 8)}, s...)
	case n < 1<<24:
		return append([]byte{0xfd, byte(n), byte(n >> 8), byte(n >> 16)}, s...)
	}
	return append(binary.LittleEndian.AppendUint64([]byte{0xfe}, uint64(n)), s...)
}

// row is a row in text format; null is nil.
func row(cells ...any) []byte {
	var b []byte
	for _, c := range cells {
		if c == nil {
			b = append(b, 0xfb)
		} else {
			b = append(b, text(fmt.Sprint(c))...)
		}
	}
	return b
}

type field struct {
	kind      byte
	collation uint16
	flags     uint16
	decimals  byte
	extended  string
}

func (f field) definition(name string, withExtended bool) []byte {
	b := append(text("def"), "\x00\x00\x00"...)
	b = append(append(b, text(name)...), 0)
	if withExtended {
		b = append(b, text(f.extended)...)
	}
	b = binary.LittleEndian.AppendUint16(append(b, 12), f.collation)
	b = append(b, 1, 0, 0, 0, f.kind)
	b = binary.LittleEndian.AppendUint16(b, f.flags)
	return append(b, f.decimals, 0, 0)
}

func eof(status uint16) []byte {
	return binary.LittleEndian.AppendUint16([]byte{0xfe, 0, 0}, status)
}

func ok(header byte, status uint16) []byte {
	return append(binary.LittleEndian.AppendUint16([]byte{header, 0xfc, 1, 1, 0xfd, 1, 2, 3}, status), 0, 0)
}

var integer = field{kind: 3, collation: binary_}

// one is a result set of one column, without EOF behind the definition.
func one(f field, format uint32, rows ...[]byte) []byte {
	payloads := [][]byte{{1}, f.definition("c", true)}
	payloads = append(append(payloads, rows...), eof(2))
	return append(preface(deprecateEOF, extendedMetadata, format), packets(payloads...)...)
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}

// TestValues gives a cell of each type in both formats. The bytes are what the
// manuals of the protocol say; what servers send is in the recorded streams.
func TestValues(t *testing.T) {
	const same = "same" // the binary format is the text
	longText := strings.Repeat("é", 40_000)
	for _, c := range []struct {
		name  string
		field field
		text  string
		bits  string // in binary format, in hex
		label string
		want  string
	}{
		{"tinyint", field{kind: 1, collation: 63}, "-128", "80", "int", "-128"},
		{"tinyint(1)", field{kind: 1, collation: 63}, "2", "02", "int", "2"},
		{"tinyint unsigned", field{kind: 1, collation: 63, flags: unsigned}, "255", "ff", "int", "255"},
		{"smallint", field{kind: 2, collation: 63}, "-32768", "0080", "int", "-32768"},
		{"smallint unsigned zerofill", field{kind: 2, collation: 63, flags: unsigned | 0x40}, "00042", "2a00", "int", "42"},
		{"mediumint", field{kind: 9, collation: 63}, "-8388608", "000080ff", "int", "-8388608"},
		{"mediumint unsigned", field{kind: 9, collation: 63, flags: unsigned}, "16777215", "ffffff00", "int", "16777215"},
		{"int", field{kind: 3, collation: 63}, "-2147483648", "00000080", "int", "-2147483648"},
		{"int unsigned", field{kind: 3, collation: 63, flags: unsigned}, "4294967295", "ffffffff", "bigint", `"4294967295"`},
		{"int unsigned, small", field{kind: 3, collation: 63, flags: unsigned}, "1", "01000000", "bigint", `"1"`},
		{"bigint", field{kind: 8, collation: 63}, "-9223372036854775808", "0000000000000080", "bigint", `"-9223372036854775808"`},
		{"bigint, beyond 2^53", field{kind: 8, collation: 63}, "9007199254740993", "0100000000002000", "bigint", `"9007199254740993"`},
		{"bigint unsigned", field{kind: 8, collation: 63, flags: unsigned}, "18446744073709551615", "ffffffffffffffff", "bigint", `"18446744073709551615"`},
		{"bigint unsigned, 2^63", field{kind: 8, collation: 63, flags: unsigned}, "9223372036854775808", "0000000000000080", "bigint", `"9223372036854775808"`},
		{"year", field{kind: 13, collation: 63, flags: unsigned | 0x40}, "2155", "6b08", "int", "2155"},
		{"year 0", field{kind: 13, collation: 63, flags: unsigned | 0x40}, "0000", "0000", "int", "0"},
		{"float", field{kind: 4, collation: 63, decimals: 31}, "0.1", "cdcccc3d", "float", "0.1"},
		{"float, largest", field{kind: 4, collation: 63, decimals: 31}, "3.40282e38", "ffff7f7f", "float", ""},
		{"float with scale", field{kind: 4, collation: 63, decimals: 3}, "-1234567.125", "39b496c9", "float", "-1234567.1"},
		{"double", field{kind: 5, collation: 63, decimals: 31}, "0.30000000000000004", "343333333333d33f", "double", "0.30000000000000004"},
		{"double, largest", field{kind: 5, collation: 63, decimals: 31}, "1.7976931348623157e308", "ffffffffffffef7f", "double", "1.7976931348623157e+308"},
		{"double with scale, zerofill", field{kind: 5, collation: 63, flags: unsigned | 0x40, decimals: 3}, "000123.500", "0000000000e05e40", "double", "123.5"},
		{"decimal", field{kind: 246, collation: 63, decimals: 5}, "-1.10000", same, "decimal", `"-1.10000"`},
		{"decimal, 65 digits", field{kind: 246, collation: 63}, strings.Repeat("9", 65), same, "decimal", `"` + strings.Repeat("9", 65) + `"`},
		{"decimal zerofill", field{kind: 246, collation: 63, flags: unsigned | 0x40, decimals: 2}, "00000042.50", same, "decimal", `"42.50"`},
		{"decimal of old servers", field{kind: 0, collation: 63}, "1.50", same, "decimal", `"1.50"`},

		{"date", field{kind: 10, collation: 63}, "2024-02-29", "04 e807 02 1d", "date", `"2024-02-29"`},
		{"date with a time", field{kind: 10, collation: 63}, "2024-02-29", "07 e807 02 1d 01 02 03", "date", `"2024-02-29"`},
		{"newdate", field{kind: 14, collation: 63}, "2024-02-29", "04 e807 02 1d", "date", `"2024-02-29"`},
		{"zero date", field{kind: 10, collation: 63}, "0000-00-00", "00", "date", `"0000-00-00"`},
		{"zero date in full", field{kind: 10, collation: 63}, "0000-00-00", "04 0000 00 00", "date", `"0000-00-00"`},
		{"date with zero parts", field{kind: 10, collation: 63}, "2024-02-00", "04 e807 02 00", "date", `"2024-02-00"`},
		{"date that the calendar has not", field{kind: 10, collation: 63}, "2023-02-31", "04 e707 02 1f", "date", `"2023-02-31"`},
		{"datetime(2) that the calendar has not", field{kind: 12, collation: 63, decimals: 2}, "2023-02-29 01:02:03.50", "0b e707 02 1d 01 02 03 20a10700", "datetime", `"2023-02-29 01:02:03.50"`},
		{"last date", field{kind: 10, collation: 63}, "9999-12-31", "04 0f27 0c 1f", "date", `"9999-12-31"`},
		{"datetime", field{kind: 12, collation: 63}, "2024-02-29 12:34:56", "07 e807 02 1d 0c 22 38", "datetime", `"2024-02-29T12:34:56+00:00"`},
		{"datetime at midnight", field{kind: 12, collation: 63}, "2024-02-29 00:00:00", "04 e807 02 1d", "datetime", `"2024-02-29T00:00:00+00:00"`},
		{"datetime(6)", field{kind: 12, collation: 63, decimals: 6}, "2024-02-29 12:34:56.000001", "0b e807 02 1d 0c 22 38 01000000", "datetime", `"2024-02-29T12:34:56.000001+00:00"`},
		{"datetime(3)", field{kind: 12, collation: 63, decimals: 3}, "2024-02-29 12:34:56.789", "0b e807 02 1d 0c 22 38 080a0c00", "datetime", `"2024-02-29T12:34:56.789+00:00"`},
		{"datetime(1)", field{kind: 12, collation: 63, decimals: 1}, "2024-02-29 12:34:56.7", "0b e807 02 1d 0c 22 38 60ae0a00", "datetime", `"2024-02-29T12:34:56.700+00:00"`},
		{"timestamp(2)", field{kind: 7, collation: 63, decimals: 2}, "2038-01-19 03:14:07.00", "07 f607 01 13 03 0e 07", "datetime", `"2038-01-19T03:14:07+00:00"`},
		{"timestamp as servers keep it", field{kind: 17, collation: 63}, "1970-01-01 00:00:01", "07 b207 01 01 00 00 01", "datetime", `"1970-01-01T00:00:01+00:00"`},
		{"datetime as servers keep it", field{kind: 18, collation: 63}, "0000-01-01 00:00:00", "04 0000 01 01", "datetime", `"0000-01-01T00:00:00+00:00"`},
		{"zero datetime(6)", field{kind: 12, collation: 63, decimals: 6}, "0000-00-00 00:00:00.000000", "00", "datetime", `"0000-00-00 00:00:00.000000"`},
		{"datetime(3) with zero parts", field{kind: 12, collation: 63, decimals: 3}, "2024-00-00 01:02:03.004", "0b e807 00 00 01 02 03 a00f0000", "datetime", `"2024-00-00 01:02:03.004"`},
		{"time", field{kind: 11, collation: 63}, "12:34:56", "08 00 00000000 0c 22 38", "time", `"12:34:56"`},
		{"no time", field{kind: 11, collation: 63, decimals: 6}, "00:00:00.000000", "00", "time", `"00:00:00"`},
		{"last time", field{kind: 11, collation: 63}, "838:59:59", "08 00 22000000 16 3b 3b", "time", `"838:59:59"`},
		{"first time(6)", field{kind: 11, collation: 63, decimals: 6}, "-838:59:58.999999", "0c 01 22000000 16 3b 3a 3f420f00", "time", `"-838:59:58.999999"`},
		{"time(3) beyond a day", field{kind: 11, collation: 63, decimals: 3}, "24:00:00.500", "0c 00 01000000 00 00 00 20a10700", "time", `"24:00:00.500"`},
		{"time(2) of a whole second", field{kind: 11, collation: 63, decimals: 2}, "100:00:01.00", "08 00 04000000 04 00 01", "time", `"100:00:01.00"`},
		{"time of an expression", field{kind: 11, collation: 63, decimals: 31}, "-00:00:01.500000", "0c 01 00000000 00 00 01 20a10700", "time", `"-00:00:01.500000"`},
		{"whole time of an expression", field{kind: 11, collation: 63, decimals: 39}, "-00:00:01", "08 01 00000000 00 00 01", "time", `"-00:00:01"`},
		{"time with more digits than declared", field{kind: 11, collation: 63, decimals: 1}, "100:00:00.250000", "0c 00 04000000 04 00 00 90d00300", "time", `"100:00:00.250000"`},
		{"time as servers keep it", field{kind: 19, collation: 63}, "01:02:03", "08 00 00000000 01 02 03", "time", `"01:02:03"`},

		{"bit(1)", field{kind: 16, collation: 63, flags: unsigned}, "\x01", "01 01", "bytes", `"AQ=="`},
		{"bit(64)", field{kind: 16, collation: 63, flags: unsigned}, strings.Repeat("\xff", 8), "08 ffffffffffffffff", "bytes", `"//////////8="`},
		{"geometry", field{kind: 255, collation: 63, flags: binFlag}, "\x00\x00\x00\x00\x01\x07\x00\x00\x00\x00\x00\x00\x00", same, "bytes", `"AAAAAAEHAAAAAAAAAA=="`},
		{"vector", field{kind: 242, collation: 63, flags: binFlag}, "\x00\x00\x80?", same, "bytes", `"AACAPw=="`},
		{"varbinary", field{kind: 253, collation: 63, flags: binFlag}, "\x00\xff", same, "bytes", `"AP8="`},
		{"blob", field{kind: 252, collation: 63, flags: binFlag | 0x10}, "", same, "bytes", `""`},
		{"varchar", field{kind: 253, collation: 255}, `a"é`, same, "string", `"a\"é"`},
		{"char with a binary collation", field{kind: 254, collation: 46, flags: binFlag}, "x", same, "string", `"x"`},
		{"text of MariaDB", field{kind: 252, collation: 2304, flags: 0x10}, "x", same, "string", `"x"`},
		{"long text", field{kind: 252, collation: 224, flags: 0x10}, longText, same, "string", `"` + longText + `"`},
		{"text of ASCII", field{kind: 253, collation: 11}, "x", same, "string", `"x"`},
		{"text that is no UTF-8", field{kind: 253, collation: 45}, "a\xffb", same, "string", `"a` + "\ufffd" + `b"`},
		{"enum", field{kind: 254, collation: 45, flags: enum}, "b,c", same, "enum", `"b,c"`},
		{"enum by its type", field{kind: 247, collation: 45}, "x", same, "enum", `"x"`},
		{"set", field{kind: 254, collation: 45, flags: set}, "x,z", same, "string", `"x,z"`},
		{"set by its type", field{kind: 248, collation: 45}, "", same, "string", `""`},
		{"enum of bytes", field{kind: 254, collation: 63, flags: enum | binFlag}, "\xff", same, "bytes", `"/w=="`},
		{"json of MySQL", field{kind: 245, collation: 63, flags: binFlag | 0x10}, `{"v": "açaí - привет"}`, same, "json", `{"v": "açaí - привет"}`},
		{"json text that is a string", field{kind: 245, collation: 63}, `"123"`, same, "json", `"123"`},
		{"json null", field{kind: 245, collation: 63}, `null`, same, "json", `null`},
		{"json of MariaDB", field{kind: 252, collation: 224, flags: 0x10, extended: "\x01\x04json"}, `{"a": 1.50}`, same, "json", `{"a": 1.50}`},
		{"json of MariaDB, bytes", field{kind: 253, collation: 63, extended: "\x00\x01x\x01\x04json"}, `[]`, same, "json", `[]`},
		{"uuid of MariaDB", field{kind: 254, collation: 33, flags: unsigned | binFlag, extended: "\x00\x04uuid"}, "123e4567-e89b-12d3-a456-426614174000", same, "uuid", `"123e4567-e89b-12d3-a456-426614174000"`},
		{"inet6 of MariaDB", field{kind: 254, collation: 33, flags: unsigned | binFlag, extended: "\x00\x05inet6"}, "::1", same, "string", `"::1"`},
		{"point of MariaDB", field{kind: 255, collation: 63, extended: "\x00\x05point"}, "\x00", same, "bytes", `"AA=="`},
		{"another format", field{kind: 253, collation: 45, extended: "\x01\x04text\x02\x04json"}, "{}", same, "string", `"{}"`},
		{"unknown type", field{kind: 200, collation: 45}, "what", same, "string", `"what"`},
		{"unknown type of bytes", field{kind: 200, collation: 63}, "what", same, "bytes", `"d2hhdA=="`},
		{"null of a null type", field{kind: 6, collation: 63}, "", "", "int", "null"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var inText, inBinary []byte
			bits := unhexOr(c.bits, same, text(c.text))
			switch c.label {
			case "int":
				if c.want == "null" {
					inText, inBinary = row(nil), []byte{0, 4}
					break
				}
				fallthrough
			default:
				inText = row(c.text)
				inBinary = append([]byte{0, 0}, bits...)
			}
			for format, r := range [][]byte{inText, inBinary} {
				want := c.want
				if want == "" { // the server rounds in text format
					want = []string{"3.40282e+38", "3.4028235e+38"}[format]
				}
				got, failed := wiretest.Serialize(newEngine(), one(c.field, uint32(format), r), engine.ShapeArray, 0, nil)
				document := `{"columns":["c"],"types":["` + c.label + `"],"rows":[[` + want + `]]}`
				if failed != nil || got != document {
					t.Errorf("format %d:\n got %.300s %v\nwant %.300s", format, got, failed, document)
				}
			}
		})
	}
}

func unhexOr(s, same string, text []byte) []byte {
	if s == same {
		return text
	}
	return unhex(s)
}

// TestNulls demands that the bits of nulls count, also in columns that are declared
// NOT NULL.
func TestNulls(t *testing.T) {
	for _, columns := range []int{1, 5, 6, 7, 13, 14, 15, 40} {
		notNull := field{kind: 8, collation: 63, flags: 1}
		payloads := [][]byte{{byte(columns)}}
		var names, types, all, odd []string
		bits := make([]byte, 1+(columns+9)/8)
		some := bytes.Clone(bits)
		for i := range columns {
			payloads = append(payloads, notNull.definition(fmt.Sprint(i), false))
			names = append(names, fmt.Sprintf(`"%d"`, i))
			types = append(types, `"bigint"`)
			all = append(all, "null")
			bits[1+(i+2)/8] |= 1 << ((i + 2) % 8)
			if i%2 == 1 {
				odd = append(odd, "null")
				some[1+(i+2)/8] |= 1 << ((i + 2) % 8)
			} else {
				odd = append(odd, fmt.Sprintf(`"%d"`, i))
			}
		}
		for i := 0; i < columns; i += 2 {
			some = binary.LittleEndian.AppendUint64(some, uint64(i))
		}
		stream := append(preface(0, 0, 1), packets(append(payloads, eof(2), bits, some, eof(2))...)...)
		got, failed := wiretest.Serialize(newEngine(), stream, engine.ShapeArray, 0, nil)
		want := `{"columns":[` + strings.Join(names, ",") + `],"types":[` + strings.Join(types, ",") + `],"rows":[[` +
			strings.Join(all, ",") + `],[` + strings.Join(odd, ",") + `]]}`
		if failed != nil || got != want {
			t.Errorf("%d columns:\n got %s %v\nwant %s", columns, got, failed, want)
		}
	}
}

// TestLongPayloads joins the packets of rows around 16 MiB, in both formats.
func TestLongPayloads(t *testing.T) {
	varchar := field{kind: 252, collation: 45}
	for _, n := range []int{0xffffff - 5, 0xffffff - 4, 0xffffff - 3, 0xffffff, 2*0xffffff - 9, 2*0xffffff + 7} {
		long := strings.Repeat("x", n-1) + "y"
		for format, row := range [][]byte{append(text(long), text("z")...), append(append([]byte{0, 0}, text(long)...), text("z")...)} {
			payloads := [][]byte{{2}, varchar.definition("a", true), varchar.definition("b", true), row, row, eof(2)}
			stream := append(preface(deprecateEOF, extendedMetadata, uint32(format)), packets(payloads...)...)
			got, failed := wiretest.Serialize(newEngine(), stream, engine.ShapeArray, 0, nil, 1<<20)
			want := `{"columns":["a","b"],"types":["string","string"],"rows":[["` + long + `","z"],["` + long + `","z"]]}`
			if failed != nil || got != want {
				t.Errorf("%d bytes, format %d: %d bytes, want %d; %v", n, format, len(got), len(want), failed)
			}
		}
	}
}

// TestFlow is about what surrounds rows: EOF and OK, several results, cursors.
func TestFlow(t *testing.T) {
	const cursor, lastRow, more = 0x40, 0x80, 8
	define := integer.definition("c", false)
	long := field{kind: 252, collation: 45}.definition("c", false)
	empty := `{"columns":[],"types":[],"rows":[]}`
	result := func(rows string) string { return `{"columns":["c"],"types":["int"],"rows":[` + rows + `]}` }
	seven := []byte{0, 0, 7, 0, 0, 0}
	for _, c := range []struct {
		name     string
		preface  []byte
		payloads [][]byte
		want     string
		failure  string
	}{
		{"EOF", preface(0, 0, 0), [][]byte{{1}, define, eof(2), row(1), row(2), eof(2)}, result("[1],[2]"), ""},
		{"EOF, no rows", preface(0, 0, 0), [][]byte{{1}, define, eof(2), eof(2)}, result(""), ""},
		{"OK", preface(deprecateEOF, 0, 0), [][]byte{{1}, define, row(1), ok(0xfe, 2)}, result("[1]"), ""},
		{"OK, no rows", preface(deprecateEOF, 0, 0), [][]byte{{1}, define, ok(0xfe, 2)}, result(""), ""},
		{"EOF at the end only", preface(deprecateEOF, 0, 0), [][]byte{{1}, define, row(1), eof(2)}, result("[1]"), ""},
		{"all capabilities but those that matter", preface(^uint32(deprecateEOF|optionalMetadata), ^uint32(extendedMetadata|cacheMetadata), 0), [][]byte{{1}, define, eof(2), row(1), eof(2)}, result("[1]"), ""},
		{"no result", preface(0, 0, 0), [][]byte{ok(0, 2)}, empty, ""},
		{"no results", preface(0, 0, 0), [][]byte{ok(0, 2|more), ok(0, 2)}, empty, ""},
		{"several", preface(0, 0, 0), [][]byte{ok(0, more), {1}, define, eof(more), row(1), eof(more), ok(0, more), ok(0, more), {1}, define, eof(0), row(2), eof(0)}, result("[1]") + wiretest.Separator + result("[2]"), ""},
		{"a call", preface(deprecateEOF, 0, 1), [][]byte{{1}, define, seven, ok(0xfe, more), {1}, define, seven, ok(0xfe, more), ok(0, 2)}, result("[7]") + wiretest.Separator + result("[7]"), ""},
		{"more announced that never comes", preface(0, 0, 0), [][]byte{{1}, define, eof(0), row(1), eof(more)}, result("[1]"), ""},
		{"definitions behind a byte", preface(optionalMetadata, 0, 0), [][]byte{{1, 1}, define, eof(0), row(1), eof(0)}, result("[1]"), ""},
		{"OK where a byte is before the column count", preface(optionalMetadata, 0, 0), [][]byte{ok(0, 0)}, empty, ""},
		{"definitions before a byte", preface(0, cacheMetadata, 0), [][]byte{{1, 1}, define, eof(0), row(1), eof(0)}, result("[1]"), ""},
		{"cursor", preface(0, 0, 1), [][]byte{{1}, define, eof(cursor), seven, seven, eof(cursor), seven, eof(lastRow)}, result("[7],[7],[7]"), ""},
		{"cursor, given up", preface(0, 0, 1), [][]byte{{1}, define, eof(cursor), seven, eof(cursor)}, result("[7]"), ""},
		{"cursor, nothing fetched", preface(0, 0, 1), [][]byte{{1}, define, eof(cursor)}, result(""), ""},
		{"cursor without EOF", preface(deprecateEOF, 0, 1), [][]byte{{1}, define, ok(0xfe, cursor), seven, ok(0xfe, cursor|lastRow)}, result("[7]"), ""},
		{"progress", preface(0, 0, 0), [][]byte{[]byte("\xff\xff\xff\x01\x01\x02\x00\x00\x00\x04step"), {1}, define, eof(2), row(1), []byte("\xff\xff\xff\x00"), eof(2)}, result("[1]"), ""},
		{"sequence of a long row", preface(0, 0, 0), [][]byte{{1}, long, eof(2), row(strings.Repeat("x", 70_000)), eof(2)},
			`{"columns":["c"],"types":["string"],"rows":[["` + strings.Repeat("x", 70_000) + `"]]}`, ""},

		{"nothing", nil, nil, "", "INPUT_UNFINISHED"},
		{"a preface", preface(0, 0, 0), nil, "", "INPUT_UNFINISHED"},
		{"a part of a preface", preface(0, 0, 0)[:11], nil, "", "INPUT_UNFINISHED"},
		{"no EOF", preface(0, 0, 0), [][]byte{{1}, define, eof(2), row(1)}, "", "INPUT_UNFINISHED"},
		{"no EOF after definitions", preface(0, 0, 0), [][]byte{{1}, define}, "", "INPUT_UNFINISHED"},
		{"cursor in the middle", preface(0, 0, 1), [][]byte{{1}, define, eof(cursor), seven}, "", "INPUT_UNFINISHED"},
		{"another format", preface(0, 0, 2), nil, "", "WIRE_INVALID: preface at byte 0: format 2"},
		{"beyond the end", preface(0, 0, 0), [][]byte{{1}, define, eof(2), row(1), eof(2), row(2)}, "", "WIRE_INVALID: response at byte 68 is not expected"},
		{"beyond OK", preface(0, 0, 0), [][]byte{ok(0, 2), ok(0, 2)}, "", "WIRE_INVALID: response at byte 28 is not expected"},
		{"a row where EOF is due", preface(0, 0, 0), [][]byte{{1}, define, row(1)}, "", "WIRE_INVALID: EOF after the column definitions at byte 44 is missing"},
		{"OK where EOF is due", preface(0, 0, 0), [][]byte{{1}, define, ok(0xfe, 0)}, "", "WIRE_INVALID: EOF after the column definitions at byte 44 is missing"},
		{"error", preface(0, 0, 0), [][]byte{[]byte("\xff\x7a\x04#42S02Table 'a.b' doesn't exist")}, "", "SERVER_ERROR: 1146 (42S02): Table 'a.b' doesn't exist"},
		{"error without SQLSTATE", preface(0, 0, 0), [][]byte{[]byte("\xff\x10\x04Too many connections")}, "", "SERVER_ERROR: 1040: Too many connections"},
		{"error after rows", preface(0, 0, 0), [][]byte{{1}, define, eof(2), row(1), []byte("\xff\x25\x05#70100Query execution was interrupted")}, "", "SERVER_ERROR: 1317 (70100): Query execution was interrupted"},
		{"error after a result", preface(0, 0, 0), [][]byte{{1}, define, eof(2), row(1), eof(more), []byte("\xff\x25\x05#70100x")}, "", "SERVER_ERROR: 1317 (70100): x"},
		{"error after EOF", preface(0, 0, 0), [][]byte{{1}, define, eof(2), row(1), eof(0), []byte("\xff\x25\x05#70100x")}, "", "WIRE_INVALID: response at byte 68 is not expected"},
		{"a short error", preface(0, 0, 0), [][]byte{{0xff, 1}}, "", "WIRE_INVALID: ERR at byte 12 is malformed"},
		{"LOCAL INFILE", preface(0, 0, 0), [][]byte{[]byte("\xfb/etc/passwd")}, "", "WIRE_INVALID: LOCAL INFILE request at byte 12 is not expected"},
		{"definitions left out, byte behind", preface(0, cacheMetadata, 0), [][]byte{{1, 0}}, "", "WIRE_INVALID: response at byte 12: the column definitions are left out"},
		{"definitions left out, byte before", preface(optionalMetadata, 0, 0), [][]byte{{0, 1}}, "", "WIRE_INVALID: response at byte 12: the column definitions are left out"},
		{"no byte about definitions", preface(0, cacheMetadata, 0), [][]byte{{1}}, "", "WIRE_INVALID: response at byte 12 is malformed"},
		{"no columns", preface(0, 0, 0), [][]byte{{0}}, "", "WIRE_INVALID: response at byte 12 is malformed"},
		{"too many columns", preface(0, 0, 0), [][]byte{{0xfd, 0, 0, 1}}, "", "WIRE_INVALID: response at byte 12 is malformed"},
		{"part of a column count", preface(0, 0, 0), [][]byte{{0xfc, 1}}, "", "WIRE_INVALID: response at byte 12 is malformed"},
		{"more than a column count", preface(0, 0, 0), [][]byte{{1, 1}}, "", "WIRE_INVALID: response at byte 12 is malformed"},
		{"an empty packet", preface(0, 0, 0), [][]byte{{}}, "", "WIRE_INVALID: response at byte 12 is empty"},
		{"an empty row", preface(0, 0, 0), [][]byte{{1}, define, eof(2), {}}, "", "WIRE_INVALID: row at byte 53 is empty"},
		{"a short definition", preface(0, 0, 0), [][]byte{{1}, define[:12]}, "", "WIRE_INVALID: column definition at byte 17 is malformed"},
		{"a definition with a short end", preface(0, 0, 0), [][]byte{{1}, []byte("\x03def\x00\x00\x00\x01c\x00\x05\x2d\x00\x00\x00\x00")}, "", "WIRE_INVALID: column definition at byte 17 is malformed"},
		{"a definition with a long name", preface(0, 0, 0), [][]byte{{1}, []byte("\x03def\x00\x00\x00\xfe\xff\xff\xff\xff\xff\xff\xff\xff")}, "", "WIRE_INVALID: column definition at byte 17 is malformed"},
		{"a long response", preface(0, 0, 0), [][]byte{bytes.Repeat([]byte{1}, 0xffffff)}, "", "WIRE_INVALID: response at byte 12: its length is 16777215"},
		{"a row that is too short", preface(0, 0, 0), [][]byte{{2}, define, define, eof(2), row(1)}, "", "WIRE_INVALID: row at byte 80 ends before cell 1"},
		{"a row that is too long", preface(0, 0, 0), [][]byte{{1}, define, eof(2), row(1, 2)}, "", "WIRE_INVALID: row at byte 53 has 2 bytes too many"},
		{"a null too many", preface(0, 0, 0), [][]byte{{1}, define, eof(2), row(1, nil)}, "", "WIRE_INVALID: row at byte 53 has 1 bytes too many"},
		{"a cell that is too long", preface(0, 0, 0), [][]byte{{1}, define, eof(2), {4, '1', '2', '3'}}, "", "WIRE_INVALID: row at byte 53: cell 0 is 4 bytes long, 3 are left"},
		{"a cell of 2^64 bytes", preface(0, 0, 0), [][]byte{{2}, define, define, eof(2), []byte("\x011\xfe\xff\xff\xff\xff\xff\xff\xff\xff")}, "", "WIRE_INVALID: row at byte 80: cell 1 is 18446744073709551615 bytes long, 0 are left"},
		{"a cell with part of a length", preface(0, 0, 0), [][]byte{{1}, define, eof(2), {0xfc, 1}}, "", "WIRE_INVALID: row at byte 53 ends before cell 0"},
		{"a binary row with another start", preface(0, 0, 1), [][]byte{{1}, define, eof(2), {1, 0, 7, 0, 0, 0}}, "", "WIRE_INVALID: row at byte 53 begins with 1"},
		{"a binary row without bits", preface(0, 0, 1), [][]byte{{1}, define, eof(2), {0}}, "", "WIRE_INVALID: row at byte 53 is too short"},
		{"a binary row without a number", preface(0, 0, 1), [][]byte{{1}, define, eof(2), {0, 0, 7, 0, 0}}, "", "WIRE_INVALID: row at byte 53: cell 0 is 4 bytes long, 3 are left"},
		{"a binary row with a surplus", preface(0, 0, 1), [][]byte{{1}, define, eof(2), {0, 0, 7, 0, 0, 0, 0}}, "", "WIRE_INVALID: row at byte 53 has 1 bytes too many"},
		{"a binary null with a surplus", preface(0, 0, 1), [][]byte{{1}, define, eof(2), {0, 4, 7}}, "", "WIRE_INVALID: row at byte 53 has 1 bytes too many"},
		{"EOF with a short OK", preface(0, 0, 0), [][]byte{{1}, define, eof(2), {0xfe, 0, 0}}, "", "WIRE_INVALID: row at byte 53 is malformed"},
	} {
		for _, piece := range []int{1 << 30, 1, 9} {
			if piece < 10 && len(c.payloads) > 0 && len(c.payloads[0]) > 1000 {
				continue
			}
			stream := append(bytes.Clone(c.preface), packets(c.payloads...)...)
			got, failed := wiretest.Serialize(newEngine(), stream, engine.ShapeArray, 0, nil, piece)
			failure := ""
			if failed != nil {
				got = strings.TrimSuffix(got, wiretest.Separator)
				failure = failed.Code.String()
				if failed.Found != "" {
					failure += ": " + failed.Found
				}
			}
			if got != c.want || failure != c.failure {
				t.Errorf("%s, pieces of %d:\n got %.300s %s\nwant %.300s %s", c.name, piece, got, failure, c.want, c.failure)
			}
		}
	}
}

// TestWrongTimes is about dates and times in binary format that are none.
func TestWrongTimes(t *testing.T) {
	for _, c := range []struct {
		kind byte
		bits string
	}{
		{12, "05 e807 02 1d 00"}, {12, "08 e807 02 1d 0c 22 38 00"}, {12, "0c e807 02 1d 0c 22 38 01000000 00"},
		{12, "04 1027 02 1d"}, {12, "04 e807 64 1d"}, {12, "04 e807 02 64"},
		{12, "07 e807 02 1d 64 22 38"}, {12, "07 e807 02 1d 0c 64 38"}, {12, "07 e807 02 1d 0c 22 64"},
		{12, "0b e807 02 1d 0c 22 38 40420f00"}, {10, "01 00"}, {7, "ff" + strings.Repeat("00", 255)},
		{11, "07 00 00000000 0c 22"}, {11, "0b 00 00000000 0c 22 38 000000"}, {11, "08 00 00000100 0c 22 38"},
		{11, "08 00 00000000 0c 64 38"}, {11, "08 00 00000000 0c 22 64"}, {11, "0c 00 00000000 0c 22 38 40420f00"},
	} {
		cell := unhex(c.bits)
		_, failed := wiretest.Serialize(newEngine(), one(field{kind: c.kind, collation: 63}, 1, append([]byte{0, 0}, cell...)), engine.ShapeArray, 0, nil)
		want := fmt.Sprintf("row at byte 45: cell 0 is no date or time of %d bytes", cell[0])
		if failed == nil || failed.Code != driveradapter.CodeWireInvalid || failed.Column != 0 || failed.Found != want {
			t.Errorf("%d, %s: %+v, want %q", c.kind, c.bits, failed, want)
		}
	}
	for bits, want := range map[string]string{"": "row at byte 45 ends before cell 0", "04 e807": "row at byte 45: cell 0 is 4 bytes long, 2 are left"} {
		_, failed := wiretest.Serialize(newEngine(), one(field{kind: 12, collation: 63}, 1, append([]byte{0, 0}, unhex(bits)...)), engine.ShapeArray, 0, nil)
		if failed == nil || failed.Found != want {
			t.Errorf("%q: %+v, want %q", bits, failed, want)
		}
	}
}

// TestCollations holds the collations whose text is taken against the lists of the
// servers: of MySQL 8.4 and MariaDB 11.8, by character set.
func TestCollations(t *testing.T) {
	readable := map[uint16]bool{0: true, 63: true, 11: true, 65: true, 33: true, 76: true, 83: true, 45: true, 46: true, 223: true}
	span := func(from, to uint16) {
		for i := from; i <= to; i++ {
			readable[i] = true
		}
	}
	span(192, 247)           // utf8mb3, then utf8mb4
	span(251, 1023)          // utf8mb4 from 255 to 323; the rest is free
	span(1024+192, 1024+247) // without padding
	span(1024+251, 2047)     //
	span(2048, 2559)         // utf8mb3 and utf8mb4, UCA 14.0.0
	span(3328, 4095)         // free
	for _, i := range []uint16{0, 11, 65, 33, 76, 83, 45, 46, 63} {
		readable[1024+i] = true
	}
	for i := uint16(0); i < 4096; i++ {
		_, failed := wiretest.Serialize(newEngine(), one(field{kind: 253, collation: i}, 0), engine.ShapeArray, 0, nil)
		if readable[i] != (failed == nil) {
			t.Errorf("%d: %v", i, failed)
		}
		if failed != nil && (failed.Code != driveradapter.CodeCharset || failed.Column != 0 || failed.Found != fmt.Sprintf("collation %d", i)) {
			t.Errorf("%d: %v", i, failed)
		}
	}
	// It is about text only.
	if got, failed := wiretest.Serialize(newEngine(), one(field{kind: 3, collation: 8}, 0, row(1)), engine.ShapeArray, 0, nil); failed != nil {
		t.Error(got, failed)
	}
}

// TestMemory reads many rows again and again: the module's collector never frees.
func TestMemory(t *testing.T) {
	for format, stream := range [][]byte{movies(1000, 0), movies(1000, 1)} {
		e := newEngine()
		run := func() { wiretest.Feed(e, stream, engine.ShapeArray, 64<<10) }
		run()
		if n := testing.AllocsPerRun(10, run); n > 0 {
			t.Errorf("format %d: %v allocations for 1,000 rows", format, n)
		}
	}
	// Names of columns, and the rows themselves, are within the limit.
	e := newEngine()
	e.Limit(1 << 20)
	name := strings.Repeat("x", 60_000)
	payloads := [][]byte{{0xfc, 0, 1}}
	for range 256 {
		payloads = append(payloads, integer.definition(name, false))
	}
	_, failed := wiretest.Serialize(e, append(preface(0, 0, 0), packets(payloads...)...), engine.ShapeArray, 0, nil, 50_000)
	if failed == nil || failed.Code != driveradapter.CodeMemoryLimit || failed.Found != "column definition at byte 1020495: the names of columns" {
		t.Errorf("names of 15 MB: %v", failed)
	}
	stream := append(preface(0, 0, 0), packets([]byte{1}, integer.definition("c", false), eof(2))...)
	stream = append(stream, 0xff, 0xff, 0xff, 9)
	_, failed = wiretest.Serialize(e, stream, engine.ShapeArray, 0, nil)
	if failed == nil || failed.Code != driveradapter.CodeMemoryLimit || failed.Found != "row at byte 53: its length is 16777215" {
		t.Errorf("a row of 16 MB: %v", failed)
	}
}

// movies are rows of a table as in the benchmarks: int, varchar, int, text.
func movies(rows int, format uint32) []byte {
	varchar := field{kind: 253, collation: 45}
	payloads := [][]byte{{4}, integer.definition("id", false), varchar.definition("title", false), integer.definition("year", false), varchar.definition("description", false), eof(2)}
	for i := range rows {
		title, year := fmt.Sprintf("The Movie Number %d", i), 1900+i%125
		plot := strings.Repeat("An ordinary sentence about a film, with a comma. ", 4)
		if format == 0 {
			payloads = append(payloads, row(i+1, title, year, plot))
			continue
		}
		b := binary.LittleEndian.AppendUint32([]byte{0, 0}, uint32(i+1))
		b = binary.LittleEndian.AppendUint32(append(b, text(title)...), uint32(year))
		payloads = append(payloads, append(b, text(plot)...))
	}
	return append(preface(0, 0, format), packets(append(payloads, eof(2))...)...)
}

// wide are rows of all kinds of types.
func wide(rows int, format uint32) []byte {
	n := func(kind byte, flags uint16, decimals byte) field {
		return field{kind: kind, collation: 63, flags: flags, decimals: decimals}
	}
	varchar := field{kind: 253, collation: 45}
	fields := []field{n(8, 0, 0), n(246, 0, 6), n(5, 0, 31), n(12, 0, 6), n(7, 0, 0), n(10, 0, 0), n(11, 0, 3), n(1, 0, 0),
		n(2, unsigned, 0), n(13, unsigned, 0), {kind: 245, collation: 63}, {kind: 254, collation: 45, flags: enum}, {kind: 252, collation: 63}, varchar, varchar, n(4, 0, 31)}
	payloads := [][]byte{{byte(len(fields))}}
	for i, f := range fields {
		payloads = append(payloads, f.definition(fmt.Sprintf("column%d", i), false))
	}
	payloads = append(payloads, eof(2))
	for i := range rows {
		d, blob := fmt.Sprintf("%d.%06d", i*1234, i%1000000), strings.Repeat(string(rune('a'+i%26)), 16)
		json, enum, t1, t2 := fmt.Sprintf(`{"x": %d, "y": [%d, null]}`, i, i), "medium", fmt.Sprintf("text %d", i), "é"
		day, second := 1+i%28, i%60
		if format == 0 {
			payloads = append(payloads, row(i+1, d, fmt.Sprint(float64(i)/7), fmt.Sprintf("2024-02-%02d 12:34:%02d.789012", day, second), fmt.Sprintf("2024-02-%02d 12:34:%02d", day, second),
				fmt.Sprintf("2024-02-%02d", day), fmt.Sprintf("12:34:%02d.500", second), i%2, i%65536, 1901+i%250, json, enum, blob, t1, t2, fmt.Sprint(float32(i%100)/4)))
			continue
		}
		le := binary.LittleEndian
		b := le.AppendUint64([]byte{0, 0, 0, 0}, uint64(i+1))
		b = le.AppendUint64(append(b, text(d)...), math.Float64bits(float64(i)/7))
		b = append(b, 11, 0xe8, 7, 2, byte(day), 12, 34, byte(second))
		b = le.AppendUint32(b, 789012)
		b = append(b, 7, 0xe8, 7, 2, byte(day), 12, 34, byte(second), 4, 0xe8, 7, 2, byte(day))
		b = le.AppendUint32(append(b, 12, 0, 0, 0, 0, 0, 12, 34, byte(second)), 500000)
		b = le.AppendUint16(append(b, byte(i%2)), uint16(i))
		b = le.AppendUint16(b, uint16(1901+i%250))
		for _, s := range []string{json, enum, blob, t1, t2} {
			b = append(b, text(s)...)
		}
		payloads = append(payloads, le.AppendUint32(b, math.Float32bits(float32(i%100)/4)))
	}
	return append(preface(0, 0, format), packets(append(payloads, eof(2))...)...)
}

// TestWide demands the same bytes of both formats, in all shapes.
func TestWide(t *testing.T) {
	for shape := uint32(0); shape <= engine.ShapeNDJSON; shape++ {
		inText, failed := wiretest.Serialize(newEngine(), wide(1000, 0), shape, 0, nil, 1000)
		if failed != nil {
			t.Fatal(failed)
		}
		inBinary, failed := wiretest.Serialize(newEngine(), wide(1000, 1), shape, 0, nil, 1000)
		if failed != nil || inText != inBinary {
			t.Errorf("shape %d: %v\n%.1000s\n%.1000s", shape, failed, inText, inBinary)
		}
	}
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

func BenchmarkRows(b *testing.B) {
	const rows = 50_000
	for format, name := range []string{"text", "binary"} {
		for table, stream := range map[string][]byte{"movies": movies(rows, uint32(format)), "wide": wide(rows, uint32(format))} {
			for shape, shapeName := range map[uint32]string{engine.ShapeArray: "array", engine.ShapeBatch: "batch"} {
				b.Run(table+"/"+name+"/"+shapeName, func(b *testing.B) { benchmark(b, stream, rows, shape) })
			}
		}
	}
}
