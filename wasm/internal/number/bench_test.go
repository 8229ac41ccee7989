package number

import (
	"math"
	"math/rand"
	"strconv"
	"testing"
)

// sets of values like those of real columns, one per kind of work.
func benchFloats() []struct {
	name   string
	values []float64
} {
	r := rand.New(rand.NewSource(1))
	make1k := func(f func() float64) []float64 {
		v := make([]float64, 1024)
		for i := range v {
			v[i] = f()
		}
		return v
	}
	return []struct {
		name   string
		values []float64
	}{
		{"whole", make1k(func() float64 { return float64(r.Intn(1e6)) })},
		{"money", make1k(func() float64 { return float64(r.Intn(1e6)) / 100 })},
		{"sensor", make1k(func() float64 { return r.NormFloat64() * 20 })},
		{"anyBits", make1k(func() float64 {
			for {
				if f := math.Float64frombits(r.Uint64()); !math.IsNaN(f) && !math.IsInf(f, 0) {
					return f
				}
			}
		})},
	}
}

func BenchmarkAppendFloat64(b *testing.B) {
	var buf [64]byte
	for _, set := range benchFloats() {
		b.Run(set.name+"/number", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				AppendFloat64(buf[:0], set.values[i&1023])
			}
		})
		b.Run(set.name+"/strconv", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				strconv.AppendFloat(buf[:0], set.values[i&1023], 'g', -1, 64)
			}
		})
	}
}

func BenchmarkAppendFloat32(b *testing.B) {
	var buf [64]byte
	for _, set := range benchFloats()[1:3] {
		b.Run(set.name+"/number", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				AppendFloat32(buf[:0], float32(set.values[i&1023]))
			}
		})
		b.Run(set.name+"/strconv", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				strconv.AppendFloat(buf[:0], float64(float32(set.values[i&1023])), 'g', -1, 32)
			}
		})
	}
}

func BenchmarkParseFloat64(b *testing.B) {
	for _, set := range benchFloats() {
		texts := make([][]byte, len(set.values))
		for i, f := range set.values {
			texts[i] = strconv.AppendFloat(nil, f, 'g', -1, 64)
		}
		b.Run(set.name+"/number", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				ParseFloat64(texts[i&1023])
			}
		})
		b.Run(set.name+"/strconv", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				strconv.ParseFloat(string(texts[i&1023]), 64)
			}
		})
	}
	// A midpoint needs all digits of a long text.
	long := []byte("9007199254740993" + "." + "00000000000000000000000000000000000000000000000000000000000000000000001")
	b.Run("midpoint/number", func(b *testing.B) {
		for b.Loop() {
			ParseFloat64(long)
		}
	})
	b.Run("midpoint/strconv", func(b *testing.B) {
		for b.Loop() {
			strconv.ParseFloat(string(long), 64)
		}
	})
}

func BenchmarkAppendInt(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	var buf [64]byte
	for _, set := range []struct {
		name string
		bits int
	}{{"7bit", 7}, {"20bit", 20}, {"31bit", 31}, {"63bit", 63}} {
		values := make([]int64, 1024)
		for i := range values {
			values[i] = r.Int63() >> (63 - set.bits)
		}
		b.Run(set.name+"/number", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				AppendInt(buf[:0], values[i&1023])
			}
		})
		b.Run(set.name+"/strconv", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				strconv.AppendInt(buf[:0], values[i&1023], 10)
			}
		})
	}
}

func BenchmarkParseInt(b *testing.B) {
	text := []byte("1234567")
	b.Run("number", func(b *testing.B) {
		for b.Loop() {
			ParseInt(text)
		}
	})
	b.Run("strconv", func(b *testing.B) {
		for b.Loop() {
			strconv.ParseInt(string(text), 10, 64)
		}
	})
}

func BenchmarkAppendDecimal(b *testing.B) {
	var buf [64]byte
	for _, text := range []string{"12345.6700", "-0.00", "1.5e-10", "1,234,567.89"} {
		b.Run(text, func(b *testing.B) {
			text := []byte(text)
			for b.Loop() {
				AppendDecimal(buf[:0], text)
			}
		})
	}
}
