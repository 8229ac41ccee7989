// Package native gives the serialization core to Go code outside of wasm/, as it
// is, without WebAssembly: the tests hold the built modules against it.
package native

import (
	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/engine"
	"github.com/rowjet/rowjet/wasm/internal/mysqlwire"
	"github.com/rowjet/rowjet/wasm/internal/pgwire"
)

// Engine serializes one result at a time. Its methods are the calls of
// wasm/ABI.md, with Go slices where that page has addresses.
type Engine = engine.Engine

// New returns an engine for a dialect, with the wire protocol that its module has.
func New(dialect driveradapter.Dialect) *Engine {
	switch dialect {
	case driveradapter.Postgres:
		return engine.NewWire(dialect, pgwire.New())
	case driveradapter.MySQL:
		return engine.NewWire(dialect, mysqlwire.New())
	}
	return engine.New(dialect)
}
