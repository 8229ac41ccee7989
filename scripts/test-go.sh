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
