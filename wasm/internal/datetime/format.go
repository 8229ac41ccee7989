package datetime

import "github.com/rowjet/rowjet/wasm/internal/mem"

// maxLen is the room that every result fits in, with two bytes to spare for
// writers of whole words: +012345-06-07T00:00:00.123456789+00:00 has 38 bytes.
const maxLen = 40

// reserve makes sure that dst has maxLen bytes of room past its length, which it keeps.
func reserve(dst []byte) []byte {
	if cap(dst)-len(dst) < maxLen {
		dst = mem.Grow(dst, maxLen)
	}
	return dst
}

// The put functions write to out, which has maxLen bytes, at i, and give the end
// of what they wrote, unless its length is fixed.

func putDate(out []byte, year int32, month, day uint32) (end int) {
	_ = out[maxLen-1]
	i := 0
	y := uint32(year)
	if y > 9999 {
		out[0] = '+'
		if year < 0 {
			out[0] = '-'
			y = -y
		}
		putPair(out, 1, y/10000)
		y %= 10000
		i = 3
	}
	putPair(out, i, y/100)
	putPair(out, i+2, y%100)
	out[i+4] = '-'
	putPair(out, i+5, month)
	out[i+7] = '-'
	putPair(out, i+8, day)
	return i + 10
}

// putClock writes the eight bytes HH:MM:SS; leap seconds are counted past the second.
func putClock(out []byte, i int, second, leap uint32) {
	_ = out[i+7]
	minute := second / 60
	second -= minute * 60
	hour := minute / 60
	minute -= hour * 60
	putPair(out, i, hour)
	out[i+2] = ':'
	putPair(out, i+3, minute)
	out[i+5] = ':'
	putPair(out, i+6, second+leap)
}

func putPair(out []byte, i int, v uint32) {
	tens := v / 10
	out[i] = byte('0' + tens)
	out[i+1] = byte('0' + v - tens*10)
}

// putFraction writes the fraction that has these digits.
func putFraction(out []byte, i int, digits []byte) (end int) {
	n := len(digits)
	if n > 9 {
		n = 9
	}
	for n != 0 && digits[n-1] == '0' {
		n--
	}
	if n == 0 {
		return i
	}
	out[i] = '.'
	// A loop, since so few bytes are not worth a call.
	for j := 0; j < n; j++ {
		out[i+1+j] = digits[j]
	}
	for ; n%3 != 0; n++ {
		out[i+1+n] = '0'
	}
	return i + 1 + n
}

func putNanoseconds(out []byte, i int, nsec uint32) (end int) {
	if nsec == 0 {
		return i
	}
	end = i + 10
	if nsec%1000 == 0 {
		nsec /= 1000
		end -= 3
		if nsec%1000 == 0 {
			nsec /= 1000
			end -= 3
		}
	}
	out[i] = '.'
	for j := end - 1; j > i; j-- {
		q := nsec / 10
		out[j] = byte('0' + nsec - q*10)
		nsec = q
	}
	return end
}
