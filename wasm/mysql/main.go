// Command mysql is the module for MySQL result sets. It only chooses the
// dialect: package exports has the functions.
package main

import (
	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/exports"
)

func init() { exports.Open(driveradapter.MySQL) }

// main does not run in a reactor, which is what ships. The build for GOOS=js is
// a command: it has to stay for its exports to be called.
func main() { select {} }
