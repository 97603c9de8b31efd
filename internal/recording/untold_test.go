package recording

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
)

// TestTracesLeaveOut: libraries omit the arguments of tools by default, and often count streams only in part. Both
// are then unknown to checks.
func TestTracesLeaveOut(t *testing.T) {
	t.Parallel()
	const op = "gen_ai.operation.name"
	for name, c := range map[string]struct {
		tool, model []string // attributes
		want        []string
	}{
		"all is told": {
			[]string{"gen_ai.tool.call.arguments", `{"id":1}`},
			[]string{"gen_ai.usage.input_tokens", "3", "gen_ai.usage.output_tokens", "1"}, nil,
		},
		"no arguments at all": {
			[]string{"gen_ai.tool.call.arguments", `{}`},
			[]string{"gen_ai.usage.input_tokens", "3", "gen_ai.usage.output_tokens", "0"}, nil,
		},
		"arguments": {nil, nil, []string{chat.UnreportedArguments}},
		"arguments that are no object": {
			[]string{"gen_ai.tool.call.arguments", "<REDACTED>"}, nil, []string{chat.UnreportedArguments},
		},
		"tokens out": {
			[]string{"gen_ai.tool.call.arguments", `{}`}, []string{"gen_ai.usage.input_tokens", "3"},
			[]string{chat.UnreportedTokens},
		},
		"tokens in": {
			[]string{"gen_ai.tool.call.arguments", `{}`}, []string{"gen_ai.usage.output_tokens", "3"},
			[]string{chat.UnreportedTokens},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := append([]string{op, "execute_tool", "gen_ai.tool.name", "f", "gen_ai.tool.call.result", "ok"}, c.tool...)
			model := append([]string{op, "chat", inputAttr, "user: a", outputAttr, "assistant: b"}, c.model...)
			list := testSpan("1", "", 1, tool...) + "," + testSpan("2", "", 2, model...)
			s := only(t, []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[`+list+`]}]}]}`))
			var got []string
			for _, m := range s.Messages {
				got = append(got, m.Unreported...)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
