package jsontext

import (
	"unsafe"

	"github.com/rowjet/rowjet/wasm/internal/mem"
)

// CopyWhole copies size bytes from src to dst if all of them are plain, and
// reports whether they are; if not, what it wrote means nothing. spare is how
// many bytes, at least size, may be read at src. Up to eight bytes behind the
// text are written over, so dst must have room for them.
//
// Of each step the load and the store that lie farthest come first: wazero then
// checks bounds once for all of them.
func CopyWhole(dst, src unsafe.Pointer, size, spare int) bool {
	i := 0
	for ; i+32 <= size; i += 32 {
		d, c := mem.Load64(unsafe.Add(src, i+24)), mem.Load64(unsafe.Add(src, i+16))
		b, a := mem.Load64(unsafe.Add(src, i+8)), mem.Load64(unsafe.Add(src, i))
		mem.Store64(unsafe.Add(dst, i+24), d)
		mem.Store64(unsafe.Add(dst, i+16), c)
		mem.Store64(unsafe.Add(dst, i+8), b)
		mem.Store64(unsafe.Add(dst, i), a)
		if ((a-spaces)|((a^quotes)-ones)|((a^slashes)-ones)|a|
			(b-spaces)|((b^quotes)-ones)|((b^slashes)-ones)|b|
			(c-spaces)|((c^quotes)-ones)|((c^slashes)-ones)|c|
			(d-spaces)|((d^quotes)-ones)|((d^slashes)-ones)|d)&tops != 0 {
			return false
		}
	}
	if i+16 <= size {
		b, a := mem.Load64(unsafe.Add(src, i+8)), mem.Load64(unsafe.Add(src, i))
		mem.Store64(unsafe.Add(dst, i+8), b)
		mem.Store64(unsafe.Add(dst, i), a)
		if ((a-spaces)|((a^quotes)-ones)|((a^slashes)-ones)|a|(b-spaces)|((b^quotes)-ones)|((b^slashes)-ones)|b)&tops != 0 {
			return false
		}
		i += 16
	}
	switch {
	case i == size:
		return true
	case size >= 16: // the last sixteen, some of them once more
		i = size - 16
		b, a := mem.Load64(unsafe.Add(src, i+8)), mem.Load64(unsafe.Add(src, i))
		mem.Store64(unsafe.Add(dst, i+8), b)
		mem.Store64(unsafe.Add(dst, i), a)
		return ((a-spaces)|((a^quotes)-ones)|((a^slashes)-ones)|a|(b-spaces)|((b^quotes)-ones)|((b^slashes)-ones)|b)&tops == 0
	case size >= 8:
		i = size - 8
		b, a := mem.Load64(unsafe.Add(src, i)), mem.Load64(src)
		mem.Store64(unsafe.Add(dst, i), b)
		mem.Store64(dst, a)
		return ((a-spaces)|((a^quotes)-ones)|((a^slashes)-ones)|a|(b-spaces)|((b^quotes)-ones)|((b^slashes)-ones)|b)&tops == 0
	case spare >= 8:
		a := mem.Load64(src)
		mem.Store64(dst, a)
		// Spaces in place of what does not belong to the text.
		keep := uint64(1)<<(uint(size)*8) - 1
		a = a&keep | spaces&^keep
		return ((a-spaces)|((a^quotes)-ones)|((a^slashes)-ones)|a)&tops == 0
	}
	for ; i < size; i++ {
		c := *(*byte)(unsafe.Add(src, i))
		if !plain(c) {
			return false
		}
		*(*byte)(unsafe.Add(dst, i)) = c
	}
	return true
}
