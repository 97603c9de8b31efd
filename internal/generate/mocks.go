package generate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/skill"
)

// MockOptions say what a mock response file contains.
type MockOptions struct {
	Results bool    // always include tool results, so that no tool runs; else only those of tools that do not exist
	Timed   bool    // include the latency of each reply
	Default *string // the default reply; nil: none
}

// Mocks collects canned replies by scenario. It belongs to one goroutine.
type Mocks struct {
	opts       MockOptions
	byScenario map[string]*scenarioReplies
	notes      []string
}

// scenarioReplies is the replies for one scenario.
type scenarioReplies struct {
	from    string // session of the replies
	before  string // session whose replies they replaced; "": none
	more    int    // number of sessions that were replaced before
	replies map[int]*node.Node
}

// NewMocks returns an empty collection.
func NewMocks(opts MockOptions) *Mocks {
	return &Mocks{opts: opts, byScenario: map[string]*scenarioReplies{}}
}

// Add takes the assistant's messages of a session: the n-th is reply n of the scenario. It replaces those of an earlier
// session of the same scenario, with a note. Messages that a guardrail wrote in place of the model count, and have no
// reply.
func (m *Mocks) Add(s *recording.Session) {
	scenario := s.Scenario
	if scenario == "" {
		scenario = s.ID
		m.notef("%s: session %q names no scenario; its replies go by its id", s.File, s.ID)
	}
	page := &scenarioReplies{from: fmt.Sprintf("%s, session %q", s.File, s.ID), replies: map[int]*node.Node{}}
	n := 0
	for i := range s.Messages {
		msg := &s.Messages[i]
		if msg.Role != chat.Assistant {
			continue
		}
		if n++; msg.Blocked() {
			continue
		}
		parts := msg.Said()
		results := recording.Results(s.Messages, i)
		if !m.opts.Results {
			maps.DeleteFunc(results, func(_ int, r *chat.ToolResult) bool { return !chat.IsUnknownTool(r.Error) })
		}
		dropOwnResults(results, parts.ToolCalls)
		page.replies[n] = reply(&parts, results, m.opts.Timed)
	}
	if old := m.byScenario[scenario]; old != nil {
		page.before = old.from
		if page.more = old.more; old.before != "" {
			page.more++
		}
	}
	m.byScenario[scenario] = page
}

// dropOwnResults removes the results of tools that arena itself answers: none that is written has an effect.
func dropOwnResults(results map[int]*chat.ToolResult, calls []chat.ToolCall) {
	maps.DeleteFunc(results, func(i int, r *chat.ToolResult) bool {
		return ownTool(calls[i].Name) && !chat.IsUnknownTool(r.Error)
	})
}

// ownTool reports whether arena itself answers a tool, whatever replies say of it.
func ownTool(name string) bool {
	return strings.HasPrefix(name, "workflow__") || slices.Contains(skill.ToolNames, name)
}

func (m *Mocks) notef(format string, args ...any) {
	m.notes = append(m.notes, fmt.Sprintf(format, args...))
}

// Notes returns remarks on the collected replies, for people.
func (m *Mocks) Notes() []string {
	notes := slices.Clone(m.notes)
	for _, name := range m.Scenarios() {
		p := m.byScenario[name]
		switch {
		case p.more > 0:
			notes = append(notes, fmt.Sprintf("scenario %q: the replies of %s replace those of %s and %d more",
				name, p.from, p.before, p.more))
		case p.before != "":
			notes = append(notes, fmt.Sprintf("scenario %q: the replies of %s replace those of %s", name, p.from, p.before))
		}
	}
	return notes
}

// Scenarios lists the scenarios that have replies, sorted.
func (m *Mocks) Scenarios() []string { return slices.Sorted(maps.Keys(m.byScenario)) }

// Replies counts the replies of all scenarios.
func (m *Mocks) Replies() (n int) {
	for _, p := range m.byScenario {
		n += len(p.replies)
	}
	return n
}

// File writes a mock response file for the named scenarios. With root, the document of an existing file, it replaces
// the replies of these scenarios and keeps the rest; it changes root.
func (m *Mocks) File(scenarios []string, root *node.Node) (string, error) {
	head := ""
	if root == nil {
		root, head = node.NewMap(), m.header(scenarios)
	}
	if m.opts.Default != nil {
		node.Replace(root, "defaultResponse", node.Str(*m.opts.Default))
	}
	all := node.Get(root, "scenarios")
	if node.IsNull(all) {
		all = node.NewMap()
		node.Replace(root, "scenarios", all)
	}
	for _, name := range scenarios {
		replies := m.byScenario[name].node()
		node.QuoteBlocks(replies, scenario.HasKeyLines)
		node.Replace(all, name, replies)
	}
	text, err := node.Text(root)
	if err != nil {
		return "", err
	}
	return head + text, nil
}

// header returns a comment that says where the replies come from.
func (m *Mocks) header(scenarios []string) string {
	lines := []string{"Made by arena mocks generate. The number of a reply counts the assistant's messages."}
	const most = 20
	for i, name := range scenarios {
		if i == most {
			lines = append(lines, fmt.Sprintf("… and %d more", len(scenarios)-most))
			break
		}
		lines = append(lines, fmt.Sprintf("%s: %s", name, m.byScenario[name].from))
	}
	return header(lines...)
}

func (p *scenarioReplies) node() *node.Node {
	turns := node.NewMap()
	for _, n := range slices.Sorted(maps.Keys(p.replies)) {
		key := node.Number(wholeNumber(n))
		turns.Content = append(turns.Content, key, p.replies[n])
	}
	out := node.NewMap()
	node.Put(out, "turns", turns)
	return out
}
