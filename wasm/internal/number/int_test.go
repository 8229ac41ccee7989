package number

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAppendInt(t *testing.T) {
	check := func(v int64) {
		t.Helper()
		want := "[" + strconv.FormatInt(v, 10)
		if got := string(AppendInt([]byte("["), v)); got != want {
			t.Errorf("AppendInt(%d) = %q, want %q", v, got, want)
		}
	}
	for v := int64(-100_001); v <= 100_001; v++ {
		check(v)
	}
	for n := range 63 {
		for d := int64(-3); d <= 3; d++ {
			check(1<<n + d)
			check(-1<<n - d)
		}
	}
	for p := int64(1); p <= 1e18; p *= 10 {
		for d := int64(-2); d <= 2; d++ {
			check(p + d)
			check(-p - d)
			check(p*9 + d)
		}
		if p == 1e18 {
			break
		}
	}
	check(math.MaxInt64)
	check(math.MinInt64)
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Int64().Draw(t, "v")
		if got, want := string(AppendInt(nil, v)), strconv.FormatInt(v, 10); got != want {
			t.Fatalf("AppendInt(%d) = %q", v, got)
		}
	})
}

func TestAppendUint(t *testing.T) {
	for _, v := range []uint64{0, 9, 10, 99_999_999, 100_000_000, 1<<63 - 1, 1 << 63, 1e16 - 1, 1e16, 1e19 - 1, 1e19, math.MaxUint64} {
		if got, want := string(AppendUint(nil, v)), strconv.FormatUint(v, 10); got != want {
			t.Errorf("AppendUint(%d) = %q", v, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Uint64().Draw(t, "v")
		if got, want := string(AppendUint(nil, v)), strconv.FormatUint(v, 10); got != want {
			t.Fatalf("AppendUint(%d) = %q", v, got)
		}
	})
}

// TestAppendKeepsContent looks for writes before the end of the given slice, and for allocation where there is room.
func TestAppendKeepsContent(t *testing.T) {
	integer, decimal, refused := []byte("-0017"), []byte("-.5e1"), []byte("1,2")
	for _, c := range []struct {
		name string
		f    func([]byte) []byte
		want string
	}{
		{"AppendInt", func(b []byte) []byte { return AppendInt(b, math.MinInt64) }, "-9223372036854775808"},
		{"AppendUint", func(b []byte) []byte { return AppendUint(b, math.MaxUint64) }, "18446744073709551615"},
		{"AppendFloat64", func(b []byte) []byte { return AppendFloat64(b, -1.2345678901234567e-5) }, "-0.000012345678901234568"},
		{"AppendFloat32", func(b []byte) []byte { return AppendFloat32(b, -1.17549435e-38) }, "-1.1754944e-38"},
		{"AppendInteger", func(b []byte) []byte { b, _ = AppendInteger(b, integer); return b }, "-17"},
		{"AppendDecimal", func(b []byte) []byte { b, _ = AppendDecimal(b, decimal); return b }, "-5"},
		{"AppendDecimal refused", func(b []byte) []byte { b, _ = AppendDecimal(b, refused); return b }, ""},
	} {
		for capacity := 3; capacity < 100; capacity++ {
			got := c.f(append(make([]byte, 0, capacity), "abc"...))
			if string(got) != "abc"+c.want {
				t.Errorf("%s with capacity %d = %q, want %q", c.name, capacity, got, "abc"+c.want)
			}
		}
		roomy := make([]byte, 0, 2000)
		if n := testing.AllocsPerRun(100, func() { c.f(roomy) }); n != 0 {
			t.Errorf("%s allocates %v times", c.name, n)
		}
	}
}

var integerTexts = []struct {
	in, canonical string // canonical is "" for what is no integer.
}{
	{"0", "0"}, {"7", "7"}, {"-7", "-7"}, {"+7", "7"}, {"007", "7"}, {"-007", "-7"}, {"+007", "7"},
	{"-0", "0"}, {"+0", "0"}, {"000", "0"}, {"-000", "0"}, {"10", "10"}, {"0010", "10"},
	{"2147483647", "2147483647"}, {"-2147483648", "-2147483648"},
	{"9223372036854775807", "9223372036854775807"}, {"-9223372036854775808", "-9223372036854775808"},
	{"0000000000000000000000000000009223372036854775807", "9223372036854775807"},
	{"9223372036854775808", "9223372036854775808"}, {"-9223372036854775809", "-9223372036854775809"},
	{"9223372036854775810", "9223372036854775810"}, {"18446744073709551615", "18446744073709551615"},
	{"18446744073709551616", "18446744073709551616"}, {"92233720368547758070", "92233720368547758070"},
	{"-0000123456789012345678901234567890", "-123456789012345678901234567890"},
	{"", ""}, {"-", ""}, {"+", ""}, {"--1", ""}, {"+-1", ""}, {" 7", ""}, {"7 ", ""}, {"1.0", ""}, {"1e3", ""},
	{"1_000", ""}, {"1,000", ""}, {"0x10", ""}, {"abc", ""}, {"٣", ""}, {"1-", ""}, {"/", ""}, {":", ""},
	{"9223372036854775807x", ""}, {"99999999999999999999x", ""}, {"\xff", ""},
}

func TestParseInt(t *testing.T) {
	for _, c := range integerTexts {
		want, err := strconv.ParseInt(c.canonical, 10, 64)
		got, ok := ParseInt([]byte(c.in))
		if ok != (err == nil) || ok && got != want {
			t.Errorf("ParseInt(%q) = %d, %v", c.in, got, ok)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringMatching(`[+-]?[0-9]{1,25}`),
			rapid.StringMatching(`[+-]?922337203685477[0-9]{4}`),
			rapid.StringMatching(`[-+ 0-9.e_]{0,5}`),
		).Draw(t, "text")
		want, err := strconv.ParseInt(text, 10, 64)
		got, ok := ParseInt([]byte(text))
		if ok != (err == nil) || ok && got != want {
			t.Fatalf("ParseInt(%q) = %d, %v, want %d, %v", text, got, ok, want, err)
		}
	})
}

func TestAppendInteger(t *testing.T) {
	for _, c := range integerTexts {
		got, ok := AppendInteger([]byte("["), []byte(c.in))
		if want := "[" + c.canonical; string(got) != want || ok != (c.canonical != "") {
			t.Errorf("AppendInteger(%q) = %q, %v, want %q", c.in, got, ok, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[+-]?0{0,3}[0-9]{0,60}`).Draw(t, "text")
		want, valid := new(big.Int).SetString(text, 10)
		got, ok := AppendInteger(nil, []byte(text))
		if ok != valid || ok && string(got) != want.String() {
			t.Fatalf("AppendInteger(%q) = %q, %v", text, got, ok)
		}
	})
	long := strings.Repeat("1234567890", 10_000)
	if got, ok := AppendInteger(nil, []byte("+000"+long)); !ok || string(got) != long {
		t.Errorf("AppendInteger of %d digits = %d bytes, %v", len(long), len(got), ok)
	}
}
