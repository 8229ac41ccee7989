package wiretest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/rowjet/rowjet/wasm/internal/engine"
)

var seed = flag.Uint64("seed", 20261130, "seed of the mutations; 0 for a random one")

// Recorded runs recorded streams: in one piece, byte by byte, and cut in two at
// every byte.
func Recorded(t *testing.T, e *engine.Engine, cases []Case) {
	for _, c := range cases {
		want, _ := json.Marshal(c)
		run := func(how string, flags uint32, pieces ...int) bool {
			documents, failed := Serialize(e, c.Stream, Shapes[c.Shape], flags, nil, pieces...)
			got, _ := json.Marshal(NewCase(c.Name, c.Stream, c.Shape, documents, failed))
			if !bytes.Equal(got, want) {
				t.Errorf("%s, %s:\n got %s\nwant %s", c.Name, how, got, want)
			}
			return bytes.Equal(got, want)
		}
		if !run("whole", 0) || !run("byte by byte", 0, 1) || !run("fixed", engine.FlagFixed|engine.FlagUnknown, 100) {
			continue
		}
		for at := 1; at < len(c.Stream); at++ {
			if !run(fmt.Sprintf("cut at %d", at), 0, at, len(c.Stream)) {
				break
			}
		}
	}
}

// Batches demands as many rows in batches as the document has, or the same error.
func Batches(t *testing.T, e *engine.Engine, cases []Case) {
	for _, c := range cases {
		rows := uint32(0)
		_, failed := Serialize(e, c.Stream, engine.ShapeBatch, 0, func() {
			if e.State().OutputLen > 0 {
				rows += e.LastBatch().Rows
			}
		}, 300)
		if c.Error != nil {
			if failed == nil || failed.Code.String() != c.Error.Code || failed.Row != c.Error.Row || failed.Found != c.Error.Found {
				t.Errorf("%s: %v, want %+v", c.Name, failed, *c.Error)
			}
			continue
		}
		want := uint32(0)
		for _, document := range c.Want {
			var parsed struct{ Rows []json.RawMessage }
			switch c.Shape {
			case "":
				json.Unmarshal([]byte(document), &parsed)
			case "objects":
				json.Unmarshal([]byte(document), &parsed.Rows)
			default:
				parsed.Rows = make([]json.RawMessage, strings.Count(document, "\n"))
			}
			want += uint32(len(parsed.Rows))
		}
		if failed != nil || rows != want {
			t.Errorf("%s: %d rows in batches, want %d; %v", c.Name, rows, want, failed)
		}
	}
}

// Limit is the memory limit of the tests with broken streams, in bytes.
const Limit = 1 << 20

// Survives demands that a stream gives valid documents or an error, whose text is
// fit for people, without using more memory than allowed. The shape and the size of
// the pieces depend on the stream.
func Survives(t *testing.T, e *engine.Engine, stream []byte) {
	t.Helper()
	e.Limit(Limit)
	shape := uint32(len(stream) % 4)
	piece := max(1, len(stream)/(1+len(stream)%5))
	start := time.Now()
	documents, failed := Serialize(e, stream, shape, 0, func() {
		if n := len(e.Output()); n > Limit+Limit/2 {
			t.Fatalf("%d bytes of output at once", n)
		}
	}, piece)
	if took := time.Since(start); took > 10*time.Second {
		t.Fatalf("took %v", took)
	}
	if failed != nil {
		if failed.Code == 0 || failed.Code.String() == "UNKNOWN" || len(failed.Found) > 100 || strings.ToValidUTF8(failed.Found, "") != failed.Found {
			t.Fatalf("error %d, found %q", failed.Code, failed.Found)
		}
		return
	}
	if shape == engine.ShapeBatch {
		return
	}
	for _, document := range strings.Split(documents, Separator) {
		if shape == engine.ShapeNDJSON {
			for line := range strings.Lines(document) {
				if !json.Valid([]byte(line)) {
					t.Fatalf("no valid JSON: %q", line)
				}
			}
		} else if !json.Valid([]byte(document)) {
			t.Fatalf("no valid JSON: %q", document)
		}
	}
}

// Truncations cuts every recorded stream off at every byte.
func Truncations(t *testing.T, e *engine.Engine, cases []Case) {
	for _, c := range cases {
		for at := range c.Stream {
			Survives(t, e, c.Stream[:at])
		}
	}
}

// Mutations breaks recorded streams 100,000 times. The numbers are some that mean
// something to the protocol.
func Mutations(t *testing.T, e *engine.Engine, cases []Case, numbers ...uint32) {
	s := *seed
	if s == 0 {
		s = rand.Uint64()
	}
	r := rand.New(rand.NewPCG(s, 0))
	var last []byte
	defer func() {
		p := recover()
		if p != nil || t.Failed() {
			t.Errorf("seed %d; the stream was %x", s, last)
		}
		if p != nil {
			panic(p)
		}
	}()
	for range 100_000 {
		stream := bytes.Clone(cases[r.IntN(len(cases))].Stream)
		for range 1 + r.IntN(3) {
			stream = mutate(r, stream, cases, numbers)
		}
		last = stream
		Survives(t, e, stream)
	}
}

func mutate(r *rand.Rand, stream []byte, cases []Case, numbers []uint32) []byte {
	if len(stream) < 8 {
		return append(stream, byte(r.Uint32()))
	}
	at := r.IntN(len(stream) - 4)
	switch r.IntN(7) {
	case 0:
		stream[at] ^= 1 << r.IntN(8)
	case 1:
		stream[at] = byte(r.Uint32())
	case 2: // a number, perhaps a length
		numbers := append([]uint32{0, 1, 0xffffffff, 0xfffffffe, 0x7fffffff, 0x80000000, uint32(r.IntN(300)), uint32(r.IntN(1 << 20))}, numbers...)
		n := numbers[r.IntN(len(numbers))]
		if r.IntN(2) == 0 {
			binary.BigEndian.PutUint32(stream[at:], n)
		} else {
			binary.LittleEndian.PutUint32(stream[at:], n)
		}
	case 3:
		stream = append(stream[:at], stream[min(len(stream), at+1+r.IntN(20)):]...)
	case 4:
		stream = append(stream[:at:at], append([]byte{byte(r.Uint32()), byte(r.Uint32())}, stream[at:]...)...)
	case 5: // the end of another stream
		other := cases[r.IntN(len(cases))].Stream
		stream = append(stream[:at:at], other[r.IntN(len(other)):]...)
	case 6: // a part once more
		to := min(len(stream), at+r.IntN(200))
		stream = append(stream[:to:to], stream[at:]...)
	}
	return stream
}
