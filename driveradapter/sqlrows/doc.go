// Package sqlrows makes driver-adapter results of *sql.Rows. It knows the
// column types of pgx/stdlib, go-sql-driver/mysql and modernc.org/sqlite by the
// names that these drivers give them; it depends on none of them.
//
//	rows, err := db.QueryContext(ctx, "select …")
//	result, err := sqlrows.New(driveradapter.Postgres, rows)
//	err = engine.Stream(ctx, w, result)
//
// # Column types
//
// A column's type follows from its DatabaseTypeName; a name that is in no table
// makes a text column, so that no type of a database, an extension or a user is
// ever an error. Drivers that give no names are asked for the Go type that they
// would scan into.
//
// SQLite columns have the type they were declared with, without its length, and
// their cells may be of any kind. Columns without a declared type, those made
// by expressions, get the type of their first value that is not null, within
// the first 1,000 rows.
//
// # Closing
//
// *sql.Rows that somebody closes early have no error, as if they had been read to the
// end. Rows tell the two apart: ErrClosed. They also end, with the context's error,
// when the context of the query or of its transaction is done, and with
// context.Canceled when the transaction is committed or rolled back.
//
// # Values
//
// A driver may return values of any type: package values tells what they
// become. Times are special. A time.Time in a datetime column is the instant it
// stands for; in a date or time column it is what the clock shows in its
// location, as a date has no zone that it could be moved to. So with
// go-sql-driver/mysql, parseTime and loc, DATETIME values are instants of that
// location. That driver makes the zero time.Time of a zero date, which becomes
// 0000-00-00 again.
package sqlrows
