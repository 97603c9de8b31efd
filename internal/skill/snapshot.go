package skill

import "maps"

// Snapshot returns a function that restores the current state of the session.
func (t *Session) Snapshot() (restore func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	allowed, active := maps.Clone(t.allowed), maps.Clone(t.active)
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.allowed, t.active = maps.Clone(allowed), maps.Clone(active)
	}
}
