//go:build tinygo || wasm

package number

var naturalPair [2]natural

// naturals returns the working space of one comparison. A module has one thread, and TinyGo would leak this much for
// every call if it came from the heap.
func naturals() *[2]natural { return &naturalPair }
