package driveradapter

// A ResultSet is a whole result as a driver adapter hands it over. It is the
// twin of SqlResultSet in @prisma/driver-adapter-utils.
//
// Cells may be nil, bool, any integer type, float32, float64, string, []byte,
// BigInt, JSONText, Object, []any, []string, []int64, []float64, []bool, or
// anything with the methods of Instant, such as time.Time. A nil slice is null, but
// a nil Object has no members.
type ResultSet struct {
	ColumnNames []string
	ColumnTypes []ColumnType
	// Rows holds a cell for each column, in the order of the columns.
	Rows [][]any
}

// Rows is a result that is read row by row. It is not safe for concurrent use.
type Rows interface {
	ColumnNames() []string
	ColumnTypes() []ColumnType
	// Next goes to the next row. It returns false at the end and after an
	// error, which Err then returns.
	Next() bool
	// Row returns the current row. It is valid until the next call of Next.
	Row() []any
	Err() error
}

// BigInt is an integer of any size as its decimal digits, after a "-" if it is
// negative.
type BigInt string

// JSONText is the text of a JSON value.
type JSONText string

// Object is a JSON object with its members in order.
type Object []Member

// Member is a member of an Object.
type Member struct {
	Key   string
	Value any
}

// Instant is a point in time: time.Time has these methods.
type Instant interface {
	// Unix returns the whole seconds since 1970-01-01T00:00:00Z, rounded down.
	Unix() int64
	// Nanosecond returns the rest of the second, from 0 to 999,999,999.
	Nanosecond() int
}

// RowsOf returns an iterator over the rows of a result set. The rows stay
// those of the result set, they are not copied.
func RowsOf(rs ResultSet) Rows {
	return &sliceRows{rs: rs, at: -1}
}

type sliceRows struct {
	rs ResultSet
	at int
}

func (r *sliceRows) ColumnNames() []string     { return r.rs.ColumnNames }
func (r *sliceRows) ColumnTypes() []ColumnType { return r.rs.ColumnTypes }
func (r *sliceRows) Row() []any                { return r.rs.Rows[r.at] }
func (r *sliceRows) Err() error                { return nil }

func (r *sliceRows) Next() bool {
	if r.at+1 >= len(r.rs.Rows) {
		return false
	}
	r.at++
	return true
}
