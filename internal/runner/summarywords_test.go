package runner

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/result"
)

// TestSummariesThatAreNone: the agent is sent them in the place of the conversation.
func TestSummariesThatAreNone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"I cannot summarize this.":                 "refuses to summarize",
		"I’m unable to summarise that.":            "refuses to summarize",
		"Please provide the conversation.":         "refuses to summarize",
		"No previous conversation.":                "refuses to summarize",
		"No conversation was provided.":            "refuses to summarize",
		"x":                                        `makes "x" of 4 messages`,
		"<tool_call>{}</tool_call>":                "the call of a tool as text",
		"Sums <|im_end|>":                          "a mark of the model's own template",
		"Mauve.":                                   "",
		"他要退款":                                     "",
		"The user had no previous conversation.":   "",
		"Ada asked us to provide the transcript.":  "",
		"There is no message from the bank so far": "",
	} {
		s := &session{out: &result.Trial{}}
		s.warnOfSummary("short", text, 4)
		got := strings.Join(append(s.out.Warnings, s.pending.others...), "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: warned %q, want %q", text, got, want)
		}
	}
}
