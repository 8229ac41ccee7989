package main

import (
	"fmt"
	"slices"

	"github.com/rowjet/rowjet/internal/wasmfile"
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

// parse returns the exports of a module. One that no ABI of ours can have, such
// as a table or a function with an f64, comes with -1 parameters and results. A
// module with imports is an error.
func parse(module []byte) ([]export, error) {
	m, err := wasmfile.Parse(module)
	if err != nil {
		return nil, err
	}
	if len(m.Imports) > 0 {
		return nil, fmt.Errorf("has %d imports, the first is %s.%s", len(m.Imports), m.Imports[0].Module, m.Imports[0].Name)
	}
	var exports []export
	for _, e := range m.Exports {
		own := export{name: e.Name, params: -1, results: -1}
		switch {
		case e.Kind == wasmfile.Memory:
			own = export{name: e.Name, memory: true}
		case e.Func != nil && !slices.ContainsFunc(slices.Concat(e.Func.Params, e.Func.Results), func(t string) bool { return t != "i32" }):
			own.params, own.results = len(e.Func.Params), len(e.Func.Results)
		}
		exports = append(exports, own)
	}
	return exports, nil
}
