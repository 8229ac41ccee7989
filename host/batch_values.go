package host

import (
	"bytes"
	"encoding/json"
	"math/big"

	"github.com/google/uuid"
	"github.com/rowjet/rowjet/driveradapter"
	"github.com/shopspring/decimal"
)

// Value returns a cell as the Go value that is usual for its column's type. It
// is the caller's; the other methods, which copy nothing, are for where time
// matters.
//
//	NULL                       nil
//	Int32                      int32
//	Int64                      int64; a *big.Int if it does not fit
//	Float, Double              float64
//	Numeric                    decimal.Decimal
//	Boolean                    bool
//	DateTime                   time.Time, in UTC
//	UUID                       uuid.UUID
//	Bytes                      []byte
//	JSON, Unknown, arrays      json.RawMessage
//	all others                 string
//
// What no such value can hold, such as NaN as a decimal, infinity as a time or
// the zero dates of MySQL, is its text as a string.
func (c *BatchColumn) Value(row int) any {
	if c.IsNull(row) {
		return nil
	}
	if extra := c.Extra(row); extra != nil {
		return c.extraValue(extra)
	}
	switch c.Form {
	case FormInt32:
		return c.Int32s[row]
	case FormInt64:
		return c.Int64s[row]
	case FormFloat64:
		return c.Float64s[row]
	case FormBool:
		return c.Bools[row]
	case FormTime:
		return c.Time(row)
	case FormBytes:
		return bytes.Clone(c.Bytes(row))
	case FormJSON:
		return json.RawMessage(bytes.Clone(c.Text(row)))
	}
	text := string(c.Text(row))
	switch c.Type {
	case driveradapter.Numeric:
		if d, err := decimal.NewFromString(text); err == nil {
			return d
		}
	case driveradapter.UUID:
		if u, err := uuid.Parse(text); err == nil {
			return u
		}
	}
	return text
}

// extraValue is Value for a cell that its column has no place for.
func (c *BatchColumn) extraValue(extra []byte) any {
	var text string
	if json.Unmarshal(extra, &text) != nil {
		return json.RawMessage(bytes.Clone(extra))
	}
	if c.Form == FormInt64 {
		if n, ok := new(big.Int).SetString(text, 10); ok {
			return n
		}
	}
	return text
}
