package host_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/host"
	"github.com/rowjet/rowjet/wasm/native"
)

// standardBuild builds the PostgreSQL module with the standard compiler.
func standardBuild(t *testing.T) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "postgres.wasm")
	build := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", file, "../wasm/postgres")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	wasm, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// TestStandardBuild runs a module that the standard compiler built, which
// imports WASI.
func TestStandardBuild(t *testing.T) {
	wasm := standardBuild(t)
	want, err := newEngine(t, driveradapter.Postgres).Serialize(ctx, mixed)
	if err != nil {
		t.Fatal(err)
	}
	onFlavours(t, func(t *testing.T, opts ...host.Option) {
		// Two dialects from one Runtime share the WASI module; the second is refused.
		rt := newRuntime(t, append(opts, host.WithModule(driveradapter.Postgres, wasm), host.WithModule(driveradapter.MySQL, wasm))...)
		engine, err := rt.Engine(ctx, driveradapter.Postgres)
		if err != nil {
			t.Fatal(err)
		}
		got, err := engine.Serialize(ctx, mixed)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("got %s, error %v\nwant %s", got, err, want)
		}
		_, err = rt.Engine(ctx, driveradapter.MySQL)
		if err == nil || err.Error() != "module for mysql: not a Rowjet module for this host: its dialect number is 1, expected 2" {
			t.Errorf("got the error %v", err)
		}
	})
}

// TestStart checks that an engine serves small results before its module is
// compiled, and others after. The standard compiler's module is so large that
// compiling it takes longer than the first half of this test.
func TestStart(t *testing.T) {
	wasm := standardBuild(t)
	rt, err := host.New(ctx, host.WithModule(driveradapter.Postgres, wasm))
	if err != nil {
		t.Fatal(err)
	}
	engine, err := rt.Engine(ctx, driveradapter.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"columns":["a"],"types":["int"],"rows":[[1]]}`
	out, err := engine.Serialize(ctx, oneCell)
	if err != nil || string(out) != want {
		t.Errorf("got %s, error %v", out, err)
	}
	if !engine.Interpreted() || engine.Idle() != 1 {
		t.Errorf("a small result waited for the compiler, or %d instances are idle", engine.Idle())
	}
	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	var w bytes.Buffer
	if err := engine.Stream(short, &w, driveradapter.RowsOf(oneCell)); err != context.DeadlineExceeded {
		t.Errorf("a stream did not wait for the compiler: error %v", err)
	}
	if err := engine.Stream(ctx, &w, driveradapter.RowsOf(oneCell)); err != nil || w.String() != want {
		t.Errorf("got %s, error %v", &w, err)
	}
	if engine.Interpreted() || engine.Idle() != 1 {
		t.Errorf("a stream did not wait for the compiler, or %d instances are idle", engine.Idle())
	}
	if err := rt.Close(ctx); err != nil {
		t.Error(err)
	}
}

// TestCloseWhileCompiling checks that Close waits for the compiler.
func TestCloseWhileCompiling(t *testing.T) {
	rt, err := host.New(ctx)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := rt.Engine(ctx, driveradapter.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	if err := rt.Close(ctx); err != nil {
		t.Error(err)
	}
	select {
	case <-engine.Compiled():
	default:
		t.Error("Close did not wait for the compiler")
	}
}

// serializeNatively runs the core without WebAssembly, handing the result over
// in one block. Its error is the state's code.
func serializeNatively(d driveradapter.Dialect, rs driveradapter.ResultSet, shape host.Shape) ([]byte, driveradapter.Code) {
	var encoder driveradapter.Encoder
	encoder.Other = host.ToCell
	for _, row := range rs.Rows {
		encoder.Row(row, len(rs.ColumnNames))
	}
	input := driveradapter.AppendColumns(nil, rs.ColumnNames, rs.ColumnTypes)
	if !encoder.Empty() {
		input = encoder.AppendBlock(input)
	}
	engine := native.New(d)
	var out []byte
	pass := func(flags uint32) int32 {
		out = out[:0]
		take := func(status int32) int32 {
			for {
				out = append(out, engine.Output()...)
				if status != 1 {
					return status
				}
				status = engine.Resume()
			}
		}
		if status := take(engine.Begin(0, uint32(shape), flags)); status != 0 {
			return status
		}
		copy(engine.Input(uint32(len(input))), input)
		if status := take(engine.Push(uint32(len(input)))); status != 0 {
			return status
		}
		return take(engine.End())
	}
	status := pass(0)
	if status == 2 {
		status = pass(1)
	}
	if status != 0 {
		return nil, driveradapter.Code(engine.State().Code)
	}
	engine.Head()
	return append(bytes.Clone(engine.Output()), out...), 0
}
