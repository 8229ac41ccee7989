package number

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"
)

var decimalTexts = []struct {
	in, want string // want is "" for what is refused.
}{
	// Verbatim.
	{"0", "0"}, {"1", "1"}, {"-1", "-1"}, {"100", "100"}, {"1000000", "1000000"}, {"1.0", "1.0"}, {"1.1000", "1.1000"},
	{"-1.5", "-1.5"}, {"0.00", "0.00"}, {"0.0000001", "0.0000001"}, {"-0.001", "-0.001"}, {"10.50", "10.50"},
	{"1.500000000000000000000000000000", "1.500000000000000000000000000000"},
	{"999999999999999999999999999999999999.999999999999999999", "999999999999999999999999999999999999.999999999999999999"},
	{"12345678901234567890123456789012345678901234567890.123456789012345678901234567890", "12345678901234567890123456789012345678901234567890.123456789012345678901234567890"},
	// Spelling.
	{"+1.5", "1.5"}, {".5", "0.5"}, {"5.", "5"}, {"-5.", "-5"}, {"00012.5", "12.5"}, {"-00012.50", "-12.50"}, {"-.5", "-0.5"}, {"+.5", "0.5"},
	{"007", "7"}, {"000", "0"}, {"00.00", "0.00"}, {"-0", "0"}, {"+0", "0"}, {"-0.00", "0.00"}, {"-.0", "0.0"}, {"-00.0", "0.0"}, {"0.", "0"}, {"-0.", "0"},
	{"-0.50", "-0.50"}, {"-0.0001", "-0.0001"}, {"+000.100", "0.100"},
	// Underscores.
	{"1_000", "1000"}, {"1_2_3.4_5", "123.45"}, {"-1_0e1_0", ""}, {"1_0e2", "1000"}, {"0_0", "0"}, {"-0_1", "-1"},
	{"_1", ""}, {"1_", ""}, {"1__0", ""}, {"1_.5", ""}, {"1._5", ""}, {"1.5_", ""}, {"1_e5", ""}, {"1e_5", ""}, {"-_1", ""}, {"_", ""}, {"1,000_0.5", ""},
	// Exponents.
	{"1e3", "1000"}, {"1E3", "1000"}, {"1e+3", "1000"}, {"1.e3", "1000"}, {"1.50e1", "15.0"}, {"1.50e2", "150"}, {"1.50e3", "1500"}, {"1e-5", "0.00001"},
	{"-1e-3", "-0.001"}, {"1.5e-10", "0.00000000015"}, {"12.34e-1", "1.234"}, {"12.34e-2", "0.1234"}, {"12.34e-3", "0.01234"}, {"12.34e1", "123.4"},
	{"1.5e0", "1.5"}, {"1.50E-0", "1.50"}, {"1.5e+000", "1.5"}, {".5e1", "5"}, {".5e0", "0.5"}, {"0.05e1", "0.5"}, {"0.05e3", "50"}, {"00.0120e2", "1.20"}, {"+1e1", "10"}, {"001e1", "10"},
	{"1e30", "1000000000000000000000000000000"}, {"1e-30", "0.000000000000000000000000000001"}, {"1e003", "1000"}, {"100e-2", "1.00"}, {"100e-3", "0.100"}, {"0100e-3", "0.100"},
	{"0e5", "0"}, {"0.00e5", "0"}, {"0.00e1", "0.0"}, {"0.00e2", "0"}, {"0e-3", "0.000"}, {"-0e-3", "0.000"}, {"-0.0e5", "0"}, {".0e-1", "0.00"}, {"000e1", "0"},
	{"5e-324", "0." + strings.Repeat("0", 323) + "5"}, {"1.7976931348623157e+308", "17976931348623157" + strings.Repeat("0", 292)},
	// Where exponents stay.
	{"1e998", "1" + strings.Repeat("0", 998)}, {"1e999", "1e999"}, {"-1e998", "-1" + strings.Repeat("0", 998)}, {"-1E+0999", "-1e999"},
	{"1e-998", "0." + strings.Repeat("0", 997) + "1"}, {"1e-999", "1e-999"}, {"1.5e997", "15" + strings.Repeat("0", 996)}, {"1.5e998", "15" + strings.Repeat("0", 997)}, {"1.5e999", "1.5e999"},
	{"0001e998", "1" + strings.Repeat("0", 998)}, {"0.001e1001", "1" + strings.Repeat("0", 998)}, {"0.001e1002", "0.001e1002"},
	{"1e9999999", "1e9999999"}, {"1E+9999999", "1e9999999"}, {"1e-9999999", "1e-9999999"}, {"-01.50e-09999999", "-1.50e-9999999"}, {".5e2000", "0.5e2000"}, {"5.e2000", "5e2000"},
	{"1e100000", "1e100000"}, {"1e99999999999999999999", "1e99999999999999999999"}, {"1e-99999999999999999999", "1e-99999999999999999999"}, {"1_0.0_1e5000", "10.01e5000"},
	{"0e99999999999999999999", "0"}, {"0e-99999999999999999999", "0"}, {"-0.00e-2000", "0"}, {"0e-998", "0." + strings.Repeat("0", 998)}, {"0e-999", "0"}, {"0.000e9999999", "0"},
	// Long texts keep their digits; an exponent of zero is no exponent.
	{strings.Repeat("9", 3000), strings.Repeat("9", 3000)}, {"+" + strings.Repeat("9", 3000) + "e0", strings.Repeat("9", 3000)},
	{"." + strings.Repeat("12", 3000), "0." + strings.Repeat("12", 3000)}, {strings.Repeat("9", 3000) + "e-1", strings.Repeat("9", 3000) + "e-1"},
	{strings.Repeat("0", 3000) + "1e2", "100"}, {"-" + strings.Repeat("0", 3000), "0"}, {"0." + strings.Repeat("0", 2000) + "e0", "0." + strings.Repeat("0", 2000)},
	// Groups.
	{"1,234,567.89", "1234567.89"}, {"1,234.5", "1234.5"}, {"1,000.00", "1000.00"}, {"-1,234,567", "-1234567"}, {"1,234,567", "1234567"}, {"+12,345.678", "12345.678"},
	{"123,456,789,012.1", "123456789012.1"}, {"1,234", ""}, {"123,456", ""}, {"1,2", ""}, {"1,23,456.7", ""}, {"1234,567.8", ""}, {"1,234,56", ""}, {"1,234,5678", ""}, {",234.5", ""}, {"1,,234.5", ""},
	{"1,234.", ""}, {"1,234,567.", ""}, {"1,234,", ""}, {"1.234,56", ""}, {"1,234.5,6", ""}, {"1,234.5e3", ""}, {"0,123.45", ""}, {"0,123,456", ""}, {"1,234.5.6", ""}, {"1,234.5-", ""}, {"1,23x.5", ""}, {"1,234_5.6", ""},
	// Words.
	{"NaN", "NaN"}, {"nan", "NaN"}, {"NAN", "NaN"}, {"Infinity", "Infinity"}, {"-Infinity", "-Infinity"}, {"+Infinity", "Infinity"}, {"infinity", "Infinity"},
	{"-INFINITY", "-Infinity"}, {"inf", "Infinity"}, {"-Inf", "-Infinity"}, {"+INF", "Infinity"}, {"-NaN", ""}, {"+nan", ""}, {"infinite", ""}, {"in", ""}, {"Nan0", ""},
	// Anything else.
	{"", ""}, {"+", ""}, {"-", ""}, {".", ""}, {"-.", ""}, {"e5", ""}, {".e5", ""}, {"1e", ""}, {"1e+", ""}, {"1e-", ""}, {"1e5.0", ""}, {"1e5e5", ""}, {"1e+-5", ""}, {"1e 5", ""}, {" 1.5", ""}, {"1.5 ", ""}, {"1.5\n", ""},
	{"--1", ""}, {"+-1", ""}, {"-+1", ""}, {"1-", ""}, {"1..2", ""}, {"1.2.3", ""}, {"$1.50", ""}, {"$12.34", ""}, {"12.34 €", ""}, {"12.34€", ""}, {"(1.5)", ""}, {"0x10", ""}, {"1/3", ""}, {"abc", ""}, {"1a", ""}, {"true", ""},
	{"٣", ""}, {"１", ""}, {"\x001", ""}, {"1\x00", ""}, {"2024-02-29", ""}, {"12:34", ""}, {"1.5:", ""}, {"/1", ""}, {"\xff", ""}, {"1e5\xff", ""}, {"{\"a\":1}", ""},
}

func TestAppendDecimal(t *testing.T) {
	for _, c := range decimalTexts {
		got, ok := AppendDecimal([]byte("["), []byte(c.in))
		if string(got) != "["+c.want || ok != (c.want != "") {
			t.Errorf("AppendDecimal(%q) = %q, %v, want %q", c.in, got, ok, c.want)
		}
	}
}

var canonicalDecimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?(e-?[1-9][0-9]*)?$`)

// checkDecimal checks the properties of any text that is taken for a decimal, and returns the result.
func checkDecimal(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) (string, bool) {
	t.Helper()
	got, ok := AppendDecimal(nil, []byte(text))
	out := string(got)
	if !ok {
		if out != "" {
			t.Fatalf("AppendDecimal(%q) appends %q though it refuses", text, out)
		}
		return "", false
	}
	if out == "NaN" || out == "Infinity" || out == "-Infinity" {
		if rest := strings.ToLower(strings.TrimLeft(text, "+-")); rest != "nan" && rest != "inf" && rest != "infinity" {
			t.Fatalf("AppendDecimal(%q) = %s", text, out)
		}
		return out, true
	}
	if !canonicalDecimal.MatchString(out) || strings.HasPrefix(out, "-") && !strings.ContainsAny(out, "123456789") {
		t.Fatalf("AppendDecimal(%q) = %q is not canonical", text, out)
	}
	if again, ok := AppendDecimal(nil, got); !ok || string(again) != out {
		t.Fatalf("AppendDecimal(%q) = %q, %v, want the same", out, again, ok)
	}
	if limit := max(len(text)+2, expandBelow+1); len(out) > limit {
		t.Fatalf("AppendDecimal(%q) is %d bytes long", text, len(out))
	}
	want, err := decimal.NewFromString(strings.NewReplacer("_", "", ",", "").Replace(text))
	if err != nil {
		return out, true // An exponent beyond 32 bits.
	}
	value, err := decimal.NewFromString(out)
	if err != nil {
		t.Fatalf("AppendDecimal(%q) = %q: %v", text, out, err)
	}
	// Equal coefficients and exponents: comparing the values would multiply out exponents of any size.
	if want.Sign() == 0 {
		if value.Sign() != 0 {
			t.Fatalf("AppendDecimal(%q) = %q", text, out)
		}
		if scale := -want.Exponent(); scale < expandBelow-1 && value.Exponent() != -max(scale, 0) {
			t.Fatalf("AppendDecimal(%q) = %q, want scale %d", text, out, scale)
		}
		return out, true
	}
	exponent := value.Exponent()
	coefficient := value.Coefficient().String()
	if e := want.Exponent(); e > 0 && !strings.Contains(out, "e") {
		coefficient = strings.TrimSuffix(coefficient, strings.Repeat("0", int(e)))
		exponent += e
	}
	if coefficient != want.Coefficient().String() || value.Sign() != want.Sign() || exponent != want.Exponent() {
		t.Fatalf("AppendDecimal(%q) = %q, want the value and scale of %v", text, out, want)
	}
	return out, true
}

func TestAppendDecimalProperties(t *testing.T) {
	for _, c := range decimalTexts {
		checkDecimal(t, c.in)
	}
	number := rapid.StringMatching(`[+-]?0{0,3}[0-9]{0,30}(\.[0-9]{0,30})?([eE][+-]?0{0,2}[0-9]{1,4})?`)
	grouped := rapid.StringMatching(`-?[0-9]{1,3}(,[0-9]{3}){0,4}(\.[0-9]{1,4})?`)
	anything := rapid.StringMatching(`[-+0-9._,eENna]{0,12}`)
	rapid.Check(t, func(t *rapid.T) {
		checkDecimal(t, rapid.OneOf(number, grouped, anything).Draw(t, "text"))
	})
	// A number that both kinds of notation can give is the same from either.
	rapid.Check(t, func(t *rapid.T) {
		coefficient := rapid.Uint64Range(1, 1<<63).Draw(t, "coefficient")
		exponent := rapid.Int32Range(-900, 900).Draw(t, "exponent")
		text := strconv.FormatUint(coefficient, 10) + "e" + strconv.Itoa(int(exponent))
		var want decimal.Decimal
		if coefficient < 1<<63 {
			want = decimal.New(int64(coefficient), exponent)
		} else {
			want = decimal.New(1<<62, exponent).Mul(decimal.New(2, 0))
		}
		got, ok := checkDecimal(t, text)
		if plain := want.StringFixed(max(-exponent, 0)); !ok || len(plain) < expandBelow && got != plain {
			t.Fatalf("AppendDecimal(%q) = %q, want %q", text, got, plain)
		}
	})
}

// TestAppendDecimalOfFloats takes what AppendFloat64 writes, as it does for a decimal column with a binary value.
func TestAppendDecimalOfFloats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64().Draw(t, "f")
		text := string(AppendFloat64(nil, f))
		got, ok := checkDecimal(t, text)
		if want := strconv.FormatFloat(f, 'f', -1, 64); !ok || got != want && f != 0 && f == f && f-f == 0 {
			t.Fatalf("AppendDecimal(%s) = %q, %v, want %s", text, got, ok, want)
		}
	})
}
