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

func (w *Writer) json(text []byte, oneLine bool) bool {
	w.Buf = mem.Grow(w.Buf, len(text)+9)
	w.open = w.open[:0]
	state := wantValue
	for i := 0; i < len(text); {
		c := text[i]
		switch c {
		case ' ', '\t', '\n', '\r':
			if oneLine && (c == '\n' || c == '\r') {
				c = ' '
			}
			w.Buf = append(w.Buf, c)
			i++
			continue
		case '"':
			switch state {
			case wantValue, wantFirst:
				state = wantCommaOrEnd
			case wantKey, wantFirstKey:
				state = wantColon
			default:
				return false
			}
			if i = w.jsonString(text, i+1); i < 0 {
				return false
			}
			continue
		case '{', '[':
			if state != wantValue && state != wantFirst {
				return false
			}
			w.open = append(w.open, c)
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
			w.Buf = append(w.Buf, text[i:i+size]...)
			i += size
			state = wantCommaOrEnd
			continue
		}
		w.Buf = append(w.Buf, c)
		i++
	}
	return state == wantCommaOrEnd && len(w.open) == 0
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
	if len(s) < len(word) || string(s[:len(word)]) != word {
		return 0
	}
	return len(word)
}

// jsonString adds the string of a JSON text whose inside starts at i. It returns
// the index behind the closing quote, -1 if the string is malformed.
func (w *Writer) jsonString(text []byte, i int) int {
	// json has made room for all that is ASCII; only escape can have used it up.
	if cap(w.Buf)-len(w.Buf) < len(text)-i+10 {
		w.Buf = mem.Grow(w.Buf, len(text)-i+10)
	}
	w.Buf = append(w.Buf, '"')
	src := unsafe.Pointer(unsafe.SliceData(text))
	dst := unsafe.Pointer(unsafe.SliceData(w.Buf))
	n := len(w.Buf)
	for i < len(text) {
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
		}
		c := text[i]
		switch {
		case c == '"':
			*(*byte)(unsafe.Add(dst, n)) = c
			w.Buf = w.Buf[:n+1]
			return i + 1
		case c == '\\':
			size := escapeLen(text[i:])
			if size == 0 {
				return -1
			}
			w.Buf = append(w.Buf[:n], text[i:i+size]...)
			i += size
			n += size
		case c < 0x20:
			return -1
		case c < 0x80:
			*(*byte)(unsafe.Add(dst, n)) = c
			i++
			n++
		default:
			w.Buf = w.Buf[:n]
			i = w.escape(text, i)
			w.Buf = mem.Grow(w.Buf, len(text)-i+10)
			dst = unsafe.Pointer(unsafe.SliceData(w.Buf))
			n = len(w.Buf)
		}
	}
	return -1
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
