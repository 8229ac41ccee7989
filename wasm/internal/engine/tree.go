package engine

import (
	"math"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/base64"
	"github.com/rowjet/rowjet/wasm/internal/jsontext"
	"github.com/rowjet/rowjet/wasm/internal/number"
	"github.com/rowjet/rowjet/wasm/internal/pgarray"
	"github.com/rowjet/rowjet/wasm/internal/resultset"
)

// array writes the list in e.v, whose elements have the given label. Nested
// lists nest. The open lists are kept on e.nest, as the number of elements to
// come, so that the depth is bounded by memory alone.
func (e *Engine) array(element driveradapter.ColumnType) driveradapter.Code {
	w := &e.out
	base := len(e.nest)
	w.Byte('[')
	e.nest = append(e.nest, uint64(e.v.Count))
	for len(e.nest) > base {
		left := &e.nest[len(e.nest)-1]
		if *left == 0 {
			e.nest = e.nest[:len(e.nest)-1]
			w.Byte(']')
			continue
		}
		*left--
		if w.Buf[len(w.Buf)-1] != '[' {
			w.Byte(',')
		}
		code := driveradapter.Code(0)
		switch {
		case !e.block.Next(&e.item):
			code = e.broken()
		case e.item.Tag >= driveradapter.TagRowLength:
			code = e.mark(&e.item)
		case e.nests(element):
			w.Byte('[')
			e.nest = append(e.nest, uint64(e.item.Count))
		default:
			code = e.scalar(w, nil, element, &e.item)
		}
		if code != 0 {
			e.nest = e.nest[:base]
			return code
		}
	}
	return 0
}

// nests reports whether the element in e.item is an array in the array, not a
// value of its own.
func (e *Engine) nests(element driveradapter.ColumnType) bool {
	if e.item.Tag != driveradapter.TagList || element == driveradapter.JSON {
		return false
	}
	if element != driveradapter.Bytes {
		return true
	}
	// Bytes may come as a list of numbers.
	if e.item.Count == 0 {
		return false
	}
	mark := e.block.Mark()
	ok := e.block.Next(&e.octet)
	e.block.Back(mark)
	return ok && e.octet.Tag != driveradapter.TagInt64 && e.octet.Tag != driveradapter.TagFloat64
}

// arrayLiteral writes the PostgreSQL array in text form in e.v (PostgreSQL
// manual, 8.15.6).
func (e *Engine) arrayLiteral(element driveradapter.ColumnType) driveradapter.Code {
	if len(e.v.Text) >= bigText && !e.fits(&e.out, e.v.Text) {
		e.found = e.found[:0]
		return driveradapter.CodeMemoryLimit
	}
	if !e.literal.Init(e.v.Text, ',') {
		return e.wrong(driveradapter.CodeArrayInvalid, &e.v)
	}
	return e.elements(element)
}

// elements writes the array that e.literal, or the wire, is at.
func (e *Engine) elements(element driveradapter.ColumnType) driveradapter.Code {
	w := &e.out
	comma := false
	for {
		var token pgarray.Token
		if e.wired {
			token = e.wire.Element(&e.item)
		} else {
			token = e.literal.Next()
			e.item.Tag, e.item.Text = driveradapter.TagString, e.literal.Elem
		}
		if comma && (token == pgarray.Open || token == pgarray.Null || token == pgarray.Element) {
			w.Byte(',')
		}
		comma = token != pgarray.Open
		// A few bytes in binary format can stand for a very long number.
		if e.wired && uint64(len(w.Buf)) > uint64(e.limit) {
			e.found = e.found[:0]
			return driveradapter.CodeMemoryLimit
		}
		switch token {
		case pgarray.End:
			return 0
		case pgarray.Open:
			w.Byte('[')
		case pgarray.Close:
			w.Byte(']')
		case pgarray.Null:
			w.Raw("null")
		case pgarray.Element:
			text := e.item.Text
			if element == driveradapter.Bytes && !e.wired && len(text) >= 2 && text[0] == '\\' && text[1] == 'x' {
				data, ok := base64.AppendHexDecoded(e.buf[:0], text[2:])
				e.buf = data
				if !ok {
					return e.wrong(driveradapter.CodeBytesInvalid, &e.item)
				}
				e.item.Tag, e.item.Text = driveradapter.TagBytes, data
			}
			if code := e.scalar(w, nil, element, &e.item); code != 0 {
				return code
			}
		default:
			if e.wired {
				return e.wireArrayError()
			}
			return e.wrong(driveradapter.CodeArrayInvalid, &e.v)
		}
	}
}

// tree writes v, with all that is inside of it, in its own JSON form: as a cell
// of an unknown column, or as JSON.stringify has it where the label is JSON.
// e.nest has an entry for each open list and object: twice the number of values
// or members to come, plus one for objects.
func (e *Engine) tree(w *jsontext.Writer, label driveradapter.ColumnType, v *resultset.Value) driveradapter.Code {
	base := len(e.nest)
	for {
		code := driveradapter.Code(0)
		open, count := true, uint64(0)
		switch v.Tag {
		case driveradapter.TagList:
			w.Byte('[')
			count = 2 * uint64(v.Count)
		case driveradapter.TagObject:
			w.Byte('{')
			count = 2*uint64(v.Count) + 1
		default:
			code = e.ownForm(w, label, v)
			open = false
		}
		if open {
			e.nest = append(e.nest, count)
		}
		for code == 0 {
			if len(e.nest) == base {
				return 0
			}
			left := &e.nest[len(e.nest)-1]
			if *left >= 2 {
				*left -= 2
				break
			}
			if *left == 0 {
				w.Byte(']')
			} else {
				w.Byte('}')
			}
			e.nest = e.nest[:len(e.nest)-1]
		}
		if code == 0 {
			if last := w.Buf[len(w.Buf)-1]; last != '[' && last != '{' {
				w.Byte(',')
			}
			v = &e.item
			if e.nest[len(e.nest)-1]&1 != 0 {
				if e.block.Next(v) && v.Tag == driveradapter.TagString {
					w.String(v.Text)
					w.Byte(':')
				} else {
					code = e.broken()
				}
			}
		}
		if code == 0 && !e.block.Next(v) {
			code = e.broken()
		}
		if code != 0 {
			e.nest = e.nest[:base]
			return code
		}
	}
}

// ownForm writes a value that is neither a list nor an object in its own JSON
// form.
func (e *Engine) ownForm(w *jsontext.Writer, label driveradapter.ColumnType, v *resultset.Value) driveradapter.Code {
	if len(v.Text) >= bigText && !e.fits(w, v.Text) {
		e.found = e.found[:0]
		return driveradapter.CodeMemoryLimit
	}
	switch v.Tag {
	case driveradapter.TagNull:
		w.Raw("null")
	case driveradapter.TagFalse:
		w.Raw("false")
	case driveradapter.TagTrue:
		w.Raw("true")
	case driveradapter.TagString:
		w.String(v.Text)
	case driveradapter.TagBytes:
		w.Byte('"')
		w.Buf = base64.Append(w.Buf, v.Text)
		w.Byte('"')
	case driveradapter.TagInt64:
		e.ownInteger(w, label, v.Int >= -maxSafe && v.Int <= maxSafe, number.AppendInt(e.buf[:0], v.Int))
	case driveradapter.TagBigInt:
		digits, ok := number.AppendInteger(e.buf[:0], v.Text)
		if !ok {
			return e.wrong(driveradapter.CodeBigintInvalid, v)
		}
		e.ownInteger(w, label, len(digits) < 16, digits)
	case driveradapter.TagFloat64, driveradapter.TagFloat32:
		if label != driveradapter.JSON {
			return e.float(w, nil, driveradapter.Double, v)
		}
		if v.Float != v.Float || math.IsInf(v.Float, 0) {
			w.Raw("null")
			return 0
		}
		return e.float(w, nil, driveradapter.Double, v)
	case driveradapter.TagInstant:
		start := len(w.Buf)
		w.Byte('"')
		w.Buf = appendText(w.Buf, v)
		w.Byte('"')
		if label == driveradapter.JSON && w.Buf[start+1] != 'U' {
			w.Buf = javaScriptDate(w.Buf, start)
		}
	default:
		return e.mark(v)
	}
	return 0
}

// ownInteger writes an integer as a JSON number where it is safe as a JavaScript
// number or is part of a JSON value, else as a string.
func (e *Engine) ownInteger(w *jsontext.Writer, label driveradapter.ColumnType, safe bool, digits []byte) {
	e.buf = digits
	if safe || label == driveradapter.JSON {
		w.Buf = append(w.Buf, digits...)
		return
	}
	w.Byte('"')
	w.Buf = append(w.Buf, digits...)
	w.Byte('"')
}

// javaScriptDate turns the quoted datetime at buf[start:] into the form of
// Date.prototype.toJSON: at least milliseconds, and Z for the zone.
func javaScriptDate(buf []byte, start int) []byte {
	const zone = len(`+00:00"`)
	end := len(buf) - zone
	buf = buf[:end]
	if n := end - start; buf[end-1-3] != '.' && buf[end-1-6] != '.' && buf[end-1-9] != '.' && n > 0 {
		buf = append(buf, ".000"...)
	}
	return append(buf, 'Z', '"')
}

// appendWhole appends all digits of a double without a fraction; -0 is 0.
func appendWhole(dst []byte, f float64) []byte {
	if f > -1<<63 && f < 1<<63 {
		return number.AppendInt(dst, int64(f))
	}
	raw := math.Float64bits(f)
	exponent := int(raw>>52&0x7ff) - 1075
	mantissa := raw&(1<<52-1) | 1<<52
	if f < 0 {
		dst = append(dst, '-')
	}
	// The greatest double has 309 digits: 35 limbs of 9.
	const base = 1_000_000_000
	var limbs [35]uint32
	n := 0
	for ; mantissa > 0; n++ {
		limbs[n] = uint32(mantissa % base)
		mantissa /= base
	}
	for ; exponent > 0; exponent -= 29 {
		shift := uint(29)
		if exponent < 29 {
			shift = uint(exponent)
		}
		carry := uint64(0)
		for i := 0; i < n; i++ {
			carry += uint64(limbs[i]) << shift
			limbs[i] = uint32(carry % base)
			carry /= base
		}
		for ; carry > 0; n++ {
			limbs[n] = uint32(carry % base)
			carry /= base
		}
	}
	dst = number.AppendUint(dst, uint64(limbs[n-1]))
	for i := n - 2; i >= 0; i-- {
		limb, unit := limbs[i], uint32(base/10)
		for ; unit > 0; unit /= 10 {
			dst = append(dst, '0'+byte(limb/unit%10))
		}
	}
	return dst
}
