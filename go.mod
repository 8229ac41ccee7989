module github.com/rowjet/rowjet

go 1.26

require (
	github.com/google/uuid v1.6.0
	github.com/shopspring/decimal v1.6.0
	github.com/tetratelabs/wazero v1.12.0
	pgregory.net/rapid v1.3.0
)

require golang.org/x/sys v0.44.0 // indirect
