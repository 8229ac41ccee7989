#!/usr/bin/env bash
# Tests the Go module. The property tests take the same values in every run; ROWJET_SEED gives others.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
seed="${ROWJET_SEED:-20261130}"

# Only packages with property tests know the flag.
imports='{{range .TestImports}}{{.}} {{end}}{{range .XTestImports}}{{.}} {{end}}'
list="$(go list -f "{{.ImportPath}} $imports" ./...)"
mapfile -t properties < <(grep ' pgregory.net/rapid ' <<<"$list" | cut -d ' ' -f 1)
mapfile -t others < <(grep -v ' pgregory.net/rapid ' <<<"$list" | cut -d ' ' -f 1)

echo "rapid: seed $seed"
go test "${others[@]}"
go test "${properties[@]}" "-rapid.seed=$seed"

# What callers do at the same time, once more under the race detector. checkptr is off: the core, which runs natively in
# these tests only, points past the ends of slices.
if command -v "$(go env CC)" >/dev/null; then
	go test -race -gcflags=all=-d=checkptr=0 -run 'Hammer|Pool|Close' ./host
else
	echo "no C compiler: ./host was not tested under the race detector"
fi
