package host_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/host"
	"github.com/shopspring/decimal"
)

var ctx = context.Background()

// mixed is a result with cells of many Go types.
var mixed = driveradapter.ResultSet{
	ColumnNames: []string{"id", "big", "price", "key", "at", "doc", "raw", "tags", "net"},
	ColumnTypes: []driveradapter.ColumnType{
		driveradapter.Int32, driveradapter.Int64, driveradapter.Numeric, driveradapter.UUID, driveradapter.DateTime,
		driveradapter.JSON, driveradapter.Bytes, driveradapter.TextArray, driveradapter.Text,
	},
	Rows: [][]any{
		{
			int32(1), big.NewInt(1 << 62), decimal.RequireFromString("1.10"), uuid.UUID{15: 1},
			time.Date(2024, 2, 29, 1, 2, 3, 4e6, time.FixedZone("", -8*3600)),
			json.RawMessage(`{"a": 1.0}`), []byte{0, 255}, []string{"a", `"`}, netip.MustParsePrefix("10.0.0.0/8"),
		},
		{nil, nil, decimal.NullDecimal{}, uuid.NullUUID{}, (*time.Time)(nil), json.RawMessage(nil), []byte(nil), []any(nil), (*string)(nil)},
	},
}

func TestSerialize(t *testing.T) {
	numbers := driveradapter.ResultSet{
		ColumnNames: []string{"n", "a", "a"},
		ColumnTypes: []driveradapter.ColumnType{driveradapter.UnknownNumber, driveradapter.Text, driveradapter.Text},
		Rows:        [][]any{{1, "x", "y"}, {int64(1) << 40, nil, "z"}},
	}
	anything := driveradapter.ResultSet{
		ColumnNames: []string{"v"},
		ColumnTypes: []driveradapter.ColumnType{driveradapter.Int32},
		Rows:        [][]any{{1}, {"two"}, {nil}, {2.5}},
	}
	empty := driveradapter.ResultSet{ColumnNames: []string{"a"}, ColumnTypes: []driveradapter.ColumnType{driveradapter.Int32}}
	none := driveradapter.ResultSet{Rows: [][]any{{}, {}}}
	for _, test := range []struct {
		name    string
		dialect driveradapter.Dialect
		rs      driveradapter.ResultSet
		shape   host.Shape
		want    string
	}{
		{"many types", driveradapter.Postgres, mixed, host.ShapeArray,
			`{"columns":["id","big","price","key","at","doc","raw","tags","net"],` +
				`"types":["int","bigint","decimal","uuid","datetime","json","bytes","string-array","string"],"rows":[` +
				`[1,"4611686018427387904","1.10","00000000-0000-0000-0000-000000000001","2024-02-29T09:02:03.004+00:00",{"a": 1.0},"AP8=",["a","\""],"10.0.0.0/8"],` +
				`[null,null,null,null,null,null,null,null,null]]}`},
		{"second pass", driveradapter.MySQL, numbers, host.ShapeArray,
			`{"columns":["n","a","a"],"types":["bigint","string","string"],"rows":[["1","x","y"],["1099511627776",null,"z"]]}`},
		{"objects", driveradapter.MySQL, numbers, host.ShapeObjects, `[{"n":"1","a":"y"},{"n":"1099511627776","a":"z"}]`},
		{"lines", driveradapter.MySQL, numbers, host.ShapeNDJSON, `{"n":"1","a":"y"}` + "\n" + `{"n":"1099511627776","a":"z"}` + "\n"},
		{"SQLite mixes", driveradapter.SQLite, anything, host.ShapeArray, `{"columns":["v"],"types":["unknown"],"rows":[[1],["two"],[null],[2.5]]}`},
		{"no rows", driveradapter.Postgres, empty, host.ShapeArray, `{"columns":["a"],"types":["int"],"rows":[]}`},
		{"no rows, objects", driveradapter.Postgres, empty, host.ShapeObjects, `[]`},
		{"no rows, lines", driveradapter.Postgres, empty, host.ShapeNDJSON, ``},
		{"no columns", driveradapter.Postgres, none, host.ShapeArray, `{"columns":[],"types":[],"rows":[[],[]]}`},
		{"nothing", driveradapter.Postgres, driveradapter.ResultSet{}, host.ShapeArray, `{"columns":[],"types":[],"rows":[]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			onFlavours(t, func(t *testing.T, opts ...host.Option) {
				engine := newEngine(t, test.dialect, opts...)
				out, err := engine.Serialize(ctx, test.rs, test.shape)
				if err != nil {
					t.Fatal(err)
				}
				if string(out) != test.want {
					t.Errorf("Serialize: got\n%s\nwant\n%s", out, test.want)
				}
				var w bytes.Buffer
				if err := engine.SerializeTo(ctx, &w, test.rs, test.shape); err != nil {
					t.Fatal(err)
				}
				if w.String() != test.want {
					t.Errorf("SerializeTo: got\n%s\nwant\n%s", &w, test.want)
				}
				w.Reset()
				if err := engine.Stream(ctx, &w, driveradapter.RowsOf(test.rs), test.shape, host.SettleBuffer); err != nil {
					t.Fatal(err)
				}
				if w.String() != test.want {
					t.Errorf("Stream: got\n%s\nwant\n%s", &w, test.want)
				}
			})
		})
	}
}

// rewindable is a result set that can be read twice.
type rewindable struct {
	driveradapter.Rows
	rs      driveradapter.ResultSet
	rewinds int
}

func (r *rewindable) Rewind() error {
	r.rewinds++
	r.Rows = driveradapter.RowsOf(r.rs)
	return nil
}

func TestSettle(t *testing.T) {
	anything := driveradapter.ResultSet{
		ColumnNames: []string{"v"},
		ColumnTypes: []driveradapter.ColumnType{driveradapter.Int32},
		Rows:        [][]any{{1}, {3_000_000_000}},
	}
	const settled = `{"columns":["v"],"types":["bigint"],"rows":[["1"],["3000000000"]]}`
	const unknown = `{"columns":["v"],"types":["unknown"],"rows":[[1],[3000000000]]}`
	engine := newEngine(t, driveradapter.SQLite)
	for _, test := range []struct {
		settle  host.Settle
		want    string
		err     error
		rewinds int
	}{
		{host.SettleDeclared, "", driveradapter.CodeLabelUnsettled, 0},
		{host.SettleScan, settled, nil, 1},
		{host.SettleBuffer, settled, nil, 0},
		{host.SettleUnknown, unknown, nil, 0},
	} {
		var w bytes.Buffer
		rows := &rewindable{driveradapter.RowsOf(anything), anything, 0}
		err := engine.Stream(ctx, &w, rows, test.settle)
		if !errors.Is(err, test.err) {
			t.Errorf("%d: got the error %v, want %v", test.settle, err, test.err)
		}
		if test.err == nil && w.String() != test.want {
			t.Errorf("%d: got %s, want %s", test.settle, &w, test.want)
		}
		if rows.rewinds != test.rewinds {
			t.Errorf("%d: got %d rewinds, want %d", test.settle, rows.rewinds, test.rewinds)
		}
	}

	t.Run("rows that cannot be rewound", func(t *testing.T) {
		rows := struct{ driveradapter.Rows }{driveradapter.RowsOf(anything)}
		if err := engine.Stream(ctx, io.Discard, rows, host.SettleScan); err != host.ErrNoRewind {
			t.Errorf("got the error %v, want ErrNoRewind", err)
		}
	})
	t.Run("results that need no settling are read once", func(t *testing.T) {
		rs := driveradapter.ResultSet{ColumnNames: []string{"v"}, ColumnTypes: []driveradapter.ColumnType{driveradapter.Text}, Rows: [][]any{{"a"}}}
		rows := &rewindable{driveradapter.RowsOf(rs), rs, 0}
		var w bytes.Buffer
		err := newEngine(t, driveradapter.Postgres).Stream(ctx, &w, rows, host.SettleScan)
		if err != nil || rows.rewinds != 0 || w.String() != `{"columns":["v"],"types":["string"],"rows":[["a"]]}` {
			t.Errorf("got %s, %d rewinds, error %v", &w, rows.rewinds, err)
		}
	})
	t.Run("unknown numbers of the other dialects", func(t *testing.T) {
		rs := driveradapter.ResultSet{ColumnNames: []string{"v"}, ColumnTypes: []driveradapter.ColumnType{driveradapter.UnknownNumber}, Rows: [][]any{{1}, {0.5}}}
		for settle, want := range []string{
			host.SettleDeclared: `{"columns":["v"],"types":["unknown"],"rows":[[1],[0.5]]}`,
			host.SettleBuffer:   `{"columns":["v"],"types":["double"],"rows":[[1],[0.5]]}`,
			host.SettleUnknown:  `{"columns":["v"],"types":["unknown"],"rows":[[1],[0.5]]}`,
			host.SettleScan:     ``,
		} {
			if want == "" {
				continue
			}
			var w bytes.Buffer
			err := newEngine(t, driveradapter.Postgres).Stream(ctx, &w, driveradapter.RowsOf(rs), host.Settle(settle))
			if err != nil || w.String() != want {
				t.Errorf("%d: got %s, error %v, want %s", settle, &w, err, want)
			}
		}
	})
}

// changing is rows that are others after Rewind.
type changing struct {
	driveradapter.Rows
	second driveradapter.ResultSet
}

func (r *changing) Rewind() error {
	r.Rows = driveradapter.RowsOf(r.second)
	return nil
}

// TestRewound checks that rows which change between the readings are an error, and
// that what was written by then does not look whole.
func TestRewound(t *testing.T) {
	set := func(name string, typ driveradapter.ColumnType, rows int) driveradapter.ResultSet {
		rs := driveradapter.ResultSet{ColumnNames: []string{name}, ColumnTypes: []driveradapter.ColumnType{typ}}
		for i := range rows {
			rs.Rows = append(rs.Rows, []any{i})
		}
		return rs
	}
	wide := set("a", driveradapter.UnknownNumber, 3)
	wide.Rows[2] = []any{1, 2}
	wide.ColumnNames, wide.ColumnTypes = slices.Clone(wide.ColumnNames), slices.Clone(wide.ColumnTypes)
	for _, test := range []struct {
		name          string
		first, second driveradapter.ResultSet
		want          string
	}{
		{"fewer", set("a", driveradapter.UnknownNumber, 3), set("a", driveradapter.UnknownNumber, 2), ": 2 rows, 3 before"},
		{"none", set("a", driveradapter.UnknownNumber, 30_000), set("a", driveradapter.UnknownNumber, 0), ": 0 rows, 30000 before"},
		{"fewer by far", set("a", driveradapter.UnknownNumber, 60_000), set("a", driveradapter.UnknownNumber, 30_000), ": 30000 rows, 60000 before"},
		{"more", set("a", driveradapter.UnknownNumber, 3), set("a", driveradapter.UnknownNumber, 4), ": more than the 3 rows of before"},
		{"more than none", set("a", driveradapter.UnknownNumber, 0), set("a", driveradapter.UnknownNumber, 1), ": more than the 0 rows of before"},
		{"another name", set("a", driveradapter.UnknownNumber, 3), set("b", driveradapter.UnknownNumber, 3), ": other columns"},
		{"another type", set("a", driveradapter.UnknownNumber, 3), set("a", driveradapter.Int32, 3), ": other columns"},
		{"another width", set("a", driveradapter.UnknownNumber, 3), wide, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			engine := newEngine(t, driveradapter.Postgres)
			for way, read := range map[string]func(io.Writer) error{
				"Stream": func(w io.Writer) error {
					return engine.Stream(ctx, w, &changing{driveradapter.RowsOf(test.first), test.second}, host.SettleScan)
				},
				"Batches": func(io.Writer) error {
					return engine.Batches(ctx, &changing{driveradapter.RowsOf(test.first), test.second}, func(*host.Batch) error { return nil }, host.SettleScan)
				},
			} {
				var w bytes.Buffer
				err := read(&w)
				if test.want == "" {
					if !errors.Is(err, driveradapter.CodeRowLength) {
						t.Errorf("%s: got the error %v, want ROW_LENGTH", way, err)
					}
				} else if !errors.Is(err, host.ErrRewound) || err.Error() != host.ErrRewound.Error()+test.want {
					t.Errorf("%s: got the error %v, want ErrRewound%s", way, err, test.want)
				}
				if json.Valid(w.Bytes()) {
					t.Errorf("%s: the part that was written looks whole: %s", way, &w)
				}
			}
		})
	}
}

type panicky struct{}

func (panicky) String() string { panic("no") }

func TestResultErrors(t *testing.T) {
	columns := func(rows ...[]any) driveradapter.ResultSet {
		return driveradapter.ResultSet{
			ColumnNames: []string{"a", "b"},
			ColumnTypes: []driveradapter.ColumnType{driveradapter.Int32, driveradapter.Text},
			Rows:        rows,
		}
	}
	many := make([][]any, 20_000)
	for i := range many {
		many[i] = []any{i, strings.Repeat("x", 20)}
	}
	many[19_000] = []any{"bad", ""}
	for _, test := range []struct {
		name string
		rs   driveradapter.ResultSet
		want driveradapter.Error
	}{
		{"names without types", driveradapter.ResultSet{ColumnNames: []string{"a"}},
			driveradapter.Error{Code: driveradapter.CodeColumnCount, Row: -1, Column: -1, Found: "1 names and 0 types"}},
		{"short row", columns([]any{1, "x"}, []any{2}),
			driveradapter.Error{Code: driveradapter.CodeRowLength, Row: 1, Column: -1, Found: "1 cells for 2 columns"}},
		{"long row", columns([]any{1, "x", nil}),
			driveradapter.Error{Code: driveradapter.CodeRowLength, Row: 0, Column: -1, Found: "3 cells for 2 columns"}},
		{"nil row", columns(nil),
			driveradapter.Error{Code: driveradapter.CodeRowLength, Row: 0, Column: -1, Found: "0 cells for 2 columns"}},
		{"method that panics", columns([]any{1, ""}, []any{1, panicky{}}),
			driveradapter.Error{Code: driveradapter.CodeValueUnsupported, Row: 1, Column: 1, Name: "b", Type: driveradapter.Text, Found: "a host_test.panicky whose method panicked: no"}},
		{"function", columns([]any{func() {}, ""}),
			driveradapter.Error{Code: driveradapter.CodeValueUnsupported, Row: 0, Column: 0, Name: "a", Type: driveradapter.Int32, Found: "a func(), which is no data"}},
		{"far down", driveradapter.ResultSet{ColumnNames: []string{"a", "b"}, ColumnTypes: columns().ColumnTypes, Rows: many},
			driveradapter.Error{Code: driveradapter.CodeIntInvalid, Row: 19_000, Column: 0, Name: "a", Type: driveradapter.Int32, Found: `string "bad"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			onFlavours(t, func(t *testing.T, opts ...host.Option) {
				engine := newEngine(t, driveradapter.Postgres, opts...)
				_, err := engine.Serialize(ctx, test.rs)
				var got *driveradapter.Error
				if !errors.As(err, &got) || *got != test.want {
					t.Errorf("got %+v, want %+v", err, &test.want)
				}
				if !errors.Is(err, test.want.Code) {
					t.Errorf("errors.Is does not match %v", test.want.Code)
				}
				out, err := engine.Serialize(ctx, oneCell)
				if err != nil || string(out) != `{"columns":["a"],"types":["int"],"rows":[[1]]}` {
					t.Errorf("afterwards: got %s, error %v", out, err)
				}
			})
		})
	}
}

func TestUnknownOptions(t *testing.T) {
	engine := newEngine(t, driveradapter.Postgres)
	if _, err := engine.Serialize(ctx, oneCell, host.Shape(3)); err == nil || err.Error() != "3 is no value of host.Shape" {
		t.Errorf("got the error %v", err)
	}
	if err := engine.Stream(ctx, io.Discard, driveradapter.RowsOf(oneCell), host.Settle(4)); err == nil || err.Error() != "4 is no value of host.Settle" {
		t.Errorf("got the error %v", err)
	}
	if err := engine.Stream(ctx, io.Discard, nil); err == nil || err.Error() != "the rows are nil" {
		t.Errorf("got the error %v", err)
	}
}

// endless is rows without end; fail ends them with an error.
type endless struct {
	n      int
	row    []any
	fail   error
	failAt int
	onRow  func(n int)
}

func (r *endless) ColumnNames() []string { return []string{"a", "b"} }
func (r *endless) ColumnTypes() []driveradapter.ColumnType {
	return []driveradapter.ColumnType{driveradapter.Int32, driveradapter.Text}
}

func (r *endless) Next() bool {
	if r.fail != nil && r.n == r.failAt {
		return false
	}
	if r.onRow != nil {
		r.onRow(r.n)
	}
	r.row = append(r.row[:0], r.n, "some text that fills the chunks a little faster")
	r.n++
	return true
}

func (r *endless) Row() []any { return r.row }
func (r *endless) Err() error { return r.fail }

func TestCancel(t *testing.T) {
	engine := newEngine(t, driveradapter.Postgres)
	t.Run("before", func(t *testing.T) {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := engine.Serialize(ctx, oneCell); err != context.Canceled {
			t.Errorf("got the error %v, want context.Canceled", err)
		}
	})
	t.Run("between rows", func(t *testing.T) {
		ctx, cancel := context.WithCancel(ctx)
		rows := &endless{onRow: func(n int) {
			if n == 100_000 {
				cancel()
			}
		}}
		if err := engine.Stream(ctx, io.Discard, rows); err != context.Canceled {
			t.Errorf("got the error %v, want context.Canceled", err)
		}
		if rows.n != 100_001 {
			t.Errorf("read %d rows after the cancellation", rows.n-100_001)
		}
	})
	t.Run("by deadline", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(ctx, 30*time.Millisecond)
		defer cancel()
		if err := engine.Stream(ctx, io.Discard, &endless{}); err != context.DeadlineExceeded {
			t.Errorf("got the error %v, want context.DeadlineExceeded", err)
		}
	})
	out, err := engine.Serialize(ctx, oneCell)
	if err != nil || string(out) != `{"columns":["a"],"types":["int"],"rows":[[1]]}` {
		t.Errorf("afterwards: got %s, error %v", out, err)
	}
}

type failingWriter struct {
	err  error
	off  int // what it says that it wrote beside what it was given
	left int
}

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left >= 0 {
		return len(p), nil
	}
	return len(p) + w.off, w.err
}

// TestForeignErrors checks that errors of rows and writers come through as they
// are, and that panics do not cost an instance or hang Close.
func TestForeignErrors(t *testing.T) {
	rt := newRuntime(t)
	engine, err := rt.Engine(ctx, driveradapter.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	gone := errors.New("gone")
	for _, failAt := range []int{0, 1, 100_000} {
		if err := engine.Stream(ctx, io.Discard, &endless{fail: gone, failAt: failAt}); err != gone {
			t.Errorf("rows: got the error %v, want it unchanged", err)
		}
		if err := engine.Stream(ctx, &failingWriter{err: gone, left: failAt}, &endless{}); err != gone {
			t.Errorf("writer: got the error %v, want it unchanged", err)
		}
		if err := engine.Stream(ctx, &failingWriter{off: 1, err: gone, left: failAt}, &endless{}); err != gone {
			t.Errorf("writer that wrote too much: got the error %v, want its own", err)
		}
		if err := engine.Stream(ctx, &failingWriter{off: -1, left: failAt}, &endless{}); err != io.ErrShortWrite {
			t.Errorf("short write: got the error %v, want io.ErrShortWrite", err)
		}
		for _, off := range []int{1, math.MinInt32} {
			err := engine.Stream(ctx, &failingWriter{off: off, left: failAt}, &endless{})
			if err == nil || err.Error() != "the writer says that it wrote more than it was given" {
				t.Errorf("write of %d bytes more: got the error %v", off, err)
			}
		}
	}
	func() {
		defer func() {
			if p := recover(); p != "rows panic" {
				t.Errorf("recovered %v", p)
			}
		}()
		engine.Stream(ctx, io.Discard, &endless{onRow: func(int) { panic("rows panic") }})
	}()
	if n := rt.Calls(); n != 0 {
		t.Errorf("%d calls are still in flight", n)
	}
	if n := engine.Idle(); n != 1 {
		t.Errorf("%d instances are idle, want 1", n)
	}
}

func TestClose(t *testing.T) {
	rt, err := host.New(ctx)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := rt.Engine(ctx, driveradapter.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	inRow, goOn := make(chan struct{}), make(chan struct{})
	streamed := make(chan error)
	go func() {
		streamed <- engine.Stream(ctx, io.Discard, &endless{fail: io.EOF, failAt: 1, onRow: func(int) {
			close(inRow)
			<-goOn
		}})
	}()
	<-inRow
	short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	if err := rt.Close(short); err != context.DeadlineExceeded {
		t.Errorf("Close with a call in flight: got the error %v, want context.DeadlineExceeded", err)
	}
	if _, err := engine.Serialize(ctx, oneCell); err != host.ErrClosed {
		t.Errorf("Serialize: got the error %v, want ErrClosed", err)
	}
	if _, err := rt.Engine(ctx, driveradapter.MySQL); err != host.ErrClosed {
		t.Errorf("Engine: got the error %v, want ErrClosed", err)
	}
	close(goOn)
	if err := <-streamed; err != io.EOF {
		t.Errorf("Stream: got the error %v, want that of the rows", err)
	}
	for range 2 {
		if err := rt.Close(ctx); err != nil {
			t.Errorf("Close: got the error %v", err)
		}
	}
}

func TestMemoryLimit(t *testing.T) {
	engine := newEngine(t, driveradapter.Postgres, host.WithMemoryLimit(1<<20))
	rs := driveradapter.ResultSet{
		ColumnNames: []string{"a", "b"},
		ColumnTypes: []driveradapter.ColumnType{driveradapter.Int32, driveradapter.Text},
		Rows:        [][]any{{1, "x"}, {2, strings.Repeat("x", 2<<20)}},
	}
	_, err := engine.Serialize(ctx, rs)
	if !errors.Is(err, driveradapter.CodeMemoryLimit) {
		t.Errorf("got the error %v, want MEMORY_LIMIT", err)
	}
	rs.Rows[1][1] = strings.Repeat("x", 100<<10)
	if _, err := engine.Serialize(ctx, rs); err != nil {
		t.Errorf("a result within the limit: %v", err)
	}
}

// TestPool checks which instances are kept.
func TestPool(t *testing.T) {
	big := driveradapter.ResultSet{
		ColumnNames: []string{"a"},
		ColumnTypes: []driveradapter.ColumnType{driveradapter.Text},
		Rows:        [][]any{{strings.Repeat("x", 8<<20)}},
	}
	engine := newEngine(t, driveradapter.Postgres, host.WithMaxIdleMemory(4<<20), host.WithPoolSize(2))
	if n := engine.Idle(); n != 1 {
		t.Errorf("%d instances are idle at first, want 1", n)
	}
	if _, err := engine.Serialize(ctx, oneCell); err != nil || engine.Idle() != 1 {
		t.Errorf("after a small result: %d instances are idle, error %v, want 1", engine.Idle(), err)
	}
	out, err := engine.Serialize(ctx, big)
	if err != nil || engine.Idle() != 0 {
		t.Errorf("after a big result: %d instances are idle, error %v, want 0", engine.Idle(), err)
	}
	if want := `{"columns":["a"],"types":["string"],"rows":[["` + big.Rows[0][0].(string) + `"]]}`; string(out) != want {
		t.Errorf("the big result is wrong")
	}
	// Three calls in flight at once, of which two instances are kept.
	var nested func(depth int)
	nested = func(depth int) {
		if depth == 3 {
			return
		}
		rows := &endless{fail: io.EOF, failAt: 1, onRow: func(int) { nested(depth + 1) }}
		if err := engine.Stream(ctx, io.Discard, rows); err != io.EOF {
			t.Error(err)
		}
	}
	nested(0)
	if n := engine.Idle(); n != 2 {
		t.Errorf("after three calls at once %d instances are idle, want 2", n)
	}
	none := newEngine(t, driveradapter.Postgres, host.WithPoolSize(-1))
	if _, err := none.Serialize(ctx, oneCell); err != nil || none.Idle() != 0 {
		t.Errorf("without a pool %d instances are idle, error %v", none.Idle(), err)
	}
}

func TestCompilationCache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	for range 2 {
		engine := newEngine(t, driveradapter.SQLite, host.WithCompilationCache(dir))
		out, err := engine.Serialize(ctx, oneCell)
		if err != nil || string(out) != `{"columns":["a"],"types":["int"],"rows":[[1]]}` {
			t.Errorf("got %s, error %v", out, err)
		}
	}
	files := 0
	filepath.WalkDir(dir, func(_ string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files++
		}
		return err
	})
	if files != 1 {
		t.Errorf("the cache holds %d files, want 1", files)
	}
	notADir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(notADir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := host.New(ctx, host.WithCompilationCache(notADir)); err == nil || !strings.HasPrefix(err.Error(), "compilation cache: ") {
		t.Errorf("got the error %v", err)
	}
}

// TestEngineOnce checks that a dialect has one engine.
func TestEngineOnce(t *testing.T) {
	rt := newRuntime(t)
	a, err := rt.Engine(ctx, driveradapter.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	b, err := rt.Engine(ctx, driveradapter.Postgres)
	if err != nil || a != b {
		t.Errorf("got another engine, error %v", err)
	}
	if a.Dialect() != driveradapter.Postgres {
		t.Errorf("its dialect is %v", a.Dialect())
	}
}

// TestAllocations checks that the number of allocations does not grow with the
// number of rows.
func TestAllocations(t *testing.T) {
	engine := newEngine(t, driveradapter.Postgres)
	allocations := func(rows int) float64 {
		rs := movies(rows)
		return testing.AllocsPerRun(5, func() {
			if _, err := engine.Serialize(ctx, rs); err != nil {
				t.Fatal(err)
			}
		})
	}
	few, many := allocations(2_000), allocations(50_000)
	if many > few+1 || few > 25 {
		t.Errorf("%v allocations for 2,000 rows, %v for 50,000", few, many)
	}
}

// movies is a table as of a film database: 4 columns, about 250 bytes a row.
func movies(n int) driveradapter.ResultSet {
	rs := driveradapter.ResultSet{
		ColumnNames: []string{"id", "title", "description", "year"},
		ColumnTypes: []driveradapter.ColumnType{driveradapter.Int32, driveradapter.Text, driveradapter.Text, driveradapter.Int32},
		Rows:        make([][]any, n),
	}
	for i := range rs.Rows {
		m := movieOf(i)
		rs.Rows[i] = []any{m.ID, m.Title, m.Description, m.Year}
	}
	return rs
}

type movie struct {
	ID          int    `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Year        int    `json:"year"`
}

// movieOf makes prose that is mostly ASCII, with some accents and quotes.
func movieOf(i int) movie {
	words := []string{"a", "river", "the", "night", "of", "long", "silent", "engine", "stranger", "returns", "and", "winter"}
	switch i % 8 {
	case 0:
		words[1] = "forêt"
	case 1:
		words[8] = `"stranger"`
	}
	var text strings.Builder
	for k := range 36 {
		if k > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(words[(i*7+k*k*5+k)%len(words)])
	}
	return movie{i + 1, fmt.Sprintf("The %s %s %d", words[i%len(words)], words[i*5%len(words)], i), text.String(), 1900 + i%130}
}

// TestZoneless checks that a zone does not move dates.
func TestZoneless(t *testing.T) {
	eng := newEngine(t, driveradapter.Postgres)
	at := time.Date(2024, 1, 1, 0, 30, 0, 0, time.FixedZone("", 2*3600))
	out, err := eng.Serialize(ctx, driveradapter.ResultSet{
		ColumnNames: []string{"d", "t", "dt"},
		ColumnTypes: []driveradapter.ColumnType{driveradapter.Date, driveradapter.Time, driveradapter.DateTime},
		Rows:        [][]any{{at, at, at}},
	})
	want := `{"columns":["d","t","dt"],"types":["date","time","datetime"],"rows":[["2024-01-01","00:30:00","2023-12-31T22:30:00+00:00"]]}`
	if err != nil || string(out) != want {
		t.Errorf("got %s, %v, want %s", out, err, want)
	}
}

// TestZonelessValues checks the same for what becomes a time, and for lists of it.
func TestZonelessValues(t *testing.T) {
	eng := newEngine(t, driveradapter.Postgres)
	at := time.Date(2024, 1, 1, 0, 30, 0, 0, time.FixedZone("", 2*3600))
	for _, cell := range []any{at, &at, sql.NullTime{Time: at, Valid: true}, sql.Null[time.Time]{V: at, Valid: true}, func() any { v := any(at); return &v }()} {
		out, err := eng.Serialize(ctx, driveradapter.ResultSet{
			ColumnNames: []string{"d", "t", "dt"},
			ColumnTypes: []driveradapter.ColumnType{driveradapter.Date, driveradapter.Time, driveradapter.DateTime},
			Rows:        [][]any{{cell, cell, cell}, {nil, sql.NullTime{}, (*time.Time)(nil)}},
		})
		want := `{"columns":["d","t","dt"],"types":["date","time","datetime"],"rows":[["2024-01-01","00:30:00","2023-12-31T22:30:00+00:00"],[null,null,null]]}`
		if err != nil || string(out) != want {
			t.Errorf("%T: got %s, %v, want %s", cell, out, err, want)
		}
	}
	for _, test := range []struct {
		list any
		want string
	}{
		{[]any{at, nil}, `[%s,null]`},
		{[]time.Time{at}, `[%s]`},
		{[]*time.Time{&at, nil}, `[%s,null]`},
		{[1]time.Time{at}, `[%s]`},
		{[]any{[]any{at}}, `[[%s]]`},
	} {
		list := test.list
		before := fmt.Sprint(list)
		out, err := eng.Serialize(ctx, driveradapter.ResultSet{
			ColumnNames: []string{"d", "t", "dt"},
			ColumnTypes: []driveradapter.ColumnType{driveradapter.DateArray, driveradapter.TimeArray, driveradapter.DateTimeArray},
			Rows:        [][]any{{list, list, list}},
		})
		want := fmt.Sprintf(`{"columns":["d","t","dt"],"types":["date-array","time-array","datetime-array"],"rows":[[`+test.want+`,`+test.want+`,`+test.want+`]]}`,
			`"2024-01-01"`, `"00:30:00"`, `"2023-12-31T22:30:00+00:00"`)
		if err != nil || string(out) != want {
			t.Errorf("%T: got %s, error %v, want %s", list, out, err, want)
		}
		if after := fmt.Sprint(list); after != before {
			t.Errorf("%T: the caller's list was changed: %s, before %s", list, after, before)
		}
	}
	// Far beyond the years that time.Date holds.
	_, err := eng.Serialize(ctx, driveradapter.ResultSet{
		ColumnNames: []string{"d"}, ColumnTypes: []driveradapter.ColumnType{driveradapter.Date},
		Rows: [][]any{{time.Unix(1<<61, 0).In(time.FixedZone("", 3600))}},
	})
	if !errors.Is(err, driveradapter.CodeDateInvalid) {
		t.Errorf("got the error %v, want DATE_INVALID", err)
	}
}

// TestFarInstants checks that instants which no year holds are lost on no way.
func TestFarInstants(t *testing.T) {
	rs := driveradapter.ResultSet{
		ColumnNames: []string{"s", "u"},
		ColumnTypes: []driveradapter.ColumnType{driveradapter.Text, driveradapter.UnknownNumber},
		Rows:        [][]any{{time.Unix(1<<61, 0), 1}, {time.Unix(math.MinInt64, 0).Add(1), time.Unix(1<<61, 0)}},
	}
	const rows = `"rows":[["Unix second 2305843009213693952",1],["Unix second -9223372036854775808, nanosecond 1","Unix second 2305843009213693952"]]}`
	rt := newRuntime(t)
	for d, types := range map[driveradapter.Dialect]string{driveradapter.SQLite: `"unknown","unknown"`, driveradapter.Postgres: `"string","unknown"`} {
		engine, err := rt.Engine(ctx, d)
		if err != nil {
			t.Fatal(err)
		}
		var out []byte
		for way, serialize := range map[string]func() (err error){
			"Serialize": func() (err error) { out, err = engine.Serialize(ctx, rs); return err },
			"SerializeTo": func() error {
				var w bytes.Buffer
				err := engine.SerializeTo(ctx, &w, rs)
				out = w.Bytes()
				return err
			},
			"SettleBuffer": func() error {
				var w bytes.Buffer
				err := engine.Stream(ctx, &w, driveradapter.RowsOf(rs), host.SettleBuffer)
				out = w.Bytes()
				return err
			},
		} {
			err := serialize()
			if want := `{"columns":["s","u"],"types":[` + types + `],` + rows; d == driveradapter.SQLite && (err != nil || string(out) != want) {
				t.Errorf("%s, %s: got %s, error %v, want %s", d, way, out, err, want)
			}
			if d == driveradapter.Postgres && (!errors.Is(err, driveradapter.CodeNumberInvalid) || !strings.Contains(err.Error(), "row 1, column 1")) {
				t.Errorf("%s, %s: got the error %v, want NUMBER_INVALID", d, way, err)
			}
		}
	}
}

// TestSelfContained checks that values that contain themselves are errors.
func TestSelfContained(t *testing.T) {
	eng := newEngine(t, driveradapter.Postgres)
	list := []any{nil, nil}
	list[0], list[1] = list, list
	object := driveradapter.Object{{Key: "o"}}
	object[0].Value = object
	table := map[string]any{}
	table["m"] = table
	for _, cell := range []any{list, object, table, map[string]any{"inf": math.Inf(1)}} {
		_, err := eng.Serialize(ctx, driveradapter.ResultSet{
			ColumnNames: []string{"j"}, ColumnTypes: []driveradapter.ColumnType{driveradapter.JSON}, Rows: [][]any{{cell}},
		})
		if !errors.Is(err, driveradapter.CodeValueUnsupported) {
			t.Errorf("%T: %v, want VALUE_UNSUPPORTED", cell, err)
		}
	}
}
