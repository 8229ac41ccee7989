package pgwire

import (
	"math"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/base64"
	"github.com/rowjet/rowjet/wasm/internal/number"
	"github.com/rowjet/rowjet/wasm/internal/pgarray"
	"github.com/rowjet/rowjet/wasm/internal/resultset"
)

// null is the length of a cell, element or field that is null.
const null = 0xffffffff

// cell reads the next cell of the row: i32 length, or -1 for null, then bytes.
func (s *reader) cell(v *resultset.Value) driveradapter.Code {
	if len(s.row) < 4 {
		s.invalid(" ends before cell ", uint64(s.column), "")
		return s.failure
	}
	c := &s.columns[s.column]
	n, data := uint32(s.row[0])<<24|uint32(s.row[1])<<16|uint32(s.row[2])<<8|uint32(s.row[3]), s.row[4:]
	if n <= uint32(len(data)) {
		s.row, data = data[n:], data[:n]
	} else if s.row = data; n != null {
		return s.wrongLength(n)
	}
	s.column++
	if s.column == len(s.columns) && len(s.row) > 0 {
		s.surplus(len(s.row))
		return s.failure
	}
	switch {
	case n == null:
		v.Tag = driveradapter.TagNull
		return 0
	case c.plain:
		v.Tag, v.Text = driveradapter.TagString, data
		return 0
	case c.delim != 0:
		return s.startArray(v, c, data)
	case c.binary:
		return s.binary(v, c, data)
	}
	return s.text(v, c.form, data)
}

// wrongLength is the error of a cell that the message has not enough bytes for.
func (s *reader) wrongLength(n uint32) driveradapter.Code {
	s.tell(": cell ", uint64(s.column), " is ")
	s.putInt(int64(int32(n)))
	s.putString(" bytes long, ")
	s.putUint(uint64(len(s.row)))
	s.putString(" are left")
	s.fail(driveradapter.CodeWireInvalid)
	return s.failure
}

func (s *reader) startArray(v *resultset.Value, c *column, data []byte) driveradapter.Code {
	v.Tag, v.Text = driveradapter.TagList, data
	s.array, s.failure = c, 0
	if !c.binary {
		s.literal.Init(data, c.delim)
		return 0
	}
	r := &s.arrays[0]
	if !r.start(data) || c.kind != nil && r.oid != uint32(c.kind.oid) {
		return s.malformed()
	}
	return 0
}

// element reads the next token of the array that cell found.
func (s *reader) element(v *resultset.Value) pgarray.Token {
	c := s.array
	if c.binary {
		r := &s.arrays[0]
		token := r.next()
		if token == pgarray.Bad {
			s.malformed()
		}
		if token == pgarray.Element && s.binary(v, c, r.element) != 0 {
			return pgarray.Bad
		}
		return token
	}
	token := s.literal.Next()
	if token == pgarray.Element {
		if code := s.text(v, c.form, s.literal.Elem); code != 0 {
			s.failure = code
			return pgarray.Bad
		}
	}
	return token
}

// plainText reports whether the text format of a form needs no reading here.
func plainText(f form) bool {
	switch f {
	case asBool, asInt2, asInt4, asInt8, asFloat4, asFloat8, asChar, asBytea, asDate, asTimestamp, asTimestamptz:
		return false
	}
	return true
}

// text reads a value in text format. What it can't make sense of stays text, for
// the engine to refuse.
func (s *reader) text(v *resultset.Value, f form, data []byte) driveradapter.Code {
	v.Tag, v.Text = driveradapter.TagString, data
	switch f {
	case asInt2, asInt4, asInt8:
		if n, ok := number.ParseInt(data); ok {
			v.Tag, v.Int = driveradapter.TagInt64, n
		}
	case asFloat4:
		// At least as many digits as tell it from the other float4 values are there, so
		// that rounding them to a double first makes no difference.
		if n, ok := number.ParseFloat64(data); ok {
			v.Tag, v.Float = driveradapter.TagFloat32, float64(float32(n))
		}
	case asFloat8:
		if n, ok := number.ParseFloat64(data); ok {
			v.Tag, v.Float = driveradapter.TagFloat64, n
		}
	case asBool:
		if len(data) == 1 && data[0] == 't' {
			v.Tag = driveradapter.TagTrue
		} else if len(data) == 1 && data[0] == 'f' {
			v.Tag = driveradapter.TagFalse
		}
	case asChar:
		// Before version 16 the server gave the byte itself.
		if len(data) == 1 && data[0] >= 0x80 {
			s.buf = s.buf[:0]
			s.putChar(data[0])
			v.Text = s.buf
		}
	case asBytea:
		ok := false
		if len(data) >= 2 && data[0] == '\\' && data[1] == 'x' {
			s.buf, ok = base64.AppendHexDecoded(s.buf[:0], data[2:])
		} else {
			ok = s.unescape(data)
		}
		if !ok {
			s.told = false
			return driveradapter.CodeBytesInvalid
		}
		v.Tag, v.Text = driveradapter.TagBytes, s.buf
	case asDate, asTimestamp, asTimestamptz:
		if otherDateStyle(data) {
			s.told = false
			return driveradapter.CodeDateStyle
		}
	}
	return 0
}

// otherDateStyle reports whether a date is written in one of the styles SQL,
// Postgres and German (manual, 8.5.2 "Date/Time Output"). They are not read, since
// 01/02/2024 may be January or February, and CST several time zones.
func otherDateStyle(data []byte) bool {
	if len(data) < 3 {
		return false
	}
	c := data[2]
	return data[0]-'A' < 26 || c == '/' || c == '.' || c == '-'
}

// unescape puts the bytes into s.buf that the escape format of bytea stands for
// (manual, 8.4.2).
func (s *reader) unescape(text []byte) bool {
	s.buf = s.buf[:0]
	for len(text) > 0 {
		c, n := text[0], 1
		if c == '\\' {
			switch {
			case len(text) >= 2 && text[1] == c:
				n = 2
			case len(text) >= 4 && text[1]-'0' < 4 && text[2]-'0' < 8 && text[3]-'0' < 8:
				c, n = (text[1]-'0')<<6|(text[2]-'0')<<3|(text[3]-'0'), 4
			default:
				return false
			}
		}
		s.putByte(c)
		text = text[n:]
	}
	return true
}

// binary reads a value in binary format: of the column, or an element of its
// array.
func (s *reader) binary(v *resultset.Value, c *column, data []byte) driveradapter.Code {
	if !c.form.sized(data) {
		return s.malformed()
	}
	if simple(v, c.form, data) {
		return 0
	}
	switch c.form {
	case asDate:
		// An instant can have years up to 999,999.
		if days := int64(int32(u32(data))); days < mostDays && days > -mostDays {
			v.Tag = driveradapter.TagInstant
			v.Int, v.Nanosecond = epoch+days*secondsPerDay, 0
			return 0
		}
	case asTimestamp, asTimestamptz:
		micros := int64(u64(data))
		if micros != math.MinInt64 && micros != math.MaxInt64 {
			v.Tag = driveradapter.TagInstant
			v.Int, v.Nanosecond = instant(micros)
			return 0
		}
	}
	s.failure = 0
	s.buf = s.buf[:0]
	// Depth 0 may be the array that this is an element of.
	if !s.putText(c.kind, data, 1) {
		if s.failure != 0 {
			return s.failure
		}
		return s.malformed()
	}
	v.Tag, v.Text = driveradapter.TagString, s.buf
	return 0
}
