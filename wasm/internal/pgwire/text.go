package pgwire

import (
	"math"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/number"
	"github.com/rowjet/rowjet/wasm/internal/pgarray"
	"github.com/rowjet/rowjet/wasm/internal/resultset"
	"github.com/rowjet/rowjet/wasm/internal/uuid"
)

// sizes holds the length in bytes of the forms that have a fixed one, and 0 for
// the others.
const sizes = "" +
	"\x00\x00\x01\x02\x04\x08\x04\x08\x04\x08" + // asText to asFloat8
	"\x00\x01\x00\x10\x04\x08\x0c\x08\x08\x10" + // asNumeric to asInterval
	"\x00\x00\x00\x00\x10\x20\x20\x18\x18\x00" + // asVersioned to asPath
	"\x00\x00\x00\x00\x00\x00\x00\x00\x06\x08" + // asPolygon to asLSN
	"\x00" // asSnapshot

// sized reports whether the value can be one of that form by its length.
func (f form) sized(data []byte) bool {
	n := int(sizes[f])
	return n == 0 || n == len(data)
}

// simple reads a value whose form has a kind of Value of its own. It returns false
// for other forms.
func simple(v *resultset.Value, f form, data []byte) bool {
	v.Tag, v.Text = driveradapter.TagInt64, data
	switch f {
	case asText:
		v.Tag = driveradapter.TagString
	case asBytea, asUUID:
		v.Tag = driveradapter.TagBytes
	case asBool:
		v.Tag = driveradapter.TagTrue
		if data[0] == 0 {
			v.Tag = driveradapter.TagFalse
		}
	case asInt2:
		v.Int = int64(int16(u16(data)))
	case asInt4:
		v.Int = int64(int32(u32(data)))
	case asUint4:
		v.Int = int64(u32(data))
	case asInt8:
		v.Int = int64(u64(data))
	case asFloat4:
		v.Tag, v.Float = driveradapter.TagFloat32, float64(math.Float32frombits(u32(data)))
	case asFloat8:
		v.Tag, v.Float = driveradapter.TagFloat64, math.Float64frombits(u64(data))
	default:
		return false
	}
	return true
}

// putText adds the text of a value in binary format, as the type's output function
// prints it. False: the value is malformed, or s.failure tells what else is wrong;
// what was added then is meaningless.
func (s *reader) putText(t *pgType, data []byte, depth int) bool {
	if !t.form.sized(data) {
		return false
	}
	if simple(&s.value, t.form, data) {
		s.putValue(&s.value, t.form)
		return true
	}
	switch t.form {
	case asVersioned:
		if len(data) == 0 || data[0] != 1 {
			return false
		}
		s.putBytes(data[1:])
	case asUint8:
		s.putUint(u64(data))
	case asNumeric:
		return s.putNumeric(data)
	case asChar:
		s.putChar(data[0])
	case asDate:
		return s.putDate(int32(u32(data)))
	case asTime:
		return s.putTime(u64(data))
	case asTimetz:
		return s.putTimetz(u64(data), int32(u32(data[8:])))
	case asTimestamp, asTimestamptz:
		s.putTimestamp(int64(u64(data)), t.form == asTimestamptz)
	case asInterval:
		s.putInterval(int64(u64(data)), int32(u32(data[8:])), int32(u32(data[12:])))
	case asInet:
		return s.putInet(data)
	case asMAC:
		for i, c := range data {
			if i > 0 {
				s.putByte(':')
			}
			s.putHex(uint32(c), 2, 'a')
		}
		return len(data) == 6 || len(data) == 8
	case asBits:
		return s.putBits(data)
	case asPoint, asSegment, asBox, asLine, asCircle, asPath, asPolygon:
		return s.putGeometry(t.form, data)
	case asTSVector:
		return s.putTSVector(data)
	case asTSQuery:
		return s.putTSQuery(data)
	case asRange:
		return s.putRange(t.bound(), data)
	case asMultirange:
		return s.putMultirange(t.bound(), data)
	case asRecord:
		return s.putRecord(data, depth)
	case asArray:
		return s.putArray(nil, data, depth)
	case asVector:
		return s.putVector(data, depth)
	case asTID:
		s.putByte('(')
		s.putUint(uint64(u32(data)))
		s.putByte(',')
		s.putUint(uint64(u16(data[4:])))
		s.putByte(')')
	case asLSN:
		s.putHex(u32(data), 1, 'A')
		s.putByte('/')
		s.putHex(u32(data[4:]), 1, 'A')
	case asSnapshot:
		return s.putSnapshot(data)
	default:
		return false
	}
	return true
}

// putValue adds the text of what simple read.
func (s *reader) putValue(v *resultset.Value, f form) {
	switch v.Tag {
	case driveradapter.TagInt64:
		s.putInt(v.Int)
	case driveradapter.TagFloat32:
		s.buf = number.AppendPostgres32(s.buf, float32(v.Float))
	case driveradapter.TagFloat64:
		s.putFloat(v.Float)
	case driveradapter.TagFalse:
		s.putByte('f')
	case driveradapter.TagTrue:
		s.putByte('t')
	case driveradapter.TagString:
		s.putBytes(v.Text)
	default:
		if f == asUUID {
			s.buf, _ = uuid.AppendRaw(s.buf, v.Text)
			return
		}
		s.putString(`\x`)
		for _, c := range v.Text {
			s.putHex(uint32(c), 2, 'a')
		}
	}
}

// putOID adds the text of a value whose type has the given OID.
func (s *reader) putOID(oid uint32, data []byte, depth int) bool {
	t, array := find(oid)
	switch {
	case t == nil || t.form == noBinary:
		return s.refuse(oid)
	case array:
		return s.putArray(t, data, depth)
	}
	return s.putText(t, data, depth)
}

// putChar adds a value of the type "char" as charout does since version 16.
func (s *reader) putChar(c byte) {
	switch {
	case c >= 0x80:
		s.putByte('\\')
		s.putByte('0' + c>>6)
		s.putByte('0' + c>>3&7)
		s.putByte('0' + c&7)
	case c > 0:
		s.putByte(c)
	}
}

// putNumeric adds a numeric: u16 number of digits, i16 weight of the first one, u16
// sign, u16 digits behind the point, then digits of base 10,000 (numeric_send).
func (s *reader) putNumeric(data []byte) bool {
	const (
		negative = 0x4000
		nan      = 0xc000
		infinity = 0xd000
		minusInf = 0xf000
		maxScale = 0x3fff
	)
	if len(data) < 8 || len(data) != 8+2*int(u16(data)) {
		return false
	}
	weight, sign, scale := int(int16(u16(data[2:]))), u16(data[4:]), int(u16(data[6:]))
	digits := data[8:]
	switch sign {
	case nan:
		s.putString("NaN")
		return true
	case infinity:
		s.putString("Infinity")
		return true
	case minusInf:
		s.putString("-Infinity")
		return true
	}
	if sign&^negative != 0 || scale > maxScale {
		return false
	}
	zero := true
	for i := 0; i < len(digits); i += 2 {
		d := u16(digits[i:])
		if d > 9999 {
			return false
		}
		zero = zero && d == 0
	}
	if sign == negative && !zero {
		s.putByte('-')
	}
	// What is no digit in the message is zero, before and behind those that are. A
	// server normalizes, poolers and other servers need not.
	first := 1
	for i := 0; i <= weight; i++ {
		d := digit(digits, i)
		if first == 4 || d > 0 || i == weight {
			s.putDigits(d, first)
			first = 4
		}
	}
	if weight < 0 {
		s.putByte('0')
	}
	if scale == 0 {
		return true
	}
	s.putByte('.')
	end := len(s.buf) + scale
	for i := weight + 1; len(s.buf) < end; i++ {
		s.putDigits(digit(digits, i), 4)
	}
	s.buf = s.buf[:end]
	return true
}

// digit returns digit i of base 10,000, which is 0 where there is none.
func digit(digits []byte, i int) uint64 {
	if i < 0 || i >= len(digits)/2 {
		return 0
	}
	return uint64(u16(digits[2*i:]))
}

// putBits adds a bit string: i32 number of bits, then bits.
func (s *reader) putBits(data []byte) bool {
	if len(data) < 4 {
		return false
	}
	n := int(int32(u32(data)))
	data = data[4:]
	if n < 0 || len(data) != (n+7)/8 {
		return false
	}
	if !s.fits(n) {
		return false
	}
	for i := range n {
		s.putByte('0' + data[i/8]>>(7-i%8)&1)
	}
	return true
}

// putVector adds an int2vector or oidvector, which is an array in binary format but
// not in text.
func (s *reader) putVector(data []byte, depth int) bool {
	if depth == maxDepth {
		return false
	}
	r := &s.arrays[depth]
	if !r.start(data) || r.dims != 1 {
		return false
	}
	t, array := find(r.oid)
	if t == nil || array || t.form != asInt2 && t.form != asUint4 {
		return false
	}
	space := false
	for {
		switch r.next() {
		case pgarray.Element:
			if space {
				s.putByte(' ')
			}
			space = true
			if !s.putText(t, r.element, depth) {
				return false
			}
		case pgarray.Open, pgarray.Close:
		case pgarray.End:
			return true
		default:
			return false
		}
	}
}

// putSnapshot adds a pg_snapshot: u32 number of transactions, u64 xmin and xmax, u64
// of each.
func (s *reader) putSnapshot(data []byte) bool {
	if len(data) < 20 || uint64(len(data)-20) != 8*uint64(u32(data)) {
		return false
	}
	for i := 4; i < len(data); i += 8 {
		s.putUint(u64(data[i:]))
		switch {
		case i < 20:
			s.putByte(':')
		case i+8 < len(data):
			s.putByte(',')
		}
	}
	return true
}
