package memory

import "slices"

// Snapshot returns a function that restores the current content of the store.
func (s *Store) Snapshot() (restore func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list, next := slices.Clone(s.list), s.next
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.list, s.next = slices.Clone(list), next
	}
}
