package host

// Idle returns how many instances the engine keeps.
func (e *Engine) Idle() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.idle)
}

// Calls returns how many calls are in flight.
func (r *Runtime) Calls() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls
}

// ToCell is what the host gives its encoders.
var ToCell = toCell

// Interpreted reports whether the engine's module is not compiled yet.
func (e *Engine) Interpreted() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.code.runtime == e.runtime.starter
}

// Compiled is closed once the engine's module is compiled.
func (e *Engine) Compiled() <-chan struct{} { return e.compiled }
