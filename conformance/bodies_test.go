package conformance

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"testing"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/native"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// A body is an implementation of wasm/ABI.md for one dialect. Its calls are
// those of the ABI; output and state are what the state block points to.
type body interface {
	begin(source, shape, flags uint32) int32
	push(input []byte) int32
	resume() int32
	head() int32
	end() int32
	limit(bytes uint32)
	output() []byte
	state() state
}

// state is what the runner needs of the state block.
type state struct {
	code   driveradapter.Code
	row    uint64
	column uint32
	ascii  bool
	labels []uint32
	found  string
}

const none = 0xffffffff

// result is what became of a case.
type result struct {
	text   string
	err    driveradapter.Code
	row    int64
	column int // -1: none
	labels []uint32
	ascii  bool // what the state block says of the output
}

const (
	statusDone = 0
	statusFull = 1
	statusRedo = 2
)

const (
	flagSettled  = 1
	flagFixed    = 2
	flagScan     = 4
	flagUnknown  = 8
	flagJSONText = 16
)

// run takes a frame through a body as a host does, in pieces of the given
// number of bytes.
func run(b body, frame []byte, shape, flags uint32, piece int) result {
	out, status := pass(b, frame, shape, flags, piece)
	if status == statusRedo {
		out, status = pass(b, frame, shape, flags|flagSettled, piece)
	}
	s := b.state()
	if status == statusDone {
		if status = b.head(); status == statusDone {
			return result{text: string(b.output()) + out, row: -1, column: -1, labels: s.labels, ascii: b.state().ascii}
		}
		s = b.state()
	}
	r := result{err: s.code, row: int64(s.row), column: -1}
	if s.column != none {
		r.column = int(s.column)
	}
	return r
}

func pass(b body, frame []byte, shape, flags uint32, piece int) (string, int32) {
	if piece == 0 {
		piece = len(frame)
	}
	var out []byte
	status := b.begin(0, shape, flags)
	for at := 0; at < len(frame) && status == statusDone; at += piece {
		status = b.push(frame[at:min(at+piece, len(frame))])
		out = append(out, b.output()...)
		for status == statusFull {
			status = b.resume()
			out = append(out, b.output()...)
		}
	}
	if status == statusDone {
		status = b.end()
		out = append(out, b.output()...)
	}
	return string(out), status
}

// goBody is the engine as Go code.
type goBody struct{ e *native.Engine }

func newNative(dialect driveradapter.Dialect) body { return goBody{native.New(dialect)} }

func (n goBody) begin(source, shape, flags uint32) int32 { return n.e.Begin(source, shape, flags) }
func (n goBody) resume() int32                           { return n.e.Resume() }
func (n goBody) head() int32                             { return n.e.Head() }
func (n goBody) end() int32                              { return n.e.End() }
func (n goBody) limit(bytes uint32)                      { n.e.Limit(bytes) }
func (n goBody) output() []byte                          { return n.e.Output() }

func (n goBody) push(input []byte) int32 {
	room := n.e.Input(uint32(len(input)))
	if room == nil && len(input) > 0 {
		return -1
	}
	copy(room, input)
	return n.e.Push(uint32(len(input)))
}

func (n goBody) state() state {
	s := n.e.State()
	return state{driveradapter.Code(s.Code), s.Row, s.Column, s.ASCII != 0, append([]uint32(nil), n.e.Labels()...), string(n.e.Found())}
}

// module is a built module under wazero.
type module struct {
	ctx    context.Context
	m      api.Module
	memory api.Memory
	block  uint32
}

// The two engines of wazero. Modules that a test loads run in the compiler, unless
// it is about the interpreter.
var compiler, interpreter = wazero.NewRuntimeConfigCompiler, wazero.NewRuntimeConfigInterpreter

// loadModule loads and instantiates a module file.
func loadModule(t testing.TB, file string) *module {
	t.Helper()
	return loadModuleIn(t, compiler(), file)
}

func loadModuleIn(t testing.TB, engine wazero.RuntimeConfig, file string) *module {
	t.Helper()
	ctx := context.Background()
	binary, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := wazero.NewRuntimeWithConfig(ctx, engine)
	t.Cleanup(func() { r.Close(ctx) })
	compiled, err := r.CompileModule(ctx, binary)
	if err != nil {
		t.Fatal(err)
	}
	if len(compiled.ImportedFunctions()) > 0 {
		// Only the standard compiler's builds import WASI.
		wasi_snapshot_preview1.MustInstantiate(ctx, r)
	}
	m, err := r.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithStartFunctions())
	if err != nil {
		t.Fatal(err)
	}
	b := &module{ctx: ctx, m: m, memory: m.Memory()}
	b.call("_initialize")
	if abi := b.call("rowjet_abi"); abi != 1 {
		t.Fatalf("%s has ABI %d", file, abi)
	}
	b.block = uint32(b.call("rowjet_state"))
	return b
}

func (b *module) call(name string, params ...uint64) int32 {
	results, err := b.m.ExportedFunction(name).Call(b.ctx, params...)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
	if len(results) == 0 {
		return 0
	}
	return int32(results[0])
}

func (b *module) begin(source, shape, flags uint32) int32 {
	return b.call("rowjet_begin", uint64(source), uint64(shape), uint64(flags))
}
func (b *module) resume() int32      { return b.call("rowjet_resume") }
func (b *module) head() int32        { return b.call("rowjet_head") }
func (b *module) end() int32         { return b.call("rowjet_end") }
func (b *module) limit(bytes uint32) { b.call("rowjet_limit", uint64(bytes)) }

func (b *module) push(input []byte) int32 {
	at := b.call("rowjet_input", uint64(len(input)))
	if at == 0 {
		return -1
	}
	if !b.memory.Write(uint32(at), input) {
		panic("rowjet_input gave an address outside of the memory")
	}
	return b.call("rowjet_push", uint64(len(input)))
}

func (b *module) bytes(address, length uint32) []byte {
	view, ok := b.memory.Read(address, length)
	if !ok {
		panic("the state block names bytes outside of the memory")
	}
	return view
}

func (b *module) u32(offset uint32) uint32 {
	return binary.LittleEndian.Uint32(b.bytes(b.block+offset, 4))
}

func (b *module) output() []byte { return b.bytes(b.u32(0), b.u32(4)) }

func (b *module) state() state {
	s := state{
		code:   driveradapter.Code(b.u32(12)),
		row:    binary.LittleEndian.Uint64(b.bytes(b.block+16, 8)),
		column: b.u32(24),
		ascii:  b.u32(8) != 0,
	}
	if s.code != 0 {
		s.found = string(b.bytes(b.u32(32), b.u32(36)))
		return s
	}
	for _, raw := 0, b.bytes(b.u32(44), 4*b.u32(40)); len(raw) > 0; raw = raw[4:] {
		s.labels = append(s.labels, binary.LittleEndian.Uint32(raw))
	}
	return s
}
