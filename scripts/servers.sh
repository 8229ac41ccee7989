#!/usr/bin/env bash
# Runs a command with throw-away database servers on loopback, and stops them when it ends.
#
#   scripts/servers.sh <command> [arguments…]
#
# The command finds the servers in its environment:
#   ROWJET_POSTGRES_URL  postgres://rowjet:rowjet@127.0.0.1:<port>/rowjet
#   ROWJET_MARIADB_URL   mariadb://rowjet:rowjet@127.0.0.1:<port>/rowjet
#   ROWJET_MARIADB_SOCKET  the Unix socket of the same server, and
#   ROWJET_MARIADB_CA      the file of its certificate, signed by itself; neither is set with a server of your own
# Each may do as it likes there. A server whose variable is set already is taken as it is and left running.
#
# On Debian and as root it installs what is missing; elsewhere it tells what is. Data, sockets and logs live in a
# temporary folder, which goes with the servers.
set -euo pipefail

[ $# -gt 0 ] || {
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'
	exit 2
}

work=
postgres_bin=
mariadb_pid=
as_user=()

main() {
	local need_postgres= need_mariadb=
	[ -n "${ROWJET_POSTGRES_URL:-}" ] || need_postgres=1
	[ -n "${ROWJET_MARIADB_URL:-}" ] || need_mariadb=1
	if [ -n "$need_postgres$need_mariadb" ]; then
		install_missing "$need_postgres" "$need_mariadb"
		work="$(mktemp -d)"
		trap stop EXIT
		trap 'exit 130' INT
		trap 'exit 143' TERM
		chmod 755 "$work"
		# The servers refuse to run as root, or should not.
		if [ "$(id -u)" = 0 ]; then as_user=(runuser -u "$(server_user)" --); fi
		[ -z "$need_postgres" ] || start_postgres
		[ -z "$need_mariadb" ] || start_mariadb
	fi
	local status=0
	"$@" || status=$?
	exit "$status"
}

server_user() { if id postgres >/dev/null 2>&1; then echo postgres; else echo nobody; fi; }

# The folder of PostgreSQL's server programs, which are seldom on the PATH. The newest version wins.
find_postgres() {
	local dir
	for dir in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -rV) "$(pg_config --bindir 2>/dev/null || true)" "$(dirname "$(command -v initdb || echo /none/x)")"; do
		[ -x "$dir/initdb" ] && [ -x "$dir/pg_ctl" ] && echo "$dir" && return
	done
	return 1
}

find_mariadb() { PATH="$PATH:/usr/sbin:/usr/local/sbin" command -v mariadbd; }

install_missing() {
	local packages=() missing=()
	if [ -n "$1" ] && ! find_postgres >/dev/null; then packages+=(postgresql) && missing+=("PostgreSQL's server (initdb, pg_ctl)"); fi
	if [ -n "$2" ] && ! { find_mariadb && command -v mariadb-install-db && command -v mariadb && command -v openssl; } >/dev/null; then
		packages+=(mariadb-server-core mariadb-client-core openssl)
		missing+=("MariaDB's server (mariadbd, mariadb-install-db, mariadb) and openssl")
	fi
	[ ${#packages[@]} -gt 0 ] || return 0
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
		printf 'servers.sh: missing: %s\n' "${missing[@]}" >&2
		echo "servers.sh: install them (on Debian: apt-get install ${packages[*]}), or set ROWJET_POSTGRES_URL and ROWJET_MARIADB_URL to servers of your own" >&2
		exit 1
	fi
	echo "servers.sh: installing ${packages[*]}" >&2
	# No cluster of the system's own: it would only take a port.
	mkdir -p /etc/postgresql-common/createcluster.d
	echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/rowjet.conf
	local log
	log="$(mktemp)"
	{ apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${packages[@]}"; } >"$log" 2>&1 || {
		cat "$log" >&2
		echo "servers.sh: could not install ${packages[*]}" >&2
		exit 1
	}
	rm -f "$log"
}

free_port() { node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })'; }

# Makes a folder that the servers' user owns.
server_folder() {
	mkdir "$1"
	[ "$(id -u)" != 0 ] || chown "$(server_user)" "$1"
}

failed() {
	echo "servers.sh: $1 did not start; its log:" >&2
	cat "$2" >&2
	exit 1
}

start_postgres() {
	local bin dir port log
	bin="$(find_postgres)"
	dir="$work/postgres"
	log="$dir/log"
	server_folder "$dir"
	cd "$dir" # the caller's folder may be closed to the servers' user
	echo rowjet >"$dir/password"
	chmod 644 "$dir/password"
	port="$(free_port)"
	"${as_user[@]}" "$bin/initdb" -D "$dir/data" -U rowjet --pwfile="$dir/password" --auth=scram-sha-256 -E UTF8 --locale=C.UTF-8 --no-sync >"$work/initdb.log" 2>&1 ||
		failed 'initdb' "$work/initdb.log"
	postgres_bin="$bin"
	"${as_user[@]}" "$bin/pg_ctl" -D "$dir/data" -l "$log" -w -t 60 -o "-p $port -h 127.0.0.1 -k '$dir' -F" start >/dev/null || failed PostgreSQL "$log"
	PGPASSWORD=rowjet "$bin/psql" -h 127.0.0.1 -p "$port" -U rowjet -d postgres -qc 'CREATE DATABASE rowjet' || failed PostgreSQL "$log"
	cd "$OLDPWD"
	export ROWJET_POSTGRES_URL="postgres://rowjet:rowjet@127.0.0.1:$port/rowjet"
}

start_mariadb() {
	local dir port log tries=0
	dir="$work/mariadb"
	log="$work/mariadb.log"
	server_folder "$dir"
	port="$(free_port)"
	"${as_user[@]}" openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' \
		-keyout "$dir/key.pem" -out "$dir/cert.pem" >"$log" 2>&1 || failed openssl "$log"
	# An option file of the machine's must not interfere: --no-defaults.
	"${as_user[@]}" mariadb-install-db --no-defaults --datadir="$dir/data" --auth-root-authentication-method=normal --skip-test-db >"$log" 2>&1 || failed 'mariadb-install-db' "$log"
	"${as_user[@]}" "$(find_mariadb)" --no-defaults --datadir="$dir/data" --socket="$dir/socket" --pid-file="$dir/pid" --port="$port" \
		--bind-address=127.0.0.1 --character-set-server=utf8mb4 --innodb-flush-log-at-trx-commit=0 --skip-name-resolve \
		--max-allowed-packet=256M --max-connections=500 --ssl-cert="$dir/cert.pem" --ssl-key="$dir/key.pem" >>"$log" 2>&1 &
	mariadb_pid=$!
	until mariadb --no-defaults --socket="$dir/socket" -u root -e 'SELECT 1' >/dev/null 2>&1; do
		tries=$((tries + 1))
		{ [ "$tries" -lt 300 ] && kill -0 "$mariadb_pid" 2>/dev/null; } || failed MariaDB "$log"
		sleep 0.2
	done
	mariadb --no-defaults --socket="$dir/socket" -u root -e \
		"CREATE DATABASE rowjet; CREATE USER rowjet@'%' IDENTIFIED BY 'rowjet'; GRANT ALL ON *.* TO rowjet@'%'" || failed MariaDB "$log"
	export ROWJET_MARIADB_URL="mariadb://rowjet:rowjet@127.0.0.1:$port/rowjet" ROWJET_MARIADB_SOCKET="$dir/socket" ROWJET_MARIADB_CA="$dir/cert.pem"
}

# Only what was started here is stopped, each by its own process.
stop() {
	set +e
	[ -z "$postgres_bin" ] || (cd / && "${as_user[@]}" "$postgres_bin/pg_ctl" -D "$work/postgres/data" -m immediate stop >/dev/null 2>&1)
	if [ -n "$mariadb_pid" ]; then
		# Under runuser the shell's child is runuser, which passes the signal on. It halts when the server is halted, and
		# stays so when that goes on.
		kill -CONT "$mariadb_pid" 2>/dev/null
		kill "$(cat "$work/mariadb/pid" 2>/dev/null || echo "$mariadb_pid")" 2>/dev/null
		wait "$mariadb_pid" 2>/dev/null
	fi
	rm -rf "$work"
}

main "$@"
