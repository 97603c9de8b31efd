package gemini

import (
	"github.com/arena-evals/arena/internal/chat"
)

// usage is what the server counted, of the whole reply so far.
type usage struct {
	Prompt   int `json:"promptTokenCount"`
	ToolUse  int `json:"toolUsePromptTokenCount"`
	Cached   int `json:"cachedContentTokenCount"`
	Answer   int `json:"candidatesTokenCount"`
	Thoughts int `json:"thoughtsTokenCount"`
}

// take adds what a later event counts; it may leave out what it does not repeat.
func (u *usage) take(v *usage) {
	for _, n := range []struct{ mine, theirs *int }{
		{&u.Prompt, &v.Prompt}, {&u.ToolUse, &v.ToolUse}, {&u.Cached, &v.Cached}, {&u.Answer, &v.Answer},
		{&u.Thoughts, &v.Thoughts},
	} {
		if *n.theirs < 0 || *n.mine >= 0 && *n.theirs > *n.mine { // no later count lowers one before
			*n.mine = *n.theirs
		}
	}
}

// chat is the same as arena counts: what the model thought is output.
func (u *usage) chat() chat.Usage {
	return chat.Usage{
		InputTokens: sum(u.Prompt, u.ToolUse), OutputTokens: sum(u.Answer, u.Thoughts), CachedTokens: u.Cached,
		ReasoningTokens: u.Thoughts,
	}
}

// sum is below zero where one of the two is, or where there is no such number.
func sum(a, b int) int {
	if a < 0 || b < 0 {
		return -1
	}
	return a + b
}
