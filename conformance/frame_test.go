package conformance

import (
	"encoding/binary"
	"math"
	"math/big"
	"unicode/utf16"
	"unicode/utf8"
)

// frameStyle is how a host writes frames. wasm/ABI.md leaves these choices
// open, so none of them may change a byte of the output. This encoder is written
// from that page alone.
type frameStyle struct {
	name string
	// short strings go to the short text, cut by UTF-16 code units.
	short bool
	// doubles writes numbers as f64 also where i32 would do.
	doubles bool
	// wide writes bigints as digits also where i64 would do.
	wide bool
	// block is the number of cells after which a rows block ends; 0: one block.
	block int
	// scattered puts the three areas in another order, with gaps.
	scattered bool
	// piece is the number of bytes for each push; 0: all at once.
	piece int
}

var frameStyles = []frameStyle{
	{name: "long strings, one block"},
	{name: "short strings", short: true, block: 64},
	{name: "scattered", short: true, doubles: true, wide: true, scattered: true, block: 1, piece: 61},
}

type frameWriter struct {
	style frameStyle
	out   []byte

	cells int
	tags  []byte
	short []uint16
	long  []byte
}

// frame encodes the result set of a case.
func (c *testCase) frame(style frameStyle) []byte {
	w := frameWriter{style: style}
	names := []byte{}
	for _, name := range c.names {
		encoded := wtf8(name.units)
		names = binary.LittleEndian.AppendUint32(names, uint32(len(encoded)))
		names = append(names, encoded...)
	}
	columns := binary.LittleEndian.AppendUint32(nil, uint32(len(c.names)))
	columns = binary.LittleEndian.AppendUint32(columns, uint32(len(c.Types)))
	for _, code := range c.Types {
		columns = binary.LittleEndian.AppendUint32(columns, code)
	}
	w.block(1, append(columns, names...))
	for _, row := range c.rows {
		w.row(row, len(c.Types))
	}
	w.flush()
	return w.out
}

func (w *frameWriter) block(kind uint32, content []byte) {
	w.out = binary.LittleEndian.AppendUint32(w.out, kind)
	w.out = binary.LittleEndian.AppendUint32(w.out, uint32(len(content)))
	w.out = append(w.out, content...)
}

func (w *frameWriter) row(row value, columns int) {
	switch {
	case row.kind != isList:
		w.marked(15, "not a list")
		w.counted()
	case len(row.list) != columns:
		w.u32(13, uint32(len(row.list)))
		w.counted()
	case columns == 0:
		w.tags = append(w.tags, 0)
		w.counted()
	default:
		for _, cell := range row.list {
			w.value(cell)
			w.counted()
		}
	}
}

// counted ends a cell.
func (w *frameWriter) counted() {
	w.cells++
	if w.cells == w.style.block {
		w.flush()
	}
}

func (w *frameWriter) flush() {
	if w.cells == 0 {
		return
	}
	areas := [3][]byte{w.tags, wtf8(w.short), w.long}
	ascii := uint32(1)
	for _, b := range areas[1] {
		if b >= utf8.RuneSelf {
			ascii = 0
		}
	}
	order, gap := []int{0, 1, 2}, 0
	if w.style.scattered {
		order, gap = []int{2, 0, 1}, 5
	}
	const header = 32
	var offsets [3]int
	var body []byte
	for _, i := range order {
		body = append(body, make([]byte, gap)...)
		offsets[i] = header + len(body)
		body = append(body, areas[i]...)
	}
	content := binary.LittleEndian.AppendUint32(nil, uint32(w.cells))
	for i, area := range areas {
		content = binary.LittleEndian.AppendUint32(content, uint32(offsets[i]))
		content = binary.LittleEndian.AppendUint32(content, uint32(len(area)))
	}
	content = binary.LittleEndian.AppendUint32(content, ascii)
	w.block(2, append(content, body...))
	w.cells, w.tags, w.short, w.long = 0, nil, nil, nil
}

func (w *frameWriter) u32(tag byte, n uint32) {
	w.tags = binary.LittleEndian.AppendUint32(append(w.tags, tag), n)
}

func (w *frameWriter) u64(tag byte, n uint64) {
	w.tags = binary.LittleEndian.AppendUint64(append(w.tags, tag), n)
}

func (w *frameWriter) data(tag byte, b []byte) {
	w.u32(tag, uint32(len(b)))
	w.long = append(w.long, b...)
}

func (w *frameWriter) marked(tag byte, what string) { w.data(tag, []byte(what)) }

func (w *frameWriter) value(v value) {
	switch v.kind {
	case isNull:
		w.tags = append(w.tags, 0)
	case isBool:
		w.tags = append(w.tags, 1)
		if v.truth {
			w.tags[len(w.tags)-1] = 2
		}
	case isNumber:
		i := int32(v.number)
		if float64(i) == v.number && (i != 0 || !math.Signbit(v.number)) && !w.style.doubles {
			w.u32(3, uint32(i))
		} else {
			w.u64(4, math.Float64bits(v.number))
		}
	case isBigInt:
		if v.digits.IsInt64() && !w.style.wide {
			w.u64(5, uint64(v.digits.Int64()))
		} else {
			w.data(6, []byte(v.digits.String()))
		}
	case isString:
		if w.style.short && len(v.units) <= 191 {
			w.tags = append(w.tags, byte(64+len(v.units)))
			w.short = append(w.short, v.units...)
		} else {
			w.data(7, wtf8(v.units))
		}
	case isBytes:
		w.data(8, v.bytes)
	case isInstant:
		second := new(big.Int).Div(big.NewInt(v.ms), big.NewInt(1000)).Int64()
		w.u64(11, uint64(second))
		w.tags = binary.LittleEndian.AppendUint32(w.tags, uint32(v.ms-second*1000)*1_000_000)
	case isList, isObject:
		tag, count := byte(9), len(v.list)
		if v.kind == isObject {
			tag, count = 10, count/2
		}
		w.u32(tag, uint32(count))
		for _, item := range v.list {
			w.value(item)
		}
	case isUnsupported:
		w.marked(14, v.what)
	}
}

// wtf8 encodes UTF-16 code units: pairs as four bytes, lone surrogates as three.
func wtf8(units []uint16) []byte {
	var out []byte
	for i := 0; i < len(units); i++ {
		u := rune(units[i])
		if i+1 < len(units) {
			if r := utf16.DecodeRune(u, rune(units[i+1])); r != utf8.RuneError {
				out = utf8.AppendRune(out, r)
				i++
				continue
			}
		}
		if utf16.IsSurrogate(u) {
			out = append(out, 0xed, 0x80|byte(u>>6&0x3f), 0x80|byte(u&0x3f))
		} else {
			out = utf8.AppendRune(out, u)
		}
	}
	return out
}
