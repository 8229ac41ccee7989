package engine

import (
	"unsafe"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/jsontext"
	"github.com/rowjet/rowjet/wasm/internal/number"
)

// fastRoom is the room in the output that fast needs beside a text: comma,
// null or the digits of an integer, quotes, brackets, and what CopyWhole writes
// behind the text.
const fastRoom = 64

// fast writes cells as long as they are of the frequent kinds: null, integers
// that fit int columns, plain strings in text columns. What it does not know it
// leaves to cells, as if it had not seen it.
//
// Here positions are local variables and no bound is looked at twice. In wazero
// a result of short cells takes a third of the time that way, in V8 two thirds.
func (e *Engine) fast() {
	if len(e.columns) == 0 || e.silent || e.shape > ShapeNDJSON {
		return
	}
	c := e.block.Cursor()
	tags := unsafe.Pointer(unsafe.SliceData(c.Tags))
	short := unsafe.Pointer(unsafe.SliceData(c.Short))
	long := unsafe.Pointer(unsafe.SliceData(c.Long))
	out := unsafe.Pointer(unsafe.SliceData(e.out.Buf))
	n, room := len(e.out.Buf), cap(e.out.Buf)
	columns := unsafe.Pointer(unsafe.SliceData(e.columns))
	index, left, row, shape := e.column, e.left, e.row, e.shape

	for left > 0 && n < outputSize && c.Tag < len(c.Tags) {
		col := (*column)(unsafe.Add(columns, index*int(unsafe.Sizeof(column{}))))
		if col.hidden || room-n < len(col.lead)+fastRoom {
			break
		}
		// m is where the cell goes; n stays before it until it is written.
		m := n
		if index == 0 && row > 0 && shape != ShapeNDJSON {
			*(*byte)(unsafe.Add(out, m)) = ','
			m++
		}
		lead := unsafe.Pointer(unsafe.SliceData(col.lead))
		for i := 0; i < len(col.lead); i++ {
			*(*byte)(unsafe.Add(out, m)) = *(*byte)(unsafe.Add(lead, i))
			m++
		}
		tag := driveradapter.Tag(*(*byte)(unsafe.Add(tags, c.Tag)))
		next := c.Tag + 1
		switch {
		case tag == driveradapter.TagNull:
			*(*uint32)(unsafe.Add(out, m)) = 'n' | 'u'<<8 | 'l'<<16 | 'l'<<24
			m += 4
		case tag == driveradapter.TagInt32 && col.label == driveradapter.Int32:
			next += 4
			if next > len(c.Tags) {
				goto done
			}
			col.seen |= seenInt32
			m = number.Put32(out, m, *(*int32)(unsafe.Add(tags, c.Tag+1)))
		case tag == driveradapter.TagString && col.label == driveradapter.Text:
			next += 4
			if next > len(c.Tags) {
				goto done
			}
			size := *(*uint32)(unsafe.Add(tags, c.Tag+1))
			spare := len(c.Long) - c.From
			if size >= bigText || int(size) > spare || room-m < int(size)+fastRoom {
				goto done
			}
			*(*byte)(unsafe.Add(out, m)) = '"'
			m++
			if !jsontext.CopyWhole(unsafe.Add(out, m), unsafe.Add(long, c.From), int(size), spare) {
				goto done
			}
			m += int(size)
			*(*byte)(unsafe.Add(out, m)) = '"'
			m++
			col.seen |= seenOther
			c.From += int(size)
		case tag >= driveradapter.TagShort && !c.Half && col.label == driveradapter.Text:
			// Plain bytes are code units: if so many are plain, they are the cell, also
			// where other cells of the block are not ASCII.
			size := int(tag - driveradapter.TagShort)
			spare := len(c.Short) - c.At
			if size > spare || room-m < size+fastRoom {
				goto done
			}
			*(*byte)(unsafe.Add(out, m)) = '"'
			m++
			if !jsontext.CopyWhole(unsafe.Add(out, m), unsafe.Add(short, c.At), size, spare) {
				goto done
			}
			m += size
			*(*byte)(unsafe.Add(out, m)) = '"'
			m++
			col.seen |= seenOther
			c.At += size
		default:
			goto done
		}
		c.Tag = next
		left--
		index++
		if index == len(e.columns) {
			index = 0
			row++
			switch shape {
			case ShapeArray:
				*(*byte)(unsafe.Add(out, m)) = ']'
			case ShapeObjects:
				*(*byte)(unsafe.Add(out, m)) = '}'
			default:
				*(*byte)(unsafe.Add(out, m)) = '}'
				m++
				*(*byte)(unsafe.Add(out, m)) = '\n'
			}
			m++
		}
		n = m
	}
done:
	e.block.Move(c)
	e.out.Buf = e.out.Buf[:n]
	e.column, e.left, e.row = index, left, row
}
