package drivertest

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/driveradapter/pgmessages"
	"github.com/rowjet/rowjet/driveradapter/sqlrows"
	"github.com/rowjet/rowjet/host"
)

// onWrite is a writer that does something at its second piece, when rows are read.
type onWrite struct {
	bytes.Buffer
	pieces int
	act    func()
}

func (w *onWrite) Write(p []byte) (int, error) {
	if w.pieces++; w.pieces == 2 {
		w.act()
	}
	return w.Buffer.Write(p)
}

// TestClosedEarly ends results of real drivers while they are streamed, in every way
// that database/sql has: what was written must not pass as whole.
func TestClosedEarly(t *testing.T) {
	const series = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT i, 'some text' AS t FROM n`
	for _, database := range []struct {
		driver, dsn string
		dialect     driveradapter.Dialect
	}{
		{"pgx", postgresURL, driveradapter.Postgres},
		{"mysql", mysqlDSN(t, ""), driveradapter.MySQL},
		{"sqlite", t.TempDir() + "/test.db", driveradapter.SQLite},
	} {
		for name, test := range map[string]struct {
			end  func(rows *sql.Rows, tx *sql.Tx, cancel func())
			want error
		}{
			"closed":      {func(rows *sql.Rows, _ *sql.Tx, _ func()) { rows.Close() }, sqlrows.ErrClosed},
			"rolled back": {func(_ *sql.Rows, tx *sql.Tx, _ func()) { tx.Rollback() }, context.Canceled},
			"committed":   {func(_ *sql.Rows, tx *sql.Tx, _ func()) { tx.Commit() }, context.Canceled},
			"cancelled":   {func(_ *sql.Rows, _ *sql.Tx, cancel func()) { cancel() }, context.Canceled},
			"closed by another goroutine": {func(rows *sql.Rows, _ *sql.Tx, _ func()) {
				closed := make(chan struct{})
				go func() { rows.Close(); close(closed) }()
				<-closed
			}, sqlrows.ErrClosed},
		} {
			t.Run(database.driver+" "+name, func(t *testing.T) {
				db := open(t, database.driver, database.dsn)
				if database.dialect == driveradapter.MySQL {
					exec1(t, db, `SET SESSION max_recursive_iterations = 1000000`)
				}
				tx, err := db.BeginTx(ctx, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer tx.Rollback()
				cancelled, cancel := context.WithCancel(ctx)
				defer cancel()
				rows, err := tx.QueryContext(cancelled, series)
				if err != nil {
					t.Fatal(err)
				}
				defer rows.Close()
				r, err := sqlrows.New(database.dialect, rows)
				if err != nil {
					t.Fatal(err)
				}
				w := onWrite{act: func() { test.end(rows, tx, cancel) }}
				err = engines[database.dialect].Stream(ctx, &w, r, host.ShapeArray, host.SettleUnknown)
				if !errors.Is(err, test.want) {
					t.Errorf("got the error %v, want %v", err, test.want)
				}
				if json.Valid(w.Bytes()) {
					t.Errorf("%d bytes look whole", w.Len())
				}
			})
		}
	}
}

// TestPgxClosedEarly does it to pgx.
func TestPgxClosedEarly(t *testing.T) {
	engine := engines[driveradapter.Postgres]
	const series = `SELECT n, 'some text' AS t FROM generate_series(1, 100000) AS n`
	for name, test := range map[string]struct {
		query string
		args  []any
		end   func(rows pgx.Rows, cancel func())
		want  error
	}{
		"closed":                  {series, nil, func(rows pgx.Rows, _ func()) { rows.Close() }, pgmessages.ErrClosed},
		"closed, simple protocol": {series, []any{pgx.QueryExecModeSimpleProtocol}, func(rows pgx.Rows, _ func()) { rows.Close() }, pgmessages.ErrClosed},
		"closed, without a count": {`EXPLAIN ` + unions(2000), nil, func(rows pgx.Rows, _ func()) { rows.Close() }, pgmessages.ErrClosed},
		"a row read elsewhere":    {series, nil, func(rows pgx.Rows, _ func()) { rows.Next() }, pgmessages.ErrClosed},
		"cancelled":               {series, nil, func(_ pgx.Rows, cancel func()) { cancel() }, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			conn := connectPgx(t, "")
			cancelled, cancel := context.WithCancel(ctx)
			defer cancel()
			rows, err := conn.Query(cancelled, test.query, test.args...)
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			w := onWrite{act: func() { test.end(rows, cancel) }}
			err = engine.StreamMessages(ctx, &w, pgmessages.FromRows(rows))
			if !errors.Is(err, test.want) {
				t.Errorf("got the error %v, want %v", err, test.want)
			}
			if json.Valid(w.Bytes()) {
				t.Errorf("%d bytes look whole", w.Len())
			}
		})
	}
	for name, run := range map[string]func(conn *pgconn.PgConn) (*pgmessages.Reader, *pgconn.ResultReader){
		"ResultReader": func(conn *pgconn.PgConn) (*pgmessages.Reader, *pgconn.ResultReader) {
			result := conn.ExecParams(ctx, series, nil, nil, nil, nil)
			return pgmessages.FromResult(result), result
		},
		"MultiResultReader": func(conn *pgconn.PgConn) (*pgmessages.Reader, *pgconn.ResultReader) {
			results := conn.Exec(ctx, series)
			if !results.NextResult() {
				t.Fatal("no result")
			}
			return pgmessages.FromResult(results.ResultReader()), results.ResultReader()
		},
	} {
		t.Run(name, func(t *testing.T) {
			conn := connectPgx(t, "").PgConn()
			r, result := run(conn)
			w := onWrite{act: func() { result.Close() }}
			if err := engine.StreamMessages(ctx, &w, r); err != pgmessages.ErrClosed {
				t.Errorf("got the error %v, want ErrClosed", err)
			}
			if json.Valid(w.Bytes()) {
				t.Errorf("%d bytes look whole", w.Len())
			}
			conn.Close(ctx)
		})
	}
}

// unions is a query whose plan has many rows.
func unions(n int) string {
	query := "SELECT 1"
	for range n {
		query += " UNION ALL SELECT 1"
	}
	return query
}

var modes = []pgx.QueryExecMode{
	pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
	pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
}

// TestPgxRule checks a rule whose rows are not those that the tag counts.
func TestPgxRule(t *testing.T) {
	conn := connectPgx(t, "")
	for _, statement := range []string{
		`CREATE TEMPORARY TABLE rowjet_t AS SELECT x FROM generate_series(1, 2) AS x`,
		`CREATE TEMPORARY VIEW rowjet_v AS SELECT x FROM rowjet_t`,
		`CREATE RULE rowjet_r AS ON DELETE TO rowjet_v DO INSTEAD UPDATE rowjet_t SET x = -x WHERE x = OLD.x RETURNING x`,
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	var w bytes.Buffer
	err := streamPgx(ctx, conn, &w, nil, `DELETE FROM rowjet_v RETURNING x`, pgx.QueryExecModeSimpleProtocol)
	if want := `{"columns":["x"],"types":["int"],"rows":[[-1],[-2]]}`; err != nil || w.String() != want {
		t.Errorf("got %s, error %v, want %s", w.String(), err, want)
	}
}

// TestPgxFailed leaves the error of a query to its rows, as pgx allows.
func TestPgxFailed(t *testing.T) {
	conn := connectPgx(t, "")
	check := func(name string, rows pgx.Rows) {
		t.Helper()
		defer rows.Close()
		_, err := engines[driveradapter.Postgres].SerializeMessages(ctx, pgmessages.FromRows(rows))
		var failed *pgconn.PgError
		if !errors.As(err, &failed) || failed.Code != "42703" {
			t.Errorf("%s: got the error %v, want that of the server", name, err)
		}
	}
	for _, mode := range modes {
		rows, _ := conn.Query(ctx, `SELECT nothing`, mode)
		check(mode.String(), rows)
	}
	var batch pgx.Batch
	batch.Queue(`SELECT nothing`)
	answers := conn.SendBatch(ctx, &batch)
	rows, _ := answers.Query()
	check("batch", rows)
	answers.Close()
}

// TestPgxTags checks that results of all kinds of commands are taken for whole: the
// numbers in their tags are those of their rows.
func TestPgxTags(t *testing.T) {
	conn := connectPgx(t, "")
	for _, statement := range []string{
		`CREATE TEMPORARY TABLE rowjet_t (x int PRIMARY KEY, y int)`,
		`CREATE TEMPORARY VIEW rowjet_v AS SELECT x FROM rowjet_t`,
		`CREATE RULE rowjet_r AS ON INSERT TO rowjet_v DO INSTEAD (UPDATE rowjet_t SET y = 0; INSERT INTO rowjet_t SELECT new.x + i FROM generate_series(0, 2) AS i RETURNING x)`,
		`PREPARE rowjet_p AS SELECT * FROM generate_series(1, 3)`,
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		query string
		rows  int
	}{
		{`SELECT 1 WHERE false`, 0},
		{`INSERT INTO rowjet_t SELECT i, i FROM generate_series(1, 5) AS i RETURNING x`, 5},
		{`INSERT INTO rowjet_t SELECT i, i FROM generate_series(4, 7) AS i ON CONFLICT DO NOTHING RETURNING x`, 2},
		{`INSERT INTO rowjet_v VALUES (100), (200) RETURNING x`, 6},
		{`UPDATE rowjet_t SET y = y + 1 WHERE x < 4 RETURNING x`, 3},
		{`WITH d AS (DELETE FROM rowjet_t WHERE x < 3 RETURNING x) SELECT x FROM d UNION ALL SELECT 9`, 3},
		{`WITH i AS (INSERT INTO rowjet_t VALUES (50)) DELETE FROM rowjet_t WHERE x > 6 AND x < 50 RETURNING x`, 1},
		{`VALUES (1), (2)`, 2},
		{`TABLE rowjet_t`, 11},
		{`SELECT FROM rowjet_t`, 11},
		{`INSERT INTO rowjet_t VALUES (60), (61)`, 0},
		{`UPDATE rowjet_t SET y = 1 WHERE x > 50`, 0},
		{`COPY rowjet_t TO STDOUT`, 0},
		{`DECLARE rowjet_c CURSOR FOR SELECT * FROM generate_series(1, 100)`, 0},
		{`FETCH 3 FROM rowjet_c`, 3},
		{`MOVE ABSOLUTE 0 IN rowjet_c`, 0},
		{`SHOW server_version_num`, 1},
		{`EXPLAIN SELECT 1`, 1},
		{`CREATE TEMPORARY TABLE rowjet_u AS SELECT * FROM generate_series(1, 4)`, 0},
		{`EXECUTE rowjet_p`, 3},
		{`DELETE FROM rowjet_t WHERE x > 60`, 0},
		{`DELETE FROM rowjet_t RETURNING x, y`, 6},
	} {
		for i, mode := range modes {
			if _, err := tx.Exec(ctx, `SAVEPOINT s`); err != nil {
				t.Fatal(err)
			}
			rows, err := tx.Query(ctx, test.query, mode)
			if err != nil {
				t.Fatal(err)
			}
			out, err := engines[driveradapter.Postgres].SerializeMessages(ctx, pgmessages.FromRows(rows))
			var document struct{ Rows []any }
			if err == nil {
				err = json.Unmarshal(out, &document)
			}
			if err != nil || len(document.Rows) != test.rows {
				t.Errorf("%s (%s): got %d rows, error %v, want %d", test.query, mode, len(document.Rows), err, test.rows)
			}
			if i < len(modes)-1 { // once more, in the same state
				if _, err := tx.Exec(ctx, `ROLLBACK TO s`); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := tx.Rollback(ctx); err != nil {
		t.Error(err)
	}
}
