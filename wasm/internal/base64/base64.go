// Package base64 encodes bytes in padded standard base64 (RFC 4648, section 4),
// and decodes hexadecimal text, PostgreSQL's form of bytes. Both append to dst,
// which may be nil, keep neither argument, and allocate only to grow dst.
package base64

import "github.com/rowjet/rowjet/wasm/internal/mem"

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// EncodedLen gives the number of bytes that Append adds for n bytes, 0 or more.
func EncodedLen(n int) int { return (n + 2) / 3 * 4 }

// Append appends the base64 of src, which may not be in the room behind dst.
//
// Whole words with computed characters, and whole words from the table, were
// measured to be as fast as this in WebAssembly, and half as fast natively.
func Append(dst, src []byte) []byte {
	n := len(dst)
	size := EncodedLen(len(src))
	dst = mem.Grow(dst, size)[:n+size]
	out := dst[n:]
	for len(src) >= 3 && len(out) >= 4 {
		a, b, c := src[0], src[1], src[2]
		out[0] = alphabet[a>>2]
		out[1] = alphabet[(a<<4|b>>4)&63]
		out[2] = alphabet[(b<<2|c>>6)&63]
		out[3] = alphabet[c&63]
		src = src[3:]
		out = out[4:]
	}
	switch len(src) {
	case 1:
		a := src[0]
		out[0] = alphabet[a>>2]
		out[1] = alphabet[a<<4&63]
		out[2] = '='
		out[3] = '='
	case 2:
		a, b := src[0], src[1]
		out[0] = alphabet[a>>2]
		out[1] = alphabet[(a<<4|b>>4)&63]
		out[2] = alphabet[b<<2&63]
		out[3] = '='
	}
	return dst
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
	out := mem.Grow(dst, size)[:n+size]
	bad := byte(0)
	for at := n; len(hex) >= 2; at++ {
		high, low := nibbles[hex[0]], nibbles[hex[1]]
		bad |= high | low
		out[at] = high<<4 | low&15
		hex = hex[2:]
	}
	if bad > 15 {
		return out[:n], false
	}
	return out, true
}

// nibbles holds the value of each hexadecimal digit, and 0xff for other bytes.
const nibbles = none + none + none +
	"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\xff\xff\xff\xff\xff\xff" +
	"\xff\x0a\x0b\x0c\x0d\x0e\x0f\xff\xff\xff\xff\xff\xff\xff\xff\xff" + none +
	"\xff\x0a\x0b\x0c\x0d\x0e\x0f\xff\xff\xff\xff\xff\xff\xff\xff\xff" + none +
	none + none + none + none + none + none + none + none

const none = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
