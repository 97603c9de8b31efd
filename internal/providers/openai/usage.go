package openai

import (
	"fmt"

	api "github.com/sashabaranov/go-openai"

	"github.com/arena-evals/arena/internal/chat"
)

// usageOf is what the server counted. What is in the sum only was written by the model, as the thoughts that some
// servers count apart.
func usageOf(u *api.Usage) chat.Usage {
	out := chat.Usage{InputTokens: u.PromptTokens}
	out.OutputTokens = max(u.CompletionTokens, max(u.TotalTokens, 0)-u.PromptTokens)
	if u.PromptTokens < 0 || u.CompletionTokens < 0 {
		out.OutputTokens = u.CompletionTokens
	}
	if d := u.PromptTokensDetails; d != nil {
		out.CachedTokens = d.CachedTokens
	}
	if d := u.CompletionTokensDetails; d != nil {
		out.ReasoningTokens = d.ReasoningTokens
	}
	return out
}

// later is what a server counted by a later chunk of a stream: never less than by one before.
func later(before, u *api.Usage) *api.Usage {
	if before == nil || u == nil || min(u.PromptTokens, u.CompletionTokens, u.TotalTokens) < 0 {
		return u
	}
	most := *u
	most.PromptTokens = max(u.PromptTokens, before.PromptTokens)
	most.CompletionTokens = max(u.CompletionTokens, before.CompletionTokens)
	most.TotalTokens = max(u.TotalTokens, before.TotalTokens)
	return &most
}

// mostInSum is how many tokens can stand in the sum alone: more than any model thinks in one reply.
const mostInSum = 10_000_000

// miscount is what cannot be in the sum of the tokens; empty: nothing.
func miscount(u *api.Usage) string {
	if min(u.PromptTokens, u.CompletionTokens, u.TotalTokens) < 0 ||
		u.TotalTokens-u.PromptTokens <= mostInSum || u.TotalTokens-u.PromptTokens-u.CompletionTokens <= mostInSum {
		return ""
	}
	return fmt.Sprintf("%d of input, %d of output, %d in all", u.PromptTokens, u.CompletionTokens, u.TotalTokens)
}

// take tells the call what of a reply has come: it is paid for, whatever comes of it.
func (c exchange) take(a *chatResponse) {
	if a.Usage != nil {
		c.Count(usageOf(a.Usage))
		c.Miscount(miscount(a.Usage))
	}
	for i := range a.Choices {
		ch := &a.Choices[i]
		if isError(ch.Error) {
			continue
		}
		c.Came(ch.Message.size() + ch.Delta.size())
	}
}

// size is how many bytes a message, or a piece of one, says; nil says nothing.
func (s *messageIn) size() int {
	if s == nil {
		return 0
	}
	size := len(s.Content.text) + len(s.Refusal)
	for i := range s.ToolCalls {
		f := &s.ToolCalls[i].Function
		size += len(f.Name)
		if f.Arguments != nil {
			size += len(*f.Arguments)
		}
	}
	return size
}
