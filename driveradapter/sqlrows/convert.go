package sqlrows

import (
	"strings"
	"time"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/driveradapter/values"
)

// column turns a driver's values into the cells of one column. It is the
// destination that database/sql scans into: a Scanner is given the driver's
// value as it is, where *any is given a copy.
type column struct {
	dialect driveradapter.Dialect
	typ     driveradapter.ColumnType
	boxes   bool // the column is a PostgreSQL box[]

	cell any
	// problem tells why the value cannot be a cell, if it cannot.
	problem string
}

// Scan makes a cell of a value. A value that cannot be one is no error here, as
// sql.Rows would hide it in a text of its own.
func (c *column) Scan(v any) error {
	c.problem = ""
	c.cell = c.convert(v)
	return nil
}

func (c *column) convert(v any) any {
	switch v := v.(type) {
	case nil, bool, int64, float64, float32:
		return v
	case string:
		return c.text(v)
	case []byte:
		// They are the driver's until the next row. A nil slice is no null:
		// database/sql, too, takes it for bytes.
		if c.typ == driveradapter.Bytes || c.dialect == driveradapter.SQLite {
			return append([]byte{}, v...)
		}
		return c.text(string(v))
	case time.Time:
		return c.time(v)
	}
	cell, err := values.Of(v)
	if err != nil {
		c.problem = err.Error()
		return nil
	}
	switch cell := cell.(type) {
	case string:
		return c.text(cell)
	case []byte:
		return append([]byte{}, cell...)
	case time.Time:
		return c.time(cell)
	}
	return cell
}

func (c *column) text(s string) any {
	if c.boxes {
		return quoteBoxes(s)
	}
	return s
}

// quoteBoxes writes the array {(1,1),(0,0);(3,3),(2,2)}, which PostgreSQL
// separates by semicolons, as others are: {"(1,1),(0,0)","(3,3),(2,2)"}. The
// text of a box holds none of ; { } ".
func quoteBoxes(s string) string {
	var b strings.Builder
	bounds, body, ok := strings.Cut(s, "=") // of [0:1]={…}
	if ok {
		b.WriteString(bounds + "=")
	} else {
		body = s
	}
	inBox := false
	for _, r := range body {
		switch {
		case r == '(' && !inBox:
			b.WriteByte('"')
			inBox = true
		case (r == ';' || r == '}') && inBox:
			b.WriteByte('"')
			inBox = false
		}
		if r == ';' {
			r = ','
		}
		b.WriteRune(r)
	}
	return b.String()
}

// time makes a cell of a time: see the package comment.
func (c *column) time(t time.Time) any {
	if c.dialect == driveradapter.MySQL && t.IsZero() {
		if c.typ == driveradapter.Date {
			return "0000-00-00"
		}
		return "0000-00-00 00:00:00"
	}
	switch c.typ {
	case driveradapter.Date:
		if c.dialect == driveradapter.SQLite {
			// The driver parsed a text. As a text it stays what it was if other
			// cells make the column no date column after all.
			if h, m, s := t.Clock(); h|m|s|t.Nanosecond() != 0 {
				return t.Format("2006-01-02 15:04:05.999999999Z07:00")
			}
			return t.Format(time.DateOnly)
		}
		// Not by time.Date, as years do not hold every time.
		_, offset := t.Zone()
		hour, minute, second := t.Clock()
		return time.Unix(t.Unix()+int64(offset)-int64(hour*3600+minute*60+second), 0).UTC()
	case driveradapter.Time:
		hour, minute, second := t.Clock()
		return time.Date(1970, 1, 1, hour, minute, second, t.Nanosecond(), time.UTC)
	}
	return t
}
