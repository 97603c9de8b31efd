package checks

import (
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/say"
)

// waypoint is one expected call; args is nil if any arguments fit.
type waypoint struct {
	tool string
	args map[string]any
}

func (w *waypoint) named(c *Call) bool { return w.tool == c.Name }

// exactly and loosely split the calls that fit by whether the step is particular about arguments.
func (w *waypoint) exactly(c *Call) bool {
	return w.named(c) && w.args != nil && c.BadArgs == "" && sameArgs(w.args, c.Args)
}

func (w *waypoint) loosely(c *Call) bool { return w.named(c) && w.args == nil }

// sameArgs is equality as JSON; no arguments at all are an empty object.
func sameArgs(a, b map[string]any) bool {
	return len(a) == 0 && len(b) == 0 || jsonvalue.Equal(a, b)
}

// pathMatch is the result of a comparison of calls with a path. A call of the right tool with other arguments is a
// mismatch; other steps of the path are missing, and other calls are unexpected.
type pathMatch struct {
	path  []waypoint
	calls []Call
	done  []bool // by step: it has a call
	used  []bool // by call: it has a step

	matched                         int
	missing, unexpected, mismatches []Details
	texts                           pathTexts
}

// pathTexts are the names of the tools, for people.
type pathTexts struct{ missing, unexpected, mismatched []string }

// matchPath compares index by index, or in any order.
func matchPath(path []waypoint, calls []Call, anyOrder bool) *pathMatch {
	m := &pathMatch{
		path: path, calls: calls, done: make([]bool, len(path)), used: make([]bool, len(calls)),
		missing: []Details{}, unexpected: []Details{}, mismatches: []Details{},
	}
	if anyOrder {
		m.pair((*waypoint).exactly, m.match) // first the steps with given arguments; the other steps accept any call
		m.pair((*waypoint).loosely, m.match)
		m.pair((*waypoint).named, m.mismatch)
	} else {
		m.inStep()
	}
	m.leave()
	return m
}

func (m *pathMatch) inStep() {
	for i := range min(len(m.path), len(m.calls)) {
		w, c := &m.path[i], &m.calls[i]
		switch {
		case w.exactly(c) || w.loosely(c):
			m.match(i, i)
		case w.named(c):
			m.mismatch(i, i)
		}
	}
}

// pair gives each open step the first free call that fits it.
func (m *pathMatch) pair(fits func(w *waypoint, c *Call) bool, take func(step, call int)) {
	for i := range m.path {
		for j := range m.calls {
			if !m.done[i] && !m.used[j] && fits(&m.path[i], &m.calls[j]) {
				take(i, j)
			}
		}
	}
}

func (m *pathMatch) match(step, call int) {
	m.matched++
	m.done[step], m.used[call] = true, true
}

func (m *pathMatch) mismatch(step, call int) {
	m.done[step], m.used[call] = true, true
	w, c := &m.path[step], &m.calls[call]
	m.mismatches = append(m.mismatches, Details{
		"step": step, "call": call, "tool": w.tool, "expected": w.args, "actual": say.Kept(c.Args),
	})
	m.texts.mismatched = append(m.texts.mismatched, w.tool)
}

// leave collects the steps and calls that have no match.
func (m *pathMatch) leave() {
	for i, done := range m.done {
		if !done {
			m.missing = append(m.missing, Details{"step": i, "tool": m.path[i].tool})
			m.texts.missing = append(m.texts.missing, m.path[i].tool)
		}
	}
	for j, used := range m.used {
		if !used {
			m.unexpected = append(m.unexpected, Details{"call": j, "tool": m.calls[j].Name})
			m.texts.unexpected = append(m.texts.unexpected, m.calls[j].Name)
		}
	}
}
