// Package dist holds the modules that ship, built by make wasm from the sources
// of this repository. make wasm-verify proves that.
package dist

import _ "embed"

// The modules as WebAssembly binaries, one for each dialect; wasm/ABI.md says
// how to run them. They are shared: nobody may write to them.
var (
	//go:embed postgres.wasm
	Postgres []byte
	//go:embed mysql.wasm
	MySQL []byte
	//go:embed sqlite.wasm
	SQLite []byte
)
