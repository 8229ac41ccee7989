package host

import (
	"errors"

	"github.com/rowjet/rowjet/driveradapter"
)

var (
	// ErrModule is the error for bytes that are no module of the ABI and the
	// dialect that this package expects.
	ErrModule = errors.New("not a Rowjet module for this host")

	// ErrEngineFailed is the error for a module that trapped or broke its ABI.
	// That is a bug in the module. The instance is closed, so the next call
	// has a new one.
	ErrEngineFailed = errors.New("the WebAssembly module failed")

	// ErrClosed is the error for calls after Runtime.Close.
	ErrClosed = errors.New("the runtime is closed")

	// ErrNoMessages is the error for messages of a wire protocol that the
	// dialect's module does not read.
	ErrNoMessages = errors.New("the module of this dialect takes no messages of a wire protocol")

	// ErrMoreResults is the error for an answer with more results than the one
	// that was asked for.
	ErrMoreResults = errors.New("the answer has more than one result: use Engine.Messages")

	// ErrNoRewind is the error for SettleScan with rows that are no Rewinder.
	ErrNoRewind = errors.New("SettleScan reads the rows twice, and these cannot be rewound: use SettleBuffer, or rows with a Rewind method")
)

var (
	errNilContext = errors.New("the context is nil")
	errNilWriter  = errors.New("the writer is nil")
	errNilFunc    = errors.New("the function that takes the batches is nil")
	errResultOver = errors.New("the result was read already, or its turn is over")
)

// noColumn is the state block's mark for "no column" and "no label".
const noColumn = 0xffffffff

// aboutNoRow reports whether the state block's row says nothing, as the error
// is about the columns or the calls.
func aboutNoRow(c driveradapter.Code) bool {
	switch c {
	case driveradapter.CodeFrameInvalid, driveradapter.CodeColumnCount,
		driveradapter.CodeColumnType, driveradapter.CodeCallOrder:
		return true
	}
	return false
}
