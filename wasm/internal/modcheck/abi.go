package main

import (
	"fmt"
	"regexp"
	"strings"
)

// export is an export of a module: a memory, or a function whose parameters
// and results are all i32.
type export struct {
	name            string
	memory          bool
	params, results int
}

func (e export) String() string {
	if e.memory {
		return e.name + ": memory"
	}
	return fmt.Sprintf("%s: %d parameters, %d results", e.name, e.params, e.results)
}

var (
	exportRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (.+?) \\|")
	signature = regexp.MustCompile("^`\\(([^)]*)\\) -> (.+)`$")
)

// parseABI reads the table of exports out of the text of wasm/ABI.md. Its rows
// begin with a name in backquotes and a signature, `(a, b) -> result`, where
// () is no result; or the word memory.
func parseABI(page string) ([]export, error) {
	_, section, found := strings.Cut(page, "\n## Exports\n")
	if !found {
		return nil, fmt.Errorf("no section Exports")
	}
	section, _, _ = strings.Cut(section, "\n#")
	var exports []export
	for _, row := range exportRow.FindAllStringSubmatch(section, -1) {
		e := export{name: row[1]}
		s := signature.FindStringSubmatch(row[2])
		switch {
		case row[2] == "memory":
			e.memory = true
		case s == nil:
			return nil, fmt.Errorf("the signature of %s can not be read: %s", e.name, row[2])
		default:
			if s[1] != "" {
				e.params = strings.Count(s[1], ",") + 1
			}
			if s[2] != "()" {
				e.results = 1
			}
		}
		exports = append(exports, e)
	}
	if len(exports) == 0 {
		return nil, fmt.Errorf("no exports in the section Exports")
	}
	return exports, nil
}
