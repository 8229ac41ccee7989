package host

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/rowjet/rowjet/driveradapter"
)

// Messages takes the answer of a database server as the messages of its wire
// protocol: the bytes that the server sent, or what says the same. The module
// reads them itself, so no cell becomes a Go value on its way; see Messages in
// wasm/ABI.md for what it takes and which messages may be left out. Package
// driveradapter/pgmessages makes such readers of what pgx has.
//
// It gives the results in the answer, in their order; an answer without any is
// one result without columns. Each result can be read once, within its turn of
// the loop; one that is not read is skipped. An error ends the loop after it was
// given: that of a result, also if the loop's body has seen it, or that of a
// skipped one. Results are not safe for concurrent use.
//
// r must end, with io.EOF, where the answer does: a reader of a connection has to
// stop at ReadyForQuery. Its other errors come through unchanged. If r has a
// method ColumnNames() []string, which returns the names of the result that the
// last Read was of, errors and batches have the names that it tells, and a Read
// must not go on into another result.
func (e *Engine) Messages(ctx context.Context, r io.Reader) iter.Seq2[*Result, error] {
	return func(yield func(*Result, error) bool) {
		if isNil(r) {
			yield(nil, errNilReader)
			return
		}
		i, err := e.get(ctx, false)
		if err != nil {
			yield(nil, err)
			return
		}
		a := answer{ctx: ctx, engine: e, instance: i, reader: r}
		defer a.leave()
		a.named, _ = r.(namer)
		for first := true; first || a.more; first = false {
			result := &Result{answer: &a}
			goOn := yield(result, nil)
			unread := result.answer != nil
			result.answer = nil
			if !goOn {
				return
			}
			if a.reading { // iter.Pull lets the loop go on from within
				yield(nil, errResultBusy)
				return
			}
			if unread {
				a.err = a.run(ShapeArray, flagScan, discard)
			}
			if a.err != nil {
				yield(nil, a.err)
				return
			}
		}
	}
}

// SerializeMessages returns the document for the only result of an answer: see
// Messages. The caller owns the bytes. An answer with more results is
// ErrMoreResults.
func (e *Engine) SerializeMessages(ctx context.Context, r io.Reader, opts ...CallOption) (out []byte, err error) {
	err = e.onlyResult(ctx, r, func(result *Result) error {
		out, err = result.Serialize(opts...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// StreamMessages writes the document for the only result of an answer to w, in
// pieces, as the messages come: see Messages. After an error, which an answer
// with more results is too (ErrMoreResults), a part of the document may have been
// written. w must not keep the slices that it is given. A Settle is ignored, as
// the database told all types.
func (e *Engine) StreamMessages(ctx context.Context, w io.Writer, r io.Reader, opts ...CallOption) error {
	return e.onlyResult(ctx, r, func(result *Result) error { return result.Stream(w, opts...) })
}

// BatchMessages is Batches for the only result of an answer: see Messages and
// StreamMessages.
func (e *Engine) BatchMessages(ctx context.Context, r io.Reader, f func(*Batch) error) error {
	return e.onlyResult(ctx, r, func(result *Result) error { return result.Batches(f) })
}

func (e *Engine) onlyResult(ctx context.Context, r io.Reader, f func(*Result) error) error {
	for result, err := range e.Messages(ctx, r) {
		if err != nil {
			return err
		}
		a := result.answer
		if err := f(result); err != nil {
			return err
		}
		if a.more {
			return ErrMoreResults
		}
	}
	return nil
}

// Result is one of the results in a server's answer: see Engine.Messages.
type Result struct {
	answer *answer // nil once it is read, or its turn is over
}

// Serialize returns the document for the result. The caller owns the bytes.
func (r *Result) Serialize(opts ...CallOption) ([]byte, error) {
	o, err := callOptionsOf(opts)
	if err != nil {
		return nil, err
	}
	var doc document
	if err := r.read(o.shape, 0, doc.add); err != nil {
		return nil, err
	}
	return doc.finish(nil), nil
}

// Stream writes the document for the result to w, in pieces, as its messages
// come. After an error, a part of the document may have been written. w must not
// keep the slices that it is given.
func (r *Result) Stream(w io.Writer, opts ...CallOption) error {
	if w == nil {
		return errNilWriter
	}
	o, err := callOptionsOf(opts)
	if err != nil {
		return err
	}
	return r.read(o.shape, 0, writeTo(w))
}

// Batches calls f with batches of the result as typed columns. A result without
// rows is one batch without rows. The error of f ends it and comes through
// unchanged.
func (r *Result) Batches(f func(*Batch) error) error {
	if f == nil {
		return errNilFunc
	}
	if r == nil || r.answer == nil {
		return errResultOver
	}
	a := r.answer
	var batch Batch
	first := true
	return r.read(shapeBatch, 0, func(table []byte, _ int) error {
		if err := batch.read(a.instance, table, a.namesFor(a.instance.stateBlock().columns())); err != nil {
			return err
		}
		if batch.Rows == 0 && !first {
			return nil
		}
		first = false
		return f(&batch)
	})
}

// read reads the result, if that was not begun yet.
func (r *Result) read(shape Shape, flags uint32, out sink) error {
	if r == nil || r.answer == nil {
		return errResultOver
	}
	a := r.answer
	r.answer = nil // out may be code that asks for it again
	a.reading = true
	defer a.endReading()
	a.err = a.run(shape, flags, out)
	return a.err
}

// namer tells the names of the columns of the result that its last Read was of.
type namer interface{ ColumnNames() []string }

// answer is a server's answer on its way through an instance.
type answer struct {
	ctx      context.Context
	engine   *Engine
	instance *instance
	reader   io.Reader
	named    namer // the reader, or nil

	names []string // of the result in flight, if the reader tells them
	more  bool     // the module's pending input begins with another result
	ended bool     // the reader is at its end
	err   error    // what ended the answer

	reading bool // a result is being read by the loop's body
	left    bool // the loop has ended within that
}

// leave ends the use of the instance, or leaves that to endReading.
func (a *answer) leave() {
	if a.reading {
		a.left = true
		return
	}
	a.engine.release(a.ctx, a.instance)
}

func (a *answer) endReading() {
	a.reading = false
	if a.left {
		a.engine.release(a.ctx, a.instance)
	}
}

// run takes a result through the module. The sink gets the whole document.
func (a *answer) run(shape Shape, flags uint32, out sink) error {
	i := a.instance
	// What the module puts out for rows comes when it knows the columns. That is
	// when it can be asked for the head, which must go out first.
	headless := (shape == ShapeArray || shape == ShapeObjects) && flags&flagScan == 0
	var held []byte
	take := func(piece []byte, rows int) error {
		if !headless {
			return out(piece, rows)
		}
		headless = false
		held = append(held[:0], piece...) // the module will write over it
		if err := a.head(out); err != nil {
			return err
		}
		return out(held, rows)
	}
	flags |= flagFixed
	if a.more {
		flags |= flagNext
	}
	status, err := i.call(a.ctx, i.begin, sourceMessages, uint32(shape), flags)
	if err != nil {
		return err
	}
	if status == statusError && i.stateBlock().code() == uint32(driveradapter.CodeCallOrder) {
		return ErrNoMessages
	}
	p := pass{instance: i, names: a.names, messages: true}
	if a.more {
		a.more = false
		if status, err = i.call(a.ctx, i.push, 0); err != nil {
			return err
		}
	}
	for {
		if status, err = p.take(a.ctx, status, take); err != nil {
			return err
		}
		if status == statusNext {
			a.more = true
			break
		}
		if status != statusDone {
			return i.fail("it asks for a second pass of messages")
		}
		n, err := a.readMore(&p)
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
		if status, err = i.call(a.ctx, i.push, uint32(n)); err != nil {
			return err
		}
		if status != statusNext {
			a.names = a.nextNames()
			p.names = a.names
		}
	}
	if status, err = i.call(a.ctx, i.end); err != nil {
		return err
	}
	if status, err = p.take(a.ctx, status, take); err != nil {
		return err
	}
	if status != statusDone {
		return i.fail("it asks for a second pass of messages")
	}
	if a.more {
		a.names = a.nextNames()
	}
	return nil
}

// readMore reads to where the module wants its input. It returns 0 at the end.
func (a *answer) readMore(p *pass) (n int, err error) {
	if a.ended {
		return 0, nil
	}
	if err := a.ctx.Err(); err != nil {
		return 0, err
	}
	room, err := a.instance.room(a.ctx, chunkSize, p.names)
	if err != nil {
		return 0, err
	}
	for range 100 { // as many as bufio.Reader tries
		n, err = a.reader.Read(room)
		switch {
		case n < 0 || n > len(room):
			return 0, fmt.Errorf("the reader of messages says that it read %d bytes into %d", n, len(room))
		case err == io.EOF:
			a.ended = true
			return n, nil
		case err != nil || n > 0:
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// nextNames returns the names of the result that was read from last.
func (a *answer) nextNames() []string {
	if a.named == nil {
		return a.names
	}
	return a.named.ColumnNames()
}

// namesFor returns a name for each of the columns: empty ones if they are not
// known.
func (a *answer) namesFor(columns uint32) []string {
	if uint64(len(a.names)) != uint64(columns) && columns <= mostColumns {
		a.names = make([]string, columns)
	}
	return a.names
}

// mostColumns is more than any database has.
const mostColumns = 1 << 16

// head hands the head of the document to a sink.
func (a *answer) head(out sink) error {
	i := a.instance
	status, err := i.call(a.ctx, i.head)
	if err != nil {
		return err
	}
	if status == statusError {
		return i.resultError(a.names)
	}
	piece, err := i.output()
	if err != nil {
		return err
	}
	return out(bytes.Clone(piece), 0)
}
