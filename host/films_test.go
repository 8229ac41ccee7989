package host_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
)

// openFilms returns a database that answers every query with the same films,
// then with an error if failing. It stands for a real one in the examples.
func openFilms(failing bool) *sql.DB { return sql.OpenDB(films{failing}) }

type films struct{ failing bool }

func (f films) Connect(context.Context) (driver.Conn, error) { return f, nil }
func (f films) Driver() driver.Driver                        { return nil }
func (f films) Prepare(string) (driver.Stmt, error)          { return nil, errors.ErrUnsupported }
func (f films) Begin() (driver.Tx, error)                    { return nil, errors.ErrUnsupported }
func (f films) Close() error                                 { return nil }

func (f films) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return &filmRows{films: f}, nil
}

type filmRows struct {
	films
	read int
}

func (r *filmRows) Columns() []string { return []string{"id", "title", "price"} }

func (r *filmRows) ColumnTypeDatabaseTypeName(i int) string {
	return []string{"INT4", "TEXT", "NUMERIC"}[i]
}

func (r *filmRows) Next(dest []driver.Value) error {
	titles := []string{"Playtime", "Ran"}
	if r.read == len(titles) {
		if r.failing {
			return errors.New("connection lost")
		}
		return io.EOF
	}
	dest[0], dest[1], dest[2] = int64(r.read+1), titles[r.read], "9.90"
	r.read++
	return nil
}
