package sqlrows_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"os"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/driveradapter/sqlrows"
	"github.com/rowjet/rowjet/host"
)

// The driver here is one that answers as pgx/stdlib does.
func ExampleNew() {
	ctx := context.Background()
	db := sql.OpenDB(&fakeDB{results: []fakeResult{{
		columns: []fakeColumn{{name: "id", typeName: "INT8"}, {name: "price", typeName: "NUMERIC"}},
		rows:    [][]driver.Value{{int64(9007199254740993), "1.10"}, {int64(2), nil}},
	}}})
	defer db.Close()
	rt, err := host.New(ctx)
	if err != nil {
		panic(err)
	}
	defer rt.Close(ctx)
	engine, err := rt.Engine(ctx, driveradapter.Postgres)
	if err != nil {
		panic(err)
	}

	rows, err := db.QueryContext(ctx, "SELECT id, price FROM item")
	if err != nil {
		panic(err)
	}
	defer rows.Close()
	result, err := sqlrows.New(driveradapter.Postgres, rows)
	if err != nil {
		panic(err)
	}
	if err := engine.Stream(ctx, os.Stdout, result); err != nil {
		panic(err)
	}
	fmt.Println()
	// Output:
	// {"columns":["id","price"],"types":["bigint","decimal"],"rows":[["9007199254740993","1.10"],["2",null]]}
}
