package engine

import (
	"math"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/base64"
	"github.com/rowjet/rowjet/wasm/internal/datetime"
	"github.com/rowjet/rowjet/wasm/internal/jsontext"
	"github.com/rowjet/rowjet/wasm/internal/mem"
	"github.com/rowjet/rowjet/wasm/internal/number"
	"github.com/rowjet/rowjet/wasm/internal/resultset"
	"github.com/rowjet/rowjet/wasm/internal/uuid"
)

// bigText is the length from which on a text is measured before it is written,
// so that it can't take the output past the memory limit.
const bigText = 1 << 20

// cells writes the cells of the block.
func (e *Engine) cells() int32 {
	for ; e.left > 0; e.left-- {
		if len(e.columns) > 0 {
			if label := e.columns[e.column].label; label == driveradapter.Text || label == driveradapter.Int32 {
				if e.fast(); e.left == 0 {
					break
				}
			}
		}
		if len(e.out.Buf) >= outputSize {
			return e.give(StatusFull)
		}
		if len(e.columns) == 0 {
			if !e.block.Next(&e.v) {
				return e.frameError()
			}
			if e.v.Tag >= driveradapter.TagRowLength {
				return e.markError()
			}
			if e.v.Tag != driveradapter.TagNull {
				return e.frameError()
			}
			e.emptyRow()
			continue
		}
		c := &e.columns[e.column]
		if e.column == 0 && e.row > 0 && e.shape != ShapeNDJSON {
			e.out.Byte(',')
		}
		start := len(e.out.Buf) + len(c.lead)
		e.out.Buf = append(e.out.Buf, c.lead...)
		if !e.block.Next(&e.v) {
			return e.frameError()
		}
		if e.v.Tag >= driveradapter.TagRowLength {
			return e.markError()
		}
		if code := e.cell(c); code != 0 {
			return e.failAt(code, uint32(e.column))
		}
		switch {
		case e.silent:
			e.out.Buf = e.out.Buf[:0]
		case c.hidden:
			e.out.Buf = e.out.Buf[:start]
		}
		e.column++
		if e.column == len(e.columns) {
			e.column = 0
			e.row++
			if !e.silent {
				e.endRow()
			}
		}
	}
	if !e.block.Done() {
		return e.frameError()
	}
	return StatusDone
}

func (e *Engine) endRow() {
	switch e.shape {
	case ShapeArray:
		e.out.Byte(']')
	case ShapeObjects:
		e.out.Byte('}')
	default:
		e.out.Raw("}\n")
	}
}

// emptyRow writes a row without columns.
func (e *Engine) emptyRow() {
	e.row++
	if e.silent {
		return
	}
	if e.row > 1 && e.shape != ShapeNDJSON {
		e.out.Byte(',')
	}
	e.out.Byte('{')
	if e.shape == ShapeArray {
		e.out.Buf[len(e.out.Buf)-1] = '['
	}
	e.endRow()
}

// markError is the error of a mark in place of a row or a cell.
func (e *Engine) markError() int32 {
	column := uint32(e.column)
	e.found = e.found[:0]
	var code driveradapter.Code
	switch e.v.Tag {
	case driveradapter.TagRowLength:
		e.found = appendCount(e.found, uint64(e.v.Count), " cells for ")
		e.found = appendCount(e.found, uint64(len(e.columns)), " columns")
		code = driveradapter.CodeRowLength
	case driveradapter.TagRowNotArray:
		e.found = appendClipped(e.found, e.v.Text)
		code = driveradapter.CodeRowNotArray
	default:
		e.found = appendClipped(e.found, e.v.Text)
		return e.failAt(driveradapter.CodeValueUnsupported, column)
	}
	if e.column > 0 {
		return e.frameError()
	}
	return e.failAt(code, None)
}

// cell writes the cell in e.v. If that is an error, it returns its code and
// leaves what was found in e.found.
func (e *Engine) cell(c *column) driveradapter.Code {
	if e.v.Tag == driveradapter.TagNull {
		e.out.Raw("null")
		return 0
	}
	if c.watched {
		e.classify(c)
	}
	start, nonASCII := len(e.out.Buf), e.out.NonASCII
	mark, tag, count := e.block.Mark(), e.v.Tag, uint64(e.v.Count)
	code := e.write(c)
	if code == 0 {
		return 0
	}
	e.out.Buf, e.out.NonASCII = e.out.Buf[:start], nonASCII
	if code == driveradapter.CodeFrameInvalid || code == driveradapter.CodeMemoryLimit ||
		code == driveradapter.CodeValueUnsupported {
		return code
	}
	switch {
	case code == driveradapter.CodeLabelUnsettled && !(e.dialect == driveradapter.SQLite && e.noArray(c)):
		c.seen |= seenOffset
	case e.dialect == driveradapter.SQLite:
		c.misfit = true
	default:
		return code
	}
	if e.flags&(FlagFixed|FlagSettled) != 0 {
		return driveradapter.CodeLabelUnsettled
	}
	// The label must change, so this pass only goes on to learn what to.
	e.silent = true
	e.block.Back(mark)
	if tag == driveradapter.TagObject {
		count *= 2
	}
	if tag == driveradapter.TagList || tag == driveradapter.TagObject {
		for ; count > 0; count-- {
			if !e.block.Skip(&e.item) {
				e.found = e.found[:0]
				return driveradapter.CodeFrameInvalid
			}
		}
	}
	return 0
}

// noArray reports whether the text in e.v, which has begun like an array of times
// of which one bears an offset, is no array of anything.
func (e *Engine) noArray(c *column) bool {
	if e.v.Tag != driveradapter.TagString || c.label != driveradapter.TimeArray {
		return false
	}
	start, nonASCII := len(e.out.Buf), e.out.NonASCII
	code := e.arrayLiteral(driveradapter.Text)
	e.out.Buf, e.out.NonASCII = e.out.Buf[:start], nonASCII
	return code != 0
}

// write writes the cell in e.v under the label of its column.
func (e *Engine) write(c *column) driveradapter.Code {
	element, array := c.label.Element()
	switch {
	case c.label == driveradapter.Unknown:
		return e.tree(&e.out, driveradapter.Unknown, &e.v)
	case !array:
		return e.scalar(&e.out, c, c.label, &e.v)
	case e.v.Tag == driveradapter.TagList && e.wired:
		return e.elements(element)
	case e.v.Tag == driveradapter.TagList:
		return e.array(element)
	case e.v.Tag == driveradapter.TagString:
		return e.arrayLiteral(element)
	}
	return e.wrong(driveradapter.CodeArrayInvalid, &e.v)
}

// scalar writes a value under a scalar label. c is nil inside of arrays.
func (e *Engine) scalar(w *jsontext.Writer, c *column, label driveradapter.ColumnType, v *resultset.Value) driveradapter.Code {
	if len(v.Text) >= bigText && !e.fits(w, v.Text) {
		e.found = e.found[:0]
		return driveradapter.CodeMemoryLimit
	}
	if v.Tag == driveradapter.TagNull {
		w.Raw("null")
		return 0
	}
	switch label {
	case driveradapter.Int32:
		return e.int32(w, v)
	case driveradapter.Int64:
		return e.int64(w, v)
	case driveradapter.Float, driveradapter.Double:
		return e.float(w, c, label, v)
	case driveradapter.Numeric:
		return e.decimal(w, v)
	case driveradapter.Boolean:
		return e.bool(w, v)
	case driveradapter.Character, driveradapter.Text, driveradapter.Enum, driveradapter.Set:
		return e.string(w, v)
	case driveradapter.Date, driveradapter.Time, driveradapter.DateTime:
		return e.datetime(w, label, v)
	case driveradapter.JSON:
		return e.json(w, c, v)
	case driveradapter.Bytes:
		return e.bytes(w, v)
	case driveradapter.UUID:
		return e.uuid(w, v)
	}
	return e.tree(w, driveradapter.Unknown, v)
}

// maxExactFloat32 is 2^24: up to here a 32-bit float holds every integer.
const maxExactFloat32 = 1 << 24

// fits reports whether a big text can be written without passing the memory
// limit. A text grows most as a JSON string or as base64.
func (e *Engine) fits(w *jsontext.Writer, text []byte) bool {
	size := uint64(jsontext.StringLen(text))
	if n := uint64(base64.EncodedLen(len(text))); n > size {
		size = n
	}
	return uint64(len(w.Buf))+size+1024 <= uint64(e.limit)
}

func (e *Engine) int32(w *jsontext.Writer, v *resultset.Value) driveradapter.Code {
	n, ok := v.Int, true
	switch v.Tag {
	case driveradapter.TagInt64:
	case driveradapter.TagFloat64, driveradapter.TagFloat32:
		if v.Float != math.Trunc(v.Float) || math.IsInf(v.Float, 0) {
			return e.wrong(driveradapter.CodeIntInvalid, v)
		}
		if v.Float < math.MinInt32 || v.Float > math.MaxInt32 {
			return e.wrong(driveradapter.CodeIntRange, v)
		}
		n = int64(v.Float)
	case driveradapter.TagString, driveradapter.TagBigInt:
		n, ok = number.ParseInt(v.Text)
		if !ok {
			if _, ok := number.AppendInteger(e.buf[:0], v.Text); ok {
				return e.wrong(driveradapter.CodeIntRange, v)
			}
			return e.wrong(driveradapter.CodeIntInvalid, v)
		}
	default:
		return e.wrong(driveradapter.CodeIntInvalid, v)
	}
	if n != int64(int32(n)) {
		return e.wrong(driveradapter.CodeIntRange, v)
	}
	w.Buf = number.AppendInt(w.Buf, n)
	return 0
}

func (e *Engine) int64(w *jsontext.Writer, v *resultset.Value) driveradapter.Code {
	w.Byte('"')
	ok := true
	switch v.Tag {
	case driveradapter.TagInt64:
		w.Buf = number.AppendInt(w.Buf, v.Int)
	case driveradapter.TagFloat64, driveradapter.TagFloat32:
		ok = v.Float == math.Trunc(v.Float) && !math.IsInf(v.Float, 0)
		if ok {
			w.Buf = appendWhole(w.Buf, v.Float)
		}
	case driveradapter.TagString, driveradapter.TagBigInt:
		w.Buf, ok = number.AppendInteger(w.Buf, v.Text)
	default:
		ok = false
	}
	if !ok {
		return e.wrong(driveradapter.CodeBigintInvalid, v)
	}
	w.Byte('"')
	return 0
}

func (e *Engine) float(w *jsontext.Writer, c *column, label driveradapter.ColumnType, v *resultset.Value) driveradapter.Code {
	f := v.Float
	switch v.Tag {
	case driveradapter.TagFloat64:
	case driveradapter.TagFloat32:
		// The digits of an integer are all its own; the column may become int.
		if f != math.Trunc(f) {
			label = driveradapter.Float
		}
	case driveradapter.TagInt64:
		if v.Int < -maxSafe || v.Int > maxSafe {
			return e.bigFloat(w, c, label, v, number.AppendInt(e.buf[:0], v.Int))
		}
		// Of larger integers the shortest digits for a 32-bit float are fewer.
		if label != driveradapter.Float || v.Int >= -maxExactFloat32 && v.Int <= maxExactFloat32 {
			w.Buf = number.AppendInt(w.Buf, v.Int)
			return 0
		}
		f = float64(v.Int)
	case driveradapter.TagBigInt, driveradapter.TagString:
		if v.Tag == driveradapter.TagBigInt || e.dialect == driveradapter.SQLite {
			if digits, ok := number.AppendInteger(e.buf[:0], v.Text); ok {
				return e.bigFloat(w, c, label, v, digits)
			}
		}
		var ok bool
		if f, ok = number.ParseFloat64(v.Text); !ok {
			return e.wrong(e.floatCode(c), v)
		}
	default:
		return e.wrong(e.floatCode(c), v)
	}
	if f != f || f > math.MaxFloat64 || f < -math.MaxFloat64 {
		w.Byte('"')
		w.Buf = number.AppendFloat64(w.Buf, f)
		w.Byte('"')
		return 0
	}
	appendFinite(w, label, f)
	return 0
}

// appendFinite writes a finite number with the fewest digits that its column
// needs.
func appendFinite(w *jsontext.Writer, label driveradapter.ColumnType, f float64) {
	if label == driveradapter.Float && float64(float32(f)) == f {
		w.Buf = number.AppendFloat32(w.Buf, float32(f))
		return
	}
	w.Buf = number.AppendFloat64(w.Buf, f)
}

func (e *Engine) floatCode(c *column) driveradapter.Code {
	if c != nil && c.declared == driveradapter.UnknownNumber {
		return driveradapter.CodeNumberInvalid
	}
	return driveradapter.CodeFloatInvalid
}

// bigFloat writes an integer in a floating-point column: as a double if one
// holds it, else with all its digits. In SQLite that makes the column widen.
func (e *Engine) bigFloat(w *jsontext.Writer, c *column, label driveradapter.ColumnType, v *resultset.Value, digits []byte) driveradapter.Code {
	e.buf = digits
	if e.exactDigits(digits) {
		f, _ := number.ParseFloat64(digits)
		appendFinite(w, label, f)
		return 0
	}
	if e.dialect == driveradapter.SQLite && c != nil && c.declared != driveradapter.UnknownNumber {
		return e.wrong(driveradapter.CodeFloatInvalid, v)
	}
	w.Buf = append(w.Buf, digits...)
	return 0
}

// exactDigits reports whether a double holds the integer with these canonical
// digits.
func (e *Engine) exactDigits(digits []byte) bool {
	if len(digits) < 16 {
		return true
	}
	f, ok := number.ParseFloat64(digits)
	if !ok {
		return false
	}
	e.text.Buf = appendWhole(e.text.Buf[:0], f)
	return mem.Text(e.text.Buf) == mem.Text(digits)
}

func (e *Engine) decimal(w *jsontext.Writer, v *resultset.Value) driveradapter.Code {
	w.Byte('"')
	ok := true
	switch v.Tag {
	case driveradapter.TagString, driveradapter.TagBigInt:
		w.Buf, ok = number.AppendDecimal(w.Buf, v.Text)
	case driveradapter.TagInt64:
		w.Buf = number.AppendInt(w.Buf, v.Int)
	case driveradapter.TagFloat64:
		e.buf = number.AppendFloat64(e.buf[:0], v.Float)
		w.Buf, ok = number.AppendDecimal(w.Buf, e.buf)
	case driveradapter.TagFloat32:
		e.buf = number.AppendFloat32(e.buf[:0], float32(v.Float))
		w.Buf, ok = number.AppendDecimal(w.Buf, e.buf)
	default:
		ok = false
	}
	if !ok {
		return e.wrong(driveradapter.CodeDecimalInvalid, v)
	}
	w.Byte('"')
	return 0
}

func (e *Engine) bool(w *jsontext.Writer, v *resultset.Value) driveradapter.Code {
	value, ok := false, false
	switch v.Tag {
	case driveradapter.TagFalse, driveradapter.TagTrue:
		value, ok = v.Tag == driveradapter.TagTrue, true
	case driveradapter.TagInt64:
		value, ok = v.Int == 1, v.Int == 0 || v.Int == 1
	case driveradapter.TagFloat64, driveradapter.TagFloat32:
		value, ok = v.Float == 1, v.Float == 0 || v.Float == 1
	case driveradapter.TagString:
		value, ok = parseBool(v.Text)
	}
	if !ok {
		return e.wrong(driveradapter.CodeBoolInvalid, v)
	}
	if value {
		w.Raw("true")
	} else {
		w.Raw("false")
	}
	return 0
}

// parseBool reads the words for booleans in any case.
func parseBool(text []byte) (value, ok bool) {
	// As a number: TinyGo puts an array that is sliced on the heap, which is never
	// freed.
	if len(text) > 5 || len(text) > 0 && text[0] == 0 {
		return false, false
	}
	word := uint64(0)
	for _, c := range text {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		word = word<<8 | uint64(c)
	}
	switch word {
	case 't', 't'<<24 | 'r'<<16 | 'u'<<8 | 'e', 'y'<<16 | 'e'<<8 | 's', 'o'<<8 | 'n', '1':
		return true, true
	case 'f', 'f'<<32 | 'a'<<24 | 'l'<<16 | 's'<<8 | 'e', 'n'<<8 | 'o', 'o'<<16 | 'f'<<8 | 'f', '0':
		return false, true
	}
	return false, false
}

func (e *Engine) string(w *jsontext.Writer, v *resultset.Value) driveradapter.Code {
	if v.Tag == driveradapter.TagString {
		w.String(v.Text)
		return 0
	}
	if e.dialect == driveradapter.SQLite && !e.columns[e.column].offsets() {
		return e.wrong(driveradapter.CodeTextInvalid, v)
	}
	if v.Tag == driveradapter.TagList || v.Tag == driveradapter.TagObject {
		return e.joined(w, v)
	}
	e.buf = appendText(e.buf[:0], v)
	w.String(e.buf)
	return 0
}

// offsets reports whether the column is declared as time but labelled string,
// since a cell bears an offset.
func (c *column) offsets() bool {
	return c.declared == driveradapter.Time || c.declared == driveradapter.TimeArray
}

// appendText appends the text of a value that is neither a list nor an object.
func appendText(dst []byte, v *resultset.Value) []byte {
	switch v.Tag {
	case driveradapter.TagString:
		return append(dst, v.Text...)
	case driveradapter.TagFalse:
		return append(dst, "false"...)
	case driveradapter.TagTrue:
		return append(dst, "true"...)
	case driveradapter.TagInt64:
		return number.AppendInt(dst, v.Int)
	case driveradapter.TagFloat64:
		return number.AppendFloat64(dst, v.Float)
	case driveradapter.TagFloat32:
		return number.AppendFloat32(dst, float32(v.Float))
	case driveradapter.TagBigInt:
		if text, ok := number.AppendInteger(dst, v.Text); ok {
			return text
		}
		return append(dst, v.Text...)
	case driveradapter.TagBytes:
		return jsontext.AppendBytesAsUTF8(dst, v.Text)
	case driveradapter.TagInstant:
		text, ok := datetime.AppendUnixDateTime(dst, v.Int, v.Nanosecond)
		if !ok {
			// Beyond the years that a datetime can have.
			text = number.AppendInt(append(text, "Unix second "...), v.Int)
			if v.Nanosecond != 0 {
				text = number.AppendInt(append(text, ", nanosecond "...), int64(v.Nanosecond))
			}
		}
		return text
	}
	return dst
}

// joined writes a list as the texts of its elements with commas between (a MySQL
// SET as drivers split it), an object as the text of its JSON.
func (e *Engine) joined(w *jsontext.Writer, v *resultset.Value) driveradapter.Code {
	text := &e.text
	text.Buf = text.Buf[:0]
	if v.Tag == driveradapter.TagObject {
		if code := e.tree(text, driveradapter.Unknown, v); code != 0 {
			return code
		}
		w.String(text.Buf)
		return 0
	}
	for i, n := uint32(0), v.Count; i < n; i++ {
		if i > 0 {
			text.Byte(',')
		}
		if !e.block.Next(&e.item) {
			return e.broken()
		}
		switch {
		case e.item.Tag >= driveradapter.TagRowLength:
			return e.mark(&e.item)
		case e.item.Tag == driveradapter.TagList || e.item.Tag == driveradapter.TagObject:
			if code := e.tree(text, driveradapter.Unknown, &e.item); code != 0 {
				return code
			}
		default:
			text.Buf = appendText(text.Buf, &e.item)
		}
	}
	w.String(text.Buf)
	return 0
}

func (e *Engine) datetime(w *jsontext.Writer, label driveradapter.ColumnType, v *resultset.Value) driveradapter.Code {
	start := len(w.Buf)
	w.Byte('"')
	ok := false
	switch v.Tag {
	case driveradapter.TagString:
		switch label {
		case driveradapter.DateTime:
			w.Buf, ok = datetime.AppendDateTime(w.Buf, v.Text)
		case driveradapter.Date:
			w.Buf, ok = datetime.AppendDate(w.Buf, v.Text)
		default:
			var result datetime.TimeResult
			w.Buf, result = datetime.AppendTime(w.Buf, v.Text)
			if result == datetime.HasOffset {
				w.Buf = w.Buf[:start]
				return e.wrong(driveradapter.CodeLabelUnsettled, v)
			}
			ok = result == datetime.OK
		}
		// A server's date that has no form but its text: PostgreSQL's go on to the year
		// 5,874,897, and MySQL may be told to take days that the calendar does not have.
		if !ok && e.wired && label != driveradapter.Time && !hasLetters(v.Text) {
			w.Buf = w.Buf[:start]
			w.String(v.Text)
			return 0
		}
	default:
		if label != driveradapter.Time || v.Tag == driveradapter.TagInstant {
			var seconds int64
			var nanos uint32
			if seconds, nanos, ok = unixTime(v); ok {
				ok = e.instant(w, label, seconds, nanos)
			}
		}
	}
	if !ok {
		code := driveradapter.CodeTimeInvalid
		switch label {
		case driveradapter.DateTime:
			code = driveradapter.CodeDatetimeInvalid
		case driveradapter.Date:
			code = driveradapter.CodeDateInvalid
		}
		return e.wrong(code, v)
	}
	w.Byte('"')
	return 0
}

// unixTime gives the instant, in Unix seconds and nanoseconds above them, that a value
// other than a text is: an instant, or milliseconds.
func unixTime(v *resultset.Value) (seconds int64, nanos uint32, ok bool) {
	switch v.Tag {
	case driveradapter.TagInstant:
		return v.Int, v.Nanosecond, true
	case driveradapter.TagInt64:
		seconds = floorDiv(v.Int, 1000)
		return seconds, uint32(v.Int-seconds*1000) * 1e6, true
	case driveradapter.TagFloat64:
		// Beyond this many milliseconds no form can hold the year.
		if v.Float > -1e17 && v.Float < 1e17 {
			whole := math.Floor(v.Float / 1000)
			nanos := int64(math.RoundToEven((v.Float - whole*1000) * 1e6))
			if nanos >= 1e9 {
				whole++
				nanos -= 1e9
			}
			return int64(whole), uint32(nanos), true
		}
	}
	return 0, 0, false
}

// hasLetters reports whether a text has other than digits and the marks of dates.
func hasLetters(text []byte) bool {
	for _, c := range text {
		if c > ':' {
			return true
		}
	}
	return false
}

func (e *Engine) instant(w *jsontext.Writer, label driveradapter.ColumnType, seconds int64, nanos uint32) (ok bool) {
	switch label {
	case driveradapter.DateTime:
		w.Buf, ok = datetime.AppendUnixDateTime(w.Buf, seconds, nanos)
	case driveradapter.Date:
		w.Buf, ok = datetime.AppendUnixDate(w.Buf, seconds, nanos)
	default:
		w.Buf, ok = datetime.AppendUnixTime(w.Buf, seconds, nanos)
	}
	return ok
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func (e *Engine) json(w *jsontext.Writer, c *column, v *resultset.Value) driveradapter.Code {
	asText := e.flags&FlagJSONText != 0
	text := v.Text
	switch v.Tag {
	case driveradapter.TagBytes:
		if e.dialect == driveradapter.SQLite {
			return e.wrong(driveradapter.CodeJsonInvalid, v)
		}
		e.buf = jsontext.AppendBytesAsUTF8(e.buf[:0], v.Text)
		text = e.buf
	case driveradapter.TagString:
	default:
		if !asText {
			return e.tree(w, driveradapter.JSON, v)
		}
		e.text.Buf = e.text.Buf[:0]
		if code := e.tree(&e.text, driveradapter.JSON, v); code != 0 {
			return code
		}
		w.String(e.text.Buf)
		return 0
	}
	if asText {
		e.text.Buf = e.text.Buf[:0]
		if e.text.JSON(text, false) {
			w.String(text)
			return 0
		}
	} else if w.JSON(text, e.shape == ShapeNDJSON) {
		return 0
	}
	// SQLite keeps any text in a column that is called JSON.
	if e.dialect == driveradapter.SQLite && v.Tag == driveradapter.TagString {
		if !asText {
			w.String(text)
			return 0
		}
		e.text.Buf = e.text.Buf[:0]
		e.text.String(text)
		w.String(e.text.Buf)
		return 0
	}
	return e.wrong(driveradapter.CodeJsonInvalid, v)
}

func (e *Engine) bytes(w *jsontext.Writer, v *resultset.Value) driveradapter.Code {
	data, code := e.octetsOf(v)
	if code != 0 {
		return code
	}
	w.Byte('"')
	w.Buf = base64.Append(w.Buf, data)
	w.Byte('"')
	return 0
}

// octetsOf returns the bytes that a value in a bytes column stands for, valid
// until e.buf is used again.
func (e *Engine) octetsOf(v *resultset.Value) ([]byte, driveradapter.Code) {
	switch v.Tag {
	case driveradapter.TagBytes:
		return v.Text, 0
	case driveradapter.TagString:
		e.buf = jsontext.AppendUTF8(e.buf[:0], v.Text)
		return e.buf, 0
	case driveradapter.TagList:
		code := e.octets(v.Count)
		return e.buf, code
	case driveradapter.TagObject:
		code := e.octetObject(v.Count)
		return e.buf, code
	}
	return nil, e.wrong(driveradapter.CodeBytesInvalid, v)
}

// octets gathers the next n values, whole numbers from 0 to 255, in e.buf.
func (e *Engine) octets(n uint32) driveradapter.Code {
	e.buf = e.buf[:0]
	for ; n > 0; n-- {
		if !e.block.Next(&e.octet) {
			return e.broken()
		}
		if !e.appendOctet() {
			return e.wrongOctet()
		}
	}
	return 0
}

func (e *Engine) appendOctet() bool {
	v := &e.octet
	n := v.Int
	if v.Tag == driveradapter.TagFloat64 && v.Float >= 0 && v.Float <= 255 && v.Float == math.Trunc(v.Float) {
		n = int64(v.Float)
	} else if v.Tag != driveradapter.TagInt64 {
		return false
	}
	if n < 0 || n > 255 {
		return false
	}
	e.buf = append(e.buf, byte(n))
	return true
}

func (e *Engine) wrongOctet() driveradapter.Code {
	if e.octet.Tag >= driveradapter.TagRowLength {
		return e.mark(&e.octet)
	}
	code := e.wrong(driveradapter.CodeBytesInvalid, &e.octet)
	e.found = append(append(e.found, " among"...), " the bytes"...)
	return code
}

// octetObject reads the JSON forms that byte arrays have in JavaScript:
// {"type":"Buffer","data":[…]} of Buffer, {"0":…,"1":…} of Uint8Array.
func (e *Engine) octetObject(members uint32) driveradapter.Code {
	e.buf = e.buf[:0]
	for i := uint32(0); i < members; i++ {
		if !e.block.Next(&e.octet) || e.octet.Tag != driveradapter.TagString {
			return e.broken()
		}
		if i == 0 && members == 2 && mem.Text(e.octet.Text) == "type" {
			return e.bufferObject()
		}
		if index, ok := number.ParseInt(e.octet.Text); !ok || index != int64(i) {
			return e.wrong(driveradapter.CodeBytesInvalid, &e.v)
		}
		if !e.block.Next(&e.octet) {
			return e.broken()
		}
		if !e.appendOctet() {
			return e.wrongOctet()
		}
	}
	return 0
}

func (e *Engine) bufferObject() driveradapter.Code {
	if !e.block.Next(&e.octet) {
		return e.broken()
	}
	if e.octet.Tag != driveradapter.TagString || mem.Text(e.octet.Text) != "Buffer" {
		return e.wrong(driveradapter.CodeBytesInvalid, &e.v)
	}
	if !e.block.Next(&e.octet) || e.octet.Tag != driveradapter.TagString {
		return e.broken()
	}
	if mem.Text(e.octet.Text) != "data" {
		return e.wrong(driveradapter.CodeBytesInvalid, &e.v)
	}
	if !e.block.Next(&e.octet) {
		return e.broken()
	}
	if e.octet.Tag != driveradapter.TagList {
		return e.wrong(driveradapter.CodeBytesInvalid, &e.v)
	}
	return e.octets(e.octet.Count)
}

func (e *Engine) uuid(w *jsontext.Writer, v *resultset.Value) driveradapter.Code {
	ok := false
	w.Byte('"')
	switch v.Tag {
	case driveradapter.TagString:
		w.Buf, ok = uuid.AppendText(w.Buf, v.Text)
	case driveradapter.TagBytes:
		w.Buf, ok = uuid.AppendRaw(w.Buf, v.Text)
	}
	if !ok {
		return e.wrong(driveradapter.CodeUuidInvalid, v)
	}
	w.Byte('"')
	return 0
}
