package drivertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/driveradapter/pgmessages"
	"github.com/rowjet/rowjet/driveradapter/sqlrows"
	"github.com/rowjet/rowjet/host"
)

// connectPgx returns a connection that is closed after the test, and must be idle then.
func connectPgx(t *testing.T, parameters string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(ctx, postgresURL+parameters)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !conn.IsClosed() && conn.PgConn().IsBusy() {
			t.Error("the connection is still busy")
		}
		conn.Close(ctx)
	})
	return conn
}

// streamPgx streams the rows of a query.
func streamPgx(ctx context.Context, conn *pgx.Conn, w io.Writer, types pgmessages.Types, query string, args ...any) error {
	rows, err := conn.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	return engines[driveradapter.Postgres].StreamMessages(ctx, w, pgmessages.FromRows(rows, types))
}

// TestPgxTypes checks all types, in the formats that pgx asks for by itself, in
// text format, and by the simple protocol: the bytes are those that sqlrows gives.
func TestPgxTypes(t *testing.T) {
	conn := connectPgx(t, "")
	var list, casts []string
	for _, c := range postgresCells {
		list = append(list, c.source+` AS "`+c.name+`"`)
		if c.name == "money" { // has no binary format that tells all
			casts = append(casts, c.source+`::text AS "`+c.name+`"`)
		} else {
			casts = append(casts, list[len(list)-1])
		}
	}
	query := "SELECT " + strings.Join(list, ", ")
	for _, statement := range []string{`SET lc_monetary = 'C'`, `SET TIME ZONE 'Asia/Kolkata'`, `DROP TYPE IF EXISTS rowjet_mood`, `CREATE TYPE rowjet_mood AS ENUM ('sad', 'ok')`} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	mood, err := conn.LoadType(ctx, "rowjet_mood")
	if err != nil {
		t.Fatal(err)
	}
	want := document(postgresCells)
	labelled := "" // what the document is if the enum's type is told
	for i, c := range postgresCells {
		if c.name == "enum" {
			cells := append([]cell{}, postgresCells...)
			cells[i].label = "enum"
			labelled = document(cells)
		}
	}
	for _, test := range []struct {
		name, query string
		args        []any
		types       pgmessages.Types
		want        string
	}{
		{"as pgx asks", query, nil, nil, want},
		{"described first", query, []any{pgx.QueryExecModeDescribeExec}, nil, want},
		{"text", query, []any{pgx.QueryResultFormats{pgx.TextFormatCode}}, nil, want},
		{"binary", "SELECT " + strings.Join(casts, ", "), []any{pgx.QueryResultFormats{pgx.BinaryFormatCode}}, pgmessages.Types{mood.OID: driveradapter.Enum}, labelled},
		{"simple protocol", query, []any{pgx.QueryExecModeSimpleProtocol}, nil, want},
		{"type map", query, nil, pgmessages.Types{mood.OID: driveradapter.Enum}, labelled},
	} {
		var w bytes.Buffer
		if err := streamPgx(ctx, conn, &w, test.types, test.query, test.args...); err != nil || w.String() != test.want {
			t.Errorf("%s: error %v, got\n%s\nwant\n%s", test.name, err, &w, test.want)
		}
	}

	// Types that pgx was told of may come in binary format.
	conn.TypeMap().RegisterType(mood)
	moods, err := conn.LoadType(ctx, "_rowjet_mood")
	if err == nil {
		conn.TypeMap().RegisterType(moods)
		var w bytes.Buffer
		types := pgmessages.Types{mood.OID: driveradapter.Enum, moods.OID: driveradapter.EnumArray}
		err = streamPgx(ctx, conn, &w, types, `SELECT '{ok,NULL,sad}'::rowjet_mood[] AS m`)
		if want := `{"columns":["m"],"types":["string-array"],"rows":[[["ok",null,"sad"]]]}`; err != nil || w.String() != want {
			t.Errorf("array of enums: got %s, error %v", &w, err)
		}
	} else {
		t.Error(err)
	}
	if _, err := conn.Exec(ctx, `DROP TYPE rowjet_mood`); err != nil {
		t.Error(err)
	}
}

// large has rows of all sizes, also longer than a chunk.
const large = `SELECT n AS id, repeat(chr(65 + n % 57), (n * 37) % 300) AS short, CASE WHEN n % 500 = 0 THEN repeat('Ä"', n * 20) END AS long,
	n * 1.5 AS price, now() - n * interval '1 minute' AS at FROM generate_series(1, $1::int) AS n`

// TestPgxLarge compares with what sqlrows gives, in every shape and all ways.
func TestPgxLarge(t *testing.T) {
	conn := connectPgx(t, "")
	db := open(t, "pgx", postgresURL)
	exec1(t, db, `DROP TABLE IF EXISTS rowjet_large`, `CREATE TABLE rowjet_large AS `+strings.Replace(large, "$1::int", "4000", 1))
	defer exec1(t, db, `DROP TABLE rowjet_large`)
	const query = `SELECT * FROM rowjet_large ORDER BY id`
	engine := engines[driveradapter.Postgres]
	for _, shape := range []host.Shape{host.ShapeArray, host.ShapeObjects, host.ShapeNDJSON} {
		sqlRows, err := db.QueryContext(ctx, query)
		if err != nil {
			t.Fatal(err)
		}
		rs, err := sqlrows.ReadAll(driveradapter.Postgres, sqlRows)
		if err != nil {
			t.Fatal(err)
		}
		want, err := engine.Serialize(ctx, rs, shape)
		if err != nil {
			t.Fatal(err)
		}
		for way, serialize := range map[string]func(r io.Reader) ([]byte, error){
			"Serialize": func(r io.Reader) ([]byte, error) { return engine.SerializeMessages(ctx, r, shape) },
			"Stream": func(r io.Reader) ([]byte, error) {
				var w bytes.Buffer
				err := engine.StreamMessages(ctx, &w, r, shape)
				return w.Bytes(), err
			},
		} {
			for source, run := range map[string]func() (io.Reader, error){
				"Rows": func() (io.Reader, error) {
					rows, err := conn.Query(ctx, query)
					return pgmessages.FromRows(rows), err
				},
				"ResultReader, text": func() (io.Reader, error) {
					return pgmessages.FromResult(conn.PgConn().ExecParams(ctx, query, nil, nil, nil, nil)), nil
				},
				"ResultReader, binary": func() (io.Reader, error) {
					return pgmessages.FromResult(conn.PgConn().ExecParams(ctx, query, nil, nil, nil, []int16{pgx.BinaryFormatCode})), nil
				},
				"MultiResultReader": func() (io.Reader, error) {
					return pgmessages.FromResults(conn.PgConn().Exec(ctx, query)), nil
				},
			} {
				r, err := run()
				if err != nil {
					t.Fatal(err)
				}
				got, err := serialize(r)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s, %s, shape %d: %d bytes, error %v, want %d bytes", way, source, shape, len(got), err, len(want))
				}
			}
		}
	}

	// Batches have the names.
	rows, err := conn.Query(ctx, query)
	if err != nil {
		t.Fatal(err)
	}
	count, sum := 0, 0
	err = engine.BatchMessages(ctx, pgmessages.FromRows(rows), func(b *host.Batch) error {
		count += b.Rows
		for _, v := range b.Columns[0].Int32s {
			sum += int(v)
		}
		if b.Columns[0].Name != "id" || b.Columns[4].Name != "at" {
			t.Errorf("columns %q and %q", b.Columns[0].Name, b.Columns[4].Name)
		}
		return nil
	})
	if err != nil || count != 4000 || sum != 4000*4001/2 {
		t.Errorf("%d rows, sum %d, error %v", count, sum, err)
	}
}

// TestPgxResults checks several results of one answer, and a batch of queries.
func TestPgxResults(t *testing.T) {
	conn := connectPgx(t, "")
	engine := engines[driveradapter.Postgres]
	documents := func(r io.Reader) (got []string, failed error) {
		for result, err := range engine.Messages(ctx, r) {
			if err != nil {
				return got, err
			}
			out, err := result.Serialize()
			if err != nil {
				return got, err
			}
			got = append(got, string(out))
		}
		return got, nil
	}
	const first, second = `{"columns":["a"],"types":["int"],"rows":[[1]]}`, `{"columns":["b","c"],"types":["string","string"],"rows":[]}`
	for _, test := range []struct{ sql, want, failed string }{
		{"SELECT 1 AS a", first, ""},
		{"SELECT 1 AS a; CREATE TEMPORARY TABLE rowjet_t (x int); SELECT 'x' AS b, NULL AS c WHERE false; DROP TABLE rowjet_t", first + "\n" + second, ""},
		{"SET TIME ZONE 'UTC'; SELECT 1 AS a", first, ""},
		{"SET TIME ZONE 'UTC'", `{"columns":[],"types":[],"rows":[]}`, ""},
		{"SELECT 1 AS a; SELECT 1 AS a; SELECT 1/0", first, "ERROR: division by zero (SQLSTATE 22012)"},
		{"SELECT 1/(3-x) AS a FROM generate_series(1, 5) AS x", "", "ERROR: division by zero (SQLSTATE 22012)"},
		{"nonsense", "", `ERROR: syntax error at or near "nonsense" (SQLSTATE 42601)`},
	} {
		got, err := documents(pgmessages.FromResults(conn.PgConn().Exec(ctx, test.sql)))
		if strings.Join(got, "\n") != test.want || test.failed == "" && err != nil || test.failed != "" && (err == nil || err.Error() != test.failed) {
			t.Errorf("%s: got %q, error %v", test.sql, got, err)
		}
	}

	// The columns of the result that has the error are the ones that it names.
	_, err := documents(pgmessages.FromResults(conn.PgConn().Exec(ctx, "SET datestyle = 'SQL'; SELECT 1 AS a; SELECT 2 AS b, '2024-02-29'::date AS c")))
	var e *driveradapter.Error
	if !errors.As(err, &e) || e.Code != driveradapter.CodeDateStyle || e.Column != 1 || e.Name != "c" {
		t.Errorf("got the error %v", err)
	}
	// pgx has not read that answer to its end.
	conn.Close(ctx)

	conn = connectPgx(t, "")
	batch := &pgx.Batch{}
	batch.Queue("SELECT 1 AS a")
	batch.Queue("SELECT 'x' AS b, NULL AS c WHERE $1", false)
	results := conn.SendBatch(ctx, batch)
	for _, want := range []string{first, second} {
		rows, err := results.Query()
		if err != nil {
			t.Fatal(err)
		}
		out, err := engine.SerializeMessages(ctx, pgmessages.FromRows(rows))
		if err != nil || string(out) != want {
			t.Errorf("got %s, error %v", out, err)
		}
	}
	if err := results.Close(); err != nil {
		t.Error(err)
	}
}

// TestPgxErrors checks that errors in the middle come through as they are, and
// that cancelled queries end.
func TestPgxErrors(t *testing.T) {
	conn := connectPgx(t, "")
	for _, args := range [][]any{{}, {pgx.QueryExecModeSimpleProtocol}} {
		var w bytes.Buffer
		err := streamPgx(ctx, conn, &w, nil, `SELECT 1000 / (30000 - n) AS n, repeat('x', 200) FROM generate_series(1, 40000) AS n`, args...)
		var server *pgconn.PgError
		if !errors.As(err, &server) || server.Code != "22012" || w.Len() < 1_000_000 {
			t.Errorf("division by zero: got %d bytes, error %v", w.Len(), err)
		}
	}
	err := streamPgx(ctx, conn, io.Discard, nil, `SELECT '1 year'::interval AS i, '1.50'::money AS m`, pgx.QueryResultFormats{pgx.BinaryFormatCode})
	var e *driveradapter.Error
	if !errors.As(err, &e) || e.Code != driveradapter.CodeWireBinary || e.Column != 1 || e.Name != "m" {
		t.Errorf("money in binary format: got the error %v", err)
	}

	// Closed and nil rows.
	rows, err := conn.Query(ctx, "SELECT 1")
	if err != nil {
		t.Fatal(err)
	}
	rows.Close()
	for want, r := range map[string]io.Reader{
		"pgmessages: the rows are closed": pgmessages.FromRows(rows),
		"pgmessages: the rows are nil":    pgmessages.FromRows(pgx.Rows(nil)),
		"pgmessages: the result is nil":   pgmessages.FromResult((*pgconn.ResultReader)(nil)),
		"pgmessages: the results are nil": pgmessages.FromResults((*pgconn.MultiResultReader)(nil)),
	} {
		if _, err := engines[driveradapter.Postgres].SerializeMessages(ctx, r); err == nil || err.Error() != want {
			t.Errorf("got the error %v, want %s", err, want)
		}
	}

	// Cancelled while rows flow, and while none comes.
	for _, query := range []string{`SELECT n, repeat('x', 100) FROM generate_series(1, 100000000) AS n`, `SELECT pg_sleep(60)`} {
		conn := connectPgx(t, "")
		short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		start := time.Now()
		err := streamPgx(short, conn, io.Discard, nil, query)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 10*time.Second {
			t.Errorf("%s: got the error %v after %v", query, err, time.Since(start))
		}
	}
}

// pgx reads the rows from the server, and the module reads their bytes: no cell
// becomes a Go value.
func Example_pgx() {
	conn, err := pgx.Connect(ctx, postgresURL) // "postgres://…"
	if err != nil {
		panic(err)
	}
	defer conn.Close(ctx)
	rt, err := host.New(ctx)
	if err != nil {
		panic(err)
	}
	defer rt.Close(ctx)
	engine, err := rt.Engine(ctx, driveradapter.Postgres)
	if err != nil {
		panic(err)
	}

	rows, err := conn.Query(ctx, "SELECT n AS id, n * 1.10 AS price FROM generate_series(1, $1::int8) AS n", 2)
	if err != nil {
		panic(err)
	}
	defer rows.Close()
	out, err := engine.SerializeMessages(ctx, pgmessages.FromRows(rows))
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out))
	// Output:
	// {"columns":["id","price"],"types":["bigint","decimal"],"rows":[["1","1.10"],["2","2.20"]]}
}
