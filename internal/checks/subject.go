package checks

import (
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/grading"
)

// Subject is what a check looks at: one turn, or the whole conversation. It belongs to one goroutine. Once a check has
// seen it, only Metadata and the results of earlier evals may still change.
type Subject struct {
	// Session is set for conversation assertions and evals at the end of a session.
	Session bool
	// Messages is the whole transcript so far, the system prompt included.
	Messages []chat.Message
	// Start is the index in Messages of the first message of the turn under test; 0 in session scope.
	Start int
	// Turn is the index of the turn under test, from 0; -1 in session scope.
	Turn int
	// Calls are the tool calls in scope, in order, with their results.
	Calls []Call
	// AllCalls are those of the conversation so far, for checks in a turn that look at all of it. Nil: they are taken
	// from Messages when a check asks.
	AllCalls []Call
	// LatencyMS is the time to the reply under test; nil when not known.
	LatencyMS *float64
	// Cost and tokens of the scope. CostUSD is nil when a price is not known.
	CostUSD                   *float64
	InputTokens, OutputTokens *int
	// ElapsedMS is the wall clock time from the start of the conversation until now; nil when not known.
	ElapsedMS   *float64
	Tools       ToolCaller   // what the project's tools can be asked; nil: there are none
	Workflow    *Workflow    // nil: there is no workflow
	Composition *Composition // nil: there is no composition
	// Stored says that the conversation comes from disk, where secrets and redacted values are taken out of it.
	Stored bool
	// Answered says that who is asked outside of the process answers as when the conversation was had, before anything
	// was taken out of it.
	Answered bool
	// Unguarded says that whoever recorded the conversation could not tell which guardrails fired.
	Unguarded bool
	Earlier   []EvalResult   // what the evals before this check found, oldest first
	Judges    grading.Judges // who answers model-graded checks; nil: no judge is configured
	// JudgePrompts are what the project wants its judges to be told, where a check asks for that; nil: nothing.
	JudgePrompts *grading.Prompts
	Scenario     *ScenarioInfo // what its author says of the scenario; nil: nothing
	Host         *Host         // what may be reached outside of the process; nil: nothing
	Outside      Outside       // who stands before what is outside; nil: nobody
	Embedder     Embedder      // what turns texts into vectors; nil: none is configured
	SessionID    string        // of the trial
	PromptID     string        // of the system prompt; "" when there is none
	Variables    map[string]string
	Metadata     map[string]any // host values: embedding, retrieved_chunks, …

	veil      veil
	read      bool
	replies   []Reply
	documents [4]*document       // by jsonOptions
	galleries map[string]gallery // by the kind of media
	whole     *Subject
}

// EvalResult is what an eval found that ran before, as guardrail_triggered asks for it.
type EvalResult struct {
	ID, Type string
	Score    float64
}

// Reply is the text of one assistant message.
type Reply struct {
	Index int // in Subject.Messages
	Turn  int // from 0
	Text  string

	veil   veil
	lower  string
	folded bool
}

// Lower is the text in lower case, folded once.
func (r *Reply) Lower() string {
	if !r.folded {
		r.folded, r.lower = true, strings.ToLower(r.Text)
	}
	return r.lower
}

// Texts returns the assistant messages in scope, in order. The slice belongs to the subject.
func (s *Subject) Texts() []Reply {
	if s.read {
		return s.replies
	}
	s.read = true
	turn := s.Turn
	if s.Session {
		turn = -1
	}
	for i := s.Start; i < len(s.Messages); i++ {
		m := &s.Messages[i]
		switch {
		case m.Role == chat.User && s.Session:
			turn++
		case m.Role == chat.Assistant:
			s.replies = append(s.replies, Reply{Index: i, Turn: max(turn, 0), Text: m.Text(), veil: s.veil})
		}
	}
	return s.replies
}

// last is the reply that most checks look at; nil when there is none.
func (s *Subject) last() *Reply {
	all := s.Texts()
	if len(all) == 0 {
		return nil
	}
	return &all[len(all)-1]
}

// Output is the text of the last assistant message in scope, or "" when there is none.
func (s *Subject) Output() string {
	if r := s.last(); r != nil {
		return r.Text
	}
	return ""
}

// Lower is Output in lower case, folded once for all checks of the subject.
func (s *Subject) Lower() string {
	if r := s.last(); r != nil {
		return r.Lower()
	}
	return ""
}

// HasReply reports whether there is any assistant message in scope. Without one most checks have nothing to judge.
func (s *Subject) HasReply() bool { return s.last() != nil }

// Whole is the conversation to which a turn belongs; in session scope the subject itself.
func (s *Subject) Whole() *Subject {
	if s.Session {
		return s
	}
	if s.whole != nil {
		s.whole.Earlier = s.Earlier
		return s.whole
	}
	w := &Subject{
		Session: true, Messages: s.Messages, Turn: -1, Calls: s.AllCalls, ElapsedMS: s.ElapsedMS, Tools: s.Tools,
		Workflow: s.Workflow, Composition: s.Composition, Earlier: s.Earlier, Variables: s.Variables, Metadata: s.Metadata,
		Embedder: s.Embedder, Judges: s.Judges, JudgePrompts: s.JudgePrompts, Scenario: s.Scenario,
		Host: s.Host, Outside: s.Outside, SessionID: s.SessionID, PromptID: s.PromptID,
		Stored: s.Stored, Answered: s.Answered, Unguarded: s.Unguarded, veil: s.veil,
	}
	if w.Calls == nil {
		w.Calls = CallsOf(s.Messages)
	}
	w.spend()
	s.whole = w
	return w
}

// Fork is the same subject for another goroutine. What checks look at is shared, and must not change meanwhile.
func (s *Subject) Fork() *Subject {
	f := *s
	f.read, f.replies, f.documents, f.galleries, f.whole = false, nil, [4]*document{}, nil, nil
	return &f
}

// spend sums time, tokens and cost over the messages.
func (s *Subject) spend() {
	s.Measure(s.Messages)
	for i := range s.Messages {
		m := &s.Messages[i]
		if m.Role != chat.Assistant {
			continue
		}
		s.LatencyMS = nil
		if m.LatencyMS > 0 {
			s.LatencyMS = &m.LatencyMS
		}
	}
}

// Measure sums tokens and cost over the messages of the scope. One message of which they are not known makes the sum
// unknown: a budget must not hold because something was left out.
func (s *Subject) Measure(messages []chat.Message) {
	var cost float64
	var sum chat.Usage
	priced, counted := true, true
	for i := range messages {
		m := &messages[i]
		if m.Role != chat.Assistant {
			continue
		}
		if priced = priced && m.CostUSD != nil; priced {
			cost += *m.CostUSD
		}
		if counted = counted && m.Usage != nil; counted {
			sum = sum.Add(*m.Usage)
		}
	}
	if priced {
		s.CostUSD = &cost
	}
	if counted {
		s.InputTokens, s.OutputTokens = &sum.InputTokens, &sum.OutputTokens
	}
}

// LastTurn is where the last turn begins, and its index.
func LastTurn(messages []chat.Message) (start, turn int) {
	turn = -1
	for i := range messages {
		if messages[i].Role == chat.User {
			start, turn = i, turn+1
		}
	}
	return start, max(turn, 0)
}
