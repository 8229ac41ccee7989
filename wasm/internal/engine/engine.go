// Package engine is the serialization core: it takes the input of one result in
// pieces and gives its JSON in pieces. wasm/ABI.md describes its calls; the
// modules export them one to one.
package engine

import (
	"unsafe"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/jsontext"
	"github.com/rowjet/rowjet/wasm/internal/mem"
	"github.com/rowjet/rowjet/wasm/internal/number"
	"github.com/rowjet/rowjet/wasm/internal/pgarray"
	"github.com/rowjet/rowjet/wasm/internal/resultset"
)

// ABI is the number that rowjet_abi returns.
const ABI = 1

// Statuses that calls return, see wasm/ABI.md.
const (
	StatusDone  int32 = 0
	StatusFull  int32 = 1
	StatusRedo  int32 = 2
	StatusNext  int32 = 3
	StatusError int32 = -1
)

// Sources of input.
const (
	SourceFrames uint32 = 0
	SourceWire   uint32 = 1
)

// Shapes of the output.
const (
	ShapeArray   uint32 = 0
	ShapeObjects uint32 = 1
	ShapeNDJSON  uint32 = 2
	ShapeBatch   uint32 = 3
)

// Flags of Begin.
const (
	FlagSettled  uint32 = 1
	FlagFixed    uint32 = 2
	FlagScan     uint32 = 4
	FlagUnknown  uint32 = 8
	FlagJSONText uint32 = 16
	FlagNext     uint32 = 32

	allFlags = FlagSettled | FlagFixed | FlagScan | FlagUnknown | FlagJSONText | FlagNext
)

// None stands for no column or no label in State.
const None uint32 = 0xffffffff

const (
	inputSize    = 64 << 10
	defaultLimit = 1 << 30

	// Output is handed over between two cells once it is this long, in bytes.
	// Both buffers then stay in the processor's second-level cache.
	outputSize = 256 << 10
)

// State is the state block of wasm/ABI.md, field by field. Its addresses mean
// something inside of a module only.
type State struct {
	Output, OutputLen uint32
	ASCII             uint32
	Code              uint32
	Row               uint64
	Column, Label     uint32
	Found, FoundLen   uint32
	Columns, Labels   uint32
}

type phase uint8

const (
	idle      phase = iota // nothing begun, or the result is over
	wantFirst              // the columns block comes next
	wantRows               // between rows blocks
	inRows                 // inside of a rows block
	atNext                 // the result is complete, and another one follows
	ended                  // End was called
	failed                 // the state holds an error
)

// Engine serializes one result at a time. It is not safe for concurrent use.
type Engine struct {
	state   State
	dialect driveradapter.Dialect
	limit   uint32

	phase  phase
	shape  uint32
	flags  uint32
	silent bool // labels are being found; what is written is thrown away

	in       []byte // pending input is in[at:have]
	at, have int

	columns []column
	labels  []uint32
	settled bool // the labels of the last pass are known

	wire  Source // nil if the engine takes frames only
	wired bool   // the input is the wire's messages
	more  bool   // the pending input begins with another result set

	block  resultset.Reader
	left   uint32 // cells of the block that are still to come
	column int
	row    uint64

	// Values are fields, since TinyGo might put a local one whose address is taken
	// on the heap, which is never freed.
	v, item, octet resultset.Value

	out     jsontext.Writer
	text    jsontext.Writer // texts of composed values
	buf     []byte          // bytes of composed values
	found   []byte
	nest    []uint64 // open lists and objects, see tree
	literal pgarray.Reader

	batch  batch
	handed bool // the batch was handed over; what comes next starts another
}

type column struct {
	name     []byte
	declared driveradapter.ColumnType
	label    driveradapter.ColumnType
	// lead stands before the cell: the bracket or comma and, in the object
	// shapes, the key.
	lead []byte
	// hidden columns have a name that a later column has too; the object shapes
	// leave them out.
	hidden bool
	// watched columns get their label from the data.
	watched bool
	misfit  bool  // a cell does not fit the declared type
	seen    uint8 // what the cells of a watched column are, see watch.go
	sheet   sheet // its part of a batch
}

// New returns an engine for a dialect.
func New(dialect driveradapter.Dialect) *Engine {
	return &Engine{dialect: dialect, limit: defaultLimit, in: make([]byte, inputSize)}
}

// Dialect returns the number of the engine's dialect.
func (e *Engine) Dialect() uint32 { return uint32(e.dialect) }

// State returns the state block. It stays at its address.
func (e *Engine) State() *State { return &e.state }

// Output returns the output of the last call, valid until the next call.
func (e *Engine) Output() []byte { return e.out.Buf }

// Found returns the text of State.Found, valid until the next call.
func (e *Engine) Found() []byte { return e.found }

// Labels returns the labels of the columns, valid until the next call.
func (e *Engine) Labels() []uint32 { return e.labels }

// Limit sets the greatest size of a buffer in bytes.
func (e *Engine) Limit(bytes uint32) { e.limit = bytes }

// Begin starts a result and forgets the one in flight.
func (e *Engine) Begin(source, shape, flags uint32) int32 {
	e.out.Buf = e.out.Buf[:0]
	e.out.NonASCII = false
	e.row, e.column, e.left = 0, 0, 0
	e.state.Code = 0
	e.phase = idle
	next := flags&FlagNext != 0
	if shape > ShapeBatch || flags&^allFlags != 0 || source == SourceFrames && flags&FlagSettled != 0 && !e.settled ||
		source != SourceFrames && (source != SourceWire || e.wire == nil) ||
		next && (source != SourceWire || !e.more) {
		return e.fail(driveradapter.CodeCallOrder, "")
	}
	if !next {
		e.at, e.have = 0, 0
	}
	e.more = false
	e.wired = source == SourceWire
	if e.wired {
		e.wire.Begin(next)
		flags = flags&^FlagSettled | FlagFixed
	}
	e.shape, e.flags = shape, flags
	e.silent = flags&FlagScan != 0
	e.handed = false
	if e.batch.size == 0 {
		e.batch.size = defaultBatch
	}
	e.phase = wantFirst
	return e.give(StatusDone)
}

// Input returns room for n more bytes of input, nil if that is an error.
func (e *Engine) Input(n uint32) []byte {
	if e.phase != wantFirst && e.phase != wantRows {
		e.fail(driveradapter.CodeCallOrder, "")
		return nil
	}
	if e.at > 0 {
		e.have = copy(e.in, e.in[e.at:e.have])
		e.at = 0
	}
	if uint64(e.have)+uint64(n) > uint64(e.limit) {
		e.fail(driveradapter.CodeMemoryLimit, "")
		return nil
	}
	if e.have+int(n) > len(e.in) {
		e.in = mem.Grow(e.in[:e.have], int(n))
		e.in = e.in[:cap(e.in)]
	}
	return e.in[e.have : e.have+int(n)]
}

// Push takes n bytes that were written to the start of what Input returned.
func (e *Engine) Push(n uint32) int32 {
	if e.phase != wantFirst && e.phase != wantRows || uint64(n) > uint64(len(e.in)-e.have) {
		return e.fail(driveradapter.CodeCallOrder, "")
	}
	e.clear()
	e.have += int(n)
	return e.read()
}

// Resume goes on after StatusFull.
func (e *Engine) Resume() int32 {
	if e.phase != inRows {
		return e.fail(driveradapter.CodeCallOrder, "")
	}
	e.clear()
	return e.read()
}

// read reads what is pending.
func (e *Engine) read() int32 {
	if e.wired {
		return e.messages()
	}
	return e.blocks()
}

// Head gives the document up to the first row.
func (e *Engine) Head() int32 {
	final := e.phase == ended ||
		(e.phase == wantRows || e.phase == inRows || e.phase == atNext) && e.flags&(FlagFixed|FlagSettled) != 0
	if !final {
		return e.fail(driveradapter.CodeCallOrder, "")
	}
	e.out.Buf = e.out.Buf[:0]
	switch e.shape {
	case ShapeObjects:
		e.out.Byte('[')
	case ShapeArray:
		e.out.Raw(`{"columns":[`)
		for i := range e.columns {
			if i > 0 {
				e.out.Byte(',')
			}
			e.out.String(e.columns[i].name)
		}
		e.out.Raw(`],"types":[`)
		for i := range e.columns {
			if i > 0 {
				e.out.Byte(',')
			}
			e.out.Byte('"')
			e.out.Raw(e.columns[i].label.Label())
			e.out.Byte('"')
		}
		e.out.Raw(`],"rows":[`)
	}
	return e.give(StatusDone)
}

// End takes note that the input is complete.
func (e *Engine) End() int32 {
	if e.phase == failed {
		return StatusError
	}
	e.clear()
	switch {
	case e.phase == atNext:
		e.more = true
	case e.phase != wantRows && e.phase != wantFirst:
		return e.fail(driveradapter.CodeCallOrder, "")
	case e.at < e.have || e.wired && !e.wire.Complete() || !e.wired && (e.column > 0 || e.phase == wantFirst):
		return e.fail(driveradapter.CodeInputUnfinished, "")
	case e.phase == wantFirst:
		// A statement that gives no rows.
		e.resize(0)
		e.planColumns()
	}
	e.phase = ended
	changed := e.settle()
	e.settled = true
	if e.flags&FlagScan != 0 {
		return e.give(StatusDone)
	}
	if changed {
		return e.give(StatusRedo)
	}
	switch e.shape {
	case ShapeBatch:
		return e.giveBatch(StatusDone)
	case ShapeArray:
		e.out.Raw("]}")
	case ShapeObjects:
		e.out.Byte(']')
	}
	return e.give(StatusDone)
}

// clear forgets the output that the host took. A batch goes on until it is
// handed over.
func (e *Engine) clear() {
	switch {
	case e.shape != ShapeBatch:
		e.out.Buf = e.out.Buf[:0]
	case e.handed:
		e.startBatch()
		e.handed = false
	}
}

// give puts the output into the state block.
func (e *Engine) give(status int32) int32 {
	e.state.Output = address(e.out.Buf)
	e.state.OutputLen = uint32(len(e.out.Buf))
	if e.shape == ShapeBatch {
		e.state.OutputLen = 0
	}
	e.state.ASCII = 1
	if e.out.NonASCII {
		e.state.ASCII = 0
	}
	e.state.Row = e.row
	return status
}

func address(b []byte) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// fail ends the result with an error that is about no cell. The error of a
// result that failed already stays.
func (e *Engine) fail(code driveradapter.Code, found string) int32 {
	if e.phase == failed {
		return StatusError
	}
	e.found = append(e.found[:0], found...)
	return e.failAt(code, None)
}

// failAt ends the result with an error about a column; e.found tells what was
// found.
func (e *Engine) failAt(code driveradapter.Code, column uint32) int32 {
	e.phase = failed
	e.out.Buf = e.out.Buf[:0]
	e.give(StatusError)
	e.state.Code = uint32(code)
	e.state.Column = column
	e.state.Label = None
	if column < uint32(len(e.columns)) {
		e.state.Label = uint32(e.columns[column].label)
	}
	e.state.Found = address(e.found)
	e.state.FoundLen = uint32(len(e.found))
	return StatusError
}

// blocks reads what is pending.
func (e *Engine) blocks() int32 {
	for {
		if e.phase == inRows {
			status := StatusDone
			if e.shape == ShapeBatch {
				status = e.storeCells()
			} else {
				status = e.cells()
			}
			if status != StatusDone {
				return status
			}
			e.phase = wantRows
		}
		pending := e.in[e.at:e.have]
		if len(pending) < driveradapter.BlockHeader {
			return e.give(StatusDone)
		}
		kind, length := mem.U32(pending), mem.U32(pending[4:])
		if e.phase == wantFirst && kind != driveradapter.BlockColumns ||
			e.phase == wantRows && kind != driveradapter.BlockRows {
			return e.frameError()
		}
		if uint64(length)+driveradapter.BlockHeader > uint64(e.limit) {
			return e.fail(driveradapter.CodeMemoryLimit, "")
		}
		if uint64(length)+driveradapter.BlockHeader > uint64(len(pending)) {
			return e.give(StatusDone)
		}
		block := pending[driveradapter.BlockHeader : driveradapter.BlockHeader+int(length)]
		e.at += driveradapter.BlockHeader + int(length)
		if kind == driveradapter.BlockColumns {
			if status := e.setColumns(block); status != StatusDone {
				return status
			}
			e.phase = wantRows
			continue
		}
		if !e.block.Reset(block) {
			return e.frameError()
		}
		e.left = e.block.Count
		e.phase = inRows
	}
}

func (e *Engine) frameError() int32 { return e.fail(driveradapter.CodeFrameInvalid, "") }

// setColumns reads the columns block.
func (e *Engine) setColumns(block []byte) int32 {
	if len(block) < 8 {
		return e.frameError()
	}
	names, types := mem.U32(block), mem.U32(block[4:])
	block = block[8:]
	if names != types {
		e.found = appendCount(e.found[:0], uint64(names), " names")
		e.found = appendCount(append(e.found, " and "...), uint64(types), " types")
		return e.failAt(driveradapter.CodeColumnCount, None)
	}
	if uint64(types)*8 > uint64(len(block)) {
		return e.frameError()
	}
	before := e.labels
	if e.flags&FlagSettled != 0 && len(before) != int(types) {
		return e.fail(driveradapter.CodeCallOrder, "")
	}
	codes := block[:4*types]
	block = block[4*types:]
	e.resize(int(types))
	for i := range e.columns {
		code := mem.U32(codes[4*i:])
		if code > 255 || !driveradapter.ColumnType(code).Declarable() {
			e.found = appendCount(e.found[:0], uint64(code), "")
			e.columns = e.columns[:0]
			return e.failAt(driveradapter.CodeColumnType, uint32(i))
		}
		c := &e.columns[i]
		c.declare(driveradapter.ColumnType(code))
		if len(block) < 4 {
			return e.frameError()
		}
		length := mem.U32(block)
		block = block[4:]
		if uint64(length) > uint64(len(block)) {
			return e.frameError()
		}
		c.name = append(c.name[:0], block[:length]...)
		block = block[length:]
	}
	if len(block) > 0 {
		return e.frameError()
	}
	e.planColumns()
	return StatusDone
}

// resize sets the number of columns.
func (e *Engine) resize(n int) {
	if cap(e.columns) < n {
		e.columns = append(e.columns[:cap(e.columns)], make([]column, n-cap(e.columns))...)
	}
	e.columns = e.columns[:n]
}

// declare sets the type of a column.
func (c *column) declare(label driveradapter.ColumnType) {
	c.declared = label
	c.misfit, c.seen, c.hidden = false, 0, false
}

// planColumns sets up for the rows, once the columns are known.
func (e *Engine) planColumns() {
	if cap(e.labels) < len(e.columns) {
		e.labels = make([]uint32, len(e.columns))
	}
	e.labels = e.labels[:len(e.columns)]
	for i := range e.columns {
		e.columns[i].plan(e, i)
	}
	if e.shape == ShapeBatch {
		e.startBatch()
	} else {
		e.leads()
	}
	e.state.Columns = uint32(len(e.columns))
	e.state.Labels = 0
	if len(e.labels) > 0 {
		e.state.Labels = uint32(uintptr(unsafe.Pointer(&e.labels[0])))
	}
}

// leads sets what stands before each cell.
func (e *Engine) leads() {
	first := true
	for i := range e.columns {
		c := &e.columns[i]
		e.text.Buf = e.text.Buf[:0]
		switch {
		case e.shape == ShapeArray && i == 0:
			e.text.Byte('[')
		case e.shape == ShapeArray:
			e.text.Byte(',')
		default:
			c.hidden = e.namedLater(i)
			if c.hidden {
				break
			}
			e.text.NonASCII = false
			e.text.Byte(',')
			if first {
				e.text.Buf[0] = '{'
			}
			e.text.String(c.name)
			e.text.Byte(':')
			if e.text.NonASCII {
				e.out.NonASCII = true
			}
			first = false
		}
		c.lead = append(c.lead[:0], e.text.Buf...)
	}
}

func (e *Engine) namedLater(i int) bool {
	for j := i + 1; j < len(e.columns); j++ {
		if mem.Text(e.columns[j].name) == mem.Text(e.columns[i].name) {
			return true
		}
	}
	return false
}

// appendCount appends a number and a word.
func appendCount(dst []byte, n uint64, word string) []byte {
	dst = number.AppendUint(dst, n)
	return append(dst, word...)
}
