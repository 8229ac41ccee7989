package host_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/host"
)

// message makes a message of PostgreSQL's protocol.
func message(kind byte, body ...any) string {
	var b bytes.Buffer
	for _, part := range body {
		if s, ok := part.(string); ok {
			part = append([]byte(s), 0)
		}
		if err := binary.Write(&b, binary.BigEndian, part); err != nil {
			panic(err)
		}
	}
	head := binary.BigEndian.AppendUint32([]byte{kind}, uint32(b.Len()+4))
	return string(head) + b.String()
}

// intColumn, intRow and complete are the messages of results with a column of ints,
// in text format.
func intColumn(name string) string {
	return message('T', uint16(1), name, uint32(0), uint16(0), uint32(23), uint16(4), uint32(0xffffffff), uint16(0))
}

func intRow(digits string) string {
	return message('D', uint16(1), uint32(len(digits)), []byte(digits))
}

var complete = message('C', "SELECT 1")

// TestRecordedMessages takes recorded streams of real servers through the host.
func TestRecordedMessages(t *testing.T) {
	testRecorded(t, driveradapter.Postgres, "cases.jsonl", 300)
	testRecorded(t, driveradapter.MySQL, "mysql.jsonl", 50)
}

func testRecorded(t *testing.T, dialect driveradapter.Dialect, name string, least int) {
	file, err := os.ReadFile("../conformance/wire/" + name)
	if err != nil {
		t.Fatal(err)
	}
	type recorded struct {
		Name, Shape string
		Stream      []byte
		Want        []string
		Error       *struct {
			Code   string
			Row    int64
			Column *int
			Found  string
		}
	}
	shapes := map[string]host.Shape{"": host.ShapeArray, "objects": host.ShapeObjects, "ndjson": host.ShapeNDJSON}
	readers := map[string]func(io.Reader) io.Reader{
		"whole":      func(r io.Reader) io.Reader { return r },
		"one byte":   iotest.OneByteReader,
		"data error": iotest.DataErrReader,
	}
	onFlavours(t, func(t *testing.T, opts ...host.Option) {
		engine := newEngine(t, dialect, append(opts, host.WithMemoryLimit(1<<20))...)
		count := 0
		for line := range bytes.Lines(file) {
			var c recorded
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatal(err)
			}
			count++
			for name, wrap := range readers {
				for _, way := range []string{"Serialize", "Stream"} {
					var got []string
					var failed error
					for result, err := range engine.Messages(ctx, wrap(bytes.NewReader(c.Stream))) {
						if err != nil {
							failed = err
							break
						}
						var w bytes.Buffer
						if way == "Stream" {
							err = result.Stream(&w, shapes[c.Shape])
						} else {
							var out []byte
							out, err = result.Serialize(shapes[c.Shape])
							w.Write(out)
						}
						if err == nil {
							got = append(got, w.String())
						}
					}
					what := c.Name + ", " + name + ", " + way
					if strings.Join(got, "\n") != strings.Join(c.Want, "\n") {
						t.Errorf("%s: got %q, want %q", what, got, c.Want)
					}
					if c.Error == nil {
						if failed != nil {
							t.Errorf("%s: got the error %v", what, failed)
						}
						continue
					}
					var e *driveradapter.Error
					if !errors.As(failed, &e) || e.Code.String() != c.Error.Code || e.Row != c.Error.Row || e.Found != c.Error.Found ||
						(c.Error.Column == nil) != (e.Column < 0) || c.Error.Column != nil && *c.Error.Column != e.Column {
						t.Errorf("%s: got the error %v, want %+v", what, failed, c.Error)
					}
				}
			}
		}
		if count < least || engine.Idle() == 0 {
			t.Errorf("%d cases, %d instances are kept", count, engine.Idle())
		}
	})
}

func TestSeveralResults(t *testing.T) {
	stream := intColumn("a") + intRow("1") + complete + message('C', "INSERT 0 1") + intColumn("b") + complete + intColumn("c") + intRow("3") + complete
	want := []string{
		`{"columns":["a"],"types":["int"],"rows":[[1]]}`,
		`{"columns":["b"],"types":["int"],"rows":[]}`,
		`{"columns":["c"],"types":["int"],"rows":[[3]]}`,
	}
	engine := newEngine(t, driveradapter.Postgres)
	read := func(skip int) (got []string) {
		at := 0
		for result, err := range engine.Messages(ctx, strings.NewReader(stream)) {
			if err != nil {
				t.Fatal(err)
			}
			if at++; at-1 == skip {
				continue
			}
			out, err := result.Serialize()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(out))
		}
		return got
	}
	for skip := -1; skip < 3; skip++ {
		var some []string
		for n, document := range want {
			if n != skip {
				some = append(some, document)
			}
		}
		if got := read(skip); strings.Join(got, "\n") != strings.Join(some, "\n") {
			t.Errorf("without %d: got %q", skip, got)
		}
	}

	// Each result is read once, in its turn.
	var kept *host.Result
	for result, err := range engine.Messages(ctx, strings.NewReader(stream)) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := result.Serialize(); err != nil {
			t.Fatal(err)
		}
		if err := result.Stream(io.Discard); err == nil || err.Error() != "the result was read already, or its turn is over" {
			t.Errorf("read again: got the error %v", err)
		}
		break
	}
	for result := range engine.Messages(ctx, strings.NewReader(stream)) {
		kept = result
		break
	}
	if err := kept.Batches(func(*host.Batch) error { return nil }); err == nil || err.Error() != "the result was read already, or its turn is over" {
		t.Errorf("read later: got the error %v", err)
	}

	// What is for one result refuses more, and takes an answer without any.
	if _, err := engine.SerializeMessages(ctx, strings.NewReader(stream)); err != host.ErrMoreResults {
		t.Errorf("got the error %v, want ErrMoreResults", err)
	}
	if err := engine.StreamMessages(ctx, io.Discard, strings.NewReader(stream)); err != host.ErrMoreResults {
		t.Errorf("got the error %v, want ErrMoreResults", err)
	}
	for _, none := range []string{"", message('C', "INSERT 0 1"), message('I')} {
		out, err := engine.SerializeMessages(ctx, strings.NewReader(none))
		if none == "" {
			if !errors.Is(err, driveradapter.CodeInputUnfinished) {
				t.Errorf("nothing: got %s, error %v", out, err)
			}
		} else if err != nil || string(out) != `{"columns":[],"types":[],"rows":[]}` {
			t.Errorf("%q: got %s, error %v", none, out, err)
		}
	}
	if n := engine.Idle(); n != 1 {
		t.Errorf("%d instances are idle, want 1", n)
	}
}

// TestReadWithin checks that a result which is being read can't be read again from
// within, nor can the loop go on: it would have the rows of the next result.
func TestReadWithin(t *testing.T) {
	stream := intColumn("a") + intRow("1") + complete + intColumn("b") + intRow("2") + complete
	rt := newRuntime(t)
	engine, err := rt.Engine(ctx, driveradapter.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	const over = "the result was read already, or its turn is over"
	const busy = "the next result was asked for while this one is being read"
	for name, read := range map[string]func(result *host.Result, within func()) error{
		"Batches": func(result *host.Result, within func()) error {
			return result.Batches(func(*host.Batch) error { within(); return nil })
		},
		"Stream": func(result *host.Result, within func()) error {
			return result.Stream(writerFunc(func(p []byte) (int, error) { within(); return len(p), nil }))
		},
	} {
		turns := 0
		for result, err := range engine.Messages(ctx, strings.NewReader(stream)) {
			if err != nil {
				t.Fatal(err)
			}
			turns++
			calls := 0
			err := read(result, func() {
				calls++
				if out, err := result.Serialize(); err == nil || err.Error() != over {
					t.Errorf("%s: got %s, error %v", name, out, err)
				}
				if err := result.Stream(io.Discard); err == nil || err.Error() != over {
					t.Errorf("%s: got the error %v", name, err)
				}
				if err := result.Batches(func(*host.Batch) error { return nil }); err == nil || err.Error() != over {
					t.Errorf("%s: got the error %v", name, err)
				}
			})
			if err != nil || calls == 0 {
				t.Errorf("%s: %d calls, error %v", name, calls, err)
			}
		}
		if turns != 2 {
			t.Errorf("%s: %d results, want 2", name, turns)
		}

		for how, goOn := range map[string]func(next func() (*host.Result, error, bool), stop func()){
			"next": func(next func() (*host.Result, error, bool), _ func()) {
				if result, err, ok := next(); result != nil || !ok || err == nil || err.Error() != busy {
					t.Errorf("%s, next: got %v, error %v", name, result, err)
				}
			},
			"stop": func(_ func() (*host.Result, error, bool), stop func()) { stop() },
		} {
			next, stop := iter.Pull2(engine.Messages(ctx, strings.NewReader(stream)))
			result, err, _ := next()
			if err != nil {
				t.Fatal(err)
			}
			calls := 0
			err = read(result, func() {
				if calls++; calls > 1 {
					return
				}
				goOn(next, stop)
				// Others must not get the instance meanwhile.
				if out, err := engine.Serialize(ctx, oneCell); err != nil || string(out) != `{"columns":["a"],"types":["int"],"rows":[[1]]}` {
					t.Errorf("%s, %s: meanwhile: got %s, error %v", name, how, out, err)
				}
			})
			if err != nil || calls == 0 {
				t.Errorf("%s, %s: %d calls, error %v", name, how, calls, err)
			}
			if result, err, ok := next(); ok {
				t.Errorf("%s, %s: got %v, error %v after the end", name, how, result, err)
			}
			stop()
		}
	}
	if n := rt.Calls(); n != 0 || engine.Idle() > 2 {
		t.Errorf("%d calls are in flight, %d instances idle", n, engine.Idle())
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// named is a reader that tells names.
type named struct {
	io.Reader
	names []string
}

func (n named) ColumnNames() []string { return n.names }

func TestMessageErrors(t *testing.T) {
	rt := newRuntime(t)
	engine, err := rt.Engine(ctx, driveradapter.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	start := intColumn("a") + intRow("1")
	gone := errors.New("gone")
	for _, test := range []struct {
		name   string
		reader io.Reader
		want   string
	}{
		{"nil", nil, "the reader of messages is nil"},
		{"of the reader", io.MultiReader(strings.NewReader(start), iotest.ErrReader(gone)), "gone"},
		{"no progress", io.MultiReader(strings.NewReader(start), lazy{}), io.ErrNoProgress.Error()},
		{"more than there is room", liar{}, "the reader of messages says that it read 65537 bytes into 65536"},
		{"cut off", strings.NewReader(start), "row 1: the input ended inside a row or a block; " + driveradapter.CodeInputUnfinished.Advice() + " [INPUT_UNFINISHED]"},
		{"cell without a name", strings.NewReader(start + intRow("x")),
			`row 1, column 0 (int): not a whole number, found string "x"; ` + driveradapter.CodeIntInvalid.Advice() + " [INT_INVALID]"},
		{"cell", named{strings.NewReader(start + intRow("x")), []string{"a"}},
			`row 1, column 0 "a" (int): not a whole number, found string "x"; ` + driveradapter.CodeIntInvalid.Advice() + " [INT_INVALID]"},
		{"server", strings.NewReader(start + message('E', []byte("SERROR\x00C22012\x00Mdivision by zero\x00\x00"))),
			"row 1: " + driveradapter.CodeServerError.Error() + ", found 22012: division by zero; " + driveradapter.CodeServerError.Advice() + " [SERVER_ERROR]"},
	} {
		check := func(way string, err error) {
			if err == nil || err.Error() != test.want {
				t.Errorf("%s, %s: got the error %v, want %s", test.name, way, err, test.want)
			}
		}
		if seeker, ok := test.reader.(io.Seeker); ok {
			err := engine.StreamMessages(ctx, io.Discard, test.reader)
			check("stream", err)
			seeker.Seek(0, io.SeekStart)
			check("batches", engine.BatchMessages(ctx, test.reader, func(*host.Batch) error { return nil }))
			seeker.Seek(0, io.SeekStart)
			// A loop that goes on learns it, and one that skips the result too.
			for result, err := range engine.Messages(ctx, test.reader) {
				if err != nil {
					check("after its error", err)
					continue
				}
				_, err := result.Serialize()
				check("result", err)
			}
			seeker.Seek(0, io.SeekStart)
			turns := 0
			for _, err := range engine.Messages(ctx, test.reader) {
				if turns++; err != nil {
					check("skipped", err)
				}
			}
			if turns != 2 {
				t.Errorf("%s: %d turns, want 2", test.name, turns)
			}
			continue
		}
		_, err := engine.SerializeMessages(ctx, test.reader)
		check("serialize", err)
	}

	if err := engine.StreamMessages(ctx, nil, strings.NewReader(start+complete)); err == nil || err.Error() != "the writer is nil" {
		t.Errorf("nil writer: got the error %v", err)
	}
	if err := engine.BatchMessages(ctx, strings.NewReader(start+complete), nil); err == nil || err.Error() != "the function that takes the batches is nil" {
		t.Errorf("nil function: got the error %v", err)
	}
	if err := engine.StreamMessages(ctx, &failingWriter{err: gone}, strings.NewReader(start+complete)); err != gone {
		t.Errorf("writer: got the error %v, want it unchanged", err)
	}
	if _, err := engine.SerializeMessages(ctx, strings.NewReader(start+complete), host.Shape(9)); err == nil || err.Error() != "9 is no value of host.Shape" {
		t.Errorf("shape: got the error %v", err)
	}
	func() {
		defer func() {
			if p := recover(); p != "reader panic" {
				t.Errorf("recovered %v", p)
			}
		}()
		engine.SerializeMessages(ctx, panicking{})
	}()
	sqlite, err := rt.Engine(ctx, driveradapter.SQLite)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.SerializeMessages(ctx, strings.NewReader(start+complete)); err != host.ErrNoMessages {
		t.Errorf("SQLite: got the error %v, want ErrNoMessages", err)
	}
	out, err := engine.SerializeMessages(ctx, strings.NewReader(start+complete), host.ShapeObjects)
	if err != nil || string(out) != `[{"a":1}]` {
		t.Errorf("afterwards: got %s, error %v", out, err)
	}
	if n := rt.Calls(); n != 0 || engine.Idle() != 1 || sqlite.Idle() != 1 {
		t.Errorf("%d calls are in flight, %d and %d instances idle", n, engine.Idle(), sqlite.Idle())
	}
}

type lazy struct{}

func (lazy) Read([]byte) (int, error) { return 0, nil }

type liar struct{}

func (liar) Read(p []byte) (int, error) { return len(p) + 1, nil }

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("reader panic") }

func TestMessageBatches(t *testing.T) {
	engine := newEngine(t, driveradapter.Postgres)
	var stream strings.Builder
	stream.WriteString(intColumn("a"))
	for range 5000 {
		stream.WriteString(intRow("7"))
	}
	stream.WriteString(complete)
	for _, names := range [][]string{nil, {"a"}} {
		var r io.Reader = strings.NewReader(stream.String())
		want := ""
		if names != nil {
			r, want = named{r, names}, names[0]
		}
		rows, batches := 0, 0
		err := engine.BatchMessages(ctx, r, func(b *host.Batch) error {
			batches++
			for row, v := range b.Columns[0].Int32s {
				if v != 7 || b.Columns[0].IsNull(row) || b.Columns[0].Name != want {
					t.Errorf("row %d: got %d of %q", rows+row, v, b.Columns[0].Name)
				}
			}
			rows += b.Rows
			return nil
		})
		if err != nil || rows != 5000 || batches < 3 {
			t.Errorf("%d rows in %d batches, error %v", rows, batches, err)
		}
	}
}

// endlessMessages are rows without end.
type endlessMessages struct{ onRead func(n int) }

func (r *endlessMessages) Read(p []byte) (n int, err error) {
	r.onRead(len(p))
	row := intRow("7")
	for n+len(row) <= len(p) {
		n += copy(p[n:], row)
	}
	return n, nil
}

func TestCancelMessages(t *testing.T) {
	engine := newEngine(t, driveradapter.Postgres)
	ctx, cancel := context.WithCancel(ctx)
	reads := 0
	rows := &endlessMessages{func(int) {
		if reads++; reads == 10 {
			cancel()
		}
	}}
	err := engine.StreamMessages(ctx, io.Discard, io.MultiReader(strings.NewReader(intColumn("a")), rows))
	if err != context.Canceled || reads != 10 {
		t.Errorf("got the error %v after %d reads, want context.Canceled after 10", err, reads)
	}
	if engine.Idle() != 1 {
		t.Errorf("%d instances are idle, want 1", engine.Idle())
	}
}

func TestNilArguments(t *testing.T) {
	engine := newEngine(t, driveradapter.Postgres)
	var none context.Context
	rows := driveradapter.RowsOf(oneCell)
	if _, err := host.New(none); err == nil || err.Error() != "the context is nil" {
		t.Errorf("New: got the error %v", err)
	}
	rt := newRuntime(t)
	if _, err := rt.Engine(none, driveradapter.Postgres); err == nil || err.Error() != "the context is nil" {
		t.Errorf("Engine: got the error %v", err)
	}
	if err := rt.Close(none); err == nil || err.Error() != "the context is nil" {
		t.Errorf("Close: got the error %v", err)
	}
	for name, f := range map[string]func() error{
		"Serialize":         func() error { _, err := engine.Serialize(none, oneCell); return err },
		"SerializeTo":       func() error { return engine.SerializeTo(none, io.Discard, oneCell) },
		"Stream":            func() error { return engine.Stream(none, io.Discard, rows) },
		"Batches":           func() error { return engine.Batches(none, rows, func(*host.Batch) error { return nil }) },
		"SerializeMessages": func() error { _, err := engine.SerializeMessages(none, strings.NewReader("")); return err },
	} {
		if err := f(); err == nil || err.Error() != "the context is nil" {
			t.Errorf("%s: got the error %v", name, err)
		}
	}
	for name, f := range map[string]func() error{
		"SerializeTo": func() error { return engine.SerializeTo(ctx, nil, oneCell) },
		"Stream":      func() error { return engine.Stream(ctx, nil, rows) },
	} {
		if err := f(); err == nil || err.Error() != "the writer is nil" {
			t.Errorf("%s: got the error %v", name, err)
		}
	}
	if err := engine.Batches(ctx, rows, nil); err == nil || err.Error() != "the function that takes the batches is nil" {
		t.Errorf("Batches: got the error %v", err)
	}
	if _, err := host.New(ctx, host.WithPoolSize(1), nil); err == nil || err.Error() != "an option is nil" {
		t.Errorf("New with a nil option: got the error %v", err)
	}
	if n := engine.Idle(); n != 1 {
		t.Errorf("%d instances are idle, want 1", n)
	}
}

// nilRows is rows by pointer, of which there may be nil ones.
type nilRows struct{ driveradapter.Rows }

// TestNothing calls everything on nil and zero values, and with nil options.
func TestNothing(t *testing.T) {
	good := newEngine(t, driveradapter.Postgres)
	goodRows := func() driveradapter.Rows { return driveradapter.RowsOf(oneCell) }
	messages := func() io.Reader { return strings.NewReader(intColumn("a") + complete) }
	each := func(*host.Batch) error { return nil }
	ways := func(e *host.Engine, rows driveradapter.Rows, r io.Reader, opts ...host.CallOption) map[string]error {
		errs := make(map[string]error)
		_, errs["Serialize"] = e.Serialize(ctx, oneCell, opts...)
		errs["SerializeTo"] = e.SerializeTo(ctx, io.Discard, oneCell, opts...)
		errs["Stream"] = e.Stream(ctx, io.Discard, rows, opts...)
		errs["Batches"] = e.Batches(ctx, rows, each, opts...)
		_, errs["SerializeMessages"] = e.SerializeMessages(ctx, r, opts...)
		errs["StreamMessages"] = e.StreamMessages(ctx, io.Discard, r, opts...)
		return errs
	}
	check := func(name string, err error, want string) {
		t.Helper()
		if err == nil || err.Error() != want {
			t.Errorf("%s: got the error %v, want %s", name, err, want)
		}
	}
	for name, e := range map[string]*host.Engine{"nil": nil, "zero": {}} {
		const want = "the engine is nil, or not one that Runtime.Engine returned"
		for way, err := range ways(e, goodRows(), messages()) {
			check(name+" engine, "+way, err, want)
		}
		check(name+" engine, BatchMessages", e.BatchMessages(ctx, messages(), each), want)
		turns := 0
		for result, err := range e.Messages(ctx, messages()) {
			turns++
			if check(name+" engine, Messages", err, want); result != nil {
				t.Error("there is a result")
			}
		}
		if turns != 1 || e.Dialect() != 0 {
			t.Errorf("%s engine: %d turns, dialect %s", name, turns, e.Dialect())
		}
	}
	for name, rt := range map[string]*host.Runtime{"nil": nil, "zero": {}} {
		const want = "the runtime is nil, or not one that host.New returned"
		_, err := rt.Engine(ctx, driveradapter.Postgres)
		check(name+" runtime, Engine", err, want)
		check(name+" runtime, Close", rt.Close(ctx), want)
	}
	for way, err := range ways(good, goodRows(), messages(), host.ShapeArray, nil) {
		check("nil option, "+way, err, "an option is nil")
	}
	for _, rows := range []driveradapter.Rows{nil, (*nilRows)(nil)} {
		check("nil rows, Stream", good.Stream(ctx, io.Discard, rows), "the rows are nil")
		check("nil rows, Batches", good.Batches(ctx, rows, each), "the rows are nil")
	}
	for _, r := range []io.Reader{nil, (*bytes.Buffer)(nil)} {
		check("nil reader", good.StreamMessages(ctx, io.Discard, r), "the reader of messages is nil")
	}
	for name, result := range map[string]*host.Result{"nil": nil, "zero": {}} {
		const want = "the result was read already, or its turn is over"
		_, err := result.Serialize()
		check(name+" result, Serialize", err, want)
		check(name+" result, Stream", result.Stream(io.Discard), want)
		check(name+" result, Batches", result.Batches(each), want)
	}
	for _, d := range []driveradapter.Dialect{0, 4, 255} {
		_, err := newRuntime(t).Engine(ctx, d)
		if !errors.Is(err, host.ErrModule) {
			t.Errorf("dialect %d: got the error %v, want ErrModule", d, err)
		}
	}
	if n := good.Idle(); n != 1 {
		t.Errorf("%d instances are idle, want 1", n)
	}
}
