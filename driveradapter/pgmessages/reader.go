package pgmessages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"

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

// Result is *pgconn.ResultReader.
type Result[F Field, Tag any] interface {
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

// FromRows returns the messages of pgx.Rows. Closing the rows is left to the
// caller. Rows that are closed already are an error.
func FromRows[F Field, Tag fmt.Stringer](rows Rows[F, Tag], types ...Types) *Reader {
	if isNil(rows) {
		return newReader(failed("the rows are nil"), types)
	}
	if rows.CommandTag().String() != "" {
		return newReader(failed("the rows are closed"), types)
	}
	return newReader(&single{
		fields: func() []field { return convert(rows.FieldDescriptions()) },
		next:   rows.Next,
		values: rows.RawValues,
		end:    rows.Err,
	}, types)
}

// FromResult returns the messages of a *pgconn.ResultReader. It closes the result
// when it has read it to the end, to see how it ended.
func FromResult[F Field, Tag any](result Result[F, Tag], types ...Types) *Reader {
	if isNil(result) {
		return newReader(failed("the result is nil"), types)
	}
	return newReader(ofResult(result), types)
}

func ofResult[F Field, Tag any](result Result[F, Tag]) *single {
	return &single{
		fields: func() []field { return convert(result.FieldDescriptions()) },
		next:   result.NextRow,
		values: result.Values,
		end: func() error {
			_, err := result.Close()
			return err
		},
	}
}

// FromResults returns the messages of a *pgconn.MultiResultReader: several
// results, for Engine.Messages. It closes it when it has read it to the end, or
// to the server's error, to see how it ended.
func FromResults[F Field, Tag any, R Result[F, Tag]](results Results[R], types ...Types) *Reader {
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
			result.end = func() error {
				err := end()
				if err != nil {
					results.Close() // has the same error, and frees the connection
				}
				return err
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
	next   func() bool
	values func() [][]byte
	end    func() error // how it ended, after next returned false

	given bool
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
func (r *Reader) ColumnNames() []string { return r.names }

// Read reads the next bytes of messages: as many as fit, to the end of a result
// at most. The errors of pgx come through unchanged.
func (r *Reader) Read(p []byte) (n int, err error) {
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
			r.row = false
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
	if r.single.next() {
		r.row = true
		r.describe()
		return
	}
	if r.err = r.single.end(); r.err == nil {
		r.begin(commandComplete)
		r.buf = append(r.buf, 0) // no command tag
		r.finish()
	}
	r.single = nil
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
	r.described = true
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

// dataRow makes the message of a row in p, and what of it has no room there in
// rest. It returns how many bytes of p it wrote.
func (r *Reader) dataRow(p []byte, values [][]byte) int {
	size := header + 2 + 4*len(values)
	for _, v := range values {
		size += len(v)
	}
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
