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
	"strings"

	"github.com/rowjet/rowjet/internal/wasmfile"
)

// The files that a report is made of come from jobs that ran the code of a pull
// request. So nothing in them is taken on trust: fields that are unknown,
// numbers that can't be, and texts that could be more than text are errors.

// readJSON reads one value from a file of at most 8 MB.
func readJSON(file string, into interface{ validate() error }) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	const most = 8_000_000
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return err
	}
	if len(text) > most {
		return fmt.Errorf("%s: larger than %d bytes", file, most)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("%s: more than one value", file)
	}
	if err := into.validate(); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
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
	// What modules are called is printed as it is.
	modulePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)
	// Inside of backquotes, none of these means anything to Markdown or HTML. No
	// backquote, no | and no line break.
	namePattern = regexp.MustCompile(`^[A-Za-z0-9_ .,:;/@()*+\[\]{}$#<>=&-]{1,200}$`)
)

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
		if len(list) > 10 {
			return errors.New("too many tools")
		}
		for name, version := range list {
			if !wordPattern.MatchString(name) || !wordPattern.MatchString(version) || strings.Contains(strings.ToLower(version), "www.") {
				return fmt.Errorf("tool %q %q", name, version)
			}
		}
	}
	seen := map[[2]string]bool{}
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
	}
	if !slices.ContainsFunc(m.Artefacts, func(a Artefact) bool { return a.Group == groupModule }) {
		return errors.New("no modules")
	}
	return nil
}

func (a *Artefact) validate() error {
	pattern := modulePattern
	if a.Group == groupPackage {
		pattern = namePattern
	}
	if !pattern.MatchString(a.Name) {
		return errors.New("a name of other characters")
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
	default:
		return errors.New("not a known group")
	}
	for _, size := range sizes {
		if size <= 0 || size > 1<<40 {
			return fmt.Errorf("%d bytes", size)
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
		for _, c := range a.Code {
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
			if !slices.IsSorted(list) || list[0] <= 0 || list[len(list)-1] > 1e12 {
				return errors.New("times that can't be")
			}
		}
	}
	return nil
}

func (a *Anatomy) validate(raw int64) error {
	total := int64(wasmfile.HeadBytes)
	if len(a.Sections) > 100 || len(a.Imports) > 1000 || len(a.Exports) > 1000 {
		return errors.New("too many sections, imports or exports")
	}
	for _, s := range a.Sections {
		if s.Bytes < 2 || s.Bytes > 1<<40 || !namePattern.MatchString(s.Name) {
			return fmt.Errorf("section %q of %d bytes", s.Name, s.Bytes)
		}
		total += s.Bytes
	}
	if total != raw {
		return fmt.Errorf("sections add up to %d bytes, the module has %d", total, raw)
	}
	if a.Functions <= 0 || a.Functions > 1<<32 || a.Pages < 0 || a.Pages > 1<<16 || a.MaxPages < 0 || a.MaxPages > 1<<16 {
		return errors.New("numbers of functions or pages that can't be")
	}
	for _, list := range [][]string{a.Imports, a.Exports} {
		for _, name := range list {
			if !namePattern.MatchString(name) {
				return fmt.Errorf("the name %q", name)
			}
		}
	}
	return nil
}
