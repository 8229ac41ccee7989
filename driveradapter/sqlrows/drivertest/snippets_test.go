package drivertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// snippetImports are the packages that snippets use, by name.
var snippetImports = map[string]string{
	"context": "context", "fmt": "fmt", "io": "io", "sql": "database/sql", "http": "net/http",
	"pgx":           "github.com/jackc/pgx/v5",
	"driveradapter": "github.com/rowjet/rowjet/driveradapter",
	"pgmessages":    "github.com/rowjet/rowjet/driveradapter/pgmessages",
	"sqlrows":       "github.com/rowjet/rowjet/driveradapter/sqlrows",
	"host":          "github.com/rowjet/rowjet/host",
}

// TestSnippets compiles the Go snippets of the documentation, each as the body of
// a function that has what they take for given.
func TestSnippets(t *testing.T) {
	block := regexp.MustCompile("(?s)```go\n(.*?)```")
	var code strings.Builder
	count := 0
	for _, file := range []string{"README.md", "docs/go.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range block.FindAllSubmatch(text, -1) {
			count++
			code.WriteString("func _(ctx context.Context, w io.Writer, db *sql.DB, conn *pgx.Conn, engine *host.Engine, resultSet driveradapter.ResultSet) error {\n{\n")
			code.Write(m[1])
			code.WriteString("}\nreturn nil\n}\n")
		}
	}
	if count < 7 {
		t.Errorf("found %d snippets", count)
	}
	program := "package main\n"
	for name, path := range snippetImports {
		if strings.Contains(code.String(), name+".") {
			program += "import " + name + ` "` + path + "\"\n"
		}
	}
	program += code.String() + "func main() {}\n"
	file := filepath.Join(t.TempDir(), "snippets.go")
	if err := os.WriteFile(file, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "build", "-gcflags=-e", "-o", os.DevNull, file).CombinedOutput()
	if err == nil {
		return
	}
	real := 0
	for line := range strings.Lines(string(out)) {
		// A snippet may end where its result would be used.
		if !strings.HasPrefix(line, "#") && !strings.Contains(line, "declared and not used") {
			real++
			t.Error(line)
		}
	}
	if real > 0 {
		t.Log(program)
	}
}
