package host_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/host"
	"github.com/shopspring/decimal"
)

// TestBatchValues checks what Value makes of each type, also of what its Go type
// can't hold.
func TestBatchValues(t *testing.T) {
	engine := newEngine(t, driveradapter.Postgres)
	at := time.Date(2024, 2, 29, 1, 2, 3, 4, time.UTC)
	id := uuid.MustParse("0190163d-8694-739b-aea5-966c26f8ad91")
	beyond, _ := new(big.Int).SetString("18446744073709551616", 10)
	for _, test := range []struct {
		typ   driveradapter.ColumnType
		cells []any
		want  []any
	}{
		{driveradapter.Int32, []any{1, nil}, []any{int32(1), nil}},
		{driveradapter.Int64, []any{-1, beyond, nil}, []any{int64(-1), beyond, nil}},
		{driveradapter.Double, []any{0.5, 1}, []any{0.5, 1.0}},
		{driveradapter.Float, []any{float32(0.1)}, []any{0.1}},
		{driveradapter.Numeric, []any{"1.10", "NaN", nil}, []any{decimal.RequireFromString("1.10"), "NaN", nil}},
		{driveradapter.Boolean, []any{true, nil, false}, []any{true, nil, false}},
		{driveradapter.DateTime, []any{at, "infinity"}, []any{at, "infinity"}},
		{driveradapter.Date, []any{"2024-02-29"}, []any{"2024-02-29"}},
		{driveradapter.UUID, []any{id, nil}, []any{id, nil}},
		{driveradapter.Bytes, []any{[]byte{0, 1}, []byte{}}, []any{[]byte{0, 1}, []byte{}}},
		{driveradapter.JSON, []any{json.RawMessage(`{"a": 1.0}`)}, []any{json.RawMessage(`{"a": 1.0}`)}},
		{driveradapter.Int32Array, []any{[]any{1, nil}}, []any{json.RawMessage(`[1,null]`)}},
		{driveradapter.Text, []any{"ä", ""}, []any{"ä", ""}},
	} {
		rs := driveradapter.ResultSet{ColumnNames: []string{"v"}, ColumnTypes: []driveradapter.ColumnType{test.typ}}
		for _, cell := range test.cells {
			rs.Rows = append(rs.Rows, []any{cell})
		}
		var got []any
		err := engine.Batches(ctx, driveradapter.RowsOf(rs), func(b *host.Batch) error {
			for row := range b.Rows {
				got = append(got, b.Columns[0].Value(row))
			}
			return nil
		})
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%v: got %#v, error %v, want %#v", test.typ, got, err, test.want)
		}
	}
}

// Batches give typed values a few rows at a time.
func ExampleEngine_Batches() {
	rt, err := host.New(ctx)
	if err != nil {
		panic(err)
	}
	defer rt.Close(ctx)
	engine, err := rt.Engine(ctx, driveradapter.Postgres)
	if err != nil {
		panic(err)
	}
	rows := driveradapter.RowsOf(driveradapter.ResultSet{
		ColumnNames: []string{"id", "price"},
		ColumnTypes: []driveradapter.ColumnType{driveradapter.Int32, driveradapter.Numeric},
		Rows:        [][]any{{1, "9.90"}, {2, "0.10"}, {3, nil}},
	})
	ids, total := 0, decimal.Zero
	err = engine.Batches(ctx, rows, func(b *host.Batch) error {
		id, price := &b.Columns[0], &b.Columns[1]
		for row := range b.Rows {
			ids += int(id.Int32s[row]) // no copy, no box
			if p, ok := price.Value(row).(decimal.Decimal); ok {
				total = total.Add(p)
			}
		}
		return nil
	})
	fmt.Println(ids, total.StringFixed(2), err)
	// Output:
	// 6 10.00 <nil>
}
