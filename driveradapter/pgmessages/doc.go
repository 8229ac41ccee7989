// Package pgmessages makes the messages of PostgreSQL's protocol of what pgx has,
// for host.Engine.StreamMessages and the like: the module then reads the values as
// the server sent them, in text or binary format, and no cell becomes a Go value.
//
//	rows, err := conn.Query(ctx, "select …") // of a *pgx.Conn, a *pgxpool.Pool, a pgx.Tx …
//	defer rows.Close()
//	err = engine.StreamMessages(ctx, w, pgmessages.FromRows(rows))
//
// FromResult takes a *pgconn.ResultReader, FromResults a *pgconn.MultiResultReader,
// which may have several results. The package does not depend on pgx: its
// interfaces are the methods of pgx/v5 that it calls.
//
// # Types
//
// Column types follow from the OIDs: docs/postgres-types.md has the table. Of types
// that a database made itself the module knows nothing but the text. For enums and
// arrays of enums, domains and composites, tell it by a Types. Columns in binary
// format that it cannot read are the error WIRE_BINARY; pgx asks for binary format
// where it has a codec for it, and for text format by pgx.QueryResultFormats{0}.
//
// # Errors
//
// The server's errors come as pgx gives them, such as *pgconn.PgError. A context
// that ends the query belongs to the call that started it.
//
// To pgx, a result that is closed early is no error: it reads over the rest. ErrClosed
// is this package's error for that, by the number of rows in the command tag and, of
// pgx.Rows, by the tag being there too early.
package pgmessages
