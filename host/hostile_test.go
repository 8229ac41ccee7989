package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/host"
)

// TestSkewed checks that a long row before short ones is not taken for their
// measure: as many of it would be a terabyte.
func TestSkewed(t *testing.T) {
	engine := newEngine(t, driveradapter.Postgres)
	const rows = 1_000_000
	long, tiny := []any{strings.Repeat("x", 1<<20)}, []any{"y"}
	rs := driveradapter.ResultSet{ColumnNames: []string{"a"}, ColumnTypes: []driveradapter.ColumnType{driveradapter.Text}, Rows: make([][]any, rows)}
	for i := range rs.Rows {
		rs.Rows[i] = tiny
	}
	rs.Rows[0] = long
	want := `{"columns":["a"],"types":["string"],"rows":[["` + long[0].(string) + `"]` + strings.Repeat(`,["y"]`, rows-1) + `]}`
	out, err := engine.Serialize(ctx, rs)
	if err != nil || string(out) != want {
		t.Errorf("got %d bytes, error %v, want %d bytes", len(out), err, len(want))
	}
	if cap(out) > 3*len(out) {
		t.Errorf("%d bytes keep %d", len(out), cap(out))
	}
	rs.Rows[0], rs.Rows[rows-1] = tiny, long
	out, err = engine.Serialize(ctx, rs)
	if err != nil || len(out) != len(want) || !json.Valid(out) {
		t.Errorf("long row at the end: got %d bytes, error %v, want %d bytes", len(out), err, len(want))
	}
}

// countdown is a context that is done after so many looks at it.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left == 0 {
		return context.Canceled
	}
	c.left--
	return nil
}

// TestCancelAnywhere cancels at every place that looks at the context: the call ends
// with just that error, with nothing that looks whole, and the instance stays good.
func TestCancelAnywhere(t *testing.T) {
	rs := movies(600)
	rs.Rows[599] = []any{"no number", "", nil, nil} // a second pass in SQLite
	var stream strings.Builder
	stream.WriteString(intColumn("a"))
	for range 12_000 {
		stream.WriteString(intRow("7"))
	}
	stream.WriteString(complete)
	onFlavours(t, func(t *testing.T, opts ...host.Option) {
		rt := newRuntime(t, opts...)
		engine := make(map[driveradapter.Dialect]*host.Engine)
		for _, d := range []driveradapter.Dialect{driveradapter.SQLite, driveradapter.Postgres} {
			e, err := rt.Engine(ctx, d)
			if err != nil {
				t.Fatal(err)
			}
			engine[d] = e
		}
		sqlite, postgres := engine[driveradapter.SQLite], engine[driveradapter.Postgres]
		to := func(write func(io.Writer) error) ([]byte, error) {
			var w bytes.Buffer
			err := write(&w)
			return w.Bytes(), err
		}
		rows := func() driveradapter.Rows { return &rewindable{driveradapter.RowsOf(rs), rs, 0} }
		count := func(n *int) func(*host.Batch) error {
			return func(b *host.Batch) error { *n += b.Rows; return nil }
		}
		for way, read := range map[string]func(ctx context.Context) ([]byte, error){
			"Serialize": func(ctx context.Context) ([]byte, error) { return sqlite.Serialize(ctx, rs) },
			"SerializeTo": func(ctx context.Context) ([]byte, error) {
				return to(func(w io.Writer) error { return sqlite.SerializeTo(ctx, w, rs) })
			},
			"SettleScan": func(ctx context.Context) ([]byte, error) {
				return to(func(w io.Writer) error { return sqlite.Stream(ctx, w, rows(), host.SettleScan) })
			},
			"SettleBuffer": func(ctx context.Context) ([]byte, error) {
				return to(func(w io.Writer) error { return sqlite.Stream(ctx, w, rows(), host.SettleBuffer) })
			},
			"Batches": func(ctx context.Context) ([]byte, error) {
				n := 0
				err := sqlite.Batches(ctx, rows(), count(&n), host.SettleUnknown)
				return json.RawMessage(new(big.Int).SetInt64(int64(n)).String()), err
			},
			"SerializeMessages": func(ctx context.Context) ([]byte, error) {
				return postgres.SerializeMessages(ctx, strings.NewReader(stream.String()))
			},
			"StreamMessages": func(ctx context.Context) ([]byte, error) {
				return to(func(w io.Writer) error { return postgres.StreamMessages(ctx, w, strings.NewReader(stream.String())) })
			},
			"BatchMessages": func(ctx context.Context) ([]byte, error) {
				n := 0
				err := postgres.BatchMessages(ctx, strings.NewReader(stream.String()), count(&n))
				return json.RawMessage(new(big.Int).SetInt64(int64(n)).String()), err
			},
		} {
			want, err := read(ctx)
			if err != nil {
				t.Fatal(err)
			}
			looks := 0
			for left := 0; ; left += 1 + left/4 { // each of the first, then some
				out, err := read(&countdown{ctx, left})
				if err == nil {
					if !bytes.Equal(out, want) {
						t.Errorf("%s, after %d looks: got %d bytes, want %d", way, left, len(out), len(want))
					}
					break
				}
				looks++
				if err != context.Canceled || strings.HasPrefix(string(out), "{") && json.Valid(out) {
					t.Errorf("%s, after %d looks: error %v, %d bytes, valid: %t", way, left, err, len(out), json.Valid(out))
				}
			}
			if looks < 3 {
				t.Errorf("%s looked at the context %d times", way, looks)
			}
		}
		if rt.Calls() != 0 || sqlite.Idle() != 1 || postgres.Idle() != 1 {
			t.Errorf("%d calls in flight, %d and %d instances idle, want 0, 1 and 1", rt.Calls(), sqlite.Idle(), postgres.Idle())
		}
	})
}

// TestLeave leaves calls by the back door: panics and runtime.Goexit.
func TestLeave(t *testing.T) {
	rt := newRuntime(t)
	engine, err := rt.Engine(ctx, driveradapter.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	rs := movies(3000)
	for name, leave := range map[string]func(){"panic": func() { panic("out") }, "Goexit": runtime.Goexit} {
		for way, call := range map[string]func(){
			"row": func() {
				engine.Stream(ctx, io.Discard, &endless{onRow: func(n int) {
					if n == 5000 {
						leave()
					}
				}})
			},
			"write": func() {
				engine.Stream(ctx, writerFunc(func([]byte) (int, error) { leave(); return 0, nil }), driveradapter.RowsOf(rs))
			},
			"batch": func() { engine.Batches(ctx, driveradapter.RowsOf(rs), func(*host.Batch) error { leave(); return nil }) },
			"message batch": func() {
				engine.BatchMessages(ctx, strings.NewReader(intColumn("a")+intRow("1")+complete), func(*host.Batch) error { leave(); return nil })
			},
			"loop": func() {
				for range engine.Messages(ctx, strings.NewReader(intColumn("a")+complete)) {
					leave()
				}
			},
		} {
			var wg sync.WaitGroup
			wg.Go(func() {
				defer func() { recover() }()
				call()
				t.Errorf("%s, %s: it returned", name, way)
			})
			wg.Wait()
			out, err := engine.Serialize(ctx, oneCell)
			if err != nil || string(out) != `{"columns":["a"],"types":["int"],"rows":[[1]]}` || rt.Calls() != 0 || engine.Idle() != 1 {
				t.Errorf("%s, %s: then got %s, error %v, %d calls in flight, %d instances idle", name, way, out, err, rt.Calls(), engine.Idle())
			}
		}
	}
}

// TestCloseInUse closes runtimes while engines are made and used: what is called
// works or is ErrClosed.
func TestCloseInUse(t *testing.T) {
	rs := movies(50)
	for turn := range 12 {
		rt, err := host.New(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		started := make(chan struct{}, 100)
		for g := range 6 {
			wg.Go(func() {
				for {
					engine, err := rt.Engine(ctx, driveradapter.Dialect(1+g%3))
					if err == nil {
						_, err = engine.Serialize(ctx, rs)
					}
					if err == host.ErrClosed {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					select {
					case started <- struct{}{}:
					default:
					}
				}
			})
		}
		for range turn { // results before it is closed
			<-started
		}
		for range 3 {
			wg.Go(func() {
				if err := rt.Close(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
}

// TestEngineCancelled checks that a context that is done is no fault of the module.
func TestEngineCancelled(t *testing.T) {
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	rt := newRuntime(t)
	for _, d := range []driveradapter.Dialect{driveradapter.Postgres, driveradapter.MySQL, driveradapter.SQLite} {
		if _, err := rt.Engine(cancelled, d); err != context.Canceled {
			t.Errorf("%s: got the error %v, want context.Canceled", d, err)
		}
		if _, err := rt.Engine(ctx, d); err != nil {
			t.Errorf("%s, again: %v", d, err)
		}
	}
	for left := range 40 {
		rt := newRuntime(t)
		_, err := rt.Engine(&countdown{ctx, left}, driveradapter.Postgres)
		if err != nil && err != context.Canceled {
			t.Errorf("after %d looks: got the error %v", left, err)
		}
		if err == nil {
			return
		}
	}
}

// TestHTTPClientLeaves checks that a stream ends when its client goes away.
func TestHTTPClientLeaves(t *testing.T) {
	rt := newRuntime(t)
	engine, err := rt.Engine(ctx, driveradapter.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ended <- engine.Stream(r.Context(), w, &endless{}, host.ShapeNDJSON)
	}))
	defer server.Close()
	for range 3 {
		response, err := http.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, response.Body, 1<<20); err != nil {
			t.Error(err)
		}
		response.Body.Close()
		if err := <-ended; err == nil || errors.Is(err, host.ErrEngineFailed) {
			t.Errorf("got the error %v, want that of the connection or of the context", err)
		}
	}
	if rt.Calls() != 0 || engine.Idle() != 1 {
		t.Errorf("%d calls in flight, %d instances idle, want 0 and 1", rt.Calls(), engine.Idle())
	}
}
