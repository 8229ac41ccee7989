// Command gendocs writes the table of PostgreSQL types for people.
//
//	gendocs types.go postgres-types.md
package main

import (
	"fmt"
	"log"
	"os"
	"regexp"
	"strings"

	"github.com/rowjet/rowjet/wasm/internal/pgwire"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: gendocs types.go postgres-types.md")
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

// The modules do not hold the names of types, so they are only in comments.
var row = regexp.MustCompile(`(?m)^\t\{\w+, .*\}, +// (\S+)$`)

const oidOnly = "binary format has the OID, not the name"

var remarks = map[string]string{
	`"char"`:       "a byte; from 0x80 on as an octal escape such as `\\377`, as servers have it since version 16, for older ones too",
	"oid":          "unsigned",
	"date":         "years from 1,000,000 on: the text, such as `5874897-12-31`",
	"timestamp":    "as if it were UTC",
	"timestamptz":  "the offset is applied",
	"timetz":       "the text, with its offset",
	"interval":     "the text depends on IntervalStyle; of binary format it is that of the style postgres",
	"money":        "the text depends on lc_monetary; binary format has no currency and no scale",
	"int2vector":   "the text, such as `1 2 3`",
	"oidvector":    "the text, such as `1 2 3`",
	"tstzrange":    "the text depends on TimeZone; of binary format it is that of UTC",
	"void":         "the empty string",
	"record":       "the text, such as `(1,\"a b\",)`; in binary format only with fields of the types in this table",
	"anyarray":     "the text of the array, such as `{a,b}`: what its elements are is told in binary format only",
	"aclitem":      "has no binary format",
	"gtsvector":    "has no binary format",
	"regproc":      oidOnly,
	"regprocedure": oidOnly, "regoper": oidOnly, "regoperator": oidOnly, "regclass": oidOnly, "regtype": oidOnly,
	"regconfig": oidOnly, "regdictionary": oidOnly, "regnamespace": oidOnly, "regrole": oidOnly, "regcollation": oidOnly,
}

// write returns the page. source is the Go file with the table.
func write(source string) (string, error) {
	names := row.FindAllStringSubmatch(source, -1)
	types := pgwire.Types()
	if len(names) != len(types) {
		return "", fmt.Errorf("%d names for %d types", len(names), len(types))
	}
	var b strings.Builder
	known := map[string]bool{}
	b.WriteString(before)
	for i, t := range types {
		name := names[i][1]
		array, arrayLabel := "", ""
		if t.Array != 0 {
			array, arrayLabel = fmt.Sprint(t.Array), t.ArrayLabel.Label()
		}
		binary := "yes"
		if !t.Binary {
			binary = "no"
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %s |\n", name, t.OID, array, t.Label.Label(), arrayLabel, binary, remarks[name])
		known[name] = true
	}
	for name := range remarks {
		if !known[name] {
			return "", fmt.Errorf("a remark about %s, which is not in the table", name)
		}
	}
	b.WriteString(after)
	return b.String(), nil
}

const before = `# PostgreSQL types

<!-- Written by go generate ./wasm/internal/pgwire. Change the table in types.go or the text in gendocs. -->

What the PostgreSQL module makes of a column when it reads the server's messages itself (source 1 in [wasm/ABI.md](../wasm/ABI.md)). The label is the column's entry in ` + "`types`" + `;
[values.md](values.md) tells what the values of each label look like. The table has every type with an OID below 10,000 that a result can have, in PostgreSQL 15 to 18, which have the same ones. A test compares it with a server's own catalog.

Text format and binary format give the same bytes. Where the table says no, a column in binary format is the error ` + "`WIRE_BINARY`" + `, which names its OID: ask for text format, or cast to text.

| type | OID | array OID | label | label of the array | binary format | |
|---|---|---|---|---|---|---|
`

const after = `
## Other types
- **Domains** arrive as the type that they are made of. An array of a domain has an OID of its own.
- **Enums, composites, ranges and multiranges of your own, extension types** (citext, hstore, vector, geometry …), arrays of all of these, and the types of the information schema have other OIDs in every database. They are
  ` + "`string`" + `, the server's text as it is, ` + "`{a,b}`" + ` too. In binary format they are the error ` + "`WIRE_BINARY`" + `.
- A **type map** tells more about them: an OID and a label for each. With the label of an array the text is read as an array literal whose elements follow the rules of that label. In binary format only enum and its array are understood.
- **Arrays** nest as they have dimensions, lower bounds are dropped, the word NULL is null and "NULL" in quotes is a string. Elements of ` + "`box[]`" + ` are separated by semicolons.

## Settings of the session
Text format depends on settings. Values that have a label of their own come out the same whatever these are, or are an error:

| setting | effect |
|---|---|
| DateStyle | anything but ISO is the error ` + "`DATE_STYLE`" + ` for date, timestamp and timestamptz: 01/02/2024 may be January or February, and CST is the abbreviation of several time zones |
| TimeZone | none |
| bytea_output | none: hex and escape are both read |
| extra_float_digits | none from 1 on, which is the standard; below, the server sends rounded numbers |

What is ` + "`string`" + ` is the server's text, so its form does depend on IntervalStyle (interval), TimeZone and DateStyle (ranges and composites with dates), lc_monetary (money), extra_float_digits (geometric types) and bytea_output (composites).
Of binary format the text is made as by a server with the standard settings: DateStyle ISO, TimeZone UTC, IntervalStyle postgres, bytea_output hex, extra_float_digits 1.

client_encoding has to be UTF8. Bytes that are not UTF-8 become U+FFFD.
`
