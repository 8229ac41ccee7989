package driveradapter

//go:generate go run ./internal/generrors errors.tsv errors_gen.go

// Code is a stable error code; the table is in errors.tsv. A Code is itself an
// error, so that errors.Is(err, driveradapter.CodeIntRange) works.
type Code uint16

// String returns the code's name, such as "INT_RANGE".
func (c Code) String() string { return codeInfo(c).name }

// Error returns what the code means.
func (c Code) Error() string { return codeInfo(c).text }

// Advice returns what to do about the error.
func (c Code) Advice() string { return codeInfo(c).advice }

// Error tells what is wrong with a result set, and where.
type Error struct {
	Code Code
	// Row counts from 0; -1 if the error is about no row.
	Row int64
	// Column counts from 0; -1 if the error is about no column.
	Column int
	// Name is the name of that column, if known.
	Name string
	// Type is the label of that column, meaningless if Column is -1.
	Type ColumnType
	// Found tells what was found, in at most 100 bytes; may be empty.
	Found string
}

// Error returns the place, what is wrong, what was found, what to do, and the
// code's name, on one line. Rows and columns count from 0.
func (e *Error) Error() string {
	s := ""
	if e.Row >= 0 {
		s += "row " + itoa(e.Row)
	}
	if e.Column >= 0 {
		if s != "" {
			s += ", "
		}
		s += "column " + itoa(int64(e.Column))
		if e.Name != "" {
			s += ` "` + e.Name + `"`
		}
		if label := e.Type.Label(); label != "" {
			s += " (" + label + ")"
		}
	}
	if s != "" {
		s += ": "
	}
	s += e.Code.Error()
	if e.Found != "" {
		s += ", found " + e.Found
	}
	return s + "; " + e.Code.Advice() + " [" + e.Code.String() + "]"
}

// Unwrap returns the code, for errors.Is.
func (e *Error) Unwrap() error { return e.Code }

func itoa(v int64) string {
	if v < 10 {
		return string(rune('0' + v))
	}
	return itoa(v/10) + string(rune('0'+v%10))
}
