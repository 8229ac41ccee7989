// Package driveradapter is the result-set model that driver adapters and the
// Rowjet modules share: dialects, column types, result sets, and the frame that
// carries them into a module (wasm/ABI.md). It has no dependencies and compiles
// into the modules.
package driveradapter

// Dialect is the kind of database that a result set comes from. Its numbers
// are those of rowjet_dialect in wasm/ABI.md.
type Dialect uint8

const (
	Postgres Dialect = 1
	MySQL    Dialect = 2
	SQLite   Dialect = 3
)

// String returns the name of the dialect's module: "postgres", "mysql" or
// "sqlite", and "unknown" for other values.
func (d Dialect) String() string {
	switch d {
	case Postgres:
		return "postgres"
	case MySQL:
		return "mysql"
	case SQLite:
		return "sqlite"
	}
	return "unknown"
}

// ColumnType is the type of a column as driver adapters declare it: the codes
// of ColumnTypeEnum in @prisma/driver-adapter-utils.
type ColumnType uint8

const (
	Int32     ColumnType = 0
	Int64     ColumnType = 1
	Float     ColumnType = 2
	Double    ColumnType = 3
	Numeric   ColumnType = 4
	Boolean   ColumnType = 5
	Character ColumnType = 6
	Text      ColumnType = 7
	Date      ColumnType = 8
	Time      ColumnType = 9
	DateTime  ColumnType = 10
	JSON      ColumnType = 11
	Enum      ColumnType = 12
	Bytes     ColumnType = 13
	Set       ColumnType = 14
	UUID      ColumnType = 15

	Int32Array     ColumnType = 64
	Int64Array     ColumnType = 65
	FloatArray     ColumnType = 66
	DoubleArray    ColumnType = 67
	NumericArray   ColumnType = 68
	BooleanArray   ColumnType = 69
	CharacterArray ColumnType = 70
	TextArray      ColumnType = 71
	DateArray      ColumnType = 72
	TimeArray      ColumnType = 73
	DateTimeArray  ColumnType = 74
	JSONArray      ColumnType = 75
	EnumArray      ColumnType = 76
	BytesArray     ColumnType = 77
	UUIDArray      ColumnType = 78

	// UnknownNumber is a number whose type only the data can tell. It is never a
	// label: it becomes Int32, Int64, Double or Unknown.
	UnknownNumber ColumnType = 128

	// Unknown is the label of a column that mixes kinds of values. Driver
	// adapters do not declare it.
	Unknown ColumnType = 255
)

// Label returns the name that the type has in a result's "types", such as
// "bigint" or "int-array", and "" for codes that are no label.
func (t ColumnType) Label() string {
	switch {
	case t <= UUID:
		return scalarLabels[t]
	case t >= Int32Array && t <= UUIDArray:
		return arrayLabels[t-Int32Array]
	case t == Unknown:
		return "unknown"
	}
	return ""
}

// Declarable reports whether a driver adapter may declare the type: the
// scalar codes, the array codes and UnknownNumber.
func (t ColumnType) Declarable() bool {
	return t <= UUID || t >= Int32Array && t <= UUIDArray || t == UnknownNumber
}

// Element returns the type of an array type's elements, and false for types
// that are no array.
func (t ColumnType) Element() (ColumnType, bool) {
	if t < Int32Array || t > UUIDArray {
		return t, false
	}
	if t == UUIDArray {
		return UUID, true
	}
	return t - Int32Array, true
}

var scalarLabels = [...]string{
	"int", "bigint", "float", "double", "decimal", "bool", "char", "string",
	"date", "time", "datetime", "json", "enum", "bytes", "string", "uuid",
}

var arrayLabels = [...]string{
	"int-array", "bigint-array", "float-array", "double-array", "decimal-array",
	"bool-array", "char-array", "string-array", "date-array", "time-array",
	"datetime-array", "json-array", "string-array", "bytes-array", "uuid-array",
}
