package pgwire

import "github.com/rowjet/rowjet/driveradapter"

// form is how the bytes of a value are laid out in binary format, and what they
// become in text format: what the type's send and output functions do.
type form uint8

const (
	asText   form = iota // the text itself in both formats
	noBinary             // only the text tells the value
	asBool
	asInt2
	asInt4
	asInt8
	asUint4
	asUint8
	asFloat4
	asFloat8
	asNumeric
	asChar // one byte
	asBytea
	asUUID
	asDate
	asTime
	asTimetz
	asTimestamp
	asTimestamptz
	asInterval
	asVersioned // the byte 1, then the text
	asInet
	asMAC
	asBits
	asPoint
	asSegment
	asBox
	asLine
	asCircle
	asPath
	asPolygon
	asTSVector
	asTSQuery
	asRange
	asMultirange
	asRecord
	asArray // an array of what its header says
	asVector
	asTID
	asLSN
	asSnapshot
)

// pgType is a built-in type, or its array type.
type pgType struct {
	oid, array uint16 // array is 0 if there is no array type with a fixed OID
	label      driveradapter.ColumnType
	form       form
}

// boxOID is the only type whose array elements are not separated by commas.
const boxOID = 603

// types holds the types of PostgreSQL 15 to 18, which have the same ones
// (pg_type.dat in PostgreSQL's sources): every type with an OID below 10,000 that a
// result can have. Pseudo-types that only arguments can have are left out, and so
// are types whose OID differs between versions; those are text. The comments give
// the names, for docs/postgres-types.md, which go generate writes.
//
//go:generate go run ./gendocs types.go ../../../docs/postgres-types.md
var types = [...]pgType{
	{16, 1000, driveradapter.Boolean, asBool},           // bool
	{17, 1001, driveradapter.Bytes, asBytea},            // bytea
	{18, 1002, driveradapter.Character, asChar},         // "char"
	{19, 1003, driveradapter.Text, asText},              // name
	{20, 1016, driveradapter.Int64, asInt8},             // int8
	{21, 1005, driveradapter.Int32, asInt2},             // int2
	{22, 1006, driveradapter.Text, asVector},            // int2vector
	{23, 1007, driveradapter.Int32, asInt4},             // int4
	{24, 1008, driveradapter.Text, noBinary},            // regproc
	{25, 1009, driveradapter.Text, asText},              // text
	{26, 1028, driveradapter.Int64, asUint4},            // oid
	{27, 1010, driveradapter.Text, asTID},               // tid
	{28, 1011, driveradapter.Text, asUint4},             // xid
	{29, 1012, driveradapter.Text, asUint4},             // cid
	{30, 1013, driveradapter.Text, asVector},            // oidvector
	{71, 210, driveradapter.Text, asRecord},             // pg_type
	{75, 270, driveradapter.Text, asRecord},             // pg_attribute
	{81, 272, driveradapter.Text, asRecord},             // pg_proc
	{83, 273, driveradapter.Text, asRecord},             // pg_class
	{114, 199, driveradapter.JSON, asText},              // json
	{142, 143, driveradapter.Text, asText},              // xml
	{194, 0, driveradapter.Text, asText},                // pg_node_tree
	{600, 1017, driveradapter.Text, asPoint},            // point
	{601, 1018, driveradapter.Text, asSegment},          // lseg
	{602, 1019, driveradapter.Text, asPath},             // path
	{boxOID, 1020, driveradapter.Text, asBox},           // box
	{604, 1027, driveradapter.Text, asPolygon},          // polygon
	{628, 629, driveradapter.Text, asLine},              // line
	{650, 651, driveradapter.Text, asInet},              // cidr
	{700, 1021, driveradapter.Float, asFloat4},          // float4
	{701, 1022, driveradapter.Double, asFloat8},         // float8
	{705, 0, driveradapter.Text, asText},                // unknown
	{718, 719, driveradapter.Text, asCircle},            // circle
	{774, 775, driveradapter.Text, asMAC},               // macaddr8
	{790, 791, driveradapter.Text, noBinary},            // money
	{829, 1040, driveradapter.Text, asMAC},              // macaddr
	{869, 1041, driveradapter.Text, asInet},             // inet
	{1033, 1034, driveradapter.Text, noBinary},          // aclitem
	{1042, 1014, driveradapter.Text, asText},            // bpchar
	{1043, 1015, driveradapter.Text, asText},            // varchar
	{1082, 1182, driveradapter.Date, asDate},            // date
	{1083, 1183, driveradapter.Time, asTime},            // time
	{1114, 1115, driveradapter.DateTime, asTimestamp},   // timestamp
	{1184, 1185, driveradapter.DateTime, asTimestamptz}, // timestamptz
	{1186, 1187, driveradapter.Text, asInterval},        // interval
	{1248, 0, driveradapter.Text, asRecord},             // pg_database
	{1266, 1270, driveradapter.Text, asTimetz},          // timetz
	{1560, 1561, driveradapter.Text, asBits},            // bit
	{1562, 1563, driveradapter.Text, asBits},            // varbit
	{1700, 1231, driveradapter.Numeric, asNumeric},      // numeric
	{1790, 2201, driveradapter.Text, asText},            // refcursor
	{2202, 2207, driveradapter.Text, noBinary},          // regprocedure
	{2203, 2208, driveradapter.Text, noBinary},          // regoper
	{2204, 2209, driveradapter.Text, noBinary},          // regoperator
	{2205, 2210, driveradapter.Text, noBinary},          // regclass
	{2206, 2211, driveradapter.Text, noBinary},          // regtype
	{2249, 2287, driveradapter.Text, asRecord},          // record
	{2275, 1263, driveradapter.Text, asText},            // cstring
	{2277, 0, driveradapter.Text, asArray},              // anyarray
	{2278, 0, driveradapter.Text, asText},               // void
	{2842, 0, driveradapter.Text, asRecord},             // pg_authid
	{2843, 0, driveradapter.Text, asRecord},             // pg_auth_members
	{2950, 2951, driveradapter.UUID, asUUID},            // uuid
	{2970, 2949, driveradapter.Text, asSnapshot},        // txid_snapshot
	{3220, 3221, driveradapter.Text, asLSN},             // pg_lsn
	{3361, 0, driveradapter.Text, noBinary},             // pg_ndistinct
	{3402, 0, driveradapter.Text, noBinary},             // pg_dependencies
	{3614, 3643, driveradapter.Text, asTSVector},        // tsvector
	{3615, 3645, driveradapter.Text, asTSQuery},         // tsquery
	{3642, 3644, driveradapter.Text, noBinary},          // gtsvector
	{3734, 3735, driveradapter.Text, noBinary},          // regconfig
	{3769, 3770, driveradapter.Text, noBinary},          // regdictionary
	{3802, 3807, driveradapter.JSON, asVersioned},       // jsonb
	{3904, 3905, driveradapter.Text, asRange},           // int4range
	{3906, 3907, driveradapter.Text, asRange},           // numrange
	{3908, 3909, driveradapter.Text, asRange},           // tsrange
	{3910, 3911, driveradapter.Text, asRange},           // tstzrange
	{3912, 3913, driveradapter.Text, asRange},           // daterange
	{3926, 3927, driveradapter.Text, asRange},           // int8range
	{4066, 0, driveradapter.Text, asRecord},             // pg_shseclabel
	{4072, 4073, driveradapter.Text, asVersioned},       // jsonpath
	{4089, 4090, driveradapter.Text, noBinary},          // regnamespace
	{4096, 4097, driveradapter.Text, noBinary},          // regrole
	{4191, 4192, driveradapter.Text, noBinary},          // regcollation
	{4451, 6150, driveradapter.Text, asMultirange},      // int4multirange
	{4532, 6151, driveradapter.Text, asMultirange},      // nummultirange
	{4533, 6152, driveradapter.Text, asMultirange},      // tsmultirange
	{4534, 6153, driveradapter.Text, asMultirange},      // tstzmultirange
	{4535, 6155, driveradapter.Text, asMultirange},      // datemultirange
	{4536, 6157, driveradapter.Text, asMultirange},      // int8multirange
	{4600, 0, driveradapter.Text, noBinary},             // pg_brin_bloom_summary
	{4601, 0, driveradapter.Text, noBinary},             // pg_brin_minmax_multi_summary
	{5017, 0, driveradapter.Text, noBinary},             // pg_mcv_list
	{5038, 5039, driveradapter.Text, asSnapshot},        // pg_snapshot
	{5069, 271, driveradapter.Text, asUint8},            // xid8
	{6101, 0, driveradapter.Text, asRecord},             // pg_subscription
}

// find returns the built-in type with an OID, nil if there is none, and whether
// the OID is that of its array type.
//
//go:noinline
func find(oid uint32) (t *pgType, array bool) {
	if oid == 0 || oid > 0xffff {
		return nil, false
	}
	for i := range types {
		t := &types[i]
		if uint32(t.oid) == oid {
			return t, false
		}
		if uint32(t.array) == oid {
			return t, true
		}
	}
	return nil, false
}

// bound returns the type of the bounds of a range or multirange type.
func (t *pgType) bound() *pgType {
	oid := uint32(0)
	switch t.oid {
	case 3904, 4451:
		oid = 23
	case 3906, 4532:
		oid = 1700
	case 3908, 4533:
		oid = 1114
	case 3910, 4534:
		oid = 1184
	case 3912, 4535:
		oid = 1082
	case 3926, 4536:
		oid = 20
	}
	b, _ := find(oid)
	return b
}

// Type is a type as documents and tests see it.
type Type struct {
	OID, Array        uint32 // Array is 0 if there is no array type with a fixed OID.
	Label, ArrayLabel driveradapter.ColumnType
	// Binary is whether values in binary format are understood.
	Binary bool
}

// Types returns the built-in types by OID.
func Types() []Type {
	var all []Type
	for _, t := range types {
		all = append(all, Type{uint32(t.oid), uint32(t.array), t.label, arrayOf(t.label), t.form != noBinary})
	}
	return all
}

// arrayOf returns the label of arrays of what has a scalar label.
func arrayOf(label driveradapter.ColumnType) driveradapter.ColumnType {
	if label == driveradapter.UUID {
		return driveradapter.UUIDArray
	}
	return driveradapter.Int32Array + label
}
