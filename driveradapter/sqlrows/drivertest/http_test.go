package drivertest

import (
	"database/sql"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/driveradapter/pgmessages"
	"github.com/rowjet/rowjet/driveradapter/sqlrows"
	"github.com/rowjet/rowjet/host"

	"github.com/jackc/pgx/v5"
)

// get returns what a client gets of a handler.
func get(t *testing.T, handler http.HandlerFunc) (body string, err error) {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	response, err := http.Get(server.URL)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	all, err := io.ReadAll(response.Body)
	return string(all), err
}

// TestHTTPSQLite streams real queries to real clients: a result that breaks off
// must not look whole.
func TestHTTPSQLite(t *testing.T) {
	db := openSQLite(t)
	exec1(t, db, `CREATE TABLE item (id INTEGER, price DECIMAL(10,2))`, `INSERT INTO item VALUES (1, 9.5), (2, NULL)`)
	handler := func(db *sql.DB, query string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			rows, err := db.QueryContext(r.Context(), query)
			if err != nil {
				http.Error(w, "the database does not answer", http.StatusBadGateway)
				return
			}
			defer rows.Close()
			result, err := sqlrows.New(driveradapter.SQLite, rows)
			if err != nil {
				http.Error(w, "the query has no result", http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			if err := engines[driveradapter.SQLite].Stream(r.Context(), w, result, host.ShapeObjects, host.SettleUnknown); err != nil {
				panic(http.ErrAbortHandler)
			}
		}
	}
	body, err := get(t, handler(db, `SELECT id, price FROM item ORDER BY id`))
	if want := `[{"id":1,"price":9.5},{"id":2,"price":null}]`; err != nil || body != want {
		t.Errorf("got %s, error %v, want %s", body, err, want)
	}
	// abs() of the least integer is an error of SQLite, after 50,000 good rows.
	const overflow = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50001)
		SELECT i, CASE WHEN i = 50001 THEN abs(-9223372036854775807 - 1) ELSE i END AS v FROM n`
	body, err = get(t, handler(db, overflow))
	if err == nil || len(body) < 100_000 {
		t.Errorf("the client took %d bytes for whole: error %v", len(body), err)
	}
}

func TestHTTPPgx(t *testing.T) {
	for _, test := range []struct {
		query, want string
	}{
		{`SELECT n AS id FROM generate_series(1, 2) AS n`, `[{"id":1},{"id":2}]`},
		{`SELECT 1 / (50000 - n) AS id FROM generate_series(1, 50001) AS n`, ""},
	} {
		conn := connectPgx(t, "")
		body, err := get(t, func(w http.ResponseWriter, r *http.Request) {
			rows, err := conn.Query(r.Context(), test.query, pgx.QueryResultFormats{pgx.BinaryFormatCode})
			if err != nil {
				http.Error(w, "the database does not answer", http.StatusBadGateway)
				return
			}
			defer rows.Close()
			if err := engines[driveradapter.Postgres].StreamMessages(r.Context(), w, pgmessages.FromRows(rows), host.ShapeObjects); err != nil {
				panic(http.ErrAbortHandler)
			}
		})
		if test.want != "" && (err != nil || body != test.want) || test.want == "" && (err == nil || len(body) < 100_000) {
			t.Errorf("%s: got %d bytes, error %v", test.query, len(body), err)
		}
	}
}
