package host

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sort"
	"time"
	"unsafe"

	"github.com/rowjet/rowjet/driveradapter"
)

// A Batch is some rows of a result as typed columns. It and all that it gives
// are views of the module's memory, valid until the function that got it
// returns.
type Batch struct {
	// Rows is the number of rows.
	Rows    int
	Columns []BatchColumn
}

// A BatchColumn is one column of a Batch. Which field or method has its cells is
// told by its Form. A cell that IsNull, or that is Extra, has an element there
// too, of no meaning.
type BatchColumn struct {
	// Name and Type are the column's entries in the document's "columns" and
	// "types".
	Name string
	Type driveradapter.ColumnType
	Form Form

	Int32s   []int32   // FormInt32
	Int64s   []int64   // FormInt64
	Float64s []float64 // FormFloat64; in a Float column, the double with the same shortest digits
	Bools    []bool    // FormBool

	nulls  []byte
	millis []float64
	nanos  []int32
	data   []byte // what the ends are of
	from   ends   // where cells begin
	to     ends
	extras []extra
	bools  []bool // scratch
}

// Form is how a batch holds the cells of a column.
type Form uint32

const (
	// FormInt32 is that of Int32.
	FormInt32 Form = 1
	// FormFloat64 is that of Float and Double.
	FormFloat64 Form = 2
	// FormBool is that of Boolean.
	FormBool Form = 3
	// FormTime is that of DateTime: see BatchColumn.Time.
	FormTime Form = 4
	// FormInt64 is that of Int64.
	FormInt64 Form = 5
	// FormText is that of decimals, strings, dates, times of day and UUIDs: see
	// BatchColumn.Text.
	FormText Form = 6
	// FormBytes is that of Bytes: see BatchColumn.Bytes.
	FormBytes Form = 7
	// FormJSON is that of JSON, Unknown and arrays: see BatchColumn.Text.
	FormJSON Form = 8
)

// extra is a cell that has no place in its column.
type extra struct {
	row  int
	json []byte
}

// ends are the ends of a column's cells in what cells of several columns share.
type ends struct {
	at []uint32
	// shift is 1 if they are those of the row before, as where a row begins.
	shift int
}

func (e ends) of(row int) uint32 {
	if row < e.shift {
		return 0
	}
	return e.at[row-e.shift]
}

// IsNull reports whether a cell is NULL.
func (c *BatchColumn) IsNull(row int) bool {
	return c.nulls != nil && c.nulls[row/8]>>(row%8)&1 == 1
}

// Extra returns the JSON of a cell that its column has no place for, such as an
// integer beyond 64 bits, or infinity as a DateTime; nil if it is no such cell.
func (c *BatchColumn) Extra(row int) []byte {
	i := sort.Search(len(c.extras), func(i int) bool { return c.extras[i].row >= row })
	if i < len(c.extras) && c.extras[i].row == row {
		return c.extras[i].json
	}
	return nil
}

// Text returns a cell of FormText, or the JSON of one of FormJSON, in UTF-8.
func (c *BatchColumn) Text(row int) []byte { return c.data[c.from.of(row):c.to.of(row):c.to.of(row)] }

// Bytes returns a cell of FormBytes.
func (c *BatchColumn) Bytes(row int) []byte { return c.Text(row) }

// Time returns a cell of FormTime, in UTC.
func (c *BatchColumn) Time(row int) time.Time {
	return time.UnixMilli(int64(c.millis[row])).Add(time.Duration(c.nanos[row])).UTC()
}

// shapeBatch is the shape of typed columns.
const shapeBatch Shape = 3

// Batches takes rows through the module and calls f with batches of them as
// typed columns, which takes less time than a document that is then read. An
// empty result is one batch without rows. A Settle says what it does for Stream.
// Batches reads rows to the end and leaves closing them to the caller; the error
// of f ends it and comes through unchanged.
func (e *Engine) Batches(ctx context.Context, rows driveradapter.Rows, f func(*Batch) error, opts ...CallOption) error {
	if isNil(rows) {
		return errNilRows
	}
	if f == nil {
		return errNilFunc
	}
	o, err := callOptionsOf(opts)
	if err != nil {
		return err
	}
	if o.shape != ShapeArray {
		return errors.New("batches of columns have no host.Shape")
	}
	names, types := rows.ColumnNames(), rows.ColumnTypes()
	i, err := e.get(ctx, false)
	if err != nil {
		return err
	}
	defer e.release(ctx, i)
	p := pass{instance: i, names: names, types: types, shape: shapeBatch}
	var batch Batch
	first := true
	out := func(table []byte, _ int) error {
		if err := batch.read(i, table, names); err != nil {
			return err
		}
		if batch.Rows == 0 && !first {
			return nil
		}
		first = false
		return f(&batch)
	}
	return p.settled(ctx, settleFor(e.dialect, types, o.settle), rows, out)
}

// Words of a batch's table, and of a column in it.
const (
	tableRows       = 0
	tableColumns    = 1
	tableText       = 2
	tableEncoding   = 4
	tableBytes      = 5
	tableExtras     = 7
	tableExtraCount = 8
	tableExtraText  = 9
	tableHeader     = 11

	columnForm  = 0
	columnLabel = 1
	columnNulls = 2
	columnData  = 3
	columnMore  = 4
	columnWords = 5

	// mostBatchRows is far above what a batch of the module has.
	mostBatchRows = 1 << 20
)

// read makes the batch of a table that the module put out.
func (b *Batch) read(i *instance, table []byte, names []string) error {
	word := func(n int) uint32 { return binary.LittleEndian.Uint32(table[4*n:]) }
	if len(table) < 4*tableHeader || len(table)/4 < tableHeader+columnWords*len(names) ||
		word(tableColumns) != uint32(len(names)) || word(tableRows) > mostBatchRows {
		return i.fail("the table of its batch is not what it should be")
	}
	area := func(address, length uint32) []byte {
		view, ok := i.memory.Read(address, length)
		if !ok {
			i.broken = true
		}
		return view
	}
	rows := word(tableRows)
	b.Rows = int(rows)
	text := area(word(tableText), word(tableText+1))
	octets := area(word(tableBytes), word(tableBytes+1))
	if len(b.Columns) != len(names) {
		b.Columns = make([]BatchColumn, len(names))
	}
	var textEnds, octetEnds ends
	for n := range b.Columns {
		c, at := &b.Columns[n], tableHeader+columnWords*n
		data, more := word(at+columnData), word(at+columnMore)
		*c = BatchColumn{
			Name: names[n], Type: driveradapter.ColumnType(word(at + columnLabel)), Form: Form(word(at + columnForm)),
			extras: c.extras[:0], bools: c.bools[:0],
		}
		if address := word(at + columnNulls); address != 0 {
			c.nulls = area(address, (rows+7)/8)
		}
		switch c.Form {
		case FormInt32:
			c.Int32s = numbers[int32](area(data, 4*rows))
		case FormInt64:
			c.Int64s = numbers[int64](area(data, 8*rows))
		case FormFloat64:
			c.Float64s = numbers[float64](area(data, 8*rows))
		case FormBool:
			for _, v := range area(data, rows) {
				c.bools = append(c.bools, v != 0)
			}
			c.Bools = c.bools
		case FormTime:
			c.millis = numbers[float64](area(data, 8*rows))
			c.nanos = numbers[int32](area(more, 4*rows))
		case FormText, FormJSON:
			if word(tableEncoding) == 0 {
				more = data // in ASCII, units are bytes
			}
			c.data = text
			c.to = ends{at: numbers[uint32](area(more, 4*rows))}
			textEnds = c.to
		case FormBytes:
			c.data = octets
			c.to = ends{at: numbers[uint32](area(data, 4*rows))}
			octetEnds = c.to
		default:
			return i.fail(fmt.Sprintf("a column of its batch has the form %d", c.Form))
		}
	}
	if i.broken {
		return i.fail("its batch lies outside its memory")
	}
	// A cell begins where the one before it ends: in the column before, or at the
	// end of the row before.
	textEnds.shift, octetEnds.shift = 1, 1
	for n := range b.Columns {
		c := &b.Columns[n]
		switch c.Form {
		case FormText, FormJSON:
			c.from, textEnds = textEnds, c.to
		case FormBytes:
			c.from, octetEnds = octetEnds, c.to
		default:
			continue
		}
		for row := range b.Rows {
			if c.from.of(row) > c.to.of(row) || c.to.of(row) > uint32(len(c.data)) {
				return i.fail("a cell of its batch lies outside the text")
			}
		}
	}
	return b.readExtras(i, area(word(tableExtras), 16*min(word(tableExtraCount), math.MaxUint32/16)), area(word(tableExtraText), word(tableExtraText+1)))
}

func (b *Batch) readExtras(i *instance, table, text []byte) error {
	if i.broken {
		return i.fail("the extras of its batch lie outside their memory")
	}
	for ; len(table) > 0; table = table[16:] {
		word := func(n int) uint32 { return binary.LittleEndian.Uint32(table[4*n:]) }
		row, column, from, to := word(0), word(1), word(2), word(3)
		if row >= uint32(b.Rows) || column >= uint32(len(b.Columns)) || from > to || to > uint32(len(text)) {
			return i.fail("an extra of its batch is of no cell")
		}
		c := &b.Columns[column]
		c.extras = append(c.extras, extra{int(row), text[from:to:to]})
	}
	return nil
}

// numbers returns the little-endian numbers in data, as a view where the machine
// has the same order and data is aligned, as it is in every module of ours.
func numbers[T int32 | int64 | uint32 | float64](data []byte) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	n := len(data) / size
	if n == 0 {
		return nil
	}
	p := unsafe.Pointer(unsafe.SliceData(data))
	if littleEndian && uintptr(p)%uintptr(size) == 0 {
		return unsafe.Slice((*T)(p), n)
	}
	list := make([]T, n)
	if _, err := binary.Decode(data[:n*size], binary.LittleEndian, list); err != nil {
		panic(err) // the sizes are right
	}
	return list
}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1
