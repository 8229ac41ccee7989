//go:build !tinygo && !wasm

package number

// naturals returns the working space of one comparison.
func naturals() *[2]natural { return new([2]natural) }
