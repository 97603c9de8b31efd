package conformance

import (
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// wantsSomething are checks that ask for something that any last reply may be.
var wantsSomething = map[string]string{
	"composition_output": "an output",
}

// TestBansOfLastReplies: a check over a conversation that one reply fails, and that passes again after a later reply,
// forbids or limits something in the last reply only. It must declare that.
func TestBansOfLastReplies(t *testing.T) {
	t.Parallel()
	met := map[string]bool{}
	for _, d := range checks.Builtin() {
		for _, x := range readExamples(t, d) {
			if x.Want != "failed" || x.When != nil {
				continue
			}
			c := compileOnly(t, &x, scenario.ConversationAssertion)
			for _, text := range []string{"Ok.", "{}", ""} {
				subject := func(more ...chat.Message) *checks.Subject {
					s, _ := (&Vector{Context: x.vectorContext, Tools: x.Tools}).subject(checks.ScopeSession)
					if judges := x.judges(); judges != nil {
						s.Judges = judges
					}
					s.Calls, s.Messages = nil, append(s.Messages, more...)
					return s
				}
				if v := c.Judge(t.Context(), subject()); v.Status != result.Failed {
					continue
				}
				later := subject(chat.Message{Role: chat.User, Content: "Go on."}, chat.Message{Role: chat.Assistant, Content: text})
				if v := c.Judge(t.Context(), later); v.Status != result.Passed {
					continue
				}
				met[d.Name] = true
				if _, _, alone := c.OfLastReplyAlone(); !alone && wantsSomething[d.Name] == "" {
					t.Errorf("%s (%s) passes with %q behind, and does not say that it looks only there", d.Name, x.Name, text)
				}
			}
		}
	}
	for _, name := range []string{"max_length", "sentence_count", "word_count", "regex"} {
		if !met[name] {
			t.Errorf("no example of %s was tried", name)
		}
	}
	for name := range wantsSomething {
		if !met[name] {
			t.Errorf("%s is an exception, and none is needed", name)
		}
	}
}
