package mysqlwire

import (
	"math"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/engine"
	"github.com/rowjet/rowjet/wasm/internal/mem"
	"github.com/rowjet/rowjet/wasm/internal/number"
	"github.com/rowjet/rowjet/wasm/internal/resultset"
)

// null is the first byte of a cell in text format that is null.
const null = 0xfb

// startBinaryRow reads the start of a row in binary format: the byte 0, then a bit
// for each column that is null. The first two bits are not used.
func (s *reader) startBinaryRow(payload []byte) engine.Event {
	cells := 1 + (len(s.columns)+9)/8
	if payload[0] != 0 {
		return s.invalid(" begins with ", uint64(payload[0]), "")
	}
	if len(payload) < cells {
		return s.invalid(" is too short", none, "")
	}
	s.nulls, s.row = payload[1:cells], payload[cells:]
	s.column, s.complete = 0, false
	return engine.EventRow
}

// cell reads the next cell of the row.
func (s *reader) cell(v *resultset.Value) driveradapter.Code {
	c := &s.columns[s.column]
	row := s.row
	index := s.column
	s.column++
	v.Tag = driveradapter.TagNull
	if s.binary {
		if s.nulls[(index+2)/8]>>((index+2)%8)&1 != 0 {
			return s.endCell()
		}
		if c.form >= asInt8 {
			return s.fixed(v, c)
		}
	} else if len(row) > 0 && row[0] == null {
		s.row = row[1:]
		return s.endCell()
	}
	n := 0
	if len(row) > 0 && row[0] < null {
		n, row = int(row[0]), row[1:]
	} else {
		long, rest, ok := lenenc(row)
		if !ok {
			return s.short()
		}
		if long > uint64(len(rest)) {
			s.row = rest
			return s.wrongLength(long)
		}
		n, row = int(long), rest
	}
	if n > len(row) {
		s.row = row
		return s.wrongLength(uint64(n))
	}
	data := row[:n]
	s.row = row[n:]
	v.Tag, v.Text = driveradapter.TagString, data
	switch c.form {
	case asBytes:
		v.Tag = driveradapter.TagBytes
	case asDigits:
		// What it can't make sense of stays text: integers beyond 64 bits, or what the engine
		// refuses.
		if n, ok := number.ParseInt(data); ok {
			v.Tag, v.Int = driveradapter.TagInt64, n
		}
	case asFloatText, asDoubleText:
		if f, ok := number.ParseFloat64(data); ok {
			v.Tag, v.Float = driveradapter.TagFloat64, f
			if c.form == asFloatText {
				v.Tag, v.Float = driveradapter.TagFloat32, float64(float32(f))
			}
		}
	}
	if index == len(s.columns)-1 {
		return s.endCell()
	}
	return 0
}

// endCell is the error of a row with bytes behind its last cell.
func (s *reader) endCell() driveradapter.Code {
	if s.column == len(s.columns) && len(s.row) > 0 {
		s.invalid(" has ", uint64(len(s.row)), " bytes too many")
		return s.failure
	}
	return 0
}

// short is the error of a row that ends before the current cell.
func (s *reader) short() driveradapter.Code {
	s.invalid(" ends before cell ", uint64(s.column-1), "")
	return s.failure
}

// wrongLength is the error of a cell that the row has not enough bytes for.
func (s *reader) wrongLength(n uint64) driveradapter.Code {
	s.tell(": cell ", uint64(s.column-1), " is ")
	s.putUint(n)
	s.putString(" bytes long, ")
	s.putUint(uint64(len(s.row)))
	s.putString(" are left")
	s.fail(driveradapter.CodeWireInvalid)
	return s.failure
}

// sizes holds the length in bytes of the forms from asInt8 to asDouble.
const sizes = "\x01\x02\x04\x08\x04\x08"

// fixed reads a cell of a form that only binary format has.
func (s *reader) fixed(v *resultset.Value, c *column) driveradapter.Code {
	if c.form >= asDate {
		return s.temporal(v, c)
	}
	row := s.row
	n := int(sizes[c.form-asInt8])
	if n > len(row) {
		return s.wrongLength(uint64(n))
	}
	s.row = row[n:]
	v.Tag = driveradapter.TagInt64
	switch c.form {
	case asInt8:
		v.Int = int64(int8(row[0]))
		if c.unsigned {
			v.Int = int64(row[0])
		}
	case asInt16:
		bits := uint16(row[0]) | uint16(row[1])<<8
		v.Int = int64(int16(bits))
		if c.unsigned {
			v.Int = int64(bits)
		}
	case asInt32:
		bits := mem.U32(row)
		v.Int = int64(int32(bits))
		if c.unsigned {
			v.Int = int64(bits)
		}
	case asInt64:
		bits := mem.U64(row)
		v.Int = int64(bits)
		if c.unsigned && v.Int < 0 {
			s.buf = number.AppendUint(s.buf[:0], bits)
			v.Tag, v.Text = driveradapter.TagString, s.buf
		}
	case asFloat:
		v.Tag, v.Float = driveradapter.TagFloat32, float64(math.Float32frombits(mem.U32(row)))
	default:
		v.Tag, v.Float = driveradapter.TagFloat64, math.Float64frombits(mem.U64(row))
	}
	return s.endCell()
}
