package traced

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/spans"
)

// span is a line of kensa's.
func span(id, parent, kind string, start, end int, attributes string) string {
	return fmt.Sprintf(`{"name":%q,"span_id":%q,"parent_span_id":%q,"start_time":%d,"end_time":%d,"attributes":{`+
		`"openinference.span.kind":%q%s}}`+"\n", "span "+id, id, parent, start, end, kind, attributes)
}

func traceOf(t *testing.T, text string) *spans.Trace {
	t.Helper()
	var list []spans.Span
	for _, err := range spans.Lines(strings.NewReader(text), func(s spans.Span) { list = append(list, s) }) {
		t.Error(err)
	}
	return spans.NewTrace(list)
}

// written writes replies down.
func written(list []chat.Reply) (out []string) {
	for i := range list {
		r := &list[i]
		models, cost := "1", "unknown"
		if r.ModelCalls != nil {
			models = fmt.Sprint(*r.ModelCalls)
		}
		if r.CostUSD != nil {
			cost = fmt.Sprint(*r.CostUSD)
		}
		text := fmt.Sprintf("%q models %s, %d+%d tokens (%t), cost %s", r.Content, models, r.Usage.InputTokens,
			r.Usage.OutputTokens, r.Usage.Estimated, cost)
		for n, c := range r.ToolCalls {
			res := r.ToolResults[n]
			text += fmt.Sprintf("; %s %s %s %s → %s%s", c.ID, c.Name, jsonText(c.Args), c.BadArgs, res.Content, res.Error)
			if res.ID != c.ID {
				text += " of another call"
			}
		}
		out = append(out, text+" "+strings.Join(r.Unreported, ","))
	}
	return out
}

func jsonText(args chat.Args) string { return fmt.Sprint(args) }

func TestReplies(t *testing.T) {
	t.Parallel()
	final := chat.Reply{
		Content: "done", Usage: chat.Usage{InputTokens: 1, OutputTokens: 1, Estimated: true},
		Unreported: []string{chat.UnreportedModelCalls, chat.UnreportedToolCalls},
	}
	const tokens = `,"llm.token_count.prompt":10,"llm.token_count.completion":0`
	model := func(id string, start int, more string) string {
		return span(id, "", "LLM", start, start+1, tokens+`,"llm.cost.total":0.5`+more)
	}
	tool := func(id string, start int) string {
		return span(id, "", "TOOL", start, start+1, `,"tool.name":"f","tool.parameters":{"a":1},"output.value":"ok"`)
	}
	for _, c := range []struct {
		name, spans string
		reported    []chat.ToolCall
		want        []string
	}{
		{"a loop", model("1", 1, "") + tool("2", 2) + tool("3", 3) + model("4", 4, ""), nil, []string{
			`"" models 1, 10+0 tokens (false), cost 0.5; 2 f map[a:1]  → ok; 3 f map[a:1]  → ok `,
			`"done" models 1, 10+0 tokens (false), cost 0.5 `,
		}},
		{"tools alone", tool("2", 2) + tool("2", 3), nil, []string{
			`"" models 0, 0+0 tokens (false), cost 0; 2 f map[a:1]  → ok; 2-2 f map[a:1]  → ok `,
			`"done" models 1, 1+1 tokens (true), cost unknown model calls`,
		}},
		{"the last work is a tool", model("1", 1, "") + model("2", 2, "") + tool("3", 3), nil, []string{
			`"" models 2, 20+0 tokens (false), cost 1; 3 f map[a:1]  → ok `,
			`"done" models 0, 0+0 tokens (false), cost 0 `,
		}},
		{"told already", model("1", 1, "") + tool("2", 2) + tool("3", 3), []chat.ToolCall{
			{Name: "f", Args: chat.Args{"a": json.Number("1")}},
		}, []string{
			`"" models 1, 10+0 tokens (false), cost 0.5; 3 f map[a:1]  → ok `,
			`"done" models 0, 0+0 tokens (false), cost 0 `,
		}},
		{"no cost", span("1", "", "LLM", 1, 2, tokens+`,"llm.model_name":"nobody knows"`), nil, []string{
			`"done" models 1, 10+0 tokens (false), cost unknown `,
		}},
		{"no tokens", span("1", "", "LLM", 1, 2, ""), nil, []string{`"done" models 1, 1+1 tokens (true), cost unknown `}},
		{"tools that are not told", model("1", 1, `,"llm.finish_reason":"tool_calls"`) + model("2", 2, ""), nil, []string{
			`"done" models 2, 20+0 tokens (false), cost 1 tool calls`,
		}},
		{"arguments and results that are not told", span("1", "", "TOOL", 1, 2, `,"tool.name":"f"`) +
			span("2", "", "TOOL", 3, 4, `,"tool.name":"f","input.value":"<REDACTED>"`), nil, []string{
			`"" models 0, 0+0 tokens (false), cost 0; 1 f map[]  → ; 2 f map[] <REDACTED> →  tool arguments,tool results`,
			`"done" models 1, 1+1 tokens (true), cost unknown model calls`,
		}},
		{"a call that was asked for", span("1", "", "LLM", 1, 2, tokens+`,"llm.cost.total":0.5,`+
			`"llm.finish_reason":"tool_calls","llm.tool_calls":[{"name":"f","arguments":{"a":1}}]`), nil, []string{
			`"" models 1, 10+0 tokens (false), cost 0.5; 1 f map[a:1]  →  tool outcomes,tool results`,
			`"done" models 0, 0+0 tokens (false), cost 0 `,
		}},
		{"nothing of models and tools", span("1", "", "CHAIN", 1, 2, ""), nil, []string{
			`"done" models 1, 1+1 tokens (true), cost unknown model calls,tool calls`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := replies(traceOf(t, c.spans), final, &turn{reported: reportedCalls{calls: c.reported}}, &scenario.Provider{})
			if diff := cmp.Diff(c.want, written(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got[len(got)-1].Trace == nil {
				t.Error("nothing is shown of it")
			}
		})
	}
}

// TestFailureToldOnce: lines that tell of a call that worked, and the span of one that failed, contradict each other.
func TestFailureToldOnce(t *testing.T) {
	t.Parallel()
	args := chat.Args{"a": json.Number("1")}
	trace := traceOf(t, span("1", "", "TOOL", 1, 2, `,"tool.name":"f","tool.parameters":{"a":1},"error.type":"down"`))
	for failure, want := range map[string]string{
		"":     "the program reports that its call c of f succeeded, and its traces that it failed: down",
		"down": "",
	} {
		var of turn
		of.goesOn(chat.Reply{
			ToolCalls:   []chat.ToolCall{{ID: "c", Name: "f", Args: args}},
			ToolResults: []chat.ToolResult{{ID: "c", Name: "f", Error: failure}},
		}, nil)
		if left, notice := of.reported.without(trace.Calls()); len(left) > 0 || notice != want {
			t.Errorf("failure %q: %d calls, notice %q, want %q", failure, len(left), notice, want)
		}
	}
}
