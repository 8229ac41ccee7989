// Package values turns Go values into cells of a driveradapter.ResultSet: the
// values that database/sql drivers, pgx and hand-written code put into a row.
//
// # Accepted Go types
//
// The first row that fits decides. "Number", "text" and so on are what the
// value is taken for; the column's type decides what JSON it becomes.
//
//	Go type                                    cell
//	nil, a nil pointer, slice or map (but not  null
//	    a nil Object), an invalid sql.Null*
//	bool and the numeric types                 bool, number (float32 keeps its short digits)
//	string                                     text
//	[]byte, [N]byte (also [16]byte)            bytes; 16 bytes are a UUID in a uuid column
//	time.Time, or any driveradapter.Instant    the instant; its wall clock in date and time columns
//	driveradapter.BigInt, JSONText, Object     as they are
//	big.Int, big.Rat, big.Float                digits; a big.Rat without finite digits is "1/3"
//	decimal.Decimal                            digits with the scale it has: 1.10 stays 1.10
//	uuid.UUID                                  text
//	json.RawMessage                            JSON
//	json.Number                                text
//	netip.Addr, netip.Prefix, netip.AddrPort,  text; the zero value is null
//	    net.IP, net.IPNet, net.HardwareAddr
//	driver.Valuer: sql.NullString, sql.Null,   what its Value method returns, by this table
//	    decimal.NullDecimal, pgtype.Numeric …
//	error, fmt.Stringer,                       text
//	    encoding.TextMarshaler
//	a pointer                                  what it points to
//	types made from the basic types            as the basic type
//	slices and arrays                          a list of their elements, by this table
//	maps and structs                           JSON, as encoding/json writes it
//	complex numbers                            text, as fmt.Sprint writes it
//	functions, channels, unsafe pointers       an error
//
// The methods of a value are somebody else's code: if one panics, the value is
// an error that tells so.
package values
