// Package number writes and reads the numbers of a result set: integers, binary floating point and decimals.
//
// Writers append to the caller's slice and return it; they allocate only when that slice has no room left, so a caller
// that reserves room gets no allocation per cell. Readers and text rules take a view of the text, never keep it, and
// report text that is not theirs with ok=false, in which case the returned slice has its original length.
package number

import "unsafe"

// digitPairs holds "00" to "99": one table look-up writes two digits, which halves the divisions.
const digitPairs = "" +
	"00010203040506070809" +
	"10111213141516171819" +
	"20212223242526272829" +
	"30313233343536373839" +
	"40414243444546474849" +
	"50515253545556575859" +
	"60616263646566676869" +
	"70717273747576777879" +
	"80818283848586878889" +
	"90919293949596979899"

// AppendInt appends the decimal digits of v.
func AppendInt(dst []byte, v int64) []byte {
	if cap(dst)-len(dst) < room {
		dst = grow(dst, room)
	}
	p, n := unsafe.Add(unsafe.Pointer(unsafe.SliceData(dst)), len(dst)), 0
	u := uint64(v)
	if v < 0 {
		putByte(p, 0, '-')
		n = 1
		// In two's complement this is the magnitude of the smallest int64 too.
		u = -u
	}
	return dst[:len(dst)+putUint(p, n, u)]
}

// AppendUint appends the decimal digits of v.
func AppendUint(dst []byte, v uint64) []byte {
	dst, p := reserve(dst, room)
	return dst[:len(dst)+putUint(p, 0, v)]
}

// The put functions write behind a pointer instead of into a slice, and forwards instead of from the last digit on:
// without a bounds check per byte and without counting the digits first, integers take about half the time in
// WebAssembly. reserve gives the pointer and the room that all of them together need.

// room is what is put behind one pointer at most: a sign, 17 digits and the 16 bytes that insertPoint moves.
const room = 40

// reserve returns dst with a capacity for n more bytes, and where those begin.
func reserve(dst []byte, n int) ([]byte, unsafe.Pointer) {
	if cap(dst)-len(dst) < n {
		dst = grow(dst, n)
	}
	return dst, unsafe.Add(unsafe.Pointer(unsafe.SliceData(dst)), len(dst))
}

// grow is apart from reserve to keep it out of the many places that reserve is inlined into. It leaves the new
// capacity to append, which keeps a long row of calls linear.
//
//go:noinline
func grow(dst []byte, n int) []byte {
	length := len(dst)
	for cap(dst)-length < n {
		dst = append(dst[:cap(dst)], "0000000000000000"...)
	}
	return dst[:length]
}

// putByte writes c at p+n.
func putByte(p unsafe.Pointer, n int, c byte) { *(*byte)(unsafe.Add(p, n)) = c }

// putPair writes the two digits of v, which is below 100, at p+n.
func putPair(p unsafe.Pointer, n int, v uint32) {
	pairs := unsafe.Pointer(unsafe.StringData(digitPairs))
	*(*[2]byte)(unsafe.Add(p, n)) = *(*[2]byte)(unsafe.Add(pairs, v*2))
}

// put8 writes the eight digits of v, which is below 10^8, at p+n.
func put8(p unsafe.Pointer, n int, v uint32) {
	high, low := v/10000, v%10000
	putPair(p, n, high/100)
	putPair(p, n+2, high%100)
	putPair(p, n+4, low/100)
	putPair(p, n+6, low%100)
}

// putUint writes the digits of v at p+n and returns the position behind them. It uses 64-bit division, which costs
// several times a 32-bit one, only once for every eight digits.
func putUint(p unsafe.Pointer, n int, v uint64) int {
	if v < 1e8 {
		return putSmall(p, n, uint32(v))
	}
	high := v / 1e8
	if high < 1e8 {
		n = putSmall(p, n, uint32(high))
	} else {
		top := high / 1e8
		n = putSmall(p, n, uint32(top))
		put8(p, n, uint32(high-top*1e8))
		n += 8
	}
	put8(p, n, uint32(v-high*1e8))
	return n + 8
}

// putSmall is putUint for v below 10^8.
func putSmall(p unsafe.Pointer, n int, v uint32) int {
	if v >= 1e4 {
		n = put1to4(p, n, v/1e4)
		low := v % 1e4
		putPair(p, n, low/100)
		putPair(p, n+2, low%100)
		return n + 4
	}
	return put1to4(p, n, v)
}

// put1to4 is putUint for v below 10^4.
func put1to4(p unsafe.Pointer, n int, v uint32) int {
	pair := v
	if v >= 100 {
		pair = v / 100
	}
	if pair >= 10 {
		putPair(p, n, pair)
		n += 2
	} else {
		putByte(p, n, byte('0'+pair))
		n++
	}
	if v >= 100 {
		putPair(p, n, v%100)
		n += 2
	}
	return n
}

// ParseInt reads an integer text: an optional sign, then digits, leading zeros allowed. ok is false for anything else
// and for values beyond int64.
func ParseInt(b []byte) (v int64, ok bool) {
	digits, negative := b, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		digits, negative = b[1:], b[0] == '-'
	}
	if len(digits) == 0 {
		return 0, false
	}
	var u uint64
	for _, c := range digits {
		c -= '0'
		if c > 9 {
			return 0, false
		}
		// Past this bound one more digit leaves int64, and u could wrap before it is looked at.
		if u > (1<<63)/10 {
			return 0, false
		}
		u = u*10 + uint64(c)
	}
	if negative {
		if u > 1<<63 {
			return 0, false
		}
		return -int64(u), true
	}
	if u > 1<<63-1 {
		return 0, false
	}
	return int64(u), true
}

// AppendInteger appends the canonical digits of an integer text of any length: no plus sign, no leading zeros, and
// "0" for a negative zero. ok is false when b is not an optional sign and at least one digit.
func AppendInteger(dst, b []byte) ([]byte, bool) {
	digits, negative := cutSign(b)
	if len(digits) == 0 {
		return dst, false
	}
	// All of it first: some callers keep what they gave if this fails, and room that was made would be lost.
	for _, c := range digits {
		if c-'0' > 9 {
			return dst, false
		}
	}
	for len(digits) > 1 && digits[0] == '0' {
		digits = digits[1:]
	}
	dst, p := reserve(dst, len(b))
	n := 0
	if negative && digits[0] != '0' {
		putByte(p, 0, '-')
		n = 1
	}
	for _, c := range digits {
		putByte(p, n, c)
		n++
	}
	return dst[:len(dst)+n], true
}

// cutSign splits an optional sign off b.
func cutSign(b []byte) (rest []byte, negative bool) {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		return b[1:], b[0] == '-'
	}
	return b, false
}

// Put32 writes v at p[n] and returns the position behind it. It serves callers that have made room for more than one
// value; it needs 24 bytes.
func Put32(p unsafe.Pointer, n int, v int32) int {
	u := uint64(v)
	if v < 0 {
		putByte(p, n, '-')
		n++
		u = uint64(-int64(v))
	}
	return putUint(p, n, u)
}
