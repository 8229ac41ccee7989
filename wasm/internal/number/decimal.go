package number

// expandBelow is the number of digits from which on an exponent stays written as one: a few bytes of input must not
// make megabytes of output.
const expandBelow = 1000

// AppendDecimal appends the decimal that the text b says, with its digits and scale as they are: "1.1000" stays
// "1.1000". Only the spelling becomes canonical:
//
//   - no plus sign, no minus sign on zero, one digit at least before the point and no needless zeros there, no point
//     without digits behind it: "+00.5" is "0.5", "5." is "5", "-0.00" is "0.00";
//   - underscores between digits go: "1_000" is "1000" (PostgreSQL manual, section 4.1.2.6);
//   - an exponent moves the point, and where it leaves digits behind the point they stay: "1.50e1" is "15.0". Where
//     that would make 1,000 digits or more, the exponent stays: "1E+9999999" is "1e9999999". Zero is then plain "0";
//   - commas between groups of three digits go, as the money type of PostgreSQL writes them, if the text can mean
//     nothing else: "1,234.5" is "1234.5", but "1,234" may be a fraction in much of the world and is refused;
//   - NaN, and inf and Infinity with an optional sign, in any case, are NaN, Infinity and -Infinity.
//
// ok is false for all other text.
func AppendDecimal(dst, b []byte) (result []byte, ok bool) {
	if dst, ok = appendCanonical(dst, b); ok {
		return dst, true
	}
	if w := wordOf(b); w != wordNone {
		return appendNonFinite(dst, w == wordNaN, w == wordMinusInfinity), true
	}
	text, negative := cutSign(b)
	d, end, ok := scanDecimal(text)
	d.negative = negative
	if !ok {
		return appendGrouped(dst, text, negative)
	}
	exponent := 0
	if end < len(text) {
		if exponent, ok = parseExponent(text[end:]); !ok {
			return dst, false
		}
	}
	point := d.whole + exponent
	digits := max(point-d.zeros, 1) + max(d.whole+d.fraction-point, 0)
	if d.isZero() {
		digits = 1 + max(d.fraction-exponent, 0)
	}
	size := len(b) + 2 // A canonical spelling adds a zero and a point at most.
	if digits < expandBelow {
		size = max(size, digits+2)
	}
	dst, _ = reserve(dst, size)
	buf := dst[len(dst):cap(dst)]
	if digits < expandBelow || exponent == 0 {
		return dst[:len(dst)+d.put(buf, point)], true
	}
	if d.isZero() {
		buf[0] = '0'
		return dst[:len(dst)+1], true
	}
	n := d.put(buf, d.whole)
	buf[n] = 'e'
	n++
	if exponent < 0 {
		buf[n] = '-'
		n++
	}
	// From the text, since an exponent may exceed any integer type.
	power, _ := cutSign(text[end+1:])
	for power[0] == '0' {
		power = power[1:]
	}
	n += copy(buf[n:], power)
	return dst[:len(dst)+n], true
}

// appendCanonical appends b if it is a number in the form that AppendDecimal gives it. Servers write nearly all of
// theirs so; a false no only costs time. It copies while it looks: a copy of so few bytes costs more than the look.
func appendCanonical(dst, b []byte) ([]byte, bool) {
	dst, p := reserve(dst, len(b))
	i := 0
	if len(b) > 0 && b[0] == '-' {
		putByte(p, 0, '-')
		i = 1
	}
	first, whole := i, 0
	for ; i < len(b); i++ {
		c := b[i]
		if c-'0' > 9 {
			if c != '.' || whole > 0 || i+1 == len(b) {
				return dst, false
			}
			whole = i - first
			if whole == 0 {
				return dst, false
			}
		}
		putByte(p, i, c)
	}
	if whole == 0 {
		whole = i - first
	}
	if whole == 0 || b[first] == '0' && (whole > 1 || first > 0) {
		return dst, false
	}
	return dst[:len(dst)+len(b)], true
}

// A decimalText is a number's text without its sign and exponent, taken apart.
type decimalText struct {
	text     []byte // A view: digits, at most one point, and underscores.
	negative bool
	whole    int // Digits before the point.
	fraction int // Digits behind the point.
	zeros    int // Leading zeros among both.
}

func (d *decimalText) isZero() bool { return d.zeros == d.whole+d.fraction }

// scanDecimal takes the number at the start of text, which has no sign, and returns where it ends: at the end of text
// or at the letter e. ok is false where neither can be.
func scanDecimal(text []byte) (d decimalText, end int, ok bool) {
	point := false
	for end < len(text) {
		c := text[end]
		switch {
		case c-'0' <= 9:
			if c == '0' && d.isZero() {
				d.zeros++
			}
			if point {
				d.fraction++
			} else {
				d.whole++
			}
		case c == '.' && !point:
			point = true
		case c == '_':
			if end == 0 || text[end-1]-'0' > 9 || end+1 == len(text) || text[end+1]-'0' > 9 {
				return d, end, false
			}
		default:
			d.text = text[:end]
			return d, end, c|0x20 == 'e' && d.whole+d.fraction > 0
		}
		end++
	}
	d.text = text
	return d, end, d.whole+d.fraction > 0
}

// put writes the number to buf, in plain notation, with its point before the digit that has the index point, which may
// lie outside the digits. It returns the length.
func (d *decimalText) put(buf []byte, point int) (n int) {
	if d.isZero() {
		point = min(point, d.zeros)
	} else if d.negative {
		buf[0] = '-'
		n = 1
	}
	start := 0
	if point > 0 {
		start = min(d.zeros, point-1)
	} else {
		buf[n], buf[n+1] = '0', '.'
		n += 2
		for i := point; i < 0; i++ {
			buf[n] = '0'
			n++
		}
	}
	i := 0
	for _, c := range d.text {
		if c-'0' > 9 {
			continue
		}
		if i >= start {
			if i == point && point > 0 {
				buf[n] = '.'
				n++
			}
			buf[n] = c
			n++
		}
		i++
	}
	for ; i < point; i++ {
		buf[n] = '0'
		n++
	}
	return n
}

// appendGrouped appends a number whose digits are grouped by commas and that can be nothing else: two commas or more,
// or one and a point with digits behind it.
func appendGrouped(dst, text []byte, negative bool) ([]byte, bool) {
	commas, width, i := 0, 0, 0
	for ; i < len(text) && text[i] != '.'; i++ {
		switch c := text[i]; {
		case c-'0' <= 9:
			width++
		case c == ',' && (width == 3 || commas == 0 && 0 < width && width < 3):
			commas++
			width = 0
		default:
			return dst, false
		}
	}
	if commas == 0 || width != 3 || text[0] == '0' {
		return dst, false
	}
	fraction := text[i:]
	if len(fraction) == 0 && commas < 2 || len(fraction) == 1 {
		return dst, false
	}
	for _, c := range fraction[min(1, len(fraction)):] {
		if c-'0' > 9 {
			return dst, false
		}
	}

	dst, _ = reserve(dst, 1+len(text))
	buf := dst[len(dst):cap(dst)]
	n := 0
	if negative {
		buf[0] = '-'
		n = 1
	}
	for _, c := range text {
		if c != ',' {
			buf[n] = c
			n++
		}
	}
	return dst[:len(dst)+n], true
}
