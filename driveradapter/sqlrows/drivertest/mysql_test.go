package drivertest

import (
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql"

	"github.com/rowjet/rowjet/driveradapter"
)

// mysqlCells are declarations with the value that is inserted.
var mysqlCells = []struct {
	cell
	value string
}{
	{cell{"tinyint", `tinyint`, "int", `-7`}, `-7`},
	{cell{"tinyint unsigned", `tinyint unsigned`, "int", `255`}, `255`},
	{cell{"smallint unsigned", `smallint unsigned`, "int", `65535`}, `65535`},
	{cell{"mediumint", `mediumint`, "int", `-8388608`}, `-8388608`},
	{cell{"int", `int`, "int", `-2147483648`}, `-2147483648`},
	{cell{"int unsigned", `int unsigned`, "bigint", `"4294967295"`}, `4294967295`},
	{cell{"bigint", `bigint`, "bigint", `"-9223372036854775808"`}, `-9223372036854775808`},
	{cell{"bigint unsigned", `bigint unsigned`, "bigint", `"18446744073709551615"`}, `18446744073709551615`},
	{cell{"year", `year`, "int", `2024`}, `2024`},
	{cell{"float", `float`, "float", `0.1`}, `0.1`},
	{cell{"double", `double`, "double", `0.30000000000000004`}, `0.1e0 + 0.2e0`},
	{cell{"decimal", `decimal(30,4)`, "decimal", `"1.1000"`}, `1.1`},
	{cell{"date", `date`, "date", `"2024-02-29"`}, `'2024-02-29'`},
	{cell{"date zero", `date`, "date", `"0000-00-00"`}, `'0000-00-00'`},
	{cell{"datetime(6)", `datetime(6)`, "datetime", `"2024-02-29T12:34:56.000001+00:00"`}, `'2024-02-29 12:34:56.000001'`},
	{cell{"datetime zero", `datetime`, "datetime", `"0000-00-00 00:00:00"`}, `'0000-00-00'`},
	{cell{"timestamp", `timestamp null`, "datetime", `"2024-02-29T12:34:56+00:00"`}, `'2024-02-29 12:34:56'`},
	{cell{"time", `time`, "time", `"12:34:56"`}, `'12:34:56'`},
	{cell{"time(3)", `time(3)`, "time", `"12:34:56.789"`}, `'12:34:56.789'`},
	{cell{"duration", `time`, "time", `"-838:59:59"`}, `'-838:59:59'`},
	{cell{"char", `char(4)`, "string", `"ab"`}, `'ab'`},
	{cell{"varchar", `varchar(20)`, "string", `"Ô \"q\" 日本 😀"`}, `'Ô "q" 日本 😀'`},
	{cell{"text", `longtext`, "string", `"t"`}, `'t'`},
	{cell{"enum", `enum('a','b')`, "enum", `"b"`}, `'b'`},
	{cell{"set", `set('a','b','c')`, "string", `"a,c"`}, `'a,c'`},
	{cell{"binary", `binary(3)`, "bytes", `"AP8A"`}, `x'00ff'`},
	{cell{"varbinary", `varbinary(3)`, "bytes", `"AP8="`}, `x'00ff'`},
	{cell{"blob", `blob`, "bytes", `"AP8="`}, `x'00ff'`},
	{cell{"blob empty", `blob`, "bytes", `""`}, `''`},
	{cell{"bit", `bit(10)`, "bytes", `"AgE="`}, `b'1000000001'`},
	{cell{"point", `point`, "bytes", `"AAAAAAEBAAAAAAAAAAAA8D8AAAAAAAAAQA=="`}, `point(1, 2)`},
	{cell{"json", `json`, "string", `"{\"a\": 1.10}"`}, `'{"a": 1.10}'`}, // MariaDB's json is longtext
	{cell{"null", `int`, "int", `null`}, `NULL`},
}

// TestMySQL checks all types, over the text protocol and, with an argument, the
// binary one, with and without times that the driver parses.
func TestMySQL(t *testing.T) {
	var declarations, values []string
	var cells []cell
	for _, c := range mysqlCells {
		declarations = append(declarations, "`"+c.name+"` "+c.source)
		values = append(values, c.value)
		cells = append(cells, c.cell)
	}
	for _, parameters := range []string{"parseTime=false", "parseTime=true"} {
		t.Run(parameters, func(t *testing.T) {
			db := open(t, "mysql", mysqlDSN(t, parameters+"&charset=utf8mb4"))
			exec1(t, db, `SET sql_mode = ''`,
				`CREATE TEMPORARY TABLE t (`+strings.Join(declarations, ", ")+`) DEFAULT CHARSET utf8mb4`,
				`INSERT INTO t VALUES (`+strings.Join(values, ", ")+`)`)
			want := document(cells)
			t.Run("text", func(t *testing.T) { check(t, db, driveradapter.MySQL, want, `SELECT * FROM t`) })
			t.Run("binary", func(t *testing.T) {
				check(t, db, driveradapter.MySQL, want, "SELECT * FROM t WHERE `int` < ?", 0)
			})
		})
	}
}

// TestMySQLLocation checks that with a location a DATETIME is an instant, and a
// date stays where it is.
func TestMySQLLocation(t *testing.T) {
	db := open(t, "mysql", mysqlDSN(t, "parseTime=true&loc=America%2FNew_York"))
	check(t, db, driveradapter.MySQL,
		`{"columns":["at","day","none"],"types":["datetime","date","datetime"],"rows":[["2024-02-29T17:00:00+00:00","2024-02-29",null]]}`,
		`SELECT CAST('2024-02-29 12:00:00' AS datetime) AS at, CAST('2024-02-29' AS date) AS day, CAST(NULL AS datetime) AS none`)
}
