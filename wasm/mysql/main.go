// Command mysql is the module for MySQL and MariaDB. It only chooses the dialect
// and the wire protocol: package exports has the functions.
package main

import (
	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/exports"
	"github.com/rowjet/rowjet/wasm/internal/mysqlwire"
)

func init() { exports.OpenWire(driveradapter.MySQL, mysqlwire.New()) }

// main does not run in a reactor, which is what ships. The build for GOOS=js is
// a command: it has to stay for its exports to be called.
func main() { select {} }
