package guard

import (
	"context"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/result"
)

// The finish reasons of messages that guardrails changed.
const (
	filtered = "content_filter"
	tooLong  = "length"
)

// action applies the effects of the guardrails that fired to a reply, in the order of the file.
type action struct {
	*judging
	received chat.Message
	reply    chat.Message // of it, so far
	replaced bool
}

// apply applies the effect of one guardrail.
func (a *action) apply(ctx context.Context, f *firing) {
	switch {
	case f.effect == checks.Records || a.replaced:
	case f.effect == checks.Replaces || f.Verdict.Status == result.Errored:
		if a.stillFires(ctx, f) {
			a.replace(f.text())
			f.Action = result.Replaced
		}
	case f.effect == checks.Cuts:
		text := a.reply.Text()
		if short := f.Cut(text); len(short) < len(text) {
			a.cut(short)
			f.Action = result.Cut
		}
	}
}

// stillFires reports whether a guardrail also fires on a reply that was cut. A guardrail that calls a model, a program
// or the network is not run again: it counts as firing.
func (a *action) stillFires(ctx context.Context, f *firing) bool {
	if a.reply.Original == nil || f.Verdict.Status == result.Errored || f.Needs().Cost() > 0 {
		return true
	}
	v := f.Judge(ctx, a.about(a.reply))
	return v.Status != result.Passed && v.Status != result.Skipped
}

func (a *action) replace(text string) {
	a.change(text, filtered)
	a.reply.Parts, a.replaced = nil, true
}

// cut replaces the text by its beginning. Media stay.
func (a *action) cut(text string) {
	a.change(text, tooLong)
	if len(a.reply.Parts) == 0 {
		return
	}
	media := slices.DeleteFunc(slices.Clone(a.reply.Parts), func(p chat.Part) bool { return p.Type == "text" })
	a.reply.Parts = nil
	if len(media) > 0 {
		a.reply.Parts = append([]chat.Part{{Type: "text", Text: text}}, media...)
	}
}

// change gives the reply another text and removes its tool calls.
func (a *action) change(text, finish string) {
	a.reply.Original = &chat.Original{
		Content: a.received.Content, Parts: a.received.Parts, ToolCalls: a.received.ToolCalls,
		FinishReason: a.received.FinishReason,
	}
	a.reply.Content, a.reply.FinishReason, a.reply.ToolCalls = text, finish, nil
}
