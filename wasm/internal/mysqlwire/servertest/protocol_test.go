package servertest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/rowjet/rowjet/wasm/internal/engine"
	"github.com/rowjet/rowjet/wasm/internal/mysqlwire/mysqlclient"
)

// TestLongRows asks for rows whose payloads are as long as a packet, and beside that.
func TestLongRows(t *testing.T) {
	c := session(t, mysqlclient.DeprecateEOF, 0)
	for _, n := range []int{0xffffff - 7, 0xffffff - 6, 0xffffff - 5, 2*0xffffff + 1} {
		long := strings.Repeat("x", n)
		want := `{"columns":["a","b"],"types":["string","string"],"rows":[["` + long + `","yz"],["","1"]]}`
		sql := fmt.Sprintf("select repeat('x', %d) as a, 'yz' as b union all select '', '1'", n)
		for format, stream := range [][]byte{c.Query(sql), c.Execute(sql, 0)} {
			got, err := mysqlclient.Serialize(stream, 1<<18, engine.ShapeArray, 0)
			if err != nil || got != want {
				t.Errorf("%d bytes, format %d: %v %s", n, format, err, difference(want, got))
			}
		}
	}
}

// TestKeptDefinitions does what a host does where the server leaves out the column
// definitions: it puts those that it has in their place.
func TestKeptDefinitions(t *testing.T) {
	c := session(t, mysqlclient.DeprecateEOF, mysqlclient.CacheMetadata)
	const sql = "select 7 as a, 'x' as b"
	kept := c.Query(sql)
	if c.Extended&mysqlclient.CacheMetadata == 0 {
		t.Fatal("the server does not know this capability")
	}
	left := c.Execute(sql, 0)
	const preface, count = 12, 4 + 2
	if !bytes.Equal(left[preface+4:preface+count], []byte{2, 0}) {
		t.Fatalf("the server has not left out the definitions: %q", left)
	}
	// Two definitions, each a packet.
	end := preface + count
	for range 2 {
		end += 4 + (int(kept[end]) | int(kept[end+1])<<8)
	}
	stream := append(bytes.Clone(left[:preface]), kept[preface:end]...)
	stream = append(stream, left[preface+count:]...)
	got, err := mysqlclient.Serialize(stream, 0, engine.ShapeArray, 0)
	if want := `{"columns":["a","b"],"types":["int","string"],"rows":[[7,"x"]]}`; err != nil || got != want {
		t.Errorf("%v %s", err, got)
	}
}

// TestManyColumns has as many columns as a server allows.
func TestManyColumns(t *testing.T) {
	c := session(t, 0, 0)
	sql := "select 1" + strings.Repeat(", 1", 4095)
	for format, stream := range [][]byte{c.Query(sql), c.Execute(sql, 0)} {
		got, err := mysqlclient.Serialize(stream, 1000, engine.ShapeArray, 0)
		if err != nil || !strings.HasSuffix(got, `],"rows":[[1`+strings.Repeat(",1", 4095)+`]]}`) {
			t.Errorf("format %d: %v %.100s", format, err, got)
		}
	}
}
