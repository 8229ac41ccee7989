package pgarray

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// tokens reads a literal to its end, and writes what it found as JSON would have
// it, but for elements, which are in Go's quotes.
func tokens(text string, delim byte) (string, bool) {
	in := []byte(text)
	var r Reader
	ok := r.Init(in, delim)
	var tok Token
	var out []string
	for step := 0; ; step++ {
		if step > 2*len(in)+2 {
			return "endless", false
		}
		tok = r.Next()
		switch tok {
		case Open:
			out = append(out, "[")
		case Close:
			out = append(out, "]")
		case Null:
			out = append(out, "null")
		case Element:
			out = append(out, fmt.Sprintf("%q", r.Elem))
		default:
			// The last token stays the last token.
			if again := r.Next(); again != tok {
				return fmt.Sprintf("%v after %v", again, tok), false
			}
			if string(in) != text {
				return "the text was changed", false
			}
			if tok == End && !ok {
				return "Init refused what Next reads", false
			}
			return strings.Join(out, " "), tok == End
		}
	}
}

func TestLiterals(t *testing.T) {
	for _, row := range []struct{ in, want string }{
		{`{}`, `[ ]`},
		{`{1,2,3}`, `[ "1" "2" "3" ]`},
		{`{a}`, `[ "a" ]`},
		// PostgreSQL's own outputs: quotes where they are needed.
		{`{"NULL","null",Nox,""," ","{","}"}`, `[ "NULL" "null" "Nox" "" " " "{" "}" ]`},
		{`{"b,c","q\"x","back\\slash","c:\\temp\\x",a'b,"new` + "\n" + `line"}`, `[ "b,c" "q\"x" "back\\slash" "c:\\temp\\x" "a'b" "new\nline" ]`},
		{`{{1,2},{3,NULL}}`, `[ [ "1" "2" ] [ "3" null ] ]`},
		{`{{{a}},{{b}}}`, `[ [ [ "a" ] ] [ [ "b" ] ] ]`},
		{`[0:2]={1,2,3}`, `[ "1" "2" "3" ]`},
		{`[1:1][-2:-1]={{1,2}}`, `[ [ "1" "2" ] ]`},
		{`[-2147483648:2147483647]={x}`, `[ "x" ]`},
		{`{"(1,x,)"}`, `[ "(1,x,)" ]`},
		{`{"(1,\"a \"\"q\"\"\",1.50)"}`, `[ "(1,\"a \"\"q\"\"\",1.50)" ]`},
		{`{"2024-02-29 12:34:56+00",infinity}`, `[ "2024-02-29 12:34:56+00" "infinity" ]`},
		{`{"\\x01ff","\\x"}`, `[ "\\x01ff" "\\x" ]`},
		{`{"{\"a\": [1, 2]}"}`, `[ "{\"a\": [1, 2]}" ]`},
		{`{sad,"very, happy"}`, `[ "sad" "very, happy" ]`},
		{`{"żółć",日本}`, `[ "żółć" "日本" ]`},
		// What array_in takes besides.
		{` { 1 , "2" ,NuLl, null } `, `[ "1" "2" null null ]`},
		{"\t{\n1\v,\f2\r}", `[ "1" "2" ]`},
		{`{a b  c }`, `[ "a b  c" ]`},
		{`{ \ a\  }`, `[ " a " ]`},
		{`{a\,b,\",\\,\}}`, `[ "a,b" "\"" "\\" "}" ]`},
		{`{\NULL,N\ULL,NULLS,NUL,"\NULL"}`, `[ "NULL" "NULL" "NULLS" "NUL" "NULL" ]`},
		{`{"a" , "b"}`, `[ "a" "b" ]`},
		{`{"\a\n"}`, `[ "an" ]`},
		{` [ 1 : 2 ] [3] = {{a},{b}}`, `[ [ "a" ] [ "b" ] ]`},
		{`[+1:2]={a,b}`, `[ "a" "b" ]`},
		{`{[1:2]=x}`, `[ "[1:2]=x" ]`},
		// Not rectangular, yet clear.
		{`{{},{}}`, `[ [ ] [ ] ]`},
		{`{1,{2}}`, `[ "1" [ "2" ] ]`},
		{`[1:5]={a}`, `[ "a" ]`},
		{"{\xff,\"\x00\"}", `[ "\xff" "\x00" ]`},
	} {
		if got, ok := tokens(row.in, ','); !ok || got != row.want {
			t.Errorf("%s: got %s, %v, want %s", row.in, got, ok, row.want)
		}
	}
}

func TestDelimiter(t *testing.T) {
	for _, row := range []struct{ in, want string }{
		{`{(1,1),(0,0);(2,2),(1,1)}`, `[ "(1,1),(0,0)" "(2,2),(1,1)" ]`},
		{`{{(1,1),(0,0)};{NULL}}`, `[ [ "(1,1),(0,0)" ] [ null ] ]`},
		{`{a\;b;"c;d"}`, `[ "a;b" "c;d" ]`},
		{`{}`, `[ ]`},
	} {
		if got, ok := tokens(row.in, ';'); !ok || got != row.want {
			t.Errorf("%s: got %s, %v, want %s", row.in, got, ok, row.want)
		}
	}
	if got, ok := tokens(`{a;b}`, ','); !ok || got != `[ "a;b" ]` {
		t.Errorf("got %s, %v", got, ok)
	}
}

func TestNoLiteral(t *testing.T) {
	for _, in := range []string{
		``, ` `, `a`, `1`, `null`, `}`, `"{}"`, `[`, `[]`, `[]={}`, `[1]`, `[1:2]`, `[1:2]=`, `[1:2]=a`, `[1:2]{a,b}`,
		`[1:2:3]={a}`, `[:2]={a}`, `[1:]={a}`, `[a:b]={a}`, `[-:1]={a}`, `[1 2]={a}`, `[1:2]==}`, `={a}`, `["a","b"]`, `(1,2)`, `x{a}`,
		`[1:2`, `[1`, `[-`, `[1:`,
	} {
		var r Reader
		if r.Init([]byte(in), ',') {
			t.Errorf("%s: taken for a literal", in)
		}
		if got, ok := tokens(in, ','); ok || got != "" {
			t.Errorf("%s: got %s, %v", in, got, ok)
		}
	}
}

func TestMalformed(t *testing.T) {
	for _, in := range []string{
		`{`, `{{`, `{{}`, `{a`, `{a,`, `{a,}`, `{,a}`, `{,}`, `{a,,b}`, `{ , }`, `{a}}`, `{a}b`, `{a}{b}`, `{}{}`, `{},{}`,
		`{"a`, `{"a"`, `{"a\`, `{"a\"`, `{"a\"}`, `{a\`, `{a\}`, `{\`, `{"`, `{"a"b}`, `{a"b"}`, `{"a""b"}`, `{a{b}}`, `{{a}b}`,
		`{{a}{b}}`, `{"a"{b}}`, `{a} x`, `{{a},}`, `{ `, `{"a" `, `{a `, "{a}\x00",
	} {
		if got, ok := tokens(in, ','); ok {
			t.Errorf("%s: got %s", in, got)
		}
	}
}

// Without escapes an element is the very bytes of the text; with them it is in
// memory of the reader, which then serves the next element too.
func TestElementMemory(t *testing.T) {
	in := []byte(`{ab,"cd","e\"f",g\,h}`)
	var r Reader
	if !r.Init(in, ',') {
		t.Fatal("refused")
	}
	r.scratch = make([]byte, 0, 16)
	scratch := &r.scratch[:1][0]
	r.Next()
	for _, row := range []struct {
		want string
		at   int // in the text, -1 for the reader's memory
	}{{"ab", 1}, {"cd", 5}, {`e"f`, -1}, {"g,h", -1}} {
		tok := r.Next()
		if tok != Element || string(r.Elem) != row.want {
			t.Fatalf("got %v %q, want %q", tok, r.Elem, row.want)
		}
		from := scratch
		if row.at >= 0 {
			from = &in[row.at]
		}
		if &r.Elem[0] != from || &r.scratch[:1][0] != scratch {
			t.Errorf("%q is not where it should be", r.Elem)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	in := []byte(`[0:3]={{1,2},{"a\"b",NULL}}`)
	r := Reader{scratch: make([]byte, 0, 64)}
	n := testing.AllocsPerRun(100, func() {
		r.Init(in, ',')
		for tok := Open; tok != End; {
			tok = r.Next()
			if tok == Bad {
				t.Fatal("refused")
			}
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A million levels deep: no recursion.
func TestDepth(t *testing.T) {
	const depth = 1_000_000
	var r Reader
	if !r.Init([]byte(strings.Repeat("{", depth)+"1"+strings.Repeat("}", depth)), ',') {
		t.Fatal("refused")
	}
	var count [End + 1]int
	for {
		tok := r.Next()
		count[tok]++
		if tok == End || tok == Bad {
			break
		}
	}
	if count != [End + 1]int{Open: depth, Close: depth, Element: 1, End: 1} {
		t.Errorf("got %v", count)
	}
}

// reference decodes a literal slowly, by regular expressions and recursion, into
// the form that tokens has.
func reference(text string, delim byte) (string, bool) {
	const space = `[\t-\r ]*`
	d := regexp.QuoteMeta(string(delim))
	var (
		bounds = regexp.MustCompile(`^` + space + `((\[` + space + `[-+]?[0-9]+` + space + `(:` + space + `[-+]?[0-9]+` + space + `)?\]` + space + `)+=` + space + `)?`)
		spaces = regexp.MustCompile(`^` + space)
		quoted = regexp.MustCompile(`(?s)^"((?:[^"\\]|\\.)*)"`)
		bare   = regexp.MustCompile(`(?s)^(?:[^\t-\r "{}\\` + d + `]|\\.)(?:(?:[^"{}\\` + d + `]|\\.)*(?:[^\t-\r "{}\\` + d + `]|\\.))?`)
		escape = regexp.MustCompile(`(?s)\\(.)`)
	)
	skip := func(s string) string { return s[len(spaces.FindString(s)):] }
	var array func(s string) (rest string, out []string, ok bool)
	array = func(s string) (string, []string, bool) {
		if !strings.HasPrefix(s, "{") {
			return s, nil, false
		}
		out := []string{"["}
		s = skip(s[1:])
		if strings.HasPrefix(s, "}") {
			return s[1:], append(out, "]"), true
		}
		for {
			if strings.HasPrefix(s, "{") {
				rest, inner, ok := array(s)
				if !ok {
					return s, nil, false
				}
				out = append(out, inner...)
				s = rest
			} else if m := quoted.FindStringSubmatch(s); m != nil {
				out = append(out, fmt.Sprintf("%q", escape.ReplaceAllString(m[1], "$1")))
				s = s[len(m[0]):]
			} else if m := bare.FindString(s); m != "" {
				if strings.EqualFold(m, "null") && len(m) == 4 {
					out = append(out, "null")
				} else {
					out = append(out, fmt.Sprintf("%q", escape.ReplaceAllString(m, "$1")))
				}
				s = s[len(m):]
			} else {
				return s, nil, false
			}
			s = skip(s)
			if strings.HasPrefix(s, "}") {
				return s[1:], append(out, "]"), true
			}
			if s == "" || s[0] != delim {
				return s, nil, false
			}
			s = skip(s[1:])
		}
	}
	rest, out, ok := array(text[len(bounds.FindString(text)):])
	if !ok || skip(rest) != "" {
		return "", false
	}
	return strings.Join(out, " "), true
}

func compare(t interface{ Fatalf(string, ...any) }, text string, delim byte) {
	got, ok := tokens(text, delim)
	want, wantOK := reference(text, delim)
	if ok != wantOK || ok && got != want {
		t.Fatalf("%q, %q: got %s, %v, want %s, %v", text, delim, got, ok, want, wantOK)
	}
}

func TestAgainstReference(t *testing.T) {
	// Bytes that matter, so that short texts have much structure.
	parts := []string{"{", "}", "{", "}", ",", ",", ";", `"`, `"`, `\`, " ", "\n", "a", "1", "NULL", "null", "[", "]", ":", "=", "-", "[1:2]=", `"a\"b"`, "é"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 20).Draw(t, "parts"), "")
		if rapid.Bool().Draw(t, "braces") {
			text = "{" + text + "}"
		}
		compare(t, text, rapid.SampledFrom([]byte{',', ';'}).Draw(t, "delimiter"))
	})
}

// Any tree of elements, written with any of the quotings that are allowed, is read
// as that tree.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		delim := rapid.SampledFrom([]byte{',', ';'}).Draw(t, "delimiter")
		space := func() string {
			if rapid.IntRange(0, 4).Draw(t, "spaces") == 0 {
				return rapid.SampledFrom([]string{" ", "\t ", "\n"}).Draw(t, "space")
			}
			return ""
		}
		escapeAll := func(s, bytes string) string {
			var out strings.Builder
			for i := 0; i < len(s); i++ {
				if strings.IndexByte(bytes, s[i]) >= 0 {
					out.WriteByte('\\')
				}
				out.WriteByte(s[i])
			}
			return out.String()
		}
		var text strings.Builder
		var want []string
		var tree func(depth int)
		tree = func(depth int) {
			text.WriteString(space() + "{" + space())
			want = append(want, "[")
			for i, n := 0, rapid.IntRange(0, 4).Draw(t, "items"); i < n; i++ {
				if i > 0 {
					text.WriteByte(delim)
				}
				kind := rapid.IntRange(0, 3).Draw(t, "kind")
				if kind == 0 && depth > 0 {
					tree(depth - 1)
					continue
				}
				text.WriteString(space())
				value := rapid.OneOf(rapid.StringMatching(`[a-z0-9 {},;"\\\n]{0,8}`), rapid.String(), rapid.SampledFrom([]string{"NULL", "null", ""})).Draw(t, "value")
				switch {
				case kind == 1:
					text.WriteString(rapid.SampledFrom([]string{"NULL", "null", "Null"}).Draw(t, "null"))
					want = append(want, "null")
				case kind == 2 && value != "" && !strings.EqualFold(value, "null"):
					text.WriteString(escapeAll(value, "{},;\"\\ \t\n\v\f\r"))
					want = append(want, fmt.Sprintf("%q", value))
				default:
					text.WriteString(`"` + escapeAll(value, `"\`) + `"`)
					want = append(want, fmt.Sprintf("%q", value))
				}
				text.WriteString(space())
			}
			text.WriteString("}" + space())
			want = append(want, "]")
		}
		if rapid.IntRange(0, 3).Draw(t, "bounds") == 0 {
			fmt.Fprintf(&text, "[%d:%d]=", rapid.IntRange(-9, 9).Draw(t, "lower"), rapid.IntRange(-9, 9).Draw(t, "upper"))
		}
		tree(3)
		if got, ok := tokens(text.String(), delim); !ok || got != strings.Join(want, " ") {
			t.Fatalf("%s: got %s, %v, want %s", text.String(), got, ok, strings.Join(want, " "))
		}
		compare(t, text.String(), delim)
	})
}

func FuzzReader(f *testing.F) {
	for _, s := range []string{
		`{}`, `{1,2,3}`, `{{1,2},{3,NULL}}`, `[0:2]={1,2,3}`, `[1:1][-2:-1]={{1,2}}`, `{"a\"b",c\,d, "NULL" ,null}`, `{(1,1),(0,0);(2,2),(1,1)}`, `{"a`, `{a\`, `{,}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		compare(t, text, ',')
		compare(t, text, ';')
	})
}

func BenchmarkReader(b *testing.B) {
	for _, row := range []struct{ name, in string }{
		{"ints", "{" + strings.Repeat("12345,", 99) + "6}"},
		{"texts", "{" + strings.Repeat(`"some longer text with spaces",`, 99) + "x}"},
		{"escapes", "{" + strings.Repeat(`"{\"key\": \"value\"}",`, 99) + "x}"},
	} {
		b.Run(row.name, func(b *testing.B) {
			in := []byte(row.in)
			b.SetBytes(int64(len(in)))
			var r Reader
			for b.Loop() {
				r.Init(in, ',')
				for tok := Open; tok != End; {
					tok = r.Next()
				}
			}
		})
	}
}
