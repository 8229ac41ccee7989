package jsontext

import (
	"math/bits"
	"unsafe"

	"github.com/rowjet/rowjet/wasm/internal/mem"
)

// JSON adds text, a JSON text (RFC 8259) in WTF-8, as it is. It returns false and
// adds nothing if text is not JSON. What JSON text in UTF-8 can't hold is mended
// as in String, and only inside of strings; with oneLine, raw line breaks between tokens become
// spaces. Depth is bounded by memory alone.
func (w *Writer) JSON(text []byte, oneLine bool) bool {
	start, nonASCII := len(w.Buf), w.NonASCII
	if !w.json(text, oneLine) {
		w.Buf, w.NonASCII = w.Buf[:start], nonASCII
		return false
	}
	return true
}

// What may come next.
const (
	wantValue      = iota // a value
	wantFirst             // a value, or the end of the array
	wantFirstKey          // a key, or the end of the object
	wantKey               // a key
	wantColon             // the colon behind a key
	wantCommaOrEnd        // a comma, or the end of what is open
)

// json is JSON without the way back. What it writes goes behind a pointer: there is
// always room for the rest of the text and nine bytes more.
func (w *Writer) json(text []byte, oneLine bool) bool {
	w.open = w.open[:0]
	state := wantValue
	src := unsafe.Pointer(unsafe.SliceData(text))
	dst, n := w.reserve(len(text))
	for i := 0; i < len(text); {
		c := text[i]
		switch c {
		case ' ', '\t', '\n', '\r':
			if oneLine && (c == '\n' || c == '\r') {
				c = ' '
			}
		case '"':
			switch state {
			case wantValue, wantFirst:
				state = wantCommaOrEnd
			case wantKey, wantFirstKey:
				state = wantColon
			default:
				return false
			}
			*(*byte)(unsafe.Add(dst, n)) = c
			i++
			n++
			for {
				if i+8 <= len(text) {
					word := mem.Load64(unsafe.Add(src, i))
					mem.Store64(unsafe.Add(dst, n), word)
					found := ((word - spaces) | ((word ^ quotes) - ones) | ((word ^ slashes) - ones) | word) & tops
					if found == 0 {
						i += 8
						n += 8
						continue
					}
					k := bits.TrailingZeros64(found) / 8
					i += k
					n += k
				} else if i >= len(text) {
					return false
				}
				c = text[i]
				if c == '"' {
					break
				}
				switch {
				case c == '\\':
					size := escapeLen(text[i:])
					if size == 0 {
						return false
					}
					for ; size > 0; size-- {
						*(*byte)(unsafe.Add(dst, n)) = text[i]
						i++
						n++
					}
				case c < 0x20:
					return false
				case c < 0x80:
					*(*byte)(unsafe.Add(dst, n)) = c
					i++
					n++
				default:
					w.Buf = w.Buf[:n]
					i = w.escape(text, i)
					dst, n = w.reserve(len(text) - i)
				}
			}
		case '{', '[':
			if state != wantValue && state != wantFirst {
				return false
			}
			depth := len(w.open)
			if depth == cap(w.open) {
				w.open = mem.Grow(w.open, 16)
			}
			w.open = w.open[:depth+1]
			w.open[depth] = c
			state = wantFirst
			if c == '{' {
				state = wantFirstKey
			}
		case '}', ']':
			// '{' + 2 == '}' and '[' + 2 == ']'.
			if len(w.open) == 0 || w.open[len(w.open)-1]+2 != c {
				return false
			}
			if state != wantCommaOrEnd && state != wantFirst && state != wantFirstKey {
				return false
			}
			w.open = w.open[:len(w.open)-1]
			state = wantCommaOrEnd
		case ',':
			if state != wantCommaOrEnd || len(w.open) == 0 {
				return false
			}
			state = wantValue
			if w.open[len(w.open)-1] == '{' {
				state = wantKey
			}
		case ':':
			if state != wantColon {
				return false
			}
			state = wantValue
		default:
			if state != wantValue && state != wantFirst {
				return false
			}
			size := literal(text[i:])
			if size == 0 {
				return false
			}
			for size--; size > 0; size-- {
				*(*byte)(unsafe.Add(dst, n)) = text[i]
				i++
				n++
			}
			c = text[i]
			state = wantCommaOrEnd
		}
		*(*byte)(unsafe.Add(dst, n)) = c
		n++
		i++
	}
	w.Buf = w.Buf[:n]
	return state == wantCommaOrEnd && len(w.open) == 0
}

// reserve makes room for size bytes and the nine that json wants, and returns where
// the buffer is and its length.
func (w *Writer) reserve(size int) (unsafe.Pointer, int) {
	w.Buf = mem.Grow(w.Buf, size+9)
	return unsafe.Pointer(unsafe.SliceData(w.Buf)), len(w.Buf)
}

// literal returns the length of the number, true, false or null at the start of s,
// 0 if there is none.
func literal(s []byte) int {
	switch s[0] {
	case 't':
		return keyword(s, "true")
	case 'f':
		return keyword(s, "false")
	case 'n':
		return keyword(s, "null")
	}
	i := 0
	if s[0] == '-' {
		i++
	}
	whole := digits(s, i)
	if whole == i || s[i] == '0' && whole > i+1 {
		return 0
	}
	i = whole
	if i < len(s) && s[i] == '.' {
		end := digits(s, i+1)
		if end == i+1 {
			return 0
		}
		i = end
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		end := digits(s, i)
		if end == i {
			return 0
		}
		i = end
	}
	return i
}

func digits(s []byte, i int) int {
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}

func keyword(s []byte, word string) int {
	if len(s) < len(word) || mem.Text(s[:len(word)]) != word {
		return 0
	}
	return len(word)
}

// escapeLen returns the length of the escape at the start of s, 0 if it is none.
func escapeLen(s []byte) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(s) < 6 {
			return 0
		}
		for _, c := range s[2:6] {
			if !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f') {
				return 0
			}
		}
		return 6
	}
	return 0
}
