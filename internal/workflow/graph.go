// Package workflow is the state machine of agents with states: which events lead where, how often and for how long. It
// is pure: no clock, no randomness, no model. The runner asks it for transitions, offers its tools, and stores its
// record.
package workflow

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// The tools by which a model moves on and hands on texts.
const (
	TransitionTool = "workflow__transition"
	ArtifactTool   = "workflow__set_artifact"
)

// A Graph is a workflow as it was declared. It never changes, and all trials of a project share one.
type Graph struct {
	entry  *State
	states []*State // in the order of the file
	byName map[string]*State
	budget Budget
}

// Budget limits one trial. What is 0 is not limited.
type Budget struct {
	Visits    int // of all states together, the first one included
	ToolCalls int // that were executed, transitions included
	WallTime  time.Duration
}

// A State says which prompt speaks, and where events lead.
type State struct {
	Name        string
	Description string
	PromptTask  string            // task type of the prompt; "" in a state with a composition
	Events      map[string]string // event -> name of the state that it leads to
	Terminal    bool              // marked as terminal; see Ends
	MaxVisits   int               // how often it can be entered; 0: without a limit
	OnMaxVisits string            // the state that is entered instead; "": the transition is refused
	Skills      string            // filter of skills; "": all
	Mode        Orchestration
	Composition string // its name, in a state that runs steps
	Artifacts   []Artifact

	events []string // sorted
}

// Orchestration says who moves a workflow on from a state.
type Orchestration uint8

// Internal is the default.
const (
	Internal Orchestration = iota // the model, by a tool
	External                      // the caller: the model is offered no tool, and the turn ends on entry
	Hybrid                        // both; here the same as Internal
	Composed                      // the steps of a composition answer
)

// An Artifact is a text that states hand on.
type Artifact struct {
	Name        string
	Type        string // media type
	Description string
	Append      bool // a new text is put behind the old one
}

// New makes a graph. All names that states refer to must exist: the error says which one does not.
func New(entry string, states []*State, budget Budget) (*Graph, error) {
	g := &Graph{states: states, byName: make(map[string]*State, len(states)), budget: budget}
	for _, s := range states {
		if g.byName[s.Name] != nil {
			return nil, fmt.Errorf("two states are called %q", s.Name)
		}
		g.byName[s.Name] = s
		s.events = slices.Sorted(maps.Keys(s.Events))
	}
	if g.entry = g.byName[entry]; g.entry == nil {
		return nil, fmt.Errorf("the entry %q is no state", entry)
	}
	for _, s := range states {
		for _, event := range s.events {
			if to := s.Events[event]; g.byName[to] == nil {
				return nil, fmt.Errorf("state %q: the event %q leads to %q, which is no state", s.Name, event, to)
			}
		}
		if s.OnMaxVisits != "" && g.byName[s.OnMaxVisits] == nil {
			return nil, fmt.Errorf("state %q: on_max_visits names %q, which is no state", s.Name, s.OnMaxVisits)
		}
	}
	return g, nil
}

// Entry is the state in which trials start that name no task type.
func (g *Graph) Entry() *State { return g.entry }

// States are the states in the order of the file. The caller must not change them.
func (g *Graph) States() []*State { return g.states }

// State returns the state with a name; nil: none.
func (g *Graph) State(name string) *State { return g.byName[name] }

// StartFor finds the state in which a scenario of a task type starts: the entry, when the type is empty or that of the
// entry's prompt, else the only state that has this prompt. The error names all of them when there are several.
func (g *Graph) StartFor(task string) (*State, error) {
	if task == "" || task == g.entry.PromptTask {
		return g.entry, nil
	}
	var found []string
	for _, s := range g.states {
		if s.PromptTask == task {
			found = append(found, s.Name)
		}
	}
	switch len(found) {
	case 1:
		return g.byName[found[0]], nil
	case 0:
		return nil, fmt.Errorf("no state of the workflow has the prompt_task %q", task)
	}
	return nil, fmt.Errorf("several states of the workflow have the prompt_task %q: %s", task, strings.Join(found, ", "))
}

// From are the states that a trial can reach from a start, the start included, in the order of the file.
func (g *Graph) From(start *State) []*State {
	seen := g.reach([]string{start.Name}, g.next)
	var list []*State
	for _, s := range g.states {
		if seen[s.Name] {
			list = append(list, s)
		}
	}
	return list
}

// Entered are the states that a trial can enter by transitions from a state; the state itself is included if it can be
// entered again. leaves says which states can be left: in a trial, external ones cannot.
func (g *Graph) Entered(from *State, leaves func(*State) bool) map[string]bool {
	moves := func(s *State) []string {
		if !leaves(s) {
			return nil
		}
		return g.moves(s)
	}
	return g.reach(moves(from), moves)
}

// ArtifactNames are the artifacts of all states, sorted.
func (g *Graph) ArtifactNames() []string {
	var names []string
	for _, s := range g.states {
		for i := range s.Artifacts {
			names = append(names, s.Artifacts[i].Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// EventNames are the events of all states, sorted.
func (g *Graph) EventNames() []string {
	var names []string
	for _, s := range g.states {
		names = append(names, s.events...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Ends reports whether no event leads on from the state.
func (s *State) Ends() bool { return s.Terminal || len(s.Events) == 0 }

// EventNames are the events that lead on, sorted; none in a state that ends.
func (s *State) EventNames() []string {
	if s.Ends() {
		return nil
	}
	return s.events
}

// Stops reports whether a turn ends when the state is entered, because no model call of this turn can speak in it.
func (s *State) Stops() bool { return s.Mode == External || s.Mode == Composed }

// Artifact is the declaration of a name in this state, nil when it declares none.
func (s *State) Artifact(name string) *Artifact {
	for i := range s.Artifacts {
		if s.Artifacts[i].Name == name {
			return &s.Artifacts[i]
		}
	}
	return nil
}
