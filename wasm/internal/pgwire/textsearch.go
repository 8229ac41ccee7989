package pgwire

// putTSVector adds a tsvector: u32 number of lexemes; of each a text with a zero at
// the end, u16 number of positions, u16 of each with the weight in its top two bits
// (tsvectorsend).
func (s *reader) putTSVector(data []byte) bool {
	if len(data) < 4 {
		return false
	}
	count := u32(data)
	data = data[4:]
	for i := uint32(0); i < count; i++ {
		end := zero(data)
		if end < 0 || len(data)-end < 3 {
			return false
		}
		if i > 0 {
			s.putByte(' ')
		}
		s.putLexeme(data[:end])
		positions := int(u16(data[end+1:]))
		data = data[end+3:]
		if len(data) < 2*positions {
			return false
		}
		sign := byte(':')
		for range positions {
			p := u16(data)
			s.putByte(sign)
			s.putUint(uint64(p & 0x3fff))
			if weight := p >> 14; weight > 0 {
				s.putByte("DCBA"[weight])
			}
			sign = ','
			data = data[2:]
		}
	}
	return len(data) == 0
}

func (s *reader) putLexeme(text []byte) {
	s.putByte('\'')
	for _, c := range text {
		if c == '\'' || c == '\\' {
			s.putByte(c)
		}
		s.putByte(c)
	}
	s.putByte('\'')
}

// What putTSQuery has to do yet, in the low bits of an entry of reader.pending;
// above them the operand.
const (
	operand  = 0 // a node: how tightly the operator around it binds, shifted by 1, and whether it is to the right of a phrase operator
	opening  = 1 // an opening bracket
	operator = 2 // an operator: its code, the distance shifted by 3
	kindBits = 2
)

// Codes of the operators (ts_type.h).
const (
	opNot    = 1
	opAnd    = 2
	opOr     = 3
	opPhrase = 4

	priorities = "\x00\x04\x02\x01\x03"
)

// putTSQuery adds a tsquery: u32 number of nodes in prefix order, the right operand
// first. A node is u8 1, u8 weights, u8 whether it is a prefix, and a text with a
// zero at the end; or u8 2, u8 operator and, for phrases, u16 distance
// (tsquerysend).
//
// A query of a thousand words joined by & is a thousand levels deep, so there is no
// recursion. As the right operand comes first, the text is written backwards.
func (s *reader) putTSQuery(data []byte) bool {
	if len(data) < 4 {
		return false
	}
	count := u32(data)
	data = data[4:]
	start := len(s.buf)
	s.pending = s.pending[:0]
	if count > 0 {
		s.pending = append(s.pending, operand)
	}
	for len(s.pending) > 0 {
		task := s.pending[len(s.pending)-1]
		s.pending = s.pending[:len(s.pending)-1]
		arg := task >> kindBits
		switch task & (1<<kindBits - 1) {
		case opening:
			s.putString(" (")
			continue
		case operator:
			s.putOperator(arg)
			continue
		}
		if count == 0 || len(data) < 4 {
			return false
		}
		count--
		kind, code, distance := data[0], data[1], uint32(0)
		if kind == 1 {
			end := zero(data[3:])
			if end < 0 {
				return false
			}
			s.putWord(code, data[2], data[3:3+end])
			data = data[4+end:]
			continue
		}
		if kind != 2 || code < opNot || code > opPhrase {
			return false
		}
		data = data[2:]
		if code == opPhrase {
			distance = uint32(u16(data))
			data = data[2:]
		}
		priority := uint32(priorities[code])
		node := operand | priority<<1<<kindBits
		if priority < arg>>1 || code == opPhrase && arg&1 != 0 {
			s.putString(") ")
			s.push(opening)
		}
		if code != opNot {
			s.push(node)
		}
		s.push(operator | (uint32(code)|distance<<3)<<kindBits)
		if code == opPhrase {
			node |= 1 << kindBits
		}
		s.push(node)
	}
	reverse(s.buf[start:])
	return count == 0 && len(data) == 0
}

func (s *reader) push(task uint32) { s.pending = append(s.pending, task) }

// putOperator adds an operator backwards.
func (s *reader) putOperator(arg uint32) {
	start := len(s.buf)
	switch arg & 7 {
	case opNot:
		s.putByte('!')
	case opAnd:
		s.putString(" & ")
	case opOr:
		s.putString(" | ")
	default:
		s.putString(" <")
		if distance := arg >> 3; distance == 1 {
			s.putByte('-')
		} else {
			s.putUint(uint64(distance))
		}
		s.putString("> ")
	}
	reverse(s.buf[start:])
}

// putWord adds a word backwards.
func (s *reader) putWord(weights, prefix byte, text []byte) {
	start := len(s.buf)
	s.putLexeme(text)
	if weights != 0 || prefix != 0 {
		s.putByte(':')
	}
	if prefix != 0 {
		s.putByte('*')
	}
	for letter := byte('A'); weights&15 != 0; letter++ {
		if weights&8 != 0 {
			s.putByte(letter)
		}
		weights <<= 1
	}
	reverse(s.buf[start:])
}

func reverse(b []byte) {
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
}
