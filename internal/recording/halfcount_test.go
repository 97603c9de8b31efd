package recording

import (
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

// TestHalfCount: in every format the tokens are unreported if one of the two counts is missing, or if they are less
// than the recorded total.
func TestHalfCount(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"chat log": `{"messages": [{"role": "user", "content": "a"}], "response": {"choices": [{"message": {"role": "assistant",
			"content": "b"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30}}}`,
		"spans": `{"context": {"trace_id": "t", "span_id": "1"}, "name": "llm", "start_time": "2026-01-01T00:00:01Z",
			"end_time": "2026-01-01T00:00:02Z", "attributes": {"openinference.span.kind": "LLM",
			"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "a",
			"llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": "b",
			"llm.token_count.prompt": 20, "llm.token_count.completion": 10, "llm.token_count.total": 30}}`,
		"langfuse": `[{"id": "t1", "name": "shop", "timestamp": "2026-01-01T00:00:00Z", "input": "a", "output": "b", "scores": [],
			"observations": [{"id": "o1", "traceId": "t1", "type": "GENERATION", "name": "llm",
			"startTime": "2026-01-01T00:00:01Z", "endTime": "2026-01-01T00:00:02Z", "model": "m",
			"input": [{"role": "user", "content": "a"}], "output": {"role": "assistant", "content": "b"},
			"usage": {"input": 20, "output": 10, "total": 30, "unit": "TOKENS"}}]}]`,
		"langsmith": `{"id": "r1", "trace_id": "r1", "name": "llm", "run_type": "llm", "start_time": "2026-01-01T00:00:01Z",
			"end_time": "2026-01-01T00:00:02Z", "inputs": {"messages": [{"role": "user", "content": "a"}]},
			"outputs": {"choices": [{"message": {"role": "assistant", "content": "b"}, "finish_reason": "stop"}],
			"usage": {"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30}}}`,
	} {
		text = strings.Join(strings.Fields(text), " ")
		for _, c := range []struct {
			what    string
			change  func(string) string
			unknown bool
		}{
			{"whole", func(s string) string { return s }, false},
			{"no input", without(": 20"), true},
			{"no output", without(": 10"), true},
			{"an input of null", replaced(": 20", ": null"), true},
			{"an input of 0", replaced(": 20", ": 0"), true},
			{"an output of 0", replaced(": 10", ": 0"), true},
			{"no sum", without(": 30"), false},
		} {
			s := only(t, []byte(c.change(text)))
			m := s.Messages[len(s.Messages)-1]
			if m.Usage == nil {
				t.Errorf("%s, %s: no usage", name, c.what)
			} else if got := slices.Contains(m.Unreported, chat.UnreportedTokens); got != c.unknown || m.Usage.Estimated != c.unknown {
				t.Errorf("%s, %s: untold %v of %+v", name, c.what, got, m.Usage)
			}
		}
	}
}

func replaced(old, by string) func(string) string {
	return func(s string) string { return strings.Replace(s, old, by, 1) }
}

// without removes a key, found by its value.
func without(value string) func(string) string {
	return func(s string) string {
		at := strings.Index(s, value)
		begin := strings.LastIndex(s[:at-1], `"`)
		comma := strings.LastIndex(s[:begin], ",")
		if brace := strings.LastIndex(s[:begin], "{"); brace > comma { // the key is the first of its object
			return s[:begin] + strings.TrimPrefix(s[at+len(value):], ", ")
		}
		return s[:comma] + s[at+len(value):]
	}
}
