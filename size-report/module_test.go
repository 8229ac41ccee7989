package main

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

const magic = "\x00asm\x01\x00\x00\x00"

// section makes a section of a module; all lengths here are below 128, so that
// each takes one byte.
func section(id byte, content string) string { return string([]byte{id, byte(len(content))}) + content }

// The parts of a small module: it imports a function and a global, has two
// functions of its own, and exports one of them, the memory and the global.
var (
	smallHead = magic +
		section(1, "\x02"+"\x60\x00\x00"+"\x60\x02\x7f\x7e\x01\x7c") +
		section(2, "\x02"+"\x03env\x03now\x00\x01"+"\x03env\x04base\x03\x7f\x01") +
		section(3, "\x02\x00\x01") +
		section(5, "\x01\x01\x02\x04") +
		section(7, "\x03"+"\x03run\x00\x02"+"\x03mem\x02\x00"+"\x01g\x03\x00")
	smallCode  = section(10, "\x02"+"\x02\x00\x0b"+"\x04\x00\x20\x00\x0b")
	smallNames = section(0, "\x04name"+"\x00\x02\x01m"+
		"\x01\x24\x03"+"\x00\x03now"+"\x01\x0druntime.alloc"+"\x02\x0d(*a.b/c.T).Do")
	small = smallHead + smallCode
	named = small + smallNames
)

func TestParseModule(t *testing.T) {
	a, err := parseModule([]byte(named))
	if err != nil {
		t.Fatal(err)
	}
	code, err := codeOf(a, a)
	if err != nil {
		t.Fatal(err)
	}
	a.bodies, a.names, a.text, a.before = nil, nil, nil, 0
	want := &Anatomy{
		Sections: []Section{{"type", 12}, {"import", 25}, {"function", 5}, {"memory", 6}, {"export", 19}, {"code", 11},
			{"custom name", 49}},
		Functions: 2, Pages: 2, MaxPages: 4,
		Imports: []string{"env.base mutable i32", "env.now (i32, i64) -> (f64)"},
		Exports: []string{"g global", "mem memory", "run (i32, i64) -> (f64)"},
	}
	if !reflect.DeepEqual(a, want) {
		t.Errorf("got  %+v\nwant %+v", a, want)
	}
	if err := want.validate(int64(len(named))); err != nil {
		t.Error(err)
	}
	wantCode := []Code{{"a.b/c", "(*T).Do", 5}, {"runtime", "alloc", 3}}
	if !reflect.DeepEqual(code, wantCode) {
		t.Errorf("code is %v; want %v", code, wantCode)
	}
}

func TestParseModuleFails(t *testing.T) {
	for name, module := range map[string]string{
		"empty":              "",
		"a page":             "<!DOCTYPE html><title>404</title>",
		"functions, no code": smallHead,
		"code, no functions": magic + smallCode,
	} {
		if a, err := parseModule([]byte(module)); err == nil {
			t.Errorf("%s: got %+v, want an error", name, a)
		}
	}
	// Cut off anywhere but between two sections after the code.
	for i := range len(small) {
		if a, err := parseModule([]byte(small[:i])); err == nil && i != len(magic) {
			// Without the code section the module is a whole one as long as it has no functions.
			if a.Functions != 0 {
				t.Errorf("%d bytes of it: got %+v, want an error", i, a)
			}
		}
	}
}

func TestCodeOfFails(t *testing.T) {
	plain := mustParse(t, small)
	for name, twin := range map[string]string{
		"no names":     small,
		"other code":   strings.Replace(named, "\x04\x00\x20\x00\x0b", "\x04\x00\x20\x01\x0b", 1),
		"a name short": small + section(0, "\x04name\x01\x12\x02\x00\x03now\x01\x0aruntime.go"),
	} {
		if code, err := codeOf(plain, mustParse(t, twin)); err == nil {
			t.Errorf("%s: got %v, want an error", name, code)
		}
	}
}

func mustParse(t *testing.T, module string) *Anatomy {
	t.Helper()
	a, err := parseModule([]byte(module))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The modules that ship: their parts add up to their size.
func TestParseShipped(t *testing.T) {
	for _, name := range []string{"postgres", "mysql", "sqlite"} {
		module, err := os.ReadFile("../wasm/dist/" + name + ".wasm")
		if err != nil {
			t.Fatal(err)
		}
		a := mustParse(t, string(module))
		if err := a.validate(int64(len(module))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(a.Imports) != 0 || a.Exports[1] != "memory memory" {
			t.Errorf("%s imports %q, exports %q", name, a.Imports, a.Exports)
		}
	}
}

func TestSplitName(t *testing.T) {
	for name, want := range map[string][2]string{
		"runtime.alloc":                         {"runtime", "alloc"},
		"example.org/a/b.F":                     {"example.org/a/b", "F"},
		"(*example.org/a/b.T).M":                {"example.org/a/b", "(*T).M"},
		"(example.org/a/b.T).M":                 {"example.org/a/b", "(T).M"},
		"example.org/a.F$1":                     {"example.org/a", "F$1"},
		"(*example.org/a.T).M$1.2":              {"example.org/a", "(*T).M$1.2"},
		"slices.SortFunc[[]example.org/x.T, T]": {"slices", "SortFunc[[]example.org/x.T, T]"},
		"example.org/a.init#1":                  {"example.org/a", "init#1"},
		"memcpy":                                {noPackage, "memcpy"},
		"_initialize":                           {noPackage, "_initialize"},
		".L1":                                   {noPackage, ".L1"},
		"a/b":                                   {noPackage, "a/b"},
		"interface:{Cell:func:{pointer:named:example.org/a.T}{}}.Cell$invoke": {noPackage, "interface:{Cell:func:{pointer:named:example.org/a.T}{}}.Cell$invoke"},
		"": {noPackage, ""},
	} {
		if pkg, function := splitName(name); pkg != want[0] || function != want[1] {
			t.Errorf("%q: got %q, %q; want %q", name, pkg, function, want)
		}
	}
}

// Names of any length and characters come out as those that a report takes.
func TestPrintable(t *testing.T) {
	long := strings.Repeat("interface:{Begin:func:{basic:bool}{}},", 40)
	for name, want := range map[string]string{
		"(*T).Method":    "(*T).Method",
		"":               "_",
		"a|b`c\nd\\e~f!": "a_b_c_d_e_f_",
		"Ære":            "_re",
		long:             long[:120] + "..." + long[len(long)-60:],
	} {
		got := printable(name)
		if got != want || !namePattern.MatchString(got) {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
