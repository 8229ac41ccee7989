package number

import "math/bits"

//go:generate go run gen/main.go -o pow10_table.go

// The range of exponents that power serves. Shortest digits of a float64 need 10^-292 to 10^324; reading 19 digits
// into a float64 needs 10^-342 to 10^308.
const (
	minPower = -351
	maxPower = 350

	// powerStep is the distance of the exponents in pow10Base: 5^26, the largest factor between two of them, still
	// fits 64 bits.
	powerStep = 27
)

// power returns a 128-bit significand of 10^p, for minPower <= p <= maxPower: the integer s in [2^127, 2^128) with
//
//	s - 1 < 10^p / 2^(log2Pow10(p)-127) <= s
//
// in the form s = hi·2^64 - lo. With that form the product by hi alone is never below the product by s, so most
// callers get by with one multiplication; see scale.
//
// A table of all exponents would weigh 11 kB, so s is made from every 27th power (192 bits, rounded down) times a
// power of five. The product of the rounding error and 5^26 reaches no further than the 63rd bit below s; that no
// exponent has a run of ones there long enough to be carried over is what TestPower checks, for every exponent.
func power(p int) (hi, lo uint64) {
	step := uint32(p-minPower) / powerStep
	base := &pow10Base[step]
	five := pow5[uint32(p-minPower)-step*powerStep]
	five <<= bits.LeadingZeros64(five) & 63

	// Both factors have their top bit set, so the product has it in one of its top two bits.
	h0, _ := bits.Mul64(base[2], five)
	h1, l1 := bits.Mul64(base[1], five)
	h2, l2 := bits.Mul64(base[0], five)
	low, carry := bits.Add64(l1, h0, 0)
	mid, carry := bits.Add64(l2, h1, carry)
	hi = h2 + carry
	if hi>>63 == 0 {
		hi = hi<<1 | mid>>63
		mid = mid<<1 | low>>63
	}

	// Up to 10^55 the significand is exact; beyond, and for all negative exponents, it is rounded up.
	if p < 0 || p > 55 {
		mid++
		hi++
	} else if mid != 0 {
		hi++
	}
	return hi, -mid
}

// log2Pow10 returns the floor of log2(10^p), for |p| up to 1,000.
func log2Pow10(p int) int { return p * 108853 >> 15 }

// log10Pow2 returns the floor of log10(2^e), for |e| up to 1,100.
func log10Pow2(e int) int { return e * 78913 >> 18 }

// log10ThreeQuartersPow2 returns the floor of log10(3/4 · 2^e), for |e| up to 1,100.
func log10ThreeQuartersPow2(e int) int { return (e*631305 - 261663) >> 21 }

// A fixed is a non-negative number with two binary fraction digits. Its last bit is also set when any digit of the
// number it stands for lies behind them, which is all that correct rounding in any direction needs to know.
type fixed uint64

func (x fixed) floor() uint64 { return uint64(x >> 2) }
func (x fixed) ceil() uint64  { return uint64((x + 3) >> 2) }

// nearest rounds to the nearest integer, halves to the even one.
func (x fixed) nearest() uint64 { return uint64((x + 1 + x>>2&1) >> 2) }

// half returns x/2.
func (x fixed) half() fixed { return x>>1 | x&1 }

// A scaler multiplies by 2^e · 10^p.
type scaler struct {
	hi, lo uint64
	shift  int
}

// newScaler returns the scaler for 2^e · 10^p. Its shift must come out in 0 to 63, which says that the products the
// caller has in mind have at least two and at most 62 integer bits.
func newScaler(e, p int) scaler {
	hi, lo := power(p)
	return scaler{hi, lo, -(e + log2Pow10(p) + 3)}
}

// scale returns x · 2^e · 10^p.
//
// The significand s of the power is at most one too large, so the product x·s is less than 2^64 too large, measured
// in its 192 bits. That is far too little to matter unless the true product lies within this error of a multiple of
// 1/4; exact multiples are recognised by it, and TestScaleIsExact proves that nothing else that this package
// multiplies comes that close. (This is Russ Cox's "unrounded scaling", https://research.swtch.com/fp.)
//
// Inlining it four times would add 200 bytes to the compressed module and measures no faster there.
//
//go:noinline
func (s scaler) scale(x uint64) fixed {
	hi, mid := bits.Mul64(x, s.hi)
	sticky := fixed(1)
	if hi&(1<<(s.shift&63)-1) == 0 {
		// Only here can the low half of the significand change the result.
		less, _ := bits.Mul64(x, s.lo)
		if mid-less <= 1 {
			sticky = 0
		}
		if mid < less {
			hi--
		}
	}
	return fixed(hi>>(s.shift&63)) | sticky
}
