// Package pgwire decodes what a PostgreSQL server sends in answer to queries
// (PostgreSQL manual, chapter 55 "Frontend/Backend Protocol"): the rows of result
// sets in text and binary format, with the columns that RowDescription tells.
//
// Values become what the same values in a result-set frame are. What has no label
// of its own is its text, in binary format as the server would print it with its
// standard settings: DateStyle ISO, TimeZone UTC, IntervalStyle postgres,
// bytea_output hex, extra_float_digits 1.
package pgwire

import (
	"unsafe"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/engine"
	"github.com/rowjet/rowjet/wasm/internal/pgarray"
	"github.com/rowjet/rowjet/wasm/internal/resultset"
)

// Types of messages (manual, 55.7 "Message Formats").
const (
	// typeMap is no message of the protocol: a host tells it ahead of everything
	// else how to read types that are not built in. wasm/ABI.md has its layout.
	typeMap = 0

	parseComplete        = '1'
	bindComplete         = '2'
	closeComplete        = '3'
	notification         = 'A'
	commandComplete      = 'C'
	dataRow              = 'D'
	errorResponse        = 'E'
	emptyQuery           = 'I'
	noData               = 'n'
	notice               = 'N'
	parameterDescription = 't'
	parameterStatus      = 'S'
	portalSuspended      = 's'
	readyForQuery        = 'Z'
	rowDescription       = 'T'
)

const (
	header = 5 // type and length

	// As libpq does, messages that are not known to be longer are refused beyond
	// this length (pqParseInput3 in PostgreSQL's sources).
	longest = 30000
)

// Source reads the answer to one or several queries. It is not safe for
// concurrent use.
type Source struct {
	// A *reader. TinyGo puts a description of all fields that a type in an interface
	// leads to into the module, 1.5 kB compressed; of this one there is nothing to
	// tell.
	reader unsafe.Pointer
}

// New returns a source for engine.NewWire.
func New() Source { return Source{unsafe.Pointer(new(reader))} }

// The methods of engine.Source, whose contract is there.

func (s Source) Begin(next bool) { (*reader)(s.reader).begin(next) }
func (s Source) Next(in []byte, limit uint32) (engine.Event, int) {
	return (*reader)(s.reader).next(in, limit)
}
func (s Source) Complete() bool { return (*reader)(s.reader).isComplete() }
func (s Source) Columns() int   { return len((*reader)(s.reader).columns) }
func (s Source) Column(i int) ([]byte, driveradapter.ColumnType, driveradapter.Code) {
	return (*reader)(s.reader).describe(i)
}
func (s Source) Cell(v *resultset.Value) driveradapter.Code { return (*reader)(s.reader).cell(v) }
func (s Source) Element(v *resultset.Value) pgarray.Token   { return (*reader)(s.reader).element(v) }
func (s Source) Failure() driveradapter.Code                { return (*reader)(s.reader).failure }
func (s Source) Found() []byte                              { return (*reader)(s.reader).found() }

// reader is the state of a Source.
type reader struct {
	offset  uint64 // where the pending input begins in the stream
	message uint64 // where the current message begins
	kind    byte   // its type
	skip    uint32 // bytes of an ignored message that are still to come
	limit   uint32

	described bool // a RowDescription is in force
	closed    bool // what it described is complete
	complete  bool // nothing is missing

	mapped  []mapping
	columns []column

	row    []byte // the rest of the current DataRow
	column int

	literal pgarray.Reader
	array   *column
	arrays  [maxDepth]arrayReader // of arrays in binary format, and arrays inside of them
	pending []uint32              // what is left of a tsquery
	value   resultset.Value       // a part of a composed value
	buf     []byte                // text that was put together

	failure driveradapter.Code
	told    bool // buf tells what the error found
}

type mapping struct {
	oid   uint32
	label driveradapter.ColumnType
}

// column tells how to read the cells of a column.
type column struct {
	name   []byte // valid until the next call of Next
	oid    uint32
	kind   *pgType // nil if the type is not built in
	label  driveradapter.ColumnType
	form   form // of the elements if it is an array
	delim  byte // between elements in text format, 0 if it is no array
	binary bool
	plain  bool // cells are their bytes
	// refused is set if cells in binary format can't be read.
	refused bool
}

// begin starts a stream; or, with next, its next result set.
func (s *reader) begin(next bool) {
	if !next {
		s.offset, s.skip = 0, 0
		s.mapped = s.mapped[:0]
	}
	s.described, s.closed, s.complete = false, false, false
	s.columns = s.columns[:0]
	s.failure = 0
}

// isComplete reports whether the result may end here: not in a message, and after
// CommandComplete, EmptyQueryResponse or PortalSuspended.
func (s *reader) isComplete() bool { return s.complete && s.skip == 0 }

func (s *reader) found() []byte {
	if s.told {
		return s.buf
	}
	return nil
}

// next looks at the message at the start of in.
func (s *reader) next(in []byte, limit uint32) (engine.Event, int) {
	s.message = s.offset
	s.limit = limit
	if s.skip > 0 {
		n := min(s.skip, uint32(len(in)))
		s.skip -= n
		s.offset += uint64(n)
		if s.skip > 0 {
			return engine.EventMore, int(n)
		}
		return engine.EventSkipped, int(n)
	}
	if len(in) < header {
		return engine.EventMore, 0
	}
	length := be32(in[1:])
	s.kind = in[0]
	if length < 4 {
		return s.invalid(": its length is ", uint64(length), ""), 0
	}

	switch s.kind {
	case dataRow:
	case rowDescription:
		if s.closed {
			return engine.EventNext, 0
		}
	case typeMap:
		if s.message > 0 {
			return s.invalid(" is not expected", none, ""), 0
		}
	case errorResponse:
		length = min(length, longest)
	case notice, notification:
		s.ignore(length)
		return engine.EventSkipped, header
	case commandComplete, emptyQuery, portalSuspended, parseComplete, bindComplete, closeComplete,
		noData, parameterDescription, parameterStatus, readyForQuery:
		if length > longest {
			return s.invalid(": its length is ", uint64(length), ""), 0
		}
		if s.kind != commandComplete && s.kind != emptyQuery && s.kind != portalSuspended {
			s.ignore(length)
			return engine.EventSkipped, header
		}
	default:
		return s.invalid(" is not expected", none, ""), 0
	}
	if length >= limit {
		s.tell(": its length is ", uint64(length), "")
		return s.fail(driveradapter.CodeMemoryLimit), 0
	}
	size := int(length) + 1
	if len(in) < size {
		return engine.EventMore, 0
	}
	s.offset += uint64(size)
	return s.read(in[header:size]), size
}

// ignore skips the current message.
func (s *reader) ignore(length uint32) {
	s.offset += header
	s.skip = length + 1 - header
}

// read reads a message that is whole.
func (s *reader) read(body []byte) engine.Event {
	switch s.kind {
	case dataRow:
		return s.startRow(body)
	case rowDescription:
		return s.describeRow(body)
	case typeMap:
		return s.setTypes(body)
	case errorResponse:
		return s.serverError(body)
	case commandComplete, emptyQuery:
		s.closed = s.described
	}
	s.complete = true
	return engine.EventSkipped
}

// startRow begins with a DataRow: u16 count, then cells.
func (s *reader) startRow(body []byte) engine.Event {
	if !s.described || s.closed {
		return s.invalid(" without a RowDescription", none, "")
	}
	if len(body) < 2 {
		return s.invalid(" is too short", none, "")
	}
	count := int(body[0])<<8 | int(body[1])
	if count != len(s.columns) {
		s.tell(" has ", uint64(count), " cells for ")
		s.putUint(uint64(len(s.columns)))
		s.putString(" columns")
		return s.fail(driveradapter.CodeWireInvalid)
	}
	s.row = body[2:]
	s.column = 0
	s.complete = false
	if count == 0 && len(s.row) > 0 {
		return s.surplus(len(s.row))
	}
	return engine.EventRow
}

// describeRow reads a RowDescription: u16 count, then of each field its name with
// a zero at the end, u32 and u16 about the table, u32 type OID, u16 and u32 about
// the type, u16 format code.
func (s *reader) describeRow(body []byte) engine.Event {
	const rest = 18
	if s.described {
		return s.invalid(" before the end of the result set", none, "")
	}
	if len(body) < 2 {
		return s.invalid(" is too short", none, "")
	}
	count := int(u16(body))
	body = body[2:]
	s.columns = s.columns[:0]
	for i := 0; i < count; i++ {
		end := zero(body)
		if end < 0 || len(body)-end-1 < rest {
			return s.invalid(" ends in field ", uint64(i), "")
		}
		field := body[end+1:]
		if format := u16(field[16:]); format > 1 {
			s.tell(": field ", uint64(i), " has format code ")
			s.putUint(uint64(format))
			return s.fail(driveradapter.CodeWireInvalid)
		}
		s.columns = append(s.columns, column{name: body[:end], oid: u32(field[6:]), binary: field[17] != 0})
		s.plan(&s.columns[i])
		body = field[rest:]
	}
	if len(body) > 0 {
		return s.surplus(len(body))
	}
	s.described, s.complete = true, false
	return engine.EventColumns
}

// plan decides how a column is read.
func (s *reader) plan(c *column) {
	array := false
	c.kind, array = find(c.oid)
	if c.kind != nil {
		c.label, c.form = c.kind.label, c.kind.form
	} else {
		// Of the types that a host may map only enums are known to be the same in
		// binary format.
		c.label, c.refused = driveradapter.Text, true
		for i := range s.mapped {
			if s.mapped[i].oid == c.oid {
				c.label, array = s.mapped[i].label.Element()
				c.form = textForm(c.label)
				c.refused = c.label != driveradapter.Enum
			}
		}
	}
	if c.form == noBinary {
		c.refused = true
	}
	c.plain = !array && (!c.binary || c.form == asText) && plainText(c.form)
	if array {
		c.label = arrayOf(c.label)
		c.delim = ','
		if c.kind != nil && c.kind.oid == boxOID {
			c.delim = ';'
		}
	}
}

// textForm returns the form that has the text format of what a host maps to a
// label.
func textForm(label driveradapter.ColumnType) form {
	switch label {
	case driveradapter.Int32:
		return asInt4
	case driveradapter.Int64:
		return asInt8
	case driveradapter.Float, driveradapter.Double:
		return asFloat8
	case driveradapter.Boolean:
		return asBool
	case driveradapter.Bytes:
		return asBytea
	case driveradapter.Date, driveradapter.DateTime:
		return asTimestamp
	}
	return asText
}

func (s *reader) describe(i int) (name []byte, label driveradapter.ColumnType, code driveradapter.Code) {
	c := &s.columns[i]
	if c.binary && c.refused {
		s.refuse(c.oid)
		return c.name, c.label, s.failure
	}
	return c.name, c.label, 0
}

// setTypes reads a type map: u32 OID and u32 label of each type.
func (s *reader) setTypes(body []byte) engine.Event {
	for ; len(body) >= 8; body = body[8:] {
		oid, label := u32(body), u32(body[4:])
		if label >= uint32(driveradapter.UnknownNumber) || !driveradapter.ColumnType(label).Declarable() {
			s.tell(": the label of OID ", uint64(oid), " is ")
			s.putUint(uint64(label))
			return s.fail(driveradapter.CodeColumnType)
		}
		if t, _ := find(oid); t != nil {
			return s.invalid(": OID ", uint64(oid), " is built in")
		}
		s.mapped = append(s.mapped, mapping{oid, driveradapter.ColumnType(label)})
	}
	if len(body) > 0 {
		return s.surplus(len(body))
	}
	return engine.EventSkipped
}

// serverError reads an ErrorResponse: fields of a byte that tells what it is and a
// text with a zero at the end.
func (s *reader) serverError(body []byte) engine.Event {
	var code, message []byte
	for len(body) > 0 && body[0] != 0 {
		end := zero(body)
		if end < 0 {
			end = len(body)
		}
		switch body[0] {
		case 'C':
			code = body[1:end]
		case 'M':
			message = body[1:end]
		}
		body = body[min(end+1, len(body)):]
	}
	s.buf, s.told = s.buf[:0], true
	s.putBytes(code)
	s.putString(": ")
	s.putBytes(message)
	return s.fail(driveradapter.CodeServerError)
}

// zero returns the index of the first zero in b, -1 if there is none.
//
//go:noinline
func zero(b []byte) int {
	for i, c := range b {
		if c == 0 {
			return i
		}
	}
	return -1
}

// be32 reads a big-endian u32 at the start of b.
func be32(b []byte) uint32 {
	_ = b[3]
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

// These are be32 and its like where it is not worth the bytes of each copy.

//go:noinline
func u16(b []byte) uint16 { return uint16(b[0])<<8 | uint16(b[1]) }

//go:noinline
func u32(b []byte) uint32 { return be32(b) }

//go:noinline
func u64(b []byte) uint64 { return uint64(be32(b))<<32 | uint64(be32(b[4:])) }
