package providers

import (
	"context"

	"github.com/arena-evals/arena/internal/chat"
)

// chunkRunes is how much text one delta of a simulated stream carries.
const chunkRunes = 20

// Stream hands out a text as a model would, in equal pieces of whole runes, and returns how much of it was handed out.
// The error is that of onDelta, or the cause of ctx.
func Stream(ctx context.Context, text string, onDelta func(chat.Delta) error) (streamed string, err error) {
	for at := 0; at < len(text); {
		if ctx.Err() != nil {
			return text[:at], context.Cause(ctx)
		}
		piece, runes := text[at:], 0
		for i := range piece {
			if runes == chunkRunes {
				piece = piece[:i]
				break
			}
			runes++
		}
		at += len(piece)
		if err := onDelta(chat.Delta{Text: piece}); err != nil {
			return text[:at], err
		}
	}
	return text, nil
}

// Estimate counts a token for every four bytes of each message. A call without any text still has a size, so that
// costs never vanish.
func Estimate(messages []chat.Message, reply string) chat.Usage {
	u := chat.Usage{OutputTokens: len(reply) / 4, Estimated: true}
	for i := range messages {
		u.InputTokens += len(messages[i].Text()) / 4
	}
	if u.InputTokens == 0 {
		u.InputTokens = 10
	}
	if u.OutputTokens == 0 {
		u.OutputTokens = 20
	}
	return u
}
