// Package host runs the Rowjet modules in Go services, on wazero: no cgo, no
// other process, the same bytes as everywhere else.
//
//	rt, err := host.New(ctx)
//	defer rt.Close(ctx)
//	engine, err := rt.Engine(ctx, driveradapter.Postgres)
//	json, err := engine.Serialize(ctx, resultSet)
//
// Make one Runtime for the process and keep it: New is cheap, the first Engine
// of a dialect loads its module, later ones return the same Engine. Runtime and
// Engine are safe for concurrent use.
//
// # Whole results and streams
//
// Serialize returns a document, SerializeTo writes it as it goes, Stream does
// the same for rows that come from an iterator, in flat memory. All three take
// a Shape; the default is ShapeArray.
//
// The "types" of a document stand before its rows, yet some are known only from
// the data: columns of the code UnknownNumber, times of day that may bear an
// offset, and every column of SQLite, where a cell may be of any kind. Serialize
// and SerializeTo look at the rows twice where that is needed. A stream cannot,
// so Stream takes a Settle that says what to do.
//
// # Messages of the database
//
// Where a driver gives the bytes that the server sent, SerializeMessages,
// StreamMessages and BatchMessages take those: no cell becomes a Go value. Package
// driveradapter/pgmessages does it for pgx. Messages goes through answers with
// several results.
//
// # Values
//
// A cell may be of any Go type that package driveradapter/values lists; package
// driveradapter/sqlrows makes results of *sql.Rows.
//
// # Memory
//
// Each call in flight has an instance of the module to itself. Instances are
// kept for later calls, see WithPoolSize; one that has grown big is closed after
// use, see WithMaxIdleMemory, because WebAssembly memory never shrinks.
//
// # Errors
//
// What is wrong with a result set is a *driveradapter.Error with row and
// column; errors.Is(err, driveradapter.CodeIntRange) matches its code. The
// errors of Rows and of writers come through unchanged. When the context is
// done, a call stops at the next chunk and returns the context's error.
// ErrModule and ErrEngineFailed are about the module.
package host
