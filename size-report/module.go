package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rowjet/rowjet/internal/wasmfile"
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

	bodies []int64        // size of each function's entry in the code section
	names  map[int]string // of functions, by index among all; nil if there are none
	before int            // number of imported functions
	text   []byte         // contents of the code section
}

// Section of a module. Custom sections are called by their names, "custom name".
type Section struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// parseModule reads a module, all of whose functions must have their code.
func parseModule(module []byte) (*Anatomy, error) {
	m, err := wasmfile.Parse(module)
	if err != nil {
		return nil, err
	}
	a := &Anatomy{Functions: int64(len(m.Functions) - m.Imported), Imports: []string{}, Exports: []string{},
		bodies: m.Bodies, names: m.Names, before: m.Imported, text: m.Code}
	if int64(len(m.Bodies)) != a.Functions {
		return nil, wasmfile.ErrModule
	}
	for _, s := range m.Sections {
		a.Sections = append(a.Sections, Section{s.Name, s.Bytes})
	}
	if m.Memory != nil {
		a.Pages, a.MaxPages = m.Memory.Min, m.Memory.Max
	}
	for _, i := range m.Imports {
		entry := i.Module + "." + i.Name + " " + i.Type
		if i.Type == "" {
			entry += i.Kind.String()
		}
		a.Imports = append(a.Imports, entry)
	}
	for _, e := range m.Exports {
		if e.Func != nil {
			a.Exports = append(a.Exports, e.Name+" "+e.Func.String())
		} else {
			a.Exports = append(a.Exports, e.Name+" "+e.Kind.String())
		}
	}
	slices.Sort(a.Imports)
	slices.Sort(a.Exports)
	return a, nil
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
	sum := map[Code]int64{} // by package and function
	for i, size := range twin.bodies {
		name, ok := twin.names[twin.before+i]
		if !ok {
			return nil, fmt.Errorf("function %d has no name", twin.before+i)
		}
		pkg, function := splitName(name)
		sum[Code{Package: printable(pkg), Function: printable(function)}] += size
	}
	list := []Code{}
	for c, size := range sum {
		c.Bytes = size
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Code) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Package, b.Package), strings.Compare(a.Function, b.Function))
	})
	return list, nil
}

// printable makes a name of the linker's one that a report takes: the names of
// what calls methods of interfaces are as long as their types, hundreds of
// characters.
func printable(name string) string {
	const start, end = 120, 60
	name = oddCharacters.ReplaceAllString(name, "_")
	if len(name) > start+end {
		name = name[:start] + "..." + name[len(name)-end:]
	}
	if name == "" {
		return "_"
	}
	return name
}

// noPackage stands for functions that no Go package has: those of C libraries
// and those that the linker makes.
const noPackage = "(no package)"

// splitName splits the linker's name of a Go function, such as
// "(*example.org/a/b.T).Method", "example.org/a/b.F" or "runtime.alloc", into
// the path of its package and the rest, "(*T).Method".
func splitName(name string) (pkg, function string) {
	if strings.HasPrefix(name, "interface:") {
		return noPackage, name // it belongs to a type
	}
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
