package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Marker is the first line of the comment, by which it is found and updated.
const Marker = "<!-- rowjet-report -->"

// maxComment is the length that GitHub takes, in characters. Bytes are never
// fewer.
const maxComment = 65_536

// How many rows the lists of packages and functions have, how many lines that
// of what wants a look, and how many names a line.
const (
	maxRows  = 15
	maxMarks = 12
	maxNames = 8
)

// unraced is the verdict on speed if there should be one, but no times are there.
const unraced = "was not measured: the job left no times"

// render writes the comment. One of the two may be nil; a missing speed is told
// if it was to be there.
func render(c *Comparison, perf *PerfComparison, missing ...string) string {
	var w strings.Builder
	w.WriteString(Marker + "\n")
	var verdicts, marks []string
	if c != nil {
		verdicts = append(verdicts, "**Size:** "+sizeVerdict(c)+"\n")
		marks = append(marks, marked(":x:", c.failures())...)
	}
	if perf != nil {
		verdicts = append(verdicts, "**Speed:** "+perf.verdict()+"\n")
		marks = append(marks, marked(":x:", perf.failures())...)
	}
	for _, why := range missing {
		verdicts = append(verdicts, "**Speed:** "+why+"\n")
	}
	if c != nil {
		marks = append(marks, marked(":warning:", notices(c))...)
	}
	if perf != nil {
		marks = append(marks, marked(":warning:", perf.notices())...)
	}
	w.WriteString(strings.Join(verdicts, "\n"))
	if len(marks) > 0 {
		w.WriteString("\n" + strings.Join(marks, ""))
	}
	if c != nil {
		w.WriteString("\n### Size\n\n")
		sizeTable(&w, c, groupModule)
		surfaceList(&w, c)
		budgetTable(&w, c)
		anatomyTables(&w, c)
		codeTables(&w, c)
		fold(&w, "The standard compiler's builds of the same sources (wasip1)", func() { sizeTable(&w, c, groupStandard) },
			hasGroup(c, groupStandard))
		packageTable(&w, c)
		startTable(&w, c)
	}
	if perf != nil {
		w.WriteString("\n### Speed\n\n")
		perf.render(&w)
	}
	if c != nil {
		footer(&w, c)
	}
	return capped(w.String(), maxComment)
}

func marked(mark string, list []string) []string {
	var out []string
	for i, s := range list {
		if i == maxMarks {
			out = append(out, fmt.Sprintf("- %s and %d more like these\n", mark, len(list)-i))
			break
		}
		out = append(out, fmt.Sprintf("- %s %s\n", mark, s))
	}
	return out
}

// capped cuts at a line, closes what is open there, and says so, if the comment
// would be longer than GitHub takes.
func capped(s string, limit int) string {
	const note = "\n\n:scissors: The report is longer than a comment may be and was cut here; the JSON in the job's artefact has all of it.\n"
	const fence, folded = "```", "\n</details>\n"
	if len(s) <= limit {
		return s
	}
	// Only lines that begin so are ours: a name inside of a line may look alike.
	cut := s[:max(0, limit-len(note)-len(fence)-2*len(folded)-2)]
	lines := strings.Split(cut, "\n")
	lines = lines[:len(lines)-1] // what may not be whole
	// The head of a table is one only with the line below it.
	if n := len(lines); n > 0 && strings.HasPrefix(lines[n-1], "| ") && strings.HasPrefix(s[len(strings.Join(lines, "\n")):], "\n|---|") {
		lines = lines[:n-1]
	}
	fenced, depth := false, 0
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, fence):
			fenced = !fenced
		case fenced:
		case strings.HasPrefix(line, "<details>"):
			depth++
		case strings.HasPrefix(line, "</details>"):
			depth--
		}
	}
	out := strings.Join(lines, "\n")
	if fenced {
		out += "\n" + fence
	}
	return out + strings.Repeat("\n"+folded, depth) + note
}

// names lists the first of some names, in backquotes.
func names(list []string) string {
	var out []string
	for i, name := range list {
		if i == maxNames {
			out = append(out, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		out = append(out, "`"+name+"`")
	}
	return strings.Join(out, ", ")
}

func sizeVerdict(c *Comparison) string {
	var changed, unchanged []string
	for _, f := range c.Sizes {
		if f.Group != groupModule || f.Measure != "gzip" {
			continue
		}
		switch {
		case f.Base == nil || f.Head == nil:
			changed = append(changed, title(f.Name)+" "+diff(f))
		case f.Diff == 0:
			unchanged = append(unchanged, title(f.Name))
		default:
			changed = append(changed, fmt.Sprintf("%s %s gzip", title(f.Name), signed(f.Diff, "raw")))
		}
	}
	parts := changed
	if len(parts) > maxNames {
		parts = append(slices.Clone(parts[:maxNames]), fmt.Sprintf("%d more changed", len(changed)-maxNames))
	}
	if n := len(unchanged); n > maxNames {
		parts = append(parts, fmt.Sprintf("%d unchanged after gzip", n))
	} else if n > 0 {
		parts = append(parts, strings.Join(unchanged, ", ")+" unchanged after gzip")
	}
	for _, f := range c.Sizes {
		if f.Name == tarball && f.Measure == "gzip" && f.Diff != 0 && f.Base != nil && f.Head != nil {
			parts = append(parts, "npm package "+diff(f)+" gzip")
		}
	}
	over, limits := 0, 0
	for _, v := range c.Budgets {
		if !v.Growth {
			limits++
		}
		if v.Over && !v.Growth {
			over++
		}
	}
	for _, u := range c.Unchecked {
		if u.Gone {
			limits++
			over++
		}
	}
	if over > 0 {
		parts = append(parts, fmt.Sprintf("**breaks %d of %d limits**", over, limits))
	} else {
		parts = append(parts, fmt.Sprintf("within all %d limits", limits))
	}
	return strings.Join(parts, "; ")
}

// notices are what a reader should look at but what fails nothing.
func notices(c *Comparison) []string {
	var list []string
	for _, v := range c.Budgets {
		if v.Over && v.Growth {
			list = append(list, fmt.Sprintf("%s: %s grows by %s, more than %s", v.Budget, called(v.Group, v.Artefact),
				quantity(v.Used, v.Measure), quantity(v.Limit, v.Measure)))
		}
	}
	list = append(list, cameAndWent(c)...)
	for _, u := range c.Unchecked {
		if !u.Gone {
			list = append(list, fmt.Sprintf("%s: not checked, as neither side was measured for it", u.Budget))
		}
	}
	for _, f := range c.Sizes {
		limited := func(v Verdict) bool { return v.Group == f.Group && v.Artefact == f.Name && !v.Growth }
		if f.Group == groupModule && f.Measure == "raw" && f.Head != nil && !slices.ContainsFunc(c.Budgets, limited) {
			list = append(list, fmt.Sprintf("No limit is about %s", title(f.Name)))
		}
	}
	for _, f := range c.Packages {
		switch {
		case f.Base == nil && !isOneSided(c, f.Name):
			list = append(list, fmt.Sprintf("%s now has code of the package `%s`, %s", title(f.Name), shortPath(f.Part), bytesOf(*f.Head)))
		case f.Head == nil && !isOneSided(c, f.Name):
			list = append(list, fmt.Sprintf("%s no longer has code of the package `%s`, which was %s", title(f.Name), shortPath(f.Part), bytesOf(*f.Base)))
		}
	}
	for _, r := range c.Rebuilt {
		if r.Side == "base" && !r.Same {
			list = append(list, fmt.Sprintf("The base's %s.wasm is not what its sources give", r.Name))
		}
	}
	for _, f := range c.Sizes {
		of := func(side string) bool {
			return slices.ContainsFunc(c.Rebuilt, func(r Rebuilt) bool { return r.Name == f.Name && r.Side == side })
		}
		if f.Group == groupModule && f.Measure == "raw" && f.Head != nil && of("base") && !of("head") {
			list = append(list, fmt.Sprintf("Nobody checked whether %s.wasm is what its sources give", f.Name))
		}
	}
	both := setOf(slices.Collect(maps.Keys(c.Compilers[0])))
	maps.Copy(both, setOf(slices.Collect(maps.Keys(c.Compilers[1]))))
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if was, is := c.Compilers[0][name], c.Compilers[1][name]; was != is {
			list = append(list, fmt.Sprintf("The compiler changed: %s, base %s. The difference is that of both.", version(name, is), version(name, was)))
		}
	}
	return list
}

func version(name, version string) string {
	if version == "" {
		return "no `" + name + "`"
	}
	return "`" + name + " " + version + "`"
}

// groupTitles are what all artefacts of a group are called.
var groupTitles = map[string]string{groupStandard: "standard compiler's builds", groupPackage: "npm package"}

// cameAndWent tells which artefacts only one side has: modules one by one, files
// of the npm package in one line, and a group that is not there at all as such.
func cameAndWent(c *Comparison) []string {
	var list []string
	for _, group := range []string{groupModule, groupStandard, groupPackage} {
		var added, removed []string
		total := 0
		for _, f := range c.Sizes {
			if f.Group != group || f.Measure != "raw" {
				continue
			}
			total++
			switch {
			case f.Base == nil:
				added = append(added, f.Name)
			case f.Head == nil:
				removed = append(removed, f.Name)
			}
		}
		switch {
		case total == 0:
		case len(added) == total && group != groupModule:
			list = append(list, fmt.Sprintf("The %s: new, the base has none", groupTitles[group]))
		case len(removed) == total && group != groupModule:
			list = append(list, fmt.Sprintf("The %s: gone, only the base has any", groupTitles[group]))
		case group == groupPackage:
			if len(removed) > 0 {
				list = append(list, fmt.Sprintf("The npm package no longer has %s", names(removed)))
			}
			if len(added) > 0 {
				list = append(list, fmt.Sprintf("The npm package now has %s", names(added)))
			}
		default:
			what := map[string]string{groupModule: "module", groupStandard: "standard compiler's build"}[group]
			for _, name := range removed {
				list = append(list, fmt.Sprintf("%s (%s) is removed", title(name), what))
			}
			for _, name := range added {
				list = append(list, fmt.Sprintf("%s (%s) is new", title(name), what))
			}
		}
	}
	return list
}

// isOneSided reports whether base or head lacks the module.
func isOneSided(c *Comparison, name string) bool {
	return slices.ContainsFunc(c.Sizes, func(f Figure) bool {
		return f.Group == groupModule && f.Name == name && (f.Base == nil || f.Head == nil)
	})
}

func hasGroup(c *Comparison, group string) bool {
	return slices.ContainsFunc(c.Sizes, func(f Figure) bool { return f.Group == group })
}

func sizeTable(w *strings.Builder, c *Comparison, group string) {
	header(w, "Engine", "This PR", "Base branch", "Diff")
	for _, f := range c.Sizes {
		if f.Group == group {
			name := title(f.Name)
			if f.Measure != "raw" {
				name += " (" + f.Measure + ")"
			}
			row(w, name, f)
		}
	}
}

func header(w *strings.Builder, columns ...string) {
	fmt.Fprintf(w, "| %s |\n|---|%s\n", strings.Join(columns, " | "), strings.Repeat("--:|", len(columns)-1))
}

func row(w *strings.Builder, name string, f Figure) {
	fmt.Fprintf(w, "| %s | %s | %s | %s |\n", name, side(f.Head, f.Measure), side(f.Base, f.Measure), diff(f))
}

func side(v *int64, measure string) string {
	if v == nil {
		return "–"
	}
	return quantity(*v, measure)
}

// diff is a difference in exact units and in percent.
func diff(f Figure) string {
	switch {
	case f.Base == nil:
		return "new"
	case f.Head == nil:
		return "removed"
	case f.Diff == 0:
		return "0"
	}
	s := signed(f.Diff, f.Measure)
	if *f.Base == 0 {
		return s
	}
	if units, ok := strings.CutSuffix(s, ")"); ok {
		return units + ", " + percent(f.Diff, *f.Base) + ")"
	}
	return s + " (" + percent(f.Diff, *f.Base) + ")"
}

func percent(diff, base int64) string {
	p := 100 * float64(diff) / float64(base)
	if p > -0.005 && p < 0.005 {
		return map[bool]string{true: "+", false: "−"}[p > 0] + "<0.01 %"
	}
	return strings.Replace(fmt.Sprintf("%+.2f %%", p), "-", "−", 1)
}

// quantity is a number with its unit: bytes unless the measure counts.
func quantity(v int64, measure string) string {
	switch measure {
	case "count":
		return grouped(v)
	case "pages":
		if v == 0 {
			return "0"
		}
		return fmt.Sprintf("%s (%s)", grouped(v), human(v<<16))
	case "imports", "exports":
		return grouped(v)
	}
	return bytesOf(v)
}

func signed(v int64, measure string) string {
	sign := "+"
	if v == 0 {
		sign = ""
	} else if v < 0 {
		sign, v = "−", -v
	}
	switch measure {
	case "count", "imports", "exports":
		return sign + grouped(v)
	case "pages":
		if v == 1 {
			return sign + "1 page"
		}
		return sign + grouped(v) + " pages"
	}
	return sign + bytesOf(v)
}

// bytesOf is the exact number of bytes, and beside it human units.
func bytesOf(v int64) string {
	if v < 1024 {
		return grouped(v) + " B"
	}
	return fmt.Sprintf("%s B (%s)", grouped(v), human(v))
}

func human(v int64) string {
	switch {
	case v < 1024:
		return fmt.Sprintf("%d B", v)
	case v < 1024*1024:
		return fmt.Sprintf("%.1f KiB", float64(v)/1024)
	}
	return fmt.Sprintf("%.2f MiB", float64(v)/1024/1024)
}

// grouped writes 1234567 as 1,234,567.
func grouped(v int64) string {
	s := strconv.FormatInt(v, 10)
	start := len(s) - len(strings.TrimPrefix(s, "-"))
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// title writes postgres as Postgres.
func title(name string) string {
	if name == tarball {
		return "npm package"
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// called is the title of a module, or the name of a file of the npm package.
func called(group, name string) string {
	if group == groupPackage && name != tarball {
		return "`" + name + "`"
	}
	return title(name)
}

func fold(w *strings.Builder, summary string, body func(), wanted bool) {
	if wanted {
		fmt.Fprintf(w, "\n<details><summary>%s</summary>\n\n", summary)
		body()
		w.WriteString("\n</details>\n")
	}
}

// surfaceList is not folded: an import that came in by accident breaks every
// host.
func surfaceList(w *strings.Builder, c *Comparison) {
	if len(c.Surface) == 0 {
		w.WriteString("\nImports and exports are unchanged.\n")
		return
	}
	w.WriteString("\nImports and exports:\n\n```diff\n")
	for i, s := range c.Surface {
		if i == 4*maxRows {
			fmt.Fprintf(w, "  and %d more, which are in the JSON\n", len(c.Surface)-i)
			break
		}
		sign := map[string]string{"added": "+", "removed": "-"}[s.Change]
		name := s.Name
		if s.Group != groupModule {
			name += " (" + s.Group + ")"
		}
		fmt.Fprintf(w, "%s %s %s %s\n", sign, name, s.Kind, s.Entry)
	}
	w.WriteString("```\n")
}

func budgetTable(w *strings.Builder, c *Comparison) {
	over := slices.ContainsFunc(c.Budgets, func(v Verdict) bool { return v.Over })
	body := func() {
		header(w, "Limit", "Used", "Of", "Headroom")
		for _, v := range c.Budgets {
			name := fmt.Sprintf("%s: %s", v.Budget, called(v.Group, v.Artefact))
			left := v.Limit - v.Used
			room := quantity(left, v.Measure)
			if v.Growth {
				room = "–"
			} else if v.Limit > 0 && left > 0 {
				room += fmt.Sprintf(", %.1f %%", 100*float64(left)/float64(v.Limit))
			}
			if v.Over {
				room = "**over by " + quantity(-left, v.Measure) + "**"
			}
			used := quantity(v.Used, v.Measure)
			if v.Growth {
				used = signed(v.Used, v.Measure)
			}
			fmt.Fprintf(w, "| %s | %s | %s | %s |\n", name, used, quantity(v.Limit, v.Measure), room)
		}
	}
	if over {
		w.WriteString("\n")
		body()
		return
	}
	summary := "Limits and headroom"
	if v := closest(c.Budgets); v != nil {
		summary += fmt.Sprintf(": closest is %s to “%s”, %s left", title(v.Artefact), v.Budget, quantity(v.Limit-v.Used, v.Measure))
	}
	fold(w, summary, body, len(c.Budgets) > 0)
}

// closest returns the limit in bytes that has the least room, by its share; nil
// if there is none. It stands in a line of HTML, in which backquotes mean
// nothing: so it is of a module or of the whole package, whose names are plain.
func closest(list []Verdict) *Verdict {
	var found *Verdict
	share := func(v *Verdict) float64 { return float64(v.Used) / float64(v.Limit) }
	for i := range list {
		v := &list[i]
		inBytes := v.Measure == "raw" || v.Measure == "gzip" || v.Measure == "brotli"
		plain := v.Group != groupPackage || v.Artefact == tarball
		if inBytes && plain && !v.Growth && v.Limit > 0 && (found == nil || share(v) > share(found)) {
			found = v
		}
	}
	return found
}

func anatomyTables(w *strings.Builder, c *Comparison) {
	var shown []Figure
	changed := 0
	for _, f := range c.Anatomy {
		none := func(v *int64) bool { return v == nil || *v == 0 }
		if f.Group != groupModule || f.Part == partMost && none(f.Base) && none(f.Head) {
			continue // no maximum
		}
		shown = append(shown, f)
		if f.Diff != 0 || f.Base == nil || f.Head == nil {
			changed++
		}
	}
	summary := "Sections, functions, memory: nothing changed"
	if changed > 0 {
		summary = fmt.Sprintf("Sections, functions, memory: %d of %d changed", changed, len(shown))
	}
	fold(w, summary, func() {
		header(w, "Part", "This PR", "Base branch", "Diff")
		for i, f := range shown {
			if i == 8*maxRows {
				fmt.Fprintf(w, "\n%d more are in the JSON.\n", len(shown)-i)
				break
			}
			name := title(f.Name) + ": " + f.Part
			if f.Measure == "bytes" {
				name = title(f.Name) + ": section `" + f.Part + "`"
			}
			row(w, name, f)
		}
	}, len(shown) > 0)
}

func codeTables(w *strings.Builder, c *Comparison) {
	if len(c.Unnamed) > 0 {
		fmt.Fprintf(w, "\nWhich Go code grew is not known: the build of %s has no names of functions.\n", strings.Join(c.Unnamed, " and of "))
		return
	}
	summary := "Go code: no package changed its size"
	changed := 0
	for _, f := range c.Packages {
		if f.Diff != 0 {
			changed++
		}
	}
	if changed > 0 || len(c.Code) > 0 {
		summary = fmt.Sprintf("Go code: what grew, what shrank (%d packages, %d functions)", changed, len(c.Code))
	}
	fold(w, summary, func() {
		list(w, "Package", c.Packages, func(f Figure) string { return fmt.Sprintf("%s: `%s`", title(f.Name), shortPath(f.Part)) })
		if len(c.Code) > 0 {
			w.WriteString("\n")
			list(w, "Function", c.Code, func(f Figure) string {
				return fmt.Sprintf("%s: `%s` `%s`", title(f.Name), shortPath(f.Part), f.Detail)
			})
		}
	}, true)
}

// list is a table of the first maxRows of each module.
func list(w *strings.Builder, what string, figures []Figure, name func(Figure) string) {
	header(w, what, "This PR", "Base branch", "Diff")
	shown, left := map[string]int{}, 0
	for _, f := range figures {
		if shown[f.Name]++; shown[f.Name] > maxRows {
			left++
			continue
		}
		row(w, name(f), f)
	}
	if left > 0 {
		fmt.Fprintf(w, "\n%d more are in the JSON.\n", left)
	}
}

// shortPath leaves out what all packages of this repository begin with.
func shortPath(path string) string {
	return strings.TrimPrefix(path, "github.com/rowjet/rowjet/")
}

func packageTable(w *strings.Builder, c *Comparison) {
	var all, files []Figure
	for _, f := range c.Sizes {
		switch {
		case f.Group != groupPackage:
		case f.Name == tarball:
			all = append(all, f)
		case f.Diff != 0 || f.Base == nil || f.Head == nil:
			files = append(files, f)
		}
	}
	summary := "npm package: no file changed its size"
	if len(files) > 0 {
		summary = fmt.Sprintf("npm package: %d files added, removed or of another size", len(files))
	}
	fold(w, summary, func() {
		header(w, "File", "This PR", "Base branch", "Diff")
		for _, f := range all {
			row(w, map[string]string{"raw": "all files", "gzip": "the tarball"}[f.Measure], f)
		}
		slices.SortStableFunc(files, func(x, y Figure) int { return cmp.Compare(abs(y.Diff), abs(x.Diff)) })
		for i, f := range files {
			if i == 2*maxRows {
				fmt.Fprintf(w, "\n%d more are in the JSON.\n", len(files)-i)
				break
			}
			row(w, "`"+f.Name+"`", f)
		}
	}, len(all) > 0)
}

func startTable(w *strings.Builder, c *Comparison) {
	fold(w, "Start in Node: times of this run, for information", func() {
		header(w, "Module", "This PR", "Base branch")
		for _, f := range c.Start {
			fmt.Fprintf(w, "| %s: %s | %s | %s |\n", title(f.Name), f.What, span(f.Head), span(f.Base))
		}
		w.WriteString("\nMedian (least … most); all take turns, each time in a new process.\n")
	}, len(c.Start) > 0)
}

func span(t *[3]int64) string {
	if t == nil {
		return "–"
	}
	ms := func(v int64) string { return fmt.Sprintf("%.2f", float64(v)/1e6) }
	return fmt.Sprintf("%s ms (%s … %s)", ms(t[1]), ms(t[0]), ms(t[2]))
}

func footer(w *strings.Builder, c *Comparison) {
	same := 0
	for _, r := range c.Rebuilt {
		if r.Same {
			same++
		}
	}
	w.WriteString("\n<sub>")
	fmt.Fprintf(w, "%s against %s. gzip is by `gzip -9n` `%s`; brotli is of quality 11, by Node `%s`.",
		short(c.Head), short(c.Base), c.Tools["gzip"], c.Tools["node"])
	if len(c.Rebuilt) > 0 {
		fmt.Fprintf(w, " Built anew from the sources, %d of %d modules are the committed ones, byte for byte.", same, len(c.Rebuilt))
	}
	w.WriteString(" CONTRIBUTING.md tells how to read this and how to make it at home.</sub>\n")
}

// short is a commit in the length that people read.
func short(commit string) string {
	if strings.HasSuffix(commit, "+") {
		return "`" + commit[:9] + "` with changes that are not committed"
	}
	return "`" + commit[:9] + "`"
}
