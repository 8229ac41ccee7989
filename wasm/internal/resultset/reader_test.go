package resultset

import (
	"encoding/binary"
	"testing"
	"unicode/utf16"

	"github.com/rowjet/rowjet/driveradapter"
	"pgregory.net/rapid"
)

// shortBlock builds the block that a host makes of strings by concatenating
// them and encoding the result once, as TextEncoder does.
func shortBlock(cells [][]uint16) []byte {
	var all []uint16
	var tags []byte
	for _, cell := range cells {
		all = append(all, cell...)
		tags = append(tags, byte(driveradapter.TagShort)+byte(len(cell)))
	}
	short := []byte(string(utf16.Decode(all)))
	ascii := uint32(1)
	for _, c := range short {
		if c >= 0x80 {
			ascii = 0
		}
	}
	block := make([]byte, driveradapter.RowsHeader)
	for i, v := range []int{len(cells), 32, len(tags), 32 + len(tags), len(short), 32 + len(tags) + len(short), 0} {
		binary.LittleEndian.PutUint32(block[4*i:], uint32(v))
	}
	binary.LittleEndian.PutUint32(block[28:], ascii)
	return append(append(block, tags...), short...)
}

// wtf8 encodes each cell by itself.
func wtf8(units []uint16) string {
	var out []byte
	for i := 0; i < len(units); i++ {
		u := rune(units[i])
		if i+1 < len(units) {
			if r := utf16.DecodeRune(u, rune(units[i+1])); r != 0xfffd {
				out = append(out, string(r)...)
				i++
				continue
			}
		}
		if u >= 0xd800 && u <= 0xdfff {
			out = append(out, 0xed, byte(0x80|u>>6&63), byte(0x80|u&63))
			continue
		}
		out = append(out, string(u)...)
	}
	return string(out)
}

func TestShortTextCutsSurrogatePairs(t *testing.T) {
	const high, low = 0xd83d, 0xde00
	for _, cells := range [][][]uint16{
		{{}, {'a'}, {}, {'b', 'c'}},
		{{high}, {low}},
		{{high}, {}, {}, {low}},
		{{'x', high}, {low, 'y'}},
		{{high, low}, {high}, {low, high}, {low}},
		{{0xe9, high}, {low, 0x65e5, high}, {low}},
	} {
		checkShort(t, cells)
	}
}

func TestShortTextProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.OneOf(rapid.Uint16Range(1, 0xd7ff), rapid.Uint16Range(1, 0x7f))
		var cells [][]uint16
		half := false
		for range rapid.IntRange(1, 6).Draw(t, "cells") {
			var cell []uint16
			if half {
				if rapid.Bool().Draw(t, "empty between") {
					cells = append(cells, nil)
				}
				cell = append(cell, 0xde00)
			}
			cell = append(cell, rapid.SliceOfN(unit, 0, 9).Draw(t, "units")...)
			if half = rapid.Bool().Draw(t, "half"); half {
				cell = append(cell, 0xd83d)
			}
			cells = append(cells, cell)
		}
		if half {
			cells = append(cells, []uint16{0xde00})
		}
		checkShort(t, cells)
	})
}

type failer interface {
	Fatalf(format string, args ...any)
}

func checkShort(t failer, cells [][]uint16) {
	var r Reader
	if !r.Reset(shortBlock(cells)) {
		t.Fatalf("%x: the block was refused", cells)
	}
	var v Value
	for i, cell := range cells {
		if !r.Next(&v) || v.Tag != driveradapter.TagString || string(v.Text) != wtf8(cell) {
			t.Fatalf("%x: cell %d is %q, want %q", cells, i, v.Text, wtf8(cell))
		}
	}
	if !r.Done() {
		t.Fatalf("%x: something is left", cells)
	}
}

func TestMalformedBlocks(t *testing.T) {
	var e driveradapter.Encoder
	e.Row([]any{"text", 1.5, []any{int64(1 << 40), "x"}, []byte{1}}, 4)
	whole := e.AppendBlock(nil)[driveradapter.BlockHeader:]
	read := func(block []byte) bool {
		var r Reader
		var v Value
		if !r.Reset(block) {
			return false
		}
		for range r.Count {
			if !r.Skip(&v) {
				return false
			}
		}
		return r.Done()
	}
	if !read(whole) {
		t.Fatal("the whole block was refused")
	}
	for n := range whole {
		if read(whole[:n]) {
			t.Errorf("a block cut to %d bytes was taken", n)
		}
	}
	for i := range whole {
		for _, c := range []byte{0, 1, 0x7f, 0xff} {
			mutant := append([]byte(nil), whole...)
			mutant[i] = c
			read(mutant) // must neither panic nor hang
		}
	}
}
