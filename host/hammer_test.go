package host_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/host"
)

// TestHammer uses one Runtime from many goroutines, for good and for bad, and
// checks every document. It means most under the race detector.
func TestHammer(t *testing.T) {
	const seed = 7 // of the order of what each goroutine does
	before := runtime.NumGoroutine()
	rt, err := host.New(ctx, host.WithMaxIdleMemory(3<<20), host.WithPoolSize(3))
	if err != nil {
		t.Fatal(err)
	}
	type job struct {
		dialect driveradapter.Dialect
		rs      driveradapter.ResultSet
		shape   host.Shape
		want    []byte
	}
	var jobs []job
	for i, n := range []int{0, 1, 100, 3_000, 20_000} {
		for _, d := range []driveradapter.Dialect{driveradapter.Postgres, driveradapter.MySQL, driveradapter.SQLite} {
			jobs = append(jobs, job{dialect: d, rs: movies(n), shape: host.Shape(i % 3)})
		}
	}
	reference := newRuntime(t)
	for i := range jobs {
		j := &jobs[i]
		engine, err := reference.Engine(ctx, j.dialect)
		if err != nil {
			t.Fatal(err)
		}
		if j.want, err = engine.Serialize(ctx, j.rs, j.shape); err != nil {
			t.Fatal(err)
		}
	}
	bad := driveradapter.ResultSet{ColumnNames: []string{"a"}, ColumnTypes: []driveradapter.ColumnType{driveradapter.Int64}, Rows: [][]any{{1}, {func() {}}}}

	var wg sync.WaitGroup
	for g := range uint64(8) {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(seed, g))
			for range 30 {
				j := jobs[random.IntN(len(jobs))]
				engine, err := rt.Engine(ctx, j.dialect)
				if err != nil {
					t.Error(err)
					return
				}
				switch random.IntN(6) {
				case 0:
					if _, err := engine.Serialize(ctx, bad); !errors.Is(err, driveradapter.CodeValueUnsupported) {
						t.Errorf("got the error %v, want VALUE_UNSUPPORTED", err)
					}
				case 1:
					short, cancel := context.WithTimeout(ctx, time.Duration(random.IntN(2000))*time.Microsecond)
					out, err := engine.Serialize(short, j.rs, j.shape)
					cancel()
					if err == nil && !bytes.Equal(out, j.want) || err != nil && err != context.DeadlineExceeded {
						t.Errorf("got %d bytes, error %v", len(out), err)
					}
				case 2, 3:
					out, err := engine.Serialize(ctx, j.rs, j.shape)
					if err != nil || !bytes.Equal(out, j.want) {
						t.Errorf("Serialize: got %d bytes, error %v, want %d bytes", len(out), err, len(j.want))
					}
				case 4:
					var w bytes.Buffer
					if err := engine.SerializeTo(ctx, &w, j.rs, j.shape); err != nil || !bytes.Equal(w.Bytes(), j.want) {
						t.Errorf("SerializeTo: got %d bytes, error %v, want %d bytes", w.Len(), err, len(j.want))
					}
				case 5:
					var w bytes.Buffer
					if err := engine.Stream(ctx, &w, driveradapter.RowsOf(j.rs), j.shape, host.SettleBuffer); err != nil || !bytes.Equal(w.Bytes(), j.want) {
						t.Errorf("Stream: got %d bytes, error %v, want %d bytes", w.Len(), err, len(j.want))
					}
				}
			}
		})
	}
	wg.Wait()
	if n := rt.Calls(); n != 0 {
		t.Errorf("%d calls are still in flight", n)
	}
	if err := rt.Close(ctx); err != nil {
		t.Error(err)
	}
	// wazero may need a moment to end what it started.
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
