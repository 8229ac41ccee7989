package pgwire

import (
	"math"

	"github.com/rowjet/rowjet/wasm/internal/number"
)

// putGeometry adds a geometric value, which is floats, and for paths (u8 whether it
// is closed) and polygons an i32 number of points before them.
func (s *reader) putGeometry(f form, data []byte) bool {
	brackets := "()"
	switch f {
	case asPath:
		if len(data) == 0 {
			return false
		}
		if data[0] == 0 {
			brackets = "[]"
		}
		data = data[1:]
		fallthrough
	case asPolygon:
		if len(data) < 4 || uint64(len(data)-4) != 16*uint64(u32(data)) {
			return false
		}
		data = data[4:]
	case asSegment:
		brackets = "[]"
	case asLine:
		brackets = "{}"
	case asCircle:
		brackets = "<>"
	}
	if f != asPoint && f != asBox {
		s.putByte(brackets[0])
	}
	switch f {
	case asLine:
		s.putFloats(data)
	case asCircle:
		s.putPoints(data[:16])
		s.putByte(',')
		s.putFloats(data[16:])
	default:
		s.putPoints(data)
	}
	if f != asPoint && f != asBox {
		s.putByte(brackets[1])
	}
	return true
}

func (s *reader) putPoints(data []byte) {
	for i := 0; i < len(data); i += 16 {
		if i > 0 {
			s.putByte(',')
		}
		s.putByte('(')
		s.putFloats(data[i : i+16])
		s.putByte(')')
	}
}

func (s *reader) putFloats(data []byte) {
	for i := 0; i < len(data); i += 8 {
		if i > 0 {
			s.putByte(',')
		}
		s.putFloat(math.Float64frombits(u64(data[i:])))
	}
}

func (s *reader) putFloat(f float64) { s.buf = number.AppendPostgres64(s.buf, f) }
