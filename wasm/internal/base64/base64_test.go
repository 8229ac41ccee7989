package base64

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// RFC 4648, section 10, and the two last characters of the alphabet.
func TestAppend(t *testing.T) {
	for _, row := range [][2]string{
		{"", ""},
		{"f", "Zg=="},
		{"fo", "Zm8="},
		{"foo", "Zm9v"},
		{"foob", "Zm9vYg=="},
		{"fooba", "Zm9vYmE="},
		{"foobar", "Zm9vYmFy"},
		{"\xfb\xef\xff", "++//"},
		{"\x00\x00\x00", "AAAA"},
		{"\x00", "AA=="},
		{"\xff", "/w=="},
		{"\xff\xff", "//8="},
	} {
		if got := string(Append([]byte("ab"), []byte(row[0]))); got != "ab"+row[1] {
			t.Errorf("%q: got %q, want %q", row[0], got, "ab"+row[1])
		}
		if got := EncodedLen(len(row[0])); got != len(row[1]) {
			t.Errorf("length of %q: got %d, want %d", row[0], got, len(row[1]))
		}
	}
}

func TestAppendAgainstStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "src")
		prefix := rapid.SliceOfN(rapid.Byte(), 0, 5).Draw(t, "prefix")
		dst := append(make([]byte, 0, rapid.IntRange(5, 300).Draw(t, "room")), prefix...)
		if got, want := Append(dst, src), string(prefix)+base64.StdEncoding.EncodeToString(src); string(got) != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

func TestAppendHexDecoded(t *testing.T) {
	for _, row := range [][2]string{
		{"", ""},
		{"00", "\x00"},
		{"0102fF", "\x01\x02\xff"},
		{"DEADBEEFdeadbeef", "\xde\xad\xbe\xef\xde\xad\xbe\xef"},
		{"0123456789abcdefABCDEF", "\x01\x23\x45\x67\x89\xab\xcd\xef\xab\xcd\xef"},
	} {
		got, ok := AppendHexDecoded([]byte("ab"), []byte(row[0]))
		if !ok || string(got) != "ab"+row[1] {
			t.Errorf("%q: got %q, %v, want %q", row[0], got, ok, "ab"+row[1])
		}
	}
	for _, bad := range []string{"0", "123", "0g", "g0", "0x", "\\x00", " 00", "00 ", "0\x00", "\xff0", "00\n0"} {
		if got, ok := AppendHexDecoded([]byte("ab"), []byte(bad)); ok || string(got) != "ab" {
			t.Errorf("%q: got %q, %v, want it refused", bad, got, ok)
		}
	}
}

// Each byte, as either digit.
func TestHexDigits(t *testing.T) {
	for c := 0; c < 256; c++ {
		want := strings.IndexByte("0123456789abcdef", byte(c))
		if want < 0 {
			want = strings.IndexByte("0123456789ABCDEF", byte(c))
		}
		for i, in := range [][]byte{{byte(c), '0'}, {'0', byte(c)}} {
			got, ok := AppendHexDecoded(nil, in)
			if ok != (want >= 0) {
				t.Errorf("%q: accepted is %v", in, ok)
			} else if ok && int(got[0]) != []int{want << 4, want}[i] {
				t.Errorf("%q: got %#x", in, got[0])
			}
		}
	}
}

func FuzzBytes(f *testing.F) {
	f.Add([]byte("0102ff"))
	f.Add([]byte{0, 1, 2, 255})
	f.Fuzz(func(t *testing.T, in []byte) {
		if got, want := Append(nil, in), base64.StdEncoding.EncodeToString(in); string(got) != want {
			t.Fatalf("base64 of %q: got %q, want %q", in, got, want)
		}
		got, ok := AppendHexDecoded(nil, in)
		want, err := hex.DecodeString(string(in))
		if ok != (err == nil) || ok && !bytes.Equal(got, want) {
			t.Fatalf("hex of %q: got %q, %v, want %q, %v", in, got, ok, want, err)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	src := bytes.Repeat([]byte{1, 200, 30, 4, 50, 255}, 1000)
	dst := make([]byte, 0, EncodedLen(len(src)))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		dst = Append(dst[:0], src)
	}
}

func BenchmarkAppendHexDecoded(b *testing.B) {
	src := bytes.Repeat([]byte("01c81e0432ff"), 1000)
	dst := make([]byte, 0, len(src)/2)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		dst, _ = AppendHexDecoded(dst[:0], src)
	}
}
