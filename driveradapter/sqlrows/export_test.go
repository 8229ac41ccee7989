package sqlrows

// WithoutEnd runs f as if *sql.Rows did not tell their end.
func WithoutEnd(f func()) {
	told := tellsEnd
	tellsEnd = false
	defer func() { tellsEnd = told }()
	f()
}

// TellsEnd reports whether *sql.Rows tell their end.
func TellsEnd() bool { return tellsEnd }
