package host_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/uuid"
	"github.com/rowjet/rowjet/driveradapter"
	"github.com/shopspring/decimal"
)

// asDocumented has, for each row of the table in docs/go.md, values with the type of
// their column and what they become; no JSON is an error.
var asDocumented = map[string][]struct {
	typ  driveradapter.ColumnType
	v    any
	json string
}{
	"nil, a nil pointer, slice or map (but not a nil `Object`), an invalid `sql.Null*`": {
		{driveradapter.Int32, nil, `null`},
		{driveradapter.Int32, (*int)(nil), `null`},
		{driveradapter.DateTime, (*time.Time)(nil), `null`},
		{driveradapter.Bytes, []byte(nil), `null`},
		{driveradapter.JSON, json.RawMessage(nil), `null`},
		{driveradapter.TextArray, []string(nil), `null`},
		{driveradapter.TextArray, []any(nil), `null`},
		{driveradapter.Int32Array, []int16(nil), `null`},
		{driveradapter.JSON, map[string]int(nil), `null`},
		{driveradapter.JSON, driveradapter.Object(nil), `{}`},
		{driveradapter.Text, sql.NullString{}, `null`},
		{driveradapter.Text, sql.Null[string]{}, `null`},
	},
	"`bool` and the numeric types": {
		{driveradapter.Boolean, true, `true`},
		{driveradapter.Int32, int8(-5), `-5`},
		{driveradapter.Int64, uint64(math.MaxUint64), `"18446744073709551615"`},
		{driveradapter.Float, float32(0.1), `0.1`},
		{driveradapter.Double, float32(0.1), `0.1`},
		{driveradapter.Double, 0.30000000000000004, `0.30000000000000004`},
		{driveradapter.Text, 7, `"7"`},
		{driveradapter.Int32, enumerated(3), `3`},
	},
	"`string`": {
		{driveradapter.Text, "a\"b", `"a\"b"`},
		{driveradapter.Int64, "12", `"12"`},
		{driveradapter.Text, label("n"), `"n"`},
	},
	"`[]byte`, `[N]byte`": {
		{driveradapter.Bytes, []byte{0, 255}, `"AP8="`},
		{driveradapter.Bytes, [2]byte{0, 255}, `"AP8="`},
		{driveradapter.Bytes, []byte{}, `""`},
		{driveradapter.UUID, [16]byte{15: 1}, `"00000000-0000-0000-0000-000000000001"`},
		{driveradapter.UUID, make([]byte, 16), `"00000000-0000-0000-0000-000000000000"`},
		{driveradapter.Text, []byte("text"), `"text"`},
	},
	"`time.Time` and what has `Unix` and `Nanosecond`": {
		{driveradapter.DateTime, evening, `"2024-02-29T04:30:00+00:00"`},
		{driveradapter.Date, evening, `"2024-02-28"`},
		{driveradapter.Time, evening, `"23:30:00"`},
		{driveradapter.DateArray, []time.Time{evening}, `["2024-02-28"]`},
		{driveradapter.DateTime, instant{}, `"1970-01-01T00:00:01.000000002+00:00"`},
		{driveradapter.Date, &evening, `"2024-02-28"`},
	},
	"`driveradapter.BigInt`, `JSONText`, `Object`": {
		{driveradapter.Int64, driveradapter.BigInt("-123456789012345678901"), `"-123456789012345678901"`},
		{driveradapter.JSON, driveradapter.JSONText(`{"a": 1.0}`), `{"a": 1.0}`},
		{driveradapter.JSON, driveradapter.Object{{Key: "b", Value: 1}, {Key: "a", Value: nil}}, `{"b":1,"a":null}`},
	},
	"`big.Int`, `big.Rat`, `big.Float`": {
		{driveradapter.Int64, *big.NewInt(5), `"5"`},
		{driveradapter.Numeric, big.NewInt(5), `"5"`},
		{driveradapter.Numeric, big.NewRat(-5, 4), `"-1.25"`},
		{driveradapter.Text, big.NewRat(1, 3), `"1/3"`},
		{driveradapter.Numeric, big.NewFloat(0.1), `"0.1"`},
	},
	"`decimal.Decimal`": {
		{driveradapter.Numeric, decimal.RequireFromString("1.10"), `"1.10"`},
		{driveradapter.Text, decimal.RequireFromString("1.10"), `"1.10"`},
	},
	"`uuid.UUID`": {
		{driveradapter.UUID, uuid.UUID{15: 1}, `"00000000-0000-0000-0000-000000000001"`},
		{driveradapter.Text, uuid.UUID{15: 1}, `"00000000-0000-0000-0000-000000000001"`},
	},
	"`json.RawMessage`, `json.Number`": {
		{driveradapter.JSON, json.RawMessage(`[1, 2]`), `[1, 2]`},
		{driveradapter.Numeric, json.Number("1.50"), `"1.50"`},
	},
	"`netip.Addr`, `Prefix`, `AddrPort`, `net.IP`, `IPNet`, `HardwareAddr`": {
		{driveradapter.Text, netip.MustParseAddr("::1"), `"::1"`},
		{driveradapter.Text, netip.MustParsePrefix("10.0.0.0/8"), `"10.0.0.0/8"`},
		{driveradapter.Text, netip.AddrPort{}, `null`},
		{driveradapter.Text, net.IPv4(127, 0, 0, 1), `"127.0.0.1"`},
		{driveradapter.Text, net.IPNet{IP: net.IP{10, 0, 0, 0}, Mask: net.IPMask{255, 0, 0, 0}}, `"10.0.0.0/8"`},
		{driveradapter.Text, net.HardwareAddr{0, 1, 2, 3, 4, 5}, `"00:01:02:03:04:05"`},
	},
	"`driver.Valuer`: `sql.Null*`, `decimal.NullDecimal`, `pgtype.Numeric` …": {
		{driveradapter.Text, sql.NullString{String: "x", Valid: true}, `"x"`},
		{driveradapter.Int32, sql.NullInt32{Int32: 4, Valid: true}, `4`},
		{driveradapter.Numeric, decimal.NewNullDecimal(decimal.RequireFromString("2.50")), `"2.50"`},
		{driveradapter.Date, sql.NullTime{Time: evening, Valid: true}, `"2024-02-28"`},
	},
	"`error`, `fmt.Stringer`, `encoding.TextMarshaler`": {
		{driveradapter.Text, errors.New("bad"), `"bad"`},
		{driveradapter.Text, 90 * time.Second, `"1m30s"`},
		{driveradapter.Text, &url.URL{Scheme: "http", Host: "h"}, `"http://h"`},
		{driveradapter.Text, marshaled{}, `"m"`},
	},
	"slices and arrays": {
		{driveradapter.TextArray, []string{"a", `"`}, `["a","\""]`},
		{driveradapter.Int32Array, [2]int16{1, 2}, `[1,2]`},
		{driveradapter.Int64Array, [][]int{{1}, nil}, `[["1"],null]`},
		{driveradapter.NumericArray, []decimal.Decimal{decimal.RequireFromString("1.0")}, `["1.0"]`},
		{driveradapter.TextArray, []string{}, `[]`},
	},
	"maps and structs": {
		{driveradapter.JSON, map[string]int{"b": 1, "a": 2}, `{"a":2,"b":1}`},
		{driveradapter.JSON, struct {
			X int `json:"x"`
		}{1}, `{"x":1}`},
	},
	"functions, channels, unsafe pointers": {
		{driveradapter.Text, func() {}, ``},
		{driveradapter.Text, make(chan int), ``},
		{driveradapter.Text, unsafe.Pointer(&evening), ``},
	},
}

type (
	enumerated uint8
	label      string
	marshaled  struct{}
	instant    struct{}
)

func (marshaled) MarshalText() ([]byte, error) { return []byte("m"), nil }

func (instant) Unix() int64     { return 1 }
func (instant) Nanosecond() int { return 2 }

var evening = time.Date(2024, 2, 28, 23, 30, 0, 0, time.FixedZone("", -5*3600))

// TestDocumentedValues checks the table of docs/go.md, row by row.
func TestDocumentedValues(t *testing.T) {
	page, err := os.ReadFile("../docs/go.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Accepted Go values\n")
	section, _, _ = strings.Cut(section, "\n## ")
	engine := newEngine(t, driveradapter.Postgres)
	rows := 0
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "| Go type") {
			continue
		}
		rows++
		row := strings.TrimSpace(cells[1])
		if len(asDocumented[row]) == 0 {
			t.Errorf("there are no values for the row %q", row)
		}
		for _, test := range asDocumented[row] {
			out, err := engine.Serialize(ctx, driveradapter.ResultSet{
				ColumnNames: []string{"c"}, ColumnTypes: []driveradapter.ColumnType{test.typ}, Rows: [][]any{{test.v}},
			})
			want := `{"columns":["c"],"types":["` + test.typ.Label() + `"],"rows":[[` + test.json + `]]}`
			switch {
			case test.json == "":
				if !errors.Is(err, driveradapter.CodeValueUnsupported) {
					t.Errorf("%T in a column of %s: got %s, error %v, want VALUE_UNSUPPORTED", test.v, test.typ.Label(), out, err)
				}
			case err != nil || string(out) != want:
				t.Errorf("%T in a column of %s: got %s, error %v, want %s", test.v, test.typ.Label(), out, err, want)
			}
		}
	}
	if rows != len(asDocumented) {
		t.Errorf("the page has %d rows, %d are tested", rows, len(asDocumented))
	}
}
