package conformance

import (
	"fmt"
	"testing"
	"time"

	"github.com/rowjet/rowjet/driveradapter"
)

// TestEncoder runs the cases through the encoder that Go hosts use.
func TestEncoder(t *testing.T) {
	bodies := nativeBodies()
	passed, failed, other := 0, 0, 0
	for _, c := range loadCases(t) {
		frame, ok := c.encoded()
		if !ok {
			other++
			continue
		}
		for _, dialect := range c.dialects() {
			if err := c.check(bodies[dialect], frame, frameStyles[0]); err != nil {
				failed++
				t.Errorf("%s: %s (%s): %v", c.file, c.Name, dialect, err)
				continue
			}
			passed++
		}
	}
	// Rows that are no lists, and codes beyond a byte.
	if other > 20 {
		t.Errorf("%d cases can't be said in Go", other)
	}
	fmt.Printf("conformance: native Go, driveradapter.Encoder: %d passed, %d failed\n", passed, failed)
}

// encoded is the frame of a case by driveradapter.Encoder; not ok if Go has no
// words for the case.
func (c *testCase) encoded() (frame []byte, ok bool) {
	var names []string
	for _, name := range c.names {
		names = append(names, string(wtf8(name.units)))
	}
	var types []driveradapter.ColumnType
	for _, code := range c.Types {
		if code > 255 {
			return nil, false
		}
		types = append(types, driveradapter.ColumnType(code))
	}
	frame = driveradapter.AppendColumns(nil, names, types)
	var rows driveradapter.Encoder
	for i, row := range c.rows {
		if row.kind != isList {
			return nil, false
		}
		cells := make([]any, len(row.list))
		for k, cell := range row.list {
			cells[k] = goValue(cell)
		}
		rows.Row(cells, len(types))
		if i%4 == 3 {
			frame = rows.AppendBlock(frame)
		}
	}
	if !rows.Empty() {
		frame = rows.AppendBlock(frame)
	}
	return frame, true
}

// goValue is a value as Go code has it.
func goValue(v value) any {
	switch v.kind {
	case isBool:
		return v.truth
	case isNumber:
		return v.number
	case isBigInt:
		return driveradapter.BigInt(v.digits.String())
	case isString:
		return string(wtf8(v.units))
	case isBytes:
		return v.bytes
	case isInstant:
		return time.UnixMilli(v.ms)
	case isList:
		items := make([]any, len(v.list))
		for i, item := range v.list {
			items[i] = goValue(item)
		}
		return items
	case isObject:
		members := driveradapter.Object{}
		for i := 0; i < len(v.list); i += 2 {
			members = append(members, driveradapter.Member{Key: string(wtf8(v.list[i].units)), Value: goValue(v.list[i+1])})
		}
		return members
	case isUnsupported:
		return func() {}
	}
	return nil
}
