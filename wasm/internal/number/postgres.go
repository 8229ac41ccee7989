package number

import "math"

// AppendPostgres64 appends f as PostgreSQL prints a float8 (float8out with the standard extra_float_digits): the
// fewest digits that are nearer to f than to any other float64, plain from 1e-4 up to below 1e15, else "1.5e+15" and
// "1.5e-05". These can be more digits than AppendFloat64 has: a decimal half-way between two float64 is not for
// PostgreSQL.
func AppendPostgres64(dst []byte, f float64) []byte {
	b := math.Float64bits(f)
	return appendPostgres(dst, b>>63 != 0, b&^(1<<63), 0x7ff, 52, 15)
}

// AppendPostgres32 appends f as PostgreSQL prints a float4: see AppendPostgres64, but plain only below 1e6.
func AppendPostgres32(dst []byte, f float32) []byte {
	b := math.Float32bits(f)
	return appendPostgres(dst, b>>31 != 0, uint64(b&^(1<<31)), 0xff, 23, 6)
}

// appendPostgres appends the number with the given sign, magnitude and format: its greatest exponent, and the bits of
// its fraction. It is plain below 10^plain.
func appendPostgres(dst []byte, negative bool, magnitude uint64, maxExponent, fractionBits, plain int) []byte {
	e := int(magnitude >> (fractionBits & 63))
	m := magnitude & (1<<(fractionBits&63) - 1)
	if e == maxExponent {
		return appendNonFinite(dst, m != 0, negative)
	}
	dst, p := reserve(dst, room)
	n := 0
	if negative {
		putByte(p, 0, '-')
		n = 1
	}
	if magnitude == 0 {
		putByte(p, n, '0')
		return dst[:len(dst)+n+1]
	}
	edge := m == 0 && e > 1
	if e == 0 {
		e = 1
	} else {
		m |= 1 << (fractionBits & 63)
	}
	d, tens := trimZeros(shortest(m, e-maxExponent/2-fractionBits, edge, 1))
	count := digitCount(d)
	exponent := count + tens - 1
	if -4 <= exponent && exponent < plain {
		return dst[:len(dst)+putScientific(p, n, d, tens)]
	}
	end := putUint(p, n, d)
	if count > 1 {
		insertPoint(p, n+1)
		end++
	}
	putByte(p, end, 'e')
	putByte(p, end+1, '+')
	if exponent < 0 {
		putByte(p, end+1, '-')
		exponent = -exponent
	}
	end += 2
	if exponent < 10 {
		putByte(p, end, '0')
		end++
	}
	return dst[:len(dst)+put1to4(p, end, uint32(exponent))]
}
