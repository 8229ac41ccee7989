package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Race is what perf-report/race.mjs writes: the times of base and head, raced
// side by side.
type Race struct {
	Format     int               `json:"format"` // 1
	Base       string            `json:"base"`   // commits
	Head       string            `json:"head"`
	Tools      map[string]string `json:"tools"`
	Benchmarks []RaceBenchmark   `json:"benchmarks"`
	// Allocations of Go benchmarks, by go test -benchmem on both sides.
	Go []GoBenchmark `json:"go"`
}

// RaceBenchmark is one benchmark on both sides.
type RaceBenchmark struct {
	Name string `json:"name"`
	// Each element is of three processes of their own: compilers lay out code in
	// another way in each, which is the larger part of what looks like noise.
	Processes []RaceProcess `json:"processes"`
	// Exact figures, the same in every run.
	BaseExact map[string]int64 `json:"baseExact"`
	HeadExact map[string]int64 `json:"headExact"`
	SameBytes bool             `json:"sameBytes"` // both sides made the same output
}

// RaceProcess holds nanoseconds of each round. In a round every arm runs twice,
// in the order base, head, control, control, head, base or a permutation of it,
// so that a machine that slows down or speeds up favours none. The control is
// the base once more.
type RaceProcess struct {
	Base    []int64 `json:"base"`
	Head    []int64 `json:"head"`
	Control []int64 `json:"control"`
}

// GoBenchmark is what a Go benchmark allocates for each operation. A side that
// is nil does not have the benchmark.
type GoBenchmark struct {
	Name string         `json:"name"`
	Base *GoAllocations `json:"base"`
	Head *GoAllocations `json:"head"`
}

// GoAllocations are per operation.
type GoAllocations struct {
	Bytes       int64 `json:"bytes"`
	Allocations int64 `json:"allocations"`
}

func (r *Race) validate() error {
	if r.Format != 1 || !commitPattern.MatchString(r.Base) || !commitPattern.MatchString(r.Head) {
		return errors.New("not a race of two commits")
	}
	if len(r.Benchmarks) == 0 || len(r.Benchmarks) > 200 || len(r.Go) > 500 || len(r.Tools) > 10 {
		return errors.New("too few or too many benchmarks")
	}
	for name, version := range r.Tools {
		if !wordPattern.MatchString(name) || !namePattern.MatchString(version) {
			return fmt.Errorf("tool %q %q", name, version)
		}
	}
	for _, b := range r.Benchmarks {
		if !namePattern.MatchString(b.Name) || len(b.Processes) == 0 || len(b.Processes) > 100 {
			return fmt.Errorf("benchmark %q, %d processes", b.Name, len(b.Processes))
		}
		for _, p := range b.Processes {
			for _, list := range [][]int64{p.Base, p.Head, p.Control} {
				if len(list) == 0 || len(list) > 1000 || len(list) != len(p.Base) {
					return fmt.Errorf("benchmark %q lacks rounds", b.Name)
				}
				for _, t := range list {
					if t <= 0 || t > 1e13 {
						return fmt.Errorf("benchmark %q took %d ns", b.Name, t)
					}
				}
			}
		}
		if len(b.BaseExact) > 20 || len(b.BaseExact) != len(b.HeadExact) {
			return fmt.Errorf("benchmark %q lacks exact figures", b.Name)
		}
		for name, v := range b.HeadExact {
			if was, ok := b.BaseExact[name]; !ok || !wordPattern.MatchString(name) || v < 0 || was < 0 {
				return fmt.Errorf("benchmark %q: %q is %d", b.Name, name, v)
			}
		}
	}
	for _, g := range r.Go {
		if !namePattern.MatchString(g.Name) || g.Base == nil && g.Head == nil {
			return fmt.Errorf("benchmark of Go %q", g.Name)
		}
		for _, a := range []*GoAllocations{g.Base, g.Head} {
			if a != nil && (a.Bytes < 0 || a.Allocations < 0) {
				return fmt.Errorf("benchmark of Go %q allocates less than nothing", g.Name)
			}
		}
	}
	return nil
}

// PerfComparison is what a race says.
type PerfComparison struct {
	Format  int               `json:"format"` // 1
	Base    string            `json:"base"`
	Head    string            `json:"head"`
	Tools   map[string]string `json:"tools"`
	Results []PerfResult      `json:"results"`
	// Exact figures that differ, and how many don't.
	Exact     []ExactFigure `json:"exact"`
	ExactSame int           `json:"exactSame"`
	OtherWork []string      `json:"otherWork"` // benchmarks whose outputs differ
}

// validate is for files that this command wrote itself.
func (c *PerfComparison) validate() error {
	if c.Format != 1 || len(c.Results) == 0 {
		return errors.New("not a comparison of times")
	}
	return nil
}

// PerfResult is one benchmark. Ratios are head to base: below 1 is faster.
type PerfResult struct {
	Name    string     `json:"name"`
	Base    int64      `json:"base"` // medians, nanoseconds of one run
	Head    int64      `json:"head"`
	Ratio   float64    `json:"ratio"`
	Band    [2]float64 `json:"band"`    // of the ratios of the processes
	Control [2]float64 `json:"control"` // the same for base against base
	Verdict string     `json:"verdict"` // same, faster or slower
}

// ExactFigure is a figure without noise that differs.
type ExactFigure struct {
	Name   string `json:"name"` // of the benchmark
	Figure string `json:"figure"`
	Base   int64  `json:"base"`
	Head   int64  `json:"head"`
	// May grow by so many percent, by configuration.
	Allowed float64 `json:"allowed"`
	Over    bool    `json:"over"`
}

// minEffect is the least change that counts, whatever the control says: below
// it, where code happens to lie in memory decides.
const minEffect = 0.02

// compareRace gives every benchmark its verdict. A change counts if in every
// process the ratio was beyond all that base against base gave in any, to
// either side, and beyond minEffect.
func compareRace(r *Race, allowed map[string]float64) (*PerfComparison, error) {
	c := &PerfComparison{Format: 1, Base: r.Base, Head: r.Head, Tools: r.Tools, Exact: []ExactFigure{}, OtherWork: []string{}}
	for _, b := range r.Benchmarks {
		var heads, controls []float64
		var bases, times []int64
		for _, p := range b.Processes {
			heads = append(heads, medianRatio(p.Head, p.Base))
			controls = append(controls, medianRatio(p.Control, p.Base))
			bases = append(bases, p.Base...)
			times = append(times, p.Head...)
		}
		// A round is two runs.
		result := PerfResult{Name: b.Name, Base: median(bases) / 2, Head: median(times) / 2, Ratio: median(heads),
			Band:    [2]float64{slices.Min(heads), slices.Max(heads)},
			Control: [2]float64{slices.Min(controls), slices.Max(controls)}, Verdict: "same"}
		noise := math.Log(1 + minEffect)
		for _, ratio := range controls {
			noise = max(noise, math.Abs(math.Log(ratio)))
		}
		switch {
		case math.Log(result.Band[1]) < -noise:
			result.Verdict = "faster"
		case math.Log(result.Band[0]) > noise:
			result.Verdict = "slower"
		}
		c.Results = append(c.Results, result)
		if !b.SameBytes {
			c.OtherWork = append(c.OtherWork, b.Name)
		}

		var figures []string
		for figure := range b.HeadExact {
			figures = append(figures, figure)
		}
		slices.Sort(figures)
		for _, figure := range figures {
			if err := c.exact(b.Name, figure, b.BaseExact[figure], b.HeadExact[figure], allowed); err != nil {
				return nil, err
			}
		}
	}
	for _, g := range r.Go {
		if g.Base == nil || g.Head == nil {
			continue
		}
		if err := c.exact(g.Name, "allocations", g.Base.Allocations, g.Head.Allocations, allowed); err != nil {
			return nil, err
		}
		// What a benchmark allocates once is spread over its runs, and what the
		// runtime allocates for itself is counted too: less than this is no
		// difference.
		bytes := g.Head.Bytes
		if abs(bytes-g.Base.Bytes) <= g.Base.Bytes/100 {
			bytes = g.Base.Bytes
		}
		if err := c.exact(g.Name, "allocated bytes", g.Base.Bytes, bytes, allowed); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *PerfComparison) exact(name, figure string, base, head int64, allowed map[string]float64) error {
	limit, ok := allowed[figure]
	if !ok {
		return fmt.Errorf("the configuration does not say by how much %q may grow", figure)
	}
	if base == head {
		c.ExactSame++
		return nil
	}
	over := float64(head) > float64(base)*(1+limit/100)
	c.Exact = append(c.Exact, ExactFigure{name, figure, base, head, limit, over})
	return nil
}

// medianRatio is the median of the ratios of the rounds.
func medianRatio(a, b []int64) float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = float64(a[i]) / float64(b[i])
	}
	return median(ratios)
}

// median is the middle, or the mean of the two in the middle.
func median[T int64 | float64](list []T) T {
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

func (c *PerfComparison) verdict() string {
	counts := map[string]int{}
	for _, r := range c.Results {
		counts[r.Verdict]++
	}
	var parts []string
	if n := counts["faster"]; n > 0 {
		parts = append(parts, fmt.Sprintf("improves %d", n))
	}
	if n := counts["slower"]; n > 0 {
		parts = append(parts, fmt.Sprintf("regresses %d", n))
	}
	verdict := fmt.Sprintf("will not alter performance (%d benchmarks)", len(c.Results))
	if len(parts) > 0 {
		verdict = fmt.Sprintf("%s of %d benchmarks", strings.Join(parts, ", "), len(c.Results))
	}
	over := 0
	for _, e := range c.Exact {
		if e.Over {
			over++
		}
	}
	if over > 0 {
		verdict += fmt.Sprintf("; **%d exact figures grow too much**", over)
	}
	return verdict
}

// failures are exact figures only: times of shared machines may not decide.
func (c *PerfComparison) failures() []string {
	var list []string
	for _, e := range c.Exact {
		if e.Over {
			list = append(list, fmt.Sprintf("`%s`: %s grow from %s to %s, more than the %g %% that the configuration allows",
				e.Name, e.Figure, grouped(e.Base), grouped(e.Head), e.Allowed))
		}
	}
	return list
}

func (c *PerfComparison) render(w *strings.Builder) {
	var changed, same []PerfResult
	for _, r := range c.Results {
		if r.Verdict == "same" {
			same = append(same, r)
		} else {
			changed = append(changed, r)
		}
	}
	if len(changed) > 0 {
		perfTable(w, changed)
	}
	fold(w, fmt.Sprintf("%d benchmarks without a change", len(same)), func() { perfTable(w, same) }, len(same) > 0)
	for _, name := range c.OtherWork {
		fmt.Fprintf(w, "\n`%s`: the outputs differ, so the times are of different work.\n", name)
	}
	if len(c.Exact) > 0 {
		w.WriteString("\n")
		header(w, "Exact figure", "This PR", "Base branch", "Diff")
		for i, e := range c.Exact {
			if i == 2*maxRows {
				fmt.Fprintf(w, "\n%d more are in the JSON.\n", len(c.Exact)-i)
				break
			}
			row(w, fmt.Sprintf("`%s`: %s", e.Name, e.Figure), figure(Figure{Measure: "count"}, &e.Base, &e.Head))
		}
	}
	fmt.Fprintf(w, "\n%d exact figures (instructions, memory, allocations) are the same on both sides.\n", c.ExactSame)
	var tools []string
	for _, name := range []string{"node", "go", "cpu"} {
		if v := c.Tools[name]; v != "" {
			tools = append(tools, fmt.Sprintf("%s `%s`", name, v))
		}
	}
	fmt.Fprintf(w, "\n<sub>Head and base were built side by side and raced in turns (%s). The ratio is head to base, below 1 is faster; "+
		"the band is that of several pairs of processes. A change counts if all of them are beyond everything that base "+
		"against base gave, and beyond %g %%. Times fail nothing.</sub>\n", strings.Join(tools, ", "), 100*minEffect)
}

func perfTable(w *strings.Builder, results []PerfResult) {
	header(w, "Benchmark", "This PR", "Base branch", "Ratio", "Band", "Base against base")
	for _, r := range results {
		mark := map[string]string{"faster": " :arrow_up: faster", "slower": " :arrow_down: slower"}[r.Verdict]
		fmt.Fprintf(w, "| `%s` | %s | %s | %.3f%s | %.3f … %.3f | %.3f … %.3f |\n", r.Name, duration(r.Head), duration(r.Base),
			r.Ratio, mark, r.Band[0], r.Band[1], r.Control[0], r.Control[1])
	}
}

func duration(ns int64) string {
	switch {
	case ns < 1e4:
		return fmt.Sprintf("%d ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.1f µs", float64(ns)/1e3)
	}
	return fmt.Sprintf("%.2f ms", float64(ns)/1e6)
}
