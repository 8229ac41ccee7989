package jsontext

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func write(s string) string {
	var w Writer
	w.String([]byte(s))
	return string(w.Buf)
}

func TestString(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", `""`},
		{"abc", `"abc"`},
		{"exactly8", `"exactly8"`},
		{`say "hi" to c:\x`, `"say \"hi\" to c:\\x"`},
		{"\b\t\n\f\r\x00\x01\x1f\x7f", `"\b\t\n\f\r\u0000\u0001\u001f` + "\x7f" + `"`},
		{"/<>&\u2028\u2029\ufeff", "\"/<>&\u2028\u2029\ufeff\""},
		{"é日本😀", `"é日本😀"`},
		{"\xed\xa0\xbd", `"\ud83d"`},
		{"a\xed\xb8\x80b", `"a\ude00b"`},
		{"\xed\xaf\xbf\xed\xbf\xbf", `"\udbff\udfff"`},
		{"a\xffb", `"a` + "\ufffd" + `b"`},
		{"\xf0\x9f\x98", "\"\ufffd\""},
		{"\xe2\x82A", "\"\ufffdA\""},
		{"\xc0\xaf", "\"\ufffd\ufffd\""},
		{"\xed\xa0", "\"\ufffd\ufffd\""},
		{"\xf5\x80\x80\x80", "\"\ufffd\ufffd\ufffd\ufffd\""},
		{strings.Repeat("x", 100) + "\"" + strings.Repeat("y", 100), `"` + strings.Repeat("x", 100) + `\"` + strings.Repeat("y", 100) + `"`},
	} {
		if got := write(c.in); got != c.want {
			t.Errorf("String(%q) = %s, want %s", c.in, got, c.want)
		}
		if got := StringLen([]byte(c.in)); got != len(c.want) {
			t.Errorf("StringLen(%q) = %d, want %d", c.in, got, len(c.want))
		}
	}
}

func TestStringProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		text := write(s)
		var back string
		if err := json.Unmarshal([]byte(text), &back); err != nil || back != s {
			t.Fatalf("%q became %s, read back as %q, %v", s, text, back, err)
		}
		b := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		text = write(string(b))
		if !utf8.ValidString(text) || !json.Valid([]byte(text)) {
			t.Fatalf("%q became %q", b, text)
		}
		if n := StringLen(b); n != len(text) {
			t.Fatalf("StringLen(%q) = %d, String wrote %d", b, n, len(text))
		}
		// strings.ToValidUTF8 would make one mark of a run, the WHATWG decoder makes one for
		// each maximal part, as Go's conversion to runes does for single bytes.
		if got := AppendBytesAsUTF8(nil, b); !utf8.Valid(got) {
			t.Fatalf("AppendBytesAsUTF8(%q) = %q", b, got)
		} else if utf8.Valid(b) && !bytes.Equal(got, b) {
			t.Fatalf("AppendBytesAsUTF8 changed %q to %q", b, got)
		}
	})
}

func TestNonASCII(t *testing.T) {
	var w Writer
	w.String([]byte("abc\n\xed\xa0\xbd"[:4]))
	if w.NonASCII {
		t.Error("ASCII text was said to be none")
	}
	w.String([]byte("é"))
	if !w.NonASCII {
		t.Error("é was said to be ASCII")
	}
	w = Writer{}
	if w.JSON([]byte(`"é`), false) || w.NonASCII {
		t.Error("a text that was not taken left its mark")
	}
}

var jsonTexts = []string{
	`0`, `-0`, `1.50`, `1E400`, `-1e-7`, `0.1234567890123456789`, `true`, `false`, `null`, `""`, `"a\u00e9\ud800"`, `[]`, `{}`,
	` { "a" : [ 1 , 2 ] , "a" : null } `, "\t[\r\n1]", `[[[]]]`, `{"":{"":{}}}`, `"\"\\\/\b\f\n\r\t"`, `[1,"x",{"k":[true]}]`,
	``, ` `, `01`, `+1`, `1.`, `.5`, `1e`, `1e+`, `-`, `NaN`, `Infinity`, `tru`, `truex`, `nul`, `[`, `]`, `[1`, `[1,`, `[1,]`, `[,1]`, `{`, `{"a"`,
	`{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{a:1}`, `{"a" 1}`, `{1:1}`, `[1}`, `{"a":1]`, `"`, `"a`, `"\x"`, `"\u12"`, `"\u12g4"`,
	"\"\n\"", "\"\x00\"", `1 2`, `[1] x`, `{"a":1}{"b":2}`, "\ufeff{}", `'a'`, `[1 2]`, `{"a":1 "b":2}`, `"abc" "d"`, `:1`, `,`, `[]]`, `0x10`, `--1`,
}

func TestJSON(t *testing.T) {
	for _, text := range jsonTexts {
		var w Writer
		w.Raw("x")
		ok := w.JSON([]byte(text), false)
		if ok != json.Valid([]byte(text)) {
			t.Errorf("JSON(%q) = %v", text, ok)
		}
		want := "x"
		if ok {
			want = "x" + text
		}
		if string(w.Buf) != want {
			t.Errorf("JSON(%q) wrote %q", text, w.Buf)
		}
	}
	var w Writer
	if !w.JSON([]byte("{\n\"a\":\r\n\"\\n\"}"), true) || string(w.Buf) != `{ "a":  "\n"}` {
		t.Errorf("one line: %q", w.Buf)
	}
	w = Writer{}
	if !w.JSON([]byte("\"\xed\xa0\xbd\xff\""), false) || string(w.Buf) != "\"\\ud83d\ufffd\"" {
		t.Errorf("ill-formed text: %q", w.Buf)
	}
	w = Writer{}
	deep := strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000)
	if !w.JSON([]byte(deep), false) || string(w.Buf) != deep {
		t.Error("a million brackets were not copied")
	}
}

func FuzzJSON(f *testing.F) {
	for _, text := range jsonTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var w Writer
		ok := w.JSON(text, false)
		// encoding/json gives up at 10,000 levels; invalid UTF-8 is mended by both.
		if want := json.Valid(text); ok != want && len(text) < 10_000 {
			t.Fatalf("JSON(%q) = %v", text, ok)
		}
		if ok && utf8.Valid(text) && !bytes.Equal(w.Buf, text) {
			t.Fatalf("JSON(%q) wrote %q", text, w.Buf)
		}
		if !utf8.Valid(w.Buf) {
			t.Fatalf("JSON(%q) wrote %q", text, w.Buf)
		}
		if n := StringLen(text); n != len(write(string(text))) {
			t.Fatalf("StringLen(%q) = %d", text, n)
		}
	})
}

func BenchmarkString(b *testing.B) {
	for _, s := range []string{"The Third Man", strings.Repeat("An ordinary sentence about a film. ", 8), strings.Repeat("多くの映画について。", 10)} {
		b.Run(s[:12], func(b *testing.B) {
			var w Writer
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				w.Buf = w.Buf[:0]
				w.String([]byte(s))
			}
		})
	}
}
