package conformance

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/rowjet/rowjet/driveradapter"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"
)

var typeCodes = []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 128}

var (
	anyNumber = rapid.OneOf(
		rapid.Float64(),
		rapid.Map(rapid.Float32(), func(f float32) float64 { return float64(f) }),
		rapid.Map(rapid.Int32(), func(i int32) float64 { return float64(i) }),
		rapid.Map(rapid.IntRange(-50, 50), func(i int) float64 { return 1<<53 + float64(i) }),
		rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, 1, 0.5}),
	)
	anyDigits = rapid.OneOf(
		rapid.Map(rapid.Int64(), big.NewInt),
		rapid.Map(rapid.StringMatching(`-?[1-9][0-9]{0,40}`), func(s string) *big.Int {
			n, _ := new(big.Int).SetString(s, 10)
			return n
		}),
	)
	anyUnits = rapid.OneOf(
		rapid.Map(rapid.String(), func(s string) []uint16 { return text(s).units }),
		rapid.SliceOfN(rapid.Map(rapid.IntRange(0xd7fe, 0xe001), func(i int) uint16 { return uint16(i) }), 0, 6),
		rapid.Map(rapid.SampledFrom([]string{
			"", "1", "-0", "007", "1.50", "1e3", "NaN", "infinity", "t", "2024-02-29", "2024-02-29 12:34:56.5+02", "0044-03-15 BC", "12:34:56", "24:00:00", "838:59:59", "12:34:56+02", "{1,NULL}", `{"a":[1]}`, "[1, 2]", "550E8400-E29B-41D4-A716-446655440000", `{"\\x00ff"}`, "{{1},{2}}",
		}), func(s string) []uint16 { return text(s).units }),
		rapid.Map(rapid.StringMatching(`[0-9]{4}-[01][0-9]-[0-3][0-9]( [0-2][0-9]:[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?([+-][01][0-9])?)?`), func(s string) []uint16 { return text(s).units }),
		rapid.Map(rapid.StringMatching(`[+-]?[0-9]{0,20}(\.[0-9]{0,20})?(e-?[0-9]{1,3})?`), func(s string) []uint16 { return text(s).units }),
	)
)

// anyValue is a value of any kind, with at most the given depth.
func anyValue(depth int) *rapid.Generator[value] {
	leaves := []*rapid.Generator[value]{
		rapid.Just(value{}),
		rapid.Map(rapid.Bool(), func(b bool) value { return value{kind: isBool, truth: b} }),
		rapid.Map(anyNumber, number),
		rapid.Map(anyDigits, func(n *big.Int) value { return value{kind: isBigInt, digits: n} }),
		rapid.Map(anyUnits, func(u []uint16) value { return value{kind: isString, units: u} }),
		rapid.Map(anyUnits, func(u []uint16) value { return value{kind: isString, units: u} }),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 40), func(b []byte) value { return value{kind: isBytes, bytes: b} }),
		rapid.Map(rapid.Int64Range(-8.64e15, 8.64e15), func(ms int64) value { return value{kind: isInstant, ms: ms} }),
	}
	if depth == 0 {
		return rapid.OneOf(leaves...)
	}
	inner := rapid.Deferred(func() *rapid.Generator[value] { return anyValue(depth - 1) })
	member := rapid.Custom(func(t *rapid.T) []value {
		return []value{{kind: isString, units: anyUnits.Draw(t, "key")}, inner.Draw(t, "member")}
	})
	return rapid.OneOf(append(leaves,
		rapid.Map(rapid.SliceOfN(inner, 0, 4), list),
		rapid.Map(rapid.SliceOfN(member, 0, 3), func(pairs [][]value) value {
			return value{kind: isObject, list: slices.Concat(pairs...)}
		}),
	)...)
}

// drawCase draws a result set; now and then a row is short or is none.
func drawCase(t *rapid.T) *testCase {
	c := &testCase{}
	for range rapid.IntRange(0, 4).Draw(t, "columns") {
		c.names = append(c.names, value{kind: isString, units: anyUnits.Draw(t, "name")})
		c.Types = append(c.Types, rapid.SampledFrom(typeCodes).Draw(t, "type"))
	}
	cell := anyValue(3)
	for range rapid.IntRange(0, 6).Draw(t, "rows") {
		n := len(c.Types)
		if rapid.IntRange(0, 40).Draw(t, "odd") == 0 {
			n++
		}
		c.rows = append(c.rows, list(rapid.SliceOfN(cell, n, n).Draw(t, "row")))
	}
	return c
}

func drawStyle(t *rapid.T) frameStyle {
	return frameStyle{
		short:     rapid.Bool().Draw(t, "short"),
		doubles:   rapid.Bool().Draw(t, "doubles"),
		wide:      rapid.Bool().Draw(t, "wide"),
		scattered: rapid.Bool().Draw(t, "scattered"),
		block:     rapid.IntRange(0, 5).Draw(t, "block"),
	}
}

func nativeBodies() map[string]body {
	bodies := map[string]body{}
	for name, code := range dialectCodes {
		bodies[name] = newNative(code)
	}
	return bodies
}

// TestDocuments: any result set gives strict JSON whose labels hold for every
// cell, or an error that names a place; and every frame style gives the same.
func TestDocuments(t *testing.T) {
	bodies := nativeBodies()
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		b := bodies[rapid.SampledFrom(allDialects).Draw(t, "dialect")]
		shape := rapid.SampledFrom([]uint32{0, 0, 1, 2}).Draw(t, "shape")
		got := run(b, c.frame(frameStyles[0]), shape, 0, 0)
		style := drawStyle(t)
		other := run(b, c.frame(style), shape, 0, rapid.IntRange(1, 100).Draw(t, "piece"))
		if got.text != other.text || got.err != other.err || got.row != other.row || got.column != other.column {
			t.Fatalf("frame style %+v changes\n%+v to\n%+v", style, got, other)
		}
		if got.err != 0 {
			if got.row < 0 || got.row >= int64(len(c.rows)) {
				t.Fatalf("%v in row %d of %d", got.err, got.row, len(c.rows))
			}
			return
		}
		lines := []string{got.text}
		if shape == 2 {
			lines = strings.SplitAfter(got.text, "\n")
			lines = lines[:len(lines)-1]
			if len(lines) != len(c.rows) {
				t.Fatalf("%d lines for %d rows: %s", len(lines), len(c.rows), got.text)
			}
		}
		for _, line := range lines {
			if !utf8.ValidString(line) || !json.Valid([]byte(line)) {
				t.Fatalf("no JSON: %q", line)
			}
		}
		if shape == 0 {
			if err := labelsHold(got.text, len(c.rows)); err != nil {
				t.Fatalf("%v in %s", err, got.text)
			}
		}
	})
}

// labelsHold checks that each entry of "types" is true of each cell.
func labelsHold(text string, rows int) error {
	var doc struct {
		Columns []string
		Types   []string
		Rows    [][]json.RawMessage
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&doc); err != nil {
		return err
	}
	if len(doc.Columns) != len(doc.Types) || len(doc.Rows) != rows {
		return fmt.Errorf("%d columns, %d types, %d rows, not %d", len(doc.Columns), len(doc.Types), len(doc.Rows), rows)
	}
	for _, row := range doc.Rows {
		if len(row) != len(doc.Types) {
			return fmt.Errorf("%d cells for %d columns", len(row), len(doc.Types))
		}
		for i, cell := range row {
			if !holds(doc.Types[i], cell) {
				return fmt.Errorf("%s is no %s", cell, doc.Types[i])
			}
		}
	}
	return nil
}

const (
	datePattern  = `(\d{4}|[+-]\d{6})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`
	clockPattern = `([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{3}|\.\d{6}|\.\d{9})?`
	zeroPattern  = `\d+-\d{1,2}-\d{1,2}` // one of the two is zero
)

// labelForms are the texts that strings under a label have.
var labelForms = map[string]*regexp.Regexp{
	"bigint":   regexp.MustCompile(`^(0|-?[1-9]\d*)$`),
	"decimal":  regexp.MustCompile(`^(-?(0|[1-9]\d*)(\.\d+)?(e-?\d+)?|NaN|-?Infinity)$`),
	"uuid":     regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`),
	"date":     regexp.MustCompile(`^(` + datePattern + `|-?infinity|` + zeroPattern + `)$`),
	"datetime": regexp.MustCompile(`^(` + datePattern + `T` + clockPattern + `\+00:00|-?infinity|` + zeroPattern + `([ Tt].*)?)$`),
	"time":     regexp.MustCompile(`^(` + clockPattern + `|24:00:00|[+-]?\d+:[0-5]?\d(:[0-5]?\d(\.\d+)?)?)$`),
}

var intPattern = regexp.MustCompile(`^(0|-?[1-9]\d*)$`)

func holds(label string, cell json.RawMessage) bool {
	if string(cell) == "null" || label == "unknown" || label == "json" {
		return true
	}
	if element, isArray := strings.CutSuffix(label, "-array"); isArray {
		var items []json.RawMessage
		if json.Unmarshal(cell, &items) != nil {
			return false
		}
		for _, item := range items {
			if !holds(element, item) && !(item[0] == '[' && holds(label, item)) {
				return false
			}
		}
		return true
	}
	if cell[0] != '"' {
		switch label {
		case "int":
			n, err := strconv.ParseInt(string(cell), 10, 32)
			return err == nil && intPattern.Match(cell) && n >= math.MinInt32
		case "float", "double":
			_, err := strconv.ParseFloat(string(cell), 64)
			return err == nil
		}
		return label == "bool" && (string(cell) == "true" || string(cell) == "false")
	}
	var s string
	if json.Unmarshal(cell, &s) != nil {
		return false
	}
	switch label {
	case "char", "string", "enum":
		return true
	case "float", "double":
		return s == "NaN" || s == "Infinity" || s == "-Infinity"
	case "bytes":
		_, err := base64.StdEncoding.Strict().DecodeString(s)
		return err == nil
	}
	form, ok := labelForms[label]
	return ok && form.MatchString(s)
}

// TestSplitInput: the input may be cut between any two bytes. Every cut gives
// the same output, or the same error.
func TestSplitInput(t *testing.T) {
	bodies := nativeBodies()
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		b := bodies[rapid.SampledFrom(allDialects).Draw(t, "dialect")]
		frame := c.frame(drawStyle(t))
		// Malformed frames too: a byte changed, the end missing.
		switch rapid.IntRange(0, 3).Draw(t, "damage") {
		case 0:
			frame[rapid.IntRange(0, len(frame)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		case 1:
			frame = frame[:rapid.IntRange(0, len(frame)).Draw(t, "length")]
		}
		want := runCut(b, frame, len(frame))
		for cut := range frame {
			if got := runCut(b, frame, cut); got.text != want.text || got.err != want.err || got.row != want.row || got.column != want.column {
				t.Fatalf("cut at %d of %d changes\n%+v to\n%+v", cut, len(frame), want, got)
			}
		}
	})
}

// runCut gives a frame in two pieces.
func runCut(b body, frame []byte, cut int) result {
	var out []byte
	flags := uint32(0)
	for {
		out = out[:0]
		status := b.begin(0, 0, flags)
		for _, piece := range [][]byte{frame[:cut], frame[cut:]} {
			if status != statusDone {
				break
			}
			status = b.push(piece)
			out = append(out, b.output()...)
			for status == statusFull {
				status = b.resume()
				out = append(out, b.output()...)
			}
		}
		if status == statusDone {
			status = b.end()
			out = append(out, b.output()...)
		}
		if status == statusRedo && flags == 0 {
			flags = flagSettled
			continue
		}
		s := b.state()
		if status != statusDone {
			return result{err: s.code, row: int64(s.row), column: int(s.column)}
		}
		b.head()
		return result{text: string(b.output()) + string(out)}
	}
}

// cellOf serializes one Go value through the encoder that Go hosts use, and
// gives the JSON of the cell.
func cellOf(t *rapid.T, b body, code driveradapter.ColumnType, v any) string {
	t.Helper()
	var rows driveradapter.Encoder
	rows.Row([]any{v}, 1)
	frame := rows.AppendBlock(driveradapter.AppendColumns(nil, []string{"c"}, []driveradapter.ColumnType{code}))
	got := run(b, frame, 0, 0, 0)
	if got.err != 0 {
		t.Fatalf("%v under %s: %v", v, code.Label(), got.err)
	}
	head := fmt.Sprintf(`{"columns":["c"],"types":["%s"],"rows":[[`, code.Label())
	cell, ok := strings.CutPrefix(got.text, head)
	if !ok {
		t.Fatalf("%v under %s gives %s", v, code.Label(), got.text)
	}
	return strings.TrimSuffix(cell, "]]}")
}

// decode reads the JSON of a cell.
func decode[T any](t *rapid.T, cell string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(cell), &v); err != nil {
		t.Fatalf("%s: %v", cell, err)
	}
	return v
}

// TestRoundTrip: what a cell decodes to is the value that went in, type by type.
func TestRoundTrip(t *testing.T) {
	bodies := nativeBodies()
	check := func(name string, property func(t *rapid.T, b body)) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { property(t, bodies[rapid.SampledFrom(allDialects).Draw(t, "dialect")]) })
		})
	}
	check("int", func(t *rapid.T, b body) {
		n := rapid.Int32().Draw(t, "n")
		if got := decode[int32](t, cellOf(t, b, driveradapter.Int32, n)); got != n {
			t.Fatalf("%d becomes %d", n, got)
		}
	})
	check("bigint", func(t *rapid.T, b body) {
		n := anyDigits.Draw(t, "n")
		forms := []any{driveradapter.BigInt(n.String()), n.String()}
		if n.IsInt64() {
			forms = append(forms, n.Int64())
		}
		if n.IsUint64() {
			forms = append(forms, n.Uint64())
		}
		for _, form := range forms {
			if got := decode[string](t, cellOf(t, b, driveradapter.Int64, form)); got != n.String() {
				t.Fatalf("%T %v becomes %s", form, n, got)
			}
		}
	})
	check("double", func(t *rapid.T, b body) {
		f := anyNumber.Draw(t, "f")
		if got := decodeFloat(t, cellOf(t, b, driveradapter.Double, f)); math.Float64bits(got) != math.Float64bits(f) && f == f {
			t.Fatalf("%v becomes %v", f, got)
		}
	})
	check("float", func(t *rapid.T, b body) {
		f := rapid.Float32().Draw(t, "f")
		for _, form := range []any{f, float64(f)} {
			if got := float32(decodeFloat(t, cellOf(t, b, driveradapter.Float, form))); math.Float32bits(got) != math.Float32bits(f) {
				t.Fatalf("%T %v becomes %v", form, f, got)
			}
		}
		// A double that is no f32 keeps all of its bits.
		d := rapid.Float64().Draw(t, "d")
		if got := decodeFloat(t, cellOf(t, b, driveradapter.Float, d)); float64(float32(d)) != d && got != d {
			t.Fatalf("%v becomes %v", d, got)
		}
	})
	check("decimal", func(t *rapid.T, b body) {
		n := anyDigits.Draw(t, "digits")
		d := decimal.NewFromBigInt(n, int32(rapid.IntRange(-60, 60).Draw(t, "exponent")))
		if rapid.Bool().Draw(t, "zero") {
			d = decimal.New(0, int32(rapid.IntRange(-60, 0).Draw(t, "scale")))
		}
		text := d.StringFixed(max(0, -d.Exponent()))
		exponential := fmt.Sprintf("%se%d", d.Coefficient(), d.Exponent())
		for _, form := range []string{text, "+" + text, exponential} {
			if form[0] == '+' && text[0] == '-' {
				continue
			}
			got := decode[string](t, cellOf(t, b, driveradapter.Numeric, form))
			back, err := decimal.NewFromString(got)
			if err != nil || !back.Equal(d) || got != text {
				t.Fatalf("%s becomes %s (%v), not %s", form, got, err, text)
			}
		}
	})
	check("bool", func(t *rapid.T, b body) {
		v := rapid.Bool().Draw(t, "v")
		for _, form := range []any{v, map[bool]int{false: 0, true: 1}[v], strconv.FormatBool(v), strings.ToUpper(strconv.FormatBool(v))} {
			if got := decode[bool](t, cellOf(t, b, driveradapter.Boolean, form)); got != v {
				t.Fatalf("%v becomes %v", form, got)
			}
		}
	})
	check("text", func(t *rapid.T, b body) {
		s := rapid.String().Draw(t, "s")
		for _, code := range []driveradapter.ColumnType{driveradapter.Character, driveradapter.Text, driveradapter.Enum, driveradapter.Set} {
			if got := decode[string](t, cellOf(t, b, code, s)); got != s {
				t.Fatalf("%q becomes %q", s, got)
			}
		}
	})
	check("bytes", func(t *rapid.T, b body) {
		v := rapid.SliceOf(rapid.Byte()).Draw(t, "v")
		if got := decode[[]byte](t, cellOf(t, b, driveradapter.Bytes, v)); !bytes.Equal(got, v) {
			t.Fatalf("%x becomes %x", v, got)
		}
	})
	check("uuid", func(t *rapid.T, b body) {
		id := uuid.UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
		for _, form := range []any{id.String(), strings.ToUpper(id.String()), id.URN(), "{" + id.String() + "}", strings.ReplaceAll(id.String(), "-", ""), id[:]} {
			got := decode[string](t, cellOf(t, b, driveradapter.UUID, form))
			if back, err := uuid.Parse(got); err != nil || back != id || got != id.String() {
				t.Fatalf("%v becomes %s: %v", form, got, err)
			}
		}
	})
	check("datetime, date, time", func(t *rapid.T, b body) {
		// Years 0 to 9999, which time.Format can write.
		at := time.Unix(rapid.Int64Range(-62135596800, 253402300799).Draw(t, "seconds"), int64(rapid.IntRange(0, 999999999).Draw(t, "nanoseconds"))).UTC()
		if rapid.Bool().Draw(t, "milliseconds") {
			at = at.Truncate(time.Millisecond)
		}
		zone := time.FixedZone("", 60*rapid.IntRange(-23*60, 23*60).Draw(t, "zone"))
		local := at.In(zone)
		if local.Year() < 0 || local.Year() > 9999 {
			local = at
		}
		for _, form := range []any{at, at.Format("2006-01-02 15:04:05.999999999"), local.Format("2006-01-02T15:04:05.999999999Z07:00"), local.Format("2006-01-02 15:04:05.999999999-0700")} {
			got := decode[string](t, cellOf(t, b, driveradapter.DateTime, form))
			if back, err := time.Parse(time.RFC3339Nano, got); err != nil || !back.Equal(at) {
				t.Fatalf("%v becomes %s: %v", form, got, err)
			}
		}
		if got := decode[string](t, cellOf(t, b, driveradapter.Date, at)); got != at.Format(time.DateOnly) {
			t.Fatalf("%v becomes %s", at, got)
		}
		got := decode[string](t, cellOf(t, b, driveradapter.Time, at))
		if back, err := time.Parse("15:04:05.999999999", got); err != nil || back.Nanosecond() != at.Nanosecond() || back.Format(time.TimeOnly) != at.Format(time.TimeOnly) {
			t.Fatalf("%v becomes %s: %v", at, got, err)
		}
	})
	check("json", func(t *rapid.T, b body) {
		source, err := json.MarshalIndent(drawJSON(t, 3), "", rapid.SampledFrom([]string{"", " ", "\t"}).Draw(t, "indent"))
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []any{string(source), driveradapter.JSONText(source)} {
			if got := cellOf(t, b, driveradapter.JSON, form); got != string(source) {
				t.Fatalf("%s becomes %s", source, got)
			}
		}
	})
	check("arrays", func(t *rapid.T, b body) {
		items := rapid.SliceOf(rapid.String()).Draw(t, "items")
		want, err := json.Marshal(items)
		if err != nil {
			t.Fatal(err)
		}
		if len(items) == 0 {
			want = []byte("[]")
		}
		for _, form := range []any{items, arrayLiteral(items)} {
			got := cellOf(t, b, driveradapter.TextArray, form)
			if equal, err := equalJSON(got, string(want)); err != nil || !equal {
				t.Fatalf("%q becomes %s: %v", items, got, err)
			}
		}
	})
}

func decodeFloat(t *rapid.T, cell string) float64 {
	t.Helper()
	if cell[0] == '"' {
		cell = strings.Trim(cell, `"`)
	}
	f, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		t.Fatalf("%s: %v", cell, err)
	}
	return f
}

func drawJSON(t *rapid.T, depth int) any {
	switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
	case kind == 0 && depth > 0:
		items := make([]any, rapid.IntRange(0, 3).Draw(t, "length"))
		for i := range items {
			items[i] = drawJSON(t, depth-1)
		}
		return items
	case kind == 1 && depth > 0:
		members := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			members[rapid.String().Draw(t, "key")] = drawJSON(t, depth-1)
		}
		return members
	case kind == 2:
		return rapid.String().Draw(t, "string")
	case kind == 3:
		return rapid.Bool().Draw(t, "bool")
	case kind == 4:
		return nil
	}
	f := rapid.Float64().Draw(t, "number")
	if math.IsInf(f, 0) || f != f {
		return nil
	}
	return f
}

// arrayLiteral writes items as PostgreSQL does (manual, 8.15.6).
func arrayLiteral(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(item) + `"`
	}
	return "{" + strings.Join(quoted, ",") + "}"
}

// TestDamagedInput: whatever bytes come, and whatever the order of the calls, the
// shipped modules never trap, do as the Go code does, and serve the next result.
func TestDamagedInput(t *testing.T) {
	natives := nativeBodies()
	modules := map[string]body{}
	for name := range dialectCodes {
		modules[name] = loadModule(t, filepath.Join(dist, name+".wasm"))
	}
	good := &testCase{Types: []uint32{0, 7}, names: []value{text("a"), text("b")}, rows: []value{list([]value{number(1), text("é")})}}
	const want = `{"columns":["a","b"],"types":["int","string"],"rows":[[1,"é"]]}`
	rapid.Check(t, func(t *rapid.T) {
		dialect := rapid.SampledFrom(allDialects).Draw(t, "dialect")
		c := drawCase(t)
		frame := c.frame(drawStyle(t))
		for range rapid.IntRange(0, 4).Draw(t, "damages") {
			frame[rapid.IntRange(0, len(frame)-1).Draw(t, "at")] = rapid.SampledFrom([]byte{0, 1, 7, 8, 9, 10, 13, 14, 15, 16, 63, 64, 128, 255}).Draw(t, "byte")
		}
		frame = frame[:len(frame)-min(len(frame), max(0, rapid.IntRange(-20, 20).Draw(t, "missing")))]
		if at := rapid.IntRange(0, len(frame)).Draw(t, "repeat"); rapid.Bool().Draw(t, "twice") {
			frame = append(frame, frame[at:]...)
		}
		shape := rapid.SampledFrom([]uint32{0, 1, 2, 99}).Draw(t, "shape")
		flags := rapid.Uint32Range(0, 63).Draw(t, "flags")
		calls := rapid.SliceOfN(rapid.IntRange(0, 6), 0, 6).Draw(t, "calls")
		first := disorder(natives[dialect], frame, shape, flags, calls)
		if second := disorder(modules[dialect], frame, shape, flags, calls); first != second {
			t.Fatalf("native Go gives\n%s, the module\n%s", first, second)
		}
		for name, b := range map[string]body{"native Go": natives[dialect], "the module": modules[dialect]} {
			if got := run(b, good.frame(frameStyles[1]), 0, 0, 0); got.text != want {
				t.Fatalf("%s gives %+v afterwards", name, got)
			}
		}
	})
}

// disorder takes a frame through a body with some calls in between that may be
// out of order, and tells all that came out.
func disorder(b body, frame []byte, shape, flags uint32, calls []int) string {
	var log strings.Builder
	note := func(status int32) {
		s := b.state()
		fmt.Fprintf(&log, "%d %q %d", status, b.output(), s.row)
		if s.code != 0 {
			fmt.Fprintf(&log, " %s %d %s", s.code.String(), int32(s.column), s.found)
		}
		log.WriteByte('\n')
	}
	note(b.begin(0, shape, flags))
	for i, piece := range [][]byte{frame[:len(frame)/3], frame[len(frame)/3:]} {
		for k, call := range calls {
			if k%2 != i {
				continue
			}
			switch call {
			case 0:
				note(b.resume())
			case 1:
				note(b.head())
			case 2:
				note(b.end())
			case 3:
				note(b.push(nil))
			case 4:
				note(b.begin(0, shape, flags))
			case 5:
				note(b.push([]byte{2, 0, 0}))
			case 6:
				note(b.begin(0, shape, flags|flagSettled))
			}
		}
		note(b.push(piece))
	}
	note(b.end())
	note(b.head())
	return log.String()
}
