package host_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/host"
	"pgregory.net/rapid"
)

// anyType draws a declarable column type.
var anyType = rapid.Custom(func(t *rapid.T) driveradapter.ColumnType {
	var types []driveradapter.ColumnType
	for c := range driveradapter.ColumnType(255) {
		if c.Declarable() {
			types = append(types, c)
		}
	}
	return rapid.SampledFrom(types).Draw(t, "type")
})

// fitting draws a cell that the module can write under a type.
func fitting(t *rapid.T, c driveradapter.ColumnType) any {
	if rapid.IntRange(0, 9).Draw(t, "null") == 0 {
		return nil
	}
	if element, ok := c.Element(); ok {
		list := make([]any, rapid.IntRange(0, 4).Draw(t, "elements"))
		for i := range list {
			list[i] = fitting(t, element)
		}
		return list
	}
	switch c {
	case driveradapter.Int32:
		return rapid.Int32().Draw(t, "int")
	case driveradapter.Int64:
		return rapid.Int64().Draw(t, "bigint")
	case driveradapter.Float:
		return rapid.Float32().Draw(t, "float")
	case driveradapter.Double:
		return rapid.Float64().Draw(t, "double")
	case driveradapter.UnknownNumber:
		return rapid.OneOf(
			rapid.Map(rapid.Int32(), func(v int32) any { return v }),
			rapid.Map(rapid.Int64(), func(v int64) any { return v }),
			rapid.Map(rapid.Float64(), func(v float64) any { return v }),
			rapid.SampledFrom([]any{math.NaN(), math.Inf(-1), math.Copysign(0, -1)}),
		).Draw(t, "number")
	case driveradapter.Numeric:
		return rapid.StringMatching(`-?[0-9]{1,30}(\.[0-9]{1,20})?`).Draw(t, "decimal")
	case driveradapter.Boolean:
		return rapid.Bool().Draw(t, "bool")
	case driveradapter.Date, driveradapter.DateTime:
		return time.Unix(rapid.Int64Range(-1e11, 1e12).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds"))
	case driveradapter.Time:
		return rapid.StringMatching(`([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(\+0[0-9])?`).Draw(t, "time")
	case driveradapter.JSON:
		text, err := json.Marshal(rapid.MapOf(rapid.String(), rapid.SliceOf(rapid.Int())).Draw(t, "json"))
		if err != nil {
			t.Fatal(err)
		}
		return driveradapter.JSONText(text)
	case driveradapter.Bytes:
		return rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
	case driveradapter.UUID:
		return rapid.StringMatching(`[0-9a-fA-F]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`).Draw(t, "uuid")
	}
	return rapid.String().Draw(t, "text")
}

// resultSet draws a result. Some have cells that do not fit, some rows that are
// longer than the chunks that the host hands over.
func resultSet(t *rapid.T) driveradapter.ResultSet {
	types := rapid.SliceOfN(anyType, 0, 6).Draw(t, "types")
	rs := driveradapter.ResultSet{ColumnTypes: types, ColumnNames: make([]string, len(types))}
	for i := range types {
		rs.ColumnNames[i] = rapid.String().Draw(t, "name")
	}
	rows := rapid.IntRange(0, 12).Draw(t, "rows")
	for range rows {
		row := make([]any, len(types))
		for i, c := range types {
			switch kind := rapid.IntRange(0, 99).Draw(t, "kind"); {
			case kind < 2:
				row[i] = fitting(t, anyType.Draw(t, "other type"))
			case kind < 5 && c == driveradapter.Text:
				row[i] = strings.Repeat(rapid.StringN(1, 3, -1).Draw(t, "long"), rapid.IntRange(1, 60_000).Draw(t, "times"))
			default:
				row[i] = fitting(t, c)
			}
		}
		rs.Rows = append(rs.Rows, row)
	}
	return rs
}

// TestPaths checks that all ways through the host give the same document, or
// the same error, as the core does without WebAssembly.
func TestPaths(t *testing.T) {
	engines := make(map[driveradapter.Dialect][]*host.Engine)
	for _, flavour := range flavours {
		rt := newRuntime(t, flavour.opts...)
		for _, d := range []driveradapter.Dialect{driveradapter.Postgres, driveradapter.MySQL, driveradapter.SQLite} {
			engine, err := rt.Engine(ctx, d)
			if err != nil {
				t.Fatal(err)
			}
			engines[d] = append(engines[d], engine)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		dialect := rapid.SampledFrom([]driveradapter.Dialect{driveradapter.Postgres, driveradapter.MySQL, driveradapter.SQLite}).Draw(t, "dialect")
		shape := rapid.SampledFrom([]host.Shape{host.ShapeArray, host.ShapeObjects, host.ShapeNDJSON}).Draw(t, "shape")
		rs := resultSet(t)

		want, wantErr := engines[dialect][0].Serialize(ctx, rs, shape)
		message := func(err error) string {
			if err == nil {
				return ""
			}
			return err.Error()
		}
		for i, engine := range engines[dialect] {
			got, err := engine.Serialize(ctx, rs, shape)
			if message(err) != message(wantErr) || !bytes.Equal(got, want) {
				t.Fatalf("Serialize, %s: got %s, error %v\nwant %s, error %v", flavours[i].name, got, err, want, wantErr)
			}
			for way, stream := range map[string]func(*bytes.Buffer) error{
				"SerializeTo": func(w *bytes.Buffer) error { return engine.SerializeTo(ctx, w, rs, shape) },
				"SettleBuffer": func(w *bytes.Buffer) error {
					return engine.Stream(ctx, w, driveradapter.RowsOf(rs), shape, host.SettleBuffer)
				},
				"SettleScan": func(w *bytes.Buffer) error {
					return engine.Stream(ctx, w, &rewindable{driveradapter.RowsOf(rs), rs, 0}, shape, host.SettleScan)
				},
			} {
				var w bytes.Buffer
				err := stream(&w)
				if message(err) != message(wantErr) || err == nil && !bytes.Equal(w.Bytes(), want) {
					t.Fatalf("%s, %s: got %s, error %v\nwant %s, error %v", way, flavours[i].name, &w, err, want, wantErr)
				}
			}
		}
		document, code := serializeNatively(dialect, rs, shape)
		if wantErr == nil && !bytes.Equal(document, want) || wantErr != nil && !errors.Is(wantErr, code) {
			t.Fatalf("without WebAssembly: got %s, error %v\nwant %s, error %v", document, code, want, wantErr)
		}
		if wantErr == nil {
			checkDocument(t, rs, shape, want)
		}
	})
}

// checkDocument checks what can be told without knowing the rules for cells.
func checkDocument(t *rapid.T, rs driveradapter.ResultSet, shape host.Shape, document []byte) {
	var rows []json.RawMessage
	switch shape {
	case host.ShapeArray:
		var d struct {
			Columns, Types []string
			Rows           [][]json.RawMessage
		}
		if err := json.Unmarshal(document, &d); err != nil {
			t.Fatalf("%v in %s", err, document)
		}
		if !slices.Equal(d.Columns, rs.ColumnNames) || len(d.Types) != len(rs.ColumnTypes) || len(d.Rows) != len(rs.Rows) {
			t.Fatalf("got %q, %q and %d rows", d.Columns, d.Types, len(d.Rows))
		}
		for i, row := range d.Rows {
			if len(row) != len(rs.ColumnNames) {
				t.Fatalf("row %d has %d cells", i, len(row))
			}
			for k, cell := range row {
				want, isText := rs.Rows[i][k].(string)
				if rs.ColumnTypes[k] != driveradapter.Text || !isText {
					continue
				}
				var got string
				if err := json.Unmarshal(cell, &got); err != nil || got != want {
					t.Fatalf("row %d, column %d: got %s, want %q", i, k, cell, want)
				}
			}
		}
		return
	case host.ShapeObjects:
		if err := json.Unmarshal(document, &rows); err != nil {
			t.Fatalf("%v in %s", err, document)
		}
	case host.ShapeNDJSON:
		for line := range bytes.Lines(document) {
			if !json.Valid(line) || line[len(line)-1] != '\n' {
				t.Fatalf("no JSON line: %s", line)
			}
			rows = append(rows, line)
		}
	}
	if len(rows) != len(rs.Rows) {
		t.Fatalf("got %d rows, want %d", len(rows), len(rs.Rows))
	}
}
