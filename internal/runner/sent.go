package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/window"
)

// The part of the transcript that a model is sent. The transcript itself is never cut.

// contextWindow is the state of the context policy between model calls.
type contextWindow struct {
	ledger  window.Ledger // sizes of the messages
	view    view
	vectors map[int][]float64 // embeddings of messages, by index, for relevance
	gist    gist              // summary of the part that is not sent
	leftOut *chat.LeftOut     // of the next call; nil: all is sent
	asked   *chat.ContextCall // model call for it; nil: none
	spend   sideSpend         // of models that the policy calls
}

// forget drops the state of messages that were taken back.
func (w *contextWindow) forget() { w.ledger, w.view, w.vectors = window.Ledger{}, view{}, nil }

// fill puts the messages into a request: the system prompt of the current state, and what the context policy keeps of
// the conversation.
func (s *session) fill(ctx context.Context, req *chat.Request) error {
	s.window.leftOut, s.window.asked = nil, nil
	policy := s.windowPolicy()
	if policy == nil {
		req.Messages = s.pick([]window.Span{{From: 0, To: len(s.messages)}}, nil)
		return nil
	}
	items := s.window.ledger.Take(s.messages)
	spans, err := s.cut(ctx, policy, items)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		return fmt.Errorf("context_policy: %w", err)
	}
	left := window.Without(items, spans)
	var gist *gist
	if left.Messages > 0 && s.window.gist.until > 0 {
		gist = &s.window.gist
	}
	req.Messages, req.Caching = s.pick(spans, gist), policy.Breakpoints
	s.window.ledger.Sent(spans, gist.size(), window.Overhead{System: s.systemAt(), Tools: len(req.Tools)})
	if left.Messages > 0 {
		s.window.leftOut = &chat.LeftOut{
			Messages: left.Messages, Tokens: left.Tokens, Estimated: !left.Counted, Since: left.Since, Asked: s.window.asked,
		}
		if gist != nil {
			s.window.leftOut.Summary = gist.message.Content
		}
		req.Origin.Before += repliesIn(s.messages) - repliesIn(req.Messages)
	}
	return nil
}

// windowPolicy is the context policy of the trial; nil: none, or the agent keeps the conversation itself.
func (s *session) windowPolicy() *scenario.ContextPolicy {
	if s.trial.Endpoint.Spec.IsAgent() {
		return nil
	}
	return s.trial.Scenario.Window
}

// systemAt is the index of the current system prompt; window.NoSystem: none or empty.
func (s *session) systemAt() int {
	at := 0
	if f := s.flow; f != nil && s.step == nil {
		at = f.lastSystemMessage
	}
	if at < len(s.messages) && s.messages[at].Role == chat.System && s.messages[at].Content != "" {
		return at
	}
	return window.NoSystem
}

// pick returns the messages of spans behind the current system prompt and the summary of earlier messages; before is
// nil without a summary. Nothing is copied when the result is a part of the transcript.
func (s *session) pick(spans []window.Span, before *gist) []chat.Message {
	f := s.flow
	system, marks := s.systemAt(), 0
	switch {
	case f != nil && s.step == nil:
		marks = f.systemMessages
	case system != window.NoSystem:
		marks = 1
	}
	if whole := before == nil && len(spans) == 1 && spans[0].From <= system+1 && spans[0].To == len(s.messages); whole &&
		(marks == 0 || marks == 1 && system == 0) {
		return slices.Clip(s.messages)
	}
	if len(spans) == 1 && marks <= 1 {
		return s.end(system, max(spans[0].From, marks), before)
	}
	n := 2
	for _, span := range spans {
		n += span.To - span.From
	}
	list := make([]chat.Message, 0, n)
	if system != window.NoSystem {
		list = append(list, s.messages[system])
	}
	if before != nil {
		list = append(list, before.message)
	}
	for _, span := range spans {
		if marks <= 1 { // it is the first message
			list = append(list, s.messages[max(span.From, marks):span.To]...)
			continue
		}
		for i := span.From; i < span.To; i++ {
			if s.messages[i].Role != chat.System {
				list = append(list, s.messages[i])
			}
		}
	}
	return list
}

// view is a system prompt followed by the end of a transcript. It grows with the transcript; requests share its start.
type view struct {
	system, from, to int // of the transcript
	gist             int // number of the summary in front; 0: none
	list             []chat.Message
}

// end returns the messages from an index on, behind the system prompt and the summary. While the index stays the same,
// as within a turn, only new messages are copied.
func (s *session) end(system, from int, before *gist) []chat.Message {
	v, no := &s.window.view, 0
	if before != nil {
		no = before.no
	}
	if v.list == nil || v.system != system || v.from != from || v.gist != no || v.to > len(s.messages) {
		n := len(s.messages) - from + 2
		*v = view{system: system, from: from, to: from, gist: no, list: make([]chat.Message, 0, n+n/8+4)}
		if system != window.NoSystem {
			v.list = append(v.list, s.messages[system])
		}
		if before != nil {
			v.list = append(v.list, before.message)
		}
	}
	v.list = append(v.list, s.messages[v.to:]...)
	v.to = len(s.messages)
	return slices.Clip(v.list)
}

// cut decides what of the conversation is sent.
func (s *session) cut(
	ctx context.Context, p *scenario.ContextPolicy, items []window.Item,
) ([]window.Span, error) {
	system := s.window.ledger.System(s.systemAt())
	room := p.Budget - p.Reserve - system
	whole := []window.Span{{From: 0, To: len(items)}}
	switch size := window.Size(items); {
	case room <= 0:
		return nil, fmt.Errorf("the system prompt has %s, and %s", about(system), p.Leaves(0))
	case size <= room:
		return whole, nil
	case p.Strategy == scenario.RefuseLonger:
		return nil, fmt.Errorf("the conversation has %s, and %s (strategy fail)", about(size), p.Leaves(system))
	}
	if _, needs := window.Newest(items); needs > room {
		return nil, fmt.Errorf("the newest message of the user has %s, with what follows it, and %s", about(needs),
			p.Leaves(system))
	}
	if s.trial.summarizer != nil {
		return s.summarized(ctx, items, room)
	}
	if r := p.Relevance; p.Strategy == scenario.LeaveIrrelevant && r != nil {
		alike, err := s.similarities(ctx, r, items)
		if missing := s.recorder.Err(); missing != nil {
			return nil, missing
		}
		if err == nil {
			return window.Relevant(items, alike, room, cmp.Or(r.Recent, defaultRecent), r.Least), nil
		}
		tell := s.warnOnce // another policy than the one under test was used
		if errors.Is(err, errMocked) {
			tell = s.notice
		}
		tell(fmt.Sprintf("context_policy: the oldest messages were left out, because it is not known which are "+
			"relevant: %v", err))
	}
	return []window.Span{{From: window.Oldest(items, room), To: len(items)}}, nil
}

func about(tokens int) string { return fmt.Sprintf("about %s", plural.Count(tokens, "token")) }
