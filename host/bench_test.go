package host_test

import (
	"encoding/json"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/host"
)

// BenchmarkStart is what a process pays before its first result.
func BenchmarkStart(b *testing.B) {
	for _, bench := range []struct {
		name string
		opts []host.Option
	}{
		{"default", nil},
		{"compile-first", []host.Option{host.WithCompileFirst()}},
		{"cached", []host.Option{host.WithCompilationCache(b.TempDir())}},
		{"interpreter", []host.Option{host.WithInterpreter()}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				rt, err := host.New(ctx, bench.opts...)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := rt.Engine(ctx, driveradapter.Postgres); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if err := rt.Close(ctx); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}

// BenchmarkSerialize compares with encoding/json and a slice of structs, which
// is what a service would use that knows its columns.
func BenchmarkSerialize(b *testing.B) {
	const rows = 50_000
	structs := make([]movie, rows)
	for i := range structs {
		structs[i] = movieOf(i)
	}
	rs := movies(rows)
	engine := newEngine(b, driveradapter.Postgres)
	b.Run("rowjet", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			out, err := engine.Serialize(ctx, rs)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(out)))
		}
	})
	b.Run("rowjet-objects", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			out, err := engine.Serialize(ctx, rs, host.ShapeObjects)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(out)))
		}
	})
	b.Run("rowjet-to-writer", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := engine.SerializeTo(ctx, io.Discard, rs); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			out, err := json.Marshal(structs)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(out)))
		}
	})
}

// BenchmarkAgainstJSON runs Serialize and json.Marshal in turns, so that both have
// the same machine, and reports the ratio of their medians. The goal is 0.5 at
// most.
func BenchmarkAgainstJSON(b *testing.B) {
	const rows = 50_000
	structs := make([]movie, rows)
	for i := range structs {
		structs[i] = movieOf(i)
	}
	rs := movies(rows)
	engine := newEngine(b, driveradapter.Postgres)
	var ours, theirs []float64
	for b.Loop() {
		start := time.Now()
		if _, err := engine.Serialize(ctx, rs); err != nil {
			b.Fatal(err)
		}
		between := time.Now()
		if _, err := json.Marshal(structs); err != nil {
			b.Fatal(err)
		}
		ours = append(ours, between.Sub(start).Seconds()*1e3)
		theirs = append(theirs, time.Since(between).Seconds()*1e3)
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	b.ReportMetric(ours[len(ours)/2], "ms-rowjet")
	b.ReportMetric(theirs[len(theirs)/2], "ms-json")
	b.ReportMetric(ours[len(ours)/2]/theirs[len(theirs)/2], "ratio")
}

// BenchmarkParallel shows what more goroutines bring: compare the two.
func BenchmarkParallel(b *testing.B) {
	rs := movies(5_000)
	engine := newEngine(b, driveradapter.Postgres, host.WithPoolSize(8))
	serialize := func(b *testing.B) {
		if _, err := engine.Serialize(ctx, rs); err != nil {
			b.Error(err)
		}
	}
	b.Run("1", func(b *testing.B) {
		for b.Loop() {
			serialize(b)
		}
	})
	b.Run("8", func(b *testing.B) {
		b.SetParallelism(4) // goroutines for each of two cores
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				serialize(b)
			}
		})
	})
}

// BenchmarkStreamMemory streams 5 million rows and reports by how many megabytes
// the process has grown at most: run it alone, with -benchtime 1x.
func BenchmarkStreamMemory(b *testing.B) {
	const rows = 5_000_000
	engine := newEngine(b, driveradapter.Postgres)
	held := func() float64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.Sys-m.HeapReleased) / 1e6
	}
	for b.Loop() {
		debug.FreeOSMemory()
		before, peak := held(), 0.0
		source := &endless{failAt: rows, fail: io.EOF, onRow: func(n int) {
			if n%50_000 == 0 {
				peak = max(peak, held())
			}
		}}
		if err := engine.Stream(ctx, io.Discard, source); err != io.EOF {
			b.Fatal(err)
		}
		b.ReportMetric(peak-before, "MB-grown")
	}
}
