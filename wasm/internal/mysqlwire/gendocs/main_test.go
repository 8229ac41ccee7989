package main

import (
	"os"
	"testing"
)

// TestPage finds out whether go generate has to be run.
func TestPage(t *testing.T) {
	source, err := os.ReadFile("../columns.go")
	if err != nil {
		t.Fatal(err)
	}
	want, err := write(string(source))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../../docs/mysql-types.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/mysql-types.md is not what the rules say; run go generate ./wasm/internal/mysqlwire")
	}
}
