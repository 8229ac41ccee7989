// Package wiretest feeds streams of wire messages to engines, for the tests of
// wire protocols, and reads the recorded ones in conformance/wire.
package wiretest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/engine"
)

// Failure is an error of an engine.
type Failure struct {
	Code   driveradapter.Code
	Row    uint64
	Column int // -1 if it is about none
	Found  string
}

func (f *Failure) Error() string {
	return fmt.Sprintf("%v at row %d, column %d: %s", f.Code, f.Row, f.Column, f.Found)
}

// Separator stands in the result of Serialize before the documents of all result
// sets but the first.
const Separator = "\x1e"

// Serialize feeds a stream to an engine and returns the documents; of a failed
// stream those of the result sets before. It calls check, if that is not nil,
// after each call that gives output. The stream comes in pieces of the given sizes,
// of which the last one repeats; none stands for one piece.
func Serialize(e *engine.Engine, stream []byte, shape, flags uint32, check func(), pieces ...int) (string, *Failure) {
	var documents, body strings.Builder
	status := e.Begin(engine.SourceWire, shape, flags)
	take := func(to *strings.Builder) {
		if check != nil {
			check()
		}
		to.Write(e.Output())
	}
	push := func(n uint32) {
		for status = e.Push(n); status == engine.StatusFull; status = e.Resume() {
			take(&body)
		}
		take(&body)
	}
	end := func() {
		if status = e.End(); status == engine.StatusDone {
			take(&body)
			e.Head()
			take(&documents)
			documents.WriteString(body.String())
			body.Reset()
		}
	}
	for len(stream) > 0 && status == engine.StatusDone {
		n := len(stream)
		if len(pieces) > 0 {
			n = min(n, pieces[0])
		}
		if len(pieces) > 1 {
			pieces = pieces[1:]
		}
		in := e.Input(uint32(n))
		if in == nil {
			status = engine.StatusError
			break
		}
		copy(in, stream[:n])
		stream = stream[n:]
		push(uint32(n))
		for status == engine.StatusNext {
			if end(); status == engine.StatusDone {
				documents.WriteString(Separator)
				if status = e.Begin(engine.SourceWire, shape, flags|engine.FlagNext); status == engine.StatusDone {
					push(0)
				}
			}
		}
	}
	if status == engine.StatusDone {
		end()
	}
	if status != engine.StatusDone {
		s := e.State()
		return documents.String(), &Failure{driveradapter.Code(s.Code), s.Row, int(int32(s.Column)), string(e.Found())}
	}
	return documents.String(), nil
}

// Feed feeds a stream of one result set to an engine in pieces of a size, without
// keeping its output, and reports whether that went well.
func Feed(e *engine.Engine, stream []byte, shape uint32, piece int) bool {
	e.Begin(engine.SourceWire, shape, 0)
	for at := 0; at < len(stream); at += piece {
		n := copy(e.Input(uint32(min(piece, len(stream)-at))), stream[at:])
		status := e.Push(uint32(n))
		for status == engine.StatusFull {
			status = e.Resume()
		}
		if status != engine.StatusDone {
			return false
		}
	}
	return e.End() == engine.StatusDone
}

// Case is a recorded stream and what becomes of it: a line of
// conformance/wire/cases.jsonl.
type Case struct {
	Name   string     `json:"name"`
	Stream []byte     `json:"stream"` // in base64
	Shape  string     `json:"shape,omitempty"`
	Want   []string   `json:"want"`
	Error  *CaseError `json:"error,omitempty"`
}

// CaseError is the error that a case ends with.
type CaseError struct {
	Code   string `json:"code"`
	Row    uint64 `json:"row"`
	Column *int   `json:"column,omitempty"`
	Found  string `json:"found"`
}

// Shapes are the shapes that a case may have.
var Shapes = map[string]uint32{"": engine.ShapeArray, "objects": engine.ShapeObjects, "ndjson": engine.ShapeNDJSON}

// NewCase makes a case of a stream with the result of Serialize.
func NewCase(name string, stream []byte, shape, documents string, failed *Failure) Case {
	c := Case{Name: name, Stream: stream, Shape: shape, Want: []string{}}
	if failed == nil || documents != "" {
		c.Want = strings.Split(strings.TrimSuffix(documents, Separator), Separator)
	}
	if failed != nil {
		c.Error = &CaseError{Code: failed.Code.String(), Row: failed.Row, Found: failed.Found}
		if failed.Column >= 0 {
			c.Error.Column = &failed.Column
		}
	}
	return c
}

// ReadCases reads a file of cases.
func ReadCases(path string) ([]Case, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var cases []Case
	for line := range bytes.Lines(file) {
		var c Case
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// WriteCases writes a file of cases.
func WriteCases(path string, cases []Case) error {
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	out.SetEscapeHTML(false)
	for _, c := range cases {
		if err := out.Encode(c); err != nil {
			return err
		}
	}
	return os.WriteFile(path, lines.Bytes(), 0o644)
}
