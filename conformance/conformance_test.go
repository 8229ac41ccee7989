package conformance

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rowjet/rowjet/driveradapter"
)

var (
	dialectCodes = map[string]driveradapter.Dialect{"postgres": driveradapter.Postgres, "mysql": driveradapter.MySQL, "sqlite": driveradapter.SQLite}
	shapeCodes   = map[string]uint32{"": 0, "array": 0, "objects": 1, "ndjson": 2}
	flagCodes    = map[string]uint32{"fixed": flagFixed, "unknown": flagUnknown, "jsontext": flagJSONText}
)

// Where the modules are: those that ship, and what scripts/build-std.sh makes.
const (
	dist = "../wasm/dist"
	std  = "../.tools/std"
)

// TestMain raises the number of checks of the property tests, unless -rapid.checks is given.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", "2000"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

func TestNative(t *testing.T) {
	for _, style := range frameStyles {
		bodies := map[string]body{}
		for name, code := range dialectCodes {
			bodies[name] = newNative(code)
		}
		runCases(t, "native Go, "+style.name, bodies, style)
	}
}

func TestShippedModules(t *testing.T) {
	bodies := map[string]body{}
	for name, code := range dialectCodes {
		b := loadModule(t, filepath.Join(dist, name+".wasm"))
		if got := b.call("rowjet_dialect"); got != int32(code) {
			t.Errorf("%s.wasm says that it is dialect %d", name, got)
		}
		bodies[name] = b
	}
	for _, style := range frameStyles[1:] {
		runCases(t, "TinyGo modules in wazero, "+style.name, bodies, style)
	}
}

func TestStandardCompiler(t *testing.T) {
	bodies := map[string]body{}
	for name := range dialectCodes {
		file := filepath.Join(std, name+"-wasip1.wasm")
		if _, err := os.Stat(file); err != nil {
			t.Fatalf("%v: build it with make wasm-std", err)
		}
		bodies[name] = loadModule(t, file)
	}
	runCases(t, "standard Go in wazero", bodies, frameStyles[1])
}

// TestInterpreter runs the cases in wazero's interpreter, which the Go host starts
// in, and has on machines that wazero does not compile for.
func TestInterpreter(t *testing.T) {
	for name, files := range map[string]string{
		"TinyGo modules": filepath.Join(dist, "%s.wasm"),
		"standard Go":    filepath.Join(std, "%s-wasip1.wasm"),
	} {
		bodies := map[string]body{}
		for dialect := range dialectCodes {
			bodies[dialect] = loadModuleIn(t, interpreter(), fmt.Sprintf(files, dialect))
		}
		runCases(t, name+" in wazero's interpreter", bodies, frameStyles[1])
	}
}

// runCases runs every case of every dialect and prints how many passed.
func runCases(t *testing.T, name string, bodies map[string]body, style frameStyle) {
	passed, failed := 0, 0
	for _, c := range loadCases(t) {
		frame := c.frame(style)
		for _, dialect := range c.dialects() {
			if err := c.check(bodies[dialect], frame, style); err != nil {
				failed++
				if failed <= 200 {
					t.Errorf("%s: %s: %s (%s): %v", name, c.file, c.Name, dialect, err)
				}
				continue
			}
			passed++
		}
	}
	fmt.Printf("conformance: %s: %d passed, %d failed\n", name, passed, failed)
}

// check runs a case.
func (c *testCase) check(b body, frame []byte, style frameStyle) error {
	var flags uint32
	for _, name := range c.Flags {
		code, ok := flagCodes[name]
		if !ok {
			return fmt.Errorf("unknown flag %s", name)
		}
		flags |= code
	}
	got := run(b, frame, shapeCodes[c.Shape], flags, style.piece)
	if c.Error != nil {
		return c.checkError(got)
	}
	if got.err != 0 {
		return fmt.Errorf("%v at row %d, column %d; want %s", got.err, got.row, got.column, clip(*c.Want))
	}
	if got.text != *c.Want {
		return fmt.Errorf("\n got  %s\n want %s", clip(got.text), clip(*c.Want))
	}
	// An output with escaped surrogates may count as not ASCII: what was read was not.
	if got.ascii != isASCII(got.text) && (got.ascii || !strings.Contains(got.text, `\ud`)) {
		return fmt.Errorf("the state block says %v of all being ASCII", got.ascii)
	}
	return c.checkPeer(got.text)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func (c *testCase) checkError(got result) error {
	want := c.Error
	if got.err == 0 {
		return fmt.Errorf("got %s, want %s", clip(got.text), want.Code)
	}
	if got.err.String() != want.Code {
		return fmt.Errorf("got %s (%s), want %s", got.err.String(), got.err.Error(), want.Code)
	}
	if want.Row != nil && got.row != *want.Row {
		return fmt.Errorf("%s in row %d, want row %d", want.Code, got.row, *want.Row)
	}
	column := -1
	if want.Column != nil {
		column = *want.Column
	}
	if got.column != column {
		return fmt.Errorf("%s in column %d, want column %d", want.Code, got.column, column)
	}
	return nil
}

// checkPeer holds the output against another implementation's: equal JSON, or
// different JSON if the case names the rule that makes the difference.
func (c *testCase) checkPeer(text string) error {
	if c.Peer == nil {
		return nil
	}
	equal, err := equalJSON(text, c.Peer.Output)
	switch {
	case err != nil:
		return err
	case equal && c.Differs != "":
		return fmt.Errorf("the same as %s, though %q", c.Peer.Name, c.Differs)
	case !equal && c.Differs == "":
		return fmt.Errorf("%s gives %s", c.Peer.Name, clip(c.Peer.Output))
	}
	return nil
}

// equalJSON compares as JavaScript does after JSON.parse: numbers are doubles
// and -0 is not 0, the last of duplicate keys counts, keys have no order.
func equalJSON(a, b string) (bool, error) {
	var values [2][]byte
	for i, text := range []string{a, b} {
		decoder := json.NewDecoder(bytes.NewReader(markLoneSurrogates([]byte(text))))
		decoder.UseNumber()
		var v any
		if err := decoder.Decode(&v); err != nil {
			return false, fmt.Errorf("%v in %s", err, clip(text))
		}
		v, err := withBits(v)
		if err != nil {
			return false, err
		}
		values[i], err = json.Marshal(v)
		if err != nil {
			return false, err
		}
	}
	return bytes.Equal(values[0], values[1]), nil
}

var escapes = regexp.MustCompile(`\\[^u]|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}`)

// markLoneSurrogates makes the escapes of lone surrogates in a JSON text plain
// text, since Go's strings can't hold what they stand for.
func markLoneSurrogates(text []byte) []byte {
	return escapes.ReplaceAllFunc(text, func(escape []byte) []byte {
		if len(escape) == len(`\ud800`) {
			return append([]byte(`\`), escape...)
		}
		return escape
	})
}

// withBits puts the bits of a double in place of each number.
func withBits(v any) (any, error) {
	var err error
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		if err != nil && !math.IsInf(f, 0) {
			return nil, err
		}
		return map[string]any{"double": fmt.Sprintf("%x", math.Float64bits(f))}, nil
	case []any:
		for i := range v {
			if v[i], err = withBits(v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key := range v {
			if v[key], err = withBits(v[key]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

func clip(s string) string {
	if len(s) > 400 {
		return s[:300] + "…" + s[len(s)-80:]
	}
	return s
}
