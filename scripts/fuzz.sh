#!/usr/bin/env bash
# Runs every fuzz test of the repository, one after the other, each for the given time (default 30s). A find is written
# to the package's testdata/fuzz, where "go test" runs it from then on: commit it with the fix.
#
#   scripts/fuzz.sh [time]    as go test -fuzztime: 30s, 5m, 10000x
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
time="${1:-30s}"
passed=0 failed=0

for package in $(go list ./...); do
	for name in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		echo "== $package $name"
		if go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" "$package"; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
		fi
	done
done

echo "fuzz: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
