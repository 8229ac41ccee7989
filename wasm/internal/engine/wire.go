package engine

import (
	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/number"
	"github.com/rowjet/rowjet/wasm/internal/pgarray"
	"github.com/rowjet/rowjet/wasm/internal/resultset"
)

// A Source decodes the messages of a database's wire protocol. It is an
// interface so that a module contains the protocol of its own database only.
//
// The engine calls Next again and again; after EventColumns it asks for the
// columns, after EventRow for one cell of each. Slices that a Source gives are
// valid until the next call of Next, Cell or Element.
type Source interface {
	// Begin starts a stream, or its next result set.
	Begin(next bool)
	// Next looks at the start of in, the pending input, and returns what it found
	// and how many bytes of in are done with. Messages of more than limit bytes
	// are refused.
	Next(in []byte, limit uint32) (Event, int)
	// Complete reports whether a result may end here.
	Complete() bool
	// Columns returns the number of columns.
	Columns() int
	// Column describes a column. Its label is final. A code that is not 0 is an
	// error that the column makes even if there are no rows.
	Column(i int) (name []byte, label driveradapter.ColumnType, code driveradapter.Code)
	// Cell reads the next cell of the row. An array has TagList and, in Text, its
	// text if it came as one; its elements come from Element.
	Cell(v *resultset.Value) driveradapter.Code
	// Element reads the next token of an array; v is set if it is an Element. Of
	// pgarray.Bad, Failure tells the reason; if it is 0, the text is no array.
	Element(v *resultset.Value) pgarray.Token
	// Failure returns the code of EventFailed.
	Failure() driveradapter.Code
	// Found tells what the last error found, as UTF-8. It is empty if that is the
	// cell or element itself.
	Found() []byte
}

// Event is what a Source found.
type Event uint8

const (
	EventMore    Event = iota // nothing, before there is more input
	EventSkipped              // something that does not matter to a result
	EventColumns              // the columns of a result set
	EventRow                  // a row
	EventNext                 // another result set begins here
	EventFailed               // an error
)

// NewWire returns an engine that also takes the messages of its dialect's wire
// protocol.
func NewWire(dialect driveradapter.Dialect, source Source) *Engine {
	e := New(dialect)
	e.wire = source
	return e
}

// messages reads what is pending of a wire protocol.
func (e *Engine) messages() int32 {
	for {
		if e.phase == inRows {
			status := StatusDone
			switch {
			case e.shape == ShapeBatch:
				status = e.storeWireRow()
			case len(e.columns) == 0:
				e.emptyRow()
			default:
				status = e.wireRow()
			}
			if status != StatusDone {
				return status
			}
			e.phase = wantRows
		}
		event, size := e.wire.Next(e.in[e.at:e.have], e.limit)
		e.at += size
		switch event {
		case EventMore:
			return e.give(StatusDone)
		case EventColumns:
			if status := e.setWireColumns(); status != StatusDone {
				return status
			}
			e.phase = wantRows
		case EventRow:
			e.phase = inRows
		case EventNext:
			e.phase = atNext
			return e.give(StatusNext)
		case EventFailed:
			return e.failAt(e.wireWrong(e.wire.Failure(), &e.v), None)
		}
	}
}

// wireWrong tells in e.found what the source found, and returns code. v is the
// cell or element that the error is about.
func (e *Engine) wireWrong(code driveradapter.Code, v *resultset.Value) driveradapter.Code {
	found := e.wire.Found()
	if len(found) == 0 {
		return e.wrong(code, v)
	}
	const most = 100 - len("…")
	e.found = appendStart(e.found[:0], found, most)
	return code
}

func (e *Engine) setWireColumns() int32 {
	e.resize(e.wire.Columns())
	failed, bad := driveradapter.Code(0), 0
	for i := range e.columns {
		name, label, code := e.wire.Column(i)
		e.columns[i].declare(label)
		e.columns[i].name = append(e.columns[i].name[:0], name...)
		if code != 0 && failed == 0 {
			failed, bad = e.wireWrong(code, &e.v), i
		}
	}
	e.planColumns()
	if failed != 0 {
		return e.failAt(failed, uint32(bad))
	}
	return StatusDone
}

// wireRow writes the cells of a row.
func (e *Engine) wireRow() int32 {
	for e.column < len(e.columns) {
		if len(e.out.Buf) >= outputSize {
			return e.give(StatusFull)
		}
		c := &e.columns[e.column]
		if e.column == 0 && e.row > 0 && e.shape != ShapeNDJSON {
			e.out.Byte(',')
		}
		start := len(e.out.Buf) + len(c.lead)
		if len(c.lead) == 1 && start <= cap(e.out.Buf) {
			e.out.Buf = e.out.Buf[:start]
			e.out.Buf[start-1] = c.lead[0]
		} else {
			e.out.Buf = append(e.out.Buf, c.lead...)
		}
		if code := e.wire.Cell(&e.v); code != 0 {
			return e.failAt(e.wireWrong(code, &e.v), uint32(e.column))
		}
		switch {
		case e.v.Tag == driveradapter.TagString && c.label == driveradapter.Text && len(e.v.Text) < bigText:
			e.out.String(e.v.Text)
		case e.v.Tag == driveradapter.TagInt64 && c.label == driveradapter.Int32 && e.v.Int == int64(int32(e.v.Int)):
			e.out.Buf = number.AppendInt(e.out.Buf, e.v.Int)
		default:
			if code := e.cell(c); code != 0 {
				return e.failAt(code, uint32(e.column))
			}
		}
		if c.hidden {
			e.out.Buf = e.out.Buf[:start]
		}
		e.column++
	}
	e.column = 0
	e.row++
	if e.silent {
		e.out.Buf = e.out.Buf[:0]
	} else {
		e.endRow()
	}
	return StatusDone
}

// storeWireRow stores the cells of a row in a batch.
func (e *Engine) storeWireRow() int32 {
	if e.batchFull() {
		return e.giveBatch(StatusFull)
	}
	for ; e.column < len(e.columns); e.column++ {
		if code := e.wire.Cell(&e.v); code != 0 {
			return e.failAt(e.wireWrong(code, &e.v), uint32(e.column))
		}
		if code := e.storeCell(&e.columns[e.column]); code != 0 {
			return e.failAt(code, uint32(e.column))
		}
	}
	e.column = 0
	e.row++
	e.batch.rows++
	if e.silent {
		e.startBatch()
	}
	return StatusDone
}

// wireArrayError is the error of an array that the source can't read.
func (e *Engine) wireArrayError() driveradapter.Code {
	if code := e.wire.Failure(); code != 0 {
		return e.wireWrong(code, &e.item)
	}
	e.v.Tag = driveradapter.TagString
	return e.wrong(driveradapter.CodeArrayInvalid, &e.v)
}
