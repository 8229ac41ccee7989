package number

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What a PostgreSQL 15 server prints.
func TestAppendPostgres(t *testing.T) {
	for _, c := range []struct {
		f    float64
		want string
	}{
		{0, "0"}, {math.Copysign(0, -1), "-0"}, {1, "1"}, {-1.5, "-1.5"}, {0.1, "0.1"}, {100, "100"},
		{1e14, "100000000000000"}, {1e15, "1e+15"}, {-123456789012345678, "-1.2345678901234568e+17"},
		{0.0001, "0.0001"}, {0.00001, "1e-05"}, {1.5e-7, "1.5e-07"}, {1e-300, "1e-300"},
		{1e23, "9.999999999999999e+22"}, {9007199254740993, "9.007199254740992e+15"}, {1 << 60, "1.152921504606847e+18"},
		{5e-324, "5e-324"}, {math.MaxFloat64, "1.7976931348623157e+308"}, {9.5367431640625e-07, "9.5367431640625e-07"},
		{math.NaN(), "NaN"}, {math.Inf(1), "Infinity"}, {math.Inf(-1), "-Infinity"},
	} {
		if got := string(AppendPostgres64([]byte("x"), c.f)); got != "x"+c.want {
			t.Errorf("%v: %s, want %s", c.f, got[1:], c.want)
		}
	}
	for _, c := range []struct {
		f    float32
		want string
	}{
		{0.1, "0.1"}, {123456, "123456"}, {1e6, "1e+06"}, {1e-5, "1e-05"}, {16777216, "1.6777216e+07"}, {8388608, "8.388608e+06"},
		{33554432, "3.3554432e+07"}, {1e-45, "1e-45"}, {1.17549435e-38, "1.1754944e-38"}, {math.MaxFloat32, "3.4028235e+38"}, {-0.5, "-0.5"},
		{float32(math.Inf(-1)), "-Infinity"}, {float32(math.NaN()), "NaN"},
	} {
		if got := string(AppendPostgres32(nil, c.f)); got != c.want {
			t.Errorf("float4 %v: %s, want %s", c.f, got, c.want)
		}
	}
}

// Strictly inside of the interval that rounds to f there is either the shortest
// text of all, or, where that is half-way to a neighbour, one with more digits.
func TestAppendPostgresIsShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		if rapid.Bool().Draw(t, "whole") {
			f = float64(rapid.Uint64().Draw(t, "f"))
		}
		if f == 0 || math.IsNaN(f) || math.IsInf(f, 0) {
			return
		}
		text := string(AppendPostgres64(nil, f))
		if back, err := strconv.ParseFloat(text, 64); err != nil || back != f {
			t.Fatalf("%s is %v, not %v", text, back, f)
		}
		shortest := strconv.FormatFloat(f, 'e', -1, 64)
		digits := func(s string) int {
			s, _, _ = strings.Cut(strings.TrimPrefix(s, "-"), "e")
			return len(strings.Trim(strings.ReplaceAll(s, ".", ""), "0"))
		}
		exponent, _ := strconv.Atoi(shortest[strings.IndexByte(shortest, 'e')+1:])
		if plain := exponent >= -4 && exponent < 15; plain == strings.Contains(text, "e") {
			t.Fatalf("%s has the wrong notation", text)
		}
		if digits(text) < digits(shortest) {
			t.Fatalf("%s has fewer digits than %s", text, shortest)
		}
		if digits(text) > digits(shortest) && math.Abs(f) > 1e-5 && math.Abs(f) < 1<<53 && f == math.Trunc(f) {
			t.Fatalf("%s has more digits than %s", text, shortest)
		}
	})
}
