package driveradapter

import (
	"math"
	"unsafe"
)

// Kinds of frame blocks, see wasm/ABI.md.
const (
	BlockColumns uint32 = 1
	BlockRows    uint32 = 2
)

// BlockHeader is the size of a block's kind and length, in bytes.
const BlockHeader = 8

// RowsHeader is the size of the table at the start of a rows block, in bytes.
const RowsHeader = 32

// Tag tells what kind of value follows in the tags of a rows block.
type Tag uint8

const (
	TagNull        Tag = 0
	TagFalse       Tag = 1
	TagTrue        Tag = 2
	TagInt32       Tag = 3
	TagFloat64     Tag = 4
	TagInt64       Tag = 5
	TagBigInt      Tag = 6
	TagString      Tag = 7
	TagBytes       Tag = 8
	TagList        Tag = 9
	TagObject      Tag = 10
	TagInstant     Tag = 11
	TagFloat32     Tag = 12
	TagRowLength   Tag = 13
	TagUnsupported Tag = 14
	TagRowNotArray Tag = 15
	// TagShort + n is a string of n UTF-16 code units, next in the short text.
	TagShort Tag = 64
)

// MaxShort is the greatest length of a short string, in UTF-16 code units.
const MaxShort = 191

// AppendColumns appends a columns block to dst. It does not check that there
// are as many types as names: the module does.
func AppendColumns(dst []byte, names []string, types []ColumnType) []byte {
	length := 8 + 4*len(types)
	for _, name := range names {
		length += 4 + len(name)
	}
	dst = appendU32(dst, BlockColumns)
	dst = appendU32(dst, uint32(length))
	dst = appendU32(dst, uint32(len(names)))
	dst = appendU32(dst, uint32(len(types)))
	for _, t := range types {
		dst = appendU32(dst, uint32(t))
	}
	for _, name := range names {
		dst = appendU32(dst, uint32(len(name)))
		dst = append(dst, name...)
	}
	return dst
}

// Encoder gathers rows for a rows block. It keeps its buffers from block to
// block. The zero value is ready for use; it is not safe for concurrent use.
//
// It writes every string to the long data: the short text serves hosts that
// must encode strings from UTF-16.
type Encoder struct {
	// Other, if set, is asked for values of types that are not listed at
	// ResultSet, and for an Instant whose methods panic (a nil *time.Time). It
	// returns a value of a listed type, or a text that tells what the value is
	// and why it has no meaning, for VALUE_UNSUPPORTED.
	Other func(v any) (cell any, problem string)

	count uint32
	tags  []byte
	long  []byte

	depth   int
	tooDeep bool
	others  int // calls of Other that the value at hand comes from

	// room is where the block will stand, if Place was called; the long data
	// begins in it, and spare keeps the buffer that long is else.
	room, spare []byte
}

// Size returns how many bytes AppendBlock would append.
func (e *Encoder) Size() int {
	return BlockHeader + RowsHeader + len(e.tags) + len(e.long)
}

// Empty reports whether nothing is pending.
func (e *Encoder) Empty() bool { return e.count == 0 && len(e.tags) == 0 }

// Reset drops what is pending.
func (e *Encoder) Reset() {
	if e.room != nil {
		e.long, e.room, e.spare = e.spare, nil, nil
	}
	e.count, e.tags, e.long = 0, e.tags[:0], e.long[:0]
	e.depth, e.tooDeep, e.others = 0, false, 0
}

// Place makes the next rows block gather in room, so that its texts need not be
// copied once more: end it by Finish, or by AppendBlock. Nothing may be pending.
// room stays the caller's; the encoder uses it until the block is ended.
func (e *Encoder) Place(room []byte) {
	const start = BlockHeader + RowsHeader
	if len(room) <= start {
		return
	}
	e.room, e.spare = room, e.long[:0]
	e.long = room[start:start:len(room)]
}

// Finish ends the block that Place began and returns its length; it starts where
// room does. ok is false, and the block still pending for AppendBlock, if room
// was too small for it.
func (e *Encoder) Finish() (length int, ok bool) {
	size := e.Size()
	if e.room == nil || size > len(e.room) ||
		// An append that found no room has moved the long data.
		cap(e.long) != len(e.room)-BlockHeader-RowsHeader {
		return 0, false
	}
	tags := BlockHeader + RowsHeader + len(e.long)
	copy(e.room[tags:], e.tags)
	e.appendHeader(e.room[:0], uint32(RowsHeader+len(e.long)), RowsHeader)
	e.Reset()
	return size, true
}

// Row adds a row. If it has not the given number of columns, the row becomes a
// mark that makes the module report ROW_LENGTH.
func (e *Encoder) Row(row []any, columns int) {
	if len(row) != columns {
		e.tags = append(e.tags, byte(TagRowLength))
		e.tags = appendU32(e.tags, uint32(len(row)))
		e.count++
		return
	}
	if columns == 0 {
		e.tag(TagNull)
		e.count++
		return
	}
	for i := 0; i < len(row); {
		i += e.frequent(row[i:])
		if i < len(row) {
			e.Value(row[i])
			i++
		}
	}
	e.count += uint32(columns)
}

// frequent adds values up to the first one of a type that is not frequent, and
// returns how many. It does what Value does, in less than half the time: the
// buffers are in registers, and there is room for the tags of all before the
// first. A value that has no method takes four comparisons at most to find.
func (e *Encoder) frequent(row []any) int {
	const most = 9 // bytes of a tag and its operand
	if cap(e.tags)-len(e.tags) < most*len(row) {
		e.tags = append(e.tags, make([]byte, most*len(row))...)[:len(e.tags)]
	}
	tags, at := e.tags[:cap(e.tags)], len(e.tags)
	long := e.long
	for i := range row {
		var n int64
		var text string
		tag := TagString
		switch v := row[i].(type) {
		case string:
			text = v
			goto isText
		case int:
			n = int64(v)
			goto isInt
		case nil:
			tags[at] = byte(TagNull)
			at++
			continue
		case int64:
			n = v
			goto isInt
		case int32:
			n = int64(v)
			goto isInt
		case float64:
			to := tags[at : at+9]
			to[0] = byte(TagFloat64)
			putU64(to[1:], math.Float64bits(v))
			at += 9
			continue
		case bool:
			tags[at] = byte(TagFalse)
			if v {
				tags[at] = byte(TagTrue)
			}
			at++
			continue
		case []byte:
			if v == nil {
				tags[at] = byte(TagNull)
				at++
				continue
			}
			text, tag = unsafe.String(unsafe.SliceData(v), len(v)), TagBytes
			goto isText
		}
		e.tags, e.long = tags[:at], long
		return i
	isInt:
		if n == int64(int32(n)) {
			to := tags[at : at+5]
			to[0] = byte(TagInt32)
			putU32(to[1:], uint32(n))
			at += 5
		} else {
			to := tags[at : at+9]
			to[0] = byte(TagInt64)
			putU64(to[1:], uint64(n))
			at += 9
		}
		continue
	isText:
		to := tags[at : at+5]
		to[0] = byte(tag)
		putU32(to[1:], uint32(len(text)))
		at += 5
		long = append(long, text...)
	}
	e.tags, e.long = tags[:at], long
	return len(row)
}

// AppendBlock appends what is pending as a rows block and forgets it.
func (e *Encoder) AppendBlock(dst []byte) []byte {
	dst = e.appendHeader(dst, RowsHeader, uint32(RowsHeader+len(e.tags)))
	dst = append(dst, e.tags...)
	dst = append(dst, e.long...)
	e.Reset()
	return dst
}

// appendHeader appends all of a rows block that stands before its areas; tags
// and long are their offsets.
func (e *Encoder) appendHeader(dst []byte, tags, long uint32) []byte {
	dst = appendU32(dst, BlockRows)
	dst = appendU32(dst, uint32(RowsHeader+len(e.tags)+len(e.long)))
	dst = appendU32(dst, e.count)
	dst = appendU32(dst, tags)
	dst = appendU32(dst, uint32(len(e.tags)))
	dst = appendU32(dst, 0)
	dst = appendU32(dst, 0)
	dst = appendU32(dst, long)
	dst = appendU32(dst, uint32(len(e.long)))
	return appendU32(dst, 1)
}

// Value adds one value, without counting it as a cell: Row does that. Values of
// types that it does not know become a mark that makes the module report
// VALUE_UNSUPPORTED.
//
// Lists and objects may nest 100,000 levels deep. What is deeper becomes such a
// mark too: most likely it contains itself.
func (e *Encoder) Value(v any) {
	switch v := v.(type) {
	case nil:
		e.tag(TagNull)
	case bool:
		if v {
			e.tag(TagTrue)
		} else {
			e.tag(TagFalse)
		}
	case int:
		e.Int64(int64(v))
	case int8:
		e.Int64(int64(v))
	case int16:
		e.Int64(int64(v))
	case int32:
		e.Int64(int64(v))
	case int64:
		e.Int64(v)
	case uint:
		e.Uint64(uint64(v))
	case uint8:
		e.Int64(int64(v))
	case uint16:
		e.Int64(int64(v))
	case uint32:
		e.Int64(int64(v))
	case uint64:
		e.Uint64(v)
	case float32:
		e.tag(TagFloat32)
		e.tags = appendU32(e.tags, math.Float32bits(v))
	case float64:
		e.tag(TagFloat64)
		e.tags = appendU64(e.tags, math.Float64bits(v))
	case string:
		e.Text(TagString, v)
	case []byte:
		if v == nil {
			e.tag(TagNull)
			return
		}
		e.Text(TagBytes, unsafe.String(unsafe.SliceData(v), len(v)))
	case BigInt:
		e.Text(TagBigInt, string(v))
	case JSONText:
		e.Text(TagString, string(v))
	case []any:
		if v == nil {
			e.tag(TagNull)
			return
		}
		if e.enter() {
			e.List(len(v))
			for _, x := range v {
				e.Value(x)
			}
			e.depth--
		}
	case []string:
		if v == nil {
			e.tag(TagNull)
			return
		}
		e.List(len(v))
		for _, x := range v {
			e.Text(TagString, x)
		}
	case []int64:
		if v == nil {
			e.tag(TagNull)
			return
		}
		e.List(len(v))
		for _, x := range v {
			e.Int64(x)
		}
	case []float64:
		if v == nil {
			e.tag(TagNull)
			return
		}
		e.List(len(v))
		for _, x := range v {
			e.Value(x)
		}
	case []bool:
		if v == nil {
			e.tag(TagNull)
			return
		}
		e.List(len(v))
		for _, x := range v {
			e.Value(x)
		}
	case Object:
		if e.enter() {
			e.tag(TagObject)
			e.tags = appendU32(e.tags, uint32(len(v)))
			for i := range v {
				e.Text(TagString, v[i].Key)
				e.Value(v[i].Value)
			}
			e.depth--
		}
	case Instant:
		sec, nsec, ok := instantParts(v)
		if !ok {
			e.other(v)
			return
		}
		if nsec < 0 || nsec >= 1e9 {
			e.Unsupported("an instant whose Nanosecond method returns no number from 0 to 999,999,999")
			return
		}
		e.tag(TagInstant)
		e.tags = appendU64(e.tags, uint64(sec))
		e.tags = appendU32(e.tags, uint32(nsec))
	default:
		e.other(v)
	}
}

// maxDepth bounds the recursion of Value. It takes less than 100 MB of stack.
const maxDepth = 100_000

// enter goes one level down. If that is too deep, it puts a mark in place of the
// list or object and returns false, and from then on null at all levels: the
// module stops at the mark, and a list that holds itself twice would go on for
// ever.
func (e *Encoder) enter() bool {
	if !e.tooDeep && e.depth < maxDepth {
		e.depth++
		return true
	}
	if e.tooDeep {
		e.tag(TagNull)
		return false
	}
	e.tooDeep = true
	e.Unsupported("a value that is nested more than 100,000 levels deep, or contains itself")
	return false
}

func (e *Encoder) other(v any) {
	if e.Other == nil {
		e.Unsupported("a Go value of a type that is not listed at driveradapter.ResultSet")
		return
	}
	cell, problem := e.Other(v)
	if problem != "" {
		e.Unsupported(problem)
		return
	}
	if e.others == maxOthers {
		e.Unsupported("a value that Encoder.Other turns into others that it is asked for again")
		return
	}
	e.others++
	e.Value(cell)
	e.others--
}

// maxOthers bounds how often Other is asked for what Other returned.
const maxOthers = 1000

// instantParts reports false if a method of v panics: v is somebody else's
// code, and a nil pointer with these methods is no rare thing.
func instantParts(v Instant) (sec int64, nsec int, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return v.Unix(), v.Nanosecond(), true
}

// Int64 adds an integer.
func (e *Encoder) Int64(v int64) {
	if v == int64(int32(v)) {
		e.tag(TagInt32)
		e.tags = appendU32(e.tags, uint32(v))
		return
	}
	e.tag(TagInt64)
	e.tags = appendU64(e.tags, uint64(v))
}

// Uint64 adds an integer.
func (e *Encoder) Uint64(v uint64) {
	if v <= math.MaxInt64 {
		e.Int64(int64(v))
		return
	}
	var digits [20]byte
	at := len(digits)
	for ; v != 0; v /= 10 {
		at--
		digits[at] = '0' + byte(v%10)
	}
	e.Text(TagBigInt, unsafe.String(&digits[at], len(digits)-at))
}

// Text adds a value of the tags TagString, TagBytes or TagBigInt from its
// bytes, which are copied.
func (e *Encoder) Text(tag Tag, s string) {
	e.tag(tag)
	e.tags = appendU32(e.tags, uint32(len(s)))
	e.long = append(e.long, s...)
}

// List starts a list: the next n values are its elements.
func (e *Encoder) List(n int) {
	e.tag(TagList)
	e.tags = appendU32(e.tags, uint32(n))
}

// Unsupported adds a mark in place of a value that the host can't express. The
// module reports it as VALUE_UNSUPPORTED with the given description.
func (e *Encoder) Unsupported(what string) { e.Text(TagUnsupported, what) }

func (e *Encoder) tag(t Tag) { e.tags = append(e.tags, byte(t)) }

func putU32(dst []byte, v uint32) {
	_ = dst[3]
	dst[0], dst[1], dst[2], dst[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
}

func putU64(dst []byte, v uint64) {
	_ = dst[7]
	dst[0], dst[1], dst[2], dst[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	dst[4], dst[5], dst[6], dst[7] = byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56)
}

func appendU32(dst []byte, v uint32) []byte {
	return append(dst, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
}

func appendU64(dst []byte, v uint64) []byte {
	return append(dst, byte(v), byte(v>>8), byte(v>>16), byte(v>>24),
		byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56))
}
