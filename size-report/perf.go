package main

import (
	"cmp"
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
	// Names of benchmarks that one side's sources don't have, and of those that
	// the base's build can't run, which are not raced.
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	Unable  []string `json:"unable"`
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
	if len(r.Benchmarks) == 0 || len(r.Benchmarks) > 200 || len(r.Go) > 500 {
		return errors.New("too few or too many benchmarks")
	}
	if err := validTools(r.Tools, namePattern); err != nil {
		return err
	}
	for _, list := range [][]string{r.Added, r.Removed, r.Unable} {
		if err := validNames(list); err != nil {
			return err
		}
	}
	var names []string
	for _, b := range r.Benchmarks {
		names = append(names, b.Name)
	}
	// Those were not raced.
	if err := validNames(slices.Concat(names, r.Removed)); err != nil {
		return err
	}
	if err := validNames(slices.Concat(names, r.Unable)); err != nil {
		return err
	}
	for _, b := range r.Benchmarks {
		if len(b.Processes) == 0 || len(b.Processes) > 100 {
			return fmt.Errorf("benchmark %q has %d processes", b.Name, len(b.Processes))
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
			if was, ok := b.BaseExact[name]; !ok || !wordPattern.MatchString(name) || v < 0 || was < 0 || v > most || was > most {
				return fmt.Errorf("benchmark %q: %q is %d, was %d", b.Name, name, v, was)
			}
		}
	}
	names = nil
	for _, g := range r.Go {
		names = append(names, g.Name)
		if g.Base == nil && g.Head == nil {
			return fmt.Errorf("benchmark of Go %q has no side", g.Name)
		}
		for _, a := range []*GoAllocations{g.Base, g.Head} {
			if a != nil && (a.Bytes < 0 || a.Bytes > most || a.Allocations < 0 || a.Allocations > most) {
				return fmt.Errorf("benchmark of Go %q allocates %d bytes in %d", g.Name, a.Bytes, a.Allocations)
			}
		}
	}
	return validNames(names)
}

// validNames checks names of benchmarks: printable in backquotes, none twice.
func validNames(list []string) error {
	if len(list) > 1000 {
		return errors.New("too many benchmarks")
	}
	seen := map[string]bool{}
	for _, name := range list {
		if !namePattern.MatchString(name) || seen[name] {
			return fmt.Errorf("%q is not the name of a benchmark, or there twice", name)
		}
		seen[name] = true
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
	// Benchmarks of JavaScript and of Go that only one side has, and those that
	// the base's build can't run.
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	Unable  []string `json:"unable"`
}

// validate is for a file that compare wrote, or that should be one.
func (c *PerfComparison) validate() error {
	if c.Format != 1 || len(c.Results) == 0 || c.ExactSame < 0 || !commitPattern.MatchString(c.Base) || !commitPattern.MatchString(c.Head) {
		return errors.New("not a comparison of two commits' times")
	}
	if err := validTools(c.Tools, namePattern); err != nil {
		return err
	}
	var names []string
	for _, r := range c.Results {
		names = append(names, r.Name)
		for _, ratio := range []float64{r.Ratio, r.Band[0], r.Band[1], r.Control[0], r.Control[1]} {
			if !(ratio >= 1e-13 && ratio <= 1e13) {
				return fmt.Errorf("%q has a ratio of %g", r.Name, ratio)
			}
		}
		if r.Base < 0 || r.Base > 1e13 || r.Head < 0 || r.Head > 1e13 || !slices.Contains([]string{"same", "faster", "slower"}, r.Verdict) {
			return fmt.Errorf("%q: %d and %d ns are %q", r.Name, r.Base, r.Head, r.Verdict)
		}
	}
	for _, list := range [][]string{names, c.OtherWork, c.Added, c.Removed, c.Unable} {
		if err := validNames(list); err != nil {
			return err
		}
	}
	for _, e := range c.Exact {
		if !namePattern.MatchString(e.Name) || !wordPattern.MatchString(e.Figure) || e.Base < 0 || e.Base > most || e.Head < 0 || e.Head > most ||
			!(e.Allowed >= 0 && e.Allowed <= 1000) || e.Over != e.over() {
			return fmt.Errorf("exact figures: %+v", e)
		}
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

func (e *ExactFigure) over() bool { return float64(e.Head) > float64(e.Base)*(1+e.Allowed/100) }

// minEffect is the least change that counts, whatever the control says: below
// it, where code happens to lie in memory decides.
const minEffect = 0.02

// noisy is the sensitivity beyond which times that look the same say nothing.
const noisy = 0.2

// noise is the logarithm of the largest ratio that base gave against base, to
// either side, and that of minEffect at least.
func noise(controls []float64) float64 {
	limit := math.Log(1 + minEffect)
	for _, ratio := range controls {
		limit = max(limit, math.Abs(math.Log(ratio)))
	}
	return limit
}

// compareRace gives every benchmark its verdict. A change counts if in every
// process the ratio was beyond all that base against base gave in any, to
// either side, and beyond minEffect.
func compareRace(r *Race, allowed map[string]float64) (*PerfComparison, error) {
	c := &PerfComparison{Format: 1, Base: r.Base, Head: r.Head, Tools: r.Tools, Exact: []ExactFigure{}, OtherWork: []string{},
		Added: append([]string{}, r.Added...), Removed: append([]string{}, r.Removed...), Unable: append([]string{}, r.Unable...)}
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
		switch limit := noise(controls); {
		case math.Log(result.Band[1]) < -limit:
			result.Verdict = "faster"
		case math.Log(result.Band[0]) > limit:
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
		switch {
		case g.Base == nil:
			c.Added = append(c.Added, g.Name)
			continue
		case g.Head == nil:
			c.Removed = append(c.Removed, g.Name)
			continue
		}
		if err := c.exact(g.Name, "allocations", g.Base.Allocations, g.Head.Allocations, allowed); err != nil {
			return nil, err
		}
		// What a benchmark allocates once is spread over its runs, and what the
		// runtime allocates for itself is counted too: 1 % is no difference, nor are
		// some bytes if there are as many allocations, of which the smallest for
		// each run is 8 bytes.
		bytes := g.Head.Bytes
		if change := abs(bytes - g.Base.Bytes); change <= g.Base.Bytes/100 || change < 8 && g.Head.Allocations == g.Base.Allocations {
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
	e := ExactFigure{Name: name, Figure: figure, Base: base, Head: head, Allowed: limit}
	e.Over = e.over()
	c.Exact = append(c.Exact, e)
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
	verdict := "will not alter performance"
	switch {
	case len(parts) > 0:
		verdict = strings.Join(parts, ", ")
	case c.sensitivity() > noisy:
		verdict = "shows no change, in a run that was too noisy to tell"
	}
	verdict += fmt.Sprintf(" (%s; half of them would show a change of %.0f %%)", count(len(c.Results), "benchmark", "benchmarks"), 100*c.sensitivity())
	over := 0
	for _, e := range c.Exact {
		if e.Over {
			over++
		}
	}
	switch {
	case over > 0:
		verdict += fmt.Sprintf("; **%s too much**", count(over, "exact figure grows", "exact figures grow"))
	case len(c.Exact) == 0:
		verdict += "; all exact figures are the same"
	default:
		verdict += fmt.Sprintf("; %d of %d exact figures changed, none beyond its limit%s", len(c.Exact), len(c.Exact)+c.ExactSame, c.instructions())
	}
	return verdict
}

// instructions tells how the instructions changed, where they did: the range.
func (c *PerfComparison) instructions() string {
	var list []ExactFigure
	for _, e := range c.Exact {
		if e.Figure == "instructions" && e.Base > 0 {
			list = append(list, e)
		}
	}
	if len(list) == 0 {
		return ""
	}
	share := func(e ExactFigure) float64 { return float64(e.Head) / float64(e.Base) }
	slices.SortStableFunc(list, func(a, b ExactFigure) int { return cmp.Compare(share(a), share(b)) })
	of := func(e ExactFigure) string { return percent(e.Head-e.Base, e.Base) }
	least, most := of(list[0]), of(list[len(list)-1])
	if least == most {
		return " (instructions " + least + ")"
	}
	return " (instructions " + least + " … " + most + ")"
}

// count is a number with the word for one or for many.
func count(n int, one, many string) string {
	if n == 1 {
		many = one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// notices are what a reader should look at but what fails nothing.
func (c *PerfComparison) notices() []string {
	var list []string
	if len(c.Removed) > 0 {
		list = append(list, fmt.Sprintf("%s gone: %s", count(len(c.Removed), "benchmark is", "benchmarks are"), names(c.Removed)))
	}
	if len(c.Added) > 0 {
		list = append(list, fmt.Sprintf("%s new: %s", count(len(c.Added), "benchmark is", "benchmarks are"), names(c.Added)))
	}
	if len(c.Unable) > 0 {
		list = append(list, fmt.Sprintf("The base can't run, so that nothing is compared: %s", names(c.Unable)))
	}
	if len(c.OtherWork) > 0 {
		list = append(list, fmt.Sprintf("The outputs differ, so that the times are of different work: %s", names(c.OtherWork)))
	}
	return list
}

// sensitivity is how much slower the median benchmark would have to be, so that
// it stood out from the noise of this run.
func (c *PerfComparison) sensitivity() float64 {
	var list []float64
	for _, r := range c.Results {
		list = append(list, math.Exp(noise(r.Control[:]))-1)
	}
	return median(list)
}

// mean is the geometric mean of the ratios, and that of the middles of what base
// gave against base.
func (c *PerfComparison) mean() (ratio, control float64) {
	for _, r := range c.Results {
		ratio += math.Log(r.Ratio)
		control += (math.Log(r.Control[0]) + math.Log(r.Control[1])) / 2
	}
	n := float64(len(c.Results))
	return math.Exp(ratio / n), math.Exp(control / n)
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
	ratio, control := c.mean()
	fmt.Fprintf(w, "\nGeometric mean of all ratios: %.3f; base against base: %.3f.\n", ratio, control)
	c.exactTable(w)
	var tools []string
	for _, name := range []string{"node", "go", "cpu"} {
		if v := c.Tools[name]; v != "" {
			tools = append(tools, fmt.Sprintf("%s `%s`", name, v))
		}
	}
	fmt.Fprintf(w, "\n<sub>Head and base were built side by side and raced in turns (%s). The ratio is head to base, below 1 is faster: "+
		"the median of rounds in which both ran side by side, which the two times beside it, medians of all, need not give; "+
		"the band is that of several pairs of processes. A change counts if all of them are beyond everything that base "+
		"against base gave, and beyond %g %%. Times fail nothing.</sub>\n", strings.Join(tools, ", "), 100*minEffect)
}

// exactTable has what fails the change first, then what changed most; it is
// folded if nothing fails.
func (c *PerfComparison) exactTable(w *strings.Builder) {
	if len(c.Exact) == 0 {
		fmt.Fprintf(w, "\nAll %d exact figures (instructions, memory, bytes, allocations) are the same on both sides.\n", c.ExactSame)
		return
	}
	list := slices.Clone(c.Exact)
	share := func(e ExactFigure) float64 { return math.Abs(float64(e.Head-e.Base)) / float64(max(e.Base, 1)) }
	slices.SortStableFunc(list, func(a, b ExactFigure) int {
		if a.Over != b.Over {
			return map[bool]int{true: -1, false: 1}[a.Over]
		}
		return cmp.Compare(share(b), share(a))
	})
	body := func() {
		header(w, "Exact figure", "This PR", "Base branch", "Diff", "May grow")
		for i, e := range list {
			if i == 2*maxRows {
				fmt.Fprintf(w, "\n%d more are in the JSON.\n", len(list)-i)
				break
			}
			over := ""
			if e.Over {
				over = " :x:"
			}
			fmt.Fprintf(w, "| `%s`: %s | %s | %s | %s%s | %g %% |\n", e.Name, e.Figure, grouped(e.Head), grouped(e.Base),
				diff(figure(Figure{Measure: "count"}, &e.Base, &e.Head)), over, e.Allowed)
		}
	}
	summary := fmt.Sprintf("%d exact figures changed", len(list))
	if list[0].Over {
		w.WriteString("\n")
		body()
	} else {
		fold(w, summary+", none beyond its limit", body, true)
	}
	fmt.Fprintf(w, "\n%d exact figures (instructions, memory, bytes, allocations) are the same on both sides.\n", c.ExactSame)
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
