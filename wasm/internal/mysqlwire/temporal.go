package mysqlwire

import (
	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/mem"
	"github.com/rowjet/rowjet/wasm/internal/number"
	"github.com/rowjet/rowjet/wasm/internal/resultset"
)

const (
	// maxDecimals is the greatest number of digits that a fraction of a second has.
	maxDecimals = 6

	// temporalRoom is the room that every text here fits in.
	temporalRoom = 48
)

// temporal reads a date, time or both in binary format, and gives the text that the
// server prints in text format. The first byte is the length of the rest: 0 if all
// of it is zero, and without a fraction, or without a time, where these are zero.
func (s *reader) temporal(v *resultset.Value, c *column) driveradapter.Code {
	if len(s.row) == 0 {
		return s.short()
	}
	n := int(s.row[0])
	data := s.row[1:]
	s.row = data
	if n > len(data) {
		return s.wrongLength(uint64(n))
	}
	s.row = data[n:]
	data = data[:n]
	s.buf = mem.Grow(s.buf[:0], temporalRoom)
	ok := false
	if c.form == asTime {
		ok = s.clockTime(data, c)
	} else {
		ok = s.dateAndTime(data, c)
	}
	if !ok {
		s.tell(": cell ", uint64(s.column-1), " is no date or time of ")
		s.putUint(uint64(n))
		s.putString(" bytes")
		s.fail(driveradapter.CodeWireInvalid)
		return s.failure
	}
	v.Tag, v.Text = driveradapter.TagString, s.buf
	return s.endCell()
}

// dateAndTime reads u16 year, u8 month, day, hour, minute and second, u32
// microseconds.
func (s *reader) dateAndTime(data []byte, c *column) bool {
	var parts [11]byte
	switch len(data) {
	case 0, 4, 7, 11:
		copy(parts[:], data)
	default:
		return false
	}
	year := uint32(parts[0]) | uint32(parts[1])<<8
	month, day := uint32(parts[2]), uint32(parts[3])
	if year > 9999 || month > 99 || day > 99 {
		return false
	}
	b := s.buf[:temporalRoom]
	putPair(b, 0, year/100)
	putPair(b, 2, year%100)
	b[4] = '-'
	putPair(b, 5, month)
	b[7] = '-'
	putPair(b, 8, day)
	if c.form == asDate {
		s.buf = b[:10]
		return true
	}
	b[10] = ' '
	return s.putClock(b, 11, uint32(parts[4]), parts[5:], c.decimals)
}

// clockTime reads u8 sign, u32 days, u8 hour, minute and second, u32 microseconds.
func (s *reader) clockTime(data []byte, c *column) bool {
	var parts [12]byte
	switch len(data) {
	case 0, 8, 12:
		copy(parts[:], data)
	default:
		return false
	}
	b := s.buf[:temporalRoom]
	at := 0
	if parts[0] != 0 {
		b[0] = '-'
		at = 1
	}
	days, hours := mem.U32(parts[1:]), uint32(parts[5])
	// Far beyond what a TIME can be, and far below what overflows.
	if days > 0xffff {
		return false
	}
	if hours += days * 24; hours > 99 {
		at = len(number.AppendUint(b[:at], uint64(hours/100)))
		hours %= 100
	}
	return s.putClock(b, at, hours, parts[6:], c.decimals)
}

// putClock puts, at b[at:], hours below 100 and what follows them: u8 minute and
// second, u32 microseconds.
func (s *reader) putClock(b []byte, at int, hours uint32, rest []byte, decimals uint8) bool {
	minutes, seconds, micros := uint32(rest[0]), uint32(rest[1]), mem.U32(rest[2:])
	if hours > 99 || minutes > 99 || seconds > 99 || micros > 999999 {
		return false
	}
	putPair(b, at, hours)
	b[at+2] = ':'
	putPair(b, at+3, minutes)
	b[at+5] = ':'
	putPair(b, at+6, seconds)
	at += 8
	if micros != 0 || decimals-1 < maxDecimals {
		b[at] = '.'
		putPair(b, at+1, micros/10000)
		putPair(b, at+3, micros/100%100)
		putPair(b, at+5, micros%100)
		// A fraction that has more digits than the column has been declared with, as some
		// servers do not tell, is printed with all of them.
		want, end := at+1+int(decimals), at+1+maxDecimals
		for end > want && b[end-1] == '0' {
			end--
		}
		if at += 1 + maxDecimals; end == want {
			at = end
		}
	}
	s.buf = b[:at]
	return true
}

func putPair(b []byte, i int, v uint32) {
	tens := v / 10
	b[i] = byte('0' + tens)
	b[i+1] = byte('0' + v - tens*10)
}
