// Package conformance holds cases (result set in, exact bytes out) and runs
// them against every body that the serializer has: the Go code itself, the
// shipped modules and the standard compiler's builds under wazero. run.mjs does the
// same for JavaScript. README.md describes the case format.
package conformance
