// Package servertest holds package mysqlwire against a real MariaDB server. It is
// a module of its own so that the tests of the repository's own packages need no
// server: run go test in this folder. The server is that of the URL in
// ROWJET_MARIADB_URL; if that is not set, scripts/servers.sh starts one.
package servertest
