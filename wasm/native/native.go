// Package native gives the serialization core to Go code outside of wasm/, as it
// is, without WebAssembly: the tests hold the built modules against it.
package native

import (
	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/engine"
)

// Engine serializes one result at a time. Its methods are the calls of
// wasm/ABI.md, with Go slices where that page has addresses.
type Engine = engine.Engine

// New returns an engine for a dialect.
func New(dialect driveradapter.Dialect) *Engine { return engine.New(dialect) }
