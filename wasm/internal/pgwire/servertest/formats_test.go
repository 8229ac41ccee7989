package servertest

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/engine"
	"github.com/rowjet/rowjet/wasm/internal/pgwire"
)

// column returns a query for a column with all values of a type, null among them.
func column(name string, literals []string) string {
	rows := []string{"(1, null)"}
	for i, l := range literals {
		rows = append(rows, fmt.Sprintf("(%d, %s)", i+2, literal(l)))
	}
	return fmt.Sprintf("select v::%s as v, n from (values %s) as t(n, v)", name, strings.Join(rows, ", "))
}

var seed = flag.Uint64("valueseed", 20261130, "seed of the random values; 0 for a random one")

// TestTextAndBinary asks for values of every type in both formats and demands the
// same bytes: scalars, arrays of one and two dimensions, and composites of both.
func TestTextAndBinary(t *testing.T) {
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("seed %d", *seed)
	r := rand.New(rand.NewPCG(*seed, 0))
	c := connect(t)
	c.exec("set timezone = 'UTC'; set xmlbinary = 'base64'")
	for _, v := range values {
		literals := v.literals
		if v.random != nil {
			for range 100 {
				literals = append(literals, v.random(r))
			}
		}
		from := column(v.name, literals)
		for what, sql := range map[string]string{
			"scalar":    "select v from (" + from + ") t order by n",
			"array":     "select array_agg(v order by n) from (" + from + ") t",
			"nested":    "select array[array_agg(v order by n), array_agg(v order by n desc)] from (" + from + ") t",
			"empty":     "select array[]::" + v.name + "[]",
			"record":    "select row(v, n, null, '', v::text) from (" + from + ") t order by n",
			"in record": "select row(array_agg(v order by n), array[row(1, array_agg(v))]) from (" + from + ") t",
			"records":   "select array_agg(row(v, row(v))) from (" + from + ") t",
		} {
			if vector(v.name) {
				sql = strings.ReplaceAll(sql, "array_agg(v", "array_agg(array[v]::"+v.name+"[]")
			}
			asText, err := serialize(c.extended(sql, 0, text), 0, engine.ShapeArray, 0)
			if err != nil {
				t.Errorf("%s, %s, text: %v\n%.500s", v.name, what, err, sql)
				continue
			}
			asBinary, err := serialize(c.extended(sql, 0, binaryFormat), 0, engine.ShapeArray, 0)
			if err != nil {
				t.Errorf("%s, %s, binary: %v\n%.500s", v.name, what, err, sql)
				continue
			}
			if asText != asBinary {
				t.Errorf("%s, %s: %s", v.name, what, difference(asText, asBinary))
			}
		}
	}
}

// vector reports whether array_agg takes the values of a type for arrays and makes
// one array with more dimensions of them.
func vector(name string) bool { return name == "int2vector" || name == "oidvector" }

// difference shows where two texts begin to differ.
func difference(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	from := max(0, i-60)
	cut := func(s string) string { return s[from:min(len(s), i+60)] }
	return fmt.Sprintf("from byte %d on\ntext   …%s…\nbinary …%s…", i, cut(a), cut(b))
}

// TestTextOnly asks for the types without a binary form here.
func TestTextOnly(t *testing.T) {
	c := connect(t)
	for _, v := range textOnly {
		sql := column(v.name, v.literals)
		stream := c.extended(sql, 0, text)
		got, err := serialize(stream, 0, engine.ShapeArray, 0)
		if err != nil {
			t.Errorf("%s: %v", v.name, err)
			continue
		}
		if !strings.HasPrefix(got, `{"columns":["v","n"],"types":["string","int"],"rows":[[null,1],["`) {
			t.Errorf("%s: %.200s", v.name, got)
		}
		if want := viaFrames(t, stream); got != want {
			t.Errorf("%s: %s", v.name, difference(want, got))
		}
		_, err = serialize(c.extended(sql, 0, binaryFormat), 0, engine.ShapeArray, 0)
		if err == nil || err.Code != driveradapter.CodeWireBinary || err.Column != 0 || !strings.HasPrefix(err.Found, "OID ") {
			t.Errorf("%s, binary: %v", v.name, err)
		}
		if _, err = serialize(c.extended("select row(v) from ("+sql+") t offset 1", 0, binaryFormat), 0, engine.ShapeArray, 0); err == nil || err.Code != driveradapter.CodeWireBinary {
			t.Errorf("%s in a record, binary: %v", v.name, err)
		}
	}
}

// TestFrames compares text format with the same texts as a result set in frames.
func TestFrames(t *testing.T) {
	c := connect(t)
	for _, v := range values {
		if v.name == "box" || v.name == `"char"` || vector(v.name) {
			continue // a frame's literals have commas; bytes above 0x7f of "char" are rewritten
		}
		for _, sql := range []string{
			column(v.name, v.literals),
			"select array_agg(v order by n) as v from (" + column(v.name, v.literals) + ") t",
		} {
			stream := c.extended(sql, 0, text)
			got, err := serialize(stream, 0, engine.ShapeArray, 0)
			if err != nil {
				t.Errorf("%s: %v", v.name, err)
			} else if want := viaFrames(t, stream); got != want {
				t.Errorf("%s: %s", v.name, difference(want, got))
			}
		}
	}
}

// viaFrames takes a stream in text format apart, and serializes what it holds as a
// driver adapter would hand it over.
func viaFrames(t *testing.T, stream []byte) string {
	t.Helper()
	var frame []byte
	var rows driveradapter.Encoder
	var labels []driveradapter.ColumnType
	for len(stream) > 0 {
		kind, size := stream[0], binary.BigEndian.Uint32(stream[1:])
		body := stream[5 : size+1]
		stream = stream[size+1:]
		switch kind {
		case 'T':
			var names []string
			body = body[2:]
			for len(body) > 0 {
				name, rest, _ := strings.Cut(string(body), "\x00")
				names = append(names, name)
				labels = append(labels, label(binary.BigEndian.Uint32([]byte(rest[6:]))))
				body = []byte(rest[18:])
			}
			frame = driveradapter.AppendColumns(frame, names, labels)
		case 'D':
			var row []any
			body = body[2:]
			for i := range labels {
				n := int32(binary.BigEndian.Uint32(body))
				body = body[4:]
				if n < 0 {
					row = append(row, nil)
					continue
				}
				cell := string(body[:n])
				body = body[n:]
				switch {
				case labels[i] == driveradapter.Bytes:
					b := make([]byte, len(cell)/2-1)
					fmt.Sscanf(cell[2:], "%x", &b)
					row = append(row, b)
				case labels[i] == driveradapter.Float:
					f, err := strconv.ParseFloat(cell, 32)
					if err != nil {
						t.Fatal(err)
					}
					row = append(row, float32(f))
				default:
					row = append(row, cell)
				}
			}
			rows.Row(row, len(labels))
		}
	}
	e := engine.New(driveradapter.Postgres)
	frame = rows.AppendBlock(frame)
	e.Begin(engine.SourceFrames, engine.ShapeArray, engine.FlagFixed)
	copy(e.Input(uint32(len(frame))), frame)
	var body strings.Builder
	status := e.Push(uint32(len(frame)))
	for ; status == engine.StatusFull; status = e.Resume() {
		body.Write(e.Output())
	}
	body.Write(e.Output())
	if status == engine.StatusDone {
		status = e.End()
		body.Write(e.Output())
	}
	if status != engine.StatusDone {
		t.Errorf("as a frame: %v: %s", driveradapter.Code(e.State().Code), e.Found())
	}
	e.Head()
	return string(e.Output()) + body.String()
}

func label(oid uint32) driveradapter.ColumnType {
	for _, t := range pgwire.Types() {
		switch oid {
		case t.OID:
			return t.Label
		case t.Array:
			return t.ArrayLabel
		}
	}
	return driveradapter.Text
}

// TestCatalog compares the table of types with the server's own.
func TestCatalog(t *testing.T) {
	source, err := os.ReadFile("../types.go")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\t\{(\w+), .*\}, +// (\S+)$`).FindAllStringSubmatch(string(source), -1) {
		if row[1] == "boxOID" {
			row[1] = "603"
		}
		names[row[1]] = strings.Trim(row[2], `"`)
	}
	type row struct{ name, array string }
	known := map[string]row{}
	for _, ty := range pgwire.Types() {
		oid := fmt.Sprint(ty.OID)
		known[oid] = row{names[oid], fmt.Sprint(ty.Array)}
	}

	// Pseudo-types that a result can't have: they stand for what a function takes, or
	// for what only the server calls.
	const never = `'any', 'anyelement', 'anynonarray', 'anyenum', 'anyrange', 'anymultirange', 'anycompatible',
		'anycompatiblearray', 'anycompatiblenonarray', 'anycompatiblerange', 'anycompatiblemultirange', 'internal', 'trigger',
		'event_trigger', 'language_handler', 'fdw_handler', 'index_am_handler', 'tsm_handler', 'table_am_handler', 'pg_ddl_command'`
	c := connect(t)
	stream := c.simple(`select oid::text, typname, (case when typarray < 10000 then typarray else 0 end)::text, typdelim
		from pg_type where oid < 10000 and not typname in (` + never + `) and not (typelem > 0 and typsend = 'array_send'::regproc)`)
	count := 0
	for _, cells := range textRows(stream) {
		count++
		got, ok := known[cells[0]]
		if want := (row{cells[1], cells[2]}); !ok || got != want {
			t.Errorf("OID %s is %+v in the table, and %+v in the catalog", cells[0], got, want)
		}
		if (cells[3] == ";") != (cells[0] == "603") {
			t.Errorf("OID %s has the delimiter %s", cells[0], cells[3])
		}
	}
	if count != len(known) {
		t.Errorf("%d types in the table, %d in the catalog", len(known), count)
	}
}

// textRows returns the cells of DataRows in text format, none of them null.
func textRows(stream []byte) [][]string {
	var rows [][]string
	for len(stream) > 0 {
		size := binary.BigEndian.Uint32(stream[1:])
		if stream[0] == 'D' {
			var row []string
			for body := stream[7 : size+1]; len(body) > 0; {
				n := binary.BigEndian.Uint32(body)
				row = append(row, string(body[4:4+n]))
				body = body[4+n:]
			}
			rows = append(rows, row)
		}
		stream = stream[size+1:]
	}
	return rows
}
