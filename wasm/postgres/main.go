// Command postgres is the module for PostgreSQL result sets. It only chooses the
// dialect and the wire protocol: package exports has the functions.
package main

import (
	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/exports"
	"github.com/rowjet/rowjet/wasm/internal/pgwire"
)

func init() { exports.OpenWire(driveradapter.Postgres, pgwire.New()) }

// main does not run in a reactor, which is what ships. The build for GOOS=js is
// a command: it has to stay for its exports to be called.
func main() { select {} }
