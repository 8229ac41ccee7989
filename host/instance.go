package host

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/driveradapter/values"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// The numbers of wasm/ABI.md.
const (
	abiVersion = 1

	statusDone  = 0
	statusFull  = 1
	statusAgain = 2
	statusNext  = 3
	statusError = math.MaxUint32 // -1

	flagSettled = 1
	flagFixed   = 2
	flagScan    = 4
	flagUnknown = 8
	flagNext    = 32

	sourceFrames   = 0
	sourceMessages = 1

	stateSize = 48
)

// instance is an instance of a module with what a call needs beside it. It
// serves one call at a time.
type instance struct {
	code   *code
	module api.Module
	memory api.Memory
	state  uint32 // address of the state block

	begin, input, push, resume, head, end api.Function

	stack   [3]uint64 // parameters and results of the functions
	encoder driveradapter.Encoder
	columns []byte // the columns block of the current result
	block   []byte // a rows block with a long row

	// broken is set when the module trapped or broke its ABI: its memory may
	// be in any state.
	broken bool
}

// instantiate makes an instance and checks that it is what we take it for.
func (e *Engine) instantiate(ctx context.Context, code *code) (*instance, error) {
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize")
	module, err := code.runtime.InstantiateModule(ctx, code.module, config)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrModule, err)
	}
	i := &instance{code: code, module: module, memory: module.ExportedMemory("memory")}
	i.encoder.Other = toCell
	if err := i.open(ctx, e); err != nil {
		module.Close(ctx)
		return nil, err
	}
	return i, nil
}

func (i *instance) open(ctx context.Context, e *Engine) error {
	if i.memory == nil {
		return fmt.Errorf("%w: it exports no memory", ErrModule)
	}
	var abi, dialect, state, limit api.Function
	for _, export := range []struct {
		f               *api.Function
		name            string
		params, results int
	}{
		{&abi, "rowjet_abi", 0, 1},
		{&dialect, "rowjet_dialect", 0, 1},
		{&state, "rowjet_state", 0, 1},
		{&limit, "rowjet_limit", 1, 0},
		{&i.begin, "rowjet_begin", 3, 1},
		{&i.input, "rowjet_input", 1, 1},
		{&i.push, "rowjet_push", 1, 1},
		{&i.resume, "rowjet_resume", 0, 1},
		{&i.head, "rowjet_head", 0, 1},
		{&i.end, "rowjet_end", 0, 1},
	} {
		f := i.module.ExportedFunction(export.name)
		if f == nil {
			return fmt.Errorf("%w: it exports no function %s", ErrModule, export.name)
		}
		if !allI32(f.Definition().ParamTypes(), export.params) || !allI32(f.Definition().ResultTypes(), export.results) {
			return fmt.Errorf("%w: its function %s has another signature", ErrModule, export.name)
		}
		*export.f = f
	}
	for _, check := range []struct {
		f    api.Function
		what string
		want uint32
	}{{abi, "ABI", abiVersion}, {dialect, "dialect", uint32(e.dialect)}} {
		got, err := i.call(ctx, check.f)
		if err != nil {
			return err
		}
		if got != check.want {
			return fmt.Errorf("%w: its %s number is %d, expected %d", ErrModule, check.what, got, check.want)
		}
	}
	address, err := i.call(ctx, state)
	if err != nil {
		return err
	}
	i.state = address
	if _, ok := i.memory.Read(address, stateSize); !ok {
		return fmt.Errorf("%w: its state block lies outside its memory", ErrModule)
	}
	_, err = i.call(ctx, limit, e.runtime.options.memoryLimit)
	return err
}

func allI32(types []api.ValueType, n int) bool {
	for _, t := range types {
		if t != api.ValueTypeI32 {
			return false
		}
	}
	return len(types) == n
}

// call calls a function of the module.
func (i *instance) call(ctx context.Context, f api.Function, args ...uint32) (uint32, error) {
	i.stack[0] = 0
	for n, arg := range args {
		i.stack[n] = uint64(arg)
	}
	if err := f.CallWithStack(ctx, i.stack[:]); err != nil {
		why, _, _ := strings.Cut(err.Error(), "\n") // a stack trace follows
		return 0, i.fail(f.Definition().ExportNames()[0] + ": " + why)
	}
	return uint32(i.stack[0]), nil
}

// fail marks the instance as broken.
func (i *instance) fail(why string) error {
	i.broken = true
	return fmt.Errorf("%w: %s", ErrEngineFailed, why)
}

// stateBlock returns a view of the state block, valid until the next call.
func (i *instance) stateBlock() stateBlock {
	view, _ := i.memory.Read(i.state, stateSize) // open has checked the address
	return view
}

type stateBlock []byte

func (s stateBlock) u32(offset int) uint32 { return binary.LittleEndian.Uint32(s[offset:]) }
func (s stateBlock) outputAddress() uint32 { return s.u32(0) }
func (s stateBlock) outputLength() uint32  { return s.u32(4) }
func (s stateBlock) code() uint32          { return s.u32(12) }
func (s stateBlock) row() uint64           { return binary.LittleEndian.Uint64(s[16:]) }
func (s stateBlock) column() uint32        { return s.u32(24) }
func (s stateBlock) label() uint32         { return s.u32(28) }
func (s stateBlock) foundAddress() uint32  { return s.u32(32) }
func (s stateBlock) foundLength() uint32   { return s.u32(36) }
func (s stateBlock) columns() uint32       { return s.u32(40) }

// output returns a view of the output of the last call, valid until the next.
func (i *instance) output() ([]byte, error) {
	s := i.stateBlock()
	if s.outputLength() == 0 {
		return nil, nil
	}
	view, ok := i.memory.Read(s.outputAddress(), s.outputLength())
	if !ok {
		return nil, i.fail("its output lies outside its memory")
	}
	return view, nil
}

// resultError returns the error in the state block.
func (i *instance) resultError(names []string) error {
	s := i.stateBlock()
	if s.code() == 0 || s.code() > math.MaxUint16 {
		return i.fail(fmt.Sprintf("it reports an error with the code %d", s.code()))
	}
	e := &driveradapter.Error{Code: driveradapter.Code(s.code()), Row: -1, Column: -1}
	if !aboutNoRow(e.Code) {
		e.Row = int64(s.row())
	}
	if c := s.column(); c != noColumn {
		e.Column = int(c)
		if e.Column < len(names) {
			e.Name = names[e.Column]
		}
		e.Type = driveradapter.ColumnType(s.label()) // no label is 0xff, Unknown
	}
	found, ok := i.memory.Read(s.foundAddress(), s.foundLength())
	if !ok {
		return i.fail("the text of its error lies outside its memory")
	}
	e.Found = string(found)
	return e
}

// room returns a view of n bytes to write input to, valid until the next call.
func (i *instance) room(ctx context.Context, n int, names []string) ([]byte, error) {
	if n > math.MaxInt32 {
		return nil, &driveradapter.Error{Code: driveradapter.CodeMemoryLimit, Row: -1, Column: -1}
	}
	address, err := i.call(ctx, i.input, uint32(n))
	if err != nil {
		return nil, err
	}
	if address == 0 {
		return nil, i.resultError(names)
	}
	view, ok := i.memory.Read(address, uint32(n))
	if !ok {
		return nil, i.fail("the room for its input lies outside its memory")
	}
	return view, nil
}

// toCell serves the encoder for Go values that are not in its list.
func toCell(v any) (cell any, problem string) {
	cell, err := values.Of(v)
	if err != nil {
		return nil, err.Error()
	}
	return cell, ""
}
