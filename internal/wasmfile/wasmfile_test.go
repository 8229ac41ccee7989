package wasmfile

import (
	"os"
	"reflect"
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
	smallNames = section(0, "\x04name"+"\x00\x02\x01m"+"\x01\x10\x02"+"\x01\x01f"+"\x02\x0aruntime.go")
)

func TestParse(t *testing.T) {
	got, err := Parse([]byte(smallHead + smallCode + smallNames))
	if err != nil {
		t.Fatal(err)
	}
	nothing, one := FuncType{}, FuncType{[]string{"i32", "i64"}, []string{"f64"}}
	want := &Module{
		Sections: []Section{{"type", 12}, {"import", 25}, {"function", 5}, {"memory", 6}, {"export", 19}, {"code", 11},
			{"custom name", 29}},
		Imports:   []Import{{"env", "now", Func, "(i32, i64) -> (f64)"}, {"env", "base", Global, "mutable i32"}},
		Exports:   []Export{{"run", Func, &one}, {"mem", Memory, nil}, {"g", Global, nil}},
		Functions: []FuncType{one, nothing, one},
		Imported:  1,
		Memory:    &Limits{2, 4},
		Code:      []byte("\x02" + "\x02\x00\x0b" + "\x04\x00\x20\x00\x0b"),
		Bodies:    []int64{3, 5},
		Names:     map[int]string{1: "f", 2: "runtime.go"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	empty, err := Parse([]byte(magic))
	if err != nil || !reflect.DeepEqual(empty, new(Module)) {
		t.Errorf("a module of nothing: got %+v, %v", empty, err)
	}
}

func TestParseFails(t *testing.T) {
	for name, module := range map[string]string{
		"empty":               "",
		"a page":              "<!DOCTYPE html><title>404</title>",
		"another version":     "\x00asm\x02\x00\x00\x00",
		"a component":         "\x00asm\x0d\x00\x01\x00",
		"a section too many":  magic + section(77, ""),
		"a type of no kind":   magic + section(1, "\x01\x5f\x00\x00"),
		"a value of no type":  magic + section(1, "\x01\x60\x01\x01\x00"),
		"an import of a kind": magic + section(2, "\x01\x01a\x01b\x04"),
		"an export of a kind": magic + section(7, "\x01\x01a\x04\x00"),
		"no such type":        magic + section(3, "\x01\x00"),
		"no such function":    magic + section(7, "\x01\x01a\x00\x00"),
		"limits of a kind":    magic + section(5, "\x01\x09\x00"),
		"a number of 10 bits": magic + "\x01\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
		"more than there is":  magic + section(1, "\xff\xff\xff\xff\x0f"),
	} {
		if m, err := Parse([]byte(module)); err != ErrModule {
			t.Errorf("%s: got %+v, %v; want an error", name, m, err)
		}
	}
	// Cut off anywhere but between two sections.
	whole := smallHead + smallCode
	borders := map[int]bool{len(magic): true}
	m, err := Parse([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	at := len(magic)
	for _, s := range m.Sections {
		at += int(s.Bytes)
		borders[at] = true
	}
	for i := range len(whole) {
		if m, err := Parse([]byte(whole[:i])); (err == nil) != borders[i] {
			t.Errorf("%d bytes of it: got %+v, %v", i, m, err)
		}
	}
}

// Any bytes give a module or the error, and the parts of a module are no larger
// than it is.
func FuzzParse(f *testing.F) {
	f.Add([]byte(smallHead + smallCode + smallNames))
	for _, name := range []string{"postgres", "mysql", "sqlite"} {
		module, err := os.ReadFile("../../wasm/dist/" + name + ".wasm")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(module[:2000])
	}
	f.Fuzz(func(t *testing.T, module []byte) {
		m, err := Parse(module)
		if err != nil {
			if err != ErrModule || m != nil {
				t.Errorf("got %v, %v", m, err)
			}
			return
		}
		total := int64(HeadBytes)
		for _, s := range m.Sections {
			total += s.Bytes
		}
		if total != int64(len(module)) {
			t.Errorf("sections add up to %d bytes of %d", total, len(module))
		}
	})
}
