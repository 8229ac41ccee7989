package number

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// checkParse compares with strconv, for text that both take for a number.
func checkParse(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) {
	t.Helper()
	want, err := strconv.ParseFloat(text, 64)
	got, ok := ParseFloat64([]byte(text))
	same := math.Float64bits(got) == math.Float64bits(want) || got != got && want != want
	if ok != (err == nil) || ok && !same {
		t.Fatalf("ParseFloat64(%q) = %v (%x), %v, want %v (%x), %v", text, got, got, ok, want, want, err)
	}
}

func TestParseFloat64(t *testing.T) {
	for _, text := range []string{
		"0", "-0", "+0", "0.0", "-0.000", "1", "+1", "-1", "1.5", "5.", ".5", "-.5", "+5.", "00012.5", "1e3", "1E3", "1e+3",
		"1e-3", "1.e3", ".1e3", "1e03", "1e0", "0e0", "0e99999999999", "0e-99999999999", "-0e400", "1e22", "1e23", "1e-22",
		"1e-23", "9007199254740991e22", "9007199254740991e-22", "9007199254740992e22", "9007199254740993", "3e-22",
		"123456789012345678", "1234567890123456789", "9999999999999999999", "18446744073709551615",
		"18446744073709551616", "99999999999999999999", "0.1", "0.2", "0.3", "4.35", "1e308", "1.7976931348623157e308",
		"1.7976931348623158e308", "1.7976931348623159e308", "1.797693134862315807e308", "1.797693134862315808e308", "1e309",
		"-1e309", "1e310", "1e400", "1e99999999999", "2.2250738585072014e-308", "2.2250738585072011e-308",
		"2.2250738585072012e-308", "4.9e-324", "5e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2.5e-324",
		"1e-324", "1e-325", "1e-400", "1e-99999999999", "9999999999999999999e-343", "9999999999999999999e-342",
		"1e-342", "0.000000000000000000000000000000000000001", "1000000000000000000000000000000000000000",
		// 18 to 20 digits, leading and trailing zeros beyond that.
		"0.00000000000000000000000000000123456789012345678901234567890", "000000000000000000000000000000001.5",
		"1.500000000000000000000000000000000000000000", "10000000000000000000000000000000000000000e-40",
		"00000000000000000000000000", "0.0000000000000000000000000", "0000000000000000000000000e5",
		"0.00000000000000000000000000000000000000000000001e60", "12345678901234567890e-340", "12345678901234567890e290",
		// Texts that have caught out other readers.
		"2.22507385850720113605740979670913197593481954635164564e-308", "8.10109172351e-10", "1.1125369292536007e-308",
		"6.9294956446009195e15", "3.237883913302901289588352412501532174863037669423108059901297049552301970670676565786835742587799557860615776559838283435514391084153169252689190564396459577394618038928365305143463955100356696665629202017331344031730044369360205258345803431471660032699580731300954848363975548690010751530018881758184174569652173110473696022749934638425380623369774736560008997404060967498028389191878963968575439222206416981462690113342524002724385941651051293552601421155333430225237291523843322331326138431477823591142408800030775170625915670728657003151953664260769822494937951845801530895238439819708403389937873241463484205608000027270531106827387907791444918534771598750162812548862768493201518991668028251730299953143924168545708663913273994694463908672332763671875e-319",
		// The words.
		"NaN", "nan", "nAN", "Infinity", "+infinity", "-INFINITY", "inf", "+Inf", "-iNf",
		// Not numbers.
		"", "+", "-", ".", "+.", "-.", "e", "e5", ".e5", "1e", "1e+", "1e-", "1ee5", "1e5.5", "1e5 ", " 1", "1 ", "1..2", "1.2.3",
		"--1", "+-1", "1-", "abc", "1a", "1.5f", "$1", "1,5", "in", "infi", "infinityy", "nano", "na", "٣", "\x00", "1\x00", "/", ":", "1e/", "1e:",
	} {
		checkParse(t, text)
	}
	// What strconv reads and this package does not.
	for _, text := range []string{"0x10", "0x1p-2", "+nan", "-nan"} {
		if f, ok := ParseFloat64([]byte(text)); ok {
			t.Errorf("ParseFloat64(%q) = %v", text, f)
		}
	}
	if f, ok := ParseFloat64([]byte("1_000")); ok {
		t.Errorf("ParseFloat64 takes underscores: %v", f)
	}
	if f, ok := ParseFloat64([]byte("1e999")); ok || f != 0 {
		t.Errorf("ParseFloat64(1e999) = %v, %v", f, ok)
	}
}

func TestParseFloat64PowersOfTen(t *testing.T) {
	for e := -400; e <= 400; e++ {
		for _, m := range []string{"1", "5", "9.99", "123456789", "1234567890123456789", "9007199254740993", "18446744073709551615"} {
			checkParse(t, m+"e"+strconv.Itoa(e))
		}
	}
}

// exactText returns x in full, without an exponent.
func exactText(x *big.Float) string { return x.Text('f', 1200) }

// midpoint returns all digits of the number half-way between f and the next larger float64.
func midpoint(f float64) *big.Float {
	next := math.Float64frombits(math.Float64bits(f) + 1)
	if math.IsInf(next, 1) {
		m := new(big.Float).SetPrec(2000).SetInt64(1<<54 - 1)
		return m.SetMantExp(m, 970)
	}
	sum := new(big.Float).SetPrec(2000).Add(new(big.Float).SetPrec(2000).SetFloat64(f), new(big.Float).SetPrec(2000).SetFloat64(next))
	return sum.Quo(sum, big.NewFloat(2))
}

// TestParseFloat64Midpoints reads numbers half-way between two floats, and just beside that, in long texts.
func TestParseFloat64Midpoints(t *testing.T) {
	check := func(f float64) {
		t.Helper()
		m := midpoint(f)
		next := math.Float64frombits(math.Float64bits(f) + 1)
		even := f
		if math.Float64bits(f)&1 != 0 {
			even = next
		}
		full := strings.TrimRight(exactText(m), "0")
		is := func(text string, want float64) {
			t.Helper()
			got, ok := ParseFloat64([]byte(text))
			if ok == math.IsInf(want, 0) || ok && got != want {
				t.Fatalf("beside the midpoint above %x: ParseFloat64(%s) = %x, %v, want %x", f, text, got, ok, want)
			}
		}
		is(full, even)
		is(full+"000", even)
		is(full+strings.Repeat("0", 900)+"1", next)
		is(full+"1", next)
		// One less in the last place, then nines.
		last := len(full) - 1
		if full[last] == '.' {
			last--
		}
		if full[last] == '0' {
			return // Whole numbers that end in zeros.
		}
		is(full[:last]+string(full[last]-1)+full[last+1:]+strings.Repeat("9", 30), f)
		is(full[:last]+string(full[last]-1)+full[last+1:]+strings.Repeat("9", 2000), f)
		// The same digits with an exponent.
		digits := strings.Replace(full, ".", "", 1)
		is(digits+"e-"+strconv.Itoa(len(full)-1-strings.IndexByte(full, '.')), even)
		is("0."+digits+"e"+strconv.Itoa(strings.IndexByte(full, '.')), even)
	}
	for _, f := range []float64{
		0, 5e-324, 1e-323, 2.225073858507201e-308, 2.2250738585072014e-308, 1, 1.5, 0.1, 1e-5, 123456.789, 9007199254740991,
		9007199254740992, 1e22, 1e23, 1e100, 1e-100, math.MaxFloat64, math.Nextafter(math.MaxFloat64, 0),
	} {
		check(f)
	}
	for e := -1074; e < 1024; e += 7 {
		check(math.Ldexp(1, e))
		check(math.Nextafter(math.Ldexp(1, e), 0))
	}
	r := newRand(t)
	for range 300 {
		if f := math.Float64frombits(r.Uint64() >> 1); f < math.MaxFloat64 {
			check(f)
		}
	}
}

// TestParseFloat64Long reads texts of up to a million digits. The values are written out: strconv takes a 1 with 5,000
// zeros and e-5000 behind it for zero.
func TestParseFloat64Long(t *testing.T) {
	zeros, nines := strings.Repeat("0", 1_000_000), strings.Repeat("9", 1_000_000)
	for _, c := range []struct {
		text string
		want float64 // +Inf for what is refused.
	}{
		{nines[:400], math.Inf(1)},
		{nines[:309], math.Inf(1)},
		{nines[:308], 1e308},
		{strings.Repeat("1", 300) + "." + strings.Repeat("7", 1000), 1.1111111111111111e299},
		{"0." + zeros[:300] + strings.Repeat("3", 2000), 3.3333333333333333e-301},
		{"0." + zeros[:323] + "2" + strings.Repeat("4", 900), 0},
		{"0." + zeros[:323] + "24703282292062328" + strings.Repeat("4", 900), 5e-324},
		{"0." + zeros[:400] + "1", 0},
		{zeros[:400] + "1", 1},
		{"1" + zeros[:5000] + "e-5000", 1},
		{"0." + zeros[:5000] + "1e5001", 1},
		{"0." + zeros + "17e1000001", 1.7},
		{"1" + zeros + "e-1000000", 1},
		{"1" + zeros + "e-1000400", 0},
		{strings.Repeat("1234567890", 100_000) + "e-1000000", 0.1234567890123456789},
		{"9007199254740993" + zeros + "e-1000000", 9007199254740992},
		{"9007199254740993" + zeros + "1e-1000001", 9007199254740994},
		{"9007199254740993." + zeros, 9007199254740992},
		{"9007199254740993." + zeros + "1", 9007199254740994},
		{"9007199254740992." + nines, 9007199254740992},
		{"-9007199254740993." + zeros + "1", -9007199254740994},
		{zeros + "." + zeros, 0},
		{zeros + "." + zeros + "e5", 0},
	} {
		got, ok := ParseFloat64([]byte(c.text))
		if ok == math.IsInf(c.want, 1) || ok && got != c.want {
			t.Errorf("ParseFloat64(%.30s…, %d bytes) = %v, %v, want %v", c.text, len(c.text), got, ok, c.want)
		}
	}
}

func TestParseFloat64Random(t *testing.T) {
	r := newRand(t)
	digits := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('0' + r.Intn(10))
		}
		return string(b)
	}
	for range 60_000 {
		checkParse(t, digits(1+r.Intn(19))+"e"+strconv.Itoa(r.Intn(700)-360))
		checkParse(t, digits(1+r.Intn(19))+"e"+strconv.Itoa(r.Intn(60)-40))
		checkParse(t, digits(r.Intn(12))+"."+digits(1+r.Intn(12)))
	}
	for range 15_000 {
		checkParse(t, digits(20+r.Intn(30))+"e"+strconv.Itoa(r.Intn(700)-370))
		checkParse(t, strconv.FormatFloat(math.Float64frombits(r.Uint64()>>1), 'e', 15+r.Intn(30), 64))
	}
	rapid.Check(t, func(t *rapid.T) {
		checkParse(t, rapid.OneOf(
			rapid.StringMatching(`[+-]?[0-9]{0,25}(\.[0-9]{0,25})?([eE][+-]?[0-9]{0,4})?`),
			rapid.StringMatching(`[-+0-9.e]{0,8}`),
		).Draw(t, "text"))
	})
}

// TestNaturalFits compares the longest numbers that occur with the midpoint above floats of all sizes: as many digits
// as are taken, and the 1 for the others. A natural that is too short would make it panic.
func TestNaturalFits(t *testing.T) {
	check := func(f float64) {
		full := exactText(midpoint(f))
		digits := strings.TrimLeft(strings.Replace(full, ".", "", 1), "0")
		point := strings.IndexByte(full, '.') - (len(full) - 1 - len(digits))
		digits = (digits + strings.Repeat("0", 2000))[:maxDigits] + "1"
		if c := compareMidpoint([]byte(digits), point, math.Float64bits(f)); c <= 0 {
			t.Errorf("a number above the midpoint after %x compares as %d", f, c)
		}
		if c := compareMidpoint([]byte(digits[:maxDigits]), point, math.Float64bits(f)); c != 0 {
			t.Errorf("the midpoint after %x compares as %d", f, c)
		}
	}
	check(0)
	for e := -1074; e < 1024; e += 3 {
		check(math.Ldexp(1, e))
		check(math.Nextafter(math.Ldexp(1, e), 0))
	}
	check(math.MaxFloat64)
}
