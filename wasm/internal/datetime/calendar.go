package datetime

// The limits of AppendUnixDateTime: -999999-01-01T00:00:00Z and
// +999999-12-31T23:59:59Z, in Unix seconds.
const (
	minUnix = -31619087596800
	maxUnix = 31494784780799
)

// monthDays holds the days of each month of a common year.
const monthDays = "\x00\x1f\x1c\x1f\x1e\x1f\x1e\x1f\x1f\x1e\x1f\x1e\x1f"

// daysIn gives the days of a month, 1 to 12, in the proleptic Gregorian calendar.
func daysIn(year int32, month uint32) uint32 {
	if month == 2 && isLeap(year) {
		return 29
	}
	return uint32(monthDays[month])
}

func isLeap(year int32) bool {
	return year&3 == 0 && (year%100 != 0 || year%400 == 0)
}

// splitDay cuts Unix seconds into days, rounded down, and the second of the day.
func splitDay(sec int64) (days int64, second uint32) {
	days = sec / secondsPerDay
	rest := sec - days*secondsPerDay
	if rest < 0 {
		rest += secondsPerDay
		days--
	}
	return days, uint32(rest)
}

// daysFromCivil is the opposite of Civil, for any year.
func daysFromCivil(year int32, month, day uint32) int64 {
	const (
		cycles = 2500
		epoch  = 719468
	)
	// Years begin in March here, so that leap days come last.
	if month <= 2 {
		year--
		month += 12
	}
	y := uint32(year + cycles*400)
	return int64(y*365+y/4-y/100+y/400+(153*(month-3)+2)/5+day-1) - (epoch + cycles*146097)
}

// Civil gives the date that is so many days after 1970-01-01, for years from
// -999,999 to 5,900,000. The year before 1 is 0.
//
// It counts from a 1 March that begins a 400-year cycle of the calendar, far
// enough back for all that follows to be positive: with March as the first month
// the leap day is the last of the year, and months have 153 days for every five.
func Civil(days int64) (year int32, month, day uint32) {
	const (
		cycleYears = 400
		cycleDays  = 146097
		cycles     = 2500
		// Days from 0000-03-01, the start of a cycle, to 1970-01-01.
		epoch = 719468
	)
	n := uint64(days + epoch + cycles*cycleDays)
	cycle := n / cycleDays
	ofCycle := uint32(n - cycle*cycleDays)
	// Every 4th year is a day longer (1,460 days have passed without it), save
	// every 100th (36,524), save every 400th, whose day ends the cycle (146,096).
	yearOfCycle := (ofCycle - ofCycle/1460 + ofCycle/36524 - ofCycle/146096) / 365
	ofYear := ofCycle - (365*yearOfCycle + yearOfCycle/4 - yearOfCycle/100)
	fromMarch := (5*ofYear + 2) / 153
	day = ofYear - (153*fromMarch+2)/5 + 1
	month = fromMarch + 3
	year = int32(int64(cycle)*cycleYears+int64(yearOfCycle)) - cycles*cycleYears
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}
