# A fresh machine needs Go, Node and make; the targets bring the rest. CONTRIBUTING.md tells when to use which.

FUZZTIME ?= 30s
BASE ?= origin/main

# The module with the names of its functions, for the profiler.
named = .tools/named/postgres.named.wasm

.PHONY: demo playground playground-serve check test test-go test-js test-conformance test-runtimes test-bench test-profile test-playground test-perf runtimes runtimes-cold bench chart tables seed profile size perf wasm wasm-verify wasm-std fuzz pack clean

# The main job, embedded: PGlite, 50,000 rows, as JSON and as typed rows.
demo: js/dist
	@cd js && node examples/demo.mjs

# The playground, a page for any static file server: examples/playground/dist.
playground: js/dist examples/playground/node_modules
	cd examples/playground && npm run --silent build

PORT ?= 8080

# The same, served on loopback.
playground-serve: playground
	cd examples/playground && node serve.mjs $(PORT)

# Format, vet, lint, types, generated files; with CI=true also a clean tree.
check: js/node_modules
	scripts/check.sh

# Everything. The committed modules are what it tests, and the standard compiler's builds of the same sources.
test: test-go test-js test-conformance test-runtimes test-bench test-playground test-perf

# The nested modules are the tests with real databases: what they need is not for users of the Go module to download.
test-go: wasm-std
	scripts/test-go.sh
	cd wasm/internal/pgwire/servertest && go test ./...
	cd wasm/internal/mysqlwire/servertest && go test ./...
	cd driveradapter/sqlrows/drivertest && go test ./...

test-js: js/dist
	cd js && npm test --silent

# The cases in JavaScript; test-go runs them in Go.
test-conformance: wasm-std js/dist conformance/node_modules
	cd conformance && ROWJET_SEED=20261130 npm test --silent

# The packed package: its files, and in other JavaScript runtimes than the one at hand. docs/runtimes.md tells what runs where.
test-runtimes: pack runtimes/node_modules
	cd js && npm run --silent lint:pack
	cd runtimes && node run.mjs

# The same, and in bundlers and with drivers: three minutes.
runtimes: pack runtimes/node_modules runtimes/bundlers/node_modules
	cd js && npm run --silent lint:pack
	ROWJET_MARIADB_URL=none scripts/servers.sh sh -c 'cd runtimes && exec node run.mjs --all'

# Cold starts and sizes of Workers, beside Prisma's engine. It wants a machine that does nothing else.
runtimes-cold: pack runtimes/node_modules runtimes/bundlers/node_modules
	cd runtimes && node cold.mjs

# The benchmarks, one round each, so that they can't rot.
test-bench: js/dist bench/node_modules
	cd bench && npm test --silent

# The playground in a real browser (on Debian as root it is brought).
test-playground: playground
	cd examples/playground && npm test --silent

# The benchmarks: tables, and ratios beside their goals. They want a machine that does nothing else.
#   make bench                          all, in about seven minutes
#   make bench ONLY="pg types"          some parts; bench/run.mjs names them
#   make bench JSON=bench/results.json  keeps what was measured
bench: js/dist bench/node_modules
	@node bench/run.mjs $(ONLY) $(if $(JSON),--json $(JSON))

# What bench/results.json tells, as the chart and the tables of the README, and as docs/benchmarks.md.
chart:
	node bench/chart.mjs

tables: bench/node_modules
	node bench/tables.mjs

# Fills a database with movies, persons, users and reviews: make seed URL=postgres://… (or mysql://, sqlite:, pglite:) ROWS=50000
seed: js/dist
	@node js/dist/cli/rowjet.js seed --url '$(URL)' $(if $(ROWS),--rows '$(ROWS)') $(if $(REPLACE),--replace)

# Where the time of a query goes, by Go function: make profile SHAPE=rows, with URL=postgres://… and QUERY="SELECT …" for
# one of your own. It writes profile.html.
profile: js/dist bench/node_modules $(named)
	@$(if $(URL),,scripts/servers.sh) node bench/profile.mjs $(if $(URL),--url '$(URL)') $(if $(QUERY),--query '$(QUERY)') $(if $(SHAPE),--shape $(SHAPE))

# Builds modules, which the other tests don't.
test-profile: js/dist bench/node_modules $(named)
	cd bench && ../scripts/servers.sh node --test profile.test.mjs

$(named): $(wildcard wasm/*/*.go wasm/internal/*/*.go internal/*/*.go driveradapter/*.go scripts/build-wasm.sh)
	@mkdir -p $(@D)
	scripts/build-wasm.sh --names $(@D)

# The race of two builds, one build against itself.
test-perf: js/dist
	node --test perf-report/race.test.mjs

# What a change does to the sizes of the modules: against its merge base with BASE, which is built beside it.
size: js/node_modules
	scripts/size.sh '$(BASE)'

# What it does to their speed: both are built, and raced in turns.
perf: js/node_modules
	scripts/perf.sh '$(BASE)'

# The shipped modules, wasm/dist/*.wasm.
wasm:
	scripts/build-wasm.sh

# Rebuilds them elsewhere and compares byte for byte.
wasm-verify:
	scripts/verify-wasm.sh

# The same sources by the standard compiler, for the tests only: .tools/std/.
wasm-std:
	scripts/build-std.sh

# Every fuzz test, each for FUZZTIME.
fuzz:
	scripts/fuzz.sh $(FUZZTIME)

# The npm tarball, js/rowjet-<version>.tgz.
pack: js/node_modules
	cd js && npm pack --silent

# All that is not committed, the compiler too.
clean:
	rm -rf .tools js/dist js/node_modules conformance/node_modules bench/node_modules runtimes/node_modules runtimes/bundlers/node_modules runtimes/bundlers/build examples/playground/dist examples/playground/node_modules

# Always made anew: that takes seconds, and what it is made of are many files.
.PHONY: js/dist
js/dist: js/node_modules
	cd js && npm run --silent build

# Without install scripts: of all packages only better-sqlite3 needs one, which takes minutes, and the tests see to it.
js/node_modules conformance/node_modules bench/node_modules runtimes/node_modules runtimes/bundlers/node_modules examples/playground/node_modules: %/node_modules: %/package-lock.json
	cd $* && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@
