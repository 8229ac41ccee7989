// Package pgarray cuts PostgreSQL's text form of arrays into tokens.
//
// The form is told in the PostgreSQL manual, 8.15.2 "Array Value Input" and 8.15.6
// "Array Input and Output Syntax":
//
//	literal = [bounds "="] array
//	bounds  = {"[" [int ":"] int "]"}
//	array   = "{" [item {delimiter item}] "}"
//	item    = array | quoted | bare
//
// White space may stand around the whole, around items and around bounds. In a
// quoted item (in double quotes) and in a bare one a backslash stands before any
// byte to be taken as it is. A bare item ends before white space that a delimiter or
// brace follows, has at least one byte, and is null if it is the word NULL in any
// case and has no backslash.
//
// The reader does not demand that sub-arrays have equal lengths, nor that they
// agree with the bounds, which it drops.
package pgarray

import "github.com/rowjet/rowjet/wasm/internal/mem"

// Token is the kind of a token.
type Token uint8

const (
	// Bad: the text is no array literal from here on. No other token follows.
	Bad Token = iota
	// Open is the { of an array or sub-array.
	Open
	// Close is the } of the array or sub-array last opened.
	Close
	// Element is an element that is not null.
	Element
	// Null is an element that is null.
	Null
	// End: the literal is complete. No other token follows.
	End
)

// state is what the reader expects next.
type state uint8

const (
	failed state = iota
	start        // the outermost {
	first        // an item, or } since the array may be empty
	item         // an item
	after        // a delimiter or }
	ended
)

// Reader reads one literal. Its zero value gives Bad; Init makes it ready, as
// often as wanted. It keeps the text, which must not change while it is read.
type Reader struct {
	// Elem is the value of the last Element, unescaped: a view on the text, or on memory
	// of the reader if it has escapes. Then it is valid until the next call of Next.
	Elem []byte

	text  []byte
	pos   int
	depth int // arrays that are open; a counter, so that depth costs no stack
	delim byte
	state state

	scratch []byte // unescaped elements
}

// Init starts to read a literal whose elements are separated by delim: a comma for
// all of PostgreSQL's own types but box, which has a semicolon (pg_type.typdelim).
// False: the text is no array literal at all; Next gives Bad then.
func (r *Reader) Init(text []byte, delim byte) bool {
	i, ok := skipBounds(text)
	r.text, r.pos, r.depth, r.delim, r.state = text, i, 0, delim, failed
	if !ok || i == len(text) || text[i] != '{' {
		return false
	}
	r.state = start
	return true
}

// Next gives the next token.
func (r *Reader) Next() Token {
	text := r.text
	i := r.pos
	if i < len(text) && isSpace(text[i]) {
		i = skipSpaces(text, i)
	}
	if r.state == after {
		if i == len(text) {
			return r.fail()
		}
		switch text[i] {
		case '}':
			return r.close(i)
		case r.delim:
			r.state = item
			i = skipSpaces(text, i+1)
		default:
			return r.fail()
		}
	}
	switch r.state {
	case failed:
		return Bad
	case ended:
		if i != len(text) {
			return r.fail()
		}
		return End
	}

	if i == len(text) {
		return r.fail()
	}
	switch text[i] {
	case '{':
		r.pos = i + 1
		r.depth++
		r.state = first
		return Open
	case '}':
		if r.state != first {
			return r.fail()
		}
		return r.close(i)
	case '"':
		return r.quoted(i + 1)
	}
	return r.bare(i)
}

func (r *Reader) fail() Token {
	r.state = failed
	return Bad
}

// close reads the } at i.
func (r *Reader) close(i int) Token {
	r.pos = i + 1
	r.depth--
	r.state = after
	if r.depth == 0 {
		r.state = ended
	}
	return Close
}

// quoted reads an item from behind its opening quote.
func (r *Reader) quoted(i int) Token {
	text := r.text
	from := i
	escaped := false
	for i < len(text) {
		switch text[i] {
		case '"':
			r.Elem = text[from:i]
			if escaped {
				r.run(r.Elem)
				r.Elem = r.scratch
			}
			r.pos = i + 1
			r.state = after
			return Element
		case '\\':
			if !escaped {
				r.scratch = r.scratch[:0]
				escaped = true
			}
			r.run(text[from:i])
			// The byte behind it starts the next run, whatever it is.
			from = i + 1
			i += 2
		default:
			i++
		}
	}
	return r.fail()
}

// bare reads an item that has no quotes, from its first byte, which is neither
// white space nor a brace.
func (r *Reader) bare(i int) Token {
	text, delim := r.text, r.delim
	from, to := i, i // to: behind the last byte that isn't white space
	escaped := false
	for i < len(text) {
		c := text[i]
		// What numbers and words are made of is nothing else.
		if c != delim && (c-'-' <= ':'-'-' || (c|0x20)-'a' < 26) {
			i++
			to = i
			continue
		}
		if c == delim || c == '}' {
			if to == from && !escaped {
				break
			}
			elem := text[from:to]
			r.pos = i
			r.state = after
			if !escaped && len(elem) == 4 && isNull(elem) {
				return Null
			}
			if escaped {
				r.run(elem)
				elem = r.scratch
			}
			r.Elem = elem
			return Element
		}
		switch c {
		case '"', '{':
			return r.fail()
		case '\\':
			if !escaped {
				r.scratch = r.scratch[:0]
				escaped = true
			}
			r.run(text[from:i])
			from = i + 1
			i += 2
			to = i
		default:
			i++
			if !isSpace(c) {
				to = i
			}
		}
	}
	return r.fail()
}

// run adds to scratch, which grows by the rule of mem.Grow, not by that of append.
func (r *Reader) run(run []byte) {
	r.scratch = append(mem.Grow(r.scratch, len(run)), run...)
}

func isNull(b []byte) bool {
	return b[0]|0x20 == 'n' && b[1]|0x20 == 'u' && b[2]|0x20 == 'l' && b[3]|0x20 == 'l'
}

// skipBounds gives the place of the outermost {, if what comes before it is
// white space and, at most, bounds. Not ok: it is something else.
func skipBounds(text []byte) (i int, ok bool) {
	i = skipSpaces(text, 0)
	if i == len(text) || text[i] != '[' {
		return i, true
	}
	for i < len(text) && text[i] == '[' {
		i++
		colon := false
		for {
			i = skipSpaces(text, i)
			if i < len(text) && (text[i] == '-' || text[i] == '+') {
				i++
			}
			digits := i
			for i < len(text) && text[i]-'0' < 10 {
				i++
			}
			if i == digits {
				return i, false
			}
			i = skipSpaces(text, i)
			if colon || i == len(text) || text[i] != ':' {
				break
			}
			colon = true
			i++
		}
		if i == len(text) || text[i] != ']' {
			return i, false
		}
		i = skipSpaces(text, i+1)
	}
	if i == len(text) || text[i] != '=' {
		return i, false
	}
	return skipSpaces(text, i+1), true
}

// isSpace: what PostgreSQL's array_isspace takes.
func isSpace(c byte) bool { return c == ' ' || c-'\t' < 5 }

func skipSpaces(text []byte, i int) int {
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	return i
}
