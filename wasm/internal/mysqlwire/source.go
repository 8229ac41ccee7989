// Package mysqlwire decodes what a MySQL or MariaDB server sends in answer to
// COM_QUERY and COM_STMT_EXECUTE (MySQL internals, "Client/Server Protocol";
// MariaDB's knowledge base, "Client/Server Protocol"): the rows of result sets in
// text and binary format, with the columns that the column definitions tell.
//
// Values become what the same values in a result-set frame are. Both formats give
// the same Values, as far as the server sends the same value in both.
package mysqlwire

import (
	"unsafe"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/engine"
	"github.com/rowjet/rowjet/wasm/internal/mem"
	"github.com/rowjet/rowjet/wasm/internal/pgarray"
	"github.com/rowjet/rowjet/wasm/internal/resultset"
)

const (
	// A preface is no packet of the protocol: a host tells it ahead of everything else
	// what was agreed on. wasm/ABI.md has its layout.
	prefaceSize = 12

	header  = 4 // length and sequence id
	eofSize = 5 // of the payload

	// fullPacket is the length of a packet that goes on in the next one.
	fullPacket = 0xffffff

	// maxColumns is far above the limit of the servers, 4,096.
	maxColumns = 0xffff
)

// First bytes of packets.
const (
	okPacket    = 0x00
	localInfile = 0xfb
	endPacket   = 0xfe // EOF, or OK in its place
	errPacket   = 0xff
)

// Capabilities, and extended capabilities of MariaDB.
const (
	deprecateEOF     = 1 << 24
	optionalMetadata = 1 << 25

	extendedMetadata = 1 << 3
	cacheMetadata    = 1 << 4
)

// Status flags of EOF and OK.
const (
	moreResults  = 0x08
	cursorExists = 0x40
	lastRowSent  = 0x80
)

// Source reads the answer to a command. It is not safe for concurrent use.
type Source struct {
	// A *reader, hidden as in package pgwire: TinyGo would describe its fields in the
	// module.
	reader unsafe.Pointer
}

// New returns a source for engine.NewWire.
func New() Source { return Source{unsafe.Pointer(new(reader))} }

// The methods of engine.Source, whose contract is there.

func (s Source) Begin(next bool) { (*reader)(s.reader).begin(next) }
func (s Source) Next(in []byte, limit uint32) (engine.Event, int) {
	return (*reader)(s.reader).next(in, limit)
}
func (s Source) Complete() bool { return (*reader)(s.reader).complete }
func (s Source) Columns() int   { return len((*reader)(s.reader).columns) }
func (s Source) Column(i int) ([]byte, driveradapter.ColumnType, driveradapter.Code) {
	return (*reader)(s.reader).describe(i)
}
func (s Source) Cell(v *resultset.Value) driveradapter.Code { return (*reader)(s.reader).cell(v) }
func (s Source) Failure() driveradapter.Code                { return (*reader)(s.reader).failure }
func (s Source) Found() []byte                              { return (*reader)(s.reader).found() }

// Element is never called: these databases have no arrays.
func (s Source) Element(*resultset.Value) pgarray.Token { return pgarray.Bad }

// state is what the next packet has to be.
type state uint8

const (
	atPreface    state = iota
	atResponse         // OK, or a column count
	atDefinition       // a column definition
	atRowsEOF          // EOF between definitions and rows
	atRow              // a row, or the end of the rows
)

// reader is the state of a Source.
type reader struct {
	offset uint64 // where the pending input begins in the stream
	packet uint64 // where the current packet begins
	what   string // what it is
	state  state

	capabilities, extended uint32 // of the preface
	binary                 bool   // rows are in binary format
	limit                  uint32

	more     bool // the server announced another result, or nothing came yet
	closed   bool // a result set is complete
	complete bool // nothing is missing
	expected int  // number of columns

	columns []column
	names   []byte // of the columns

	row    []byte // the rest of the current row
	nulls  []byte // in binary format, a bit for each column from the third on
	column int

	buf     []byte // text that was put together
	failure driveradapter.Code
	told    bool // buf tells what the error found
}

// begin starts a stream; or, with next, its next result set.
func (s *reader) begin(next bool) {
	if !next {
		s.offset = 0
		s.state = atPreface
		s.more = true
	}
	s.closed, s.complete = false, false
	s.columns = s.columns[:0]
	s.failure, s.told = 0, false
}

func (s *reader) found() []byte {
	if s.told {
		return s.buf
	}
	return nil
}

// next looks at the packet at the start of in.
func (s *reader) next(in []byte, limit uint32) (engine.Event, int) {
	s.packet, s.limit = s.offset, limit
	s.what = stateNames[s.state]
	if s.state == atPreface {
		return s.preface(in)
	}
	if s.state == atResponse && !s.more && len(in) > 0 {
		return s.invalid(" is not expected", none, ""), 0
	}
	if len(in) < header {
		return engine.EventMore, 0
	}
	length := int(u24(in))
	size := header + length
	if length == fullPacket {
		if s.state != atRow {
			return s.invalid(": its length is ", fullPacket, ""), 0
		}
		// The packets of one payload; its length is known when all of their headers are in.
		for last := length; last == fullPacket && uint32(length) < limit; {
			if len(in) < size+header {
				return engine.EventMore, 0
			}
			last = int(u24(in[size:]))
			length += last
			size += header + last
		}
	}
	if uint32(length) >= limit {
		s.tell(": its length is ", uint64(length), "")
		return s.fail(driveradapter.CodeMemoryLimit), 0
	}
	if len(in) < size {
		return engine.EventMore, 0
	}
	payload := in[header:size]
	if length >= fullPacket {
		// In place: the input is the reader's until the next call.
		to := fullPacket
		for from := fullPacket + header; from < len(payload); from += fullPacket + header {
			to += copy(payload[to:], payload[from:min(len(payload), from+fullPacket)])
		}
		payload = payload[:length]
	}
	if len(payload) == 0 {
		return s.invalid(" is empty", none, ""), 0
	}
	event := s.read(payload)
	if event == engine.EventNext {
		return event, 0
	}
	s.offset += uint64(size)
	return event, size
}

// preface reads the host's preface.
func (s *reader) preface(in []byte) (engine.Event, int) {
	if len(in) < prefaceSize {
		return engine.EventMore, 0
	}
	s.capabilities, s.extended = mem.U32(in), mem.U32(in[4:])
	format := mem.U32(in[8:])
	if format > 1 {
		return s.invalid(": format ", uint64(format), ""), 0
	}
	s.binary = format == 1
	s.state = atResponse
	s.offset = prefaceSize
	return engine.EventSkipped, prefaceSize
}

// read reads a packet that is whole.
func (s *reader) read(payload []byte) engine.Event {
	first := payload[0]
	if first == errPacket {
		return s.serverError(payload)
	}
	switch s.state {
	case atRow:
		switch {
		case first == endPacket && len(payload) < fullPacket:
			return s.end(payload)
		case s.binary:
			return s.startBinaryRow(payload)
		}
		s.row, s.column, s.complete = payload, 0, false
		return engine.EventRow
	case atDefinition:
		return s.define(payload)
	case atRowsEOF:
		if first != endPacket || len(payload) != eofSize {
			return s.invalid(" is missing", none, "")
		}
		return s.end(payload)
	}
	return s.respond(payload)
}

// respond reads the first packet of a result.
func (s *reader) respond(payload []byte) engine.Event {
	const shortestOK = 7
	rest := payload
	switch {
	case payload[0] == okPacket && len(payload) >= shortestOK:
		s.what = "OK"
		return s.end(payload)
	case payload[0] == localInfile:
		s.what = "LOCAL INFILE request"
		return s.invalid(" is not expected", none, "")
	case s.closed:
		return engine.EventNext
	}
	follows := byte(1)
	if s.capabilities&optionalMetadata != 0 {
		follows, rest = rest[0], rest[1:]
	}
	count, rest, ok := lenenc(rest)
	if ok && s.extended&cacheMetadata != 0 {
		if ok = len(rest) > 0; ok {
			follows, rest = rest[0], rest[1:]
		}
	}
	switch {
	case !ok || len(rest) > 0 || count == 0 || count > maxColumns:
		return s.invalid(" is malformed", none, "")
	case follows != 1:
		return s.invalid(": the column definitions are left out", none, "")
	}
	s.columns, s.names = s.columns[:0], s.names[:0]
	s.expected = int(count)
	s.complete = false
	s.state = atDefinition
	return engine.EventSkipped
}

// end reads EOF: 0xfe, u16 warnings, u16 status; or OK: 0x00 or 0xfe, the number of
// affected rows, the last insert id, u16 status and more that does not matter here.
func (s *reader) end(payload []byte) engine.Event {
	rest, ok := payload[1:], true
	if len(payload) == eofSize {
		rest = payload[3:]
	} else {
		if _, rest, ok = lenenc(rest); ok {
			_, rest, ok = lenenc(rest)
		}
		if !ok || len(rest) < 2 {
			return s.invalid(" is malformed", none, "")
		}
	}
	status := rest[0]
	suspended := status&cursorExists != 0 && status&lastRowSent == 0
	switch {
	case s.state == atRowsEOF:
		s.state = atRow
		s.complete = suspended
		return engine.EventSkipped
	case s.state == atRow && !suspended:
		s.state = atResponse
		s.closed = true
	}
	s.more = status&moreResults != 0
	s.complete = true
	return engine.EventSkipped
}

// serverError reads ERR: 0xff, u16 number, perhaps # and five bytes of SQLSTATE, the
// message.
func (s *reader) serverError(payload []byte) engine.Event {
	const (
		progress = 0xffff
		most     = 500 // more than is shown
	)
	if len(payload) < 3 {
		s.what = "ERR"
		return s.invalid(" is malformed", none, "")
	}
	number := uint64(payload[1]) | uint64(payload[2])<<8
	if number == progress {
		return engine.EventSkipped
	}
	message := payload[3:]
	s.buf, s.told = s.buf[:0], true
	s.putUint(number)
	if len(message) >= 6 && message[0] == '#' {
		s.putString(" (")
		s.putBytes(message[1:6])
		s.putString(")")
		message = message[6:]
	}
	s.putString(": ")
	s.putBytes(message[:min(len(message), most)])
	return s.fail(driveradapter.CodeServerError)
}

// lenenc reads a length-encoded integer.
//
//go:noinline
func lenenc(b []byte) (v uint64, rest []byte, ok bool) {
	if len(b) == 0 {
		return 0, nil, false
	}
	size := 0
	switch first := b[0]; first {
	case 0xfc:
		size = 2
	case 0xfd:
		size = 3
	case 0xfe:
		size = 8
	case 0xfb, 0xff: // null, and an error: no integers
		return 0, nil, false
	default:
		return uint64(first), b[1:], true
	}
	if len(b) <= size {
		return 0, nil, false
	}
	for i := size; i > 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v, b[size+1:], true
}

func u24(b []byte) uint32 {
	_ = b[2]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
}
