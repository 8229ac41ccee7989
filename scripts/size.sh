#!/usr/bin/env bash
# make size: the sizes of the working tree's modules against those of its merge base with a branch.
#
#   scripts/size.sh <ref> [folder]    default: .tools/report, which gets base.json, head.json, size.json, comment.md
#
# It prints the report, and fails if the change breaks a limit of size-report/budgets.json.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/sides.sh"
sides "$@"
out="${2:-$TOOLS/report}"
mkdir -p "$out"
rm -f "$out"/{base,head,size}.json "$out/comment.md"
go build -o "$work/size-report" ./size-report

declare -A folder
for side in base head; do
	tree="${!side}" commit="${side}_commit"
	building="$side ${!commit:0:9}"
	modules="$(modules_of "$tree")"
	folder[$side]="$modules/modules"
	package="$(package_of "$tree")"
	building=
	version() { sed -n "s/$1/\\1/p" "$modules/versions"; }
	"$work/size-report" measure -modules "$modules/modules" -standard "$modules/standard" -committed "$tree/wasm/dist" \
		-package "$package/pack.json" -commit "${!commit}" -out "$out/$side.json" \
		-compiler "TinyGo=$(version 'tinygo version \([0-9.]*\).*')" \
		-compiler "LLVM=$(version '.*LLVM version \([0-9.]*\).*')" \
		-compiler "Go=$(version '.*go version go\([0-9.]*\).*')" \
		-compiler "wasm-opt=$(version 'wasm-opt version \([0-9]*\).*')"
done
# In turns, so that a machine that is busy for a while favours none.
"$work/size-report" start -base "$out/base.json" -base-modules "${folder[base]}" -head "$out/head.json" -head-modules "${folder[head]}"

status=0
"$work/size-report" compare -base "$out/base.json" -head "$out/head.json" -gate -out "$out/size.json" || status=$?
[ -e "$out/size.json" ] || exit "$status"
"$work/size-report" render -in "$out/size.json" -out "$out/comment.md"
cat "$out/comment.md"
exit "$status"
