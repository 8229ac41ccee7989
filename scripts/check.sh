#!/usr/bin/env bash
# make check: format, vet, lint, types, generated files, lock files, and in CI a clean tree. It runs every step, then
# tells how many failed; it changes nothing but generated files that were out of date.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
tools="$PWD/.tools"
passed=0 failed=0

# step runs a function or command under a name, and counts.
step() {
	local name="$1" log
	shift
	log="$(mktemp)"
	if ("$@") >"$log" 2>&1; then
		passed=$((passed + 1))
		echo "ok    $name"
	else
		failed=$((failed + 1))
		echo "FAIL  $name"
		sed 's/^/      /' "$log"
	fi
	rm -f "$log"
}

# The files of the repository, also those that are not committed yet.
files() { git ls-files --cached --others --exclude-standard -- "$@" | while read -r f; do [ ! -f "$f" ] || echo "$f"; done; }

format() {
	local bad
	bad="$(files '*.go' | xargs gofmt -l)" || return 1
	[ -z "$bad" ] || {
		echo "run gofmt -w on: $bad"
		return 1
	}
}

# tool builds a linter of scripts/lint, unless it is there, and prints where it is.
tool() {
	local name="$1" module="$2" package="$3" version out
	version="$(sed -n "s|.*$module \(v[0-9.]*\).*|\1|p" scripts/lint/go.mod)"
	out="$tools/$name-$version-$(go env GOVERSION)"
	[ -x "$out" ] || (cd scripts/lint && GOWORK=off go build -mod=readonly -o "$out" "$module/$package")
	echo "$out"
}

staticcheck() {
	"$(tool staticcheck honnef.co/go/tools cmd/staticcheck)" ./...
}

# Without shellcheck, which is not everywhere: what a workflow runs is better a script of this repository.
workflows() {
	"$(tool actionlint github.com/rhysd/actionlint cmd/actionlint)" -shellcheck= -pyflakes= $(files '.github/workflows/*.yml')
}

scripts() {
	local f status=0
	for f in $(files '*.sh' .ci/run); do
		bash -n "$f" || status=1
		[ -x "$f" ] || { echo "$f is not executable" && status=1; }
	done
	return "$status"
}

generated() {
	local before after
	before="$(checksums)"
	go generate ./... || return 1
	(cd js && npm run --silent generate) || return 1
	after="$(checksums)"
	[ "$before" = "$after" ] || {
		echo 'generated files were out of date; commit what "go generate ./..." and "npm run generate" made of them:'
		diff <(echo "$before") <(echo "$after") | sed -n 's/^> [0-9]* [0-9]* //p'
		return 1
	}
}

checksums() { files | tr '\n' '\0' | xargs -0 cksum; }

# Lock files name packages and checksums, not where some machine got them from: npm install
# --omit-lockfile-registry-resolved writes them so.
locks() {
	! grep -n '"resolved": "http' $(files '*package-lock.json') /dev/null
}

types() {
	(cd js && npx --no-install tsc --noEmit -p . && npx --no-install tsc -p ../examples/playground)
}

imports() { node js/scripts/lint-imports.mjs; }

clean() {
	local dirty
	dirty="$(git status --porcelain)"
	[ -z "$dirty" ] || {
		echo "$dirty"
		return 1
	}
}

mkdir -p "$tools"
step 'gofmt' format
step 'go vet' go vet ./...
step 'go vet, GOOS=wasip1' env GOOS=wasip1 GOARCH=wasm go vet ./wasm/postgres ./wasm/mysql ./wasm/sqlite
step 'go mod tidy' go mod tidy -diff
step 'staticcheck' staticcheck
step 'shell scripts' scripts
step 'workflows' workflows
step 'generated files' generated
step 'lock files' locks
step 'TypeScript types' types
step 'imports' imports
[ "${CI:-}" != true ] || step 'clean tree' clean

echo "check: $passed passed, $failed failed"
[ "$failed" = 0 ]
