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

// Reply judges one reply: while it is written, as far as that can be, and at its end. It belongs to one goroutine.
type Reply struct {
	set       *Set
	text      strings.Builder // what has come
	following []follower
	closed    *rail // has fired in the middle, or broke, and had the stream closed; nil: none
}

// follower is a guardrail that judges while the reply is written.
type follower struct {
	*rail
	*checks.Following
}

// over reports whether nothing that still comes changes what the guardrail has to say.
func (f *follower) over() bool { return f.Err() != nil || f.Failed() }

// Reply starts on a new reply.
func (s *Set) Reply() *Reply {
	r := &Reply{set: s}
	for _, rail := range s.out {
		if f := rail.Follow(); f != nil {
			r.following = append(r.following, follower{rail, f})
		}
	}
	return r
}

// Watches reports whether a guardrail may close the stream; OnDelta need not be called otherwise.
func (r *Reply) Watches() bool {
	return slices.ContainsFunc(r.following, func(f follower) bool { return f.effect != checks.Records })
}

// OnDelta takes the text as it comes. Once a guardrail that acts has fired it returns providers.ErrEnough: what follows
// is not wanted, and need not be paid for.
func (r *Reply) OnDelta(d chat.Delta) error {
	r.text.WriteString(d.Text)
	for _, f := range r.following {
		if f.over() {
			continue
		}
		f.Write(d.Text)
		if r.closed == nil && f.effect != checks.Records && f.over() {
			r.closed = f.rail
		}
	}
	if r.closed != nil {
		return providers.ErrEnough
	}
	return nil
}

// Finish judges the reply at its end and returns the message with which the conversation goes on: as it came, cut, or
// another one. Its text is what everybody sees from here on; what the model had said is kept beside it. subject is the
// conversation before the reply. limit is the most tokens that the reply could have had; nil is not known.
//
// Each guardrail that fired acts on what the ones before it have left, so that a reply that was cut can still be
// replaced. A replaced one is not touched again. A reply that was changed calls no tools.
func (r *Reply) Finish(ctx context.Context, subject *checks.Subject, m chat.Message, limit *int) Outcome {
	h := &hearing{before: subject, direction: output}
	if r.closed != nil {
		m.Content, m.Parts, m.ToolCalls = r.text.String(), nil, nil
	}
	whole := h.about(m)
	for _, rail := range r.set.out {
		if f := r.follower(rail); f != nil && f.Err() != nil {
			h.unable(rail, f.Err())
		} else if s := r.part(h, whole, rail); s != nil {
			h.judge(ctx, rail, s)
		}
	}
	a := &action{hearing: h, received: m, left: m}
	for i := range h.fired {
		a.take(ctx, &h.fired[i])
	}
	if r.closed != nil {
		r.tellClosed(h, m.Usage, limit)
	}
	return h.outcome(a.left)
}

// part is what of the reply a guardrail judges; nil is nothing. Where the rest never came, only what no rest could have
// changed counts: the guardrails that have fired in the middle. The others judge what is left of a reply that was cut,
// for that is said; of one that is replaced nothing is.
func (r *Reply) part(h *hearing, whole *checks.Subject, rail *rail) *checks.Subject {
	if r.closed == nil {
		return whole
	}
	f := r.follower(rail)
	switch {
	case f != nil && f.Failed():
		return whole
	case f == nil && r.closed.effect == checks.Cuts:
		return h.about(chat.Message{Content: r.closed.Cut(r.text.String())})
	}
	return nil
}

// follower is what judges for a guardrail while the reply is written; nil when nothing does.
func (r *Reply) follower(rail *rail) *follower {
	for i := range r.following {
		if r.following[i].rail == rail {
			return &r.following[i]
		}
	}
	return nil
}

// tellClosed notes on the firing that closed the stream what that saved.
func (r *Reply) tellClosed(h *hearing, usage *chat.Usage, limit *int) {
	at := slices.IndexFunc(h.fired, func(f firing) bool { return f.rail == r.closed })
	if at < 0 { // a part of a reply must not pass for the whole
		h.fail(fmt.Errorf("guardrail %s closed the stream and then found nothing wrong", r.closed.Type))
		return
	}
	f := &h.fired[at]
	f.StreamClosed = true
	if limit != nil && usage != nil {
		saved := max(*limit-usage.OutputTokens, 0)
		f.TokensSaved = &saved
	}
}
