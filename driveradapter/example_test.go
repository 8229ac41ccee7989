package driveradapter_test

import (
	"errors"
	"fmt"

	"github.com/rowjet/rowjet/driveradapter"
)

// Rows is what a driver adapter implements to have its rows streamed. RowsOf is one
// over a result set in memory.
func ExampleRowsOf() {
	rows := driveradapter.RowsOf(driveradapter.ResultSet{
		ColumnNames: []string{"id", "title"},
		ColumnTypes: []driveradapter.ColumnType{driveradapter.Int32, driveradapter.Text},
		Rows:        [][]any{{1, "Playtime"}, {2, nil}},
	})
	for i, name := range rows.ColumnNames() {
		fmt.Println(name, rows.ColumnTypes()[i].Label())
	}
	for rows.Next() {
		fmt.Println(rows.Row()...)
	}
	fmt.Println(rows.Err())
	// Output:
	// id int
	// title string
	// 1 Playtime
	// 2 <nil>
	// <nil>
}

// An Error tells where, and has a code that does not change.
func ExampleError() {
	var err error = &driveradapter.Error{
		Code: driveradapter.CodeIntRange, Row: 1, Column: 0, Name: "id", Type: driveradapter.Int32, Found: "number 3000000000",
	}
	fmt.Println(errors.Is(err, driveradapter.CodeIntRange))
	fmt.Println(err)
	// Output:
	// true
	// row 1, column 0 "id" (int): the number does not fit 32 bits, found number 3000000000; label the column bigint (ColumnType 1) [INT_RANGE]
}

// A frame is a columns block and then rows blocks, for hosts of the modules.
func ExampleEncoder() {
	frame := driveradapter.AppendColumns(nil, []string{"id"}, []driveradapter.ColumnType{driveradapter.Int32})
	var rows driveradapter.Encoder
	rows.Row([]any{7}, 1)
	rows.Row([]any{nil}, 1)
	frame = rows.AppendBlock(frame)
	fmt.Println(len(frame), rows.Empty())
	// Output:
	// 72 true
}
