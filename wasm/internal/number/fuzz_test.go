package number

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

func FuzzParseFloat64(f *testing.F) {
	for _, text := range []string{"0", "-1.5e-7", "9007199254740993.0000000000000000000001", "1e309", "2.4703282292062327e-324", ".5", "5.", "inf", "-Infinity", "nan", "1e", "0x1p5", "1_0"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := string(text)
		if strings.ContainsAny(s, "xX_pP") || strings.HasSuffix(strings.ToLower(s), "nan") && len(s) == 4 {
			// strconv knows more spellings.
			if got, ok := ParseFloat64(text); ok {
				t.Fatalf("ParseFloat64(%q) = %v", s, got)
			}
			return
		}
		if len(s) > 500 {
			return // strconv is not exact for all of these.
		}
		checkParse(t, s)
	})
}

func FuzzAppendFloat64(f *testing.F) {
	for _, c := range float64Texts {
		f.Add(math.Float64bits(c.f))
	}
	f.Fuzz(func(t *testing.T, b uint64) { checkFloat64(t, math.Float64frombits(b)) })
}

func FuzzAppendFloat32(f *testing.F) {
	for _, v := range []float32{0, 1, 0.1, 1.0 / (1 << 12), 1e-45, 3.4028235e38, 16777216} {
		f.Add(math.Float32bits(v))
	}
	f.Fuzz(checkFloat32Bits)
}

func checkFloat32Bits(t *testing.T, b uint32) {
	checkFloat32(t, b)
	v := math.Float32frombits(b)
	if back, err := strconv.ParseFloat(string(AppendFloat32(nil, v)), 32); err != nil || float32(back) != v && v == v {
		t.Fatalf("AppendFloat32(%x) reads back as %x, %v", v, back, err)
	}
}

func FuzzAppendDecimal(f *testing.F) {
	for _, c := range decimalTexts {
		if len(c.in) < 100 {
			f.Add([]byte(c.in))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkDecimal(t, string(text)) })
}
