package servertest

import (
	"bytes"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/internal/engine"
	"github.com/rowjet/rowjet/wasm/internal/pgwire"
	"github.com/rowjet/rowjet/wasm/internal/wiretest"
)

const (
	root     = "../../../.."
	variable = "ROWJET_POSTGRES_URL"
)

// TestMain runs the tests once more with a server around them, if there is none.
func TestMain(m *testing.M) {
	if os.Getenv(variable) != "" {
		os.Exit(m.Run())
	}
	again := exec.Command(filepath.Join(root, "scripts/servers.sh"), os.Args...)
	// Only one of the servers that the script knows is wanted.
	again.Env = append(os.Environ(), "ROWJET_MARIADB_URL=none")
	again.Stdout, again.Stderr = os.Stdout, os.Stderr
	if err := again.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "scripts/servers.sh:", err)
		os.Exit(1)
	}
}

// client is a connection that hands over what the server sends as it is.
type client struct {
	t    testing.TB
	conn net.Conn
}

func connect(t testing.TB) *client {
	t.Helper()
	u, err := url.Parse(os.Getenv(variable))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.DialTimeout("tcp", u.Host, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	c := &client{t, conn}
	start := binary.BigEndian.AppendUint32(nil, 3<<16)
	for _, s := range []string{"user", u.User.Username(), "database", strings.TrimPrefix(u.Path, "/"), "client_encoding", "UTF8", ""} {
		start = append(append(start, s...), 0)
	}
	c.write(append(binary.BigEndian.AppendUint32(nil, uint32(len(start)+4)), start...))
	password, _ := u.User.Password()
	c.authenticate(password)
	c.answer()
	return c
}

// authenticate answers until the server is content: not at all, or by
// SCRAM-SHA-256 (RFC 5802, RFC 7677).
func (c *client) authenticate(password string) {
	c.t.Helper()
	const nonce = "rOprNGfwEbeRWgbNEkqO"
	const first = "n=,r=" + nonce
	for {
		kind, body := c.message()
		if kind != 'R' {
			c.t.Fatalf("message %q while connecting: %q", kind, body)
		}
		switch code := binary.BigEndian.Uint32(body); code {
		case 0:
			return
		case 10:
			initial := "n,," + first
			c.write(message('p', "SCRAM-SHA-256", uint32(len(initial)), []byte(initial)))
		case 11:
			challenge := string(body[4:])
			var server, salt string
			var rounds int
			for _, part := range strings.Split(challenge, ",") {
				switch value := part[2:]; part[0] {
				case 'r':
					server = value
				case 's':
					salt = value
				case 'i':
					rounds, _ = strconv.Atoi(value)
				}
			}
			raw, err := base64.StdEncoding.DecodeString(salt)
			if err != nil {
				c.t.Fatal(err)
			}
			salted, err := pbkdf2.Key(sha256.New, password, raw, rounds, 32)
			if err != nil {
				c.t.Fatal(err)
			}
			last := "c=biws,r=" + server
			key := sum(salted, "Client Key")
			stored := sha256.Sum256(key)
			signature := sum(stored[:], first+","+challenge+","+last)
			for i := range key {
				key[i] ^= signature[i]
			}
			c.write(message('p', []byte(last+",p="+base64.StdEncoding.EncodeToString(key))))
		case 12:
		default:
			c.t.Fatalf("the server wants authentication %d", code)
		}
	}
}

func sum(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

func (c *client) write(b []byte) {
	c.t.Helper()
	c.conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := c.conn.Write(b); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) message() (kind byte, body []byte) {
	c.t.Helper()
	head := make([]byte, 5)
	if _, err := io.ReadFull(c.conn, head); err != nil {
		c.t.Fatal(err)
	}
	body = make([]byte, binary.BigEndian.Uint32(head[1:])-4)
	if _, err := io.ReadFull(c.conn, body); err != nil {
		c.t.Fatal(err)
	}
	return head[0], body
}

// answer returns all messages up to ReadyForQuery.
func (c *client) answer() []byte {
	c.t.Helper()
	var all []byte
	for {
		kind, body := c.message()
		all = append(all, message(kind, body)...)
		if kind == 'Z' {
			return all
		}
	}
}

func message(kind byte, body ...any) []byte {
	var b bytes.Buffer
	for _, part := range body {
		if s, ok := part.(string); ok {
			part = append([]byte(s), 0)
		}
		binary.Write(&b, binary.BigEndian, part)
	}
	head := binary.BigEndian.AppendUint32([]byte{kind}, uint32(b.Len()+4))
	return append(head, b.Bytes()...)
}

// simple runs statements by the simple protocol, which answers in text format.
func (c *client) simple(sql string) []byte {
	c.t.Helper()
	c.write(message('Q', sql))
	return c.answer()
}

// exec runs statements that may not fail.
func (c *client) exec(sql string) {
	c.t.Helper()
	stream := c.simple(sql)
	if _, err := serialize(stream, 0, engine.ShapeArray, 0); err != nil && err.Code != driveradapter.CodeCallOrder {
		c.t.Fatalf("%s: %v", sql, err)
	}
}

// extended runs a statement by the extended protocol with a result format code for
// each column, or for all of them; rows limits each Execute.
func (c *client) extended(sql string, rows uint32, formats ...uint16) []byte {
	c.t.Helper()
	execute := message('E', "", rows)
	var b []byte
	b = append(b, message('P', "", sql, uint16(0))...)
	b = append(b, message('B', "", "", uint16(0), uint16(0), uint16(len(formats)), formats)...)
	b = append(b, message('D', byte('P'), "")...)
	b = append(b, execute...)
	if rows > 0 {
		b = append(b, execute...)
	}
	b = append(b, message('S')...)
	c.write(b)
	return c.answer()
}

const text, binaryFormat uint16 = 0, 1

type failure = wiretest.Failure

const separator = wiretest.Separator

// serialize feeds a stream to an engine in pieces of a size, 0 for one piece.
func serialize(stream []byte, piece int, shape, flags uint32) (string, *failure) {
	if piece == 0 {
		piece = len(stream)
	}
	return wiretest.Serialize(engine.NewWire(driveradapter.Postgres, pgwire.New()), stream, shape, flags, nil, piece)
}
