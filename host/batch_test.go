package host_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/host"
	"pgregory.net/rapid"
)

// cellJSON writes a cell of a batch as the document has it, from what the
// documentation says of it.
func cellJSON(c *host.BatchColumn, row int) string {
	if extra := c.Extra(row); extra != nil {
		return string(extra)
	}
	if c.IsNull(row) {
		return "null"
	}
	switch c.Form {
	case host.FormInt32:
		return strconv.Itoa(int(c.Int32s[row]))
	case host.FormInt64:
		return strconv.Quote(strconv.FormatInt(c.Int64s[row], 10))
	case host.FormFloat64:
		switch f := c.Float64s[row]; {
		case math.IsNaN(f):
			return `"NaN"`
		case math.IsInf(f, 0):
			return strings.Replace(strconv.Quote(fmt.Sprint(f)), "Inf", "Infinity", 1)
		default:
			return fmt.Sprint(f)
		}
	case host.FormBool:
		return strconv.FormatBool(c.Bools[row])
	case host.FormTime:
		return strconv.Quote(timeText(c.Time(row)))
	case host.FormText:
		text, err := json.Marshal(string(c.Text(row)))
		if err != nil {
			panic(err)
		}
		return string(text)
	case host.FormBytes:
		return strconv.Quote(base64.StdEncoding.EncodeToString(c.Bytes(row)))
	}
	return string(c.Text(row))
}

func timeText(t time.Time) string {
	year := fmt.Sprintf("%04d", t.Year())
	if t.Year() < 0 || t.Year() > 9999 {
		year = fmt.Sprintf("%+07d", t.Year())
	}
	fraction := fmt.Sprintf(".%09d", t.Nanosecond())
	for len(fraction) > 1 && strings.HasSuffix(fraction, "000") {
		fraction = strings.TrimSuffix(fraction, "000")
	}
	return year + t.Format("-01-02T15:04:05") + strings.TrimSuffix(fraction, ".") + "+00:00"
}

// sameJSON reports whether two cells of documents are the same, in whatever
// notation numbers and strings are.
func sameJSON(a, b string) bool {
	if a == b {
		return true
	}
	if f, err := strconv.ParseFloat(a, 64); err == nil {
		g, err := strconv.ParseFloat(b, 64)
		return err == nil && math.Float64bits(f) == math.Float64bits(g)
	}
	var s, t string
	return json.Unmarshal([]byte(a), &s) == nil && json.Unmarshal([]byte(b), &t) == nil && s == t
}

// batchCells reads a result through Batches.
func batchCells(engine *host.Engine, rows driveradapter.Rows, settle host.Settle) (types []string, cells [][]string, batches int, err error) {
	err = engine.Batches(ctx, rows, func(b *host.Batch) error {
		batches++
		types = types[:0]
		for i := range b.Columns {
			types = append(types, b.Columns[i].Type.Label())
		}
		for row := range b.Rows {
			line := []string{}
			for i := range b.Columns {
				line = append(line, cellJSON(&b.Columns[i], row))
			}
			cells = append(cells, line)
		}
		return nil
	}, settle)
	return types, cells, batches, err
}

// TestBatchesMeanTheSame checks that batches say what the document says, on both
// engines of wazero.
func TestBatchesMeanTheSame(t *testing.T) {
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
		rs := resultSet(t)
		text, wantErr := engines[dialect][0].Serialize(ctx, rs)
		var want struct {
			Types []string
			Rows  [][]json.RawMessage
		}
		if wantErr == nil {
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
		}
		for n, engine := range engines[dialect] {
			for name, settle := range map[string]host.Settle{"SettleBuffer": host.SettleBuffer, "SettleScan": host.SettleScan} {
				types, cells, _, err := batchCells(engine, &rewindable{driveradapter.RowsOf(rs), rs, 0}, settle)
				if wantErr != nil {
					if err == nil || err.Error() != wantErr.Error() {
						t.Fatalf("%s, %s: got the error %v, want %v", flavours[n].name, name, err, wantErr)
					}
					continue
				}
				if err != nil || !slices.Equal(types, want.Types) || len(cells) != len(want.Rows) {
					t.Fatalf("%s, %s: got %d rows of %v, error %v\nwant %d rows of %v", flavours[n].name, name, len(cells), types, err, len(want.Rows), want.Types)
				}
				for r := range cells {
					for c := range types {
						if !sameJSON(cells[r][c], string(want.Rows[r][c])) {
							t.Fatalf("%s, %s: row %d, column %d (%s): got %s, want %s", flavours[n].name, name, r, c, types[c], cells[r][c], want.Rows[r][c])
						}
					}
				}
			}
		}
	})
}

func TestBatches(t *testing.T) {
	onFlavours(t, func(t *testing.T, opts ...host.Option) {
		engine := newEngine(t, driveradapter.Postgres, opts...)
		rs := driveradapter.ResultSet{
			ColumnNames: []string{"id", "title", "seen", "id"},
			ColumnTypes: []driveradapter.ColumnType{driveradapter.Int32, driveradapter.Text, driveradapter.DateTime, driveradapter.Int64},
		}
		const rows = 5000
		for n := range rows {
			var id any = n
			if n%3 == 0 {
				id = nil
			}
			rs.Rows = append(rs.Rows, []any{id, strings.Repeat("Ä", n%50) + "x", time.Unix(int64(n), 7), driveradapter.BigInt("1" + strings.Repeat("0", n%25))})
		}
		rs.Rows[4321][2] = "infinity"
		_, cells, batches, err := batchCells(engine, driveradapter.RowsOf(rs), host.SettleDeclared)
		if err != nil || len(cells) != rows || batches < 3 {
			t.Fatalf("%d rows in %d batches, error %v", len(cells), batches, err)
		}
		for n, want := range map[int][]string{
			0:    {"null", `"x"`, `"1970-01-01T00:00:00.000000007+00:00"`, `"1"`},
			4321: {"4321", `"` + strings.Repeat("Ä", 21) + `x"`, `"infinity"`, `"1` + strings.Repeat("0", 21) + `"`},
			4999: {"4999", `"` + strings.Repeat("Ä", 49) + `x"`, `"1970-01-01T01:23:19.000000007+00:00"`, `"1` + strings.Repeat("0", 24) + `"`},
		} {
			if !slices.Equal(cells[n], want) {
				t.Errorf("row %d: got %v, want %v", n, cells[n], want)
			}
		}

		// No rows, no columns.
		for name, test := range map[string]struct {
			rs    driveradapter.ResultSet
			types []string
			rows  int
		}{
			"no rows":    {driveradapter.ResultSet{ColumnNames: []string{"a"}, ColumnTypes: []driveradapter.ColumnType{driveradapter.Bytes}}, []string{"bytes"}, 0},
			"no columns": {driveradapter.ResultSet{Rows: [][]any{{}, {}}}, nil, 2},
		} {
			types, cells, batches, err := batchCells(engine, driveradapter.RowsOf(test.rs), host.SettleDeclared)
			if err != nil || !slices.Equal(types, test.types) || len(cells) != test.rows || batches != 1 {
				t.Errorf("%s: got %d rows of %v in %d batches, error %v", name, len(cells), types, batches, err)
			}
		}

		// The function's error ends it, and is its error.
		own := errors.New("enough")
		calls := 0
		err = engine.Batches(ctx, driveradapter.RowsOf(rs), func(*host.Batch) error { calls++; return own })
		if err != own || calls != 1 {
			t.Errorf("%d calls, error %v", calls, err)
		}
		// Errors of cells are those of the document.
		rs.Rows[4000][0] = "no number"
		err = engine.Batches(ctx, driveradapter.RowsOf(rs), func(*host.Batch) error { return nil })
		var cell *driveradapter.Error
		if !errors.As(err, &cell) || cell.Code != driveradapter.CodeIntInvalid || cell.Row != 4000 || cell.Column != 0 {
			t.Errorf("got the error %v", err)
		}
		if err := engine.Batches(ctx, nil, nil); err == nil || err.Error() != "the rows are nil" {
			t.Errorf("got the error %v", err)
		}
		if err := engine.Batches(ctx, driveradapter.RowsOf(rs), func(*host.Batch) error { return nil }, host.ShapeNDJSON); err == nil || err.Error() != "batches of columns have no host.Shape" {
			t.Errorf("got the error %v", err)
		}
	})
}

// TestBadBatches hands the host tables that no module of ours makes.
func TestBadBatches(t *testing.T) {
	const table = 2048
	text := func(more ...uint32) []uint32 {
		// One row, one column of text: three bytes, ends at 3072.
		return append([]uint32{1, 1, 3100, 3, 0, 0, 0, 0, 0, 0, 0}, more...)
	}
	for _, test := range []struct {
		name  string
		words []uint32
		want  string
	}{
		{"short", []uint32{1, 1}, "the table of its batch is not what it should be"},
		{"columns", []uint32{1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 3072, 0, 1, 0, 0, 3072, 0}, "the table of its batch is not what it should be"},
		{"rows", []uint32{1 << 30, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 3072, 0}, "the table of its batch is not what it should be"},
		{"form", text(9, 7, 0, 3072, 0), "a column of its batch has the form 9"},
		{"data", text(1, 0, 0, 0x7fffffff, 0), "its batch lies outside its memory"},
		{"nulls", text(1, 0, 0x7fffffff, 3072, 0), "its batch lies outside its memory"},
		{"end", text(6, 7, 0, 3076, 0), "a cell of its batch lies outside the text"},
		{"extras", []uint32{1, 1, 3100, 3, 0, 0, 0, 3072, 1 << 20, 0, 0, 1, 0, 0, 3072, 0}, "the extras of its batch lie outside their memory"},
		{"extra", []uint32{1, 1, 3100, 3, 0, 0, 0, 3080, 1, 3100, 3, 1, 0, 0, 3072, 0}, "an extra of its batch is of no cell"},
	} {
		t.Run(test.name, func(t *testing.T) {
			body := sequence(store(stateAt, table), store(stateAt+4, uint32(4*len(test.words))), store(3072, 3), store(3076, 4), store(3080, 5))
			for n, word := range test.words {
				body = append(body, store(table+uint32(4*n), word)...)
			}
			wasm := goodFake(int32(driveradapter.Postgres)).with("rowjet_end", sequence(body, constant(0))).wasm(3)
			engine := newEngine(t, driveradapter.Postgres, host.WithModule(driveradapter.Postgres, wasm))
			err := engine.Batches(ctx, driveradapter.RowsOf(oneCell), func(*host.Batch) error { return nil })
			if !errors.Is(err, host.ErrEngineFailed) || !strings.HasSuffix(err.Error(), test.want) {
				t.Errorf("got the error %v, want one that ends in %q", err, test.want)
			}
			if engine.Idle() != 0 {
				t.Error("the instance was kept")
			}
		})
	}
}
