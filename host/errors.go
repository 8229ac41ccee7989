package host

import (
	"errors"
	"reflect"

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

	// ErrRewound is the error for SettleScan with rows that are others the second
	// time: the types that the first reading found may not hold for them.
	ErrRewound = errors.New("the rows are not the same after Rewind: query in a transaction that keeps to one snapshot, or use SettleBuffer")
)

var (
	errNilContext   = errors.New("the context is nil")
	errNilWriter    = errors.New("the writer is nil")
	errNilRows      = errors.New("the rows are nil")
	errNilReader    = errors.New("the reader of messages is nil")
	errNilFunc      = errors.New("the function that takes the batches is nil")
	errNilOption    = errors.New("an option is nil")
	errNoRuntime    = errors.New("the runtime is nil, or not one that host.New returned")
	errNoEngine     = errors.New("the engine is nil, or not one that Runtime.Engine returned")
	errResultOver   = errors.New("the result was read already, or its turn is over")
	errResultBusy   = errors.New("the next result was asked for while this one is being read")
	errInvalidWrite = errors.New("the writer says that it wrote more than it was given")
)

// isNil reports whether v is nil or a nil pointer, whose methods would panic.
func isNil(v any) bool {
	value := reflect.ValueOf(v)
	return !value.IsValid() || value.Kind() == reflect.Pointer && value.IsNil()
}

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
