package conformance

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"flag"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/rowjet/rowjet/driveradapter"
)

// The recorded streams of wire messages; wire/README.md tells about them.

const (
	sourceWire = 1
	statusNext = 3
	flagNext   = 32
	shapeBatch = 3

	standard = "standard Go in wazero"
)

var (
	wireSeed      = flag.Uint64("wireseed", 20261130, "seed of the mutated wire streams; 0 for a random one")
	wireMutations = flag.Int("wiremutations", 100_000, "number of mutated wire streams")
)

// protocols are the dialects with a wire protocol, and their recordings.
var protocols = []struct {
	name    string
	dialect driveradapter.Dialect
	files   []string
	numbers []uint32 // that mean something to the protocol
}{
	{"postgres", driveradapter.Postgres, []string{"wire/cases.jsonl"}, []uint32{23, 25, 1007, 1700, 2249, 3615}},
	{"mysql", driveradapter.MySQL, []string{"wire/mysql.jsonl", "wire/go-mysql-server.jsonl"}, []uint32{1 << 24, 1 << 25, 3, 8, 0xfb, 0xfc, 0xfe, 0xffffff}},
}

// wireResult is a line of a file of recordings, and what became of its stream.
type wireResult struct {
	Name   string     `json:"name"`
	Stream string     `json:"stream,omitempty"`
	Shape  string     `json:"shape,omitempty"`
	Want   []string   `json:"want"`
	Error  *wireError `json:"error,omitempty"`
	bytes  []byte
}

type wireError struct {
	Code   string  `json:"code"`
	Row    uint64  `json:"row"`
	Column *uint32 `json:"column,omitempty"`
	Found  string  `json:"found"`
}

func wireCases(t *testing.T, paths []string) []wireResult {
	t.Helper()
	var file []byte
	for _, path := range paths {
		part, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file = append(file, part...)
	}
	var cases []wireResult
	for line := range bytes.Lines(file) {
		var c wireResult
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		stream, err := base64.StdEncoding.DecodeString(c.Stream)
		if err != nil {
			t.Fatal(err)
		}
		c.bytes = stream
		c.Stream = ""
		cases = append(cases, c)
	}
	return cases
}

// runWire takes a stream through a body in pieces of the given number of bytes.
func runWire(b body, stream []byte, shape uint32, piece int) wireResult {
	r := wireResult{Want: []string{}}
	var text []byte
	take := func() {
		if shape != shapeBatch {
			text = append(text, b.output()...)
		}
	}
	status := b.begin(sourceWire, shape, 0)
	push := func(input []byte) {
		for status = b.push(input); status == statusFull; status = b.resume() {
			take()
		}
		if status >= 0 {
			take()
		}
	}
	end := func() {
		if status = b.end(); status != statusDone {
			return
		}
		take()
		if shape != shapeBatch {
			b.head()
			text = append(bytes.Clone(b.output()), text...)
		}
		r.Want = append(r.Want, string(text))
		text = nil
	}
	for at := 0; at < len(stream) && status == statusDone; at += piece {
		push(stream[at:min(at+piece, len(stream))])
		for status == statusNext {
			if end(); status == statusDone {
				if status = b.begin(sourceWire, shape, flagNext); status == statusDone {
					push(nil)
				}
			}
		}
	}
	if status == statusDone {
		end()
	}
	if status != statusDone {
		s := b.state()
		r.Error = &wireError{Code: s.code.String(), Row: s.row, Found: s.found}
		if s.column != none {
			r.Error.Column = &s.column
		}
	}
	return r
}

func wireBodies(t *testing.T, name string, dialect driveradapter.Dialect) map[string]body {
	return map[string]body{
		"native Go":        newNative(dialect),
		"TinyGo in wazero": loadModule(t, filepath.Join(dist, name+".wasm")),
		standard:           loadModule(t, filepath.Join(std, name+"-wasip1.wasm")),
	}
}

func TestWire(t *testing.T) {
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			bodies := wireBodies(t, p.name, p.dialect)
			bodies["TinyGo in wazero's interpreter"] = loadModuleIn(t, interpreter(), filepath.Join(dist, p.name+".wasm"))
			bodies[standard+"'s interpreter"] = loadModuleIn(t, interpreter(), filepath.Join(std, p.name+"-wasip1.wasm"))
			testWire(t, bodies, wireCases(t, p.files))
		})
	}
}

func testWire(t *testing.T, bodies map[string]body, cases []wireResult) {
	for name, b := range bodies {
		passed, failed := 0, 0
		for _, c := range cases {
			for _, piece := range []int{len(c.bytes), 1, 7, 100} {
				r := runWire(b, c.bytes, shapeCodes[c.Shape], piece)
				r.Name, r.Shape = c.Name, c.Shape
				got, _ := json.Marshal(r)
				want, _ := json.Marshal(c)
				if bytes.Equal(got, want) {
					passed++
					continue
				}
				failed++
				t.Errorf("%s, %s, pieces of %d:\n got %s\nwant %s", name, c.Name, piece, got, want)
			}
		}
		t.Logf("conformance: wire, %s: %d passed, %d failed", name, passed, failed)
	}
}

// TestBrokenWire cuts the streams off and breaks them: every module makes of them
// what native Go makes of them, and its memory stays small.
func TestBrokenWire(t *testing.T) {
	if *wireSeed == 0 {
		*wireSeed = rand.Uint64()
	}
	t.Logf("seed %d", *wireSeed)
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			testBrokenWire(t, wireBodies(t, p.name, p.dialect), wireCases(t, p.files), p.dialect, p.numbers)
		})
	}
}

func testBrokenWire(t *testing.T, bodies map[string]body, cases []wireResult, dialect driveradapter.Dialect, numbers []uint32) {
	const limit = 1 << 20
	for name, b := range bodies {
		b.limit(limit)
		reference := newNative(dialect)
		reference.limit(limit)
		r := rand.New(rand.NewPCG(*wireSeed, 0))
		check := func(stream []byte) bool {
			shape, piece := uint32(len(stream)%4), 1+r.IntN(len(stream)+1)
			got, _ := json.Marshal(runWire(b, stream, shape, piece))
			want, _ := json.Marshal(runWire(reference, stream, shape, len(stream)))
			if !bytes.Equal(got, want) {
				t.Errorf("%s, pieces of %d of %x:\n got %s\nwant %s", name, piece, stream, got, want)
			}
			return bytes.Equal(got, want)
		}
		mutations := *wireMutations
		if name == standard {
			mutations /= 10 // it is slow
		}
		ok := true
		for _, c := range cases {
			for at := 1; at < len(c.bytes) && ok; at += 1 + r.IntN(5) {
				ok = check(c.bytes[:at])
			}
		}
		for n := 0; n < mutations && ok; n++ {
			stream := bytes.Clone(cases[r.IntN(len(cases))].bytes)
			for range 1 + r.IntN(3) {
				stream = breakWire(r, stream, numbers)
			}
			ok = check(stream)
		}
		if m, isModule := b.(*module); isModule && name == "TinyGo in wazero" && m.memory.Size() > 32*limit {
			t.Errorf("%s has grown to %d bytes", name, m.memory.Size())
		}
	}
}

func breakWire(r *rand.Rand, stream []byte, numbers []uint32) []byte {
	if len(stream) < 8 {
		return append(stream, byte(r.Uint32()))
	}
	at := r.IntN(len(stream) - 4)
	switch r.IntN(5) {
	case 0:
		stream[at] ^= 1 << r.IntN(8)
	case 1:
		stream[at] = byte(r.Uint32())
	case 2: // a length or a type, perhaps
		numbers := append([]uint32{0, 1, 0xffffffff, 0x7fffffff, 0x80000000, uint32(r.IntN(300))}, numbers...)
		n := numbers[r.IntN(len(numbers))]
		if r.IntN(2) == 0 {
			n = bits.ReverseBytes32(n)
		}
		binary.BigEndian.PutUint32(stream[at:], n)
	case 3:
		stream = append(stream[:at], stream[min(len(stream), at+1+r.IntN(20)):]...)
	case 4: // a part once more
		to := min(len(stream), at+r.IntN(200))
		stream = append(stream[:to:to], stream[at:]...)
	}
	return stream
}
