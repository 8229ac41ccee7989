package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rowjet/rowjet/internal/wasmfile"
)

var update = flag.Bool("update", false, "write the golden files anew")

const (
	commitA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	commitB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	commitC = "cccccccccccccccccccccccccccccccccccccccc"
)

// module makes an artefact whose code section is code bytes long.
func module(group, name string, code, gzip int64, functions ...Code) Artefact {
	a := Artefact{Group: group, Name: name, Raw: wasmfile.HeadBytes + 12 + code, Gzip: gzip, SHA256: strings.Repeat("1", 64),
		Anatomy: &Anatomy{Sections: []Section{{"type", 12}, {"code", code}}, Functions: int64(10 + len(functions)), Pages: 3,
			Imports: []string{}, Exports: []string{"memory memory", "rowjet_abi () -> (i32)"}}}
	if group == groupModule {
		a.Brotli = gzip - gzip/8
		a.Committed = a.SHA256
		a.Code = functions
		a.Start = &Start{Compile: []int64{900_000, 1_000_000, 2_500_000}, Instantiate: []int64{100_000, 120_000, 500_000}}
	}
	return a
}

func measurement(commit string, artefacts ...Artefact) *Measurement {
	return &Measurement{Format: 1, Commit: commit, Artefacts: artefacts,
		Tools:     map[string]string{"gzip": "1.12", "node": "20.20.2", "brotli": "1.1.0", "machine": "linux amd64"},
		Compilers: map[string]string{"tinygo": "0.41.1", "go": "1.26.8"}}
}

const engine = "github.com/rowjet/rowjet/wasm/internal/engine"

func baseMeasurement() *Measurement {
	return measurement(commitA,
		module(groupModule, "sqlite", 60_000, 29_000, Code{engine, "(*Engine).cell", 9_000}),
		module(groupModule, "postgres", 81_000, 39_900, Code{engine, "(*Engine).cell", 10_000},
			Code{engine, "old", 700}, Code{"runtime", "alloc", 200}),
		module(groupModule, "oracle", 1_000, 500, Code{"runtime", "alloc", 200}),
		module(groupStandard, "postgres", 2_000_000, 600_000),
		Artefact{Group: groupPackage, Name: tarball, Raw: 30_300, Gzip: 10_000},
		Artefact{Group: groupPackage, Name: "dist/engine.js", Raw: 30_000},
		Artefact{Group: groupPackage, Name: "dist/old.js", Raw: 300})
}

func headMeasurement() *Measurement {
	postgres := module(groupModule, "postgres", 81_900, 40_700, Code{engine, "(*Engine).cell", 10_050},
		Code{"strconv", "FormatFloat", 1_200}, Code{"runtime", "alloc", 200}, Code{engine, "old", 650})
	postgres.Anatomy.Imports = []string{"wasi_snapshot_preview1.fd_write (i32, i32, i32, i32) -> (i32)"}
	postgres.Anatomy.Exports = []string{"memory memory", "rowjet_abi () -> (i64)"}
	postgres.Anatomy.Pages = 4
	postgres.Committed = strings.Repeat("2", 64)
	m := measurement(commitB+"+",
		postgres,
		module(groupModule, "mysql", 60_000, 29_000, Code{engine, "(*Engine).cell", 9_000}),
		module(groupModule, "sqlite", 60_000, 29_000, Code{engine, "(*Engine).cell", 9_000}),
		module(groupStandard, "postgres", 1_990_000, 599_000),
		Artefact{Group: groupPackage, Name: tarball, Raw: 35_200, Gzip: 11_000},
		Artefact{Group: groupPackage, Name: "dist/engine.js", Raw: 30_100},
		Artefact{Group: groupPackage, Name: "dist/new.js", Raw: 5_100})
	m.Compilers["tinygo"] = "0.42.0"
	return m
}

const limitsText = `{"budgets": [
		{"name": "Worker", "group": "module", "artefacts": ["postgres", "sqlite"], "measure": "gzip", "limit": 40000, "reason": "r"},
		{"name": "Imports", "group": "module", "artefacts": ["postgres"], "measure": "imports", "limit": 0, "reason": "r"},
		{"name": "Memory", "group": "module", "artefacts": ["postgres"], "measure": "pages", "limit": 4, "reason": "r"},
		{"name": "One change", "group": "module", "artefacts": ["postgres", "sqlite"], "measure": "raw", "growth": 512, "reason": "r"},
		{"name": "npm", "group": "package", "artefacts": ["(tarball)"], "measure": "gzip", "limit": 50000, "reason": "r"},
	{"name": "one file", "group": "package", "artefacts": ["dist/engine.js"], "measure": "raw", "limit": 30200, "reason": "r"}],
		"exact": {"instructions": 2, "memory pages": 0, "allocations": 0, "allocated bytes": 5}}`

func limits(t *testing.T) *Budgets { return parseLimits(t) }

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: go test ./size-report -update writes what there is now; got\n%s", file, got)
	}
}

func mustCompare(t *testing.T, base, head *Measurement) *Comparison {
	t.Helper()
	for _, m := range []*Measurement{base, head} {
		if err := m.validate(); err != nil {
			t.Fatal(err)
		}
	}
	c, err := compare(base, head, limits(t))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRenderChange(t *testing.T) {
	c := mustCompare(t, baseMeasurement(), headMeasurement())
	p, err := compareRace(raceOf(), limits(t).Exact)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "change.md", render(c, p))
	want := []string{
		"Worker: Postgres has 40,700 B (39.7 KiB), 700 B over the limit of 40,000 B (39.1 KiB)",
		"Imports: Postgres has 1, 1 over the limit of 0",
		"postgres.wasm is not what its sources give: run make wasm and commit wasm/dist",
	}
	if got := c.failures(); !reflect.DeepEqual(got, want) {
		t.Errorf("failures are %q; want %q", got, want)
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "change.json", string(text)+"\n")
}

func TestRenderSame(t *testing.T) {
	m := measurement(commitA, module(groupModule, "postgres", 81_000, 39_900, Code{engine, "(*Engine).cell", 10_000}),
		module(groupModule, "sqlite", 60_000, 29_000, Code{engine, "(*Engine).cell", 9_000}))
	c := mustCompare(t, m, m)
	golden(t, "same.md", render(c, nil))
	if got := c.failures(); len(got) > 0 {
		t.Errorf("failures are %q", got)
	}
}

func TestRenderWithoutNames(t *testing.T) {
	base := baseMeasurement()
	base.Artefacts[0].Code = nil
	text := render(mustCompare(t, base, headMeasurement()), nil)
	if want := "Which Go code grew is not known: the build of base has no names of functions."; !strings.Contains(text, want) {
		t.Errorf("%q is not in\n%s", want, text)
	}
}

// What is compared with itself must show no difference at all; with the shipped
// modules, measured as they are for a report.
func TestBaseAgainstBase(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"base.json", "head.json"} {
		err := run([]string{"measure", "-modules", "../wasm/dist", "-committed", "../wasm/dist", "-commit", commitA,
			"-compiler", "tinygo=0.41.1", "-out", filepath.Join(dir, name)}, nil, os.Stderr)
		if err != nil {
			t.Fatal(err)
		}
	}
	err := run([]string{"start", "-base", filepath.Join(dir, "base.json"), "-base-modules", "../wasm/dist",
		"-head", filepath.Join(dir, "head.json"), "-head-modules", "../wasm/dist", "-rounds", "2"}, nil, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	comparison := filepath.Join(dir, "comparison.json")
	err = run([]string{"compare", "-base", filepath.Join(dir, "base.json"), "-head", filepath.Join(dir, "head.json"),
		"-budgets", "budgets.json", "-gate", "-out", comparison}, nil, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	c := new(Comparison)
	if err := readJSON(comparison, c); err != nil {
		t.Fatal(err)
	}
	if len(c.Sizes) != 9 || len(c.Surface) != 0 || len(c.Rebuilt) != 6 || len(c.Start) != 6 {
		t.Errorf("%d sizes, %d differences of the surface, %d hashes, %d starts", len(c.Sizes), len(c.Surface), len(c.Rebuilt), len(c.Start))
	}
	for _, f := range append(c.Sizes, c.Anatomy...) {
		if f.Diff != 0 || f.Base == nil || f.Head == nil {
			t.Errorf("%s %s %s: %d", f.Name, f.Part, f.Measure, f.Diff)
		}
	}
	for _, r := range c.Rebuilt {
		if !r.Same {
			t.Errorf("%s of %s is another one", r.Name, r.Side)
		}
	}
	var text bytes.Buffer
	if err := run([]string{"render", "-in", comparison}, &text, os.Stderr); err != nil {
		t.Fatal(err)
	}
	want := Marker + "\n**Size:** Postgres, Mysql, Sqlite unchanged after gzip; within all 18 limits\n"
	if !strings.HasPrefix(text.String(), want) {
		t.Errorf("the comment begins with %.200q; want %q", text.String(), want)
	}
}

func TestMeasureFails(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		file := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(file), 0o755)
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return filepath.Dir(file)
	}
	good := write("good/a.wasm", small)
	for name, in := range map[string]Inputs{
		"no folder":               {Commit: commitA, Modules: filepath.Join(dir, "none")},
		"no modules":              {Commit: commitA, Modules: write("text/a.txt", "a")},
		"only names":              {Commit: commitA, Modules: write("names/a.named.wasm", named)},
		"an empty module":         {Commit: commitA, Modules: write("empty/a.wasm", "")},
		"a cut module":            {Commit: commitA, Modules: write("cut/a.wasm", small[:len(small)-1])},
		"a page":                  {Commit: commitA, Modules: write("page/a.wasm", "<html>")},
		"no code":                 {Commit: commitA, Modules: write("bare/a.wasm", magic)},
		"names of other code":     {Commit: commitA, Modules: write("twin/a.named.wasm", magic) + write("twin/a.wasm", small)[:0]},
		"nothing committed":       {Commit: commitA, Modules: good, Committed: filepath.Join(dir, "none")},
		"no standard builds":      {Commit: commitA, Modules: good, Standard: good},
		"an empty standard build": {Commit: commitA, Modules: good, Standard: write("std/a-wasip1.wasm", "")},
		"no package":              {Commit: commitA, Modules: good, Package: filepath.Join(dir, "none.json")},
		"an empty package":        {Commit: commitA, Modules: good, Package: filepath.Join(write("pack/p.json", "[]"), "p.json")},
		"a package of no files":   {Commit: commitA, Modules: good, Package: filepath.Join(write("few/p.json", `[{"size":1,"unpackedSize":1}]`), "p.json")},
		"no commit":               {Modules: good},
		"a branch":                {Commit: "main", Modules: good},
	} {
		if m, err := measure(in); err == nil {
			t.Errorf("%s: got %+v, want an error", name, m)
		}
	}
	if _, err := measure(Inputs{Commit: commitA, Modules: good}); err != nil {
		t.Errorf("a good module: %v", err)
	}
}

func TestStartFails(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "a.wasm"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(small)
	m, err := measure(Inputs{Commit: commitA, Modules: dir})
	if err != nil {
		t.Fatal(err)
	}
	both := [2]*Measurement{m, m}
	for name, err := range map[string]error{
		"no rounds":             start(both, [2]string{dir, dir}, 0),
		"too many rounds":       start(both, [2]string{dir, dir}, 1001),
		"no folder":             start(both, [2]string{dir, filepath.Join(dir, "none")}, 1),
		"one that wants a host": start(both, [2]string{dir, dir}, 1),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	write(named)
	if err := start(both, [2]string{dir, dir}, 1); err == nil || !strings.Contains(err.Error(), "is not what was measured") {
		t.Errorf("another module: %v", err)
	}
}

// What a job of a pull request may have written: each is a good measurement with
// one thing changed.
func TestHostileJSON(t *testing.T) {
	text, err := json.Marshal(baseMeasurement())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "m.json")
	read := func(text string) error {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return readJSON(file, new(Measurement))
	}
	if err := read(string(text)); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"format":1`, `"format":2`},
		{`"format":1`, `"format":1,"extra":1`},
		{commitA, "main"},
		{commitA, commitA + " @everyone"},
		{`"gzip":"1.12"`, `"gzip":""`},
		{`"gzip":"1.12"`, `"gzip":"1.12 [x](http://x)"`},
		{`"gzip":39900`, `"gzip":0`},
		{`"gzip":39900`, `"gzip":-1`},
		{`"gzip":39900`, `"gzip":"39900"`},
		{`"gzip":39900`, `"gzip":39900.5`},
		{`"gzip":39900`, `"gzip":null`},
		{`"gzip":39900`, `"gzip":1e400`},
		{`"raw":81020`, `"raw":81021`},
		{`"name":"oracle"`, `"name":"postgres"`},
		{`"name":"oracle"`, `"name":""`},
		{`"name":"oracle"`, `"name":"a|b"`},
		{`"name":"oracle"`, "\"name\":\"`@all`\""},
		{`"name":"oracle"`, `"name":"a\nb"`},
		{`"name":"oracle"`, `"name":"[x](https://x.example)"`},
		{`"name":"oracle"`, `"name":"<img src=x>"`},
		{`"name":"oracle"`, `"name":"@all"`},
		{`"gzip":"1.12"`, "\"gzip\":\"`1.12`\""},
		{`"name":"oracle"`, `"name":"gh-1"`},
		{`"brotli":34913`, `"brotli":0`},
		{`"brotli":34913`, `"brotli":81167`},
		{`"gzip":39900`, `"gzip":81167`},
		{`"gzip":10000`, `"gzip":36545`},
		{`"raw":300}`, `"raw":301}`},
		{`"pages":3,"maxPages":0`, `"pages":3,"maxPages":2`},
		{`"pages":3`, `"pages":65537`},
		{`"memory memory","rowjet_abi`, `"rowjet_abi () -\u003e (i32)","rowjet_abi`},
		{`"function":"old"`, `"function":"(*Engine).cell"`},
		{`"compile":[900000,`, `"compile":[-900000,`},
		{`"compile":[900000,`, `"compile":[1100000,`},
		{`2500000]`, `2e12]`},
		{`2500000]`, `NaN]`},
		{`,"instantiate":[100000,120000,500000]`, `,"instantiate":[]`},
		{`,"instantiate":[100000,120000,500000]`, `,"instantiate":null`},
		{`"bytes":10000`, `"bytes":4611686018427387904`},
		{`"group":"standard"`, `"group":"other"`},
		{`rowjet_abi () -\u003e (i32)`, "`**now**`"},
		{`(*Engine).cell`, `<img src=x>` + "`"},
		{`"bytes":10000`, `"bytes":0`},
		{`"bytes":10000`, `"bytes":1000000`},
		{`"compile":[900000,`, `"compile":[0,`},
		{`"compile":[900000,1000000,2500000]`, `"compile":[]`},
		{`"functions":13`, `"functions":0`},
		{`dist/old.js`, `dist/engine.js`},
		{strings.Repeat("1", 64), "1"},
	} {
		hostile := strings.Replace(string(text), change[0], change[1], 1)
		if hostile == string(text) {
			t.Fatalf("%q is not in %s", change[0], text)
		}
		if err := read(hostile); err == nil {
			t.Errorf("%q for %q is accepted", change[1], change[0])
		}
	}
	for _, bad := range []string{"", "null", "[]", "{}", string(text) + "{}", string(text[:len(text)-1]), strings.Repeat(" ", 8_000_001)} {
		if err := read(bad); err == nil {
			t.Errorf("%.20q… is accepted", bad)
		}
	}
}

func TestCompareFails(t *testing.T) {
	base, head := baseMeasurement(), headMeasurement()
	base.Tools["gzip"] = "1.13"
	if c, err := compare(base, head, limits(t)); err == nil {
		t.Errorf("two versions of gzip: got %+v, want an error", c)
	}
	for _, b := range []Budget{
		{Name: "nothing", Group: groupModule, Artefacts: []string{"oracles"}, Measure: "raw", Limit: new(int64), Reason: "r"},
		{Name: "no such file", Group: groupPackage, Artefacts: []string{"dist/none.js"}, Measure: "raw", Limit: new(int64), Reason: "r"},
		{Name: "no module", Group: groupPackage, Artefacts: []string{tarball}, Measure: "pages", Limit: new(int64), Reason: "r"},
	} {
		if c, err := compare(baseMeasurement(), headMeasurement(), &Budgets{Budgets: []Budget{b}}); err == nil {
			t.Errorf("a budget for %s: got %+v, want an error", b.Name, c)
		}
	}
}

// What only one side has is said, whatever it is.
func TestOneSided(t *testing.T) {
	drop := func(m *Measurement, gone func(a Artefact) bool) *Measurement {
		m.Artefacts = slices.DeleteFunc(m.Artefacts, gone)
		return m
	}
	group := func(name string) func(a Artefact) bool { return func(a Artefact) bool { return a.Group == name } }
	without := func(name string) func(m *Measurement) *Measurement {
		return func(m *Measurement) *Measurement { return drop(m, group(name)) }
	}
	same := func(m *Measurement) *Measurement { return m }
	sqlite := func(m *Measurement) *Measurement {
		return drop(m, func(a Artefact) bool { return a.Group == groupModule && a.Name == "sqlite" })
	}
	code := func(m *Measurement) *Measurement {
		a := m.find(groupModule, "postgres")
		a.Code = slices.DeleteFunc(a.Code, func(c Code) bool { return c.Package == "runtime" })
		return m
	}
	compilers := func(m *Measurement) *Measurement {
		m.Compilers = map[string]string{"tinygo": "0.41.1"}
		return m
	}
	unverified := func(m *Measurement) *Measurement {
		m.find(groupModule, "sqlite").Committed = ""
		return m
	}
	for name, c := range map[string]struct {
		base, head func(m *Measurement) *Measurement
		want       []string
	}{
		"the package, in head": {same, without(groupPackage), []string{
			"- :x: npm package is gone, but not its limits: “npm”\n- :x: `dist/engine.js` is gone, but not its limits: “one file”\n",
			"- :warning: The npm package: gone, only the base has any\n",
			"; **breaks 2 of 6 limits**\n"}},
		"the package, in base":                  {without(groupPackage), same, []string{"- :warning: The npm package: new, the base has none\n"}},
		"the package, in both":                  {without(groupPackage), without(groupPackage), []string{"- :warning: npm: not checked, as neither side was measured for it\n"}},
		"the standard compiler's build":         {same, without(groupStandard), []string{"- :warning: The standard compiler's builds: gone, only the base has any\n"}},
		"the standard compiler's build in base": {without(groupStandard), same, []string{"- :warning: The standard compiler's builds: new, the base has none\n"}},
		"a module": {same, sqlite, []string{
			"Sqlite removed", "- :x: Sqlite is gone, but not its limits: “Worker”, “One change”\n", "- :warning: Sqlite (module) is removed\n", "| Sqlite (gzip) | – | 29,000 B (28.3 KiB) | removed |\n"}},
		"a module, in base":   {sqlite, same, []string{"Sqlite new", "- :warning: Sqlite (module) is new\n"}},
		"code of a package":   {same, code, []string{"- :warning: Postgres no longer has code of the package `runtime`, which was 200 B\n"}},
		"code, in base":       {code, same, []string{"- :warning: Postgres now has code of the package `runtime`, 200 B\n"}},
		"a compiler":          {same, compilers, []string{"- :warning: The compiler changed: no `go`, base `go 1.26.8`. The difference is that of both.\n"}},
		"a compiler, in base": {compilers, same, []string{"- :warning: The compiler changed: `go 1.26.8`, base no `go`. The difference is that of both.\n"}},
		"a committed module":  {same, unverified, []string{"- :warning: Nobody checked whether sqlite.wasm is what its sources give\n"}},
	} {
		text := render(mustCompare(t, c.base(baseMeasurement()), c.head(baseMeasurement())), nil)
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in\n%s", name, want, text)
			}
		}
	}
}

func TestBudgetsConfiguration(t *testing.T) {
	good := new(Budgets)
	if err := readJSON("budgets.json", good); err != nil {
		t.Error(err)
	}
	limit := int64(1)
	for name, b := range map[string]Budget{
		"no limit":      {Name: "a", Group: groupModule, Artefacts: []string{"a"}, Measure: "raw", Reason: "r"},
		"two limits":    {Name: "a", Group: groupModule, Artefacts: []string{"a"}, Measure: "raw", Reason: "r", Limit: &limit, Growth: &limit},
		"no artefacts":  {Name: "a", Group: groupModule, Measure: "raw", Reason: "r", Limit: &limit},
		"no reason":     {Name: "a", Group: groupModule, Artefacts: []string{"a"}, Measure: "raw", Limit: &limit},
		"other group":   {Name: "a", Group: "modul", Artefacts: []string{"a"}, Measure: "raw", Reason: "r", Limit: &limit},
		"other measure": {Name: "a", Group: groupModule, Artefacts: []string{"a"}, Measure: "zip", Reason: "r", Limit: &limit},
	} {
		if err := (&Budgets{Budgets: []Budget{b}}).validate(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	below := int64(-1)
	one := Budget{Name: "a", Group: groupModule, Artefacts: []string{"a"}, Measure: "raw", Reason: "r", Limit: &limit}
	for name, b := range map[string]Budgets{
		"below nothing":   {Budgets: []Budget{{Name: "a", Group: groupModule, Artefacts: []string{"a"}, Measure: "raw", Reason: "r", Limit: &below}}},
		"a name":          {Budgets: []Budget{{Name: "a|b", Group: groupModule, Artefacts: []string{"a"}, Measure: "raw", Reason: "r", Limit: &limit}}},
		"a share below 0": {Budgets: []Budget{one}, Exact: map[string]float64{"instructions": -1}},
		"a figure":        {Budgets: []Budget{one}, Exact: map[string]float64{"`": 1}},
	} {
		if err := b.validate(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := (&Budgets{}).validate(); err == nil {
		t.Error("no budgets: accepted")
	}
}

func TestUnits(t *testing.T) {
	for v, want := range map[int64]string{0: "0 B", 1: "1 B", 1023: "1,023 B", 1024: "1,024 B (1.0 KiB)", 40_000: "40,000 B (39.1 KiB)",
		1 << 20: "1,048,576 B (1.00 MiB)", -1500: "-1,500 B"} {
		if got := bytesOf(v); got != want {
			t.Errorf("%d: got %q, want %q", v, got, want)
		}
	}
	two, hundred, million := int64(2), int64(100), int64(1_000_000)
	for _, c := range []struct {
		base, head *int64
		measure    string
		want       string
	}{
		{&hundred, &hundred, "raw", "0"},
		{&hundred, &two, "raw", "−98 B (−98.00 %)"},
		{&two, &hundred, "raw", "+98 B (+4900.00 %)"},
		{&million, &hundred, "gzip", "−999,900 B (976.5 KiB, −99.99 %)"},
		{nil, &hundred, "raw", "new"},
		{&hundred, nil, "raw", "removed"},
		{&two, &hundred, "count", "+98 (+4900.00 %)"},
		{&two, &hundred, "pages", "+98 pages (+4900.00 %)"},
		{&two, new(int64), "pages", "−2 pages (−100.00 %)"},
		{new(int64), &two, "raw", "+2 B"},
	} {
		if got := diff(figure(Figure{Measure: c.measure}, c.base, c.head)); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	if got := percent(-1, 1_000_000); got != "−<0.01 %" {
		t.Errorf("a little less is %q", got)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"other"}, {"measure", "x"}, {"start"}, {"compare"}, {"render"}, {"render", "-in", "none"}, {"base"}, {"post"}, {"base", "-repo", "a/b", "-number", "x"}, {"measure", "-compiler", "x"}} {
		var stdout bytes.Buffer
		if err := run(args, &stdout, io.Discard); err == nil {
			t.Errorf("%q: got %q, want an error", args, stdout.String())
		}
	}
}
