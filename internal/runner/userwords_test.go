package runner

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
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
		"Thanks, that is all. [DONE]":                 "[DONE]",
		"Bye <END_OF_CHAT>.":                          "<END_OF_CHAT>",
		"Great, ###STOP###":                           "###STOP###",
		"Thank you. TERMINATE":                        "TERMINATE",
		"...":                                         "says nothing",
		"(silence)":                                   "says nothing",
		"[no response]":                               "says nothing",
		"None":                                        "says nothing",
		"?":                                           "",
		"👍":                                           "",
		"None of these, thanks.":                      "",
		"*stays silent*":                              "says nothing",
		"I am unable to role-play as a customer.":     "refuses to play",
		"I don't think this persona is appropriate.":  "refuses to play",
		"Is [DONE] the state of my order, or [OPEN]?": "",
		"Please STOP":                                 "",
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

// TestCutUsersAreTold: whatever cut a message of a simulated user, the agent answers half a sentence.
func TestCutUsersAreTold(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{
		"length":         "was cut at max_tokens 20",
		"content_filter": "was cut by a content filter (finish reason content_filter)",
		"incomplete":     "is not finished (finish reason incomplete)",
		"tired":          "ended for a reason that arena does not know (finish reason tired)",
		"tool_calls":     "ends with tool calls, but has none",
		"stop":           "",
		"":               "",
	} {
		s := &session{out: &result.Trial{}}
		shopper := &player{persona: &scenario.Persona{}, endpoint: &Endpoint{Spec: &scenario.Provider{Type: "openai"}}}
		s.warnOfCutUser(shopper, &chat.Reply{FinishReason: reason}, &chat.Request{MaxTokens: new(20)})
		got := strings.Join(s.out.Warnings, "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: warned %q, want %q", reason, got, want)
		}
	}
	s := &session{out: &result.Trial{}}
	program := &player{persona: &scenario.Persona{}, endpoint: &Endpoint{Spec: &scenario.Provider{Type: "command"}}}
	s.warnOfCutUser(program, &chat.Reply{FinishReason: "length"}, &chat.Request{MaxTokens: new(20)})
	if got := strings.Join(s.out.Warnings, "\n"); !strings.Contains(got, "was cut at a limit of its agent") ||
		strings.Contains(got, "max_tokens") { // which reaches no program
		t.Errorf("warned %q of a program", got)
	}
}
