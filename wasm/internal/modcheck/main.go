// Command modcheck compares built modules with wasm/ABI.md: no imports and
// exactly the exports of the page's table, with the parameters and results
// that it gives. It prints size and sha256 of each module.
//
//	go run ./wasm/internal/modcheck wasm/dist/*.wasm
//	go run ./wasm/internal/modcheck -roots    the exports as a graph for wasm-metadce
//	go run ./wasm/internal/modcheck -names symbols -o named.wasm module.wasm    puts names into a copy
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	abi := flag.String("abi", "wasm/ABI.md", "the page with the table of exports")
	roots := flag.Bool("roots", false, "print the exports as a graph for wasm-metadce")
	names := flag.String("names", "", "a symbol map of wasm-opt: write a copy of the module that has these names")
	out := flag.String("o", "", "where to write that copy")
	flag.Parse()
	err := error(nil)
	if *names != "" {
		err = name(*names, *out, flag.Args())
	} else {
		err = run(os.Stdout, *abi, *roots, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(w io.Writer, abi string, roots bool, files []string) error {
	page, err := os.ReadFile(abi)
	if err != nil {
		return err
	}
	want, err := parseABI(string(page))
	if err != nil {
		return fmt.Errorf("%s: %w", abi, err)
	}
	if roots {
		return json.NewEncoder(w).Encode(graph(want))
	}
	if len(files) == 0 {
		return fmt.Errorf("no module was named")
	}
	failed := 0
	for _, file := range files {
		module, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, problem := range check(module, want) {
			fmt.Fprintf(w, "%s: %s\n", file, problem)
			failed++
		}
		fmt.Fprintf(w, "%-13s %7d bytes, gzip -9 %6d, sha256 %x\n",
			filepath.Base(file), len(module), gzipSize(module), sha256.Sum256(module))
	}
	if failed > 0 {
		return fmt.Errorf("%d differences from %s", failed, abi)
	}
	return nil
}

func name(symbols, out string, files []string) error {
	if len(files) != 1 || out == "" {
		return fmt.Errorf("-names wants one module, and -o")
	}
	module, err := os.ReadFile(files[0])
	if err != nil {
		return err
	}
	list, err := os.ReadFile(symbols)
	if err != nil {
		return err
	}
	named, err := withNames(module, string(list))
	if err != nil {
		return fmt.Errorf("%s: %w", symbols, err)
	}
	return os.WriteFile(out, named, 0o644)
}

func gzipSize(b []byte) int {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		panic(err) // only for a level that does not exist
	}
	z.Write(b)
	z.Close()
	return out.Len()
}

// node is an entry of the graph that wasm-metadce reads.
type node struct {
	Name    string   `json:"name"`
	Export  string   `json:"export,omitempty"`
	Reaches []string `json:"reaches,omitempty"`
	Root    bool     `json:"root,omitempty"`
}

func graph(exports []export) []node {
	host := node{Name: "host", Root: true}
	nodes := []node{}
	for _, e := range exports {
		nodes = append(nodes, node{Name: "export " + e.name, Export: e.name})
		host.Reaches = append(host.Reaches, "export "+e.name)
	}
	return append(nodes, host)
}
