package pgwire

import "github.com/rowjet/rowjet/wasm/internal/pgarray"

const (
	// maxDimensions is PostgreSQL's own limit (MAXDIM).
	maxDimensions = 6

	// maxDepth is how deep arrays and composite values may nest in each other in
	// binary format. Each level is a level of recursion, and doubles the quotes.
	maxDepth = 16
)

// arrayReader cuts an array in binary format (array_send) into tokens: u32 number
// of dimensions, u32 whether there are nulls, u32 OID of the elements; of each
// dimension u32 length and i32 lower bound; of each element i32 length, or -1 for
// null, and bytes.
type arrayReader struct {
	oid     uint32
	element []byte // the last Element
	rest    []byte
	dims    int
	open    int // brackets that are open; -1 at the end
	length  [maxDimensions]uint32
	lower   [maxDimensions]int32
	index   [maxDimensions]uint32
}

// start reads the header.
func (r *arrayReader) start(data []byte) bool {
	if len(data) < 12 {
		return false
	}
	dims := u32(data)
	r.oid = u32(data[8:])
	data = data[12:]
	if dims > maxDimensions || len(data) < 8*int(dims) {
		return false
	}
	// Each element has at least its length, so that the number of them is bounded by
	// that of the bytes.
	count := uint64(1)
	for i := range int(dims) {
		r.length[i], r.lower[i] = u32(data), int32(u32(data[4:]))
		data = data[8:]
		count *= uint64(r.length[i])
		if count == 0 && dims > 1 || count > uint64(len(data))/4 {
			return false
		}
	}
	r.dims, r.rest, r.open = int(dims), data, 0
	if dims == 0 {
		// An empty array, as one dimension without elements, which is what empty vectors
		// are.
		r.dims, r.length[0], r.lower[0] = 1, 0, 1
	}
	r.index[0] = 0
	return true
}

// next reads the next token.
func (r *arrayReader) next() pgarray.Token {
	switch {
	case r.open < 0:
		if len(r.rest) > 0 {
			return pgarray.Bad
		}
		return pgarray.End
	case r.open > 0 && r.index[r.open-1] == r.length[r.open-1]:
		r.open--
		if r.open == 0 {
			r.open = -1
		}
		return pgarray.Close
	case r.open > 0:
		r.index[r.open-1]++
	}
	if r.open < r.dims {
		r.index[r.open] = 0
		r.open++
		return pgarray.Open
	}
	element, isNull, rest, ok := item(r.rest)
	r.element, r.rest = element, rest
	switch {
	case !ok:
		return pgarray.Bad
	case isNull:
		return pgarray.Null
	}
	return pgarray.Element
}

// item cuts off what has an i32 length before it, -1 for null.
//
//go:noinline
func item(data []byte) (value []byte, isNull bool, rest []byte, ok bool) {
	if len(data) < 4 {
		return nil, false, nil, false
	}
	n := u32(data)
	data = data[4:]
	if n == null {
		return nil, true, data, true
	}
	if n > uint32(len(data)) {
		return nil, false, nil, false
	}
	return data[:n], false, data[n:], true
}
