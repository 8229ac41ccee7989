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
