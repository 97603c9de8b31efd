package scenario

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/sortby"
)

// mockNames is a mock file with the positions of its names, which are compared with those of the project after loading.
type mockNames struct {
	file      *MockFile
	scenarios []mockName
	personas  []mockName
	judges    []mockName
	steps     []mockName // of compositions
}

type mockName struct {
	name string
	pos  diag.Pos
}

// mockFileFields are the keys of a mock response file.
var mockFileFields = table("a mock response file", func() rows[mockNames] {
	return rows[mockNames]{
		strPtr("defaultResponse", func(m *mockNames) **string { return &m.file.Default }).
			doc("The reply where nothing else fits. Left out: a turn without a reply is an error."),
		custom("scenarios", mapOf(mockScenarioFields), func(d *decoder, m *mockNames, v *node.Node) {
			m.file.Calls = d.mockUses(func() { m.file.Scenarios, m.scenarios = d.mockScenarios(v, "scenarios") })
		}).doc("Replies by scenario."),
		custom("selfplay", mapOf(mockScenarioFields), func(d *decoder, m *mockNames, v *node.Node) {
			m.file.SelfPlay, m.personas = d.mockScenarios(v, "selfplay")
		}).doc("What personas say, by persona."),
		custom("judges", mapOf(mockScenarioFields), func(d *decoder, m *mockNames, v *node.Node) {
			m.file.Judges, m.judges = d.mockScenarios(v, "judges")
		}).doc("What judges answer, by judge."),
		remark[mockNames]("$schema", text).doc(schemaKeyDoc),
	}
})

// mockScenarioFields are the canned replies for one scenario, persona or judge.
var mockScenarioFields = table("the mock replies", func() rows[MockScenario] {
	return rows[MockScenario]{
		strPtr("defaultResponse", func(m *MockScenario) **string { return &m.Default }).
			doc("The reply to turns that have none."),
		custom("turns", mapOf(mockTurnFields), readMockTurns).doc("Replies by their number, from 1."),
		custom("steps", mapOf(mockTurnFields), func(d *decoder, m *MockScenario, v *node.Node) {
			m.Steps = map[string][]MockReply{}
			d.Each(v, "steps", func(step string, k, replies *node.Node) {
				m.Steps[step] = d.inlineMock(replies)
				d.mockSteps = append(d.mockSteps, mockName{step, d.Pos(k)})
			})
		}).
			doc("Replies by the step of a composition."),
		custom("summaries", listOf(mockTurnFields), func(d *decoder, m *MockScenario, v *node.Node) {
			for _, item := range v.Content {
				m.Summaries = append(m.Summaries, d.mockReply(item))
			}
		}).
			doc("What a mock that is the summarizer of the scenario's context_policy writes: its first summary, its second."),
	}
})

// mockFile reads a mock response file.
func (d *decoder) mockFile(root *node.Node) *mockNames {
	m := &mockNames{file: &MockFile{File: d.File}}
	if !mockFileFields.read(d, root, m) {
		return nil
	}
	m.steps = d.mockSteps
	f := m.file
	if f.Default == nil && len(f.Scenarios)+len(f.SelfPlay)+len(f.Judges) == 0 {
		report := d.Foreignf(nil, "empty-mock", "the mock response file holds no reply")
		report.Pos = d.Pos(root)
		report.Hint = "write scenarios: {<name>: {turns: {1: \"…\"}}} or a defaultResponse"
	}
	return m
}

func (d *decoder) mockScenarios(n *node.Node, what string) (map[string]*MockScenario, []mockName) {
	found := map[string]*MockScenario{}
	var names []mockName
	d.Each(n, what, func(name string, k, v *node.Node) {
		m, before := &MockScenario{Pos: d.Pos(k)}, d.Diags.Errors()
		short := what == "judges" && v.Kind == node.Scalar && !node.IsNull(v) // {strict: "…"} is a defaultResponse
		if short {
			m.Default = &v.Value
		} else if !mockScenarioFields.read(d, v, m) {
			return
		}
		// Judges answer in any turn, and the numbers of personas also count scripted messages.
		if what == "scenarios" && d.Diags.Errors() == before && m.Steps == nil {
			d.mockGaps(m, v)
		}
		found[name] = m
		names = append(names, mockName{name, m.Pos})
	})
	return found, names
}

// readMockTurns reads replies by their index: a map from numbers, from 1, or a list.
func readMockTurns(d *decoder, m *MockScenario, v *node.Node) {
	if v.Kind == node.List {
		for i, item := range v.Content {
			m.Turns = append(m.Turns, NewMockTurn(i+1, d.mockReply(item)))
		}
		return
	}
	m.Turns = make([]MockTurn, 0, len(v.Content)/2)
	seen := map[int]int{}
	d.Each(v, "turns", func(key string, k, reply *node.Node) {
		index, err := strconv.Atoi(key)
		if err != nil || index < 1 {
			p := d.Errorf(k, "wrong-type", "a key of turns must be the number of the reply, from 1; found %q", key)
			if err == nil && index == 0 {
				p.Hint = "the first reply is 1; what a judge answers about a whole conversation is its defaultResponse"
			}
			return
		}
		if line, twice := seen[index]; twice { // 1 and 01
			d.Errorf(k, "duplicate-key", "reply %d is already set on line %d", index, line)
			return
		}
		seen[index] = k.Line
		m.Turns = append(m.Turns, NewMockTurn(index, d.mockReply(reply)))
	})
	sortby.Func(m.Turns, func(a, b MockTurn) int { return cmp.Compare(a.Index, b.Index) })
}

// mockGaps warns of the first missing number between replies: with a default reply a run does not notice it.
func (d *decoder) mockGaps(m *MockScenario, v *node.Node) {
	turns := node.Get(v, "turns")
	if turns == nil || turns.Kind != node.Map {
		return
	}
	for i, t := range m.Turns {
		if t.Index == i+1 {
			continue
		}
		at := slices.IndexFunc(turns.Content, func(k *node.Node) bool { return k.Value == strconv.Itoa(t.Index) })
		d.Warnf(turns.Content[max(at, 0)], "missing-reply", "there is no reply %d before reply %d", i+1, t.Index).Hint =
			"replies are numbered from 1, one for each call of the model; where the default is meant, write its text out"
		return
	}
}

// inlineMock reads the replies on a turn: one, or a list for the rounds of the tool loop.
func (d *decoder) inlineMock(n *node.Node) []MockReply {
	if n.Kind != node.List {
		return []MockReply{d.mockReply(n)}
	}
	if len(n.Content) == 0 {
		d.Errorf(n, "empty-value", "mock has no replies")
	}
	replies := make([]MockReply, len(n.Content))
	for i, v := range n.Content {
		replies[i] = d.mockReply(v)
	}
	ends := slices.IndexFunc(replies, func(r MockReply) bool { return !r.mayCall() })
	if ends >= 0 && ends+1 < len(replies) {
		d.Warnf(n.Content[ends+1], "unused-reply",
			"this reply is never used: the one before calls no tool, which ends the turn").Hint =
			"the replies of a list are for the rounds of tool calls in one turn; put it below the turn that it answers"
	}
	return replies
}

// besides resolves a path relative to the file that contains it.
func (d *decoder) besides(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(d.File), path)
}
