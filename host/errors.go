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

	// ErrNoRewind is the error for SettleScan with rows that are no Rewinder.
	ErrNoRewind = errors.New("SettleScan reads the rows twice, and these cannot be rewound: use SettleBuffer, or rows with a Rewind method")
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
