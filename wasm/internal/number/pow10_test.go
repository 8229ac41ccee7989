package number

import (
	"math/big"
	"testing"
)

// bigPow returns base^n for n >= 0.
func bigPow(base, n int64) *big.Int {
	return new(big.Int).Exp(big.NewInt(base), big.NewInt(n), nil)
}

// ratio returns 2^e · 10^p as a fraction in lowest terms.
func ratio(e, p int) (num, den *big.Int) {
	num, den = big.NewInt(1), big.NewInt(1)
	mul := func(base int64, n int) {
		if n >= 0 {
			num.Mul(num, bigPow(base, int64(n)))
		} else {
			den.Mul(den, bigPow(base, int64(-n)))
		}
	}
	mul(2, e+p)
	mul(5, p)
	return num, den
}

func TestPower(t *testing.T) {
	for p := minPower; p <= maxPower; p++ {
		// want = ceil(10^p · 2^(127-log2)), where log2 is found by counting bits.
		num, den := ratio(0, p)
		shift := 127 - (num.BitLen() - den.BitLen())
		var want, rest *big.Int
		for {
			n, d := new(big.Int).Set(num), new(big.Int).Set(den)
			if shift >= 0 {
				n.Lsh(n, uint(shift))
			} else {
				d.Lsh(d, uint(-shift))
			}
			want, rest = new(big.Int).QuoRem(n, d, new(big.Int))
			if want.BitLen() == 128 {
				break
			}
			shift += 128 - want.BitLen()
		}
		if rest.Sign() != 0 {
			want.Add(want, big.NewInt(1))
		}
		if got := log2Pow10(p); got != 127-shift {
			t.Fatalf("log2Pow10(%d) = %d, want %d", p, got, 127-shift)
		}
		hi, lo := power(p)
		got := new(big.Int).Lsh(new(big.Int).SetUint64(hi), 64)
		got.Sub(got, new(big.Int).SetUint64(lo))
		if got.Cmp(want) != 0 {
			t.Fatalf("power(%d) = %x, want %x", p, got, want)
		}
	}
}

func TestPow5(t *testing.T) {
	for n, got := range pow5 {
		if want := bigPow(5, int64(n)); !want.IsUint64() || want.Uint64() != got {
			t.Errorf("pow5[%d] = %d, want %d", n, got, want)
		}
	}
}

// floorLog10 returns the floor of log10(num/den).
func floorLog10(num, den *big.Int) int {
	n := len(num.String()) - len(den.String())
	// 10^(n-1) < num/den < 10^(n+1)
	a, b := ratio(0, n)
	if new(big.Int).Mul(a, den).Cmp(new(big.Int).Mul(b, num)) > 0 {
		return n - 1
	}
	return n
}

func TestLog10(t *testing.T) {
	for e := -1100; e <= 1100; e++ {
		num, den := ratio(e, 0)
		if got, want := log10Pow2(e), floorLog10(num, den); got != want {
			t.Errorf("log10Pow2(%d) = %d, want %d", e, got, want)
		}
		num.Mul(num, big.NewInt(3))
		den.Mul(den, big.NewInt(4))
		if got, want := log10ThreeQuartersPow2(e), floorLog10(num, den); got != want {
			t.Errorf("log10ThreeQuartersPow2(%d) = %d, want %d", e, got, want)
		}
	}
}

// nearestToWhole returns the smallest distances, above and below, of n·num/den from an integer for 1 <= n <= limit,
// exact integers left aside, as numerators over den, and the n that is nearest below. It is the Euclidean algorithm in
// disguise: the records of n·num mod den from below and from above are combinations of earlier ones.
func nearestToWhole(num, den, limit *big.Int) (above, below, belowAt *big.Int) {
	one := big.NewInt(1)
	a, an := new(big.Int).Mod(num, den), big.NewInt(1) // an·num is a above an integer.
	b, bn := new(big.Int).Set(den), big.NewInt(0)      // bn·num is b below one.
	if a.Sign() == 0 {
		return nil, nil, nil // All are integers.
	}
	improve := func(x, xn, y, yn *big.Int) bool {
		// x -= k·y stays positive, xn += k·yn stays within limit.
		k := new(big.Int).Sub(x, one)
		k.Quo(k, y)
		if yn.Sign() > 0 {
			m := new(big.Int).Sub(limit, xn)
			m.Quo(m, yn)
			if m.Cmp(k) < 0 {
				k = m
			}
		}
		if k.Sign() <= 0 {
			return false
		}
		x.Sub(x, new(big.Int).Mul(k, y))
		xn.Add(xn, new(big.Int).Mul(k, yn))
		return true
	}
	for {
		moved := improve(b, bn, a, an)
		moved = improve(a, an, b, bn) || moved
		if !moved {
			return a, b, bn
		}
	}
}

func TestNearestToWhole(t *testing.T) {
	for den := int64(1); den < 30; den++ {
		for num := int64(0); num < 2*den; num++ {
			for limit := int64(1); limit < 35; limit++ {
				above, below := den, den
				for n := int64(1); n <= limit; n++ {
					if r := n * num % den; r != 0 {
						above = min(above, r)
						below = min(below, den-r)
					}
				}
				a, b, _ := nearestToWhole(big.NewInt(num), big.NewInt(den), big.NewInt(limit))
				if a == nil {
					if above != den {
						t.Fatalf("nearestToWhole(%d, %d, %d) found none, want %d, %d", num, den, limit, above, below)
					}
					continue
				}
				if a.Int64() != above || b.Int64() != below {
					t.Fatalf("nearestToWhole(%d, %d, %d) = %d, %d, want %d, %d", num, den, limit, a, b, above, below)
				}
			}
		}
	}
}

// TestScaleIsExact proves that scale is exact for all that this package scales.
//
// Let s be the significand that power gives, t the true one: s-1 < t <= s. Let B be a multiple of 1/4 of the result,
// which is a multiple of 2^(64+shift) in units of 2^64 in the 192-bit product. scale sees hi·2^64 + mid = x·s.hi and
// takes off less = floor(x·s.lo / 2^64). So x·t lies above hi·2^64 + mid - less - 2 and not above hi·2^64 + mid - less,
// in these units. If x·t is B exactly, mid - less is 0 or 1, and scale says so. If not, scale answers right as long
// as x·t is more than 1 above the B before it and at least 2 below the one behind it. That is what is proved here.
func TestScaleIsExact(t *testing.T) {
	// check proves it for n · 2^e · 10^p, least <= n <= limit, where scale is given n · 2^z.
	check := func(what string, e, p, z int, least, limit *big.Int) {
		t.Helper()
		shift := -(e - z + log2Pow10(p) + 3)
		if shift < 0 || shift > 63 {
			t.Fatalf("%s, e = %d, p = %d: shift is %d", what, e, p, shift)
		}
		num, den := ratio(e+2, p) // Counted in quarters.
		above, below, belowAt := nearestToWhole(num, den, limit)
		if above == nil {
			return
		}
		// The unit of 2^64 is 2^-(64+shift) quarters.
		above.Lsh(above, uint(64+shift))
		below.Lsh(below, uint(64+shift))
		twice := new(big.Int).Lsh(den, 1)
		if above.Cmp(den) > 0 && below.Cmp(twice) >= 0 {
			return
		}
		// If nothing lies less than 2 above, all n less than 2 below are multiples of the nearest one: the difference
		// of two such n lies less than 2 above or below as well, so subtracting goes on until nothing is left. The
		// largest multiple may then be too small to matter.
		k := new(big.Int).Sub(twice, big.NewInt(1))
		k.Quo(k, below)
		if above.Cmp(twice) < 0 || k.Mul(k, belowAt).Cmp(least) >= 0 {
			t.Fatalf("%s, e = %d, p = %d: not exact", what, e, p)
		}
	}

	// Writing: shortest scales m and m ± 1/2, or m - 1/4 at an edge. Subnormal m have larger z, which leaves the same
	// products in smaller units, so that they are proved as well.
	least, limit := big.NewInt(1), big.NewInt(1<<55+2)
	for e := -1074; e <= 971; e++ {
		check("float64", e-2, -log10Pow2(e), 11-2, least, limit)
		check("float64 edge", e-2, -log10ThreeQuartersPow2(e), 11-2, least, limit)
	}
	limit = big.NewInt(1<<26 + 2)
	for e := -149; e <= 104; e++ {
		check("float32", e-2, -log10Pow2(e), 40-2, least, limit)
		check("float32 edge", e-2, -log10ThreeQuartersPow2(e), 40-2, least, limit)
	}
	// Reading: round scales any integer whose highest bit is 2^63. For subnormal results it counts in larger quarters, whose multiples
	// are among those proved here.
	least, limit = new(big.Int).SetUint64(1<<63), new(big.Int).SetUint64(1<<64-1)
	for p := -342; p <= 308; p++ {
		check("parse", -8-3-log2Pow10(p), p, 0, least, limit)
	}
}
