package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Marker is the first line of the comment, by which it is found and updated.
const Marker = "<!-- rowjet-report -->"

// maxComment is the length that GitHub takes, in characters. Bytes are never
// fewer.
const maxComment = 65_536

// maxRows is how many rows the lists of packages and functions have.
const maxRows = 15

// render writes the comment. One of the two may be nil.
func render(c *Comparison, perf *PerfComparison) string {
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
	if c != nil {
		marks = append(marks, marked(":warning:", notices(c))...)
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
	return capped(w.String())
}

func marked(mark string, list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, fmt.Sprintf("- %s %s\n", mark, s))
	}
	return out
}

// capped cuts at a line, and says so, if the comment would be refused.
func capped(s string) string {
	const note = "\n\n(cut: the report is longer than a comment may be; the job's artefact has all of it)\n"
	if len(s) <= maxComment {
		return s
	}
	cut := s[:maxComment-len(note)-len("</details>")]
	cut = cut[:strings.LastIndexByte(cut, '\n')]
	if strings.Count(cut, "<details>") > strings.Count(cut, "</details>") {
		cut += "\n\n</details>"
	}
	return cut + note
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
	if len(unchanged) > 0 {
		parts = append(parts, strings.Join(unchanged, ", ")+" unchanged after gzip")
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
	if over > 0 {
		parts = append(parts, fmt.Sprintf("**over %d of %d limits**", over, limits))
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
			list = append(list, fmt.Sprintf("%s: %s grows by %s, more than %s", v.Budget, title(v.Artefact),
				quantity(v.Used, v.Measure), quantity(v.Limit, v.Measure)))
		}
	}
	for _, f := range c.Sizes {
		if f.Group != groupPackage && f.Measure == "raw" && (f.Base == nil || f.Head == nil) {
			list = append(list, fmt.Sprintf("%s (%s) is %s", title(f.Name), f.Group, diff(f)))
		}
	}
	for _, f := range c.Packages {
		if f.Base == nil && !isNew(c, f.Name) {
			list = append(list, fmt.Sprintf("%s now has code of the package `%s`, %s", title(f.Name), f.Part, bytesOf(*f.Head)))
		}
	}
	for _, r := range c.Rebuilt {
		if r.Side == "base" && !r.Same {
			list = append(list, fmt.Sprintf("The base's %s.wasm is not what its sources give", r.Name))
		}
	}
	names := []string{}
	for name := range c.Compilers[1] {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if was, is := c.Compilers[0][name], c.Compilers[1][name]; was != is {
			list = append(list, fmt.Sprintf("The compiler changed: %s %s, base %s. The difference is that of both.", name, is, orNone(was)))
		}
	}
	return list
}

// isNew reports whether base lacks the module.
func isNew(c *Comparison, name string) bool {
	return slices.ContainsFunc(c.Sizes, func(f Figure) bool { return f.Group == groupModule && f.Name == name && f.Base == nil })
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
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
	for _, s := range c.Surface {
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
			name := fmt.Sprintf("%s: %s", v.Budget, title(v.Artefact))
			left := v.Limit - v.Used
			room := quantity(left, v.Measure)
			if v.Growth {
				room = "–"
			} else if v.Limit > 0 {
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
	fold(w, "Limits and headroom", body, len(c.Budgets) > 0)
}

func anatomyTables(w *strings.Builder, c *Comparison) {
	fold(w, "Sections, functions, memory", func() {
		header(w, "Part", "This PR", "Base branch", "Diff")
		for _, f := range c.Anatomy {
			if f.Group != groupModule {
				continue
			}
			name := title(f.Name) + ": " + f.Part
			if f.Measure == "bytes" {
				name = title(f.Name) + ": section `" + f.Part + "`"
			}
			if f.Part == "memory at most" && (f.Head == nil || *f.Head == 0) && (f.Base == nil || *f.Base == 0) {
				continue // no maximum
			}
			row(w, name, f)
		}
	}, true)
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
		w.WriteString("\nMedian (least … most), each time in a new process.\n")
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
	fmt.Fprintf(w, "`%s` against `%s`. gzip is `gzip -9n` %s; brotli is of quality 11, of Node %s.",
		short(c.Head), short(c.Base), c.Tools["gzip"], c.Tools["node"])
	if len(c.Rebuilt) > 0 {
		fmt.Fprintf(w, " Built anew from the sources, %d of %d modules are the committed ones, byte for byte.", same, len(c.Rebuilt))
	}
	w.WriteString(" CONTRIBUTING.md tells how to read this and how to make it at home.</sub>\n")
}

// short is a commit in the length that people read.
func short(commit string) string {
	if strings.HasSuffix(commit, "+") {
		return commit[:9] + " and changes that are not committed"
	}
	return commit[:9]
}
