package guard

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/providers"
)

// Reply judges one reply: while it is streamed, by the guardrails that can do that, and at its end. It belongs to one
// goroutine.
type Reply struct {
	set       *Set
	text      strings.Builder // so far
	following []follower
	closedBy  *guardrail // guardrail that closed the stream, because it fired or had an error; nil: none
}

// follower is a guardrail that judges while the reply is streamed.
type follower struct {
	*guardrail
	*checks.Following
}

// decided reports whether the guardrail has decided: the rest of the reply changes nothing.
func (f *follower) decided() bool { return f.Err() != nil || f.Failed() }

// Reply starts to judge a new reply.
func (s *Set) Reply() *Reply {
	r := &Reply{set: s}
	for _, rail := range s.out {
		if f := rail.Follow(); f != nil {
			r.following = append(r.following, follower{rail, f})
		}
	}
	return r
}

// Watches reports whether a guardrail may close the stream. If not, OnDelta need not be called.
func (r *Reply) Watches() bool {
	return slices.ContainsFunc(r.following, func(f follower) bool { return f.effect != checks.Records })
}

// OnDelta takes the next piece of the reply. Once a guardrail that acts has fired it returns providers.ErrEnough, which
// closes the stream: the rest need not be paid for.
func (r *Reply) OnDelta(d chat.Delta) error {
	r.text.WriteString(d.Text)
	for _, f := range r.following {
		if f.decided() {
			continue
		}
		f.Write(d.Text)
		if r.closedBy == nil && f.effect != checks.Records && f.decided() {
			r.closedBy = f.guardrail
		}
	}
	if r.closedBy != nil {
		return providers.ErrEnough
	}
	return nil
}

// Finish judges the reply at its end and returns the message with which the conversation continues: the reply, the
// reply cut, or another text. A message that was changed keeps the original reply beside it. subject is the
// conversation before the reply. limit is the limit of the reply in tokens; nil when it is not known.
//
// Each guardrail that fired acts on the result of those before it: a reply that was cut can still be replaced. A reply
// that was replaced is not changed again. A reply that was changed calls no tools.
func (r *Reply) Finish(ctx context.Context, subject *checks.Subject, m chat.Message, limit *int) Outcome {
	h := &judging{before: subject, direction: output}
	if r.closedBy != nil {
		m.Content, m.Parts, m.ToolCalls = r.text.String(), nil, nil
	}
	whole := h.about(m)
	for _, rail := range r.set.out {
		if f := r.follower(rail); f != nil && f.Err() != nil {
			h.unable(rail, f.Err())
		} else if s := r.subjectFor(h, whole, rail); s != nil {
			h.judge(ctx, rail, s)
		}
	}
	a := &action{judging: h, received: m, reply: m}
	for i := range h.fired {
		a.apply(ctx, &h.fired[i])
	}
	if r.closedBy != nil {
		r.recordSavings(h, m.Usage, limit)
	}
	return h.outcome(a.reply)
}

// subjectFor returns the part of the reply that a guardrail judges; nil: nothing. Where the stream was closed,
// guardrails that fired while it was streamed judge all that came. Those that do not follow the stream judge what is
// left of a reply that was cut, and nothing of one that is replaced.
func (r *Reply) subjectFor(h *judging, whole *checks.Subject, rail *guardrail) *checks.Subject {
	if r.closedBy == nil {
		return whole
	}
	f := r.follower(rail)
	switch {
	case f != nil && f.Failed():
		return whole
	case f == nil && r.closedBy.effect == checks.Cuts:
		return h.about(chat.Message{Content: r.closedBy.Cut(r.text.String())})
	}
	return nil
}

// follower returns the follower of a guardrail; nil when it has none.
func (r *Reply) follower(rail *guardrail) *follower {
	for i := range r.following {
		if r.following[i].guardrail == rail {
			return &r.following[i]
		}
	}
	return nil
}

// recordSavings records on the firing that closed the stream how many tokens that saved.
func (r *Reply) recordSavings(h *judging, usage *chat.Usage, limit *int) {
	at := slices.IndexFunc(h.fired, func(f firing) bool { return f.guardrail == r.closedBy })
	if at < 0 { // the reply is incomplete, so it must not pass
		h.fail(fmt.Errorf("guardrail %s closed the stream and then found nothing wrong", r.closedBy.Type))
		return
	}
	f := &h.fired[at]
	f.StreamClosed = true
	if limit != nil && usage != nil {
		saved := max(*limit-usage.OutputTokens, 0)
		f.TokensSaved = &saved
	}
}
