package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Comparison is what compare writes: head against base, and both against the
// budgets. It holds no text that render has yet to make.
type Comparison struct {
	Format    int               `json:"format"` // 1
	Base      string            `json:"base"`   // commits
	Head      string            `json:"head"`
	Tools     map[string]string `json:"tools"`
	Compilers [2]Compilers      `json:"compilers"` // of base and head

	Sizes    []Figure        `json:"sizes"`   // of artefacts: raw, gzip, brotli
	Anatomy  []Figure        `json:"anatomy"` // of modules: sections, functions, pages
	Surface  []SurfaceChange `json:"surface"`
	Packages []Figure        `json:"packages"`  // of code, by module
	Code     []Figure        `json:"functions"` // only those that changed
	Unnamed  []string        `json:"unnamed"`   // sides whose builds have no names: "base", "head"
	Budgets  []Verdict       `json:"budgets"`
	// Limits that nothing was held against.
	Unchecked []Unchecked   `json:"unchecked"`
	Rebuilt   []Rebuilt     `json:"rebuilt"`
	Start     []StartFigure `json:"start"`
}

// Compilers are versions by name.
type Compilers map[string]string

// Figure is a number on both sides. A side that is nil does not have the thing.
type Figure struct {
	Group   string `json:"group"`
	Name    string `json:"name"`             // of the artefact
	Part    string `json:"part,omitempty"`   // section, or package
	Detail  string `json:"detail,omitempty"` // function
	Measure string `json:"measure"`          // raw, gzip, brotli, bytes, count or pages
	Base    *int64 `json:"base"`
	Head    *int64 `json:"head"`
	Diff    int64  `json:"diff"` // an absent side counts as 0
}

// SurfaceChange is an import or export that only one side has. One whose type
// changed is removed and added.
type SurfaceChange struct {
	Group  string `json:"group"`
	Name   string `json:"name"`
	Kind   string `json:"kind"`   // import or export
	Change string `json:"change"` // added or removed
	Entry  string `json:"entry"`
}

// Rebuilt tells whether a module that was built from its sources is the one
// that the commit holds.
type Rebuilt struct {
	Name string `json:"name"`
	Side string `json:"side"`
	Same bool   `json:"same"`
}

// Unchecked is a limit for something that head does not have.
type Unchecked struct {
	Budget   string `json:"budget"`
	Group    string `json:"group"`
	Artefact string `json:"artefact"`
	Gone     bool   `json:"gone"` // base has it; else neither was measured for the group
}

// StartFigure is the median and range of a module's start in Node, nanoseconds.
type StartFigure struct {
	Name string    `json:"name"`
	What string    `json:"what"` // compile or instantiate
	Base *[3]int64 `json:"base"` // least, median, most
	Head *[3]int64 `json:"head"`
}

// Budgets is the configuration of limits.
type Budgets struct {
	Budgets []Budget `json:"budgets"`
	// By how many percent the exact figures of benchmarks may grow.
	Exact map[string]float64 `json:"exact"`
}

// Budget is a limit for one measure of artefacts that must exist. One of Limit
// and Growth is set: the most that a thing may have, or the most that it may
// grow in one change before the report says so. Growth never fails.
type Budget struct {
	Name      string   `json:"name"`
	Group     string   `json:"group"`
	Artefacts []string `json:"artefacts"`
	Measure   string   `json:"measure"` // raw, gzip, brotli, pages, imports or exports
	Limit     *int64   `json:"limit,omitempty"`
	Growth    *int64   `json:"growth,omitempty"`
	Reason    string   `json:"reason"`
}

func (b *Budgets) validate() error {
	if len(b.Budgets) == 0 {
		return errors.New("no budgets")
	}
	for figure, percent := range b.Exact {
		if !wordPattern.MatchString(figure) || percent < 0 || percent > 1000 {
			return fmt.Errorf("%q may not grow by %g %%", figure, percent)
		}
	}
	for _, b := range b.Budgets {
		_, known := measures[b.Measure]
		switch {
		case !textPattern.MatchString(b.Name) || b.Reason == "" || len(b.Artefacts) == 0 || !known,
			b.Group != groupModule && b.Group != groupStandard && b.Group != groupPackage:
			return fmt.Errorf("budget %q lacks a name, a reason, artefacts or a known measure", b.Name)
		case (b.Limit == nil) == (b.Growth == nil):
			return fmt.Errorf("budget %q wants either a limit or a growth", b.Name)
		case b.Limit != nil && (*b.Limit < 0 || *b.Limit > most), b.Growth != nil && (*b.Growth < 0 || *b.Growth > most):
			return fmt.Errorf("budget %q has a limit that can't be", b.Name)
		}
	}
	return nil
}

// Verdict is what a budget says of one artefact.
type Verdict struct {
	Budget   string `json:"budget"`
	Group    string `json:"group"`
	Artefact string `json:"artefact"`
	Measure  string `json:"measure"`
	Growth   bool   `json:"growth"` // Used and Limit are of the difference
	Used     int64  `json:"used"`
	Limit    int64  `json:"limit"`
	Over     bool   `json:"over"`
}

// measures are the ways to look at an artefact that budgets can name.
var measures = map[string]func(*Artefact) int64{
	"raw":     func(a *Artefact) int64 { return a.Raw },
	"gzip":    func(a *Artefact) int64 { return a.Gzip },
	"brotli":  func(a *Artefact) int64 { return a.Brotli },
	"pages":   func(a *Artefact) int64 { return a.Anatomy.Pages },
	"imports": func(a *Artefact) int64 { return int64(len(a.Anatomy.Imports)) },
	"exports": func(a *Artefact) int64 { return int64(len(a.Anatomy.Exports)) },
}

// pair is an artefact on both sides, nil where it is not.
type pair struct{ base, head *Artefact }

func (p pair) any() *Artefact {
	if p.head != nil {
		return p.head
	}
	return p.base
}

func compare(base, head *Measurement, budgets *Budgets) (*Comparison, error) {
	for tool, version := range head.Tools {
		if base.Tools[tool] != version {
			return nil, fmt.Errorf("base was measured with %s %s, head with %s: their sizes can't be compared",
				tool, base.Tools[tool], version)
		}
	}
	c := &Comparison{Format: 1, Base: base.Commit, Head: head.Commit, Tools: head.Tools,
		Compilers: [2]Compilers{base.Compilers, head.Compilers},
		Surface:   []SurfaceChange{}, Code: []Figure{}, Unnamed: unnamed(base, head), Unchecked: []Unchecked{}}
	for _, p := range pairs(base, head) {
		a := p.any()
		c.Sizes = append(c.Sizes, sizes(p)...)
		if a.Anatomy == nil {
			continue
		}
		c.Anatomy = append(c.Anatomy, anatomy(p)...)
		c.Surface = append(c.Surface, surface(p)...)
		if a.Group == groupModule {
			if len(c.Unnamed) == 0 {
				packages, functions := code(p)
				c.Packages = append(c.Packages, packages...)
				c.Code = append(c.Code, functions...)
			}
			c.Rebuilt = append(c.Rebuilt, rebuilt(p)...)
			c.Start = append(c.Start, starts(p)...)
		}
	}
	for _, b := range budgets.Budgets {
		for _, name := range b.Artefacts {
			if head.find(b.Group, name) == nil {
				gone := base.find(b.Group, name) != nil
				if !gone && (base.has(b.Group) || head.has(b.Group)) {
					return nil, fmt.Errorf("budget %q is about %s %s, which is not there", b.Name, b.Group, name)
				}
				c.Unchecked = append(c.Unchecked, Unchecked{b.Name, b.Group, name, gone})
				continue
			}
			v, err := b.verdict(name, base, head)
			if err != nil {
				return nil, err
			}
			if v != nil {
				c.Budgets = append(c.Budgets, *v)
			}
		}
	}
	return c, nil
}

// find returns the artefact, or nil.
func (m *Measurement) find(group, name string) *Artefact {
	for i := range m.Artefacts {
		if a := &m.Artefacts[i]; a.Group == group && a.Name == name {
			return a
		}
	}
	return nil
}

func (m *Measurement) has(group string) bool {
	return slices.ContainsFunc(m.Artefacts, func(a Artefact) bool { return a.Group == group })
}

// order is the order of the groups, and of the dialects in a report; what is
// not in it comes last, by name.
var order = []string{groupModule, groupStandard, groupPackage, "postgres", "mysql", "sqlite", tarball}

func rank(s string) int {
	if i := slices.Index(order, s); i >= 0 {
		return i
	}
	return len(order)
}

func pairs(base, head *Measurement) []pair {
	var list []pair
	for i := range head.Artefacts {
		h := &head.Artefacts[i]
		list = append(list, pair{base.find(h.Group, h.Name), h})
	}
	for i := range base.Artefacts {
		b := &base.Artefacts[i]
		if head.find(b.Group, b.Name) == nil {
			list = append(list, pair{b, nil})
		}
	}
	slices.SortFunc(list, func(p, q pair) int {
		a, b := p.any(), q.any()
		return cmp.Or(rank(a.Group)-rank(b.Group), rank(a.Name)-rank(b.Name), strings.Compare(a.Name, b.Name))
	})
	return list
}

func figure(f Figure, base, head *int64) Figure {
	f.Base, f.Head = base, head
	if head != nil {
		f.Diff += *head
	}
	if base != nil {
		f.Diff -= *base
	}
	return f
}

// of returns a measure of an artefact that may be absent.
func of(a *Artefact, measure func(*Artefact) int64) *int64 {
	if a == nil {
		return nil
	}
	v := measure(a)
	return &v
}

func sizes(p pair) []Figure {
	var list []Figure
	a := p.any()
	for _, measure := range []string{"raw", "gzip", "brotli"} {
		m := measures[measure]
		if m(a) > 0 {
			list = append(list, figure(Figure{Group: a.Group, Name: a.Name, Measure: measure}, of(p.base, m), of(p.head, m)))
		}
	}
	return list
}

// Parts of a module that are no sections.
const (
	partFunctions = "functions"
	partStart     = "memory at start"
	partMost      = "memory at most"
)

func anatomy(p pair) []Figure {
	a := p.any()
	var list []Figure
	add := func(part, measure string, get func(*Artefact) int64) {
		list = append(list,
			figure(Figure{Group: a.Group, Name: a.Name, Part: part, Measure: measure}, of(p.base, get), of(p.head, get)))
	}
	var names []string
	for _, side := range []*Artefact{p.head, p.base} {
		if side == nil {
			continue
		}
		for _, s := range side.Anatomy.Sections {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	for _, name := range names {
		add(name, "bytes", func(a *Artefact) int64 {
			sum := int64(0)
			for _, s := range a.Anatomy.Sections {
				if s.Name == name {
					sum += s.Bytes
				}
			}
			return sum
		})
	}
	add(partFunctions, "count", func(a *Artefact) int64 { return a.Anatomy.Functions })
	add(partStart, "pages", func(a *Artefact) int64 { return a.Anatomy.Pages })
	add(partMost, "pages", func(a *Artefact) int64 { return a.Anatomy.MaxPages })
	return list
}

func surface(p pair) []SurfaceChange {
	if p.base == nil || p.head == nil {
		return nil // said of the whole artefact already
	}
	var list []SurfaceChange
	diff := func(kind string, base, head []string) {
		change := SurfaceChange{Group: p.head.Group, Name: p.head.Name, Kind: kind}
		was, is := setOf(base), setOf(head)
		for _, e := range head {
			if !was[e] {
				change.Change, change.Entry = "added", e
				list = append(list, change)
			}
		}
		for _, e := range base {
			if !is[e] {
				change.Change, change.Entry = "removed", e
				list = append(list, change)
			}
		}
	}
	diff("import", p.base.Anatomy.Imports, p.head.Anatomy.Imports)
	diff("export", p.base.Anatomy.Exports, p.head.Anatomy.Exports)
	return list
}

func setOf(list []string) map[string]bool {
	set := map[string]bool{}
	for _, s := range list {
		set[s] = true
	}
	return set
}

// unnamed returns the sides that have a module without names.
func unnamed(base, head *Measurement) []string {
	sides := []string{}
	for i, m := range []*Measurement{base, head} {
		if slices.ContainsFunc(m.Artefacts, func(a Artefact) bool { return a.Group == groupModule && a.Code == nil }) {
			sides = append(sides, sideNames[i])
		}
	}
	return sides
}

var sideNames = [2]string{"base", "head"}

// code compares by package and by function, largest difference first.
func code(p pair) (packages, functions []Figure) {
	type key struct{ pkg, function string }
	var sums [2]map[key]int64
	for i, side := range []*Artefact{p.base, p.head} {
		sums[i] = map[key]int64{}
		if side == nil {
			continue
		}
		for _, c := range side.Code {
			sums[i][key{c.Package, ""}] += c.Bytes
			sums[i][key{c.Package, c.Function}] += c.Bytes
		}
	}
	a := p.any()
	seen := map[key]bool{}
	for _, sum := range sums {
		for k := range sum {
			if seen[k] {
				continue
			}
			seen[k] = true
			var sides [2]*int64
			for i := range sums {
				if v, ok := sums[i][k]; ok {
					sides[i] = &v
				}
			}
			f := figure(Figure{Group: a.Group, Name: a.Name, Part: k.pkg, Detail: k.function, Measure: "bytes"}, sides[0], sides[1])
			switch {
			case k.function == "":
				packages = append(packages, f)
			case f.Diff != 0:
				functions = append(functions, f)
			}
		}
	}
	size := func(f Figure) int64 {
		if f.Head != nil {
			return *f.Head
		}
		return 0
	}
	byChange := func(x, y Figure) int {
		return cmp.Or(cmp.Compare(abs(y.Diff), abs(x.Diff)), cmp.Compare(size(y), size(x)), strings.Compare(x.Part, y.Part), strings.Compare(x.Detail, y.Detail))
	}
	slices.SortFunc(packages, byChange)
	slices.SortFunc(functions, byChange)
	return packages, functions
}

func abs(v int64) int64 {
	if v < 0 {
		v = -v
	}
	return v
}

func rebuilt(p pair) []Rebuilt {
	var list []Rebuilt
	for i, side := range []*Artefact{p.base, p.head} {
		if side != nil && side.Committed != "" {
			list = append(list, Rebuilt{side.Name, sideNames[i], side.Committed == side.SHA256})
		}
	}
	return list
}

func starts(p pair) []StartFigure {
	var list []StartFigure
	for _, what := range []string{"compile", "instantiate"} {
		f := StartFigure{Name: p.any().Name, What: what}
		for i, side := range []*Artefact{p.base, p.head} {
			if side == nil || side.Start == nil {
				continue
			}
			times := side.Start.Compile
			if what == "instantiate" {
				times = side.Start.Instantiate
			}
			summary := &[3]int64{times[0], times[len(times)/2], times[len(times)-1]}
			if i == 0 {
				f.Base = summary
			} else {
				f.Head = summary
			}
		}
		if f.Base != nil || f.Head != nil {
			list = append(list, f)
		}
	}
	return list
}

// verdict returns nil if the budget is about the growth of something that is
// new.
func (b *Budget) verdict(name string, base, head *Measurement) (*Verdict, error) {
	a := head.find(b.Group, name)
	if a.Anatomy == nil && slices.Contains([]string{"pages", "imports", "exports"}, b.Measure) {
		return nil, fmt.Errorf("budget %q: %s is not a module", b.Name, name)
	}
	measure := measures[b.Measure]
	v := &Verdict{Budget: b.Name, Group: b.Group, Artefact: name, Measure: b.Measure, Used: measure(a)}
	if b.Limit != nil {
		v.Limit = *b.Limit
	} else {
		old := base.find(b.Group, name)
		if old == nil {
			return nil, nil
		}
		v.Growth, v.Used, v.Limit = true, v.Used-measure(old), *b.Growth
	}
	v.Over = v.Used > v.Limit
	return v, nil
}

// failures are the budgets that the change breaks, and modules that are not
// what their sources give, as sentences.
func (c *Comparison) failures() []string {
	var list []string
	for _, v := range c.Budgets {
		if v.Over && !v.Growth {
			list = append(list, fmt.Sprintf("%s: %s has %s, %s over the limit of %s", v.Budget, called(v.Group, v.Artefact),
				quantity(v.Used, v.Measure), quantity(v.Used-v.Limit, v.Measure), quantity(v.Limit, v.Measure)))
		}
	}
	limits := map[string][]string{}
	var gone []string
	for _, u := range c.Unchecked {
		if name := called(u.Group, u.Artefact); u.Gone {
			if limits[name] == nil {
				gone = append(gone, name)
			}
			limits[name] = append(limits[name], "“"+u.Budget+"”")
		}
	}
	for _, name := range gone {
		list = append(list, fmt.Sprintf("%s is gone, but not its limits: %s", name, strings.Join(limits[name], ", ")))
	}
	for _, r := range c.Rebuilt {
		if r.Side == "head" && !r.Same {
			list = append(list, fmt.Sprintf("%s.wasm is not what its sources give: run make wasm and commit wasm/dist", r.Name))
		}
	}
	return list
}

// validate is for a file that compare wrote, or that should be one: what render
// makes text of is what it may be.
func (c *Comparison) validate() error {
	if c.Format != 1 || len(c.Sizes) == 0 || !commitPattern.MatchString(c.Base) || !commitPattern.MatchString(c.Head) {
		return errors.New("not a comparison of two commits' sizes")
	}
	for _, list := range []map[string]string{c.Tools, c.Compilers[0], c.Compilers[1]} {
		if err := validTools(list, wordPattern); err != nil {
			return err
		}
	}
	for _, f := range c.Anatomy {
		if f.Measure != "bytes" && !slices.Contains([]string{partFunctions, partStart, partMost}, f.Part) {
			return fmt.Errorf("anatomy: the part %q", f.Part)
		}
	}
	for i, list := range [][]Figure{c.Sizes, c.Anatomy, c.Packages, c.Code} {
		seen := map[[5]string]bool{}
		for _, f := range list {
			key := [5]string{f.Group, f.Name, f.Part, f.Detail, f.Measure}
			err := f.validate()
			if i > 0 && f.Group == groupPackage {
				err = errors.New("a file of the package has no parts")
			}
			if seen[key] {
				err = errors.New("it is there twice")
			}
			if err != nil {
				return fmt.Errorf("%s: %q: %w", [...]string{"sizes", "anatomy", "packages", "functions"}[i], key, err)
			}
			seen[key] = true
		}
	}
	if !slices.ContainsFunc(c.Sizes, func(f Figure) bool { return f.Group == groupModule }) {
		return errors.New("no modules")
	}
	for _, s := range c.Surface {
		if validName(s.Group, s.Name) != nil || s.Kind != "import" && s.Kind != "export" || s.Change != "added" && s.Change != "removed" ||
			!namePattern.MatchString(s.Entry) {
			return fmt.Errorf("surface: %+v", s)
		}
	}
	for _, side := range c.Unnamed {
		if !slices.Contains(sideNames[:], side) {
			return fmt.Errorf("%q is not a side", side)
		}
	}
	for _, v := range c.Budgets {
		_, known := measures[v.Measure]
		if !known || !textPattern.MatchString(v.Budget) || validName(v.Group, v.Artefact) != nil || v.Used > most || v.Used < -most ||
			v.Limit < 0 || v.Limit > most || v.Over != (v.Used > v.Limit) {
			return fmt.Errorf("budgets: %+v", v)
		}
	}
	for _, u := range c.Unchecked {
		if !textPattern.MatchString(u.Budget) || validName(u.Group, u.Artefact) != nil {
			return fmt.Errorf("unchecked: %+v", u)
		}
	}
	for _, r := range c.Rebuilt {
		if validName(groupModule, r.Name) != nil || !slices.Contains(sideNames[:], r.Side) {
			return fmt.Errorf("rebuilt: %+v", r)
		}
	}
	for _, f := range c.Start {
		if validName(groupModule, f.Name) != nil || f.What != "compile" && f.What != "instantiate" || f.Base == nil && f.Head == nil {
			return fmt.Errorf("start: %q %q", f.Name, f.What)
		}
		for _, times := range []*[3]int64{f.Base, f.Head} {
			if times != nil && validTimes(times[:]) != nil {
				return fmt.Errorf("start: %q %q: times that can't be", f.Name, f.What)
			}
		}
	}
	return nil
}

func (f *Figure) validate() error {
	if err := validName(f.Group, f.Name); err != nil {
		return err
	}
	for _, s := range []string{f.Part, f.Detail} {
		if s != "" && !namePattern.MatchString(s) {
			return fmt.Errorf("the name %q", s)
		}
	}
	if !slices.Contains([]string{"raw", "gzip", "brotli", "bytes", "count", "pages"}, f.Measure) {
		return fmt.Errorf("the measure %q", f.Measure)
	}
	if f.Base == nil && f.Head == nil {
		return errors.New("neither side has it")
	}
	for _, v := range []*int64{f.Base, f.Head} {
		if v != nil && (*v < 0 || *v > most) {
			return fmt.Errorf("%d", *v)
		}
	}
	if f.Diff != figure(Figure{}, f.Base, f.Head).Diff {
		return fmt.Errorf("the difference is not %d", f.Diff)
	}
	return nil
}
