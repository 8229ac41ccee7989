package number

// maxDigits is how many significant digits of a text are compared with a midpoint. A midpoint between two float64
// has at most 767 of them, so that of the digits beyond these only whether all are zero matters.
const maxDigits = 800

// A natural is a natural number in a fixed array, least significant limb first. Both sides of a comparison with a
// midpoint are below 10^801 · 2^54, which is 2,715 bits.
type natural struct {
	n    int // Limbs in use; those behind hold anything.
	limb [88]uint32
}

// compareMidpoint compares 0.ddd · 10^point, ddd being the significant digits of text, with the midpoint between the
// float64 whose bits are low and the next larger one. The two must be close, as those of roundLong are.
func compareMidpoint(text []byte, point int, low uint64) int {
	pair := naturals()
	decimal, midpoint := &pair[0], &pair[1]
	p := point - decimal.setDigits(text)

	e := int(low >> 52)
	m := low & (1<<52 - 1)
	if e == 0 {
		e = 1
	} else {
		m |= 1 << 52
	}
	midpoint.set(2*m + 1)
	e -= 1076

	// decimal · 10^p against midpoint · 2^e, with the negative powers moved to the other side.
	if p >= 0 {
		decimal.multiplyPow5(p)
	} else {
		midpoint.multiplyPow5(-p)
	}
	if p >= e {
		decimal.shiftLeft(p - e)
	} else {
		midpoint.shiftLeft(e - p)
	}
	return decimal.compare(midpoint)
}

// setDigits sets x to the significant digits of text, of which it takes maxDigits and, if any of the others is not
// zero, a 1 in their stead. It returns how many digits x was made of.
func (x *natural) setDigits(text []byte) (n int) {
	x.set(0)
	for i, c := range text {
		if c == '.' || n == 0 && c == '0' {
			continue
		}
		if n < maxDigits {
			x.multiplyAdd(10, uint32(c-'0'))
			n++
			continue
		}
		for _, c := range text[i:] {
			if c != '.' && c != '0' {
				x.multiplyAdd(10, 1)
				return n + 1
			}
		}
		return n
	}
	return n
}

func (x *natural) set(v uint64) {
	x.limb[0] = uint32(v)
	x.limb[1] = uint32(v >> 32)
	x.n = 2
	x.trim()
}

func (x *natural) trim() {
	for x.n > 0 && x.limb[x.n-1] == 0 {
		x.n--
	}
}

// multiplyAdd sets x to x·factor + addend. It is kept in one piece since inlining it costs more bytes than it is worth.
//
//go:noinline
func (x *natural) multiplyAdd(factor, addend uint32) {
	carry := uint64(addend)
	for i := range x.limb[:x.n] {
		carry += uint64(x.limb[i]) * uint64(factor)
		x.limb[i] = uint32(carry)
		carry >>= 32
	}
	if carry != 0 {
		x.limb[x.n] = uint32(carry)
		x.n++
	}
}

func (x *natural) multiplyPow5(n int) {
	for n > 0 {
		step := min(n, 13) // 5^13 is the largest power of five in 32 bits.
		x.multiplyAdd(uint32(pow5[step]), 0)
		n -= step
	}
}

func (x *natural) shiftLeft(n int) {
	x.multiplyAdd(1<<(n&31), 0)
	n >>= 5
	copy(x.limb[n:], x.limb[:x.n])
	clear(x.limb[:n])
	x.n += n
}

func (x *natural) compare(y *natural) int {
	if x.n != y.n {
		return x.n - y.n
	}
	for i := x.n - 1; i >= 0; i-- {
		if x.limb[i] != y.limb[i] {
			if x.limb[i] < y.limb[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}
