#!/usr/bin/env bash
# Builds the working tree (head) and its merge base with another branch (base), each by its own scripts: what the
# reports on size and speed compare. Sourced by scripts/size.sh and scripts/perf.sh.
#
#   sides <ref>          sets root, base and head: the trees, and base_commit and head_commit: their names
#   modules_of <tree>    prints a folder that holds modules/, standard/ and versions
#   package_of <tree>    prints a folder that holds the npm package: package.json, dist/ and pack.json
#
# The last two build only what no run before has built from the same sources by the same compilers: most changes leave
# one or both of them alone. Finished builds are in .tools/sides.
set -euo pipefail
shopt -s inherit_errexit # or else a build that failed inside of $(…) goes on, and is kept as if it were one

sides() {
	root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
	head="$root"
	cd "$root"
	[ $# -gt 0 ] && [ -n "$1" ] || stop 'which commit or branch is the base? make size BASE=main'
	git rev-parse --quiet --verify --end-of-options "$1^{commit}" >/dev/null ||
		stop "BASE=$1 is no commit that is here; git fetch brings those of others."
	export TOOLS="${TOOLS:-$root/.tools}"
	# Else the standard compiler writes the commit into what it builds.
	export GOFLAGS="${GOFLAGS:-} -buildvcs=false"
	builds="$TOOLS/sides"
	mkdir -p "$builds"

	head_commit="$(git rev-parse HEAD)"
	base_commit="$(git merge-base HEAD "$1")" ||
		stop "HEAD and $1 have no commit in common; a shallow clone needs git fetch --unshallow."
	# Of before there was all that is measured; its scripts build it.
	local file
	for file in scripts/{toolchain,build-wasm,build-std}.sh js/package-lock.json wasm/dist/postgres.wasm; do
		git cat-file -e "$base_commit:$file" 2>/dev/null ||
			stop "The base $(git rev-parse --short "$base_commit") has no $file yet: take a later commit as BASE."
	done
	if [ -n "$(git status --porcelain)" ]; then
		head_commit+=+
	elif [ "$head_commit" = "$base_commit" ]; then
		echo "HEAD is a part of $1, with no changes on top: this compares a commit with itself." >&2
	fi
	work="$(mktemp -d)"
	trap sides_end EXIT
	base="$work/base"
	git worktree add --quiet --detach "$base" "$base_commit"
}

stop() {
	echo "$1" >&2
	exit 2
}

building= # what sides_end names, if it ends there

sides_end() {
	[ $? = 0 ] || [ -z "$building" ] || echo "The $building can't be built by its own scripts: see above." >&2
	git -C "$root" worktree remove --force "$base" || true
	rm -rf "$work" "$builds/part.$$"
}

# key_of prints a hash of the files of a tree that match the patterns, and of the text on standard input.
key_of() {
	local tree="$1"
	shift
	{
		cat
		cd "$tree"
		git ls-files --cached --others --exclude-standard -z -- "$@" | sort -zu | xargs -0 sha256sum
	} | sha256sum | cut -c 1-16
}

modules_of() {
	local tree="$1" versions out part names=()
	versions="$("$tree/scripts/toolchain.sh")"
	out="$builds/modules-$(key_of "$tree" go.mod go.sum driveradapter internal wasm scripts/tinygo scripts/binaryen \
		scripts/toolchain.sh 'scripts/build-*.sh' ':!wasm/dist/*.wasm' ':!*_test.go' <<<"$versions")"
	if [ ! -d "$out" ]; then
		part="$builds/part.$$" && mkdir "$part"
		! grep -q -e --names "$tree/scripts/build-wasm.sh" || names=(--names)
		"$tree/scripts/build-wasm.sh" "${names[@]}" "$part/modules" >&2
		"$tree/scripts/build-std.sh" "$part/standard" >&2
		echo "$versions" >"$part/versions"
		settle "$part" "$out"
	fi
	echo "$out"
}

package_of() {
	local tree="$1" out part
	out="$builds/package-$(key_of "$tree" js LICENSE README.md 'wasm/dist/*.wasm' <<<"$(node --version)")"
	if [ ! -d "$out" ]; then
		if [ ! -e "$tree/js/node_modules" ]; then
			if cmp -s "$tree/js/package-lock.json" "$root/js/package-lock.json" && [ -d "$root/js/node_modules" ]; then
				ln -s "$root/js/node_modules" "$tree/js/node_modules"
			else
				(cd "$tree/js" && npm ci --ignore-scripts --no-audit --no-fund >&2)
			fi
		fi
		part="$builds/part.$$" && mkdir "$part"
		(cd "$tree/js" && npm run --silent build >&2 && npm pack --dry-run --json --ignore-scripts >"$part/pack.json")
		cp -R "$tree/js/package.json" "$tree/js/dist" "$part/"
		settle "$part" "$out"
	fi
	echo "$out"
}

# settle moves a finished folder to its final name in one step: a run that was cut off leaves nothing that looks
# finished.
settle() {
	mv -T "$1" "$2" 2>/dev/null || rm -rf "$1" # of two runs at once, the first one wins
}
