package servertest

import (
	"strings"
	"testing"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/engine"
)

// all returns a query for all values of some types, as scalars and as arrays.
func all(names ...string) string {
	var columns, from []string
	for i, name := range names {
		for _, v := range values {
			if v.name == name {
				alias := string(rune('a' + i))
				columns = append(columns, alias+".v as "+alias, "(select array_agg(v) from ("+column(name, v.literals)+") x) as "+alias+"s")
				from = append(from, "("+column(name, v.literals)+" offset 1) "+alias)
			}
		}
	}
	return "select " + strings.Join(columns, ", ") + " from " + strings.Join(from, " full join ") +
		strings.Repeat(" using (n)", len(names)-1)
}

// TestSettings demands the same bytes whatever the session's settings are, or,
// where the text does not tell the value, an error.
func TestSettings(t *testing.T) {
	moments := all("timestamptz")
	dates := all("date", "timestamp")
	floats := all("float8", "float4")
	bytea := all("bytea")
	const (
		same = iota
		refused
		other // texts of types that have no label of their own
	)
	for _, test := range []struct {
		setting, sql string
		text         int
	}{
		{"timezone = 'America/New_York'", moments, same},
		{"timezone = 'Asia/Kolkata'", moments, same},
		{"timezone = 'Asia/Tehran'", moments, same},
		{"timezone = 'Europe/Paris'", moments, same},
		{"datestyle = 'ISO, DMY'", dates, same},
		{"datestyle = 'ISO, YMD'", dates, same},
		{"datestyle = 'SQL, MDY'", dates, refused},
		{"datestyle = 'SQL, DMY'", dates, refused},
		{"datestyle = 'SQL, DMY'", moments, refused},
		{"datestyle = 'Postgres, MDY'", dates, refused},
		{"datestyle = 'Postgres, DMY'", moments, refused},
		{"datestyle = 'German'", dates, refused},
		{"datestyle = 'German'", moments, refused},
		{"datestyle = 'German'", all("time", "interval", "timetz"), same},
		{"bytea_output = 'escape'", bytea, same},
		{"extra_float_digits = 3", floats, same},
		{"extra_float_digits = 1", floats, same},
		{"extra_float_digits = 0", "select 0.1::float8 + 0.2 as a", other},
		{"intervalstyle = 'iso_8601'", all("interval"), other},
		{"intervalstyle = 'sql_standard'", all("interval"), other},
		{"intervalstyle = 'postgres_verbose'", all("interval"), other},
		{"lc_monetary = 'C'", all("numeric"), same},
	} {
		c := connect(t)
		c.exec("set timezone = 'UTC'")
		// Some settings are about input too.
		c.exec("create temp table settled as " + test.sql)
		const query, arrays = "select * from settled", "select \"as\" from settled"
		want, err := serialize(c.extended(query, 0, text), 0, engine.ShapeArray, 0)
		if err != nil {
			t.Fatalf("%v\n%s", err, test.sql)
		}
		c.exec("set " + test.setting)
		got, err := serialize(c.extended(query, 0, binaryFormat), 0, engine.ShapeArray, 0)
		if err != nil || got != want {
			t.Errorf("%s, binary: %v %s", test.setting, err, difference(want, got))
		}
		got, err = serialize(c.extended(query, 0, text), 0, engine.ShapeArray, 0)
		switch {
		case test.text == refused:
			if err == nil || err.Code != driveradapter.CodeDateStyle || err.Column != 0 || !strings.HasPrefix(err.Found, `string "`) {
				t.Errorf("%s: %v", test.setting, err)
			}
			if _, err = serialize(c.extended(arrays, 0, text), 0, engine.ShapeArray, 0); err == nil || err.Code != driveradapter.CodeDateStyle {
				t.Errorf("%s, array: %v", test.setting, err)
			}
		case err != nil:
			t.Errorf("%s: %v", test.setting, err)
		case (got == want) != (test.text == same):
			t.Errorf("%s: %s", test.setting, difference(want, got))
		}
	}
}
