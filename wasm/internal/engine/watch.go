package engine

import (
	"math"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/number"
)

// What the cells of a watched column are.
const (
	seenInt32    uint8 = 1 << iota // integers that fit 32 bits
	seenInt                        // other integers
	seenInexact                    // integers that no double holds
	seenFraction                   // numbers that are no integers, or not exact ones
	seenNegZero                    // negative zero
	seenOffset                     // a time of day with an offset
	seenOther                      // anything else but null
)

// maxSafe is 2^53 - 1: up to here a JavaScript number stands for one integer.
const maxSafe = 1<<53 - 1

// plan sets the column up for a pass.
func (c *column) plan(e *Engine, i int) {
	c.label = c.declared
	c.watched = false
	switch {
	case e.flags&FlagSettled != 0:
		c.label = driveradapter.ColumnType(e.labels[i])
	case e.flags&FlagUnknown != 0 && e.dialect == driveradapter.SQLite,
		e.flags&FlagFixed != 0 && c.declared == driveradapter.UnknownNumber:
		c.label = driveradapter.Unknown
	case e.flags&FlagFixed != 0:
	default:
		c.watched = e.dialect == driveradapter.SQLite || c.declared == driveradapter.UnknownNumber
	}
	// Until its label is known, an unknown number is written as a double: an
	// integer looks the same then as in an int column.
	if c.label == driveradapter.UnknownNumber {
		c.label = driveradapter.Double
	}
	e.labels[i] = uint32(c.label)
	c.sheet.plan(c.label)
}

// settle decides the labels at the end of a pass. It reports whether what was
// written does not hold under them.
func (e *Engine) settle() bool {
	if e.flags&(FlagSettled|FlagFixed) != 0 || e.flags&FlagUnknown != 0 && e.dialect == driveradapter.SQLite {
		return false
	}
	changed := e.silent
	for i := range e.columns {
		c := &e.columns[i]
		label := c.decide(e.row, e.dialect)
		// In JSON what was written as a double serves as int too, but for -0.
		same := label == c.label ||
			e.shape != ShapeBatch && c.declared == driveradapter.UnknownNumber && !c.misfit &&
				(label == driveradapter.Int32 && c.seen&seenNegZero == 0 || label == driveradapter.Unknown && c.seen == 0)
		if !same {
			changed = true
		}
		c.label = label
		e.labels[i] = uint32(label)
	}
	return changed
}

// decide returns the column's label after a pass over rows rows.
func (c *column) decide(rows uint64, dialect driveradapter.Dialect) driveradapter.ColumnType {
	unknownNumber := c.declared == driveradapter.UnknownNumber
	switch {
	case unknownNumber && rows == 0:
		return driveradapter.Unknown
	case unknownNumber && c.seen&seenOther == 0:
		return c.number(dialect)
	case !c.misfit && c.seen&seenOffset != 0:
		if _, array := c.declared.Element(); array {
			return driveradapter.TextArray
		}
		return driveradapter.Text
	case !c.misfit && !unknownNumber:
		return c.declared
	case c.seen&(seenOther|seenOffset) != 0:
		return driveradapter.Unknown
	}
	return c.number(dialect)
}

// number returns the smallest number type that holds all cells. Only SQLite mixes
// fractions with integers that no double holds; elsewhere a fraction makes the
// column double, and such integers keep their digits as JSON numbers.
func (c *column) number(dialect driveradapter.Dialect) driveradapter.ColumnType {
	switch {
	case c.seen&seenFraction != 0 && c.seen&seenInexact != 0 && dialect == driveradapter.SQLite:
		return driveradapter.Unknown
	case c.seen&seenFraction != 0:
		return driveradapter.Double
	case c.seen&seenInt != 0:
		return driveradapter.Int64
	}
	return driveradapter.Int32
}

// classify takes note of the cell in e.v.
func (e *Engine) classify(c *column) {
	v := &e.v
	switch v.Tag {
	case driveradapter.TagNull:
	case driveradapter.TagInt64:
		c.seen |= classOfInt(v.Int)
	case driveradapter.TagFloat64, driveradapter.TagFloat32:
		c.seen |= classOfFloat(v.Float)
	case driveradapter.TagBigInt:
		c.seen |= e.classOfDigits(v.Text)
	case driveradapter.TagString:
		if isNumber(c.declared) {
			c.seen |= e.classOfDigits(v.Text)
		} else {
			c.seen |= seenOther
		}
	default:
		c.seen |= seenOther
	}
}

func isNumber(t driveradapter.ColumnType) bool {
	return t <= driveradapter.Double || t == driveradapter.Boolean || t == driveradapter.UnknownNumber
}

func classOfInt(v int64) uint8 {
	switch {
	case v == int64(int32(v)):
		return seenInt32
	case v >= -maxSafe-1 && v <= maxSafe+1, exact(v):
		return seenInt
	}
	return seenInt | seenInexact
}

func exact(v int64) bool {
	f := float64(v)
	return f < 1<<63 && int64(f) == v
}

func classOfFloat(f float64) uint8 {
	switch {
	case f == 0 && math.Signbit(f):
		return seenInt32 | seenNegZero
	case f == float64(int32(f)):
		return seenInt32
	case f >= -maxSafe && f <= maxSafe && f == float64(int64(f)):
		return seenInt
	}
	return seenFraction
}

// classOfDigits classifies a string of digits or other text.
func (e *Engine) classOfDigits(text []byte) uint8 {
	if v, ok := number.ParseInt(text); ok {
		if v == 0 && text[0] == '-' {
			return seenInt32 | seenNegZero
		}
		return classOfInt(v)
	}
	digits, ok := number.AppendInteger(e.buf[:0], text)
	if !ok {
		if e.dialect == driveradapter.SQLite {
			return seenOther
		}
		if _, ok := number.ParseFloat64(text); ok {
			return seenFraction
		}
		return seenOther
	}
	e.buf = digits
	if e.exactDigits(digits) {
		return seenInt
	}
	return seenInt | seenInexact
}
