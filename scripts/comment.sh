#!/usr/bin/env bash
# Makes the comment on a pull request from the numbers that its own workflow run has measured.
#
#   scripts/comment.sh <folder> <commit>    folder: base.json, head.json and race.json, if the race was run; gets comment.md
#
# The workflow runs it with the code and the limits of the default branch: nothing that came from the pull request is
# run, its numbers are checked, and all text is made here. The commit is the one that GitHub says the run was for.
set -euo pipefail

folder="$(cd "$1" && pwd)" commit="$2"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
go build -o "$work/size-report" ./size-report

"$work/size-report" compare -base "$folder/base.json" -head "$folder/head.json" -commit "$commit" -out "$work/size.json"
speed=()
if [ -e "$folder/race.json" ]; then
	"$work/size-report" compare -race "$folder/race.json" -commit "$commit" -out "$work/speed.json"
	speed=(-speed "$work/speed.json")
fi
"$work/size-report" render -in "$work/size.json" "${speed[@]}" -out "$folder/comment.md"
