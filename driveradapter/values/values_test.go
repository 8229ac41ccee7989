package values_test

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/driveradapter/values"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"
)

type (
	status   int
	label    string
	flag     bool
	ratio    float32
	octets   []byte
	position struct{ X, Y int }
)

type mood int

func (m mood) String() string { return [...]string{"sad", "ok"}[m] }

type textual struct{ s string }

func (t textual) MarshalText() ([]byte, error) {
	if t.s == "" {
		return nil, errors.New("nothing to say")
	}
	return []byte("<" + t.s + ">"), nil
}

type valuer struct {
	v   driver.Value
	err error
}

func (v valuer) Value() (driver.Value, error) { return v.v, v.err }

// endless is a Valuer that returns itself.
type endless struct{}

func (e endless) Value() (driver.Value, error) { return e, nil }

type grumpy struct{}

func (*grumpy) String() string { panic("not today") }

type clock struct{ sec int64 }

func (c clock) Unix() int64   { return c.sec }
func (clock) Nanosecond() int { return 5 }

// ticks is an instant with so many nanoseconds.
type ticks int

func (ticks) Unix() int64       { return 0 }
func (t ticks) Nanosecond() int { return int(t) }

func ptr[T any](v T) *T { return &v }

func TestOf(t *testing.T) {
	at := time.Date(2024, 2, 29, 12, 34, 56, 789, time.FixedZone("", -5*3600))
	_, network, err := net.ParseCIDR("10.1.2.3/8")
	if err != nil {
		t.Fatal(err)
	}
	id := uuid.MustParse("0190163d-8694-739b-aea5-966c26f8ad91")
	huge, _ := new(big.Int).SetString("-123456789012345678901234567890", 10)

	for _, test := range []struct {
		name string
		v    any
		want any
	}{
		{"nil", nil, nil},
		{"bool", true, true},
		{"int", 7, 7},
		{"uint64", uint64(math.MaxUint64), uint64(math.MaxUint64)},
		{"float32", float32(0.1), float32(0.1)},
		{"string", "Ô\x00", "Ô\x00"},
		{"time", at, at},
		{"BigInt", driveradapter.BigInt("12"), driveradapter.BigInt("12")},
		{"JSONText", driveradapter.JSONText("[1]"), driveradapter.JSONText("[1]")},

		{"bytes", []byte{1, 2}, []byte{1, 2}},
		{"nil bytes", []byte(nil), nil},
		{"named bytes", octets{3}, []byte{3}},
		{"byte array", [3]byte{1, 2, 3}, []byte{1, 2, 3}},
		{"16 bytes", [16]byte{15: 9}, []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9}},

		{"nil *time.Time", (*time.Time)(nil), nil},
		{"*time.Time", &at, at},
		{"other instant", clock{-1}, time.Unix(-1, 5).UTC()},
		{"nil *string", (*string)(nil), nil},
		{"*string", ptr("a"), "a"},
		{"**int", ptr(ptr(4)), 4},
		{"nil map", map[string]int(nil), nil},
		{"nil slice", []int32(nil), nil},
		{"nil []string", []string(nil), nil},
		{"nil []any", []any(nil), nil},

		{"*big.Int", huge, driveradapter.BigInt("-123456789012345678901234567890")},
		{"nil *big.Int", (*big.Int)(nil), nil},
		{"big.Int", *big.NewInt(5), driveradapter.BigInt("5")},
		{"big.Rat exact", big.NewRat(-5, 4), "-1.25"},
		{"big.Rat whole", big.NewRat(6, 2), "3"},
		{"big.Rat endless", big.NewRat(1, 3), "1/3"},
		{"big.Float", big.NewFloat(0.1), "0.1"},
		{"big.Float huge", new(big.Float).SetMantExp(big.NewFloat(1), 1000), "1.0715086071862673e+301"},
		{"big.Float infinity", new(big.Float).SetInf(true), "-Infinity"},

		{"decimal keeps its scale", decimal.RequireFromString("1.1000"), "1.1000"},
		{"decimal whole", decimal.RequireFromString("-120"), "-120"},
		{"decimal zero", decimal.Decimal{}, "0"},
		{"decimal with positive exponent", decimal.New(12, 3), "12000"},
		{"decimal with huge exponent", decimal.New(12, 1_000_000_000), "12e1000000000"},
		{"decimal with tiny exponent", decimal.New(12, -1_000_000_000), "12e-1000000000"},
		{"*decimal", ptr(decimal.RequireFromString("0.10")), "0.10"},
		{"NullDecimal", decimal.NewNullDecimal(decimal.RequireFromString("2.50")), "2.50"},
		{"invalid NullDecimal", decimal.NullDecimal{}, nil},

		{"uuid", id, "0190163d-8694-739b-aea5-966c26f8ad91"},
		{"*uuid", &id, "0190163d-8694-739b-aea5-966c26f8ad91"},
		{"NullUUID", uuid.NullUUID{UUID: id, Valid: true}, "0190163d-8694-739b-aea5-966c26f8ad91"},
		{"invalid NullUUID", uuid.NullUUID{}, nil},

		{"RawMessage", json.RawMessage(`{"a":1.0}`), driveradapter.JSONText(`{"a":1.0}`)},
		{"nil RawMessage", json.RawMessage(nil), nil},
		{"json.Number", json.Number("1.50"), "1.50"},

		{"netip.Addr", netip.MustParseAddr("::1"), "::1"},
		{"zero netip.Addr", netip.Addr{}, nil},
		{"netip.Prefix", netip.MustParsePrefix("10.0.0.0/8"), "10.0.0.0/8"},
		{"zero netip.Prefix", netip.Prefix{}, nil},
		{"netip.AddrPort", netip.MustParseAddrPort("[::1]:80"), "[::1]:80"},
		{"zero netip.AddrPort", netip.AddrPort{}, nil},
		{"net.IP", net.IPv4(127, 0, 0, 1), "127.0.0.1"},
		{"nil net.IP", net.IP(nil), nil},
		{"*net.IPNet", network, "10.0.0.0/8"},
		{"net.IPNet", *network, "10.0.0.0/8"},
		{"zero net.IPNet", net.IPNet{}, nil},
		{"HardwareAddr", net.HardwareAddr{0, 1, 2, 3, 4, 0xff}, "00:01:02:03:04:ff"},
		{"nil HardwareAddr", net.HardwareAddr(nil), nil},

		{"NullString", sql.NullString{String: "x", Valid: true}, "x"},
		{"invalid NullString", sql.NullString{}, nil},
		{"NullInt32", sql.NullInt32{Int32: 4, Valid: true}, int64(4)},
		{"NullByte", sql.NullByte{Byte: 4, Valid: true}, int64(4)},
		{"NullFloat64", sql.NullFloat64{Float64: 0.5, Valid: true}, 0.5},
		{"NullBool", sql.NullBool{Bool: true, Valid: true}, true},
		{"NullTime", sql.NullTime{Time: at, Valid: true}, at},
		{"Null of a decimal", sql.Null[decimal.Decimal]{V: decimal.RequireFromString("3.0"), Valid: true}, "3.0"},
		{"invalid Null of a decimal", sql.Null[decimal.Decimal]{}, nil},
		{"*Null of a decimal", &sql.Null[decimal.Decimal]{V: decimal.RequireFromString("3.0"), Valid: true}, "3.0"},
		{"Valuer", valuer{v: json.RawMessage("{}")}, driveradapter.JSONText("{}")},
		{"nil *Valuer", (*valuer)(nil), nil},

		{"error", errors.New("bad"), "bad"},
		{"Stringer", mood(1), "ok"},
		{"Stringer by pointer", &url.URL{Scheme: "http", Host: "h"}, "http://h"},
		{"Duration", 90 * time.Second, "1m30s"},
		{"TextMarshaler", textual{"a"}, "<a>"},

		{"named int", status(3), int64(3)},
		{"named string", label("l"), "l"},
		{"named bool", flag(true), true},
		{"named float32", ratio(0.1), float32(0.1)},
		{"complex", complex(1, -2), "(1-2i)"},

		{"[]string", []string{"a"}, []string{"a"}},
		{"[]int32", []int32{1, 2}, []any{int32(1), int32(2)}},
		{"[][]int32", [][]int32{{1}, nil}, []any{[]any{int32(1)}, nil}},
		{"[]*string", []*string{ptr("a"), nil}, []any{"a", nil}},
		{"[]decimal", []decimal.Decimal{decimal.RequireFromString("1.0")}, []any{"1.0"}},
		{"array", [2]status{1, 2}, []any{int64(1), int64(2)}},
		{"[]any", []any{mood(0), 1, nil}, []any{"sad", 1, nil}},
		{"empty slice", []status{}, []any{}},
		{"Object", driveradapter.Object{{Key: "k", Value: mood(1)}}, driveradapter.Object{{Key: "k", Value: "ok"}}},

		{"map", map[string]any{"b": 1, "a": []int{2}}, driveradapter.JSONText(`{"a":[2],"b":1}`)},
		{"struct", position{1, 2}, driveradapter.JSONText(`{"X":1,"Y":2}`)},
		{"*struct", &position{1, 2}, driveradapter.JSONText(`{"X":1,"Y":2}`)},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := values.Of(test.v)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %T %v, want %T %v", got, got, test.want, test.want)
			}
		})
	}
}

func TestOfErrors(t *testing.T) {
	cycle := make([]any, 1)
	cycle[0] = cycle
	for _, test := range []struct {
		name string
		v    any
		want string
	}{
		{"panics", &grumpy{}, "a *values_test.grumpy whose method panicked: not today"},
		{"panics inside a list", []any{1, mood(9)}, "a []interface {} whose method panicked: runtime error: index out of range [9] with length 2"},
		{"map that is no JSON", map[string]float64{"a": math.Inf(1)}, "a map[string]float64 that JSON can't hold: json: unsupported value: +Inf"},
		{"Value fails", valuer{err: errors.New("no")}, "a values_test.valuer whose Value method failed: no"},
		{"MarshalText fails", textual{}, "a values_test.textual whose MarshalText method failed: nothing to say"},
		{"returns itself", endless{}, "a value nested deeper than 1000 levels, or one that contains itself"},
		{"contains itself", cycle, "a value nested deeper than 1000 levels, or one that contains itself"},
		{"nanoseconds that are no part of a second", ticks(-1), "a values_test.ticks whose Nanosecond method returned -1"},
		{"and more", []any{ticks(1e9)}, "a values_test.ticks whose Nanosecond method returned 1000000000"},
		{"function", func() {}, "a func(), which is no data"},
		{"channel", make(chan int), "a chan int, which is no data"},
	} {
		t.Run(test.name, func(t *testing.T) {
			cell, err := values.Of(test.v)
			if err == nil || err.Error() != test.want {
				t.Errorf("got %v, error %v, want the error %s", cell, err, test.want)
			}
		})
	}
}

func TestRow(t *testing.T) {
	row := []any{decimal.RequireFromString("1.50"), mood(0), nil}
	if err := values.Row(row); err != nil {
		t.Fatal(err)
	}
	if want := []any{"1.50", "sad", nil}; !reflect.DeepEqual(row, want) {
		t.Errorf("got %v, want %v", row, want)
	}
	err := values.Row([]any{1, func() {}})
	if err == nil || !strings.HasPrefix(err.Error(), "column 1: a func()") {
		t.Errorf("got the error %v", err)
	}
}

// TestDecimalText checks against the digits that a decimal was made from.
func TestDecimalText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		coefficient := rapid.Int64().Draw(t, "coefficient")
		scale := rapid.IntRange(0, 40).Draw(t, "scale")
		cell, err := values.Of(decimal.New(coefficient, int32(-scale)))
		if err != nil {
			t.Fatal(err)
		}
		digits := fmt.Sprintf("%0*d", scale+1, new(big.Int).Abs(big.NewInt(coefficient)))
		want := digits[:len(digits)-scale]
		if scale > 0 {
			want += "." + digits[len(digits)-scale:]
		}
		if coefficient < 0 {
			want = "-" + want
		}
		if cell != want {
			t.Errorf("got %v, want %s", cell, want)
		}
	})
}

func ExampleOf() {
	price := decimal.RequireFromString("1.10")
	for _, v := range []any{price, uuid.Nil, sql.NullString{}, netip.MustParsePrefix("10.0.0.0/8")} {
		cell, err := values.Of(v)
		fmt.Println(cell, err)
	}
	// Output:
	// 1.10 <nil>
	// 00000000-0000-0000-0000-000000000000 <nil>
	// <nil> <nil>
	// 10.0.0.0/8 <nil>
}
