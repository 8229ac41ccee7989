package sqlrows

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/rowjet/rowjet/driveradapter"
)

// lookahead is how many rows are read to find the types of undeclared columns.
const lookahead = 1000

// ErrClosed is the error for rows that somebody closed before they were read to
// the end. *sql.Rows have no error then.
var ErrClosed = errors.New("sqlrows: the rows were closed before they were read to the end")

var errNilRows = errors.New("sqlrows: the rows are nil")

// Rows is a driveradapter.Rows over *sql.Rows. It is not safe for concurrent
// use.
type Rows struct {
	rows    *sql.Rows
	names   []string
	types   []driveradapter.ColumnType
	columns []column
	dest    []any // the columns, as Scan wants them
	row     []any
	ahead   [][]any // rows read by New, in order
	read    int64   // rows read from rows
	ended   bool    // nothing more is to be read from rows
	err     error
}

// New returns the rows of a query as a driver adapter hands them over. It does
// not close rows: use Close. The dialect must be that of the database.
//
// If a SQLite result has columns without a declared type, New reads rows until
// it knows what they hold.
func New(d driveradapter.Dialect, rows *sql.Rows) (*Rows, error) {
	if rows == nil {
		return nil, errNilRows
	}
	columnTypes, err := rows.ColumnTypes() // an error if rows are closed
	if err != nil {
		return nil, fmt.Errorf("sqlrows: %w", err)
	}
	n := len(columnTypes)
	r := &Rows{
		rows:    rows,
		names:   make([]string, n),
		types:   make([]driveradapter.ColumnType, n),
		columns: make([]column, n),
		dest:    make([]any, n),
		row:     make([]any, n),
	}
	unknown := 0
	for i, c := range columnTypes {
		r.names[i] = c.Name()
		r.types[i] = typeOf(d, c)
		r.columns[i] = column{dialect: d, typ: r.types[i], boxes: c.DatabaseTypeName() == "_BOX"}
		r.dest[i] = &r.columns[i]
		if r.types[i] == undeclared {
			unknown++
		}
	}
	if unknown > 0 {
		r.infer(unknown)
	}
	return r, nil
}

// infer finds the types of undeclared columns.
func (r *Rows) infer(unknown int) {
	for unknown > 0 && len(r.ahead) < lookahead && r.scan() {
		r.ahead = append(r.ahead, slices.Clone(r.row))
		for i, v := range r.row {
			if r.types[i] == undeclared && v != nil {
				r.setType(i, typeOfValue(v))
				unknown--
			}
		}
	}
	for i, t := range r.types {
		if t == undeclared { // nothing but null so far, which is an int in SQLite's adapters
			r.setType(i, driveradapter.Int32)
		}
	}
}

func (r *Rows) setType(i int, t driveradapter.ColumnType) {
	r.types[i], r.columns[i].typ = t, t
}

// usable reports whether r is of New, and so has methods that do something.
func (r *Rows) usable() bool { return r != nil && r.rows != nil }

// ColumnNames returns the names of the columns. The slice must not be changed.
func (r *Rows) ColumnNames() []string {
	if !r.usable() {
		return nil
	}
	return r.names
}

// ColumnTypes returns the types of the columns. The slice must not be changed.
func (r *Rows) ColumnTypes() []driveradapter.ColumnType {
	if !r.usable() {
		return nil
	}
	return r.types
}

// Next goes to the next row.
func (r *Rows) Next() bool {
	if !r.usable() {
		return false
	}
	if len(r.ahead) > 0 {
		r.row = r.ahead[0]
		r.ahead[0] = nil
		r.ahead = r.ahead[1:]
		return true
	}
	return r.scan()
}

// scan reads a row into r.row.
func (r *Rows) scan() bool {
	if r.ended {
		return false
	}
	r.ended = true // unless a row comes
	if !r.next() {
		return false
	}
	if err := r.rows.Scan(r.dest...); err != nil {
		if r.err = r.rows.Err(); r.err == nil {
			r.err = fmt.Errorf("row %d: %w", r.read, err)
			if _, err := r.rows.Columns(); err != nil {
				r.err = ErrClosed
			}
		}
		return false
	}
	for i := range r.columns {
		c := &r.columns[i]
		if c.problem != "" {
			r.err = &driveradapter.Error{
				Code: driveradapter.CodeValueUnsupported, Row: r.read, Column: i,
				Name: r.names[i], Type: r.types[i], Found: c.problem,
			}
			return false
		}
		r.row[i] = c.cell
	}
	r.read++
	r.ended = false
	return true
}

// next goes to the next row of the *sql.Rows, and tells their end from being
// closed by somebody else, which is no error to them.
func (r *Rows) next() bool {
	if !tellsEnd {
		// What is left is to look just before.
		if _, err := r.rows.Columns(); err != nil {
			if r.err = r.rows.Err(); r.err == nil {
				r.err = ErrClosed
			}
			return false
		}
	}
	if r.rows.Next() {
		return true
	}
	r.err = r.rows.Err()
	if r.err != nil || !tellsEnd || reflect.ValueOf(r.rows).Elem().FieldByIndex(hitEOF.Index).Bool() {
		return false
	}
	if _, err := r.rows.Columns(); err != nil { // rows that are open still have more result sets
		r.err = ErrClosed
	}
	return false
}

// hitEOF is the field that Next sets when it, and nobody else, has found the end
// and closed the rows. No method tells that. tellsEnd is false if a later Go has no
// such field.
var (
	hitEOF, hasHitEOF = reflect.TypeFor[sql.Rows]().FieldByName("hitEOF")
	tellsEnd          = hasHitEOF && hitEOF.Type.Kind() == reflect.Bool
)

// Row returns the current row. It is valid until the next call of Next; its
// cells stay valid.
func (r *Rows) Row() []any {
	if !r.usable() {
		return nil
	}
	return r.row
}

// Err returns the error that ended the rows. Those of the database come
// unchanged. Rows that were closed too early are ErrClosed.
func (r *Rows) Err() error {
	if !r.usable() {
		return errNilRows
	}
	if len(r.ahead) > 0 {
		return nil // the error comes after these rows
	}
	return r.err
}

// Close closes the *sql.Rows.
func (r *Rows) Close() error {
	if !r.usable() {
		return errNilRows
	}
	return r.rows.Close()
}

// ReadAll reads all rows, and closes them; of several result sets it reads the one
// that rows are at.
func ReadAll(d driveradapter.Dialect, rows *sql.Rows) (driveradapter.ResultSet, error) {
	r, err := New(d, rows)
	if err != nil {
		return driveradapter.ResultSet{}, err
	}
	defer r.Close()
	rs := driveradapter.ResultSet{ColumnNames: r.names, ColumnTypes: r.types}
	for r.Next() {
		rs.Rows = append(rs.Rows, slices.Clone(r.row))
	}
	if err := r.Err(); err != nil {
		return driveradapter.ResultSet{}, err
	}
	return rs, r.Close()
}

// Querier is *sql.DB, *sql.Conn or *sql.Tx.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Requery is a result that asks the database again when it is rewound, so that
// it can be read twice in flat memory: see host.SettleScan. Both times it must
// see the same rows: query in a transaction that keeps to one snapshot.
type Requery struct {
	*Rows
	again func() (*Rows, error)
}

// Query runs a query whose result can be rewound. The context is for as long as
// the rows are read. Close the result after use.
func Query(ctx context.Context, db Querier, d driveradapter.Dialect, query string, args ...any) (*Requery, error) {
	if v := reflect.ValueOf(db); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, errors.New("sqlrows: the database is nil")
	}
	again := func() (*Rows, error) {
		rows, err := db.QueryContext(ctx, query, args...)
		if err != nil {
			return nil, err
		}
		r, err := New(d, rows)
		if err != nil && rows != nil {
			rows.Close()
		}
		return r, err
	}
	rows, err := again()
	if err != nil {
		return nil, err
	}
	return &Requery{rows, again}, nil
}

// Rewind runs the query again. After an error there are no more rows.
func (q *Requery) Rewind() error {
	if q == nil || q.again == nil {
		return errNilRows
	}
	old := q.Rows
	err := old.Close()
	if err == nil {
		var rows *Rows
		if rows, err = q.again(); err == nil {
			q.Rows = rows
			if !slices.Equal(rows.names, old.names) || !slices.Equal(rows.types, old.types) {
				err = errors.New("sqlrows: the query has other columns the second time")
			}
		}
	}
	if err != nil {
		q.Rows.ended, q.Rows.ahead, q.Rows.err = true, nil, err
	}
	return err
}
