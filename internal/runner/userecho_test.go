package runner

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestEchoes: a user that repeats the agent, its instructions or itself asks nothing, and is told of; one that answers
// shortly is not.
func TestEchoes(t *testing.T) {
	t.Parallel()
	const agent, own = "Your order is on its way to you.", "You want a refund."
	for name, c := range map[string]struct {
		says []string
		want string
	}{
		"the agent's sentence":       {[]string{"Your order is on its way to you!"}, "says back what the agent said last"},
		"instructions":               {[]string{"you want a refund"}, "says its own instructions"},
		"other signs":                {[]string{"Hi there", "Hi  there!", "hi there.", "Hi there!!"}, "again and again"},
		"two by turns":               {[]string{"a b", "c d", "a b", "c d", "a b.", "c d"}, "the same 2 messages by turns"},
		"three by turns":             {[]string{"x", "a", "b", "c", "a", "b", "c", "a", "b", "c"}, "the same 3 messages by turns"},
		"short answers":              {[]string{"Yes.", "No.", "Yes.", "Yes.", "No.", "Yes."}, ""},
		"three times":                {[]string{"Yes.", "Yes!", "yes"}, ""},
		"a part of its instructions": {[]string{"I want a refund."}, ""},
		"signs alone":                {[]string{"?", "?!", "??", "???"}, ""},
	} {
		s := &session{out: &result.Trial{}, messages: []chat.Message{
			{Role: chat.Assistant, Content: agent}, {Role: chat.User, Content: "Hm."},
		}}
		talk := &talk{s: s, p: &player{persona: &scenario.Persona{}}, system: own + "\n\n" + endInstruction}
		for _, words := range c.says {
			talk.warnOfEchoes(words, false)
		}
		got := strings.Join(s.out.Warnings, "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: warned %q, want %q", name, got, c.want)
		}
	}
}

// TestEchoOfAGreeting: one short word back is a greeting, and two are none.
func TestEchoOfAGreeting(t *testing.T) {
	t.Parallel()
	s := &session{out: &result.Trial{}, messages: []chat.Message{{Role: chat.Assistant, Content: "Hello."}}}
	talk := &talk{s: s, p: &player{persona: &scenario.Persona{}}, system: "You want a refund."}
	talk.warnOfEchoes("Hello!", false)
	if len(s.out.Warnings) > 0 {
		t.Errorf("warned %q of a greeting", s.out.Warnings)
	}
	talk.warnOfEchoes("Hello", false)
	if len(s.out.Warnings) != 1 {
		t.Errorf("warned %q of an echo", s.out.Warnings)
	}
}
