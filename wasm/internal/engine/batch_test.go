package engine

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/rowjet/rowjet/driveradapter"
	"pgregory.net/rapid"
)

// batches serializes a result set in the columnar shape and gives each cell as a
// plain description of its value.
func batches(e *Engine, rs driveradapter.ResultSet, flags uint32, piece int) ([][]string, []uint32, *driveradapter.Error) {
	var enc driveradapter.Encoder
	frame := driveradapter.AppendColumns(nil, rs.ColumnNames, rs.ColumnTypes)
	for _, row := range rs.Rows {
		enc.Row(row, len(rs.ColumnTypes))
		frame = enc.AppendBlock(frame)
	}
	if piece == 0 {
		piece = len(frame)
	}
	for {
		var rows [][]string
		status := e.Begin(0, ShapeBatch, flags)
		for at := 0; at < len(frame) && status == StatusDone; at += piece {
			part := frame[at:min(at+piece, len(frame))]
			copy(e.Input(uint32(len(part))), part)
			for status = e.Push(uint32(len(part))); status == StatusFull; status = e.Resume() {
				rows = append(rows, describeBatch(e.LastBatch())...)
			}
		}
		if status == StatusDone {
			if status = e.End(); status == StatusDone {
				rows = append(rows, describeBatch(e.LastBatch())...)
			}
		}
		if status == StatusRedo {
			flags |= FlagSettled
			continue
		}
		if status != StatusDone {
			return nil, nil, lastError(e, rs)
		}
		return rows, e.Labels(), nil
	}
}

func describeBatch(b Batch) [][]string {
	rows := make([][]string, b.Rows)
	text := utf16.Encode([]rune(string(b.Text)))
	extras := map[[2]uint32]string{}
	for x := b.Extras; len(x) > 0; x = x[16:] {
		u := func(i int) uint32 { return binary.LittleEndian.Uint32(x[4*i:]) }
		extras[[2]uint32{u(0), u(1)}] = string(b.ExtraText[u(2):u(3)])
	}
	from, fromByte := uint32(0), uint32(0)
	allBytes := uint32(0)
	for r := range rows {
		for c, store := range b.Stores {
			data := b.Data[c]
			u32 := func() uint32 { return binary.LittleEndian.Uint32(data[4*r:]) }
			u64 := func(d []byte) uint64 { return binary.LittleEndian.Uint64(d[8*r:]) }
			cell := ""
			switch store {
			case storeInt32:
				cell = strconv.Itoa(int(int32(u32())))
			case storeInt64:
				cell = `"` + strconv.FormatInt(int64(u64(data)), 10) + `"`
			case storeFloat64:
				cell = fmt.Sprint(math.Float64frombits(u64(data)))
			case storeBool:
				cell = strconv.FormatBool(data[r] == 1)
			case storeDateTime:
				cell = fmt.Sprintf("instant %v %d", math.Float64frombits(u64(data)), binary.LittleEndian.Uint32(b.More[c][4*r:]))
			case storeText, storeJSON:
				cell = string(utf16.Decode(text[from:u32()]))
				from = u32()
				end := binary.LittleEndian.Uint32(b.More[c][4*r:])
				if inBytes := string(b.Text[fromByte:end]); inBytes != cell {
					panic(fmt.Sprintf("%q by units, %q by bytes", cell, inBytes))
				}
				fromByte = end
				if store == storeText {
					quoted, _ := json.Marshal(cell)
					cell = string(quoted)
				}
			case storeBytes:
				cell = `"` + base64.StdEncoding.EncodeToString(b.Bytes[allBytes:u32()]) + `"`
				allBytes = u32()
			}
			if n := b.Nulls[c]; r/8 < len(n) && n[r/8]>>(r%8)&1 == 1 {
				cell = "null"
			}
			if extra, ok := extras[[2]uint32{uint32(r), uint32(c)}]; ok {
				cell = "extra " + extra
			}
			rows[r] = append(rows[r], cell)
		}
	}
	return rows
}

// same reports whether a cell of a batch and the cell's JSON stand for the same.
func same(label driveradapter.ColumnType, cell, jsonCell string) bool {
	if extra, ok := strings.CutPrefix(cell, "extra "); ok {
		return extra == jsonCell
	}
	if cell == jsonCell {
		return true
	}
	switch label {
	case driveradapter.Float, driveradapter.Double:
		f, err := strconv.ParseFloat(strings.Trim(jsonCell, `"`), 64)
		return err == nil && fmt.Sprint(f) == cell
	case driveradapter.DateTime:
		// Package time reads years of four digits: go some cycles of 400 years away
		// and come back.
		digits := strings.Index(jsonCell[2:], "-") + 2
		year, err := strconv.Atoi(jsonCell[1:digits])
		if err != nil {
			return false
		}
		cycles := (year - 2000) / 400
		if year < 2000 {
			cycles = (year - 2399) / 400
		}
		t, err := time.Parse(`2006-01-02T15:04:05.999999999-07:00"`, strconv.Itoa(year-400*cycles)+jsonCell[digits:])
		if err != nil {
			return false
		}
		millis := t.UnixMilli() + int64(cycles)*146097*86400*1000
		return cell == fmt.Sprintf("instant %v %d", float64(millis), t.Nanosecond()%1e6)
	}
	var a, b string
	return json.Unmarshal([]byte(cell), &a) == nil && json.Unmarshal([]byte(jsonCell), &b) == nil && a == b
}

func checkBatches(t failer, d driveradapter.Dialect, rs driveradapter.ResultSet, piece int) {
	e := New(d)
	e.Batch(64)
	text, err := run(e, rs, ShapeArray, 0, 0)
	rows, labels, batchErr := batches(e, rs, 0, piece)
	if err != nil || batchErr != nil {
		if err == nil || batchErr == nil || err.Error() != batchErr.Error() {
			t.Fatalf("%v: JSON fails with %v, batches with %v", rs, err, batchErr)
		}
		return
	}
	var doc struct {
		Types []string
		Rows  [][]json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if len(rows) != len(doc.Rows) {
		t.Fatalf("%d rows in batches, %d in JSON", len(rows), len(doc.Rows))
	}
	for c, label := range labels {
		if name := driveradapter.ColumnType(label).Label(); name != doc.Types[c] {
			t.Fatalf("column %d is %s in batches, %s in JSON", c, name, doc.Types[c])
		}
		for r := range rows {
			if !same(driveradapter.ColumnType(label), rows[r][c], string(doc.Rows[r][c])) {
				t.Fatalf("row %d, column %d (%s): batch %s, JSON %s", r, c, doc.Types[c], rows[r][c], doc.Rows[r][c])
			}
		}
	}
}

type failer interface {
	Fatalf(format string, args ...any)
}

func anyCell() *rapid.Generator[any] {
	when := func(t *rapid.T) any {
		return time.Unix(rapid.Int64Range(-62135596800, 253402300799).Draw(t, "s"), int64(rapid.IntRange(0, 999999999).Draw(t, "ns"))).UTC()
	}
	return rapid.OneOf(
		rapid.Just[any](nil),
		rapid.Custom(func(t *rapid.T) any { return rapid.Bool().Draw(t, "b") }),
		rapid.Custom(func(t *rapid.T) any { return rapid.Int64().Draw(t, "i") }),
		rapid.Custom(func(t *rapid.T) any { return int64(rapid.IntRange(-2, 300).Draw(t, "n")) }),
		rapid.Custom(func(t *rapid.T) any { return rapid.Float64().Draw(t, "f") }),
		rapid.Custom(func(t *rapid.T) any { return rapid.Float32().Draw(t, "f32") }),
		rapid.Custom(func(t *rapid.T) any { return rapid.String().Draw(t, "s") }),
		rapid.Custom(func(t *rapid.T) any { return string(rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(t, "raw")) }),
		rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(t, "bytes") }),
		rapid.SampledFrom([]any{"2024-02-29 12:34:56.123456", "infinity", "0000-00-00", "12:00:00+05:30", "1.50", "9223372036854775808", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
			`{"a":[1,"é"]}`, "{1,2}", "-0", "NaN", "\xed\xa0\xbd", math.NaN(), math.Inf(1), math.Copysign(0, -1), float64(51261128), float64(1 << 53), driveradapter.BigInt("123456789012345678901234567890"),
			[]any{1, nil, []any{"x"}}, driveradapter.Object{{Key: "k\"", Value: 1.5}}, "2024-12-31 23:59:60", "294276-01-01 00:00:00", "0044-03-15 BC",
			"0000-00-00T00:00:00+00:00", "2024-00-10T00:00:00.123456789", "2024-05-00 10:00:00"}),
		rapid.Custom(when),
	)
}

func anyType() *rapid.Generator[driveradapter.ColumnType] {
	var types []driveradapter.ColumnType
	for code := range 256 {
		if t := driveradapter.ColumnType(code); t.Declarable() {
			types = append(types, t)
		}
	}
	return rapid.SampledFrom(types)
}

func anyResultSet() *rapid.Generator[driveradapter.ResultSet] {
	types := anyType()
	return rapid.Custom(func(t *rapid.T) driveradapter.ResultSet {
		rs := driveradapter.ResultSet{}
		for range rapid.IntRange(0, 4).Draw(t, "columns") {
			rs.ColumnNames = append(rs.ColumnNames, rapid.StringN(0, 3, -1).Draw(t, "name"))
			rs.ColumnTypes = append(rs.ColumnTypes, types.Draw(t, "type"))
		}
		for range rapid.IntRange(0, 20).Draw(t, "rows") {
			row := []any{}
			for range rs.ColumnTypes {
				row = append(row, anyCell().Draw(t, "cell"))
			}
			rs.Rows = append(rs.Rows, row)
		}
		return rs
	})
}

func TestBatchesMeanTheSameAsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := anyResultSet().Draw(t, "result set")
		// SQLite takes any cell, so the result sets reach every way of storing.
		d := rapid.SampledFrom([]driveradapter.Dialect{driveradapter.SQLite, driveradapter.SQLite, driveradapter.Postgres}).Draw(t, "dialect")
		checkBatches(t, d, rs, rapid.IntRange(0, 40).Draw(t, "piece"))
	})
}

func TestBatchesOfOneType(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := one(anyType().Draw(t, "type"))
		for range rapid.IntRange(1, 30).Draw(t, "rows") {
			rs.Rows = append(rs.Rows, []any{anyCell().Draw(t, "cell")})
		}
		checkBatches(t, driveradapter.SQLite, rs, 0)
		// Elsewhere most cells are errors: those that are not should be tried too.
		for _, row := range rs.Rows {
			twice := rs
			twice.Rows = [][]any{row, row}
			checkBatches(t, driveradapter.MySQL, twice, 0)
		}
	})
}

// The forms that have a way of their own into a batch, whole and slightly broken, under
// each of their labels: the way by JSON has to give the same, and the same errors.
func TestBatchesOfUsualForms(t *testing.T) {
	const hex = "[0-9a-fA-F]"
	text := func(pattern string) *rapid.Generator[any] { return rapid.StringMatching(pattern).AsAny() }
	octets := func(n int) *rapid.Generator[any] { return rapid.SliceOfN(rapid.Byte(), n, n).AsAny() }
	date := `([0-9]{4}|[+-]?[0-9]{1,6})-(0[0-9]|1[0-2])-([0-2][0-9]|30|31)`
	clock := `([01][0-9]|2[0-4]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]{0,10})?`
	forms := rapid.OneOf(
		text(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?`), text(`[+-]?[0-9_]{0,4}\.?[0-9]{0,4}([eE][+-]?[0-9]{1,3})?`), text(`-?0\.0{0,3}`), text(`[0-9]{1,3}(,[0-9]{3}){1,2}(\.[0-9]{2})?`),
		text(hex+"{8}-"+hex+"{4}-"+hex+"{4}-"+hex+"{4}-"+hex+"{11,12}"), text("{?"+hex+"{32}}?"), octets(16), octets(15),
		text(date), text(date+" BC"), text(clock), text(clock+`[+-][0-9]{2}`), text(`-?[0-9]{1,3}:[0-9]{2}:[0-9]{2}`),
		text(date+"[ T]"+clock), text(date+"[ T]"+clock+`(Z|\+00|[+-][0-9]{2}(:?[0-5][0-9])?)( BC)?`),
		rapid.SampledFrom([]any{"infinity", "-infinity", "NaN", "-Infinity", "", "-", ".", "-.", "5.", "-0", "00", "0000-00-00", "0000-00-00 00:00:00", "2024-02-30", "2024-02-30 01:02:03",
			"275760-09-13 00:00:00", "275760-09-13 00:00:00.0000001", "275760-09-13 00:00:00.001", "-271821-04-20 00:00:00", "-271821-04-19 23:59:59.999999999", int64(1.5e12), int64(8.64e15), int64(8.64e15 + 1), 8.64e15, -8.64e15, 1.5,
			time.Unix(8.64e12, 0), time.Unix(8.64e12, 999), time.Unix(8.64e12, 1e6), time.Unix(-8.64e12, 0), time.Unix(-8.64e12-1, 999999999)}),
		anyCell(),
	)
	labels := rapid.SampledFrom([]driveradapter.ColumnType{driveradapter.Numeric, driveradapter.UUID, driveradapter.Date, driveradapter.Time, driveradapter.DateTime})
	rapid.Check(t, func(t *rapid.T) {
		rs := one(labels.Draw(t, "label"))
		for range rapid.IntRange(1, 30).Draw(t, "rows") {
			rs.Rows = append(rs.Rows, []any{forms.Draw(t, "cell")})
		}
		checkBatches(t, driveradapter.SQLite, rs, 0)
		for _, row := range rs.Rows {
			twice := rs
			twice.Rows = [][]any{row, row}
			checkBatches(t, rapid.SampledFrom([]driveradapter.Dialect{driveradapter.Postgres, driveradapter.MySQL}).Draw(t, "dialect"), twice, 0)
		}
	})
}
