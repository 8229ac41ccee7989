// Package wasmfile reads what a WebAssembly module is made of, for tools that
// check and measure modules. Nothing of it is in a module itself.
package wasmfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
)

// Module is what Parse finds. Its strings and slices may be parts of the bytes
// that were parsed.
type Module struct {
	Sections  []Section // in the order of the file
	Imports   []Import
	Exports   []Export
	Functions []FuncType // imported ones first, then the module's own
	Imported  int        // how many of Functions are imported
	// Memory is nil if the module has and imports none.
	Memory *Limits
	Code   []byte // contents of the code section
	// Bodies are the sizes in bytes of the functions' entries in the code section.
	Bodies []int64
	// Names of functions by index among Functions; nil without a name section.
	Names map[int]string
}

// HeadBytes is the size of the magic number and the version, which are in no
// section.
const HeadBytes = 8

// Section of a module.
type Section struct {
	Name  string // by the specification; custom ones are "custom " and their own name
	Bytes int64  // contents, and the id and the length before them
}

// Kind of what is imported or exported.
type Kind byte

// Kinds by their numbers in the binary format.
const (
	Func Kind = iota
	Table
	Memory
	Global
)

func (k Kind) String() string { return [...]string{"function", "table", "memory", "global"}[k] }

// Import is what a host has to give.
type Import struct {
	Module, Name string
	Kind         Kind
	Type         string // of a function or a global, "" of others
}

// Export is what a host gets.
type Export struct {
	Name string
	Kind Kind
	Func *FuncType // of a function, nil of others
}

// FuncType has the names of value types, such as "i32".
type FuncType struct{ Params, Results []string }

func (t FuncType) String() string {
	return "(" + strings.Join(t.Params, ", ") + ") -> (" + strings.Join(t.Results, ", ") + ")"
}

// Limits of a memory in pages of 64 KiB. Max is 0 if there is no maximum.
type Limits struct{ Min, Max int64 }

// ErrModule is the error for anything that is no whole module.
var ErrModule = errors.New("not a WebAssembly module, or a damaged one")

// Section ids, kinds and types: WebAssembly core specification, chapter 5
// (binary format).
var sectionNames = []string{"custom", "type", "import", "function", "table", "memory", "global", "export", "start",
	"element", "code", "data", "data count", "tag"}

var valueTypes = map[byte]string{0x7f: "i32", 0x7e: "i64", 0x7d: "f32", 0x7c: "f64", 0x7b: "v128", 0x70: "funcref",
	0x6f: "externref"}

// Parse reads a module of WebAssembly 2.0. It does not validate: code is not
// looked into, and sections may be missing.
func Parse(module []byte) (m *Module, err error) {
	defer func() {
		// Reads past the end: reader leaves them to the bounds checks.
		if recover() != nil {
			m, err = nil, ErrModule
		}
	}()
	rest, ok := bytes.CutPrefix(module, []byte("\x00asm\x01\x00\x00\x00"))
	if !ok {
		return nil, ErrModule
	}
	m = new(Module)
	var types []FuncType
	for r := (reader{rest}); len(r.b) > 0; {
		left := len(r.b)
		id := r.byte()
		s := reader{r.bytes()}
		section := Section{Name: sectionNames[id], Bytes: int64(left - len(r.b))}
		switch section.Name {
		case "custom":
			name := string(s.bytes())
			section.Name += " " + name
			if name == "name" {
				m.Names = s.functionNames()
			}
		case "type":
			for range s.uint() {
				types = append(types, s.functionType())
			}
		case "import":
			for range s.uint() {
				m.read(&s, types)
			}
		case "function":
			for range s.uint() {
				m.Functions = append(m.Functions, types[s.uint()])
			}
		case "memory":
			for range s.uint() {
				m.Memory = s.limits()
			}
		case "export":
			for range s.uint() {
				e := Export{Name: string(s.bytes()), Kind: s.kind()}
				if index := s.uint(); e.Kind == Func {
					e.Func = &m.Functions[index]
				}
				m.Exports = append(m.Exports, e)
			}
		case "code":
			m.Code = s.b
			for range s.uint() {
				left := len(s.b)
				s.bytes()
				m.Bodies = append(m.Bodies, int64(left-len(s.b)))
			}
		}
		m.Sections = append(m.Sections, section)
	}
	return m, nil
}

// read reads an import.
func (m *Module) read(s *reader, types []FuncType) {
	i := Import{Module: string(s.bytes()), Name: string(s.bytes()), Kind: s.kind()}
	switch i.Kind {
	case Func:
		t := types[s.uint()]
		m.Functions = append(m.Functions, t)
		m.Imported++
		i.Type = t.String()
	case Table:
		s.byte()
		s.limits()
	case Memory:
		m.Memory = s.limits()
	case Global:
		i.Type = s.global()
	}
	m.Imports = append(m.Imports, i)
}

// reader panics at the end of its bytes, and on numbers that are none.
type reader struct{ b []byte }

func (r *reader) byte() byte {
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > 1<<32 {
		panic(ErrModule)
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) bytes() []byte {
	n := r.uint()
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) kind() Kind {
	k := Kind(r.byte())
	if k > Global {
		panic(ErrModule)
	}
	return k
}

func (r *reader) limits() *Limits {
	switch flag := r.byte(); flag {
	case 0, 2:
		return &Limits{Min: int64(r.uint())}
	case 1, 3:
		return &Limits{Min: int64(r.uint()), Max: int64(r.uint())}
	default:
		panic(ErrModule)
	}
}

func (r *reader) global() string {
	t := valueType(r.byte())
	if r.byte() == 1 {
		return "mutable " + t
	}
	return t
}

func (r *reader) functionType() FuncType {
	if r.byte() != 0x60 {
		panic(ErrModule)
	}
	return FuncType{Params: r.valueTypes(), Results: r.valueTypes()}
}

func (r *reader) valueTypes() []string {
	var names []string
	for _, t := range r.bytes() {
		names = append(names, valueType(t))
	}
	return names
}

func valueType(t byte) string {
	name, ok := valueTypes[t]
	if !ok {
		panic(ErrModule)
	}
	return name
}

// functionNames reads the content of a name section (core specification,
// appendix "Name Section").
func (r *reader) functionNames() map[int]string {
	names := map[int]string{}
	for len(r.b) > 0 {
		id := r.byte()
		s := reader{r.bytes()}
		if id != 1 {
			continue
		}
		for range s.uint() {
			index := int(s.uint())
			names[index] = string(s.bytes())
		}
	}
	return names
}
