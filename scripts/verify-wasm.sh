#!/usr/bin/env bash
# Rebuilds the modules from a copy of the sources in another folder, with an empty compiler cache, and compares them
# with those in wasm/dist byte for byte.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
copy="$(mktemp -d)"
trap 'rm -rf "$copy"' EXIT

cd "$root"
cp -R go.mod go.sum driveradapter internal wasm scripts "$copy/"
rm -f "$copy"/wasm/dist/*.wasm
export TOOLS="${TOOLS:-$root/.tools}" TINYGO_CACHE="$copy/cache"
"$copy/scripts/build-wasm.sh" "$copy/out"

passed=0 failed=0
for dialect in postgres mysql sqlite; do
	if cmp "$copy/out/$dialect.wasm" "wasm/dist/$dialect.wasm"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
done

if [ "$failed" -gt 0 ]; then
	echo 'The committed modules are not what their sources give. Run "make wasm" and commit wasm/dist, unless a note'
	echo 'above says that this machine has other compiler versions: then build them on one that has the right ones.'
fi
echo "wasm-verify: $passed passed, $failed failed"
[ "$failed" = 0 ]
