// Package exports is the module's side of wasm/ABI.md: the functions that hosts
// call, each a line around an engine. The mains (wasm/postgres and so on) link
// it and choose the dialect.
//
// Addresses are 32 bits wide, as WebAssembly's memory has them, though the
// standard compiler's pointers have 64.
package exports

import (
	"unsafe"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/engine"
)

var (
	module *engine.Engine
	// nowhere is the address for no bytes of input: 0 would be an error.
	nowhere byte
)

// Open makes the engine behind the exports. A main calls it once, in its init,
// which runs in _initialize.
func Open(d driveradapter.Dialect) { module = engine.New(d) }

// OpenWire is Open for a module that also takes the messages of its database's
// wire protocol. The source is the main's to name, so that each module contains no
// other protocol.
func OpenWire(d driveradapter.Dialect, source engine.Source) { module = engine.NewWire(d, source) }

//go:wasmexport rowjet_abi
func ABI() uint32 { return engine.ABI }

//go:wasmexport rowjet_dialect
func Dialect() uint32 { return module.Dialect() }

//go:wasmexport rowjet_state
func State() uint32 { return address(unsafe.Pointer(module.State())) }

//go:wasmexport rowjet_begin
func Begin(source, shape, flags uint32) int32 { return module.Begin(source, shape, flags) }

//go:wasmexport rowjet_input
func Input(n uint32) uint32 {
	room := module.Input(n)
	switch {
	case n == 0:
		return address(unsafe.Pointer(&nowhere))
	case room == nil:
		return 0
	}
	return address(unsafe.Pointer(unsafe.SliceData(room)))
}

//go:wasmexport rowjet_push
func Push(n uint32) int32 { return module.Push(n) }

//go:wasmexport rowjet_resume
func Resume() int32 { return module.Resume() }

//go:wasmexport rowjet_head
func Head() int32 { return module.Head() }

//go:wasmexport rowjet_end
func End() int32 { return module.End() }

//go:wasmexport rowjet_limit
func Limit(bytes uint32) { module.Limit(bytes) }

//go:wasmexport rowjet_batch
func Batch(bytes uint32) { module.Batch(bytes) }

func address(p unsafe.Pointer) uint32 { return uint32(uintptr(p)) }
