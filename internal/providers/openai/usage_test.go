package openai

import (
	"encoding/json"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

// TestImpossibleUsage: tokens that no call can have taken count as none, so that all of them are estimated.
func TestImpossibleUsage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]chat.Usage{
		`{"prompt_tokens": 9, "completion_tokens": 3}`:                          {InputTokens: 9, OutputTokens: 3},
		`{"prompt_tokens": -9, "completion_tokens": 3}`:                         {},
		`{"prompt_tokens": 9, "completion_tokens": 9223372036854775807}`:        {},
		`{"prompt_tokens": 1000000000001, "completion_tokens": 3}`:              {},
		`{"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 100}}`: {InputTokens: 9, CachedTokens: 9},
	} {
		var a answer
		if err := json.Unmarshal([]byte(`{"usage": `+text+`}`), &a); err != nil {
			t.Fatal(err)
		}
		if got := usageOf(a.Usage); got != want {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
	}
}
