// Package datetime rewrites the date and time texts of databases and their
// drivers in the one form that Rowjet emits:
//
//	datetime  YYYY-MM-DDTHH:MM:SS[.fff[fff[fff]]]+00:00, the instant in UTC
//	date      YYYY-MM-DD
//	time      HH:MM:SS[.fff[fff[fff]]]
//
// Years outside 0..9999 have a sign and six digits, the expanded years of
// ECMAScript's date-time string format (ECMA-262, section "Expanded Years").
// The fraction has 0, 3, 6 or 9 digits, the first of these that holds the value.
//
// What is read:
//
//	datetime = date [("T" | "t" | spaces) clock] {[spaces] zone | spaces era}
//	date     = ["+" | "-"] digit+ "-" digit{1,2} "-" digit{1,2}
//	clock    = digit{1,2} ":" digit{1,2} [":" digit{1,2} ["." digit+]]
//	zone     = "Z" | "z" | "UTC" | "GMT" | ("+" | "-") HH [MM | ":" MM [":" SS]]
//	era      = "BC" | "AD"
//
// with at most one zone and one era, in either order: PostgreSQL prints the era
// last, and a driver adapter that glues a zone to the text puts it after that.
// Spaces around the whole are ignored. Without a zone the text is UTC, without a
// clock it is midnight. 24:00:00 is the midnight at the end of the day. A second
// 60 is kept. Digits of the fraction after the ninth are cut. A day that the
// (proleptic Gregorian) calendar lacks is refused, never rolled over.
//
// Two kinds of text have no better form than themselves: infinity and -infinity
// (PostgreSQL manual, 8.5.1.4 "Special Values"), and MySQL's dates with a zero
// month or day (MySQL manual, 13.2.2).
//
// All functions append to dst, which may be nil, and keep neither argument. If
// they refuse a text, the dst that they return has the length it came with. What
// they append needs no escaping in JSON. They allocate only to grow dst.
package datetime

// TimeResult is the outcome of AppendTime.
type TimeResult uint8

const (
	// Invalid: the text is no time of day; nothing was appended.
	Invalid TimeResult = iota
	// OK: the time was appended.
	OK
	// HasOffset: the text is a time of day that bears an offset (PostgreSQL's
	// timetz). Without a date it can't be moved to UTC, so nothing was appended.
	HasOffset
)

const (
	infinityText    = "infinity"
	negInfinityText = "-infinity"
)

// AppendDateTime appends the instant that the text b denotes. False: b is no
// date-time, or its year in UTC is beyond ±999999.
func AppendDateTime(dst, b []byte) ([]byte, bool) {
	if out, ok := appendUsual(dst, b); ok {
		return out, true
	}
	b = trim(b)
	t := parse(b)
	switch t.kind {
	case instant:
		return appendShifted(dst, &t, b[t.fractionFrom:t.fractionTo])
	case infinite:
		return append(dst, infinityText...), true
	case negInfinite:
		return append(dst, negInfinityText...), true
	case zeroDate:
		return append(dst, b...), true
	}
	return dst, false
}

// Instant gives the instant that the text b denotes, in Unix seconds and
// nanoseconds above them: the one that AppendDateTime would append. False: there is
// none, b is one of the texts that have no better form, its second is 60, which Unix
// time does not have, or its year is beyond ±999999.
func Instant(b []byte) (sec int64, nsec uint32, ok bool) {
	var t text
	date, clock, day, usual := usualWords(b)
	if usual {
		t = wordsText(date, clock, day)
		i := 19
		if len(b) > 20 && b[19] == '.' {
			for i = 20; i < len(b) && isDigit(b[i]); i++ {
			}
			t.fractionFrom, t.fractionTo = 20, i
			usual = i > 20
		}
		// What PostgreSQL writes in UTC, a third of the time faster than by parseZone.
		utc := len(b)-i == 3 && b[i] == '+' && b[i+1] == '0' && b[i+2] == '0'
		if i < len(b) && !utc {
			z := parseZone(b, i)
			t.offset = z.offset
			usual = usual && z.next == len(b)
		}
	}
	if !usual {
		b = trim(b)
		t = parse(b)
		if t.kind != instant || t.leap != 0 {
			return 0, 0, false
		}
	}
	if digits := b[t.fractionFrom:t.fractionTo]; len(digits) > 0 {
		for i := 0; i < 9; i++ {
			nsec *= 10
			if i < len(digits) {
				nsec += uint32(digits[i] - '0')
			}
		}
	}
	sec = daysFromCivil(t.year, t.month, t.day)*secondsPerDay + int64(t.second-t.offset)
	return sec, nsec, sec >= minUnix && sec <= maxUnix
}

// AppendDate appends the calendar date that the text b denotes: as it is
// written, not moved by a zone. A time and a zone may follow in b; they have to be
// well-formed, and are ignored.
func AppendDate(dst, b []byte) ([]byte, bool) {
	if len(b) == 10 {
		// The shape that every server prints: checked, it is its own result.
		x, ok := dateWord(b)
		month := pair(x, 5)
		tens, units := uint32(b[8]-'0'), uint32(b[9]-'0')
		day := tens*10 + units
		if ok && tens < 10 && units < 10 && month-1 < 12 && (day-1 < 28 || validLateDay(x, month, day)) {
			n := len(dst)
			dst = reserve(dst)
			out := dst[n : n+maxLen]
			store(out, 0, x^dateShape)
			out[8], out[9] = b[8], b[9]
			return dst[:n+10], true
		}
	}
	b = trim(b)
	t := parse(b)
	switch t.kind {
	case instant:
		n := len(dst)
		dst = reserve(dst)
		return dst[:n+putDate(dst[n:n+maxLen], t.year, t.month, t.day)], true
	case infinite:
		return append(dst, infinityText...), true
	case negInfinite:
		return append(dst, negInfinityText...), true
	case zeroDate, farDate:
		return append(dst, b[:t.dateTo]...), true
	}
	return dst, false
}

// AppendTime appends the time of day that the text b denotes. 24:00:00 stays as
// it is: PostgreSQL's time has that value. What only a duration can be (MySQL's
// TIME goes from -838:59:59 to 838:59:59) keeps its text, if minutes and seconds
// are below 60. Of a whole date-time it is the time of day in UTC.
func AppendTime(dst, b []byte) ([]byte, TimeResult) {
	if len(b) >= 8 {
		if _, ok := clockWord(b, 0); ok && (len(b) == 8 || b[8] == '.' && len(b) > 9 && allDigits(b[9:])) {
			n := len(dst)
			dst = reserve(dst)
			out := dst[n : n+maxLen]
			store(out, 0, load(b, 0))
			return dst[:n+putFraction(out, 8, b[min(9, len(b)):])], OK
		}
	}
	b = trim(b)
	i := 0
	signed := len(b) != 0 && (b[0] == '+' || b[0] == '-')
	if signed {
		i = 1
	}
	hourFrom, hour := i, uint32(0)
	for ; i < len(b) && isDigit(b[i]); i++ {
		if hour < 100 {
			hour = hour*10 + uint32(b[i]-'0')
		}
	}
	hourDigits := i - hourFrom
	if hourDigits == 0 {
		return dst, Invalid
	}
	if i == len(b) || b[i] != ':' {
		return appendTimeOfDateTime(dst, b)
	}

	c := parseClockRest(b, i)
	if !c.ok {
		return dst, Invalid
	}
	fraction := b[c.fractionFrom:c.fractionTo]
	duration := signed || hourDigits > 2 || hour > 24 ||
		hour == 24 && (c.second != 0 || c.leap != 0 || !allZeros(fraction))
	if c.next != len(b) {
		j := skipSpaces(b, c.next)
		z := parseZone(b, j)
		if duration || z.next == j || z.next != len(b) {
			return dst, Invalid
		}
		return dst, HasOffset
	}
	if duration {
		if c.leap != 0 {
			return dst, Invalid
		}
		return append(dst, b...), OK
	}
	return appendTimeOfDay(dst, hour*3600+c.second, c.leap, fraction), OK
}

func appendTimeOfDateTime(dst, b []byte) ([]byte, TimeResult) {
	t := parse(b)
	if t.kind != instant || !t.hasClock {
		return dst, Invalid
	}
	// In -86399..172799: offsets are shorter than a day.
	second := t.second - t.offset
	if second < 0 {
		second += secondsPerDay
	} else if second >= secondsPerDay {
		second -= secondsPerDay
	}
	return appendTimeOfDay(dst, uint32(second), t.leap, b[t.fractionFrom:t.fractionTo]), OK
}

func appendTimeOfDay(dst []byte, second, leap uint32, fraction []byte) []byte {
	n := len(dst)
	dst = reserve(dst)
	out := dst[n : n+maxLen]
	putClock(out, 0, second, leap)
	return dst[:n+putFraction(out, 8, fraction)]
}

// appendShifted appends the instant of t, with its offset applied.
func appendShifted(dst []byte, t *text, fraction []byte) ([]byte, bool) {
	year, month, day := t.year, t.month, t.day
	second := t.second - t.offset
	// Offsets are shorter than a day, and 24:00:00 is the latest second: the
	// date moves by one day at most.
	if second < 0 {
		second += secondsPerDay
		day--
		if day == 0 {
			month--
			if month == 0 {
				month = 12
				year--
			}
			day = daysIn(year, month)
		}
	} else if second >= secondsPerDay {
		second -= secondsPerDay
		day++
		if day > daysIn(year, month) {
			day = 1
			month++
			if month == 13 {
				month = 1
				year++
			}
		}
	}
	if year < -maxYear || year > maxYear {
		return dst, false
	}
	n := len(dst)
	dst = reserve(dst)
	out := dst[n : n+maxLen]
	i := putDate(out, year, month, day)
	out[i] = 'T'
	putClock(out, i+1, uint32(second), t.leap)
	i = putFraction(out, i+9, fraction)
	store(out, i, utc)
	return dst[:n+i+6], true
}

// AppendUnixDateTime appends the instant sec seconds (of 86,400 a day) and nsec
// nanoseconds after 1970-01-01T00:00:00Z. False: its year is beyond ±999999, or
// nsec is not below 1,000,000,000.
func AppendUnixDateTime(dst []byte, sec int64, nsec uint32) ([]byte, bool) {
	if sec < minUnix || sec > maxUnix || nsec >= 1e9 {
		return dst, false
	}
	days, second := splitDay(sec)
	year, month, day := Civil(days)
	n := len(dst)
	dst = reserve(dst)
	out := dst[n : n+maxLen]
	i := putDate(out, year, month, day)
	out[i] = 'T'
	putClock(out, i+1, second, 0)
	i = putNanoseconds(out, i+9, nsec)
	store(out, i, utc)
	return dst[:n+i+6], true
}

// AppendUnixDate appends the date in UTC of that instant; see AppendUnixDateTime.
func AppendUnixDate(dst []byte, sec int64, nsec uint32) ([]byte, bool) {
	if sec < minUnix || sec > maxUnix || nsec >= 1e9 {
		return dst, false
	}
	days, _ := splitDay(sec)
	year, month, day := Civil(days)
	n := len(dst)
	dst = reserve(dst)
	return dst[:n+putDate(dst[n:n+maxLen], year, month, day)], true
}

// AppendUnixTime appends the time of day in UTC of that instant; see
// AppendUnixDateTime, whose limits it has, so that an instant is refused under
// every label or under none.
func AppendUnixTime(dst []byte, sec int64, nsec uint32) ([]byte, bool) {
	if sec < minUnix || sec > maxUnix || nsec >= 1e9 {
		return dst, false
	}
	_, second := splitDay(sec)
	n := len(dst)
	dst = reserve(dst)
	out := dst[n : n+maxLen]
	putClock(out, 0, second, 0)
	return dst[:n+putNanoseconds(out, 8, nsec)], true
}
