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
	"bytes": "bytes", "context": "context", "fmt": "fmt", "io": "io", "os": "os",
	"sql": "database/sql", "http": "net/http", "httptest": "net/http/httptest",
	"pgx":           "github.com/jackc/pgx/v5",
	"driveradapter": "github.com/rowjet/rowjet/driveradapter",
	"pgmessages":    "github.com/rowjet/rowjet/driveradapter/pgmessages",
	"sqlrows":       "github.com/rowjet/rowjet/driveradapter/sqlrows",
	"host":          "github.com/rowjet/rowjet/host",
}

// harness runs the snippets: it makes what they take for given, of real databases,
// and asks the handler that they leave.
const harness = `
var (
	sqlite       *sql.DB
	sqliteEngine *host.Engine
)

func main() {
	ctx := context.Background()
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	url := os.Getenv("ROWJET_POSTGRES_URL")
	conn, err := pgx.Connect(ctx, url)
	check(err)
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "DROP TABLE IF EXISTS item; CREATE TABLE item AS SELECT 1 AS id, 9.50 AS price")
	check(err)
	db, err := sql.Open("pgx", url)
	check(err)
	rt, err := host.New(ctx)
	check(err)
	engine, err := rt.Engine(ctx, driveradapter.Postgres)
	check(err)
	sqlite, err = sql.Open("sqlite", ":memory:")
	check(err)
	sqlite.SetMaxOpenConns(1)
	_, err = sqlite.Exec("CREATE TABLE item (id INTEGER, price DECIMAL(10,2)); INSERT INTO item VALUES (1, 9.5), (2, NULL)")
	check(err)
	sqliteEngine, err = rt.Engine(ctx, driveradapter.SQLite)
	check(err)
	resultSet := driveradapter.ResultSet{ColumnNames: []string{"a"}, ColumnTypes: []driveradapter.ColumnType{driveradapter.Int32}, Rows: [][]any{{7}}}
	for n, snippet := range snippets {
		var w bytes.Buffer
		if err := snippet(ctx, &w, db, conn, engine, resultSet); err != nil {
			panic(fmt.Sprint("snippet ", n, ": ", err))
		}
		fmt.Printf("%d: %q\n", n, &w)
	}
	w := httptest.NewRecorder()
	http.DefaultServeMux.ServeHTTP(w, httptest.NewRequest("GET", "/items", nil))
	fmt.Printf("%d %q\n", w.Code, w.Body)
	_, err = conn.Exec(ctx, "DROP TABLE item")
	check(err)
	check(db.Close())
	check(sqlite.Close())
	check(rt.Close(ctx))
}
`

// TestSnippets runs the Go snippets of the documentation, each as the body of a
// function that has what they take for given.
func TestSnippets(t *testing.T) {
	block := regexp.MustCompile("(?s)```go\n(.*?)```")
	names := regexp.MustCompile(`(?m)^(\w+(?:, \w+)*) :=`)
	var code strings.Builder
	code.WriteString("var snippets = []func(ctx context.Context, w io.Writer, db *sql.DB, conn *pgx.Conn, engine *host.Engine, resultSet driveradapter.ResultSet) error{\n")
	for _, file := range []string{"README.md", "docs/go.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range block.FindAllSubmatch(text, -1) {
			code.WriteString("func(ctx context.Context, w io.Writer, db *sql.DB, conn *pgx.Conn, engine *host.Engine, resultSet driveradapter.ResultSet) error {\n{\n")
			if strings.Contains(string(m[1]), "driveradapter.SQLite") {
				code.WriteString("db, engine := sqlite, sqliteEngine\n")
			}
			code.Write(m[1])
			// A snippet may end where its result would be used.
			for _, list := range names.FindAllSubmatch(m[1], -1) {
				for name := range strings.SplitSeq(string(list[1]), ", ") {
					code.WriteString("_ = " + name + "\n")
					if name == "err" {
						code.WriteString("if err != nil { return err }\n")
					}
				}
			}
			code.WriteString("}\nreturn nil\n},\n")
		}
	}
	code.WriteString("}\n" + harness)
	program := "package main\nimport _ \"github.com/jackc/pgx/v5/stdlib\"\nimport _ \"modernc.org/sqlite\"\n"
	for name, path := range snippetImports {
		if strings.Contains(code.String(), name+".") {
			program += "import " + name + ` "` + path + "\"\n"
		}
	}
	program += code.String()
	file := filepath.Join(t.TempDir(), "snippets.go")
	if err := os.WriteFile(file, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "run", file).CombinedOutput()
	const want = `0: ""
1: ""
2: "{\"id\":1,\"price\":\"9.50\"}\n"
3: "{\"columns\":[\"id\",\"price\"],\"types\":[\"int\",\"decimal\"],\"rows\":[[1,\"9.50\"]]}"
4: "{\"a\":1}\n{\"b\":2}\n"
7
5: ""
6: ""
200 "[{\"id\":1,\"price\":9.5},{\"id\":2,\"price\":null}]"
`
	if err != nil || string(out) != want {
		t.Errorf("%v, got\n%s\nwant\n%s\nof\n%s", err, out, want, program)
	}
}
