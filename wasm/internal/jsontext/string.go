// Package jsontext writes JSON text: strings from WTF-8, and JSON texts that are
// validated while they are copied.
package jsontext

import (
	"unsafe"

	"github.com/rowjet/rowjet/wasm/internal/mem"
)

// Writer gathers JSON text in Buf. The zero value is ready for use.
type Writer struct {
	Buf []byte
	// NonASCII is set once a byte above 0x7f was written by String or JSON.
	NonASCII bool

	open []byte // JSON's stack of open brackets, a byte each
}

// The special bytes of a word w are those that JSON strings can't hold as they are
// (controls, quote, backslash) or that are not ASCII. The top bit of each is set in
//
//	((w - spaces) | ((w ^ quotes) - ones) | ((w ^ slashes) - ones) | w) & tops
//
// Above the lowest such byte there may be false marks. This stands where it is needed,
// since -opt=z inlines no function of that size: calls take 14 % more on short texts.
const (
	ones    = 0x0101010101010101
	tops    = 0x8080808080808080
	spaces  = ' ' * ones
	quotes  = '"' * ones
	slashes = '\\' * ones
)

func plain(c byte) bool { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\' }

// Byte adds one byte. It and Raw are called from everywhere: inlined, they would
// be a tenth of the module.
//
//go:noinline
func (w *Writer) Byte(c byte) {
	n := len(w.Buf)
	if n == cap(w.Buf) {
		w.Buf = mem.Grow(w.Buf, 1)
	}
	w.Buf = w.Buf[:n+1]
	w.Buf[n] = c
}

// Raw adds s as it is. It must be ASCII.
//
//go:noinline
func (w *Writer) Raw(s string) { w.Buf = append(w.Buf, s...) }

// String adds s, which is WTF-8, as a JSON string. Lone surrogates become
// \udxxx escapes, bytes that are not WTF-8 become U+FFFD.
func (w *Writer) String(s []byte) {
	n := len(w.Buf)
	if cap(w.Buf)-n < len(s)+2 {
		w.Buf = mem.Grow(w.Buf, len(s)+2)
	}
	dst := unsafe.Add(unsafe.Pointer(unsafe.SliceData(w.Buf)), n)
	*(*byte)(dst) = '"'
	done := CopyPlain(unsafe.Add(dst, 1), unsafe.Pointer(unsafe.SliceData(s)), len(s))
	if done == len(s) {
		*(*byte)(unsafe.Add(dst, done+1)) = '"'
		w.Buf = w.Buf[:n+done+2]
		return
	}
	w.Buf = w.Buf[:n+done+1]
	w.rest(s, done)
	w.Byte('"')
}

// rest adds s from i on, where it is not plain.
func (w *Writer) rest(s []byte, i int) {
	for i < len(s) {
		i = w.escape(s, i)
		if cap(w.Buf)-len(w.Buf) < len(s)-i+1 {
			w.Buf = mem.Grow(w.Buf, len(s)-i+1)
		}
		n := len(w.Buf)
		done := CopyPlain(unsafe.Add(unsafe.Pointer(unsafe.SliceData(w.Buf)), n), unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), i), len(s)-i)
		w.Buf = w.Buf[:n+done]
		i += done
	}
}

// escape adds what stands at s[i], which is not plain: one escape, or a run of
// non-ASCII text. It returns the index behind it.
func (w *Writer) escape(s []byte, i int) int {
	c := s[i]
	if c < 0x80 {
		w.escapeASCII(c)
		return i + 1
	}
	w.NonASCII = true
	buf := w.Buf
	if cap(buf)-len(buf) < len(s)-i+8 {
		buf = mem.Grow(buf, len(s)-i+8)
	}
	src := unsafe.Pointer(unsafe.SliceData(s))
	dst := unsafe.Pointer(unsafe.SliceData(buf))
	n := len(buf)
	for i < len(s) && s[i] >= 0x80 {
		// Most characters have two or three bytes and can be nothing but valid; four
		// bytes are read and stored at once, there are eight to spare. Measured against
		// the general way: 9 times as fast on Japanese text.
		if i+4 <= len(s) {
			word := *(*uint32)(unsafe.Add(src, i))
			*(*uint32)(unsafe.Add(dst, n)) = word
			lead := byte(word)
			if lead >= 0xc2 && lead <= 0xdf && word&0xc000 == 0x8000 {
				i += 2
				n += 2
				continue
			}
			if lead >= 0xe1 && lead <= 0xec && word&0xc0c000 == 0x808000 {
				i += 3
				n += 3
				continue
			}
		}
		buf = buf[:n]
		size, kind := Sequence(s[i:])
		switch kind {
		case Valid:
			buf = append(buf, s[i:i+size]...)
		case Surrogate:
			w.Buf = buf
			w.surrogate(s[i:])
			buf = w.Buf
		default:
			buf = append(buf, "\ufffd"...)
		}
		i += size
		buf = mem.Grow(buf, len(s)-i+8)
		dst = unsafe.Pointer(unsafe.SliceData(buf))
		n = len(buf)
	}
	w.Buf = buf[:n]
	return i
}

const hex = "0123456789abcdef"

// escapeASCII adds the escape of a control, a quote or a backslash. It and surrogate add
// byte by byte: appending makes the module 200 bytes larger, compressed.
func (w *Writer) escapeASCII(c byte) {
	w.Byte('\\')
	switch {
	case c == '"' || c == '\\':
		w.Byte(c)
	case c-'\b' < 6 && c != '\v':
		w.Byte("btn.fr"[c-'\b'])
	default:
		w.Raw("u00")
		w.Byte(hex[c>>4])
		w.Byte(hex[c&15])
	}
}

// surrogate adds the escape of the lone surrogate that s begins with.
func (w *Writer) surrogate(s []byte) {
	w.Raw("\\ud")
	w.Byte(hex[s[1]>>2&15])
	w.Byte(hex[s[1]<<2&12|s[2]>>4&3])
	w.Byte(hex[s[2]&15])
}

// Kind tells what Sequence found.
type Kind uint8

const (
	Invalid   Kind = iota // bytes that are not WTF-8
	Valid                 // a character in UTF-8
	Surrogate             // a lone surrogate
)

// Sequence tells how many bytes of s, which begins with a byte above 0x7f, belong
// together. Of invalid bytes it takes the maximal part that could have begun a
// character, as the WHATWG decoder does.
func Sequence(s []byte) (int, Kind) {
	c := s[0]
	low, high := byte(0x80), byte(0xbf)
	need := 0
	switch {
	case c >= 0xc2 && c <= 0xdf:
		need = 1
	case c >= 0xe0 && c <= 0xef:
		need = 2
		if c == 0xe0 {
			low = 0xa0
		}
		if c == 0xed && len(s) > 2 && s[1] >= 0xa0 && s[1] <= 0xbf && s[2] >= 0x80 && s[2] <= 0xbf {
			return 3, Surrogate
		}
		if c == 0xed {
			high = 0x9f
		}
	case c >= 0xf0 && c <= 0xf4:
		need = 3
		if c == 0xf0 {
			low = 0x90
		}
		if c == 0xf4 {
			high = 0x8f
		}
	default:
		return 1, Invalid
	}
	for i := 1; i <= need; i++ {
		if i >= len(s) || s[i] < low || s[i] > high {
			return i, Invalid
		}
		low, high = 0x80, 0xbf
	}
	return need + 1, Valid
}

// AppendUTF8 appends s, which is WTF-8, as UTF-8: lone surrogates and invalid
// parts become U+FFFD.
func AppendUTF8(dst, s []byte) []byte { return appendUTF8(dst, s, 1) }

// AppendBytesAsUTF8 appends bytes that may be UTF-8, as the WHATWG decoder does:
// of the three-byte form of a lone surrogate each byte becomes U+FFFD.
func AppendBytesAsUTF8(dst, s []byte) []byte { return appendUTF8(dst, s, 3) }

func appendUTF8(dst, s []byte, marks int) []byte {
	dst = mem.Grow(dst, len(s))
	for len(s) > 0 {
		size, kind, n := 1, Valid, 1
		if s[0] >= 0x80 {
			size, kind = Sequence(s)
		}
		if kind == Surrogate {
			n = marks
		}
		if kind == Valid {
			dst = append(dst, s[:size]...)
		} else {
			for ; n > 0; n-- {
				dst = append(dst, "\ufffd"...)
			}
		}
		s = s[size:]
	}
	return dst
}

// StringLen returns how many bytes String would add.
func StringLen(s []byte) int {
	n := 2
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case plain(c):
			n++
			i++
		case c < 0x80:
			n += 2
			if c < 0x20 && (c < '\b' || c == '\v' || c > '\r') {
				n += 4
			}
			i++
		default:
			size, kind := Sequence(s[i:])
			switch kind {
			case Valid:
				n += size
			case Surrogate:
				n += 6
			default:
				n += 3
			}
			i += size
		}
	}
	return n
}
