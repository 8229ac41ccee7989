#!/usr/bin/env bash
# Finds a Chromium for tests, and brings Debian's if there is none.
#
#   scripts/chromium.sh                          prints the path of the browser's program
#   scripts/chromium.sh <command> [arguments…]   runs a command that finds it in ROWJET_CHROMIUM
#
# ROWJET_CHROMIUM, if it is set already, is taken as it is. On Debian and as root the package is installed if it is
# missing; elsewhere it tells what is. As root Chromium wants --no-sandbox: start it only with pages of your own.
set -euo pipefail

main() {
	local path="${ROWJET_CHROMIUM:-}"
	if [ -z "$path" ]; then
		path="$(find_chromium)" || {
			install_chromium
			path="$(find_chromium)" || fail 'Chromium was installed, but is nowhere on the PATH'
		}
	elif [ ! -x "$path" ]; then
		fail "ROWJET_CHROMIUM is $path, which is no program"
	fi
	if [ $# = 0 ]; then
		echo "$path"
	else
		ROWJET_CHROMIUM="$path" exec "$@"
	fi
}

fail() {
	echo "chromium.sh: $*" >&2
	exit 1
}

find_chromium() {
	local name
	for name in chromium chromium-browser google-chrome-stable google-chrome; do
		command -v "$name" && return
	done
	name='/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
	[ -x "$name" ] && echo "$name"
}

install_chromium() {
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
		fail 'there is no Chromium: install it (on Debian: apt-get install chromium), or set ROWJET_CHROMIUM to the program of a Chromium or Chrome of your own'
	fi
	echo 'chromium.sh: installing chromium' >&2
	local log
	log="$(mktemp)"
	# Two tests may find it missing at the same time. Without a font there would be no text.
	(
		flock 9
		find_chromium >/dev/null || { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 chromium fonts-dejavu-core; }
	) >"$log" 2>&1 9>"${TMPDIR:-/tmp}/rowjet-chromium.lock" || {
		cat "$log" >&2
		fail 'could not install chromium'
	}
	rm -f "$log"
}

main "$@"
