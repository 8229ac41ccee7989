package conformance

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// A testCase is a line of cases/*.jsonl, see README.md.
type testCase struct {
	Name     string            `json:"name"`
	Origin   string            `json:"origin"`
	Dialects []string          `json:"dialects"`
	Shape    string            `json:"shape"`
	Flags    []string          `json:"flags"`
	Columns  []json.RawMessage `json:"columns"`
	Types    []uint32          `json:"types"`
	Rows     []json.RawMessage `json:"rows"`
	Want     *string           `json:"want"`
	Error    *wantError        `json:"error"`
	Differs  string            `json:"differs"`
	Peer     *peerAnswer       `json:"peer"`

	file  string
	names []value
	rows  []value
}

type wantError struct {
	Code   string `json:"code"`
	Row    *int64 `json:"row"`
	Column *int   `json:"column"`
}

type peerAnswer struct {
	Name   string `json:"name"`
	Output string `json:"output"`
}

var allDialects = []string{"postgres", "mysql", "sqlite"}

func (c *testCase) dialects() []string {
	if c.Dialects == nil {
		return allDialects
	}
	return c.Dialects
}

// loadCases reads all case files.
func loadCases(t testing.TB) []*testCase {
	t.Helper()
	files, err := filepath.Glob("cases/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no case files: %v", err)
	}
	var cases []*testCase
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<24)
		for n := 1; lines.Scan(); n++ {
			c := &testCase{file: filepath.Base(file)}
			if err := c.parse(lines.Bytes()); err != nil {
				t.Fatalf("%s:%d: %v", file, n, err)
			}
			cases = append(cases, c)
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	return cases
}

func (c *testCase) parse(line []byte) error {
	if err := json.Unmarshal(line, c); err != nil {
		return err
	}
	if (c.Want == nil) == (c.Error == nil) {
		return fmt.Errorf("%s: a case has either want or error", c.Name)
	}
	for _, name := range c.Columns {
		v, err := parseCell(name)
		if err != nil {
			return err
		}
		c.names = append(c.names, v)
	}
	for _, row := range c.Rows {
		v, err := parseCell(row)
		if err != nil {
			return err
		}
		c.rows = append(c.rows, v)
	}
	return nil
}

// kind is the kind of a value that a host has in its hands.
type kind int

const (
	isNull kind = iota
	isBool
	isNumber
	isBigInt
	isString
	isBytes
	isInstant
	isList
	isObject
	isUnsupported
)

// A value is a cell, or a part of one.
type value struct {
	kind   kind
	truth  bool
	number float64
	digits *big.Int
	units  []uint16 // of a string
	bytes  []byte
	ms     int64
	list   []value // elements, or keys and values in turn
	what   string
}

// GoString keeps the reports of failed property tests readable.
func (v value) GoString() string {
	switch v.kind {
	case isNull:
		return "null"
	case isBool:
		return fmt.Sprint(v.truth)
	case isNumber:
		return fmt.Sprintf("%x (%v)", math.Float64bits(v.number), v.number)
	case isBigInt:
		return v.digits.String() + "n"
	case isString:
		return fmt.Sprintf("%q %x", string(utf16.Decode(v.units)), v.units)
	case isBytes:
		return fmt.Sprintf("bytes %x", v.bytes)
	case isInstant:
		return fmt.Sprintf("instant %d", v.ms)
	case isList:
		return fmt.Sprintf("list%#v", v.list)
	case isObject:
		return fmt.Sprintf("object%#v", v.list)
	}
	return v.what
}

func number(f float64) value   { return value{kind: isNumber, number: f} }
func text(s string) value      { return value{kind: isString, units: utf16.Encode([]rune(s))} }
func list(items []value) value { return value{kind: isList, list: items} }

// parseCell reads a tagged cell.
func parseCell(raw json.RawMessage) (value, error) {
	switch raw[0] {
	case '[':
		items, err := parseCells(raw)
		return list(items), err
	case '{':
		return parseTag(raw)
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return value{}, err
	}
	switch v := v.(type) {
	case nil:
		return value{}, nil
	case bool:
		return value{kind: isBool, truth: v}, nil
	case float64:
		return number(v), nil
	}
	return text(v.(string)), nil
}

func parseCells(raw json.RawMessage) ([]value, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, err
	}
	values := make([]value, len(items))
	for i, item := range items {
		var err error
		if values[i], err = parseCell(item); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func parseTag(raw json.RawMessage) (value, error) {
	var tag struct {
		Word        *string            `json:"$"`
		BigInt      *string            `json:"$bigint"`
		Bytes       *string            `json:"$bytes"`
		As          string             `json:"as"`
		Date        *int64             `json:"$date"`
		UTF16       *[]uint16          `json:"$utf16"`
		List        *json.RawMessage   `json:"$list"`
		Object      *[]json.RawMessage `json:"$object"`
		Map         *[]json.RawMessage `json:"$map"`
		Repeat      *[]json.RawMessage `json:"$repeat"`
		Unsupported *string            `json:"$unsupported"`
	}
	if err := json.Unmarshal(raw, &tag); err != nil {
		return value{}, err
	}
	switch {
	case tag.Word != nil:
		switch *tag.Word {
		case "undefined":
			return value{}, nil
		case "nan":
			return number(math.NaN()), nil
		case "inf":
			return number(math.Inf(1)), nil
		case "-inf":
			return number(math.Inf(-1)), nil
		case "-0":
			return number(math.Copysign(0, -1)), nil
		}
	case tag.BigInt != nil:
		if n, ok := new(big.Int).SetString(*tag.BigInt, 10); ok {
			return value{kind: isBigInt, digits: n}, nil
		}
	case tag.Bytes != nil:
		b, err := hex.DecodeString(*tag.Bytes)
		return bytesAs(b, tag.As), err
	case tag.Date != nil:
		return value{kind: isInstant, ms: *tag.Date}, nil
	case tag.UTF16 != nil:
		return value{kind: isString, units: *tag.UTF16}, nil
	case tag.List != nil:
		items, err := parseCells(*tag.List)
		return list(items), err
	case tag.Object != nil:
		return parseMembers(*tag.Object)
	case tag.Map != nil:
		return parseMembers(*tag.Map)
	case tag.Repeat != nil && len(*tag.Repeat) == 2:
		var s string
		var n int
		err := json.Unmarshal((*tag.Repeat)[0], &s)
		if err == nil {
			err = json.Unmarshal((*tag.Repeat)[1], &n)
		}
		return text(strings.Repeat(s, n)), err
	case tag.Unsupported != nil:
		return value{kind: isUnsupported, what: *tag.Unsupported}, nil
	}
	return value{}, fmt.Errorf("unknown cell %s", raw)
}

func parseMembers(pairs []json.RawMessage) (value, error) {
	v := value{kind: isObject}
	for _, pair := range pairs {
		items, err := parseCells(pair)
		if err != nil {
			return value{}, err
		}
		v.list = append(v.list, items...)
	}
	return v, nil
}

// bytesAs gives bytes in the form that a driver hands them over in.
func bytesAs(b []byte, form string) value {
	numbers := make([]value, len(b))
	indexed := value{kind: isObject}
	for i, octet := range b {
		numbers[i] = number(float64(octet))
		indexed.list = append(indexed.list, text(fmt.Sprint(i)), numbers[i])
	}
	switch form {
	case "numbers":
		return list(numbers)
	case "bufferjson":
		return value{kind: isObject, list: []value{text("type"), text("Buffer"), text("data"), list(numbers)}}
	case "indexobject":
		return indexed
	}
	return value{kind: isBytes, bytes: b}
}
