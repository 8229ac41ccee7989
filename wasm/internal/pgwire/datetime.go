package pgwire

import (
	"math"

	"github.com/rowjet/rowjet/wasm/internal/datetime"
)

const (
	// epoch is 2000-01-01 in Unix seconds: times are counted from there.
	epoch = 946684800

	secondsPerDay = 86400
	microsPerDay  = secondsPerDay * 1e6

	// mostDays is less than a million years.
	mostDays = 364_000_000
)

// instant returns the Unix time of a timestamp in microseconds since 2000.
func instant(micros int64) (seconds int64, nanos uint32) {
	seconds = micros / 1e6
	rest := micros % 1e6
	if rest < 0 {
		rest += 1e6
		seconds--
	}
	return seconds + epoch, uint32(rest) * 1000
}

func (s *reader) putInfinity(negative bool) {
	if negative {
		s.putByte('-')
	}
	s.putString("infinity")
}

func (s *reader) putTimestamp(micros int64, zone bool) {
	if micros == math.MinInt64 || micros == math.MaxInt64 {
		s.putInfinity(micros < 0)
		return
	}
	days := micros / microsPerDay
	clock := micros % microsPerDay
	if clock < 0 {
		clock += microsPerDay
		days--
	}
	bc := s.putDay(days)
	s.putByte(' ')
	s.putClock(uint64(clock))
	if zone {
		s.putString("+00")
	}
	if bc {
		s.putString(" BC")
	}
}

// putDate adds a date in days since 2000. False: it is long before PostgreSQL's
// first date.
func (s *reader) putDate(days int32) bool {
	switch {
	case days == math.MinInt32 || days == math.MaxInt32:
		s.putInfinity(days < 0)
	case days < -mostDays:
		return false
	case s.putDay(int64(days)):
		s.putString(" BC")
	}
	return true
}

// putDay adds the date that is so many days after 2000-01-01, and tells whether
// " BC" has to follow.
func (s *reader) putDay(days int64) (bc bool) {
	year, month, day := datetime.Civil(days + epoch/secondsPerDay)
	if bc = year <= 0; bc {
		year = 1 - year
	}
	s.putDigits(uint64(year), 4)
	s.putByte('-')
	s.putDigits(uint64(month), 2)
	s.putByte('-')
	s.putDigits(uint64(day), 2)
	return bc
}

// putClock adds a time of day in microseconds, or the time part of an interval,
// whose hours have no limit.
func (s *reader) putClock(micros uint64) {
	seconds := micros / 1e6
	fraction := micros % 1e6
	minutes := seconds / 60
	s.putDigits(minutes/60, 2)
	s.putByte(':')
	s.putDigits(minutes%60, 2)
	s.putByte(':')
	s.putDigits(seconds%60, 2)
	if fraction == 0 {
		return
	}
	s.putByte('.')
	s.putDigits(fraction, 6)
	for s.buf[len(s.buf)-1] == '0' {
		s.buf = s.buf[:len(s.buf)-1]
	}
}

func (s *reader) putTime(micros uint64) bool {
	s.putClock(micros)
	return micros <= microsPerDay
}

// putTimetz adds a time with its zone, in seconds west of UTC.
func (s *reader) putTimetz(micros uint64, west int32) bool {
	if west <= -secondsPerDay || west >= secondsPerDay || !s.putTime(micros) {
		return false
	}
	if west > 0 {
		s.putByte('-')
	} else {
		s.putByte('+')
		west = -west
	}
	offset := uint64(west)
	s.putDigits(offset/3600, 2)
	if offset%3600 != 0 {
		s.putByte(':')
		s.putDigits(offset/60%60, 2)
	}
	if offset%60 != 0 {
		s.putByte(':')
		s.putDigits(offset%60, 2)
	}
	return true
}

// putInterval adds an interval in the style postgres (EncodeInterval in
// PostgreSQL's sources).
func (s *reader) putInterval(micros int64, days, months int32) {
	if micros == math.MaxInt64 && days == math.MaxInt32 && months == math.MaxInt32 ||
		micros == math.MinInt64 && days == math.MinInt32 && months == math.MinInt32 {
		s.putInfinity(micros < 0)
		return
	}
	start := len(s.buf)
	negative := s.putUnit(start, months/12, " year", false)
	negative = s.putUnit(start, months%12, " mon", negative)
	negative = s.putUnit(start, days, " day", negative)
	if len(s.buf) > start {
		if micros == 0 {
			return
		}
		s.putByte(' ')
	}
	magnitude := uint64(micros)
	if micros < 0 {
		s.putByte('-')
		magnitude = -magnitude
	} else if negative {
		s.putByte('+')
	}
	s.putClock(magnitude)
}

// putUnit adds one part of an interval, unless it is zero. Positive parts have a
// sign where the part before was negative; it tells whether this one is.
func (s *reader) putUnit(start int, n int32, unit string, negative bool) bool {
	if n == 0 {
		return negative
	}
	if len(s.buf) > start {
		s.putByte(' ')
	}
	if negative && n > 0 {
		s.putByte('+')
	}
	s.putInt(int64(n))
	s.putString(unit)
	if n != 1 {
		s.putByte('s')
	}
	return n < 0
}
