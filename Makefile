# A fresh machine needs Go, Node and make; the targets bring the rest. CONTRIBUTING.md tells when to use which.

FUZZTIME ?= 30s

.PHONY: check test test-go test-js wasm wasm-verify wasm-std fuzz pack clean

# Format, vet, lint, types, generated files; with CI=true also a clean tree.
check: js/node_modules
	scripts/check.sh

# Everything. The committed modules are what it tests, and the standard compiler's builds of the same sources.
test: test-go test-js

test-go: wasm-std
	go test ./...

test-js: wasm-std js/node_modules
	cd js && npm run --silent build && npm test --silent

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
	rm -rf .tools js/dist js/node_modules

js/node_modules: js/package-lock.json
	cd js && npm ci --no-audit --no-fund
	@touch $@
