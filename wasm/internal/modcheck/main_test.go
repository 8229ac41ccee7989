package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/rowjet/rowjet/internal/wasmfile"
)

const page = `# Page
| ` + "`not_here` | `() -> u32`" + ` | outside the section |

## Exports

| export | signature | meaning |
|---|---|---|
| ` + "`memory` | memory" + ` | text with ` + "`a` | `() -> ()`" + ` |
| ` + "`start` | `() -> ()`" + ` | |
| ` + "`add` | `(a, b) -> u32`" + ` | |

### More
| ` + "`nor_here` | `() -> u32`" + ` | |
`

var wanted = []export{
	{name: "memory", memory: true},
	{name: "start"},
	{name: "add", params: 2, results: 1},
}

func TestParseABI(t *testing.T) {
	got, err := parseABI(page)
	if err != nil || !reflect.DeepEqual(got, wanted) {
		t.Fatalf("got %v, %v; want %v", got, err, wanted)
	}
	for _, bad := range []string{
		"",
		"\n## Exports\n",
		"\n## Exports\n| `f` | takes nothing |\n",
	} {
		if got, err := parseABI(bad); err == nil {
			t.Errorf("%q: got %v, want an error", bad, got)
		}
	}
}

// section makes a section of a module; all lengths here are below 128, so that
// each takes one byte.
func section(id byte, content ...byte) string {
	return string(append([]byte{id, byte(len(content))}, content...))
}

const magic = "\x00asm\x01\x00\x00\x00"

var (
	// () -> (), (i32, i32) -> i32 and (f64) -> f64
	types     = section(1, 3, 0x60, 0, 0, 0x60, 2, 0x7f, 0x7f, 1, 0x7f, 0x60, 1, 0x7c, 1, 0x7c)
	functions = section(3, 3, 0, 1, 2)
	imports   = section(2, 1, 3, 'e', 'n', 'v', 1, 'f', 0, 0)
	noImports = section(2, 0)
	all       = section(7, 3,
		6, 'm', 'e', 'm', 'o', 'r', 'y', 2, 0,
		5, 's', 't', 'a', 'r', 't', 0, 0,
		3, 'a', 'd', 'd', 0, 1)
	tooMany = section(7, 4,
		6, 'm', 'e', 'm', 'o', 'r', 'y', 2, 0,
		5, 's', 't', 'a', 'r', 't', 0, 0,
		3, 'a', 'd', 'd', 0, 1,
		4, 'f', 'm', 'i', 'n', 0, 2)
	tooFew = section(7, 2,
		6, 'm', 'e', 'm', 'o', 'r', 'y', 2, 0,
		3, 'a', 'd', 'd', 0, 1)
	otherType = section(7, 3,
		6, 'm', 'e', 'm', 'o', 'r', 'y', 2, 0,
		5, 's', 't', 'a', 'r', 't', 0, 0,
		3, 'a', 'd', 'd', 0, 2)
	otherKind = section(7, 3,
		6, 'm', 'e', 'm', 'o', 'r', 'y', 3, 0,
		5, 's', 't', 'a', 'r', 't', 0, 0,
		3, 'a', 'd', 'd', 0, 1)
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name   string
		module string
		want   []string
	}{
		{"as the ABI has it", magic + types + functions + all, nil},
		{"an empty import section", magic + types + noImports + functions + all, nil},
		{"an import", magic + types + imports + functions + all, []string{"has 1 imports, the first is env.f"}},
		{"too many", magic + types + functions + tooMany,
			[]string{"has an export too many, fmin: -1 parameters, -1 results"}},
		{"too few", magic + types + functions + tooFew,
			[]string{"lacks the export start: 0 parameters, 0 results"}},
		{"another type", magic + types + functions + otherType,
			[]string{"exports add: -1 parameters, -1 results; the ABI has add: 2 parameters, 1 results"}},
		{"another kind", magic + types + functions + otherKind,
			[]string{"exports memory: -1 parameters, -1 results; the ABI has memory: memory"}},
		{"no module", "text", []string{wasmfile.ErrModule.Error()}},
		{"cut off", (magic + types + functions + all)[:50], []string{wasmfile.ErrModule.Error()}},
		{"no such function", magic + types + all, []string{wasmfile.ErrModule.Error()}},
	} {
		if got := check([]byte(c.module), wanted); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestRoots(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ABI.md")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(&out, file, true, nil); err != nil {
		t.Fatal(err)
	}
	want := `[{"name":"export memory","export":"memory"},` +
		`{"name":"export start","export":"start"},` +
		`{"name":"export add","export":"add"},` +
		`{"name":"host","reaches":["export memory","export start","export add"],"root":true}]` + "\n"
	if out.String() != want {
		t.Errorf("got  %s\nwant %s", out.String(), want)
	}
}

// What is committed, and what hosts embed.
func TestShippedModules(t *testing.T) {
	var out bytes.Buffer
	err := run(&out, "../../ABI.md", false, []string{
		"../../dist/postgres.wasm", "../../dist/mysql.wasm", "../../dist/sqlite.wasm",
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
}
