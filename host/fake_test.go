package host_test

import (
	"encoding/binary"
	"maps"
	"slices"
)

// A fake is a module made by hand, to see what the host does with modules that
// do not keep to the ABI. Its functions do nothing but what is said here.
type fake map[string]fakeFunc

type fakeFunc struct {
	params, results int
	body            []byte // instructions, without the final end
}

// Instructions of the WebAssembly binary format, section 5.4 of its
// specification.
var unreachable = []byte{0x00}

// constant is i32.const v.
func constant(v int32) []byte { return appendSigned([]byte{0x41}, int64(v)) }

// store is i32.store of v at the address at.
func store(at uint32, v uint32) []byte {
	b := constant(int32(at))
	b = append(b, constant(int32(v))...)
	return append(b, 0x36, 2, 0)
}

func sequence(parts ...[]byte) []byte { return slices.Concat(parts...) }

// stateAt is where the fakes have their state block.
const stateAt = 1024

// goodFake keeps to the ABI: it takes everything and puts out nothing.
func goodFake(dialect int32) fake {
	return fake{
		"rowjet_abi":     {0, 1, constant(1)},
		"rowjet_dialect": {0, 1, constant(dialect)},
		"rowjet_state":   {0, 1, constant(stateAt)},
		"rowjet_limit":   {1, 0, nil},
		"rowjet_begin":   {3, 1, constant(0)},
		"rowjet_input":   {1, 1, constant(4096)},
		"rowjet_push":    {1, 1, constant(0)},
		"rowjet_resume":  {0, 1, constant(0)},
		"rowjet_head":    {0, 1, constant(0)},
		"rowjet_end":     {0, 1, constant(0)},
	}
}

// with returns a copy in which a function has another body.
func (f fake) with(name string, body []byte) fake {
	g := maps.Clone(f)
	g[name] = fakeFunc{f[name].params, f[name].results, body}
	return g
}

// signature returns a copy in which a function has another signature.
func (f fake) signature(name string, params, results int, body []byte) fake {
	g := maps.Clone(f)
	g[name] = fakeFunc{params, results, body}
	return g
}

// without returns a copy that lacks a function.
func (f fake) without(name string) fake {
	g := maps.Clone(f)
	delete(g, name)
	return g
}

// wasm returns the module with a memory of the given number of pages, exported
// unless pages is negative.
func (f fake) wasm(pages int) []byte {
	names := slices.Sorted(maps.Keys(f))
	var types, functions, exports, code []byte
	for i, name := range names {
		fn := f[name]
		types = append(types, 0x60)
		types = appendUnsigned(types, uint64(fn.params))
		types = append(types, slices.Repeat([]byte{0x7f}, fn.params)...)
		types = appendUnsigned(types, uint64(fn.results))
		types = append(types, slices.Repeat([]byte{0x7f}, fn.results)...)
		functions = appendUnsigned(functions, uint64(i))
		exports = appendUnsigned(exports, uint64(len(name)))
		exports = append(exports, name...)
		exports = append(exports, 0x00)
		exports = appendUnsigned(exports, uint64(i))
		body := append([]byte{0}, fn.body...) // no locals
		body = append(body, 0x0b)
		code = appendUnsigned(code, uint64(len(body)))
		code = append(code, body...)
	}
	exported := len(names)
	if pages >= 0 {
		exported++
		exports = append(exports, 6)
		exports = append(exports, "memory"...)
		exports = append(exports, 0x02, 0)
	}
	count := func(n int, body []byte) []byte {
		return append(appendUnsigned(nil, uint64(n)), body...)
	}
	module := binary.LittleEndian.AppendUint32([]byte("\x00asm"), 1)
	for _, section := range []struct {
		id   byte
		body []byte
	}{
		{1, count(len(names), types)},
		{3, count(len(names), functions)},
		{5, count(1, appendUnsigned([]byte{0}, uint64(max(pages, -pages))))},
		{7, count(exported, exports)},
		{10, count(len(names), code)},
	} {
		module = append(module, section.id)
		module = appendUnsigned(module, uint64(len(section.body)))
		module = append(module, section.body...)
	}
	return module
}

// importer is a module that does nothing but import env.f.
func importer() []byte {
	return []byte("\x00asm\x01\x00\x00\x00" +
		"\x01\x04\x01\x60\x00\x00" +
		"\x02\x09\x01\x03env\x01f\x00\x00")
}

// appendUnsigned appends v in unsigned LEB128.
func appendUnsigned(dst []byte, v uint64) []byte { return binary.AppendUvarint(dst, v) }

// appendSigned appends v in signed LEB128.
func appendSigned(dst []byte, v int64) []byte {
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			return append(dst, b)
		}
		dst = append(dst, b|0x80)
	}
}
