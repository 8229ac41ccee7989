package pgwire

import (
	"github.com/rowjet/rowjet/wasm/internal/mem"
	"github.com/rowjet/rowjet/wasm/internal/number"
)

// The put functions add to s.buf, in which texts are put together. As methods that
// return nothing and are not inlined they make the module 5 kB smaller, compressed,
// than appending to slices would.

//go:noinline
func (s *reader) putByte(c byte) {
	s.buf = append(mem.Grow(s.buf, 1), c)
}

//go:noinline
func (s *reader) putString(text string) {
	s.buf = append(mem.Grow(s.buf, len(text)), text...)
}

//go:noinline
func (s *reader) putBytes(text []byte) {
	s.buf = append(mem.Grow(s.buf, len(text)), text...)
}

//go:noinline
func (s *reader) putInt(v int64) { s.buf = number.AppendInt(s.buf, v) }

//go:noinline
func (s *reader) putUint(v uint64) { s.buf = number.AppendUint(s.buf, v) }

// putDigits adds v with at least so many digits.
func (s *reader) putDigits(v uint64, digits int) {
	for limit := uint64(10); digits > 1; digits-- {
		if v < limit {
			s.putByte('0')
		}
		limit *= 10
	}
	s.putUint(v)
}

// putHex adds v with at least so many hexadecimal digits, of which those from ten on
// begin with the letter a.
func (s *reader) putHex(v uint32, digits int, a byte) {
	for digits < 8 && v>>(4*digits&31) != 0 {
		digits++
	}
	for digits > 0 {
		digits--
		d := byte(v >> (4 * digits & 31) & 15)
		if d > 9 {
			d += a - '0' - 10
		}
		s.putByte('0' + d)
	}
}
