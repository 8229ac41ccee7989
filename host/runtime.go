package host

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"sync"

	"github.com/rowjet/rowjet/driveradapter"
	"github.com/rowjet/rowjet/wasm/dist"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// Runtime holds the compiled modules. It is safe for concurrent use.
type Runtime struct {
	options options
	main    wazero.Runtime
	// starter interprets the modules while main compiles them; nil if they are
	// compiled first, or never.
	starter wazero.Runtime
	cache   wazero.CompilationCache // nil without WithCompilationCache

	compiling sync.Mutex // held while an Engine is made
	engines   [4]*Engine // by dialect, nil until asked for

	mu     sync.Mutex
	closed bool
	calls  int           // calls in flight
	idle   chan struct{} // closed when calls is 0 after closed was set
}

// New makes a Runtime. Modules are loaded later, by Engine.
func New(ctx context.Context, opts ...Option) (*Runtime, error) {
	if ctx == nil {
		return nil, errNilContext
	}
	r := &Runtime{
		options: options{
			modules:       [4][]byte{driveradapter.Postgres: dist.Postgres, driveradapter.MySQL: dist.MySQL, driveradapter.SQLite: dist.SQLite},
			poolSize:      goruntime.GOMAXPROCS(0),
			maxIdleMemory: 32 << 20,
			memoryLimit:   1 << 30,
		},
		idle: make(chan struct{}),
	}
	for _, opt := range opts {
		if opt == nil {
			return nil, errNilOption
		}
		opt(&r.options)
	}
	config := wazero.NewRuntimeConfig()
	hasCompiler := goruntime.GOARCH == "amd64" || goruntime.GOARCH == "arm64" // else wazero interprets anyhow
	switch {
	case r.options.interpreter:
		config = wazero.NewRuntimeConfigInterpreter()
	case hasCompiler && !r.options.compileFirst && r.options.cacheDir == "":
		r.starter = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	}
	if r.options.cacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(r.options.cacheDir)
		if err != nil {
			return nil, fmt.Errorf("compilation cache: %w", err)
		}
		r.cache = cache
		config = config.WithCompilationCache(cache)
	}
	r.main = wazero.NewRuntimeWithConfig(ctx, config)
	return r, nil
}

// Engine returns the engine of a dialect. The first call for a dialect loads its
// module, and fails with ErrModule if the module is not what it should be.
//
// Compiling a module takes much longer than interpreting it, so an engine starts
// in the interpreter and compiles in the background. Streams and all but small
// results wait until it is done; see WithCompileFirst.
func (r *Runtime) Engine(ctx context.Context, d driveradapter.Dialect) (*Engine, error) {
	if r == nil || r.main == nil {
		return nil, errNoRuntime
	}
	if ctx == nil {
		return nil, errNilContext
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if int(d) >= len(r.options.modules) || r.options.modules[d] == nil {
		return nil, fmt.Errorf("dialect %d (%s): %w", d, d, ErrModule)
	}
	if err := r.enter(); err != nil {
		return nil, err
	}
	defer r.leave()
	r.compiling.Lock()
	defer r.compiling.Unlock()
	if e := r.engines[d]; e != nil {
		return e, nil
	}
	e := &Engine{runtime: r, dialect: d, compiled: make(chan struct{})}
	if err := e.load(ctx); err != nil {
		switch {
		case err == ErrClosed:
			return nil, err
		case ctx.Err() != nil: // wazero looks at it, too
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("module for %s: %w", d, err)
	}
	r.engines[d] = e
	return e, nil
}

// load makes the engine's code and its first instance.
func (e *Engine) load(ctx context.Context) error {
	r := e.runtime
	runtime := r.main
	if r.starter != nil {
		runtime = r.starter
	}
	code, err := r.compile(ctx, runtime, e.dialect)
	if err != nil {
		return err
	}
	e.code = code
	// Only an instance can tell ABI and dialect; it serves the first call.
	first, err := e.instantiate(ctx, code)
	if err != nil {
		code.module.Close(ctx)
		return err
	}
	e.put(ctx, first)
	if r.starter == nil {
		close(e.compiled)
		return nil
	}
	if err := r.enter(); err != nil { // Close waits for the compiler too
		return err
	}
	go func() {
		defer r.leave()
		defer close(e.compiled)
		// Whoever asked for the engine may be gone before it is done.
		ctx := context.WithoutCancel(ctx)
		code, err := r.compile(ctx, r.main, e.dialect)
		if err != nil {
			return // the interpreter, which knows the same language, goes on
		}
		e.mu.Lock()
		idle := e.idle
		e.code, e.idle = code, nil
		e.mu.Unlock()
		for _, i := range idle {
			i.module.Close(ctx)
		}
	}()
	return nil
}

// code is a module that is ready to be instantiated.
type code struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

func (r *Runtime) compile(ctx context.Context, runtime wazero.Runtime, d driveradapter.Dialect) (*code, error) {
	workers := experimental.WithCompilationWorkers(ctx, goruntime.GOMAXPROCS(0))
	module, err := runtime.CompileModule(workers, r.options.modules[d])
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrModule, err)
	}
	if err := provide(ctx, runtime, module); err != nil {
		module.Close(ctx)
		return nil, err
	}
	return &code{runtime, module}, nil
}

// providing keeps two dialects from making the same imports at once.
var providing sync.Mutex

// provide makes what a module imports, if that is something we have.
func provide(ctx context.Context, runtime wazero.Runtime, module wazero.CompiledModule) error {
	for _, f := range module.ImportedFunctions() {
		from, name, _ := f.Import()
		if from != wasi_snapshot_preview1.ModuleName {
			return fmt.Errorf("%w: it imports %q from %q", ErrModule, name, from)
		}
	}
	if len(module.ImportedFunctions()) == 0 {
		return nil
	}
	providing.Lock()
	defer providing.Unlock()
	if runtime.Module(wasi_snapshot_preview1.ModuleName) != nil {
		return nil
	}
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, runtime); err != nil {
		return fmt.Errorf("%w: %v", ErrModule, err)
	}
	return nil
}

// Close frees all modules and instances. Calls that come later give ErrClosed.
// It waits for calls in flight, and gives up, with the context's error, when
// the context is done: then it has freed nothing and may be called again. A call
// must not close the runtime that it waits for: that is, not from its Rows, its
// writer or the function that takes its batches.
func (r *Runtime) Close(ctx context.Context) error {
	if r == nil || r.main == nil {
		return errNoRuntime
	}
	if ctx == nil {
		return errNilContext
	}
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		if r.calls == 0 {
			close(r.idle)
		}
	}
	r.mu.Unlock()
	select {
	case <-r.idle:
	case <-ctx.Done():
		return ctx.Err()
	}
	err := r.main.Close(ctx)
	if r.starter != nil {
		err = errors.Join(err, r.starter.Close(ctx))
	}
	if r.cache != nil {
		err = errors.Join(err, r.cache.Close(ctx))
	}
	return err
}

// enter counts a call in; every call that touches wazero stands between enter
// and leave, as closing a module while it runs would pull the code from under
// it.
func (r *Runtime) enter() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosed
	}
	r.calls++
	return nil
}

func (r *Runtime) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls--
	if r.closed && r.calls == 0 {
		close(r.idle)
	}
}
