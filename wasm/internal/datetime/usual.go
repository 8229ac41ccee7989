package datetime

import (
	"unsafe"

	"github.com/rowjet/rowjet/wasm/internal/mem"
)

// Nearly every date-time comes as YYYY-MM-DD HH:MM:SS[.fraction][zone] with all
// parts at full width. Date and clock are checked eight bytes at a time, as
// little-endian words: exclusive-or with the shape leaves 0 to 9 where a digit is
// due and 0 where a mark is, and then adding 0x76 or 0x7f sets the high bit of each
// byte that is neither. Carries come only from bytes whose own high bit is set
// already, so they can't hide a bad byte.
const (
	highBits = 0x8080808080808080

	dateShape  = 0x2d30302d30303030 // "0000-00-", low byte first
	dateCarry  = 0x7f76767f76767676
	clockShape = 0x30303a30303a3030 // "00:00:00"
	clockCarry = 0x76767f76767f7676

	utc = 0x30303a30302b // "+00:00"
)

// dateWord loads the eight bytes YYYY-MM- less their shape. Not ok: they don't have it.
func dateWord(b []byte) (x uint64, ok bool) {
	x = load(b, 0) ^ dateShape
	return x, ((x+dateCarry)|x)&highBits == 0
}

// clockWord loads the eight bytes HH:MM:SS at b[i:] less their shape. Not ok: they
// don't have it, or one of them is out of range: hours go to 23, seconds to 59.
func clockWord(b []byte, i int) (x uint64, ok bool) {
	x = load(b, i) ^ clockShape
	return x, ((x+clockCarry)|x)&highBits == 0 &&
		pair(x, 0) < 24 && x>>24&15 < 6 && x>>48&15 < 6
}

// pair gives the number of two digits of a word that is less its shape.
func pair(x uint64, at uint) uint32 {
	return uint32(x>>(8*at)&15*10 + x>>(8*at+8)&15)
}

func wordYear(x uint64) int32 {
	return int32(pair(x, 0)*100 + pair(x, 2))
}

// validLateDay tells if the month, 1 to 12, of the year in a date word has a day
// that is not among 1 to 28.
func validLateDay(x uint64, month, day uint32) bool {
	return day != 0 && day <= daysIn(wordYear(x), month)
}

// usualWords reads the date and the clock that b begins with. False says only that
// they have not that shape.
func usualWords(b []byte) (date, clock uint64, day uint32, ok bool) {
	if len(b) < 19 {
		return 0, 0, 0, false
	}
	date, dateOK := dateWord(b)
	clock, clockOK := clockWord(b, 11)
	month := pair(date, 5)
	tens, units := uint32(b[8]-'0'), uint32(b[9]-'0')
	if !dateOK || !clockOK || month-1 > 11 || tens > 9 || units > 9 || b[10] != ' ' && b[10] != 'T' {
		return 0, 0, 0, false
	}
	day = tens*10 + units
	return date, clock, day, day-1 <= 27 || validLateDay(date, month, day)
}

// wordsText makes a parsed text of them, in UTC and without a fraction.
func wordsText(date, clock uint64, day uint32) text {
	return text{
		year:   wordYear(date),
		month:  pair(date, 5),
		day:    day,
		second: int32((pair(clock, 0)*60+pair(clock, 3))*60 + pair(clock, 6)),
	}
}

// appendUsual is AppendDateTime for that shape. False says only that the text
// needs the full parser; nothing is appended then.
func appendUsual(dst, b []byte) ([]byte, bool) {
	date, clock, day, ok := usualWords(b)
	if !ok {
		return dst, false
	}

	n := len(dst)
	dst = reserve(dst)
	out := dst[n : n+maxLen]
	store(out, 0, date^dateShape)
	out[8], out[9], out[10] = b[8], b[9], 'T'
	store(out, 11, clock^clockShape)

	end, i := 19, 19
	if len(b) > 19 && b[19] == '.' {
		// As putFraction, but in one pass.
		out[19] = '.'
		i = 20
		for i < len(b) {
			c := b[i]
			if !isDigit(c) {
				break
			}
			if i < 20+9 {
				out[i] = c
			}
			i++
		}
		if i == 20 {
			return dst[:n], false
		}
		end = min(i, 20+9)
		for out[end-1] == '0' {
			end--
		}
		switch end - 20 {
		case 0:
			end = 19
		case 1, 4, 7:
			out[end], out[end+1] = '0', '0'
			end += 2
		case 2, 5, 8:
			out[end] = '0'
			end++
		}
	}

	isUTC := false
	switch len(b) - i {
	case 0:
		isUTC = true
	case 1:
		isUTC = b[i] == 'Z'
	case 3:
		isUTC = b[i] == '+' && b[i+1] == '0' && b[i+2] == '0'
	case 6:
		// The six bytes are the last ones of this word.
		isUTC = load(b, i-2)>>16 == utc
	}
	if !isUTC {
		z := parseZone(b, i)
		if z.next != len(b) {
			return dst[:n], false
		}
		t := wordsText(date, clock, day)
		t.offset = z.offset
		return appendShifted(dst[:n], &t, b[min(20, i):i])
	}
	store(out, end, utc)
	return dst[:n+end+6], true
}

// load reads the eight bytes b[i : i+8].
func load(b []byte, i int) uint64 {
	_ = b[i+7]
	return mem.Load64(unsafe.Pointer(&b[i]))
}

// store writes eight bytes to b[i : i+8].
func store(b []byte, i int, v uint64) {
	_ = b[i+7]
	mem.Store64(unsafe.Pointer(&b[i]), v)
}
