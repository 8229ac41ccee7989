package drivertest

import (
	"bytes"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/driveradapter/sqlrows"
	"github.com/rowjet/rowjet/host"
)

func openSQLite(t *testing.T) *sql.DB {
	return open(t, "sqlite", filepath.Join(t.TempDir(), "test.db"))
}

func TestSQLite(t *testing.T) {
	db := openSQLite(t)
	exec1(t, db, `CREATE TABLE t (
			i INTEGER, b BIGINT, r REAL, d DECIMAL(10,2), o BOOLEAN, c VARCHAR(20), x BLOB,
			day DATE, at DATETIME, ts TIMESTAMP, j JSONB, untyped)`,
		`INSERT INTO t VALUES (1, 9007199254740993, 0.5, 1.5, 1, 'Ô "q"', x'00ff',
			'2024-02-29', '2024-02-29 12:34:56', '2024-02-29T12:34:56.5-08:00', '{"a": 1.10}', 'a')`,
		`INSERT INTO t VALUES (-1, 2, 2, 3, 0, '', x'', NULL, NULL, NULL, NULL, NULL)`)
	check(t, db, driveradapter.SQLite,
		`{"columns":["i","b","r","d","o","c","x","day","at","ts","j","untyped"],`+
			`"types":["int","bigint","double","decimal","bool","string","bytes","date","datetime","datetime","json","string"],"rows":[`+
			`[1,"9007199254740993",0.5,"1.5",true,"Ô \"q\"","AP8=","2024-02-29","2024-02-29T12:34:56+00:00","2024-02-29T20:34:56.500+00:00",{"a": 1.10},"a"],`+
			`[-1,"2",2,"3",false,"","",null,null,null,null,null]]}`,
		`SELECT * FROM t`)
}

// TestSQLiteAnyValue checks columns whose cells do not fit their declaration.
func TestSQLiteAnyValue(t *testing.T) {
	db := openSQLite(t)
	exec1(t, db, `CREATE TABLE t (i INTEGER, w INTEGER, f INTEGER, day DATE, c TEXT)`,
		`INSERT INTO t VALUES (1, 1, 1, '2024-02-29', 'a'), ('one', 3000000000, 0.5, 'today', x'ff')`)
	check(t, db, driveradapter.SQLite,
		`{"columns":["i","w","f","day","c"],"types":["unknown","bigint","double","unknown","unknown"],"rows":[`+
			`[1,"1",1,"2024-02-29","a"],["one","3000000000",0.5,"today","/w=="]]}`,
		`SELECT * FROM t`)

	rows, err := db.QueryContext(ctx, `SELECT i FROM t`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	r, err := sqlrows.New(driveradapter.SQLite, rows)
	if err != nil {
		t.Fatal(err)
	}
	var w bytes.Buffer
	if err := engines[driveradapter.SQLite].Stream(ctx, &w, r); !errors.Is(err, driveradapter.CodeLabelUnsettled) {
		t.Errorf("got the error %v, want LABEL_UNSETTLED", err)
	}
}

func TestSQLiteExpressions(t *testing.T) {
	db := openSQLite(t)
	check(t, db, driveradapter.SQLite,
		`{"columns":["count","sum","avg","text","blob","none"],"types":["int","bigint","double","string","bytes","int"],"rows":[[3,"6000000000",0.1,"x","AQ==",null]]}`,
		`SELECT count(*) AS count, sum(n) AS sum, avg(n) / 2e10 AS avg, 'x' AS text, x'01' AS blob, NULL AS none
		 FROM (SELECT 1000000000 AS n UNION SELECT 2000000000 UNION SELECT 3000000000)`)
	// The first value that is not null is in the last row.
	check(t, db, driveradapter.SQLite,
		`{"columns":["n"],"types":["string"],"rows":[[null],[null],["x"]]}`,
		`SELECT NULL AS n UNION ALL SELECT NULL UNION ALL SELECT 'x'`)
}

// TestSQLiteSnapshot shows how to read a changing table twice: the transaction
// keeps to what it saw first.
func TestSQLiteSnapshot(t *testing.T) {
	db := openSQLite(t)
	exec1(t, db, `CREATE TABLE t (i INTEGER)`, `INSERT INTO t VALUES (1), (3000000000)`)
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	q, err := sqlrows.Query(ctx, tx, driveradapter.SQLite, `SELECT i FROM t`)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	var w bytes.Buffer
	if err := engines[driveradapter.SQLite].Stream(ctx, &w, q, host.ShapeNDJSON, host.SettleScan); err != nil {
		t.Fatal(err)
	}
	if want := "{\"i\":\"1\"}\n{\"i\":\"3000000000\"}\n"; w.String() != want {
		t.Errorf("got %s, want %s", &w, want)
	}
}
