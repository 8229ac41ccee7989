package sqlrows_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"reflect"
	"testing"
)

// fakeColumn is a column of a fake result.
type fakeColumn struct {
	name, typeName string
	scanType       reflect.Type
}

// fakeResult is what a query gives.
type fakeResult struct {
	columns []fakeColumn
	rows    [][]driver.Value
	err     error // after the rows
	more    *fakeResult
	before  func(row int) // called before each row
}

// fakeDB is a database that gives these results, one for each query.
type fakeDB struct {
	results []fakeResult
	queries int
}

// openFake returns a database that answers queries with the given results.
func openFake(t *testing.T, results ...fakeResult) *sql.DB {
	t.Helper()
	db := sql.OpenDB(&fakeDB{results: results})
	t.Cleanup(func() {
		if open := db.Stats().InUse; open != 0 {
			t.Errorf("%d connections are still in use", open)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// query returns the rows of a fake result.
func query(t *testing.T, result fakeResult) *sql.Rows {
	t.Helper()
	rows, err := openFake(t, result).Query("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rows.Close() })
	return rows
}

func (db *fakeDB) Connect(context.Context) (driver.Conn, error) { return fakeConn{db}, nil }
func (db *fakeDB) Driver() driver.Driver                        { return nil }

type fakeConn struct{ db *fakeDB }

func (c fakeConn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("not here") }
func (c fakeConn) Begin() (driver.Tx, error)           { return nil, errors.New("not here") }
func (c fakeConn) Close() error                        { return nil }

func (c fakeConn) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	if c.db.queries >= len(c.db.results) {
		return nil, errors.New("no more results")
	}
	c.db.queries++
	rows := &fakeRows{fakeResult: c.db.results[c.db.queries-1]}
	if rows.more != nil {
		return &severalRows{rows}, nil
	}
	return rows, nil
}

// severalRows are several result sets.
type severalRows struct{ *fakeRows }

func (r *severalRows) HasNextResultSet() bool { return r.more != nil }

func (r *severalRows) NextResultSet() error {
	if r.more == nil {
		return io.EOF
	}
	r.fakeRows = &fakeRows{fakeResult: *r.more}
	return nil
}

type fakeRows struct {
	fakeResult
	at      int
	scratch []byte
}

func (r *fakeRows) Columns() []string {
	names := make([]string, len(r.columns))
	for i, c := range r.columns {
		names[i] = c.name
	}
	return names
}

func (r *fakeRows) Close() error                                 { return nil }
func (r *fakeRows) ColumnTypeDatabaseTypeName(i int) string      { return r.columns[i].typeName }
func (r *fakeRows) ColumnTypeScanType(i int) reflect.Type        { return r.columns[i].scanType }
func (r *fakeRows) ColumnTypeNullable(int) (nullable, ok bool)   { return true, true }
func (r *fakeRows) ColumnTypeLength(int) (length int64, ok bool) { return 0, false }

// Next gives bytes from one buffer for all rows, as a driver may.
func (r *fakeRows) Next(dest []driver.Value) error {
	if r.before != nil {
		r.before(r.at)
	}
	if r.at == len(r.rows) {
		if r.err != nil {
			return r.err
		}
		return io.EOF
	}
	r.scratch = r.scratch[:0]
	for i, v := range r.rows[r.at] {
		if b, ok := v.([]byte); ok && b != nil {
			start := len(r.scratch)
			r.scratch = append(r.scratch, b...)
			v = r.scratch[start:len(r.scratch):len(r.scratch)]
		}
		dest[i] = v
	}
	r.at++
	return nil
}
