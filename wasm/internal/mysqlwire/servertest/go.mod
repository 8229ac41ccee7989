module github.com/rowjet/rowjet/wasm/internal/mysqlwire/servertest

go 1.26

require github.com/rowjet/rowjet v0.0.0

replace github.com/rowjet/rowjet => ../../../..
