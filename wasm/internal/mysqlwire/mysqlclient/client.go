// Package mysqlclient is a client of MySQL's protocol for tests: it hands over what
// the server sends as it is.
package mysqlclient

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/engine"
	"github.com/rowjet/rowjet/wasm/internal/mysqlwire"
	"github.com/rowjet/rowjet/wasm/internal/wiretest"
)

// Capabilities of clients. Those of MariaDB are extended ones.
const (
	longPassword     = 1 << 0
	connectWithDB    = 1 << 3
	LocalFiles       = 1 << 7
	protocol41       = 1 << 9
	transactions     = 1 << 13
	secureConnection = 1 << 15
	multiStatements  = 1 << 16
	multiResults     = 1 << 17
	psMultiResults   = 1 << 18
	pluginAuth       = 1 << 19
	SessionTrack     = 1 << 23
	DeprecateEOF     = 1 << 24
	OptionalMetadata = 1 << 25

	ExtendedMetadata = 1 << 3
	CacheMetadata    = 1 << 4
)

// utf8mb4 is a collation of the character set, utf8mb4_general_ci.
const utf8mb4 = 45

// Client is a connection.
type Client struct {
	T                      testing.TB
	conn                   net.Conn
	in                     *bufio.Reader
	Capabilities, Extended uint32 // as agreed on
}

// Dial connects with capabilities beside those that a client needs, as far as the
// server has them.
func Dial(t testing.TB, address, user, password, database string, capabilities, extended uint32) *Client {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	c := &Client{T: t, conn: conn, in: bufio.NewReader(conn)}
	greeting := c.packet()
	scramble, server, serverExtended := readGreeting(greeting[4:])
	c.Capabilities = (capabilities | connectWithDB | protocol41 | transactions | secureConnection | multiStatements | multiResults | psMultiResults | pluginAuth) & server
	if server&longPassword == 0 {
		c.Extended = extended & serverExtended
	} else {
		c.Capabilities |= longPassword
	}
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, []uint32{c.Capabilities, 1 << 30})
	b.WriteByte(utf8mb4)
	b.Write(make([]byte, 19))
	binary.Write(&b, binary.LittleEndian, c.Extended)
	b.WriteString(user + "\x00")
	b.WriteByte(20)
	b.Write(nativePassword(password, scramble))
	b.WriteString(database + "\x00mysql_native_password\x00")
	c.write(1, b.Bytes())
	for {
		answer := c.packet()[4:]
		switch answer[0] {
		case 0:
			return c
		case 0xfe: // another method, or another scramble
			name, rest, _ := bytes.Cut(answer[1:], []byte{0})
			if string(name) != "mysql_native_password" {
				t.Fatalf("the server wants authentication by %s", name)
			}
			c.write(3, nativePassword(password, bytes.TrimSuffix(rest, []byte{0})))
		default:
			t.Fatalf("while connecting: %q", answer)
		}
	}
}

// readGreeting reads the server's initial handshake.
func readGreeting(b []byte) (scramble []byte, capabilities, extended uint32) {
	_, b, _ = bytes.Cut(b[1:], []byte{0})
	scramble = append(scramble, b[4:12]...)
	capabilities = uint32(binary.LittleEndian.Uint16(b[13:])) | uint32(binary.LittleEndian.Uint16(b[18:]))<<16
	extended = binary.LittleEndian.Uint32(b[27:])
	return append(scramble, b[31:43]...), capabilities, extended
}

// nativePassword is the answer of mysql_native_password.
func nativePassword(password string, scramble []byte) []byte {
	once := sha1.Sum([]byte(password))
	twice := sha1.Sum(once[:])
	mask := sha1.Sum(append(bytes.Clone(scramble), twice[:]...))
	for i := range once {
		once[i] ^= mask[i]
	}
	return once[:]
}

// preface is what the module wants to know before the packets.
func (c *Client) preface(format uint32) []byte {
	b := binary.LittleEndian.AppendUint32(nil, c.Capabilities)
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, c.Extended), format)
}

func (c *Client) write(sequence byte, payload []byte) {
	c.T.Helper()
	c.conn.SetDeadline(time.Now().Add(time.Minute))
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(payload)))
	head[3] = sequence
	if _, err := c.conn.Write(append(head, payload...)); err != nil {
		c.T.Fatal(err)
	}
}

// packet returns the next packet, with its header.
func (c *Client) packet() []byte {
	c.T.Helper()
	head := make([]byte, 4)
	if _, err := io.ReadFull(c.in, head); err != nil {
		c.T.Fatal(err)
	}
	length := int(binary.LittleEndian.Uint32(head) & 0xffffff)
	p := append(head, make([]byte, length)...)
	if _, err := io.ReadFull(c.in, p[4:]); err != nil {
		c.T.Fatal(err)
	}
	return p
}

// answer returns all packets of an answer to a command that may have result sets.
func (c *Client) answer() []byte {
	c.T.Helper()
	var all []byte
	for {
		p := c.packet()
		all = append(all, p...)
		more := false
		switch first := p[4]; {
		case first == 0xff:
			return all
		case first == 0xfb:
			// LOCAL INFILE: nothing comes.
			c.write(p[3]+1, nil)
			c.packet()
			return all
		case first == 0:
			more = c.status(p)&8 != 0
		default:
			follows := true
			count := int(first)
			if first == 0xfc {
				count = int(binary.LittleEndian.Uint16(p[5:]))
			}
			if c.Extended&CacheMetadata != 0 {
				follows = p[len(p)-1] == 1
			}
			if follows {
				for range count {
					all = append(all, c.packet()...)
				}
			}
			if c.Capabilities&DeprecateEOF == 0 {
				p = c.packet()
				all = append(all, p...)
				if c.status(p)&0x40 != 0 {
					return all // a cursor
				}
			}
			var status uint16
			all, status, _ = c.rows(all)
			more = status&8 != 0
		}
		if !more {
			return all
		}
	}
}

// rows appends the packets up to the end of the rows, and returns the status there.
func (c *Client) rows(all []byte) (with []byte, status uint16, failed bool) {
	for continued := false; ; {
		p := c.packet()
		all = append(all, p...)
		if !continued {
			if p[4] == 0xff {
				return all, 0, true
			}
			if p[4] == 0xfe && len(p) < 4+0xffffff {
				return all, c.status(p), false
			}
		}
		continued = len(p) == 4+0xffffff
	}
}

// status returns the status of EOF or OK, whose numbers are small here.
func (c *Client) status(p []byte) uint16 {
	if len(p) == 9 {
		return binary.LittleEndian.Uint16(p[7:])
	}
	at := 5
	for range 2 {
		switch p[at] {
		case 0xfc:
			at += 2
		case 0xfd:
			at += 3
		}
		at++
	}
	return binary.LittleEndian.Uint16(p[at:])
}

// Query runs statements by COM_QUERY, which answers in text format, and returns the
// preface and the answer.
func (c *Client) Query(sql string) []byte {
	c.T.Helper()
	c.write(0, append([]byte{3}, sql...))
	return append(c.preface(0), c.answer()...)
}

// Exec runs statements that may not fail.
func (c *Client) Exec(statements ...string) {
	c.T.Helper()
	for _, sql := range statements {
		if _, err := Serialize(c.Query(sql), 0, engine.ShapeArray, 0); err != nil {
			c.T.Fatalf("%s: %v", sql, err)
		}
	}
}

// Execute prepares a statement without parameters, runs it by COM_STMT_EXECUTE, which
// answers in binary format, and returns the preface and the answer. fetch is the
// number of rows that COM_STMT_FETCH asks for each time; 0 is for no cursor.
func (c *Client) Execute(sql string, fetch uint32) []byte {
	c.T.Helper()
	c.write(0, append([]byte{0x16}, sql...))
	p := c.packet()
	if p[4] != 0 {
		c.T.Fatalf("%s: %q", sql, p)
	}
	id := binary.LittleEndian.Uint32(p[5:])
	columns := int(binary.LittleEndian.Uint16(p[9:]))
	for range columns {
		c.packet()
	}
	if columns > 0 && c.Capabilities&DeprecateEOF == 0 {
		c.packet()
	}
	b := binary.LittleEndian.AppendUint32([]byte{0x17}, id)
	b = binary.LittleEndian.AppendUint32(append(b, byte(min(fetch, 1))), 1)
	c.write(0, b)
	all := append(c.preface(1), c.answer()...)
	for status, failed := uint16(0), false; fetch > 0 && status&0x80 == 0 && !failed; {
		b = binary.LittleEndian.AppendUint32([]byte{0x1c}, id)
		c.write(0, binary.LittleEndian.AppendUint32(b, fetch))
		all, status, failed = c.rows(all)
	}
	c.write(0, binary.LittleEndian.AppendUint32([]byte{0x19}, id))
	return all
}

// Serialize feeds a stream to an engine in pieces of a size, 0 for one piece.
func Serialize(stream []byte, piece int, shape, flags uint32) (string, *wiretest.Failure) {
	if piece == 0 {
		piece = len(stream)
	}
	return wiretest.Serialize(engine.NewWire(driveradapter.MySQL, mysqlwire.New()), stream, shape, flags, nil, piece)
}
