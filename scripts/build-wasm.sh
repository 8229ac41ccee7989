#!/usr/bin/env bash
# Builds the modules that ship, and checks that each has no imports and exactly the exports of wasm/ABI.md.
#
#   scripts/build-wasm.sh [--names] [folder]    default: wasm/dist
#
# With --names, <dialect>.named.wasm is put beside each: the same code, byte for byte, with the names of the Go
# functions. The size report and profilers want it; nobody ships it.
#
# The result depends on the sources and on the versions in scripts/toolchain.sh, on no path and no clock:
# scripts/verify-wasm.sh proves it.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
names=
if [ "${1:-}" = --names ]; then
	names=yes
	shift
fi
out="${1:-$root/wasm/dist}"
mkdir -p "$out"
out="$(cd "$out" && pwd)"
cd "$root"

. scripts/toolchain.sh
toolchain

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

features=(--enable-bulk-memory --enable-multivalue --enable-mutable-globals --enable-nontrapping-float-to-int --enable-sign-ext)

# TinyGo runs wasm-opt itself, but too early: what nobody needs is still there. Once, at the end, gives the same and takes
# half the time; so TinyGo gets a wasm-opt that copies. It calls: wasm-opt --version, and wasm-opt -O2 -g IN --output OUT.
cat >"$work/copy" <<'END'
#!/bin/sh
[ "$1" = --version ] && exec "$REAL_WASMOPT" --version
while [ $# -gt 0 ]; do
	case "$1" in
	--output) out="$2" && shift ;;
	-*) ;;
	*) in="$1" ;;
	esac
	shift
done
cp "$in" "$out"
END
chmod +x "$work/copy"
export REAL_WASMOPT="$WASMOPT"

# TinyGo's runtime exports a few functions of its own. This keeps only what the ABI names, and drops what only they
# needed.
go run ./wasm/internal/modcheck -roots >"$work/roots.json"

# After plain -O3, 600 bytes (gzip) more come off by inlining nothing that is called twice unless it is no larger than the
# call, by a second round over flat code, by folding the ends of branches that are the same, by sections that only tools
# read, and by loads and stores without hints of alignment, which no engine looks at. No address below 1,024 is ever used:
# the stack is there, and grows down.
passes=(-O3 --always-inline-max-function-size=9 --flexible-inline-max-function-size=0 --low-memory-unused --converge
	--flatten --rereloop -O3 --directize --code-folding -O3 --dealign --strip-producers --strip-target-features)

# target.json has LLVM return slices and other things of several words as several values instead of by way of memory
# (multivalue, experimental-mv): 2,700 bytes (gzip) of PostgreSQL's 40,000, and 4 % of the instructions.
#
# -opt=z against -opt=2: a quarter fewer bytes (gzip); against -opt=s 1,800, for 2 % more instructions. It inlines hardly
# anything, so the loops that matter have in them what they need.
for dialect in postgres mysql sqlite; do
	GOCACHE="${TINYGO_CACHE:-}" WASMOPT="$work/copy" "$TINYGO" build -target=scripts/tinygo/target.json -opt=z \
		-no-debug -panic=trap -o "$work/$dialect-1.wasm" "./wasm/$dialect"
	"$METADCE" "${features[@]}" -g --graph-file "$work/roots.json" \
		-o "$work/$dialect-2.wasm" "$work/$dialect-1.wasm" >/dev/null
	"$REAL_WASMOPT" "${features[@]}" "${passes[@]}" "--symbolmap=$work/$dialect.symbols" \
		-o "$work/$dialect.wasm" "$work/$dialect-2.wasm"
	[ -z "$names" ] ||
		go run ./wasm/internal/modcheck -names "$work/$dialect.symbols" -o "$work/$dialect.named.wasm" "$work/$dialect.wasm"
done

go run ./wasm/internal/modcheck "$work/postgres.wasm" "$work/mysql.wasm" "$work/sqlite.wasm"
for dialect in postgres mysql sqlite; do
	mv "$work/$dialect.wasm" "$out/$dialect.wasm"
	[ -z "$names" ] || mv "$work/$dialect.named.wasm" "$out/$dialect.named.wasm"
done
