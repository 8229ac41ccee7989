package main

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// withNames returns the module with a name section at its end, made from a
// symbol map of wasm-opt: lines of index:name, in the order of the indexes, one
// for each function. The section is that of the core specification's appendix
// "Name Section"; nothing before it changes.
func withNames(module []byte, symbols string) ([]byte, error) {
	const (
		sectionCustom  = 0
		subsectionFunc = 1
	)
	lines := strings.Split(strings.TrimSuffix(symbols, "\n"), "\n")
	entries := binary.AppendUvarint(nil, uint64(len(lines)))
	for i, line := range lines {
		index, name, ok := strings.Cut(line, ":")
		if n, err := strconv.Atoi(index); !ok || err != nil || n != i || name == "" {
			return nil, fmt.Errorf("line %d of the symbol map is not function %d: %q", i+1, i, line)
		}
		entries = binary.AppendUvarint(entries, uint64(i))
		entries = appendBytes(entries, name)
	}
	content := appendBytes(nil, "name")
	content = append(content, subsectionFunc)
	content = appendBytes(content, string(entries))

	out := append(append([]byte{}, module...), sectionCustom)
	return appendBytes(out, string(content)), nil
}

// appendBytes appends a vector of bytes: its length, then the bytes.
func appendBytes(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}
