package main

import (
	"reflect"
	"testing"
)

func TestWithNames(t *testing.T) {
	module := []byte(magic + types + functions + all)
	got, err := withNames(module, "0:runtime.alloc\n1:(*a/b.T).add\n2:f:g\n")
	want := string(module) + section(0, append([]byte("\x04name\x01\x23\x03"),
		"\x00\x0druntime.alloc\x01\x0c(*a/b.T).add\x02\x03f:g"...)...)
	if err != nil || string(got) != want {
		t.Errorf("got  %q, %v\nwant %q", got, err, want)
	}
	before, _ := parse(module)
	after, err := parse(got)
	if err != nil || !reflect.DeepEqual(before, after) {
		t.Errorf("exports are %v, %v; want %v", after, err, before)
	}
	for _, bad := range []string{"", "0:a\n2:b\n", "1:a\n", "0:\n", "0\n", "x:a\n", "0:a\n\n"} {
		if got, err := withNames(module, bad); err == nil {
			t.Errorf("%q: got %q, want an error", bad, got)
		}
	}
}
