package servertest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// values holds literals of each type that a query can make values of.
var values = []struct {
	name     string
	literals []string
	random   func(r *rand.Rand) string
}{
	{"bool", []string{"t", "f"}, nil},
	{"bytea", []string{"", `\x00`, `\xdeadbeef00ff`, `\x5c5c27`, `\x41`, `\x4142434445464748494a`}, func(r *rand.Rand) string {
		return fmt.Sprintf(`\x%x`, bytesOf(r, r.IntN(40)))
	}},
	{`"char"`, []string{"x", "", "~", "'", `\377`, `\200`}, nil},
	{"name", []string{"a", "pg_class", "sélect", strings.Repeat("x", 63)}, nil},
	{"int8", []string{"0", "-1", "9007199254740993", "9223372036854775807", "-9223372036854775808"}, func(r *rand.Rand) string {
		return strconv.FormatInt(int64(r.Uint64())>>r.IntN(64), 10)
	}},
	{"int2", []string{"0", "-1", "32767", "-32768"}, nil},
	{"int2vector", []string{"", "1", "1 -2 32767"}, nil},
	{"int4", []string{"0", "-1", "7", "2147483647", "-2147483648", "1000000000", "999999999"}, func(r *rand.Rand) string {
		return strconv.Itoa(int(int32(r.Uint32()) >> r.IntN(32)))
	}},
	{"text", []string{"", "a", `"quoted" \ back`, "tab\tnew\nline", "ünïcödé 日本語 😀", "NULL", "null", "{a,b}", "(a,b)", " ", "\u2028", "x,y;z"}, func(r *rand.Rand) string {
		return word(r)
	}},
	{"oid", []string{"0", "26", "2147483648", "4294967295"}, nil},
	{"tid", []string{"(0,0)", "(4294967295,65535)", "(7,1)"}, nil},
	{"xid", []string{"0", "3", "4294967295"}, nil},
	{"cid", []string{"0", "4294967295"}, nil},
	{"oidvector", []string{"", "1 4294967295"}, nil},
	{"json", []string{`null`, `{"a" : 1.50, "a":2}`, `[1,  2]`, `"\u0000"`, `1e400`}, nil},
	{"jsonb", []string{`null`, `{"a" : 1.50, "a":2}`, `[1,  2]`, `"x\ty"`, `{}`}, nil},
	{"xml", []string{"<a/>", `<?xml version="1.0"?><a b="c">d</a>`, `<?xml version="1.1" standalone="yes"?><é/>`, "text"}, nil},
	{"point", []string{"(0,-0)", "(1.5,2)", "(1e300,-1e-300)", "(NaN,Infinity)", "(1e23,9007199254740993)", "(123456789012345678,1e15)", "(0.0001,0.00001)"}, func(r *rand.Rand) string {
		return fmt.Sprintf("(%s,%s)", double(r), double(r))
	}},
	{"lseg", []string{"[(0,0),(1,1.25)]", "[(-1e15,1e-5),(3,4)]"}, nil},
	{"path", []string{"((0,0),(1,1),(2,0))", "[(0,0),(1,1.25)]", "((1,2))"}, nil},
	{"box", []string{"(1,1),(0,0)", "(2.5,3),(-1e16,0)"}, nil},
	{"polygon", []string{"((0,0),(1,1),(2,0))", "((1,2))"}, nil},
	{"line", []string{"{1,-1,0}", "{0.5,2,1e20}"}, nil},
	{"cidr", []string{"10.0.0.0/8", "192.168.0.1/32", "0.0.0.0/0", "::/0", "2001:db8::/32", "::1/128", "::ffff:1.2.3.4/128"}, nil},
	{"float4", []string{"0", "-0", "1", "1.5", "0.1", "1e6", "123456", "1234567", "16777216", "16777217", "1e-5", "1e-4", "3.4028235e38", "1e-45", "1.17549435e-38", "NaN", "Infinity", "-Infinity", "8388608.5", "33554432", "2e-45"}, func(r *rand.Rand) string {
		for {
			if f := math.Float32frombits(r.Uint32()); f == f {
				return strconv.FormatFloat(float64(f), 'g', -1, 32)
			}
		}
	}},
	{"float8", []string{"0", "-0", "1", "1.5", "0.1", "1e15", "1e14", "123456789012345", "1e21", "1e22", "1e23", "9007199254740993", "1.7976931348623157e308", "5e-324", "2.2250738585072014e-308", "1e-5", "1e-6", "1e-7", "0.0001", "NaN", "Infinity", "-Infinity", "0.30000000000000004", "18014398509482022"}, double},
	{"circle", []string{"<(0,0),1>", "<(1.5,-2),1e15>"}, nil},
	{"macaddr8", []string{"08:00:2b:01:02:03:04:05", "ff:ff:ff:ff:ff:ff:ff:ff"}, nil},
	{"macaddr", []string{"08:00:2b:01:02:03", "00:00:00:00:00:00"}, nil},
	{"inet", []string{"192.168.0.1/24", "192.168.0.1", "0.0.0.0/0", "::1/64", "::1", "::", "1::", "1::2:0:0:3", "1:0:0:2::3", "::ffff:1.2.3.4", "::1.2.3.4", "::1:2", "fe80::1:2:3:4/10", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:0", "0:2:3:4:5:6:7:8", "::2:3:4:5:6:7:8", "0:0:1::", "::ffff:0:0", "::ffff:0:1.2.3.4", "2001:db8:0:1:1:1:1:1"}, func(r *rand.Rand) string {
		if r.IntN(2) == 0 {
			return fmt.Sprintf("%d.%d.%d.%d/%d", r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(33))
		}
		words := make([]string, 8)
		for i := range words {
			words[i] = strconv.FormatInt(int64(r.IntN(3)*r.IntN(0x8000)), 16)
		}
		return fmt.Sprintf("%s/%d", strings.Join(words, ":"), r.IntN(129))
	}},
	{"char(5)", []string{"ab", "", "abcde"}, nil},
	{"varchar", []string{"ab ", ""}, nil},
	{"date", []string{"2024-02-29", "0044-03-15 BC", "0001-01-01", "0001-01-01 BC", "9999-12-31", "10000-01-01", "999999-12-31", "1000000-01-01", "5874897-12-31", "4713-01-01 BC", "infinity", "-infinity", "1970-01-01", "1999-12-31", "2000-01-01"}, func(r *rand.Rand) string {
		return fmt.Sprintf("%04d-%02d-%02d", 1+r.IntN(12000), 1+r.IntN(12), 1+r.IntN(28))
	}},
	{"time", []string{"00:00:00", "24:00:00", "23:59:59.999999", "12:34:56.5", "00:00:00.000001"}, nil},
	{"timestamp", []string{"2024-02-29 12:34:56.5", "1969-12-31 23:59:59.9996", "2300-01-01 00:00:00.000999", "294276-12-31 23:59:59.999999", "0044-03-15 12:00:00 BC", "4713-01-01 00:00:00 BC", "0001-01-01 00:00:00 BC", "infinity", "-infinity", "10000-01-01 00:00:00", "1999-12-31 23:59:59.999999"}, moment},
	{"timestamptz", []string{"2024-02-29 12:34:56.5+00", "1883-11-18 12:00:00+00", "2024-02-29 12:34:56.5-08", "294276-12-31 23:59:59.999999+00", "0044-03-15 12:00:00+00 BC", "infinity", "-infinity", "1850-01-01 00:00:00+00"}, moment},
	{"interval", []string{"0", "1 year", "-1 year", "1 mon", "-1 mons +3 days", "1 year -2 mons 3 days -04:05:06.7", "-1 year 2 mons -3 days 04:05:06", "1 day -00:00:01", "-1 day 00:00:01", "-00:00:00.069", "100:00:00", "2562047788:00:54.775807", "-178000000 years", "1 year 1 mon 1 day 00:00:01"}, func(r *rand.Rand) string {
		return fmt.Sprintf("%d mons %d days %d microseconds", r.IntN(61)-30, r.IntN(5)-2, (r.Int64N(1e12)-5e11)*int64(r.IntN(2)))
	}},
	{"timetz", []string{"12:00:00.5-05:30", "12:00:00+00", "12:00:00+05:30:15", "24:00:00-15:59:59", "00:00:00+15:59"}, nil},
	{"bit(9)", []string{"101010101", "000000000"}, nil},
	{"varbit", []string{"", "1", "10110111", "101101110"}, nil},
	{"numeric", []string{"0", "0.00", "-0.001", "1.1000", "1e-9", "0.000000010000", "-0.00001234", "10000", "100000000", "12345678.90123456", "9999.9999", "NaN", "Infinity", "-Infinity", "1e131071", "1e-16383", "548475672624564363467645852462356253653263526", "-10000.0001", "0.0000", "1000000000000.0000000001"}, func(r *rand.Rand) string {
		digits := strconv.FormatUint(r.Uint64(), 10)
		point := r.IntN(len(digits) + 1)
		return "-"[:r.IntN(2)] + digits[:point] + "." + digits[point:] + "e" + strconv.Itoa(r.IntN(60)-30)
	}},
	{"refcursor", []string{"c1"}, nil},
	{"uuid", []string{"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"}, nil},
	{"txid_snapshot", []string{"10:20:10,14,15", "10:10:"}, nil},
	{"pg_snapshot", []string{"10:20:10,14,15", "10:10:", "1:18446744073709551615:"}, nil},
	{"pg_lsn", []string{"16/B374D848", "0/0", "FFFFFFFF/FFFFFFFF", "1/ABC"}, nil},
	{"tsvector", []string{"", "a b", "a:1A b:2,3B c:4C,5D", `'it''s':1 'back\\slash':2 'two words'`, "x:16383"}, func(r *rand.Rand) string {
		var parts []string
		for range r.IntN(6) {
			parts = append(parts, fmt.Sprintf("%c%d:%d%c,%d", 'a'+rune(r.IntN(26)), r.IntN(99), 1+r.IntN(100), "ABCD"[r.IntN(4)], 101+r.IntN(999)))
		}
		return strings.Join(parts, " ")
	}},
	{"tsquery", []string{"", "a", "a & b | c", "a & (b | c)", "!a", "!(a & b)", "!!a", "a <-> b <2> c", "a <-> (b <2> c)", "(a | b) <-> c", "a <-> (b & c)", "a:*AB & b:C", `'it''s' & 'back\\slash'`, "!a <-> b", "!(a <-> b) & !c", "a | b & c <-> !d", "a <0> b", "a <16384> b"}, func(r *rand.Rand) string {
		return query(r, 4)
	}},
	{"int4range", []string{"empty", "[1,5)", "(,)", "[,7)", "(-3,]"}, nil},
	{"numrange", []string{"empty", "[1.50,5]", "(1,2)", "[NaN,NaN]", "[-Infinity,)"}, nil},
	{"tsrange", []string{"[2026-01-01,infinity)", "(2026-01-01 12:00:00.5,2027-01-01]", "(\"0044-03-15 12:00:00 BC\",)"}, nil},
	{"tstzrange", []string{`["2026-01-01 00:00:00+00",)`, `(-infinity,"0044-03-15 12:00:00+00 BC"]`}, nil},
	{"daterange", []string{"[2026-01-01,2026-02-01)", "[-infinity,infinity]", "empty"}, nil},
	{"int8range", []string{"[1,9223372036854775807)", "empty"}, nil},
	{"jsonpath", []string{"$.a", `lax $."a b"[*] ? (@ > 1)`, "strict $"}, nil},
	{"int4multirange", []string{"{}", "{[1,3),[5,7)}", "{(,)}"}, nil},
	{"nummultirange", []string{"{[1.5,2.50],(3,4)}"}, nil},
	{"tsmultirange", []string{`{["2026-01-01 00:00:00","2026-01-02 00:00:00"]}`}, nil},
	{"tstzmultirange", []string{`{["2026-01-01 00:00:00+00",infinity]}`}, nil},
	{"datemultirange", []string{"{[2026-01-01,2026-01-03)}"}, nil},
	{"int8multirange", []string{"{[1,2)}"}, nil},
	{"xid8", []string{"0", "18446744073709551615"}, nil},
}

// textOnly holds literals of the types that have a text but no binary form here.
var textOnly = []struct {
	name     string
	literals []string
}{
	{"money", []string{"12.34", "-1234567.89"}},
	{"regproc", []string{"now"}},
	{"regprocedure", []string{"lower(text)"}},
	{"regoper", []string{"0"}},
	{"regoperator", []string{"+(integer,integer)"}},
	{"regclass", []string{"pg_class"}},
	{"regtype", []string{"int4", "text[]"}},
	{"regconfig", []string{"simple"}},
	{"regdictionary", []string{"simple"}},
	{"regnamespace", []string{"pg_catalog"}},
	{"regrole", []string{"pg_monitor"}},
	{"regcollation", []string{`"C"`}},
}

func bytesOf(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func word(r *rand.Rand) string {
	const letters = "ab \"\\,{}()[];'\t\né日😀NULL"
	runes := []rune(letters)
	var b strings.Builder
	for range r.IntN(12) {
		b.WriteRune(runes[r.IntN(len(runes))])
	}
	return b.String()
}

func double(r *rand.Rand) string {
	switch r.IntN(4) {
	case 0:
		return strconv.FormatFloat(r.NormFloat64(), 'g', -1, 64)
	case 1:
		// Here decimals half-way between two doubles are frequent.
		return strconv.FormatUint(1<<54+r.Uint64N(1<<56), 10)
	case 2:
		return strconv.FormatFloat(float64(r.IntN(1e6))/100, 'g', -1, 64)
	}
	for {
		if f := math.Float64frombits(r.Uint64()); f == f {
			return strconv.FormatFloat(f, 'g', -1, 64)
		}
	}
}

func moment(r *rand.Rand) string {
	s := fmt.Sprintf("%04d-%02d-%02d %02d:%02d:%02d", 1+r.IntN(12000), 1+r.IntN(12), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60))
	if n := r.IntN(7); n > 0 {
		s += "." + fmt.Sprintf("%06d", r.IntN(1e6))[:n]
	}
	s += "+00"
	if r.IntN(10) == 0 && s[4] == '-' && s < "4" {
		s += " BC"
	}
	return s
}

func query(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(4) == 0 {
		w := string(rune('a' + r.IntN(26)))
		if r.IntN(3) == 0 {
			w += ":" + "*"[:r.IntN(2)] + "ABCD"[r.IntN(4):]
		}
		return w
	}
	switch r.IntN(5) {
	case 0:
		return "!(" + query(r, depth-1) + ")"
	case 1:
		return "(" + query(r, depth-1) + ") & (" + query(r, depth-1) + ")"
	case 2:
		return "(" + query(r, depth-1) + ") | (" + query(r, depth-1) + ")"
	}
	return fmt.Sprintf("(%s) <%d> (%s)", query(r, depth-1), 1+r.IntN(3), query(r, depth-1))
}

func literal(s string) string {
	return "E'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
