package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"

	"github.com/rowjet/rowjet/internal/wasmfile"
)

// The files that a report is made of come from jobs that ran the code of a pull
// request. So nothing in them is taken on trust: fields that are unknown,
// numbers that can't be, and texts that could be more than text are errors.

// most is the largest number that is taken: a tebibyte, of which sums and
// differences of any that are here stay far from the end of int64.
const most = 1 << 40

// valid is what a file of this command holds.
type valid interface{ validate() error }

// readJSON reads one value from a file of at most 8 MB.
func readJSON(file string, into valid) error {
	// What an artefact of a job unpacks to may be a folder, or a pipe that never
	// ends.
	if info, err := os.Stat(file); err != nil {
		return err
	} else if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a file", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	const limit = 8_000_000
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return err
	}
	if len(text) > limit {
		return fmt.Errorf("%s: larger than %d bytes", file, limit)
	}
	if err := decode(text, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// decode reads one value, and nothing else.
func decode(text []byte, into valid) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one value")
	}
	return into.validate()
}

// give writes JSON to a file, or prints it if there is none.
func give(v any, file string, stdout io.Writer) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if file == "" {
		_, err := stdout.Write(text)
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

var (
	commitPattern = regexp.MustCompile(`^[0-9a-f]{40}\+?$`)
	hashPattern   = regexp.MustCompile(`^[0-9a-f]{64}$`)
	wordPattern   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._+-]{0,79}$`)
	// What modules are called is printed as it is. gh-1 would be a link to an
	// issue, so that no part begins with a digit.
	modulePattern = regexp.MustCompile(`^[a-z][a-z0-9]{0,19}(-[a-z][a-z0-9]{0,19})?$`)
	// What limits are called, which is printed as it is.
	textPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9 .,:;'()/%+-]{0,99}$`)
	// Inside of backquotes, none of these means anything to Markdown or HTML. No
	// backquote, no | and no line break.
	namePattern = regexp.MustCompile(`^[A-Za-z0-9_ .,:;/@()*+\[\]{}$#<>=&-]{1,200}$`)
	// What it does not take.
	oddCharacters = regexp.MustCompile(`[^A-Za-z0-9_ .,:;/@()*+\[\]{}$#<>=&-]`)
)

// validTools checks names and versions, which are printed in backquotes.
func validTools(list map[string]string, pattern *regexp.Regexp) error {
	if len(list) > 10 {
		return errors.New("too many tools")
	}
	for name, version := range list {
		if !wordPattern.MatchString(name) || !pattern.MatchString(version) {
			return fmt.Errorf("tool %q %q", name, version)
		}
	}
	return nil
}

// validName checks what an artefact is called.
func validName(group, name string) error {
	pattern := modulePattern
	switch group {
	case groupModule, groupStandard:
	case groupPackage:
		pattern = namePattern
	default:
		return fmt.Errorf("%q is not a known group", group)
	}
	if !pattern.MatchString(name) {
		return fmt.Errorf("%q is not a name of a %s", name, group)
	}
	return nil
}

func (m *Measurement) validate() error {
	if m.Format != 1 {
		return fmt.Errorf("format %d is not known", m.Format)
	}
	if !commitPattern.MatchString(m.Commit) {
		return fmt.Errorf("%q is not the hash of a commit", m.Commit)
	}
	for _, tool := range []string{"gzip", "node", "brotli", "machine"} {
		if m.Tools[tool] == "" {
			return fmt.Errorf("the version of %s is missing", tool)
		}
	}
	for _, list := range []map[string]string{m.Tools, m.Compilers} {
		if err := validTools(list, wordPattern); err != nil {
			return err
		}
	}
	seen := map[[2]string]bool{}
	var files, unpacked int64
	if len(m.Artefacts) > 1000 {
		return errors.New("too many artefacts")
	}
	for i := range m.Artefacts {
		a := &m.Artefacts[i]
		if err := a.validate(); err != nil {
			return fmt.Errorf("%s %q: %w", a.Group, a.Name, err)
		}
		if seen[[2]string{a.Group, a.Name}] {
			return fmt.Errorf("%s %q is there twice", a.Group, a.Name)
		}
		seen[[2]string{a.Group, a.Name}] = true
		if a.Group == groupPackage && a.Name != tarball {
			files++
			unpacked += a.Raw
		}
	}
	if all := m.find(groupPackage, tarball); all != nil || files > 0 {
		// A tarball has a header for each file, fills up to 512 bytes, and ends with
		// 1,024 of them; a long name takes 1,024 more.
		if all == nil || files == 0 || all.Raw != unpacked || all.Gzip > deflated(all.Raw+2048*(files+1)) {
			return fmt.Errorf("%d files of %d bytes are not those of the npm package", files, unpacked)
		}
	}
	if !slices.ContainsFunc(m.Artefacts, func(a Artefact) bool { return a.Group == groupModule }) {
		return errors.New("no modules")
	}
	return nil
}

// deflated is the most that gzip or brotli make of so many bytes, which they
// store in blocks if nothing helps (RFC 1951, 3.2.4; RFC 1952, 2.2; RFC 7932, 9.2).
func deflated(raw int64) int64 { return raw + raw/1000 + 64 }

func (a *Artefact) validate() error {
	if err := validName(a.Group, a.Name); err != nil {
		return err
	}
	sizes := []int64{a.Raw}
	switch a.Group {
	case groupModule, groupStandard:
		sizes = append(sizes, a.Gzip)
		if a.Group == groupModule {
			sizes = append(sizes, a.Brotli)
		}
		if !hashPattern.MatchString(a.SHA256) || a.Committed != "" && !hashPattern.MatchString(a.Committed) {
			return errors.New("the hash is not one")
		}
		if a.Anatomy == nil {
			return errors.New("no anatomy")
		}
		if err := a.Anatomy.validate(a.Raw); err != nil {
			return err
		}
	case groupPackage:
		if a.Name == tarball {
			sizes = append(sizes, a.Gzip)
		} else if a.Gzip != 0 || a.Brotli != 0 {
			return errors.New("compressed alone")
		}
		if a.Anatomy != nil || a.SHA256 != "" || a.Committed != "" {
			return errors.New("more than a size")
		}
	}
	for i, size := range sizes {
		if size <= 0 || size > most {
			return fmt.Errorf("%d bytes", size)
		}
		if i > 0 && a.Group != groupPackage && size > deflated(a.Raw) {
			return fmt.Errorf("%d bytes are %d when they are compressed", a.Raw, size)
		}
	}
	if a.Group != groupModule && (a.Brotli != 0 || a.Code != nil || a.Start != nil) {
		return errors.New("more than a module of another compiler")
	}
	if a.Code != nil {
		if len(a.Code) == 0 || len(a.Code) > 20_000 {
			return errors.New("too few or too many functions")
		}
		total := int64(0)
		seen := map[[2]string]bool{}
		for _, c := range a.Code {
			if key := [2]string{c.Package, c.Function}; seen[key] {
				return fmt.Errorf("function %q %q is there twice", c.Package, c.Function)
			} else {
				seen[key] = true
			}
			if c.Bytes <= 0 || c.Bytes > a.Raw || !namePattern.MatchString(c.Package) || !namePattern.MatchString(c.Function) {
				return fmt.Errorf("function %q %q of %d bytes", c.Package, c.Function, c.Bytes)
			}
			total += c.Bytes
		}
		if total > a.Raw {
			return errors.New("functions are larger than the module")
		}
	}
	if a.Start != nil {
		if len(a.Start.Compile) == 0 || len(a.Start.Compile) != len(a.Start.Instantiate) || len(a.Start.Compile) > 1000 {
			return errors.New("times of starting are missing")
		}
		for _, list := range [][]int64{a.Start.Compile, a.Start.Instantiate} {
			if err := validTimes(list); err != nil {
				return err
			}
		}
	}
	return nil
}

// validTimes checks nanoseconds, least first: above 0, up to a quarter of an hour.
func validTimes(list []int64) error {
	if len(list) == 0 || !slices.IsSorted(list) || list[0] <= 0 || list[len(list)-1] > 1e12 {
		return errors.New("times that can't be")
	}
	return nil
}

func (a *Anatomy) validate(raw int64) error {
	total := int64(wasmfile.HeadBytes)
	if len(a.Sections) > 100 || len(a.Imports) > 1000 || len(a.Exports) > 1000 {
		return errors.New("too many sections, imports or exports")
	}
	for _, s := range a.Sections {
		if s.Bytes < 2 || s.Bytes > most || !namePattern.MatchString(s.Name) {
			return fmt.Errorf("section %q of %d bytes", s.Name, s.Bytes)
		}
		total += s.Bytes
	}
	if total != raw {
		return fmt.Errorf("sections add up to %d bytes, the module has %d", total, raw)
	}
	if a.Functions <= 0 || a.Functions > 1<<32 || a.Pages < 0 || a.Pages > 1<<16 || a.MaxPages < 0 || a.MaxPages > 1<<16 ||
		a.MaxPages > 0 && a.MaxPages < a.Pages {
		return errors.New("numbers of functions or pages that can't be")
	}
	for _, list := range [][]string{a.Imports, a.Exports} {
		for _, name := range list {
			if !namePattern.MatchString(name) {
				return fmt.Errorf("the name %q", name)
			}
		}
	}
	// One import may be asked for twice, but each export has a name of its own.
	if sorted := slices.Sorted(slices.Values(a.Exports)); len(slices.Compact(sorted)) != len(a.Exports) {
		return errors.New("an export is there twice")
	}
	return nil
}
