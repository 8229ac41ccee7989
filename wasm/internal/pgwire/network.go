package pgwire

// putInet adds an inet or cidr: u8 address family, u8 bits of the mask, u8 whether
// it is a cidr, u8 length, address (network_send).
func (s *reader) putInet(data []byte) bool {
	if len(data) < 4 || len(data)-4 != int(data[3]) {
		return false
	}
	family, bits, cidr := data[0], int(data[1]), data[2] != 0
	address := data[4:]
	switch {
	case family == 2 && len(address) == 4:
		s.putIPv4(address)
	case family == 3 && len(address) == 16:
		s.putIPv6(address)
	default:
		return false
	}
	if cidr || bits != 8*len(address) {
		s.putByte('/')
		s.putUint(uint64(bits))
	}
	return bits <= 8*len(address)
}

func (s *reader) putIPv4(address []byte) {
	for i, c := range address {
		if i > 0 {
			s.putByte('.')
		}
		s.putUint(uint64(c))
	}
}

// putIPv6 puts :: in place of the first of the longest runs of zeros, and writes
// embedded IPv4 addresses with dots, as pg_inet_net_ntop does.
//
//go:noinline
func (s *reader) putIPv6(address []byte) {
	from, length := -1, 1
	for i := 0; i < 8; i++ {
		n := 0
		for i+n < 8 && u16(address[2*(i+n):]) == 0 {
			n++
		}
		if n > length {
			from, length = i, n
		}
		i += n
	}
	for i := 0; i < 8; i++ {
		if i == from {
			s.putByte(':')
			i += length
			if i == 8 {
				s.putByte(':')
				return
			}
		}
		if i > 0 {
			s.putByte(':')
		}
		if i == 6 && from == 0 && (length == 6 || length == 5 && u16(address[10:]) == 0xffff) {
			s.putIPv4(address[12:])
			return
		}
		s.putHex(uint32(u16(address[2*i:])), 1, 'a')
	}
}
