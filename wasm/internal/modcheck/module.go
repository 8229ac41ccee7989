package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// check returns what makes the module differ from the ABI, nil if nothing does.
func check(module []byte, want []export) []string {
	got, err := parse(module)
	if err != nil {
		return []string{err.Error()}
	}
	var problems []string
	for _, e := range want {
		if !slices.ContainsFunc(got, func(g export) bool { return g.name == e.name }) {
			problems = append(problems, "lacks the export "+e.String())
		}
	}
	for _, g := range got {
		i := slices.IndexFunc(want, func(e export) bool { return g.name == e.name })
		switch {
		case i < 0:
			problems = append(problems, "has an export too many, "+g.String())
		case g != want[i]:
			problems = append(problems, fmt.Sprintf("exports %v; the ABI has %v", g, want[i]))
		}
	}
	return problems
}

// Section ids and kinds of imports and exports: WebAssembly core
// specification, chapter 5 (binary format), "Modules".
const (
	sectionType     = 1
	sectionImport   = 2
	sectionFunction = 3
	sectionExport   = 7

	kindFunction = 0
	kindMemory   = 2

	typeFunction = 0x60
	typeI32      = 0x7f
)

var errModule = errors.New("not a WebAssembly module, or a damaged one")

// parse returns the exports of a module. One that no ABI of ours can have, such
// as a table or a function with an f64, comes with -1 parameters and results. A
// module with imports is an error.
func parse(module []byte) (exports []export, err error) {
	defer func() {
		// Reads past the end: reader leaves them to the bounds checks.
		if recover() != nil {
			err = errModule
		}
	}()
	rest, ok := bytes.CutPrefix(module, []byte("\x00asm\x01\x00\x00\x00"))
	if !ok {
		return nil, errModule
	}
	var types []export
	var functions []uint64
	for r := (reader{rest}); len(r.b) > 0; {
		id := r.byte()
		s := reader{r.bytes()}
		switch id {
		case sectionType:
			for range s.uint() {
				types = append(types, s.functionType())
			}
		case sectionImport:
			if n := s.uint(); n > 0 {
				return nil, fmt.Errorf("has %d imports, the first is %s.%s", n, s.bytes(), s.bytes())
			}
		case sectionFunction:
			for range s.uint() {
				functions = append(functions, s.uint())
			}
		case sectionExport:
			for range s.uint() {
				name, kind, index := string(s.bytes()), s.byte(), s.uint()
				e := export{params: -1, results: -1}
				switch {
				case kind == kindMemory:
					e = export{memory: true}
				case kind == kindFunction:
					e = types[functions[index]]
				}
				e.name = name
				exports = append(exports, e)
			}
		}
	}
	return exports, nil
}

type reader struct{ b []byte }

func (r *reader) byte() byte {
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
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

func (r *reader) functionType() export {
	if r.byte() != typeFunction {
		panic(errModule)
	}
	params, results := r.bytes(), r.bytes()
	for _, t := range slices.Concat(params, results) {
		if t != typeI32 {
			return export{params: -1, results: -1}
		}
	}
	return export{params: len(params), results: len(results)}
}
