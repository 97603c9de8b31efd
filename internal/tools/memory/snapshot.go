package memory

import "slices"

// Snapshot returns a function that makes the store what it is now.
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
