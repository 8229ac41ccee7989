package pgmessages_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/driveradapter/pgmessages"
	"github.com/rowjet/rowjet/host"
)

// field, tag and rows stand for what pgx has; drivertest has tests with pgx itself.
type field struct {
	Name                 string
	TableOID             uint32
	TableAttributeNumber uint16
	DataTypeOID          uint32
	DataTypeSize         int16
	TypeModifier         int32
	Format               int16
}

type tag string

func (t tag) String() string { return string(t) }

type rows struct {
	fields []field
	values [][][]byte
	at     int
	late   bool // the fields are known from the first row on
	closed bool
	err    error
	tag    tag // SELECT if it is empty
}

// end is what pgx does when rows are closed: it reads over the rest.
func (r *rows) end() { r.closed, r.at = true, len(r.values) }

func (r *rows) FieldDescriptions() []field {
	if r.late && r.at == 0 {
		return nil
	}
	return r.fields
}

func (r *rows) Next() bool {
	if r.at == len(r.values) || r.closed {
		r.closed = true
		return false
	}
	r.at++
	return true
}

func (r *rows) NextRow() bool { return r.Next() }
func (r *rows) RawValues() [][]byte {
	if r.closed {
		return nil
	}
	return r.values[r.at-1]
}
func (r *rows) Values() [][]byte { return r.RawValues() }
func (r *rows) Err() error {
	if !r.closed {
		return nil
	}
	return r.err
}
func (r *rows) Close() (tag, error) { r.end(); return r.CommandTag(), r.err }
func (r *rows) CommandTag() tag {
	switch {
	case !r.closed:
		return ""
	case r.tag == "":
		return "SELECT"
	}
	return r.tag
}

func row(values ...string) (b [][]byte) {
	for _, v := range values {
		if v == "NULL" {
			b = append(b, nil)
		} else {
			b = append(b, []byte(v))
		}
	}
	return b
}

type results struct {
	all    []*rows
	at     int
	closed int
	err    error
}

func (r *results) NextResult() bool    { r.at++; return r.at <= len(r.all) }
func (r *results) ResultReader() *rows { return r.all[r.at-1] }
func (r *results) Close() error        { r.closed++; return r.err }

var fields = []field{{"id", 7, 1, 20, 8, -1, 1}, {"täg", 0, 0, 25, -1, 9, 0}}

const (
	described = "T\x00\x00\x00\x32\x00\x02" +
		"id\x00\x00\x00\x00\x07\x00\x01\x00\x00\x00\x14\x00\x08\xff\xff\xff\xff\x00\x01" +
		"täg\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x19\xff\xff\x00\x00\x00\x09\x00\x00"
	firstRow  = "D\x00\x00\x00\x12\x00\x02\x00\x00\x00\x02ab\x00\x00\x00\x02é"
	secondRow = "D\x00\x00\x00\x0e\x00\x02\xff\xff\xff\xff\x00\x00\x00\x00"
	complete  = "C\x00\x00\x00\x05\x00"
	whole     = described + firstRow + secondRow + complete
)

func twoRows() *rows {
	return &rows{fields: fields, values: [][][]byte{row("ab", "é"), row("NULL", "")}}
}

func TestMessages(t *testing.T) {
	gone := errors.New("gone")
	late, broken, empty := twoRows(), twoRows(), &rows{fields: []field{}, values: [][][]byte{{}}}
	late.late, broken.err = true, gone
	for _, test := range []struct {
		name string
		r    func() *pgmessages.Reader
		want string
		err  error
	}{
		{"rows", func() *pgmessages.Reader { return pgmessages.FromRows(twoRows()) }, whole, nil},
		{"result", func() *pgmessages.Reader { return pgmessages.FromResult(twoRows()) }, whole, nil},
		{"columns known late", func() *pgmessages.Reader { late.at = 0; late.closed = false; return pgmessages.FromRows(late) }, whole, nil},
		{"error", func() *pgmessages.Reader { broken.at = 0; broken.closed = false; return pgmessages.FromRows(broken) }, described + firstRow + secondRow, gone},
		{"no columns", func() *pgmessages.Reader { empty.at, empty.closed = 0, false; return pgmessages.FromResult(empty) }, "T\x00\x00\x00\x06\x00\x00D\x00\x00\x00\x06\x00\x00" + complete, nil},
		{"no result", func() *pgmessages.Reader { return pgmessages.FromRows(&rows{}) }, complete, nil},
		{"no result, described by no columns", func() *pgmessages.Reader { return pgmessages.FromRows(&rows{fields: []field{}, tag: "INSERT 0 3"}) }, "T\x00\x00\x00\x06\x00\x00" + complete, nil},
		{"the same of a result", func() *pgmessages.Reader { return pgmessages.FromResult(&rows{fields: []field{}, tag: "UPDATE 3"}) }, "T\x00\x00\x00\x06\x00\x00" + complete, nil},
		{"more rows than the command changed", func() *pgmessages.Reader { r := twoRows(); r.tag = "DELETE 0"; return pgmessages.FromRows(r) }, whole, nil},
		{"results", func() *pgmessages.Reader {
			return pgmessages.FromResults(&results{all: []*rows{twoRows(), {}, twoRows()}})
		}, whole + complete + whole, nil},
		{"results, an error at the end", func() *pgmessages.Reader {
			return pgmessages.FromResults(&results{all: []*rows{twoRows()}, err: gone})
		}, whole, gone},
		{"types", func() *pgmessages.Reader {
			return pgmessages.FromRows(twoRows(), pgmessages.Types{70000: driveradapter.EnumArray}, nil, pgmessages.Types{69999: driveradapter.Enum})
		}, "\x00\x00\x00\x00\x14\x00\x01\x11\x6f\x00\x00\x00\x0c\x00\x01\x11\x70\x00\x00\x00\x4c" + whole, nil},
	} {
		for way, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "one byte": iotest.OneByteReader, "half": iotest.HalfReader,
		} {
			got, err := io.ReadAll(wrap(test.r()))
			if string(got) != test.want || err != test.err {
				t.Errorf("%s, %s: got %q, error %v\nwant %q, error %v", test.name, way, got, err, test.want, test.err)
			}
		}
	}
}

// TestReadsEndWithResults checks that the names are those of the bytes at hand.
func TestReadsEndWithResults(t *testing.T) {
	other := &rows{fields: []field{{Name: "n", DataTypeOID: 23}}}
	m := &results{all: []*rows{twoRows(), other}}
	r := pgmessages.FromResults(m)
	p := make([]byte, 1<<10)
	for _, want := range []string{"id,täg", "n"} {
		n, err := r.Read(p)
		if err != nil || p[n-6] != 'C' || strings.Join(r.ColumnNames(), ",") != want {
			t.Errorf("got %q, error %v, names %q, want %s", p[:n], err, r.ColumnNames(), want)
		}
	}
	if n, err := r.Read(p); n != 0 || err != io.EOF || m.closed != 1 {
		t.Errorf("got %d bytes, error %v, closed %d times", n, err, m.closed)
	}
	// A result that ends in an error ends all.
	m = &results{all: []*rows{{fields: fields, err: io.ErrUnexpectedEOF}, twoRows()}}
	if got, err := io.ReadAll(pgmessages.FromResults(m)); string(got) != described || err != io.ErrUnexpectedEOF || m.closed != 1 {
		t.Errorf("got %q, error %v, closed %d times", got, err, m.closed)
	}
}

func TestUnusable(t *testing.T) {
	closed := twoRows()
	closed.closed = true
	for want, r := range map[string]io.Reader{
		"pgmessages: the rows are closed": pgmessages.FromRows(closed),
		"pgmessages: the rows are nil":    pgmessages.FromRows((*rows)(nil)),
		"pgmessages: the result is nil":   pgmessages.FromResult((*rows)(nil)),
		"pgmessages: the results are nil": pgmessages.FromResults((*results)(nil)),
	} {
		if n, err := r.Read(make([]byte, 10)); n != 0 || err == nil || err.Error() != want {
			t.Errorf("got %d bytes, error %v, want %s", n, err, want)
		}
	}
}

// TestClosedEarly checks that a result which somebody closes, or reads from, does not
// end as if it were whole.
func TestClosedEarly(t *testing.T) {
	const n = 5
	make5 := func(tag tag) *rows {
		r := &rows{fields: fields, tag: tag}
		for range n {
			r.values = append(r.values, row("12345678", "x"))
		}
		return r
	}
	read := func(r io.Reader, source *rows, after int, act func(*rows)) (got string, err error) {
		p := make([]byte, len(described))
		for at := -1; ; at++ { // the description, then row by row
			if at == after {
				act(source)
			}
			k, err := io.ReadFull(r, p[:map[bool]int{true: len(described), false: 24}[at < 0]])
			if got += string(p[:k]); err == io.ErrUnexpectedEOF {
				return got, nil
			} else if err != nil {
				return got, err
			}
		}
	}
	for _, test := range []struct {
		name string
		tag  tag
		from func(*rows) io.Reader
		act  func(*rows)
		lost func(after int) bool // whether rows are lost, or may be
	}{
		{"rows", "SELECT 5", func(r *rows) io.Reader { return pgmessages.FromRows(r) }, (*rows).end, func(after int) bool { return after < n }},
		{"rows that were inserted", "INSERT 0 5", func(r *rows) io.Reader { return pgmessages.FromRows(r) }, (*rows).end, func(after int) bool { return after < n }},
		{"rows without a count", "EXPLAIN", func(r *rows) io.Reader { return pgmessages.FromRows(r) }, (*rows).end, func(int) bool { return true }},
		{"result", "SELECT 5", func(r *rows) io.Reader { return pgmessages.FromResult(r) }, (*rows).end, func(after int) bool { return after < n }},
		{"one of the results", "SELECT 5", func(r *rows) io.Reader { return pgmessages.FromResults(&results{all: []*rows{r}}) }, (*rows).end, func(after int) bool { return after < n }},
		{"rows that are read elsewhere", "SELECT 5", func(r *rows) io.Reader { return pgmessages.FromRows(r) }, func(r *rows) { r.Next() }, func(after int) bool { return after < n }},
	} {
		for after := range n + 1 {
			source := make5(test.tag)
			got, err := read(test.from(source), source, after, test.act)
			var want error
			if test.lost(after) {
				want = pgmessages.ErrClosed
			}
			if err != want {
				t.Errorf("%s, after %d: got the error %v, want %v", test.name, after, err, want)
			}
			if whole := strings.HasSuffix(got, complete); whole != (want == nil) {
				t.Errorf("%s, after %d: ends whole: %t", test.name, after, whole)
			}
		}
	}
	// When the reader is at a row, as it is after the description if pgx has that late.
	source := make5("SELECT 5")
	source.late = true
	r := pgmessages.FromRows(source)
	p := make([]byte, len(described))
	if _, err := io.ReadFull(r, p); err != nil || source.at != 1 {
		t.Fatalf("at row %d, error %v", source.at, err)
	}
	source.end()
	const want = "pgmessages: row 0 has 0 values for 2 columns: was the result closed, or read elsewhere, meanwhile?"
	if k, err := r.Read(p); k != 0 || err == nil || err.Error() != want {
		t.Errorf("got %d bytes, error %v, want %s", k, err, want)
	}
}

// TestNoMessages checks what the messages cannot say.
func TestNoMessages(t *testing.T) {
	many := make([]field, 1<<16)
	for _, test := range []struct {
		name string
		r    io.Reader
		want string
	}{
		{"short row", pgmessages.FromRows(&rows{fields: fields, values: [][][]byte{row("a", "b"), row("a")}}),
			"pgmessages: row 1 has 1 values for 2 columns: was the result closed, or read elsewhere, meanwhile?"},
		{"long row", pgmessages.FromResult(&rows{fields: fields, values: [][][]byte{row("a", "b", "c")}}),
			"pgmessages: row 0 has 3 values for 2 columns: was the result closed, or read elsewhere, meanwhile?"},
		{"many values", pgmessages.FromRows(&rows{fields: fields, values: [][][]byte{make([][]byte, 1<<16+2)}}),
			"pgmessages: row 0 has 65538 values for 2 columns: was the result closed, or read elsewhere, meanwhile?"},
		{"no fields", pgmessages.FromRows(&rows{values: [][][]byte{row("a")}}),
			"pgmessages: row 0 came, but the result has no field descriptions"},
		{"many fields", pgmessages.FromRows(&rows{fields: many, values: [][][]byte{make([][]byte, 1<<16)}}),
			"pgmessages: the result has 65536 columns, and PostgreSQL's messages have room for 65535"},
		{"zero byte", pgmessages.FromRows(&rows{fields: []field{{Name: "a"}, {Name: "b\x00c"}}}),
			`pgmessages: the name of column 1 has a zero byte: "b\x00c"`},
		{"nil reader", (*pgmessages.Reader)(nil), "pgmessages: the reader is not one that FromRows, FromResult or FromResults returned"},
		{"zero reader", new(pgmessages.Reader), "pgmessages: the reader is not one that FromRows, FromResult or FromResults returned"},
	} {
		for range 2 { // the error stays
			if _, err := io.ReadAll(test.r); err == nil || err.Error() != test.want {
				t.Errorf("%s: got the error %v, want %s", test.name, err, test.want)
			}
		}
	}
	if names := (*pgmessages.Reader)(nil).ColumnNames(); names != nil {
		t.Errorf("got the names %q", names)
	}
	// As many as there is room for.
	got, err := io.ReadAll(pgmessages.FromRows(&rows{fields: many[1:], values: [][][]byte{make([][]byte, 1<<16-1)}}))
	if err != nil || string(got[5:7]) != "\xff\xff" || !strings.HasSuffix(string(got), complete) {
		t.Errorf("got %d bytes, error %v", len(got), err)
	}
}

// BenchmarkReader is what the messages cost: compare with the module's part, in
// drivertest.
func BenchmarkReader(b *testing.B) {
	one := &rows{fields: fields}
	text := strings.Repeat("some prose ", 20)
	for range 50_000 {
		one.values = append(one.values, row("12345678", text))
	}
	p := make([]byte, 64<<10)
	for b.Loop() {
		one.at, one.closed = 0, false
		r := pgmessages.FromRows(one)
		for {
			n, err := r.Read(p)
			if err != nil {
				break
			}
			b.SetBytes(int64(n))
		}
	}
}

// Here conn stands for a *pgx.Conn.
func ExampleFromRows() {
	ctx := context.Background()
	rt, err := host.New(ctx)
	if err != nil {
		panic(err)
	}
	defer rt.Close(ctx)
	engine, err := rt.Engine(ctx, driveradapter.Postgres)
	if err != nil {
		panic(err)
	}
	rows, err := conn.Query(ctx, "SELECT id, price FROM film ORDER BY id")
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
	// {"columns":["id","price"],"types":["bigint","decimal"],"rows":[["1","9.90"],["2",null]]}
}

var conn connection

type connection struct{}

func (connection) Query(context.Context, string) (*rows, error) {
	return &rows{
		fields: []field{{Name: "id", DataTypeOID: 20}, {Name: "price", DataTypeOID: 1700}},
		values: [][][]byte{row("1", "9.90"), row("2", "NULL")},
	}, nil
}
