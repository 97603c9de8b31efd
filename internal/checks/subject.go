package checks

import (
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/grading"
)

// Subject is what a check looks at: one turn, or the whole conversation. It belongs to one goroutine. After the first
// check, only Metadata and the results of earlier evals may change.
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
	// AllCalls are the calls of the conversation so far, for turn checks that look at all of them. Nil: they are taken
	// from Messages when needed.
	AllCalls []Call
	// LatencyMS is the time to the reply under test; nil when not known.
	LatencyMS *float64
	// Cost and tokens of the scope. CostUSD is nil when a price is not known.
	CostUSD                   *float64
	InputTokens, OutputTokens *int
	// ElapsedMS is the wall clock time since the start of the conversation; nil when not known.
	ElapsedMS   *float64
	Tools       ToolCaller   // the project's tools; nil: none
	Workflow    *Workflow    // nil: there is no workflow
	Composition *Composition // nil: there is no composition
	// Stored says that the conversation was read from disk, where secrets and redacted values have been removed.
	Stored bool
	// Answered says that the answers of external evaluators come from a recording, made before anything was redacted.
	Answered bool
	// Unguarded says that the recording does not say which guardrails fired.
	Unguarded bool
	Earlier   []EvalResult   // results of the evals before this check, oldest first
	Evals     []EvalName     // of the agent, whether they have judged anything or not
	Guards    []string       // the types of the agent's guardrails; without evals they may be left out
	Judges    grading.Judges // the judges for model-graded checks; nil: none are configured
	// JudgePrompts are the project's prompts for judges; nil: none.
	JudgePrompts *grading.Prompts
	Scenario     *ScenarioInfo // the author's description of the scenario; nil: none
	Host         *Host         // for checks that use something outside the process; nil: none may
	Outside      Outside       // records or replays external answers; nil: not needed
	Embedder     Embedder      // the embedding model; nil: none is configured
	SessionID    string        // of the trial
	PromptID     string        // of the system prompt; "": none
	Variables    map[string]string
	Metadata     map[string]any // host values: embedding, retrieved_chunks, …

	masking      masking
	read         bool
	replies      []Reply
	documents    [4]*document       // by jsonOptions
	galleries    map[string]gallery // by the kind of media
	conversation *Subject
}

// EvalResult is the result of an earlier eval, for guardrail_triggered.
type EvalResult struct {
	ID, Type string
	Turn     int // as Subject.Turn
	Score    float64
	Skipped  bool   // it had nothing to judge, and no score
	Error    string // why it could not judge; "": it did
}

// EvalName is an eval of the agent under test.
type EvalName struct{ ID, Type, Trigger string }

// Reply is the text of one assistant message.
type Reply struct {
	Index int // in Subject.Messages
	Turn  int // from 0
	Text  string

	masking  masking
	wordless bool // it only calls tools, or has media
	lower    string
	folded   bool
	others   [spellings]otherSpelling
}

// otherSpelling is a text in another spelling, also in lower case; both are made on demand.
type otherSpelling struct {
	text, lower  string
	read, folded bool
}

// spelt is the text in another spelling.
func (r *Reply) spelt(as spelling, lower bool) string {
	o := &r.others[as]
	if !o.read {
		o.read, o.text = true, as.of(r.Text)
	}
	switch {
	case !lower:
		return o.text
	case o.text == r.Text:
		return r.Lower()
	case !o.folded:
		o.folded, o.lower = true, strings.ToLower(o.text)
	}
	return o.lower
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
			s.replies = append(s.replies, Reply{
				Index: i, Turn: max(turn, 0), Text: m.Text(), masking: s.masking, wordless: m.Wordless() || m.Mute(),
			})
		}
	}
	return s.replies
}

// last returns the reply that most checks look at; nil: none. In session scope it is the last one with a message for
// the user: later replies may be tool calls alone, such as that of a transition.
func (s *Subject) last() *Reply {
	all := s.Texts()
	if len(all) == 0 {
		return nil
	}
	if s.Session {
		for i := len(all) - 1; i >= 0; i-- {
			if !all[i].wordless {
				return &all[i]
			}
		}
	}
	return &all[len(all)-1]
}

// Output is the text of the last assistant message in scope; "": none.
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

// HasReply reports whether there is an assistant message in scope. Without one most checks cannot judge.
func (s *Subject) HasReply() bool { return s.last() != nil }

// Replied reports whether the agent sent a message to the user: in the last message of a turn, in any of a
// conversation. A turn may end with tool calls alone, for example when the workflow moves to a state without a model.
func (s *Subject) Replied() bool {
	r := s.last()
	return r != nil && !r.wordless
}

// Conversation returns the conversation that a turn belongs to; in session scope the subject itself.
func (s *Subject) Conversation() *Subject {
	if s.Session {
		return s
	}
	if s.conversation != nil {
		s.conversation.Earlier = s.Earlier
		return s.conversation
	}
	w := &Subject{
		Session: true, Messages: s.Messages, Turn: -1, Calls: s.AllCalls, ElapsedMS: s.ElapsedMS, Tools: s.Tools,
		Workflow: s.Workflow, Composition: s.Composition, Earlier: s.Earlier, Evals: s.Evals, Guards: s.Guards,
		Variables: s.Variables, Metadata: s.Metadata,
		Embedder: s.Embedder, Judges: s.Judges, JudgePrompts: s.JudgePrompts, Scenario: s.Scenario,
		Host: s.Host, Outside: s.Outside, SessionID: s.SessionID, PromptID: s.PromptID,
		Stored: s.Stored, Answered: s.Answered, Unguarded: s.Unguarded, masking: s.masking,
	}
	if w.Calls == nil {
		w.Calls = CallsOf(s.Messages)
	}
	w.spend()
	s.conversation = w
	return w
}

// Fork returns the same subject for another goroutine. Both share their data, which must not change meanwhile.
func (s *Subject) Fork() *Subject {
	f := *s
	f.read, f.replies, f.documents, f.galleries, f.conversation = false, nil, [4]*document{}, nil, nil
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

// Measure sums tokens and cost over the messages of the scope. If a value is unknown for one message, the sum is
// unknown, so that no budget passes because something is missing.
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

// LastTurn returns the start and the index of the last turn.
func LastTurn(messages []chat.Message) (start, turn int) {
	turn = -1
	for i := range messages {
		if messages[i].Role == chat.User {
			start, turn = i, turn+1
		}
	}
	return start, max(turn, 0)
}
