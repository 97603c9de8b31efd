package workflow

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/plural"
)

// maxTransitions is how many a trial may make. A workflow that needs more is caught in a cycle.
const maxTransitions = 1000

// A Machine is the workflow of one trial. It belongs to one goroutine.
type Machine struct {
	graph       *Graph
	current     *State
	pending     *Transition // asked for in this round of tool calls, not made yet
	visits      map[string]int
	total       int // visits of all states
	calls       int // tool calls that were executed
	late        int // those of them that asked for a transition when the budget was used up
	artifacts   map[string]string
	shared      bool // a transition's record holds artifacts: they are copied before they change
	transitions []Transition
	refusals    []Refusal
}

// A Transition is one step from a state to another.
type Transition struct {
	From, To, Event string
	Turn            int               // in which it was made, counted from 0
	Redirected      string            // the state whose visits were used up, which To replaces; "": none
	Artifacts       map[string]string // present values; never changed
}

// A Refusal is a transition that was asked for and not made.
type Refusal struct {
	From, Event string
	Turn        int
	Reason      string
}

// Start begins a trial in a state of the graph.
func (g *Graph) Start(state *State) *Machine {
	return &Machine{graph: g, current: state, visits: map[string]int{state.Name: 1}, total: 1}
}

// Current is the state that speaks.
func (m *Machine) Current() *State { return m.current }

// Visits says how often a state was entered.
func (m *Machine) Visits(state string) int { return m.visits[state] }

// Transitions are the transitions so far, in order. The caller must not change them.
func (m *Machine) Transitions() []Transition { return m.transitions }

// Refusals are the refused transitions, in order. The caller must not change them.
func (m *Machine) Refusals() []Refusal { return m.refusals }

// Called counts tool calls that were executed, once their round is over.
func (m *Machine) Called(n int) { m.calls += n }

// Ask requests a transition, which Commit makes after the round of tool calls. elapsed is the time since the start of
// the trial. The error is for the model: it says why the transition is refused, and what is possible.
func (m *Machine) Ask(event string, turn int, elapsed time.Duration) (Transition, error) {
	t, err := m.plan(event, turn, elapsed)
	if err != nil {
		m.Refuse(event, turn, err.Error())
		return Transition{}, err
	}
	m.pending = &t
	return t, nil
}

// Refuse notes a transition that could not be asked for.
func (m *Machine) Refuse(event string, turn int, reason string) {
	m.refusals = append(m.refusals, Refusal{From: m.current.Name, Event: event, Turn: turn, Reason: reason})
}

func (m *Machine) plan(event string, turn int, elapsed time.Duration) (Transition, error) {
	if m.pending != nil {
		return Transition{}, fmt.Errorf("a transition to %q is already scheduled: one at a time", m.pending.To)
	}
	if err := m.exhausted(elapsed); err != nil {
		m.late++
		return Transition{}, err
	}
	from := m.current
	if from.Mode == External {
		return Transition{}, fmt.Errorf("state %q is external: it is not the model that moves on", from.Name)
	}
	if from.Ends() {
		return Transition{}, fmt.Errorf("state %q is terminal: no event leads on", from.Name)
	}
	to, known := from.Events[event]
	if !known {
		return Transition{}, fmt.Errorf("state %q has no event %q; valid events: %s", from.Name, event,
			strings.Join(from.events, ", "))
	}
	t := Transition{From: from.Name, To: to, Event: event, Turn: turn}
	if target := m.graph.byName[to]; target.MaxVisits > 0 && m.visits[to] >= target.MaxVisits {
		if target.OnMaxVisits == "" {
			return Transition{}, fmt.Errorf("state %q was entered %s, which is its max_visits", to,
				plural.Count(m.visits[to], "time"))
		}
		t.Redirected, t.To = to, target.OnMaxVisits
	}
	return t, nil
}

func (m *Machine) exhausted(elapsed time.Duration) error {
	b := m.graph.budget
	switch {
	case b.Visits > 0 && m.total >= b.Visits:
		return fmt.Errorf("the budget of the workflow is used up: %s of %d (max_total_visits)",
			plural.Count(m.total, "visit"), b.Visits)
	case b.ToolCalls > 0 && m.calls >= b.ToolCalls:
		return fmt.Errorf("the budget of the workflow is used up: %s of %d (max_tool_calls)",
			plural.Count(m.calls, "tool call"), b.ToolCalls)
	case b.WallTime > 0 && elapsed.Truncate(time.Second) >= b.WallTime:
		// The elapsed time differs in every run, so it must not be in the message: recordings would not match.
		return fmt.Errorf("the budget of the workflow is used up: its time of %s (max_wall_time_sec)", b.WallTime)
	case len(m.transitions) >= maxTransitions:
		return fmt.Errorf("the workflow has made %d transitions: no more are made", maxTransitions)
	}
	return nil
}

// Exceeded says which limits of the budget the trial went beyond, elapsed after it began. The budget refuses
// transitions and nothing else: a trial can call further tools and take longer.
func (m *Machine) Exceeded(elapsed time.Duration) (said []string) {
	b := m.graph.budget
	if b.ToolCalls > 0 && m.calls-m.late > b.ToolCalls {
		said = append(said, fmt.Sprintf("more tool calls than its max_tool_calls (%d)", b.ToolCalls))
	}
	if b.WallTime > 0 && elapsed > b.WallTime {
		said = append(said, fmt.Sprintf("longer than its max_wall_time_sec (%d)", b.WallTime/time.Second))
	}
	return said
}

// Commit makes the requested transition. It returns false if there is none.
func (m *Machine) Commit() (Transition, bool) {
	if m.pending == nil {
		return Transition{}, false
	}
	t := *m.pending
	m.pending = nil
	if m.artifacts != nil {
		t.Artifacts, m.shared = m.artifacts, true
	}
	m.current = m.graph.byName[t.To]
	m.visits[t.To]++
	m.total++
	m.transitions = append(m.transitions, t)
	return t, true
}

// Drop forgets a transition that was asked for in a round that never came to its end.
func (m *Machine) Drop() { m.pending = nil }

// Complete reports whether the current state is terminal.
func (m *Machine) Complete() bool { return m.current.Ends() }

// Artifact is the text of a name, "" when it was not set yet.
func (m *Machine) Artifact(name string) string { return m.artifacts[name] }

// Artifacts are all artifacts that were set. The caller must not change them.
func (m *Machine) Artifacts() map[string]string { return m.artifacts }

// SetArtifact sets an artifact that the current state declares, or appends to it if the declaration says so. The error
// is for the model: a state cannot set the artifacts of others.
func (m *Machine) SetArtifact(name, value string) error {
	a := m.current.Artifact(name)
	if a == nil {
		return m.unknownArtifact(name)
	}
	if m.shared || m.artifacts == nil {
		next := make(map[string]string, len(m.artifacts)+1)
		maps.Copy(next, m.artifacts)
		m.artifacts, m.shared = next, false
	}
	if a.Append {
		value = m.artifacts[name] + value
	}
	m.artifacts[name] = value
	return nil
}

func (m *Machine) unknownArtifact(name string) error {
	var names []string
	for _, a := range m.current.Artifacts {
		names = append(names, a.Name)
	}
	if names == nil {
		return errors.New("state " + m.current.Name + " declares no artifact")
	}
	return fmt.Errorf("there is no artifact %q; this state has %s", name, strings.Join(names, ", "))
}
