package sqlrows

import (
	"database/sql"
	"reflect"
	"strings"
	"time"

	"github.com/rowjet/rowjet/driveradapter"
)

// undeclared marks a column whose type its cells must tell.
const undeclared = driveradapter.Unknown

// postgresTypes has the names of pg_type.typname, in upper case, as pgx/stdlib
// and lib/pq give them. Types that are not here are text: the server's text of
// an interval, a range or a point says all that there is.
var postgresTypes = map[string]driveradapter.ColumnType{
	"BOOL":        driveradapter.Boolean,
	"INT2":        driveradapter.Int32,
	"INT4":        driveradapter.Int32,
	"INT8":        driveradapter.Int64,
	"OID":         driveradapter.Int64,
	"FLOAT4":      driveradapter.Float,
	"FLOAT8":      driveradapter.Double,
	"NUMERIC":     driveradapter.Numeric,
	"CHAR":        driveradapter.Character, // "char" with quotes; char(n) is BPCHAR
	"DATE":        driveradapter.Date,
	"TIME":        driveradapter.Time,
	"TIMESTAMP":   driveradapter.DateTime,
	"TIMESTAMPTZ": driveradapter.DateTime,
	"JSON":        driveradapter.JSON,
	"JSONB":       driveradapter.JSON,
	"BYTEA":       driveradapter.Bytes,
	"UUID":        driveradapter.UUID,
}

// postgresTextArrays has the OIDs of array types that pgx does not know and so
// names by their numbers, from pg_type.dat of PostgreSQL. All are arrays of types
// that are text here.
var postgresTextArrays = map[string]bool{
	"775":  true, // macaddr8[]
	"791":  true, // money[]
	"1006": true, // int2vector[]
	"1008": true, // regproc[]
	"1013": true, // oidvector[]
	"1263": true, // cstring[]
	"1270": true, // timetz[]
	"2201": true, // refcursor[]
	"2207": true, // regprocedure[]
	"2208": true, // regoper[]
	"2209": true, // regoperator[]
	"2210": true, // regclass[]
	"2211": true, // regtype[]
	"2949": true, // txid_snapshot[]
	"3221": true, // pg_lsn[]
	"3644": true, // gtsvector[]
	"3645": true, // tsquery[]
	"3735": true, // regconfig[]
	"3770": true, // regdictionary[]
	"4090": true, // regnamespace[]
	"4097": true, // regrole[]
	"4192": true, // regcollation[]
	"5039": true, // pg_snapshot[]
	"6150": true, // int4multirange[]
	"6151": true, // nummultirange[]
	"6152": true, // tsmultirange[]
	"6153": true, // tstzmultirange[]
	"6155": true, // datemultirange[]
	"6157": true, // int8multirange[]
}

// mysqlTypes has the names that go-sql-driver/mysql gives to the column types
// of the protocol.
var mysqlTypes = map[string]driveradapter.ColumnType{
	"TINYINT":            driveradapter.Int32,
	"UNSIGNED TINYINT":   driveradapter.Int32,
	"SMALLINT":           driveradapter.Int32,
	"UNSIGNED SMALLINT":  driveradapter.Int32,
	"MEDIUMINT":          driveradapter.Int32,
	"UNSIGNED MEDIUMINT": driveradapter.Int32,
	"INT":                driveradapter.Int32,
	"UNSIGNED INT":       driveradapter.Int64,
	"BIGINT":             driveradapter.Int64,
	"UNSIGNED BIGINT":    driveradapter.Int64,
	"YEAR":               driveradapter.Int32,
	"NULL":               driveradapter.Int32,
	"FLOAT":              driveradapter.Float,
	"DOUBLE":             driveradapter.Double,
	"DECIMAL":            driveradapter.Numeric,
	"DATE":               driveradapter.Date,
	"TIME":               driveradapter.Time,
	"DATETIME":           driveradapter.DateTime,
	"TIMESTAMP":          driveradapter.DateTime,
	"JSON":               driveradapter.JSON,
	"ENUM":               driveradapter.Enum,
	"SET":                driveradapter.Set,
	"BIT":                driveradapter.Bytes,
	"GEOMETRY":           driveradapter.Bytes,
	"VECTOR":             driveradapter.Bytes,
	"BINARY":             driveradapter.Bytes,
	"VARBINARY":          driveradapter.Bytes,
	"TINYBLOB":           driveradapter.Bytes,
	"BLOB":               driveradapter.Bytes,
	"MEDIUMBLOB":         driveradapter.Bytes,
	"LONGBLOB":           driveradapter.Bytes,
}

// sqliteTypes has the usual names of declared types, in upper case and without
// what is in parentheses.
var sqliteTypes = map[string]driveradapter.ColumnType{
	"TINYINT":           driveradapter.Int32,
	"SMALLINT":          driveradapter.Int32,
	"MEDIUMINT":         driveradapter.Int32,
	"INT":               driveradapter.Int32,
	"INTEGER":           driveradapter.Int32,
	"SERIAL":            driveradapter.Int32,
	"INT2":              driveradapter.Int32,
	"BIGINT":            driveradapter.Int64,
	"UNSIGNED BIG INT":  driveradapter.Int64,
	"INT8":              driveradapter.Int64,
	"FLOAT":             driveradapter.Float,
	"DOUBLE":            driveradapter.Double,
	"DOUBLE PRECISION":  driveradapter.Double,
	"NUMERIC":           driveradapter.Double,
	"REAL":              driveradapter.Double,
	"DECIMAL":           driveradapter.Numeric,
	"BOOLEAN":           driveradapter.Boolean,
	"DATE":              driveradapter.Date,
	"TIME":              driveradapter.Time,
	"DATETIME":          driveradapter.DateTime,
	"TIMESTAMP":         driveradapter.DateTime,
	"TEXT":              driveradapter.Text,
	"CLOB":              driveradapter.Text,
	"CHARACTER":         driveradapter.Text,
	"VARCHAR":           driveradapter.Text,
	"VARYING CHARACTER": driveradapter.Text,
	"NCHAR":             driveradapter.Text,
	"NATIVE CHARACTER":  driveradapter.Text,
	"NVARCHAR":          driveradapter.Text,
	"BLOB":              driveradapter.Bytes,
	"JSONB":             driveradapter.JSON,
}

// typeOf returns the type of a column, or undeclared.
func typeOf(d driveradapter.Dialect, c *sql.ColumnType) driveradapter.ColumnType {
	name := strings.ToUpper(c.DatabaseTypeName())
	if d == driveradapter.SQLite {
		name, _, _ = strings.Cut(name, "(")
		if t, ok := sqliteTypes[strings.TrimSpace(name)]; ok {
			return t
		}
		return undeclared
	}
	if name == "" {
		return scanType(c.ScanType())
	}
	if d == driveradapter.MySQL {
		if t, ok := mysqlTypes[name]; ok {
			return t
		}
		return driveradapter.Text
	}
	if t, ok := postgresTypes[name]; ok {
		return t
	}
	if element, ok := strings.CutPrefix(name, "_"); ok { // an array, as in pg_type
		if t, ok := postgresTypes[element]; ok {
			return arrayOf(t)
		}
		return driveradapter.TextArray
	}
	if postgresTextArrays[name] {
		return driveradapter.TextArray
	}
	return driveradapter.Text
}

// arrayOf returns the type of arrays whose elements have the given type.
func arrayOf(t driveradapter.ColumnType) driveradapter.ColumnType {
	if t == driveradapter.UUID {
		return driveradapter.UUIDArray
	}
	return t + driveradapter.Int32Array
}

var timeType = reflect.TypeFor[time.Time]()

// scanType returns the type for drivers that name no types.
func scanType(t reflect.Type) driveradapter.ColumnType {
	if t == nil {
		return driveradapter.Text
	}
	if t == timeType {
		return driveradapter.DateTime
	}
	switch t.Kind() {
	case reflect.Bool:
		return driveradapter.Boolean
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Uint8, reflect.Uint16:
		return driveradapter.Int32
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint32, reflect.Uint64:
		return driveradapter.Int64
	case reflect.Float32:
		return driveradapter.Float
	case reflect.Float64:
		return driveradapter.Double
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return driveradapter.Bytes
		}
	}
	return driveradapter.Text
}

// typeOfValue returns the type of an undeclared column from one of its values.
func typeOfValue(v any) driveradapter.ColumnType {
	switch v.(type) {
	case int64, float64:
		return driveradapter.UnknownNumber
	case []byte:
		return driveradapter.Bytes
	case bool:
		return driveradapter.Boolean
	case time.Time:
		return driveradapter.DateTime
	}
	return driveradapter.Text
}
