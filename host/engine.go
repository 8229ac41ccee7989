package host

import (
	"context"
	"io"
	"sync"

	"github.com/rowjet/rowjet/driveradapter"
)

// chunkSize is how many bytes of encoded rows go to the module at a time: few
// enough that they and what they become stay in the processor's cache, enough
// that the calls into the module cost nothing.
const chunkSize = 64 << 10

// Engine writes the results of one dialect. It is safe for concurrent use: each
// call has an instance of the module to itself.
type Engine struct {
	runtime  *Runtime
	dialect  driveradapter.Dialect
	compiled chan struct{} // closed when code is what it will stay

	mu   sync.Mutex
	code *code
	idle []*instance // of code; the last one was used last, its memory is warm
}

// smallResult is the number of cells up to which a result is not worth waiting
// for the compiler: interpreted, that many take a few milliseconds.
const smallResult = 2000

// Dialect returns the dialect of the engine.
func (e *Engine) Dialect() driveradapter.Dialect {
	if e == nil {
		return 0
	}
	return e.dialect
}

// usable returns an error for an Engine that is not of Runtime.Engine.
func (e *Engine) usable() error {
	if e == nil || e.runtime == nil {
		return errNoEngine
	}
	return nil
}

// get returns an idle instance, or a new one. Unless the result is small, it
// waits for the compiler.
func (e *Engine) get(ctx context.Context, small bool) (*instance, error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	if ctx == nil {
		return nil, errNilContext
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := e.runtime.enter(); err != nil {
		return nil, err
	}
	if !small {
		select {
		case <-e.compiled:
		case <-ctx.Done():
			e.runtime.leave()
			return nil, ctx.Err()
		}
	}
	e.mu.Lock()
	if n := len(e.idle); n > 0 {
		i := e.idle[n-1]
		e.idle[n-1] = nil
		e.idle = e.idle[:n-1]
		e.mu.Unlock()
		return i, nil
	}
	code := e.code
	e.mu.Unlock()
	i, err := e.instantiate(ctx, code)
	if err != nil {
		e.runtime.leave()
		return nil, err
	}
	return i, nil
}

// release ends what get began. It is deferred, so it also runs when a method
// of the caller's rows or writer panics.
func (e *Engine) release(ctx context.Context, i *instance) {
	e.put(ctx, i)
	e.runtime.leave()
}

// put keeps an instance for later calls, or closes it.
func (e *Engine) put(ctx context.Context, i *instance) {
	if !i.broken && i.memory.Size() <= e.runtime.options.maxIdleMemory {
		i.encoder.Reset()
		e.mu.Lock()
		if i.code == e.code && len(e.idle) < e.runtime.options.poolSize {
			e.idle = append(e.idle, i)
			e.mu.Unlock()
			return
		}
		e.mu.Unlock()
	}
	i.module.Close(ctx)
}

// Serialize returns the document for a result set. The caller owns the bytes.
func (e *Engine) Serialize(ctx context.Context, rs driveradapter.ResultSet, opts ...CallOption) ([]byte, error) {
	o, err := callOptionsOf(opts)
	if err != nil {
		return nil, err
	}
	i, err := e.get(ctx, len(rs.Rows)*len(rs.ColumnNames) <= smallResult)
	if err != nil {
		return nil, err
	}
	defer e.release(ctx, i)
	p := pass{instance: i, names: rs.ColumnNames, types: rs.ColumnTypes, shape: o.shape}
	doc := document{room: headRoom(rs.ColumnNames), total: len(rs.Rows)}
	rows := resultRows{rows: rs.Rows}
	again, err := p.run(ctx, 0, &rows, doc.add)
	if err != nil {
		return nil, err
	}
	if again {
		doc.restart()
		rows.at = 0
		if _, err := p.run(ctx, flagSettled, &rows, doc.add); err != nil {
			return nil, err
		}
		return doc.finish(nil), nil
	}
	head, err := p.head(ctx)
	if err != nil {
		return nil, err
	}
	return doc.finish(head), nil
}

// SerializeTo writes the document for a result set to w, in pieces, without
// holding it in memory. After an error, a part of the document may have been
// written. w must not keep the slices that it is given.
func (e *Engine) SerializeTo(ctx context.Context, w io.Writer, rs driveradapter.ResultSet, opts ...CallOption) error {
	o, err := callOptionsOf(opts)
	if err != nil {
		return err
	}
	if err := e.usable(); err != nil {
		return err
	}
	o.settle = SettleScan
	return e.stream(ctx, w, rs.ColumnNames, rs.ColumnTypes, &resultRows{rows: rs.Rows}, o, len(rs.Rows)*len(rs.ColumnNames) <= smallResult)
}

// Stream writes the document for rows to w, in pieces, as the rows come. It
// reads rows to the end and leaves closing them to the caller. After an error,
// a part of the document may have been written. w must not keep the slices that
// it is given.
func (e *Engine) Stream(ctx context.Context, w io.Writer, rows driveradapter.Rows, opts ...CallOption) error {
	if isNil(rows) {
		return errNilRows
	}
	if err := e.usable(); err != nil {
		return err
	}
	o, err := callOptionsOf(opts)
	if err != nil {
		return err
	}
	return e.stream(ctx, w, rows.ColumnNames(), rows.ColumnTypes(), rows, o, false)
}

func (e *Engine) stream(ctx context.Context, w io.Writer, names []string, types []driveradapter.ColumnType, rows rowSource, o callOptions, small bool) error {
	if w == nil {
		return errNilWriter
	}
	i, err := e.get(ctx, small)
	if err != nil {
		return err
	}
	defer e.release(ctx, i)
	p := pass{instance: i, names: names, types: types, shape: o.shape}
	return p.settled(ctx, settleFor(e.dialect, types, o.settle), rows, writeTo(w))
}

// settleFor returns a Settle, or SettleDeclared for results that it changes
// nothing about: those without a column that the data may give another label than
// the declared one; see Labels in wasm/ABI.md.
func settleFor(d driveradapter.Dialect, types []driveradapter.ColumnType, settle Settle) Settle {
	for _, t := range types {
		switch {
		case d == driveradapter.SQLite:
			return settle
		case t == driveradapter.UnknownNumber, t == driveradapter.Time, t == driveradapter.TimeArray:
			if settle != SettleUnknown {
				return settle
			}
		}
	}
	return SettleDeclared
}
