package runner

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/result"
)

// TestUsersThatDoNotPlayAreTold: what is left of a conversation with them tests little.
func TestUsersThatDoNotPlayAreTold(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"I recommend the green tea.":                  "speaks as an assistant does",
		"I’m sorry, but I can’t help with that.":      "refuses to play",
		"As asked, I cannot roleplay a customer.":     "refuses to play",
		"Thanks! [Conversation complete]":             "[Conversation complete]",
		"Bye. **Conversation over.**":                 "**Conversation over.**",
		"Bye. conversation_complete":                  "conversation_complete",
		"Thanks (END OF CONVERSATION)":                "(END OF CONVERSATION)",
		"Can you help with that?":                     "",
		"Our conversation is complete nonsense.":      "",
		"I can't find my order [the blue one], sorry": "",
	} {
		s := &session{out: &result.Trial{}}
		s.warnOfWords("shopper", words)
		got := strings.Join(s.out.Warnings, "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: warned %q, want %q", words, got, want)
		}
	}
}
