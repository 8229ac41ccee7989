package main

import (
	"math"
	"strings"
	"testing"
)

// times repeats a process of three rounds whose medians are the given ones.
func times(medians ...[3]int64) []RaceProcess {
	var list []RaceProcess
	for _, m := range medians {
		p := RaceProcess{}
		for _, percent := range []int64{98, 100, 105} {
			p.Base = append(p.Base, m[0]*percent)
			p.Head = append(p.Head, m[1]*percent)
			p.Control = append(p.Control, m[2]*percent)
		}
		list = append(list, p)
	}
	return list
}

func raceOf() *Race {
	same := map[string]int64{"instructions": 1_000_000, "memory pages": 20}
	return &Race{Format: 1, Base: commitA, Head: commitB + "+",
		Tools: map[string]string{"node": "20.20.2", "go": "1.26.8", "cpu": "2 x A CPU"},
		Benchmarks: []RaceBenchmark{
			// 10 % faster, and base against base 1 %.
			{"postgres movie 50,000", times([3]int64{100_000, 90_000, 101_000}, [3]int64{100_000, 91_000, 99_000}, [3]int64{110_000, 98_000, 110_000}),
				same, map[string]int64{"instructions": 900_000, "memory pages": 20}, true},
			// 5 % slower, but base against base gave 6 % once.
			{"postgres wide 10", times([3]int64{1_000, 1_050, 1_000}, [3]int64{1_000, 1_051, 940}), same, same, true},
			// 1.5 % slower in a quiet machine: too little.
			{"mysql int", times([3]int64{10_000, 10_150, 10_000}, [3]int64{10_000, 10_160, 10_000}), same, same, true},
			// Slower by far in one process only.
			{"sqlite text", times([3]int64{10_000, 15_000, 10_000}, [3]int64{10_000, 10_100, 10_000}), same, same, false},
			// Slower in all.
			{"sqlite json", times([3]int64{10_000, 15_000, 10_000}, [3]int64{10_000, 14_100, 10_100}), same,
				map[string]int64{"instructions": 1_500_000, "memory pages": 21}, true},
		},
		Go: []GoBenchmark{
			{"wasm/internal/engine.BenchmarkMovie", &GoAllocations{1000, 10}, &GoAllocations{1049, 10}},
			{"host.BenchmarkSerialize", &GoAllocations{1000, 10}, &GoAllocations{1051, 11}},
			{"host.BenchmarkNew", nil, &GoAllocations{1, 1}},
			{"wasm/internal/pgwire.BenchmarkMovies", &GoAllocations{21_645, 1}, &GoAllocations{21_644, 1}},
		}}
}

func TestCompareRace(t *testing.T) {
	r := raceOf()
	if err := r.validate(); err != nil {
		t.Fatal(err)
	}
	c, err := compareRace(r, limits(t).Exact)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"faster", "same", "same", "same", "slower"} {
		if got := c.Results[i]; got.Verdict != want {
			t.Errorf("%s is %s, want %s: %+v", got.Name, got.Verdict, want, got)
		}
	}
	first := c.Results[0]
	if first.Base != 5_250_000 || first.Head != 4_725_000 || first.Ratio != 0.9 || first.Band != [2]float64{9800.0 / 11000, 0.91} ||
		first.Control != [2]float64{0.99, 1.01} {
		t.Errorf("the first is %+v", first)
	}
	if got, want := c.verdict(), "improves 1, regresses 1 (5 benchmarks; half of them would show a change of 2 %); **4 exact figures grow too much**"; got != want {
		t.Errorf("the verdict is %q, want %q", got, want)
	}
	if c.ExactSame != 10 || len(c.Exact) != 6 || len(c.failures()) != 4 {
		t.Errorf("%d exact figures are the same, %+v differ", c.ExactSame, c.Exact)
	}
	// Base against base: nothing, whatever the noise.
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		b.HeadExact = b.BaseExact
		for j := range b.Processes {
			b.Processes[j].Head = b.Processes[j].Control
		}
	}
	r.Go = nil
	c, err = compareRace(r, limits(t).Exact)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.verdict(), "will not alter performance (5 benchmarks; half of them would show a change of 2 %); all exact figures are the same"; got != want || len(c.failures()) > 0 {
		t.Errorf("base against base: %q, %q; want %q", got, c.failures(), want)
	}
}

// What is no change in a quiet run may be one that does not show in a noisy one;
// instructions tell in both.
func TestNoisyRace(t *testing.T) {
	r := raceOf()
	r.Go = nil
	r.Benchmarks = r.Benchmarks[:3]
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		b.Processes = times([3]int64{10_000, 10_100, 10_000}, [3]int64{10_000, 10_100, 12_500})
		b.HeadExact = map[string]int64{"instructions": []int64{990_000, 1_000_000, 1_019_900}[i], "memory pages": 20}
	}
	c, err := compareRace(r, limits(t).Exact)
	if err != nil {
		t.Fatal(err)
	}
	want := "shows no change, in a run that was too noisy to tell (3 benchmarks; half of them would show a change of 25 %); " +
		"2 of 6 exact figures changed, none beyond its limit (instructions −1.00 % … +1.99 %)"
	if got := c.verdict(); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestRaceFails(t *testing.T) {
	for name, change := range map[string]func(r *Race){
		"a format":            func(r *Race) { r.Format = 0 },
		"no commit":           func(r *Race) { r.Head = "" },
		"no benchmarks":       func(r *Race) { r.Benchmarks = nil },
		"a tool":              func(r *Race) { r.Tools["cpu"] = "`" },
		"a name":              func(r *Race) { r.Benchmarks[0].Name = "a|b" },
		"a name twice":        func(r *Race) { r.Benchmarks[0].Name = r.Benchmarks[1].Name },
		"a name of Go twice":  func(r *Race) { r.Go[0].Name = r.Go[1].Name },
		"a name gone twice":   func(r *Race) { r.Removed = []string{"a", "a"} },
		"gone, but raced":     func(r *Race) { r.Removed = []string{"mysql int"} },
		"unable, but raced":   func(r *Race) { r.Unable = []string{"mysql int"} },
		"a new name":          func(r *Race) { r.Added = []string{"`"} },
		"a time below 0":      func(r *Race) { r.Benchmarks[0].Processes[0].Head[0] = -1 },
		"a time of days":      func(r *Race) { r.Benchmarks[0].Processes[0].Head[0] = 1e14 },
		"all bytes there are": func(r *Race) { r.Go[0].Head.Bytes = math.MaxInt64 },
		"too many":            func(r *Race) { r.Go[0].Base.Allocations = math.MaxInt64 },
		"instructions": func(r *Race) {
			r.Benchmarks[0].HeadExact = map[string]int64{"instructions": math.MaxInt64, "memory pages": 1}
		},
		"no processes":        func(r *Race) { r.Benchmarks[0].Processes = nil },
		"no rounds":           func(r *Race) { r.Benchmarks[0].Processes[0] = RaceProcess{} },
		"a round short":       func(r *Race) { p := &r.Benchmarks[0].Processes[0]; p.Head = p.Head[1:] },
		"no time":             func(r *Race) { r.Benchmarks[0].Processes[0].Control[1] = 0 },
		"a figure short":      func(r *Race) { r.Benchmarks[0].HeadExact = map[string]int64{"instructions": 1} },
		"another figure":      func(r *Race) { r.Benchmarks[0].HeadExact = map[string]int64{"instructions": 1, "x": 1} },
		"less than nothing":   func(r *Race) { r.Benchmarks[0].HeadExact = map[string]int64{"instructions": -1, "memory pages": 1} },
		"a name in Go":        func(r *Race) { r.Go[0].Name = strings.Repeat("a", 201) },
		"no side":             func(r *Race) { r.Go[0].Base, r.Go[0].Head = nil, nil },
		"allocations below 0": func(r *Race) { r.Go[0].Base.Allocations = -1 },
	} {
		r := raceOf()
		change(r)
		if err := r.validate(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if c, err := compareRace(raceOf(), map[string]float64{}); err == nil {
		t.Errorf("no configuration: got %+v, want an error", c)
	}
}

// What the runtime allocates for itself is no growth; an allocation in each run is.
func TestStrayAllocations(t *testing.T) {
	for _, c := range []struct {
		base, head GoAllocations
		differ     int // figures
	}{
		{GoAllocations{0, 0}, GoAllocations{2, 0}, 0},
		{GoAllocations{0, 0}, GoAllocations{7, 0}, 0},
		{GoAllocations{0, 0}, GoAllocations{8, 0}, 1},
		{GoAllocations{0, 0}, GoAllocations{7, 1}, 2},
		{GoAllocations{48, 2}, GoAllocations{41, 2}, 0},
		{GoAllocations{48, 2}, GoAllocations{56, 2}, 1},
		{GoAllocations{42_450, 1}, GoAllocations{42_874, 1}, 0},
		{GoAllocations{42_450, 1}, GoAllocations{42_875, 1}, 1},
	} {
		r := raceOf()
		r.Benchmarks, r.Go = r.Benchmarks[1:2], []GoBenchmark{{"a.BenchmarkA", &c.base, &c.head}}
		got, err := compareRace(r, limits(t).Exact)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Exact) != c.differ {
			t.Errorf("%+v and %+v: %+v differ", c.base, c.head, got.Exact)
		}
	}
}

// Benchmarks that only one side has, of JavaScript and of Go, and those that the
// base can't run.
func TestRaceOneSided(t *testing.T) {
	r := raceOf()
	r.Go = append(r.Go, GoBenchmark{"host.BenchmarkOld", &GoAllocations{1, 1}, nil})
	r.Added, r.Removed, r.Unable = []string{"mysql int"}, []string{"sqlite blob"}, []string{"mysql set"}
	if err := r.validate(); err != nil {
		t.Fatal(err)
	}
	c, err := compareRace(r, limits(t).Exact)
	if err != nil {
		t.Fatal(err)
	}
	text := render(nil, c)
	for _, want := range []string{
		"- :warning: 2 benchmarks are gone: `sqlite blob`, `host.BenchmarkOld`\n",
		"- :warning: 2 benchmarks are new: `mysql int`, `host.BenchmarkNew`\n",
		"- :warning: The base can't run, so that nothing is compared: `mysql set`\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func TestMedian(t *testing.T) {
	if got := median([]int64{5, 1, 3}); got != 3 {
		t.Errorf("of three: %d", got)
	}
	if got := median([]float64{4, 1, 3, 2}); got != 2.5 {
		t.Errorf("of four: %g", got)
	}
	if got := duration(9_999) + ", " + duration(10_000) + ", " + duration(1_500_000); got != "9999 ns, 10.0 µs, 1.50 ms" {
		t.Errorf("durations are %s", got)
	}
}
