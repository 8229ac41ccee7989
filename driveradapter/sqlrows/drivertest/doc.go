// Package drivertest tests sqlrows and host with real drivers and databases. It
// is a module of its own, so that users of Rowjet do not inherit the drivers.
//
// The servers are those that ROWJET_POSTGRES_URL and ROWJET_MARIADB_URL name. If
// one is not set, the tests run themselves under scripts/servers.sh, which
// starts what is missing.
package drivertest
