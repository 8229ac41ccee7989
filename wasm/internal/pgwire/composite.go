package pgwire

import "github.com/rowjet/rowjet/wasm/internal/pgarray"

// Flags of a range (rangetypes.h).
const (
	rangeEmpty          = 0x01
	rangeLowerInclusive = 0x02
	rangeUpperInclusive = 0x04
	rangeLowerInfinite  = 0x08
	rangeUpperInfinite  = 0x10
)

// putRange adds a range: u8 flags, then of each bound that it has i32 length and
// bytes (range_send).
func (s *reader) putRange(bound *pgType, data []byte) bool {
	if len(data) == 0 {
		return false
	}
	flags := data[0]
	data = data[1:]
	if flags&rangeEmpty != 0 {
		s.putString("empty")
		return len(data) == 0
	}
	if flags&rangeLowerInclusive != 0 {
		s.putByte('[')
	} else {
		s.putByte('(')
	}
	ok := true
	if flags&rangeLowerInfinite == 0 {
		data, ok = s.putBound(bound, data)
	}
	s.putByte(',')
	if flags&rangeUpperInfinite == 0 && ok {
		data, ok = s.putBound(bound, data)
	}
	if flags&rangeUpperInclusive != 0 {
		s.putByte(']')
	} else {
		s.putByte(')')
	}
	return ok && len(data) == 0
}

func (s *reader) putBound(bound *pgType, data []byte) (rest []byte, ok bool) {
	value, isNull, rest, ok := item(data)
	start := len(s.buf)
	return rest, ok && !isNull && s.putText(bound, value, 0) && s.quote(start, inRange)
}

// putMultirange adds a multirange: u32 number of ranges; of each i32 length and
// bytes.
func (s *reader) putMultirange(bound *pgType, data []byte) bool {
	if len(data) < 4 {
		return false
	}
	count := u32(data)
	data = data[4:]
	s.putByte('{')
	for i := uint32(0); i < count; i++ {
		if i > 0 {
			s.putByte(',')
		}
		value, isNull, rest, ok := item(data)
		if !ok || isNull || !s.putRange(bound, value) {
			return false
		}
		data = rest
	}
	s.putByte('}')
	return len(data) == 0
}

// putRecord adds a composite value: u32 number of fields; of each u32 type OID, i32
// length, or -1 for null, and bytes (record_send).
func (s *reader) putRecord(data []byte, depth int) bool {
	if len(data) < 4 || depth == maxDepth {
		return false
	}
	count := u32(data)
	data = data[4:]
	s.putByte('(')
	for i := uint32(0); i < count; i++ {
		if i > 0 {
			s.putByte(',')
		}
		if len(data) < 4 {
			return false
		}
		oid := u32(data)
		value, isNull, rest, ok := item(data[4:])
		start := len(s.buf)
		if !ok || !isNull && !(s.putOID(oid, value, depth+1) && s.quote(start, inRecord)) {
			return false
		}
		data = rest
	}
	s.putByte(')')
	return len(data) == 0
}

// putArray adds the literal of an array with elements of the type t, or of the type
// that the array names if t is nil.
func (s *reader) putArray(t *pgType, data []byte, depth int) bool {
	if depth == maxDepth {
		return false
	}
	r := &s.arrays[depth]
	if !r.start(data) || t != nil && uint32(t.oid) != r.oid {
		return false
	}
	s.putBounds(r)
	x := inArray
	if r.oid == boxOID {
		x = inBoxArray
	}
	comma := false
	for {
		token := r.next()
		if comma && (token == pgarray.Open || token == pgarray.Null || token == pgarray.Element) {
			s.putByte(x.delimiter())
		}
		comma = token != pgarray.Open
		switch token {
		case pgarray.End:
			return true
		case pgarray.Open:
			s.putByte('{')
		case pgarray.Close:
			s.putByte('}')
		case pgarray.Null:
			s.putString("NULL")
		case pgarray.Element:
			start := len(s.buf)
			if !s.putOID(r.oid, r.element, depth+1) || !s.quote(start, x) {
				return false
			}
		default:
			return false
		}
	}
}

// putBounds adds the bounds of an array, unless it begins at 1 everywhere.
func (s *reader) putBounds(r *arrayReader) {
	usual := true
	for _, lower := range r.lower[:r.dims] {
		usual = usual && lower == 1
	}
	if usual {
		return
	}
	for i, lower := range r.lower[:r.dims] {
		s.putByte('[')
		s.putInt(int64(lower))
		s.putByte(':')
		s.putInt(int64(lower) + int64(r.length[i]) - 1)
		s.putByte(']')
	}
	s.putByte('=')
}

// syntax is what a text stands in, which decides when and how it is quoted.
type syntax uint8

const (
	inArray syntax = iota
	inBoxArray
	inRecord
	inRange
)

func (x syntax) delimiter() byte {
	if x == inBoxArray {
		return ';'
	}
	return ','
}

// special reports whether a text with this byte has to be quoted.
//
//go:noinline
func (x syntax) special(c byte) bool {
	switch c {
	case '"', '\\', ' ', '\t', '\n', '\v', '\f', '\r':
		return true
	case '{', '}':
		return x <= inBoxArray
	case '(', ')':
		return x >= inRecord
	case '[', ']':
		return x == inRange
	}
	return c == x.delimiter()
}

// quote quotes the text from start on if that is needed (array_out, record_out,
// range_bound_escape). False: it would pass the memory limit.
func (s *reader) quote(start int, x syntax) bool {
	text := s.buf[start:]
	quoted := len(text) == 0 || x <= inBoxArray && len(text) == 4 && isNull(text)
	more := 2
	for _, c := range text {
		if x.special(c) {
			quoted = true
			if c == '"' || c == '\\' {
				more++
			}
		}
	}
	if !s.fits(more) {
		return false
	}
	if !quoted {
		return true
	}
	from := len(s.buf)
	for range more {
		s.putByte('"')
	}
	b := s.buf
	to := len(b) - 1 // b[to] is the closing quote
	for from > start {
		from--
		to--
		c := b[from]
		b[to] = c
		if c == '"' || c == '\\' {
			to--
			b[to] = c
			if x <= inBoxArray {
				b[to] = '\\'
			}
		}
	}
	b[start] = '"'
	return true
}

func isNull(text []byte) bool {
	return text[0]|0x20 == 'n' && text[1]|0x20 == 'u' && text[2]|0x20 == 'l' && text[3]|0x20 == 'l'
}
