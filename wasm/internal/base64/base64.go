// Package base64 encodes bytes in padded standard base64 (RFC 4648, section 4),
// and decodes hexadecimal text, PostgreSQL's form of bytes. Both append to dst,
// which may be nil, keep neither argument, and allocate only to grow dst.
package base64

import (
	"unsafe"

	"github.com/rowjet/rowjet/wasm/internal/mem"
)

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// EncodedLen gives the number of bytes that Append adds for n bytes, 0 or more.
func EncodedLen(n int) int { return (n + 2) / 3 * 4 }

// Append appends the base64 of src, which may not be in the room behind dst.
//
// Ways to encode eight characters at once were measured too: they are no faster
// in WebAssembly, and half as fast natively.
func Append(dst, src []byte) []byte {
	n := len(dst)
	size := EncodedLen(len(src))
	dst = mem.Grow(dst, size)[:n+size]
	whole := len(src) / 3 * 3
	if whole != 0 {
		encode(unsafe.Pointer(&dst[n]), unsafe.Pointer(&src[0]), whole)
	}
	out := dst[n+whole/3*4:]
	switch rest := src[whole:]; len(rest) {
	case 1:
		a := rest[0]
		out[0] = alphabet[a>>2]
		out[1] = alphabet[a<<4&63]
		out[2] = '='
		out[3] = '='
	case 2:
		a, b := rest[0], rest[1]
		out[0] = alphabet[a>>2]
		out[1] = alphabet[(a<<4|b>>4)&63]
		out[2] = alphabet[b<<2&63]
		out[3] = '='
	}
	return dst
}

// encode writes the characters of n bytes, a multiple of 3. It is apart so that all
// it needs stays in registers; checking the bounds of each byte would take most of
// the time.
//
//go:noinline
func encode(to, from unsafe.Pointer, n int) {
	j := 0
	for i := 0; i < n; i += 3 {
		a, b, c := at(from, i), at(from, i+1), at(from, i+2)
		put(to, j, alphabet[a>>2])
		put(to, j+1, alphabet[(a<<4|b>>4)&63])
		put(to, j+2, alphabet[(b<<2|c>>6)&63])
		put(to, j+3, alphabet[c&63])
		j += 4
	}
}

// AppendHexDecoded appends the bytes that hex, pairs of hexadecimal digits of
// either case, stands for. False: hex is not such a text, and the length of dst is
// as it was.
func AppendHexDecoded(dst, hex []byte) ([]byte, bool) {
	if len(hex)&1 != 0 {
		return dst, false
	}
	n := len(dst)
	size := len(hex) / 2
	if size == 0 {
		return dst, true
	}
	dst = mem.Grow(dst, size)[:n+size]
	if !decodeHex(unsafe.Pointer(&dst[n]), unsafe.Pointer(&hex[0]), size) {
		return dst[:n], false
	}
	return dst, true
}

// decodeHex writes n bytes, and tells if their digits were digits.
//
//go:noinline
func decodeHex(to, from unsafe.Pointer, n int) bool {
	bad := byte(0)
	for i := 0; i < n; i++ {
		high, low := nibbles[at(from, 2*i)], nibbles[at(from, 2*i+1)]
		bad |= high | low
		put(to, i, high<<4|low&15)
	}
	return bad <= 15
}

func at(p unsafe.Pointer, i int) byte { return *(*byte)(unsafe.Add(p, i)) }

func put(p unsafe.Pointer, i int, c byte) { *(*byte)(unsafe.Add(p, i)) = c }

// nibbles holds the value of each hexadecimal digit, and 0xff for other bytes.
const nibbles = none + none + none +
	"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\xff\xff\xff\xff\xff\xff" +
	"\xff\x0a\x0b\x0c\x0d\x0e\x0f\xff\xff\xff\xff\xff\xff\xff\xff\xff" + none +
	"\xff\x0a\x0b\x0c\x0d\x0e\x0f\xff\xff\xff\xff\xff\xff\xff\xff\xff" + none +
	none + none + none + none + none + none + none + none

const none = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
