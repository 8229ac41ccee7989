package host_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/host"
	"github.com/shopspring/decimal"
)

func Example() {
	ctx := context.Background()
	rt, err := host.New(ctx)
	if err != nil {
		panic(err)
	}
	defer rt.Close(ctx)
	engine, err := rt.Engine(ctx, driveradapter.Postgres)
	if err != nil {
		panic(err)
	}
	out, err := engine.Serialize(ctx, driveradapter.ResultSet{
		ColumnNames: []string{"id", "price", "sold"},
		ColumnTypes: []driveradapter.ColumnType{driveradapter.Int64, driveradapter.Numeric, driveradapter.DateTime},
		Rows: [][]any{
			{int64(9007199254740993), decimal.RequireFromString("1.10"), time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)},
			{2, nil, nil},
		},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out))
	// Output:
	// {"columns":["id","price","sold"],"types":["bigint","decimal","datetime"],"rows":[["9007199254740993","1.10","2024-02-29T12:00:00+00:00"],["2",null,null]]}
}

// A stream takes its rows from an iterator; here it is one over a result set.
func ExampleEngine_Stream() {
	ctx := context.Background()
	rt, err := host.New(ctx)
	if err != nil {
		panic(err)
	}
	defer rt.Close(ctx)
	engine, err := rt.Engine(ctx, driveradapter.SQLite)
	if err != nil {
		panic(err)
	}
	rows := driveradapter.RowsOf(driveradapter.ResultSet{
		ColumnNames: []string{"id", "value"},
		ColumnTypes: []driveradapter.ColumnType{driveradapter.Int32, driveradapter.Int32},
		Rows:        [][]any{{1, 7}, {2, "seven"}}, // SQLite takes any value in any column
	})
	if err := engine.Stream(ctx, os.Stdout, rows, host.ShapeNDJSON, host.SettleUnknown); err != nil {
		panic(err)
	}
	// Output:
	// {"id":1,"value":7}
	// {"id":2,"value":"seven"}
}

// Errors tell where they are.
func ExampleEngine_Serialize_error() {
	ctx := context.Background()
	rt, err := host.New(ctx)
	if err != nil {
		panic(err)
	}
	defer rt.Close(ctx)
	engine, err := rt.Engine(ctx, driveradapter.Postgres)
	if err != nil {
		panic(err)
	}
	_, err = engine.Serialize(ctx, driveradapter.ResultSet{
		ColumnNames: []string{"id"},
		ColumnTypes: []driveradapter.ColumnType{driveradapter.Int32},
		Rows:        [][]any{{1}, {3_000_000_000}},
	})
	var e *driveradapter.Error
	if errors.As(err, &e) {
		fmt.Println(e.Row, e.Column, e.Name, e.Code)
	}
	fmt.Println(errors.Is(err, driveradapter.CodeIntRange))
	fmt.Println(err)
	// Output:
	// 1 0 id the number does not fit 32 bits
	// true
	// row 1, column 0 "id" (int): the number does not fit 32 bits, found number 3000000000; label the column bigint (ColumnType 1) [INT_RANGE]
}
