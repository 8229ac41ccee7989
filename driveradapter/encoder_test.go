package driveradapter_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/rowjet/rowjet/driveradapter"
	"pgregory.net/rapid"
)

// block is a rows block taken apart.
type block struct {
	cells      uint32
	tags, long []byte
}

// parse takes a whole rows block apart, by wasm/ABI.md.
func parse(t rapid.TB, b []byte) block {
	t.Helper()
	u32 := func(offset int) uint32 { return binary.LittleEndian.Uint32(b[offset:]) }
	if u32(0) != 2 || int(u32(4)) != len(b)-8 {
		t.Fatalf("block of kind %d, length %d in %d bytes", u32(0), u32(4), len(b))
	}
	area := func(entry int) []byte { return b[8+u32(entry):][:u32(entry+4)] }
	if len(area(20)) != 0 {
		t.Fatal("there is short text")
	}
	return block{u32(8), area(12), area(28)}
}

// TestPlace checks that a block is the same in a room as in a slice of its own,
// whether the room suffices or not.
func TestPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.SliceOfN(rapid.OneOf(
			rapid.Just[any](nil),
			rapid.Map(rapid.Int64(), func(v int64) any { return v }),
			rapid.Map(rapid.StringN(0, 40, -1), func(v string) any { return v }),
		), 2, 2), 1, 20).Draw(t, "rows")
		room := make([]byte, rapid.IntRange(0, 1000).Draw(t, "room"))
		var plain, placed driveradapter.Encoder
		for range 2 { // the encoders are used again
			placed.Place(room)
			for _, row := range rows {
				plain.Row(row, 2)
				placed.Row(row, 2)
			}
			size := placed.Size()
			want := parse(t, plain.AppendBlock(nil))
			var got block
			length, ok := placed.Finish()
			if ok {
				if length != size || length > len(room) {
					t.Fatalf("%d bytes in a room of %d, announced as %d", length, len(room), size)
				}
				got = parse(t, room[:length])
			} else {
				if size+64 < len(room) {
					t.Fatalf("a room of %d bytes did not suffice for %d", len(room), size)
				}
				got = parse(t, placed.AppendBlock(nil))
			}
			if got.cells != want.cells || !bytes.Equal(got.tags, want.tags) || !bytes.Equal(got.long, want.long) {
				t.Fatalf("got %v, want %v", got, want)
			}
			if !placed.Empty() {
				t.Fatal("something is still pending")
			}
		}
	})
}

// TestPlaceReset checks that the encoder lets go of the room.
func TestPlaceReset(t *testing.T) {
	var e driveradapter.Encoder
	room := make([]byte, 1000)
	e.Place(room)
	e.Row([]any{"secret"}, 1)
	e.Reset()
	clear(room)
	e.Row([]any{"a"}, 1)
	if got := parse(t, e.AppendBlock(nil)); got.cells != 1 || string(got.long) != "a" {
		t.Errorf("got %v", got)
	}
	if !bytes.Equal(room, make([]byte, 1000)) {
		t.Error("the room was written to after Reset")
	}
}

type foreign struct{}

// TestOther checks who is asked about values that are not listed.
func TestOther(t *testing.T) {
	for _, test := range []struct {
		v    any
		want string
		tag  driveradapter.Tag
	}{
		{foreign{}, "converted", driveradapter.TagString},
		{(*time.Time)(nil), "converted", driveradapter.TagString},
		{"listed", "listed", driveradapter.TagString},
		{struct{}{}, "no meaning", driveradapter.TagUnsupported},
	} {
		e := driveradapter.Encoder{Other: func(v any) (any, string) {
			if v == (struct{}{}) {
				return nil, "no meaning"
			}
			return "converted", ""
		}}
		e.Row([]any{test.v}, 1)
		got := parse(t, e.AppendBlock(nil))
		if driveradapter.Tag(got.tags[0]) != test.tag || string(got.long) != test.want {
			t.Errorf("%T: got tag %d with %q, want %d with %q", test.v, got.tags[0], got.long, test.tag, test.want)
		}
	}
	var e driveradapter.Encoder
	e.Row([]any{foreign{}}, 1)
	if got := parse(t, e.AppendBlock(nil)); driveradapter.Tag(got.tags[0]) != driveradapter.TagUnsupported || !strings.HasPrefix(string(got.long), "a Go value") {
		t.Errorf("without Other: got %v", got)
	}
}

// stopped is an instant whose nanoseconds are no part of a second.
type stopped int

func (stopped) Unix() int64       { return 5 }
func (s stopped) Nanosecond() int { return int(s) }

// TestValues checks what cells that are no usual ones become.
func TestValues(t *testing.T) {
	const noPart = "an instant whose Nanosecond method returns no number from 0 to 999,999,999"
	for _, test := range []struct {
		name string
		v    any
		tags string
		long string
	}{
		{"nanoseconds below", stopped(-1), "\x0e\x4a\x00\x00\x00", noPart},
		{"nanoseconds above", stopped(1e9), "\x0e\x4a\x00\x00\x00", noPart},
		{"nanoseconds far above", stopped(1<<32 + 5), "\x0e\x4a\x00\x00\x00", noPart},
		{"most nanoseconds", stopped(999_999_999), "\x0b\x05\x00\x00\x00\x00\x00\x00\x00\xff\xc9\x9a\x3b", ""},
		{"nil []any", []any(nil), "\x00", ""},
		{"nil []string", []string(nil), "\x00", ""},
		{"nil []int64", []int64(nil), "\x00", ""},
		{"nil []float64", []float64(nil), "\x00", ""},
		{"nil []bool", []bool(nil), "\x00", ""},
		{"nil []byte", []byte(nil), "\x00", ""},
		{"empty []string", []string{}, "\x09\x00\x00\x00\x00", ""},
		{"nil Object", driveradapter.Object(nil), "\x0a\x00\x00\x00\x00", ""},
	} {
		var e driveradapter.Encoder
		e.Row([]any{test.v}, 1)
		if got := parse(t, e.AppendBlock(nil)); string(got.tags) != test.tags || string(got.long) != test.long {
			t.Errorf("%s: got %q with %q, want %q with %q", test.name, got.tags, got.long, test.tags, test.long)
		}
	}

	// Other that never comes to an end.
	e := driveradapter.Encoder{Other: func(v any) (any, string) { return v, "" }}
	for range 2 {
		e.Row([]any{foreign{}, []any{foreign{}, "a"}}, 2)
		const again = "a value that Encoder.Other turns into others that it is asked for again"
		if got := parse(t, e.AppendBlock(nil)); string(got.long) != again+again+"a" {
			t.Errorf("got %q with %q", got.tags, got.long)
		}
	}
}
