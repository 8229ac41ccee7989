package mysqlwire

import (
	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/engine"
	"github.com/rowjet/rowjet/wasm/internal/mem"
	"github.com/rowjet/rowjet/wasm/internal/number"
)

// none is no number, for tell and invalid.
const none = 1<<64 - 1

// stateNames tells what a packet has to be in a state.
var stateNames = [...]string{"preface", "response", "column definition", "EOF after the column definitions", "row"}

// tell begins, in s.buf, with the current packet and what is the matter with it.
func (s *reader) tell(before string, n uint64, after string) {
	s.buf, s.told = s.buf[:0], true
	s.putString(s.what)
	s.putString(" at byte ")
	s.putUint(s.packet)
	s.putString(before)
	if n != none {
		s.putUint(n)
	}
	s.putString(after)
}

func (s *reader) fail(code driveradapter.Code) engine.Event {
	s.failure = code
	return engine.EventFailed
}

// invalid is the error of a packet that breaks the protocol.
func (s *reader) invalid(before string, n uint64, after string) engine.Event {
	s.tell(before, n, after)
	return s.fail(driveradapter.CodeWireInvalid)
}

// The put functions add to s.buf. They are not inlined, for the size of the module.

//go:noinline
func (s *reader) putString(text string) { s.buf = append(mem.Grow(s.buf, len(text)), text...) }

//go:noinline
func (s *reader) putBytes(text []byte) { s.buf = append(mem.Grow(s.buf, len(text)), text...) }

//go:noinline
func (s *reader) putUint(v uint64) { s.buf = number.AppendUint(s.buf, v) }
