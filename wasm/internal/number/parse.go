package number

import (
	"math"
	"math/bits"
)

// infinityBits is the bit pattern of +Infinity; those of all finite non-negative values are below it.
const infinityBits = 0x7ff << 52

// ParseFloat64 reads a decimal number: an optional sign, digits with an optional point before, among or after them,
// and an optional exponent. The result is the nearest float64, halves to even, for a text of any length. NaN, and
// Infinity and inf with an optional sign, are read in any case. ok is false for any other text, and for finite numbers
// that round beyond the largest float64. Numbers too small for a float64 are zero.
func ParseFloat64(b []byte) (f float64, ok bool) {
	rest, negative := cutSign(b)
	var sign uint64
	if negative {
		sign = 1 << 63
	}

	// The digits are first taken for an integer that may overflow; their count tells afterwards whether it did.
	var d uint64
	i := 0
	for i < len(rest) && rest[i]-'0' <= 9 {
		d = d*10 + uint64(rest[i]-'0')
		i++
	}
	whole, fraction := i, 0
	if i < len(rest) && rest[i] == '.' {
		for i++; i < len(rest) && rest[i]-'0' <= 9; i++ {
			d = d*10 + uint64(rest[i]-'0')
		}
		fraction = i - whole - 1
	}
	if whole+fraction == 0 {
		return parseNonFinite(b)
	}
	exponent := 0
	if i < len(rest) {
		if exponent, ok = parseExponent(rest[i:]); !ok {
			return 0, false
		}
	}

	var u uint64
	if whole+fraction <= 19 {
		p := exponent - fraction
		if d < 1<<53 && -22 <= p && p <= 22 {
			// Both factors are exact here, so that one operation rounds the result correctly (Clinger 1990).
			if f = float64(d); p < 0 {
				f /= exactPow10(-p)
			} else {
				f *= exactPow10(p)
			}
			return math.Float64frombits(math.Float64bits(f) | sign), true
		}
		u = round(d, p)
	} else {
		u = roundLong(rest[:i], exponent)
	}
	if u >= infinityBits {
		return 0, false
	}
	return math.Float64frombits(u | sign), true
}

// exactPow10 returns 10^p for 0 <= p <= 22, which is all that a float64 holds exactly.
func exactPow10(p int) float64 { return float64(pow5[p]) * float64(uint64(1)<<(p&63)) }

// round returns the bits of the float64 nearest to d · 10^p, or infinityBits beyond the largest one.
func round(d uint64, p int) uint64 {
	if d == 0 || p < -342 { // 10^19 · 10^-343 is less than half of the smallest float64.
		return 0
	}
	if p > 308 {
		return infinityBits
	}
	// d · 10^p · 2^-e has 53 or 54 integer bits, fewer if it is to be a subnormal number.
	z := bits.LeadingZeros64(d)
	e := max(64-z+log2Pow10(p)-53, -1074)
	s := newScaler(-e-z, p)
	if s.shift > 63 {
		return 0 // Less than a quarter of the smallest float64.
	}
	x := s.scale(d << (z & 63))
	m := x.nearest()
	if m >= 1<<53 {
		m = x.half().nearest()
		e++
	}
	// The implicit bit of m adds the 1 by which the exponent field of a normal number is larger than this one; a
	// subnormal m has no such bit, and an m rounded up to 2^53 adds 2 as it should.
	return min(uint64(e+1074)<<52+m, infinityBits)
}

// roundLong returns the bits of the float64 nearest to the number that text says, times 10^exponent. text is digits
// with at most one point.
func roundLong(text []byte, exponent int) uint64 {
	var lead uint64 // The first 19 significant digits.
	n := 0          // How many significant digits there are.
	more := false   // Whether one that is not in lead is other than zero.
	point := exponent
	fraction := false
	for _, c := range text {
		if c == '.' {
			fraction = true
			continue
		}
		if n == 0 && c == '0' {
			if fraction {
				point--
			}
			continue
		}
		if !fraction {
			point++
		}
		if n < 19 {
			lead = lead*10 + uint64(c-'0')
		} else if c != '0' {
			more = true
		}
		n++
	}
	// The number is 0.ddd · 10^point, so it lies in [lead, lead+1) · 10^p.
	p := point - min(n, 19)
	low := round(lead, p)
	if !more {
		return low
	}
	high := round(lead+1, p)
	if low == high {
		return low
	}
	// 19 digits are finer than any float64, so low and high are neighbours with one midpoint between them.
	switch c := compareMidpoint(text, point, low); {
	case c < 0:
		return low
	case c > 0:
		return high
	}
	return low + low&1
}

// parseNonFinite reads the words for NaN and the infinities.
func parseNonFinite(b []byte) (float64, bool) {
	switch wordOf(b) {
	case wordNaN:
		return math.Float64frombits(0x7ff8 << 48), true
	case wordInfinity:
		return math.Float64frombits(infinityBits), true
	case wordMinusInfinity:
		return math.Float64frombits(infinityBits | 1<<63), true
	}
	return 0, false
}

type word uint8

const (
	wordNone word = iota
	wordNaN
	wordInfinity
	wordMinusInfinity
)

// wordOf tells which non-finite number b names: NaN without a sign, or inf or Infinity with an optional one, in any
// case. PostgreSQL takes and gives these (manual, section 8.1.3).
func wordOf(b []byte) word {
	rest, negative := cutSign(b)
	switch {
	case equalFold(rest, "nan") && len(rest) == len(b):
		return wordNaN
	case !equalFold(rest, "infinity") && !equalFold(rest, "inf"):
		return wordNone
	case negative:
		return wordMinusInfinity
	}
	return wordInfinity
}

// equalFold tells whether b is the lower-case ASCII word in any case.
func equalFold(b []byte, word string) bool {
	if len(b) != len(word) {
		return false
	}
	for i, c := range b {
		if c|0x20 != word[i] {
			return false
		}
	}
	return true
}

// farExponent stands for all exponents of larger magnitude. It exceeds the length of any text that fits in memory
// here, and leaves room to add such a length within 32 bits.
const farExponent = 1_000_000_000

// parseExponent reads an exponent from its e on: e or E, an optional sign, at least one digit.
func parseExponent(b []byte) (exponent int, ok bool) {
	if b[0]|0x20 != 'e' {
		return 0, false
	}
	digits, negative := cutSign(b[1:])
	for _, c := range digits {
		c -= '0'
		if c > 9 {
			return 0, false
		}
		if exponent < farExponent/10 {
			exponent = exponent*10 + int(c)
		} else {
			exponent = farExponent
		}
	}
	if negative {
		exponent = -exponent
	}
	return exponent, len(digits) > 0
}
