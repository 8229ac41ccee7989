package wasm_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// What is compiled into the modules stays small and predictable only while it
// keeps away from the standard library's bigger packages (strconv's floats
// alone are 25 kB of a gzipped module) and from what allocates behind one's
// back, since the modules' memory is never freed. These tests tell what to use
// instead.

const (
	own   = "github.com/rowjet/rowjet/"
	tests = "; tests may import what they like"
)

var allowed = []string{"unsafe", "math", "math/bits"}

// Only what takes a few instructions on the bits of a number, what WebAssembly
// has an instruction for, and constants.
var allowedMath = []string{
	"Float32bits", "Float32frombits", "Float64bits", "Float64frombits",
	"Inf", "IsInf", "IsNaN", "NaN", "Signbit",
	"Abs", "Ceil", "Copysign", "Floor", "RoundToEven", "Sqrt", "Trunc",
	"MaxFloat32", "MaxFloat64",
	"MaxInt8", "MinInt8", "MaxInt16", "MinInt16", "MaxInt32", "MinInt32", "MaxInt64", "MinInt64",
	"MaxUint8", "MaxUint16", "MaxUint32", "MaxUint64",
}

var instead = map[string]string{
	"bytes":           "a loop over the bytes",
	"cmp":             "the operators",
	"encoding/base64": "wasm/internal/base64",
	"encoding/binary": "wasm/internal/mem",
	"encoding/hex":    "wasm/internal/base64",
	"encoding/json":   "wasm/internal/jsontext",
	"errors":          "a driveradapter.Code, which is an error",
	"fmt":             "append to the output, with wasm/internal/number for numbers",
	"io":              "slices that the caller owns",
	"maps":            "a slice in the order of the columns",
	"math/big":        "wasm/internal/number, which works on digits",
	"os":              "the input: a module has no system around it",
	"reflect":         "a type switch",
	"slices":          "a loop",
	"sort":            "the order in which the values come",
	"strconv":         "wasm/internal/number",
	"strings":         "a loop over the bytes",
	"sync":            "plain fields: an instance is single-threaded",
	"sync/atomic":     "plain fields: an instance is single-threaded",
	"time":            "wasm/internal/datetime",
	"unicode":         "wasm/internal/jsontext",
	"unicode/utf16":   "wasm/internal/jsontext",
	"unicode/utf8":    "wasm/internal/jsontext",
}

type goPackage struct {
	Dir        string
	ImportPath string
	GoFiles    []string
	Imports    []string
	Standard   bool
}

// list returns the packages that are compiled into what the patterns name, in
// the build that environment and tags choose.
func list(t *testing.T, goos, goarch, tags string, patterns ...string) []goPackage {
	t.Helper()
	args := append([]string{"list", "-deps", "-tags=" + tags, "-json=Dir,ImportPath,GoFiles,Imports,Standard"}, patterns...)
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	var packages []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		switch err := d.Decode(&p); err {
		case nil:
			packages = append(packages, p)
		case io.EOF:
			return packages
		default:
			t.Fatal(err)
		}
	}
}

// checkImports returns what is wrong with the imports of the packages that are
// not the standard library's. What the standard library imports is its own
// business: it is linked only if one of ours calls it.
func checkImports(packages []goPackage) []string {
	var problems []string
	for _, p := range packages {
		if p.Standard {
			continue
		}
		for _, path := range p.Imports {
			switch advice := instead[path]; {
			case slices.Contains(allowed, path), strings.HasPrefix(path, own):
			case advice != "":
				problems = append(problems, fmt.Sprintf("%s imports %s: use %s instead%s", p.ImportPath, path, advice, tests))
			default:
				problems = append(problems, fmt.Sprintf(
					"%s imports %s: the core has only its own packages, unsafe, math and math/bits%s", p.ImportPath, path, tests))
			}
		}
	}
	return problems
}

// checkSource returns what the file contains of the things that the core does
// without.
func checkSource(name string, source any) ([]string, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var problems []string
	ast.Inspect(file, func(n ast.Node) bool {
		what := ""
		switch n := n.(type) {
		case *ast.MapType:
			what = "a map: use a slice in the order of the columns"
		case *ast.ChanType:
			what = "a channel: use plain calls, an instance is single-threaded"
		case *ast.GoStmt:
			what = "a goroutine: use plain calls, an instance is single-threaded"
		case *ast.CallExpr:
			// What of driveradapter has such conversions is not in the modules.
			if x, ok := n.Fun.(*ast.Ident); ok && x.Name == "string" && file.Name.Name != "driveradapter" {
				what = "a string made of bytes: compare mem.Text, since TinyGo copies"
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == "math" && !slices.Contains(allowedMath, n.Sel.Name) {
				what = "math." + n.Sel.Name + ": use the bits of the number, or wasm/internal/number"
			}
		}
		if what != "" {
			at := set.Position(n.Pos())
			problems = append(problems, fmt.Sprintf("%s:%d: %s", filepath.Base(name), at.Line, what))
		}
		return true
	})
	return problems, nil
}

func TestCoreSource(t *testing.T) {
	mains := []string{"./postgres", "./mysql", "./sqlite"}
	for _, build := range []struct{ name, goos, goarch, tags string }{
		{"native", "linux", "amd64", ""},
		{"wasip1", "wasip1", "wasm", ""},
		{"js", "js", "wasm", ""},
		// TinyGo's build with scripts/tinygo/target.json.
		{"TinyGo", "linux", "arm", "tinygo,tinygo.wasm,wasm_unknown"},
	} {
		t.Run(build.name, func(t *testing.T) {
			packages := list(t, build.goos, build.goarch, build.tags, mains...)
			for _, want := range []string{"wasm/postgres", "wasm/mysql", "wasm/sqlite", "wasm/internal/engine", "driveradapter"} {
				if !slices.ContainsFunc(packages, func(p goPackage) bool { return p.ImportPath == own+want }) {
					t.Errorf("%s is not in the build", want)
				}
			}
			for _, problem := range checkImports(packages) {
				t.Error(problem)
			}
			for _, p := range packages {
				if p.Standard {
					continue
				}
				for _, file := range p.GoFiles {
					problems, err := checkSource(filepath.Join(p.Dir, file), nil)
					if err != nil {
						t.Error(err)
					}
					for _, problem := range problems {
						t.Errorf("%s/%s", p.ImportPath, problem)
					}
				}
			}
		})
	}
}

// The checks themselves, on a package that does what the core may not do.
func TestCoreSourceFindsFaults(t *testing.T) {
	packages := list(t, "linux", "amd64", "", "./testdata/core")
	bad := own + "wasm/testdata/core"
	got := checkImports(packages)
	want := []string{
		bad + " imports strconv: use wasm/internal/number instead; tests may import what they like",
		bad + " imports time: use wasm/internal/datetime instead; tests may import what they like",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("imports: got %q, want %q", got, want)
	}

	got, err := checkSource("testdata/core/core.go", nil)
	want = []string{
		"core.go:10: a map: use a slice in the order of the columns",
		"core.go:13: a channel: use plain calls, an instance is single-threaded",
		"core.go:14: a goroutine: use plain calls, an instance is single-threaded",
		"core.go:14: math.Exp: use the bits of the number, or wasm/internal/number",
		"core.go:16: a string made of bytes: compare mem.Text, since TinyGo copies",
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("source: got %q, %v, want %q", got, err, want)
	}

	got = checkImports([]goPackage{{ImportPath: own + "wasm/internal/x", Imports: []string{
		"unsafe", "math/bits", "hash/crc32", "example.com/other", own + "driveradapter",
	}}})
	want = []string{
		own + "wasm/internal/x imports hash/crc32: the core has only its own packages, unsafe, math and math/bits; tests may import what they like",
		own + "wasm/internal/x imports example.com/other: the core has only its own packages, unsafe, math and math/bits; tests may import what they like",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("other imports: got %q, want %q", got, want)
	}
}
