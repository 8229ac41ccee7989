#!/usr/bin/env bash
# Builds the modules with the standard Go compiler, as a second opinion for the tests; nobody ships them.
#
#   scripts/build-std.sh [folder]    default: .tools/std
#
# <dialect>-wasip1.wasm is a reactor that imports WASI (wazero runs it); <dialect>-js.wasm runs under wasm_exec.js,
# which is put beside it: call its exports once go.run has been called.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
out="${1:-$root/.tools/std}"
mkdir -p "$out"
out="$(cd "$out" && pwd)"
cd "$root"

for dialect in postgres mysql sqlite; do
	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -trimpath -ldflags='-s -w' \
		-o "$out/$dialect-wasip1.wasm" "./wasm/$dialect"
	GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' -o "$out/$dialect-js.wasm" "./wasm/$dialect"
done
cp "$(go env GOROOT)/lib/wasm/wasm_exec.js" "$out/wasm_exec.js"
