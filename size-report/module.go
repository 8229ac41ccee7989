package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Anatomy is what a module is made of.
type Anatomy struct {
	// Sections in the order of the file. The bytes are those of the contents,
	// and of the id and the length before them, so that with the 8 bytes at the
	// head of the file they add up to its size.
	Sections  []Section `json:"sections"`
	Functions int64     `json:"functions"` // of its own, without imports
	// Memory in pages of 64 KiB. MaxPages is 0 if there is no maximum.
	Pages    int64 `json:"pages"`
	MaxPages int64 `json:"maxPages"`
	// Imports and exports with their types, such as "env.now (i32) -> i64",
	// sorted.
	Imports []string `json:"imports"`
	Exports []string `json:"exports"`

	code   []int64        // size of each function's entry in the code section
	names  map[int]string // of functions, by index among all; nil if there are none
	before int            // number of imported functions
	text   []byte         // contents of the code section
}

// Section of a module. Custom sections are called by their names, "custom name".
type Section struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// headBytes is the size of a module's magic number and version.
const headBytes = 8

// Section ids, kinds and types: WebAssembly core specification, chapter 5.
var sectionNames = []string{"custom", "type", "import", "function", "table", "memory", "global", "export", "start",
	"element", "code", "data", "data count", "tag"}

var valueTypes = map[byte]string{0x7f: "i32", 0x7e: "i64", 0x7d: "f32", 0x7c: "f64", 0x7b: "v128", 0x70: "funcref",
	0x6f: "externref"}

var errModule = errors.New("not a WebAssembly module, or a damaged one")

// parseModule reads a module of WebAssembly 2.0.
func parseModule(module []byte) (a *Anatomy, err error) {
	defer func() {
		// Reads past the end: reader leaves them to the bounds checks.
		if recover() != nil {
			a, err = nil, errModule
		}
	}()
	rest, ok := bytes.CutPrefix(module, []byte("\x00asm\x01\x00\x00\x00"))
	if !ok {
		return nil, errModule
	}
	a = &Anatomy{Imports: []string{}, Exports: []string{}}
	var types []string
	var functions []string // their types, imported ones first
	var bodies int64
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
				a.names = s.functionNames()
			}
		case "type":
			for range s.uint() {
				types = append(types, s.functionType())
			}
		case "import":
			for range s.uint() {
				name := string(s.bytes()) + "." + string(s.bytes())
				switch kind := s.byte(); kind {
				case 0:
					t := types[s.uint()]
					functions = append(functions, t)
					a.before++
					name += " " + t
				case 1:
					s.byte()
					s.limits()
					name += " table"
				case 2:
					a.Pages, a.MaxPages = s.limits()
					name += " memory"
				case 3:
					name += " " + s.global()
				default:
					panic(errModule)
				}
				a.Imports = append(a.Imports, name)
			}
		case "function":
			for range s.uint() {
				functions = append(functions, types[s.uint()])
				a.Functions++
			}
		case "memory":
			for range s.uint() {
				a.Pages, a.MaxPages = s.limits()
			}
		case "export":
			for range s.uint() {
				name, kind, index := string(s.bytes()), s.byte(), s.uint()
				switch kind {
				case 0:
					name += " " + functions[index]
				default:
					name += " " + []string{"", "table", "memory", "global"}[kind]
				}
				a.Exports = append(a.Exports, name)
			}
		case "code":
			a.text = s.b
			bodies = int64(s.uint())
			for range bodies {
				left := len(s.b)
				s.bytes()
				a.code = append(a.code, int64(left-len(s.b)))
			}
		}
		a.Sections = append(a.Sections, section)
	}
	if bodies != a.Functions {
		return nil, errModule
	}
	slices.Sort(a.Imports)
	slices.Sort(a.Exports)
	return a, nil
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
		panic(errModule)
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) bytes() []byte {
	n := r.uint()
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) limits() (low, high int64) {
	switch flag := r.byte(); flag {
	case 0, 2:
		return int64(r.uint()), 0
	case 1, 3:
		return int64(r.uint()), int64(r.uint())
	default:
		panic(errModule)
	}
}

func (r *reader) global() string {
	t := valueType(r.byte())
	if r.byte() == 1 {
		return "mutable " + t
	}
	return t
}

func (r *reader) functionType() string {
	if r.byte() != 0x60 {
		panic(errModule)
	}
	list := func() string {
		var names []string
		for _, t := range r.bytes() {
			names = append(names, valueType(t))
		}
		return "(" + strings.Join(names, ", ") + ")"
	}
	return list() + " -> " + list()
}

func valueType(t byte) string {
	name, ok := valueTypes[t]
	if !ok {
		panic(errModule)
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

// Code is how many bytes of the code section one Go function takes.
type Code struct {
	Package  string `json:"package"`
	Function string `json:"function"`
	Bytes    int64  `json:"bytes"`
}

// codeOf returns the functions of module, named after its twin: the same code
// with a name section. Functions of one name are added up.
func codeOf(module, twin *Anatomy) ([]Code, error) {
	if !bytes.Equal(module.text, twin.text) {
		return nil, errors.New("the module with names has other code than the one without")
	}
	if twin.names == nil {
		return nil, errors.New("the module that should have names has none")
	}
	sum := map[string]int64{}
	for i, size := range twin.code {
		name, ok := twin.names[twin.before+i]
		if !ok {
			return nil, fmt.Errorf("function %d has no name", twin.before+i)
		}
		sum[name] += size
	}
	list := []Code{}
	for name, size := range sum {
		c := Code{Function: name, Bytes: size}
		c.Package, c.Function = splitName(name)
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Code) int {
		return cmpOr(int(b.Bytes-a.Bytes), strings.Compare(a.Package, b.Package), strings.Compare(a.Function, b.Function))
	})
	return list, nil
}

func cmpOr(list ...int) int {
	for _, c := range list {
		if c != 0 {
			return c
		}
	}
	return 0
}

// noPackage stands for functions that no Go package has: those of C libraries
// and those that the linker makes.
const noPackage = "(no package)"

// splitName splits the linker's name of a Go function, such as
// "(*example.org/a/b.T).Method", "example.org/a/b.F" or "runtime.alloc", into
// the path of its package and the rest, "(*T).Method".
func splitName(name string) (pkg, function string) {
	open := len(name) - len(strings.TrimLeft(name, "(*"))
	path := name[open:]
	// Type arguments have paths and dots of their own.
	end := len(path)
	if i := strings.IndexAny(path, "[)"); i >= 0 {
		end = i
	}
	slash := strings.LastIndexByte(path[:end], '/') + 1
	dot := strings.IndexByte(path[slash:end], '.')
	if dot <= 0 {
		return noPackage, name
	}
	return path[:slash+dot], name[:open] + path[slash+dot+1:]
}
