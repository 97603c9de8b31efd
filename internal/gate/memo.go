package gate

import "sync"

// memo keeps what was computed, by what it was computed from. It may be used by many goroutines.
type memo[K comparable] struct{ kept sync.Map }

// recall returns the value of a key, and computes it if it is missing.
func recall[K comparable, V any](m *memo[K], key K, compute func() V) V {
	if v, known := m.kept.Load(key); known {
		return v.(V)
	}
	v := compute()
	m.kept.Store(key, v)
	return v
}
