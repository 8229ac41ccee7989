#!/usr/bin/env bash
# The compiler and the optimizer that the shipped modules are built with.
#
#   . scripts/toolchain.sh    defines toolchain, which brings what is missing and sets TINYGO, TINYGOROOT, WASMOPT
#                             (exported, as TinyGo reads the last two itself) and METADCE
#   scripts/toolchain.sh      does that and prints what it found
#
# What it builds or installs goes to $TOOLS (default: .tools in the repository), one folder per version, so a second
# run finds everything in place. The versions below, those of scripts/tinygo/go.mod and those of scripts/binaryen are
# the ones that the committed modules come from: with any other compiler the modules work the same, but their bytes
# may differ.
set -euo pipefail

go_version=1.26.8
llvm_version=19.1.7
llvm_packages=(clang-19 lld-19 llvm-19-dev libclang-19-dev g++)

scripts="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
TOOLS="${TOOLS:-$(dirname "$scripts")/.tools}"
tinygo_version="$(sed -n 's|.*github.com/tinygo-org/tinygo v\([0-9.]*\).*|\1|p' "$scripts/tinygo/go.mod")"
binaryen_version="$(sed -n 's|.*"binaryen": "\([0-9.]*\)".*|\1|p' "$scripts/binaryen/package.json")"

say() { printf '%s\n' "$*" >&2; }
die() {
	say "$@"
	exit 1
}

# toolchain_notice is what differs from the pinned versions, empty if nothing does.
toolchain_notice=

toolchain() {
	mkdir -p "$TOOLS"
	pin_go
	find_tinygo
	find_binaryen
	if [ -n "$toolchain_notice" ]; then
		say "note: the committed modules come from TinyGo $tinygo_version, LLVM $llvm_version, Go $go_version; here:" \
			"$toolchain_notice. What is built here works, but may differ from them in its bytes."
	fi
}

# The Go release decides which standard library TinyGo compiles in. Go fetches another release by itself, unless it
# was told not to, or cannot.
pin_go() {
	local have
	have="$(go env GOVERSION)"
	[ "$have" = "go$go_version" ] && return
	if GOTOOLCHAIN="go$go_version" go version >/dev/null 2>&1; then
		export GOTOOLCHAIN="go$go_version"
	else
		differs "Go ${have#go}"
	fi
}

find_tinygo() {
	local built="$TOOLS/tinygo-$tinygo_version-llvm-$llvm_version" installed version='' llvm=''
	installed="$(command -v tinygo || true)"
	if [ -n "$installed" ]; then
		version="$(tinygo_of "$installed")"
		llvm="$(llvm_of "$installed")"
	fi

	if [ "$version" = "$tinygo_version" ] && [ "$llvm" = "$llvm_version" ]; then
		TINYGO="$installed"
	elif ensure_llvm && build_tinygo "$built"; then
		TINYGO="$built/bin/tinygo"
		export TINYGOROOT="$built/root"
		llvm="$(llvm_of "$TINYGO")"
		[ "$llvm" = "$llvm_version" ] || differs "LLVM $llvm"
	elif [ -z "$installed" ]; then
		die "No TinyGo was found. Install TinyGo $tinygo_version or newer and put it on PATH," \
			"or use a Debian machine, where this script builds it."
	elif at_least "$version" "$tinygo_version"; then
		TINYGO="$installed"
		differs "TinyGo $version with LLVM $llvm"
	else
		die "The TinyGo on PATH is ${version:-of no known version}; the modules need $tinygo_version or newer." \
			"Install a newer release, or use a Debian machine, where this script builds it."
	fi
}

differs() { toolchain_notice+="${toolchain_notice:+, }$1"; }

# A TinyGo tells its versions like this:
# tinygo version 0.41.1 linux/amd64 (using go version go1.26.8 and LLVM version 19.1.7)
tinygo_of() { "$1" version | sed -n 's/^tinygo version \([0-9.]*\).*/\1/p'; }
llvm_of() { "$1" version | sed -n 's/.*LLVM version \([0-9.]*\).*/\1/p'; }

# at_least reports whether version $1 is $2 or newer.
at_least() {
	[ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

# build_tinygo builds the pinned TinyGo into folder $1, unless it is there.
build_tinygo() {
	local out="$1" part module
	[ -x "$out/bin/tinygo" ] && return
	say "building TinyGo $tinygo_version (about a minute)"
	part="$(mktemp -d "$TOOLS/part.XXXXXX")"
	(
		cd "$scripts/tinygo"
		CGO_ENABLED=1 GOFLAGS=-mod=readonly GOWORK=off \
			go build -tags llvm19 -trimpath -ldflags='-s -w' -o "$part/bin/tinygo" github.com/tinygo-org/tinygo
	) || die "TinyGo $tinygo_version did not build."
	module="$(cd "$scripts/tinygo" && GOWORK=off go list -mod=readonly -m -f '{{.Dir}}' github.com/tinygo-org/tinygo)"
	mkdir "$part/root"
	cp -R "$module/src" "$module/targets" "$module/lib" "$part/root/" || die "TinyGo's own library could not be copied."
	# Files of the module cache are read-only, and so are copies of them; rm -rf .tools must work.
	chmod -R u+w "$part/root"
	# A submodule of TinyGo's repository, which module archives leave out. TinyGo lists the folder, the core does not
	# use it.
	mkdir -p "$part/root/src/net"
	"$part/bin/tinygo" version >/dev/null || die "The TinyGo that was built does not run."
	settle "$part" "$out"
}

# settle moves a finished folder to its final name in one step: a run that was cut off leaves nothing that looks
# finished. Of two runs at once, the first one wins.
settle() {
	if [ -e "$2" ]; then
		rm -rf "$1"
	else
		mv "$1" "$2"
	fi
}

# ensure_llvm fails where Debian's LLVM is not to be had. A TinyGo that is already built needs it too: it runs clang
# and the linker, and its own LLVM is a shared library.
ensure_llvm() {
	local missing=() package
	command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || return 1
	for package in "${llvm_packages[@]}"; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	if [ "$(id -u)" != 0 ]; then
		say "To build TinyGo $tinygo_version, this machine needs (as root): apt-get install ${missing[*]}"
		return 1
	fi
	say "installing ${missing[*]}"
	apt_install "${missing[@]}" || {
		say "apt-get could not install ${missing[*]}"
		return 1
	}
}

apt_install() {
	local log status=0
	log="$(mktemp)"
	export DEBIAN_FRONTEND=noninteractive
	{
		apt-get install -y --no-install-recommends "$@" ||
			# A fresh image has no package lists, and an old one has stale ones.
			{ apt-get update && apt-get install -y --no-install-recommends "$@"; }
	} >"$log" 2>&1 </dev/null || status=$?
	[ "$status" = 0 ] || tail -n 20 "$log" >&2
	rm -f "$log"
	return "$status"
}

find_binaryen() {
	local out="$TOOLS/binaryen-$binaryen_version" part
	if [ ! -x "$out/node_modules/.bin/wasm-opt" ]; then
		say "installing binaryen $binaryen_version"
		part="$(mktemp -d "$TOOLS/part.XXXXXX")"
		cp "$scripts/binaryen/package.json" "$scripts/binaryen/package-lock.json" "$part/"
		(cd "$part" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2) ||
			die "npm could not install binaryen $binaryen_version."
		settle "$part" "$out"
	fi
	export WASMOPT="$out/node_modules/.bin/wasm-opt"
	METADCE="$out/node_modules/.bin/wasm-metadce"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
	toolchain
	"$TINYGO" version
	"$WASMOPT" --version
fi
