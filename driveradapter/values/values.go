package values

import (
	"database/sql/driver"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/rowjet/rowjet/driveradapter"
	"github.com/shopspring/decimal"
)

// maxDepth bounds how deep values may nest, so that a value that contains
// itself is an error and no stack overflow, which would end the process.
const maxDepth = 1000

// maxDigits is the number of digits up to which the exponent of a decimal is
// written out. 1e1000000000 is a 20-byte value in memory: its digits must not
// become a gigabyte. The modules keep such numbers in exponent form too.
const maxDigits = 1000

// Of returns the cell for a Go value, by the table in the package comment: a
// value of one of the types listed at driveradapter.ResultSet. The cell may
// share memory with v. The error tells what v is and why it cannot be a cell.
func Of(v any) (cell any, err error) {
	if cell, ok := plain(v); ok {
		return cell, nil
	}
	defer func() {
		if p := recover(); p != nil {
			cell, err = nil, fmt.Errorf("a %T whose method panicked: %v", v, p)
		}
	}()
	return of(v, 0)
}

// Row replaces the cells of a row, in place, by those that Of returns for them.
// The error names the column by its index.
func Row(row []any) error {
	for i, v := range row {
		cell, err := Of(v)
		if err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
		row[i] = cell
	}
	return nil
}

// plain returns the cell for values whose methods need not be called, or that
// have methods known not to panic.
func plain(v any) (cell any, ok bool) {
	switch v := v.(type) {
	case nil, bool,
		int, int8, int16, int32, int64,
		uint, uint8, uint16, uint32, uint64,
		float32, float64, string, time.Time,
		driveradapter.BigInt, driveradapter.JSONText:
		return v, true
	case []byte:
		return orNull(v, v == nil), true
	case []string:
		return orNull(v, v == nil), true
	case []int64:
		return orNull(v, v == nil), true
	case []float64:
		return orNull(v, v == nil), true
	case []bool:
		return orNull(v, v == nil), true
	case json.RawMessage:
		if v == nil {
			return nil, true
		}
		return driveradapter.JSONText(v), true
	case json.Number:
		return string(v), true
	case decimal.Decimal:
		return decimalText(v), true
	case decimal.NullDecimal:
		if !v.Valid {
			return nil, true
		}
		return decimalText(v.Decimal), true
	case uuid.UUID:
		return v.String(), true
	case uuid.NullUUID:
		if !v.Valid {
			return nil, true
		}
		return v.UUID.String(), true
	case [16]byte:
		return v[:], true
	case big.Int:
		return driveradapter.BigInt(v.String()), true
	case big.Rat:
		return ratText(&v), true
	case big.Float:
		return floatText(&v), true
	case netip.Addr:
		if !v.IsValid() {
			return nil, true
		}
		return v.String(), true
	case netip.Prefix:
		if !v.IsValid() {
			return nil, true
		}
		return v.String(), true
	case netip.AddrPort:
		if !v.IsValid() {
			return nil, true
		}
		return v.String(), true
	case net.IP:
		if len(v) == 0 {
			return nil, true
		}
		return v.String(), true
	case net.IPNet:
		if len(v.IP) == 0 {
			return nil, true
		}
		return v.String(), true
	case net.HardwareAddr:
		if v == nil {
			return nil, true
		}
		return v.String(), true
	}
	return nil, false
}

// orNull returns nil for a nil slice, which is null, not an empty list.
func orNull(v any, isNil bool) any {
	if isNil {
		return nil
	}
	return v
}

func of(v any, depth int) (any, error) {
	if cell, ok := plain(v); ok {
		return cell, nil
	}
	if depth > maxDepth {
		return nil, errors.New("a value nested deeper than " + strconv.Itoa(maxDepth) + " levels, or one that contains itself")
	}
	depth++

	switch v := v.(type) {
	case []any:
		if v == nil {
			return nil, nil
		}
		list := make([]any, len(v))
		for i, x := range v {
			cell, err := of(x, depth)
			if err != nil {
				return nil, err
			}
			list[i] = cell
		}
		return list, nil
	case driveradapter.Object:
		object := make(driveradapter.Object, len(v))
		for i, m := range v {
			cell, err := of(m.Value, depth)
			if err != nil {
				return nil, err
			}
			object[i] = driveradapter.Member{Key: m.Key, Value: cell}
		}
		return object, nil
	}

	rv := reflect.ValueOf(v)
	if rv.Kind() == reflect.Pointer {
		if rv.IsNil() {
			return nil, nil
		}
		// *decimal.Decimal and *time.Time have the methods of what they point
		// to, which would be called below, instead of the better conversion.
		elem := rv.Elem().Interface()
		if _, isValuer := elem.(driver.Valuer); isValuer {
			return of(elem, depth)
		}
		if cell, ok := plain(elem); ok {
			return cell, nil
		}
	}
	if rv.Kind() == reflect.Struct && rv.Type().PkgPath() == "database/sql" && strings.HasPrefix(rv.Type().Name(), "Null[") {
		// The Value method of sql.Null[decimal.Decimal] calls that of the
		// decimal, which drops the scale.
		if !rv.FieldByName("Valid").Bool() {
			return nil, nil
		}
		return of(rv.FieldByName("V").Interface(), depth)
	}

	switch v := v.(type) {
	case driver.Valuer:
		inner, err := v.Value()
		if err != nil {
			return nil, fmt.Errorf("a %T whose Value method failed: %w", v, err)
		}
		return of(inner, depth)
	case driveradapter.Instant:
		nanosecond := v.Nanosecond()
		if nanosecond < 0 || nanosecond >= 1e9 {
			return nil, fmt.Errorf("a %T whose Nanosecond method returned %d", v, nanosecond)
		}
		return time.Unix(v.Unix(), int64(nanosecond)).UTC(), nil
	case error:
		return v.Error(), nil
	case fmt.Stringer:
		return v.String(), nil
	case encoding.TextMarshaler:
		text, err := v.MarshalText()
		if err != nil {
			return nil, fmt.Errorf("a %T whose MarshalText method failed: %w", v, err)
		}
		return string(text), nil
	}

	switch rv.Kind() {
	case reflect.Pointer:
		return of(rv.Elem().Interface(), depth)
	case reflect.Bool:
		return rv.Bool(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return rv.Int(), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return rv.Uint(), nil
	case reflect.Float32:
		return float32(rv.Float()), nil
	case reflect.Float64:
		return rv.Float(), nil
	case reflect.Complex64, reflect.Complex128:
		return fmt.Sprint(v), nil
	case reflect.String:
		return rv.String(), nil
	case reflect.Slice:
		if rv.IsNil() {
			return nil, nil
		}
		if rv.Type().Elem().Kind() == reflect.Uint8 {
			return rv.Bytes(), nil
		}
		return listOf(rv, depth)
	case reflect.Array:
		if rv.Type().Elem().Kind() == reflect.Uint8 {
			b := make([]byte, rv.Len())
			reflect.Copy(reflect.ValueOf(b), rv)
			return b, nil
		}
		return listOf(rv, depth)
	case reflect.Map, reflect.Struct:
		if rv.Kind() == reflect.Map && rv.IsNil() {
			return nil, nil
		}
		text, err := json.Marshal(v)
		if err != nil {
			// Not its text instead: fmt does not look out for values that contain
			// themselves, and the overflow of the stack would end the process.
			return nil, fmt.Errorf("a %T that JSON can't hold: %w", v, err)
		}
		return driveradapter.JSONText(text), nil
	}
	return nil, fmt.Errorf("a %T, which is no data", v)
}

func listOf(rv reflect.Value, depth int) (any, error) {
	list := make([]any, rv.Len())
	for i := range list {
		cell, err := of(rv.Index(i).Interface(), depth)
		if err != nil {
			return nil, err
		}
		list[i] = cell
	}
	return list, nil
}

// decimalText keeps the scale, which decimal.Decimal.String drops.
func decimalText(d decimal.Decimal) string {
	exponent := int(d.Exponent())
	if exponent > maxDigits || exponent < -maxDigits {
		return d.Coefficient().String() + "e" + strconv.Itoa(exponent)
	}
	if exponent < 0 {
		return d.StringFixed(int32(-exponent))
	}
	return d.String()
}

func ratText(r *big.Rat) string {
	if digits, exact := r.FloatPrec(); exact && digits <= maxDigits {
		return r.FloatString(digits)
	}
	return r.RatString()
}

// floatText writes infinities as the column types do: Infinity, not +Inf.
func floatText(f *big.Float) string {
	if !f.IsInf() {
		return f.Text('g', -1)
	}
	if f.Signbit() {
		return "-Infinity"
	}
	return "Infinity"
}
