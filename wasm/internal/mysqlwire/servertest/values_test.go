package servertest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// value is a column type with literals for its values.
type value struct {
	name     string // as CREATE TABLE wants it
	label    string // without extended metadata
	extended string // with it, if that is another
	literals []string
	random   func(r *rand.Rand) string
}

// values has every type of MariaDB 10.11, with values at its edges.
var values = []value{
	{"tinyint", "int", "", ints("-128", "-1", "0", "1", "2", "127"), between(-128, 127)},
	{"tinyint(1)", "int", "", ints("-1", "0", "1", "2", "127"), nil},
	{"tinyint unsigned", "int", "", ints("0", "128", "255"), between(0, 255)},
	{"smallint", "int", "", ints("-32768", "0", "32767"), between(-32768, 32767)},
	{"smallint unsigned", "int", "", ints("0", "65535"), between(0, 65535)},
	{"smallint unsigned zerofill", "int", "", ints("0", "42", "65535"), nil},
	{"mediumint", "int", "", ints("-8388608", "0", "8388607"), between(-8388608, 8388607)},
	{"mediumint unsigned", "int", "", ints("0", "16777215"), between(0, 16777215)},
	{"int", "int", "", ints("-2147483648", "-1", "0", "1", "2147483647"), between(-1<<31, 1<<31-1)},
	{"int unsigned", "bigint", "", ints("0", "1", "2147483648", "4294967295"), between(0, 1<<32-1)},
	{"int(7) zerofill", "bigint", "", ints("0", "42", "12345678"), nil},
	{"bigint", "bigint", "", ints("-9223372036854775808", "-9007199254740993", "-1", "0", "9007199254740993", "9223372036854775807"),
		func(r *rand.Rand) string { return fmt.Sprint(int64(r.Uint64()) >> r.IntN(64)) }},
	{"bigint unsigned", "bigint", "", ints("0", "9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551615"),
		func(r *rand.Rand) string { return fmt.Sprint(r.Uint64() >> r.IntN(64)) }},
	{"boolean", "int", "", ints("false", "true"), nil},
	{"year", "int", "", ints("0", "1901", "1999", "2155"), between(1901, 2155)},
	{"float", "float", "", ints("0", "-0.0", "1", "0.1", "-1.5", "3.40282e38", "1.17549e-38", "1e-45", "1e15", "123456", "999999e3", "0.00001"),
		// In text format the server rounds to six digits.
		func(r *rand.Rand) string { return fmt.Sprintf("%d.%de%d", r.IntN(10), r.IntN(100000), r.IntN(60)-30) }},
	{"float(10,3)", "float", "", ints("0", "0.125", "-1234567.125", "16777216", "0.1"), nil},
	{"double", "double", "", ints("0", "-0.0", "1", "0.1", "1e22", "1e21", "123456789012345678", "1e-7", "5e-324", "2.2250738585072014e-308", "1.7976931348623157e308", "0.30000000000000004", "-1e15", "1e16"),
		func(r *rand.Rand) string {
			return strconv.FormatFloat(r.NormFloat64()*float64(r.Uint64()>>r.IntN(64)), 'g', -1, 64)
		}},
	{"double(10,3) zerofill", "double", "", ints("0", "123.5", "1234567.001"), nil},
	{"decimal(65,30)", "decimal", "", ints("0", "-0.1", strings.Repeat("9", 35)+"."+strings.Repeat("9", 30), "-1.000000000000000000000000000001"), nil},
	{"decimal(20,0)", "decimal", "", ints("0", "-99999999999999999999", "1"), nil},
	{"decimal(10,4)", "decimal", "", ints("0", "1.1", "-0.0001", "999999.9999"),
		func(r *rand.Rand) string { return fmt.Sprintf("%d.%04d", r.IntN(1e6)-500000, r.IntN(10000)) }},
	{"decimal(10,2) unsigned zerofill", "decimal", "", ints("0", "42.5", "99999999.99"), nil},

	{"date", "date", "", quoted("2024-02-29", "0000-00-00", "2024-00-00", "2024-02-00", "0000-01-01", "0001-01-01", "1000-01-01", "1969-12-31", "9999-12-31"),
		func(r *rand.Rand) string {
			return fmt.Sprintf("'%04d-%02d-%02d'", r.IntN(10000), r.IntN(13), r.IntN(29))
		}},
	{"datetime", "datetime", "", datetimes("", 0), randomDatetime(0)},
	{"datetime(1)", "datetime", "", datetimes(".7", 1), randomDatetime(1)},
	{"datetime(2)", "datetime", "", datetimes(".07", 2), randomDatetime(2)},
	{"datetime(3)", "datetime", "", datetimes(".789", 3), randomDatetime(3)},
	{"datetime(4)", "datetime", "", datetimes(".0009", 4), randomDatetime(4)},
	{"datetime(5)", "datetime", "", datetimes(".00001", 5), randomDatetime(5)},
	{"datetime(6)", "datetime", "", datetimes(".000001", 6), randomDatetime(6)},
	{"timestamp null", "datetime", "", quoted("1970-01-01 00:00:01", "2024-02-29 12:34:56", "2038-01-19 03:14:07", "0000-00-00 00:00:00"), nil},
	{"timestamp(3) null", "datetime", "", quoted("1970-01-01 00:00:01", "2024-02-29 12:34:56.789", "0000-00-00 00:00:00"), nil},
	{"timestamp(6) null", "datetime", "", quoted("1970-01-01 00:00:01.000001", "2024-02-29 12:34:56.789012", "2038-01-19 03:14:07.999999", "0000-00-00 00:00:00"), nil},
	{"time", "time", "", times(""), randomTime(0)},
	{"time(1)", "time", "", times(".5"), randomTime(1)},
	{"time(2)", "time", "", times(".05"), randomTime(2)},
	{"time(3)", "time", "", times(".001"), randomTime(3)},
	{"time(4)", "time", "", times(".1200"), randomTime(4)},
	{"time(5)", "time", "", times(".99999"), randomTime(5)},
	{"time(6)", "time", "", times(".999999"), randomTime(6)},

	{"bit(1)", "bytes", "", ints("b'0'", "b'1'"), nil},
	{"bit(8)", "bytes", "", ints("b'10101010'", "0", "255"), nil},
	{"bit(9)", "bytes", "", ints("0", "511", "256"), nil},
	{"bit(64)", "bytes", "", ints("0", "~0", "1"), nil},
	{"binary(3)", "bytes", "", ints("x''", "x'ff'", "x'000102'"), nil},
	{"varbinary(300)", "bytes", "", ints("x''", "x'ff00'", "repeat(x'fe', 250)", "repeat(x'fb', 251)", "repeat('a', 256)"), nil},
	{"tinyblob", "bytes", "", ints("x''", "x'00ff'"), nil},
	{"blob", "bytes", "", ints("x''", "repeat(x'80', 65535)"), nil},
	{"mediumblob", "bytes", "", ints("repeat(x'00', 65536)"), nil},
	{"longblob", "bytes", "", ints("x'ff'"), nil},
	{"varchar(9) character set binary", "bytes", "", ints("x'ff'"), nil},
	{"enum('a','b') character set binary", "bytes", "", quoted("b"), nil},
	{"set('a','b') character set binary", "bytes", "", quoted("a,b"), nil},

	{"char(10)", "string", "", quoted("", "x", "é", "日本", "😀"), randomText},
	{"char(36) collate utf8mb4_bin", "string", "", quoted("", "x", "é"), randomText},
	{"varchar(300)", "string", "", append(quoted("", " x ", "a\"b\\\\c", "é", "😀", "\\0\\n"), "repeat('x', 250)", "repeat('x', 251)", "repeat('é', 150)"), randomText},
	{"varchar(20) character set latin1", "string", "", quoted("", "é€"), nil},
	{"varchar(20) character set ucs2", "string", "", quoted("", "é日"), nil},
	{"varchar(20) character set utf8mb3 collate utf8mb3_bin", "string", "", quoted("é日"), nil},
	{"tinytext", "string", "", quoted("", "x"), nil},
	{"text", "string", "", append(quoted("", "é"), "repeat('x', 65535)"), randomText},
	{"text collate utf8mb4_bin", "string", "", quoted("", "é"), nil},
	{"mediumtext", "string", "", append(quoted(""), "repeat('x', 65536)"), nil},
	{"longtext", "string", "", quoted("", "{}"), nil},
	{"enum('x','b,c','','é')", "enum", "", quoted("x", "b,c", "", "é"), nil},
	{"enum('x','é') character set latin1", "enum", "", quoted("é"), nil},
	{"set('x','y','é')", "string", "", quoted("", "x", "x,y", "x,y,é"), nil},

	{"json", "string", "json", quoted(`{"v": "açaí - привет"}`, `[1, 2.50, 1e400, null]`, `"123"`, `"{\\"a\\":1}"`, `123`, `null`, `true`, ` { "b":1, "a" :2, "a":3 } `), nil},
	{"uuid", "string", "uuid", quoted("123E4567-E89B-12D3-A456-426614174000", "00000000-0000-0000-0000-000000000000"), nil},
	{"inet6", "string", "", quoted("::1", "2001:db8::ff00:42:8329", "::ffff:192.0.2.1"), nil},
	{"inet4", "string", "", quoted("0.0.0.0", "255.255.255.255"), nil},
	{"geometry", "bytes", "", ints("st_geomfromtext('POINT(1 2)', 4326)", "st_geomfromtext('GEOMETRYCOLLECTION EMPTY')", "st_geomfromtext('LINESTRING(0 0,1 1)')"), nil},
	{"point", "bytes", "", ints("point(1, 2)"), nil},
	{"linestring", "bytes", "", ints("st_geomfromtext('LINESTRING(0 0,1 1)')"), nil},
	{"polygon", "bytes", "", ints("st_geomfromtext('POLYGON((0 0,1 1,1 0,0 0))')"), nil},
	{"multipoint", "bytes", "", ints("st_geomfromtext('MULTIPOINT(0 0,1 1)')"), nil},
	{"multilinestring", "bytes", "", ints("st_geomfromtext('MULTILINESTRING((0 0,1 1))')"), nil},
	{"multipolygon", "bytes", "", ints("st_geomfromtext('MULTIPOLYGON(((0 0,1 1,1 0,0 0)))')"), nil},
	{"geometrycollection", "bytes", "", ints("st_geomfromtext('GEOMETRYCOLLECTION(POINT(1 2))')"), nil},
}

func ints(literals ...string) []string { return literals }

func quoted(texts ...string) []string {
	var literals []string
	for _, t := range texts {
		literals = append(literals, "'"+t+"'")
	}
	return literals
}

func between(from, to int64) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return fmt.Sprint(from + r.Int64N(to-from+1)) }
}

func datetimes(fraction string, _ int) []string {
	return quoted("0000-00-00 00:00:00", "2024-00-00 01:02:03"+fraction, "2024-02-29 12:34:56"+fraction, "0000-01-01 00:00:00", "0001-01-01 23:59:59"+fraction,
		"1969-12-31 23:59:59"+fraction, "9999-12-31 23:59:59"+fraction)
}

func fraction(r *rand.Rand, digits int) string {
	if digits == 0 {
		return ""
	}
	return ("." + fmt.Sprintf("%06d", r.IntN(1e6)))[:digits+1]
}

func randomDatetime(digits int) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		return fmt.Sprintf("'%04d-%02d-%02d %02d:%02d:%02d%s'", r.IntN(10000), r.IntN(13), r.IntN(29), r.IntN(24), r.IntN(60), r.IntN(60), fraction(r, digits))
	}
}

func times(fraction string) []string {
	return quoted("00:00:00", "12:34:56"+fraction, "23:59:59"+fraction, "24:00:00", "24:00:00"+fraction, "99:59:59", "100:00:00"+fraction, "838:59:59", "-838:59:59", "-838:59:58"+fraction, "-00:00:01"+fraction, "-00:00:00"+fraction)
}

func randomTime(digits int) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		return fmt.Sprintf("'%s%02d:%02d:%02d%s'", []string{"", "-"}[r.IntN(2)], r.IntN(838), r.IntN(60), r.IntN(60), fraction(r, digits))
	}
}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(10) {
		b.WriteString([]string{"a", "é", "日", "😀", `\"`, `\\`, "\\n", "Z"}[r.IntN(8)])
	}
	return "'" + b.String() + "'"
}
