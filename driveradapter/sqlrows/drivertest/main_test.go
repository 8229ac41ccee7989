package drivertest

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/driveradapter/sqlrows"
	"github.com/rowjet/rowjet/host"
)

var ctx = context.Background()

var (
	engines              = map[driveradapter.Dialect]*host.Engine{}
	postgresURL, mariaDB string // URLs of the servers
)

func TestMain(m *testing.M) {
	postgresURL, mariaDB = os.Getenv("ROWJET_POSTGRES_URL"), os.Getenv("ROWJET_MARIADB_URL")
	if postgresURL != "" && mariaDB != "" {
		os.Exit(run(m))
	}
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	withServers := exec.Command(filepath.Join("..", "..", "..", "scripts", "servers.sh"), append([]string{self}, os.Args[1:]...)...)
	withServers.Stdout, withServers.Stderr = os.Stdout, os.Stderr
	if err := withServers.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "under scripts/servers.sh:", err)
		os.Exit(1)
	}
}

func run(m *testing.M) int {
	rt, err := host.New(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer rt.Close(ctx)
	for _, d := range []driveradapter.Dialect{driveradapter.Postgres, driveradapter.MySQL, driveradapter.SQLite} {
		if engines[d], err = rt.Engine(ctx, d); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

// open opens a database and closes it after the test.
func open(t testing.TB, driver, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1) // what is SET or in memory belongs to a connection
	t.Cleanup(func() {
		if n := db.Stats().InUse; n != 0 {
			t.Errorf("%d connections are still in use", n)
		}
		db.Close()
	})
	return db
}

// mysqlDSN is the URL of the MariaDB server as a DSN of go-sql-driver/mysql.
func mysqlDSN(t *testing.T, parameters string) string {
	t.Helper()
	u, err := url.Parse(mariaDB)
	if err != nil {
		t.Fatal(err)
	}
	return u.User.String() + "@tcp(" + u.Host + ")" + u.Path + "?" + parameters
}

func exec1(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(ctx, s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// cell is a column of a result with one row.
type cell struct {
	name, source string // source: an SQL expression or a declaration
	label, json  string
}

// document is the array-shape document of a result with these columns.
func document(cells []cell) string {
	var columns, types, row []string
	for _, c := range cells {
		columns = append(columns, `"`+c.name+`"`)
		types = append(types, `"`+c.label+`"`)
		row = append(row, c.json)
	}
	return `{"columns":[` + strings.Join(columns, ",") + `],"types":[` + strings.Join(types, ",") + `],"rows":[[` + strings.Join(row, ",") + `]]}`
}

// check runs a query and compares its document, made in three ways.
func check(t *testing.T, db sqlrows.Querier, d driveradapter.Dialect, want, query string, args ...any) {
	t.Helper()
	compare := func(way string, got []byte, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", way, err)
			return
		}
		if string(got) == want {
			return
		}
		at := 0
		for at < len(got) && at < len(want) && got[at] == want[at] {
			at++
		}
		from := max(at-60, 0)
		t.Errorf("%s: got\n…%.200s\nwant\n…%.200s", way, got[from:], want[from:])
	}

	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		t.Fatal(err)
	}
	rs, err := sqlrows.ReadAll(d, rows)
	if err != nil {
		t.Fatal(err)
	}
	out, err := engines[d].Serialize(ctx, rs)
	compare("ReadAll, Serialize", out, err)

	q, err := sqlrows.Query(ctx, db, d, query, args...)
	if err != nil {
		t.Fatal(err)
	}
	var w bytes.Buffer
	err = engines[d].Stream(ctx, &w, q, host.SettleScan)
	compare("Stream, SettleScan", w.Bytes(), err)
	if err := q.Close(); err != nil {
		t.Error(err)
	}

	if rows, err = db.QueryContext(ctx, query, args...); err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	r, err := sqlrows.New(d, rows)
	if err != nil {
		t.Fatal(err)
	}
	w.Reset()
	err = engines[d].Stream(ctx, &w, r, host.SettleBuffer)
	compare("Stream, SettleBuffer", w.Bytes(), err)
}
