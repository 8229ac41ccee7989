package number

import (
	"math"
	"math/bits"
	"unsafe"
)

// AppendFloat64 appends the shortest decimal digits that read back as f, in the notation of ECMAScript's
// Number::toString: plain from 1e-6 up to below 1e21, else "1.5e+21" and "1.5e-7". Among equally short digits it takes
// those nearest to f, then the even ones. Negative zero is "-0". NaN, Infinity and -Infinity are those words.
func AppendFloat64(dst []byte, f float64) []byte {
	const (
		fractionBits = 52
		bias         = 1023 + fractionBits
		infinity     = 0x7ff << fractionBits
	)
	b := math.Float64bits(f)
	magnitude := b &^ (1 << 63)
	if magnitude >= infinity {
		return appendNonFinite(dst, magnitude > infinity, b != magnitude)
	}
	e := int(magnitude >> fractionBits)
	m := magnitude & (1<<fractionBits - 1)
	if e == 0 {
		e = 1 // Subnormal numbers have the exponent of the smallest normal ones.
	} else {
		m |= 1 << fractionBits
	}
	edge := m == 1<<fractionBits && e > 1
	return appendFinite(dst, b != magnitude, m, e-bias, edge, math.Float64frombits(magnitude))
}

// AppendFloat32 appends the shortest decimal digits that read back as the float32 f, in the notation of AppendFloat64.
func AppendFloat32(dst []byte, f float32) []byte {
	const (
		fractionBits = 23
		bias         = 127 + fractionBits
		infinity     = 0xff << fractionBits
	)
	b := math.Float32bits(f)
	magnitude := b &^ (1 << 31)
	if magnitude >= infinity {
		return appendNonFinite(dst, magnitude > infinity, b != magnitude)
	}
	e := int(magnitude >> fractionBits)
	m := magnitude & (1<<fractionBits - 1)
	if e == 0 {
		e = 1
	} else {
		m |= 1 << fractionBits
	}
	edge := m == 1<<fractionBits && e > 1
	return appendFinite(dst, b != magnitude, uint64(m), e-bias, edge, noShortcut)
}

// noShortcut is a value that appendFinite does not take the way for short decimals with.
const noShortcut = 1e9

// appendFinite appends the number m · 2^e. edge is that of shortest. value is the number once more if the digits are
// to tell it from the other float64, and noShortcut if not.
func appendFinite(dst []byte, negative bool, m uint64, e int, edge bool, value float64) []byte {
	if cap(dst)-len(dst) < room {
		dst = grow(dst, room)
	}
	p := unsafe.Add(unsafe.Pointer(unsafe.SliceData(dst)), len(dst))
	n := 0
	if negative {
		putByte(p, 0, '-')
		n = 1
	}
	// Whole numbers below 2^53 are the commonest of all, and their digits are those of an integer.
	if m == 0 || e <= 0 && e > -53 && m&(1<<(-e&63)-1) == 0 {
		return dst[:len(dst)+putUint(p, n, m>>(-e&63))]
	}
	// Amounts of money and the like come next. The nearest integer to value · 10^6 has at most 15 digits here, and no
	// two decimals of so few digits share a float64. So if it divides back to value, its digits less the trailing
	// zeros are the shortest.
	d, tens := uint64(0), -6
	if value < 1e9 {
		if d = uint64(int64(value*1e6 + 0.5)); float64(int64(d))/1e6 != value {
			d = 0
		}
	}
	if d == 0 {
		d, tens = shortest(m, e, edge, m&1)
	}
	d, tens = trimZeros(d, tens)
	return dst[:len(dst)+putScientific(p, n, d, tens)]
}

// appendNonFinite appends the word for a NaN or an infinity.
func appendNonFinite(dst []byte, nan, negative bool) []byte {
	word := "Infinity"
	if nan {
		word = "NaN"
	} else if negative {
		word = "-Infinity"
	}
	return append(dst, word...)
}

// shortest returns the d and p for which d · 10^p has the fewest digits, then is nearest, then even, among the numbers
// that round to m · 2^e, m > 0. edge says that the next floating-point number below is only half as far as the one
// above, which is so for powers of two except the smallest. Numbers half-way to the next are left out if open is 1,
// as they should be if m is odd: they round to the even neighbour. d may end in zeros.
func shortest(m uint64, e int, edge bool, open uint64) (d uint64, p int) {
	// The numbers that round to m · 2^e are those between low and high (here times 2^z), perhaps with these two. The
	// scale 10^-p makes that interval 1 to 10 wide: it holds an integer, and at most one multiple of ten.
	z := bits.LeadingZeros64(m)
	x := m << (z & 63)
	half := uint64(1) << ((z - 1) & 63)
	low, high := x-half, x+half
	if edge {
		low = x - half/2
		p = log10ThreeQuartersPow2(e)
	} else {
		p = log10Pow2(e)
	}
	s := newScaler(e-z, -p)
	first := (s.scale(low) + fixed(open)).ceil()
	last := (s.scale(high) - fixed(open)).floor()
	if d = last / 10; d*10 >= first {
		return d, p + 1
	}
	if first == last {
		return first, p
	}
	return s.scale(x).nearest(), p
}

// trimZeros returns d · 10^p with the trailing zeros of d, which is not zero, moved into p.
func trimZeros(d uint64, p int) (uint64, int) {
	// Multiplying by the inverse of 5^n modulo 2^64 and rotating by n divides multiples of 10^n exactly; everything
	// else lands above the largest quotient. That spares a division per zero.
	const (
		inverse5  = 0xcccccccccccccccd
		inverse25 = 0x8f5c28f5c28f5c29
		inverse4  = 0xd288ce703afb7e91 // of 5^4
		inverse8  = 0xc767074b22e90e21 // of 5^8
	)
	if q := bits.RotateLeft64(d*inverse5, -1); q <= math.MaxUint64/10 {
		d, p = q, p+1
	} else {
		return d, p
	}
	if q := bits.RotateLeft64(d*inverse8, -8); q <= math.MaxUint64/100000000 {
		d, p = q, p+8
	}
	if q := bits.RotateLeft64(d*inverse4, -4); q <= math.MaxUint64/10000 {
		d, p = q, p+4
	}
	if q := bits.RotateLeft64(d*inverse25, -2); q <= math.MaxUint64/100 {
		d, p = q, p+2
	}
	if q := bits.RotateLeft64(d*inverse5, -1); q <= math.MaxUint64/10 {
		d, p = q, p+1
	}
	return d, p
}

// digitCount returns how many decimal digits v has, for 0 < v < 10^19.
func digitCount(v uint64) int {
	// 1233/4096 approximates log10(2), so that this is the count or one below it.
	n := bits.Len64(v) * 1233 >> 12
	if v >= pow5[n]<<(n&63) {
		n++
	}
	return n
}

// putScientific writes d · 10^e at p+n in ECMAScript's notation (ECMA-262, Number::toString) and returns the position
// behind it. d is not zero and has at most 17 digits.
func putScientific(p unsafe.Pointer, n int, d uint64, e int) int {
	count := digitCount(d)
	point := count + e // The value is 0.ddd · 10^point.
	if -6 < point && point <= 0 {
		*(*[8]byte)(unsafe.Add(p, n)) = [8]byte([]byte("0.000000"))
		return putUint(p, n+2-point, d)
	}
	end := putUint(p, n, d)
	if 0 < point && point <= 21 {
		if point < count {
			insertPoint(p, n+point)
			return end + 1
		}
		for ; point > count; point-- {
			putByte(p, end, '0')
			end++
		}
		return end
	}
	if count > 1 {
		insertPoint(p, n+1)
		end++
	}
	putByte(p, end, 'e')
	point--
	if point < 0 {
		putByte(p, end+1, '-')
		return put1to4(p, end+2, uint32(-point))
	}
	putByte(p, end+1, '+')
	return put1to4(p, end+2, uint32(point))
}

// insertPoint moves the 16 bytes from p+n on up by one, and writes a point before them.
func insertPoint(p unsafe.Pointer, n int) {
	from, to := unsafe.Add(p, n), unsafe.Add(p, n+1)
	moved := *(*[16]byte)(from)
	*(*[16]byte)(to) = moved
	putByte(p, n, '.')
}
