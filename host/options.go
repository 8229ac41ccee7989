package host

import (
	"fmt"

	"github.com/rowjet/rowjet/driveradapter"
)

// An Option configures a Runtime.
type Option func(*options)

type options struct {
	interpreter   bool
	compileFirst  bool
	cacheDir      string
	modules       [4][]byte // by dialect
	poolSize      int
	maxIdleMemory uint32
	memoryLimit   uint32
}

// WithInterpreter makes wazero interpret the modules instead of compiling them
// to machine code: slower by an order of magnitude, but it works wherever Go
// does. Platforms that wazero has no compiler for get it without this option.
func WithInterpreter() Option { return func(o *options) { o.interpreter = true } }

// WithCompileFirst makes Engine return when its module is compiled to machine
// code, instead of starting in the interpreter and compiling in the background.
func WithCompileFirst() Option { return func(o *options) { o.compileFirst = true } }

// WithCompilationCache keeps the modules' machine code in a directory, which is
// made if it is not there, so that the next process need not compile them. Who
// can write to the directory can run code in the process. It implies
// WithCompileFirst.
func WithCompilationCache(dir string) Option { return func(o *options) { o.cacheDir = dir } }

// WithModule runs another build of a dialect's module than the embedded one. A
// module may import wasi_snapshot_preview1; the embedded ones import nothing.
// The bytes must not change until Runtime.Engine has returned.
func WithModule(d driveradapter.Dialect, wasm []byte) Option {
	return func(o *options) {
		if int(d) < len(o.modules) {
			o.modules[d] = wasm
		}
	}
}

// WithPoolSize sets how many idle instances an Engine keeps; the default is
// GOMAXPROCS. It does not limit how many calls may be in flight.
func WithPoolSize(n int) Option { return func(o *options) { o.poolSize = max(n, 0) } }

// WithMaxIdleMemory sets the memory size, in bytes, past which an instance is
// closed after use instead of being kept; the default is 32 MiB.
func WithMaxIdleMemory(bytes uint32) Option { return func(o *options) { o.maxIdleMemory = bytes } }

// WithMemoryLimit sets the size, in bytes, that no buffer of an instance may
// pass; a result that needs more is the error MEMORY_LIMIT. Buffers hold a
// chunk of the result, so the limit is in effect one for the size of a row. The
// default is 1 GiB, the least is 1 MiB.
func WithMemoryLimit(bytes uint32) Option {
	return func(o *options) { o.memoryLimit = max(bytes, 1<<20) }
}

// A CallOption says how one result is to be written: a Shape or a Settle.
type CallOption interface{ apply(*callOptions) }

type callOptions struct {
	shape  Shape
	settle Settle
}

func callOptionsOf(opts []CallOption) (o callOptions, err error) {
	for _, opt := range opts {
		if isNil(opt) {
			return o, errNilOption
		}
		opt.apply(&o)
	}
	if o.shape > ShapeNDJSON {
		return o, fmt.Errorf("%d is no value of host.Shape", o.shape)
	}
	if o.settle > SettleUnknown {
		return o, fmt.Errorf("%d is no value of host.Settle", o.settle)
	}
	return o, nil
}

// Shape is the form of the document.
type Shape uint32

const (
	// ShapeArray is {"columns":[…],"types":[…],"rows":[[…],…]}.
	ShapeArray Shape = 0
	// ShapeObjects is a JSON array of an object for each row. Of columns with
	// the same name the last one counts.
	ShapeObjects Shape = 1
	// ShapeNDJSON is an object for each row, each on a line of its own.
	ShapeNDJSON Shape = 2
)

func (s Shape) apply(o *callOptions) { o.shape = s }

// Settle says how Stream settles column types that only the data can tell. The
// other functions have all rows at hand and ignore it.
type Settle uint8

const (
	// SettleDeclared takes the declared types for true. UnknownNumber columns
	// are labelled "unknown". A cell that does not fit its column is the error
	// LABEL_UNSETTLED.
	SettleDeclared Settle = iota
	// SettleScan reads the rows twice, which must be a Rewinder: first to find
	// the types, then to write. Other columns, or another number of rows, the
	// second time are ErrRewound.
	SettleScan
	// SettleBuffer keeps the rows in memory, in encoded form, until the last
	// one has been seen. Results that need no settling are streamed at once.
	SettleBuffer
	// SettleUnknown labels every column of a SQLite result "unknown", and takes
	// any cell. For the other dialects it is SettleDeclared.
	SettleUnknown
)

func (s Settle) apply(o *callOptions) { o.settle = s }

// Rewinder is a result that can be read again from its start, with the same
// columns and the same rows: by asking the database again within a transaction
// that sees one snapshot, for example.
type Rewinder interface {
	driveradapter.Rows
	// Rewind makes Next go to the first row again.
	Rewind() error
}
