package sqlrows_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"math/big"
	"net/netip"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/driveradapter/sqlrows"
	"github.com/shopspring/decimal"
)

const (
	postgres = driveradapter.Postgres
	mysql    = driveradapter.MySQL
	sqlite   = driveradapter.SQLite
)

// values is one row.
type values = []driver.Value

// TestTypeNames checks the types by the names that they have in documents.
func TestTypeNames(t *testing.T) {
	for _, test := range []struct {
		dialect driveradapter.Dialect
		types   string // type name=label
	}{
		{postgres, `BOOL=bool INT2=int INT4=int INT8=bigint OID=bigint XID=string XID8=string FLOAT4=float FLOAT8=double
			NUMERIC=decimal MONEY=string CHAR=char BPCHAR=string VARCHAR=string TEXT=string NAME=string
			DATE=date TIME=time TIMETZ=string TIMESTAMP=datetime TIMESTAMPTZ=datetime INTERVAL=string
			JSON=json JSONB=json JSONPATH=string XML=string BYTEA=bytes UUID=uuid BIT=string VARBIT=string
			INET=string CIDR=string MACADDR=string POINT=string BOX=string TSVECTOR=string INT4RANGE=string
			RECORD=string 16385=string 1270=string-array 791=string-array MOOD=string
			_BOOL=bool-array _INT2=int-array _INT4=int-array _INT8=bigint-array _OID=bigint-array _FLOAT4=float-array
			_FLOAT8=double-array _NUMERIC=decimal-array _CHAR=char-array _TEXT=string-array _VARCHAR=string-array
			_DATE=date-array _TIME=time-array _TIMETZ=string-array _TIMESTAMP=datetime-array _TIMESTAMPTZ=datetime-array
			_JSON=json-array _JSONB=json-array _BYTEA=bytes-array _UUID=uuid-array _INET=string-array _BOX=string-array
			_MOOD=string-array`},
		{mysql, `TINYINT=int UNSIGNED_TINYINT=int SMALLINT=int UNSIGNED_SMALLINT=int MEDIUMINT=int UNSIGNED_MEDIUMINT=int
			INT=int UNSIGNED_INT=bigint BIGINT=bigint UNSIGNED_BIGINT=bigint YEAR=int NULL=int FLOAT=float DOUBLE=double
			DECIMAL=decimal DATE=date TIME=time DATETIME=datetime TIMESTAMP=datetime JSON=json ENUM=enum SET=string
			BIT=bytes GEOMETRY=bytes VECTOR=bytes BINARY=bytes VARBINARY=bytes TINYBLOB=bytes BLOB=bytes MEDIUMBLOB=bytes
			LONGBLOB=bytes CHAR=string VARCHAR=string TINYTEXT=string TEXT=string MEDIUMTEXT=string LONGTEXT=string
			SOMETHING=string`},
		{sqlite, `TINYINT=int INTEGER=int int=int BIGINT=bigint INT8=bigint UNSIGNED_BIG_INT=bigint FLOAT=float REAL=double
			DOUBLE_PRECISION=double NUMERIC=double DECIMAL=decimal DECIMAL(10,2)=decimal BOOLEAN=bool DATE=date TIME=time
			DATETIME=datetime TIMESTAMP=datetime TEXT=string VARCHAR(191)=string NVARCHAR_(5)=string BLOB=bytes JSONB=json`},
	} {
		t.Run(test.dialect.String(), func(t *testing.T) {
			var result fakeResult
			var want []string
			for field := range strings.FieldsSeq(test.types) {
				name, label, _ := strings.Cut(field, "=")
				result.columns = append(result.columns, fakeColumn{typeName: strings.ReplaceAll(name, "_", " ")})
				if test.dialect == postgres {
					result.columns[len(result.columns)-1].typeName = name
				}
				want = append(want, label)
			}
			rows, err := sqlrows.New(test.dialect, query(t, result))
			if err != nil {
				t.Fatal(err)
			}
			for i, typ := range rows.ColumnTypes() {
				if typ.Label() != want[i] {
					t.Errorf("%s is %s, want %s", result.columns[i].typeName, typ.Label(), want[i])
				}
			}
		})
	}
}

// TestScanTypes checks columns of drivers that do not name types.
func TestScanTypes(t *testing.T) {
	for _, test := range []struct {
		example any
		want    driveradapter.ColumnType
	}{
		{true, driveradapter.Boolean},
		{int16(0), driveradapter.Int32},
		{uint16(0), driveradapter.Int32},
		{int32(0), driveradapter.Int32},
		{uint32(0), driveradapter.Int64},
		{int64(0), driveradapter.Int64},
		{float32(0), driveradapter.Float},
		{float64(0), driveradapter.Double},
		{time.Time{}, driveradapter.DateTime},
		{[]byte{}, driveradapter.Bytes},
		{[]string{}, driveradapter.Text},
		{"", driveradapter.Text},
		{nil, driveradapter.Text},
	} {
		column := fakeColumn{scanType: reflect.TypeOf(test.example)}
		rows, err := sqlrows.New(postgres, query(t, fakeResult{columns: []fakeColumn{column}}))
		if err != nil {
			t.Fatal(err)
		}
		if got := rows.ColumnTypes()[0]; got != test.want {
			t.Errorf("%T: got %s, want %s", test.example, got.Label(), test.want.Label())
		}
	}
}

type panicky struct{}

func (panicky) String() string { panic("no") }

func TestCells(t *testing.T) {
	newYork := time.FixedZone("", -5*3600)
	evening := time.Date(2024, 2, 28, 23, 30, 15, 5e8, newYork)
	for _, test := range []struct {
		name     string
		dialect  driveradapter.Dialect
		typeName string
		v        driver.Value
		want     any
	}{
		{"null", postgres, "INT4", nil, nil},
		{"nil bytes", postgres, "BYTEA", []byte(nil), []byte{}},
		{"integer", postgres, "INT8", int64(5), int64(5)},
		{"unsigned integer", mysql, "UNSIGNED BIGINT", uint64(1 << 63), uint64(1 << 63)},
		{"float32", mysql, "FLOAT", float32(0.1), float32(0.1)},
		{"text as bytes", mysql, "VARCHAR", []byte("ä"), "ä"},
		{"decimal as bytes", mysql, "DECIMAL", []byte("1.10"), "1.10"},
		{"json as bytes", postgres, "JSONB", []byte(`{"a":1}`), `{"a":1}`},
		{"bytes", mysql, "BLOB", []byte{0, 255}, []byte{0, 255}},
		{"empty bytes", mysql, "BLOB", []byte{}, []byte{}},
		{"blob in a text column", sqlite, "TEXT", []byte{255}, []byte{255}},
		{"text in a blob column", sqlite, "BLOB", "a", "a"},

		{"instant", postgres, "TIMESTAMPTZ", evening, evening},
		{"date of a location", mysql, "DATE", evening, time.Date(2024, 2, 28, 0, 0, 0, 0, time.UTC)},
		{"date in SQLite", sqlite, "DATE", time.Date(2024, 2, 28, 0, 0, 0, 0, newYork), "2024-02-28"},
		{"date with a time in SQLite", sqlite, "DATE", evening, "2024-02-28 23:30:15.5-05:00"},
		{"time of day", postgres, "TIME", time.Date(0, 1, 1, 23, 30, 15, 5, newYork), time.Date(1970, 1, 1, 23, 30, 15, 5, time.UTC)},
		{"zero date", mysql, "DATE", time.Time{}, "0000-00-00"},
		{"zero datetime", mysql, "DATETIME", time.Time{}, "0000-00-00 00:00:00"},
		{"year 1 in PostgreSQL", postgres, "TIMESTAMP", time.Time{}, time.Time{}},
		{"infinity", postgres, "TIMESTAMPTZ", "infinity", "infinity"},

		{"array", postgres, "_INT4", "{1,NULL}", "{1,NULL}"},
		{"boxes", postgres, "_BOX", "{(1,1),(0,0);NULL;(-3.5,1e+20),(2,2)}", `{"(1,1),(0,0)",NULL,"(-3.5,1e+20),(2,2)"}`},
		{"boxes with bounds", postgres, "_BOX", "[0:0]={(1,1),(0,0)}", `[0:0]={"(1,1),(0,0)"}`},
		{"nested boxes", postgres, "_BOX", []byte("{{(1,1),(0,0)};{(3,3),(2,2)}}"), `{{"(1,1),(0,0)"},{"(3,3),(2,2)"}}`},
		{"no boxes", postgres, "_BOX", "{}", "{}"},
		{"one box", postgres, "BOX", "(1,1),(0,0)", "(1,1),(0,0)"},

		{"decimal.Decimal", postgres, "NUMERIC", decimal.RequireFromString("1.10"), "1.10"},
		{"uuid.UUID", postgres, "UUID", uuid.UUID{15: 1}, "00000000-0000-0000-0000-000000000001"},
		{"[16]byte", postgres, "UUID", [16]byte{15: 1}, []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}},
		{"*big.Int", postgres, "NUMERIC", big.NewInt(-5), driveradapter.BigInt("-5")},
		{"netip.Prefix", postgres, "CIDR", netip.MustParsePrefix("10.0.0.0/8"), "10.0.0.0/8"},
		{"slice", postgres, "_TEXT", []string{"a"}, []string{"a"}},
		{"instant by pointer", mysql, "DATE", &evening, time.Date(2024, 2, 28, 0, 0, 0, 0, time.UTC)},
	} {
		t.Run(test.name, func(t *testing.T) {
			rs, err := sqlrows.ReadAll(test.dialect, query(t, fakeResult{
				columns: []fakeColumn{{"c", test.typeName, nil}},
				rows:    []values{{test.v}},
			}))
			if err != nil {
				t.Fatal(err)
			}
			if got := rs.Rows[0][0]; !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %T %v, want %T %v", got, got, test.want, test.want)
			}
		})
	}
}

// TestReadAll checks that the rows do not share the driver's memory.
func TestReadAll(t *testing.T) {
	rs, err := sqlrows.ReadAll(mysql, query(t, fakeResult{
		columns: []fakeColumn{{"a", "BLOB", nil}, {"a", "TEXT", nil}},
		rows:    []values{{[]byte("x1"), []byte("y1")}, {[]byte("x2"), []byte("y2")}, {nil, nil}},
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := driveradapter.ResultSet{
		ColumnNames: []string{"a", "a"},
		ColumnTypes: []driveradapter.ColumnType{driveradapter.Bytes, driveradapter.Text},
		Rows:        [][]any{{[]byte("x1"), "y1"}, {[]byte("x2"), "y2"}, {nil, nil}},
	}
	if !reflect.DeepEqual(rs, want) {
		t.Errorf("got %v, want %v", rs, want)
	}
}

func TestErrors(t *testing.T) {
	column := []fakeColumn{{"c", "TEXT", nil}}
	t.Run("nil", func(t *testing.T) {
		_, err := sqlrows.New(postgres, nil)
		if err == nil || err.Error() != "sqlrows: the rows are nil" {
			t.Errorf("got the error %v", err)
		}
	})
	t.Run("closed", func(t *testing.T) {
		rows := query(t, fakeResult{columns: column})
		rows.Close()
		_, err := sqlrows.ReadAll(postgres, rows)
		if err == nil || err.Error() != "sqlrows: sql: Rows are closed" {
			t.Errorf("got the error %v", err)
		}
	})
	t.Run("read to the end before", func(t *testing.T) {
		rows := query(t, fakeResult{columns: column})
		for rows.Next() {
		}
		_, err := sqlrows.New(postgres, rows)
		if err == nil || err.Error() != "sqlrows: sql: Rows are closed" {
			t.Errorf("got the error %v", err)
		}
	})
	t.Run("of the database", func(t *testing.T) {
		gone := errors.New("connection lost")
		_, err := sqlrows.ReadAll(postgres, query(t, fakeResult{columns: column, rows: []values{{"a"}}, err: gone}))
		if err != gone {
			t.Errorf("got the error %v, want the driver's, unchanged", err)
		}
	})
	t.Run("of the database while types are inferred", func(t *testing.T) {
		gone := errors.New("connection lost")
		rows, err := sqlrows.New(sqlite, query(t, fakeResult{columns: []fakeColumn{{name: "c"}}, rows: []values{{nil}}, err: gone}))
		if err != nil {
			t.Fatal(err)
		}
		if !rows.Next() || rows.Row()[0] != nil || rows.Next() || rows.Err() != gone {
			t.Errorf("got the error %v, want one row and the driver's error", rows.Err())
		}
	})
	t.Run("value whose method panics", func(t *testing.T) {
		columns := []fakeColumn{{"a", "TEXT", nil}, {"b", "TEXT", nil}}
		_, err := sqlrows.ReadAll(postgres, query(t, fakeResult{columns: columns, rows: []values{{"1", "2"}, {"3", panicky{}}}}))
		want := driveradapter.Error{
			Code: driveradapter.CodeValueUnsupported, Row: 1, Column: 1, Name: "b", Type: driveradapter.Text,
			Found: "a sqlrows_test.panicky whose method panicked: no",
		}
		var got *driveradapter.Error
		if !errors.As(err, &got) || *got != want {
			t.Errorf("got the error %v, want %v", err, &want)
		}
	})
}

// numbers is a result of n rows.
func numbers(n int) fakeResult {
	result := fakeResult{columns: []fakeColumn{{"c", "INT4", nil}}}
	for i := range n {
		result.rows = append(result.rows, values{int64(i)})
	}
	return result
}

// TestClosedEarly checks that rows which somebody closes do not end as if they were
// whole, as *sql.Rows do.
func TestClosedEarly(t *testing.T) {
	if !sqlrows.TellsEnd() {
		t.Fatal("sql.Rows has no field hitEOF any more: what does tell the end?")
	}
	const n = 5
	check := func() {
		for closeAt := range n + 2 {
			own := query(t, numbers(n))
			rows, err := sqlrows.New(postgres, own)
			if err != nil {
				t.Fatal(err)
			}
			read := 0
			for {
				if read == closeAt {
					own.Close()
				}
				if !rows.Next() {
					break
				}
				read++
			}
			want := sqlrows.ErrClosed
			if closeAt > n {
				want = nil
			}
			if rows.Err() != want || read != min(closeAt, n) {
				t.Errorf("closed after %d rows: read %d, error %v, want %v", closeAt, read, rows.Err(), want)
			}
			// The end stays what it was, whatever comes later.
			own.Close()
			if rows.Next() || rows.Err() != want {
				t.Errorf("closed after %d rows: then the error is %v, want %v", closeAt, rows.Err(), want)
			}
		}

		// While types are inferred; the rows read by then are given.
		var own *sql.Rows
		closing := fakeResult{columns: []fakeColumn{{name: "c"}}, rows: []values{{nil}, {nil}, {"x"}}}
		own = query(t, closing)
		rows, err := sqlrows.New(sqlite, own)
		if err != nil {
			t.Fatal(err)
		}
		own.Close()
		if _, err := readAll(rows, 3); err != sqlrows.ErrClosed {
			t.Errorf("closed after inferring: got the error %v", err)
		}

		// There is another result set, so the end closes nothing.
		second := numbers(3)
		first := numbers(n)
		first.more = &second
		own = query(t, first)
		for want := range []int{n, 3} {
			want := []int{n, 3}[want]
			rows, err := sqlrows.New(postgres, own)
			if err != nil {
				t.Fatal(err)
			}
			if read, err := readAll(rows, want); err != nil {
				t.Errorf("result set of %d rows: read %d, error %v", want, read, err)
			}
			if more := own.NextResultSet(); more != (want == n) {
				t.Errorf("more: %t", more)
			}
		}
	}
	check()
	sqlrows.WithoutEnd(check)

	t.Run("by another goroutine", func(t *testing.T) {
		whole, half := 0, 0
		for turn := range 2000 {
			result := numbers(20)
			start, closing := make(chan struct{}), make(chan struct{})
			result.before = func(row int) {
				if row == turn%21 {
					close(start)
					<-closing
				}
			}
			own := query(t, result)
			rows, err := sqlrows.New(postgres, own)
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan error)
			go func() {
				<-start
				close(closing)
				done <- own.Close()
			}()
			read := 0
			for rows.Next() {
				read++
			}
			switch {
			case rows.Err() == nil && read == 20:
				whole++
			case rows.Err() == sqlrows.ErrClosed:
				half++
			default:
				t.Errorf("read %d, error %v", read, rows.Err())
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if whole == 0 || half == 0 {
			t.Errorf("%d results were whole, %d not: want some of both", whole, half)
		}
	})

	t.Run("by the context", func(t *testing.T) {
		for cancelAt := range n + 1 {
			result := numbers(n)
			cancelled, cancel := context.WithCancel(context.Background())
			result.before = func(row int) {
				if row == cancelAt {
					cancel()
				}
			}
			own, err := openFake(t, result).QueryContext(cancelled, "")
			if err != nil {
				t.Fatal(err)
			}
			rows, err := sqlrows.New(postgres, own)
			if err != nil {
				t.Fatal(err)
			}
			read := 0
			for rows.Next() {
				read++
			}
			if err := rows.Err(); err != context.Canceled && (err != nil || read != n) {
				t.Errorf("cancelled at row %d: read %d, error %v", cancelAt, read, err)
			}
			own.Close()
		}
		// When the context has closed them already.
		check := func() {
			cancelled, cancel := context.WithCancel(context.Background())
			own, err := openFake(t, numbers(n)).QueryContext(cancelled, "")
			if err != nil {
				t.Fatal(err)
			}
			rows, err := sqlrows.New(postgres, own)
			if err != nil || !rows.Next() {
				t.Fatalf("no row, error %v", err)
			}
			cancel()
			for open := true; open; runtime.Gosched() {
				_, err := own.Columns()
				open = err == nil
			}
			if rows.Next() || rows.Err() != context.Canceled {
				t.Errorf("tells the end: %t: got the error %v, want %v", sqlrows.TellsEnd(), rows.Err(), context.Canceled)
			}
		}
		check()
		sqlrows.WithoutEnd(check)
	})
}

// readAll reads rows, of which there must be so many.
func readAll(rows *sqlrows.Rows, want int) (read int, err error) {
	for rows.Next() {
		read++
	}
	if rows.Err() == nil && read != want {
		return read, errors.New("the number of rows is wrong")
	}
	return read, rows.Err()
}

// TestNothing calls everything on nil and zero values.
func TestNothing(t *testing.T) {
	const want = "sqlrows: the rows are nil"
	for name, r := range map[string]*sqlrows.Rows{"nil": nil, "zero": {}, "of a Requery": sqlrows.Requery{}.Rows} {
		if r.Next() || r.Row() != nil || r.ColumnNames() != nil || r.ColumnTypes() != nil {
			t.Errorf("%s: there is something", name)
		}
		if err := r.Err(); err == nil || err.Error() != want {
			t.Errorf("%s: got the error %v, want %s", name, err, want)
		}
		if err := r.Close(); err == nil || err.Error() != want {
			t.Errorf("%s: Close: got the error %v, want %s", name, err, want)
		}
	}
	for name, q := range map[string]*sqlrows.Requery{"nil": nil, "zero": {}} {
		if err := q.Rewind(); err == nil || err.Error() != want {
			t.Errorf("%s: Rewind: got the error %v, want %s", name, err, want)
		}
	}
	if _, err := sqlrows.New(postgres, &sql.Rows{}); err == nil || err.Error() != "sqlrows: sql: no Rows available" {
		t.Errorf("zero sql.Rows: got the error %v", err)
	}
	if _, err := sqlrows.ReadAll(postgres, nil); err == nil || err.Error() != want {
		t.Errorf("ReadAll: got the error %v", err)
	}
	for _, db := range []sqlrows.Querier{nil, (*sql.DB)(nil)} {
		if _, err := sqlrows.Query(context.Background(), db, postgres, ""); err == nil || err.Error() != "sqlrows: the database is nil" {
			t.Errorf("Query: got the error %v", err)
		}
	}
	if _, err := sqlrows.Query(context.Background(), noRows{}, postgres, ""); err == nil || err.Error() != want {
		t.Errorf("Query without rows: got the error %v", err)
	}
}

// noRows is a Querier that has neither rows nor an error.
type noRows struct{}

func (noRows) QueryContext(context.Context, string, ...any) (*sql.Rows, error) { return nil, nil }

// TestInfer checks the types of SQLite columns that were not declared.
func TestInfer(t *testing.T) {
	nulls := func(n int, last driver.Value) []values {
		rows := make([]values, n)
		for i := range rows {
			rows[i] = values{nil}
		}
		return append(rows, values{last})
	}
	for _, test := range []struct {
		name string
		rows []values
		want driveradapter.ColumnType
	}{
		{"no rows", nil, driveradapter.Int32},
		{"null", nulls(0, nil), driveradapter.Int32},
		{"integer", nulls(0, int64(1)), driveradapter.UnknownNumber},
		{"float", nulls(0, 0.5), driveradapter.UnknownNumber},
		{"text after nulls", nulls(5, "a"), driveradapter.Text},
		{"bytes", nulls(0, []byte{}), driveradapter.Bytes},
		{"boolean", nulls(0, true), driveradapter.Boolean},
		{"time", nulls(0, time.Time{}), driveradapter.DateTime},
		{"text in row 1,000", nulls(999, "a"), driveradapter.Text},
		{"text in row 1,001", nulls(1000, "a"), driveradapter.Int32},
	} {
		t.Run(test.name, func(t *testing.T) {
			rs, err := sqlrows.ReadAll(sqlite, query(t, fakeResult{columns: []fakeColumn{{name: "c"}}, rows: test.rows}))
			if err != nil {
				t.Fatal(err)
			}
			if got := rs.ColumnTypes[0]; got != test.want {
				t.Errorf("got the type %d, want %d", got, test.want)
			}
			if len(rs.Rows) != len(test.rows) {
				t.Fatalf("got %d rows, want %d", len(rs.Rows), len(test.rows))
			}
			for i, row := range rs.Rows {
				if !reflect.DeepEqual(row[0], test.rows[i][0]) {
					t.Errorf("row %d: got %v, want %v", i, row[0], test.rows[i][0])
				}
			}
		})
	}
}

func TestQuery(t *testing.T) {
	result := fakeResult{columns: []fakeColumn{{"c", "INT4", nil}}, rows: []values{{int64(1)}, {int64(2)}}}
	other := fakeResult{columns: []fakeColumn{{"d", "INT4", nil}}}
	db := openFake(t, result, result, other)
	q, err := sqlrows.Query(context.Background(), db, postgres, "select")
	if err != nil {
		t.Fatal(err)
	}
	for pass := range 2 {
		n := int64(0)
		for q.Next() {
			n += q.Row()[0].(int64)
		}
		if n != 3 || q.Err() != nil {
			t.Errorf("pass %d: got %d, error %v", pass, n, q.Err())
		}
		if pass == 0 {
			if err := q.Rewind(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := q.Rewind(); err == nil || err.Error() != "sqlrows: the query has other columns the second time" {
		t.Errorf("got the error %v", err)
	}
	if q.Next() || q.Err() == nil || q.Err().Error() != "sqlrows: the query has other columns the second time" {
		t.Errorf("after that: got the error %v", q.Err())
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
	if err := q.Rewind(); err == nil || err.Error() != "no more results" {
		t.Errorf("got the error %v", err)
	}
	if q.Next() || q.Err() == nil || q.Err().Error() != "no more results" {
		t.Errorf("after that: got the error %v", q.Err())
	}
}
