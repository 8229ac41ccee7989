#!/usr/bin/env bash
# Makes the comment on a pull request from the numbers that its own workflow run has measured.
#
#   scripts/comment.sh <folder> <head> <base> <file>
#
# The folder has base.json, head.json, and race.json if the race was run; else the comment says that it was not.
# The workflow runs it with the code and the limits of the default branch: nothing that came from the pull request is
# run, its numbers are checked, and all text is made here. Head is the commit that GitHub says the run was for, base the
# one that GitHub says the pull request starts from; numbers of others are refused. If anything is wrong there is no file.
set -euo pipefail

[ $# = 4 ] && [ -n "$2" ] && [ -n "$3" ] || {
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d' >&2
	exit 2
}
rm -f "$4"
folder="$(cd "$1" && pwd)" head="$2" base="$3" file="$(realpath "$4")"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
go build -o "$work/size-report" ./size-report

"$work/size-report" compare -base "$folder/base.json" -head "$folder/head.json" -commit "$head" -against "$base" -out "$work/size.json"
speed=(-unraced)
if [ -e "$folder/race.json" ]; then
	"$work/size-report" compare -race "$folder/race.json" -commit "$head" -against "$base" -out "$work/speed.json"
	speed=(-speed "$work/speed.json")
fi
"$work/size-report" render -in "$work/size.json" "${speed[@]}" -out "$file"
