// Package gmstest holds package mysqlwire against a second implementation of
// MySQL's protocol and types: Dolt's go-mysql-server, which runs in the test's
// process. It is a module of its own, and no part of the suite, since to build that
// server takes minutes; what it sent is in conformance/wire/go-mysql-server.jsonl,
// which the suite reads. Run go test in this folder to ask the server again, and
// go test -record to write the file anew.
package gmstest
