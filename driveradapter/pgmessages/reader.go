package pgmessages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/rowjet/rowjet/driveradapter"
)

// Types tells the types of columns that PostgreSQL has no fixed OIDs for, such as
// enums: OIDs of pg_type and what to label them. Types that it does not name are
// text. The labels of types that are built in cannot be changed.
type Types map[uint32]driveradapter.ColumnType

// Field is pgconn.FieldDescription.
type Field interface {
	~struct {
		Name                 string
		TableOID             uint32
		TableAttributeNumber uint16
		DataTypeOID          uint32
		DataTypeSize         int16
		TypeModifier         int32
		Format               int16
	}
}

// field is what every Field can be made to.
type field struct {
	Name                 string
	TableOID             uint32
	TableAttributeNumber uint16
	DataTypeOID          uint32
	DataTypeSize         int16
	TypeModifier         int32
	Format               int16
}

// Rows is pgx.Rows. Tag is pgconn.CommandTag.
type Rows[F Field, Tag fmt.Stringer] interface {
	FieldDescriptions() []F
	Next() bool
	RawValues() [][]byte
	Err() error
	CommandTag() Tag
}

// Result is *pgconn.ResultReader. Tag is pgconn.CommandTag.
type Result[F Field, Tag fmt.Stringer] interface {
	FieldDescriptions() []F
	NextRow() bool
	Values() [][]byte
	Close() (Tag, error)
}

// Results is *pgconn.MultiResultReader. R is *pgconn.ResultReader.
type Results[R any] interface {
	NextResult() bool
	ResultReader() R
	Close() error
}

// ErrClosed is the error for a result that somebody else has closed, or read from,
// before it was read to the end.
var ErrClosed = errors.New("pgmessages: the result was closed, or read elsewhere, before it was read to the end")

// FromRows returns the messages of pgx.Rows. Closing the rows is left to the
// caller. Rows that are closed already are an error, and rows that are closed or
// read by others before the end are ErrClosed.
func FromRows[F Field, Tag fmt.Stringer](rows Rows[F, Tag], types ...Types) *Reader {
	if isNil(rows) {
		return newReader(failed("the rows are nil"), types)
	}
	if rows.CommandTag().String() != "" {
		return newReader(failed("the rows are closed"), types)
	}
	return newReader(&single{
		fields: func() []field {
			if rows.Err() != nil {
				return nil // to ask pgx for those of a query that failed is a panic
			}
			return convert(rows.FieldDescriptions())
		},
		// Rows that were closed have no error. Not all tags count rows.
		closed: func() bool { return rows.CommandTag().String() != "" },
		next:   rows.Next,
		values: rows.RawValues,
		end:    func() (string, error) { return rows.CommandTag().String(), rows.Err() },
	}, types)
}

// FromResult returns the messages of a *pgconn.ResultReader. It closes the result
// when it has read it to the end, to see how it ended. A result that others close or
// read before that is ErrClosed, if its command tag counts rows. The tags of EXPLAIN,
// SHOW and CALL do not: such a result ends as if it were whole.
func FromResult[F Field, Tag fmt.Stringer](result Result[F, Tag], types ...Types) *Reader {
	if isNil(result) {
		return newReader(failed("the result is nil"), types)
	}
	return newReader(ofResult(result), types)
}

func ofResult[F Field, Tag fmt.Stringer](result Result[F, Tag]) *single {
	return &single{
		fields: func() []field { return convert(result.FieldDescriptions()) },
		next:   result.NextRow,
		values: result.Values,
		end: func() (string, error) {
			tag, err := result.Close()
			return tag.String(), err
		},
	}
}

// FromResults returns the messages of a *pgconn.MultiResultReader: several
// results, for Engine.Messages. It closes it when it has read it to the end, or
// to the server's error, to see how it ended. Nobody else may close it before: pgx
// does not tell. Between two results, the answer ends there as if it were whole;
// within one, pgx waits for messages that have gone by.
func FromResults[F Field, Tag fmt.Stringer, R Result[F, Tag]](results Results[R], types ...Types) *Reader {
	if isNil(results) {
		return newReader(failed("the results are nil"), types)
	}
	return newReader(&several{
		next: func() *single {
			if !results.NextResult() {
				return nil
			}
			result := ofResult[F, Tag](results.ResultReader())
			end := result.end
			result.end = func() (string, error) {
				tag, err := end()
				if err != nil {
					results.Close() // has the same error, and frees the connection
				}
				return tag, err
			}
			return result
		},
		end: results.Close,
	}, types)
}

// isNil reports whether v is nil or a nil pointer.
func isNil(v any) bool {
	value := reflect.ValueOf(v)
	return !value.IsValid() || value.Kind() == reflect.Pointer && value.IsNil()
}

// convert makes fields of those of pgx.
func convert[F Field](fields []F) []field {
	if fields == nil {
		return nil
	}
	converted := make([]field, len(fields))
	for i, f := range fields {
		converted[i] = field(f)
	}
	return converted
}

// source is one result after the other.
type source interface {
	// result goes to the next result and returns nil after the last one. The error
	// is how all of them ended.
	result() (*single, error)
}

// single is one result.
type single struct {
	fields func() []field
	closed func() bool // may be nil
	next   func() bool
	values func() [][]byte
	end    func() (tag string, err error) // how it ended, after next returned false

	given bool
	read  int64 // rows
}

func (s *single) result() (*single, error) {
	if s.given {
		return nil, nil
	}
	s.given = true
	return s, nil
}

// several are several results.
type several struct {
	next func() *single
	end  func() error
}

func (s *several) result() (*single, error) {
	if next := s.next(); next != nil {
		return next, nil
	}
	return nil, s.end()
}

// failed is a source that is an error.
type failed string

func (f failed) result() (*single, error) { return nil, errors.New("pgmessages: " + string(f)) }

// A Reader reads the messages of PostgreSQL's protocol that stand for results. It
// is not safe for concurrent use.
type Reader struct {
	source    source
	single    *single // the result that is being read, nil between results
	names     []string
	described bool   // the result's RowDescription was made
	columns   int    // in it
	row       bool   // the result is at a row that was not made yet
	buf       []byte // the message that had no room where it was wanted
	rest      []byte // what is left of it
	err       error
}

func newReader(s source, types []Types) *Reader {
	r := &Reader{source: s}
	all := Types{}
	for _, t := range types {
		maps.Copy(all, t)
	}
	if len(all) > 0 {
		r.begin(typeMap)
		for _, oid := range slices.Sorted(maps.Keys(all)) {
			r.buf = binary.BigEndian.AppendUint32(r.buf, oid)
			r.buf = binary.BigEndian.AppendUint32(r.buf, uint32(all[oid]))
		}
		r.finish()
	}
	return r
}

// Types of messages; see "Message Formats" in PostgreSQL's manual. typeMap is
// ours, see wasm/ABI.md.
const (
	typeMap         = 0
	rowDescription  = 'T'
	dataRow         = 'D'
	commandComplete = 'C'
)

// header is the size of a message's type and length.
const header = 5

// ColumnNames returns the names of the columns of the result that the last Read
// was of. The slice must not be changed.
func (r *Reader) ColumnNames() []string {
	if r == nil {
		return nil
	}
	return r.names
}

// Read reads the next bytes of messages: as many as fit, to the end of a result
// at most. The errors of pgx come through unchanged.
func (r *Reader) Read(p []byte) (n int, err error) {
	if r == nil || r.source == nil {
		return 0, errors.New("pgmessages: the reader is not one that FromRows, FromResult or FromResults returned")
	}
	for n < len(p) {
		switch {
		case len(r.rest) > 0:
			copied := copy(p[n:], r.rest)
			r.rest = r.rest[copied:]
			n += copied
		case r.err != nil:
			if n == 0 {
				err = r.err
			}
			return n, err
		case r.row:
			n += r.dataRow(p[n:], r.single.values())
		case r.single != nil:
			r.nextRow()
		case n > 0:
			return n, nil
		default:
			r.nextResult()
		}
	}
	return n, nil
}

// nextResult goes to the next result.
func (r *Reader) nextResult() {
	r.single, r.err = r.source.result()
	r.described = false
	switch {
	case r.single != nil:
		r.describe()
	case r.err == nil:
		r.err = io.EOF
	}
}

// nextRow goes to the next row of the result.
func (r *Reader) nextRow() {
	closed := r.single.closed != nil && r.single.closed()
	if !closed && r.single.next() {
		r.row = true
		r.describe()
		return
	}
	tag, err := r.single.end()
	if err == nil && r.described {
		count, counted := rowCount(tag)
		if r.columns == 0 && r.single.read == 0 && !closed {
			// pgx describes commands without a result by no columns, and their tags
			// count the rows that they changed.
			counted = false
		}
		// A rule may add rows that the tag does not count.
		if counted && count > r.single.read || !counted && closed {
			err = ErrClosed
		}
	}
	if r.err = err; err == nil {
		r.begin(commandComplete)
		r.buf = append(r.buf, 0) // no command tag
		r.finish()
	}
	r.single = nil
}

// rowCount returns the number at the end of a command tag, if it has one: that of
// the rows that the server sent, if it sent a result. See CommandComplete in "Message
// Formats" of PostgreSQL's manual. When a result is closed early, pgx reads over the
// rest and has the tag just the same.
func rowCount(tag string) (n int64, ok bool) {
	n, err := strconv.ParseInt(tag[strings.LastIndexByte(tag, ' ')+1:], 10, 64)
	return n, err == nil
}

// describe makes the RowDescription, if the result tells its columns already.
func (r *Reader) describe() {
	if r.described {
		return
	}
	fields := r.single.fields()
	if fields == nil {
		return
	}
	if r.err = checkFields(fields); r.err != nil {
		return
	}
	r.described, r.columns = true, len(fields)
	r.names = make([]string, len(fields))
	r.begin(rowDescription)
	r.buf = binary.BigEndian.AppendUint16(r.buf, uint16(len(fields)))
	for i, f := range fields {
		r.names[i] = f.Name
		r.buf = append(append(r.buf, f.Name...), 0)
		r.buf = binary.BigEndian.AppendUint32(r.buf, f.TableOID)
		r.buf = binary.BigEndian.AppendUint16(r.buf, f.TableAttributeNumber)
		r.buf = binary.BigEndian.AppendUint32(r.buf, f.DataTypeOID)
		r.buf = binary.BigEndian.AppendUint16(r.buf, uint16(f.DataTypeSize))
		r.buf = binary.BigEndian.AppendUint32(r.buf, uint32(f.TypeModifier))
		r.buf = binary.BigEndian.AppendUint16(r.buf, uint16(f.Format))
	}
	r.finish()
}

// checkFields returns an error for what a RowDescription cannot say.
func checkFields(fields []field) error {
	if len(fields) > math.MaxUint16 {
		return fmt.Errorf("pgmessages: the result has %d columns, and PostgreSQL's messages have room for %d", len(fields), math.MaxUint16)
	}
	for i, f := range fields {
		if strings.IndexByte(f.Name, 0) >= 0 {
			return fmt.Errorf("pgmessages: the name of column %d has a zero byte: %q", i, f.Name)
		}
	}
	return nil
}

// dataRow makes the message of a row in p, and what of it has no room there in
// rest. It returns how many bytes of p it wrote.
func (r *Reader) dataRow(p []byte, values [][]byte) int {
	r.row = false
	if !r.described {
		r.err = fmt.Errorf("pgmessages: row %d came, but the result has no field descriptions", r.single.read)
		return 0
	}
	if len(values) != r.columns {
		r.err = fmt.Errorf("pgmessages: row %d has %d values for %d columns: was the result closed, or read elsewhere, meanwhile?", r.single.read, len(values), r.columns)
		return 0
	}
	size := header + 2 + 4*len(values)
	for _, v := range values {
		size += len(v)
	}
	if size > math.MaxInt32 {
		r.err = fmt.Errorf("pgmessages: row %d has %d bytes, and PostgreSQL's messages have room for %d", r.single.read, size, math.MaxInt32)
		return 0
	}
	r.single.read++
	if size <= len(p) {
		putRow(p[:size], values)
		return size
	}
	r.buf = slices.Grow(r.buf[:0], size)[:size]
	putRow(r.buf, values)
	n := copy(p, r.buf)
	r.rest = r.buf[n:]
	return n
}

// putRow writes a DataRow, which has the size of p.
func putRow(p []byte, values [][]byte) {
	p[0] = dataRow
	binary.BigEndian.PutUint32(p[1:], uint32(len(p)-1))
	binary.BigEndian.PutUint16(p[header:], uint16(len(values)))
	p = p[header+2:]
	for _, v := range values {
		if v == nil {
			binary.BigEndian.PutUint32(p, 0xffffffff)
			p = p[4:]
			continue
		}
		binary.BigEndian.PutUint32(p, uint32(len(v)))
		p = p[4+copy(p[4:], v):]
	}
}

// begin begins a message in buf.
func (r *Reader) begin(kind byte) { r.buf = append(r.buf[:0], kind, 0, 0, 0, 0) }

// finish ends it, and makes it what is read next.
func (r *Reader) finish() {
	binary.BigEndian.PutUint32(r.buf[1:], uint32(len(r.buf)-1))
	r.rest = r.buf
}
