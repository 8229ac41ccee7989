package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What a job leaves is read as JSON that anybody may have written. Whatever it
// is, the answer is a comment in which nothing is of the writer's making but
// names in backquotes, or an error; never a crash.

// formats are the files that are read, by the name that says which one it is.
// Each gives the comment.
var formats = map[string]func(text []byte, b *Budgets) (string, error){
	"measurement": func(text []byte, b *Budgets) (string, error) {
		m := new(Measurement)
		if err := decode(text, m); err != nil {
			return "", err
		}
		all := ""
		for _, sides := range [][2]*Measurement{{m, m}, {baseMeasurement(), m}, {m, baseMeasurement()}} {
			c, err := compare(sides[0], sides[1], b)
			if err != nil {
				return "", err
			}
			if err := c.validate(); err != nil {
				panic(fmt.Sprintf("compare writes what render does not take: %v", err))
			}
			c.failures()
			all = render(c, nil)
		}
		return all, nil
	},
	"comparison": func(text []byte, b *Budgets) (string, error) {
		c := new(Comparison)
		if err := decode(text, c); err != nil {
			return "", err
		}
		return render(c, nil), nil
	},
	"race": func(text []byte, b *Budgets) (string, error) {
		r := new(Race)
		if err := decode(text, r); err != nil {
			return "", err
		}
		c, err := compareRace(r, b.Exact)
		if err != nil {
			return "", err
		}
		if err := c.validate(); err != nil {
			panic(fmt.Sprintf("compare writes what render does not take: %v", err))
		}
		return render(nil, c), nil
	},
	"speed": func(text []byte, b *Budgets) (string, error) {
		c := new(PerfComparison)
		if err := decode(text, c); err != nil {
			return "", err
		}
		return render(nil, c), nil
	},
}

// good is a valid file of each format.
func good(t testing.TB, b *Budgets) map[string][]byte {
	t.Helper()
	sizes, err := compare(baseMeasurement(), headMeasurement(), b)
	if err != nil {
		t.Fatal(err)
	}
	speed, err := compareRace(raceOf(), b.Exact)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for name, v := range map[string]any{"measurement": headMeasurement(), "comparison": sizes, "race": raceOf(), "speed": speed} {
		if files[name], err = json.Marshal(v); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func parseLimits(t testing.TB) *Budgets {
	t.Helper()
	b := new(Budgets)
	if err := decode([]byte(limitsText), b); err != nil {
		t.Fatal(err)
	}
	return b
}

// replacements are put in the place of every value of a valid file.
var replacements = []string{`null`, `{}`, `[]`, `""`, `"` + "`" + `"`, `"</details>"`, `"a|b"`, `"@all"`, `0`, `-1`, `1.5`, `1e308`,
	`9223372036854775807`, `1099511627776`, `true`, `[null]`}

// mutations returns valid files with one thing changed: a value replaced, a
// member or an element left out, or an element there twice.
func mutations(text []byte) []string {
	var root any
	if err := json.Unmarshal(text, &root); err != nil {
		panic(err)
	}
	var out []string
	keep := func() {
		text, err := json.Marshal(root)
		if err != nil {
			panic(err)
		}
		out = append(out, string(text))
	}
	var visit func(v any, set func(any))
	visit = func(v any, set func(any)) {
		for _, r := range replacements {
			set(json.RawMessage(r))
			keep()
		}
		set(v)
		switch v := v.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				value := v[key]
				delete(v, key)
				keep()
				v[key] = value
				visit(value, func(x any) { v[key] = x })
			}
		case []any:
			for i, value := range v {
				if i >= 2 && i < len(v)-2 {
					continue // like those before and behind
				}
				set(slices.Delete(slices.Clone(v), i, i+1))
				keep()
				set(slices.Insert(slices.Clone(v), i, value))
				keep()
				set(v)
				visit(value, func(x any) { v[i] = x })
			}
		}
	}
	visit(root, func(x any) { root = x })
	return out
}

var (
	spans = regexp.MustCompile("`[^`]*`")
	tags  = regexp.MustCompile(`^(<!-- rowjet-report -->|<details><summary>[^<>]*</summary>|</details>|<sub>[^<>]*</sub>)$`)
)

// wellFormed returns what is wrong with a comment: a fence or a fold that stays
// open, a table without its head, or text that is more than text.
func wellFormed(text string) error {
	if len(text) > maxComment || !strings.HasPrefix(text, Marker+"\n") {
		return fmt.Errorf("%d bytes, beginning with %.40q", len(text), text)
	}
	fenced, folds := false, 0
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		if fenced {
			if strings.Contains(line, "`") {
				return fmt.Errorf("line %d: %q in a fence", i+1, line)
			}
			continue
		}
		plain := spans.ReplaceAllString(line, "")
		switch {
		case strings.ContainsAny(plain, "`@[]\\") || strings.Contains(plain, "://") || strings.Contains(plain, "www."),
			strings.ContainsAny(strings.ReplaceAll(plain, "<0.01 %", ""), "<>") && !tags.MatchString(plain):
			return fmt.Errorf("line %d: %q", i+1, line)
		case strings.HasPrefix(line, "<details>"):
			// HTML up to the next blank line: backquotes are no code there.
			if strings.Contains(line, "`") || lines[i+1] != "" {
				return fmt.Errorf("line %d: a name in HTML: %q", i+1, line)
			}
			folds++
		case strings.HasPrefix(line, "</details>"):
			folds--
		case strings.HasPrefix(line, "| ") && !strings.HasPrefix(lines[i-1], "|") && !strings.HasPrefix(lines[i+1], "|---|"):
			return fmt.Errorf("line %d: a table without its head: %q", i+1, line)
		}
		if folds < 0 {
			return fmt.Errorf("line %d ends a fold that is not there", i+1)
		}
	}
	if fenced || folds != 0 {
		return fmt.Errorf("open at the end: fence %v, %d folds", fenced, folds)
	}
	return nil
}

func TestMutations(t *testing.T) {
	b := parseLimits(t)
	for format, text := range good(t, b) {
		comment, err := formats[format](text, b)
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		if err := wellFormed(comment); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		accepted, all := 0, mutations(text)
		for _, mutated := range all {
			comment, err := formats[format]([]byte(mutated), b)
			if err != nil {
				continue
			}
			accepted++
			if err := wellFormed(comment); err != nil {
				t.Fatalf("%s: %v: %s", format, err, mutated)
			}
		}
		// Most changes make a file invalid; a share that grows is one to look at.
		if len(all) < 1000 || accepted > len(all)/5 {
			t.Errorf("%s: %d of %d changed files are accepted", format, accepted, len(all))
		}
	}
}

func FuzzRead(f *testing.F) {
	b := parseLimits(f)
	for format, text := range good(f, b) {
		f.Add(format, text)
		all := mutations(text)
		for i := 0; i < len(all); i += len(all)/40 + 1 {
			f.Add(format, []byte(all[i]))
		}
	}
	f.Fuzz(func(t *testing.T, format string, text []byte) {
		read := formats[format]
		if read == nil {
			return
		}
		comment, err := read(text, b)
		if err != nil {
			return
		}
		if err := wellFormed(comment); err != nil {
			t.Errorf("%v\n%s", err, comment)
		}
	})
}

// The command says what is wrong with a file, and writes nothing.
func TestBrokenFiles(t *testing.T) {
	b := parseLimits(t)
	files := good(t, b)
	dir := t.TempDir()
	budgets := filepath.Join(dir, "budgets.json")
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("budgets.json", limitsText)
	out := filepath.Join(dir, "out")
	for name, c := range map[string]struct {
		format, text, want string
	}{
		"nothing":                 {"comparison", "", "EOF"},
		"null":                    {"comparison", "null", "not a comparison of two commits' sizes"},
		"another format":          {"comparison", string(files["speed"]), `unknown field "results"`},
		"a size that is gone":     {"comparison", strings.Replace(string(files["comparison"]), `"base":81020,"head":81920`, `"base":null,"head":null`, 1), "neither side has it"},
		"another difference":      {"comparison", strings.Replace(string(files["comparison"]), `"diff":900`, `"diff":901`, 1), "the difference is not 901"},
		"no name":                 {"comparison", strings.Replace(string(files["comparison"]), `"name":"oracle"`, `"name":""`, 1), `"" is not a name of a module`},
		"no commit":               {"comparison", strings.Replace(string(files["comparison"]), commitA, "abc", 1), "not a comparison of two commits' sizes"},
		"a change of no kind":     {"comparison", strings.Replace(string(files["comparison"]), `"change":"added"`, `"change":"moved"`, 1), "surface: "},
		"a limit of no kind":      {"comparison", strings.Replace(string(files["comparison"]), `"measure":"imports"`, `"measure":"zip"`, 1), "budgets: "},
		"times backwards":         {"comparison", strings.Replace(string(files["comparison"]), `"base":[900000,`, `"base":[1900000,`, 1), "times that can't be"},
		"a ratio of nothing":      {"speed", strings.Replace(string(files["speed"]), `"ratio":0.9`, `"ratio":0`, 1), "has a ratio of 0"},
		"a ratio below nothing":   {"speed", strings.Replace(string(files["speed"]), `"ratio":0.9`, `"ratio":-1`, 1), "has a ratio of -1"},
		"a ratio that is none":    {"speed", strings.Replace(string(files["speed"]), `"ratio":0.9`, `"ratio":NaN`, 1), "invalid character 'N'"},
		"no results":              {"speed", `{"format":1}`, "not a comparison of two commits' times"},
		"a verdict of no kind":    {"speed", strings.Replace(string(files["speed"]), `"verdict":"faster"`, `"verdict":"best"`, 1), `are "best"`},
		"a benchmark twice":       {"speed", strings.Replace(string(files["speed"]), `"name":"postgres wide 10"`, `"name":"mysql int"`, 1), `"mysql int" is not the name of a benchmark, or there twice`},
		"a figure below nothing":  {"speed", strings.Replace(string(files["speed"]), `"base":1000000,"head":900000`, `"base":1000000,"head":-1`, 1), "exact figures: "},
		"a race without times":    {"race", strings.Replace(string(files["race"]), `"base":[9800000,10000000,10500000]`, `"base":[]`, 1), "lacks rounds"},
		"a measurement of no one": {"measurement", `{"format":1}`, `"" is not the hash of a commit`},
	} {
		if c.text == string(files[c.format]) {
			t.Fatalf("%s: nothing is changed in\n%s", name, c.text)
		}
		file := write("file.json", c.text)
		args := map[string][]string{
			"comparison":  {"render", "-in", file},
			"speed":       {"render", "-speed", file},
			"race":        {"compare", "-race", file, "-budgets", budgets},
			"measurement": {"compare", "-base", file, "-head", file, "-budgets", budgets},
		}[c.format]
		err := run(append(args, "-out", out), nil, nil)
		if err == nil || !strings.HasPrefix(err.Error(), file+": ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s: … %s", name, err, file, c.want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: something was written", name)
		}
	}
	if err := run([]string{"render", "-in", dir}, nil, nil); err == nil || !strings.Contains(err.Error(), "not a file") {
		t.Errorf("a folder: got %v", err)
	}
}

// Wherever it is cut, the rest is closed.
func TestCapped(t *testing.T) {
	head := headMeasurement()
	postgres := head.find(groupModule, "postgres")
	// Names that look like what we write ourselves.
	postgres.Code = append(postgres.Code, Code{"<details>", "</details>", 40}, Code{"strconv", "<details><summary>", 30})
	for i := range 100 {
		postgres.Anatomy.Exports = append(postgres.Anatomy.Exports, fmt.Sprintf("</details> %d", i))
	}
	speed, err := compareRace(raceOf(), limits(t).Exact)
	if err != nil {
		t.Fatal(err)
	}
	whole := render(mustCompare(t, baseMeasurement(), head), speed)
	if err := wellFormed(whole); err != nil || strings.Contains(whole, ":scissors:") {
		t.Fatalf("%v\n%s", err, whole)
	}
	if got := capped(whole, len(whole)); got != whole {
		t.Error("a comment that is short enough is changed")
	}
	last := 0
	for limit := 400; limit < len(whole); limit += 3 {
		got := capped(whole, limit)
		if err := wellFormed(got); err != nil {
			t.Fatalf("%d bytes: %v\n%s", limit, err, got)
		}
		if len(got) > limit || len(got) < last || !strings.Contains(got, "\n\n:scissors: The report is longer") || strings.HasSuffix(got, "\n</details>\n") {
			t.Fatalf("%d bytes: %d, after %d, the end is %q", limit, len(got), last, got[len(got)-200:])
		}
		last = len(got) - 400 // by the longest line
	}
}

// The longest report that its JSON allows.
func TestLongest(t *testing.T) {
	head := headMeasurement()
	long := func(i int) string { return strings.Repeat("<", 195) + fmt.Sprintf("%05d", i) }
	for i := range 1000 {
		if i < 900 {
			a := module(groupModule, "postgres", 100_000, 40_000)
			a.Name = fmt.Sprintf("a%c%c", 'a'+i/26%26, 'a'+i%26) + fmt.Sprint("b", i)
			a.Code, a.Anatomy.Exports = []Code{{long(i), long(i), 10}}, []string{long(i)}
			if len(head.Artefacts) < 1000 {
				head.Artefacts = append(head.Artefacts, a)
			}
		}
		postgres := head.find(groupModule, "postgres")
		postgres.Anatomy.Imports = append(postgres.Anatomy.Imports, long(i))
	}
	postgres := head.find(groupModule, "postgres")
	postgres.Anatomy.Imports = postgres.Anatomy.Imports[:1000]
	r := raceOf()
	for i := range 195 {
		b := r.Benchmarks[0]
		b.Name = long(i)
		b.HeadExact = map[string]int64{"instructions": 2_000_000, "memory pages": 30}
		r.Benchmarks = append(r.Benchmarks, b)
		r.Removed = append(r.Removed, long(500+i))
	}
	if err := r.validate(); err != nil {
		t.Fatal(err)
	}
	speed, err := compareRace(r, limits(t).Exact)
	if err != nil {
		t.Fatal(err)
	}
	text := render(mustCompare(t, baseMeasurement(), head), speed)
	if err := wellFormed(text); err != nil {
		t.Error(err)
	}
	if first := strings.Split(text, "\n")[1]; len(first) > 1000 || !strings.Contains(first, " more changed; ") {
		t.Errorf("the first line is %s", first)
	}
	if !strings.Contains(text, "\n\n:scissors: The report is longer") || !strings.Contains(text, " more like these\n") {
		t.Errorf("nothing says that it was cut:\n%.3000s", text)
	}
}
