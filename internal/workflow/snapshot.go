package workflow

import (
	"maps"
	"slices"
)

// Snapshot returns a function that makes the machine what it is now.
func (m *Machine) Snapshot() (restore func()) {
	was := *m
	was.visits, was.artifacts = maps.Clone(m.visits), maps.Clone(m.artifacts)
	was.transitions, was.refusals = slices.Clip(m.transitions), slices.Clip(m.refusals)
	return func() {
		*m = was
		m.visits, m.artifacts = maps.Clone(was.visits), maps.Clone(was.artifacts)
	}
}
