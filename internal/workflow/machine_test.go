package workflow

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// support is a workflow with each kind of state: intake → triage ⇄ intake, triage → human (external), any → done.
func support(t testing.TB, b Budget) *Graph {
	t.Helper()
	g, err := New("intake", []*State{
		{Name: "intake", PromptTask: "ask", Events: map[string]string{"Known": "triage", "Stop": "done"}, MaxVisits: 2,
			OnMaxVisits: "human", Artifacts: []Artifact{{Name: "notes", Append: true}}},
		{Name: "triage", PromptTask: "sort", Events: map[string]string{"More": "intake", "Solved": "done", "Hard": "human"},
			Artifacts: []Artifact{{Name: "kind"}, {Name: "notes"}}},
		{Name: "human", PromptTask: "hand", Events: map[string]string{"Solved": "done"}, Mode: External, MaxVisits: 1},
		{Name: "done", PromptTask: "bye", Terminal: true, Events: map[string]string{"Again": "intake"}},
	}, b)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// step asks for an event and makes it.
func step(m *Machine, event string) error {
	if _, err := m.Ask(event, 0, 0); err != nil {
		return err
	}
	m.Commit()
	return nil
}

func TestTransitions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		budget  Budget
		events  string // by blanks
		calls   int
		elapsed time.Duration
		at      string // state in the end
		err     string // of the last event
	}{
		{"one", Budget{}, "Known", 0, 0, "triage", ""},
		{"back", Budget{}, "Known More", 0, 0, "intake", ""},
		{"full state: its stand-in", Budget{}, "Known More Known More", 0, 0, "human", ""},
		{"unknown event", Budget{}, "Known Nope", 0, 0, "triage",
			`state "triage" has no event "Nope"; valid events: Hard, More, Solved`},
		{"event of another state", Budget{}, "Solved", 0, 0, "intake",
			`state "intake" has no event "Solved"; valid events: Known, Stop`},
		{"terminal, although it has events", Budget{}, "Stop Again", 0, 0, "done",
			`state "done" is terminal: no event leads on`},
		{"visits used up", Budget{Visits: 2}, "Known More", 0, 0, "triage",
			"the budget of the workflow is used up: 2 visits of 2 (max_total_visits)"},
		{"calls used up", Budget{ToolCalls: 3}, "Known", 3, 0, "intake",
			"the budget of the workflow is used up: 3 tool calls of 3 (max_tool_calls)"},
		{"one call left", Budget{ToolCalls: 4}, "Known", 3, 0, "triage", ""},
		{"part of a second is none", Budget{WallTime: 2 * time.Second}, "Known", 0, 1999 * time.Millisecond, "triage", ""},
		{"time used up", Budget{WallTime: 2 * time.Second}, "Known", 0, 2500 * time.Millisecond, "intake",
			"the budget of the workflow is used up: its time of 2s (max_wall_time_sec)"},
	} {
		g := support(t, tc.budget)
		m := g.Start(g.Entry())
		m.Called(tc.calls)
		var err error
		for event := range strings.FieldsSeq(tc.events) {
			if _, err = m.Ask(event, 0, tc.elapsed); err == nil {
				m.Commit()
			}
		}
		if got := fmt.Sprint(err); m.Current().Name != tc.at || got != orNil(tc.err) {
			t.Errorf("%s: in %q with error %s, want %q with %s", tc.name, m.Current().Name, got, tc.at, tc.err)
		}
		if refused := len(m.Refusals()); (refused > 0) != (tc.err != "") {
			t.Errorf("%s: %d refusals", tc.name, refused)
		}
	}
}

// A state that stands in for a full one is entered even when it is full itself.
func TestStandInIsNotLimited(t *testing.T) {
	t.Parallel()
	g := support(t, Budget{})
	m := g.Start(g.Entry())
	for _, event := range []string{"Known", "More", "Known", "More"} {
		if err := step(m, event); err != nil {
			t.Fatal(err)
		}
	}
	last := m.Transitions()[3]
	if want := (Transition{From: "triage", To: "human", Event: "More", Redirected: "intake"}); !cmp.Equal(last, want) {
		t.Errorf("%+v", last)
	}
}

// Only the first transition of a round counts, and it is made when the round is over.
func TestOneTransitionARound(t *testing.T) {
	t.Parallel()
	g := support(t, Budget{})
	m := g.Start(g.Entry())
	if _, err := m.Ask("Nope", 3, 0); err == nil {
		t.Error("an unknown event is accepted")
	}
	if _, err := m.Ask("Known", 3, 0); err != nil {
		t.Error(err)
	}
	if _, err := m.Ask("Stop", 3, 0); err == nil || !strings.Contains(err.Error(), `"triage" is already scheduled`) {
		t.Errorf("second transition of a round: %v", err)
	}
	if m.Current().Name != "intake" {
		t.Error("the transition is made before the round is over")
	}
	made, ok := m.Commit()
	if !ok || made.To != "triage" || made.Turn != 3 || m.Current().Name != "triage" {
		t.Errorf("%v %+v", ok, made)
	}
	if _, ok := m.Commit(); ok {
		t.Error("the transition is made twice")
	}
	if _, err := m.Ask("Solved", 4, 0); err != nil {
		t.Error(err)
	}
	m.Drop()
	if _, ok := m.Commit(); ok {
		t.Error("a dropped transition is made")
	}
}

func TestArtifacts(t *testing.T) {
	t.Parallel()
	g := support(t, Budget{})
	m := g.Start(g.Entry())
	set := func(name, value string) {
		t.Helper()
		if err := m.SetArtifact(name, value); err != nil {
			t.Error(err)
		}
	}
	set("notes", "a")
	set("notes", "{{b}}\x1b")
	if err := m.SetArtifact("kind", "x"); err == nil || err.Error() != `there is no artifact "kind"; this state has notes` {
		t.Errorf("what another state declares: %v", err)
	}
	if err := step(m, "Known"); err != nil {
		t.Fatal(err)
	}
	set("notes", "replaced here")
	if err := m.SetArtifact("nots", "x"); err == nil || err.Error() != `there is no artifact "nots"; this state has kind, notes` {
		t.Error(err)
	}
	was := map[string]string{"notes": "a{{b}}\x1b"}
	if diff := cmp.Diff(was, m.Transitions()[0].Artifacts); diff != "" {
		t.Errorf("the record of a transition changed afterwards:\n%s", diff)
	}
	set("kind", "declared here")
	if err := step(m, "Solved"); err != nil {
		t.Fatal(err)
	}
	if err := m.SetArtifact("notes", "x"); err == nil || err.Error() != "state done declares no artifact" {
		t.Errorf("in a state without artifacts: %v", err)
	}
	if m.Artifact("notes") != "replaced here" || m.Artifact("none") != "" {
		t.Errorf("%v", m.Artifacts())
	}
}

func TestStartFor(t *testing.T) {
	t.Parallel()
	g := support(t, Budget{})
	g.State("human").PromptTask = "sort"
	for task, want := range map[string]string{"": "intake", "ask": "intake", "bye": "done",
		"sort": `several states of the workflow have the prompt_task "sort": triage, human`,
		"nope": `no state of the workflow has the prompt_task "nope"`,
	} {
		s, err := g.StartFor(task)
		got := fmt.Sprint(err)
		if err == nil {
			got = s.Name
		}
		if got != want {
			t.Errorf("%q: %s, want %s", task, got, want)
		}
	}
}

func TestUnknownStates(t *testing.T) {
	t.Parallel()
	one := func(s State) []*State { return []*State{&s} }
	for want, tc := range map[string]struct {
		entry  string
		states []*State
	}{
		`the entry "b" is no state`: {"b", one(State{Name: "a"})},
		`state "a": the event "E" leads to "b", which is no state`: {"a", one(State{Name: "a",
			Events: map[string]string{"E": "b"}})},
		`state "a": on_max_visits names "b", which is no state`: {"a", one(State{Name: "a", OnMaxVisits: "b"})},
		`two states are called "a"`:                             {"a", []*State{{Name: "a"}, {Name: "a"}}},
	} {
		if _, err := New(tc.entry, tc.states, Budget{}); fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A model that goes round for ever is stopped, also in a workflow without any limit.
func TestEndless(t *testing.T) {
	t.Parallel()
	g, err := New("a", []*State{{Name: "a", Events: map[string]string{"E": "a"}}}, Budget{})
	if err != nil {
		t.Fatal(err)
	}
	m := g.Start(g.Entry())
	for range maxTransitions {
		if err := step(m, "E"); err != nil {
			t.Fatal(err)
		}
	}
	if err := step(m, "E"); err == nil || !strings.Contains(err.Error(), "has made 1000 transitions") {
		t.Error(err)
	}
}

// FuzzMachine holds the machine against a model that keeps nothing but the list of states that were entered.
func FuzzMachine(f *testing.F) {
	f.Add([]byte("\x04abcdefghijklmnop"), []byte{0, 1, 2, 3, 0, 1})
	f.Add([]byte{2, 1, 9, 3, 7, 0, 2, 200, 31, 8}, []byte{0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, shape, events []byte) {
		g := graphOf(shape)
		m := g.Start(g.entry)
		model := naive{g, []string{g.entry.Name}}
		for turn, b := range events {
			event := string('A' + rune(b%4))
			want, wantErr := model.ask(event)
			_, err := m.Ask(event, turn, 0)
			if (err == nil) != (wantErr == nil) {
				t.Fatalf("event %s in %v: %v, the model says %v", event, model.entered, err, wantErr)
			}
			if err != nil {
				continue
			}
			m.Commit()
			model.entered = append(model.entered, want)
			if m.Current().Name != want {
				t.Fatalf("event %s leads to %s, the model says %s", event, m.Current().Name, want)
			}
		}
		if len(m.Transitions()) != len(model.entered)-1 {
			t.Fatalf("%d transitions, the model made %d", len(m.Transitions()), len(model.entered)-1)
		}
		for name := range g.byName {
			if m.Visits(name) != model.visits(name) {
				t.Fatalf("%d visits of %s, the model counts %d", m.Visits(name), name, model.visits(name))
			}
		}
	})
}

type naive struct {
	g       *Graph
	entered []string
}

func (n naive) visits(state string) (count int) {
	for _, s := range n.entered {
		if s == state {
			count++
		}
	}
	return count
}

func (n naive) ask(event string) (string, error) {
	s := n.g.byName[n.entered[len(n.entered)-1]]
	to, ok := s.Events[event]
	limited := n.g.budget.Visits > 0 && len(n.entered) >= n.g.budget.Visits
	if limited || s.Terminal || !ok || len(n.entered) > maxTransitions {
		return "", errors.New("refused")
	}
	if target := n.g.byName[to]; target.MaxVisits > 0 && n.visits(to) >= target.MaxVisits {
		if target.OnMaxVisits == "" {
			return "", errors.New("full")
		}
		to = target.OnMaxVisits
	}
	return to, nil
}

// graphOf makes a graph out of any bytes: how many states, then for each where its events lead and how it is limited.
func graphOf(shape []byte) *Graph {
	at := 0
	next := func(n int) int {
		if at >= len(shape) {
			return 0
		}
		at++
		return int(shape[at-1]) % n
	}
	states := make([]*State, 1+next(5))
	name := func(i int) string { return string('s' + rune(i)) }
	for i := range states {
		s := &State{Name: name(i), Events: map[string]string{}, MaxVisits: next(4), Terminal: next(8) == 7}
		for e := range next(5) {
			s.Events[string('A'+rune(e))] = name(next(len(states)))
		}
		if next(2) == 1 {
			s.OnMaxVisits = name(next(len(states)))
		}
		states[i] = s
	}
	g, err := New(states[0].Name, states, Budget{Visits: next(40)})
	if err != nil {
		panic(err)
	}
	return g
}

func TestProblems(t *testing.T) {
	t.Parallel()
	to := func(states ...string) map[string]string {
		m := map[string]string{}
		for i, s := range states {
			m[string('A'+rune(i))] = s
		}
		return m
	}
	for _, tc := range []struct {
		name   string
		states []*State
		budget Budget
		starts []string
		want   []string // rule: state
	}{
		{"fine", []*State{{Name: "a", Events: to("b")}, {Name: "b"}}, Budget{}, nil, nil},
		{"unreached", []*State{{Name: "a"}, {Name: "b", Events: to("c")}, {Name: "c"}}, Budget{}, nil,
			[]string{"unreached-state: b", "unreached-state: c"}},
		{"reached from another start", []*State{{Name: "a"}, {Name: "b", Events: to("c")}, {Name: "c"}}, Budget{},
			[]string{"b"}, nil},
		{"reached as a stand-in", []*State{{Name: "a", Events: to("b")}, {Name: "b", MaxVisits: 1, OnMaxVisits: "c"},
			{Name: "c"}}, Budget{}, nil, nil},
		{"only by what a terminal state ignores", []*State{{Name: "a", Terminal: true, Events: to("b")}, {Name: "b"}}, Budget{},
			nil, []string{"terminal-state: a", "unreached-state: b"}},
		{"endless", []*State{{Name: "a", Events: to("b")}, {Name: "b", Events: to("a")}}, Budget{}, nil,
			[]string{"endless-cycle: a"}},
		{"ended by a budget", []*State{{Name: "a", Events: to("b")}, {Name: "b", Events: to("a")}}, Budget{Visits: 9}, nil, nil},
		{"ended by max_visits", []*State{{Name: "a", Events: to("b"), MaxVisits: 3}, {Name: "b", Events: to("a")}}, Budget{}, nil,
			nil},
		{"endless by the stand-in", []*State{{Name: "a", Events: to("b"), MaxVisits: 1, OnMaxVisits: "b"},
			{Name: "b", Events: to("a")}}, Budget{}, nil, []string{"endless-cycle: b"}},
		{"ring of stand-ins", []*State{{Name: "a", Events: to("a"), MaxVisits: 1, OnMaxVisits: "a"}}, Budget{Visits: 5}, nil,
			[]string{"redirect-ring: a"}},
		{"no effect", []*State{{Name: "a", OnMaxVisits: "a"}}, Budget{}, nil, []string{"no-limit: a"}},
	} {
		g, err := New("a", tc.states, tc.budget)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range g.Problems(tc.starts...) {
			got = append(got, p.Rule+": "+p.State)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func BenchmarkTransition(b *testing.B) {
	g, err := New("a", []*State{{Name: "a", Events: map[string]string{"E": "b"}},
		{Name: "b", Events: map[string]string{"E": "a"}, Artifacts: []Artifact{{Name: "x"}}}}, Budget{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		m := g.Start(g.entry)
		for range maxTransitions {
			if err := step(m, "E"); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func orNil(text string) string {
	if text == "" {
		return "<nil>"
	}
	return text
}
