package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Measurement is what measure writes: the artefacts of one commit.
type Measurement struct {
	Format int    `json:"format"` // 1
	Commit string `json:"commit"` // full hash, with "+" if the working tree was not clean
	// Compressors and engine that measured. Measurements with different ones
	// can't be compared.
	Tools map[string]string `json:"tools"`
	// Compilers that built, such as "tinygo": "0.41.1".
	Compilers map[string]string `json:"compilers"`
	Artefacts []Artefact        `json:"artefacts"`
}

// Groups of artefacts.
const (
	groupModule   = "module"   // what ships: a module built by TinyGo
	groupStandard = "standard" // the same sources, built by the standard compiler
	groupPackage  = "package"  // a file of the npm package, and the tarball of all
)

// Artefact is a file. All sizes are in bytes.
type Artefact struct {
	Group  string `json:"group"`
	Name   string `json:"name"`
	Raw    int64  `json:"raw"`
	Gzip   int64  `json:"gzip,omitempty"`
	Brotli int64  `json:"brotli,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	// Committed is the hash of the file that the commit holds, which must be
	// that of the file that was built from its sources.
	Committed string `json:"committed,omitempty"`

	Anatomy *Anatomy `json:"anatomy,omitempty"`
	Code    []Code   `json:"code,omitempty"` // largest first; none if the build has no names
	Start   *Start   `json:"start,omitempty"`
}

// Start is how long a module takes to start in Node, in nanoseconds, sorted.
type Start struct {
	Compile     []int64 `json:"compile"`
	Instantiate []int64 `json:"instantiate"`
}

// Inputs of a measurement. Folders and files that are "" are left out.
type Inputs struct {
	Modules   string // folder of <name>.wasm, with <name>.named.wasm for the names of functions
	Committed string // folder of the <name>.wasm that the commit holds
	Standard  string // folder of <name>-wasip1.wasm
	Package   string // output of npm pack --json
	Commit    string
	Compilers map[string]string
}

//go:embed node.mjs
var nodeScript string

// measure fails on anything that is missing or empty: a zero in a report looks
// like success.
func measure(in Inputs) (*Measurement, error) {
	m := &Measurement{Format: 1, Commit: in.Commit, Tools: map[string]string{}, Compilers: in.Compilers}
	var paths []string
	modules, err := wasmFiles(in.Modules, ".wasm")
	if err != nil {
		return nil, err
	}
	for _, name := range modules {
		path := filepath.Join(in.Modules, name+".wasm")
		a, err := measureModule(groupModule, name, path)
		if err != nil {
			return nil, err
		}
		if in.Committed != "" {
			if a.Committed, err = hashOf(filepath.Join(in.Committed, name+".wasm")); err != nil {
				return nil, err
			}
		}
		m.Artefacts = append(m.Artefacts, *a)
		paths = append(paths, path)
	}
	if err := compressed(m, paths); err != nil {
		return nil, err
	}
	if in.Standard != "" {
		const suffix = "-wasip1.wasm"
		names, err := wasmFiles(in.Standard, suffix)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			path := filepath.Join(in.Standard, name+suffix)
			a, err := measureModule(groupStandard, name, path)
			if err != nil {
				return nil, err
			}
			m.Artefacts = append(m.Artefacts, *a)
		}
	}
	if in.Package != "" {
		files, err := packed(in.Package)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Package, err)
		}
		m.Artefacts = append(m.Artefacts, files...)
	}
	m.Tools["machine"] = runtime.GOOS + " " + runtime.GOARCH
	return m, m.validate()
}

// wasmFiles returns the names of the files in a folder, without the suffix.
func wasmFiles(folder, suffix string) ([]string, error) {
	list, err := filepath.Glob(filepath.Join(folder, "*"+suffix))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, path := range list {
		if name := strings.TrimSuffix(filepath.Base(path), suffix); !strings.HasSuffix(name, ".named") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no *%s in %q", suffix, folder)
	}
	return names, nil
}

func measureModule(group, name, path string) (*Artefact, error) {
	module, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	anatomy, err := parseModule(module)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	a := &Artefact{Group: group, Name: name, Raw: int64(len(module)), Anatomy: anatomy}
	if a.SHA256, err = hashOf(path); err != nil {
		return nil, err
	}
	twinPath := strings.TrimSuffix(path, ".wasm") + ".named.wasm"
	switch twin, err := os.ReadFile(twinPath); {
	case err == nil:
		named, err := parseModule(twin)
		if err == nil {
			a.Code, err = codeOf(anatomy, named)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", twinPath, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if a.Gzip, err = gzipSize(module); err != nil {
		return nil, err
	}
	return a, nil
}

func hashOf(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256(b)), nil
}

// gzipSize is by the machine's gzip: what a web server sends, and 1 % less than
// compress/gzip. -n leaves out name and time.
func gzipSize(b []byte) (int64, error) {
	cmd := exec.Command("gzip", "-9n")
	cmd.Stdin = bytes.NewReader(b)
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("gzip -9n: %w", err)
	}
	return int64(len(out)), nil
}

// compressed adds what Node measures to the modules, which are m's artefacts so
// far. The standard compiler's builds are left out: brotli takes ten seconds for
// each.
func compressed(m *Measurement, paths []string) error {
	version, err := exec.Command("gzip", "--version").Output()
	if err != nil {
		return fmt.Errorf("gzip --version: %w", err)
	}
	first, _, _ := strings.Cut(string(version), "\n")
	m.Tools["gzip"] = strings.TrimPrefix(first, "gzip ")

	got, err := node(map[string]any{"brotli": paths})
	if err != nil {
		return err
	}
	if len(got.Brotli) != len(paths) {
		return errors.New("node: too few results")
	}
	m.Tools["node"], m.Tools["brotli"] = got.Node, got.BrotliVersion
	for i := range paths {
		m.Artefacts[i].Brotli = got.Brotli[i]
	}
	return nil
}

// nodeResult is what node.mjs prints.
type nodeResult struct {
	Node          string
	BrotliVersion string
	Brotli        []int64
	Start         []Start
}

func node(question map[string]any) (*nodeResult, error) {
	input, err := json.Marshal(question)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("node", "--input-type=module", "-e", nodeScript)
	cmd.Stdin = bytes.NewReader(input)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	got := new(nodeResult)
	if err := json.Unmarshal(out, got); err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	return got, nil
}

// start times the start of the modules of both sides in turns, and adds that to
// what was measured of them. The folders are those of -modules.
func start(sides [2]*Measurement, folders [2]string, rounds int) error {
	if rounds < 1 || rounds > 1000 {
		return fmt.Errorf("%d rounds: 1 to 1000 are wanted", rounds)
	}
	var paths []string
	var modules []*Artefact
	for i, m := range sides {
		for j := range m.Artefacts {
			if a := &m.Artefacts[j]; a.Group == groupModule {
				path := filepath.Join(folders[i], a.Name+".wasm")
				hash, err := hashOf(path)
				if err != nil {
					return err
				}
				if hash != a.SHA256 {
					return fmt.Errorf("%s is not what was measured", path)
				}
				paths, modules = append(paths, path), append(modules, a)
			}
		}
	}
	got, err := node(map[string]any{"start": paths, "rounds": rounds})
	if err != nil {
		return err
	}
	if len(got.Start) != len(modules) {
		return errors.New("node: too few results")
	}
	for i, a := range modules {
		a.Start = &got.Start[i]
	}
	return nil
}

// packed reads what npm pack --json tells: the tarball, and the files in it.
func packed(file string) ([]Artefact, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list []struct {
		Name         string
		Size         int64
		UnpackedSize int64
		Files        []struct {
			Path string
			Size int64
		}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	if len(list) != 1 || len(list[0].Files) == 0 {
		return nil, errors.New("not one package with files")
	}
	p := list[0]
	out := []Artefact{{Group: groupPackage, Name: tarball, Raw: p.UnpackedSize, Gzip: p.Size}}
	for _, f := range p.Files {
		out = append(out, Artefact{Group: groupPackage, Name: f.Path, Raw: f.Size})
	}
	return out, nil
}

// tarball is the name of the artefact that is all files of the npm package:
// raw unpacked, gzip as it is published.
const tarball = "(tarball)"
