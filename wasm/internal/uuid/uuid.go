// Package uuid rewrites UUIDs in the one form that Rowjet emits: lower-case and
// hyphenated (RFC 9562, section 4). Its functions append to dst, which may be nil,
// keep neither argument, and allocate only to grow dst. If they refuse an input,
// the dst that they return has the length it came with.
package uuid

import (
	"unsafe"

	"github.com/rowjet/rowjet/wasm/internal/mem"
)

const (
	textLen = 36
	ones    = 0x0101010101010101
	high    = 0x80 * ones
)

// AppendText appends the UUID that the text b denotes: hyphenated or 32
// hexadecimal digits, either bare, in braces or after "urn:uuid:", in any case.
func AppendText(dst, b []byte) ([]byte, bool) {
	if len(b) > 32 && len(b) != textLen {
		b = unwrap(b)
	}
	// The digits, eight at a time.
	var w0, w1, w2, w3 uint64
	switch len(b) {
	case textLen:
		if b[8] != '-' || b[13] != '-' || b[18] != '-' || b[23] != '-' {
			return dst, false
		}
		w0 = load(b, 0)
		w1 = load(b, 9)&0xffffffff | load(b, 14)<<32
		w2 = load(b, 19)&0xffffffff | load(b, 24)<<32
		w3 = load(b, 28)
	case 32:
		w0, w1, w2, w3 = load(b, 0), load(b, 8), load(b, 16), load(b, 24)
	default:
		return dst, false
	}
	if (notHex(w0)|notHex(w1)|notHex(w2)|notHex(w3))&high != 0 {
		return dst, false
	}
	// In ASCII this bit makes letters lower-case; digits have it.
	const lower = 0x20 * ones
	return put(dst, w0|lower, w1|lower, w2|lower, w3|lower), true
}

// AppendRaw appends the UUID that the 16 bytes of raw are, most significant first.
// False: raw has not 16 bytes.
func AppendRaw(dst, raw []byte) ([]byte, bool) {
	if len(raw) != 16 {
		return dst, false
	}
	a, b := load(raw, 0), load(raw, 8)
	return put(dst, hex(a&0xffffffff), hex(a>>32), hex(b&0xffffffff), hex(b>>32)), true
}

// unwrap takes off braces or urn:uuid: (RFC 9562, section 4). What has neither is
// given back as it is.
func unwrap(b []byte) []byte {
	if b[0] == '{' && b[len(b)-1] == '}' {
		return b[1 : len(b)-1]
	}
	const urn = "urn:uuid:"
	if len(b) <= len(urn) {
		return b
	}
	for i := 0; i < len(urn); i++ {
		c := b[i]
		if c-'A' < 26 {
			c |= 0x20
		}
		if c != urn[i] {
			return b
		}
	}
	return b[len(urn):]
}

// notHex sets the high bit of each byte of w that is no hexadecimal digit.
func notHex(w uint64) uint64 {
	// Bytes at or above 0x80 are caught by their own high bit. Of the others each
	// sum stays in its byte, and its high bit tells if the byte is at least a bound.
	c := w &^ high
	l := c | 0x20*ones
	digit := (c + (0x80-'0')*ones) &^ (c + (0x80-'9'-1)*ones)
	letter := (l + (0x80-'a')*ones) &^ (l + (0x80-'f'-1)*ones)
	return w | ^(digit | letter)
}

// hex gives the eight digits of the four bytes of w, both with the first one lowest.
func hex(w uint64) uint64 {
	w = (w | w<<16) & 0x0000ffff0000ffff
	w = (w | w<<8) & 0x00ff00ff00ff00ff
	n := w>>4&(0x000f000f000f000f) | w<<8&0x0f000f000f000f00
	isLetter := (n + (0x80-10)*ones) >> 7 & ones
	return n + '0'*ones + isLetter*('a'-10-'0')
}

// put appends the digits of four words with the hyphens between them.
func put(dst []byte, w0, w1, w2, w3 uint64) []byte {
	n := len(dst)
	if cap(dst)-n < textLen {
		dst = mem.Grow(dst, textLen)
	}
	dst = dst[:n+textLen]
	out := dst[n : n+textLen]
	// Stores reach past their digits; the ones that follow overwrite that.
	store(out, 0, w0)
	store(out, 9, w1)
	store(out, 14, w1>>32)
	store(out, 19, w2)
	store(out, 24, w2>>32)
	store(out, 28, w3)
	out[8], out[13], out[18], out[23] = '-', '-', '-', '-'
	return dst
}

func load(b []byte, i int) uint64 {
	_ = b[i+7]
	return mem.Load64(unsafe.Pointer(&b[i]))
}

func store(b []byte, i int, v uint64) {
	_ = b[i+7]
	mem.Store64(unsafe.Pointer(&b[i]), v)
}
