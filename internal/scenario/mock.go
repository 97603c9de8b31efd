package scenario

import (
	"slices"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
)

// MockFile is a loaded mock response file. It is immutable and safe for concurrent use.
type MockFile struct {
	File      string `digest:"-"`
	First     bool   // of --mock-config: its numbered replies have precedence over those on turns
	Default   *string
	Scenarios map[string]*MockScenario `digest:"-"`
	SelfPlay  map[string]*MockScenario // by persona
	Judges    map[string]*MockScenario // by judge name
	Calls     []MockCallUse            `digest:"-"` // of its scenarios: each tool once
}

// MockCallUse is the first position at which mock replies call a tool without giving its result.
type MockCallUse struct {
	Name string
	Pos  diag.Pos
}

// MockScenario is the canned replies of one scenario, persona or judge.
type MockScenario struct {
	Pos     diag.Pos
	Default *string
	Turns   []MockTurn             // sorted by index
	Steps   map[string][]MockReply // by the step of a composition: one reply for each round
	// Summaries are the summaries for a context policy, in the order of the requests.
	Summaries []MockReply
}

// At returns the reply with a number, from 1; nil: none. It must not be changed.
func (m *MockScenario) At(n int) *MockReply {
	if m == nil {
		return nil
	}
	i, found := slices.BinarySearchFunc(m.Turns, n, func(t MockTurn, n int) int { return t.Index - n })
	if !found {
		return nil
	}
	return m.Turns[i].Reply()
}

// MockTurn is the reply with an index, from 1. Most replies are only text, and mock files have many, so such a reply
// needs no more memory.
type MockTurn struct {
	Index int
	text  string
	reply *MockReply // nil: text alone
}

// NewMockTurn makes a turn of a reply.
func NewMockTurn(index int, r MockReply) MockTurn {
	if r.plain() {
		return MockTurn{Index: index, text: r.Content}
	}
	return MockTurn{Index: index, reply: &r}
}

// Reply returns the reply of the turn. It must not be changed.
func (t *MockTurn) Reply() *MockReply {
	if t.reply != nil {
		return t.reply
	}
	return &MockReply{Content: t.text}
}

// Rich returns the reply of a turn that is more than a text; nil: it is a text alone.
func (t *MockTurn) Rich() *MockReply { return t.reply }

// MockReply is one canned reply.
type MockReply struct {
	Content   string
	Parts     []chat.Part
	PartPos   []diag.Pos      `digest:"-"` // of the media of Parts, or of the parts; nil: not known
	ToolCalls []chat.ToolCall // without ids
	Places    []diag.Pos      `digest:"-"` // of the calls, in their order; nil: not known
	// Results are recorded results of calls, by the index of the call, without ids. These tools are not run.
	Results      map[int]chat.ToolResult
	ResultPos    map[int][]diag.Pos `digest:"-"` // of their parts, as PartPos
	Error        string             // the call fails with this text
	ErrorKind    string             // auth, rate_limit, timeout, transport, bad_reply, refused; "" is transport
	Latency      time.Duration
	FinishReason string
	Usage        *chat.Usage
	CostUSD      *float64 // nil: by the prices of the provider
	// OneOf are replies of which the mock draws one for each trial. The other fields are then empty. See Draw.
	OneOf []MockChoice
}

func (r *MockReply) plain() bool {
	return len(r.Parts) == 0 && len(r.ToolCalls) == 0 && r.Error == "" && r.ErrorKind == "" && r.Latency == 0 &&
		r.FinishReason == "" && r.Usage == nil && r.CostUSD == nil &&
		len(r.OneOf) == 0
}

// EachMockReply visits the replies that a mock may give in the scenario and that are more than a text: those of a mock
// file, which may be nil, and those on its turns.
func (s *Scenario) EachMockReply(file *MockFile, visit func(*MockReply)) {
	each := func(r *MockReply) {
		for one := range r.Each() {
			visit(one)
		}
	}
	if file != nil {
		for _, name := range []string{s.ID, s.Alias} {
			file.Scenarios[name].each(each)
		}
	}
	for i := range s.Turns {
		inline := s.Turns[i].Inline()
		for j := range inline {
			each(&inline[j])
		}
	}
}

// each visits all replies; m may be nil.
func (m *MockScenario) each(visit func(*MockReply)) {
	if m == nil {
		return
	}
	for i := range m.Turns {
		if r := m.Turns[i].reply; r != nil {
			visit(r)
		}
	}
	for _, replies := range m.Steps {
		for i := range replies {
			visit(&replies[i])
		}
	}
}
