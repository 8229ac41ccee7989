package engine

import (
	"math"
	"unsafe"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/datetime"
	"github.com/rowjet/rowjet/wasm/internal/jsontext"
	"github.com/rowjet/rowjet/wasm/internal/mem"
	"github.com/rowjet/rowjet/wasm/internal/number"
	"github.com/rowjet/rowjet/wasm/internal/uuid"
)

// The columnar shape: rows go to typed columns, a batch at a time, from which a
// host makes its own values without JSON. wasm/ABI.md, Batches, has the layout.

// How a column is stored in a batch.
const (
	storeInt32    uint32 = 1 // i32 for each row
	storeFloat64  uint32 = 2 // f64
	storeBool     uint32 = 3 // u8, 0 or 1
	storeDateTime uint32 = 4 // f64 milliseconds since 1970, rounded down; i32 nanoseconds above
	storeInt64    uint32 = 5 // i64
	storeText     uint32 = 6 // u32: where the text ends, in UTF-16 code units; u32: in bytes
	storeBytes    uint32 = 7 // u32: where the bytes end
	storeJSON     uint32 = 8 // u32: where the JSON text ends, in units; u32: in bytes
)

const (
	// A batch is handed over at the end of the row after which its text or bytes
	// are this long. Strings that a host cuts out of a batch's text keep all of it
	// alive, so batches are small.
	defaultBatch = 48 << 10
	batchRows    = 2048

	// maxMillis is the range of a JavaScript Date, to either side of 1970.
	maxMillis = 8.64e15
)

// batch is what the columns of a batch share. The text itself is in Engine.out.
type batch struct {
	rows     uint32
	units    uint32 // length of the text in UTF-16 code units
	bytes    []byte
	extras   []byte          // table of the cells that have no place in their column
	extra    jsontext.Writer // the JSON of those cells
	table    []byte
	size     int
	textFrom int // where the counted part of the text ends, in bytes
}

// sheet is a column's part of a batch.
type sheet struct {
	store uint32
	plain bool   // strings stand in the text as they are
	nulls []byte // a bit for each row; shorter or empty if the rest is not null
	data  []byte
	// more is a second array where a store has one. A text's ends in bytes tell a
	// host which cells are ASCII, also among others that are not: these it can
	// make much faster.
	more []byte
}

// plan sets how a column with the given label is stored.
func (s *sheet) plan(label driveradapter.ColumnType) {
	s.store = storeFor(label)
	s.plain = label == driveradapter.Text || label == driveradapter.Character ||
		label == driveradapter.Enum || label == driveradapter.Set
}

func storeFor(label driveradapter.ColumnType) uint32 {
	switch label {
	case driveradapter.Int32:
		return storeInt32
	case driveradapter.Int64:
		return storeInt64
	case driveradapter.Float, driveradapter.Double:
		return storeFloat64
	case driveradapter.Boolean:
		return storeBool
	case driveradapter.DateTime:
		return storeDateTime
	case driveradapter.Bytes:
		return storeBytes
	case driveradapter.Numeric, driveradapter.Character, driveradapter.Text, driveradapter.Enum,
		driveradapter.Set, driveradapter.Date, driveradapter.Time, driveradapter.UUID:
		return storeText
	}
	return storeJSON
}

// Batch sets the size from which on a batch is handed over, in bytes of text.
func (e *Engine) Batch(bytes uint32) { e.batch.size = int(bytes) }

// startBatch empties the batch.
func (e *Engine) startBatch() {
	b := &e.batch
	b.rows, b.units, b.textFrom = 0, 0, 0
	b.bytes, b.extras, b.extra.Buf = b.bytes[:0], b.extras[:0], b.extra.Buf[:0]
	e.out.Buf = e.out.Buf[:0]
	e.out.NonASCII = false
	for i := range e.columns {
		s := &e.columns[i].sheet
		s.nulls, s.data, s.more = s.nulls[:0], s.data[:0], s.more[:0]
	}
}

// batchFull reports whether the batch is to be handed over.
func (e *Engine) batchFull() bool {
	return e.batch.rows >= batchRows || len(e.out.Buf) >= e.batch.size || len(e.batch.bytes) >= e.batch.size ||
		len(e.batch.extra.Buf) >= e.batch.size
}

// giveBatch puts the batch's table into the state block.
func (e *Engine) giveBatch(status int32) int32 {
	b := &e.batch
	e.handed = true
	if e.silent {
		e.startBatch()
	}
	b.table = b.table[:0]
	b.put(b.rows)
	b.put(uint32(len(e.columns)))
	b.put(address(e.out.Buf))
	b.put(uint32(len(e.out.Buf)))
	encoding := uint32(0)
	if e.out.NonASCII {
		encoding = 1
	}
	b.put(encoding)
	b.put(address(b.bytes))
	b.put(uint32(len(b.bytes)))
	b.put(address(b.extras))
	b.put(uint32(len(b.extras) / 16))
	b.put(address(b.extra.Buf))
	b.put(uint32(len(b.extra.Buf)))
	for i := range e.columns {
		c := &e.columns[i]
		s := &c.sheet
		b.put(s.store)
		b.put(uint32(c.label))
		if len(s.nulls) == 0 {
			b.put(0)
		} else {
			for len(s.nulls) < int(b.rows+7)/8 {
				s.nulls = put8(s.nulls, 0)
			}
			b.put(address(s.nulls))
		}
		b.put(address(s.data))
		if len(s.more) == 0 || s.store != storeDateTime && !e.out.NonASCII {
			b.put(0)
		} else {
			b.put(address(s.more))
		}
	}
	e.give(status)
	e.state.Output = address(b.table)
	e.state.OutputLen = uint32(len(b.table))
	return status
}

func (b *batch) put(v uint32) { b.table = put32(b.table, v) }

// room returns b with room for at least n more bytes. Arrays begin with 64 bytes, so
// that the allocators of both compilers align them to 8.
func room(b []byte, n int) []byte {
	if cap(b) == 0 {
		return make([]byte, 0, 64)
	}
	return mem.Grow(b, n)
}

func put8(dst []byte, v byte) []byte {
	n := len(dst)
	if n == cap(dst) {
		dst = room(dst, 1)
	}
	dst = dst[:n+1]
	dst[n] = v
	return dst
}

func put32(dst []byte, v uint32) []byte {
	n := len(dst)
	if cap(dst)-n < 4 {
		dst = room(dst, 4)
	}
	dst = dst[:n+4]
	*(*uint32)(unsafe.Pointer(&dst[n])) = v
	return dst
}

func put64(dst []byte, v uint64) []byte {
	n := len(dst)
	if cap(dst)-n < 8 {
		dst = room(dst, 8)
	}
	dst = dst[:n+8]
	*(*uint64)(unsafe.Pointer(&dst[n])) = v
	return dst
}

// setNull marks the current row.
func (s *sheet) setNull(row uint32) {
	for len(s.nulls) <= int(row/8) {
		s.nulls = put8(s.nulls, 0)
	}
	s.nulls[row/8] |= 1 << (row % 8)
}

// Batch is a batch as a native caller sees it; views on the engine's memory,
// valid until the next call.
type Batch struct {
	Rows                uint32
	Text, Bytes, Extras []byte
	ExtraText           []byte
	Stores, Labels      []uint32
	Nulls, Data, More   [][]byte
}

// LastBatch returns the batch that the last call handed over.
func (e *Engine) LastBatch() Batch {
	b := Batch{Rows: e.batch.rows, Text: e.out.Buf, Bytes: e.batch.bytes, Extras: e.batch.extras, ExtraText: e.batch.extra.Buf}
	for i := range e.columns {
		c := &e.columns[i]
		b.Stores = append(b.Stores, c.sheet.store)
		b.Labels = append(b.Labels, uint32(c.label))
		b.Nulls = append(b.Nulls, c.sheet.nulls)
		b.Data = append(b.Data, c.sheet.data)
		b.More = append(b.More, c.sheet.more)
	}
	return b
}

// storeCell stores the cell in e.v. If that is an error, it returns its code and
// leaves what was found in e.found.
func (e *Engine) storeCell(c *column) driveradapter.Code {
	s := &c.sheet
	v := &e.v
	if v.Tag == driveradapter.TagNull {
		s.setNull(e.batch.rows)
		e.storeNothing(s)
		return 0
	}
	if c.watched {
		e.classify(c)
	}
	switch s.store {
	case storeInt32:
		if v.Tag == driveradapter.TagInt64 && v.Int == int64(int32(v.Int)) {
			s.data = put32(s.data, uint32(v.Int))
			return 0
		}
	case storeBool:
		if v.Tag == driveradapter.TagFalse || v.Tag == driveradapter.TagTrue {
			s.data = put8(s.data, byte(v.Tag-driveradapter.TagFalse))
			return 0
		}
	case storeInt64:
		if v.Tag == driveradapter.TagInt64 {
			s.data = put64(s.data, uint64(v.Int))
			return 0
		}
	case storeFloat64:
		if v.Tag == driveradapter.TagFloat64 && (c.label == driveradapter.Double ||
			v.Float == math.Trunc(v.Float) && math.Abs(v.Float) <= maxExactFloat32) {
			s.data = put64(s.data, math.Float64bits(v.Float))
			return 0
		}
	case storeText:
		if s.plain && v.Tag == driveradapter.TagString && e.storeString(v.Text) || !s.plain && e.storeForm(c.label) {
			e.endText(s)
			return 0
		}
	case storeDateTime:
		if e.storeInstant(s) {
			return 0
		}
	case storeBytes:
		if v.Tag == driveradapter.TagBytes {
			return e.storeOctets(s, v.Text)
		}
		return e.storeComposedBytes(c)
	case storeJSON:
		if code := e.cell(c); code != 0 {
			return code
		}
		e.countText()
		e.endText(s)
		return 0
	}
	return e.storeByText(c)
}

// storeNothing fills the place of a cell that is null, or an extra.
func (e *Engine) storeNothing(s *sheet) {
	switch s.store {
	case storeInt32:
		s.data = put32(s.data, 0)
	case storeBool:
		s.data = put8(s.data, 0)
	case storeInt64, storeFloat64:
		s.data = put64(s.data, 0)
	case storeDateTime:
		s.data = put64(s.data, 0)
		s.more = put32(s.more, 0)
	case storeBytes:
		s.data = put32(s.data, uint32(len(e.batch.bytes)))
	default:
		e.endText(s)
	}
}

// endText notes that a cell of the column ends where the text does now.
//
// The two arrays grow together, and nearly every cell of a result comes by here.
func (e *Engine) endText(s *sheet) {
	n := len(s.data)
	if cap(s.data)-n < 4 || cap(s.more)-n < 4 {
		s.data, s.more = room(s.data, 4), room(s.more, 4)
	}
	s.data, s.more = s.data[:n+4], s.more[:n+4]
	*(*uint32)(unsafe.Pointer(&s.data[n])) = e.batch.units
	*(*uint32)(unsafe.Pointer(&s.more[n])) = uint32(len(e.out.Buf))
}

// storeString adds a string to the text. It returns false, with the text as it
// was, if UTF-8 can't hold the string.
func (e *Engine) storeString(text []byte) bool {
	n := len(e.out.Buf)
	if uint64(n)+uint64(len(text))+16 > uint64(e.limit) {
		return false // storeByText then reports it
	}
	buf := mem.Grow(e.out.Buf, len(text)+8)
	src := unsafe.Pointer(unsafe.SliceData(text))
	dst := unsafe.Add(unsafe.Pointer(unsafe.SliceData(buf)), n)
	i := 0
	for ; i+8 <= len(text); i += 8 {
		word := mem.Load64(unsafe.Add(src, i))
		mem.Store64(unsafe.Add(dst, i), word)
		if word&0x8080808080808080 != 0 {
			break
		}
	}
	for ; i < len(text) && text[i] < 0x80; i++ {
		*(*byte)(unsafe.Add(dst, i)) = text[i]
	}
	units := i
	for rest := text[i:]; len(rest) > 0; {
		size, kind := 1, jsontext.Valid
		if rest[0] >= 0x80 {
			size, kind = jsontext.Sequence(rest)
		}
		if kind != jsontext.Valid {
			return false
		}
		units++
		if size == 4 {
			units++
		}
		rest = rest[size:]
	}
	if i < len(text) {
		copy(buf[n:n+len(text)], text)
		e.out.NonASCII = true
	}
	e.out.Buf = buf[:n+len(text)]
	e.batch.units += uint32(units)
	e.batch.textFrom = n + len(text)
	return true
}

// storeForm adds a decimal, uuid, date or time to the text. It returns false, with
// the text as it was, if the way by JSON is needed to know what the cell is. That way
// writes quotes, looks for escapes, and moves the text: twice the time.
func (e *Engine) storeForm(label driveradapter.ColumnType) bool {
	v := &e.v
	if len(v.Text) >= bigText {
		return false
	}
	from := len(e.out.Buf)
	out, ok := e.out.Buf, false
	switch v.Tag {
	case driveradapter.TagString:
		switch label {
		case driveradapter.Numeric:
			out, ok = number.AppendDecimal(out, v.Text)
		case driveradapter.UUID:
			out, ok = uuid.AppendText(out, v.Text)
		case driveradapter.Date:
			out, ok = datetime.AppendDate(out, v.Text)
		case driveradapter.Time:
			var result datetime.TimeResult
			out, result = datetime.AppendTime(out, v.Text)
			ok = result == datetime.OK
		}
	case driveradapter.TagBytes:
		if label == driveradapter.UUID {
			out, ok = uuid.AppendRaw(out, v.Text)
		}
	case driveradapter.TagInstant:
		if label == driveradapter.Date {
			out, ok = datetime.AppendUnixDate(out, v.Int, v.Nanosecond)
		}
	}
	e.out.Buf = out
	if !ok {
		return false
	}
	e.batch.units += uint32(len(out) - from)
	e.batch.textFrom = len(out)
	return true
}

// storeInstant stores a datetime that JavaScript's Date can hold, but for the
// nanoseconds.
func (e *Engine) storeInstant(s *sheet) bool {
	seconds, nanos, ok := unixTime(&e.v)
	if e.v.Tag == driveradapter.TagString && len(e.v.Text) < bigText {
		seconds, nanos, ok = datetime.Instant(e.v.Text)
	}
	if !ok || seconds < -maxMillis/1000 || seconds > maxMillis/1000 {
		return false
	}
	millis := seconds*1000 + int64(nanos/1e6)
	if millis > maxMillis {
		return false
	}
	s.data = put64(s.data, math.Float64bits(float64(millis)))
	s.more = put32(s.more, nanos%1e6)
	return true
}

// countText counts what was added to the text since it was counted last.
func (e *Engine) countText() {
	added := e.out.Buf[e.batch.textFrom:]
	e.batch.units += uint32(len(added))
	e.batch.textFrom = len(e.out.Buf)
	if !e.out.NonASCII {
		return
	}
	for _, c := range added {
		if c&0xc0 == 0x80 {
			e.batch.units-- // not the first byte of a character
		} else if c >= 0xf0 {
			e.batch.units++ // a surrogate pair
		}
	}
}

func (e *Engine) storeOctets(s *sheet, data []byte) driveradapter.Code {
	if uint64(len(e.batch.bytes))+uint64(len(data)) > uint64(e.limit) {
		e.found = e.found[:0]
		return driveradapter.CodeMemoryLimit
	}
	e.batch.bytes = append(mem.Grow(e.batch.bytes, len(data)), data...)
	s.data = put32(s.data, uint32(len(e.batch.bytes)))
	return 0
}

func (e *Engine) storeComposedBytes(c *column) driveradapter.Code {
	mark := e.block.Mark()
	data, code := e.octetsOf(&e.v)
	if code == 0 {
		return e.storeOctets(&c.sheet, data)
	}
	// cell finds the same error again, and does what it entails.
	e.block.Back(mark)
	if code = e.cell(c); code == 0 {
		e.storeNothing(&c.sheet)
	}
	return code
}

// storeByText stores a cell by way of its JSON. What has no place in the column
// becomes an extra: integers beyond 64 bits, infinite and impossible dates,
// strings that are not well-formed, numbers in text columns and the like.
func (e *Engine) storeByText(c *column) driveradapter.Code {
	s := &c.sheet
	start, rows := len(e.out.Buf), e.batch.rows
	nonASCII := e.out.NonASCII
	if code := e.cell(c); code != 0 {
		return code
	}
	if e.silent {
		return 0
	}
	text := e.out.Buf[start:]
	ok := false
	switch s.store {
	case storeInt32:
		v, _ := number.ParseInt(text)
		s.data = put32(s.data, uint32(v))
		ok = true
	case storeBool:
		value := byte(0)
		if text[0] == 't' {
			value = 1
		}
		s.data = put8(s.data, value)
		ok = true
	case storeInt64:
		var v int64
		if v, ok = number.ParseInt(text[1 : len(text)-1]); ok {
			s.data = put64(s.data, uint64(v))
		}
	case storeFloat64:
		if text[0] == '"' {
			text = text[1 : len(text)-1]
		}
		var f float64
		if f, ok = number.ParseFloat64(text); ok {
			s.data = put64(s.data, math.Float64bits(f))
		}
	case storeText:
		if ok = plainText(text); ok {
			copy(text, text[1:len(text)-1])
			e.out.Buf = e.out.Buf[:len(e.out.Buf)-2]
			e.countText()
			e.endText(s)
			return 0
		}
	}
	if !ok {
		e.storeExtra(rows, text)
	}
	e.out.Buf, e.out.NonASCII = e.out.Buf[:start], nonASCII
	if !ok {
		e.storeNothing(s)
	}
	return 0
}

// plainText reports whether a JSON string has no escapes.
func plainText(text []byte) bool {
	for _, c := range text {
		if c == '\\' {
			return false
		}
	}
	return true
}

func (e *Engine) storeExtra(row uint32, json []byte) {
	b := &e.batch
	b.extras = put32(b.extras, row)
	b.extras = put32(b.extras, uint32(e.column))
	b.extras = put32(b.extras, uint32(len(b.extra.Buf)))
	b.extra.Buf = append(mem.Grow(b.extra.Buf, len(json)), json...)
	b.extras = put32(b.extras, uint32(len(b.extra.Buf)))
}

// storeCells stores the cells of the block.
func (e *Engine) storeCells() int32 {
	for ; e.left > 0; e.left-- {
		if !e.block.Next(&e.v) {
			return e.frameError()
		}
		if e.v.Tag >= driveradapter.TagRowLength {
			return e.markError()
		}
		if len(e.columns) > 0 {
			if code := e.storeCell(&e.columns[e.column]); code != 0 {
				return e.failAt(code, uint32(e.column))
			}
			e.column++
		} else if e.v.Tag != driveradapter.TagNull {
			return e.frameError()
		}
		if e.column == len(e.columns) {
			e.column = 0
			e.row++
			e.batch.rows++
			if e.silent {
				e.startBatch()
			} else if e.batchFull() {
				e.left--
				return e.giveBatch(StatusFull)
			}
		}
	}
	if !e.block.Done() {
		return e.frameError()
	}
	return StatusDone
}
