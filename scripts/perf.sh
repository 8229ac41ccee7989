#!/usr/bin/env bash
# make perf: the speed of the working tree against that of its merge base with a branch, raced on this machine.
#
#   scripts/perf.sh <ref> [folder]    default: .tools/report, which gets race.json and speed.json
#
# It prints the report, and fails if an exact figure (instructions, memory, allocations) grows by more than
# size-report/budgets.json allows. Times fail nothing. PERF_RACE has more options for perf-report/race.mjs, such as
# "--only Movie".
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/sides.sh"
sides "$@"
out="${2:-$TOOLS/report}"
mkdir -p "$out"
rm -f "$out"/{race,speed}.json
go build -o "$work/size-report" ./size-report

declare -A package
for side in base head; do
	commit="${side}_commit" building="$side ${!commit:0:9}"
	package[$side]="$(package_of "${!side}")"
	# Only packages that allocate the same in every run. A fixed number of runs, so that what is allocated once weighs
	# the same on both sides.
	(cd "${!side}" && go test -run '^$' -bench . -benchmem -benchtime 20x ./wasm/... ./driveradapter/...) >"$work/go-$side" || {
		cat "$work/go-$side"
		exit 1
	}
	building=
done

# shellcheck disable=SC2086 # several options
node perf-report/race.mjs --base "${package[base]}" --head "${package[head]}" \
	--base-commit "$base_commit" --head-commit "$head_commit" --go-base "$work/go-base" --go-head "$work/go-head" \
	--base-benchmarks "$base/perf-report/benchmarks.mjs" --tool "go=$(go env GOVERSION | sed 's/^go//')" ${PERF_RACE:-} >"$work/race.json"
mv "$work/race.json" "$out/race.json" # only a whole one

status=0
"$work/size-report" compare -race "$out/race.json" -gate -out "$out/speed.json" || status=$?
[ -e "$out/speed.json" ] || exit "$status"
"$work/size-report" render -speed "$out/speed.json"
exit "$status"
