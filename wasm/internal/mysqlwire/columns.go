package mysqlwire

import (
	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/engine"
	"github.com/rowjet/rowjet/wasm/internal/mem"
)

// Types of columns (enum_field_types in the servers' sources). Those of texts and
// bytes are not listed: what is unknown is read as these are. go generate writes
// docs/mysql-types.md.
//
//go:generate go run ./gendocs columns.go ../../../docs/mysql-types.md
const (
	typeDecimal    = 0
	typeTiny       = 1
	typeShort      = 2
	typeLong       = 3
	typeFloat      = 4
	typeDouble     = 5
	typeNull       = 6
	typeTimestamp  = 7
	typeLonglong   = 8
	typeInt24      = 9
	typeDate       = 10
	typeTime       = 11
	typeDatetime   = 12
	typeYear       = 13
	typeNewdate    = 14
	typeBit        = 16
	typeTimestamp2 = 17
	typeDatetime2  = 18
	typeTime2      = 19
	typeVector     = 242
	typeJSON       = 245
	typeNewdecimal = 246
	typeEnum       = 247
	typeSet        = 248
	typeGeometry   = 255
)

// Flags of columns.
const (
	flagUnsigned = 0x20
	flagEnum     = 0x100
	flagSet      = 0x800
)

// charsetBinary is the character set of what is no text.
const charsetBinary = 63

// form is how cells are laid out.
type form uint8

const (
	asText form = iota
	asBytes
	asDigits // from here on text that is read as a number
	asFloatText
	asDoubleText
	asInt8 // from here on binary format only
	asInt16
	asInt32
	asInt64
	asFloat
	asDouble
	asDate
	asDatetime
	asTime
)

// column tells how to read the cells of a column.
type column struct {
	nameFrom, nameTo uint32 // in reader.names
	label            driveradapter.ColumnType
	form             form
	unsigned         bool
	decimals         uint8
	charset          uint16 // 0 unless the cells are text
}

// define reads a column definition: the texts catalog, schema, table, original
// table, name and original name; with extended metadata, the text of these; the
// length of what follows, u16 character set, u32 display length, u8 type, u16 flags,
// u8 decimals.
func (s *reader) define(payload []byte) engine.Event {
	const fixed = 10
	rest := payload
	var name, extended, text []byte
	ok := true
	texts := 6
	if s.extended&extendedMetadata != 0 {
		texts = 7
	}
	for i := 0; i < texts && ok; i++ {
		text, rest, ok = cut(rest)
		switch i {
		case 4:
			name = text
		case 6:
			extended = text
		}
	}
	if ok {
		rest, _, ok = cut(rest)
	}
	if !ok || len(rest) < fixed {
		return s.invalid(" is malformed", none, "")
	}
	if uint64(len(s.names))+uint64(len(name)) > uint64(s.limit) {
		s.tell(": the names of columns", none, "")
		return s.fail(driveradapter.CodeMemoryLimit)
	}
	c := column{
		nameFrom: uint32(len(s.names)),
		nameTo:   uint32(len(s.names) + len(name)),
		decimals: rest[9],
	}
	flags := uint32(rest[7]) | uint32(rest[8])<<8
	c.plan(rest[6], uint16(rest[0])|uint16(rest[1])<<8, flags, s.binary, extended)
	s.names = append(s.names, name...)
	s.columns = append(s.columns, c)
	if len(s.columns) < s.expected {
		return engine.EventSkipped
	}
	s.state = atRowsEOF
	if s.capabilities&deprecateEOF != 0 {
		s.state = atRow
	}
	return engine.EventColumns
}

// plan decides how a column is read. binary is whether rows are in binary format,
// extended is MariaDB's extended metadata.
func (c *column) plan(kind byte, charset uint16, flags uint32, binary bool, extended []byte) {
	c.unsigned = flags&flagUnsigned != 0
	asNumber, inBinary := asText, asText
	switch kind {
	case typeDecimal, typeNewdecimal:
		c.label = driveradapter.Numeric
	case typeTiny:
		c.label, asNumber, inBinary = driveradapter.Int32, asDigits, asInt8
	case typeShort, typeYear:
		c.label, asNumber, inBinary = driveradapter.Int32, asDigits, asInt16
	case typeInt24:
		c.label, asNumber, inBinary = driveradapter.Int32, asDigits, asInt32
	case typeLong:
		c.label, asNumber, inBinary = driveradapter.Int32, asDigits, asInt32
		if c.unsigned {
			c.label = driveradapter.Int64
		}
	case typeLonglong:
		c.label, asNumber, inBinary = driveradapter.Int64, asDigits, asInt64
	case typeFloat:
		c.label, asNumber, inBinary = driveradapter.Float, asFloatText, asFloat
	case typeDouble:
		c.label, asNumber, inBinary = driveradapter.Double, asDoubleText, asDouble
	case typeNull:
		c.label = driveradapter.Int32
	case typeTimestamp, typeDatetime, typeTimestamp2, typeDatetime2:
		c.label, inBinary = driveradapter.DateTime, asDatetime
	case typeDate, typeNewdate:
		c.label, inBinary = driveradapter.Date, asDate
	case typeTime, typeTime2:
		c.label, inBinary = driveradapter.Time, asTime
	case typeBit, typeVector, typeGeometry:
		c.label, asNumber, inBinary = driveradapter.Bytes, asBytes, asBytes
	case typeJSON:
		// Whatever its character set says, which is binary: JSON is always UTF-8.
		c.label = driveradapter.JSON
	default:
		c.planText(kind, charset, flags, extended)
		return
	}
	c.form = asNumber
	if binary {
		c.form = inBinary
	}
}

// planText is plan for texts and what looks like them.
func (c *column) planText(kind byte, charset uint16, flags uint32, extended []byte) {
	c.charset = charset
	switch {
	case extends(extended, 1, "json"):
		c.label = driveradapter.JSON
	case extends(extended, 0, "uuid"):
		c.label = driveradapter.UUID
	case charset == charsetBinary:
		// The flag BINARY says nothing: texts with a collation such as utf8mb4_bin have it too.
		c.label, c.form = driveradapter.Bytes, asBytes
	case kind == typeEnum || flags&flagEnum != 0:
		c.label = driveradapter.Enum
	case kind == typeSet || flags&flagSet != 0:
		c.label = driveradapter.Set
	default:
		c.label = driveradapter.Text
	}
}

// extends reports whether extended metadata, which is u8 kind and text in turns, has
// an entry. The kind 0 is a type, 1 is a format.
func extends(extended []byte, kind byte, name string) bool {
	for len(extended) > 0 {
		is := extended[0] == kind
		text, rest, ok := cut(extended[1:])
		if !ok {
			return false
		}
		if is && mem.Text(text) == name {
			return true
		}
		extended = rest
	}
	return false
}

func (s *reader) describe(i int) (name []byte, label driveradapter.ColumnType, code driveradapter.Code) {
	c := &s.columns[i]
	if !readable(c.charset) {
		s.buf, s.told = s.buf[:0], true
		s.putString("collation ")
		s.putUint(uint64(c.charset))
		code = driveradapter.CodeCharset
		s.failure = code
	}
	return s.names[c.nameFrom:c.nameTo], c.label, code
}

// readable reports whether text with a collation is UTF-8 or ASCII, or bytes, as far
// as the number tells. Those that are known not to be are listed, since the servers
// add new ones for UTF-8 all the time (information_schema.COLLATIONS; MySQL's numbers
// are below 1,024, MariaDB adds 1,024 to those of collations without padding, and from
// 2,048 on has the UCA 14.0.0 collations, 256 for each character set).
func readable(collation uint16) bool {
	if collation >= 2048 {
		// utf8mb3 and utf8mb4; then ucs2, utf16 and utf32.
		return collation < 2560 || collation >= 3328
	}
	switch collation &= 1023; {
	case collation >= 192:
		return collation < 248 || collation > 250 // gb18030
	case collation >= 100:
		return false // utf16, ucs2 and utf32
	}
	switch collation {
	case 0, 11, 33, 45, 46, charsetBinary, 65, 76, 83:
		return true
	}
	return false
}

// cut cuts off a length-encoded text.
func cut(b []byte) (text, rest []byte, ok bool) {
	n, rest, ok := lenenc(b)
	if !ok || n > uint64(len(rest)) {
		return nil, nil, false
	}
	return rest[:n], rest[n:], true
}

// Label returns the label of a column with the type, collation and flags of its
// definition and the type and format of MariaDB's extended metadata, for documents.
func Label(kind byte, collation, flags uint16, extendedType, format string) driveradapter.ColumnType {
	var extended []byte
	for i, text := range [...]string{extendedType, format} {
		if text != "" {
			extended = append(append(extended, byte(i), byte(len(text))), text...)
		}
	}
	var c column
	c.plan(kind, collation, uint32(flags), false, extended)
	return c.label
}
