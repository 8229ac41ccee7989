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
	text  []byte
	pos   int
	depth int // arrays that are open; a counter, so that depth costs no stack
	delim byte
	state state
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

// Next gives the next token. elem is the value of an Element, unescaped: a view on
// the text, or on scratch if it has escapes. Then it is valid until scratch is
// used again. scratch2 is scratch, grown if need be, to be given to the next call;
// what it holds is overwritten.
func (r *Reader) Next(scratch []byte) (tok Token, elem []byte, scratch2 []byte) {
	text := r.text
	i := skipSpaces(text, r.pos)
	if r.state == after {
		if i == len(text) {
			return r.fail(scratch)
		}
		switch text[i] {
		case '}':
			return r.close(i, scratch)
		case r.delim:
			r.state = item
			i = skipSpaces(text, i+1)
		default:
			return r.fail(scratch)
		}
	}
	switch r.state {
	case failed:
		return Bad, nil, scratch
	case ended:
		if i != len(text) {
			return r.fail(scratch)
		}
		return End, nil, scratch
	}

	if i == len(text) {
		return r.fail(scratch)
	}
	switch text[i] {
	case '{':
		r.pos = i + 1
		r.depth++
		r.state = first
		return Open, nil, scratch
	case '}':
		if r.state != first {
			return r.fail(scratch)
		}
		return r.close(i, scratch)
	case '"':
		return r.quoted(i+1, scratch)
	}
	return r.bare(i, scratch)
}

func (r *Reader) fail(scratch []byte) (Token, []byte, []byte) {
	r.state = failed
	return Bad, nil, scratch
}

// close reads the } at i.
func (r *Reader) close(i int, scratch []byte) (Token, []byte, []byte) {
	r.pos = i + 1
	r.depth--
	r.state = after
	if r.depth == 0 {
		r.state = ended
	}
	return Close, nil, scratch
}

// quoted reads an item from behind its opening quote.
func (r *Reader) quoted(i int, scratch []byte) (Token, []byte, []byte) {
	text := r.text
	from := i
	escaped := false
	for i < len(text) {
		switch text[i] {
		case '"':
			elem := text[from:i]
			if escaped {
				scratch = appendRun(scratch, elem)
				elem = scratch
			}
			r.pos = i + 1
			r.state = after
			return Element, elem, scratch
		case '\\':
			if !escaped {
				scratch = scratch[:0]
				escaped = true
			}
			scratch = appendRun(scratch, text[from:i])
			// The byte behind it starts the next run, whatever it is.
			from = i + 1
			i += 2
		default:
			i++
		}
	}
	return r.fail(scratch)
}

// bare reads an item that has no quotes, from its first byte, which is neither
// white space nor a brace.
func (r *Reader) bare(i int, scratch []byte) (Token, []byte, []byte) {
	text, delim := r.text, r.delim
	from, to := i, i // to: behind the last byte that isn't white space
	escaped := false
	for i < len(text) {
		c := text[i]
		if c == delim || c == '}' {
			if to == from && !escaped {
				break
			}
			elem := text[from:to]
			r.pos = i
			r.state = after
			if escaped {
				scratch = appendRun(scratch, elem)
				return Element, scratch, scratch
			}
			if len(elem) == 4 && isNull(elem) {
				return Null, nil, scratch
			}
			return Element, elem, scratch
		}
		switch c {
		case '"', '{':
			return r.fail(scratch)
		case '\\':
			if !escaped {
				scratch = scratch[:0]
				escaped = true
			}
			scratch = appendRun(scratch, text[from:i])
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
	return r.fail(scratch)
}

// appendRun grows scratch by the rule of mem.Grow, not by that of append.
func appendRun(scratch, run []byte) []byte {
	if cap(scratch)-len(scratch) < len(run) {
		scratch = mem.Grow(scratch, len(run))
	}
	return append(scratch, run...)
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
