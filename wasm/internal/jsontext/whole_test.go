package jsontext

import (
	"bytes"
	"testing"
	"unsafe"
)

// TestCopyWhole tries every length up to 100, each byte value at every place,
// with and without bytes behind the text.
func TestCopyWhole(t *testing.T) {
	for size := range 100 {
		for _, spare := range []int{size, size + 8} {
			src := make([]byte, spare+1)
			for i := range src {
				src[i] = 'a'
				if i >= size {
					src[i] = '"' // what is behind must not count
				}
			}
			for at := range max(size, 1) {
				for c := range 256 {
					if size > 0 {
						src[at] = byte(c)
					}
					dst := make([]byte, size+8)
					got := CopyWhole(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), size, spare)
					want := size == 0 || plain(byte(c))
					if got != want || want && !bytes.Equal(dst[:size], src[:size]) {
						t.Fatalf("size %d, spare %d, byte %#x at %d: got %v, %q", size, spare, c, at, got, dst[:size])
					}
				}
				if size > 0 {
					src[at] = 'a'
				}
			}
		}
	}
}
