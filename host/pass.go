package host

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/driveradapter/values"
	"github.com/tetratelabs/wazero/api"
)

// rowSource is the part of driveradapter.Rows that a pass needs.
type rowSource interface {
	Next() bool
	Row() []any
	Err() error
}

// resultRows are the rows of a result set.
type resultRows struct {
	rows [][]any
	at   int // index of the next row
}

func (r *resultRows) Next() bool {
	if r.at >= len(r.rows) {
		return false
	}
	r.at++
	return true
}

func (r *resultRows) Row() []any { return r.rows[r.at-1] }
func (r *resultRows) Err() error { return nil }

func (r *resultRows) Rewind() error {
	r.at = 0
	return nil
}

// sink takes a piece of the document, which is valid only during the call. rows
// is how many rows have been read so far.
type sink func(piece []byte, rows int) error

// writeTo returns a sink that writes to w.
func writeTo(w io.Writer) sink {
	return func(piece []byte, _ int) error {
		n, err := w.Write(piece)
		switch {
		case err != nil:
		case n < 0 || n > len(piece):
			err = errInvalidWrite
		case n < len(piece):
			err = io.ErrShortWrite
		}
		return err
	}
}

// discard is the sink of a scan.
func discard([]byte, int) error { return nil }

// pass takes a result through an instance, once for each run.
type pass struct {
	instance *instance
	names    []string
	types    []driveradapter.ColumnType
	shape    Shape

	// keep makes run keep the rows blocks, so that a later run without rows
	// can read them from here.
	keep   bool
	blocks [][]byte

	messages bool // the input are messages, which may hold several results

	rows int // rows read in this run
	// again says that run must read as many rows as want, as an earlier one did.
	again bool
	want  int

	row []any // what zoneless makes of a row
}

// settled runs as often as a Settle says. The sink gets the whole document.
func (p *pass) settled(ctx context.Context, settle Settle, rows rowSource, out sink) error {
	var err error
	switch settle {
	case SettleDeclared:
		_, err = p.run(ctx, flagFixed, rows, out)
	case SettleUnknown:
		_, err = p.run(ctx, flagFixed|flagUnknown, rows, out)
	case SettleScan:
		rewinder, ok := rows.(interface{ Rewind() error })
		if !ok {
			return ErrNoRewind
		}
		if _, err := p.run(ctx, flagScan, rows, discard); err != nil {
			return err
		}
		p.again, p.want = true, p.rows
		names, types := slices.Clone(p.names), slices.Clone(p.types)
		if err := rewinder.Rewind(); err != nil {
			return err
		}
		if r, ok := rows.(driveradapter.Rows); ok && (!slices.Equal(r.ColumnNames(), names) || !slices.Equal(r.ColumnTypes(), types)) {
			return fmt.Errorf("%w: other columns", ErrRewound)
		}
		_, err = p.run(ctx, flagSettled, rows, out)
	case SettleBuffer:
		p.keep = true
		if _, err := p.run(ctx, flagScan, rows, discard); err != nil {
			return err
		}
		_, err = p.run(ctx, flagSettled, nil, out)
	}
	return err
}

// run takes all rows through the module; if rows is nil, the blocks that an
// earlier run kept. The sink gets the whole document if flags let the labels be
// known from the start, else all but the head. run reports whether the labels
// changed: then the output is void and a settled run must follow.
func (p *pass) run(ctx context.Context, flags uint32, rows rowSource, out sink) (again bool, err error) {
	i := p.instance
	p.rows = 0
	i.encoder.Reset()
	if err := p.step(ctx, out, i.begin, sourceFrames, uint32(p.shape), flags); err != nil {
		return false, err
	}
	i.columns = driveradapter.AppendColumns(i.columns[:0], p.names, p.types)
	if err := p.feed(ctx, i.columns, out); err != nil {
		return false, err
	}
	if flags&(flagFixed|flagSettled) != 0 {
		if err := p.step(ctx, out, i.head); err != nil {
			return false, err
		}
	}
	if rows != nil {
		err = p.feedRows(ctx, rows, out)
		if err == nil && p.again && p.rows < p.want {
			err = fmt.Errorf("%w: %d rows, %d before", ErrRewound, p.rows, p.want)
		}
	} else {
		err = p.feedBlocks(ctx, out)
	}
	if err != nil {
		return false, err
	}
	status, err := i.call(ctx, i.end)
	if err != nil {
		return false, err
	}
	status, err = p.take(ctx, status, out)
	if err == nil && status == statusAgain && flags&(flagFixed|flagSettled) != 0 {
		err = i.fail("it changed labels that were final")
	}
	return status == statusAgain, err
}

// feedRows reads rows to their end.
func (p *pass) feedRows(ctx context.Context, rows rowSource, out sink) error {
	zones := p.hasZones()
	if all, ok := rows.(*resultRows); ok {
		return p.feedAll(ctx, all.rows, zones, out)
	}
	encoder := &p.instance.encoder
	for rows.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if p.again && p.rows == p.want {
			return fmt.Errorf("%w: more than the %d rows of before", ErrRewound, p.want)
		}
		if err := p.place(ctx); err != nil {
			return err
		}
		row := rows.Row()
		if zones {
			row = p.zoneless(row)
		}
		encoder.Row(row, len(p.names))
		p.rows++
		if encoder.Size() >= chunkSize {
			if err := p.flush(ctx, out); err != nil {
				return err
			}
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if encoder.Empty() {
		return nil
	}
	return p.flush(ctx, out)
}

// feedAll is feedRows for rows that are in memory, which need not be asked for
// one by one.
func (p *pass) feedAll(ctx context.Context, rows [][]any, zones bool, out sink) error {
	encoder, columns := &p.instance.encoder, len(p.names)
	for len(rows) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.place(ctx); err != nil {
			return err
		}
		n := 0
		for n < len(rows) && encoder.Size() < chunkSize {
			row := rows[n]
			if zones {
				row = p.zoneless(row)
			}
			encoder.Row(row, columns)
			n++
		}
		rows = rows[n:]
		p.rows += n
		if err := p.flush(ctx, out); err != nil {
			return err
		}
	}
	return nil
}

// place begins a block where the module wants it, if none was begun.
func (p *pass) place(ctx context.Context) error {
	if p.keep || !p.instance.encoder.Empty() {
		return nil
	}
	room, err := p.instance.room(ctx, chunkSize+chunkSize/8, p.names)
	if err != nil {
		return err
	}
	p.instance.encoder.Place(room)
	return nil
}

// isZoneless reports whether a zone must not move the cells of a column.
func isZoneless(t driveradapter.ColumnType) bool {
	switch t {
	case driveradapter.Date, driveradapter.Time, driveradapter.DateArray, driveradapter.TimeArray:
		return true
	}
	return false
}

// hasZones reports whether zoneless has something to do.
func (p *pass) hasZones() bool { return slices.ContainsFunc(p.types, isZoneless) }

// zoneless returns the row with the wall clocks of times in date and time
// columns: a zone must not move a date to another day, as UTC would.
func (p *pass) zoneless(row []any) []any {
	if len(row) != len(p.types) {
		return row // an error, which the module reports
	}
	copied := false
	for i, typ := range p.types {
		if !isZoneless(typ) {
			continue
		}
		cell, changed := wallClock(row[i])
		if !changed {
			continue
		}
		if !copied {
			p.row = append(p.row[:0], row...)
			row, copied = p.row, true
		}
		row[i] = cell
	}
	return row
}

// wallClock returns a cell in which times are what their clocks show, as if that
// were UTC. Values that cannot be cells stay, for the encoder to report.
func wallClock(v any) (cell any, changed bool) {
	switch v := v.(type) {
	case nil, string, []byte, []string, driveradapter.JSONText:
		return v, false
	case time.Time:
		if v.Location() == time.UTC {
			return v, false
		}
		// Not by time.Date, as years do not hold every time.
		_, offset := v.Zone()
		return time.Unix(v.Unix()+int64(offset), int64(v.Nanosecond())).UTC(), true
	}
	cell, err := values.Of(v)
	if err != nil {
		return v, false
	}
	switch c := cell.(type) {
	case time.Time:
		cell, _ = wallClock(c)
		return cell, true
	case []any: // is of values.Of, unless it is v
		list := slices.Clone(c)
		for i, x := range list {
			list[i], _ = wallClock(x)
		}
		return list, true
	}
	return v, false
}

// flush hands the rows that the encoder holds to the module.
func (p *pass) flush(ctx context.Context, out sink) error {
	i := p.instance
	if n, ok := i.encoder.Finish(); ok {
		return p.step(ctx, out, i.push, uint32(n))
	}
	size := i.encoder.Size()
	if p.keep {
		block := i.encoder.AppendBlock(make([]byte, 0, size))
		p.blocks = append(p.blocks, block)
		return p.feed(ctx, block, out)
	}
	// The last row was long. Its block may be in the room already, partly: the
	// module may not move that meanwhile.
	p.instance.block = i.encoder.AppendBlock(p.instance.block[:0])
	return p.feed(ctx, p.instance.block, out)
}

// feedBlocks hands the kept blocks to the module, and forgets them.
func (p *pass) feedBlocks(ctx context.Context, out sink) error {
	for n, block := range p.blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.blocks[n] = nil
		if err := p.feed(ctx, block, out); err != nil {
			return err
		}
	}
	return nil
}

func (p *pass) feed(ctx context.Context, block []byte, out sink) error {
	room, err := p.instance.room(ctx, len(block), p.names)
	if err != nil {
		return err
	}
	copy(room, block)
	return p.step(ctx, out, p.instance.push, uint32(len(block)))
}

// head returns the head of the document, valid until the next call.
func (p *pass) head(ctx context.Context) (head []byte, err error) {
	err = p.step(ctx, func(piece []byte, _ int) error {
		head = append(head, piece...)
		return nil
	}, p.instance.head)
	return head, err
}

// step calls a function of the module and takes all that it puts out.
func (p *pass) step(ctx context.Context, out sink, f api.Function, args ...uint32) error {
	status, err := p.instance.call(ctx, f, args...)
	if err != nil {
		return err
	}
	status, err = p.take(ctx, status, out)
	if err == nil && status != statusDone {
		err = p.instance.fail("it asks for a second pass before the end")
	}
	return err
}

// take takes the output until the module has no more, and returns the last
// status: statusDone, statusAgain or, of messages, statusNext.
func (p *pass) take(ctx context.Context, status uint32, out sink) (uint32, error) {
	i := p.instance
	for {
		switch {
		case status == statusDone, status == statusFull, status == statusNext && p.messages:
			piece, err := i.output()
			if err != nil {
				return status, err
			}
			if len(piece) > 0 {
				if err := out(piece, p.rows); err != nil {
					return status, err
				}
			}
		case status == statusAgain:
		case status == statusError:
			return status, i.resultError(p.names)
		default:
			return status, i.fail(fmt.Sprintf("it returned the status %d", status))
		}
		if status != statusFull {
			return status, nil
		}
		if err := ctx.Err(); err != nil {
			return status, err
		}
		var err error
		if status, err = i.call(ctx, i.resume); err != nil {
			return status, err
		}
	}
}

// document gathers a document in memory.
type document struct {
	buf []byte
	// room is the space in front that is left for the head, which comes last.
	room int
	// total is how many rows there are, 0 if that is not known.
	total int
}

// headRoom returns how long the head can become: a byte of a name becomes six
// at most, \u00xx; the longest label is datetime-array.
func headRoom(names []string) int {
	n := len(`{"columns":[],"types":[],"rows":[`)
	for _, name := range names {
		n += 6*len(name) + len(`"",`) + len(`"datetime-array",`)
	}
	return n
}

// add is a sink. The first piece tells how long the document will be, so that
// most documents are allocated twice, whatever their size.
func (d *document) add(piece []byte, rows int) error {
	if d.buf == nil {
		d.buf = notZeroed(d.room + d.estimate(len(piece), rows))[:d.room]
	}
	if need := len(d.buf) + len(piece); need > cap(d.buf) {
		size := 2 * need
		if d.total > 0 {
			size = max(d.room+d.estimate(need-d.room, rows), need+need/8)
		}
		d.buf = append(notZeroed(size), d.buf...)
	}
	d.buf = append(d.buf, piece...)
	return nil
}

// estimate returns how many bytes all rows will take if the first ones took n,
// and a little more, as a document that is a byte too long is copied. The first
// rows may be far longer than the others: what is big is not more than four times
// what there is.
func (d *document) estimate(n, rows int) int {
	const big = 16 << 20
	if rows > 0 && rows < d.total {
		n = int(min(float64(n)*float64(d.total)/float64(rows), max(big, 4*float64(n))))
	}
	return n + n/32 + 64
}

// notZeroed returns an empty slice with room for n bytes that were not cleared,
// which make would do: they are written over, and clearing a big document takes
// as long as filling it. It is the memory of a strings.Builder that is used for
// nothing else.
func notZeroed(n int) []byte {
	var b strings.Builder
	b.Grow(n)
	return unsafe.Slice(unsafe.StringData(b.String()), n)[:0]
}

// restart drops what is there, for a run that begins with the head.
func (d *document) restart() {
	d.room = 0
	d.buf = d.buf[:0]
}

// finish returns the document with the given head in front; with none if that was
// added.
func (d *document) finish(head []byte) []byte {
	if d.buf == nil || len(head) > d.room {
		return append(head, d.buf[min(d.room, len(d.buf)):]...)
	}
	start := d.room - len(head)
	copy(d.buf[start:], head)
	doc := d.buf[start:]
	if spare := cap(doc) - len(doc); spare > len(doc) && spare > 1<<20 {
		return bytes.Clone(doc) // the caller may keep it for long
	}
	return doc
}
