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

// action lets the guardrails that fired act on a reply, in the order of the file.
type action struct {
	*hearing
	received chat.Message
	left     chat.Message // of it, so far
	replaced bool
}

// take lets one act.
func (a *action) take(ctx context.Context, f *firing) {
	switch {
	case f.effect == checks.Records || a.replaced:
	case f.effect == checks.Replaces || f.Verdict.Status == result.Errored:
		if a.stillFires(ctx, f) {
			a.replace(f.text())
			f.Action = result.Replaced
		}
	case f.effect == checks.Cuts:
		text := a.left.Text()
		if short := f.Cut(text); len(short) < len(text) {
			a.cut(short)
			f.Action = result.Cut
		}
	}
}

// stillFires reports whether what a cut has left gives a guardrail a reason to act. What leaves the process to find out
// is not asked twice.
func (a *action) stillFires(ctx context.Context, f *firing) bool {
	if a.left.Original == nil || f.Verdict.Status == result.Errored || f.Needs().Dearness() > 0 {
		return true
	}
	v := f.Judge(ctx, a.about(a.left))
	return v.Status != result.Passed && v.Status != result.Skipped
}

func (a *action) replace(text string) {
	a.change(text, filtered)
	a.left.Parts, a.replaced = nil, true
}

// cut keeps the beginning of the text. Media stay.
func (a *action) cut(text string) {
	a.change(text, tooLong)
	if len(a.left.Parts) == 0 {
		return
	}
	media := slices.DeleteFunc(slices.Clone(a.left.Parts), func(p chat.Part) bool { return p.Type == "text" })
	a.left.Parts = nil
	if len(media) > 0 {
		a.left.Parts = append([]chat.Part{{Type: "text", Text: text}}, media...)
	}
}

// change gives the reply another text and takes its tool calls away.
func (a *action) change(text, finish string) {
	a.left.Original = &chat.Original{
		Content: a.received.Content, Parts: a.received.Parts, ToolCalls: a.received.ToolCalls,
		FinishReason: a.received.FinishReason,
	}
	a.left.Content, a.left.FinishReason, a.left.ToolCalls = text, finish, nil
}
