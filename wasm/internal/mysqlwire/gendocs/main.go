// Command gendocs writes the table of MySQL's and MariaDB's types for people.
//
//	gendocs columns.go mysql-types.md
package main

import (
	"fmt"
	"log"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/rowjet/rowjet/wasm/internal/mysqlwire"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: gendocs columns.go mysql-types.md")
	}
	source, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	page, err := write(string(source))
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(os.Args[2], []byte(page), 0o644); err != nil {
		log.Fatal(err)
	}
}

// The names of types, with their numbers.
var constant = regexp.MustCompile(`(?m)^\ttype(\w+) += (\d+)$`)

const (
	unsigned = 0x20
	enum     = 0x100
	set      = 0x800

	binary  = 63
	utf8mb4 = 255
)

var flagNames = []struct {
	bit  uint16
	name string
}{{unsigned, "UNSIGNED"}, {enum, "ENUM"}, {set, "SET"}}

// definition is what a column definition says, and the columns that have it.
type definition struct {
	columns      string
	kinds        []string // names of types, without the word type
	collation    uint16
	flags        uint16
	extendedType string
	format       string
	remark       string
}

const asText = "the server's text in both formats"

var texts = []string{"String", "Varstring", "Varchar", "Tinyblob", "Mediumblob", "Longblob", "Blob"}

var definitions = []definition{
	{"TINYINT, BOOLEAN", []string{"Tiny"}, binary, 0, "", "", "also TINYINT(1): the width does not limit the values"},
	{"TINYINT UNSIGNED", []string{"Tiny"}, binary, unsigned, "", "", ""},
	{"SMALLINT", []string{"Short"}, binary, 0, "", "", ""},
	{"SMALLINT UNSIGNED", []string{"Short"}, binary, unsigned, "", "", ""},
	{"MEDIUMINT", []string{"Int24"}, binary, 0, "", "", ""},
	{"MEDIUMINT UNSIGNED", []string{"Int24"}, binary, unsigned, "", "", ""},
	{"INT", []string{"Long"}, binary, 0, "", "", ""},
	{"INT UNSIGNED", []string{"Long"}, binary, unsigned, "", "", "also where all values are small: a label is known before the rows"},
	{"BIGINT", []string{"Longlong"}, binary, 0, "", "", ""},
	{"BIGINT UNSIGNED", []string{"Longlong"}, binary, unsigned, "", "", "up to 18446744073709551615"},
	{"YEAR", []string{"Year"}, binary, 0, "", "", "0000 is 0"},
	{"FLOAT", []string{"Float"}, binary, 0, "", "", "see *FLOAT in text format*"},
	{"DOUBLE", []string{"Double"}, binary, 0, "", "", ""},
	{"DECIMAL", []string{"Newdecimal", "Decimal"}, binary, 0, "", "", "scale as declared; the zeros of ZEROFILL go, as with all numbers"},
	{"BIT", []string{"Bit"}, binary, 0, "", "", "the most significant byte first, as many bytes as it takes"},
	{"DATE", []string{"Date", "Newdate"}, binary, 0, "", "", "zero and part-zero dates keep their text, such as `2024-00-00`"},
	{"DATETIME, TIMESTAMP", []string{"Datetime", "Timestamp", "Datetime2", "Timestamp2"}, binary, 0, "", "", "as if it were UTC; zero and part-zero dates keep their text, with the digits of the column"},
	{"TIME", []string{"Time", "Time2"}, binary, 0, "", "", "beyond a day, or negative: the text, with the digits of the column"},
	{"CHAR, VARCHAR, TEXT", texts, utf8mb4, 0, "", "", "also with a binary collation such as utf8mb4_bin"},
	{"BINARY, VARBINARY, BLOB, texts CHARACTER SET binary", texts, binary, 0, "", "", ""},
	{"ENUM", []string{"String", "Enum"}, utf8mb4, enum, "", "", "servers send String with a flag"},
	{"SET", []string{"String", "Set"}, utf8mb4, set, "", "", "members joined by commas; servers send String with a flag"},
	{"ENUM, SET CHARACTER SET binary", []string{"String"}, binary, enum, "", "", ""},
	{"JSON of MySQL", []string{"JSON"}, binary, 0, "", "", "UTF-8, though its collation says binary"},
	{"JSON of MariaDB", texts, utf8mb4, 0, "", "json", "also what functions such as JSON_OBJECT give"},
	{"JSON of MariaDB without extended metadata", texts, utf8mb4, 0, "", "", "an ordinary text, then"},
	{"UUID of MariaDB", []string{"String"}, utf8mb4, 0, "uuid", "", "without extended metadata: string, with the same cells"},
	{"INET4, INET6 of MariaDB", []string{"String"}, utf8mb4, 0, "inet6", "", asText},
	{"GEOMETRY, POINT and so on", []string{"Geometry"}, binary, 0, "", "", "four bytes SRID, little-endian, then WKB"},
	{"VECTOR of MySQL", []string{"Vector"}, binary, 0, "", "", "32-bit floats, little-endian"},
	{"VECTOR of MariaDB", []string{"Varstring"}, binary, 0, "vector", "", "32-bit floats, little-endian"},
	{"NULL, without a type", []string{"Null"}, binary, 0, "", "", "all cells are null"},
}

// write returns the page. source is the Go file with the types.
func write(source string) (string, error) {
	// Types that the module needs no name for.
	numbers := map[string]byte{"Varchar": 15, "Varstring": 253, "String": 254, "Tinyblob": 249, "Mediumblob": 250, "Longblob": 251, "Blob": 252}
	unused := map[string]bool{}
	for _, match := range constant.FindAllStringSubmatch(source, -1) {
		n, err := strconv.ParseUint(match[2], 10, 8)
		if err != nil {
			return "", err
		}
		numbers[match[1]], unused[match[1]] = byte(n), true
	}
	var b strings.Builder
	b.WriteString(before)
	for _, d := range definitions {
		var kinds []string
		label := ""
		for _, name := range d.kinds {
			number, ok := numbers[name]
			if !ok {
				return "", fmt.Errorf("no type is called %s", name)
			}
			delete(unused, name)
			kinds = append(kinds, fmt.Sprint(number))
			l := mysqlwire.Label(number, d.collation, d.flags, d.extendedType, d.format).Label()
			if label != "" && l != label {
				return "", fmt.Errorf("%s: labels %s and %s", d.columns, label, l)
			}
			label = l
		}
		var and []string
		for _, flag := range flagNames {
			if d.flags&flag.bit != 0 {
				and = append(and, flag.name)
			}
		}
		switch {
		case d.extendedType != "":
			and = append(and, "type "+d.extendedType)
		case d.format != "":
			and = append(and, "format "+d.format)
		}
		collation := "any"
		if len(d.kinds) > 0 && numbers[d.kinds[0]] >= 247 && numbers[d.kinds[0]] < 255 && d.format == "" && d.extendedType != "uuid" {
			collation = "text"
			if d.collation == binary {
				collation = "binary"
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", d.columns, strings.Join(kinds, ", "), collation, strings.Join(and, ", "), label, d.remark)
	}
	for name := range unused {
		return "", fmt.Errorf("type %s is not in the table", name)
	}
	for _, c := range []struct {
		collation uint16
		name      string
	}{{utf8mb4, "text"}, {binary, "binary"}} {
		label := mysqlwire.Label(200, c.collation, 0, "", "").Label()
		fmt.Fprintf(&b, "| any other | | %s | | %s | a type that this version does not know |\n", c.name, label)
	}
	b.WriteString(after)
	return b.String(), nil
}

const before = `# MySQL and MariaDB types

<!-- Written by go generate ./wasm/internal/mysqlwire. Change the rules in columns.go or the text in gendocs. -->

What the MySQL module makes of a column when it reads the server's packets itself (source 1 in [wasm/ABI.md](../wasm/ABI.md)). The label is the column's entry in ` + "`types`" + `; [values.md](values.md) tells what the values of each label look like.
*Type*, *collation* and *and* are what the column definition says: the number of the type, whether the collation is 63 (binary) or one of a text, flags, and MariaDB's extended metadata. Everything else in it, such as the flags BINARY, ZEROFILL and NOT NULL, the length and, but for dates and times, the decimals, makes no difference.

Text format (COM_QUERY) and binary format (COM_STMT_EXECUTE) give the same bytes, with one exception: see *FLOAT in text format*.

| column | type | collation | and | label | |
|---|---|---|---|---|---|
`

const after = `
## FLOAT in text format
The servers round a FLOAT to six digits when they print it, as they do in text format: 16777216 arrives as 16777200. In binary format all of the value arrives, and is written with the fewest digits that read back to the same 32-bit float. Values of up to six digits give
the same bytes in both formats. For all digits in text format, select ` + "`CAST(f AS DOUBLE)`" + ` or ` + "`f + 0`" + `, which are doubles. FLOAT(M,D) is printed with its D digits, without this rounding.

## Dates and times
- DATETIME and TIMESTAMP have no offset, so they are read as UTC. A TIMESTAMP is an instant which the server turns into the session's time zone first: ` + "`SET time_zone = '+00:00'`" + ` makes the two the same.
- Zero dates, and dates with a zero as day or month, keep the server's text: ` + "`0000-00-00 00:00:00.000`" + ` in a DATETIME(3), in both formats.
- Days that the calendar does not have, such as 2024-02-31, which a server takes with ALLOW_INVALID_DATES only, keep the server's text. (In a result set that a driver has read, they are an error.)

## Character sets
Text has to come as UTF-8 (utf8mb4, utf8mb3) or ASCII: all drivers that Rowjet knows ask for that, and the server converts whatever a column has. After ` + "`SET NAMES latin1`" + ` and the like, columns of text are the error ` + "`CHARSET`" + `, which names the collation; nothing is decoded by a guess. Bytes that
are not UTF-8 all the same become U+FFFD. With ` + "`SET NAMES binary`" + ` each column arrives in its own character set, and what is not UTF-8 is that error, too.

## JSON
JSON text is checked, then copied as it is. MariaDB keeps JSON as text: it says which columns are JSON only in its extended metadata, for which a client has to ask (MARIADB_CLIENT_EXTENDED_METADATA); otherwise the column is ` + "`string`" + `. Text that is no JSON, in a column that says it is, is the error ` + "`JSON_INVALID`" + `.

## What was tried with which server
| claim | source |
|---|---|
| every row of the table but those of MySQL, VECTOR of MariaDB and *any other*; both formats, with and without CLIENT_DEPRECATE_EOF and MARIADB_CLIENT_EXTENDED_METADATA; cursors; several result sets; definitions left out (MARIADB_CLIENT_CACHE_METADATA); rows above 16 MiB | a MariaDB 10.11 server, which the tests start |
| JSON of MySQL, and every other type that MySQL 8 has, but YEAR 0000, zero dates and VECTOR; both formats, with and without CLIENT_DEPRECATE_EOF; several result sets | go-mysql-server 0.20, another implementation of MySQL 8; what it sent is recorded in conformance/wire |
| JSON of MySQL with the collation 63, VECTOR of MySQL, CLIENT_OPTIONAL_RESULTSET_METADATA, progress reports | packets made by hand, from the manuals of the protocol: no MySQL server was at hand |
| VECTOR of MariaDB, which 11.7 brought | its manual only |
`
