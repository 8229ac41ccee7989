package datetime

const (
	secondsPerDay = 86400
	// maxYear is the greatest year that an expanded year can hold, either side of 0.
	maxYear = 999999
	// farYear is the last year of PostgreSQL's dates; those after maxYear keep their text.
	farYear = 5874897
	// maxUTCOffset is above every offset that a zone can have, in seconds.
	maxUTCOffset = 24 * 3600
)

// kind tells what a text denotes.
type kind uint8

const (
	malformed kind = iota
	instant
	infinite
	negInfinite
	zeroDate // a month or day is 0; of the other fields only dateTo is set
	farDate  // a date after maxYear, without a clock, zone or era; likewise
)

// text is a parsed date-time text. Positions are indexes in that text.
type text struct {
	kind         kind
	hasClock     bool
	year         int32  // astronomical: 0 is 1 BC
	month, day   uint32 // from 1; a day that the month has
	second       int32  // of the day as written, 0 to 86,400
	leap         uint32 // 1 if the second was written as 60; then second counts 59
	offset       int32  // seconds east of UTC
	dateTo       int    // end of the date
	fractionFrom int    // the digits of the fraction
	fractionTo   int
}

// parse reads a text that has no spaces at its ends.
func parse(b []byte) (t text) {
	if k := parseInfinity(b); k != malformed {
		t.kind = k
		return
	}

	i := 0
	var sign byte
	if len(b) != 0 && (b[0] == '+' || b[0] == '-') {
		sign = b[0]
		i = 1
	}
	yearFrom, year := i, int32(0)
	for ; i < len(b) && isDigit(b[i]); i++ {
		year = year*10 + int32(b[i]-'0')
		if year > farYear {
			return
		}
	}
	if i == yearFrom || i == len(b) || b[i] != '-' {
		return
	}
	month, next := parseShort(b, i+1)
	if next == i+1 || next == len(b) || b[next] != '-' {
		return
	}
	i = next + 1
	day, next := parseShort(b, i)
	if next == i || month > 12 || day > 31 {
		return
	}
	i = next
	t.dateTo = i

	// A clock follows a T always, spaces only if a digit comes next: a zone or
	// an era may follow them as well.
	j := i
	if i < len(b) && b[i]|0x20 == 't' {
		j = i + 1
	} else if k := skipSpaces(b, i); k > i && k < len(b) && isDigit(b[k]) {
		j = k
	}
	if j > i {
		hour, next := parseShort(b, j)
		if next == j {
			return
		}
		c := parseClockRest(b, next)
		if !c.ok || hour > 24 {
			return
		}
		t.fractionFrom, t.fractionTo = c.fractionFrom, c.fractionTo
		if hour == 24 && (c.second != 0 || c.leap != 0 || !allZeros(b[c.fractionFrom:c.fractionTo])) {
			return
		}
		t.hasClock = true
		t.second = int32(hour*3600 + c.second)
		t.leap = c.leap
		i = c.next
	}

	hasZone, era := false, byte(0)
	for i < len(b) {
		j := skipSpaces(b, i)
		if !hasZone {
			if z := parseZone(b, j); z.next > j {
				t.offset = z.offset
				i = z.next
				hasZone = true
				continue
			}
		}
		if era != 0 || j == i || !hasPrefix(b[j:], "BC") && !hasPrefix(b[j:], "AD") {
			return
		}
		era = b[j]
		i = j + 2
	}

	if month == 0 || day == 0 {
		// The text is the result, so it has to be one that a server prints.
		if sign == 0 && era == 0 && !hasControl(b) {
			t.kind = zeroDate
		}
		return
	}
	if era != 0 {
		// Eras count from 1 and have no signs.
		if sign != 0 || year == 0 {
			return
		}
		if era == 'B' {
			year = 1 - year
		}
	} else if sign == '-' {
		year = -year
	}
	// 1000000 BC is the year -999999, so this can't be known before.
	if year < -maxYear || day > daysIn(year, month) {
		return
	}
	if year > maxYear {
		if sign == 0 && t.dateTo == len(b) {
			t.kind = farDate
		}
		return
	}
	t.year, t.month, t.day = year, month, day
	t.kind = instant
	return
}

// parseInfinity knows PostgreSQL's infinity and -infinity, in any case since a
// driver may have made them JavaScript's Infinity, with or without the +00:00 that
// an adapter appends to all of its timestamps.
func parseInfinity(b []byte) kind {
	k := infinite
	if len(b) != 0 && b[0] == '-' {
		k = negInfinite
		b = b[1:]
	}
	if len(b) < len(infinityText) {
		return malformed
	}
	for i := 0; i < len(infinityText); i++ {
		if b[i]|0x20 != infinityText[i] {
			return malformed
		}
	}
	rest := b[len(infinityText):]
	if len(rest) == 0 || len(rest) == 6 && hasPrefix(rest, "+00:00") {
		return k
	}
	return malformed
}

// clock is what follows the hour.
type clock struct {
	ok                       bool
	second                   uint32 // of the hour, 0 to 3,599
	leap                     uint32 // 1 if the second was written as 60; then second counts 59
	fractionFrom, fractionTo int
	next                     int
}

// parseClockRest reads ":MM[:SS[.fraction]]" at b[i:].
func parseClockRest(b []byte, i int) (c clock) {
	if i >= len(b) || b[i] != ':' {
		return
	}
	minute, next := parseShort(b, i+1)
	if next == i+1 || minute > 59 {
		return
	}
	c.second = minute * 60
	i = next
	if i < len(b) && b[i] == ':' {
		second, next := parseShort(b, i+1)
		if next == i+1 || second > 60 {
			return
		}
		if second == 60 {
			second = 59
			c.leap = 1
		}
		c.second += second
		i = next
		if i < len(b) && b[i] == '.' {
			i++
			c.fractionFrom = i
			for i < len(b) && isDigit(b[i]) {
				i++
			}
			c.fractionTo = i
			if i == c.fractionFrom {
				return
			}
		}
	}
	c.next = i
	c.ok = true
	return
}

// zone is a parsed zone; next is where it began if there was none.
type zone struct {
	offset int32 // seconds east of UTC
	next   int
}

// parseZone reads a zone at b[i:].
func parseZone(b []byte, i int) zone {
	none := zone{0, i}
	if i == len(b) {
		return none
	}
	switch c := b[i]; c {
	case 'Z', 'z':
		return zone{0, i + 1}
	case 'U':
		if hasPrefix(b[i:], "UTC") {
			return zone{0, i + 3}
		}
	case 'G':
		if hasPrefix(b[i:], "GMT") {
			return zone{0, i + 3}
		}
	case '+', '-':
		hour, ok := parsePair(b, i+1)
		if !ok {
			return none
		}
		offset := int32(hour) * 3600
		j := i + 3
		if j < len(b) && isDigit(b[j]) {
			minute, ok := parsePair(b, j)
			if !ok || minute > 59 {
				return none
			}
			offset += int32(minute) * 60
			j += 2
		} else {
			for unit := int32(60); unit != 0 && j < len(b) && b[j] == ':'; unit /= 60 {
				v, ok := parsePair(b, j+1)
				if !ok || v > 59 {
					return none
				}
				offset += int32(v) * unit
				j += 3
			}
		}
		if offset >= maxUTCOffset {
			return none
		}
		if c == '-' {
			offset = -offset
		}
		return zone{offset, j}
	}
	return none
}

// parseShort reads one or two digits at b[i:]; next is i if there are none.
func parseShort(b []byte, i int) (v uint32, next int) {
	if i >= len(b) || !isDigit(b[i]) {
		return 0, i
	}
	v = uint32(b[i] - '0')
	i++
	if i < len(b) && isDigit(b[i]) {
		v = v*10 + uint32(b[i]-'0')
		i++
	}
	return v, i
}

// parsePair reads two digits at b[i:].
func parsePair(b []byte, i int) (uint32, bool) {
	if len(b)-i < 2 || !isDigit(b[i]) || !isDigit(b[i+1]) {
		return 0, false
	}
	return uint32(b[i]-'0')*10 + uint32(b[i+1]-'0'), true
}

// hasPrefix does without a conversion to string, for which TinyGo allocates.
func hasPrefix(b []byte, prefix string) bool {
	if len(b) < len(prefix) {
		return false
	}
	for i := 0; i < len(prefix); i++ {
		if b[i] != prefix[i] {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return c-'0' < 10 }

// isSpace: the white space of ASCII.
func isSpace(c byte) bool { return c == ' ' || c-'\t' < 5 }

func skipSpaces(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

func trim(b []byte) []byte {
	for len(b) != 0 && isSpace(b[0]) {
		b = b[1:]
	}
	for len(b) != 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func hasControl(b []byte) bool {
	for _, c := range b {
		if c < ' ' {
			return true
		}
	}
	return false
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

func allZeros(digits []byte) bool {
	for _, c := range digits {
		if c != '0' {
			return false
		}
	}
	return true
}
