#!/usr/bin/env bash
# Throw-away database servers for tests, on free loopback ports.
#
#   scripts/servers.sh start postgres|mariadb   starts one, unless it runs, and prints its URL
#   scripts/servers.sh stop [postgres|mariadb]  stops one, or all, and deletes their data
#
# Missing programs are installed if this is Debian and the user is root.
set -euo pipefail
cd "$(dirname "$0")/.."
state=.tools/servers

usage() {
	sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
	exit 2
}

# install PACKAGE brings a Debian package.
install() {
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
		echo "servers.sh: $1 is missing; install it" >&2
		exit 1
	fi
	# The package's own server is not wanted: it would occupy the usual port.
	local policy=/usr/sbin/policy-rc.d made=
	if [ ! -e $policy ]; then
		printf '#!/bin/sh\nexit 101\n' >$policy
		chmod +x $policy
		made=yes
	fi
	{ apt-get install -y "$1" || { apt-get update && apt-get install -y "$1"; }; } >&2
	if [ -n "$made" ]; then rm $policy; fi
}

# as USER COMMAND… runs a command as a user that is not root: neither server
# wants to be root.
as() {
	local user=$1
	shift
	if [ "$(id -u)" = 0 ]; then
		runuser -u "$user" -- "$@"
	else
		"$@"
	fi
}

free_port() {
	local port
	for _ in $(seq 100); do
		port=$((20000 + RANDOM % 20000))
		if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
			echo "$port"
			return
		fi
	done
	echo "servers.sh: no free port" >&2
	exit 1
}

# data_dir KIND USER makes the folder for a server's data. It cannot be in the
# repository, which the server's user may not be able to read.
data_dir() {
	local dir
	dir=$(mktemp -d "${TMPDIR:-/tmp}/rowjet-$1.XXXXXX")
	if [ "$(id -u)" = 0 ]; then chown "$2" "$dir"; fi
	echo "$dir"
}

running() {
	[ -e "$state/$1" ] && (exec 3<>"/dev/tcp/127.0.0.1/$(sed -n 2p "$state/$1")") 2>/dev/null
}

postgres_bin() {
	local bin
	bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
	if [ -z "$bin" ] && command -v initdb >/dev/null; then bin=$(dirname "$(command -v initdb)"); fi
	echo "$bin"
}

start_postgres() {
	if [ -z "$(postgres_bin)" ]; then install postgresql; fi
	local bin dir port
	bin=$(postgres_bin)
	dir=$(data_dir postgres postgres)
	port=$(free_port)
	printf '%s\n' "$dir" "$port" "postgres://postgres@127.0.0.1:$port/postgres?sslmode=disable" >"$state/postgres"
	(
		cd "$dir"
		as postgres "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C --no-sync
		as postgres "$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -w start \
			-o "-h 127.0.0.1 -p $port -k $dir -c fsync=off -c timezone=UTC"
	) >"$dir.out" 2>&1 </dev/null || { cat "$dir.out" >&2; exit 1; }
	rm "$dir.out"
}

stop_postgres() {
	local dir=$1
	if [ -e "$dir/data/postmaster.pid" ]; then
		(cd "$dir" && as postgres "$(postgres_bin)/pg_ctl" -D "$dir/data" -m immediate -w stop) >/dev/null
	fi
}

start_mariadb() {
	if ! command -v mariadbd >/dev/null; then install mariadb-server; fi
	local dir port
	dir=$(data_dir mariadb mysql)
	port=$(free_port)
	printf '%s\n' "$dir" "$port" "mysql://rowjet@127.0.0.1:$port/rowjet" >"$state/mariadb"
	(
		cd "$dir"
		as mysql mariadb-install-db --no-defaults --datadir="$dir/data" \
			--auth-root-authentication-method=normal --skip-test-db
		cat >"$dir/init.sql" <<-SQL
			CREATE DATABASE rowjet CHARACTER SET utf8mb4;
			CREATE USER rowjet@'%';
			GRANT ALL ON *.* TO rowjet@'%';
		SQL
		as mysql mariadbd --no-defaults --datadir="$dir/data" --port="$port" --bind-address=127.0.0.1 \
			--socket="$dir/socket" --pid-file="$dir/pid" --log-error="$dir/log" --init-file="$dir/init.sql" \
			--character-set-server=utf8mb4 --default-time-zone=+00:00 --max-allowed-packet=64M \
			--innodb-flush-log-at-trx-commit=0 &
	) >"$dir.out" 2>&1 </dev/null
	# The pid file is there once the init file has been carried out.
	for _ in $(seq 300); do
		if [ -s "$dir/pid" ] && running mariadb; then
			rm "$dir.out"
			return
		fi
		sleep 0.1
	done
	cat "$dir.out" "$dir/log" >&2
	exit 1
}

stop_mariadb() {
	local pid
	pid=$(cat "$1/pid" 2>/dev/null) || return 0
	kill "$pid"
	while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
}

stop() {
	if [ ! -e "$state/$1" ]; then return; fi
	local dir
	dir=$(sed -n 1p "$state/$1")
	"stop_$1" "$dir"
	rm -rf "$dir"
	rm "$state/$1"
}

case "${1-} ${2-}" in
"start postgres" | "start mariadb")
	mkdir -p "$state"
	if ! running "$2"; then
		stop "$2"
		"start_$2"
	fi
	sed -n 3p "$state/$2"
	;;
"stop postgres" | "stop mariadb") stop "$2" ;;
"stop ")
	stop postgres
	stop mariadb
	;;
*) usage ;;
esac
