package pgwire

import (
	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/engine"
)

// none is no number, for tell and invalid.
const none = 1<<64 - 1

// tell begins, in s.buf, with the current message and what is the matter with it.
func (s *reader) tell(before string, n uint64, after string) {
	s.buf, s.told = s.buf[:0], true
	s.putString(messageName(s.kind))
	if len(s.buf) == 0 {
		s.putString("message of type 0x")
		s.putHex(uint32(s.kind), 2, 'a')
	}
	s.putString(" at byte ")
	s.putUint(s.message)
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

// invalid is the error of a message that breaks the protocol.
func (s *reader) invalid(before string, n uint64, after string) engine.Event {
	s.tell(before, n, after)
	return s.fail(driveradapter.CodeWireInvalid)
}

func (s *reader) surplus(bytes int) engine.Event {
	return s.invalid(" has ", uint64(bytes), " bytes too many")
}

// malformed is the error of a cell that is not in the binary format of its type.
func (s *reader) malformed() driveradapter.Code {
	s.tell(": cell ", uint64(s.column-1), " is not in the binary format of OID ")
	s.putUint(uint64(s.columns[s.column-1].oid))
	s.fail(driveradapter.CodeWireInvalid)
	return s.failure
}

// refuse is the error of a type whose binary format is not known. It returns
// false.
func (s *reader) refuse(oid uint32) bool {
	s.buf, s.told = s.buf[:0], true
	s.putString("OID ")
	s.putUint(uint64(oid))
	s.fail(driveradapter.CodeWireBinary)
	return false
}

// fits reports whether s.buf may grow by n bytes. If not, that is an error.
func (s *reader) fits(n int) bool {
	if uint64(len(s.buf))+uint64(n) <= uint64(s.limit) {
		return true
	}
	s.tell(": the text of cell ", uint64(s.column-1), "")
	s.fail(driveradapter.CodeMemoryLimit)
	return false
}

// messageNames holds the types of messages with the names that the manual has for
// them. Those that no query answers with are left to their numbers, for size.
const messageNames = "\x00type map\n1ParseComplete\n2BindComplete\n3CloseComplete\nANotificationResponse\n" +
	"CCommandComplete\nDDataRow\nEErrorResponse\nHCopyOutResponse\nIEmptyQueryResponse\n" +
	"NNoticeResponse\nRAuthentication\nSParameterStatus\nTRowDescription\nZReadyForQuery\nnNoData\n" +
	"sPortalSuspended\ntParameterDescription\n"

// messageName returns the name of a message, empty if it has none.
func messageName(kind byte) string {
	for i := 0; i < len(messageNames); {
		end := i
		for messageNames[end] != '\n' {
			end++
		}
		if messageNames[i] == kind {
			return messageNames[i+1 : end]
		}
		i = end + 1
	}
	return ""
}
