package arena

import (
	"context"
	"maps"
	"time"

	"github.com/arena-evals/arena/internal/checks"
)

// Check scores what it sees: a reply, tool calls, a whole conversation. Whether the score is good enough is decided by
// the place where the check stands: as an assertion it gates a test, as a guardrail it acts on what the model says, as
// an eval it measures. It must be safe for concurrent use.
//
// An error says that nothing could be judged: the verdict is an error, and never a pass. So it is when Eval panics. One
// that wraps [ErrNotApplicable] says that there is nothing to be judged: the verdict is skipped.
type Check interface {
	Eval(ctx context.Context, s *Subject) (Finding, error)
}

// CheckFunc is a function that is a [Check].
type CheckFunc func(ctx context.Context, s *Subject) (Finding, error)

// Eval implements [Check].
func (f CheckFunc) Eval(ctx context.Context, s *Subject) (Finding, error) { return f(ctx, s) }

// StreamChecker is a [Check] that can tell from the beginning of a reply what no continuation will change. As a
// guardrail it is asked while the reply streams, and one that blocks has the stream closed as soon as it fires.
type StreamChecker interface {
	Check
	// EvalPartial judges the beginning of a reply, all of it that has come. best is the highest score, from 0 to 1, that
	// a reply which begins so can still get: 1 as long as nothing is wrong. It is called for every piece that arrives and
	// should be quick. An error says that nothing can be judged, at the end neither.
	EvalPartial(text string) (best float64, err error)
}

// ErrNotApplicable is wrapped by the error of a check that finds nothing to judge and must not count.
var ErrNotApplicable = checks.ErrNotApplicable

// Finding is what a check saw.
type Finding struct {
	Score       float64        // from 0 to 1
	Explanation string         // one line: what is there, or what is missing
	Details     map[string]any // for the reports, in which it stands as JSON; nil when there is nothing to add
}

// Pass is the finding of a check that holds.
func Pass(explanation string) Finding { return Finding{Score: 1, Explanation: explanation} }

// Fail is the finding of a check that does not hold.
func Fail(explanation string) Finding { return Finding{Explanation: explanation} }

// Subject is what a check looks at: one turn of a conversation, or all of it. It belongs to the check that gets it.
type Subject struct {
	Reply    string    // text of the last reply in scope; "" when there is none
	Messages []Message // all of the conversation so far, the system prompt first where there is one
	Start    int       // index in Messages of the first one in scope
	Turn     int       // index of the turn that is judged, from 0; -1: the conversation
	Tools    []ToolUse // the calls in scope, in order

	// What the scope took. Nil is not known, and not 0.
	Latency                   *time.Duration // until the last reply
	Elapsed                   *time.Duration // since the conversation began
	CostUSD                   *float64
	InputTokens, OutputTokens *int

	Variables map[string]string // of the system prompt
	Metadata  map[string]any    // what the scenario, the recording, the host or tools tell of the conversation
	Session   string            // id of the trial, or of the recorded session
	Prompt    string            // id of the prompt; "" when there is none
}

func subjectFrom(s *checks.Subject) *Subject {
	out := &Subject{
		Reply: s.Output(), Messages: messagesFrom(s.Messages), Start: s.Start, Turn: s.Turn, Tools: toolUsesFrom(s.Calls),
		Latency: spanOf(s.LatencyMS), Elapsed: spanOf(s.ElapsedMS), CostUSD: clone(s.CostUSD),
		InputTokens: clone(s.InputTokens), OutputTokens: clone(s.OutputTokens),
		Metadata: cloneMap(s.Metadata), Session: s.SessionID, Prompt: s.PromptID,
	}
	if s.Session {
		out.Start, out.Turn = 0, -1
	}
	out.Variables = maps.Clone(s.Variables)
	return out
}

func spanOf(ms *float64) *time.Duration {
	if ms == nil {
		return nil
	}
	return new(span(*ms))
}

func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
