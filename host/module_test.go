package host_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/host"
)

// flavours are the two engines of wazero.
var flavours = []struct {
	name string
	opts []host.Option
}{
	{"compiler", nil},
	{"interpreter", []host.Option{host.WithInterpreter()}},
}

// onFlavours runs a test on both engines of wazero.
func onFlavours(t *testing.T, f func(t *testing.T, opts ...host.Option)) {
	for _, flavour := range flavours {
		t.Run(flavour.name, func(t *testing.T) { f(t, flavour.opts...) })
	}
}

// cacheDir spares the tests compiling the same modules again and again.
var cacheDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "rowjet-host")
	if err != nil {
		panic(err)
	}
	cacheDir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func newRuntime(t testing.TB, opts ...host.Option) *host.Runtime {
	t.Helper()
	rt, err := host.New(context.Background(), append([]host.Option{host.WithCompilationCache(cacheDir)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rt.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return rt
}

func newEngine(t testing.TB, d driveradapter.Dialect, opts ...host.Option) *host.Engine {
	t.Helper()
	engine, err := newRuntime(t, opts...).Engine(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

var oneCell = driveradapter.ResultSet{
	ColumnNames: []string{"a"},
	ColumnTypes: []driveradapter.ColumnType{driveradapter.Int32},
	Rows:        [][]any{{1}},
}

func TestBadModules(t *testing.T) {
	good := goodFake(int32(driveradapter.Postgres))
	for _, test := range []struct {
		name string
		wasm []byte
		want string
	}{
		{"empty", []byte{}, "invalid magic number"},
		{"no wasm", []byte("<!doctype html>"), "invalid magic number"},
		{"cut off", good.wasm(2)[:100], ""},
		{"foreign import", importer(), `it imports "f" from "env"`},
		{"no memory", good.wasm(-2), "it exports no memory"},
		{"missing function", good.without("rowjet_push").wasm(2), "it exports no function rowjet_push"},
		{"other signature", good.signature("rowjet_begin", 2, 1, constant(0)).wasm(2), "its function rowjet_begin has another signature"},
		{"other ABI", good.with("rowjet_abi", constant(2)).wasm(2), "its ABI number is 2, expected 1"},
		{"other dialect", goodFake(2).wasm(2), "its dialect number is 2, expected 1"},
		{"state outside of the memory", good.with("rowjet_state", constant(131072-40)).wasm(2), "its state block lies outside its memory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			onFlavours(t, func(t *testing.T, opts ...host.Option) {
				rt := newRuntime(t, append(opts, host.WithModule(driveradapter.Postgres, test.wasm))...)
				_, err := rt.Engine(context.Background(), driveradapter.Postgres)
				if !errors.Is(err, host.ErrModule) {
					t.Fatalf("got the error %v, want ErrModule", err)
				}
				if !strings.HasPrefix(err.Error(), "module for postgres: not a Rowjet module for this host: ") || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %q, want it to tell: %s", err, test.want)
				}
			})
		})
	}
}

func TestUnknownDialect(t *testing.T) {
	rt := newRuntime(t)
	for _, d := range []driveradapter.Dialect{0, 4, 255} {
		if _, err := rt.Engine(context.Background(), d); !errors.Is(err, host.ErrModule) {
			t.Errorf("dialect %d: got the error %v, want ErrModule", d, err)
		}
	}
}

// TestFailures checks that an instance that fails is thrown away with an error,
// and that the engine goes on.
func TestFailures(t *testing.T) {
	good := goodFake(int32(driveradapter.Postgres))
	for _, test := range []struct {
		name string
		wasm []byte
		want string
	}{
		{"trap", good.with("rowjet_push", unreachable).wasm(2), "the WebAssembly module failed: rowjet_push: wasm error: unreachable"},
		{"trap in begin", good.with("rowjet_begin", unreachable).wasm(2), "the WebAssembly module failed: rowjet_begin: wasm error: unreachable"},
		{"input outside of the memory", good.with("rowjet_input", constant(131071)).wasm(2), "the WebAssembly module failed: the room for its input lies outside its memory"},
		{"output outside of the memory", good.with("rowjet_push", sequence(store(stateAt, 131071), store(stateAt+4, 2), constant(0))).wasm(2),
			"the WebAssembly module failed: its output lies outside its memory"},
		{"error without a code", good.with("rowjet_push", constant(-1)).wasm(2), "the WebAssembly module failed: it reports an error with the code 0"},
		{"error text outside of the memory", good.with("rowjet_push", sequence(store(stateAt+12, 6), store(stateAt+32, 131071), store(stateAt+36, 2), constant(-1))).wasm(2),
			"the WebAssembly module failed: the text of its error lies outside its memory"},
		{"unknown status", good.with("rowjet_push", constant(3)).wasm(2), "the WebAssembly module failed: it returned the status 3"},
		{"second pass asked for by push", good.with("rowjet_push", constant(2)).wasm(2), "the WebAssembly module failed: it asks for a second pass before the end"},
		{"unknown status at the end", good.with("rowjet_end", constant(4)).wasm(2), "the WebAssembly module failed: it returned the status 4"},
		{"labels never settle", good.with("rowjet_end", constant(2)).wasm(2), "the WebAssembly module failed: it changed labels that were final"},
	} {
		t.Run(test.name, func(t *testing.T) {
			onFlavours(t, func(t *testing.T, opts ...host.Option) {
				engine := newEngine(t, driveradapter.Postgres, append(opts, host.WithModule(driveradapter.Postgres, test.wasm))...)
				for range 3 {
					_, err := engine.Serialize(context.Background(), oneCell)
					if !errors.Is(err, host.ErrEngineFailed) || !strings.HasPrefix(err.Error(), test.want) {
						t.Errorf("got the error %v, want %s", err, test.want)
					}
				}
			})
		})
	}
}

// TestErrorOfState checks what the host makes of the state block's marks.
func TestErrorOfState(t *testing.T) {
	errorState := func(code, row, column, label uint32) []byte {
		return sequence(store(stateAt+12, code), store(stateAt+16, row), store(stateAt+24, column),
			store(stateAt+28, label), constant(-1))
	}
	for _, test := range []struct {
		name string
		body []byte
		want driveradapter.Error
	}{
		{"a cell", errorState(8, 7, 0, 0), driveradapter.Error{Code: driveradapter.CodeIntRange, Row: 7, Column: 0, Name: "a", Type: driveradapter.Int32}},
		{"a row", errorState(4, 7, 0xffffffff, 0xffffffff), driveradapter.Error{Code: driveradapter.CodeRowLength, Row: 7, Column: -1}},
		{"the columns", errorState(2, 0, 0xffffffff, 0xffffffff), driveradapter.Error{Code: driveradapter.CodeColumnCount, Row: -1, Column: -1}},
		{"a column that is not there", errorState(8, 0, 9, 0), driveradapter.Error{Code: driveradapter.CodeIntRange, Column: 9, Type: driveradapter.Int32}},
		{"a later code", errorState(999, 0, 0xffffffff, 0), driveradapter.Error{Code: 999, Column: -1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			wasm := goodFake(1).with("rowjet_end", test.body).wasm(2)
			engine := newEngine(t, driveradapter.Postgres, host.WithModule(driveradapter.Postgres, wasm))
			_, err := engine.Serialize(context.Background(), oneCell)
			var got *driveradapter.Error
			if !errors.As(err, &got) || *got != test.want {
				t.Errorf("got %+v, want %+v", err, test.want)
			}
			if !errors.Is(err, test.want.Code) {
				t.Errorf("errors.Is does not match %v", test.want.Code)
			}
		})
	}
}

// TestInputRefused checks the way of an error from rowjet_input, which has no
// status.
func TestInputRefused(t *testing.T) {
	wasm := goodFake(1).with("rowjet_input", sequence(store(stateAt+12, 24), store(stateAt+24, 0xffffffff), constant(0))).wasm(2)
	engine := newEngine(t, driveradapter.Postgres, host.WithModule(driveradapter.Postgres, wasm))
	_, err := engine.Serialize(context.Background(), oneCell)
	if !errors.Is(err, driveradapter.CodeMemoryLimit) {
		t.Errorf("got the error %v, want MEMORY_LIMIT", err)
	}
}

// TestCancelEndlessModule checks that a module that always has more to put out
// is left when the context is done.
func TestCancelEndlessModule(t *testing.T) {
	wasm := goodFake(1).
		with("rowjet_push", sequence(store(stateAt+4, 8), constant(1))).
		with("rowjet_resume", constant(1)).wasm(2)
	engine := newEngine(t, driveradapter.Postgres, host.WithModule(driveradapter.Postgres, wasm))
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := engine.SerializeTo(ctx, io.Discard, oneCell); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got the error %v, want the deadline", err)
	}
}
