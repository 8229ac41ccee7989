// Package mem holds the few things that the hot paths do with memory: growing
// buffers and reading eight bytes at once.
package mem

import "unsafe"

// Grow returns b with room for n more bytes behind its length. The old array is
// garbage then, and the modules' collector never frees: so arrays double while
// they are small, and big ones grow by an eighth.
//
//go:inline
func Grow(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	return grow(b, n)
}

//go:noinline
func grow(b []byte, n int) []byte {
	need := len(b) + n
	size := 2 * cap(b)
	if size > 1<<24 {
		size = cap(b) + cap(b)/8
	}
	if size < need {
		size = need
	}
	grown := make([]byte, len(b), size)
	copy(grown, b)
	return grown
}

// Load64 reads eight bytes at p, little-endian, at any alignment. Rowjet runs
// on little-endian machines only: WebAssembly is one, and the native build
// serves tests.
//
//go:inline
func Load64(p unsafe.Pointer) uint64 { return *(*uint64)(p) }

// Store64 is the opposite of Load64.
//
//go:inline
func Store64(p unsafe.Pointer, v uint64) { *(*uint64)(p) = v }

// Text views b as a string, to compare it; the string is what b is. string(b) would
// be a copy in TinyGo, even for a comparison, and the modules' memory is never freed.
func Text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// U32 reads a little-endian u32 at the start of b.
func U32(b []byte) uint32 {
	_ = b[3]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// U64 reads a little-endian u64 at the start of b.
func U64(b []byte) uint64 {
	_ = b[7]
	return uint64(U32(b)) | uint64(U32(b[4:]))<<32
}
