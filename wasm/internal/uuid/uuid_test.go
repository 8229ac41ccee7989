package uuid

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

const refused = "(refused)"

func text(in string) string {
	out, ok := AppendText([]byte("#"), []byte(in))
	if len(out) == 0 || out[0] != '#' || !ok && len(out) != 1 {
		return fmt.Sprintf("(dst was spoilt: %q)", out)
	}
	if !ok {
		return refused
	}
	return string(out[1:])
}

func TestAppendText(t *testing.T) {
	const id = "550e8400-e29b-41d4-a716-446655440000"
	for _, row := range [][2]string{
		// What Prisma's query engine 6.19 accepts and refuses, observed.
		{id, id},
		{"550E8400-E29B-41D4-A716-446655440000", id},
		{"550E8400e29b41d4a716446655440000", id},
		{"550e8400e29b41d4a716446655440000", id},
		{"{550e8400-e29b-41d4-a716-446655440000}", id},
		{"urn:uuid:550e8400-e29b-41d4-a716-446655440000", id},
		{"ffffffff-ffff-ffff-ffff-ffffffffffff", "ffffffff-ffff-ffff-ffff-ffffffffffff"},
		{"00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000"},
		{"550e8400-e29b-41d4-a716-44665544000g", refused},
		{"550e8400-e29b-41d4-a716-44665544000", refused},
		{"550e-8400-e29b-41d4-a716-4466-5544-0000", refused},
		{"x", refused},

		{"01234567-89ab-cdef-ABCD-EF0123456789", "01234567-89ab-cdef-abcd-ef0123456789"},
		{"{550E8400-E29B-41D4-A716-446655440000}", id},
		{"{550e8400e29b41d4a716446655440000}", id},
		{"URN:UUID:550e8400-e29b-41d4-a716-446655440000", id},
		{"Urn:Uuid:550E8400-E29B-41D4-A716-446655440000", id},
		{"urn:uuid:550e8400e29b41d4a716446655440000", id},
		{"", refused},
		{"{}", refused},
		{"{" + id, refused},
		{id + "}", refused},
		{"{{" + id + "}}", refused},
		{"urn:uuid:{" + id + "}", refused},
		{"urn:uuid:{550e8400e29b41d4a716446655440000}", refused},
		{"{{550e8400e29b41d4a716446655440000}}", refused},
		{"{550e8400e29b41d4a716446655440000", refused},
		{"{urn:uuid:" + id + "}", refused},
		{"urn:uuid:urn:uuid:" + id, refused},
		{"urn:guid:" + id, refused},
		{"urn:uuid:", refused},
		{"\x15rn:uuid:" + id, refused},
		{" " + id, refused},
		{id + " ", refused},
		{"[550e8400-e29b-41d4-a716-446655440000]", refused},
		{"550e8400_e29b_41d4_a716_446655440000", refused},
		{"550e8400-e29b-41d4-a716+446655440000", refused},
		{"550e840-0e29b-41d4-a716-446655440000", refused},
		{"--------------------------------", refused},
		{"550e8400-e29b-41d4-a7-1644665544", refused},
		{"550e8400\u00e929b41d4a71644665544000", refused},
	} {
		if got := text(row[0]); got != row[1] {
			t.Errorf("%q: got %q, want %q", row[0], got, row[1])
		}
	}
}

// Each byte in each place: a digit where one is due, the hyphen where that is.
func TestEveryByte(t *testing.T) {
	for _, id := range []string{"550e8400-e29b-41d4-a716-446655440000", "550e8400e29b41d4a716446655440000"} {
		for i := range id {
			for c := 0; c < 256; c++ {
				in := []byte(id)
				in[i] = byte(c)
				_, got := AppendText(nil, in)
				want := bytes.IndexByte([]byte("0123456789abcdefABCDEF"), byte(c)) >= 0
				if id[i] == '-' {
					want = c == '-'
				}
				if got != want {
					t.Errorf("%q: accepted is %v", in, got)
				}
			}
		}
	}
}

func TestAgainstGoogle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "raw")
		id, err := uuid.FromBytes(raw)
		if err != nil {
			t.Fatal(err)
		}
		want := id.String()
		if got, ok := AppendRaw([]byte("ab"), raw); !ok || string(got) != "ab"+want {
			t.Fatalf("got %q, %v, want %q", got, ok, "ab"+want)
		}
		hyphenated := []byte(want)
		for i := range hyphenated {
			if rapid.Bool().Draw(t, "upper") {
				hyphenated[i] = bytes.ToUpper(hyphenated[i : i+1])[0]
			}
		}
		bare := strings.ReplaceAll(string(hyphenated), "-", "")
		for _, inner := range []string{string(hyphenated), bare} {
			for _, in := range []string{inner, "{" + inner + "}", "urn:uuid:" + inner, "URN:UUID:" + inner} {
				if got := text(in); got != want {
					t.Fatalf("%q: got %q, want %q", in, got, want)
				}
			}
		}
	})
}

func TestAppendRawLength(t *testing.T) {
	for n := 0; n < 40; n++ {
		got, ok := AppendRaw([]byte("ab"), make([]byte, n))
		if n == 16 {
			if want := "ab00000000-0000-0000-0000-000000000000"; !ok || string(got) != want {
				t.Errorf("got %q, %v, want %q", got, ok, want)
			}
		} else if ok || string(got) != "ab" {
			t.Errorf("%d bytes: got %q, %v", n, got, ok)
		}
	}
}

// All that is accepted is a UUID to google/uuid too, and the same one. (That
// accepts more: it doesn't look at what is around the hyphenated form.)
func FuzzText(f *testing.F) {
	for _, s := range []string{
		"550e8400-e29b-41d4-a716-446655440000", "550E8400e29b41d4a716446655440000",
		"{550e8400-e29b-41d4-a716-446655440000}", "urn:uuid:550e8400-e29b-41d4-a716-446655440000",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got, ok := AppendText(nil, in)
		inner := strings.TrimSuffix(strings.TrimPrefix(string(in), "{"), "}")
		if len(in) > 9 && strings.EqualFold(string(in[:9]), "urn:uuid:") {
			inner = string(in[9:])
		}
		id, err := uuid.Parse(inner)
		if ok && (err != nil || id.String() != string(got)) {
			t.Fatalf("%q: got %q; google/uuid has %q, %v", in, got, id, err)
		}
		if !ok && err == nil && (len(in) == 36 || len(in) == 32) {
			t.Fatalf("%q: refused; google/uuid has %q", in, id)
		}
	})
}

func BenchmarkAppendText(b *testing.B) {
	for _, row := range []struct{ name, in string }{
		{"hyphenated", "550e8400-e29b-41d4-a716-446655440000"},
		{"digits", "550e8400e29b41d4a716446655440000"},
		{"urn", "urn:uuid:550e8400-e29b-41d4-a716-446655440000"},
	} {
		b.Run(row.name, func(b *testing.B) {
			dst, in := make([]byte, 0, 64), []byte(row.in)
			for b.Loop() {
				dst, _ = AppendText(dst[:0], in)
			}
		})
	}
}

func BenchmarkAppendRaw(b *testing.B) {
	dst, in := make([]byte, 0, 64), []byte("\x55\x0e\x84\x00\xe2\x9b\x41\xd4\xa7\x16\x44\x66\x55\x44\x00\x00")
	for b.Loop() {
		dst, _ = AppendRaw(dst[:0], in)
	}
}
