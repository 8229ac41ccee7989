package engine

import (
	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/jsontext"
	"github.com/rowjet/rowjet/wasm/internal/number"
	"github.com/rowjet/rowjet/wasm/internal/resultset"
)

// clip is how many bytes of a text an error shows.
const clip = 60

// wrong describes v in e.found and returns code.
func (e *Engine) wrong(code driveradapter.Code, v *resultset.Value) driveradapter.Code {
	e.found = describe(e.found[:0], v)
	return code
}

// broken is the error of a malformed frame, found in a cell.
func (e *Engine) broken() driveradapter.Code {
	e.found = e.found[:0]
	return driveradapter.CodeFrameInvalid
}

// mark is the error of a mark where a value should be.
func (e *Engine) mark(v *resultset.Value) driveradapter.Code {
	if v.Tag != driveradapter.TagUnsupported {
		return e.broken()
	}
	e.found = appendClipped(e.found[:0], v.Text)
	return driveradapter.CodeValueUnsupported
}

func describe(dst []byte, v *resultset.Value) []byte {
	word := ""
	switch v.Tag {
	case driveradapter.TagNull:
		word = "null"
	case driveradapter.TagFalse:
		word = "boolean false"
	case driveradapter.TagTrue:
		word = "boolean true"
	case driveradapter.TagInt64, driveradapter.TagFloat64, driveradapter.TagFloat32:
		word = "number "
	case driveradapter.TagBigInt:
		word = "bigint "
	case driveradapter.TagString:
		word = `string "`
	case driveradapter.TagList:
		word = "a list of "
	case driveradapter.TagObject:
		word = "an object"
	case driveradapter.TagInstant:
		word = "instant "
	}
	dst = append(dst, word...)
	switch v.Tag {
	case driveradapter.TagInt64:
		return number.AppendInt(dst, v.Int)
	case driveradapter.TagFloat64, driveradapter.TagFloat32:
		return number.AppendFloat64(dst, v.Float)
	case driveradapter.TagBigInt:
		return appendClipped(dst, v.Text)
	case driveradapter.TagString:
		return append(appendClipped(dst, v.Text), '"')
	case driveradapter.TagBytes:
		return appendCount(dst, uint64(len(v.Text)), " bytes")
	case driveradapter.TagList:
		return appendCount(dst, uint64(v.Count), "")
	case driveradapter.TagInstant:
		return appendText(dst, v)
	}
	return dst
}

// appendClipped appends the start of a text as UTF-8, on one line.
func appendClipped(dst, text []byte) []byte { return appendStart(dst, text, clip) }

// appendStart appends at most most bytes of a text as UTF-8, on one line, and an
// ellipsis if there is more.
func appendStart(dst, text []byte, most int) []byte {
	start := len(dst)
	for i := 0; i < len(text); {
		size := 1
		if text[i] >= 0x80 {
			size, _ = jsontext.Sequence(text[i:])
		}
		// An invalid part becomes three bytes.
		if len(dst)-start+max(size, 3) > most {
			return append(dst, "…"...)
		}
		dst = jsontext.AppendUTF8(dst, text[i:i+size])
		if last := &dst[len(dst)-1]; *last < 0x20 || *last == 0x7f {
			*last = ' '
		}
		i += size
	}
	return dst
}
