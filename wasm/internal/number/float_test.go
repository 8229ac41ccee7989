package number

import (
	"flag"
	"math"
	"math/rand"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// ecmaScript spells the shortest digits of strconv as Number::toString does, but for -0.
func ecmaScript(f float64, bitSize int) string {
	switch {
	case f != f:
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0 && math.Signbit(f):
		return "-0"
	}
	if bitSize == 32 && math.Abs(f) == 1.0/(1<<12) {
		// The one tie of equally short float32 digits among powers of two. Go 1.26 takes the odd digit here, unlike
		// earlier versions: it looks for the tie at the exponent that float64 has it at.
		return strings.Replace(strconv.FormatFloat(f, 'f', -1, 64), "0625", "062", 1)
	}
	return respell(strconv.FormatFloat(f, 'e', -1, bitSize))
}

// respell turns the spelling d.ddde±xx of strconv into that of ECMAScript.
func respell(text string) string {
	mantissa, exponent, _ := strings.Cut(text, "e")
	e, err := strconv.Atoi(exponent)
	if err != nil {
		panic(err)
	}
	sign := ""
	if mantissa[0] == '-' {
		sign, mantissa = "-", mantissa[1:]
	}
	digits := strings.Replace(mantissa, ".", "", 1)
	switch {
	case e < -6:
		return sign + mantissa + "e-" + strconv.Itoa(-e)
	case e < 0:
		return sign + "0." + strings.Repeat("0", -e-1) + digits
	case e >= 21:
		return sign + mantissa + "e+" + strconv.Itoa(e)
	case e+1 >= len(digits):
		return sign + digits + strings.Repeat("0", e+1-len(digits))
	}
	return sign + digits[:e+1] + "." + digits[e+1:]
}

// Exact texts, taken from the ECMAScript specification, V8 and well-known hard cases.
var float64Texts = []struct {
	f    float64
	want string
}{
	{0, "0"}, {math.Copysign(0, -1), "-0"}, {1, "1"}, {-1, "-1"}, {100, "100"}, {0.5, "0.5"}, {-1.5, "-1.5"},
	{math.NaN(), "NaN"}, {math.Inf(1), "Infinity"}, {math.Inf(-1), "-Infinity"},
	{math.Float64frombits(0xfff8000000000001), "NaN"},
	{0.1, "0.1"}, {0.30000000000000004, "0.30000000000000004"}, {1.0 / 3, "0.3333333333333333"},
	{123456.78, "123456.78"}, {1e-6, "0.000001"}, {0.0000015, "0.0000015"}, {9.999999e-7, "9.999999e-7"},
	{1e-7, "1e-7"}, {-1.5e-7, "-1.5e-7"}, {123e-20, "1.23e-18"}, {1e-10, "1e-10"}, {1e-100, "1e-100"},
	{999999999, "999999999"}, {1e9, "1000000000"}, {999999999.999999, "999999999.999999"},
	{1000000000.000001, "1000000000.000001"}, {123456789.123456, "123456789.123456"},
	{1e15, "1000000000000000"}, {1e20, "100000000000000000000"}, {123456789012345680000, "123456789012345680000"},
	{999999999999999900000, "999999999999999900000"}, {1e21, "1e+21"}, {1.5e21, "1.5e+21"}, {1e22, "1e+22"},
	{1e23, "1e+23"}, {-1.2345e100, "-1.2345e+100"}, {9007199254740991, "9007199254740991"},
	{9007199254740992, "9007199254740992"}, {9007199254740994, "9007199254740994"},
	{9223372036854775807, "9223372036854776000"}, {18446744073709551615, "18446744073709552000"},
	{1.7976931348623157e308, "1.7976931348623157e+308"}, {2.2250738585072014e-308, "2.2250738585072014e-308"},
	{2.225073858507201e-308, "2.225073858507201e-308"}, {5e-324, "5e-324"}, {1e-323, "1e-323"}, {-5e-324, "-5e-324"},
	{2e-323, "2e-323"}, {4.35, "4.35"}, {1.005, "1.005"}, {0.000001234, "0.000001234"}, {4.9406564584124654e-324, "5e-324"},
	// Two candidates of 16 digits are equally near to 2^-44: the even one.
	{math.Ldexp(1, -44), "5.684341886080802e-14"},
	// Powers of two, whose lower neighbour is nearer, where the nearest short digits lie outside of the interval.
	{9.5367431640625e-7, "9.5367431640625e-7"}, {math.Ldexp(1, -1022), "2.2250738585072014e-308"},
	{math.Ldexp(1, 89), "6.189700196426902e+26"}, {math.Ldexp(1, 122), "5.316911983139664e+36"},
	{9.007199254740992e15 * 2, "18014398509481984"}, {2.98023223876953125e-8, "2.9802322387695312e-8"},
	{-2.109808898695963e16, "-21098088986959630"}, {4.940656e-318, "4.940656e-318"}, {1.18575755e-316, "1.18575755e-316"},
	{2.989102097996e-312, "2.989102097996e-312"}, {9.0608011534336e15, "9060801153433600"},
	{4.708356024711512e18, "4708356024711512000"}, {9.409340012568248e18, "9409340012568248000"},
	{1.2345678901234567e-5, "0.000012345678901234568"},
}

func TestAppendFloat64(t *testing.T) {
	for _, c := range float64Texts {
		if got := string(AppendFloat64([]byte("["), c.f)); got != "["+c.want {
			t.Errorf("AppendFloat64(%x) = %s, want [%s", c.f, got, c.want)
		}
		if want := ecmaScript(c.f, 64); want != c.want {
			t.Errorf("strconv gives %s for %x, want %s", want, c.f, c.want)
		}
	}
}

func checkFloat64(t testing.TB, f float64) {
	t.Helper()
	var a [64]byte
	got := AppendFloat64(a[:0], f)
	if want := ecmaScript(f, 64); string(got) != want {
		t.Fatalf("AppendFloat64(%x) = %s, want %s", f, got, want)
	}
	back, ok := ParseFloat64(got)
	if !ok || math.Float64bits(back) != math.Float64bits(f) && f == f {
		t.Fatalf("ParseFloat64(%s) = %x, %v, want %x", got, back, ok, f)
	}
}

// checkNeighbours checks f and the floats around it, with both signs.
func checkNeighbours(t testing.TB, f float64) {
	t.Helper()
	b := math.Float64bits(f)
	for d := -3; d <= 3; d++ {
		n := math.Float64frombits(b + uint64(d))
		checkFloat64(t, n)
		checkFloat64(t, -n)
	}
}

func TestAppendFloat64PowersOfTwo(t *testing.T) {
	for e := -1074; e < 1024; e++ {
		checkNeighbours(t, math.Ldexp(1, e))
	}
}

func TestAppendFloat64PowersOfTen(t *testing.T) {
	for e := -330; e < 310; e++ {
		for _, m := range []string{"1", "2", "5", "9", "1.5", "9.5", "1.234", "9.999999999999999"} {
			f, err := strconv.ParseFloat(m+"e"+strconv.Itoa(e), 64)
			if err != nil {
				continue
			}
			checkNeighbours(t, f)
		}
	}
}

func TestAppendFloat64Subnormal(t *testing.T) {
	for b := range uint64(20_000) {
		checkFloat64(t, math.Float64frombits(b))
	}
	for b := uint64(1); b < 1<<53; b += b/7 + 1 {
		checkNeighbours(t, math.Float64frombits(b))
	}
}

// TestAppendFloat64Decimals looks at the short way for decimals of few digits, and where it ends.
func TestAppendFloat64Decimals(t *testing.T) {
	for places, scale := 1, 10.0; places <= 8; places, scale = places+1, scale*10 {
		for n := 1.0; n < 1e15; n = math.Trunc(n*1.37) + 1 {
			checkNeighbours(t, n/scale)
		}
	}
	checkNeighbours(t, 1e9)
	checkNeighbours(t, 1e9-1e-6)
	checkNeighbours(t, 0.5e-6)
	for n := range 40_000 {
		checkFloat64(t, float64(n)/100)
	}
}

var seed = flag.Int64("seed", 20261130, "seed of the random numbers; 0 for a random one")

// newRand gives each run the same random numbers, or others whose seed the log has.
func newRand(t testing.TB) *rand.Rand {
	if *seed == 0 {
		*seed = rand.Int63()
	}
	t.Logf("seed %d", *seed)
	return rand.New(rand.NewSource(*seed))
}

func TestAppendFloat64Random(t *testing.T) {
	r := newRand(t)
	for range 250_000 {
		checkFloat64(t, math.Float64frombits(r.Uint64()))
	}
	// Bit patterns of every size, short decimals and integers.
	for range 120_000 {
		checkFloat64(t, float64(r.Int63()>>r.Intn(63)))
		checkFloat64(t, float64(r.Int63n(1e17))/math.Pow10(r.Intn(20)))
	}
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64().Draw(t, "f")
		if got, want := string(AppendFloat64(nil, f)), ecmaScript(f, 64); got != want {
			t.Fatalf("AppendFloat64(%x) = %s, want %s", f, got, want)
		}
	})
}

// TestShortestRule checks the rule itself with exact arithmetic: fewest digits, then nearest.
func TestShortestRule(t *testing.T) {
	r := newRand(t)
	for range 20_000 {
		f := math.Abs(math.Float64frombits(r.Uint64()))
		if r.Intn(2) == 0 {
			f = math.Ldexp(1+float64(r.Intn(64))/64, r.Intn(2000)-1000)
		}
		if f == 0 || f != f || math.IsInf(f, 0) {
			continue
		}
		text := string(AppendFloat64(nil, f))
		mantissa, _, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
		digits := len(strings.Replace(mantissa, ".", "", 1))
		if shorter := strconv.FormatFloat(f, 'e', digits-2, 64); digits > 1 {
			if g, err := strconv.ParseFloat(shorter, 64); err == nil && g == f {
				t.Fatalf("%s has fewer digits than %s", shorter, text)
			}
		}
		// Rounding to this many digits gives the nearest number, halves to even, though it may belong to another float.
		nearest := strconv.FormatFloat(f, 'e', digits-1, 64)
		if g, err := strconv.ParseFloat(nearest, 64); err == nil && g == f {
			if want := respell(nearest); text != want {
				t.Fatalf("AppendFloat64(%x) = %s, nearest is %s", f, text, want)
			}
		}
	}
}

func checkFloat32(t testing.TB, b uint32) {
	t.Helper()
	f := math.Float32frombits(b)
	var a [64]byte
	if got, want := AppendFloat32(a[:0], f), ecmaScript(float64(f), 32); string(got) != want {
		t.Fatalf("AppendFloat32(%x) = %s, want %s", f, got, want)
	}
}

func TestAppendFloat32(t *testing.T) {
	for _, c := range []struct {
		f    float32
		want string
	}{
		{0, "0"}, {float32(math.Copysign(0, -1)), "-0"}, {1, "1"}, {0.1, "0.1"}, {-0.3, "-0.3"}, {16777216, "16777216"},
		{1.17549435e-38, "1.1754944e-38"}, {3.4028235e38, "3.4028235e+38"}, {1e-45, "1e-45"}, {123456789.123, "123456790"},
		{9223372036854775807, "9223372000000000000"}, {18446744073709551615, "18446744000000000000"},
		{1e13, "10000000000000"}, {1e20, "100000000000000000000"}, {1e21, "1e+21"}, {1e-7, "1e-7"}, {0.00001, "0.00001"},
		{3.1415927, "3.1415927"}, {134217728, "134217730"}, {8388609.5, "8388610"}, {123456.015625, "123456.016"},
		{float32(math.NaN()), "NaN"}, {float32(math.Inf(1)), "Infinity"}, {float32(math.Inf(-1)), "-Infinity"},
		// Two candidates of 8 digits are equally near to these powers of two: the even one.
		{1.0 / (1 << 25), "2.9802322e-8"}, {1.0 / (1 << 12), "0.00024414062"}, {33554432, "33554432"}, {8589973504, "8589974000"}, {0.3333333433, "0.33333334"},
	} {
		if got := string(AppendFloat32([]byte("["), c.f)); got != "["+c.want {
			t.Errorf("AppendFloat32(%x) = %s, want [%s", c.f, got, c.want)
		}
	}
	for e := uint32(0); e < 256; e++ {
		for d := -20; d <= 20; d++ {
			checkFloat32(t, e<<23+uint32(d))
		}
	}
	for b := uint32(0); b < 1<<23; b += 1 + b/3000 {
		checkFloat32(t, b)
	}
	r := newRand(t)
	for range 250_000 {
		checkFloat32(t, r.Uint32())
	}
	for n := range 40_000 {
		checkFloat32(t, math.Float32bits(float32(n)/100))
	}
}
