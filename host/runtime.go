package host

import (
	"context"
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
	wazero  wazero.Runtime
	cache   wazero.CompilationCache // nil without WithCompilationCache

	compiling sync.Mutex // held while a module is compiled
	engines   [4]*Engine // by dialect, nil until asked for
	wasi      bool       // whether wasi_snapshot_preview1 is there

	mu     sync.Mutex
	closed bool
	calls  int           // calls in flight
	idle   chan struct{} // closed when calls is 0 after closed was set
}

// New makes a Runtime. Modules are compiled later, by Engine.
func New(ctx context.Context, opts ...Option) (*Runtime, error) {
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
		opt(&r.options)
	}
	config := wazero.NewRuntimeConfig()
	if r.options.interpreter {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	if r.options.cacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(r.options.cacheDir)
		if err != nil {
			return nil, fmt.Errorf("compilation cache: %w", err)
		}
		r.cache = cache
		config = config.WithCompilationCache(cache)
	}
	r.wazero = wazero.NewRuntimeWithConfig(ctx, config)
	return r, nil
}

// Engine returns the engine of a dialect. The first call for a dialect compiles
// its module, and fails with ErrModule if the module is not what it should be.
func (r *Runtime) Engine(ctx context.Context, d driveradapter.Dialect) (*Engine, error) {
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
	e, err := r.compile(ctx, d)
	if err != nil {
		return nil, fmt.Errorf("module for %s: %w", d, err)
	}
	r.engines[d] = e
	return e, nil
}

func (r *Runtime) compile(ctx context.Context, d driveradapter.Dialect) (*Engine, error) {
	workers := experimental.WithCompilationWorkers(ctx, goruntime.GOMAXPROCS(0))
	compiled, err := r.wazero.CompileModule(workers, r.options.modules[d])
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrModule, err)
	}
	if err := r.provide(ctx, compiled); err != nil {
		compiled.Close(ctx)
		return nil, err
	}
	e := &Engine{runtime: r, dialect: d, compiled: compiled}
	// Only an instance can tell ABI and dialect; it serves the first call.
	first, err := e.instantiate(ctx)
	if err != nil {
		compiled.Close(ctx)
		return nil, err
	}
	e.put(ctx, first)
	return e, nil
}

// provide makes what a module imports, if that is something we have.
func (r *Runtime) provide(ctx context.Context, compiled wazero.CompiledModule) error {
	for _, f := range compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		if module != wasi_snapshot_preview1.ModuleName {
			return fmt.Errorf("%w: it imports %q from %q", ErrModule, name, module)
		}
		if r.wasi {
			continue
		}
		if _, err := wasi_snapshot_preview1.Instantiate(ctx, r.wazero); err != nil {
			return fmt.Errorf("%w: %v", ErrModule, err)
		}
		r.wasi = true
	}
	return nil
}

// Close frees all modules and instances. Calls that come later give ErrClosed.
// It waits for calls in flight, and gives up, with the context's error, when
// the context is done: then it has freed nothing and may be called again.
func (r *Runtime) Close(ctx context.Context) error {
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
	err := r.wazero.Close(ctx)
	if r.cache != nil {
		if cacheErr := r.cache.Close(ctx); err == nil {
			err = cacheErr
		}
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
